"""``arcgraph load``: files into a graph."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arcgraph.cli.common import (
    DatabaseOption,
    JsonOption,
    PasswordOption,
    TimeoutOption,
    UserOption,
    err,
    load_settings,
    open_graph,
    out,
    print_json,
)

if TYPE_CHECKING:
    from arcgraph.graph.load import LoadReport, Progress


class RelationsIn(StrEnum):
    """Where the relations of triples go."""

    TYPES = "types"
    PROPERTY = "property"


def register(app: typer.Typer) -> None:
    """Add the command to ``app``."""
    app.command("load")(load)


def load(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE...", help="JSONL, triples or CSV with neo4j-admin headers; gzip or plain."),
    ],
    to: Annotated[
        str | None,
        typer.Option(
            "--to",
            "--graph",
            metavar="TARGET",
            help="Where to: neo4j://… or bolt://… (NEO4J_URI if left out), or a graph file, made if absent.",
        ),
    ] = None,
    schema: Annotated[
        Path | None,
        typer.Option("--schema", metavar="FILE", help="Property types (else schema.json[.gz] beside a JSONL file)."),
    ] = None,
    sep: Annotated[
        str | None, typer.Option("--sep", metavar="TEXT", help="What separates fields (triples: |, else tab).")
    ] = None,
    columns: Annotated[
        str | None,
        typer.Option(
            "--columns", metavar="A,B,C", help="Subject, relation and object of triples: header names, or 1,2,3."
        ),
    ] = None,
    relations: Annotated[
        RelationsIn | None,
        typer.Option("--relations", help="Relations of triples as types, or as a property (default: up to 200 types)."),
    ] = None,
    labels: Annotated[
        Path | None,
        typer.Option("--labels", metavar="FILE", help="JSON: relation to [label of subject, label of object]."),
    ] = None,
    rejects: Annotated[
        Path | None,
        typer.Option("--rejects", metavar="FILE", help="Where bad lines go (default: FILE.rejects.jsonl, here)."),
    ] = None,
    batch: Annotated[int, typer.Option("--batch", metavar="ROWS", min=1, help="Rows written at a time.")] = 5_000,
    database: DatabaseOption = None,
    user: UserOption = None,
    password: PasswordOption = False,
    timeout: TimeoutOption = None,
    as_json: JsonOption = False,
) -> None:
    """Load graph files into a database or a graph file. Loading the same again changes nothing."""
    from arcgraph.graph import load as loading

    # Before the target is opened: a mistyped file name should not leave an empty graph behind.
    sources = loading.check(files, schema=schema, sep=_unescaped(sep), columns=columns, labels=labels)
    graph = open_graph(
        to, database=database, user=user, password=password, create=True, settings=load_settings(timeout)
    )
    try:
        with _bar() as show:
            report = loading.load(
                sources,
                graph,
                schema=schema,
                sep=_unescaped(sep),
                columns=columns,
                relations=relations.value if relations else None,
                labels=labels,
                rejects=rejects,
                batch=batch,
                progress=show,
            )
    finally:
        graph.close()
    if as_json:
        print_json(report.to_dict())
    else:
        _print(report, graph.name)


def _unescaped(sep: str | None) -> str | None:
    """A tab is hard to type."""
    return "\t" if sep in ("\\t", "tab") else sep


@contextmanager
def _bar() -> Iterator[Callable[[Progress], None]]:
    """A bar on standard error, where that is a terminal."""
    from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
    with Bars(*columns, TimeRemainingColumn(), console=err, transient=True, disable=not err.is_terminal) as bars:
        task = bars.add_task("reading", total=None)

        def show(at: Progress) -> None:
            told = f"{at.nodes:,} nodes, {at.relationships:,} relationships"
            bars.update(task, description=told, completed=at.done, total=at.total)

        yield show


def _print(report: LoadReport, name: str) -> None:
    for line in _lines(report, name):
        # Unwrapped, so that a path can be copied.
        out.print(line, markup=False, soft_wrap=True)


def _lines(report: LoadReport, name: str) -> Iterator[str]:
    passages = f" ({report.passages:,} passages among them)" if report.passages else ""
    yield (
        f"Loaded {_counted(report.nodes, 'node')}{passages} and {_counted(report.relationships, 'relationship')} "
        f"into {name} in {report.seconds:.1f} s."
    )
    if report.nodes_known or report.relationships_known:
        yield (
            f"{_counted(report.nodes_known, 'node')} and {_counted(report.relationships_known, 'relationship')} "
            "of these were there already."
        )
    if report.repeated:
        yield f"{_counted(report.repeated, 'line')} repeated what another said."
    for note in report.notes:
        yield f"Note: {note}."
    if report.rejected:
        yield f"{_counted(report.rejected, 'line')} could not be loaded; all of them are in {report.rejects}:"
        yield from (f"  {example}" for example in report.examples)


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" + ("" if number == 1 else "s")
