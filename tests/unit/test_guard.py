"""The gate: nothing but reads, no valid read refused, nothing invalid unnoticed, schema faults named and repaired."""

from __future__ import annotations

import gzip
import json
import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from queries import READS

from arcgraph.domain import Count, Endpoint, LabelInfo, PropertyInfo, Schema, TypeInfo
from arcgraph.errors import Refused
from arcgraph.graph import guard
from arcgraph.graph.clauses import MAX_DEPTH, Unread, read
from arcgraph.graph.guard import Verdict, admit, check
from arcgraph.graph.lexer import lex

DATA = Path(os.environ.get("ARCGRAPH_DATA", Path(__file__).parents[3] / "shared" / "data")) / "cypher"


def rules(query: str, schema: Schema | None = None) -> list[str]:
    return [reason.rule for reason in check(query, schema).reasons]


# --- a schema -----------------------------------------------------------------------------------------------------


def properties(*keys: str) -> dict[str, PropertyInfo]:
    return {key: PropertyInfo(key, {"string": 1}, 1, Count(1), Count(1)) for key in keys}


def schema_of(
    labels: dict[str, tuple[str, ...]], types: dict[str, tuple[str, ...]], *triples: tuple[str, str, str]
) -> Schema:
    return Schema(
        {name: LabelInfo(name, Count(5), properties(*keys)) for name, keys in labels.items()},
        {name: TypeInfo(name, Count(5), properties(*keys)) for name, keys in types.items()},
        tuple(Endpoint(start, type_, end, Count(1)) for start, type_, end in triples),
    )


FILMS = schema_of(
    {"Person": ("name", "born"), "Movie": ("title", "released", "rating"), "Company": ("name",)},
    {"ACTED_IN": ("role",), "DIRECTED": (), "KNOWS": (), "WORKS_AT": ("since",)},
    ("Person", "ACTED_IN", "Movie"),
    ("Person", "DIRECTED", "Movie"),
    ("Person", "KNOWS", "Person"),
    ("Person", "WORKS_AT", "Company"),
)


# --- shared corpora -----------------------------------------------------------------------------------------------


def corpus(name: str) -> list[dict[str, Any]]:
    path = DATA / name
    if not path.exists():
        pytest.skip(f"{path} is not there; set ARCGRAPH_DATA to the folder of shared data")
    data = path.read_bytes()
    text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode("utf-8")
    return [json.loads(line) for line in text.split("\n") if line]


@pytest.mark.data
@pytest.mark.parametrize(
    ("kind", "accepted", "with_schema"),
    [
        ("valid read", True, False),
        ("read with write words in it", True, False),
        ("write or side effect", False, False),
        ("invalid", False, False),
        ("schema ok", True, True),
        ("schema fault", False, True),
    ],
)
def test_decides_every_case_of_the_shared_classes(kind: str, accepted: bool, with_schema: bool) -> None:
    cases = [case for case in corpus("guard_cases.jsonl") if case["class"] == kind]
    assert cases
    schema = FILMS if with_schema else None
    assert [case["id"] for case in cases if check(case["query"], schema).accepted is not accepted] == []


@pytest.mark.data
def test_schema_faults_are_faults_of_the_schema_only() -> None:
    for case in corpus("guard_cases.jsonl"):
        if case["class"] == "schema fault":
            assert check(case["query"]).accepted, case["id"]


@pytest.mark.data
def test_refuses_no_read_of_the_manual() -> None:
    reads = [case for case in corpus("manual.jsonl.gz") if case["kind"] == "read"]
    assert len(reads) > 200
    assert {case["id"]: str(check(case["query"]).reasons) for case in reads if not check(case["query"]).accepted} == {}


@pytest.mark.data
def test_refuses_every_write_of_the_manual() -> None:
    words = {"CREATE", "MERGE", "SET", "DELETE", "REMOVE", "DROP", "SHOW", "LOAD", "USE", "INSERT", "FOREACH", "ALTER"}
    words |= {"TERMINATE"}
    for case in corpus("manual.jsonl.gz"):
        if case["kind"] == "has a write, admin or SHOW word" and check(case["query"]).accepted:
            # Its word is then a label or text: none of the words begins a clause.
            assert words.isdisjoint(token.word for token in lex(case["query"]).tokens), case["query"]


# --- evasions -----------------------------------------------------------------------------------------------------

