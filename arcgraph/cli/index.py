"""``arcgraph index``: build, or bring up to date, the index of a graph's names."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arcgraph.cli.common import (
    DatabaseOption,
    GraphOption,
    JsonOption,
    PasswordOption,
    TimeoutOption,
    UserOption,
    err,
    load_settings,
    open_graph,
    out,
    print_json,
    progress,
)

if TYPE_CHECKING:
    from arcgraph.graph.base import Graph
    from arcgraph.search.local import NameIndex
    from arcgraph.settings import Settings

_SHOWN_LABELS = 12


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(index)


def index(
    graph: GraphOption = None,
    database: DatabaseOption = None,
    user: UserOption = None,
    password: PasswordOption = False,
    timeout: TimeoutOption = None,
    refresh: Annotated[
        bool, typer.Option("--refresh", help="Build it anew although the graph does not seem to have changed.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Index the names in a graph, so that questions find them.

    Happens by itself with the first question; do it beforehand for a large graph. What is read, and how much of it,
    is set by ARCGRAPH_SEARCH_INCLUDE_LABELS, …_EXCLUDE_LABELS, …_INCLUDE_PROPERTIES, …_EXCLUDE_PROPERTIES and
    …_MAX_ENTRIES.
    """
    settings = load_settings(timeout)
    connection = open_graph(graph, database=database, user=user, password=password, settings=settings)
    try:
        started = time.monotonic()
        built = _build(connection, settings, refresh)
        seconds = time.monotonic() - started
    finally:
        connection.close()
    if as_json:
        print_json(_described(connection, built, seconds))
    else:
        _show(built, seconds)


def _build(connection: Graph, settings: Settings, refresh: bool) -> NameIndex:
    from arcgraph.search.local import Progress, estimate, open_or_build  # heavy

    schema = connection.schema(refresh=refresh)
    expected = estimate(schema, settings.search)
    with progress("indexing names") as bar:

        def report(reached: Progress) -> None:
            if reached.is_first:
                err.print(f"building the index: {expected}", style="dim", markup=False)
            bar(reached.done, reached.total)

        return open_or_build(connection, schema, settings, refresh=refresh, progress=report)


def _described(connection: Graph, built: NameIndex, seconds: float) -> dict[str, Any]:
    return {
        "graph": connection.name,
        "entries": built.size,
        "labels": built.by_label(),
        "embedder": built.embedder.name if built.embedder else None,
        "path": str(built.path) if built.path else None,
        "bytes": built.path.stat().st_size if built.path else None,
        "built": built.built,
        "seconds": round(seconds, 3),
        "notices": list(built.notices),
    }


def _show(built: NameIndex, seconds: float) -> None:
    for notice in built.notices:
        err.print(f"note: {notice}", style="dim", markup=False, soft_wrap=True)
    state = f"built in {seconds:.1f} s" if built.built else "up to date"
    matching = f"by spelling and meaning ({built.embedder.name})" if built.embedder else "by spelling"
    out.print(f"{built.size:,} names, {state}; matched {matching}", markup=False, soft_wrap=True)
    for label, count in list(built.by_label().items())[:_SHOWN_LABELS]:
        out.print(f"  {count:>11,}  {label or '(no label)'}", markup=False, soft_wrap=True)
    if built.path:
        size = built.path.stat().st_size / 1e6
        out.print(f"{built.path} ({size:,.1f} MB)", style="dim", markup=False, soft_wrap=True)
    if not built.size:
        out.print("the graph has nothing that names a node, so questions can only ask for kinds of things")
