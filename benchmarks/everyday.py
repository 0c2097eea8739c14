"""Questions as people type them over six invented graphs, through the public API, no model.

    python benchmarks/everyday.py
    python benchmarks/everyday.py --graphs hospital --fails

Graphs and questions (60 each, 75 of the league and the museum: lookups, filters, counts, aggregates, groups,
superlatives, conditions on counts, several hops, yes or no, comparisons) were written without sight of how questions
are read, those of the last two with labels that are not what people call the things. The gold rows were computed by
queries, or by a program over the data, and once more by another engine. An answer is right if its rows are the gold's,
further columns aside (a number shown beside what has the most); numbers to four digits. Precision is right over
answered. Each graph is loaded below --work.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from neo4j_labs import cell, holds
from paths import ROOT
from text2cypher import asked, show, show_fails, summary

from arcgraph import Agent, Answer, Settings, connect
from arcgraph.domain import Schema
from arcgraph.evaluate.record import run_record, write_record
from arcgraph.graph.load import load

DATA = Path(__file__).parent / "everyday"
GRAPHS = tuple(sorted(folder.name for folder in DATA.iterdir() if folder.is_dir()))


def graph_file(name: str, work: Path) -> Path:
    """The file of a graph, loaded where it is not there yet."""
    path = work / f"everyday-{name}.arc"
    if not path.exists():
        folder = DATA / name
        with connect(str(path), create=True) as graph:
            schema = folder / "schema.json"
            files = [folder / "nodes.jsonl.gz", folder / "rels.jsonl.gz"]
            load(files, graph, schema=schema if schema.exists() else None)
    return path


def run(name: str, options: argparse.Namespace, settings: Settings) -> list[dict[str, Any]]:
    """The scored questions of a graph."""
    with connect(str(graph_file(name, options.work)), settings=settings) as graph:
        agent = Agent(graph, settings=settings)
        agent.prepare()
        schema = graph.schema()
        lines = (DATA / name / "questions.jsonl").read_text(encoding="utf-8").splitlines()
        records = [json.loads(line) for line in lines]
        agent.ask(records[0]["question"])
        return [asked(agent, record, partial(_holds, schema=schema)) for record in records]


def _holds(answer: Answer, rows: Sequence[Sequence[Any]], schema: Schema) -> bool:
    """Whether some columns of an answer are the gold's."""
    found = [tuple(cell(value, schema) for value in row.values()) for row in answer.rows]
    return holds(found, [tuple(cell(value, schema) for value in row) for row in rows])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--graphs", nargs="+", default=list(GRAPHS), choices=list(GRAPHS), metavar="GRAPH")
    parser.add_argument("--fails", action="store_true", help="print each failed question with reading, status and gold")
    parser.add_argument("--work", type=Path, default=ROOT / "benchmarks" / "runs")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    settings = Settings.load()
    results: dict[str, Any] = {}
    every: list[dict[str, Any]] = []
    for name in options.graphs:
        items = run(name, options, settings)
        every += [{"set": name, **item} for item in items]
        results[name] = summary(items)
        show(name, results[name])
        if options.fails:
            show_fails(items)
    for kind in sorted({item["class"] for item in every}):
        results[kind] = summary([item for item in every if item["class"] == kind])
        show(kind, results[kind])
    results["all"] = summary(every)
    show("all", results["all"])
    given = {k: str(v) if isinstance(v, Path) else v for k, v in vars(options).items()}
    print("record:", write_record(run_record("everyday", settings, given, results, every), options.work))
    return 0


if __name__ == "__main__":
    sys.exit(main())
