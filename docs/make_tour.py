"""Writes docs/tour.md (ten questions of the demo graph, and what really comes back) and the output in docs/ranking.md.

    python docs/make_tour.py           # ask them again and write the pages
    python docs/make_tour.py --check   # exit code 1 if the pages are not what comes back now

Needs the extra ``static``; other embedders give other confidences and, now and then, other readings.
"""

from __future__ import annotations

import argparse
import difflib
import re
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from arcgraph import Agent, Answer, Settings, Status, connect
from arcgraph.answer.result import cypher_literal
from arcgraph.demo import QUESTIONS

TOUR = Path(__file__).parent / "tour.md"
RANKING = Path(__file__).parent / "ranking.md"
_SHOWN_EDGES = 4
_SHOWN_ALTERNATIVES = 2


class Verdict(StrEnum):
    """How an answer compares with what the graph holds."""

    RIGHT = "right"
    WRONG = "wrong"
    MISSED = "missed"


_VERDICT_TEXT = {
    Verdict.RIGHT: "Right.",
    Verdict.WRONG: "**Wrong.**",
    Verdict.MISSED: "**Missed**: the graph has an answer.",
}


@dataclass(frozen=True)
class Stop:
    """What the graph really holds for a question, read off it by hand, and what to say of each way to fail it.

    ``right`` is the set of all scalar values of the rows; empty where the graph has no answer.
    """

    right: frozenset[Any]
    remarks: Mapping[Verdict, str] = field(default_factory=dict)

    def verdict(self, answer: Answer) -> Verdict:
        """Judge one answer."""
        given = {value for row in answer.rows for value in row.values()}
        if answer.status != Status.ANSWERED:
            return Verdict.MISSED if self.right else Verdict.RIGHT
        return Verdict.RIGHT if given == self.right else Verdict.WRONG


STOPS: dict[str, Stop] = {
    "Who designed Kittiwake Light?": Stop(frozenset({"Edda Brisk"})),
    "Who looked after Marrow Light?": Stop(
        frozenset({"Wenna Tull", "Gideon Pell"}),
        {
            Verdict.MISSED: "The word table does not tie “looked after” to `KEEPER_OF`. The right reading is the first "
            "of the others, and nothing is claimed."
        },
    ),
    "How tall is Corrin High Light?": Stop(
        frozenset({29.0}),
        {Verdict.MISSED: "The height is there, as `height_m`: 29.0."},
    ),
    "Where was the keeper of Dunlin Light born?": Stop(frozenset({"Brannoch Kirk"})),
    "Which ship did the Hale Circumnavigation use, and which museum shows it?": Stop(
        frozenset({"Grey Selkie", "Velsay Maritime Museum"}),
        {
            Verdict.WRONG: "Two questions in one, for the Grey Selkie and the Velsay Maritime Museum. Only the second "
            "is answered: one question has one asked thing so far, and the ship is a step on the way to it."
        },
    ),
    "Who was the leader of the Kittiwake Winter married to?": Stop(
        frozenset({"Magnus Ebb"}),
        {
            Verdict.WRONG: "The word table puts “leader” a little nearer to “member” than to “led”. The reading with "
            "`LED`, which leads to Magnus Ebb, is the next but one; the low confidence says that it was close."
        },
    ),
    "On which islands are the lighthouses that students of Tobias Renn designed?": Stop(
        frozenset({"Kittiwake Rock", "Marrow Stack", "Great Skerrow", "Velsay"}),
        {
            Verdict.WRONG: "“Students” is not tied to `MENTOR_OF`, so that the hop to them is left out and the answer "
            "is about Renn's own lighthouses. The right reading is the first of the others. Nothing in the confidence "
            "gives this away: read the reading."
        },
    ),
    "How many lighthouses did Edda Brisk design?": Stop(frozenset({3})),
    "Was Nessa Quill a keeper of Arden Light?": Stop(frozenset({True})),
    "Who painted the portrait of Edda Brisk?": Stop(
        frozenset(),
        {
            Verdict.RIGHT: "The graph knows nothing of portraits, so it names no painter. It offers what it does know.",
            Verdict.WRONG: "The graph knows nothing of portraits, so any answer is made up.",
        },
    ),
}


def ask_all() -> list[Answer]:
    """Ask the ten questions with the settings that the page stands for, whatever the environment says."""
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings.load({}, cache={"dir": folder}, search={"embedder": "static"})
        with closing(connect("demo:", settings=settings)) as graph:
            agent = Agent(graph, settings=settings)
            return [agent.ask(question) for question in QUESTIONS]


