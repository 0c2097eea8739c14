"""What the owners of one label or type carry: keys, value types, numbers of distinct values, samples."""

from __future__ import annotations

import datetime
import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import neo4j.spatial
import neo4j.time

from arcgraph.domain import RESERVED_KEY, RESERVED_LABEL, Count, IndexInfo, Omitted, PropertyInfo
from arcgraph.graph.introspect.census import NO_LABEL
from arcgraph.graph.introspect.probe import Probe, stretches
from arcgraph.graph.names import quote
from arcgraph.resources import cypher

# Whole owners are read first, and few of them: they may hold vectors.
_FIRST = 50
# A key with fewer sampled values than this is looked up by itself.
_FEW = 10
_LOOKED_UP = 50
_LOOK_UPS = 40
_COLUMNS = 50

_SAMPLES = 8
_SAMPLE_LENGTH = 80
_LONG_TEXT = 300
_LONG_LIST = 32
_TEXT_MEAN = 120
_VECTOR = 16


@dataclass(frozen=True, slots=True)
class Owner:
    """The nodes of one label, or the edges of one type, and how many there are."""

    kind: Literal["node", "relationship"]
    name: str
    count: Count

    @property
    def match(self) -> str:
        """A MATCH that binds one such element as ``x``."""
        if self.kind == "relationship":
            return f"MATCH ()-[x:{quote(self.name)}]->()"
        return f"MATCH (x) WHERE {NO_LABEL}" if self.is_bare else f"MATCH (x:{quote(self.name)})"

    @property
    def is_bare(self) -> bool:
        """Whether these are the nodes without label."""
        return self.kind == "node" and not self.name


@dataclass(frozen=True, slots=True)
class KeyProfile:
    """One key: what the schema tells of it, and the evidence behind: sampled values and their mean text length.

    ``coverage`` is the share of owners that carry the key.
    """

    info: PropertyInfo
    coverage: float
    values: tuple[Any, ...] = field(repr=False)
    mean_length: float = 0.0

    @property
    def key(self) -> str:
        """The property key."""
        return self.info.key

    @property
    def distinctness(self) -> float:
        """Different values per carrier, from 0 to 1."""
        return min(1.0, self.info.distinct.value / self.info.count.value) if self.info.count.value else 0.0

    def share(self, holds: Callable[[Any], bool]) -> float:
        """The share of sampled values for which ``holds``."""
        return sum(map(holds, self.values)) / len(self.values) if self.values else 0.0


# --- indexes -----------------------------------------------------------------------------------------------------


def read_indexes(probe: Probe) -> tuple[IndexInfo, ...]:
    """The indexes that the database tells of, those of ours left out."""
    told = probe.told_indexes()
    if told is not None:
        return tuple(sorted(told, key=_index_order))
    unique = {
        (tuple(owners), tuple(keys))
        for kind, owners, keys in probe.optional(cypher("constraints", probe.dialect)) or []
        if "UNIQUE" in kind or kind.endswith("KEY")
    }
    found = []
    for name, kind, entity, owners, keys in probe.optional(cypher("indexes", probe.dialect)) or []:
        owners, keys = tuple(owners or ()), tuple(keys or ())
        side: Literal["node", "relationship"] = "node" if entity == "NODE" else "relationship"
        # The border hides the reserved label and key, which leaves our own index without owner.
        if (owners and keys and RESERVED_LABEL not in owners) or kind == "LOOKUP":
            found.append(IndexInfo(name, kind.lower(), side, owners, keys, (owners, keys) in unique))
    return tuple(sorted(found, key=_index_order))


def _index_order(index: IndexInfo) -> tuple[str, tuple[str, ...], tuple[str, ...], str]:
    return index.entity, index.owners, index.keys, index.name


# --- reading -----------------------------------------------------------------------------------------------------


def read_profiles(
    probe: Probe,
    owner: Owner,
    first: Sequence[Mapping[str, Any]] | None,
    indexes: Sequence[IndexInfo],
    carriers: Mapping[str, int] | None = None,
) -> list[KeyProfile]:
    """Profiles of all keys of ``owner``, sorted by key, from what :func:`read_some` found and a closer look.

    ``carriers`` says how many owners carry each key where that is known.
    """
    if carriers is not None and not carriers:
        return []
    if first is None:
        return [_unread(key, owner, count) for key, count in sorted((carriers or {}).items())]
    everything = owner.count.value <= len(first)
    counts = {key: Count(n) for key, n in carriers.items()} if carriers is not None else _carriers(probe, owner, first)
    indexed = _indexed_keys(owner, indexes)
    columns = {key: [row[key] for row in first if key in row] for key in sorted({*counts, *indexed})}
    seen = len(first)
    light = [key for key, values in columns.items() if key in counts and not any(map(_is_bulky, values))]
    if not everything and light:
        seen = _read_columns(probe, owner, light, columns) or seen
    _look_up(probe, owner, counts, indexed, columns)
    for key in indexed - set(counts):
        counts[key] = Count(len(columns[key]), exact=False)
    distinct = _distinct(probe, owner, light, columns, counts, seen)
    return [
        profile_values(key, owner, counts[key], columns[key], seen, distinct.get(key), indexes)
        for key in columns
        if counts[key].value
    ]


