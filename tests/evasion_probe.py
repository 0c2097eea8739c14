"""Runs queries of the evasion corpus where they may do harm, and says what each did.

A corpus of refused queries proves nothing if they would have done nothing, so ``tests/data/evasions.jsonl`` holds
beside each query what it did without the gate and with WRITE access, on a throw-away Neo4j that may reach files and on
a copy of an embedded file, and what each other layer did about it. To record it anew, on a server that may be harmed:

    python tests/evasion_probe.py --home HOME --uri bolt://127.0.0.1:PORT --password PASSWORD
"""

from __future__ import annotations

import argparse
import contextlib
import json
import logging
import shutil
import socket
import tempfile
import threading
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import kglite
import neo4j
from neo4j.exceptions import DriverError, Neo4jError

CORPUS = Path(__file__).parent / "data" / "evasions.jsonl"

APOC_CONF = """apoc.import.file.enabled=true
apoc.import.file.use_neo4j_config=true
apoc.export.file.enabled=true
apoc.trigger.enabled=true
"""
"""What ``conf/apoc.conf`` of the server must say before it starts, so that what could reach files does."""

SECRET = "the-secret-in-the-file"
SPARE_PASSWORD = "a spare password"
PARAMETERS = {
    "map": {"k": 9},
    "key": "k",
    "label": "Evil",
    "rows": [1, 2],
    "text": "CREATE (:X)",
    "csv": "file:///secret.csv",
    "json": "secret.json",
}
BUSY_SECONDS = 1.2
_BASE = (
    "CREATE (:P {k: 1, name: 'Ada'})-[:R {w: 1}]->(:Q {k: 2}), (:P {k: 3, name: 'Bo'})",
    "CREATE INDEX base_index IF NOT EXISTS FOR (n:Based) ON (n.k)",
    "CREATE CONSTRAINT base_constraint IF NOT EXISTS FOR (n:Based) REQUIRE n.j IS UNIQUE",
)


def corpus() -> list[dict[str, Any]]:
    """The entries of the corpus, in order."""
    return [json.loads(line) for line in CORPUS.read_text(encoding="utf-8").splitlines()]


def harms(entry: dict[str, Any]) -> bool:
    """Whether the query did harm on one of the engines."""
    return any(did_harm(entry[engine]["alone"]) for engine in ("neo4j", "embedded"))


def did_harm(effects: list[str]) -> bool:
    """Whether effects are more than nothing or a failure."""
    return bool(set(effects) - {"nothing", "fails"})


class Listener:
    """Counts connections to a port of this machine and answers each as a small file over HTTP."""

    def __init__(self) -> None:
        self.connections = 0
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self._socket.accept()
                self.connections += 1
                with connection, contextlib.suppress(OSError):
                    connection.settimeout(1)
                    connection.recv(4096)
                    connection.sendall(b'HTTP/1.1 200 OK\r\nContent-Length: 9\r\nConnection: close\r\n\r\n{"a": 1}\n')

    def close(self) -> None:
        self._socket.close()


@dataclass
class Victim:
    """Somebody else's query that runs on the server."""

    session: neo4j.Session
    id: str
    connection: str


