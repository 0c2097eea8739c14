"""Small graphs for tests, loaded the way a user's are."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from arcgraph.domain import Rows
from arcgraph.graph.load import LoadReport, load

NodeSpec = tuple[str, str | list[str], dict[str, Any]]
EdgeSpec = tuple[str, str, str] | tuple[str, str, str, dict[str, Any]]


def fill(graph: Any, folder: Path, nodes: Iterable[NodeSpec], edges: Iterable[EdgeSpec] = ()) -> LoadReport:
    """Load nodes (id, label or labels, properties) and edges (start, type, end[, properties]) into a graph."""
    node_file, edge_file = folder / "nodes.jsonl", folder / "rels.jsonl"
    node_file.write_text(
        "".join(
            json.dumps({"id": i, "labels": [labels] if isinstance(labels, str) else labels, "props": props}) + "\n"
            for i, labels, props in nodes
        )
    )
    edge_file.write_text(
        "".join(
            json.dumps({"start": e[0], "type": e[1], "end": e[2], "props": e[3] if len(e) > 3 else {}}) + "\n"
            for e in edges
        )
    )
    return load([node_file, edge_file], graph)


class Counted:
    """A graph that counts the queries which are read through it, and their rows; all else is the graph's own."""

    def __init__(self, graph: Any):
        self._graph = graph
        self.queries = 0
        self.rows = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._graph, name)

    def read(self, query: str, params: Any = None, **limits: Any) -> Rows:
        """As the graph does."""
        found: Rows = self._graph.read(query, params, **limits)
        self.queries += 1
        self.rows += len(found)
        return found

    def reset(self) -> None:
        """Count from nothing again."""
        self.queries = self.rows = 0
