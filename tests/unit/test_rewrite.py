"""Free queries on the embedded engine: names as loaded, and Neo4j's forms that the engine lacks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import kglite
import pytest

from arcgraph.domain import Edge, Node
from arcgraph.errors import Refused
from arcgraph.graph.guard import check
from arcgraph.graph.names import stored_key
from arcgraph.graph.rewrite import embedded_params, lacking, to_embedded
from arcgraph.graph.values import from_engine

NODES: list[tuple[str, list[str], dict[str, Any]]] = [
    ("1", ["Person", "Actor"], {"name": "Ann", "id": "x1", "age": 30, "title": "Dr"}),
    ("2", ["Person"], {"name": "Bob", "age": 25}),
    ("3", ["Person"], {"age": 41}),
    ("4", ["Movie"], {"title": "Heat", "year": 1995, "type": "film", "id": 7}),
    ("5", ["Movie"], {"title": "Alien", "year": 1979}),
    ("6", [], {"name": "bare"}),
    ("7", ["Person"], {"name": "O'Neil // x", "age": 30, "tags": ["a", "name"]}),
]
EDGES: list[tuple[str, str, str, dict[str, Any]]] = [
    ("1", "ACTED_IN", "4", {"role": "x", "name": "rn"}),
    ("1", "KNOWS", "2", {"since": 1999, "type": "close"}),
    ("2", "KNOWS", "3", {"since": 2005}),
    ("3", "KNOWS", "1", {"since": 2010, "id": 5}),
    ("7", "ACTED_IN", "5", {"role": "y"}),
    ("7", "DIRECTED", "4", {}),
    ("2", "ACTED_IN", "4", {}),
]
PARAMS = {"k": "name", "i": 1, "n": "Ann", "m": {"name": "Ann", "age": 30}, "rows": [{"id": "x1"}, {"id": "none"}]}

Run = Callable[[str], list[tuple[Any, ...]]]


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Iterator[kglite.KnowledgeGraph]:
    path: Path = tmp_path_factory.mktemp("rewrite") / "g.arc"
    graph = kglite.open(str(path), durable="off")
    for id_, labels, properties in NODES:
        stored = {stored_key(key): value for key, value in properties.items()}
        marks = "".join(f"n:`{label}`, " for label in labels)
        graph.cypher(
            f"MERGE (n:_Arcgraph {{_arcgraph_id: $id}}) SET {marks}n += $props", params={"id": id_, "props": stored}
        )
    for start, type_, end, properties in EDGES:
        graph.cypher(
            "MATCH (a:_Arcgraph {_arcgraph_id: $start}) MATCH (b:_Arcgraph {_arcgraph_id: $end}) "
            f"MERGE (a)-[r:{type_}]->(b) SET r += $props",
            params={"start": start, "end": end, "props": {stored_key(k): v for k, v in properties.items()}},
        )
    yield graph
    graph.close()


@pytest.fixture
def run(graph: kglite.KnowledgeGraph) -> Run:
    """Rows of a free query, sorted."""

    def rows(query: str) -> list[tuple[Any, ...]]:
        assert check(query).accepted, check(query).reasons
        result = graph.cypher(
            to_embedded(query), params=embedded_params(PARAMS), disabled_passes=["fuse_match_return_aggregate"]
        )
        return sorted((tuple(from_engine(row[c]) for c in result.columns) for row in result), key=repr)

    return rows


def by_repr(*rows: Any) -> list[tuple[Any, ...]]:
    return sorted((row if isinstance(row, tuple) else (row,) for row in rows), key=repr)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        # property access
        ("MATCH (n:Person) RETURN n.name, n.id", [("Ann", "x1"), ("Bob", None), (None, None), ("O'Neil // x", None)]),
        ("MATCH (n) WHERE n.name IS NULL RETURN n.age, n.year", [(41, None), (None, 1995), (None, 1979)]),
        ("MATCH (n) WHERE n.type IS NOT NULL RETURN n.title, n.type", [("Heat", "film")]),
        ("MATCH ()-[r:KNOWS]->() RETURN r.type, r.id", [("close", None), (None, None), (None, 5)]),
        ("MATCH (n:Movie) RETURN n['title'], n[\"id\"]", [("Heat", 7), ("Alien", None)]),
        ("MATCH (n:Person {name: 'Ann'}) RETURN n[$k], n['ti' + 'tle']", [("Ann", "Dr")]),
        ("MATCH (n:Person) WITH collect(n.age) AS xs RETURN size(xs), xs[$i] > 0", [(4, True)]),
        ("MATCH (n:Person) RETURN n . name, n. /* x */ age", [
            ("Ann", 30), ("Bob", 25), (None, 41), ("O'Neil // x", 30)
        ]),
        (r"MATCH (n:Actor) RETURN n.\u006eame", ["Ann"]),
        ("MATCH (name:Actor)-[type:KNOWS]->(id) RETURN name.name, type.type, id.id", [("Ann", "close", None)]),
        ("MATCH (a)-[r:DIRECTED]->(b) RETURN startNode(r).name, endNode(r).title", [("O'Neil // x", "Heat")]),
        # inline maps
        ("MATCH (n {name: 'Ann'}) RETURN n.age", [30]),
        ("MATCH (n:Person {name: $n, age: 29 + 1}) RETURN n.id", ["x1"]),
        ("MATCH (n:Person {name: $m.name}) RETURN n.id", ["x1"]),
        ("MATCH (n:Person {unknown: 1}) RETURN n.id", []),
        ("MATCH (:Person {name: 'Ann'})-[:KNOWS {type: 'close'}]->(m) RETURN m.name", ["Bob"]),
        ("MATCH (:Person {name: 'Ann'})-[:KNOWS {unknown: 1}]->(m) RETURN m.name", []),
        ("MATCH (n:Actor)-[:KNOWS]-(m {age: n.age - 5}) RETURN m.name", ["Bob"]),
        (
            "MATCH (n:Person) OPTIONAL MATCH (n)-[:ACTED_IN]->(m:Movie {title: 'Heat'}) RETURN n.age, m.title",
            [(30, "Heat"), (25, "Heat"), (41, None), (30, None)],
        ),
        ("MATCH (n {name: 'Ann'}) WHERE n.age = 1 OR n.age = 30 RETURN n.id", ["x1"]),
        # maps
        ("MATCH (n:Movie) RETURN n{.title, .year}", [
            {"title": "Heat", "year": 1995}, {"title": "Alien", "year": 1979}
        ]),
        ("MATCH (n:Actor) RETURN n{.*}", [{"name": "Ann", "id": "x1", "age": 30, "title": "Dr"}]),
        ("MATCH (n:Actor) WITH n, n.name AS name RETURN n{.age, name}", [{"age": 30, "name": "Ann"}]),
        ("MATCH (n:Actor) WITH n, 1 AS one RETURN n{.age, one}", [{"age": 30, "one": 1}]),
        ("MATCH (n:Actor) RETURN {name: n.id, x: {id: 1}} AS m", [{"name": "x1", "x": {"id": 1}}]),
        ("MATCH (n:Actor) WITH {name: n.id, x: {id: 1}} AS m RETURN m.name, m.x.id", [("x1", 1)]),
        ("RETURN $m.name, $m['age'], $m", [("Ann", 30, {"name": "Ann", "age": 30})]),
        ("UNWIND $rows AS row OPTIONAL MATCH (n {id: row.id}) RETURN row.id, n.name", [("x1", "Ann"), ("none", None)]),
        ("MATCH (n:Actor) RETURN properties(n), properties(n).title", [
            ({"name": "Ann", "id": "x1", "age": 30, "title": "Dr"}, "Dr")
        ]),
        # keys and labels
        ("MATCH (n:Movie) UNWIND keys(n) AS k WITH k ORDER BY k RETURN collect(k)", [
            ["id", "title", "title", "type", "year", "year"]
        ]),
        ("MATCH (n:Movie) UNWIND keys(n) AS k RETURN k, n[k]", [
            ("title", "Heat"), ("year", 1995), ("type", "film"), ("id", 7), ("title", "Alien"), ("year", 1979)
        ]),
        ("MATCH (n) WHERE 'type' IN keys(n) RETURN n.title", ["Heat"]),
        ("WITH {name: 1, x: 2} AS m UNWIND keys(m) AS k RETURN k, m[k]", [("name", 1), ("x", 2)]),
        ("MATCH (n) UNWIND labels(n) AS l RETURN l, count(*)", [("Person", 4), ("Actor", 1), ("Movie", 2)]),
        ("MATCH (n) WHERE size(labels(n)) = 0 RETURN n.name", ["bare"]),
        ("MATCH (n) WHERE 'Actor' IN labels(n) RETURN labels(n)[0] IS NULL", [False]),
        # label expressions
        ("MATCH (n:Person&Actor) RETURN n.name", ["Ann"]),
        ("MATCH (n:Person:Actor) RETURN n.name", ["Ann"]),
        ("MATCH (n IS Movie) RETURN n.title", ["Heat", "Alien"]),
        ("MATCH (n:(Person|Movie)&!Actor) RETURN n.age, n.year", [
            (25, None), (41, None), (30, None), (None, 1995), (None, 1979)
        ]),
        ("MATCH (n:!%) RETURN n.name", ["bare"]),
        ("MATCH (n) WHERE n:Movie|Actor RETURN n.title", ["Heat", "Alien", "Dr"]),
        ("MATCH (a)-[r:!KNOWS&!ACTED_IN]->(b) RETURN type(r)", ["DIRECTED"]),
        ("MATCH (a:Actor)-[:ACTED_IN|:DIRECTED]->(b) RETURN b.title", ["Heat"]),
        ("MATCH (:!Person)<-[r]-(:Actor) RETURN type(r)", ["ACTED_IN"]),
        # conditions inside patterns
        ("MATCH (n:Person WHERE n.age > 26) RETURN n.age", [30, 41, 30]),
        ("MATCH (n:Person WHERE n.name = 'Ann' OR n.age = 25) WHERE n.age > 26 OR n.age < 3 RETURN n.name", ["Ann"]),
        ("MATCH (n)-[r:ACTED_IN WHERE r.role = 'x']->(m WHERE m.title = 'Heat') RETURN n.name", ["Ann"]),
        (
            "MATCH (n:Person) OPTIONAL MATCH (n)-[:ACTED_IN]->(m WHERE m.year < 1990) RETURN n.age, m.title",
            [(30, None), (25, None), (41, None), (30, "Alien")],
        ),
        # subqueries
        ("MATCH (n:Person) WHERE EXISTS { (n)-[:ACTED_IN]->(:Movie {title: 'Alien'}) } RETURN n.age", [30]),
        ("MATCH (n:Person) WHERE EXISTS { (n)-[:ACTED_IN]->(m WHERE m.year < 1990) } RETURN n.age", [30]),
        ("MATCH (n:Person) WHERE EXISTS { MATCH (n)-[:KNOWS]->(m) RETURN m } RETURN n.age", [30, 25, 41]),
        ("MATCH (n:Movie) RETURN n.title, COUNT { (n)<-[:ACTED_IN]-({name: 'Ann'}) }", [("Heat", 1), ("Alien", 0)]),
        ("MATCH (n:Movie) RETURN COUNT { MATCH (n)<-[:ACTED_IN]-(m) RETURN m } AS c", [2, 1]),
        ("MATCH (n:Actor) RETURN COLLECT { MATCH (n)-[:ACTED_IN]->(m {type: 'film'}) RETURN m.title }", [["Heat"]]),
        ("MATCH (n:Actor) RETURN [(n)-->(m {type: 'film'}) WHERE m.year > 1 | m.title]", [["Heat"]]),
        ("MATCH (n:Actor) CALL (n) { MATCH (n)-[:ACTED_IN]->(m {title: 'Heat'}) RETURN m.id AS i } RETURN i", [7]),
        ("MATCH (n) WHERE (n)-[:DIRECTED]->({title: 'Heat'}) RETURN n.name", ["O'Neil // x"]),
        # lengths and quantifiers
        ("MATCH (a {name: 'Ann'})-[:KNOWS]->{2}(b) RETURN b.age", [41]),
        ("MATCH (a {name: 'Ann'})-[:KNOWS]->{,2}(b) RETURN b.age", [30, 25, 41]),
        ("MATCH (a {name: 'Ann'})-[r:KNOWS]->+(b) RETURN b.age, size(r)", [(25, 1), (41, 2), (30, 3)]),
        ("MATCH (a {name: 'Bob'})-->{2}(b:Actor) RETURN b.id", ["x1"]),
        ("MATCH (a:Movie {title: 'Alien'})<-->(b) RETURN b.name", ["O'Neil // x"]),
        ("MATCH p = SHORTEST 1 (a {name: 'Ann'})-[:KNOWS]->+({age: 41}) RETURN nodes(p)[1].name", ["Bob"]),
        ("MATCH p = shortestPath(({name: 'Ann'})-[*]-({title: 'Alien'})) RETURN length(p)", [3]),
        ("MATCH ANY SHORTEST (a {name: 'Ann'})-[:KNOWS]->+(b {age: 41}) RETURN b.age", [41]),
        ("MATCH shortestPath((a {name: 'Ann'})-[:KNOWS*]->(b {age: 41})) RETURN b.age", [41]),
        # comparisons in a row
        ("MATCH (n:Person) WHERE 25 < n.age <= 30 RETURN n.age", [30, 30]),
        ("MATCH (n:Person) WHERE NOT 25 <= n.age <= 30 RETURN n.age", [41]),
        ("MATCH (n:Person) WHERE n.name = 'Bob' OR 30 < n.age < 50 AND n.age > 1 RETURN n.age", [25, 41]),
        ("RETURN 1 < 2 < 3 < 4, 1 < 3 < 2, 1 < 2 + 3 < 6 = 6, -1 < -(2) < 3, (1 < 2) = true", [
            (True, False, True, False, True)
        ]),
        ("MATCH (n:Person) WHERE 26 < n['age'] < $m.age + 1 RETURN n.name", ["Ann", "O'Neil // x"]),
        ("RETURN [x IN range(1, 9) WHERE 2 < x < 5 AND 1 <> x <> 4 | 1 < x < 9] AS x", [[True]]),
        # spelling
        ("MATCH (n:Person) /* a\nb */ WHERE n.name CONTAINS 'n' // c\nRETURN n.age", [30]),
        ("MATCH (n:Person) WHERE n.name = 'O\\'Neil // x' RETURN n.age", [30]),
        (r"MATCH (n:Person) WHERE n.name =~ '\w+' RETURN n.name", ["Ann", "Bob"]),
        (r"RETURN '\d', 'it\'s', '\u0041\t\\'", [("\\d", "it's", "A\t\\")]),
        ("RETURN 1_000, 0xFF, 0o17, 1.5e3, 2.5d", [(1000, 255, 15, 1500.0, 2.5)]),
        ("MATCH (n:Person) USING SCAN n:Person WHERE n.age > 40 RETURN n.age", [41]),
        ("MATCH (n:Movie) WHERE n.year IN [x IN [1995] | x] RETURN n.title", ["Heat"]),
        ("MATCH (n:Person) RETURN n.name UNION MATCH (n:Movie) RETURN n.title AS `n.name`", [
            "Ann", "Bob", None, "O'Neil // x", "Heat", "Alien"
        ]),
        ("RETURN 1 AS x UNION DISTINCT RETURN 1 AS x UNION DISTINCT RETURN 2 AS x", [1, 2]),
        ("CALL { RETURN 1 AS x UNION /* all? */ DISTINCT RETURN 1 AS x } RETURN x", [1]),
        ("RETURN 1 AS x UNION RETURN DISTINCT 1 AS x", [1]),
        ("RETURN 1 AS x UNION ALL RETURN DISTINCT 1 AS x", [1, 1]),
        ("MATCH (n:Person) RETURN DISTINCT n.age ORDER BY n.age SKIP 1 LIMIT 1", [30]),
        ("MATCH (n:Person) RETURN n.age, count(*) ORDER BY n.age", [(25, 1), (30, 2), (41, 1)]),
    ],
)  # fmt: skip
def test_a_free_query_sees_the_graph_as_it_was_loaded(run: Run, query: str, expected: list[Any]) -> None:
    assert run(query) == by_repr(*expected)


def test_whole_elements_come_back_as_loaded(run: Run) -> None:
    ((node, edge),) = run("MATCH (n {name: 'Ann'})-[r {type: 'close'}]->() RETURN n, r")
    assert isinstance(node, Node)
    assert isinstance(edge, Edge)
    assert (node.id, node.labels, dict(node.properties)) == ("1", ("Actor", "Person"), NODES[0][2])
    assert dict(edge.properties) == {"since": 1999, "type": "close"}


@pytest.mark.parametrize(
    ("query", "columns"),
    [
        ("MATCH (n:Actor) RETURN n.name, count( n.id ), n {.title}", ["n.name", "count( n.id )", "n"]),
        ("MATCH (n:Actor) RETURN labels(n), n.name + '!' AS y, n", ["labels(n)", "y", "n"]),
        ("MATCH (n:Actor {name: 'Ann'}) RETURN *", ["n"]),
        ("MATCH (:Actor)-[r:KNOWS {type: 'close'}]->(m) RETURN *", ["m", "r"]),
    ],
)
def test_columns_keep_the_names_that_they_were_written_with(
    graph: kglite.KnowledgeGraph, query: str, columns: list[str]
) -> None:
    assert sorted(graph.cypher(to_embedded(query)).columns) == sorted(columns)


@pytest.mark.parametrize(
    "query",
    [
        "MATCH (n:A) WHERE n.x = 'name' AND n.y = \"id\" RETURN n.x AS name",
        "MATCH (name:Title)-[type:id]->() RETURN type(type) AS t, name AS n",
        "MATCH (n:A|B)-[r:R*1..3]->(m) WHERE n.x > 1 RETURN count(*) AS c",
    ],
)
def test_leaves_alone_what_needs_no_change(query: str) -> None:
    assert to_embedded(query) == query


def test_a_length_without_bound_gets_one_beyond_any_path() -> None:
    assert to_embedded("MATCH (a)-[*]->(b)-[*2..]->(c) RETURN a") == (
        "MATCH (a)-[*1..1000000]->(b)-[*2..1000000]->(c) RETURN a"
    )


@pytest.mark.parametrize(
    ("query", "because"),
    [
        ("MATCH (a) ((x)-[:R]->(y)){1,2} (b) RETURN a", "quantified"),
        ("MATCH ALL SHORTEST (a)-->+(b) RETURN a", "path selectors"),
        ("MATCH p = allShortestPaths((a)-[*]-(b)) RETURN p", "256"),
        ("MATCH (a)-[*BFS]->(b) RETURN a", "BFS"),
        ("MATCH (n:$('A')) RETURN n", "computed"),
        ("MATCH (:!A)--(b) RETURN *", "name the element"),
        ("MATCH (:%)--(b) WITH b RETURN DISTINCT *", "name the element"),
        ("MATCH (n) WHERE (n)-->(:A WHERE true) RETURN n", "EXISTS"),
        ("MATCH (n) RETURN COUNT { MATCH (n)--(m) RETURN DISTINCT m } AS c", "DISTINCT"),
        ("MATCH (n) RETURN COLLECT { MATCH (n)--(m) RETURN m ORDER BY m.x } AS c", "COLLECT"),
        ("MATCH (n) RETURN CASE n.x WHEN > 3 THEN 1 END", "CASE"),
        ("MATCH (n) RETURN n[n[n.x]]", "computed key"),
        ("CALL db.labels() YIELD label RETURN label", "schema"),
        ("MATCH SHORTEST 1 (a)-->+(b) RETURN *", "needs a name"),
        ("RETURN " + "1 < (" * 60 + "2" + ") < 3" * 60 + " AS x", "comparisons in a row"),
        ("RETURN 1 AS x, apoc.text.join(['a'], ',') AS y", r"apoc\.text\.join is not to be had"),
        ("RETURN vector.similarity.cosine([1], [1]) AS x", "not to be had"),
        ("CALL apoc.meta.stats() YIELD labels RETURN labels", r"apoc\.meta\.stats is not to be had"),
    ],
)
def test_refuses_with_a_reason_what_has_no_equal(query: str, because: str) -> None:
    assert check(query).accepted
    with pytest.raises(Refused, match=because) as caught:
        to_embedded(query)
    assert caught.value.verdict.reasons[0].rule == "embedded"
    assert check(query, lacking=lacking).reasons == caught.value.verdict.reasons


def test_maps_in_parameters_get_stored_keys() -> None:
    assert embedded_params({"name": 1, "m": {"name": [{"id": 2}], "x": "name"}}) == {
        "name": 1,
        "m": {"_arc_name": [{"_arc_id": 2}], "x": "name"},
    }
