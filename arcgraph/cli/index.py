"""``arcgraph index``: build, or bring up to date, the indexes of a graph's names, passages and triples."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
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
    from arcgraph.search.local import NameIndex, Progress, Report
    from arcgraph.search.passages import PassageIndex
    from arcgraph.search.retrieve import Retriever
    from arcgraph.search.triples import TripleIndex
    from arcgraph.search.values import ValueIndex
    from arcgraph.settings import Settings

_SHOWN_LABELS = 12


@dataclass(frozen=True, slots=True)
class _Indexes:
    """What a graph is searched by, and how long each took; ``passages`` is ``None`` where the graph leads to none.

    ``retriever`` is what a model's questions are searched with; ``None`` where it was not asked for.
    """

    names: NameIndex
    names_seconds: float
    passages: PassageIndex | None
    passages_seconds: float
    values: ValueIndex
    retriever: Retriever | None
    retriever_seconds: float

    @property
    def triples(self) -> TripleIndex | None:
        """The index of triples, where it is what is searched."""
        from arcgraph.search.triples import TripleIndex

        index = self.retriever.index if self.retriever is not None else None
        return index if isinstance(index, TripleIndex) else None

    @property
    def place(self) -> str:
        """The collection in which passages or triples are searched; empty where that is the index itself."""
        return self.retriever.place if self.retriever is not None else ""

    @property
    def notices(self) -> list[str]:
        """Of all, each once; values lie beside the names, and nothing else befalls them."""
        told = [one.notices for one in (self.names, self.passages, self.retriever) if one is not None]
        return list(dict.fromkeys(notice for notices in told for notice in notices))


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
    triples: Annotated[
        bool | None,
        typer.Option(
            "--triples/--no-triples",
            help="Index what a language model's questions are searched by, too: the edges as sentences, where the "
            "graph leads to no passages. By default where a model, or the store qdrant, is set.",
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Index the names in a graph, and the passages that it was read from, so that questions find them.

    Happens by itself with the first question; do it beforehand for a large graph. What is read, and how much of it,
    is set by ARCGRAPH_SEARCH_INCLUDE_LABELS, …_EXCLUDE_LABELS, …_INCLUDE_PROPERTIES, …_EXCLUDE_PROPERTIES,
    …_MAX_ENTRIES, …_MAX_PASSAGE_BYTES and …_MAX_TRIPLES. With ARCGRAPH_SEARCH_STORE=qdrant its collection is filled.
    """
    settings = load_settings(timeout)
    connection = open_graph(graph, database=database, user=user, password=password, settings=settings)
    try:
        built = _build(connection, settings, refresh=refresh, retrieves=_retrieves(settings, triples))
    finally:
        connection.close()
    if as_json:
        print_json(_described(connection, built))
    else:
        _show(built)


def _retrieves(settings: Settings, asked: bool | None) -> bool:
    """Whether to make ready what only a language model's questions need."""
    return asked if asked is not None else bool(settings.llm.model.strip()) or settings.search.store != "local"


def _build(connection: Graph, settings: Settings, *, refresh: bool, retrieves: bool) -> _Indexes:
    from arcgraph.search.local import estimate, open_or_build  # heavy
    from arcgraph.search.passages import open_or_build_passages
    from arcgraph.search.retrieve import open_retriever
    from arcgraph.search.values import open_or_build_values

    began = time.monotonic()
    schema = connection.schema(refresh=refresh)
    expected = estimate(schema, settings.search)
    with _reporting("names", lambda _: str(expected)) as report:
        names = open_or_build(connection, schema, settings, refresh=refresh, progress=report)
    began_passages = time.monotonic()
    with _reporting("passages", lambda total: f"about {total:,} passages") as report:
        passages = open_or_build_passages(connection, schema, settings, refresh=refresh, progress=report)
    seconds = time.monotonic() - began_passages
    with progress("indexing values") as bar:
        values = open_or_build_values(connection, schema, settings, refresh=refresh, progress=bar)
    began_retriever, retriever = time.monotonic(), None
    if retrieves:
        with _reporting("triples", lambda total: f"about {total:,} triples") as report:
            retriever = open_retriever(
                connection, schema, settings, passages=passages, refresh=refresh, progress=report
            )
    retriever_seconds = time.monotonic() - began_retriever
    return _Indexes(names, began_passages - began, passages, seconds, values, retriever, retriever_seconds)


@contextmanager
def _reporting(what: str, expected: Callable[[int], str]) -> Iterator[Report]:
    """A bar, and one line about the size where the index is built; ``expected`` words it from the total."""
    with progress(f"indexing {what}") as bar:

        def report(reached: Progress) -> None:
            if reached.is_first:
                err.print(f"building the index: {expected(reached.total)}", style="dim", markup=False)
            bar(reached.done, reached.total)

        yield report


def _described(connection: Graph, built: _Indexes) -> dict[str, Any]:
    return {
        "graph": connection.name,
        "entries": built.names.size,
        "labels": built.names.by_label(),
        **_state(built.names),
        "passages": {"entries": built.passages.size, **_state(built.passages)} if built.passages is not None else None,
        "values": {
            "entries": len(built.values),
            "path": str(built.values.path) if built.values.path else None,
            "built": built.values.built,
        },
        "triples": {"entries": built.triples.size, **_state(built.triples)} if built.triples is not None else None,
        "store": built.place or None,
        "seconds": round(built.names_seconds + built.passages_seconds + built.retriever_seconds, 3),
        "notices": built.notices,
    }


def _state(index: NameIndex | PassageIndex | TripleIndex) -> dict[str, Any]:
    return {
        "embedder": index.embedder.name if index.embedder else None,
        "path": str(index.path) if index.path else None,
        "bytes": index.path.stat().st_size if index.path else None,
        "built": index.built,
    }


def _show(built: _Indexes) -> None:
    for notice in built.notices:
        err.print(f"note: {notice}", style="dim", markup=False, soft_wrap=True)
    names, passages = built.names, built.passages
    _show_index("names", names, "matched", built.names_seconds)
    for label, count in list(names.by_label().items())[:_SHOWN_LABELS]:
        out.print(f"  {count:>11,}  {label or '(no label)'}", markup=False, soft_wrap=True)
    _show_path(names)
    if passages is not None:
        _show_index("passages", passages, "ranked", built.passages_seconds)
        _show_path(passages)
    if built.triples is not None:
        _show_index("triples", built.triples, "ranked", built.retriever_seconds)
        _show_path(built.triples)
    if built.place:
        out.print(f"searched in {built.place}", markup=False, soft_wrap=True)
    if not names.size:
        out.print("the graph has nothing that names a node, so questions can only ask for kinds of things")


def _show_index(what: str, index: NameIndex | PassageIndex | TripleIndex, verb: str, seconds: float) -> None:
    state = f"built in {seconds:.1f} s" if index.built else "up to date"
    how = f"by spelling and meaning ({index.embedder.name})" if index.embedder else "by spelling"
    out.print(f"{index.size:,} {what}, {state}; {verb} {how}", markup=False, soft_wrap=True)


def _show_path(index: NameIndex | PassageIndex | TripleIndex) -> None:
    if index.path:
        size = index.path.stat().st_size / 1e6
        out.print(f"{index.path} ({size:,.1f} MB)", style="dim", markup=False, soft_wrap=True)
