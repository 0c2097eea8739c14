"""Questions about values against gold rows of a real server, through the public API, no model.

    python benchmarks/text2cypher.py
    python benchmarks/text2cypher.py --sets zograscope er --n 1000 --fails

Each graph is loaded once below --work (``paths.py`` has the same files). A question is right if the set of all scalar
values of the answer's rows equals that of the gold rows: integral values exactly, other numbers to four significant
digits, temporal values as ISO texts, nulls left out. Where every gold cell is a node, the answer's entity ids have to
be the gold's. Precision is right over answered. Data: ARCGRAPH_DATA.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from paths import DATA, ROOT, graph_file

from arcgraph import Agent, Answer, Settings, connect
from arcgraph.evaluate.metrics.latency import percentile
from arcgraph.evaluate.record import run_record, write_record

GOLD = DATA / "text2cypher" / "gold"
# Set -> (graph, file of gold rows).
SETS = {
    "zograscope": ("pole", "zograscope_train"),
    **{name: (name, f"mind_the_query_{name}") for name in ("er", "star_wars", "gdsc", "pole", "covid")},
}


def questions(name: str, n: int, seed: int) -> list[dict[str, Any]]:
    """At most ``n`` gold records of a set, drawn by ``seed``, in the file's order."""
    with gzip.open(GOLD / f"{SETS[name][1]}.jsonl.gz", "rt", encoding="utf-8") as lines:
        records = [json.loads(line) for line in lines]
    chosen = set(random.Random(seed).sample(range(len(records)), min(n, len(records))))
    return [record for i, record in enumerate(records) if i in chosen]


def class_of(record: dict[str, Any]) -> str:
    """The set's own class of a question."""
    return str(record.get("category") or record.get("type"))


# --- score ---------------------------------------------------------------------------------------------------------


def scalars(values: Iterable[Any]) -> frozenset[Any]:
    """The scalar values within values, in the form in which they are compared."""
    return frozenset(_compared(value) for value in _flat(values))


def _flat(values: Iterable[Any]) -> Iterator[Any]:
    for value in values:
        if isinstance(value, dict):
            yield from _flat(value.values())
        elif isinstance(value, list | tuple):
            yield from _flat(value)
        elif value is not None:
            yield value


def _compared(value: Any) -> Any:
    if isinstance(value, bool):
        return ("boolean", value)
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return int(value) if value.is_integer() else float(f"{value:.4g}")
    return str(value)


def _is_node(value: Any) -> bool:
    return isinstance(value, dict) and {"labels", "id", "props"} <= set(value)


def is_right(answer: Answer, rows: Sequence[Sequence[Any]]) -> bool:
    """Whether an answer is the gold's."""
    cells = [cell for row in rows for cell in row]
    if cells and all(_is_node(cell) for cell in cells):
        return {entity.id for entity in answer.entities} == {str(cell["id"]) for cell in cells}
    gold = scalars(cell["props"] if _is_node(cell) else cell for cell in cells)
    return scalars(value for row in answer.rows for value in row.values()) == gold


def summary(items: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Shares of a class of questions; precision is ``None`` where nothing was answered."""
    answered = [item for item in items if item["status"] == "answered"]
    return {
        "questions": len(items),
        "right": fmean(item["right"] for item in items),
        "answered": len(answered) / len(items),
        "statuses": dict(Counter(item["status"] for item in items)),
        "precision": fmean(item["right"] for item in answered) if answered else None,
        "p50_ms": percentile([item["seconds"] for item in items], 50) * 1000,
        "p95_ms": percentile([item["seconds"] for item in items], 95) * 1000,
    }


# --- run -----------------------------------------------------------------------------------------------------------


def run(name: str, options: argparse.Namespace, settings: Settings) -> list[dict[str, Any]]:
    """The scored questions of a set."""
    graph = connect(str(graph_file(SETS[name][0], "typed", options.work)), settings=settings)
    try:
        agent = Agent(graph, settings=settings)
        agent.prepare()
        chosen = questions(name, options.n, options.seed)
        if options.classes:
            chosen = [record for record in chosen if class_of(record) in options.classes]
        agent.ask(chosen[0]["question"])
        return [asked(agent, record, is_right) for record in chosen]
    finally:
        graph.close()


def asked(agent: Agent, record: dict[str, Any], judge: Callable[[Answer, Any], bool]) -> dict[str, Any]:
    """A question's scored answer; ``judge`` tells whether an answer is that of the gold rows."""
    began = time.perf_counter()
    answer = agent.ask(record["question"])
    seconds = time.perf_counter() - began
    return {
        "id": record["id"],
        "class": class_of(record),
        "question": record["question"],
        "status": str(answer.status),
        "right": answer.status == "answered" and judge(answer, record["rows"]),
        "confidence": answer.confidence,
        "seconds": seconds,
        "answer": answer.text[:300],
        "rows": str(answer.rows)[:200],
        "gold": str(record["rows"])[:200],
        "cypher": record["cypher"],
        "query": answer.queries[-1].cypher if answer.queries else "",
    }


def show(title: str, figures: dict[str, Any]) -> None:
    """One line a class."""
    precision = "   –" if figures["precision"] is None else f"{figures['precision']:.3f}"
    print(
        f"{title:32} n {figures['questions']:4}  right {figures['right']:.3f}  answered {figures['answered']:.3f}  "
        f"precision {precision}  p50 {figures['p50_ms']:.0f} ms  p95 {figures['p95_ms']:.0f} ms",
        flush=True,
    )


def show_fails(items: Iterable[dict[str, Any]]) -> None:
    """Each question that was not answered right."""
    for item in items:
        if not item["right"]:
            print(f"[{item['class']}] {item['question']}\n    gold {' '.join(item['cypher'].split())}")
            print(f"    {item['status']} {item['confidence']:.2f}: {item['answer']}")
            print(f"    rows {item['rows'][:120]}\n    gold {item['gold'][:120]}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", nargs="+", default=list(SETS), choices=list(SETS), metavar="SET")
    parser.add_argument("--classes", nargs="+", default=[], metavar="CLASS", help="only questions of these classes")
    parser.add_argument("--n", type=int, default=200, help="questions a set")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--fails", action="store_true", help="print each failed question with reading, status and gold")
    parser.add_argument("--work", type=Path, default=ROOT / "benchmarks" / "runs")
    options = parser.parse_args()
    if not GOLD.exists():
        print(f"the gold rows are not at {GOLD}: set ARCGRAPH_DATA", file=sys.stderr)
        return 2
    settings = Settings.load()
    results: dict[str, Any] = {}
    every: list[dict[str, Any]] = []
    for name in options.sets:
        items = run(name, options, settings)
        every += [{"set": name, **item} for item in items]
        for kind in sorted({item["class"] for item in items}):
            results[f"{name} {kind}"] = summary([item for item in items if item["class"] == kind])
            show(f"{name} {kind}", results[f"{name} {kind}"])
        results[name] = summary(items)
        show(name, results[name])
        if options.fails:
            show_fails(items)
    given = {k: str(v) if isinstance(v, Path) else v for k, v in vars(options).items()}
    print("record:", write_record(run_record("text2cypher", settings, given, results, every), options.work))
    return 0


if __name__ == "__main__":
    sys.exit(main())
