"""Replies on disk, found again by what was asked."""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import os
import tempfile
import threading
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from arcgraph.llm.base import DEFAULT_CALL, LLM, Call, Completion, Message, Tokens, Wrapper
from arcgraph.llm.reply import completion

_FORMAT = 1
# The folder is looked through with the first new reply of a process, and after so many more; then a tenth more than the
# oldest surplus goes.
_WRITES_BETWEEN_PRUNES = 100
_KEPT_SHARE = 0.9
_log = logging.getLogger("arcgraph.llm")
_log.addHandler(logging.NullHandler())


def request_key(identity: str, messages: Sequence[Message], schema: type[BaseModel] | None, call: Call) -> str:
    """A digest of all that a reply depends on: endpoint and model, messages, schema, sampling, which sample."""
    asked = {
        "format": _FORMAT,
        "model": identity,
        "messages": [[m.role, m.content] for m in messages],
        "schema": schema.model_json_schema() if schema else None,
        "sampling": asdict(call.sampling) if call.sampling else None,
        "sample": call.sample,
    }
    text = json.dumps(asked, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


class Cached(Wrapper):
    """Answers from ``folder`` what was answered before. Thread-safe, also between processes.

    Replies with a fault, and those that were cut off, are not kept, nor is anything of the request but its digest.
    A file that cannot be read counts as absent. Where there are more than ``entries`` replies, which is looked at now
    and then, those that were not used for longest go.
    """

    def __init__(self, inner: LLM, folder: Path, entries: int):
        super().__init__(inner)
        self._folder = folder
        self._entries = entries
        self._written = 0
        self._complained = False
        self._lock = threading.Lock()

    def complete(
        self, messages: Sequence[Message], *, schema: type[BaseModel] | None = None, call: Call = DEFAULT_CALL
    ) -> Completion:
        """See :class:`~arcgraph.llm.base.LLM`."""
        key = request_key(self.identity, messages, schema, call)
        path = self._folder / key[:2] / f"{key}.json"
        known = _load(path, schema)
        if known is not None:
            return known
        reply = self.inner.complete(messages, schema=schema, call=call)
        if not reply.fault and reply.finish == "stop":
            self._keep(path, reply)
        return reply

    def _keep(self, path: Path, reply: Completion) -> None:
        try:
            _store(path, reply)
            if self._is_time_to_prune():
                _prune(self._folder, self._entries)
        except OSError as error:
            self._complain(error)

    def _is_time_to_prune(self) -> bool:
        with self._lock:
            self._written += 1
            return self._written % min(_WRITES_BETWEEN_PRUNES, self._entries + 1) == 1

    def _complain(self, error: OSError) -> None:
        with self._lock:
            if not self._complained:
                self._complained = True
                _log.warning("replies of models cannot be kept in %s (%s)", self._folder, error.strerror)


def _store(path: Path, reply: Completion) -> None:
    """Write beside the place and move in one step: a reader sees all of it or nothing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, beside = tempfile.mkstemp(dir=path.parent, suffix=".new")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump(_plain(reply), file)
        Path(beside).replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(beside).unlink()
        raise


def _plain(reply: Completion) -> dict[str, Any]:
    return {
        "format": _FORMAT,
        "text": reply.text,
        "thinking": reply.thinking,
        "model": reply.model,
        "tokens": asdict(reply.tokens),
    }


def _load(path: Path, schema: type[BaseModel] | None) -> Completion | None:
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
        known = _completion(kept, schema)
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    if known.fault:
        return None
    with contextlib.suppress(OSError):
        path.touch()
    return known


def _completion(kept: Mapping[str, Any], schema: type[BaseModel] | None) -> Completion:
    if kept["format"] != _FORMAT:
        raise ValueError(kept["format"])
    tokens = Tokens(**kept["tokens"])
    thinking, model = str(kept["thinking"]), str(kept["model"])
    return completion(str(kept["text"]), schema, reasoning=thinking, tokens=tokens, model=model, attempts=0)


def _prune(folder: Path, entries: int) -> None:
    """Delete what was not used for longest, and what interrupted writers left."""
    used: list[tuple[float, Path]] = []
    for path in folder.glob("*/*"):
        with contextlib.suppress(OSError):
            used.append((path.stat().st_mtime, path))
    if len(used) <= entries:
        return
    used.sort()
    for _, path in used[: len(used) - int(entries * _KEPT_SHARE)]:
        with contextlib.suppress(OSError):
            path.unlink()
