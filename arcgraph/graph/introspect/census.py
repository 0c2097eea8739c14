"""How many there are of what, and between which labels: counted where it is cheap, else bounded and confirmed."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, product
from typing import TypeVar

from arcgraph.domain import RESERVED_KEY, RESERVED_LABEL, Count, Endpoint
from arcgraph.graph.base import GraphSummary
from arcgraph.graph.introspect.probe import Probe, Records, stretches
from arcgraph.graph.names import quote
from arcgraph.resources import cypher

# One statement of many counts costs the planner more than linear time; so few are asked at once.
_COUNTS_A_QUERY = 20
_PROBES_A_QUERY = 10
_PROBE_SECONDS = 2.0
_PAIRS = 2_000
_LISTED = 20_000
_LABELLESS_SCAN = 10_000
_LOADED_SAMPLE = 1_000

# Memgraph's procedure quotes what it lists.
_TICKED = re.compile(r"\A:`(.*)`\Z", re.DOTALL)

_Key = TypeVar("_Key", bound=Hashable)
_Item = TypeVar("_Item")

NO_LABEL = f"size([label IN labels(x) WHERE label <> '{RESERVED_LABEL}']) = 0"


Keys = dict[str, dict[str, int]]
"""Owner to key to how many of its elements carry it."""


@dataclass(slots=True)
class Census:
    """Counts of everything; ``node_keys`` and ``edge_keys`` only where one pass gave them."""

    nodes: Count
    edges: Count
    labels: dict[str, Count]
    types: dict[str, Count]
    endpoints: list[Endpoint]
    loaded: bool = False
    node_keys: Keys | None = None
    edge_keys: Keys | None = None


@dataclass(slots=True)
class CountStore:
    """What the server has counted. Without ``whole`` a missing pair is unknown, with it such edges do not exist."""

    labels: dict[str, int] = field(default_factory=dict)
    types: dict[str, int] = field(default_factory=dict)
    starts: dict[tuple[str, str], int] = field(default_factory=dict)
    ends: dict[tuple[str, str], int] = field(default_factory=dict)
    whole: bool = False


def visible(labels: Iterable[str]) -> tuple[str, ...]:
    """The labels that users know of; ``("",)`` where there are none."""
    return tuple(label for label in labels if label != RESERVED_LABEL) or ("",)


def take_census(probe: Probe) -> Census:
    """Count the graph: as told, else in one pass where that is cheap, else by count store, samples and probes."""
    told = probe.told()
    if told is not None:
        return _told_census(probe, told)
    nodes = probe.number("MATCH (n) RETURN count(n) AS n")
    edges = probe.number("MATCH ()-[r]->() RETURN count(r) AS n")
    all_nodes = _nodes_in_one_pass(probe, nodes)
    all_edges = _edges_in_one_pass(probe, edges)
    store = CountStore() if all_nodes and all_edges else read_count_store(probe)
    total = nodes if nodes is not None else sum(store.labels.values())
    labels, node_keys = all_nodes or (_labels_of(probe, store, total), None)
    types, endpoints, edge_keys = all_edges or (*_types_of(probe, store, labels), None)
    number = edges if edges is not None else sum(count.value for count in types.values())
    return Census(
        Count(total, exact=nodes is not None),
        Count(number, exact=edges is not None),
        labels,
        types,
        endpoints,
        is_loaded(probe, total),
        node_keys,
        edge_keys,
    )


def is_loaded(probe: Probe, nodes: int) -> bool:
    """Whether (nearly) all nodes carry the reserved id, judged by the reserved label's count and a sample."""
    match = f"MATCH (n:{quote(RESERVED_LABEL)})"
    reserved = probe.number(f"{match} RETURN count(n) AS n") or 0
    if nodes == 0 or reserved < 0.99 * nodes:
        return False
    key = quote(RESERVED_KEY)
    sampled = probe.number(f"{match} WITH n LIMIT {_LOADED_SAMPLE} WHERE n.{key} IS NOT NULL RETURN count(n) AS n")
    return (sampled or 0) >= 0.99 * min(nodes, _LOADED_SAMPLE)


# --- what the server tells by itself -----------------------------------------------------------------------------


