"""Questions of CypherBench, on graphs made to its schemas: eleven graphs that no part of arcgraph was tried on before.

    python benchmarks/cypherbench.py
    python benchmarks/cypherbench.py --sets art company --gold bolt://localhost:7687 --fails

CypherBench's own graphs are not among the shared data; its questions with gold queries, its relations and, in the
reasons given for questions that cannot be answered, its properties are. A seeded script makes a graph for each schema:
entities that the gold queries name bear their names, each gold's match is laid out a few times, and invented entities
and random edges stand around them. Gold is what the gold query returns on that graph.

Beside the questions stand rewrites of them that are ambiguous or that the schema has no answer to. Of the first every
valid query's result is a right answer (and so is asking back); to the second no answer is.

Gold queries are run by the embedded engine where it takes them; with --gold a Neo4j runs all of them. That server is
emptied first. Scored as ``neo4j_labs.py`` scores. Data: ARCGRAPH_DATA.
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
from pathlib import Path
from statistics import fmean
from typing import Any

from neo4j_labs import Row, gold_rows, judged, show_fail
from paths import DATA, ROOT

from arcgraph import Agent, Settings, connect
from arcgraph.evaluate.record import run_record, write_record
from arcgraph.graph.load import load

QUESTIONS = DATA / "text2cypher" / "cypherbench_AU_200.json.gz"
RELATIONS = DATA / "text2cypher" / "cypherbench_graph_info.json.gz"
LAID_OUT, AROUND, MOST_EDGES = 3, 40, 3
_NODE = re.compile(r"\((\w+)?(?::(\w+))?(?:\s*\{name:\s*'((?:[^'\\]|\\.)*)'\})?\)")
_EDGE = re.compile(r"(<)?-\[(\w+):(\w+)\]-(>)?")
_WHERE = re.compile(r"(\w+)\.(\w+)(?:\.year)?\s*(=|<>|<=|>=|<|>)\s*(?:date\()?('(?:[^'\\]|\\.)*'|-?[\d.]+)")
_ITEM = re.compile(r"'((?:[^'\\]|\\.)*)'\s+IN\s+(\w+)\.(\w+)")
_EXISTING = re.compile(r"on (?:entity type )?'(\w+)'\. Existing: (.*)")
_SYLLABLES = ["bar", "del", "fen", "gor", "hul", "jes", "kal", "lom", "mir", "nad", "os", "pel", "quin", "ras", "tov"]


# --- the questions -------------------------------------------------------------------------------------------------


def records() -> list[dict[str, Any]]:
    with gzip.open(QUESTIONS, "rt", encoding="utf-8") as file:
        return list(json.load(file))


def unquoted(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text)


# --- the graphs ----------------------------------------------------------------------------------------------------


class Made:
    """A graph to a schema, in which the named entities of some golds exist and their matches hold."""

    def __init__(self, name: str, of: Sequence[Mapping[str, Any]], relations: Sequence[Mapping[str, Any]], seed: int):
        self._chance = random.Random(f"{name} {seed}")
        self._nodes: dict[str, dict[str, Any]] = {}
        self._edges: dict[tuple[str, str, str], dict[str, Any]] = {}
        self._named: dict[tuple[str, str], str] = {}
        golds = [one["original_gold_cypher"] for one in of]
        golds += [query for one in of for query in one["valid_cyphers"]]
        self._timed = {one["label"] for one in relations if one["is_time_sensitive"]}
        self._variants = {tuple(variant.split("#")) for one in relations for variant in one["variants"]}
        self._lists = {key for gold in golds for _, _, key in _ITEM.findall(gold)}
        self._keys = properties(of)
        self._pool = {key: [self._word() for _ in range(7)] for keys in self._keys.values() for key in sorted(keys)}
        for gold in golds:
            for _ in range(LAID_OUT):
                self._lay_out(gold)
        self._fill(relations)

    def write(self, folder: Path) -> list[Path]:
        files = [folder / "nodes.jsonl", folder / "rels.jsonl"]
        files[0].write_text("".join(json.dumps(node) + "\n" for node in self._nodes.values()), encoding="utf-8")
        lines = [
            json.dumps({"start": start, "type": kind, "end": end, "props": props}) + "\n"
            for (start, kind, end), props in self._edges.items()
        ]
        files[1].write_text("".join(lines), encoding="utf-8")
        dates = {key: {"date": 1} for keys in self._keys.values() for key in keys if kind_of(key) == "date"}
        (folder / "schema.json").write_text(json.dumps({"property_types": dates}), encoding="utf-8")
        return files

    def _lay_out(self, gold: str) -> None:
        """One match of a gold query: nodes that it does not name are any of their label, or new ones."""
        for part in re.split(r"\bMATCH\b", gold)[1:]:
            nodes: dict[str, str] = {}
            for node, label, name in _NODE.findall(part):
                if label and node not in nodes:
                    nodes[node] = self._entity(label, unquoted(name)) if name else self._some(label)
            for chain in re.split(r",\s*(?=\()", part):
                ends = [match[1] for match in _NODE.finditer(chain) if match[1] in nodes]
                for (back, _, kind, _), left, right in zip(_EDGE.findall(chain), ends, ends[1:], strict=False):
                    self._edge(*((nodes[right], kind, nodes[left]) if back else (nodes[left], kind, nodes[right])))
            self._hold(gold, nodes)

    def _hold(self, gold: str, nodes: Mapping[str, str]) -> None:
        """Conditions of a gold hold for about every second match."""
        if self._chance.random() < 0.4:
            return
        for value, owner, key in _ITEM.findall(gold):
            if owner in nodes and "NOT" not in gold:
                self._nodes[nodes[owner]]["props"][key] = [unquoted(value), self._chance.choice(self._pool[key])]
        for owner, key, operator, text in _WHERE.findall(gold):
            props = self._nodes.get(nodes.get(owner, ""), {}).get("props", {})
            if key not in props:
                continue
            value: Any = unquoted(text.strip("'"))
            if not text.startswith("'"):
                step = self._chance.randint(1, 9) * (("<" in operator) * -1 + (">" in operator))
                value = float(text) + step if isinstance(props[key], float) else int(float(text)) + step
                if kind_of(key) == "date":
                    value = f"{value}-05-17"
            elif operator != "=":
                continue
            props[key] = value

    def _fill(self, relations: Sequence[Mapping[str, Any]]) -> None:
        for label in sorted(self._keys):
            for _ in range(AROUND):
                self._new(label)
        for relation in relations:
            for variant in relation["variants"]:
                kind, start, end = variant.split("#")
                most = 1 if relation["obj_cardinality"] == "one" else MOST_EDGES
                starts, ends = self._of(start), self._of(end)
                taken = {node for node, other, _ in self._edges if other == kind}
                for node in starts:
                    if node in taken or self._chance.random() < 0.2:
                        continue
                    for other in self._chance.sample(ends, min(len(ends), self._chance.randint(1, most))):
                        if other != node:
                            self._edge(node, kind, other)

    def _of(self, label: str) -> list[str]:
        return [key for key, node in self._nodes.items() if node["labels"] == [label]]

    def _some(self, label: str) -> str:
        known = self._of(label)
        return self._chance.choice(known) if known and self._chance.random() < 0.4 else self._new(label)

    def _entity(self, label: str, name: str) -> str:
        key = (label, name.casefold())
        if key not in self._named:
            self._named[key] = self._new(label, name)
        return self._named[key]

    def _new(self, label: str, name: str = "") -> str:
        self._keys.setdefault(label, set())
        key = f"n{len(self._nodes)}"
        props = {prop: self._value(prop) for prop in sorted(self._keys[label]) if self._chance.random() < 0.95}
        name = name or f"{self._word()} {self._word()}"
        self._nodes[key] = {"id": key, "labels": [label], "props": {"name": name, **props}}
        return key

    def _edge(self, start: str, kind: str, end: str) -> None:
        """An edge; none that the schema does not have, as some queries for ambiguous questions would."""
        if (kind, self._nodes[start]["labels"][0], self._nodes[end]["labels"][0]) not in self._variants:
            return
        props: dict[str, Any] = {}
        if kind in self._timed and self._chance.random() < 0.8:
            props["start_year"] = self._chance.randint(1950, 2015)
            if self._chance.random() < 0.6:
                props["end_year"] = props["start_year"] + self._chance.randint(0, 9)
        self._edges.setdefault((start, kind, end), props)

    def _value(self, key: str) -> Any:
        chance = self._chance
        if key in self._lists:
            return chance.sample(self._pool[key], chance.randint(1, 2))
        match kind_of(key):
            case "date":
                return f"{chance.randint(1900, 2015)}-{chance.randint(1, 12):02}-{chance.randint(1, 28):02}"
            case "year":
                return chance.randint(1850, 2015)
            case "count":
                return chance.randint(0, 200)
            case "amount":
                return round(chance.uniform(10, 5000), 1)
        if key == "gender":
            return chance.choice(["female", "male"])
        return f"{self._word()} {self._word()}" if key.endswith("_name") else chance.choice(self._pool[key])

    def _word(self) -> str:
        return "".join(self._chance.sample(_SYLLABLES, self._chance.randint(2, 3))).capitalize()


def kind_of(key: str) -> str:
    """What kind of value a property holds, from how it is called."""
    if key == "date" or key.startswith("date_"):
        return "date"
    if key.endswith("_year") or key in ("first_flight", "service_entry"):
        return "year"
    if key.startswith("number_of"):
        return "count"
    units = ("_cm", "_kg", "_km", "_km2", "_m", "_metre", "_usd", "_minute", "_days", "_years")
    return "amount" if key.endswith(units) else "text"


def properties(of: Sequence[Mapping[str, Any]]) -> dict[str, set[str]]:
    """The properties of each label, from the reasons why some questions have no answer, and from the golds."""
    known: dict[str, set[str]] = {}
    for one in of:
        for label, keys in _EXISTING.findall(one["corruption"]["reason_unanswerable"] or ""):
            known.setdefault(label, set()).update(key.strip() for key in keys.split(","))
        for query in (one["original_gold_cypher"], *one["valid_cyphers"]):
            labels = {node: label for node, label, _ in _NODE.findall(query) if label}
            for node, label in labels.items():
                known.setdefault(label, set()).update(re.findall(rf"\b{node}\.(\w+)", query))
    return {label: keys - {"name"} for label, keys in known.items()}


def graph_file(name: str, of: Sequence[Mapping[str, Any]], options: argparse.Namespace) -> Path:
    """The graph of a schema, made below --work unless it is there already."""
    folder = options.work / f"cypherbench-{name}-{options.seed}"
    path = folder / "graph.arc"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        with gzip.open(RELATIONS, "rt", encoding="utf-8") as file:
            relations = json.load(file)[name]["relations"]
        files = Made(name, of, relations, options.seed).write(folder)
        unfinished = folder / "unfinished.arc"
        with connect(str(unfinished), create=True) as graph:
            load(files, graph)
        for file in folder.glob("unfinished.arc*"):
            file.rename(folder / file.name.replace("unfinished", "graph"))
    return path


# --- run -----------------------------------------------------------------------------------------------------------


def cases(of: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, str, list[str]]]:
    """Kind, question and the queries whose results are right answers; no question twice."""
    seen = set()
    for one in of:
        asked = one["original_nl_question"]
        if asked not in seen:
            seen.add(asked)
            yield "as it was", asked, [one["original_gold_cypher"]]
        kind = "ambiguous" if one["expected_answer"] == "AMBIGUOUS" else "unanswerable"
        yield kind, one["corrupted_nl_question"], list(one["valid_cyphers"])


def golds(queries: Sequence[str], graph: Any, server: Any, schema: Any) -> list[tuple[str, list[Row]]]:
    found = [(query, known(gold_rows(server or graph, query, schema))) for query in queries]
    return [(query, rows) for query, rows in found if rows]


def known(rows: Sequence[Row]) -> list[Row]:
    """The rows that hold anything."""
    return [row for row in rows if any(value != "None" for value in row)]


def run(name: str, of: Sequence[Mapping[str, Any]], options: argparse.Namespace, settings: Settings) -> Iterator[Any]:
    path = graph_file(name, of, options)
    server = filled(options.gold, path.parent, settings) if options.gold else None
    with connect(str(path), settings=settings) as graph:
        agent = Agent(graph, settings=settings)
        agent.prepare()
        schema = graph.schema()
        for kind, question, queries in cases(of):
            found = golds(queries, graph, server, schema)
            if not found and kind != "unanswerable":
                yield {"set": name, "kind": kind, "left_out": True, "question": question, "cypher": queries[0]}
                continue
            began = time.perf_counter()
            answer = agent.ask(question)
            seconds = time.perf_counter() - began
            judgements = [judged(answer, server or graph, query, rows, schema) for query, rows in found]
            yield {
                "set": name,
                "kind": kind,
                "class": kind,
                "left_out": False,
                "question": question,
                "status": str(answer.status),
                "right": any(right for right, _ in judgements),
                "fewer": any(fewer for _, fewer in judgements),
                "confidence": answer.confidence,
                "seconds": seconds,
                "answer": answer.text[:300],
                "query": answer.queries[-1].cypher if answer.queries else "",
                "rows": str(answer.rows)[:200],
                "gold": str(found[0][1][:8])[:200] if found else "",
                "cypher": queries[0] if queries else "",
            }
    if server:
        server.close()


def filled(target: str, folder: Path, settings: Settings) -> Any:
    """A server that holds nothing but the graph."""
    from neo4j import GraphDatabase

    with GraphDatabase.driver(target, auth=None) as driver:
        driver.execute_query("MATCH (n) DETACH DELETE n")
    graph = connect(target, settings=settings)
    load([folder / "nodes.jsonl", folder / "rels.jsonl"], graph)
    graph.close()
    return connect(target, settings=settings)


def summary(items: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    answered = [item for item in items if item["status"] == "answered"]
    return {
        "n": len(items),
        "right": fmean(item["right"] for item in items) if items else 0.0,
        "fewer": fmean(item["fewer"] for item in items) if items else 0.0,
        "answered": len(answered) / max(1, len(items)),
        "precision": fmean(item["right"] for item in answered) if answered else 0.0,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", nargs="+", metavar="SET", help="graphs; all eleven if not given")
    parser.add_argument("--gold", help="a Neo4j that runs the gold queries; whatever it holds is deleted")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--fails", action="store_true", help="print what was not as it should be")
    parser.add_argument("--work", type=Path, default=ROOT / "benchmarks" / "runs")
    options = parser.parse_args()
    if not QUESTIONS.exists():
        print(f"the questions are not at {QUESTIONS}: set ARCGRAPH_DATA", file=sys.stderr)
        return 2
    every = records()
    settings = Settings.load()
    names = options.sets or sorted({one["original_graph"] for one in every})
    items: list[dict[str, Any]] = []
    for name in names:
        items += run(name, [one for one in every if one["original_graph"] == name], options, settings)
        for item in items if options.fails else ():
            if item["set"] == name and not item["left_out"] and wrong(item):
                show_fail(item)
    results = {}
    for name in (*names, "all"):
        for kind in ("as it was", "ambiguous", "unanswerable"):
            of = [item for item in items if item["kind"] == kind and name in ("all", item["set"])]
            results[f"{name} {kind}"] = found = summary([item for item in of if not item["left_out"]])
            left = sum(item["left_out"] for item in of)
            figures = "  ".join(f"{k} {v:.2f}" for k, v in found.items() if k != "n")
            print(f"{name:20} {kind:13} n {found['n']:3}  {figures}  left out {left}", flush=True)
    given = {k: str(v) if isinstance(v, Path) else v for k, v in vars(options).items()}
    print("record:", write_record(run_record("cypherbench", settings, given, results, items), options.work))
    return 0


def wrong(item: Mapping[str, Any]) -> bool:
    """Whether an item is not as it should be: asking back is right for what is ambiguous."""
    answered = item["status"] == "answered"
    if item["kind"] == "unanswerable":
        return answered
    return not item["right"] and (answered or item["kind"] != "ambiguous")


if __name__ == "__main__":
    sys.exit(main())
