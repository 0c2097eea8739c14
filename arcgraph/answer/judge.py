"""The answer call: evidence in, an answer out, with a judgement whether it suffices and what to ask next.

The evidence of a question are the answers that its passes brought, as results, edges and passages under identifiers;
the reply can name no others. Nothing is sent where there is no evidence.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, zip_longest

from pydantic import BaseModel

from arcgraph.answer.result import Answer, Citation, Status
from arcgraph.answer.wording import Names
from arcgraph.domain import Schema
from arcgraph.llm.base import system, user
from arcgraph.llm.data import block, fitting, named, quoted, rules, tokens
from arcgraph.llm.reason import Ask, Decision, Reasoner, Unusable
from arcgraph.llm.schema import at_most, narrowed, one_of
from arcgraph.llm.stages import Stage
from arcgraph.resources import prompt

NONE = "none"
_ROWS = 20
_KNOWN_ROWS = 8
_LONGEST_PASSAGE = 1_500
_LONGEST_QUERY = 400
_MOST_PIECES = 80
_MOST_CLAIMS = 8
_MOST_CITED = 4
_MOST_VALUES = 100
# Of the budget so much at most goes to results; the rest is for edges and passages.
_FOR_RESULTS = 0.5


class Said(BaseModel):
    """A statement and the identifiers of what says it."""

    text: str
    evidence: list[str] = []


class Judged(BaseModel):
    """A reply of the answer model."""

    claims: list[Said] = []
    answer: str
    result: str = NONE
    values: list[str] = []
    sufficient: bool
    follow_up: str = ""


@dataclass(frozen=True, slots=True)
class Piece:
    """An edge or passage of the evidence: which finding it is from, and the text that was shown."""

    finding: int
    citation: Citation
    text: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """What was found so far, as it is shown: ``results`` by ``Q1``…, ``pieces`` by ``E1``… and ``P1``…, and the lines.

    ``findings`` are the answers that passes brought; ``shown`` the text of each result's lines.
    """

    findings: tuple[Answer, ...] = ()
    results: Mapping[str, int] = field(default_factory=dict)
    pieces: Mapping[str, Piece] = field(default_factory=dict)
    shown: Mapping[str, str] = field(default_factory=dict)
    lines: tuple[str, ...] = ()

    def names(self) -> tuple[str, ...]:
        """All identifiers, pieces before results: an edge says more closely what a claim rests on."""
        return (*self.pieces, *self.results)

    def text_of(self, name: str) -> str:
        """What an identifier stands for, in full as far as it was shown."""
        return self.shown.get(name) or (self.pieces[name].text if name in self.pieces else "")

    def __bool__(self) -> bool:
        return bool(self.results or self.pieces)


def known_lines(findings: Sequence[Answer], schema: Schema, shared: Collection[str] = ()) -> tuple[str, ...]:
    """A line for each finding that has rows: what was asked, and what came of it."""
    names = Names.of(findings, schema, shared)
    return tuple(
        f"{quoted(f.question, 300)} -> {'; '.join(_row(names, f, i) for i in range(min(len(f.rows), _KNOWN_ROWS)))}"
        f"{f'; {len(f.rows) - _KNOWN_ROWS} more' if len(f.rows) > _KNOWN_ROWS else ''}"
        for f in findings
        if f.rows
    )


def _row(names: Names, finding: Answer, number: int) -> str:
    return ", ".join(names.cell(finding, number, value) for value in finding.rows[number].values())


def evidence_of(findings: Sequence[Answer], schema: Schema, budget: int, shared: Collection[str] = ()) -> Evidence:
    """The findings as evidence of at most so many tokens: results first, then edges and passages of each in turn, those
    of the latest finding first. ``shared`` are names that several nodes of the graph have.
    """
    names = Names.of(findings, schema, shared)
    results: dict[str, int] = {}
    shown: dict[str, str] = {}
    left = int(budget * _FOR_RESULTS)
    lines: list[str] = []
    for at in reversed(range(len(findings))):
        if findings[at].status != Status.ANSWERED or (left <= 0 and results):
            continue
        name = f"Q{at + 1}"
        told = list(_result_lines(name, findings[at], names))
        kept = fitting(told, max(left, tokens(told[0]) + tokens(told[-1])))
        left -= sum(map(tokens, kept))
        results[name] = at
        shown[name] = "\n".join(kept)
        lines = [*kept, *lines]
    pieces = _pieces(findings, names, budget - sum(map(tokens, lines)))
    lines += [f"{name} {piece.text}" for name, piece in pieces.items()]
    return Evidence(tuple(findings), dict(sorted(results.items())), pieces, shown, tuple(lines))


def _result_lines(name: str, finding: Answer, names: Names) -> Iterator[str]:
    query = finding.queries[0] if finding.queries else None
    reading = query.reading if query else finding.text
    cut = ", cut off" if finding.partial else ""
    heads = ", ".join(map(named, finding.columns))
    yield f"{name} asked: {quoted(finding.question, 300)}; read as {quoted(reading, 300)}"
    if query and query.source == "model":
        # What a pattern means is said in words already.
        yield f"{name} query: {quoted(' '.join(query.cypher.split()), _LONGEST_QUERY)}"
    yield f"{name} columns: {heads}; {len(finding.rows)} rows{cut}"
    for number in range(min(len(finding.rows), _ROWS)):
        yield f"{name} row: {_row(names, finding, number)}"
    if len(finding.rows) > _ROWS:
        yield f"{name} ({len(finding.rows) - _ROWS} more rows)"


def _pieces(findings: Sequence[Answer], names: Names, budget: int) -> dict[str, Piece]:
    by_finding = [
        [(at, c) for c in findings[at].citations] for at in reversed(range(len(findings))) if findings[at].citations
    ]
    in_turn = [pair for pair in chain.from_iterable(zip_longest(*by_finding)) if pair is not None]
    once = {(c.kind, c.id): (at, c) for at, c in reversed(in_turn)}
    pieces: dict[str, Piece] = {}
    counts: Counter[str] = Counter()
    for at, cited in reversed(once.values()):
        text = _piece_text(findings[at], cited, names)
        budget -= tokens(text)
        if budget < 0 or len(pieces) >= _MOST_PIECES:
            break
        letter = "P" if cited.kind == "passage" else "E"
        counts[letter] += 1
        pieces[f"{letter}{counts[letter]}"] = Piece(at, cited, text)
    return pieces


def _piece_text(finding: Answer, cited: Citation, names: Names) -> str:
    if cited.kind == "passage":
        return quoted(cited.text, _LONGEST_PASSAGE)
    edge = finding.witness.edges.get(cited.id)
    return quoted(cited.text) if edge is None else names.edge(edge, finding.witness.nodes)


# --- the call ----------------------------------------------------------------------------------------------------


def judge(
    reasoner: Reasoner,
    question: str,
    asked: str,
    evidence: Evidence,
    vain: Sequence[str] = (),
) -> Decision[Judged | None]:
    """What the model makes of the evidence; ``None`` without a model. ``vain`` are questions that found nothing."""
    text = prompt(
        "answer",
        question=quoted(question, len(question)),
        asked=quoted(asked, len(asked)) if asked != question else "",
        evidence=block(evidence.lines),
        vain=block(quoted(line, 300) for line in vain) if vain else "",
    )
    ask = Ask(Stage.ANSWER, (system(rules()), user(text)), _form(evidence))
    offline: Judged | None = None
    return reasoner.decide(ask, offline, _checked)


def _form(evidence: Evidence) -> type[Judged]:
    ids = [*evidence.results, *evidence.pieces]
    said = narrowed(Said, evidence=at_most(_MOST_CITED, one_of(ids)))
    return narrowed(
        Judged,
        claims=at_most(_MOST_CLAIMS, said),
        result=one_of([*evidence.results, NONE]),
        values=at_most(_MOST_VALUES, str),
    )


def _checked(reply: Judged) -> Judged | None:
    if not reply.answer.strip() and not reply.follow_up.strip() and not reply.values and reply.result == NONE:
        raise Unusable("the reply answers nothing and asks nothing")
    return reply
