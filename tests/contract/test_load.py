"""Loading, on every engine: what went in comes out."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from neo4j.spatial import CartesianPoint, WGS84Point
from neo4j.time import Date, DateTime, Duration, Time

from arcgraph import demo
from arcgraph.domain import RESERVED_KEY
from arcgraph.errors import LoadError, UsageError
from arcgraph.graph.load import LoadReport, Progress, load
from arcgraph.graph.names import quote, stored_key

NASTY = "a 'b' \"c\" `d` \\ \n\t שלום 🌋 {x} $y //"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of the test's own that is the current one, where files of bad lines go."""
    place = tmp_path / "files"
    place.mkdir()
    monkeypatch.chdir(place)
    return place


def lines(path: Path, *items: Any) -> Path:
    """A file of JSON lines; texts and bytes go in as they are."""
    raw = [
        item if isinstance(item, bytes) else item.encode() if isinstance(item, str) else json.dumps(item).encode()
        for item in items
    ]
    path.write_bytes(b"\n".join(raw))
    return path


def node(id: Any, /, *labels: str, **props: Any) -> dict[str, Any]:
    return {"id": id, "labels": list(labels), "props": props}


def rel(start: Any, type: str, end: Any, /, **props: Any) -> dict[str, Any]:
    return {"start": start, "type": type, "end": end, "props": props}


def counts(graph: Any) -> tuple[int, int]:
    nodes = graph.read("MATCH (n) RETURN count(n) AS count").records[0][0]
    edges = graph.read("MATCH ()-[r]->() RETURN count(r) AS count").records[0][0]
    return nodes, edges


def nodes_by_id(graph: Any) -> dict[str, Any]:
    return {node.id: node for (node,) in graph.read("MATCH (n) RETURN n", limit=None)}


def edges_of(graph: Any) -> list[tuple[str, str, str, dict[str, Any]]]:
    """All relationships as (start id, type, end id, properties), sorted."""
    rows = graph.read("MATCH (a)-[r]->(b) RETURN a, r, b", limit=None)
    return sorted(((a.id, r.type, b.id, dict(r.properties)) for a, r, b in rows), key=repr)


def content(graph: Any) -> tuple[Any, Any]:
    """Everything that can be seen of a graph."""
    nodes = sorted((n.id, n.labels, sorted(n.properties.items(), key=repr)) for n in nodes_by_id(graph).values())
    return repr(nodes), repr(edges_of(graph))


def rejected(report: LoadReport) -> list[tuple[int, str]]:
    assert report.rejects is not None
    items = [json.loads(line) for line in report.rejects.read_text(encoding="utf-8").splitlines()]
    return [(item["line"], item["reason"]) for item in items]


# --- JSONL ---------------------------------------------------------------------------------------------------------


def test_what_went_in_comes_out(graph: Any, folder: Path) -> None:
    nodes = lines(
        folder / "nodes.jsonl",
        node(1, "Person", "Actor", name="Ann", id="own", type="t", title="T", born=1950, tall=1.5, alive=True),
        node("b", "Person", name="Bo", tags=["x", "y"], none=[], numbers=[1, 2], empty=""),
        node(3),
    )
    rels = lines(folder / "rels.jsonl", rel(1, "KNOWS", "b", since=2000, type="close"), rel("b", "KNOWS", 3))
    report = load([nodes, rels], graph)
    assert (report.nodes, report.relationships, report.rejected, report.rejects) == (3, 2, 0, None)
    found = nodes_by_id(graph)
    assert found["1"].labels == ("Actor", "Person")
    assert found["1"].properties == {
        **{"name": "Ann", "id": "own", "type": "t", "title": "T", "born": 1950, "tall": 1.5, "alive": True}
    }
    assert found["b"].properties == {"name": "Bo", "tags": ["x", "y"], "none": [], "numbers": [1, 2], "empty": ""}
    assert (found["3"].labels, found["3"].properties) == ((), {})
    assert edges_of(graph) == [("1", "KNOWS", "b", {"since": 2000, "type": "close"}), ("b", "KNOWS", "3", {})]


