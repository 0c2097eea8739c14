"""A Bolt server for tests: speaks Bolt 5.0 over a real socket, calls itself what it is told, answers from a script."""

from __future__ import annotations

import socket
import struct
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple

_HELLO, _GOODBYE, _RESET, _RUN, _BEGIN, _PULL = 0x01, 0x02, 0x0F, 0x10, 0x11, 0x3F
_SUCCESS, _RECORD, _IGNORED, _FAILURE = 0x70, 0x71, 0x7E, 0x7F


class Records(NamedTuple):
    """A query's answer: rows of small integers and short strings."""

    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]


class Failure(NamedTuple):
    """The server refuses the query."""

    code: str
    message: str = "told to fail"


class Drop(NamedTuple):
    """The server goes away while it works on the query."""


class Hang(NamedTuple):
    """The server never answers the query."""


Reply = Records | Failure | Drop | Hang


@dataclass
class BoltServer:
    """``replies`` are used up query by query, the last one for good. ``queries`` counts what came in."""

    agent: str = "Neo4j/5.26.0"
    replies: list[Reply] = field(default_factory=lambda: [Records(["ok"], [[1]])])
    login: Failure | None = None
    port: int = 0
    queries: int = 0

    @property
    def uri(self) -> str:
        """The address to connect to."""
        return f"bolt://127.0.0.1:{self.port}"

    def _next_reply(self) -> Reply:
        self.queries += 1
        return self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]

    def serve(self, connection: socket.socket) -> None:
        """Handle one connection to its end."""
        with connection.makefile("rb") as stream:
            if not stream.read(20).startswith(b"\x60\x60\xb0\x17"):
                return
            connection.sendall(b"\x00\x00\x00\x05")
            reply: Reply | None = None
            failed = False
            while (signature := _read_signature(stream)) not in (None, _GOODBYE):
                if signature == _RESET:
                    failed = False
                if failed:
                    _send(connection, _IGNORED)
                    continue
                if signature == _RUN:
                    reply = self._next_reply()
                    if isinstance(reply, Drop):
                        return
                    if isinstance(reply, Hang):
                        stream.read()
                        return
                failed = self._answer(connection, signature, reply)

    def _answer(self, connection: socket.socket, signature: int | None, reply: Reply | None) -> bool:
        """Send what ``signature`` asks for; whether it failed."""
        failure = self.login if signature == _HELLO else reply if signature == _RUN else None
        if isinstance(failure, Failure):
            _send(connection, _FAILURE, {"code": failure.code, "message": failure.message})
            return True
        if signature == _HELLO:
            _send(connection, _SUCCESS, {"server": self.agent, "connection_id": "fake-1"})
        elif signature == _RUN and isinstance(reply, Records):
            _send(connection, _SUCCESS, {"fields": list(reply.columns)})
        elif signature == _PULL and isinstance(reply, Records):
            for row in reply.rows:
                _send(connection, _RECORD, list(row))
            _send(connection, _SUCCESS, {"type": "r"})
        else:
            _send(connection, _SUCCESS, {})
        return False


@contextmanager
def serving(handle: Any) -> Iterator[int]:
    """Call ``handle(connection)`` for each connection on a free port, which is yielded."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def accept() -> None:
            while True:
                try:
                    connection, _ = listener.accept()
                except OSError:
                    return
                threading.Thread(target=_quietly, args=(handle, connection), daemon=True).start()

        threading.Thread(target=accept, daemon=True).start()
        yield listener.getsockname()[1]
        # Closing alone does not wake accept().
        listener.shutdown(socket.SHUT_RDWR)


@contextmanager
def bolt_server(*replies: Reply, **options: Any) -> Iterator[BoltServer]:
    """A running :class:`BoltServer`."""
    server = BoltServer(**({"replies": list(replies)} if replies else {}), **options)
    with serving(server.serve) as server.port:
        yield server


def _quietly(handle: Any, connection: socket.socket) -> None:
    with suppress(OSError), connection:  # the client may go first
        handle(connection)


def _read_signature(stream: Any) -> int | None:
    """The kind of the next message; ``None`` at the end."""
    message = b""
    while size := struct.unpack(">H", stream.read(2) or b"\0\0")[0]:
        message += stream.read(size)
    return message[1] if message else None


def _send(connection: socket.socket, signature: int, *fields: Any) -> None:
    message = bytes([0xB0 + len(fields), signature]) + b"".join(map(_pack, fields))
    connection.sendall(struct.pack(">H", len(message)) + message + b"\0\0")


def _pack(value: Any) -> bytes:
    if isinstance(value, int):
        return struct.pack(">b", value)
    if isinstance(value, str):
        return b"\xd0" + bytes([len(value.encode())]) + value.encode()
    if isinstance(value, list):
        return bytes([0x90 + len(value)]) + b"".join(map(_pack, value))
    return bytes([0xA0 + len(value)]) + b"".join(_pack(k) + _pack(v) for k, v in value.items())
