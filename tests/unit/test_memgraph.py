"""Memgraph, against a double that speaks Bolt to the real driver in Memgraph's forms; see ``memgraph_server``."""

from __future__ import annotations

import datetime
import json
import logging
import time

import neo4j
import pytest
from bolt_server import bolt_server
from memgraph_server import CLIENT, CONFLICT, TIMED_OUT, TRANSIENT, Refusal, memgraph_server
from neo4j.time import Date, DateTime, Duration, Time

from arcgraph.build import connect
from arcgraph.cli import main
from arcgraph.domain import RESERVED_KEY, RESERVED_LABEL, Edge, IndexInfo, Node, Path
from arcgraph.errors import ConnectError, QueryError, QueryTimeout, Refused, UsageError
from arcgraph.graph.base import Cautious, Extended, Graph, SelfDescribing, Served, Versioned, Writable
from arcgraph.graph.introspect import introspect
from arcgraph.graph.memgraph import FUNCTIONS, is_memgraph
from arcgraph.graph.names import quote, stored_key

SECRET = "hunter2-hunter2"
MANY = ("UNWIND range(1, 20000) AS x RETURN x", (["x"], [[n] for n in range(1, 20_001)]))


@pytest.fixture(autouse=True)
def _no_server_in_the_environment(monkeypatch):
    for product in ("NEO4J", "MEMGRAPH"):
        for name in ("URI", "USERNAME", "PASSWORD", "DATABASE"):
            monkeypatch.delenv(f"{product}_{name}", raising=False)


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    """What the double asks: a small graph that no test changes."""
    with connect(str(tmp_path_factory.mktemp("engine") / "graph.arc"), create=True) as opened:
        _fill(opened)
        yield opened


def _fill(opened):
    opened.write(
        f"CREATE (a:Person {{{stored_key('name')}: 'Ada', born: 1815}})-[:KNOWS {{since: 1833}}]->"
        f"(b:Person {{{stored_key('name')}: 'Charles'}}), (b)-[:BUILT]->(:Engine)"
    )


@pytest.fixture
def server(engine):
    with memgraph_server(engine) as running:
        yield running


@pytest.fixture
def graph(server, settings):
    with connect(f"memgraph://{server.address}", settings=settings) as opened:
        yield opened


def refusal(target, kind=ConnectError, **options):
    with pytest.raises(kind) as caught:
        connect(target, **options)
    assert SECRET not in str(caught.value)
    return str(caught.value)


# --- which server answers ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("scheme", ["memgraph", "bolt"])
def test_a_memgraph_is_recognised_by_its_name(scheme):
    with memgraph_server() as server, connect(f"{scheme}://{server.address}") as graph:
        assert graph.dialect == "memgraph"
        assert graph.name == f"{scheme}://{server.address}"


@pytest.mark.parametrize("agent", ["Neo4j/5.2.0", "Neo4j/v5.11.0", "something else", None])
@pytest.mark.parametrize("scheme", ["memgraph", "bolt"])
def test_a_memgraph_is_recognised_under_another_name(scheme, agent):
    # --bolt-server-name-for-init: people set it so that clients of Neo4j accept the server.
    with memgraph_server(agent=agent) as server, connect(f"{scheme}://{server.address}") as graph:
        assert graph.dialect == "memgraph"


def test_a_neo4j_is_no_memgraph():
    with bolt_server(agent="Neo4j/5.26.0") as server:
        sentence = refusal(server.uri.replace("bolt", "memgraph"))
        assert f"is Neo4j/5.26.0, not Memgraph; use {server.uri}" in sentence
        with connect(server.uri) as graph:
            assert graph.dialect == "neo4j"
    assert not is_memgraph("Neo4j/5.26.0", {"type": "r", "db": "neo4j", "t_last": 1})


def test_an_open_driver_leads_to_a_memgraph_as_well():
    with memgraph_server() as server, neo4j.GraphDatabase.driver(f"bolt://{server.address}") as driver:
        with connect(driver) as graph:
            assert graph.dialect == "memgraph"
        driver.verify_connectivity()


def test_a_memgraph_does_not_route():
    with memgraph_server() as server:
        sentence = refusal(f"neo4j://{server.address}")
    assert f"does not route; use memgraph://{server.address}" in sentence