def test_declared_types_are_stored_as_such(graph: Any, folder: Path) -> None:
    declared = {
        **{"born": "date", "at": "datetime", "local": "datetime", "exact": "datetime", "took": "duration"},
        **{"clock": "time", "age": "duration", "here": "point", "there": "point", "share": "float"},
    }
    types = {key: {name: 1} for key, name in declared.items()}
    (folder / "schema.json").write_text(json.dumps({"property_types": {**types, "when": {"date": 1, "string": 1}}}))
    values = {
        **{"born": "1950-02-03", "at": "2020-05-04T21:54:12Z", "local": "2020-05-04T21:54:12"},
        **{"exact": "2020-05-04T21:54:12.123456789+02:00", "took": "PT33112S", "clock": "10:30:00"},
        **{"age": "P1Y2M3DT4S", "share": 1, "when": "2020-01-01", "undeclared": "2020-01-01"},
        "here": {"point": [4.41, 51.21], "srid": 4326},
        "there": {"point": [51.21, 4.41], "srid": 7203},
    }
    report = load(lines(folder / "all.jsonl", node(1, "A", **values), node(2), rel(1, "T", 2, **values)), graph)
    assert report.rejected == 0
    ((_, _, _, on_edge),) = edges_of(graph)
    for found in (nodes_by_id(graph)["1"].properties, on_edge):
        assert found["born"] == Date(1950, 2, 3)
        assert found["at"].iso_format() == "2020-05-04T21:54:12.000000000+00:00"
        assert found["local"] == DateTime(2020, 5, 4, 21, 54, 12)
        assert found["exact"].iso_format() == "2020-05-04T21:54:12.123456789+02:00"
        assert found["took"] == Duration(seconds=33112)
        assert found["age"] == Duration(years=1, months=2, days=3, seconds=4)
        assert found["clock"] == Time(10, 30)
        assert (type(found["here"]), tuple(found["here"])) == (WGS84Point, (4.41, 51.21))
        assert (type(found["there"]), tuple(found["there"])) == (CartesianPoint, (51.21, 4.41))
        assert (type(found["share"]), found["share"]) == (float, 1.0)
        assert (found["when"], found["undeclared"]) == ("2020-01-01", "2020-01-01")


def test_temporal_values_can_be_compared(graph: Any, folder: Path) -> None:
    schema = folder / "types.json"
    schema.write_text(json.dumps({"property_types": {"born": {"date": 2}, "took": {"duration": 2}}}))
    path = lines(folder / "a.jsonl", node(1, born="1950-02-03", took="P1D"), node(2, born="1960-02-03", took="P3D"))
    load(path, graph, schema=schema)
    query = f"MATCH (n) WHERE n.born > date('1955-01-01') AND n.took = duration('P3D') RETURN n.{RESERVED_KEY} AS id"
    assert graph.read(query).records == [("2",)]


def test_names_of_any_kind(graph: Any, folder: Path) -> None:
    path = lines(
        folder / "a.jsonl",
        node(NASTY, NASTY, **{NASTY: NASTY, "_arc_name": "mine"}),
        node("中文", "人", 名字="张三"),
        rel(NASTY, NASTY, "中文", **{NASTY: NASTY}),
    )
    assert load(path, graph).rejected == 0
    found = nodes_by_id(graph)
    assert found[NASTY].labels == (NASTY,)
    assert found[NASTY].properties == {NASTY: NASTY, "_arc_name": "mine"}
    assert found["中文"].properties == {"名字": "张三"}
    assert edges_of(graph) == [(NASTY, NASTY, "中文", {NASTY: NASTY})]


def test_order_and_files_do_not_matter(graph: Any, folder: Path) -> None:
    mixed = lines(folder / "mixed.jsonl", rel(1, "T", 2), node(1, "A"), "", rel(2, "T", 3))
    more = folder / "more.gz"
    more.write_bytes(gzip.compress(b"\n".join(json.dumps(n).encode() for n in (node(2, "A"), node(3, "B")))))
    report = load([mixed, more], graph)
    assert (report.nodes, report.relationships, report.rejected) == (3, 2, 0)


