"""The passage index over real engines: its Cypher, keys of both forms, and texts of every shape and length."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from graphs import EdgeSpec, NodeSpec, fill

from arcgraph.search.passages import PassageIndex, open_or_build_passages
from arcgraph.settings import Settings

SUBJECTS = ["Amber Gull", "Nightjar", "Slow Heron", "Port Ys", "Kelling", "Orla Quist", "Bo Tarn", "Ines Vael"]
ODD_TEXTS = [
    "霸王别姬是一部由陈凯歌执导的剧情电影，于一九九三年上映。" * 3,
    'A "quoted" text with `ticks`, \\backslashes\\ and a tab\there, which is long enough to be a passage.\nTwo lines.',
    "😀 A text that begins with a sign of its own and goes on for long enough that it counts as a passage here.",
]


def texts(key: str = "text", integers: bool = False) -> list[NodeSpec]:
    written = [
        f"{name}\nThe records of the harbour office, which are kept in the old tower, say a good deal about {name}. "
        f"In the year {1880 + i} it was seen there."
        for i, name in enumerate(SUBJECTS)
    ] + ODD_TEXTS
    return [(f"c{i}", "Chunk", {"id": i if integers else f"c{i}", key: text}) for i, text in enumerate(written)]


def entities() -> list[NodeSpec]:
    return [(f"e{i}", "Entity", {"name": name}) for i, name in enumerate(SUBJECTS)]


def naming_edges(integers: bool = False) -> list[EdgeSpec]:
    """Edges between entities that name their passages; every passage is named by one."""
    named = [[at, (at + 1) % 11] for at in range(11)]
    keys = [[at if integers else f"c{at}" for at in pair] for pair in named]
    return [(f"e{i % 8}", "RELATED", f"e{(i + 1) % 8}", {"chunk_ids": pair}) for i, pair in enumerate(keys)]


def built(graph: Any, settings: Settings) -> PassageIndex:
    found = open_or_build_passages(graph, graph.schema(refresh=True), settings)
    assert found is not None
    return found


@pytest.mark.parametrize("integers", [False, True])
def test_passages_that_edges_name(graph: Any, settings: Settings, tmp_path: Path, integers: bool) -> None:
    fill(graph, tmp_path, [*entities(), *texts(integers=integers)], naming_edges(integers))
    schema = graph.schema(refresh=True)
    assert (schema.passages.id_key, schema.passages.edge_key) == ("id", "chunk_ids")
    index = built(graph, settings)
    assert len(index) == len(texts())
    listed = [
        key for keys in graph.read("MATCH ()-[r:RELATED]->() RETURN r.chunk_ids AS keys").column("keys") for key in keys
    ]
    at = index.at_keys(listed)
    assert [index.passage(i).key for i in at.tolist()] == listed
    (hit,) = index.search("When was the Nightjar seen?", 1)
    assert index.passage(hit.id).id == "c1"
    assert sorted(p.text for p in index.passages(range(len(index)))) == sorted(props["text"] for _, _, props in texts())


def test_passages_that_entities_are_joined_to(graph: Any, settings: Settings, tmp_path: Path) -> None:
    chunks = [(i, label, {"content": props["content"]}) for i, label, props in texts("content")]
    edges: list[EdgeSpec] = [(f"c{i}", "MENTIONS", f"e{i % 8}") for i in range(len(chunks))]
    edges += [(f"e{i}", "KNOWS", f"e{(i + 1) % 8}") for i in range(8)] * 2
    fill(graph, tmp_path, [*entities(), *chunks], edges)
    index = built(graph, settings)
    rows = graph.read("MATCH (c:Chunk)-[:MENTIONS]->(e) RETURN elementId(c), c.content")
    at = index.at_elements([row[0] for row in rows])
    assert [index.passage(i).text for i in at.tolist()] == [row[1] for row in rows]
    assert [index.passage(i).key for i in at.tolist()] == [index.passage(i).id for i in at.tolist()]
    assert index.at_keys(["c3"]).tolist() == [index.search("records about Port Ys", 1)[0].id]


def test_a_text_longer_than_a_value_may_be(graph: Any, settings: Settings, tmp_path: Path) -> None:
    long = "".join(f"Sentence number {i} of a very long text, 霸王别姬. " for i in range(2_000)) + "The end: zanzibar."
    assert len(long) > 20 * settings.graph.max_value_items
    fill(graph, tmp_path, [*entities(), *texts(), ("c11", "Chunk", {"id": "c11", "text": long})], naming_edges())
    index = built(graph, settings)
    (at,) = index.at_keys(["c11"]).tolist()
    assert at >= 0
    assert index.passage(at).text == long
    assert [hit.id for hit in index.by_wording("zanzibar", 2)] == [at]


def test_it_is_opened_again_until_the_graph_changes(graph: Any, settings: Settings, tmp_path: Path) -> None:
    fill(graph, tmp_path, [*entities(), *texts()], naming_edges())
    assert built(graph, settings).built
    assert not built(graph, settings).built
    fill(
        graph, tmp_path, [("c12", "Chunk", {"id": "c12", "text": "A new passage speaks of zanzibar, which none did."})]
    )
    changed = built(graph, settings)
    assert changed.built
    assert [changed.passage(hit.id).id for hit in changed.by_wording("zanzibar", 2)] == ["c12"]


def test_a_graph_without_passages_has_no_index(graph: Any, settings: Settings, tmp_path: Path) -> None:
    fill(graph, tmp_path, entities(), [("e0", "KNOWS", "e1")])
    assert open_or_build_passages(graph, graph.schema(refresh=True), settings) is None