def page(answers: Sequence[Answer]) -> str:
    """The whole page."""
    verdicts = [STOPS[answer.question].verdict(answer) for answer in answers]
    lines = [
        "# A tour of ten questions",
        "",
        "Written by `docs/make_tour.py`, which asks the packaged demo graph ten questions and notes what comes back:",
        "no model, the `static` extra alone, default settings. A test asks them again. Try one:",
        "",
        "```bash",
        f'arcgraph ask --graph demo: "{QUESTIONS[0]}"',
        "```",
        "",
        _summary(verdicts),
        "",
    ]
    for number, (answer, verdict) in enumerate(zip(answers, verdicts, strict=True), 1):
        lines += [f"## {number}. {answer.question}", "", *_stop(answer, verdict), ""]
    return "\n".join(lines).rstrip() + "\n"


def _summary(verdicts: Sequence[Verdict]) -> str:
    right, wrong, missed = (verdicts.count(v) for v in (Verdict.RIGHT, Verdict.WRONG, Verdict.MISSED))
    return _wrapped(
        f"Of the ten, **{right} are right**, {missed} are missed with a question back, and {wrong} are wrong. (The "
        "last one has no answer in the graph, so to give none is right.) Each answer ends with how the question was "
        "read, which is the quickest way to see whether it was understood."
    )


def _wrapped(text: str) -> str:
    return textwrap.fill(text.strip(), 120, break_long_words=False, break_on_hyphens=False)


def _stop(answer: Answer, verdict: Verdict) -> Iterator[str]:
    yield f"> {_likely(answer.text)}"
    yield ""
    remark = STOPS[answer.question].remarks.get(verdict, "")
    if verdict is not Verdict.RIGHT and not remark:
        raise SystemExit(f"{verdict}: {answer.question!r} gives {answer.text!r}; say in STOPS why")
    yield _wrapped(f"`{answer.status}`, confidence {answer.confidence:.1f}. {_VERDICT_TEXT[verdict]} {remark}")
    if verdict is not Verdict.RIGHT and answer.status == Status.ANSWERED:
        yield ""
        yield from (f"- other reading: {a.reading}" for a in answer.alternatives[:_SHOWN_ALTERNATIVES])
    if answer.citations:
        yield ""
        yield from _evidence(answer)
    if answer.status == Status.ANSWERED:
        yield ""
        yield from _cypher(answer)


def _likely(text: str) -> str:
    """An answer's text without the third reading that it offers, which any small change of the ranking turns over."""
    return re.sub(r"(Did you mean: .*?; or: .*?); or: .*", r"\1; or: …", text)


def _evidence(answer: Answer) -> Iterator[str]:
    edges = [c for c in answer.citations if c.kind == "edge"]
    yield from (f"- `{c.text}`" for c in edges[:_SHOWN_EDGES])
    if len(edges) > _SHOWN_EDGES:
        yield f"- … and {len(edges) - _SHOWN_EDGES} more edges"
    yield from (f"- “{c.text}” [{c.id}]" for c in [c for c in answer.citations if c.kind == "passage"][:1])


def _cypher(answer: Answer) -> Iterator[str]:
    query = answer.queries[0]
    yield "```cypher"
    yield from (f":param {name} => {cypher_literal(value)};" for name, value in query.params.items())
    yield f"{query.cypher};"
    yield "```"


def with_output(page: str) -> str:
    """A page whose first Python block was run, and the block after it tells what it printed."""
    match = re.search(r"```python\n(.*?)```\n\n```text output\n(.*?)```", page, re.S)
    if match is None:
        raise SystemExit("docs/ranking.md has no Python block with its output")
    run = [sys.executable, "-c", match[1]]
    printed = subprocess.run(run, stdout=subprocess.PIPE, text=True, check=True).stdout
    return page[: match.start(2)] + printed + page[match.end(2) :]


def main() -> int:
    """Write the pages, or compare them with what comes back."""
    parser = argparse.ArgumentParser(description="Writes docs/tour.md and the output in docs/ranking.md.")
    parser.add_argument("--check", action="store_true", help="only say whether the pages are what comes back now")
    options = parser.parse_args()
    ranking = RANKING.read_text(encoding="utf-8")
    tour = TOUR.read_text(encoding="utf-8") if TOUR.exists() else ""
    stale = False
    for path, written, made in ((TOUR, tour, page(ask_all())), (RANKING, ranking, with_output(ranking))):
        if not options.check:
            path.write_text(made, encoding="utf-8")
        elif written != made:
            stale = True
            lines = difflib.unified_diff(written.splitlines(), made.splitlines(), path.name, "now", lineterm="")
            sys.stdout.writelines(f"{line}\n" for line in lines)
    if stale:
        print("the pages are not what comes back; run: python docs/make_tour.py", file=sys.stderr)
    return int(stale)


if __name__ == "__main__":
    sys.exit(main())