def test_it_is_all_that_a_graph_can_be(graph):
    assert isinstance(graph, Writable)
    assert isinstance(graph, Served)
    assert isinstance(graph, SelfDescribing)
    assert isinstance(graph, Cautious)
    assert isinstance(graph, Extended)
    assert not isinstance(graph, Versioned)
    seen: Graph = graph
    assert seen.name.startswith("memgraph://127.0.0.1:")


# --- what it says at the start -----------------------------------------------------------------------------------


def test_the_start_says_that_the_gate_is_the_lock(caplog):
    with memgraph_server() as server, caplog.at_level(logging.WARNING, "arcgraph"):
        connect(f"memgraph://{server.address}").close()
    (record,) = caplog.records
    assert record.getMessage().startswith(f"memgraph://{server.address}: ")
    assert "gate is the lock" in record.getMessage()


def test_server_information(graph, server):
    info = graph.server()
    assert (info.product, info.version) == ("Memgraph", "3.6.0")
    assert info.extensions == {"schema": 3, "nxalg": 40}
    server.scripted["CALL mg.procedures"] = Refusal("You are not authorized to execute this query!")
    assert graph.server().extensions == {}


# --- login and environment ---------------------------------------------------------------------------------------


def test_the_login_is_sent_and_a_wrong_one_is_one_sentence():
    with memgraph_server(login=("ada", SECRET)) as server:
        address = f"memgraph://{server.address}"
        connect(address, user="ada", password=SECRET).close()
        connect(f"memgraph://ada:{SECRET}@{server.address}").close()
        sentence = refusal(address, user="ada", password=SECRET[:-1])
        assert "refused the user or the password; correct them (MEMGRAPH_USERNAME and MEMGRAPH_PASSWORD)" in sentence
        assert "set MEMGRAPH_PASSWORD" in refusal(address, UsageError, user="ada")


def test_the_environment_names_server_and_login(monkeypatch):
    with memgraph_server(login=("ada", SECRET)) as server:
        monkeypatch.setenv("MEMGRAPH_USERNAME", "ada")
        monkeypatch.setenv("MEMGRAPH_PASSWORD", SECRET)
        monkeypatch.setenv("MEMGRAPH_DATABASE", "films")
        for scheme in ("memgraph", "bolt"):
            monkeypatch.setenv("MEMGRAPH_URI", f"{scheme}://{server.address}")
            with connect() as graph:
                assert graph.name == f"{scheme}://{server.address}/films"
        assert all(message.fields[0]["db"] == "films" for message in server.of("BEGIN"))


def test_neo4js_variables_come_first_and_are_not_sent_to_a_memgraph(monkeypatch):
    with memgraph_server() as server, bolt_server() as other:
        monkeypatch.setenv("MEMGRAPH_URI", f"memgraph://{server.address}")
        monkeypatch.setenv("NEO4J_USERNAME", "neo4j")
        monkeypatch.setenv("NEO4J_PASSWORD", SECRET)
        with connect() as graph:
            assert graph.dialect == "memgraph"
        assert "credentials" not in server.of("LOGON")[0].fields[0]
        monkeypatch.setenv("NEO4J_URI", other.uri)
        with connect() as graph:
            assert graph.dialect == "neo4j"


def test_database_and_impersonation_reach_every_call(server, settings):
    options = {"database": "films", "impersonated_user": "bo", "settings": settings}
    with connect(f"memgraph://{server.address}", **options) as graph:
        graph.schema(refresh=True)
        graph.run("MATCH (p:Person) RETURN p")
        graph.explain("MATCH (p:Person) RETURN p")
        graph.server()
        graph.prepare()
    extras = [message.fields[-1] for message in server.messages if message.name == "BEGIN"]
    # Inside a transaction RUN repeats nothing; outside it must say so itself.
    extras += [m.fields[2] for m in server.of("RUN") if m.fields[0].startswith(("SHOW", "CREATE"))]
    assert len(extras) > 10
    assert all((extra["db"], extra["imp_user"]) == ("films", "bo") for extra in extras)


def test_a_refused_impersonation_is_one_sentence():
    with memgraph_server() as server:
        server.scripted["RETURN 1"] = Refusal("Trying to impersonate a user that doesn't exist.")
        sentence = refusal(f"memgraph://{server.address}", impersonated_user="bo")
    assert "does not let this user act as 'bo'" in sentence
    assert "Memgraph Enterprise" in sentence


