"""Questions that a model wrote for four graphs, against what their gold queries return, leniently scored, no model.

    python benchmarks/neo4j_labs.py
    python benchmarks/neo4j_labs.py --sets movies --graph bolt://localhost:7687 --n 100 --fails

Of the pairs whose gold returned rows where it was written (``ocg_status``) up to ``--n`` a graph are drawn; the gold is
run where the question is asked, in a file below --work or with --graph in a server that holds that graph, and pairs
whose gold fails or is empty there are left out and counted.

``right`` is lenient: a node equals its naming property, the gold's columns may stand among others and in any order,
and where the gold cuts its rows off without sorting them, as many of its uncut rows will do. ``fewer`` also counts
answers that lack columns of the gold's. The golds are a model's and read questions loosely, so neither share is how
many answers are right; they say where to look. Data: ARCGRAPH_DATA.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from statistics import fmean
from typing import Any

from paths import DATA, ROOT, graph_file
from text2cypher import show, summary

from arcgraph import Agent, Answer, Settings, connect
from arcgraph.answer.evidence import name_of
from arcgraph.domain import Edge, Node, Schema
from arcgraph.errors import ArcgraphError
from arcgraph.evaluate.record import run_record, write_record
from arcgraph.graph.values import to_plain

PAIRS = DATA / "text2cypher"
SETS = {"movies": "movies", "network": "network", "fincen": "fincen", "stackoverflow": "stackoverflow2"}
SECONDS, ROWS = 30.0, 20_000
_LIMIT = re.compile(r"\s*\bLIMIT\s+\d+\s*;?\s*$", re.IGNORECASE)
_SORTED = re.compile(r"\bORDER\s+BY\b", re.IGNORECASE)
Row = tuple[str, ...]


def pairs(name: str, n: int, seed: int) -> list[dict[str, Any]]:
    """At most ``n`` pairs of a graph that had rows, drawn by ``seed``, in the file's order; no question twice."""
    with gzip.open(PAIRS / f"neo4jlabs_{SETS[name]}.jsonl.gz", "rt", encoding="utf-8") as lines:
        records = {r["question"]: r for r in map(json.loads, lines) if r["ocg_status"] == "rows"}
    chosen = set(random.Random(seed).sample(sorted(records), min(n, len(records))))
    return [record for question, record in records.items() if question in chosen]


# --- gold and score ------------------------------------------------------------------------------------------------


def gold_rows(graph: Any, cypher: str, schema: Schema) -> list[Row]:
    """What a query returns, in the form in which cells are compared; no rows where it cannot be run."""
    try:
        return [tuple(cell(value, schema) for value in row) for row in graph.run(cypher, timeout=SECONDS, limit=ROWS)]
    except ArcgraphError:
        return []


def cell(value: Any, schema: Schema) -> str:
    """A value as a text: a node is its name, an edge its properties, numbers are to four digits."""
    match value:
        case Node():
            return cell(name_of(value, schema), schema)
        case Edge():
            return cell(dict(value.properties), schema)
        case bool() | None:
            return str(value)
        case int() | float():
            return str(int(value)) if float(value).is_integer() else f"{value:.4g}"
        case list() | tuple():
            return "[" + ", ".join(sorted(cell(item, schema) for item in value)) + "]"
        case Mapping():
            return "{" + ", ".join(f"{k}: {cell(v, schema)}" for k, v in sorted(value.items())) + "}"
    return str(to_plain(value)).strip()


def holds(rows: Sequence[Row], gold: Sequence[Row]) -> bool:
    """Whether some of the rows' columns, in some order, are the gold's."""
    if not rows or not gold:
        return False
    wanted, columns = set(gold), list(zip(*rows, strict=True))
    able = [[i for i, column in enumerate(columns) if set(column) == set(one)] for one in zip(*gold, strict=True)]
    return any({tuple(row[i] for i in places) for row in rows} == wanted for places in product(*able))


def holds_some(rows: Sequence[Row], gold: Sequence[Row], most: int) -> bool:
    """Whether the rows are ``most`` of the gold's, or all where it has fewer."""
    if not rows or not gold or len(set(rows)) != min(most, len(set(gold))):
        return False
    wanted, columns = set(gold), list(zip(*rows, strict=True))
    able = [[i for i, column in enumerate(columns) if set(column) <= set(one)] for one in zip(*gold, strict=True)]
    return any({tuple(row[i] for i in places) for row in rows} <= wanted for places in product(*able))


