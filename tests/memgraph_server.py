"""A double of a Memgraph server: Bolt 5.2 over a real socket, in the forms that Memgraph's sources have.

No Memgraph can be had where these tests usually run. This server negotiates, greets, authenticates, fails and sums up
as Memgraph does, refuses what Memgraph's grammar refuses, forbids inside transactions what Memgraph forbids there, and
computes, rather than drops, what it is told to discard. What a query returns it asks an embedded graph. It is no
evidence of how Memgraph plans or computes.
"""

from __future__ import annotations

import json
import re
import socket
import struct
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, NamedTuple

from bolt_server import serving
from packstream import Structure, pack, unpack

from arcgraph.domain import Edge, Node
from arcgraph.errors import ArcgraphError

HELLO, GOODBYE, RESET, RUN, BEGIN, COMMIT, ROLLBACK = 0x01, 0x02, 0x0F, 0x10, 0x11, 0x12, 0x13
DISCARD, PULL, ROUTE, LOGON, LOGOFF = 0x2F, 0x3F, 0x66, 0x6A, 0x6B
SUCCESS, RECORD, IGNORED, FAILURE = 0x70, 0x71, 0x7E, 0x7F
NAMES = {
    HELLO: "HELLO",
    GOODBYE: "GOODBYE",
    RESET: "RESET",
    RUN: "RUN",
    BEGIN: "BEGIN",
    COMMIT: "COMMIT",
    ROLLBACK: "ROLLBACK",
    DISCARD: "DISCARD",
    PULL: "PULL",
    ROUTE: "ROUTE",
    LOGON: "LOGON",
    LOGOFF: "LOGOFF",
}

AGENT = "Neo4j/v5.11.0 compatible graph database server - Memgraph"
VERSION = "3.6.0"
# The second byte of each is the minor, the last the major version.
_SPOKEN = ((5, 2), (4, 4), (4, 3), (4, 1), (4, 0), (1, 0))

CLIENT = "Memgraph.ClientError.MemgraphError.MemgraphError"
TRANSIENT = "Memgraph.TransientError.MemgraphError.MemgraphError"
TIMED_OUT = "Transaction was asked to abort because of transaction timeout."
CONFLICT = (
    "Cannot resolve conflicting transactions. Retry this transaction when the conflicting transaction is finished."
)
NO_SCHEMA_INFO = "SchemaInfo query is disabled. To enable it, start Memgraph with the --schema-info-enabled flag."


class Refusal(Exception):
    """What the server answers with FAILURE."""

    def __init__(self, message: str, code: str = CLIENT):
        super().__init__(message)
        self.code = code


class Result(NamedTuple):
    """Columns and rows, which are computed as they are pulled; ``type`` is ``rw`` for what is no Cypher."""

    columns: list[str]
    rows: Iterator[Any]
    type: str = "r"


class Message(NamedTuple):
    """What came in: its name, and its fields."""

    name: str
    fields: tuple[Any, ...]


@dataclass
class MemgraphServer:
    """``engine`` is the embedded graph that answers; ``scripted`` maps a query's beginning to what happens instead.

    ``schema_info`` and ``metadata`` are Memgraph's two flags; ``checks_access`` is what recent versions do with READ.
    ``messages`` keeps all that came in, ``discarded`` counts rows that were computed for nobody.
    """

    engine: Any = None
    agent: str | None = AGENT
    login: tuple[str, str] | None = None
    schema_info: bool = True
    metadata: bool = False
    modules: bool = True
    checks_access: bool = False
    indexes: list[list[Any]] = field(default_factory=list)
    constraints: list[list[Any]] = field(default_factory=list)
    plan: list[str] = field(default_factory=lambda: [" * Produce {n}", " * ScanAll (n)", " * Once"])
    scripted: dict[str, Any] = field(default_factory=dict)
    messages: list[Message] = field(default_factory=list)
    discarded: int = 0
    dropped: int = 0
    port: int = 0

    @property
    def address(self) -> str:
        """Host and port."""
        return f"127.0.0.1:{self.port}"

    @property
    def queries(self) -> list[str]:
        """The texts of all queries."""
        return [message.fields[0] for message in self.messages if message.name == "RUN"]

    def of(self, name: str) -> list[Message]:
        """The messages of a kind."""
        return [message for message in self.messages if message.name == name]

    def serve(self, connection: socket.socket) -> None:
        """Handle one connection to its end."""
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with connection.makefile("rb") as stream:
            if _negotiated(stream.read(20), connection):
                _Conversation(self, connection, stream).hold()