@pytest.mark.parametrize("batch", [1, 2, 7, 5_000])
def test_batches_of_any_size(graph: Any, folder: Path, batch: int) -> None:
    nodes = [node(number, "AB"[number % 2], n=number) for number in range(23)]
    rels = [rel(number, f"T{number % 3}", (number * 7) % 23, n=number) for number in range(23)]
    report = load(lines(folder / "a.jsonl", *nodes, *rels), graph, batch=batch)
    assert (report.nodes, report.relationships) == counts(graph) == (23, 23)


# --- again ---------------------------------------------------------------------------------------------------------


def test_loading_twice_changes_nothing(graph: Any, folder: Path) -> None:
    path = lines(
        folder / "a.jsonl",
        *(node(number, "P", name=f"n{number}") for number in range(5)),
        *(rel(0, "T", number, w=number) for number in range(5)),
        *(rel(1, "T", 2) for _ in range(3)),
        rel(3, "T", 3),
    )
    first = load(path, graph)
    before = content(graph)
    assert counts(graph) == (5, 9)
    again = load(path, graph)
    assert content(graph) == before
    assert (first.nodes_known, first.relationships_known) == (0, 0)
    assert (again.nodes, again.nodes_known, again.relationships, again.relationships_known) == (5, 5, 9, 9)
    assert "held 5 nodes already" in again.notes[0]


def test_the_same_file_twice_at_once_is_once(graph: Any, folder: Path) -> None:
    path = lines(folder / "a.jsonl", node(1), node(2), rel(1, "T", 2), rel(1, "T", 2))
    report = load([path, path], graph)
    assert counts(graph) == (2, 2)
    assert (report.nodes, report.relationships, report.repeated) == (2, 2, 4)


def test_an_interrupted_load_is_completed(graph: Any, folder: Path) -> None:
    items = [*(node(number, "P") for number in range(40)), *(rel(number, "T", 0, n=number) for number in range(40))]
    path = lines(folder / "a.jsonl", *items)

    class Enough(Exception):
        pass

    def interrupt(at: Progress) -> None:
        if at.relationships >= 10:
            raise Enough

    with pytest.raises(Enough):
        load(path, graph, batch=10, progress=interrupt)
    assert counts(graph) != (40, 40)
    load(path, graph)
    assert counts(graph) == (40, 40)


def test_relationships_may_come_in_a_later_load(graph: Any, folder: Path) -> None:
    load(lines(folder / "nodes.jsonl", node(1, "A"), node(2, "A")), graph)
    report = load(lines(folder / "rels.jsonl", rel(1, "T", 2), rel(1, "T", 9)), graph)
    assert (report.relationships, rejected(report)) == (1, [(2, "no node was loaded for end '9'")])
    assert counts(graph) == (2, 1)


def test_a_later_load_adds_properties_and_labels(graph: Any, folder: Path) -> None:
    load(lines(folder / "old.jsonl", node(1, "A", x=1, y=1)), graph)
    report = load(lines(folder / "new.jsonl", node(1, "A", "B", y=2, z=3)), graph)
    assert (report.nodes, report.nodes_known, report.rejected) == (1, 1, 0)
    (found,) = nodes_by_id(graph).values()
    assert (found.labels, found.properties) == (("A", "B"), {"x": 1, "y": 2, "z": 3})


def test_another_file_with_the_same_ids_does_not_overwrite(graph: Any, folder: Path) -> None:
    load(lines(folder / "films.jsonl", node(0, "Film", title="Heat"), node(1, "Film")), graph)
    before = content(graph)
    clashing = lines(folder / "people.jsonl", node(0, "Person", name="Ann"), node(5, "Person"), rel(5, "T", 0))
    report = load(clashing, graph)
    (first, reason), second = rejected(report)
    assert first == 1
    assert "another node with the id '0' (Film)" in reason
    assert second == (3, "no node was loaded for end '0'")
    assert report.nodes == 1
    graph.write(f"MATCH (n) WHERE n.{RESERVED_KEY} = '5' DETACH DELETE n")
    assert content(graph) == before


