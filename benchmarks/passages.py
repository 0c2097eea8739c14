"""MuSiQue over HippoRAG's OpenIE triples: how many gold passages stand among the first ten, by each way of ranking.

    python benchmarks/passages.py
    python benchmarks/passages.py --graph bolt://localhost:7687

Without --graph the passages and triples are loaded into a file under --work first (see benchmarks/openie.py). A row
is a name and a function from a question to the ids of passages, best first; "ask" is what an answer of Agent.ask cites.
All rows answer the same questions, and the difference of each to the first is given with its own interval, which is
narrower than the rows' intervals suggest.
Data: ARCGRAPH_DATA/hipporag (HippoRAG, MIT; MuSiQue, CC BY 4.0).
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from openie import OpenIE, Question, read_openie, read_questions, write_graph

from arcgraph import Agent, Answer, Settings, connect
from arcgraph.domain import Node
from arcgraph.evaluate.interval import mean_interval, share_interval
from arcgraph.evaluate.metrics.latency import percentile
from arcgraph.evaluate.metrics.recall import recall_at
from arcgraph.evaluate.record import run_record, write_record
from arcgraph.graph.base import Graph
from arcgraph.graph.load import load
from arcgraph.search.base import Ranking
from arcgraph.search.dense import DenseIndex
from arcgraph.search.lexical import bm25
from arcgraph.search.passages import PassageIndex, open_or_build_passages
from arcgraph.search.text import fold, tokens

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("ARCGRAPH_DATA", ROOT.parent / "shared" / "data")) / "hipporag"
OPENIE = DATA / "openie_musique_train_gpt-3.5-turbo-1106.json.gz"
QUESTIONS = DATA / "musique_train_q_even.json.gz"

# So many edges of a witness are looked at.
WITNESS = 60

Rank: TypeAlias = Callable[[str], Sequence[str]]


class Row(NamedTuple):
    """A way of ranking: from a question to ids of passages, best first."""

    name: str
    rank: Rank


def baselines(index: PassageIndex, k: int) -> list[Row]:
    """Passages by words alone and by meaning alone, as they are commonly ranked and as the index does; and fused."""
    texts = [index.passage(at).text for at in range(len(index))]
    plain = bm25([tokens(text) for text in texts])
    ways: dict[str, Callable[[str], Ranking]] = {
        "bm25": lambda question: plain.search(question, k),
        "bm25, content words": lambda question: index.by_wording(question, k),
    }
    if index.embedder is not None:
        whole = DenseIndex(index.embedder.embed([fold(text) for text in texts]), index.embedder)
        ways["dense, whole passages"] = lambda question: whole.search(question, k)
        ways["dense, best sentence"] = lambda question: index.by_meaning(question, k)
    ways["fused"] = lambda question: index.search(question, k)
    return [Row(name, _as_ids(index, way)) for name, way in ways.items()]


class Asked:
    """Questions through ``Agent.ask``: the passages that an answer cites, and the edges of its witness."""

    def __init__(self, agent: Agent):
        self._agent = agent
        self.answers: dict[str, Answer] = {}

    def rank(self, question: str) -> list[str]:
        """Ids of the cited passages, best first."""
        answer = self.answers[question] = self._agent.ask(question)
        return [citation.id for citation in answer.citations if citation.kind == "passage"]

    def holds(self, question: Question) -> bool:
        """Whether the answer stands in one of the first edges of the witness."""
        answer = self.answers[question.question]
        nodes = answer.witness.nodes
        edges = list(answer.witness.edges.values())[:WITNESS]
        texts = [f"{_name(nodes[e.start])} {e.properties.get('predicate')} {_name(nodes[e.end])}" for e in edges]
        return any(fold(wanted) in fold(text) for wanted in question.answers if fold(wanted) for text in texts)


def _name(node: Node) -> str:
    return str(node.properties.get("name"))


def _as_ids(index: PassageIndex, way: Callable[[str], Ranking]) -> Rank:
    return lambda question: [str(index.passage(hit.id).key) for hit in way(question)]


def measure(row: Row, questions: Sequence[Question], k: int) -> list[dict[str, Any]]:
    """One entry a question: how much of its gold the row found, and which passages it ranked."""
    found = []
    for question in questions:
        began = time.perf_counter()
        ranked = list(row.rank(question.question))[:k]
        seconds = time.perf_counter() - began
        found.append(
            {
                "row": row.name,
                "id": question.id,
                "question": question.question,
                "recall": recall_at(k, ranked, question.gold),
                "found": len(set(ranked) & set(question.gold)),
                "gold": len(set(question.gold)),
                "seconds": seconds,
                "ranked": ranked,
                "missed": [gold for gold in question.gold if gold not in ranked],
            }
        )
    return found


def summary(items: Sequence[dict[str, Any]], first: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Figures of one row, and how far it is from the ``first``. Intervals are (low, value, high) at 95 %."""
    found, gold, recalls = ([item[key] for item in items] for key in ("found", "gold", "recall"))
    gained = [item["found"] - other["found"] for item, other in zip(items, first, strict=True)]
    return {
        "questions": len(items),
        "gold_found": share_interval(found, gold),
        "gold_found_over_first": share_interval(gained, gold),
        "recall": mean_interval(recalls),
        "all_gold_found": sum(recall == 1 for recall in recalls),
        "p50_ms": percentile([item["seconds"] for item in items], 50) * 1000,
    }


