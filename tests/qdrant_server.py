"""An HTTP server of the tests' own that speaks the part of Qdrant's protocol that the store uses.

Behind it is qdrant-client's own search without a server. It is no proof of what a real server ranks, only of what goes
over the wire and of how errors come back; equally good points are returned last first, which a server may do.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from qdrant_client import QdrantClient, models

_PATH = re.compile(r"/collections/([^/?]+)(/[^?]*)?")


class QdrantDouble:
    """What the server holds and was asked.

    With a ``key`` it wants that one; where ``failure`` is no 0 it answers this status.
    """

    def __init__(self, key: str = ""):
        self.client = QdrantClient(":memory:")
        self.key = key
        self.failure = 0
        self.requests: list[tuple[str, str, Any]] = []
        self.lock = threading.Lock()
        self.url = ""

    def answer(self, method: str, path: str, headers: Any, body: Any) -> tuple[int, Any]:
        """Status and result of a request."""
        if self.key and headers.get("api-key") != self.key:
            return 401, None
        if self.failure:
            return self.failure, None
        found = _PATH.match(path)
        assert found is not None, path
        name, action = found[1], found[2] or ""
        with self.lock:
            self.requests.append((method, action, body))
            return 200, getattr(self, f"{method.lower()}{action.replace('/', '_')}")(name, body)

    def get_exists(self, name: str, _: Any) -> Any:
        return {"exists": self.client.collection_exists(name)}

    def put(self, name: str, body: Any) -> Any:
        asked = models.CreateCollection(**body)
        return self.client.create_collection(
            name, vectors_config=asked.vectors, sparse_vectors_config=asked.sparse_vectors
        )

    def delete(self, name: str, _: Any) -> Any:
        return self.client.delete_collection(name)

    def put_index(self, _: str, body: Any) -> Any:
        assert body == {"field_name": "position", "field_schema": "integer"}
        return {"operation_id": 0, "status": "completed"}

    def post_points_count(self, name: str, body: Any) -> Any:
        assert body["exact"]
        return {"count": self.client.count(name).count}

    def put_points(self, name: str, body: Any) -> Any:
        self.client.upsert(name, models.PointsList(**body).points)
        return {"operation_id": 1, "status": "completed"}

    def post_points_query(self, name: str, body: Any) -> Any:
        asked = models.QueryRequest(**body)
        assert asked.params is not None
        assert asked.params.exact, "only exact search ranks as we do"
        found = self.client.query_points(
            name, query=asked.query, using=asked.using, query_filter=asked.filter, limit=10_000
        ).points
        ordered = sorted(found, key=lambda point: (-point.score, -int(point.id)))
        points = [{"id": p.id, "version": 0, "score": p.score} for p in ordered[: asked.limit]]
        return {"points": points}


@contextmanager
def qdrant_double(key: str = "") -> Iterator[QdrantDouble]:
    """A server on a port of its own."""
    double = QdrantDouble(key)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _serve(self) -> None:
            size = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(size)) if size else None
            status, result = double.answer(self.command, self.path, self.headers, body)
            told = json.dumps({"time": 0.0, "status": "ok" if status == 200 else "error", "result": result}).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(told)))
            self.end_headers()
            self.wfile.write(told)

        do_GET = do_PUT = do_POST = do_DELETE = _serve  # noqa: N815  the library's names

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    double.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield double
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
