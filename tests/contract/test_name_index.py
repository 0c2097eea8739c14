"""The name index over real engines: the collector's Cypher, and names of every shape."""

from __future__ import annotations

import json

import pytest

from arcgraph.graph.load import load
from arcgraph.search.base import Entry
from arcgraph.search.local import NameIndex, open_or_build

ODD_NAMES = ["霸王别姬", 'say "hi"', "two\nlines", "a `tick`", "שלום", "😀 Show", "O'Neill's Bar", "C++"]
NODES = [
    {"id": "p1", "labels": ["Person"], "props": {"name": "Ada Lovelace", "aliases": ["Countess of Lovelace"]}},
    {"id": "p2", "labels": ["Person", "Author"], "props": {"name": "Bo Al"}},
    {"id": "f1", "labels": ["Film"], "props": {"title": "Heat", "type": "feature"}},
    {"id": "f2", "labels": ["Film"], "props": {"title": "The Knock", "type": "short"}},
    {"id": "o1", "labels": ["Order"], "props": {"orderID": 10248}},
    {"id": "o2", "labels": ["Order"], "props": {"orderID": 10249}},
    {"id": "u1", "labels": [], "props": {"name": "Nameless Kind"}},
    *({"id": f"x{i}", "labels": ["Odd"], "props": {"name": name}} for i, name in enumerate(ODD_NAMES)),
]


@pytest.fixture
def index(graph, settings, tmp_path) -> NameIndex:
    file = tmp_path / "nodes.jsonl"
    file.write_text("\n".join(json.dumps(node) for node in NODES), encoding="utf-8")
    load([file], graph)
    return open_or_build(graph, graph.schema(refresh=True), settings)


def found(index: NameIndex, question: str) -> list[Entry]:
    return [entry for m in index.find(question) if m.score > 0.4 for entry in index.entries(m.entries)]


def test_every_name_of_the_graph_is_found(index):
    assert [e.id for e in found(index, "Who directed Heat?")] == ["f1"]
    assert [e.id for e in found(index, "What is Knock about?")] == ["f2"]
    assert [(e.id, e.alias) for e in found(index, "born to the Countess of Lovelace")] == [("p1", True)]
    assert [e.id for e in found(index, "who placed order 10249")] == ["o2"]
    assert [(e.id, e.labels) for e in found(index, "Is Nameless Kind there?")] == [("u1", ())]
    (bo,) = found(index, "books by Bo Al")
    assert (bo.id, set(bo.labels), bo.property) == ("p2", {"Person", "Author"}, "name")
    for number, name in enumerate(ODD_NAMES):
        assert f"x{number}" in [e.id for e in found(index, f"tell me about {name} please")]


def test_element_ids_lead_back_to_the_nodes(index, graph):
    (heat,) = found(index, "Who directed Heat?")
    rows = graph.read("MATCH (n) WHERE elementId(n) = $id RETURN n", {"id": heat.element_id})
    assert rows.records[0][0].id == "f1"


def test_it_is_opened_again_until_the_graph_changes(index, graph, settings, tmp_path):
    assert index.built
    assert not open_or_build(graph, graph.schema(), settings).built
    more = tmp_path / "more.jsonl"
    more.write_text(json.dumps({"id": "f3", "labels": ["Film"], "props": {"title": "Ran"}}), encoding="utf-8")
    load([more], graph)
    changed = open_or_build(graph, graph.schema(refresh=True), settings)
    assert changed.built
    assert [e.id for e in found(changed, "Who directed Ran?")] == ["f3"]


def test_an_empty_graph_has_an_empty_index(graph, settings):
    assert open_or_build(graph, graph.schema(refresh=True), settings).size == 0
