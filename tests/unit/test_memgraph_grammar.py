"""The gate on Memgraph: Neo4j's own forms are refused with what serves instead, what Memgraph reads passes.

Each list was held against Memgraph's own grammar and its table of functions (August 2026), outside of this repository.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from evasion_probe import corpus
from queries import READS, mutants

from arcgraph.graph.guard import Verdict, check
from arcgraph.graph.memgraph import FUNCTIONS
from arcgraph.graph.memgraph_grammar import lacking

# The query, a part of the reason, and the text that the reason points at.
REFUSED = [
    ("MATCH (a:Person WHERE a.age = 1) RETURN a", "write it in WHERE behind the pattern", "WHERE"),
    ("MATCH (a)-[r:R WHERE r.since = 1]->(b) RETURN a", "write it in WHERE behind the pattern", "WHERE"),
    ("MATCH ((a)-->(b) WHERE a.x = 1) RETURN a", "write it in WHERE behind the pattern", "a.x"),
    ("MATCH (a)-[:R]->+(b) RETURN b", "quantified relationships; write a relationship with a length", "-"),
    ("MATCH (a)-[:R]->{1,3}(b) RETURN b", "-[:TYPE*1..3]->", "-"),
    ("MATCH (a) ((x)-[:R]->(y)){1,3} (b) RETURN b", "quantified paths", "("),
    ("MATCH p = SHORTEST 1 (a)-[:R]->+(b) RETURN p", "-[*BFS]->", "p"),
    ("MATCH p = ANY (a)-[:R*]->(b) RETURN p", "path selectors such as ANY", "p"),
    ("MATCH p = shortestPath((a)-[*..4]-(b)) RETURN p", "shortestPath(…); write -[*BFS]->", "p"),
    ("MATCH p = allShortestPaths((a)-[*..4]-(b)) RETURN p", "*ALLSHORTEST", "p"),
    ("MATCH (n:A&B) RETURN n", "write :A:B or :A|B", ":"),
    ("MATCH (n:!A) RETURN n", "label expressions", ":"),
    ("MATCH (n:%) RETURN n", "label expressions", ":"),
    ("MATCH (n:(A|B)&C) RETURN n", "label expressions", ":"),
    ("MATCH (n:$('A')) RETURN n", "label expressions", ":"),
    ("MATCH (n IS Person) RETURN n", "IS before a label", "IS"),
    ("MATCH ()-[r:!R]->() RETURN r", "test type(r) in WHERE", ":"),
    ("MATCH (n) WHERE n:A|B RETURN n", "write n:A OR n:B", ":"),
    ("MATCH (n) WHERE n IS A RETURN n", "write n:A OR n:B", "IS"),
    ("MATCH (n) RETURN COLLECT { MATCH (n)-->(m) RETURN m.name } AS names", "[(a)-->(b) | b.key]", "COLLECT"),
    ("MATCH (n) WHERE EXISTS { (n)-->(m) WHERE m.x = 1 } RETURN n", "write EXISTS { MATCH … }", "EXISTS"),
    ("MATCH (n) RETURN COUNT { (n)-->(), (n)<--() } AS c", "write COUNT { MATCH … }", "COUNT"),
    ("MATCH (n) WHERE n.x IS :: INTEGER RETURN n", "valueType(x)", "n.x"),
    ("MATCH (n) WHERE n.x IS NOT TYPED INTEGER RETURN n", "IS TYPED; write valueType(x)", "n.x"),
    ("MATCH (n) WHERE n.x IS NFC NORMALIZED RETURN n", "IS NORMALIZED", "n.x"),
    ("RETURN 'a' || 'b' AS x", "||; write +", "||"),
    ("RETURN CASE 3 WHEN 1, 2 THEN 'a' ELSE 'b' END AS x", "CASE WHEN x > 3", "CASE"),
    ("RETURN CASE 3 WHEN > 2 THEN 'a' ELSE 'b' END AS x", "CASE WHEN x > 3", "CASE"),
    ("MATCH (n) FINISH", "FINISH; end with RETURN", "FINISH"),
    ("MATCH (n) ORDER BY n.x LIMIT 3 RETURN n", "put it behind WITH or RETURN", "ORDER"),
    ("MATCH (n) RETURN n OFFSET 3", "OFFSET; write SKIP", "OFFSET"),
    ("RETURN 1 AS x UNION DISTINCT RETURN 2 AS x", "UNION DISTINCT; write UNION", "UNION"),
    ("MATCH (n:A) USING INDEX n:A(x) WHERE n.x = 1 RETURN n", "leave the hint out", "USING"),
    ("MATCH (n) OPTIONAL CALL (n) { MATCH (n)-->(m) RETURN m } RETURN m", "OPTIONAL CALL", "OPTIONAL"),
    ("CALL db.labels", "write CALL db.labels()", "db"),
    ("RETURN 1_000 AS x", "1_000; write the plain digits", "1_000"),
    ("RETURN 0o17 AS x", "the plain digits", "0o17"),
    ("RETURN 1e+5 AS x", "the plain digits", "1e+5"),
    ("RETURN Infinity AS x", "the plain digits", "Infinity"),
    ("RETURN trim(BOTH 'x' FROM 'xax') AS x", "trim(x)", "trim"),
    ("RETURN trim('x' FROM 'xax') AS x", "trim(x)", "trim"),
    ("MATCH (n) RETURN count(ALL n.x) AS c", "leave ALL out", "count"),
    ("MATCH (n) RETURN percentileCont(n.x, 0.5) AS m", "function percentileCont()", "percentileCont"),
    ("RETURN duration.between(date('2020-01-01'), date()) AS d", "subtract the two", "duration"),
    ("RETURN isNaN(1.0) AS x", "write x <> x", "isNaN"),
]
ACCEPTED = [
    "MATCH (a:A:B {x: $x})-[r:R|S*1..3 {since: 1}]->(b) RETURN a, r, b",
    "MATCH (a:A|B)-[:R]->(b:A|C) RETURN a, b",
    "MATCH (a)-[:R|:S]-(b) WHERE a:A:B AND NOT b:C OR b:D RETURN DISTINCT a.x AS x ORDER BY x DESC SKIP 1 LIMIT 2",
    "MATCH (a:Person), (b) WHERE exists((a)-[:X]->(b)) RETURN *",
    "MATCH (n) WHERE EXISTS { MATCH (n)-[:R]->(m) WHERE m.x = 1 } RETURN COUNT { (n)-[:R]->() } AS c",
    "MATCH (n) WHERE EXISTS { MATCH (n)-->(m) RETURN m UNION MATCH (n)<--(m) RETURN m } RETURN n",
    "MATCH (n) CALL { WITH n MATCH (n)-->(m) RETURN m } RETURN m",
    "MATCH (n) CALL (n) { MATCH (n)-->(m) RETURN m } RETURN m",
    "MATCH (n) CALL (*) { MATCH (n)-->(m) RETURN m } RETURN m",
    "MATCH (n) RETURN elementId(n) AS e, id(n) AS i",
    "MATCH p = (a)-[*BFS ..4 (r, n | r.x > 1)]->(b) RETURN p",
    "MATCH p = (a)-[*KSHORTEST|3]->(b) RETURN p",
    "MATCH p = (a)-[*ALLSHORTEST (r, n | 1) total]-(b) RETURN p, total",
    "MATCH p = ((a)-[:R]->(b)) RETURN p",
    "MATCH (n) RETURN CASE n.x WHEN 1 THEN 'a' WHEN 2 THEN 'b' END AS x, CASE WHEN n.x > 3 THEN 1 ELSE 2 END AS y",
    "MATCH (n) RETURN n {.*, .x, y: 1} AS m, [x IN n.xs WHERE x > 1 | x + 1] AS xs, [(n)-->(m) WHERE m.x = 1 | m.y]",
    "MATCH (n) WHERE any(x IN n.xs WHERE x = 1) AND n.x IS NOT NULL AND n.name STARTS WITH 'A' RETURN n.xs[0..2] AS x",
    "MATCH (n) RETURN reduce(t = 0, x IN n.xs | t + x) AS t, coalesce(n.a, n.b) AS c, count(DISTINCT n.x)",
    "UNWIND [1, 2] AS x WITH x WHERE x <> 1 RETURN x, 0x1F AS h, 1.5e-3 AS f, .5 AS d, 0 AS z, 12 AS n",
    "RETURN 1 AS x UNION ALL RETURN 2 AS x",
    "MATCH (a:A:B)-[:R|S]->(b:C) MATCH (a)-->(c:A|B) RETURN b, c",
    "MATCH (all) WHERE all.x = 1 RETURN toUpper(all.name) AS name, trim(all.name) AS t, date().year AS y",
    "CALL schema.node_type_properties() YIELD nodeType WHERE nodeType <> 'x' RETURN nodeType",
    "MATCH (n:`A && B`) WHERE n.text = 'shortestPath( OFFSET FINISH ||' RETURN n // COLLECT { }",
]


def verdict(query: str, *added: str) -> Verdict:
    return check(query, allow_functions=(*FUNCTIONS, *added), lacking=lacking)


@pytest.mark.parametrize(("query", "says", "at"), REFUSED, ids=[query for query, *_ in REFUSED])
def test_what_memgraph_cannot_read_is_refused_with_what_to_write(query: str, says: str, at: str) -> None:
    assert check(query).accepted
    reason = verdict(query).reasons[0]
    assert reason.rule == "dialect"
    assert reason.message.startswith("Memgraph has no ")
    assert says in reason.message
    assert query[reason.offset :].startswith(at)


@pytest.mark.parametrize("query", ACCEPTED)
def test_what_memgraph_reads_passes(query: str) -> None:
    assert verdict(query).reasons == ()


def test_every_difference_is_named_in_the_order_of_the_text() -> None:
    query = "MATCH (a:A&B WHERE a.x = 1)-[:R]->+(b) RETURN COLLECT { MATCH (a) RETURN a } AS x, isNaN(b.x) AS y"
    offsets = [reason.offset for reason in verdict(query).reasons]
    assert len(offsets) == 5
    assert offsets == sorted(offsets)


def test_a_function_that_the_operator_added_passes() -> None:
    query = "MATCH (n) RETURN stDev(n.x) AS s"
    assert not verdict(query).accepted
    assert verdict(query, "stDev").accepted


def test_what_we_compile_for_memgraph_passes() -> None:
    compiled = sorted((Path(__file__).parent / "snapshots").glob("*.memgraph.cypher"))
    assert len(compiled) >= 5
    for file in compiled:
        query, _, _params = file.read_text(encoding="utf-8").partition("\n{")
        assert verdict(query).reasons == (), file.name


def test_it_only_adds_reasons_to_what_the_gate_says_anyway() -> None:
    queries = [*READS, *mutants()[:500], *(entry["query"] for entry in corpus())]
    for query in queries:
        plain, there = check(query), check(query, lacking=lacking)
        assert set(plain.reasons) <= set(there.reasons)
        assert {reason.rule for reason in set(there.reasons) - set(plain.reasons)} <= {"dialect"}


def test_names_with_spaces_are_repaired_there_as_well() -> None:
    found = verdict("MATCH (n:Tool Set) RETURN n.x")
    assert found.repaired == "MATCH (n:`Tool Set`) RETURN n.x"
    assert verdict("MATCH (n:Tool Set WHERE n.x = 1) RETURN n").repaired is None


def test_both_ways_of_joining_labels_in_one_clause_are_told_apart_from_what_serves() -> None:
    (reason,) = verdict("MATCH (a:A:B), (b:A|C) RETURN a, b").reasons
    assert (reason.rule, reason.column) == ("not-understood", 18)
    assert reason.message.endswith("or a MATCH for each")
    assert verdict("MATCH (a:A:B) MATCH (b:A|C) RETURN a, b").accepted
