"""Options, consoles and progress that the commands share."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from arcgraph.errors import ArcgraphError, ConnectError, QueryError, Refused, ServerGone
from arcgraph.graph.base import Graph
from arcgraph.settings import Settings

DISTRIBUTION = "arcgraph-qa"
OK, NO_ANSWER, USAGE, CANNOT_CONNECT, INTERRUPTED = 0, 1, 2, 3, 130

GraphOption = Annotated[
    str | None,
    typer.Option(
        "--graph",
        metavar="TARGET",
        help="The graph: neo4j://… or bolt://… (NEO4J_URI if left out), a graph file such as g.arc, or demo:",
    ),
]
DatabaseOption = Annotated[
    str | None,
    typer.Option(
        "--database",
        metavar="NAME",
        help="Database on the server, else its default; NEO4J_DATABASE counts without --graph.",
    ),
]
UserOption = Annotated[str | None, typer.Option("--user", metavar="NAME", help="User on the server (NEO4J_USERNAME).")]
# A password as an argument would be seen in every list of processes.
PasswordOption = Annotated[
    bool, typer.Option("--password", help="Ask for the password (else NEO4J_PASSWORD is used, if set).")
]
TimeoutOption = Annotated[
    float | None,
    typer.Option("--timeout", metavar="SECONDS", min=0.01, help="Longest time for one query (ARCGRAPH_GRAPH_TIMEOUT)."),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for programs instead of text for people.")]

out = Console(highlight=False)
err = Console(stderr=True, highlight=False)


def exit_code(error: ArcgraphError) -> int:
    """The exit code that stands for ``error``."""
    if isinstance(error, ConnectError | ServerGone):
        return CANNOT_CONNECT
    return NO_ANSWER if isinstance(error, Refused | QueryError) else USAGE


def load_settings(timeout: float | None = None, **parts: dict[str, Any]) -> Settings:
    """The settings of this run: ``parts`` such as ``search={"embedder": "none"}`` over the environment."""
    if timeout is not None:
        parts["graph"] = {**parts.get("graph", {}), "timeout": timeout}
    return Settings.load(None, **parts)


def open_graph(
    target: str | None,
    *,
    database: str | None = None,
    user: str | None = None,
    password: bool = False,
    create: bool = False,
    settings: Settings | None = None,
) -> Graph:
    """The graph that the shared options name; asks for the password where ``--password`` was given."""
    from arcgraph.build import connect  # drivers and engines: heavy

    secret = typer.prompt("Password", hide_input=True, err=True) if password else None
    return connect(target, user=user, password=secret, database=database, settings=settings, create=create)


def print_json(value: Any) -> None:
    """``value`` on standard output as indented JSON, every character as it is."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2, default=str) + "\n")


@contextmanager
def progress(what: str) -> Iterator[Callable[[int, int | None], None]]:
    """A bar on standard error while something lasts; call the yielded function with (done, total or ``None``).

    Nothing is drawn where standard error is not a terminal.
    """
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=err, transient=True, disable=not err.is_terminal) as bars:
        task = bars.add_task(what, total=None)

        def update(done: int, total: int | None = None) -> None:
            bars.update(task, completed=done, total=total)

        yield update
