"""MetaQA's dev questions through the public API, no model: answers, path quality and latency per hop.

    python benchmarks/metaqa.py --n 500 --seed 0          # 500 questions a hop
    python benchmarks/metaqa.py                           # all 39,138 of them
    python benchmarks/metaqa.py --graph bolt://localhost:7687

Without --graph the graph is loaded into a file under --work first. The brackets around the topic entity are stripped:
anchors are found, not given. Data: ARCGRAPH_DATA/metaqa (MetaQA, CC BY 3.0).
"""

from __future__ import annotations

import argparse
import gzip
import os
import random
import re
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import fmean
from typing import Any

from arcgraph import Agent, Answer, Settings, connect
from arcgraph.errors import ArcgraphError
from arcgraph.evaluate.metrics.answer_set import answer_set
from arcgraph.evaluate.metrics.golden_proximity import golden_proximity
from arcgraph.evaluate.metrics.hits import hits_at
from arcgraph.evaluate.metrics.latency import percentile
from arcgraph.evaluate.record import run_record, write_record
from arcgraph.graph.load import load
from arcgraph.search.embed import choose_embedder, uncached

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("ARCGRAPH_DATA", ROOT.parent / "shared" / "data")) / "metaqa"
# The relation, and whether it is followed from subject to object, behind each word of MetaQA's question types.
GOLD_STEPS = {
    ("movie", "director"): ("directed_by", True),
    ("movie", "writer"): ("written_by", True),
    ("movie", "actor"): ("starred_actors", True),
    ("movie", "year"): ("release_year", True),
    ("movie", "language"): ("in_language", True),
    ("movie", "genre"): ("has_genre", True),
    ("movie", "tags"): ("has_tags", True),
    ("movie", "imdbrating"): ("has_imdb_rating", True),
    ("movie", "imdbvotes"): ("has_imdb_votes", True),
}
PERCENTAGES = ("recall", "precision", "f1", "exact", "hits_at_1", "proximity_paper", "proximity_gold")


@dataclass(frozen=True)
class Item:
    """One question: its text without brackets, topic entity, gold answers and question type."""

    question: str
    topic: str
    gold: frozenset[str]
    type: str


class Edges:
    """MetaQA's triples, for the gold paths only: nothing here is seen by the product."""

    def __init__(self) -> None:
        self._step: dict[tuple[str, str, bool], set[str]] = defaultdict(set)
        self._around: dict[str, set[str]] = defaultdict(set)
        with gzip.open(DATA / "kb.txt.gz", "rt", encoding="utf-8") as lines:
            for line in lines:
                subject, relation, object_ = line.rstrip("\n").split("|")
                self._step[subject, relation, True].add(object_)
                self._step[object_, relation, False].add(subject)
                self._around[subject].add(object_)
                self._around[object_].add(subject)

    def on_gold_path(self, item: Item) -> set[str]:
        """Entities strictly between topic and answers on the relation path of the question's type."""
        words = [w.replace("tag", "tags") if w == "tag" else w for w in item.type.split("_to_")]
        steps = [GOLD_STEPS.get(pair) or _reversed(GOLD_STEPS[pair[1], pair[0]]) for pair in pairwise(words)]
        levels = [{item.topic}]
        for relation, forward in steps:
            levels.append(set().union(*(self._step[e, relation, forward] for e in levels[-1])) - {item.topic})
        # Only what leads on to an answer lies between: an actor of one single film is a dead end.
        for i in range(len(steps) - 1, 0, -1):
            relation, forward = steps[i]
            levels[i] = {e for e in levels[i] if self._step[e, relation, forward] & levels[i + 1]}
        return set().union(*levels[1:-1]) - item.gold - {item.topic}

    def on_any_path(self, item: Item, hops: int) -> set[str]:
        """Entities strictly between on any path of ``hops`` edges from topic to an answer."""
        forward = [{item.topic}]
        for _ in range(hops - 1):
            forward.append(set().union(*(self._around[e] for e in forward[-1])))
        backward = [set(item.gold)]
        for _ in range(hops - 1):
            backward.append(set().union(*(self._around[e] for e in backward[-1])))
        between = set().union(*(forward[i] & backward[hops - i] for i in range(1, hops)))
        return between - item.gold - {item.topic}


def _reversed(step: tuple[str, bool]) -> tuple[str, bool]:
    return step[0], not step[1]


def questions(hops: int, n: int | None, seed: int) -> list[Item]:
    """The dev questions of a hop count: all, or ``n`` drawn with a seed."""
    with gzip.open(DATA / f"qa_dev_{hops}hop.txt.gz", "rt", encoding="utf-8") as lines:
        rows = lines.read().splitlines()
    with gzip.open(DATA / f"qa_dev_qtype_{hops}hop.txt.gz", "rt", encoding="utf-8") as lines:
        types = lines.read().splitlines()
    chosen = range(len(rows)) if n is None else sorted(random.Random(seed).sample(range(len(rows)), min(n, len(rows))))
    return [_item(rows[i], types[i]) for i in chosen]


def _item(row: str, kind: str) -> Item:
    text, answers = row.split("\t")
    topic = re.search(r"\[(.*)\]", text)
    assert topic is not None
    return Item(text.replace("[", "").replace("]", ""), topic.group(1), frozenset(answers.split("|")), kind)