EVASIONS = [
    # spelling
    "create (n)",
    "CrEaTe (n) RETURN n",
    "MATCH (n)SET n.x=1",
    "MATCH (n)\tSET\tn.x\t=\t1\tRETURN\tn",
    "MATCH (n)\u00a0SET\u00a0n.x = 1",
    "MATCH (n) DETACH\nDELETE n",
    "MATCH (n) // c\nSET n.x = 1",
    "MATCH (n) /* c */ SET /* d */ n.x = 1",
    "MATCH (n) S/**/ET n.x = 1",
    "MATCH (n) DE/**/LETE n",
    r"MATCH (n) \u0053ET n.x = 1 RETURN n",
    r"MATCH (n) \u0053\u0045\u0054 n.x = 1",
    r"MATCH (n) S\u0045T n.x = 1",
    r"\u0043REATE (n)",
    r"MATCH (n) RETURN '\u0027 + " + '"\' SET n.x = 1 //"',
    r"MATCH (n) WHERE n.x = '\u0027 SET n.x = 1 // '",
    "MATCH (n) // \\u000a SET n.x = 1\nRETURN n",
    r"MATCH (n) /* \u002a\u002f SET n.x = 1 /* */ RETURN n",
    "MATCH (n) ſET n.x = 1",
    "MATCH (n) SΕT n.x = 1",
    "MATCH (n) ЅЕТ n.x = 1",
    "MATCH (n) SE\u200bT n.x = 1",
    "MATCH (n) \u200bSET n.x = 1",
    "MATCH (n) S\u00adET n.x = 1",
    "\ufeffCREATE (n)",
    "MATCH (n) `SET` n.x = 1",
    "MATCH (n)\x00SET n.x = 1",
    # text that hides what follows it
    "MATCH (a {name:'http://x'}) SET a.owner='me'",
    "MATCH (a {name:'/*'}) SET a.owner='*/'",
    'MATCH (a {name:"//"}) SET a.owner=1',
    r"MATCH (a {name:'\\'}) SET a.owner=1 //'",
    r"MATCH (a {name:'\''}) SET a.owner='\''",
    "MATCH (a:`//`) SET a.owner=1",
    "MATCH (a:`/*`) SET a.owner=1 RETURN '*/'",
    "MATCH (a:```x`) SET a.owner=1",
    # several statements
    "MATCH (n) RETURN n; MATCH (n) DETACH DELETE n",
    "RETURN 1;CREATE (n)",
    "RETURN 1;\n\n;CREATE (n)",
    "RETURN ';'; DROP INDEX x",
    "; CREATE (n)",
    "RETURN 1;;",
    # every writing clause, early and late
    "INSERT (n:Person {name: 'x'})",
    "MERGE (n:Person {name:'x'}) ON CREATE SET n.c = 1 RETURN n",
    "MATCH (n) MERGE (n)-[:R]->(m) RETURN m",
    "MATCH (n) WITH n CREATE (m) RETURN m",
    "MATCH (n) SET n += {x: 1}",
    "MATCH (n) SET n:Label",
    "MATCH (n) SET n = $props",
    "MATCH (n) SET n[$key] = 1",
    "MATCH (n) REMOVE n.x",
    "MATCH (n) REMOVE n:Label",
    "MATCH (n) DELETE n",
    "MATCH (n) DETACH DELETE n",
    "MATCH (n) NODETACH DELETE n",
    "MATCH (n) FOREACH (x IN [1] | SET n.x = x)",
    "UNWIND [1] AS x CREATE (n)",
    "MATCH (n) RETURN n UNION CREATE (m) RETURN m AS n",
    "CREATE (m) RETURN m AS n UNION MATCH (n) RETURN n",
    "MATCH (n) ORDER BY n.x LIMIT 1 DELETE n",
    "MATCH p = (n) WHERE true SET n.x = 1 FINISH",
    # nesting
    "CALL { CREATE (n) RETURN n } RETURN n",
    "CALL { CREATE (n) }",
    "MATCH (n) CALL { WITH n SET n.x = 1 } RETURN n",
    "MATCH (n) CALL (n) { SET n.x = 1 } RETURN n",
    "MATCH (n) CALL (*) { DELETE n } RETURN 1",
    "CALL { CALL { CALL { CREATE (n) RETURN n } RETURN n } RETURN n } RETURN n",
    "MATCH (n) CALL (n) { RETURN n.x AS x UNION DELETE n RETURN 1 AS x } RETURN x",
    "MATCH (n) WHERE EXISTS { CREATE (m) RETURN m } RETURN n",
    "MATCH (n) WHERE EXISTS { MATCH (n) DELETE n } RETURN n",
    "MATCH (n) RETURN COUNT { MATCH (m) SET m.x = 1 RETURN m }",
    "MATCH (n) RETURN COLLECT { MERGE (m) RETURN m }",
    "MATCH (n) RETURN [x IN [1] WHERE EXISTS { DELETE n } | x]",
    "MATCH (n) RETURN CASE WHEN EXISTS { MATCH (n) REMOVE n.x RETURN 1 } THEN 1 END",
    "MATCH (n) CALL { WITH n DETACH DELETE n } IN TRANSACTIONS OF 10 ROWS",
    "MATCH (n) CALL (n) { RETURN n.x AS x } IN TRANSACTIONS RETURN x",
    "MATCH (n) CALL (n) { RETURN n.x AS x } IN 3 CONCURRENT TRANSACTIONS RETURN x",
    # files, addresses, other graphs
    "LOAD CSV FROM 'file:///etc/passwd' AS l RETURN l",
    "LOAD CSV WITH HEADERS FROM $u AS l RETURN l",
    "MATCH (n) LOAD CSV FROM n.url AS l RETURN l",
    "CALL { LOAD CSV FROM 'http://10.0.0.1' AS l RETURN l } RETURN l",
    "LOAD PARQUET FROM 'x' AS l RETURN l",
    "USE other MATCH (n) RETURN n",
    "USE graph.byName('x') MATCH (n) RETURN n",
    "CALL { USE other MATCH (n) RETURN n } RETURN n",
    "CALL () { USE other MATCH (n) RETURN n } RETURN n",
    # administration
    "SHOW DATABASES",
    "SHOW INDEXES YIELD name RETURN name",
    "SHOW TRANSACTIONS",
    "TERMINATE TRANSACTION 'x'",
    "DROP INDEX foo IF EXISTS",
    "CREATE INDEX FOR (n:A) ON (n.x)",
    "ALTER USER neo4j SET PASSWORD 'x'",
    "GRANT ROLE r TO u",
    "DENY READ {*} ON GRAPH * TO r",
    "REVOKE ROLE r FROM u",
    "START DATABASE x",
    "STOP DATABASE x",
    "RENAME USER a TO b",
    "ENABLE SERVER 'x'",
    "DEALLOCATE DATABASES FROM SERVER 'x'",
    "DUMP DATABASE",
    "STORAGE MODE IN_MEMORY_ANALYTICAL",
    "FREE MEMORY",
    "CREATE SNAPSHOT",
    "EDGE IMPORT",
    "SET GLOBAL TRANSACTION ISOLATION LEVEL READ COMMITTED",
    "CREATE TRIGGER t EXECUTE CREATE (n)",
    "CREATE USER u SET PASSWORD 'x'",
    # prefixes
    "EXPLAIN MATCH (n) RETURN n",
    "PROFILE MATCH (n) DETACH DELETE n",
    "CYPHER runtime=slotted MATCH (n) RETURN n",
    "CYPHER 25 MATCH (n) RETURN n",
    "EXPLAIN EXPLAIN CREATE (n)",
    "USING PERIODIC COMMIT 500 LOAD CSV FROM 'x' AS l CREATE (n)",
    # procedures
    "CALL apoc.cypher.doIt('CREATE (n)', {}) YIELD value RETURN value",
    "CALL apoc.cypher.run('MATCH (n) DETACH DELETE n', {}) YIELD value RETURN value",
    "CALL `apoc`.`cypher`.`run`('CREATE (n)', {}) YIELD value RETURN value",
    "CALL `apoc.cypher.run`('CREATE (n)', {}) YIELD value RETURN value",
    "CALL apoc . cypher . run('CREATE (n)', {}) YIELD value RETURN value",
    "CALL apoc./**/cypher.run('CREATE (n)', {}) YIELD value RETURN value",
    r"CALL apoc.cyph\u0065r.run('CREATE (n)', {}) YIELD value RETURN value",
    "CALL apoc.load.json('file:///etc/passwd') YIELD value RETURN value",
    "CALL apoc.load.xml('http://x') YIELD value RETURN value",
    "CALL apoc.do.when(true, 'CREATE (n)', '', {}) YIELD value RETURN value",
    "CALL apoc.when(true, 'RETURN 1', '', {}) YIELD value RETURN value",
    "CALL apoc.case([true, 'CREATE (n)']) YIELD value RETURN value",
    "CALL apoc.periodic.iterate('MATCH (n) RETURN n', 'DELETE n', {}) YIELD batches RETURN batches",
    "CALL apoc.export.csv.all('x', {}) YIELD file RETURN file",
    "CALL apoc.meta.data.of('CREATE (n)', {}) YIELD label RETURN label",
    "CALL apoc.create.node(['A'], {}) YIELD node RETURN node",
    "CALL apoc.util.sleep(1000000)",
    "CALL apoc.spatial.geocodeOnce('x') YIELD location RETURN location",
    "CALL dbms.security.createUser('u','p',false)",
    "CALL dbms.listConfig()",
    "CALL dbms.killConnections(['x'])",
    "CALL db.createLabel('X')",
    "CALL db.clearQueryCaches()",
    "CALL gds.graph.project('g', '*', '*')",
    "CALL mg.load_all()",
    "CALL my.own.procedure()",
    "MATCH (n) CALL apoc.nodes.delete(n, 1) YIELD value RETURN value",
    "CALL { CALL apoc.cypher.doIt('CREATE (n)', {}) YIELD value RETURN value } RETURN value",
    "MATCH (n) WHERE EXISTS { CALL apoc.load.json('x') YIELD value RETURN value } RETURN n",
    # functions
    "RETURN apoc.cypher.runFirstColumnSingle('CREATE (n) RETURN 1', {})",
    "RETURN apoc.cypher.runFirstColumnMany('MATCH (n) DETACH DELETE n', {})",
    "RETURN `apoc`.`cypher`.runFirstColumnSingle('CREATE (n) RETURN 1', {})",
    "RETURN [x IN [1] | apoc.cypher.runFirstColumnSingle('CREATE (n) RETURN 1', {})]",
    "MATCH (n {x: apoc.cypher.runFirstColumnSingle('CREATE (n) RETURN 1', {})}) RETURN n",
    "MATCH (n:$(apoc.cypher.runFirstColumnSingle('CREATE (n) RETURN 1', {}))) RETURN n",
    "RETURN {a: {b: [my.own.function()]}}",
    "MATCH (n) RETURN n ORDER BY my.own.function(n)",
    "RETURN 1 LIMIT my.own.function()",
    "UNWIND my.own.function() AS x RETURN x",
    "RETURN reduce(s = 0, x IN [1] | s + my.own.function(x))",
    "RETURN CASE my.own.function() WHEN 1 THEN 2 END",
    "MATCH (n)-[*BFS (e, n | my.own.function(e))]->(m) RETURN m",
    "RETURN file()",
    "RETURN graph.byName('x')",
]