def _told_census(probe: Probe, told: GraphSummary) -> Census:
    labels, types = Counter[str](), Counter[str]()
    ends = Counter[tuple[str, str, str]]()
    node_keys: dict[str, Counter[str]] = {}
    edge_keys: dict[str, Counter[str]] = {}
    for group in told.nodes:
        for label in visible(group.labels):
            labels[label] += group.count
            node_keys.setdefault(label, Counter()).update(_users_keys(group.keys))
    for edges in told.edges:
        types[edges.type] += edges.count
        edge_keys.setdefault(edges.type, Counter()).update(_users_keys(edges.keys))
        ends.update(dict.fromkeys(product(visible(edges.starts), (edges.type,), visible(edges.ends)), edges.count))
    total = sum(group.count for group in told.nodes)
    return Census(
        Count(total),
        Count(sum(types.values())),
        {name: Count(count) for name, count in labels.items()},
        {name: Count(count) for name, count in types.items()},
        [Endpoint(*triple, Count(count)) for triple, count in ends.items()],
        is_loaded(probe, total),
        {label: dict(counts) for label, counts in node_keys.items()},
        {type_: dict(counts) for type_, counts in edge_keys.items()},
    )


def _users_keys(keys: Mapping[str, int]) -> dict[str, int]:
    return {key: count for key, count in keys.items() if key != RESERVED_KEY}


# --- one pass ----------------------------------------------------------------------------------------------------


def _whole(probe: Probe) -> float:
    """How many elements are counted in one pass: where each count is a pass, too, one for all is always the better."""
    return math.inf if probe.dialect == "memgraph" else probe.budget.whole


def _nodes_in_one_pass(probe: Probe, nodes: int | None) -> tuple[dict[str, Count], Keys | None] | None:
    if nodes is None or nodes > _whole(probe):
        return None
    rows = probe.attempt(cypher("label_sets"))
    if rows is None:
        return None
    labels: Counter[str] = Counter()
    for names, count in rows:
        labels.update(dict.fromkeys(visible(names), count))
    keys = _node_keys(probe.attempt(cypher("node_keys", probe.dialect)))
    return {name: Count(count) for name, count in labels.items()}, keys


def _edges_in_one_pass(probe: Probe, edges: int | None) -> tuple[dict[str, Count], list[Endpoint], Keys | None] | None:
    if edges is None or edges > _whole(probe):
        return None
    rows = probe.attempt(cypher("endpoints")) if edges else []
    if rows is None:
        return None
    types: Counter[str] = Counter()
    ends: Counter[tuple[str, str, str]] = Counter()
    for starts, type_, stops, count in rows:
        types[type_] += count
        ends.update(dict.fromkeys(product(visible(starts), (type_,), visible(stops)), count))
    keys = _edge_keys(probe.attempt(cypher("edge_keys", probe.dialect)) if edges else [])
    endpoints = [Endpoint(*triple, Count(count)) for triple, count in ends.items()]
    return {name: Count(count) for name, count in types.items()}, endpoints, keys


def _node_keys(rows: Records | None) -> Keys | None:
    if rows is None:
        return None
    keys: dict[str, Counter[str]] = {}
    for names, key, count in rows:
        for label in visible(names):
            if key != RESERVED_KEY:
                keys.setdefault(label, Counter())[key] += count
    return {label: dict(counts) for label, counts in keys.items()}


def _edge_keys(rows: Records | None) -> Keys | None:
    if rows is None:
        return None
    keys: Keys = {}
    for type_, key, count in rows:
        if key != RESERVED_KEY:
            keys.setdefault(type_, {})[key] = count
    return keys


# --- the count store ---------------------------------------------------------------------------------------------


def _labels_of(probe: Probe, store: CountStore, nodes: int) -> dict[str, Count]:
    labels = {name: Count(n) for name, n in store.labels.items() if n and name != RESERVED_LABEL}
    bare = _labelless(probe, nodes, sum(count.value for count in labels.values()))
    return labels | ({"": Count(bare, exact=False)} if bare else {})