def test_what_others_wrote_stays(graph: Any, folder: Path) -> None:
    graph.write("CREATE (n:Theirs {theirs: 1})")
    report = load(lines(folder / "a.jsonl", node(1, "Ours")), graph)
    assert counts(graph) == (2, 0)
    assert any("held 1 node already" in note for note in report.notes)


# --- bad lines -----------------------------------------------------------------------------------------------------


def test_bad_lines_are_set_aside(graph: Any, folder: Path) -> None:
    (folder / "schema.json").write_text(json.dumps({"property_types": {"born": {"date": 1}}}))
    path = lines(
        folder / "some.jsonl",
        node(1, "A", x=1),
        '{"id": 2',
        node(3, "A", born="soon"),
        node(4, "A", deep={"x": 1}),
        b'{"id": "\xff"}',
        node(1, "A", x=2),
        node(1, "A", x=1),
        rel(1, "T", 99),
        rel(98, "T", 99),
        rel(1, "T", 1),
        rel(1, "T", 3),
    )
    report = load(path, graph)
    assert (report.nodes, report.relationships, report.repeated, report.rejected) == (1, 1, 1, 8)
    assert report.rejects == Path("some.jsonl.rejects.jsonl")
    assert sorted(rejected(report)) == [
        (2, "broken JSON: Expecting ',' delimiter at character 9"),
        (3, "property 'born': 'soon' is no date (YYYY-MM-DD)"),
        (4, "property 'deep': a map is no property value; make it a node of its own, or several properties"),
        (5, "ill-formed UTF-8"),
        (6, "the id '1' belongs to an earlier line with other labels or properties"),
        (8, "no node was loaded for end '99'"),
        (9, "no node was loaded for start '98' and end '99'"),
        (11, "no node was loaded for end '3'"),
    ]
    assert len(report.examples) == 5
    assert counts(graph) == (1, 1)


def test_the_file_of_bad_lines_can_be_named(graph: Any, folder: Path, tmp_path: Path) -> None:
    report = load(lines(folder / "a.jsonl", node(1), "oops"), graph, rejects=tmp_path / "bad.txt")
    assert report.rejects == tmp_path / "bad.txt"
    assert rejected(report) == [(2, "broken JSON: Expecting value at character 1")]


@pytest.mark.parametrize("raw", ["", "\n \n", "just\nprose\n", "\x00\x01\x02", '{"a": 1}\n{"b": 2}\n'])
def test_a_file_with_nothing_to_load(graph: Any, folder: Path, raw: str) -> None:
    with pytest.raises(LoadError, match="nothing"):
        load(lines(folder / "a", raw), graph)
    assert counts(graph) == (0, 0)


def test_only_relationships_without_nodes(graph: Any, folder: Path) -> None:
    with pytest.raises(LoadError, match=r"nothing in .*rels.jsonl can be loaded; line 1: no node was loaded for start"):
        load(lines(folder / "rels.jsonl", rel(1, "T", 2)), graph)


def test_an_empty_file_among_others_is_fine(graph: Any, folder: Path) -> None:
    report = load([lines(folder / "nodes.jsonl", node(1)), lines(folder / "rels.jsonl", "")], graph)
    assert (report.nodes, report.relationships, report.rejected) == (1, 0, 0)


def test_a_damaged_file_keeps_what_came_before(graph: Any, folder: Path) -> None:
    whole = gzip.compress(b"\n".join(json.dumps(node(n, "A", x=str(n**9))).encode() for n in range(5_000)))
    (folder / "a.gz").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(LoadError, match="damaged after line"):
        load(folder / "a.gz", graph)
    assert counts(graph)[0] > 100
    (folder / "a.gz").write_bytes(whole)
    load(folder / "a.gz", graph)
    assert counts(graph)[0] == 5_000