def _negotiated(opening: bytes, connection: socket.socket) -> bool:
    if not opening.startswith(b"\x60\x60\xb0\x17"):
        return False
    offers = [opening[at : at + 4] for at in range(4, 20, 4)]
    for _, span, minor, major in offers:
        for version in ((major, minor - down) for down in range(span + 1)):
            if version in _SPOKEN and version[1]:
                connection.sendall(bytes([0, 0, version[1], version[0]]))
                return version == (5, 2)
    connection.sendall(b"\0\0\0\0")
    return False


class _Conversation:
    """One connection: the states of Bolt, as Memgraph keeps them."""

    def __init__(self, server: MemgraphServer, connection: socket.socket, stream: Any):
        self._server = server
        self._connection = connection
        self._stream = stream
        self._result: Result | None = None
        self._transaction: Mapping[str, Any] | None = None
        self._failed = False

    def hold(self) -> None:
        while (message := self._receive()) is not None and message.name != "GOODBYE":
            if self._failed and message.name != "RESET":
                self._send(IGNORED)
                continue
            try:
                answer = self._answer(message)
            except Refusal as refusal:
                self._failed = True
                self._result = None
                self._send(FAILURE, {"code": refusal.code, "message": str(refusal)})
                if refusal.code.endswith("Unauthenticated"):
                    return
                continue
            if answer is None:
                return
            self._send(SUCCESS, answer)
        self._server.dropped += message is None

    def _answer(self, message: Message) -> Mapping[str, Any] | None:
        """What to say of success; ``None`` to hang up, as on a message that this state does not know."""
        match message.name, message.fields:
            case "HELLO", _:
                named = {} if self._server.agent is None else {"server": self._server.agent}
                return {"connection_id": "bolt-1", **named}
            case "LOGON", (given,):
                self._authenticate(given)
                return self._answer(Message("HELLO", ()))
            case "ROUTE", _:
                raise Refusal("Routing is only supported on coordinators.")
            case "RESET", _:
                self._result = self._transaction = None
                self._failed = False
                return {}
            case "BEGIN", (extra,):
                self._transaction = extra
                return {}
            case (("COMMIT" | "ROLLBACK"), _):
                if self._result is not None:
                    return None
                self._transaction = None
                return {}
            case "RUN", (query, params, extra):
                if self._result is not None:
                    return None
                return self._run(query, params, extra)
            case "PULL", (extra,):
                return self._pull(extra.get("n", -1))
            case "DISCARD", _:
                return self._discard()
        return None

    def _authenticate(self, given: Mapping[str, Any]) -> None:
        wanted = self._server.login
        if wanted is not None and (given.get("principal"), given.get("credentials")) != wanted:
            raise Refusal("Authentication failure", "Memgraph.ClientError.Security.Unauthenticated")

    def _run(self, query: str, params: Mapping[str, Any], extra: Mapping[str, Any]) -> Mapping[str, Any]:
        running = extra if self._transaction is None else self._transaction
        self._result = respond(self._server, query, params, running, alone=self._transaction is None)
        return {"fields": self._result.columns, **({} if self._transaction is None else {"qid": 0})}

    def _pull(self, most: int) -> Mapping[str, Any] | None:
        if self._result is None:
            return None
        rows = self._result.rows
        for row in rows if most < 0 else islice(rows, most):
            self._send(RECORD, list(row))
        ahead = [] if most < 0 else list(islice(rows, 1))
        if ahead:
            self._result = self._result._replace(rows=_chained(ahead, rows))
            return {"has_more": True}
        return self._end()

    def _discard(self) -> Mapping[str, Any] | None:
        if self._result is None:
            return None
        for _ in self._result.rows:
            self._server.discarded += 1
        return self._end()

    def _end(self) -> Mapping[str, Any]:
        assert self._result is not None
        type_, self._result = self._result.type, None
        return {
            "type": type_,
            "parsing_time": 0.0001,
            "planning_time": 0.0002,
            "plan_execution_time": 0.0003,
            "cost_estimate": 3.5,
            "number_of_hops": 0,
            "db": "memgraph",
            "run_id": "0b1e-double",
        }

    def _receive(self) -> Message | None:
        data = b""
        while size := struct.unpack(">H", self._stream.read(2) or b"\0\0")[0]:
            data += self._stream.read(size)
        if not data:
            return None
        tag, fields = unpack(data)
        message = Message(NAMES[tag], fields)
        self._server.messages.append(message)
        return message

    def _send(self, tag: int, *fields: Any) -> None:
        data = pack(Structure(tag, fields))
        chunks = [data[at : at + 0xFFFF] for at in range(0, len(data), 0xFFFF)]
        self._connection.sendall(b"".join(struct.pack(">H", len(c)) + c for c in chunks) + b"\0\0")


