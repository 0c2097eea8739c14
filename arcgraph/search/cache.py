"""Indexes in the cache folder: a folder for each graph, in it a file for each state of graph and settings."""

from __future__ import annotations

import contextlib
import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arcgraph.errors import StorageError
from arcgraph.search.store import Array, DamagedStore, Store, Streamed, in_memory, open_store, write_store

_KEPT_FILES = 4


def place(folder: Path, graph: str, state: object, suffix: str) -> Path:
    """The file of an index under the cache ``folder``: ``state`` is all that its contents depend on, as plain values.

    ``suffix`` tells kinds of index apart.
    """
    return folder / "index" / named(graph) / f"{_digest(repr(state))}{suffix}"


def named(graph: str) -> str:
    """A graph's name as a part of the name of a file: readable, and different for different graphs."""
    readable = re.sub(r"[^A-Za-z0-9]+", "-", graph).strip("-")[-40:]
    return f"{readable}-{_digest(graph)}"


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


@dataclass(frozen=True, slots=True)
class Opened:
    """An index that can be read: ``path`` is the file it is mapped from, if any, ``built`` whether it is new."""

    store: Store
    path: Path | None
    built: bool


def open_or_make(
    path: Path,
    format: int,
    make: Callable[[], tuple[Mapping[str, Any], Mapping[str, Array | Streamed]]],
    notices: list[str],
    *,
    refresh: bool = False,
) -> Opened:
    """The index that lies at ``path``, or a new one that ``make`` gives; ``notices`` say what is lacking.

    ``refresh`` makes it anew in any case. Where the folder cannot be written it lives in memory.
    """
    store = None if refresh else _stored(path, format, notices)
    if store is not None:
        return Opened(store, path, built=False)
    return Opened(*_kept(path, *make(), notices), built=True)


def _stored(path: Path, format: int, notices: list[str]) -> Store | None:
    """The index that lies at ``path``; ``None`` where none can be used."""
    try:
        store = open_store(path)
        if store.meta.get("format") != format:
            raise DamagedStore(f"the index {path} has another format than its name says")
    except FileNotFoundError:
        return None
    except DamagedStore as error:
        notices.append(f"{error}; it is built again")
        return None
    except StorageError as error:
        notices.append(f"{error}; another one is built")
        return None
    with contextlib.suppress(OSError):
        path.touch()
    return store


def _kept(
    path: Path, meta: Mapping[str, Any], arrays: Mapping[str, Array | Streamed], notices: list[str]
) -> tuple[Store, Path | None]:
    """The index as a mapped file, and where; in memory where no file can be written."""
    try:
        write_store(path, meta, arrays)
        prune(path)
        return open_store(path), path
    except (StorageError, FileNotFoundError) as error:
        notices.append(f"{error}; until then the index is built in memory each time")
        return in_memory(meta, arrays), None


def prune(path: Path) -> None:
    """Keep the newest few indexes of a graph and kind; one that is still open elsewhere stays readable there."""
    with contextlib.suppress(OSError):
        files = sorted(path.parent.glob(f"*{path.suffix}"), key=lambda file: file.stat().st_mtime, reverse=True)
        for old in files[_KEPT_FILES:]:
            if old != path:
                old.unlink()