def test_a_schema_that_only_lies_there_is_ignored_with_a_note(graph: Any, folder: Path) -> None:
    (folder / "schema.json").write_text('{"$schema": "something else"}')
    report = load(lines(folder / "a.jsonl", node(1)), graph)
    assert "ignored" in report.notes[0]
    with pytest.raises(LoadError, match="no schema file"):
        load(folder / "a.jsonl", graph, schema=folder / "schema.json")


def test_usage(graph: Any, folder: Path) -> None:
    path = lines(folder / "a.txt", "a|r|b")
    with pytest.raises(UsageError, match="name at least one file"):
        load([], graph)
    with pytest.raises(UsageError, match="at least one row"):
        load(path, graph, batch=0)
    with pytest.raises(UsageError, match="'types' or into a 'property'"):
        load(path, graph, relations="nodes")  # type: ignore[arg-type]


# --- triples -------------------------------------------------------------------------------------------------------


def test_few_relations_become_types(graph: Any, folder: Path) -> None:
    path = lines(
        folder / "kb.txt", "Heat|directed by|Mann", "Ali|directed by|Mann", "Heat|directed by|Mann", "Heat|year|1995"
    )
    report = load(path, graph)
    assert (report.nodes, report.relationships, report.repeated) == (4, 3, 1)
    assert edges_of(graph) == [
        ("Ali", "directed by", "Mann", {}),
        ("Heat", "directed by", "Mann", {}),
        ("Heat", "year", "1995", {}),
    ]
    assert {(n.labels, n.properties["name"] == n.id) for n in nodes_by_id(graph).values()} == {(("Entity",), True)}
    before = content(graph)
    load(path, graph)
    assert content(graph) == before


def test_many_relations_become_a_property(graph: Any, folder: Path) -> None:
    path = lines(folder / "kb.txt", *(f"a|relation {number}|b" for number in range(201)))
    report = load(path, graph)
    assert (report.nodes, report.relationships) == counts(graph) == (2, 201)
    found = edges_of(graph)
    assert {type for _, type, _, _ in found} == {"RELATED"}
    assert {props["predicate"] for _, _, _, props in found} == {f"relation {number}" for number in range(201)}
    load(path, graph)
    assert counts(graph) == (2, 201)


def test_two_hundred_relations_are_few(graph: Any, folder: Path) -> None:
    load(lines(folder / "kb.txt", *(f"a|relation {number}|b" for number in range(200))), graph)
    assert len({type for _, type, _, _ in edges_of(graph)}) == 200


@pytest.mark.parametrize(("relations", "type"), [("types", "r"), ("property", "RELATED")])
def test_where_relations_go_can_be_said(graph: Any, folder: Path, relations: Any, type: str) -> None:
    load(lines(folder / "kb.txt", "a|r|b"), graph, relations=relations)
    assert edges_of(graph)[0][1] == type


def test_labels_of_relations(graph: Any, folder: Path) -> None:
    labels = folder / "labels.json.gz"
    labels.write_bytes(
        gzip.compress(json.dumps({"directed by": ["Film", "Person"], "acted in": ["Person", "Film"]}).encode())
    )
    path = lines(
        folder / "kb.txt", "Heat|directed by|Mann", "Mann|acted in|Heat", "Heat|seen by|Bo", "Bo|acted in|Heat"
    )
    report = load(path, graph, labels=labels, batch=1)
    assert report.nodes == 3
    found = {id: node.labels for id, node in nodes_by_id(graph).items()}
    assert found == {"Heat": ("Entity", "Film"), "Mann": ("Person",), "Bo": ("Entity", "Person")}


@pytest.mark.parametrize(
    "table", ["[]", '{"r": "A"}', '{"r": ["A"]}', '{"r": ["A", ""]}', '{"r": ["A", 1]}', "no JSON"]
)
def test_labels_that_are_none(graph: Any, folder: Path, table: str) -> None:
    (folder / "labels.json").write_text(table)
    with pytest.raises(LoadError, match=r"labels\.json"):
        load(lines(folder / "kb.txt", "a|r|b"), graph, labels=folder / "labels.json")


