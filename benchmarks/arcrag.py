"""A model in the loop against the same model without it, and against no model: accuracy, calls, tokens, seconds.

    scripts/local-llm                                                # in another terminal; or any other model
    python benchmarks/arcrag.py --n 20 --passes 1                     # Direct-Cypher, the full loop, offline
    python benchmarks/arcrag.py --systems direct generator explorer planner full --attempts 1 3 5 --passes 1 3 5
    python benchmarks/arcrag.py --graph g.arc --questions mine.jsonl  # {"id", "question", "answers": [names]} or "rows"
    python benchmarks/arcrag.py --graph demo: --questions … --script  # no model: shows that it works

Systems: ``direct`` is a query written from question and schema in one attempt (``baseline.py``); of the loop
``generator`` writes queries and refines them, ``explorer`` looks around before it, ``planner`` plans besides, ``full``
is the loop as it is set, with options to choose from; ``offline`` is the ranking without a model. Attempts and passes
are those of the loop's systems.

Every result is a line of a file below --work that is named after model and settings, and what is there is not done
again: a run that was cut short goes on. Questions are done in turn over sets and systems, so that a part of a run
compares, too. Scored like ``metaqa.py`` (names) and ``text2cypher.py`` (rows); what was not answered is wrong.
Differences are paired, with 95 % bootstrap intervals over questions. Data: ARCGRAPH_DATA.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

import metaqa
import paths
import text2cypher
from baseline import DirectCypher

from arcgraph import Agent, Answer, Settings, connect
from arcgraph.build import connect_llm
from arcgraph.errors import ArcgraphError, ModelError, UsageError
from arcgraph.evaluate.interval import mean_interval
from arcgraph.evaluate.metrics.answer_set import answer_set
from arcgraph.evaluate.metrics.hits import hits_at
from arcgraph.evaluate.record import run_record, write_record
from arcgraph.graph.base import Graph
from arcgraph.llm.base import LLM
from arcgraph.llm.scripted import Reply, Request, ScriptedLLM

DIRECT, OFFLINE, FULL = "direct", "offline", "full"
# What each system of the loop has switched; what is not said is as it is set.
WITHOUT_OPTIONS = {"options": 0, "sure": 2.0}
SYSTEMS: Mapping[str, Mapping[str, Any]] = {
    DIRECT: {},
    "generator": {**WITHOUT_OPTIONS, "explore": False, "subplans": 0},
    "explorer": {**WITHOUT_OPTIONS, "explore": True, "subplans": 0},
    "planner": {**WITHOUT_OPTIONS, "explore": True},
    FULL: {},
    OFFLINE: {},
}
HOPS = 2


@dataclass(frozen=True)
class Question:
    """A question with its gold: names, or rows."""

    id: str
    text: str
    names: frozenset[str] | None = None
    rows: Sequence[Sequence[Any]] = ()
    topic: str = ""


class QuestionSet(NamedTuple):
    """Questions over one graph."""

    name: str
    open: Callable[[], Graph]
    questions: Sequence[Question]


class Cell(NamedTuple):
    """A system with its budgets."""

    system: str
    attempts: int
    passes: int

    def settings(self, base: Settings) -> Settings:
        """The settings with which it is run."""
        if self.system == OFFLINE:
            return base.model_copy(update={"llm": base.llm.model_copy(update={"model": ""})})
        changes = {**SYSTEMS[self.system], "attempts": self.attempts, "passes": self.passes}
        return base.model_copy(update={"arcrag": base.arcrag.model_copy(update=changes)})


# --- questions -----------------------------------------------------------------------------------------------------


def metaqa_set(options: argparse.Namespace, settings: Settings) -> QuestionSet:
    """MetaQA's dev questions of two hops."""
    items = metaqa.questions(HOPS, options.n, options.seed)
    target = argparse.Namespace(graph=None, no_labels=False, work=options.work)
    made = [Question(item.question, item.question, item.gold, topic=item.topic) for item in items]
    return QuestionSet("metaqa", lambda: metaqa.open_target(target, settings), made)