@dataclass
class ServerProbe:
    """A Neo4j whose data, users and files may be harmed. ``home`` is its folder."""

    uri: str
    password: str
    home: Path
    listener: Listener = field(default_factory=Listener)

    def __post_init__(self) -> None:
        logging.getLogger("neo4j").setLevel(logging.CRITICAL)
        self.driver = neo4j.GraphDatabase.driver(
            self.uri, auth=("neo4j", self.password), warn_notification_severity="OFF"
        )
        self.bystander = neo4j.GraphDatabase.driver(self.uri, auth=("neo4j", self.password))
        self.victim: Victim | None = None
        self.reset(everything=True)

    def close(self) -> None:
        self._forget_victim()
        self.driver.close()
        self.bystander.close()
        self.listener.close()

    # --- the state that can be harmed ---

    def reset(self, effects: set[str] | frozenset[str] = frozenset(), *, everything: bool = False) -> None:
        """Back to the same small graph, users and files, as far as ``effects`` say that they have changed."""
        if everything or "changes the schema" in effects:
            for name in self._column("SHOW CONSTRAINTS YIELD name WHERE name <> 'base_constraint'"):
                self._do(f"DROP CONSTRAINT `{name}` IF EXISTS")
            kept = "WHERE type <> 'LOOKUP' AND owningConstraint IS NULL AND name <> 'base_index'"
            for name in self._column(f"SHOW INDEXES YIELD name, type, owningConstraint {kept} RETURN name"):
                self._do(f"DROP INDEX `{name}` IF EXISTS")
            for statement in _BASE[1:]:
                self._do(statement)
        if everything or "changes data" in effects:
            for name in self._column("CALL apoc.periodic.list() YIELD name RETURN name"):
                self._do(f"CALL apoc.periodic.cancel('{name}')")
            self._do("MATCH (n) DETACH DELETE n")
            self._do(_BASE[0])
        if everything or "administers" in effects:
            self._users()
        if everything or "writes a file" in effects:
            self._files()
        if everything or "ends another's work" in effects:
            self._victim()

    def _users(self) -> None:
        for name in self._column("SHOW USERS YIELD user WHERE NOT user IN ['neo4j', 'spare']"):
            self._do(f"DROP USER `{name}`")
        self._do(f"CREATE OR REPLACE USER spare SET PASSWORD '{SPARE_PASSWORD}' CHANGE NOT REQUIRED")
        # A password cannot be set to what it is.
        self._do(f"ALTER USER neo4j SET PASSWORD '{self.password} once'")
        self._do(f"ALTER USER neo4j SET PASSWORD '{self.password}' CHANGE NOT REQUIRED")

    def _files(self) -> None:
        folder = self.home / "import"
        for path in folder.iterdir():
            path.unlink()
        (folder / "secret.csv").write_text(f"{SECRET},b\n1,2\n")
        (folder / "secret.json").write_text(json.dumps({"secret": SECRET}))
        (folder / "secret.xml").write_text(f"<a>{SECRET}</a>")
        (folder / "people.csv").write_text(":ID,name:STRING\n1,x\n")
        node = {"type": "node", "id": "7", "labels": ["X"], "properties": {"k": SECRET}}
        (folder / "secret_nodes.json").write_text(json.dumps(node) + "\n")
        keys = '<key id="k" for="node" attr.name="k"/>'
        body = f'<node id="n0" labels=":X"><data key="k">{SECRET}</data></node>'
        text = f'<?xml version="1.0"?><graphml>{keys}<graph id="G" edgedefault="directed">{body}</graph></graphml>'
        (folder / "secret.graphml").write_text(text)

    def _forget_victim(self) -> None:
        if self.victim is not None:
            with contextlib.suppress(Neo4jError, DriverError):
                self.victim.session.close()

    def _victim(self) -> None:
        self._forget_victim()
        session = self.bystander.session(fetch_size=1)
        session.run("UNWIND range(1, 100000000) AS the_victims_query RETURN the_victims_query")
        # In two parts, so that the question does not find itself.
        found = "WHERE currentQuery CONTAINS 'the_victims' + '_query RETURN' RETURN transactionId, connectionId"
        (row,) = self._rows(f"SHOW TRANSACTIONS YIELD transactionId, currentQuery, connectionId {found}")
        self.victim = Victim(session, row["transactionId"], row["connectionId"])

    def _state(self) -> dict[str, Any]:
        return {
            "changes data": (
                self._rows("MATCH (n) WITH labels(n) AS l, properties(n) AS p RETURN l, p ORDER BY toString(p.k), l"),
                self._rows(
                    "MATCH (a)-[r]->(b) RETURN a.k, type(r) AS t, properties(r) AS p, b.k ORDER BY t, toString(a.k)"
                ),
            ),
            "changes the schema": (
                self._column("SHOW INDEXES YIELD name, type RETURN name + type ORDER BY name"),
                self._column("SHOW CONSTRAINTS YIELD name RETURN name ORDER BY name"),
            ),
            "administers": (
                self._column(
                    "SHOW USERS YIELD user, passwordChangeRequired AS c RETURN user + toString(c) AS u ORDER BY u"
                ),
                self._column("SHOW DATABASES YIELD name, access RETURN name + access ORDER BY name"),
            ),
            "writes a file": sorted(
                (path.name, path.stat().st_size) for path in (self.home / "import").iterdir() if path.is_file()
            ),
            "ends another's work": self._victim_lives(),
        }

    def _tokens(self) -> Any:
        return self._column("CALL db.propertyKeys() YIELD propertyKey RETURN propertyKey")

    def _victim_lives(self) -> bool:
        assert self.victim is not None
        query = (
            "SHOW TRANSACTIONS YIELD transactionId, status WHERE transactionId = $id AND NOT status STARTS WITH 'Term' "
        )
        return bool(self._rows(query + "RETURN 1 AS one", id=self.victim.id))

    def _rows(self, query: str, **params: Any) -> list[dict[str, Any]]:
        return [record.data() for record in self.bystander.execute_query(query, params).records]

    def _column(self, query: str) -> list[Any]:
        return [next(iter(row.values())) for row in self._rows(query)]

    def _do(self, query: str) -> None:
        with self.bystander.session() as session:
            session.run(query).consume()

    # --- what a query does ---

    def filled(self, query: str) -> str:
        """The query with the places and names of this server."""
        assert self.victim is not None
        values = {
            "http": str(self.listener.port),
            "victim": self.victim.id,
            "connection": self.victim.connection,
            "fresh": "evil_" + uuid.uuid4().hex,
        }
        for name, value in values.items():
            query = query.replace(f"«{name}»", value)
        return query

    def effects(self, query: str, access: str = neo4j.WRITE_ACCESS) -> list[str]:
        """What a query does under this access; ``nothing`` or ``fails`` where it does none of the rest."""
        query = self.filled(query)
        before, tokens, connections = self._state(), self._tokens(), self.listener.connections
        started = time.monotonic()
        records, counted, error = self._run(query, access)
        seconds = time.monotonic() - started
        if "apoc.periodic." in query and not error:
            time.sleep(1.6)
        after = self._state()
        found = {name for name in before if before[name] != after[name]}
        if counted:
            found.add("administers")
        if not found and len(self._tokens()) > len(tokens):
            found.add("changes the schema")
        if self.listener.connections > connections:
            found.add("opens a connection")
        told = repr(records) + (error or "")
        if SECRET in told:
            found.add("reads a file")
        if any(secret in told for secret in (str(self.home), "the_victims_query", "spare")):
            found.add("tells what the server keeps")
        if seconds > BUSY_SECONDS and not found:
            found.add("keeps a thread busy")
        self.reset(found)
        return sorted(found) or ["fails" if error else "nothing"]

    def _run(self, query: str, access: str) -> tuple[list[Any], bool, str | None]:
        session = self.driver.session(default_access_mode=access)
        try:
            # Only a transaction that the query itself is may be cut into several.
            result = session.run(neo4j.Query(query, timeout=15), PARAMETERS)
            records = [record.values() for record in result]
            return records, bool(result.consume().counters.contains_system_updates), None
        except (Neo4jError, DriverError) as error:
            return [], False, str(error)
        finally:
            with contextlib.suppress(Neo4jError, DriverError):
                session.close()

    def explained(self, query: str) -> str:
        """What EXPLAIN says of it: the type of the query, or ``refused``."""
        with self.driver.session(default_access_mode=neo4j.READ_ACCESS) as session:
            try:
                return str(session.run(f"EXPLAIN\n{self.filled(query)}", PARAMETERS).consume().query_type)
            except (Neo4jError, DriverError):
                return "refused"

    def record(self, query: str) -> dict[str, Any]:
        """What the query does alone, and behind each other layer alone."""
        alone = self.effects(query)
        if not did_harm(alone):
            return {"alone": alone}
        return {"alone": alone, "explain": self.explained(query), "read": self.effects(query, neo4j.READ_ACCESS)}