@pytest.mark.parametrize("query", EVASIONS)
def test_lets_no_evasion_through(query: str) -> None:
    verdict = check(query)
    assert not verdict.accepted
    assert verdict.reasons[0].message


def test_says_which_rule_a_write_breaks() -> None:
    assert rules("MATCH (n) SET n.x = 1") == ["write"]
    assert rules("SHOW INDEXES") == ["administration"]
    assert rules("LOAD CSV FROM 'x' AS l RETURN l") == ["load-csv"]
    assert rules("USE x MATCH (n) RETURN n") == ["use"]
    assert rules("EXPLAIN MATCH (n) RETURN n") == ["prefix"]
    assert rules("MATCH (n) CALL (n) { RETURN n.x AS x } IN TRANSACTIONS RETURN x") == ["in-transactions"]
    assert rules("RETURN 1; RETURN 2") == ["several-statements"]
    assert rules("CALL apoc.load.json('x') YIELD value RETURN value") == ["procedure"]
    assert rules("RETURN apoc.cypher.runFirstColumnSingle('', {})") == ["function"]
    assert rules("MATCH (n) S/**/ET n.x = 1") == ["not-understood"]


# --- valid reads --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("query", READS)
def test_refuses_no_valid_read(query: str) -> None:
    assert [str(reason) for reason in check(query).reasons] == []


