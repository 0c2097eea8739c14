"""Targets, one clear sentence for each that cannot be used, and no password anywhere. Servers are fakes on sockets."""

from __future__ import annotations

import sys
import time

import neo4j
import pytest
from bolt_server import Drop, Failure, Hang, Records, bolt_server, serving

from arcgraph.build import connect
from arcgraph.errors import ConnectError, QueryError, QueryTimeout, ServerGone, UsageError
from arcgraph.graph.bolt import open_driver, server_agent

SECRET = "hunter2-hunter2"
DEADLOCK = Failure("Neo.TransientError.Transaction.DeadlockDetected")
UNAUTHORIZED = Failure("Neo.ClientError.Security.Unauthorized", "The client is unauthorized")


@pytest.fixture(autouse=True)
def _no_server_in_the_environment(monkeypatch):
    for name in ("NEO4J_URI", "NEO4J_USERNAME", "NEO4J_PASSWORD", "NEO4J_DATABASE", "MEMGRAPH_URI"):
        monkeypatch.delenv(name, raising=False)


def refusal(target, kind=ConnectError, **options):
    """The sentence with which ``connect`` refuses; the secret must be nowhere in it or in its causes."""
    with pytest.raises(kind) as caught:
        connect(target, **options)
    error = caught.value
    while error is not None:
        assert SECRET not in str(error)
        error = error.__cause__
    return str(caught.value)


# --- which server answers ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("agent", ["Neo4j/5.26.12", "Neo4j/2025.10.1", "Neo4j/5.27-aura"])
def test_a_neo4j_is_recognised(agent):
    with bolt_server(agent=agent) as server, connect(server.uri, user="neo4j", password=SECRET) as graph:
        assert graph.dialect == "neo4j"
        assert graph.name == server.uri
        assert graph.read("RETURN 1").records == [(1,)]


@pytest.mark.parametrize(
    ("agent", "says"),
    [
        ("FalkorDB/4.0", "no Neo4j"),
        ("Neo4j/4.4.30", "too old"),
    ],
)
def test_another_server_is_recognised_whatever_it_claims(agent, says):
    with bolt_server(agent=agent) as server:
        sentence = refusal(server.uri)
    assert says in sentence
    assert "what works today" in sentence


# --- what cannot be reached --------------------------------------------------------------------------------------


@pytest.mark.parametrize("scheme", ["bolt", "neo4j"])
def test_no_server(scheme):
    with serving(lambda connection: connection.close()) as port:
        pass  # the port is free again
    assert f"no Neo4j answers at {scheme}://127.0.0.1:{port}" in refusal(f"{scheme}://127.0.0.1:{port}")


def test_an_unknown_host():
    assert "host name" in refusal("bolt://no-such-host.invalid")


def test_a_server_that_speaks_http():
    def answer(connection):
        connection.recv(100)
        connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        connection.close()

    with serving(answer) as port:
        assert "answers HTTP, not Bolt" in refusal(f"bolt://127.0.0.1:{port}")


def test_a_server_that_speaks_something_else():
    def answer(connection):
        connection.recv(100)
        connection.sendall(b"220 mail\r\n")
        connection.close()

    with serving(answer) as port:
        assert "no Neo4j" in refusal(f"bolt://127.0.0.1:{port}")


def test_a_server_without_tls():
    with bolt_server() as server:
        assert "does not speak TLS" in refusal(server.uri.replace("bolt", "bolt+s"))
        assert "does not speak TLS" in refusal(server.uri.replace("bolt", "neo4j+ssc"))


def test_a_server_that_never_answers():
    with serving(lambda connection: connection.recv(1 << 20) and time.sleep(3)) as port:
        address = f"bolt://127.0.0.1:{port}"
        with open_driver(address, None, address=address) as driver:
            started = time.monotonic()
            with pytest.raises(ConnectError, match="does not answer"):
                server_agent(driver, address=address, timeout=0.3)
            assert time.monotonic() - started < 2