def gold_rows_set(name: str, options: argparse.Namespace, settings: Settings) -> QuestionSet:
    """Questions about values with the rows of a real server."""
    records = text2cypher.questions(name, options.n, options.seed)
    # The file has one class after the other; a part of a run is to be a sample of all.
    random.Random(options.seed).shuffle(records)
    made = [Question(r["id"], r["question"], rows=r["rows"]) for r in records]

    def open_graph() -> Graph:
        file = paths.graph_file(text2cypher.SETS[name][0], "typed", options.work)
        return connect(str(file), settings=settings)

    return QuestionSet(name, open_graph, made)


def own_set(options: argparse.Namespace, settings: Settings) -> QuestionSet:
    """The questions of a file over a graph."""
    lines = [line for line in options.questions.read_text(encoding="utf-8").splitlines() if line.strip()]
    made = [_own(json.loads(line), number) for number, line in enumerate(lines, 1)]
    return QuestionSet(options.questions.stem, lambda: connect(options.graph, settings=settings), made[: options.n])


def _own(record: Mapping[str, Any], number: int) -> Question:
    if "question" not in record or not record.keys() & {"answers", "rows"}:
        raise UsageError(f'line {number}: a question is {{"id", "question"}} with its gold as "answers" or as "rows"')
    names = frozenset(map(str, record["answers"])) if "answers" in record else None
    return Question(str(record.get("id", number)), record["question"], names, record.get("rows", ()))


def sets_of(options: argparse.Namespace, settings: Settings) -> list[QuestionSet]:
    """The sets that were asked for."""
    if options.questions is not None:
        return [own_set(options, settings)]
    if not metaqa.DATA.is_dir():
        raise UsageError(f"MetaQA is not at {metaqa.DATA}: set ARCGRAPH_DATA to the folder that holds metaqa/")
    made = {"metaqa": metaqa_set}
    return [
        made[name](options, settings) if name in made else gold_rows_set(name, options, settings)
        for name in options.sets
    ]


# --- score ---------------------------------------------------------------------------------------------------------


def score(question: Question, answer: Answer) -> dict[str, float]:
    """The figures of one answer, each between 0 and 1."""
    is_answered = answer.status == "answered"
    if question.names is None:
        return {"exact": float(is_answered and text2cypher.is_right(answer, question.rows))}
    ranked = [name for name in _names(answer) if name != question.topic] if is_answered else []
    sets = answer_set(ranked, question.names)
    return {"exact": sets.exact, "hits_at_1": hits_at(1, ranked, question.names), "f1": sets.f1}


def _names(answer: Answer) -> list[str]:
    """What an answer names, best first: its entities, or where its query returned no nodes the values of its rows."""
    names = [entity.name for entity in answer.entities]
    return names or [str(value) for row in answer.rows for value in row.values() if value is not None]


# --- results on disk -----------------------------------------------------------------------------------------------


@dataclass
class Results:
    """A file of results; its first line says of which model and settings they are."""

    path: Path
    head: Mapping[str, Any]
    found: dict[tuple[Any, ...], dict[str, Any]] = field(default_factory=dict)

    @classmethod
    def opened(cls, path: Path, head: Mapping[str, Any]) -> Results:
        """The file, made if it is not there; raises ``UsageError`` where it is of another configuration."""
        made = cls(path, head)
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            made._append(head)
            return made
        first, *lines = path.read_text(encoding="utf-8").splitlines() or ["{}"]
        if (known := json.loads(first)) != head:
            differing = sorted(k for k in {*known, *head} if known.get(k) != head.get(k))
            raise UsageError(
                f"{path} holds results of another configuration ({', '.join(differing)} differ): name another --out"
            )
        for line in lines:
            item = json.loads(line)
            made.found[key_of(item)] = item
        return made

    def add(self, item: dict[str, Any]) -> None:
        """One more result, on disk at once."""
        self._append(item)
        self.found[key_of(item)] = item

    def _append(self, data: Mapping[str, Any]) -> None:
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(data, ensure_ascii=False, default=str) + "\n")

    def of(self, name: str, cell: Cell, questions: Sequence[Question]) -> list[dict[str, Any]]:
        """The results of a cell over a set, in the order of its questions."""
        keys = [(name, q.id, *cell) for q in questions]
        return [self.found[key] for key in keys if key in self.found]