def test_bad_triples_are_set_aside(graph: Any, folder: Path) -> None:
    report = load(lines(folder / "kb.txt", "a|r|b", "a|b", b"a|\xff|b", "a|r|"), graph)
    assert [line for line, _ in rejected(report)] == [2, 3, 4]
    assert counts(graph) == (2, 1)


def test_a_hub_of_triples(graph: Any, folder: Path) -> None:
    path = lines(folder / "kb.txt", *(f"hub|r|leaf {number}" for number in range(6_000)))
    assert load(path, graph).relationships == 6_000
    assert load(path, graph).relationships_known == 6_000
    assert counts(graph) == (6_001, 6_000)


# --- CSV -----------------------------------------------------------------------------------------------------------


def test_neo4j_admin_files(graph: Any, folder: Path) -> None:
    (folder / "people.csv").write_text(
        "id:ID(Person),name,born:date,scores:int[],at:point{crs:WGS-84},:LABEL\n"
        '1,"Ann\n""A""",1950-02-03,1;2,"{latitude:51.21,longitude:4.41}",Person;Actor\n'
        "2,Bo,,,,Person\n"
    )
    (folder / "films.csv").write_text("id:ID(Film);title;:LABEL\n1;Heat;Film\n")
    (folder / "roles.csv").write_text(":START_ID(Person),role,:END_ID(Film),:TYPE\n1,lead,1,ACTED_IN\n2,,7,ACTED_IN\n")
    paths = [folder / name for name in ("people.csv", "films.csv", "roles.csv")]
    report = load(paths, graph)
    found = nodes_by_id(graph)
    assert (report.nodes, report.relationships) == (3, 1)
    assert rejected(report) == [(3, "no node was loaded for end 'Film:7'")]
    assert found["Person:1"].labels == ("Actor", "Person")
    assert found["Person:1"].properties == {
        **{"id": "1", "name": 'Ann\n"A"', "born": Date(1950, 2, 3), "scores": [1, 2]},
        "at": WGS84Point((4.41, 51.21)),
    }
    assert edges_of(graph) == [("Person:1", "ACTED_IN", "Film:1", {"role": "lead"})]
    load(paths, graph)
    assert counts(graph) == (3, 1)


# --- passages ------------------------------------------------------------------------------------------------------


def test_passages_and_what_points_at_them(graph: Any, folder: Path) -> None:
    path = lines(
        folder / "a.jsonl",
        node("c1", "Chunk", id="c1", text="Ann founded Acme."),
        node("ann", "Person", name="Ann"),
        node("acme", "Company", name="Acme"),
        rel("ann", "FOUNDED", "acme", chunk_ids=["c1"]),
        rel("c1", "MENTIONS", "ann"),
    )
    report = load(path, graph)
    assert report.passages == 1
    assert ("ann", "FOUNDED", "acme", {"chunk_ids": ["c1"]}) in edges_of(graph)
    assert nodes_by_id(graph)["c1"].properties == {"id": "c1", "text": "Ann founded Acme."}


def test_the_demo_graph(graph: Any) -> None:
    report = load(demo.files(), graph)
    assert (report.nodes, report.relationships, report.passages, report.rejected) == (142, 346, 42, 0)
    assert counts(graph) == (142, 346)
    found = nodes_by_id(graph)
    assert found["lighthouse-arden-light"].properties["period"] == Duration(seconds=10)
    assert found["person-edda-brisk"].properties["born"] == Date(1851, 3, 9)


