"""Path questions over many graphs through the public API, no model: one table that no single graph decides.

    python benchmarks/paths.py
    python benchmarks/paths.py --graphs movies gdsc --constructions typed bare --fails

Each graph is loaded once into files under --work, in up to three constructions:

- ``typed``: as it is; triples become relationship types between nodes of one label,
- ``bare``: nodes of one label with nothing but a name, relationship types kept,
- ``property``: the same nodes, one relationship type, the predicate in a property.

Gold is what a question's Cypher returns on the typed graph. Where nodes share a name they are one entity in the other
two; a question whose gold that changes is left out there and counted. Some of the rest are decided by a label that
those two no longer have ("which *starships* are in both films?"): their number is printed, and exact without them.
Data: ``benchmarks/paths`` and ARCGRAPH_DATA.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import re
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import Any

from arcgraph import Agent, Answer, Settings, connect
from arcgraph.evaluate.metrics.answer_set import answer_set
from arcgraph.evaluate.metrics.hits import hits_at
from arcgraph.evaluate.metrics.latency import percentile
from arcgraph.evaluate.record import run_record, write_record
from arcgraph.graph.load import load

ROOT = Path(__file__).resolve().parent.parent
HERE = ROOT / "benchmarks" / "paths"
DATA = Path(os.environ.get("ARCGRAPH_DATA", ROOT.parent / "shared" / "data"))
CONSTRUCTIONS = ("typed", "bare", "property")
SECONDS = 60.0
ROWS = 100_000


@dataclass(frozen=True)
class Question:
    """One line of ``questions.jsonl``; ``gold`` is Cypher whose first column holds names, a number or a truth value."""

    graph: str
    id: str
    question: str
    gold: str
    hops: int
    shape: str


@dataclass(frozen=True)
class Source:
    """Where a graph comes from: its files, and for JSONL the keys that name a node (the first one it has)."""

    files: tuple[Path, ...]
    naming: tuple[str, ...] = ()

    @property
    def present(self) -> bool:
        return all(file.exists() for file in self.files)

    @property
    def constructions(self) -> tuple[str, ...]:
        """Triples are bare as they come."""
        return CONSTRUCTIONS if self.naming else ("typed", "property")


def _shared(name: str, *naming: str) -> Source:
    folder = DATA / "graphs" / name
    return Source((folder / "nodes.jsonl.gz", folder / "rels.jsonl.gz"), naming)


def _split(name: str) -> Source:
    return Source(tuple(DATA / "kgc" / name / f"{part}.txt.gz" for part in ("train", "dev", "test")))


SOURCES = {
    "star_wars": _shared("star_wars", "name", "title"),
    "northwind": _shared("northwind", "productName", "companyName", "categoryName", "orderID"),
    "movies": _shared("movies", "name", "title"),
    "er": _shared("er", "lastName", "title", "name", "address"),
    "covid": _shared("covid", "name", "id"),
    "fincen": _shared("fincen", "name", "id"),
    "pole": _shared(
        "pole", "name", "address", "code", "reg", "email_address", "phoneNo", "description", "areaCode", "id"
    ),
    "network": _shared("network", "name", "ip"),
    "stackoverflow": _shared("stackoverflow", "title", "display_name", "name", "uuid"),
    "gdsc": _shared("gdsc", "name"),
    "umls": _split("umls"),
    "countries": _split("countries_S1"),
    "family": Source((HERE / "family.txt",)),
    "encyclopedia": Source((HERE / "encyclopedia.txt",)),
}


def questions(graphs: Sequence[str] | None = None) -> list[Question]:
    """The questions, of all graphs or of some."""
    lines = (HERE / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    found = [Question(**json.loads(line)) for line in lines]
    return [q for q in found if graphs is None or q.graph in graphs]


# --- constructions -------------------------------------------------------------------------------------------------


def graph_file(name: str, construction: str, work: Path) -> Path:
    """The graph in a construction, loaded below ``work`` unless it is there already.

    Besides those asked about there is ``merged``: typed, but with all nodes of a name made one and every other property
    dropped. It tells which golds the other constructions can still have.
    """
    path = work / f"paths-{name}-{construction}.arc"
    if not path.exists():
        work.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=work) as folder:
            unfinished = Path(folder) / path.name
            graph = connect(str(unfinished), create=True)
            _fill(graph, SOURCES[name], construction, Path(folder))
            graph.close()
            for file in unfinished.parent.glob(f"{path.name}*"):
                file.rename(work / file.name)
    return path


def _fill(graph: Any, source: Source, construction: str, folder: Path) -> None:
    rejects = folder / "rejects.jsonl"
    if construction == "typed":
        load(source.files, graph, rejects=rejects)
    elif not source.naming:
        load(source.files, graph, relations="property", rejects=rejects)
    else:
        load(_write_restored(source, construction, folder), graph, rejects=rejects)


def _write_restored(source: Source, construction: str, folder: Path) -> list[Path]:
    """A JSONL graph, re-stored: nodes known by their names."""
    names: dict[str, str] = {}
    nodes: dict[str, tuple[dict[str, None], dict[str, str]]] = {}
    for record in _jsonl(source.files[0]):
        key, name = _name(record, source.naming)
        names[record["id"]] = name
        labels, properties = nodes.setdefault(name, ({}, {}))
        labels.update(dict.fromkeys(record["labels"]))
        properties[key] = record["props"].get(key, name)
    typed = construction == "merged"
    written = [folder / "nodes.jsonl", folder / "rels.jsonl"]
    with written[0].open("w", encoding="utf-8") as file:
        for name, (labels, properties) in nodes.items():
            label_list, props = (list(labels), properties) if typed else (["Entity"], {"name": name})
            print(json.dumps({"id": name, "labels": label_list, "props": props}), file=file)
    with written[1].open("w", encoding="utf-8") as file:
        for edge in dict.fromkeys((names[r["start"]], r["type"], names[r["end"]]) for r in _jsonl(source.files[1])):
            print(json.dumps(_edge(*edge, in_property=construction == "property")), file=file)
    return written


def _name(record: dict[str, Any], naming: Sequence[str]) -> tuple[str, str]:
    """The key that names a node, and its name; without such a key its label and id."""
    for key in naming:
        value = record["props"].get(key)
        if value is not None and str(value).strip():
            return key, str(value)
    return "name", f"{next(iter(record['labels']), 'Node')} {record['id']}"


def _edge(start: str, type_: str, end: str, in_property: bool) -> dict[str, Any]:
    if in_property:
        return {"start": start, "type": "RELATED", "end": end, "props": {"predicate": type_}}
    return {"start": start, "type": type_, "end": end, "props": {}}


def _jsonl(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


# --- gold and score ------------------------------------------------------------------------------------------------

Gold = bool | int | frozenset[str]


def gold(graph: Any, question: Question) -> Gold:
    """The right answer on the typed graph: a truth value, a number or the set of names."""
    values = [row[0] for row in graph.run(question.gold, timeout=SECONDS, limit=ROWS)]
    if len(values) == 1 and isinstance(values[0], int):
        return values[0]
    return frozenset(str(value) for value in values if value is not None)


def golds(asked: Sequence[Question], graph_path: Path) -> dict[str, Gold]:
    """Question id to gold."""
    graph = connect(str(graph_path))
    try:
        return {q.id: gold(graph, q) for q in asked}
    finally:
        graph.close()


def without_labels(question: Question) -> Question:
    """The question with a gold that asks for no label: ``(f:Film {title: 'x'})`` becomes ``(f {title: 'x'})``."""
    return replace(question, gold=re.sub(r"\((\w*)(?::\w+)+", r"(\1", question.gold))


def score(question: Question, expected: Gold, answer: Answer, seconds: float) -> dict[str, Any]:
    """All figures of one question."""
    ranked = [e.name for e in answer.entities]
    figures = _figures(question, expected, answer, ranked)
    return {
        "id": question.id,
        "question": question.question,
        "hops": question.hops,
        "shape": question.shape,
        "status": str(answer.status),
        "reading": answer.queries[0].reading if answer.queries else "",
        "confidence": round(answer.confidence, 4),
        "seconds": seconds,
        **figures,
        "gold": sorted(expected) if isinstance(expected, frozenset) else expected,
        "answer": ranked or [value for row in answer.rows for value in row.values()],
    }


def _figures(question: Question, expected: Gold, answer: Answer, ranked: Sequence[str]) -> dict[str, float]:
    """Exact, F1 and Hits@1. Of a description, F1 is the share of the gold that it tells of, wherever it does so."""
    if not isinstance(expected, frozenset):
        right = float(_scalar(answer) == (type(expected), expected))
        return {"exact": right, "f1": right, "hits_at_1": right}
    if question.shape == "description":
        told = answer_set(_told(answer), expected).recall
        return {"exact": float(told == 1), "f1": told, "hits_at_1": float(told == 1)}
    sets = answer_set(ranked, expected)
    return {"exact": sets.exact, "f1": sets.f1, "hits_at_1": hits_at(1, ranked, expected)}


def _told(answer: Answer) -> list[str]:
    """Everything an answer names: entities, values of rows, nodes of the witness."""
    values = [str(value) for row in answer.rows for value in row.values()]
    nodes = [str(value) for node in answer.witness.nodes.values() for value in node.properties.values()]
    return [e.name for e in answer.entities] + values + nodes


def _scalar(answer: Answer) -> tuple[type, Any] | None:
    """The one value of an answer that is a number or a truth value, with its type (``True`` is no 1)."""
    values = [value for row in answer.rows for value in row.values()]
    return (type(values[0]), values[0]) if len(values) == 1 else None


def summary(items: Sequence[dict[str, Any]], left_out: int) -> dict[str, Any]:
    """Means over the questions of one graph and construction; ``None`` where there is nothing to take a mean of."""
    answered = [i for i in items if i["status"] == "answered"]
    return {
        "questions": len(items),
        "left_out": left_out,
        **{name: _mean(i[name] for i in items) for name in ("exact", "f1", "hits_at_1")},
        "answered": len(answered),
        "precision": _mean(i["exact"] for i in answered),
        "p50_ms": percentile([i["seconds"] for i in items], 50) * 1000,
        "by_label": sum(i["by_label"] for i in items),
        "exact_without": _mean(i["exact"] for i in items if not i["by_label"]),
    }


def _mean(values: Iterable[float]) -> float | None:
    found = list(values)
    return fmean(found) if found else None


def _figure(value: float | None) -> str:
    return "    –" if value is None else f"{value:.3f}"


# --- run -----------------------------------------------------------------------------------------------------------


def run(name: str, construction: str, work: Path, settings: Settings) -> tuple[list[dict[str, Any]], int]:
    """The scored questions of a graph in a construction, and how many were left out."""
    every = questions([name])
    expected = golds(every, graph_file(name, "typed", work))
    asked, by_label = every, frozenset[str]()
    if construction != "typed" and SOURCES[name].naming:
        asked, by_label = _askable(every, expected, graph_file(name, "merged", work))
    graph = connect(str(graph_file(name, construction, work)), settings=settings)
    try:
        agent = Agent(graph, settings=settings)
        agent.prepare()
        items = []
        for question in asked:
            began = time.perf_counter()
            answer = agent.ask(question.question)
            figures = score(question, expected[question.id], answer, time.perf_counter() - began)
            items.append({**figures, "by_label": question.id in by_label})
    finally:
        graph.close()
    return items, len(every) - len(asked)


def _askable(
    every: Sequence[Question], expected: dict[str, Gold], merged: Path
) -> tuple[list[Question], frozenset[str]]:
    """The questions whose gold survives the merging of names, and the ids of those that a label decides."""
    kept = golds(every, merged)
    asked = [q for q in every if kept[q.id] == expected[q.id]]
    unlabelled = golds([without_labels(q) for q in asked], merged)
    return asked, frozenset(q.id for q in asked if unlabelled[q.id] != expected[q.id])


def show(name: str, construction: str, figures: dict[str, Any]) -> None:
    """One line a graph and construction."""
    means = "  ".join(
        f"{label} {_figure(figures[key])}"
        for label, key in (("exact", "exact"), ("F1", "f1"), ("Hits@1", "hits_at_1"), ("precision", "precision"))
    )
    print(
        f"{name:14} {construction:9} n {figures['questions']:3}  left out {figures['left_out']:2}  "
        f"answered {figures['answered']:3}  {means}  p50 {figures['p50_ms']:.1f} ms" + _labels_note(figures),
        flush=True,
    )


def _labels_note(figures: dict[str, Any]) -> str:
    if not figures["by_label"]:
        return ""
    return f"  (labels decide {figures['by_label']}; exact without them {_figure(figures['exact_without'])})"


def show_fails(items: Sequence[dict[str, Any]]) -> None:
    """Each question whose answer is not exactly the gold."""
    for item in items:
        if item["exact"] < 1:
            label = ", a label decides" if item["by_label"] else ""
            print(f"  {item['id']} ({item['hops']} hops, {item['shape']}{label}) {item['question']}")
            print(f"    {item['status']} {item['confidence']:.2f}: {item['reading']}")
            print(f"    got  {_short(item['answer'])}\n    gold {_short(item['gold'])}")


def _short(values: Any) -> str:
    if not isinstance(values, list):
        return str(values)
    more = f" and {len(values) - 6} more" if len(values) > 6 else ""
    return ", ".join(str(v)[:50] for v in values[:6]) + more


def totals(items: dict[tuple[str, str], list[dict[str, Any]]]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Per construction, all graphs together and the mean over graphs, where each counts the same."""
    for construction in CONSTRUCTIONS:
        parts = [found for (_, c), found in items.items() if c == construction and found]
        if parts:
            figures = summary([item for part in parts for item in part], 0)
            figures["macro_f1"] = fmean(fmean(i["f1"] for i in part) for part in parts)
            figures["macro_exact"] = fmean(fmean(i["exact"] for i in part) for part in parts)
            yield construction, figures


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--graphs", nargs="+", default=list(SOURCES), choices=list(SOURCES), metavar="GRAPH")
    parser.add_argument("--constructions", nargs="+", default=list(CONSTRUCTIONS), choices=CONSTRUCTIONS)
    parser.add_argument("--fails", action="store_true", help="print each failed question with reading, status and gold")
    parser.add_argument("--work", type=Path, default=ROOT / "benchmarks" / "runs")
    options = parser.parse_args()
    settings = Settings.load()
    results: dict[str, Any] = {}
    found: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for name in options.graphs:
        if not SOURCES[name].present:
            print(f"{name}: its files are not at {SOURCES[name].files[0].parent}: set ARCGRAPH_DATA", file=sys.stderr)
            continue
        for construction in (c for c in SOURCES[name].constructions if c in options.constructions):
            items, left_out = run(name, construction, options.work, settings)
            found[name, construction] = items
            results[f"{name} {construction}"] = summary(items, left_out)
            show(name, construction, results[f"{name} {construction}"])
            if options.fails:
                show_fails(items)
    if not found:
        return 2
    for construction, figures in totals(found):
        results[f"all {construction}"] = figures
        show("all", construction, figures)
        print(
            f"{'mean of graphs':14} {construction:9} exact {figures['macro_exact']:.3f}  F1 {figures['macro_f1']:.3f}"
        )
    given = {k: str(v) if isinstance(v, Path) else v for k, v in vars(options).items()}
    flat = [{"graph": g, "construction": c, **item} for (g, c), items in found.items() for item in items]
    print("record:", write_record(run_record("paths", settings, given, results, flat), options.work))
    return 0


if __name__ == "__main__":
    sys.exit(main())
