"""Introspection from beginning to end, and the cache before it."""

from __future__ import annotations

import hashlib
import json
import os
import re
import tempfile
import time
import weakref
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from arcgraph.domain import Count, IndexInfo, LabelInfo, Schema, TypeInfo
from arcgraph.graph.base import Graph, Versioned
from arcgraph.graph.introspect.archive import schema_from_dict, schema_to_dict
from arcgraph.graph.introspect.census import Census, read_count_store, take_census
from arcgraph.graph.introspect.naming import choose_naming
from arcgraph.graph.introspect.passages import find_passages
from arcgraph.graph.introspect.probe import Budget, Probe
from arcgraph.graph.introspect.properties import KeyProfile, Owner, infos, read_indexes, read_profiles, read_some
from arcgraph.graph.introspect.relations import find_relations
from arcgraph.resources import cypher

# Raised when what introspection finds changes, so that older files are read anew.
_FORMAT = 2
# However wide the graph is, some time is left to see what its labels and types carry.
_CENSUS_SHARE = 0.5
_FINGERPRINT = Budget(seconds=15.0)
# A schema from which something had to be left out is kept so long.
_INCOMPLETE_SECONDS = 600.0

# By the identity of living graphs: a back end need not be hashable.
_remembered: dict[int, tuple[Schema, float]] = {}


def read_schema(graph: Graph, *, cache_dir: Path | None = None, refresh: bool = False) -> Schema:
    """The schema of ``graph``: a remembered one while the graph's fingerprint stays the same, else a new one.

    One from which something had to be left out is kept for ten minutes. With ``cache_dir`` it is kept there, too; a
    folder that cannot be written is no reason to fail.
    """
    current = fingerprint(graph)
    path = None if cache_dir is None else _cache_path(graph, Path(cache_dir))
    if not refresh:
        kept, read_at = _remembered.get(id(graph)) or _load(path)
        if kept is not None and kept.fingerprint == current and _is_fresh(kept, read_at):
            _remember(graph, kept, read_at)
            return kept
    schema = replace(introspect(graph), fingerprint=current)
    _remember(graph, schema, time.time())
    if path is not None:
        with suppress(OSError):
            _store(path, schema)
    return schema


def introspect(graph: Graph, budget: Budget | None = None, *, clock: Callable[[], float] = time.monotonic) -> Schema:
    """Read the schema of ``graph`` now. What does not fit the budget is left out or estimated, and marked."""
    probe = Probe(graph, budget or Budget(), clock)
    with probe.within(_CENSUS_SHARE):
        census = take_census(probe)
    indexes = read_indexes(probe)
    nodes, edges = _read_owners(probe, census, indexes)
    labels = {name: _label(name, count, nodes.get(name, [])) for name, count in _by_count(census.labels)}
    types = {name: TypeInfo(name, count, infos(edges.get(name, []))) for name, count in _by_count(census.types)}
    schema = Schema(
        labels=labels,
        types=types,
        endpoints=tuple(sorted(census.endpoints, key=lambda e: (-e.count.value, e.type, e.start, e.end))),
        indexes=indexes,
        nodes=census.nodes,
        edges=census.edges,
        loaded=census.loaded,
    )
    schema = replace(schema, passages=find_passages(probe, schema, nodes, edges))
    schema = replace(schema, relations=find_relations(probe, schema, nodes, edges))
    return replace(schema, complete=probe.complete)