def _chained(first: Iterable[Any], rest: Iterable[Any]) -> Iterator[Any]:
    yield from first
    yield from rest


# --- what it says to queries -------------------------------------------------------------------------------------

_SHOW = re.compile(r"\s*(SHOW|CREATE (INDEX|CONSTRAINT)|DROP (INDEX|CONSTRAINT))\b")
_WRITES = re.compile(r"\b(CREATE|MERGE|SET|DELETE|REMOVE)\b")
# Neo4j's forms that Memgraph's grammar or its functions lack.
_NOT_IN_GRAMMAR = re.compile(
    r"\(\w*(?::\w+)? WHERE\b|\bshortestPath\(|\ballShortestPaths\(|\]-\>\{|\bCOLLECT \{|\bYIELD\b.*\bSHOW\b"
    r"|\bIS ::|SHOW \w+ YIELD|\w:\w+&\w|\belementId\(|\bdb\.\w+\(|\bapoc\."
)


def respond(
    server: MemgraphServer, query: str, params: Mapping[str, Any], extra: Mapping[str, Any], *, alone: bool
) -> Result:
    """The answer to a query; raises :class:`Refusal`."""
    for beginning, reply in server.scripted.items():
        if query.startswith(beginning):
            return _scripted(server.scripted, beginning, reply, extra)
    if found := _NOT_IN_GRAMMAR.search(query):
        line = query.count("\n", 0, found.start()) + 1
        column = found.start() - (query.rfind("\n", 0, found.start()) + 1) + 1
        raise Refusal(
            f"Error on line {line} position {column}. The underlying parsing error is mismatched input {found[0]!r}"
        )
    if _SHOW.match(query):
        if not alone:
            raise Refusal("This query is not allowed in multicommand transactions.")
        return _about_itself(server, query)
    if query.startswith("EXPLAIN"):
        return Result(["QUERY PLAN"], iter([[line] for line in server.plan]), "rw")
    if query.startswith("CALL "):
        return _called(server, query)
    return _computed(server, query, params, extra)


def _scripted(script: dict[str, Any], beginning: str, reply: Any, extra: Mapping[str, Any]) -> Result:
    if isinstance(reply, list) and reply and isinstance(reply[0], Refusal):
        # One after the other, then as ever.
        refusal = reply.pop(0)
        if not reply:
            del script[beginning]
        raise refusal
    if reply == "endless":
        time.sleep(extra["tx_timeout"] / 1000)
        raise Refusal(TIMED_OUT, TRANSIENT)
    if isinstance(reply, Refusal):
        raise reply
    columns, rows = reply
    return Result(list(columns), iter(rows))


def _about_itself(server: MemgraphServer, query: str) -> Result:
    match query.split():
        case ["SHOW", "VERSION"]:
            return Result(["version"], iter([[VERSION]]), "rw")
        case ["SHOW", "SCHEMA", "INFO"]:
            if not server.schema_info:
                raise Refusal(NO_SCHEMA_INFO)
            return Result(["schema"], iter([[json.dumps(schema_info(server.engine))]]))
        case ["SHOW", "INDEX", "INFO"]:
            return Result(["index type", "label", "property", "count"], iter(server.indexes))
        case ["SHOW", "CONSTRAINT", "INFO"]:
            return Result(["constraint type", "label", "properties", "data_type"], iter(server.constraints))
        case ["SHOW", "NODE_LABELS" | "EDGE_TYPES" as kind, "INFO"]:
            if not server.metadata:
                raise Refusal(f"The metadata collection for {kind} is disabled.")
            names = _labels(server) if kind == "NODE_LABELS" else _types(server)
            return Result(["node labels" if kind == "NODE_LABELS" else "edge types"], iter([[n] for n in names]))
        case ["CREATE" | "DROP", *_]:
            return Result([], iter([]), "w")
    raise Refusal(f"Error on line 1 position 6. The underlying parsing error is mismatched input {query!r}")


