"""What each part of the ranking brings: F1 with one part changed at a time, on several graphs.

    python benchmarks/ablation.py --n 200 --seed 0 [--graph TARGET]     # MetaQA's dev questions, a column a hop
    python benchmarks/ablation.py --paths [--graphs movies gdsc]        # benchmarks/paths, a column a graph

Weights are halved, doubled and set to nothing, so that it shows whether they are flat around their values.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any

import metaqa
import paths

from arcgraph import Agent, Settings, connect
from arcgraph.answer.compose import entities
from arcgraph.domain import Schema
from arcgraph.evaluate.metrics.answer_set import answer_set
from arcgraph.evaluate.record import run_record, write_record
from arcgraph.graph.base import Graph
from arcgraph.interpret.execute import Runner
from arcgraph.interpret.reader import Reader
from arcgraph.interpret.score import Weights
from arcgraph.interpret.terms import Calibration
from arcgraph.tracing import Trace

PARTS = ("coverage", "support", "answer", "order", "direction", "surplus")


def variants() -> dict[str, tuple[Weights, Calibration]]:
    """Name to weights and calibration; the first is the one in use."""
    weights, calibration = Weights(), Calibration()
    found = {"as it is": (weights, calibration)}
    for part in PARTS:
        for name, factor in (("without", 0.0), ("half", 0.5), ("twice", 2.0)):
            found[f"{part}: {name}"] = (replace(weights, **{part: getattr(weights, part) * factor}), calibration)
    found["stems: without"] = (weights, replace(calibration, stem=0.0))
    for field, value in (("temperature", 0.07), ("temperature", 0.14), ("null", 0.2), ("null", 0.4)):
        found[f"{field}: {value}"] = (weights, replace(calibration, **{field: value}))
    return found


def f1_by_hop(reader: Reader, runner: Runner, options: argparse.Namespace, schema: Schema) -> list[float]:
    """Mean F1 for each hop count; the best reading that holds is the answer, abstention aside."""
    means = []
    for hops in options.hops:
        scores = []
        for item in metaqa.questions(hops, options.n, options.seed):
            read = reader.read(item.question)
            runs = runner.run(read.readings, read.candidates, Trace())
            rows = runs[-1].rows if runs and runs[-1].found else None
            names = [e.name for e in entities(rows, schema)] if rows is not None else []
            scores.append(answer_set([n for n in names if n != item.topic], item.gold).f1)
        means.append(fmean(scores))
    return means


def f1_by_graph(graph: Graph, name: str, settings: Settings) -> dict[str, float]:
    """Mean F1 of each variant on the path questions of one graph, typed; only questions that list entities."""
    agent = Agent(graph, settings=settings)
    index, schema = agent.prepare(), graph.schema()
    runner = Runner(graph, schema, settings.ask, settings.graph.timeout)
    golds = {q.id: (q, paths.gold(graph, q)) for q in paths.questions([name]) if q.shape != "description"}
    items = [(q, gold) for q, gold in golds.values() if isinstance(gold, frozenset)]
    means = {}
    for variant, (weights, calibration) in variants().items():
        reader = Reader(
            graph, schema, index, index.embed_words, settings.ask, None, weights=weights, calibration=calibration
        )
        scores = []
        for item, gold in items:
            read = reader.read(item.question)
            runs = runner.run(read.readings, read.candidates, Trace())
            rows = runs[-1].rows if runs and runs[-1].found else None
            names = [e.name for e in entities(rows, schema)] if rows is not None else []
            scores.append(answer_set(names, gold).f1)
        means[variant] = fmean(scores)
    return means


def over_graphs(options: argparse.Namespace, settings: Settings) -> dict[str, Any]:
    """Variant to mean F1 by graph; printed with the mean over graphs."""
    results: dict[str, Any] = {}
    for name in options.graphs:
        with connect(str(paths.graph_file(name, "typed", options.work)), settings=settings) as graph:
            results[name] = f1_by_graph(graph, name, settings)
        print(f"{name}: {results[name]['as it is']:.3f} as it is", flush=True)
    for variant in variants():
        row = [results[name][variant] for name in options.graphs]
        print(f"{variant:24s}" + "".join(f"{f1:8.3f}" for f1 in row) + f"   mean {fmean(row):.3f}")
    return results


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--graph", help="a graph that already holds MetaQA")
    parser.add_argument("--paths", action="store_true", help="the path questions of several graphs instead")
    parser.add_argument(
        "--graphs", nargs="+", default=list(paths.SOURCES), choices=list(paths.SOURCES), metavar="GRAPH"
    )
    parser.add_argument("--no-labels", action="store_true")
    parser.add_argument("--n", type=int, default=200, help="questions a hop")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--hops", type=int, nargs="+", default=[1, 2, 3], choices=[1, 2, 3])
    parser.add_argument("--work", type=Path, default=metaqa.ROOT / "benchmarks" / "runs")
    options = parser.parse_args()
    settings = Settings.load()
    given = {k: str(v) if isinstance(v, Path) else v for k, v in vars(options).items()}
    if options.paths:
        results = over_graphs(options, settings)
        print("record:", write_record(run_record("ablation", settings, given, results), options.work))
        return 0
    graph = metaqa.open_target(options, settings)
    try:
        agent = Agent(graph, settings=settings)
        index = agent.prepare()
        runner = Runner(graph, graph.schema(), settings.ask, settings.graph.timeout)
        results = {}
        for name, (weights, calibration) in variants().items():
            reader = Reader(
                graph,
                graph.schema(),
                index,
                index.embed_words,
                settings.ask,
                settings.cache.dir,
                weights=weights,
                calibration=calibration,
            )
            results[name] = f1_by_hop(reader, runner, options, graph.schema())
            print(f"{name:24s}" + "".join(f"{f1:8.3f}" for f1 in results[name]), flush=True)
    finally:
        graph.close()
    print("record:", write_record(run_record("ablation", settings, given, results), options.work))
    return 0


if __name__ == "__main__":
    sys.exit(main())