def test_a_wrong_password():
    with bolt_server(login=UNAUTHORIZED) as server:
        assert "refused the user or the password" in refusal(server.uri, user="neo4j", password=SECRET)


def test_a_wrong_database():
    with bolt_server(Failure("Neo.ClientError.Database.DatabaseNotFound", "Graph not found: films")) as server:
        assert "there is no database 'films'" in refusal(server.uri, database="films")


# --- targets -----------------------------------------------------------------------------------------------------


def test_login_and_database_in_the_address_are_used_and_hidden():
    with bolt_server() as server:
        address = server.uri.replace("bolt://", f"bolt://neo4j:{SECRET}@")
        with connect(f"{address}/films") as graph:
            assert graph.name == f"{server.uri}/films"
            assert SECRET not in repr(graph)


def test_a_password_in_the_address_is_in_no_error():
    assert SECRET not in refusal(f"bolt://neo4j:{SECRET}@127.0.0.1:1")
    with bolt_server(login=UNAUTHORIZED) as server:
        refusal(server.uri.replace("bolt://", f"bolt://neo4j:{SECRET}@"))


@pytest.mark.parametrize(
    "address",
    [
        f"neo4j:{SECRET}@localhost:7687",
        f"bolt//neo4j:{SECRET}@localhost",
        f"bolt:/neo4j:{SECRET}@localhost",
        f"postgres://neo4j:{SECRET}@localhost",
        f"bolt://127.0.0.1:1?password={SECRET}",
        f"memgraph://127.0.0.1:1?password={SECRET}",
        f"neo4j://127.0.0.1:1?{SECRET}",
        f"neo4j://127.0.0.1:1?a={SECRET}&a={SECRET}",
    ],
)
@pytest.mark.parametrize("create", [False, True])
def test_a_password_in_a_mistyped_address_is_in_no_error_and_makes_no_file(address, create, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert refusal(address, UsageError, create=create)
    assert list(tmp_path.iterdir()) == []


def test_what_routing_is_told_stays_out_of_the_name_and_of_errors():
    assert SECRET not in refusal(f"neo4j://127.0.0.1:1?policy={SECRET}")


@pytest.mark.skipif(sys.platform == "win32", reason="no file's name holds a colon there")
def test_a_file_whose_name_looks_like_a_login_can_be_opened(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with connect("plain.arc", create=True) as graph:
        graph.write("CREATE (:Ship)")
        graph.save()
    (tmp_path / "plain.arc").rename(tmp_path / "a:b@c.arc")
    with connect("a:b@c.arc") as graph:
        assert graph.read("MATCH (n) RETURN count(n) AS n").records == [(1,)]


@pytest.mark.parametrize("address", [f"bolt://neo4j:{SECRET}/x@host", f"bolt://a:b@host:{SECRET}", "bolt://"])
def test_an_address_that_cannot_be_read(address):
    assert "address" in refusal(address, UsageError)


def test_the_environment_names_server_and_login(monkeypatch):
    with bolt_server() as server:
        monkeypatch.setenv("NEO4J_URI", server.uri)
        monkeypatch.setenv("NEO4J_USERNAME", "neo4j")
        monkeypatch.setenv("NEO4J_PASSWORD", SECRET)
        monkeypatch.setenv("NEO4J_DATABASE", "films")
        with connect() as graph:
            assert graph.name == f"{server.uri}/films"


def test_without_a_target_the_message_says_how_to_name_one():
    sentence = refusal(None, UsageError)
    assert all(word in sentence for word in ("neo4j://localhost:7687", "g.arc", "demo:", "NEO4J_URI"))


@pytest.mark.parametrize("target", ["http://localhost:7474", "postgres://db", 42, object()])
def test_what_is_no_target(target):
    assert "name one" in refusal(target, UsageError)


def test_a_missing_file_says_how_to_load_one(tmp_path):
    assert "arcgraph load FILE --to" in refusal(tmp_path / "absent.arc", UsageError)
    assert "write bolt://localhost:7687" in refusal("localhost:7687", UsageError)


def test_a_user_needs_a_password():
    assert "needs a password" in refusal("bolt://127.0.0.1:1", UsageError, user="neo4j")


def test_an_open_driver_is_used_and_stays_open():
    with bolt_server() as server, neo4j.GraphDatabase.driver(server.uri, auth=neo4j.bearer_auth("t")) as driver:
        with connect(driver, database="films") as graph:
            assert graph.read("RETURN 1").records == [(1,)]
        driver.verify_connectivity()
        with pytest.raises(UsageError, match="brings its own authentication"):
            connect(driver, user="neo4j", password=SECRET)


def test_any_auth_object_of_the_driver_is_taken():
    with bolt_server() as server, connect(server.uri, auth=neo4j.bearer_auth(SECRET)) as graph:
        assert graph.read("RETURN 1").records == [(1,)]


# --- queries on a server with a mind of its own ------------------------------------------------------------------


def test_what_the_driver_calls_retryable_is_retried():
    with bolt_server() as server, connect(server.uri) as graph:
        server.replies = [DEADLOCK, Drop(), Records(["x"], [[7]])]
        assert graph.read("RETURN 7 AS x").records == [(7,)]
        assert server.queries == 4  # one of them to connect


def test_what_the_driver_calls_final_is_not():
    with bolt_server() as server, connect(server.uri) as graph:
        server.replies = [Failure("Neo.ClientError.Statement.SyntaxError", "Invalid input")]
        with pytest.raises(QueryError, match="Invalid input"):
            graph.read("RETRUN 1")
        assert server.queries == 2


def test_retries_end():
    with bolt_server() as server, connect(server.uri) as graph:
        server.replies = [DEADLOCK]
        with pytest.raises(QueryError) as caught:
            graph.read("RETURN 1")
        assert caught.value.retryable


def test_a_server_that_stops_mid_query():
    with bolt_server() as server, connect(server.uri) as graph:
        server.replies = [Drop()]
        with pytest.raises(ServerGone, match="went away"):
            graph.read("RETURN 1")


def test_a_server_that_hangs_does_not_hang_us():
    with bolt_server() as server, connect(server.uri) as graph:
        server.replies = [Hang()]
        started = time.monotonic()
        with pytest.raises(QueryTimeout, match=r"after 0\.3 s"):
            graph.read("RETURN 1", timeout=0.3)
        assert time.monotonic() - started < 2


def test_no_more_than_the_limit_is_read():
    with bolt_server() as server, connect(server.uri) as graph:
        server.replies = [Records(["x"], [[1], [2], [3]])]
        for limit, records, truncated in ((2, [(1,), (2,)], True), (3, [(1,), (2,), (3,)], False), (0, [], True)):
            rows = graph.read("UNWIND [1, 2, 3] AS x RETURN x", limit=limit)
            assert (rows.records, rows.truncated) == (records, truncated)
        assert len(graph.read("UNWIND [1, 2, 3] AS x RETURN x", limit=None)) == 3


@pytest.mark.parametrize("options", [{"timeout": 0}, {"timeout": -1}, {"limit": -1}])
def test_limits_that_make_no_sense(options):
    with bolt_server() as server, connect(server.uri) as graph, pytest.raises(UsageError):
        graph.read("RETURN 1", **options)


@pytest.mark.parametrize("value", [object(), 2**80])
def test_a_parameter_that_cannot_be_sent(value):
    with bolt_server() as server, connect(server.uri) as graph, pytest.raises(UsageError):
        graph.read("RETURN $x", {"x": value})


def test_a_closed_graph_says_so_and_may_be_closed_again():
    with bolt_server() as server:
        graph = connect(server.uri)
        graph.close()
        graph.close()
        with pytest.raises(UsageError, match="is closed; connect again"):
            graph.read("RETURN 1")
