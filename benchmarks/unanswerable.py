"""Questions that a graph cannot answer, made from answerable ones: how many are answered all the same?

    python benchmarks/unanswerable.py
    python benchmarks/unanswerable.py --sets er star_wars --n 60 --show

Three kinds, from the gold questions of ``text2cypher.py``:

- ``value``: a quoted value is replaced by one of the same writing that is nowhere in the graph,
- ``property``: a property that is asked for is replaced by a noun that no label, type or property is called by,
- ``edges``: the question is as it was, but all edges of the gold query's types are gone from a copy of the graph.

No answer may be given to the first two; to the third none, or a count of nothing.
"""

from __future__ import annotations

import argparse
import random
import re
import shutil
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import kglite
from paths import DATA, ROOT, graph_file
from text2cypher import GOLD, SETS, class_of, questions

from arcgraph import Agent, Settings, connect
from arcgraph.evaluate.record import run_record, write_record
from arcgraph.interpret.verbalise import split_name

KINDS = ("value", "property", "edges")
# Nouns of no graph here; each is checked against the schema before it is used.
NOUNS = ("barometric pressure", "shoe size", "blood type", "tax bracket", "melting point", "batting average")
_QUOTED = re.compile(r"'([^']{3,60})'")


def changed_values(records: Sequence[dict[str, Any]], chance: random.Random) -> Iterator[str]:
    """Questions whose first quoted value has other letters and figures."""
    for record in records:
        match = _QUOTED.search(record["question"])
        if match and match[1] in record["cypher"]:
            yield record["question"].replace(match[1], _scrambled(match[1], chance))


def _scrambled(text: str, chance: random.Random) -> str:
    def other(character: str) -> str:
        if character.isdigit():
            return chance.choice("123456789")
        pool = "bdfgklmnprtvz" if character.lower() not in "aeiou" else "aeiou"
        return chance.choice(pool.upper() if character.isupper() else pool) if character.isalpha() else character

    return "".join(map(other, text))


def changed_properties(records: Sequence[dict[str, Any]], schema: Any, chance: random.Random) -> Iterator[str]:
    """Questions that ask for a property of another name."""
    known = {word for info in schema.labels.values() for key in info.properties for word in split_name(key)}
    nouns = [noun for noun in NOUNS if not set(noun.split()) & known]
    for record in records:
        asked = re.findall(r"RETURN\b.*?\w+\.(\w+)", record["cypher"])
        for key in asked[:1]:
            words = " ".join(split_name(key))
            for form in (key, words, f"{words}s", f"{key}s"):
                if re.search(rf"\b{re.escape(form)}\b", record["question"]):
                    yield re.sub(rf"\b{re.escape(form)}\b", chance.choice(nouns), record["question"], count=1)
                    break


def with_types(records: Sequence[dict[str, Any]]) -> Iterator[tuple[str, frozenset[str]]]:
    """Retrieval questions with the relationship types of their gold."""
    for record in records:
        types = frozenset(
            t for found in re.findall(r"\[\w*:([\w|:]+)", record["cypher"]) for t in re.split("[|:]+", found)
        )
        if types and "count" not in record["cypher"].lower() and class_of(record) != "count":
            yield record["question"], types


def copy_without(path: Path, types: frozenset[str], work: Path) -> Path:
    """A copy of a graph file without the edges of some types."""
    copy = work / f"{path.stem}-without-{'-'.join(sorted(types))[:60]}.arc"
    if not copy.exists():
        shutil.copy(path, copy)
        graph = kglite.open(str(copy), durable="full")
        for kind in types:
            graph.cypher(f"MATCH ()-[r:`{kind}`]->() DELETE r")
        graph.save()
        graph.close()
    return copy


def ask(path: Path, texts: Sequence[str], settings: Settings, kind: str) -> list[dict[str, Any]]:
    """What an agent says to each question."""
    graph = connect(str(path), settings=settings)
    try:
        agent = Agent(graph, settings=settings)
        answers = [agent.ask(text) for text in texts]
    finally:
        graph.close()
    return [
        {
            "kind": kind,
            "question": text,
            "status": str(answer.status),
            "answered": answer.status == "answered" and not _is_nothing(answer.rows),
            "text": answer.text[:300],
        }
        for text, answer in zip(texts, answers, strict=True)
    ]


def _is_nothing(rows: Sequence[dict[str, Any]]) -> bool:
    """Whether all that is answered is zero or no."""
    return len(rows) == 1 and not any(rows[0].values())


def run(name: str, options: argparse.Namespace, settings: Settings) -> list[dict[str, Any]]:
    """All three kinds over one set's graph."""
    path = graph_file(SETS[name][0], "typed", options.work)
    chance = random.Random(options.seed)
    records = questions(name, 10_000, options.seed)
    chance.shuffle(records)
    each = max(1, options.n // len(KINDS))
    graph = connect(str(path), settings=settings)
    schema = graph.schema()
    graph.close()
    items = ask(path, list(changed_values(records, chance))[:each], settings, "value")
    items += ask(path, list(changed_properties(records, schema, chance))[:each], settings, "property")
    groups: dict[frozenset[str], list[str]] = {}
    for text, types in list(with_types(records))[:each]:
        groups.setdefault(types, []).append(text)
    for types, texts in groups.items():
        items += ask(copy_without(path, types, options.work), texts, settings, "edges")
    return items


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", nargs="+", default=["er", "star_wars", "gdsc", "pole"], choices=list(SETS))
    parser.add_argument("--n", type=int, default=200, help="questions a graph, all kinds together")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--show", action="store_true", help="print what was answered all the same")
    parser.add_argument("--work", type=Path, default=ROOT / "benchmarks" / "runs")
    options = parser.parse_args()
    if not GOLD.exists():
        print(f"the gold rows are not below {DATA}: set ARCGRAPH_DATA", file=sys.stderr)
        return 2
    settings = Settings.load()
    results: dict[str, Any] = {}
    every: list[dict[str, Any]] = []
    for name in options.sets:
        items = run(name, options, settings)
        every += [{"set": name, **item} for item in items]
        for kind in (*KINDS, "all"):
            of_kind = [item for item in items if kind in ("all", item["kind"])]
            answered = sum(item["answered"] for item in of_kind)
            results[f"{name} {kind}"] = {"questions": len(of_kind), "answered": answered}
            print(f"{name:12} {kind:9} n {len(of_kind):4}  answered {answered / max(1, len(of_kind)):.3f}", flush=True)
        if options.show:
            for item in items:
                if item["answered"]:
                    print(f"  [{item['kind']}] {item['question']}\n     {item['text']}")
    given = {k: str(v) if isinstance(v, Path) else v for k, v in vars(options).items()}
    print("record:", write_record(run_record("unanswerable", settings, given, results, every), options.work))
    return 0


if __name__ == "__main__":
    sys.exit(main())