class EmbeddedProbe:
    """Copies of a small embedded file that may be harmed."""

    def __init__(self) -> None:
        kglite.set_query_warning_policy("silent")
        self._folder = Path(tempfile.mkdtemp(prefix="evasion"))
        self._original = self._folder / "original.arc"
        graph = kglite.open(str(self._original), durable="off")
        for statement in (*_BASE[:1], "CREATE INDEX FOR (n:P) ON (n.k)"):
            graph.cypher(statement)
        graph.save()
        graph.close()
        (self._folder / "secret.csv").write_text(f"{SECRET},b\n1,2\n")

    def close(self) -> None:
        shutil.rmtree(self._folder)

    @staticmethod
    def _state(graph: Any) -> str:
        nodes = [dict(row) for row in graph.cypher("MATCH (n) RETURN labels(n) AS l, properties(n) AS p")]
        edges = [dict(row) for row in graph.cypher("MATCH ()-[r]->() RETURN type(r) AS t, properties(r) AS p")]
        indexes = [dict(row)["name"] for row in graph.cypher("SHOW INDEXES")]
        return repr((sorted(map(repr, nodes)), sorted(map(repr, edges)), sorted(indexes)))

    def filled(self, query: str) -> str:
        """The query with the places of this file, and no server's."""
        secret = f"file://{self._folder / 'secret.csv'}"
        return query.replace("«http»", "1").replace("file:///secret.csv", secret)

    def effects(self, query: str, *, reading: bool = False) -> list[str]:
        """What a query does to a copy of the file, opened to be written or only to be read."""
        copy = self._folder / "copy.arc"
        for stale in self._folder.glob("copy.arc*"):
            stale.unlink()
        shutil.copy(self._original, copy)
        graph = kglite.load(str(copy)) if reading else kglite.open(str(copy), durable="off")
        if reading:
            graph.read_only(True)
        before, told, failed = self._state(graph), "", False
        params = {**PARAMETERS, "csv": f"file://{self._folder / 'secret.csv'}"}
        try:
            told = repr([dict(row) for row in graph.cypher(self.filled(query), params=params, timeout_ms=5_000)])
        except Exception as error:
            told, failed = str(error), True
        found = {"changes data"} if self._state(graph) != before else set()
        if SECRET in told:
            found.add("reads a file")
        graph.close()
        return sorted(found) or ["fails" if failed else "nothing"]

    def record(self, query: str) -> dict[str, Any]:
        """What the query does alone, and on a file opened for reading."""
        alone = self.effects(query)
        return {"alone": alone, "read": self.effects(query, reading=True)} if did_harm(alone) else {"alone": alone}


@contextlib.contextmanager
def probes(uri: str, password: str, home: Path) -> Iterator[tuple[ServerProbe, EmbeddedProbe]]:
    """Both probes, closed at the end."""
    server, embedded = ServerProbe(uri, password, home), EmbeddedProbe()
    try:
        yield server, embedded
    finally:
        server.close()
        embedded.close()


def main() -> None:
    """Record the whole corpus anew."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--uri", required=True)
    parser.add_argument("--password", required=True)
    parser.add_argument("--home", required=True, type=Path)
    options = parser.parse_args()
    entries = corpus()
    with probes(options.uri, options.password, options.home) as (server, embedded):
        for entry in entries:
            entry["neo4j"], entry["embedded"] = server.record(entry["query"]), embedded.record(entry["query"])
            print(entry["id"], entry["neo4j"], entry["embedded"], flush=True)
    CORPUS.write_text("".join(json.dumps(entry) + "\n" for entry in entries), encoding="utf-8")
    print(f"{len(entries)} entries, {sum(map(harms, entries))} of them harmful")


if __name__ == "__main__":
    main()