def fingerprint(graph: Graph) -> str:
    """A short text that changes when the graph is seen to have changed.

    Where the back end knows a version of its data, any committed write changes it; elsewhere the numbers of nodes per
    label and of edges per type do, and a changed value alone is not seen.
    """
    probe = Probe(graph, _FINGERPRINT)
    told = probe.told()
    if told is not None:
        return _digest([graph.dialect, *sorted(map(repr, (*told.nodes, *told.edges)))])
    seen: list[object] = [
        graph.dialect,
        probe.number("MATCH (n) RETURN count(n) AS n"),
        probe.number("MATCH ()-[r]->() RETURN count(r) AS n"),
    ]
    if isinstance(graph, Versioned):
        seen.append(graph.data_version())
    elif probe.dialect in ("embedded", "memgraph"):
        seen.append(sorted(map(repr, probe.rows(cypher("label_sets")) or [])))
        seen.append(sorted(map(repr, probe.rows(cypher("type_counts")) or [])))
    else:
        store = read_count_store(probe)
        seen.append([sorted(store.labels.items()), sorted(store.types.items())])
    return _digest(seen)


def _digest(seen: list[object]) -> str:
    return hashlib.blake2b(repr(seen).encode(), digest_size=12).hexdigest()


# --- the parts ---------------------------------------------------------------------------------------------------

_Profiles = dict[str, list[KeyProfile]]


def _read_owners(probe: Probe, census: Census, indexes: tuple[IndexInfo, ...]) -> tuple[_Profiles, _Profiles]:
    """Profiles per label and per type. All get a first look before any gets a closer one, the rare ones first.

    So a label with a single node has its properties however wide the graph is.
    """
    owners = [Owner("node", name, count) for name, count in census.labels.items()]
    owners += [Owner("relationship", name, count) for name, count in census.types.items()]
    owners.sort(key=lambda owner: (owner.count.value, owner.kind, owner.name))
    known = [_carriers(census, owner) for owner in owners]
    first = [[] if keys == {} else read_some(probe, owner) for owner, keys in zip(owners, known, strict=True)]
    found: dict[str, _Profiles] = {"node": {}, "relationship": {}}
    for owner, some, carriers in zip(owners, first, known, strict=True):
        found[owner.kind][owner.name] = read_profiles(probe, owner, some, indexes, carriers)
    return found["node"], found["relationship"]


def _carriers(census: Census, owner: Owner) -> Mapping[str, int] | None:
    keys = census.node_keys if owner.kind == "node" else census.edge_keys
    return None if keys is None else keys.get(owner.name, {})


def _label(name: str, count: Count, profiles: list[KeyProfile]) -> LabelInfo:
    naming, identifying = choose_naming(name, profiles)
    return LabelInfo(name, count, infos(profiles), naming, identifying)


def _by_count(counts: Mapping[str, Count]) -> list[tuple[str, Count]]:
    return sorted(counts.items(), key=lambda item: (-item[1].value, item[0]))


# --- the cache ---------------------------------------------------------------------------------------------------


def _is_fresh(schema: Schema, read_at: float) -> bool:
    """Whether nothing was left out of a schema, or lately: that may have been a busy hour."""
    return schema.complete or time.time() - read_at < _INCOMPLETE_SECONDS


def _remember(graph: Graph, schema: Schema, read_at: float) -> None:
    if id(graph) not in _remembered:
        weakref.finalize(graph, _remembered.pop, id(graph), None).atexit = False
    _remembered[id(graph)] = schema, read_at


def _cache_path(graph: Graph, folder: Path) -> Path:
    digest = hashlib.blake2b(f"{graph.dialect} {graph.name}".encode(), digest_size=8).hexdigest()
    readable = re.sub(r"[^\w.-]+", "-", graph.name)[-40:].strip("-.")
    return folder / "schemas" / f"{readable}-{digest}.json"


def _load(path: Path | None) -> tuple[Schema | None, float]:
    """The stored schema and when it was read, in seconds since the epoch."""
    if path is None:
        return None, 0.0
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        schema = schema_from_dict(data["schema"]) if data["format"] == _FORMAT else None
        return schema, path.stat().st_mtime
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None, 0.0


def _store(path: Path, schema: Schema) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    content = json.dumps({"format": _FORMAT, "schema": schema_to_dict(schema)}, ensure_ascii=False)
    # Whole or not at all: another process may read at any moment.
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.stem, suffix=".part")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(content)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