# --- invalid without a graph --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "rule"),
    [
        ("", "not-understood"),
        ("   // nothing", "not-understood"),
        ("MATCH (n:Person RETURN n", "not-understood"),
        ("MATCH (n)) RETURN n", "not-understood"),
        ("MATCH (n] RETURN n", "not-understood"),
        ("MATCH (n)", "not-understood"),
        ("MATCH (n) WITH n", "not-understood"),
        ("MATCH", "not-understood"),
        ("MATCH (n) RETURN", "not-understood"),
        ("MATCH (n) RETURN n,", "not-understood"),
        ("RETURN 1 RETURN 2", "not-understood"),
        ("MATCH (n) RETURN n MATCH (m) RETURN m", "not-understood"),
        ("MATCH (n) RETURN n LIMIT 1 SKIP 1", "not-understood"),
        ("MATCH (n) RETURN n LIMIT -1", "not-understood"),
        ("MATCH (n) RETURN n LIMIT '1'", "not-understood"),
        ("MATCH (n) RETURN n LIMIT n.x", "undefined-variable"),
        ("MATCH (p:Person) RETURN p.name, count(*) GROUP BY p.name", "not-understood"),
        ("SELECT * FROM Person", "not-understood"),
        ("```cypher\nMATCH (n) RETURN n\n```", "not-understood"),
        ("MATCH (n) RETURN n LIMIT 10<|im_end|>", "not-understood"),
        ("MATCH (a)-[:has MD5 hash]->(b) RETURN a", "not-understood"),
        ("MATCH (a)->(b) RETURN a", "not-understood"),
        ("MATCH (a)(b) RETURN a", "not-understood"),
        ("MATCH ((a)){1,2} RETURN a", "not-understood"),
        ("MATCH (a:A&B:C) RETURN a", "not-understood"),
        ("MATCH (a:A:B) WHERE a:C|D RETURN a", "not-understood"),
        ("MATCH (a)-[:A:B]->() RETURN a", "not-understood"),
        ("MATCH (a)-[r*1..2 WHERE r.x = 1]->(b) RETURN r", "not-understood"),
        ("MATCH (n $props) RETURN n", "not-understood"),
        ("MATCH (n) RETURN (n)-->()", "not-understood"),
        ("MATCH (n) RETURN size((n)-->())", "not-understood"),
        ("RETURN 1 = NOT true", "not-understood"),
        ("RETURN 1 IS NULL IS NULL", "not-understood"),
        ("RETURN 1 != 2", "not-understood"),
        ("RETURN 'a' 'b'", "not-understood"),
        ("RETURN {'a': 1}", "not-understood"),
        ("RETURN [1,2][..]", "not-understood"),
        ("RETURN all(x IN [1])", "not-understood"),
        ("RETURN 1 AS a UNION RETURN 2 AS a UNION ALL RETURN 3 AS a", "not-understood"),
        ("CALL db.labels() RETURN 1", "not-understood"),
        ("CALL db.labels() YIELD * RETURN label", "not-understood"),
        ("MATCH (a) CALL { WITH a.x AS y RETURN y } RETURN y", "not-understood"),
        ("RETURN 1 AS a UNION RETURN 2 AS b", "column"),
        ("MATCH (a) RETURN a.x AS y, a.z AS y", "column"),
        ("MATCH (a) WITH a.x RETURN 1", "column"),
        ("MATCH (a) CALL { MATCH (b) RETURN count(b) } RETURN a", "column"),
        ("MATCH (a) RETURN COLLECT { MATCH (a)-->(b) RETURN b, a } AS x", "column"),
        ("MATCH (n) RETURN m", "undefined-variable"),
        ("MATCH (n) RETURN *, m.x", "undefined-variable"),
        ("MATCH (n) WITH n.x AS x RETURN n", "undefined-variable"),
        ("MATCH (n) WITH n.x AS x, count(*) AS c ORDER BY n.y RETURN x", "undefined-variable"),
        ("MATCH (n) RETURN [x IN [1] | x] + x", "undefined-variable"),
        ("MATCH (n) WHERE (n)-->(m) RETURN n", "undefined-variable"),
        ("MATCH (n) CALL { MATCH (m) WHERE m.x = n.x RETURN m } RETURN m", "undefined-variable"),
        ("MATCH (n) CALL (k) { RETURN 1 AS x } RETURN x", "undefined-variable"),
        ("MATCH (n) WHERE EXISTS { (n)-->(m) } RETURN m", "undefined-variable"),
        ("RETURN *", "undefined-variable"),
        ("MATCH (r:Person)-[r:KNOWS]->(b) RETURN r", "clash"),
        ("MATCH p = (a)-->(b) MATCH (p) RETURN p", "clash"),
        ("MATCH (a) UNWIND [1] AS a RETURN a", "clash"),
        ("MATCH (a) CALL { MATCH (a) RETURN a } RETURN a", "clash"),
        ("WITH 1 AS n MATCH (n) RETURN n", "clash"),
        ("MATCH (n) WHERE EXISTS { MATCH (m) WITH m AS n RETURN n } RETURN n", "clash"),
        ("MATCH (p)-[:A]->(m) WHERE count(m) > 3 RETURN p", "aggregate"),
        ("MATCH (n) RETURN count(count(n))", "aggregate"),
        ("MATCH (n) RETURN n.x + count(*)", "aggregate"),
        ("MATCH (n) RETURN n.x ORDER BY count(*)", "aggregate"),
        ("UNWIND collect(1) AS x RETURN x", "aggregate"),
        ("RETURN lowercase('a')", "function"),
        ("RETURN count()", "function"),
        ("RETURN toUpper('a', 'b')", "function"),
        ("RETURN toUpper(DISTINCT 'a')", "function"),
    ],
)
def test_refuses_what_is_no_valid_cypher(query: str, rule: str) -> None:
    assert rule in rules(query)


def test_reasons_carry_their_place() -> None:
    reason = check("MATCH (n)\nRETURN m").reasons[0]
    assert (reason.rule, reason.offset, reason.line, reason.column) == ("undefined-variable", 17, 2, 8)
    assert str(reason) == "variable m is not defined (line 2, column 8)"


def test_the_verdict_prints_as_the_contract_says() -> None:
    assert check("RETURN 1").to_dict() == {"accepted": True, "reasons": [], "schema_faults": [], "repaired": None}
    printed = check("CREATE (n)").to_dict()
    assert printed["accepted"] is False
    assert printed["reasons"] == [
        {
            "rule": "write",
            "message": "CREATE changes the graph; only reading is allowed",
            "offset": 0,
            "line": 1,
            "column": 1,
        }
    ]