@pytest.mark.parametrize(
    ("target", "says"),
    [
        ("memgraph://127.0.0.1:1", "no Memgraph answers at memgraph://127.0.0.1:1"),
        ("memgraph+s://{}", "use memgraph:// without +s"),
        ("memgraph+ssc://{}", "use memgraph:// without +s"),
    ],
)
def test_what_cannot_be_reached_is_called_by_its_name(target, says):
    with memgraph_server() as server:
        assert says in refusal(target.format(server.address))


# --- reading -----------------------------------------------------------------------------------------------------


def test_values_are_ours(graph):
    person, knows, path = graph.run("MATCH p = (a:Person {name: 'Ada'})-[r:KNOWS]->() RETURN a, r, p").records[0]
    assert isinstance(person, Node)
    assert (person.labels, dict(person.properties)) == (("Person",), {"name": "Ada", "born": 1815})
    assert person.id == person.element_id
    assert isinstance(knows, Edge)
    assert (knows.type, knows.start, dict(knows.properties)) == ("KNOWS", person.element_id, {"since": 1833})
    assert isinstance(path, Path)
    assert path.edges == (knows,)


def test_temporal_values_come_as_elsewhere(graph, server):
    values = [Date(1882, 5, 6), DateTime(1882, 5, 6, 10, 0, 1, 500), Duration(days=2, seconds=3)]
    server.scripted["RETURN date"] = (["a", "b", "c"], [values])
    assert graph.read("RETURN date() AS a, 1 AS b, 2 AS c").records == [tuple(values)]


def test_an_enum_is_the_text_that_cypher_has_for_it(graph, server):
    enum = {"__type": "mg_enum", "__value": "Status::Good"}
    node = Node("7", "7", ("School",), {"status": enum, "other": {"__type": "x", "__value": 1}})
    server.scripted["MATCH (s:School)"] = (["s", "status"], [[node, enum]])
    seen, status = graph.read("MATCH (s:School) RETURN s, s.status AS status").records[0]
    assert status == "Status::Good"
    assert seen.properties == {"status": "Status::Good", "other": {"__type": "x", "__value": 1}}


def test_reads_are_transactions_with_access_and_deadline(graph, server):
    graph.run("MATCH (p:Person) RETURN p", timeout=2)
    begin = server.of("BEGIN")[-1].fields[0]
    assert begin["mode"] == "r"
    assert 0 < begin["tx_timeout"] <= 2000


def test_escapes_in_names_are_sent_as_the_characters_they_stand_for(graph, server):
    name = r"x\u0060) DETACH DELETE n //"
    literal = f"MATCH (n:`{name}`) RETURN n.`a``` AS x, '\\u0041' AS y"
    server.scripted[literal] = (["x", "y"], [[1, "A"]])
    rows = graph.run(f"MATCH (n:{quote(name)}) RETURN n.{quote('a`')} AS x, '\\u0041' AS y")
    assert rows.records == [(1, "A")]
    assert server.of("RUN")[-1].fields[0] == literal


def test_what_was_only_read_is_rolled_back(graph, server):
    graph.run("MATCH (p:Person) RETURN p")
    graph.explain("MATCH (p:Person) RETURN p")
    graph.read("CREATE (:Person)")  # as if it had come through the gate
    ends = [message.name for message in server.messages if message.name in ("COMMIT", "ROLLBACK")]
    # The first is the question which server this is, before anything is known of it.
    assert ends == ["COMMIT", "ROLLBACK", "ROLLBACK", "ROLLBACK"]


def test_reading_stops_at_the_limit_and_drops_what_the_server_would_compute(graph, server):
    server.scripted[MANY[0]] = MANY[1]
    rows = graph.run(MANY[0], limit=3)
    assert rows.records == [(1,), (2,), (3,)]
    assert rows.truncated
    # The double computes what it has to discard, as Memgraph does; nothing was asked of it, and the connection is gone.
    assert server.discarded == 0
    assert _soon(lambda: server.dropped == 1)
    assert graph.run("MATCH (n) RETURN count(n) AS n").records == [(3,)]


def test_no_rows_and_just_enough_rows(graph, server):
    server.scripted["RETURN 3"] = (["x"], [[1], [2], [3]])
    assert graph.run("RETURN 3 AS x", limit=0).records == []
    rows = graph.run("RETURN 3 AS x", limit=3)
    assert len(rows) == 3
    assert not rows.truncated