def key_of(graph: Any, key: str) -> str:
    return quote(stored_key(key)) if graph.dialect == "embedded" else quote(key)


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("MATCH (p)-[:DESIGNED]->({{{name}: 'Kittiwake Light'}}) RETURN p.{name}", {"Edda Brisk"}),
        ("MATCH (p)-[:KEEPER_OF]->({{{name}: 'Marrow Light'}}) RETURN p.{name}", {"Gideon Pell", "Wenna Tull"}),
        ("MATCH (n {{{name}: 'Corrin High Light'}}) RETURN n.height_m", {29.0}),
        (
            "MATCH ({{{name}: 'Dunlin Light'}})<-[:KEEPER_OF]-()-[:BORN_IN]->(t) RETURN t.{name}",
            {"Brannoch Kirk"},
        ),
        (
            "MATCH ({{{name}: 'Hale Circumnavigation'}})-[:SAILED_ON]->()<-[:EXHIBITS]-(m) RETURN m.{name}",
            {"Velsay Maritime Museum"},
        ),
        ("MATCH ({{{name}: 'Kittiwake Winter'}})<-[:LED]-()-[:MARRIED_TO]-(p) RETURN p.{name}", {"Magnus Ebb"}),
        (
            "MATCH ({{{name}: 'Tobias Renn'}})-[:MENTOR_OF]->()-[:DESIGNED]->(:Lighthouse)-[:LOCATED_IN]->(i) "
            "RETURN i.{name}",
            {"Velsay", "Great Skerrow", "Marrow Stack", "Kittiwake Rock"},
        ),
        ("MATCH ({{{name}: 'Edda Brisk'}})-[:DESIGNED]->(l:Lighthouse) RETURN count(l)", {3}),
        ("MATCH ({{{name}: 'Nessa Quill'}})-[r:KEEPER_OF]->({{{name}: 'Arden Light'}}) RETURN count(r) > 0", {True}),
    ],
)
def test_the_demo_graph_can_answer_its_questions(embedded_graph: Any, query: str, answer: set[Any]) -> None:
    load(demo.files(), embedded_graph)
    rows = embedded_graph.read(query.format(name=key_of(embedded_graph, "name")))
    assert {record[0] for record in rows.records} == answer


# --- the face of a load --------------------------------------------------------------------------------------------


def test_progress_reaches_the_end(graph: Any, folder: Path) -> None:
    path = lines(
        folder / "a.jsonl", *(node(number) for number in range(30)), *(rel(number, "T", 0) for number in range(30))
    )
    seen: list[Progress] = []
    load(path, graph, batch=10, progress=seen.append)
    assert [at.stage for at in seen] == sorted(at.stage for at in seen)
    assert [at.done for at in seen] == sorted(at.done for at in seen)
    assert seen[-1].done == seen[-1].total == 2 * path.stat().st_size


def test_names_can_be_looked_up_by_index(graph: Any, folder: Path) -> None:
    load(lines(folder / "a.jsonl", node(1, "Product", productName="Tea", price=1)), graph)
    if graph.dialect == "neo4j":
        rows = graph.read("SHOW INDEXES YIELD labelsOrTypes, properties RETURN labelsOrTypes, properties")
        assert (["Product"], ["productName"]) in rows.records
    else:
        assert "productName" in str(graph.read("SHOW INDEXES").records)


def test_the_report_is_json(graph: Any, folder: Path) -> None:
    report = load(lines(folder / "a.jsonl", node(1), "oops"), graph)
    told = json.loads(json.dumps(report.to_dict()))
    assert (told["nodes"], told["rejected"], told["rejects"]) == (1, 1, "a.jsonl.rejects.jsonl")


# --- real data -----------------------------------------------------------------------------------------------------


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "nodes", "edges"), [("movies", 171, 253), ("northwind", 1_035, 3_139), ("gdsc", 2_641, 16_747)]
)
def test_shared_graphs(graph: Any, shared_data: Callable[[str], Path], name: str, nodes: int, edges: int) -> None:
    paths = [shared_data(f"graphs/{name}/{kind}.jsonl.gz") for kind in ("nodes", "rels")]
    report = load(paths, graph)
    assert (report.nodes, report.relationships, report.rejected) == (nodes, edges, 0)
    assert counts(graph) == (nodes, edges)


@pytest.mark.data
def test_a_knowledge_graph_of_triples(graph: Any, shared_data: Callable[[str], Path]) -> None:
    report = load(shared_data("metaqa/kb.txt.gz"), graph, labels=shared_data("metaqa/labels.json"))
    assert (report.nodes, report.relationships, report.rejected) == (43_234, 133_582, 0)
    assert counts(graph) == (43_234, 133_582)
