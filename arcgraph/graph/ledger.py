"""What one load has seen so far, on disk beyond a small cache: memory stays the same whatever the file's size."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from enum import Enum
from hashlib import blake2b
from typing import NamedTuple

_CACHE_KIB = 64 * 1024
_TABLES = """
CREATE TABLE node (id TEXT PRIMARY KEY, content INTEGER) WITHOUT ROWID;
CREATE TABLE tag (id TEXT, label TEXT, PRIMARY KEY (id, label)) WITHOUT ROWID;
CREATE TABLE edge (hash INTEGER PRIMARY KEY, here INTEGER NOT NULL, stored INTEGER NOT NULL);
"""


class Standing(Enum):
    """How an id relates to those seen before: not seen, seen with the same content, seen with other content."""

    NEW = "new"
    SAME = "same"
    OTHER = "other"


class Identity(NamedTuple):
    """What identifies a loaded edge: a hash of its content, and which of equal ones in its file it is, from 0."""

    hash: int
    ordinal: int

    @property
    def key(self) -> str:
        """The identity as the graph stores it."""
        number = f"{self.hash & 0xFFFF_FFFF_FFFF_FFFF:016x}"
        return f"{number}.{self.ordinal}" if self.ordinal else number

    @classmethod
    def of_key(cls, key: str) -> Identity:
        """The identity behind a stored key; raises ``ValueError`` on what is none."""
        number, _, ordinal = key.partition(".")
        value = int(number, 16)
        return cls(value - 2**64 if value >= 2**63 else value, int(ordinal or 0))


def content_hash(*parts: str) -> int:
    """64 bits, signed, of some texts; the same on every machine."""
    lengths = " ".join([str(len(part)) for part in parts])
    text = f"{lengths} {''.join(parts)}"
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), signed=True)


class Ledger:
    """Ids and edges seen in this load, or known to be in the graph."""

    def __init__(self) -> None:
        # An empty name is a private database that spills to a temporary file when it outgrows its cache.
        self._db = sqlite3.connect("", isolation_level=None)
        self._db.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
        self._db.execute("PRAGMA journal_mode = OFF")
        self._db.execute("PRAGMA synchronous = OFF")
        self._db.executescript(_TABLES)

    def close(self) -> None:
        """Give the disk space back."""
        self._db.close()

    # --- nodes

    def admit(self, nodes: Sequence[tuple[str, int]]) -> list[Standing]:
        """Take up (id, content hash) pairs, in order; the first content of an id stands."""
        seen: dict[str, int | None] = self._contents(id for id, _ in nodes)
        fresh: dict[str, int] = {}
        standings = []
        for id, content in nodes:
            if id not in seen:
                seen[id] = fresh[id] = content
                standings.append(Standing.NEW)
            else:
                standings.append(Standing.SAME if seen[id] == content else Standing.OTHER)
        self.add(fresh.items())
        return standings

    def add(self, nodes: Iterable[tuple[str, int]]) -> None:
        """Take up (id, content hash) pairs without asking."""
        self._within("INSERT OR IGNORE INTO node VALUES (?, ?)", nodes)

    def bar(self, ids: Iterable[str]) -> None:
        """Mark ids whose node was not loaded: nothing may be tied to them, even where the graph has such an id."""
        self._within("INSERT OR REPLACE INTO node VALUES (?, NULL)", ((id,) for id in ids))

    def standing_ids(self, ids: Iterable[str]) -> dict[str, bool]:
        """Of those ids that were taken up, whether they stand (true) or are barred (false)."""
        return {id: content is not None for id, content in self._contents(ids).items()}

    def _contents(self, ids: Iterable[str]) -> dict[str, int | None]:
        listed = json.dumps(list(dict.fromkeys(ids)))
        query = "SELECT id, content FROM node WHERE id IN (SELECT value FROM json_each(?))"
        return dict(self._db.execute(query, [listed]))

    def new_tags(self, tags: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
        """Those of the (id, label) pairs that were not seen before, each once; from now on they are."""
        pairs = list(dict.fromkeys(tags))
        known = set(
            self._db.execute(
                "SELECT tag.id, tag.label FROM json_each(?) AS pair "
                "JOIN tag ON tag.id = pair.value ->> 0 AND tag.label = pair.value ->> 1",
                [json.dumps(pairs)],
            )
        )
        new = [pair for pair in pairs if pair not in known]
        self._within("INSERT INTO tag VALUES (?, ?)", new)
        return new

    # --- edges

    def next_file(self) -> None:
        """From here on equal edges are counted anew: a file is told apart from its own repetition."""
        self._db.execute("UPDATE edge SET here = 0")

    def know(self, identities: Iterable[Identity]) -> None:
        """Take up edges that the graph already holds."""
        self._within(
            "INSERT INTO edge VALUES (?, 0, ?) ON CONFLICT (hash) DO UPDATE SET stored = max(stored, excluded.stored)",
            ((identity.hash, identity.ordinal + 1) for identity in identities),
        )

    def identify(self, hashes: Sequence[int]) -> list[tuple[Identity, bool]]:
        """The identity of each edge, in order, and whether it is new to the graph."""
        counts = self._counts(hashes)
        identified = []
        for value in hashes:
            here, stored = counts.get(value, (0, 0))
            identified.append((Identity(value, here), here >= stored))
            counts[value] = (here + 1, max(stored, here + 1))
        self._within(
            "INSERT OR REPLACE INTO edge VALUES (?, ?, ?)",
            ((value, here, stored) for value, (here, stored) in counts.items()),
        )
        return identified

    def _counts(self, hashes: Iterable[int]) -> dict[int, tuple[int, int]]:
        listed = json.dumps(list(set(hashes)))
        rows = self._db.execute(
            "SELECT hash, here, stored FROM edge WHERE hash IN (SELECT value FROM json_each(?))", [listed]
        )
        return {value: (here, stored) for value, here, stored in rows}

    def _within(self, statement: str, rows: Iterable[Sequence[object]]) -> None:
        self._db.execute("BEGIN")
        self._db.executemany(statement, rows)
        self._db.execute("COMMIT")
