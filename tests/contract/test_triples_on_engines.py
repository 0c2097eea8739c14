"""Triples over real engines: what edges of every construction read like, and the scope that passages span."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from graphs import EdgeSpec, NodeSpec, fill

from arcgraph.search.retrieve import Retriever, open_retriever
from arcgraph.search.triples import Triple, TripleIndex, open_or_build_triples
from arcgraph.settings import Settings

PEOPLE = ["Edda Brisk", "Bo Tarn", "Orla Quist", "Ines Vael", "Ada Moor", "Finn Hale", "Una Grey", "Rolf Lind"]


def with_settings(settings: Settings, **search: Any) -> Settings:
    return Settings.load({}, cache={"dir": settings.cache.dir}, search={"embedder": "none", **search})


def index_of(graph: Any, settings: Settings, **search: Any) -> TripleIndex:
    found = open_or_build_triples(graph, graph.schema(refresh=True), with_settings(settings, **search))
    assert found is not None
    return found


def sentences(index: TripleIndex) -> list[str]:
    return sorted(index.text(at) for at in range(len(index)))


def people() -> list[NodeSpec]:
    return [(f"p{i}", "Person", {"name": name}) for i, name in enumerate(PEOPLE)]


def films(count: int = 4) -> list[NodeSpec]:
    titles = ["Heat", "The Knock", "Granite", "Harbour"]
    return [(f"f{i}", "FeatureFilm", {"title": titles[i], "year": 1990 + i}) for i in range(count)]


def test_types_names_labels_and_properties_make_sentences(graph: Any, settings: Settings, tmp_path: Path) -> None:
    edges: list[EdgeSpec] = [
        ("p0", "ACTED_IN", "f0", {"role": "a keeper", "lines": 12, "credited": True}),
        ("p1", "ACTED_IN", "f0", {"role": "x" * 200}),
        ("p2", "wroteScriptOf", "f1"),
        ("p0", "KNOWS", "p1"),
    ]
    fill(graph, tmp_path, [*people(), *films()], edges)
    index = index_of(graph, settings)
    assert sentences(index) == [
        "Bo Tarn (person) acted in Heat (feature film)",
        "Edda Brisk (person) acted in Heat (feature film); credited: yes; lines: 12; role: a keeper",
        "Edda Brisk (person) knows Bo Tarn (person)",
        "Orla Quist (person) wrote script of The Knock (feature film)",
    ]
    (hit,) = index.search("who wrote The Knock", 1)
    found = index.triple(hit.id)
    (row,) = graph.read("MATCH (a)-[r:wroteScriptOf]->(b) RETURN elementId(a), elementId(r), elementId(b)").records
    assert (found.start, found.element_id, found.end) == row
    assert (found.start_id, found.end_id, found.relation) == ("p2", "f1", "wroteScriptOf")
    assert (found.start_name, found.end_name) == ("Orla Quist", "The Knock")
    assert (found.start_labels, found.end_labels) == (("Person",), ("FeatureFilm",))


def test_an_open_vocabulary_reads_as_its_predicates(graph: Any, settings: Settings, tmp_path: Path) -> None:
    nodes = [(f"p{i}", "Entity", {"name": name}) for i, name in enumerate(PEOPLE)]
    said = ["is the sister of", "was born in the same town as", "wrote letters to", "works with"]
    edges: list[EdgeSpec] = [
        (f"p{i % 8}", "RELATED", f"p{(i * 3 + 1) % 8}", {"predicate": said[i % 4]}) for i in range(40)
    ]
    fill(graph, tmp_path, nodes, edges)
    assert graph.schema(refresh=True).relations.kind == "property"
    index = index_of(graph, settings)
    assert len(index) == 40
    (hit,) = index.search("sister of Bo Tarn", 1)
    # There is one label only, which tells nothing.
    assert index.text(hit.id) == "Edda Brisk is the sister of Bo Tarn"
    assert index.triple(hit.id).relation == "is the sister of"


@pytest.mark.parametrize("turned", [False, True])
def test_nodes_that_stand_for_relations_read_as_these(
    graph: Any, settings: Settings, tmp_path: Path, turned: bool
) -> None:
    """By what their edges are called, and where that says nothing by where these point."""
    nodes: list[NodeSpec] = [(f"p{i}", "Entity", {"name": name}) for i, name in enumerate(PEOPLE)]
    said = ["sister of", "born in the town of", "wrote letters to", "works with"]
    nodes += [(f"s{i}", "Statement", {"predicate": said[i % 4]}) for i in range(40)]
    about = "ABOUT" if turned else "OBJECT"
    edges: list[EdgeSpec] = [(f"s{i}", about, f"p{(i * 3 + 1) % 8}") for i in range(40)]
    edges += [(f"p{i % 8}", "STATES", f"s{i}") if turned else (f"s{i}", "SUBJECT", f"p{i % 8}") for i in range(40)]
    fill(graph, tmp_path, nodes, edges)
    assert graph.schema(refresh=True).relations.kind == "reified"
    index = index_of(graph, settings)
    assert len(index) == 40
    (hit,) = index.search("sister of Bo Tarn", 1)
    assert index.text(hit.id) == "Edda Brisk sister of Bo Tarn"
    found = index.triple(hit.id)
    assert (found.start_id, found.relation, found.end_id) == ("p0", "sister of", "p1")
    assert found.element_id in graph.read("MATCH (s:Statement) RETURN elementId(s) AS s").column("s")


def test_a_node_that_nothing_names_is_called_by_its_label_and_id(
    graph: Any, settings: Settings, tmp_path: Path
) -> None:
    fill(graph, tmp_path, [*people(), ("x1", "Place", {})], [("p0", "LIVES_IN", "x1")])
    index = index_of(graph, settings)
    assert sentences(index) == ["Edda Brisk (person) lives in Place x1 (place)"]
    assert index.triple(0).end_name == "Place x1"


def test_what_is_excluded_is_not_read(graph: Any, settings: Settings, tmp_path: Path) -> None:
    edges: list[EdgeSpec] = [("p0", "ACTED_IN", "f0", {"role": "a keeper"}), ("p0", "KNOWS", "p1")]
    fill(graph, tmp_path, [*people(), *films()], edges)
    assert sentences(index_of(graph, settings, exclude_labels=("FeatureFilm",))) == [
        "Edda Brisk knows Bo Tarn",
    ]
    assert "Edda Brisk (person) acted in Heat (feature film)" in sentences(
        index_of(graph, settings, exclude_properties=("ACTED_IN.role",))
    )
    assert sentences(index_of(graph, settings, include_labels=("Person",))) == [
        "Edda Brisk (person) knows Bo Tarn (person)"
    ]


def test_of_too_many_edges_every_type_keeps_some(graph: Any, settings: Settings, tmp_path: Path) -> None:
    edges: list[EdgeSpec] = [(f"p{i % 8}", "KNOWS", f"p{(i + 1 + i // 8) % 8}") for i in range(40)]
    edges += [("p0", "ACTED_IN", "f0"), ("p1", "ACTED_IN", "f1"), ("p2", "WROTE", "f2")]
    fill(graph, tmp_path, [*people(), *films()], edges)
    index = index_of(graph, settings, max_triples=12)
    relations = [index.triple(at).relation for at in range(len(index))]
    assert {r: relations.count(r) for r in relations} == {"ACTED_IN": 2, "KNOWS": 9, "WROTE": 1}
    (notice,) = [n for n in index.notices if "edges are indexed" in n]
    assert "only 12 edges" in notice
    assert "ARCGRAPH_SEARCH_MAX_TRIPLES" in notice
    assert len(index_of(graph, settings, max_triples=43)) == 43
    none = with_settings(settings, max_triples=0)
    assert open_or_build_triples(graph, graph.schema(), none) is None


def test_it_is_opened_again_until_the_graph_changes(graph: Any, settings: Settings, tmp_path: Path) -> None:
    fill(graph, tmp_path, people(), [("p0", "KNOWS", "p1")])
    assert index_of(graph, settings).built
    again = index_of(graph, settings)
    assert (again.built, again.path is not None) == (False, True)
    fill(graph, tmp_path, people(), [("p2", "KNOWS", "p3")])
    changed = index_of(graph, settings)
    assert changed.built
    assert len(changed) == 2


def test_a_graph_without_edges_has_no_triples(graph: Any, settings: Settings, tmp_path: Path) -> None:
    fill(graph, tmp_path, people())
    schema = graph.schema(refresh=True)
    assert open_or_build_triples(graph, schema, with_settings(settings)) is None
    assert open_retriever(graph, schema, with_settings(settings)) is None


# --- the store that provenance selects ---------------------------------------------------------------------------


def chunks() -> list[NodeSpec]:
    told = "The records of the harbour office, which are kept in the old tower by the sea, say a good deal about"
    return [
        (f"c{i}", "Chunk", {"id": f"c{i}", "text": f"{name}\n{told} {name}, and where the boats came from."})
        for i, name in enumerate(PEOPLE)
    ]


def retriever(graph: Any, settings: Settings) -> Retriever:
    found = open_retriever(graph, graph.schema(refresh=True), with_settings(settings))
    assert found is not None
    return found


def within_scope(graph: Any, found: Retriever, question: str, k: int) -> set[tuple[str, str]]:
    """The edges, by the names at their ends, that a query bound to the scope of a question's passages may touch."""
    scope = found.retrieve(question, (), k).scope
    assert scope is not None
    condition = scope.condition("r", "a", "b", dialect=graph.dialect)
    spelt = "_arc_name" if graph.dialect == "embedded" else "name"
    query = f"MATCH (a:Entity)-[r:KNOWS]->(b:Entity) WHERE {condition} RETURN a.{spelt} AS a, b.{spelt} AS b"
    return set(graph.read(query, {"scope": scope.values}).records)