def test_admit_raises_with_the_verdict() -> None:
    admit("MATCH (n) RETURN n")
    with pytest.raises(Refused, match="CREATE changes the graph") as caught:
        admit("CREATE (n)")
    assert isinstance(caught.value.verdict, Verdict)
    assert caught.value.verdict.reasons[0].rule == "write"


def test_the_operator_may_add_names() -> None:
    procedure, function = "CALL my.read() YIELD x RETURN x", "RETURN my.function(1)"
    assert not check(procedure).accepted
    assert check(procedure, allow_procedures=("my.read",)).accepted
    assert not check(procedure, allow_functions=("my.read",)).accepted
    assert check(function, allow_functions=("my.function",)).accepted
    assert not check(function.upper(), allow_functions=("my.function",)).accepted


# --- schema -------------------------------------------------------------------------------------------------------


def faults(query: str, schema: Schema = FILMS) -> list[tuple[str, str, tuple[str, ...]]]:
    verdict = check(query, schema)
    assert verdict.reasons == ()
    return [(fault.rule, fault.name, fault.nearest) for fault in verdict.schema_faults]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("MATCH (p:Persn) RETURN p", [("label", "Persn", ("Person",))]),
        ("MATCH (p:Person) WHERE p:Persn RETURN p", [("label", "Persn", ("Person",))]),
        ("MATCH ()-[:ACTED]->() RETURN 1", [("type", "ACTED", ("ACTED_IN", "DIRECTED"))]),
        ("MATCH (m:Movie) RETURN m.titel", [("property", "titel", ("title",))]),
        ("MATCH (m:Movie) RETURN m['titel']", [("property", "titel", ("title",))]),
        ("MATCH (m:Movie) RETURN m{.titel}", [("property", "titel", ("title",))]),
        ("MATCH (m:Movie {titel: 1}) RETURN m", [("property", "titel", ("title",))]),
        ("MATCH ()-[r:ACTED_IN {rol: 1}]->() RETURN r", [("property", "rol", ("role",))]),
        ("MATCH (n) RETURN n.titel", [("property", "titel", ("title",))]),
        ("MATCH (m:Movie) WITH collect(m) AS ms UNWIND ms AS x RETURN x.titel", [("property", "titel", ("title",))]),
        ("MATCH (m:Movie) CALL (m) { RETURN m.titel AS t } RETURN t", [("property", "titel", ("title",))]),
        (
            "MATCH (p:Person) RETURN [(p)-->(m:Movie) | m.titel]",
            [("property", "titel", ("title",))],
        ),
    ],
)
def test_names_unknown_names_and_the_nearest(query: str, expected: list[tuple[str, str, tuple[str, ...]]]) -> None:
    assert faults(query) == expected


@pytest.mark.parametrize(
    ("query", "repaired"),
    [
        (
            "MATCH (m:Movie)-[:ACTED_IN]->(p:Person) RETURN p",
            "MATCH (m:Movie)<-[:ACTED_IN]-(p:Person) RETURN p",
        ),
        (
            "MATCH (p:Person)<-[r:ACTED_IN {role: '->'}]-(m:Movie) RETURN p",
            "MATCH (p:Person)-[r:ACTED_IN {role: '->'}]->(m:Movie) RETURN p",
        ),
        (
            "MATCH (m:Movie)-[:ACTED_IN]->(p:Person)<-[:WORKS_AT]-(c:Company) RETURN p",
            "MATCH (m:Movie)<-[:ACTED_IN]-(p:Person)-[:WORKS_AT]->(c:Company) RETURN p",
        ),
        ("MATCH (m:Movie)-->(p:Person) RETURN p", "MATCH (m:Movie)<--(p:Person) RETURN p"),
        (
            "MATCH (p:Person) WHERE EXISTS { (p)<-[:ACTED_IN]-() } RETURN p",
            "MATCH (p:Person) WHERE EXISTS { (p)-[:ACTED_IN]->() } RETURN p",
        ),
    ],
)
def test_turns_arrows_that_point_the_wrong_way(query: str, repaired: str) -> None:
    verdict = check(query, FILMS)
    assert {fault.rule for fault in verdict.schema_faults} == {"direction"}
    assert verdict.repaired == repaired
    assert check(repaired, FILMS).accepted


@pytest.mark.parametrize(
    ("query", "repaired"),
    [
        (
            "MATCH (m:Movie)-[r:ACTED_IN*1..1]->(p:Person) RETURN p",
            "MATCH (m:Movie)<-[r:ACTED_IN*1..1]-(p:Person) RETURN p",
        ),
        (
            "MATCH (m:Movie)-[:ACTED_IN|KNOWS*..3]->(p:Person) RETURN p",
            "MATCH (m:Movie)<-[:ACTED_IN|KNOWS*..3]-(p:Person) RETURN p",
        ),
        (
            "MATCH (c:Company)-[:WORKS_AT]->{1,2}(p) RETURN p",
            "MATCH (c:Company)<-[:WORKS_AT]-{1,2}(p) RETURN p",
        ),
        (
            "MATCH (c:Person)<-[:WORKS_AT]-+(p) RETURN p",
            "MATCH (c:Person)-[:WORKS_AT]->+(p) RETURN p",
        ),
        (
            "MATCH (m:Movie) ((a)-[:ACTED_IN]->(b)){1} (p:Person) RETURN p",
            "MATCH (m:Movie) ((a)<-[:ACTED_IN]-(b)){1} (p:Person) RETURN p",
        ),
        (
            "MATCH p = shortestPath((a:Movie)-[:ACTED_IN*]->(b:Person)) RETURN p",
            "MATCH p = shortestPath((a:Movie)<-[:ACTED_IN*]-(b:Person)) RETURN p",
        ),
    ],
)
def test_turns_arrows_of_repeated_relationships(query: str, repaired: str) -> None:
    verdict = check(query, FILMS)
    assert {fault.rule for fault in verdict.schema_faults} == {"direction"}
    assert verdict.repaired == repaired
    assert check(repaired, FILMS).accepted