def key_of(item: Mapping[str, Any]) -> tuple[Any, ...]:
    """What there is one result of."""
    return tuple(item[part] for part in ("set", "id", *Cell._fields))


def head_of(settings: Settings, model: str) -> dict[str, Any]:
    """Of which model and settings results are: all that differ from the defaults, but for places and keys."""
    given = settings.model_dump(mode="json", exclude_defaults=True, exclude={"cache": True, "llm": {"url", "key"}})
    return {"model": model, "settings": given}


# --- run -----------------------------------------------------------------------------------------------------------


class Bench:
    """Asks the questions of one set, with a graph that is opened when it is first needed."""

    def __init__(self, one: QuestionSet, settings: Settings, llm: LLM | None, stack: ExitStack):
        self.set = one
        self._settings = settings
        self._llm = llm
        self._stack = stack
        self._askers: dict[Cell, Callable[[str], Answer]] = {}

    @cached_property
    def graph(self) -> Graph:
        """The set's graph."""
        graph = self.set.open()
        self._stack.callback(graph.close)
        return graph

    def ask(self, question: Question, cell: Cell) -> tuple[dict[str, Any], Answer]:
        """One result, and the answer that it is of; raises ``ModelError`` where the model gave no reply at all."""
        if cell not in self._askers:
            self._askers[cell] = self._asker(cell)
        began = time.perf_counter()
        answer = self._askers[cell](question.text)
        seconds = time.perf_counter() - began
        costs = answer.usage.models.values()
        if costs and all(cost.failed == cost.calls for cost in costs):
            raise ModelError("the model gave no reply to any call of this question")
        return {
            "set": self.set.name,
            "id": question.id,
            **cell._asdict(),
            "question": question.text,
            "status": str(answer.status),
            **score(question, answer),
            "calls": answer.usage.calls,
            "prompt_tokens": sum(cost.tokens.prompt for cost in costs),
            "completion_tokens": sum(cost.tokens.completion for cost in costs),
            "seconds": round(seconds, 3),
            "confidence": round(answer.confidence, 4),
            "answer": answer.text[:300],
            "rows": str(answer.rows)[:300],
            "gold": str(sorted(question.names) if question.names is not None else question.rows)[:300],
            "query": answer.queries[0].cypher if answer.queries else "",
        }, answer

    def _asker(self, cell: Cell) -> Callable[[str], Answer]:
        settings = cell.settings(self._settings)
        if cell.system == DIRECT:
            assert self._llm is not None
            return DirectCypher(self.graph, self._llm, settings).ask
        agent = Agent(self.graph, settings=settings, llm=None if cell.system == OFFLINE else self._llm)
        agent.prepare()
        return agent.ask


def cells(options: argparse.Namespace) -> list[Cell]:
    """The grid, in the order of its systems; budgets are the loop's."""
    single = [(1, 1)]
    budgets = [(attempts, passes) for attempts in options.attempts for passes in options.passes]
    return [
        Cell(system, *budget)
        for system in SYSTEMS
        if system in options.systems
        for budget in (single if system in (DIRECT, OFFLINE) else budgets)
    ]


