"""The command line: one file a command. Each parses, calls the library and prints; nothing is decided here.

A command's file has ``register(app)``, which adds it to the app, and imports what is heavy inside the command, so that
``arcgraph --help`` is quick. Options that several commands share are in :mod:`arcgraph.cli.common`. A command raises
``typer.Exit(1)`` for "no answer" and lets every :class:`~arcgraph.errors.ArcgraphError` pass: :func:`main` prints it
and turns it into the exit code.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Sequence
from importlib.metadata import version
from typing import Annotated, Any, TextIO

import typer

from arcgraph.cli.common import DISTRIBUTION, INTERRUPTED, OK, USAGE, exit_code
from arcgraph.errors import ArcgraphError

# Newer releases of typer carry their own copy of click, so its base error is found through one that typer exports.
_ClickError: Any = next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException")

_COMMANDS = ("ask", "schema", "load", "index", "check", "doctor")

app = typer.Typer(
    name="arcgraph",
    help="Ask any property graph a question and get an answer with the edges, passages and Cypher it rests on.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"arcgraph {version(DISTRIBUTION)}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    pass


for _command in _COMMANDS:
    importlib.import_module(f"arcgraph.cli.{_command}").register(app)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return the exit code.

    0 answered or accepted, 1 no answer or refused, 2 usage, 3 cannot connect, 130 interrupted.
    """
    code = _run(arguments)
    if code == INTERRUPTED:
        print("arcgraph: interrupted", file=sys.stderr)
    return code


def _run(arguments: Sequence[str] | None) -> int:
    # A name that the terminal's encoding cannot show is escaped, not a crash.
    for stream in (sys.stdout, sys.stderr):
        getattr(stream, "reconfigure", _ignore)(errors="backslashreplace")
    stdout = sys.stdout
    try:
        code = app(args=None if arguments is None else list(arguments), standalone_mode=False)
        stdout.flush()
        return code if isinstance(code, int) else OK
    except _ClickError as error:
        error.show()
        return USAGE
    except ArcgraphError as error:
        print(f"arcgraph: {error}", file=sys.stderr)
        return exit_code(error)
    except (typer.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except BrokenPipeError:
        return _reader_left(stdout)
    except SystemExit:
        # So typer ends when a pipe breaks; it has also put a wrapper in the place of standard output.
        if sys.stdout is stdout:
            raise
        return _reader_left(stdout)


def _reader_left(stdout: TextIO) -> int:
    """The reader of a pipe, such as head, has seen enough; what is still buffered has nowhere to go."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stdout.fileno())
    sys.stdout = stdout
    return OK


def _ignore(**options: str) -> None:
    del options