def _called(server: MemgraphServer, query: str) -> Result:
    if "mg.procedures" in query:
        return Result(["package", "procedures"], iter([["mg", 8], ["schema", 3], ["nxalg", 40]]))
    if not server.modules or "schema." not in query:
        name = query.split("(")[0].removeprefix("CALL ")
        raise Refusal(f"There is no procedure named '{name}'.")
    if "node_type_properties" in query:
        return Result(["label"], iter([[label] for label in _labels(server)]))
    return Result(["relType"], iter([[f":`{type_}`"] for type_ in _types(server)]))


_TO_ENGINE = (
    (re.compile(r"\bid\((\w+)\) IN \[_i IN (\$\w+) \| toInteger\(_i\)\]"), r"elementId(\1) IN \2"),
    (re.compile(r"\bid\((\w+)\) = toInteger\((\$\w+)\)"), r"elementId(\1) = \2"),
    (re.compile(r"\btoString\(id\((\w+)\)\)"), r"elementId(\1)"),
)


def _computed(server: MemgraphServer, query: str, params: Mapping[str, Any], extra: Mapping[str, Any]) -> Result:
    if _WRITES.search(re.sub(r"`[^`]*`|'[^']*'", "", query)):
        if server.checks_access and extra.get("mode") == "r":
            raise Refusal("Accessor type READ and query type W are misaligned!")
        return Result([], iter([]), "w")
    for form, engines in _TO_ENGINE:
        query = form.sub(engines, query)
    if server.engine is None:
        return Result(["ok"], iter([[1]]))
    try:
        rows = server.engine.run(query, params, limit=None)
    except ArcgraphError as error:
        raise Refusal(str(error)) from error
    return Result(list(rows.columns), iter(rows.records))


# --- what it keeps of its graph ----------------------------------------------------------------------------------


def schema_info(engine: Any) -> dict[str, Any]:
    """The graph in the form of SHOW SCHEMA INFO."""
    nodes: dict[tuple[str, ...], list[Node]] = {}
    for (node,) in engine.run("MATCH (n) RETURN n", limit=None):
        nodes.setdefault(tuple(sorted(node.labels)), []).append(node)
    edges: dict[tuple[Any, ...], list[Edge]] = {}
    for a, edge, b in engine.run("MATCH (a)-[r]->(b) RETURN labels(a) AS a, r, labels(b) AS b", limit=None):
        edges.setdefault((tuple(sorted(a)), edge.type, tuple(sorted(b))), []).append(edge)
    return {
        "nodes": [{"labels": list(labels), **_counted(members)} for labels, members in nodes.items()],
        "edges": [
            {"start_node_labels": list(a), "type": type_, "end_node_labels": list(b), **_counted(members)}
            for (a, type_, b), members in edges.items()
        ],
        "node_constraints": [],
        "node_indexes": [],
        "edge_indexes": [],
        "enums": [],
    }


def _counted(members: list[Any]) -> dict[str, Any]:
    carried = Counter(key for member in members for key in member.properties)
    properties = [
        {"key": key, "count": n, "filling_factor": 100.0 * n / len(members), "types": [{"type": "String", "count": n}]}
        for key, n in carried.items()
    ]
    return {"count": len(members), "properties": properties}


def _labels(server: MemgraphServer) -> list[str]:
    return sorted({label for group in schema_info(server.engine)["nodes"] for label in group["labels"]})


def _types(server: MemgraphServer) -> list[str]:
    return sorted({group["type"] for group in schema_info(server.engine)["edges"]})


@contextmanager
def memgraph_server(engine: Any = None, **options: Any) -> Iterator[MemgraphServer]:
    """A running :class:`MemgraphServer`."""
    server = MemgraphServer(engine, **options)
    with serving(server.serve) as server.port:
        yield server