def test_statements_about_the_server_run_alone(graph, server):
    assert graph.read("SHOW VERSION").records == [("3.6.0",)]
    extra = server.of("RUN")[-1].fields[2]
    assert extra["mode"] == "r"
    assert extra["tx_timeout"] > 0
    with neo4j.GraphDatabase.driver(f"bolt://{server.address}") as driver, driver.session() as session:
        transaction = session.begin_transaction()
        with pytest.raises(neo4j.exceptions.ClientError, match="not allowed in multicommand"):
            transaction.run("SHOW VERSION").consume()


def _soon(holds, seconds=2.0):
    deadline = time.monotonic() + seconds
    while not holds() and time.monotonic() < deadline:
        time.sleep(0.01)
    return holds()


# --- errors ------------------------------------------------------------------------------------------------------


def test_a_deadline_is_a_timeout_and_is_not_tried_again(graph, server):
    server.scripted["MATCH (endless)"] = "endless"
    before = len(server.queries)
    with pytest.raises(QueryTimeout, match=r"after 0\.2 s"):
        graph.run("MATCH (endless) RETURN endless", timeout=0.2)
    assert len(server.queries) == before + 1


def test_the_servers_own_shorter_deadline_is_a_timeout_as_well(graph, server):
    server.scripted["MATCH (slow)"] = Refusal(TIMED_OUT, TRANSIENT)
    before = len(server.queries)
    with pytest.raises(QueryTimeout):
        graph.run("MATCH (slow) RETURN slow", timeout=5)
    assert len(server.queries) == before + 1


def test_conflicts_are_tried_again(graph, server):
    server.scripted["MATCH (n) RETURN count"] = [Refusal(CONFLICT, TRANSIENT), Refusal(CONFLICT, TRANSIENT)]
    assert graph.run("MATCH (n) RETURN count(n) AS n").records == [(3,)]


def test_an_error_carries_code_and_place(graph, server):
    server.scripted["MATCH (n)\nRETURN n.x"] = Refusal(
        "Error on line 2 position 12. The underlying parsing error is mismatched input 'b'", CLIENT
    )
    with pytest.raises(QueryError, match="mismatched input") as caught:
        graph.read("MATCH (n)\nRETURN n.x b")
    assert caught.value.code == CLIENT
    assert caught.value.position == (21, 2, 12)
    assert not caught.value.retryable


def test_an_error_of_a_plan_points_into_the_callers_text(graph, server):
    server.scripted["EXPLAIN"] = Refusal("Error on line 2 position 1. The underlying parsing error is odd", CLIENT)
    with pytest.raises(QueryError) as caught:
        graph.explain("MATCH (n) RETURN n")
    assert caught.value.position == (0, 1, 1)


def test_an_error_without_place(graph, server):
    server.scripted["MATCH (n) RETURN n.x < 1"] = Refusal("Invalid types: string and int for '<'.")
    with pytest.raises(QueryError, match="Invalid types") as caught:
        graph.run("MATCH (n) RETURN n.x < 1 AS x")
    assert caught.value.position is None


# --- the gate, and what stands behind it -------------------------------------------------------------------------

HARMFUL = [
    "MATCH (n) DETACH DELETE n",
    "CREATE (:Person)",
    "LOAD CSV FROM '/etc/passwd' NO HEADER AS row RETURN row",
    "LOAD JSONL FROM '/etc/passwd' AS row RETURN row",
    "LOAD PARQUET FROM 'file.parquet' AS row RETURN row",
    "USING PERIODIC COMMIT 10 MATCH (n) RETURN n",
    "CALL export_util.json('/tmp/x') YIELD path RETURN path",
    "CALL import_util.json('/tmp/x') YIELD path RETURN path",
    "CALL mg.load_all()",
    "CALL mg.create_module_file('x.py', '') YIELD path RETURN path",
    "CALL mg.get_module_file('/etc/passwd') YIELD content RETURN content",
    "CALL migrate.neo4j('MATCH (n) RETURN n', {}) YIELD row RETURN row",
    "CALL periodic.iterate('MATCH (n) RETURN n', 'DETACH DELETE n', {}) YIELD success RETURN success",
    "CALL schema.assert({}, {}, {}, true) YIELD action RETURN action",
    "SHOW CONFIG",
    "SHOW USERS",
    "DROP GRAPH",
    "DUMP DATABASE",
    "ANALYZE GRAPH",
    "STORAGE MODE IN_MEMORY_ANALYTICAL",
    "SET DATABASE SETTING 'log.level' TO 'TRACE'",
    "CREATE SNAPSHOT",
    "FREE MEMORY",
    "TERMINATE TRANSACTIONS '1'",
    "CREATE TRIGGER t AFTER COMMIT EXECUTE CREATE (:X)",
    "EXPLAIN MATCH (n) RETURN n",
    "PROFILE CREATE (n) RETURN n",
    "MATCH (n) RETURN counter('c', 0) AS x",
    "MATCH (n) RETURN username() AS x",
    "MATCH (n) FOREACH (x IN [1] | SET n.a = x)",
    "MATCH (n) CALL { WITH n SET n.x = 1 } IN TRANSACTIONS OF 10 ROWS RETURN n",
]


