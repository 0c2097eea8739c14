"""Every back end returns for random patterns exactly what a brute-force matcher finds."""

from __future__ import annotations

import json
import random
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import oracle
import pytest

from arcgraph.graph.guard import check
from arcgraph.graph.load import load
from arcgraph.graph.memgraph_grammar import lacking

PATTERNS = 5_500
GRAPHS = 10
SEED = 20260101
# What a run must meet at least 200 times each, so that agreement means something.
FEATURES = {
    "0 hops",
    "1 hops",
    "2 hops",
    "3 hops",
    "absent",
    "absent 1 hops",
    "absent 2 hops",
    "absent filter",
    "aggregate avg",
    "aggregate collect",
    "aggregate count",
    "aggregate exists",
    "aggregate max",
    "aggregate min",
    "aggregate sum",
    "aggregates what is optional",
    "any relation",
    "asides",
    "binding",
    "choice with a condition",
    "calculation",
    "choices",
    "cycle",
    "difference",
    "direction both",
    "direction in",
    "direction out",
    "distinct",
    "filter <",
    "filter <=",
    "filter <>",
    "filter =",
    "filter >",
    "filter >=",
    "filter between properties",
    "filter contains",
    "filter denied",
    "filter overlaps",
    "filter ends with",
    "filter in",
    "filter is not null",
    "filter is null",
    "filter starts with",
    "grouped",
    "grouped with a condition",
    "grouping",
    "having",
    "label",
    "limit",
    "no label",
    "optional",
    "order",
    "parallel edges in the graph",
    "predicate descriptor",
    "returns entity",
    "returns id",
    "returns name",
    "returns title",
    "returns type",
    "self-loop",
    "several bindings",
    "several descriptors",
    "skip",
    "yardstick",
}


def write_jsonl(graph: oracle.SmallGraph, folder: Path) -> list[Path]:
    nodes, rels = folder / "nodes.jsonl", folder / "rels.jsonl"
    nodes.write_text(
        "".join(
            json.dumps({"id": v.id, "labels": sorted(v.labels), "props": v.props}) + "\n"
            for v in graph.vertices.values()
        )
    )
    rels.write_text(
        "".join(
            json.dumps({"start": a.start, "type": a.type, "end": a.end, "props": a.props}) + "\n" for a in graph.arcs
        )
    )
    return [nodes, rels]


def wrong(graph: Any, small: oracle.SmallGraph, pattern: Any) -> tuple[str, bool]:
    text, params = pattern.to_cypher(graph.dialect)
    rows = graph.read(text, params, limit=None)
    got = [tuple(oracle.comparable(v) for v in record) for record in rows]
    reason = oracle.difference(small, pattern, got)
    # The embedded engine names no columns, or those before it, where an OPTIONAL MATCH had nothing to begin at.
    is_nothing = bool(pattern.optional) and not got and (not rows.columns or pattern.yardstick is not None)
    if rows.columns != tuple(p.name for p in pattern.returns) and not is_nothing:
        reason = f"columns {rows.columns}"
    return (f"{reason}\n{text}\n{params}" if reason else ""), bool(got)