def run(benches: Sequence[Bench], grid: Sequence[Cell], results: Results, traces: Path) -> None:
    """Does what is not done, question by question over all sets and cells."""
    longest = max(len(bench.set.questions) for bench in benches)
    todo = [
        (bench, bench.set.questions[at], cell)
        for at in range(longest)
        for bench in benches
        if at < len(bench.set.questions)
        for cell in grid
        if (bench.set.name, bench.set.questions[at].id, *cell) not in results.found
    ]
    for number, (bench, question, cell) in enumerate(todo, 1):
        item, answer = bench.ask(question, cell)
        results.add(item)
        with traces.open("a", encoding="utf-8") as file:
            events = [event.to_dict() for event in answer.trace]
            file.write(json.dumps({"key": key_of(item), "events": events}, ensure_ascii=False, default=str) + "\n")
        print(
            f"{number}/{len(todo)} {item['set']} {cell.system} {cell.attempts}x{cell.passes}: "
            f"{item['status']}, exact {item['exact']:.0f}, {item['calls']} calls, {item['seconds']:.0f} s: "
            f"{question.text}",
            file=sys.stderr,
            flush=True,
        )


# --- tables --------------------------------------------------------------------------------------------------------

FIGURES = {"exact": "exact", "hits_at_1": "Hits@1", "f1": "F1"}
COSTS = ("calls", "prompt_tokens", "completion_tokens", "seconds")


def means(items: Sequence[Mapping[str, Any]]) -> dict[str, float | None]:
    """The means of figures and costs over the questions of a cell."""
    known = {name: [item[name] for item in items if name in item] for name in (*FIGURES, *COSTS)}
    return {name: fmean(values) if values else None for name, values in known.items()}


def table(sets: Sequence[QuestionSet], grid: Sequence[Cell], results: Results) -> Iterator[str]:
    """Accuracy beside what it costs a question."""
    heads = ("set", "system", "attempts", "passes", "n", *FIGURES.values(), *(c.replace("_", " ") for c in COSTS))
    yield _row(heads)
    yield _row(["---"] * len(heads))
    for one in sets:
        for cell in grid:
            items = results.of(one.name, cell, one.questions)
            if not items:
                continue
            figures = means(items)
            shown = [_figure(figures[name]) for name in FIGURES] + [f"{figures[name]:,.1f}" for name in COSTS]
            yield _row((one.name, *map(str, cell), str(len(items)), *shown))


def differences(sets: Sequence[QuestionSet], grid: Sequence[Cell], results: Results) -> Iterator[str]:
    """Each system against Direct-Cypher and against offline, on the same questions."""
    yield _row(("set", "system", "attempts", "passes", "figure", "over direct", "over offline"))
    yield _row(["---"] * 7)
    base = {system: next((c for c in grid if c.system == system), None) for system in (DIRECT, OFFLINE)}
    for one in sets:
        for cell in (cell for cell in grid if cell.system != DIRECT):
            for figure in FIGURES:
                gains = [paired(one, cell, base[system], figure, results) for system in (DIRECT, OFFLINE)]
                if any(gains):
                    yield _row((one.name, *map(str, cell), FIGURES[figure], *gains))


def paired(one: QuestionSet, cell: Cell, other: Cell | None, figure: str, results: Results) -> str:
    """The mean difference with its interval, and over how many questions; empty where there is none."""
    if other is None or other == cell:
        return ""
    known = {item["id"]: item for item in results.of(one.name, other, one.questions)}
    gains = [
        item[figure] - known[item["id"]][figure]
        for item in results.of(one.name, cell, one.questions)
        if item["id"] in known and figure in item
    ]
    return f"{mean_interval(gains)} of {len(gains)}" if gains else ""


