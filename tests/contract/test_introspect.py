"""Introspection on real engines: the same small graphs give the same schema everywhere."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import pytest
from differences import never
from neo4j.spatial import WGS84Point
from neo4j.time import Date, DateTime, Duration

from arcgraph.domain import RESERVED_KEY, RESERVED_LABEL, Count, Endpoint, PassageHome, RelationHome, Schema
from arcgraph.graph.introspect import Budget, fingerprint, introspect, read_schema, schema_from_dict, schema_to_dict
from arcgraph.graph.names import quote, stored_key

NodeSpec = tuple[str, tuple[str, ...], Mapping[str, Any]]
EdgeSpec = tuple[str, str, str, Mapping[str, Any]]


def store(graph: Any, nodes: Iterable[NodeSpec], edges: Iterable[EdgeSpec] = ()) -> None:
    """Write nodes (id, labels, properties) and edges (start, type, end, properties) as the loader does."""
    by_labels: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for id_, labels, properties in nodes:
        row = {"id": id_, "props": stored(graph, properties)}
        by_labels.setdefault((RESERVED_LABEL, *labels), []).append(row)
    for labels, rows in by_labels.items():
        names = "".join(f":{quote(label)}" for label in labels)
        create = f"UNWIND $rows AS row CREATE (n{names} {{{RESERVED_KEY}: row.id}}) SET n += row.props"
        graph.write(create, {"rows": rows})
    graph.prepare()
    by_type: dict[str, list[dict[str, Any]]] = {}
    for start, type_, end, properties in edges:
        row = {"source": start, "target": end, "props": stored(graph, properties)}
        by_type.setdefault(type_, []).append(row)
    for type_, rows in by_type.items():
        graph.write(
            f"UNWIND $rows AS row MATCH (a:{RESERVED_LABEL} {{{RESERVED_KEY}: row.source}}) "
            f"MATCH (b:{RESERVED_LABEL} {{{RESERVED_KEY}: row.target}}) CREATE (a)-[r:{quote(type_)}]->(b) "
            "SET r += row.props",
            {"rows": rows},
        )
    graph.save()


def stored(graph: Any, properties: Mapping[str, Any]) -> dict[str, Any]:
    return {stored_key(key) if graph.dialect == "embedded" else key: value for key, value in properties.items()}


# --- labels, types, properties -------------------------------------------------------------------------------------

FILMS: list[NodeSpec] = [
    ("h", ("Film",), {"title": "Heat", "id": 949, "type": "crime", "year": 1995, "released": Date(1995, 12, 15)}),
    ("r", ("Film",), {"title": "Ronin", "id": 8195, "type": "crime", "year": 1998, "released": Date(1998, 9, 25)}),
    ("a", ("Person", "Actor"), {"name": "Al Pacino", "born": 1940, "home": WGS84Point((-73.9, 40.7))}),
    ("m", ("Person",), {"name": "Michael Mann", "born": 1943, "worked": Duration(months=14)}),
    ("x", (), {"note": "loose"}),
    ("`q`", ("Odd `label`",), {"a `key`": [1, 2], "seen": DateTime(2020, 1, 2, 3, 4, 5)}),
]
CREDITS: list[EdgeSpec] = [
    ("a", "ACTED_IN", "h", {"roles": ["Vincent"], "name": "lead"}),
    ("m", "DIRECTED", "h", {}),
    ("m", "DIRECTED", "r", {"type": "uncredited"}),
    ("x", "ODD `TYPE`", "`q`", {"since": 1}),
]


@pytest.fixture
def films(graph):
    store(graph, FILMS, CREDITS)
    return introspect(graph)


def test_counts_are_exact_and_reserved_names_hidden(films):
    counts = {name: info.count for name, info in films.labels.items()}
    assert counts == {
        "Film": Count(2),
        "Person": Count(2),
        "Actor": Count(1),
        "": Count(1),
        "Odd `label`": Count(1),
    }
    assert {name: info.count for name, info in films.types.items()} == {
        "ACTED_IN": Count(1),
        "DIRECTED": Count(2),
        "ODD `TYPE`": Count(1),
    }
    assert (films.nodes, films.edges, films.complete, films.loaded) == (Count(6), Count(4), True, True)
    assert RESERVED_KEY not in str(films)
    assert RESERVED_LABEL not in str(films)


def test_triples_are_of_single_labels(films):
    assert set(films.endpoints) == {
        Endpoint("Person", "DIRECTED", "Film", Count(2)),
        Endpoint("Person", "ACTED_IN", "Film", Count(1)),
        Endpoint("Actor", "ACTED_IN", "Film", Count(1)),
        Endpoint("", "ODD `TYPE`", "Odd `label`", Count(1)),
    }


def types_of(info: Any) -> dict[str, tuple[str, int]]:
    return {key: (found.type, found.count.value) for key, found in info.properties.items()}


def test_properties_have_the_keys_and_types_that_were_loaded(films):
    assert types_of(films.labels["Film"]) == {
        "title": ("string", 2),
        "id": ("integer", 2),
        "type": ("string", 2),
        "year": ("integer", 2),
        "released": ("date", 2),
    }
    assert types_of(films.labels["Person"]) == {
        "name": ("string", 2),
        "born": ("integer", 2),
        "home": ("point", 1),
        "worked": ("duration", 1),
    }
    assert types_of(films.labels[""]) == {"note": ("string", 1)}
    assert types_of(films.labels["Odd `label`"]) == {"a `key`": ("list", 1), "seen": ("localdatetime", 1)}


def test_properties_of_edges(films):
    assert types_of(films.types["ACTED_IN"]) == {"roles": ("list", 1), "name": ("string", 1)}
    assert types_of(films.types["DIRECTED"]) == {"type": ("string", 1)}


def test_samples_and_distinct_values(films):
    crime = films.labels["Film"].properties["type"]
    assert (crime.samples, crime.distinct, crime.seen) == (("crime",), Count(1), 2)
    assert films.labels["Film"].properties["released"].samples == (Date(1995, 12, 15), Date(1998, 9, 25))
    assert films.labels["Person"].properties["home"].samples == (WGS84Point((-73.9, 40.7)),)


def test_what_names_an_entity(films):
    named = {name: (info.naming, info.identifying) for name, info in films.labels.items()}
    assert named["Film"] == ("title", "id")
    assert named["Person"] == ("name", None)
    assert films.naming(("Actor", "Person")) == "name"


def test_a_schema_survives_json(films):
    import json

    assert schema_from_dict(json.loads(json.dumps(schema_to_dict(films)))) == films


def test_an_empty_graph(graph):
    schema = introspect(graph)
    # Neo4j has its look-up indexes from the start.
    assert replace(schema, indexes=()) == Schema({}, {}, (), complete=True)
    assert {index.kind for index in schema.indexes} <= {"lookup"}


def test_nodes_without_any_property_and_graphs_without_edges(graph):
    store(graph, [("1", ("Dot",), {}), ("2", ("Dot",), {})])
    schema = introspect(graph)
    assert (schema.labels["Dot"].count, dict(schema.labels["Dot"].properties)) == (Count(2), {})
    assert (schema.labels["Dot"].naming, schema.labels["Dot"].identifying) == (None, None)


def test_a_rare_key_and_a_rare_label_are_found_among_many(graph):
    nodes: list[NodeSpec] = [(f"c{i}", ("Common",), {"n": i % 7}) for i in range(3000)]
    nodes[1500] = ("c1500", ("Common",), {"n": 1, "rare": "here"})
    store(graph, [*nodes, ("one", ("Rare",), {"name": "Only One"})])
    schema = introspect(graph)
    assert schema.labels["Rare"].naming == "name"
    assert schema.labels["Rare"].properties["name"].samples == ("Only One",)
    common = schema.labels["Common"].properties
    assert (common["rare"].count, common["rare"].samples) == (Count(1), ("here",))
    assert (common["n"].count, common["n"].distinct) == (Count(3000), Count(7))


def test_vectors_and_long_texts_are_told_from_lists_and_strings(graph):
    text = "The quick brown fox jumps over the lazy dog, and then again. " * 12
    store(graph, [(str(i), ("Page",), {"v": [i / 3] * 384, "body": f"{i} {text}", "tags": ["a"]}) for i in range(120)])
    page = introspect(graph).labels["Page"].properties
    assert {key: info.type for key, info in page.items()} == {"v": "vector", "body": "text", "tags": "list"}
    assert all(info.count == Count(120) for info in page.values())
    assert page["v"].samples == ()
    assert all(len(sample) < 100 for sample in page["body"].samples)


@never("embedded", "indexes belong to the first label, which is ours, so that a label of the user has none")
def test_indexes_are_told_and_mark_their_keys(graph):
    store(graph, FILMS, CREDITS)
    graph.write("CREATE CONSTRAINT FOR (n:Film) REQUIRE n.id IS UNIQUE")
    graph.write("CREATE INDEX FOR (n:Film) ON (n.title)")
    graph.write("CREATE INDEX FOR ()-[r:ACTED_IN]-() ON (r.name)")
    schema = introspect(graph)
    told = {(index.kind, index.entity, index.owners, index.keys, index.unique) for index in schema.indexes}
    assert {
        ("range", "node", ("Film",), ("id",), True),
        ("range", "node", ("Film",), ("title",), False),
        ("range", "relationship", ("ACTED_IN",), ("name",), False),
    } <= told
    film = schema.labels["Film"].properties
    marks = {key: (info.indexed, info.unique) for key, info in film.items()}
    assert (marks["id"], marks["title"], marks["year"]) == ((True, True), (True, False), (False, False))
    assert schema.types["ACTED_IN"].properties["name"].indexed


# --- the way through the count store -------------------------------------------------------------------------------

SMALL = Budget(whole=0)


def test_the_way_for_large_graphs_finds_the_same(graph, films):
    large = introspect(graph, SMALL)
    for name, info in films.labels.items():
        assert large.labels[name].count.value == info.count.value
        assert large.labels[name].properties == info.properties
        assert large.labels[name].naming == info.naming
    assert {n: i.properties for n, i in large.types.items()} == {n: i.properties for n, i in films.types.items()}
    assert set(large.endpoints) == set(films.endpoints)
    assert (large.nodes, large.edges, large.loaded, large.complete) == (films.nodes, films.edges, True, True)


def test_triples_beyond_the_sample_are_probed(graph):
    nodes: list[NodeSpec] = [(f"{label}{i}", (label,), {}) for label in "ABC" for i in range(40)]
    edges: list[EdgeSpec] = [(f"A{i}", "T", f"B{j}", {}) for i in range(40) for j in range(10)]
    edges += [("B1", "T", "C1", {}), ("C2", "T", "A2", {})]
    store(graph, nodes, edges)
    schema = introspect(graph, Budget(whole=0, scan=100))
    assert {(e.start, e.end): e.probed for e in schema.endpoints} == {
        ("A", "B"): True,
        ("B", "C"): True,
        ("C", "A"): True,
    }
    assert schema.complete
    unprobed = introspect(graph, Budget(whole=0, scan=100, probes=0))
    assert {(e.start, e.end): e.probed for e in unprobed.endpoints}[("A", "B")]
    assert not unprobed.complete
    assert not any(e.probed for e in unprobed.endpoints if (e.start, e.end) not in {("A", "B"), ("B", "C"), ("C", "A")})


# --- where relations live ------------------------------------------------------------------------------------------

VERBS = ["directed by", "starred in", "written by", "has genre", "in language", "born in", "works for", "located in"]


def entities(count: int, label: str = "Entity", key: str = "name") -> list[NodeSpec]:
    return [(f"e{i}", (label,), {key: f"Entity {'abcdefghij'[i % 10]}{i}"}) for i in range(count)]


def test_relations_in_types(films):
    assert films.relations == RelationHome()


def test_relations_in_a_property(graph):
    edges: list[EdgeSpec] = [
        (f"e{i}", "RELATED", f"e{i + 1}", {"predicate": VERBS[i % 8], "weight": 1.0}) for i in range(59)
    ]
    store(graph, entities(60), edges)
    assert introspect(graph).relations == RelationHome("property", type="RELATED", key="predicate", distinct=8)


def test_relations_that_are_each_stated_once(graph):
    """As extraction from a few texts leaves them: hardly two edges share a wording, but the key says what it is."""
    verbs = [f"{verb} {place}" for verb in VERBS for place in ("near", "with", "from", "under", "beside")]
    edges: list[EdgeSpec] = [(f"e{i}", "RELATED", f"e{i + 1}", {"predicate": verbs[i]}) for i in range(39)]
    store(graph, entities(40), edges)
    assert introspect(graph).relations == RelationHome("property", type="RELATED", key="predicate", distinct=39)


def test_relations_in_a_property_that_no_name_gives_away(graph):
    verbs = [f"{verb} {noun}" for verb in ("makes", "buys", "sells", "owns") for noun in "abcdefghijklmnopq"]
    edges: list[EdgeSpec] = [(f"e{i % 60}", "E5", f"e{(7 * i + 1) % 60}", {"p": verbs[i % 68]}) for i in range(300)]
    store(graph, entities(60, "N7", "q"), edges)
    assert introspect(graph).relations == RelationHome("property", type="E5", key="p", distinct=68)


@pytest.mark.parametrize(
    "form",
    [
        "/people/{}/{}",
        "/people/{}/spells./people/spell/{}",
        "people.{}.{}",
        "http://schema.org/{}/{}",
        "{}:{}",
    ],
)
@pytest.mark.parametrize("key", ["predicate", "p"])
def test_predicates_of_every_notation_are_relations(graph, form, key):
    classes = ("person", "place", "work_of_art", "company")
    names = ("place_of_birth", "part_of", "made_by", "successor", "founded_by")
    predicates = [form.format(one, name) for one in classes for name in names]
    edges: list[EdgeSpec] = [
        (f"e{i % 60}", "RELATED", f"e{(7 * i + 1) % 60}", {key: predicates[i % 20]}) for i in range(120)
    ]
    store(graph, entities(60), edges)
    assert introspect(graph).relations == RelationHome("property", type="RELATED", key=key, distinct=20)


@pytest.mark.parametrize(
    "properties",
    [
        {"source": [f"/data/2021/report_{i % 9}.csv" for i in range(20)]},
        {"contact": [f"desk{i % 9}@example.org" for i in range(20)]},
        {"since": [f"{1990 + i}" for i in range(20)]},
        {"medium": ["phone", "letter", "talk"]},
        {"airline": [f"Air {name}land" for name in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"]},
        {"note": [f"a remark of its own, number {'x' * i}" for i in range(100)]},
    ],
    ids=["files", "addresses", "years", "few values", "proper names", "remarks"],
)
def test_attributes_of_edges_are_not_relations(graph, properties):
    ((key, values),) = properties.items()
    edges: list[EdgeSpec] = [(f"e{i}", "KNOWS", f"e{i + 1}", {key: values[i % len(values)]}) for i in range(100)]
    store(graph, entities(101), edges)
    assert introspect(graph).relations == RelationHome()


def statements(label: str, key: str, subject: str, object_: str) -> tuple[list[NodeSpec], list[EdgeSpec]]:
    nodes = [(f"s{i}", (label,), {key: VERBS[i % 8]}) for i in range(40)]
    edges = [(f"s{i}", subject, f"e{i}", {}) for i in range(40)] + [
        (f"s{i}", object_, f"e{i + 1}", {}) for i in range(40)
    ]
    return nodes, edges


@pytest.mark.parametrize(
    ("label", "key"), [("Statement", "predicate"), ("Fact", "relation"), ("Statement", "p")], ids=str
)
def test_relations_in_nodes(graph, label, key):
    nodes, edges = statements(label, key, "SUBJECT", "OBJECT")
    store(graph, [*entities(41), *nodes], edges)
    assert introspect(graph).relations == RelationHome("reified", label=label, key=key, distinct=8)


def test_events_with_attributes_are_not_relations(graph):
    people = [(f"p{i}", ("Person",), {"name": f"Person {'abcdefghij'[i % 10]}{i}"}) for i in range(20)]
    places = [(f"l{i}", ("Place",), {"name": f"Place {'abcdefghij'[i % 10]}{i}"}) for i in range(20)]
    visits = [(f"v{i}", ("Visit",), {"purpose": ["work", "sport"][i % 2], "day": i}) for i in range(60)]
    edges = [(f"p{i % 20}", "PAYS", f"v{i}", {}) for i in range(60)] + [
        (f"v{i}", "AT", f"l{i % 20}", {}) for i in range(60)
    ]
    store(graph, [*people, *places, *visits], edges)
    assert introspect(graph).relations == RelationHome()


# --- passages ------------------------------------------------------------------------------------------------------

SENTENCE = "It was said in those days that everybody in the town had met the others at least once, and some twice."


def texts(label: str, key: str, count: int = 20, **more: str) -> list[NodeSpec]:
    return [
        (
            f"c{i}",
            (label,),
            {"id": f"c{i}", key: f"{i}: {SENTENCE} {SENTENCE}", **{k: f"{v} {i}" for k, v in more.items()}},
        )
        for i in range(count)
    ]


def test_passages_that_edges_name_in_a_list(graph):
    edges: list[EdgeSpec] = [
        (f"e{i}", "KNOWS", f"e{i + 1}", {"chunk_ids": [f"c{i % 20}", f"c{(i + 1) % 20}"]}) for i in range(40)
    ]
    store(graph, [*entities(41), *texts("Chunk", "text")], edges)
    assert introspect(graph).passages == PassageHome("Chunk", "text", "id", "chunk_ids")


def test_passages_that_edges_name_under_any_name(graph):
    edges: list[EdgeSpec] = [(f"e{i}", "E1", f"e{i + 1}", {"zz": [f"c{i % 20}"]}) for i in range(40)]
    store(graph, [*entities(41, "N1", "q"), *texts("N2", "qq")], edges)
    assert introspect(graph).passages == PassageHome("N2", "qq", "id", "zz")


@pytest.mark.parametrize(
    ("label", "key", "type_"), [("Chunk", "text", "MENTIONS"), ("Passage", "content", "FROM_CHUNK"), ("N2", "q2", "T2")]
)
def test_passages_that_are_joined_to_entities(graph, label, key, type_):
    edges: list[EdgeSpec] = [(f"c{i % 20}", type_, f"e{i}", {}) for i in range(40)]
    edges += [(f"e{i}", "KNOWS", f"e{i + 1}", {}) for i in range(40)]
    store(graph, [*entities(41), *texts(label, key)], edges)
    schema = introspect(graph)
    assert schema.passages == PassageHome(label, key, "id", None, (type_,))
    assert schema.relations == RelationHome()


def test_documents_and_neighbouring_passages_are_not_mentioned_entities(graph):
    edges: list[EdgeSpec] = [(f"c{i % 20}", "MENTIONS", f"e{i}", {}) for i in range(40)]
    edges += [(f"e{i}", "KNOWS", f"e{i + 1}", {}) for i in range(40)]
    edges += [(f"c{i}", "PART_OF", "d", {}) for i in range(20)] + [
        (f"c{i}", "NEXT", f"c{i + 1}", {}) for i in range(19)
    ]
    store(graph, [*entities(41), *texts("Chunk", "text"), ("d", ("Document",), {"name": "A Book"})], edges)
    assert introspect(graph).passages == PassageHome("Chunk", "text", "id", None, ("MENTIONS",))


def test_relations_beside_passages_are_judged_without_them(graph):
    edges: list[EdgeSpec] = [(f"c{i % 20}", "MENTIONS", f"e{i}", {}) for i in range(40)] * 3
    edges += [(f"e{i}", "RELATED", f"e{i + 1}", {"predicate": VERBS[i % 8]}) for i in range(40)]
    store(graph, [*entities(41), *texts("Chunk", "text")], edges)
    schema = introspect(graph)
    assert schema.passages == PassageHome("Chunk", "text", "id", None, ("MENTIONS",))
    assert schema.relations == RelationHome("property", type="RELATED", key="predicate", distinct=8)


def test_described_entities_are_not_passages(graph):
    films = [
        (f"f{i}", ("Film",), {"title": f"The Film {'abcdefghij'[i % 10]}{i}", "plot": f"{i} {SENTENCE} {SENTENCE}"})
        for i in range(20)
    ]
    edges: list[EdgeSpec] = [(f"e{i}", f"T{i % 4}", f"f{i % 20}", {"roles": ["Neo"]}) for i in range(40)]
    store(graph, [*films, *entities(41)], edges)
    assert introspect(graph).passages is None


# --- the cache -----------------------------------------------------------------------------------------------------


def test_the_fingerprint_follows_the_graph(graph):
    store(graph, FILMS, CREDITS)
    before = fingerprint(graph)
    assert fingerprint(graph) == before
    store(graph, [("n", ("Film",), {"title": "Collateral"})])
    assert fingerprint(graph) != before


def test_a_schema_is_read_again_when_the_graph_changed(graph, tmp_path):
    store(graph, FILMS, CREDITS)
    first = read_schema(graph, cache_dir=tmp_path)
    assert read_schema(graph, cache_dir=tmp_path) is first
    store(graph, [("n", ("Book",), {"title": "Emma"})])
    second = read_schema(graph, cache_dir=tmp_path)
    assert second.labels["Book"].naming == "title"
    assert second.fingerprint == fingerprint(graph) != first.fingerprint
