"""A real HTTP server of the tests' own that speaks the chat-completions protocol as it is told to."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Answer:
    """What the server sends: after ``delay`` seconds the status and headers, then the body.

    ``drip`` seconds lie between spaces that are sent before the body; ``drops`` closes the connection after half of
    the body, before everything where there is none.
    """

    body: Any = None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0
    drip: float = 0.0
    drops: bool = False


@dataclass(frozen=True)
class Seen:
    """A request as it arrived, header names in small letters; ``at`` in seconds of ``time.monotonic()``."""

    path: str
    headers: Mapping[str, str]
    body: Any
    at: float

    @property
    def prompt(self) -> str:
        """All messages as one text."""
        return "\n\n".join(message["content"] for message in self.body["messages"])


def said(content: Any = "fine", *, finish: str = "stop", usage: Any = None, **message: Any) -> Answer:
    """A model's reply."""
    return Answer(
        {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 0,
            "model": "tiny-1",
            "choices": [
                {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": content, **message}}
            ],
            "usage": {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18} if usage is None else usage,
        }
    )


def refused(status: int, message: str = "", **headers: str) -> Answer:
    """An error as OpenAI words it."""
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer({"error": {"message": message, "type": "invalid_request_error"}}, status, names)


class ModelServer:
    """Answers from ``script``, in order, the last for ever; or as a function of the request says."""

    def __init__(self) -> None:
        self.seen: list[Seen] = []
        self.script: list[Answer] | Callable[[Seen], Answer] = [said()]
        self.under_way = self.most_under_way = 0
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()

    @property
    def host(self) -> str:
        """Name and port."""
        return f"127.0.0.1:{self._server.server_port}"

    @property
    def url(self) -> str:
        """What a user would put into the settings."""
        return f"http://{self.host}/v1"

    def close(self) -> None:
        """Stop serving; what is still delayed ends at once."""
        self._stopping.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _next(self, seen: Seen) -> Answer:
        with self._lock:
            self.seen.append(seen)
            if callable(self.script):
                return self.script(seen)
            return self.script.pop(0) if len(self.script) > 1 else self.script[0]

    def _handler(server) -> type[BaseHTTPRequestHandler]:  # noqa: N805  the handler has a self of its own
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length", 0)))
                seen = Seen(
                    self.path, {k.lower(): v for k, v in self.headers.items()}, json.loads(body), time.monotonic()
                )
                answer = server._next(seen)
                with server._counted():
                    try:
                        self._send(answer)
                    except OSError:  # the client has gone
                        self.close_connection = True

            def _send(self, answer: Answer) -> None:
                server._stopping.wait(answer.delay)
                text = answer.body if isinstance(answer.body, str) else json.dumps(answer.body)
                body = text.encode()
                self.close_connection = answer.drops
                if answer.drops and answer.body is None:
                    return
                drips = 50 if answer.drip else 0
                self.send_response(answer.status)
                kind = "text/html" if isinstance(answer.body, str) and text.startswith("<") else "application/json"
                for name, value in {
                    "Content-Type": kind,
                    "Content-Length": str(len(body) + drips),
                    **answer.headers,
                }.items():
                    self.send_header(name, value)
                self.end_headers()
                for _ in range(drips):
                    self.wfile.write(b" ")
                    if server._stopping.wait(answer.drip):
                        return
                self.wfile.write(body[: len(body) // 2] if answer.drops else body)

            def log_message(self, *_: Any) -> None:
                pass

        return Handler

    @contextmanager
    def _counted(self) -> Iterator[None]:
        with self._lock:
            self.under_way += 1
            self.most_under_way = max(self.most_under_way, self.under_way)
        try:
            yield
        finally:
            with self._lock:
                self.under_way -= 1