@pytest.mark.parametrize("query", HARMFUL)
def test_what_does_harm_is_refused_before_it_is_sent(graph, server, query):
    sent = len(server.queries)
    for ask in (graph.run, graph.explain):
        with pytest.raises(Refused):
            ask(query)
    assert len(server.queries) == sent


@pytest.mark.parametrize(
    "query",
    [
        "MATCH p = (a:Person)-[*BFS ..4]->(b) RETURN p",
        "MATCH p = (a:Person)-[e:KNOWS *BFS 1..4 (r, n | r.since > 1800)]->(b) RETURN p",
        "MATCH p = (a)-[*WSHORTEST (r, n | r.since) total]->(b) RETURN p, total",
        "MATCH p = (a)-[*WSHORTEST 5 (r, n | r.since) total (r, n | true)]->(b) RETURN total",
        "MATCH p = (a)-[*ALLSHORTEST (r, n | 1) total]->(b) RETURN p",
        "MATCH p = (a)-[*KSHORTEST | 3]->(b) RETURN p",
        "MATCH (a) WHERE exists((a)-[:KNOWS]->()) RETURN a",
        "MATCH (a) CALL { WITH a MATCH (a)-[:KNOWS]->(b) RETURN b } RETURN b",
        "CALL schema.node_type_properties() YIELD nodeType RETURN nodeType",
        "MATCH (n) RETURN toSet(collect(n.name)) AS names, degree(n) AS d",
    ],
)
def test_memgraphs_own_forms_pass_the_gate(graph, server, query):
    server.scripted[query] = (["x"], [[1]])
    assert graph.run(query).records == [(1,)]


def test_forms_of_neo4j_alone_are_refused_before_they_are_sent(graph, server):
    sent = len(server.queries)
    for ask in (graph.run, graph.explain):
        with pytest.raises(Refused, match="Memgraph has no quantified relationships; write"):
            ask("MATCH (a)-[:KNOWS]->{1,3}(b) RETURN b")
    assert len(server.queries) == sent


def test_check_on_the_command_line_knows_what_this_server_cannot_read(server, capsys, monkeypatch):
    monkeypatch.setenv("ARCGRAPH_GRAPH_ALLOW_FUNCTIONS", "stDev")
    target = ["check", "--graph", f"memgraph://{server.address}"]
    assert main([*target, "MATCH p = shortestPath((a)-[*]-(b)) RETURN p"]) == 1
    assert "write -[*BFS]->" in " ".join(capsys.readouterr().out.split())
    assert main([*target, "MATCH p = (a)-[*BFS]-(b) RETURN toSet([p]) AS x, stDev(1) AS s"]) == 0
    assert main(["check", "MATCH p = shortestPath((a)-[*]-(b)) RETURN p"]) == 0


def test_every_listed_function_passes(graph, server):
    for name in FUNCTIONS:
        query = f"RETURN {name}(1) AS x"
        server.scripted[query] = (["x"], [[1]])
        assert graph.run(query).records == [(1,)]


def test_a_newer_servers_own_check_is_the_second_layer(server, settings):
    server.checks_access = True
    with connect(f"memgraph://{server.address}", settings=settings) as graph:
        with pytest.raises(QueryError, match="misaligned"):
            graph.read("CREATE (:Person)")  # as if it had come through the gate
        graph.write("CREATE (:Person)")