@pytest.mark.parametrize(
    "query",
    [
        "MATCH (m:Movie)-[:ACTED_IN*2]->(p) RETURN p",
        "MATCH (p:Person)-[:ACTED_IN*2..5]->(m:Movie) RETURN p",
        "MATCH (m:Movie)-[:KNOWS*]-(p) RETURN p",
        "MATCH (p:Person)-[:ACTED_IN]->{2,}(q) RETURN q",
        "MATCH (p:Person)-[:DIRECTED|ACTED_IN*]-(c:Company) RETURN c",
        "MATCH (p:Company) ((a)-[:KNOWS]->(b))+ (q) RETURN q",
        "MATCH (p:Person) ((a)-[:KNOWS]->(b)){1,2} (q:Movie) RETURN q",
    ],
)
def test_names_walks_that_the_graph_cannot_have(query: str) -> None:
    verdict = check(query, FILMS)
    assert {fault.rule for fault in verdict.schema_faults} == {"endpoints"}
    assert verdict.repaired is None


def test_what_was_left_out_for_want_of_time_is_never_a_fault() -> None:
    wrong = "MATCH (m:Movie)-[:ACTED_IN]->(p:Person) RETURN p"
    unsure = replace(FILMS, complete=False)
    assert faults(wrong, unsure) == []
    # Where triples say that they were not probed, the others were.
    elsewhere = (*FILMS.endpoints, Endpoint("Movie", "KNOWS", "Movie", Count(0), probed=False))
    assert [rule for rule, *_ in faults(wrong, replace(unsure, endpoints=elsewhere))] == ["direction"]
    unread = {**FILMS.labels, "Movie": LabelInfo("Movie", Count(5))}
    assert faults("MATCH (m:Movie) RETURN m.title", replace(unsure, labels=unread)) == []
    assert faults("MATCH (m:Movie) RETURN m.titel", unsure) == [("property", "titel", ("title",))]


def test_repairs_nothing_where_more_than_arrows_is_wrong() -> None:
    verdict = check("MATCH (m:Movie)-[:ACTED_IN]->(p:Person) RETURN p.nam", FILMS)
    assert [fault.rule for fault in verdict.schema_faults] == ["direction", "property"]
    assert verdict.repaired is None


SPACED = schema_of(
    {"Tool Set": ("name",), "Order": ("name", "first name", "first name used", "size in mm"), "Tool": ("name",)},
    {"has MD5 hash": (), "USES": ("since when",)},
    ("Tool Set", "has MD5 hash", "Order"),
    ("Order", "USES", "Tool"),
)


@pytest.mark.parametrize(
    ("query", "repaired"),
    [
        (
            "MATCH (t:Tool Set)-[:has MD5 hash]->(h:Order) RETURN h.name",
            "MATCH (t:`Tool Set`)-[:`has MD5 hash`]->(h:Order) RETURN h.name",
        ),
        (
            "MATCH (h:Order)-[x:has MD5 hash]->(t:Tool Set WHERE t.name = 'a b') RETURN h.name",
            "MATCH (h:Order)<-[x:`has MD5 hash`]-(t:`Tool Set` WHERE t.name = 'a b') RETURN h.name",
        ),
        ("MATCH (:Tool Set {name: 'x'}) RETURN 1 AS one", "MATCH (:`Tool Set` {name: 'x'}) RETURN 1 AS one"),
        ("MATCH (n:Order) RETURN n.first name", "MATCH (n:Order) RETURN n.`first name`"),
        (
            "MATCH (n:Order) WHERE n.first name used = 'n.first name' RETURN n.first name AS name // n.first name",
            "MATCH (n:Order) WHERE n.`first name used` = 'n.first name' RETURN n.`first name` AS name // n.first name",
        ),
        (
            "MATCH (n:Order {name: 'x', first name: 'a'})-[r:USES {since when: 1}]->() RETURN n {.first name}",
            "MATCH (n:Order {name: 'x', `first name`: 'a'})-[r:USES {`since when`: 1}]->() RETURN n {.`first name`}",
        ),
        (
            "MATCH (t:Tool Set)-[:has MD5 hash]->(n) RETURN n.first name ORDER BY n.first name DESC",
            "MATCH (t:`Tool Set`)-[:`has MD5 hash`]->(n) RETURN n.`first name` ORDER BY n.`first name` DESC",
        ),
    ],
)
def test_quotes_names_with_spaces(query: str, repaired: str) -> None:
    verdict = check(query, SPACED)
    assert not verdict.accepted
    assert verdict.reasons[0].message == "a name with spaces must stand between backticks"
    assert verdict.repaired == repaired
    assert check(repaired, SPACED).accepted


@pytest.mark.parametrize(
    "query",
    [
        "MATCH (n:Tool Sets) RETURN n",
        "MATCH (n:Tool Set) RETURN m",
        "MATCH (n:Tool Set) DELETE n",
        "MATCH (n:Tool Set) RETURN n.size",
        "MATCH (n:Order) RETURN n.last name",
        "MATCH (n:Order) RETURN n.first names",
        "MATCH (n:Order) SET n.first name = 1",
        "MATCH (n:Tool) RETURN n.first name",
        "MATCH " + ", ".join(["(:Tool Set)"] * 50) + " RETURN 1",
    ],
)
def test_quotes_nothing_where_more_is_wrong(query: str) -> None:
    assert check(query, SPACED).repaired is None