def score(item: Item, hops: int, answer: Answer, edges: Edges, seconds: float, paper: bool) -> dict[str, Any]:
    """All figures of one question."""
    ranked = [e.name for e in answer.entities if e.name != item.topic]
    sets = answer_set(ranked, item.gold)
    retrieved = {str(n.properties.get("name")) for n in answer.witness.nodes.values()} | set(ranked)
    return {
        "question": item.question,
        "type": item.type,
        "status": str(answer.status),
        "reading": answer.queries[0].reading if answer.queries else "",
        "confidence": round(answer.confidence, 4),
        "seconds": seconds,
        "calls": answer.usage.calls,
        **sets._asdict(),
        "hits_at_1": hits_at(1, ranked, item.gold),
        "proximity_gold": golden_proximity(retrieved, edges.on_gold_path(item)) if hops > 1 else None,
        "proximity_paper": golden_proximity(retrieved, edges.on_any_path(item, hops)) if hops > 1 and paper else None,
    }


def summary(items: list[dict[str, Any]]) -> dict[str, Any]:
    """Means over one hop count; a metric that could not be scored for a question leaves it out."""
    means = {}
    for name in PERCENTAGES:
        values = [i[name] for i in items if i[name] is not None]
        means[name] = fmean(values) if values else None
    seconds = [i["seconds"] for i in items]
    return {
        "questions": len(items),
        **means,
        "answered": sum(i["status"] == "answered" for i in items),
        "model_calls": sum(i["calls"] for i in items),
        "p50_ms": percentile(seconds, 50) * 1000,
        "p95_ms": percentile(seconds, 95) * 1000,
    }


def show(hops: int, figures: dict[str, Any]) -> None:
    """One line a hop count."""
    means = "  ".join(f"{name} {figures[name]:.3f}" for name in PERCENTAGES if figures[name] is not None)
    print(
        f"{hops} hop  n {figures['questions']}  answered {figures['answered']}  {means}  "
        f"calls {figures['model_calls']}  p50 {figures['p50_ms']:.1f} ms  p95 {figures['p95_ms']:.1f} ms",
        flush=True,
    )


def open_target(options: argparse.Namespace, settings: Settings) -> Any:
    """The graph asked for, or MetaQA loaded into a file."""
    if options.graph:
        return connect(options.graph, settings=settings)
    path = options.work / f"metaqa-{'plain' if options.no_labels else 'labels'}.arc"
    if not path.exists():
        options.work.mkdir(parents=True, exist_ok=True)
        graph = connect(str(path), create=True)
        began = time.perf_counter()
        labels = None if options.no_labels else DATA / "labels.json"
        report = load([DATA / "kb.txt.gz"], graph, labels=labels)
        print(f"loaded {report.nodes} nodes and {report.relationships} edges in {time.perf_counter() - began:.1f} s")
        graph.close()
    return connect(str(path), settings=settings)


def run(options: argparse.Namespace, agent: Agent) -> Iterator[tuple[int, list[dict[str, Any]]]]:
    """The scored questions, hop by hop."""
    edges = Edges()
    for hops in options.hops:
        found = []
        for item in questions(hops, options.n, options.seed):
            began = time.perf_counter()
            answer = agent.ask(item.question)
            found.append(
                score(item, hops, answer, edges, time.perf_counter() - began, not options.skip_paper_proximity)
            )
        yield hops, found


def embedding_p50_ms(items: list[dict[str, Any]], settings: Settings) -> float | None:
    """The median time to embed one of the questions with the sentence model; ``None`` where it is not installed."""
    try:
        chosen = choose_embedder(settings.search.model_copy(update={"embedder": "local"}), "names")
    except ArcgraphError:
        return None
    embedder = uncached(chosen.embedder) if chosen.embedder is not None else None
    if embedder is None:
        return None
    embedder.embed(["warm up"])
    seconds = []
    for item in items[:: max(1, len(items) // 200)]:
        began = time.perf_counter()
        embedder.embed([item["question"]])
        seconds.append(time.perf_counter() - began)
    return percentile(seconds, 50) * 1000


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--graph", help="a graph that already holds MetaQA")
    parser.add_argument("--no-labels", action="store_true", help="load the bare triples, one label for all")
    parser.add_argument("--n", type=int, help="questions a hop; default all")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--hops", type=int, nargs="+", default=[1, 2, 3], choices=[1, 2, 3])
    parser.add_argument("--skip-paper-proximity", action="store_true", help="it enumerates every path: slow at 3 hops")
    parser.add_argument("--work", type=Path, default=ROOT / "benchmarks" / "runs")
    options = parser.parse_args()
    if not DATA.is_dir():
        print(f"MetaQA is not at {DATA}: set ARCGRAPH_DATA to the folder that holds metaqa/", file=sys.stderr)
        return 2
    settings = Settings.load()
    graph = open_target(options, settings)
    try:
        agent = Agent(graph, settings=settings)
        agent.prepare()
        results, items = {}, []
        for hops, found in run(options, agent):
            results[str(hops)] = summary(found)
            items += found
            show(hops, results[str(hops)])
        one = embedding_p50_ms(items, settings)
        if one is not None:
            of = percentile([i["seconds"] for i in items], 50) * 1000 / one
            results["embedding"] = {"p50_ms": one, "ratio": of}
            print(
                f"embedding one question by the sentence model: p50 {one:.1f} ms; a question takes {of:.2f} times that"
            )
    finally:
        graph.close()
    given = {k: str(v) if isinstance(v, Path) else v for k, v in vars(options).items()}
    print("record:", write_record(run_record("metaqa", settings, given, results, items), options.work))
    return 0


if __name__ == "__main__":
    sys.exit(main())