@pytest.mark.parametrize(
    ("plan", "reads_only"),
    [
        ([" * Produce {n}", " * Filter", " * ScanAllByLabel (n :Person)", " * Once"], True),
        ([" * Produce {x}", " * Apply", " |\\ ", " | * SetProperty", " | * Once", " * Once"], False),
        ([" * EmptyResult", " * CreateNode", " * Once"], False),
        ([" * Produce {row}", " * LoadCsv {row}", " * Once"], False),
        ([" * Produce {p}", " * CallProcedure<schema.node_type_properties> {p}", " * Once"], True),
    ],
)
def test_a_plan_tells_whether_a_query_only_reads(graph, server, plan, reads_only):
    server.plan = plan
    assert graph.explain("MATCH (n) RETURN n").reads_only is reads_only


# --- writing -----------------------------------------------------------------------------------------------------


def test_prepare_speaks_memgraphs_language_and_may_be_repeated(graph, server):
    before = len(server.queries)
    graph.prepare([("Per`son", "na me"), ("", "x")])
    server.scripted["CREATE CONSTRAINT"] = Refusal("Constraint UNIQUE on label _Arcgraph already exists.")
    graph.prepare()
    assert server.queries[before : before + 3] == [
        f"CREATE CONSTRAINT ON (n:`{RESERVED_LABEL}`) ASSERT n.`{RESERVED_KEY}` IS UNIQUE",
        f"CREATE INDEX ON :`{RESERVED_LABEL}`(`{RESERVED_KEY}`)",
        "CREATE INDEX ON :`Per``son`(`na me`)",
    ]
    server.scripted["CREATE CONSTRAINT"] = Refusal("Unable to create unique constraint: data violates it.")
    with pytest.raises(QueryError, match="violates"):
        graph.prepare()


def test_a_write_is_committed(graph, server):
    graph.write("CREATE (:Person {name: $name})", {"name": "Bo"})
    assert server.of("BEGIN")[-1].fields[0].get("mode", "w") == "w"
    assert server.messages[-1].name == "COMMIT"


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (b"x", "bytes"),
        (Duration(months=1), "a duration with months"),
        (Time(12, 0, 0, 0, datetime.UTC), "a time of day with an offset"),
        (datetime.time(12, tzinfo=datetime.UTC), "a time of day with an offset"),
        (DateTime(2020, 1, 1, 0, 0, 0, 1), "nanoseconds"),
        (Duration(nanoseconds=1_001), "nanoseconds"),
    ],
)
def test_what_would_come_back_changed_is_not_sent(graph, server, value, says):
    sent = len(server.queries)
    for held in (value, [{"props": {"k": [value]}}]):
        with pytest.raises(QueryError, match=f"cannot hold {says}"):
            graph.write("UNWIND $rows AS row CREATE (n) SET n = row.props", {"rows": held})
    assert len(server.queries) == sent


def test_what_comes_back_as_it_went_is_sent(graph, server):
    values = [1, 0.5, "x", None, True, Date(2020, 1, 1), DateTime(2020, 1, 1, 0, 0, 0, 1_000), Duration(days=40)]
    values += [Time(12, 0), datetime.date(2020, 1, 1), datetime.datetime(2020, 1, 1, 1, 1, 1, 7), {"a": [1]}]
    graph.write("UNWIND $rows AS row CREATE (n) SET n.x = row", {"rows": values})
    assert len(server.of("RUN")[-1].fields[1]["rows"]) == len(values)


# --- what the server keeps ---------------------------------------------------------------------------------------


def test_the_server_tells_its_counts(graph):
    told = graph.summary(timeout=5)
    assert {(group.labels, group.count) for group in told.nodes} == {(("Person",), 2), (("Engine",), 1)}
    assert {(g.starts, g.type, g.ends, g.count) for g in told.edges} == {
        (("Person",), "KNOWS", ("Person",), 1),
        (("Person",), "BUILT", ("Engine",), 1),
    }
    (people,) = (group for group in told.nodes if group.labels == ("Person",))
    assert people.keys == {"name": 2, "born": 1}


def test_a_server_that_does_not_keep_them_says_so(graph, server):
    server.schema_info = False
    assert graph.summary(timeout=5) is None