def _figure(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def _row(values: Sequence[str]) -> str:
    return f"| {' | '.join(values)} |"


# --- a script in place of a model ----------------------------------------------------------------------------------


EMPTIEST = "MATCH (n) RETURN n LIMIT 1"


def first_option(request: Request) -> Reply:
    """Takes the first option, the last result as the answer, and writes the emptiest query that there is."""
    if request.stage == "answer":
        offered = request.schema.model_json_schema()["properties"]["result"]["enum"] if request.schema else ["none"]
        results = [name for name in offered if name != "none"]
        judged = {"claims": [], "values": [], "follow_up": "", "sufficient": bool(results)}
        return {**judged, "answer": "As found.", "result": results[-1] if results else "none"}
    if request.schema is None:
        return EMPTIEST
    if request.stage == "generate":
        options = request.schema.model_json_schema()["properties"].get("option", {"enum": ["cypher"]})["enum"]
        cypher = "" if options[0].startswith("O") else EMPTIEST
        return {"why": "", "option": options[0], "edits": [], "cypher": cypher, "parameters": []}
    return {"looks": [], "paths": [], "answer": "entity", "relations": [], "same": [], "question": "", "phrases": []}


def connected(options: argparse.Namespace, settings: Settings) -> LLM | None:
    """The model, or the script; ``None`` where only ``offline`` is asked for."""
    if options.script:
        return ScriptedLLM(first_option, identity="a script that takes the first option")
    if options.systems == [OFFLINE]:
        return None
    llm = connect_llm(settings)
    if llm is None:
        raise UsageError(
            "no model is named: set ARCGRAPH_LLM_MODEL and ARCGRAPH_LLM_URL (scripts/local-llm serves one)"
        )
    return llm


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", nargs="+", default=["metaqa", "er"], choices=["metaqa", *text2cypher.SETS])
    parser.add_argument("--graph", help="a graph of your own, with --questions")
    parser.add_argument("--questions", type=Path, help="a file of questions over --graph, one JSON object a line")
    parser.add_argument("--systems", nargs="+", default=[DIRECT, FULL, OFFLINE], choices=list(SYSTEMS))
    parser.add_argument("--attempts", type=int, nargs="+", default=[5], help="of the loop's systems")
    parser.add_argument("--passes", type=int, nargs="+", default=[1])
    parser.add_argument("--n", type=int, default=20, help="questions a set")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--script", action="store_true", help="a script that takes the first option, and no model")
    parser.add_argument("--table", action="store_true", help="only the tables of what is done")
    parser.add_argument("--out", type=Path, help="the file of results; default: below --work, named after settings")
    parser.add_argument("--work", type=Path, default=metaqa.ROOT / "benchmarks" / "runs")
    options = parser.parse_args(arguments)
    if (options.graph is None) != (options.questions is None):
        parser.error("--graph and --questions belong together")
    try:
        return _run(options)
    except ModelError as error:
        print(f"{error}; run this again to go on from here", file=sys.stderr)
        return 3
    except (ArcgraphError, OSError) as error:
        print(error, file=sys.stderr)
        return 2


def _run(options: argparse.Namespace) -> int:
    # A reply that is known costs nothing, and what things cost is to be measured.
    settings = Settings.load(llm={"cache_entries": 0})
    llm = connected(options, settings)
    sets = sets_of(options, settings)
    head = head_of(settings, llm.identity if llm else "none")
    digest = hashlib.sha256(json.dumps(head, sort_keys=True).encode()).hexdigest()[:10]
    results = Results.opened(options.out or options.work / f"arcrag-{digest}.jsonl", head)
    grid = cells(options)
    print(f"model: {head['model']}\nsettings: {json.dumps(head['settings'])}\nresults: {results.path}\n", flush=True)
    with ExitStack() as stack:
        if llm is not None:
            stack.callback(llm.close)
        if not options.table:
            benches = [Bench(one, settings, llm, stack) for one in sets]
            run(benches, grid, results, results.path.with_suffix(".traces.jsonl"))
    print("\n".join([*table(sets, grid, results), "", *differences(sets, grid, results)]))
    if not options.table:
        given = {k: str(v) if isinstance(v, Path) else v for k, v in vars(options).items()}
        figures = {
            " ".join(map(str, (s.name, *c))): means(results.of(s.name, c, s.questions)) for s in sets for c in grid
        }
        items = [item for one in sets for cell in grid for item in results.of(one.name, cell, one.questions)]
        print("record:", write_record(run_record("arcrag", settings, given, figures, items), options.work))
    return 0


if __name__ == "__main__":
    sys.exit(main())