def _unread(key: str, owner: Owner, count: int) -> KeyProfile:
    info = PropertyInfo(key, {}, 0, Count(count), Count(0, exact=False))
    return KeyProfile(info, count / max(1, owner.count.value), ())


def read_some(probe: Probe, owner: Owner) -> list[Mapping[str, Any]] | None:
    """Properties of the first owners; ``None`` where time ran out."""
    rows = probe.rows(f"{owner.match} RETURN x LIMIT {_FIRST}")
    if rows is None:
        return None
    return [{key: value for key, value in row[0].properties.items() if key != RESERVED_KEY} for row in rows]


def _carriers(probe: Probe, owner: Owner, first: Sequence[Mapping[str, Any]]) -> dict[str, Count]:
    """How many owners carry each key, counted among the first ``scan`` ones, or among those at hand."""
    total, scanned = owner.count.value, min(owner.count.value, probe.budget.scan)
    found: Mapping[str, int] = Counter(key for row in first for key in row)
    if total > len(first):
        invented = " WHERE NOT key IN ['id', 'title', 'type', 'name']" if probe.dialect == "embedded" else ""
        rows = probe.rows(
            f"{owner.match} WITH x LIMIT {probe.budget.scan} WITH keys(x) AS keys, count(*) AS n "
            f"UNWIND [key IN keys{invented}] AS key RETURN key, sum(n) AS n"
        )
        if rows is None:
            scanned = len(first)
        else:
            found = {key: n for key, n in rows if key != RESERVED_KEY}
    scale = total / max(1, min(scanned, total))
    return {key: Count(round(n * scale), exact=scanned >= total) for key, n in found.items()}


def _indexed_keys(owner: Owner, indexes: Iterable[IndexInfo]) -> set[str]:
    """Keys that an index promises, so that a rare one is looked for even if no scanned owner has it."""
    return {key for index in indexes if _is_of(index, owner) for key in index.keys}


def _is_of(index: IndexInfo, owner: Owner) -> bool:
    return index.entity == owner.kind and owner.name in index.owners


def _read_columns(probe: Probe, owner: Owner, keys: Sequence[str], columns: dict[str, list[Any]]) -> int:
    """Fill the columns of light keys from stretches of the owners; returns how many owners were read."""
    pages = stretches(owner.count.value, probe.budget.sample)
    read = 0
    for some in (keys[at : at + _COLUMNS] for at in range(0, len(keys), _COLUMNS)):
        wanted = ", ".join(f"x.{probe.key(key)} AS v{i}" for i, key in enumerate(some))
        query = f"{owner.match} RETURN {wanted}"
        records = [row for skip, most in pages for row in probe.rows(f"{query} SKIP {skip} LIMIT {most}") or []]
        if records:
            read = len(records)
            for key, values in zip(some, zip(*records, strict=True), strict=True):
                columns[key] = [value for value in values if value is not None]
    return read


def _look_up(
    probe: Probe, owner: Owner, counts: Mapping[str, Count], indexed: set[str], columns: dict[str, list[Any]]
) -> None:
    """Fetch values of keys too rare for the sample."""
    rare = [key for key, values in columns.items() if len(values) < min(_FEW, counts.get(key, Count(1)).value)]
    for key in rare[:_LOOK_UPS]:
        # An index leads to the carriers, however many owners there are; without one they are searched for.
        bounded = owner.count.value > probe.budget.scan and key not in indexed
        joint = f" WITH x LIMIT {probe.budget.scan} WHERE" if bounded else " AND" if owner.is_bare else " WHERE"
        name = probe.key(key)
        rows = probe.rows(f"{owner.match}{joint} x.{name} IS NOT NULL RETURN x.{name} AS v LIMIT {_LOOKED_UP}")
        columns[key] = [row[0] for row in rows] if rows else columns[key]


def _distinct(
    probe: Probe,
    owner: Owner,
    light: Sequence[str],
    columns: Mapping[str, Sequence[Any]],
    counts: Mapping[str, Count],
    seen: int,
) -> dict[str, Count]:
    """Numbers of different values: counted by the database where it is cheap and the sample does not hold them all."""
    found = {
        key: Count(len(set(map(_token, values))))
        for key, values in columns.items()
        if counts[key].exact and len(values) >= counts[key].value
    }
    asked = [key for key in light if key not in found and counts[key].value]
    if seen < owner.count.value <= probe.budget.scan:
        for some in (asked[at : at + _COLUMNS] for at in range(0, len(asked), _COLUMNS)):
            wanted = ", ".join(f"count(DISTINCT x.{probe.key(key)}) AS d{i}" for i, key in enumerate(some))
            rows = probe.rows(f"{owner.match} RETURN {wanted}")
            found |= {key: Count(n) for key, n in zip(some, rows[0] if rows else (), strict=False)}
    return found


# --- statistics --------------------------------------------------------------------------------------------------