def test_a_long_answer_is_not_cut(graph, server):
    keys = [{"key": f"k{i}" * 20, "count": 1, "types": []} for i in range(2_000)]
    text = json.dumps({"nodes": [{"labels": [], "count": 1, "properties": keys}], "edges": []})
    server.scripted["SHOW SCHEMA INFO"] = (["schema"], [[text]])
    assert len(graph.summary(timeout=5).nodes[0].keys) == 2_000


def test_indexes_are_told_in_our_terms(graph, server):
    server.indexes = [
        ["label", "Person", None, 2],
        ["label+property", "Person", ["name"], 2],
        ["label+property (DESC)", "Person", ["born"], 1],
        ["label+property", "Engine", "model", 0],
        ["label+property", RESERVED_LABEL, [RESERVED_KEY], 3],
        ["edge-type", "KNOWS", None, 1],
        ["edge-type+property", "KNOWS", "since", 1],
        ["edge-property", None, "since", 1],
        ["label_text (name: words)", "Person", ["name"], 2],
        ["point", "Place", "at", 0],
        ["label+property_vector", "Chunk", "embedding", 0],
        ["of a kind to come", "Person", ["name"], 2],
    ]
    server.constraints = [["unique", "Person", ["name"], ""], ["exists", "Person", "born", ""]]
    assert graph.indexes(timeout=5) == (
        IndexInfo("", "range", "node", ("Person",), ("name",), unique=True),
        IndexInfo("", "range", "node", ("Person",), ("born",)),
        IndexInfo("", "range", "node", ("Engine",), ("model",)),
        IndexInfo("", "range", "relationship", ("KNOWS",), ("since",)),
        IndexInfo("words", "fulltext", "node", ("Person",), ("name",), unique=True),
        IndexInfo("", "point", "node", ("Place",), ("at",)),
        IndexInfo("", "vector", "node", ("Chunk",), ("embedding",)),
    )


def test_the_double_computes_rows_that_nobody_reads(server):
    # Otherwise the test of the limit would prove nothing.
    server.scripted[MANY[0]] = MANY[1]
    with neo4j.GraphDatabase.driver(f"bolt://{server.address}") as driver, driver.session(fetch_size=10) as session:
        session.run(MANY[0]).consume()
    assert server.discarded > 19_000


# --- a graph too large for one pass ------------------------------------------------------------------------------

PASSES = ("MATCH (n) RETURN labels(n) AS labels, count(*)", "MATCH (a)-[r]->(b) RETURN labels(a) AS starts")


@pytest.mark.parametrize(
    ("flags", "asked", "complete"),
    [
        ({"metadata": True}, "SHOW NODE_LABELS INFO", True),
        ({"modules": True}, "CALL schema.node_type_properties()", True),
        ({"modules": False}, "WITH n LIMIT $most", False),
    ],
)
def test_names_are_asked_for_in_the_first_way_that_the_server_knows(server, settings, flags, asked, complete):
    server.schema_info = False
    for flag, value in flags.items():
        setattr(server, flag, value)
    server.scripted |= dict.fromkeys(PASSES, Refusal(TIMED_OUT, TRANSIENT))
    with connect(f"memgraph://{server.address}", settings=settings) as graph:
        schema = introspect(graph)
    assert {name: info.count.value for name, info in schema.labels.items()} == {"Person": 2, "Engine": 1}
    assert {name: info.count.value for name, info in schema.types.items()} == {"KNOWS": 1, "BUILT": 1}
    assert {(e.start, e.type, e.end) for e in schema.endpoints} == {
        ("Person", "KNOWS", "Person"),
        ("Person", "BUILT", "Engine"),
    }
    assert schema.complete is complete
    assert any(asked in query for query in server.queries)


def test_what_the_server_forbids_to_tell_is_read(server, settings):
    for statement in ("SHOW SCHEMA INFO", "SHOW INDEX INFO", "SHOW CONSTRAINT INFO"):
        server.scripted[statement] = Refusal("You are not authorized to execute this query!")
    with connect(f"memgraph://{server.address}", settings=settings) as graph:
        schema = graph.schema(refresh=True)
    assert set(schema.labels) == {"Person", "Engine"}
    assert schema.indexes == ()
    assert schema.complete


def test_a_schema_that_the_server_tells_is_read_without_a_pass(server, settings):
    with connect(f"memgraph://{server.address}", settings=settings) as graph:
        graph.schema(refresh=True)
    assert not [query for query in server.queries if query.startswith(PASSES)]