def show(name: str, figures: dict[str, Any]) -> None:
    """One line a row."""
    print(
        f"{name:24} gold found {figures['gold_found']}  over the first {figures['gold_found_over_first']}  "
        f"recall a question {figures['recall']}  all found {figures['all_gold_found']:2}  "
        f"p50 {figures['p50_ms']:.1f} ms",
        flush=True,
    )


def open_target(target: str | None, work: Path, read: OpenIE, settings: Settings) -> Graph:
    """The graph asked for, or the passages and triples loaded into a file."""
    if target:
        return connect(target, settings=settings)
    path = work / "openie.arc"
    if not path.exists():
        work.mkdir(parents=True, exist_ok=True)
        with connect(str(path), create=True, settings=settings) as graph, tempfile.TemporaryDirectory() as folder:
            report = load(write_graph(read, Path(folder)), graph)
            print(f"loaded {report.nodes} nodes and {report.relationships} edges")
    return connect(str(path), settings=settings)


def run(rows: Sequence[Row], questions: Sequence[Question], k: int) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Figures by row, and the entries of all rows; printed as they come."""
    results: dict[str, Any] = {}
    items: list[dict[str, Any]] = []
    for row in rows:
        items += measure(row, questions, k)
        results[row.name] = summary(items[-len(questions) :], items[: len(questions)])
        show(row.name, results[row.name])
    return results, items


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--graph", help="a graph that already holds the passages")
    parser.add_argument("--openie", type=Path, default=OPENIE)
    parser.add_argument("--questions", type=Path, default=QUESTIONS)
    parser.add_argument("--k", type=int, default=10, help="how many passages are looked at")
    parser.add_argument("--work", type=Path, default=ROOT / "benchmarks" / "runs")
    options = parser.parse_args()
    if absent := [path for path in (options.openie, options.questions) if not path.is_file()]:
        print(f"{absent[0]} is absent: set ARCGRAPH_DATA to the folder that holds hipporag/", file=sys.stderr)
        return 2
    settings = Settings.load()
    read = read_openie(options.openie)
    questions = read_questions(options.questions, read)
    with open_target(options.graph, options.work, read, settings) as graph:
        index = open_or_build_passages(graph, graph.schema(), settings)
        if index is None:
            print("the graph leads to no passages", file=sys.stderr)
            return 1
        print(f"{len(index):,} passages, {index.embedder.name if index.embedder else 'no embedder'}")
        asked = Asked(Agent(graph, settings=settings))
        asked.rank(questions[0].question)
        rows = [*baselines(index, options.k), Row("ask", asked.rank)]
        results, items = run(rows, questions, options.k)
    answerable = [question for question in questions if question.answerable]
    held = [int(asked.holds(question)) for question in answerable]
    results["witness"] = share_interval(held, [1] * len(held))
    statuses = Counter(str(answer.status) for answer in asked.answers.values())
    results["statuses"] = dict(statuses)
    print(f"the triples of the gold passages hold the answer of {len(answerable)} of {len(questions)} questions;")
    print(f"of these a witness of at most {WITNESS} edges holds it: {results['witness']}; {dict(statuses)}")
    given = {key: str(value) if isinstance(value, Path) else value for key, value in vars(options).items()}
    print("record:", write_record(run_record("passages", settings, given, results, items), options.work))
    return 0


if __name__ == "__main__":
    sys.exit(main())