def profile_values(
    key: str,
    owner: Owner,
    count: Count,
    values: Sequence[Any],
    seen: int,
    distinct: Count | None = None,
    indexes: Iterable[IndexInfo] = (),
) -> KeyProfile:
    """The profile of a key that ``count`` owners carry, from sampled ``values`` of ``seen`` owners."""
    lengths = [length for value in values if (length := _text_length(value)) is not None]
    mean = sum(lengths) / len(lengths) if lengths else 0.0
    of_key = [index for index in indexes if _is_of(index, owner) and key in index.keys]
    unique = any(index.unique and index.keys == (key,) for index in of_key)
    if unique and not (distinct and distinct.exact):
        distinct = count
    info = PropertyInfo(
        key=key,
        types=dict(Counter(type_name(value, is_text=mean >= _TEXT_MEAN) for value in values).most_common()),
        seen=max(seen, len(values)),
        count=count,
        distinct=distinct or estimate_distinct(values, count),
        samples=choose_samples(values),
        indexed=bool(of_key),
        unique=unique,
    )
    return KeyProfile(info, min(1.0, count.value / max(1, owner.count.value)), tuple(values), mean)


def type_name(value: Any, *, is_text: bool = False) -> str:
    """The name of a value's type as :class:`~arcgraph.domain.PropertyInfo` lists them; ``is_text`` is for strings."""
    if isinstance(value, Omitted):
        return value.kind
    if isinstance(value, str):
        return "text" if is_text else "string"
    if _is_list(value):
        is_vector = len(value) >= _VECTOR and all(isinstance(item, float) for item in value)
        return "vector" if is_vector else "list"
    if isinstance(value, (neo4j.time.Time, datetime.time)):
        return "time" if value.tzinfo else "localtime"
    if isinstance(value, (neo4j.time.DateTime, datetime.datetime)):
        return "datetime" if value.tzinfo else "localdatetime"
    return next((name for kinds, name in _PLAIN if isinstance(value, kinds)), "string")


# A bool is an int, too: the order matters.
_PLAIN: tuple[tuple[type | tuple[type, ...], str], ...] = (
    (bool, "boolean"),
    (int, "integer"),
    (float, "float"),
    ((bytes, bytearray), "bytes"),
    ((neo4j.time.Date, datetime.date), "date"),
    ((neo4j.time.Duration, datetime.timedelta), "duration"),
    (neo4j.spatial.Point, "point"),
)


def estimate_distinct(values: Sequence[Any], carriers: Count) -> Count:
    """How many different values the carriers of a key have, from a sample: exact where that holds them all.

    Values seen once stand for those not seen: the guaranteed-error estimator of Charikar et al. (2000), except that a
    sample without any repetition is taken for a key whose values are all different.
    """
    occurrences = Counter(map(_token, values))
    if len(values) >= carriers.value:
        return Count(len(occurrences), carriers.exact)
    once = sum(1 for n in occurrences.values() if n == 1)
    if once == len(values):
        return Count(carriers.value, exact=False)
    guess = math.sqrt(carriers.value / len(values)) * once + len(occurrences) - once
    return Count(min(carriers.value, round(guess)), exact=False)


def choose_samples(values: Sequence[Any]) -> tuple[Any, ...]:
    """At most eight different values: the frequent ones, then some from all over the sample; long texts are cut."""
    first: dict[str, Any] = {}
    for value in values:
        if _is_shown(value):
            first.setdefault(_token(value), value)
    occurrences = Counter(token for value in values if (token := _token(value)) in first)
    ranked = sorted(first, key=lambda token: -occurrences[token])
    frequent = [token for token in ranked if occurrences[token] > 1][: _SAMPLES if len(first) <= _SAMPLES else 4]
    rest = [token for token in first if token not in set(frequent)]
    room = min(_SAMPLES - len(frequent), len(rest))
    spread = [rest[i * len(rest) // room] for i in range(room)]
    return tuple(_shortened(first[token]) for token in (*frequent, *spread))


def _is_shown(value: Any) -> bool:
    if isinstance(value, Omitted):
        return False
    return not _is_list(value) or len(value) <= _SAMPLES


def _is_list(value: Any) -> bool:
    # The driver's durations and points are tuples.
    return isinstance(value, list) or type(value) is tuple


def _shortened(value: Any) -> Any:
    is_long = isinstance(value, str) and len(value) > _LONG_TEXT
    return value[:_SAMPLE_LENGTH].rstrip() + "…" if is_long else value


def _token(value: Any) -> str:
    return f"{type(value).__name__} {value!r}"


def _is_bulky(value: Any) -> bool:
    if isinstance(value, str):
        return len(value) > _LONG_TEXT
    if _is_list(value) or isinstance(value, (bytes, bytearray)):
        return len(value) > _LONG_LIST
    return isinstance(value, Omitted)


def _text_length(value: Any) -> int | None:
    if isinstance(value, str):
        return len(value)
    return value.size if isinstance(value, Omitted) and value.kind == "text" else None


def infos(profiles: Collection[KeyProfile]) -> dict[str, PropertyInfo]:
    """The schema's part of some profiles, by key."""
    return {profile.key: profile.info for profile in profiles}
