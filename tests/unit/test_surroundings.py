"""How many edges a look shows of each node, and what further looks leave out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

from arcgraph.domain import Count, LabelInfo, Rows, Schema, TypeInfo
from arcgraph.graph.pattern import Direction
from arcgraph.interpret.surroundings import Deadline, Seen, Surroundings
from arcgraph.settings import AskSettings

SCHEMA = Schema(
    labels={"Entity": LabelInfo("Entity", Count(9))}, types={"DREW": TypeInfo("DREW", Count(1))}, endpoints=()
)


class Hubs:
    """A graph in which each node has so many edges of each relation, the first relations first."""

    dialect = "neo4j"

    def __init__(self, **edges: Mapping[Any, int]):
        self._edges = edges
        self.looks: list[tuple[tuple[str, ...], int, tuple[Any, ...]]] = []

    def read(self, query: str, params: Mapping[str, Any] | None = None, *, timeout: float, limit: int) -> Rows:
        assert 0 < timeout <= 4
        assert params
        most = int(re.findall(r"LIMIT (\d+)", query)[-1])
        hidden = tuple(value for name, value in params.items() if name.startswith("h"))
        self.looks.append((tuple(params["ids"]), most, hidden))
        shown: list[tuple[Any, ...]] = []
        for node in params["ids"]:
            own = [(node, r, f"{r} {i}") for r, n in self._edges[node].items() if r not in hidden for i in range(n)]
            shown += own[:most]
        assert len(shown) <= limit
        return Rows(("n", "d", "v0"), shown)


def looked(graph: Hubs, *nodes: str, looks: int = 1) -> list[Seen]:
    around = Surroundings(graph, SCHEMA)  # type: ignore[arg-type]
    return list(around.of(nodes, Direction.OUT, ("m",), Deadline(AskSettings().looking), looks=looks))


def test_nodes_share_what_a_look_shows_and_few_edges_are_never_cut() -> None:
    graph = Hubs(**{f"n{i}": {"drew": 5_000} for i in range(70)})
    counts = Counter(edge.node for edge in looked(graph, *(f"n{i}" for i in range(70))))
    # Of sixty together 300 each, which is more than 4,000/60; of the other ten 4,000/10.
    assert [most for _, most, _ in graph.looks] == [300, 400]
    assert counts == {f"n{i}": 300 if i < 60 else 400 for i in range(70)}


def test_a_node_that_is_given_twice_is_looked_at_once() -> None:
    assert len(looked(Hubs(a={"drew": 2}), "a", "a")) == 2


def test_an_edge_that_means_nothing_takes_a_place_and_is_not_shown() -> None:
    assert [edge.relation for edge in looked(Hubs(a={None: 3, "drew": 2}), "a")] == ["drew", "drew"]


def test_a_full_node_alone_is_looked_at_again_without_the_relations_that_fill_it() -> None:
    rare = {f"rare {i:02}": 1 for i in range(60)}
    graph = Hubs(hub={"common": 3_000, **rare, "drew": 5_000, "last": 1}, quiet={"common": 3})
    seen = looked(graph, "hub", "quiet", looks=3)
    first, second, third = graph.looks
    assert first == (("hub", "quiet"), 2_000, ())
    # The first two thousand edges of the hub are of one relation; it hides nothing of the quiet one.
    assert second == (("hub",), 4_000, ("common",))
    # The most frequent of those seen next, and of the sixty rare ones so many that fifty are left out in all.
    assert third[:2] == (("hub",), 4_000)
    assert third[2][:2] == ("common", "drew")
    assert len(third[2]) == 51
    assert "last" in {edge.relation for edge in seen}
    assert Counter(edge.relation for edge in seen if edge.node == "quiet") == {"common": 3}


def test_no_more_looks_than_are_allowed() -> None:
    graph = Hubs(hub={f"relation {i}": 100 for i in range(900)})
    looked(graph, "hub", looks=3)
    assert len(graph.looks) == 3