def _types_of(probe: Probe, store: CountStore, labels: Mapping[str, Count]) -> tuple[dict[str, Count], list[Endpoint]]:
    types = {name: Count(n) for name, n in store.types.items() if n}
    endpoints: list[Endpoint] = []
    allowance = [probe.budget.probes]
    for name, count in sorted(types.items(), key=lambda item: (item[1].value, item[0])):
        endpoints += _endpoints_of(probe, store, name, count.value, labels, allowance)
    if len(endpoints) > _LISTED:
        probe.complete = False
        endpoints = sorted(endpoints, key=lambda e: (not e.probed, -e.count.value))[:_LISTED]
    return types, endpoints


def read_count_store(probe: Probe) -> CountStore:
    """Counts per label and per type, and per label and type together where the server hands them out at once."""
    if probe.dialect == "neo4j":
        items = probe.optional(cypher("count_store", "neo4j"))
        if items is not None:
            return _store_of(items)
    store = CountStore()
    labels = _names(probe, "labels")
    types = _names(probe, "types")
    store.labels = _counts(probe, {label: f"(x:{quote(label)})" for label in labels})
    store.types = _counts(probe, {type_: f"()-[x:{quote(type_)}]->()" for type_ in types})
    return store


def _names(probe: Probe, kind: str) -> list[str]:
    """All labels, or all types, by the first of the ways to ask for them that the server knows."""
    if probe.dialect != "memgraph":
        return [row[0] for row in probe.rows(cypher(kind, probe.dialect)) or []]
    for way in ("kept", "procedure"):
        rows = probe.optional(cypher(f"{kind}_{way}", "memgraph"))
        if rows is not None:
            return [_TICKED.sub(r"\1", row[0]) for row in rows]
    probe.complete = False
    return [row[0] for row in probe.rows(cypher(f"{kind}_seen", "memgraph"), {"most": probe.budget.scan}) or []]


def _store_of(items: Records) -> CountStore:
    store = CountStore(whole=True)
    for label, type_, start, end, count in items:
        if label is not None:
            store.labels[label] = count
        elif type_ is not None and start is not None:
            store.starts[start, type_] = count
        elif type_ is not None and end is not None:
            store.ends[type_, end] = count
        elif type_ is not None:
            store.types[type_] = count
    return store


def _counts(probe: Probe, patterns: dict[_Key, str]) -> dict[_Key, int]:
    """How often each pattern of an ``x`` matches; what ran out of time is missing."""
    counts: dict[_Key, int] = {}
    for some in _batches(list(patterns.items()), _COUNTS_A_QUERY):
        # Aggregated before the constant joins: otherwise the planner scans instead of asking the count store.
        query = " UNION ALL ".join(
            f"MATCH {pattern} WITH count(x) AS n RETURN {i} AS i, n" for i, (_, pattern) in enumerate(some)
        )
        for i, count in probe.rows(query) or []:
            counts[some[i][0]] = count
    return counts


def _labelless(probe: Probe, nodes: int, labelled: int) -> int:
    """How many nodes without label there are at least: by the counts, else as seen in a sample."""
    query = f"MATCH (x) WITH x LIMIT {_LABELLESS_SCAN} WHERE {NO_LABEL} RETURN count(x) AS n"
    return max(0, nodes - labelled) or probe.number(query) or 0


# --- the endpoints of one type -----------------------------------------------------------------------------------


def _endpoints_of(
    probe: Probe, store: CountStore, type_: str, total: int, labels: Mapping[str, Count], allowance: list[int]
) -> list[Endpoint]:
    seen, exact = _sampled_endpoints(probe, type_, total)
    if exact:
        return [Endpoint(start, type_, end, Count(count)) for (start, end), count in seen.items()]
    starts, ends = _sides(probe, store, type_, labels)
    found: list[Endpoint] = []
    open_: list[Endpoint] = []
    size = sum(seen.values())
    for start, end in _candidates(seen, starts, ends):
        count = _bound(starts.get(start), ends.get(end), total)
        if count.exact:
            if count.value:
                found.append(Endpoint(start, type_, end, count))
        elif (start, end) in seen:
            share = max(1, round(seen[start, end] / size * total))
            found.append(Endpoint(start, type_, end, Count(min(share, count.value), exact=False)))
        else:
            open_.append(Endpoint(start, type_, end, count, probed=False))
    return found + _probed(probe, open_, allowance)