@pytest.mark.timeout(1800)
def test_random_patterns_agree_with_brute_force(graph: Any, tmp_path: Path) -> None:
    rng = random.Random(SEED)
    features: Counter[str] = Counter()
    returned = 0
    for _ in range(GRAPHS):
        small = oracle.random_graph(rng)
        graph.write("MATCH (n) DETACH DELETE n")
        load(write_jsonl(small, tmp_path), graph)
        patterns = [oracle.random_pattern(rng, small) for _ in range(PATTERNS // GRAPHS)]
        # Two at once: nearly all of the time goes into a server's planning of ever new texts.
        with ThreadPoolExecutor(2) as pool:
            for pattern, (reason, nonempty) in zip(
                patterns, pool.map(partial(wrong, graph, small), patterns), strict=True
            ):
                features.update(oracle.features(small, pattern))
                assert not reason, reason
                returned += nonempty
    assert returned >= 0.6 * PATTERNS
    rare = {name: features[name] for name in FEATURES if features[name] < 200}
    assert not rare, f"met too seldom: {rare}"


def test_what_is_compiled_passes_the_gate() -> None:
    rng = random.Random(SEED)
    small = oracle.random_graph(rng)
    for _ in range(300):
        pattern = oracle.random_pattern(rng, small)
        for dialect, lacks in (("neo4j", None), ("memgraph", lacking)):
            text, _params = pattern.to_cypher(dialect)
            assert check(text, lacking=lacks).reasons == (), text


def test_the_matcher_itself_by_hand() -> None:
    a = oracle.Vertex("a", frozenset({"Alpha"}), {"name": "ann"})
    b = oracle.Vertex("b", frozenset(), {})
    arcs = [
        oracle.Arc(0, "a", "LINKS", "b", {}),
        oracle.Arc(1, "a", "LINKS", "b", {}),
        oracle.Arc(2, "a", "X", "a", {}),
    ]
    small = oracle.SmallGraph({"a": a, "b": b}, arcs)
    two_hops = oracle.Pattern(
        (oracle.PatternNode("x"), oracle.PatternNode("y"), oracle.PatternNode("z")),
        (
            oracle.Hop("r", "x", "y", (oracle.Descriptor("LINKS"),)),
            oracle.Hop("s", "y", "z", (oracle.Descriptor("LINKS"),), oracle.Direction.IN),
        ),
        returns=(oracle.Projection(oracle.Entity("z"), "z"),),
    )
    # Out over one parallel edge and back over the other: two trails, and none that uses one edge twice.
    assert oracle.all_rows(small, two_hops) == [(("node", "a"),), (("node", "a"),)]
    loop = oracle.Pattern(
        (oracle.PatternNode("x"),),
        (oracle.Hop("r", "x", "x", (), oracle.Direction.BOTH),),
        returns=(oracle.Projection(oracle.Aggregate("count"), "n"),),
    )
    assert oracle.all_rows(small, loop) == [(1,)]
    unnamed = oracle.Pattern(
        (oracle.PatternNode("x"),),
        filters=(oracle.Filter(oracle.Property("x", "name"), "<>", "bob"),),
        returns=(oracle.Projection(oracle.Property("x", "name"), "n"),),
    )
    # What is unknown is not different.
    assert oracle.all_rows(small, unnamed) == [("ann",)]


def test_parts_of_moments_are_told_alike_on_each_engine(graph: Any, tmp_path: Path) -> None:
    moments = [
        {"day": "2021-03-05", "at": "2021-03-05T10:00:00", "zoned": "2021-03-05T23:30:00Z", "text": "2021-03-05"},
        {"day": "2021-11-20", "at": "1999-12-31T23:59:59", "zoned": "2022-01-01T00:00:00Z", "text": "unknown"},
        {"text": "2022-03-01T08:00:00"},
    ]
    nodes, types = tmp_path / "nodes.jsonl", tmp_path / "schema.json"
    nodes.write_text(
        "".join(json.dumps({"id": str(i), "labels": ["Log"], "props": m}) + "\n" for i, m in enumerate(moments))
    )
    kinds = {"day": "date", "at": "localdatetime", "zoned": "datetime", "text": "string"}
    types.write_text(json.dumps({"property_types": {key: {kind: 1} for key, kind in kinds.items()}}))
    load([nodes], graph, schema=types)

    def told(key: str, part: Any) -> Counter[Any]:
        column = oracle.Projection(oracle.Property("x", key, part=part), part)
        number = oracle.Projection(oracle.Aggregate("count"), "n")
        pattern = oracle.Pattern((oracle.PatternNode("x", ("Log",)),), returns=(column, number))
        query, params = pattern.to_cypher(graph.dialect)
        return Counter({row[0]: row[1] for row in graph.read(query, params, timeout=10, limit=10)})

    assert told("day", "year") == {2021: 2, None: 1}
    assert told("day", "month") == {"2021-03": 1, "2021-11": 1, None: 1}
    assert told("at", "year") == {2021: 1, 1999: 1, None: 1}
    assert told("zoned", "month") == {"2021-03": 1, "2022-01": 1, None: 1}
    # A text that is no moment has no year.
    assert told("text", "year") == {2021: 1, 2022: 1, None: 1}