@pytest.mark.parametrize(
    "query",
    [
        "MATCH (n:`Tool Set`)-[:`has MD5 hash`]->(m:Order) RETURN n",
        "MATCH (n:Tool WHERE n.name = 'x') RETURN n",
        "MATCH (n:Order)-[r:USES WHERE true]->(m) RETURN n",
        "MATCH (n IS Tool) RETURN n",
        "MATCH (n:Order) RETURN n.`first name` AS name, n.name AS first",
        "WITH {first: 1, name: 2} AS m RETURN m.first AS name",
    ],
)
def test_leaves_valid_names_alone(query: str) -> None:
    verdict = check(query, SPACED)
    assert verdict.accepted
    assert verdict.repaired is None


def test_a_key_with_spaces_that_reads_as_something_else_is_quoted_only_where_that_is_wrong() -> None:
    verdict = check("MATCH (n:Order) RETURN n.size in mm", SPACED)
    assert [reason.rule for reason in verdict.reasons] == ["undefined-variable"]
    assert verdict.repaired == "MATCH (n:Order) RETURN n.`size in mm`"
    valid = check("WITH [1] AS mm MATCH (n:Order) RETURN n.size in mm", SPACED)
    assert valid.repaired is None
    assert [fault.name for fault in valid.schema_faults] == ["size"]
    assert check("MATCH (n:Order) RETURN n.size in mm").repaired is None


def test_names_the_types_that_join_two_labels() -> None:
    assert faults("MATCH (p:Person)-[:WORKS_AT]->(m:Movie) RETURN p") == [
        ("endpoints", "WORKS_AT", ("ACTED_IN", "DIRECTED"))
    ]


@pytest.mark.parametrize(
    "query",
    [
        "MATCH (m:Movie)-[:ACTED_IN]-(p:Person) RETURN p.name",
        "MATCH (p:Person)-[:KNOWS]->(q:Person)<-[:KNOWS]-(r) RETURN r.name",
        "MATCH (p:Person)-[:ACTED_IN|DIRECTED]->(m:Movie) RETURN p.name",
        "MATCH (p:Person)-[:ACTED_IN|KNOWS*1..3]->(m:Movie) RETURN p.name",
        "MATCH (p:Person)-[:ACTED_IN|KNOWS*2..3]->(m:Movie) RETURN p.name",
        "MATCH (m:Movie)-[:ACTED_IN*2]-(n:Movie) RETURN m.title",
        "MATCH (m:Movie)-[:ACTED_IN*0..2]->(p) RETURN m.title",
        "MATCH (m:Movie)-[:ACTED_IN*0..]->(p:Person) RETURN m.title",
        "MATCH (m:Movie)-[*]-(c:Company) RETURN c.name",
        "MATCH (p:Person)-[:KNOWS]->*(:Person)-[:WORKS_AT]->(c) RETURN c.name",
        "MATCH (m:Movie)-[:ACTED_IN]->{0,2}(p) RETURN m.title",
        "MATCH (p:Person) ((a)-[:KNOWS]->(b)){1,3} (q:Person) RETURN q.name",
        "MATCH (p:Person) ((a)-[:KNOWS]->(b)-[:KNOWS]->(c))+ (q)-[:WORKS_AT]->() RETURN q.name",
        "MATCH (m:Movie) ((a)-[:ACTED_IN]->(b)){0,3} (n) RETURN m.title",
        "MATCH p = shortestPath((a:Movie)-[:ACTED_IN*..4]-(b:Movie)) RETURN length(p)",
        "MATCH (a:Person)-[:KNOWS*1000000..]->(b:Person) RETURN b.name",
        "MATCH p = (a:Person)-[*BFS ..4]->(b:Movie) RETURN length(p)",
        "CALL { MATCH (x:Person) RETURN x UNION MATCH (x:Movie) RETURN x } RETURN x.name, x.title",
        "CALL { MATCH (x:Movie) RETURN x UNION MATCH (x:Person) RETURN x } WITH x MATCH (x)-[:ACTED_IN]->(m) RETURN m",
        "CALL { MATCH (x:Movie) RETURN x UNION MATCH (x:Person) RETURN x.born AS x } RETURN x.day",
        "MATCH (n) WHERE n:Person OR n:Movie RETURN n.title, n.name",
        "MATCH (n:Person|Movie) RETURN n.title, n.name",
        "MATCH (n:!Company) RETURN n.title",
        "MATCH (n) OPTIONAL MATCH (n:Movie)<--() RETURN n.name",
        "MATCH (n) WHERE EXISTS { (n:Movie)<--() } RETURN n.name",
        "MATCH (n:Person) WITH {salary: 1} AS n2, n RETURN n2.salary",
        "MATCH (n:Person) RETURN n._arcgraph_id",
        "MATCH (n:_Arcgraph:Person)-[:ACTED_IN]->(m) RETURN m.title",
        "MATCH (p:Person) RETURN date(p.born).year",
        "UNWIND [{salary: 1}] AS row RETURN row.salary",
    ],
)
def test_calls_nothing_a_fault_that_it_is_not_sure_of(query: str) -> None:
    assert faults(query) == []


def test_a_triple_that_was_not_probed_is_never_a_fault() -> None:
    unsure = Schema(
        FILMS.labels, FILMS.types, (*FILMS.endpoints, Endpoint("Movie", "ACTED_IN", "Person", Count(0), probed=False))
    )
    assert faults("MATCH (m:Movie)-[:ACTED_IN]->(p:Person) RETURN p", unsure) == []


# --- any text, and time -------------------------------------------------------------------------------------------

WORDS = (
    "MATCH OPTIONAL WITH WHERE RETURN UNWIND CALL AS ORDER BY LIMIT UNION EXISTS COUNT COLLECT CASE WHEN THEN ELSE "
    "END NOT AND OR IN IS NULL DISTINCT SET CREATE DELETE SHORTEST ALL ANY REDUCE n m p r x count(*) collect(n) ( ) "
    "[ ] { } - > < = <> .. . , : | & ! * + % $p 'a' 1 1.5 `b` :: =~ ; // /* */ (n) -[r]-> -[*1..2]- {1,3} {a:1}"
).split()