def _sampled_endpoints(probe: Probe, type_: str, total: int) -> tuple[Counter[tuple[str, str]], bool]:
    """Endpoint labels of all edges of a rare type, else of stretches of a frequent one; whether that was all."""
    seen: Counter[tuple[str, str]] = Counter()
    finished = True
    for skip, most in stretches(total, probe.budget.scan):
        query = (
            f"MATCH (a)-[r:{quote(type_)}]->(b) WITH a, b SKIP {skip} LIMIT {most} "
            "RETURN labels(a) AS starts, labels(b) AS ends, count(*) AS n"
        )
        rows = probe.rows(query)
        finished &= rows is not None
        for starts, ends, count in rows or []:
            seen.update(dict.fromkeys(product(visible(starts), visible(ends)), count))
    return seen, finished and total <= probe.budget.scan


def _sides(
    probe: Probe, store: CountStore, type_: str, labels: Mapping[str, Count]
) -> tuple[dict[str, int], dict[str, int]]:
    """Edges of the type that begin, and that end, at each label; a label that is missing is unknown or not there."""
    named = sorted((name for name in labels if name), key=lambda name: (-labels[name].value, name))
    if not store.whole and (missing := _unasked(store, type_, named)):
        room = max(0, _PAIRS - len(store.starts)) // 2
        if len(missing) > room:
            probe.complete = False
        asked = missing[:room]
        starts = _counts(probe, {name: f"(:{quote(name)})-[x:{quote(type_)}]->()" for name in asked})
        ends = _counts(probe, {name: f"()-[x:{quote(type_)}]->(:{quote(name)})" for name in asked})
        store.starts.update({(name, type_): n for name, n in starts.items()})
        store.ends.update({(type_, name): n for name, n in ends.items()})
    return (
        {name: n for name in named if (n := store.starts.get((name, type_), 0))},
        {name: n for name in named if (n := store.ends.get((type_, name), 0))},
    )


def _unasked(store: CountStore, type_: str, labels: Sequence[str]) -> list[str]:
    return [name for name in labels if (name, type_) not in store.starts]


def _candidates(
    seen: Counter[tuple[str, str]], starts: dict[str, int], ends: dict[str, int]
) -> Iterator[tuple[str, str]]:
    yield from seen
    by_weight = sorted(product(starts, ends), key=lambda pair: (-min(starts[pair[0]], ends[pair[1]]), pair))
    yield from (pair for pair in islice(by_weight, _LISTED) if pair not in seen)


def _bound(start: int | None, end: int | None, total: int) -> Count:
    """Edges of a triple: exact where all edges of the type share one side, else at most the smaller side."""
    if start == total and end is not None:
        return Count(end)
    if end == total and start is not None:
        return Count(start)
    return Count(min(n for n in (start, end, total) if n is not None), exact=False)


def _probed(probe: Probe, triples: list[Endpoint], allowance: list[int]) -> list[Endpoint]:
    """The triples that exist, each confirmed by its first edge; those beyond the allowance stay unprobed."""
    asked, rest = triples[: allowance[0]], triples[allowance[0] :]
    allowance[0] -= len(asked)
    kept: list[Endpoint] = []
    for some in _batches(asked, _PROBES_A_QUERY):
        kept += _confirm(probe, some)
    if rest:
        probe.complete = False
    return kept + rest


def _confirm(probe: Probe, triples: list[Endpoint]) -> list[Endpoint]:
    query = " UNION ALL ".join(f"{_first_edge(triple)} RETURN {i} AS i LIMIT 1" for i, triple in enumerate(triples))
    rows = probe.rows(query, seconds=_PROBE_SECONDS)
    if rows is None:
        if len(triples) == 1 or probe.seconds_left == 0:
            return triples
        half = len(triples) // 2
        return _confirm(probe, triples[:half]) + _confirm(probe, triples[half:])
    found = {row[0] for row in rows}
    return [Endpoint(t.start, t.type, t.end, t.count) for i, t in enumerate(triples) if i in found]


def _first_edge(triple: Endpoint) -> str:
    return f"MATCH (:{quote(triple.start)})-[:{quote(triple.type)}]->(:{quote(triple.end)})"


def _batches(items: list[_Item], size: int) -> Iterator[list[_Item]]:
    for at in range(0, len(items), size):
        yield items[at : at + size]