def test_edges_that_name_passages_stay_within_these(graph: Any, settings: Settings, tmp_path: Path) -> None:
    entities: list[NodeSpec] = [(f"e{i}", "Entity", {"name": name}) for i, name in enumerate(PEOPLE)]
    edges: list[EdgeSpec] = [
        (f"e{i}", "KNOWS", f"e{(i + 1) % 8}", {"chunk_ids": [f"c{i}", f"c{(i + 1) % 8}"]}) for i in range(8)
    ]
    fill(graph, tmp_path, [*entities, *chunks()], [*edges, ("e0", "KNOWS", "e4")])
    found = retriever(graph, settings)
    assert found.kind == "passages"
    first = found.retrieve("what is said of Orla Quist", (), 1)
    assert [passage.id for passage in first.passages] == ["c2"]
    assert first.triples == ()
    assert within_scope(graph, found, "what is said of Orla Quist", 1) == {
        ("Bo Tarn", "Orla Quist"),
        ("Orla Quist", "Ines Vael"),
    }


def test_where_edges_name_none_passages_mention_both_ends(graph: Any, settings: Settings, tmp_path: Path) -> None:
    entities: list[NodeSpec] = [(f"e{i}", "Entity", {"name": name}) for i, name in enumerate(PEOPLE)]
    edges: list[EdgeSpec] = [(f"e{i}", "KNOWS", f"e{(i + 1) % 8}") for i in range(8)]
    edges += [(f"c{i}", "MENTIONS", f"e{j % 8}") for i in range(8) for j in (i, i + 1)]
    fill(graph, tmp_path, [*entities, *chunks()], edges)
    found = retriever(graph, settings)
    assert found.kind == "passages"
    assert within_scope(graph, found, "what is said of Orla Quist", 1) == {("Orla Quist", "Ines Vael")}