@given(st.one_of(st.text(), st.lists(st.sampled_from(WORDS), max_size=40).map(" ".join)))
@settings(max_examples=250, deadline=None)
def test_decides_any_text_without_raising(query: str) -> None:
    verdict = check(query, FILMS)
    assert verdict.accepted or verdict.reasons or verdict.schema_faults
    for fault in (*verdict.reasons, *verdict.schema_faults):
        assert 0 <= fault.offset <= len(query)


WRITING = ("CREATE", "MERGE", "SET", "DELETE", "REMOVE", "INSERT", "FOREACH", "DROP", "LOAD")


@given(st.lists(st.sampled_from(WORDS), max_size=25), st.sampled_from(WRITING), st.integers(0, 25))
@settings(max_examples=200, deadline=None)
def test_a_writing_word_where_a_clause_begins_is_never_admitted(words: list[str], word: str, at: int) -> None:
    prefix = " ".join(words[:at])
    if check(f"{prefix} RETURN 1").accepted:
        assert not check(f"{prefix} {word} (n) RETURN 1").accepted


def nested() -> Iterator[tuple[str, str]]:
    many = MAX_DEPTH * 50
    yield "parentheses", "RETURN " + "(" * many + "1" + ")" * many
    yield "lists", "RETURN " + "[" * many + "]" * many
    yield "maps", "RETURN " + "{a:" * many + "1" + "}" * many
    yield "subqueries", "CALL { " * many + "RETURN 1 AS x" + " }" * many + " RETURN 1"
    yield "exists", "MATCH (n) WHERE " + "EXISTS { MATCH (n) WHERE " * many + "true" + " }" * many + " RETURN n"
    yield "case", "RETURN " + "CASE WHEN true THEN " * many + "1" + " END" * many
    yield "functions", "RETURN " + "toUpper(" * many + "'a'" + ")" * many
    yield "labels", "MATCH (n:" + "(" * many + "A" + ")" * many + ") RETURN n"
    yield "groups", "MATCH " + "(" * many + "(a)-->(b)" + ")" * many + " RETURN a"
    yield "subscripts", "RETURN " + "[1][" * many + "0" + "]" * many
    yield "types", "RETURN 1 IS :: " + "LIST<" * many + "INTEGER" + ">" * many


@pytest.mark.parametrize(("name", "query"), list(nested()), ids=[name for name, _ in nested()])
def test_refuses_deep_nesting_instead_of_running_out_of_stack(name: str, query: str) -> None:
    assert rules(query) == ["too-deep"], name


def test_refuses_rather_than_raises_where_the_callers_stack_is_nearly_full() -> None:
    query = "RETURN " + "(" * (MAX_DEPTH - 10) + "1" + ")" * (MAX_DEPTH - 10)

    def descend(left: int) -> Verdict:
        return descend(left - 1) if left else check(query)

    depth = 0
    frame = sys._getframe()
    while frame is not None:
        depth, frame = depth + 1, frame.f_back  # type: ignore[assignment]
    assert [r.rule for r in descend(sys.getrecursionlimit() - depth - 60).reasons] == ["too-deep"]


@pytest.mark.parametrize(
    "chain",
    [
        lambda n: "RETURN " + " + ".join(["1"] * n),
        lambda n: "RETURN " + "NOT " * n + "true",
        lambda n: "RETURN " + "- " * n + "1",
        lambda n: "WITH {a: 1} AS m RETURN m" + ".a" * n,
        lambda n: "MATCH (a)" + "-->(a)" * n + " RETURN a",
        lambda n: "MATCH (a:" + "!" * n + "A) RETURN a",
        lambda n: "MATCH (a:" + "|".join(["A"] * n) + ") RETURN a",
        lambda n: "MATCH (a) " + "WITH a " * n + "RETURN a",
        lambda n: "MATCH (a) WHERE " + " AND ".join(["a.x IN [1, 2]"] * n) + " RETURN a",
        lambda n: "RETURN [" + ", ".join(["[x IN [1] WHERE x > 0 | x]"] * n) + "] AS xs",
    ],
)
def test_long_chains_are_read_whatever_their_length(chain: Any) -> None:
    assert check(chain(1_500)).accepted


def steps(query: str) -> int:
    """How many lines of the gate's code run for a query: a measure of work that no other load changes."""
    count = 0
    folder = str(Path(guard.__file__).parent)

    def trace(frame: Any, event: str, _argument: Any) -> Any:
        nonlocal count
        if not frame.f_code.co_filename.startswith(folder):
            return None
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        check(query)
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize(
    "make",
    [
        lambda n: "RETURN " + " + ".join(["1"] * n),
        lambda n: "MATCH (a) WHERE " + " AND ".join(["((a)-->({x: 1}))"] * n) + " RETURN a",
        lambda n: "RETURN [" + ", ".join(["[x IN [1] WHERE x > 0 | x]"] * n) + "] AS xs",
        lambda n: "MATCH " + ", ".join(["(a)-[:A|B]->(b {x: a.y})"] * n) + " RETURN a",
        lambda n: "RETURN " + "(" * n,
        lambda n: "RETURN '" + "\\u0041" * n + "'",
        lambda n: "/*" * n,
        lambda n: "`" * n,
        lambda n: "RETURN " + "(a)-[" * n,
        lambda n: "RETURN " + "a." * n + "b()",
        lambda n: "RETURN " + "[(" * 40 + "1" * n + ")]" * 40,
    ],
)
def test_work_is_linear_in_the_length(make: Any) -> None:
    small, large = steps(make(40)), steps(make(160))
    assert large <= 4.5 * small + 2_000


def test_reading_alone_refuses_with_a_place() -> None:
    with pytest.raises(Unread) as caught:
        read(lex("MATCH (n) RETURN n DELETE n"))
    assert (caught.value.rule, caught.value.offset) == ("write", 19)