def judged(answer: Answer, graph: Any, cypher: str, gold: Sequence[Row], schema: Schema) -> tuple[bool, bool]:
    """Whether the rows of an answer are those of the gold query, and whether they are but for columns they lack."""
    rows = [tuple(cell(value, schema) for value in row.values()) for row in answer.rows]
    if answer.status != "answered":
        return False, False
    right, fewer = holds(rows, gold), holds(gold, rows)
    if not right and _LIMIT.search(cypher) and not _SORTED.search(cypher):
        uncut = gold_rows(graph, _LIMIT.sub("", cypher), schema)
        right = holds(rows, uncut) or holds_some(rows, uncut, len(gold))
    return right, right or fewer


# --- run -----------------------------------------------------------------------------------------------------------


def run(
    name: str, drawn: Sequence[Mapping[str, Any]], options: argparse.Namespace, settings: Settings
) -> Iterator[dict[str, Any]]:
    """The scored questions of a graph, of the pairs drawn."""
    graph = connect(options.graph or str(graph_file(name, "typed", options.work)), settings=settings)
    try:
        agent = Agent(graph, settings=settings)
        agent.prepare()
        schema = graph.schema()
        for pair in drawn:
            gold = gold_rows(graph, pair["cypher"], schema)
            if not gold:
                continue
            began = time.perf_counter()
            answer = agent.ask(pair["question"])
            seconds = time.perf_counter() - began
            right, fewer = judged(answer, graph, pair["cypher"], gold, schema)
            yield {
                "set": name,
                "class": pair["type"],
                "question": pair["question"],
                "status": str(answer.status),
                "right": right,
                "fewer": fewer,
                "confidence": answer.confidence,
                "seconds": seconds,
                "answer": answer.text[:300],
                "query": answer.queries[-1].cypher if answer.queries else "",
                "rows": str(answer.rows)[:200],
                "gold": str(gold[:8])[:200],
                "cypher": pair["cypher"],
            }
    finally:
        graph.close()


def show_fail(item: Mapping[str, Any]) -> None:
    """A question that was not answered as the gold has it."""
    print(f"[{item['class']}] {item['question']}\n    gold {' '.join(item['cypher'].split())}")
    print(f"    {item['status']} {item['confidence']:.2f}: {item['answer']}\n    query {item['query']}")
    print(f"    rows {item['rows'][:160]}\n    gold {item['gold'][:160]}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", nargs="+", default=list(SETS), choices=list(SETS), metavar="SET")
    parser.add_argument("--graph", help="a server that holds the one graph of --sets")
    parser.add_argument("--n", type=int, default=100, help="questions a graph")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--fails",
        action="store_true",
        help="print each question that is not right even so, with reading, status and gold",
    )
    parser.add_argument("--work", type=Path, default=ROOT / "benchmarks" / "runs")
    options = parser.parse_args()
    if options.graph and len(options.sets) != 1:
        parser.error("--graph holds one graph: name it with --sets")
    if not (PAIRS / "neo4jlabs_movies.jsonl.gz").exists():
        print(f"the pairs are not at {PAIRS}: set ARCGRAPH_DATA", file=sys.stderr)
        return 2
    settings = Settings.load()
    results, every = {}, []
    for name in options.sets:
        drawn = pairs(name, options.n, options.seed)
        items = list(run(name, drawn, options, settings))
        every += items
        results[name] = summary(items) | {"left_out": len(drawn) - len(items)}
        results[name]["fewer"] = fmean(item["fewer"] for item in items)
        show(name, results[name])
        print(f"    with fewer columns {results[name]['fewer']:.3f}; {results[name]['left_out']} pairs left out")
        for item in items if options.fails else ():
            if not item["fewer"]:
                show_fail(item)
    given = {k: str(v) if isinstance(v, Path) else v for k, v in vars(options).items()}
    print("record:", write_record(run_record("neo4j_labs", settings, given, results, every), options.work))
    return 0


if __name__ == "__main__":
    sys.exit(main())
