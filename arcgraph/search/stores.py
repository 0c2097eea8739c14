"""Which store ranks the texts of an index: the index itself, or Qdrant where the settings say so."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from arcgraph.graph.base import Graph
from arcgraph.search.cache import named
from arcgraph.search.embed import say_once
from arcgraph.search.hybrid import Ways
from arcgraph.search.local import Report
from arcgraph.search.passages import PassageIndex
from arcgraph.search.triples import TripleIndex
from arcgraph.settings import Settings


class Stored(NamedTuple):
    """What ranks the texts of an index, where that is for people, and notices about it."""

    ways: Ways
    place: str = ""
    notices: tuple[str, ...] = ()


def ways_of(
    index: PassageIndex | TripleIndex,
    graph: Graph,
    settings: Settings,
    progress: Report | None = None,
    *,
    refresh: bool = False,
) -> Stored:
    """The store that the settings name; a collection in Qdrant is filled first where it is not yet.

    Raises :class:`~arcgraph.errors.MissingExtra`, :class:`~arcgraph.errors.ConnectError` or
    :class:`~arcgraph.errors.StorageError` where Qdrant cannot be had, and :class:`~arcgraph.errors.UsageError` for an
    address that is none.
    """
    if settings.search.store == "local":
        return Stored(index.ways)
    from arcgraph.search.qdrant import QdrantWays, caution, connection  # optional, and slow to import

    kind = "passages" if isinstance(index, PassageIndex) else "triples"
    prefix = f"arcgraph-{named(graph.name)}-{kind}"
    url, key = settings.search.store_url.get_secret_value(), settings.search.store_key.get_secret_value()
    # Without a server a folder is read whole when it is opened, so that each collection has its own.
    place: str | Path = url or settings.cache.dir / "qdrant" / prefix
    where = connection(place, key)
    ways = QdrantWays(where, index, prefix)
    notices = tuple(filter(None, [caution(where, kind, index.size)]))
    say_once(notices)
    ways.fill(progress or (lambda _: None), refresh=refresh)
    return Stored(ways, f"{ways.name} at {where.name}", notices)