def test_without_passages_triples_hint_and_bound_nothing(graph: Any, settings: Settings, tmp_path: Path) -> None:
    fill(graph, tmp_path, people(), [("p0", "KNOWS", "p1"), ("p2", "KNOWS", "p3")])
    found = retriever(graph, settings)
    assert found.kind == "triples"
    hints = found.retrieve("Whom does she know?", ["Orla Quist"], 5)
    assert hints.scope is None
    assert hints.passages == ()
    assert [type(triple) for triple in hints.triples] == [Triple] * len(hints.ranking)
    assert hints.texts[0] == "Orla Quist knows Ines Vael"


@pytest.mark.parametrize("limit", [0, 100])
def test_edges_at_passages_are_no_triples(graph: Any, settings: Settings, tmp_path: Path, limit: int) -> None:
    """Where the passages are kept out of the index, the edges between entities are told, and none to passages."""
    entities: list[NodeSpec] = [(f"e{i}", "Entity", {"name": name}) for i, name in enumerate(PEOPLE)]
    edges: list[EdgeSpec] = [(f"e{i}", "KNOWS", f"e{(i + 1) % 8}") for i in range(8)]
    edges += [(f"c{i}", "MENTIONS", f"e{j % 8}") for i in range(8) for j in (i, i + 1)]
    fill(graph, tmp_path, [*entities, *chunks()], edges)
    chosen = with_settings(settings, exclude_labels=("Chunk",), max_triples=limit)
    found = open_retriever(graph, graph.schema(refresh=True), chosen)
    if not limit:
        assert found is None
    else:
        assert found is not None
        assert (found.kind, len(found.index)) == ("triples", 8)
