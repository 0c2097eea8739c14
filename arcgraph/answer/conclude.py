"""From a judgement to the answer of a question: rows, claims with evidence, and all that was found."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from arcgraph.answer.compose import plain_rows
from arcgraph.answer.evidence import joined, name_of
from arcgraph.answer.ground import Ground, holds_value, sentences
from arcgraph.answer.judge import Evidence, Judged, Said
from arcgraph.answer.result import Answer, AnswerEntity, Citation, Claim, QueryRecord, Status, Witness
from arcgraph.domain import Rows, Schema
from arcgraph.interpret.question import Intent, read_question
from arcgraph.search.text import fold

_MOST_CITED = 60
# How sure an answer is that was put together, and what the model's agreement adds to one that was read.
_WRITTEN = 0.6
_NUMBERED = re.compile(r"(?<=\S) \[[^\[\]]+\]$")
_MOST_RESTATED = 20
_YES_NO = {"yes": True, "no": False}


@dataclass(frozen=True, slots=True)
class Concluded:
    """What a judgement comes to: ``answer`` is ``None`` where nothing in the evidence bears it, and ``why`` says so."""

    answer: Answer | None
    why: str = ""


def conclude(question: str, judged: Judged, evidence: Evidence, schema: Schema) -> Concluded:
    """The answer that a judgement gives, if the evidence bears it."""
    result = evidence.results.get(judged.result, _restated(judged, evidence))
    claims = _claims(question, judged, evidence)
    if result is None and not any(v.strip() for v in judged.values):
        result = _bearing_all(claims, evidence)
    base: Answer
    if result is not None:
        base = evidence.findings[result]
        sure = (1 + base.confidence) / 2
    else:
        rows = _put_together(question, judged, evidence)
        if not rows:
            return Concluded(None, "no value of the answer stands in the evidence")
        if not any(ids for _, ids in claims):
            return Concluded(None, "the evidence says nothing of what the answer claims")
        supported = sum(bool(ids) for _, ids in claims)
        base = _of_values(question, rows, _numbers(judged.values), evidence, schema)
        sure = _WRITTEN * (supported / len(claims) if claims else 0.5)
    text = judged.answer.strip() or base.text
    return Concluded(_assembled(replace(base, question=question, text=text, confidence=sure), claims, evidence, result))


def _claims(question: str, judged: Judged, evidence: Evidence) -> list[tuple[str, tuple[str, ...]]]:
    """Each claim with the evidence that says it; where the model lists none, the sentences of its answer are claims."""
    listed = [c for c in judged.claims if c.text.strip()]
    said = listed or [Said(text=s) for s in sentences(judged.answer)]
    ground = Ground(question, evidence)
    return [(c.text.strip(), ground.support(c)) for c in said]


# --- answers that are put together -------------------------------------------------------------------------------


def _restated(judged: Judged, evidence: Evidence) -> int | None:
    """The latest result whose values are exactly those of a reply that names none, or all stand in its answer."""
    values = {fold(_bare(v)) for v in judged.values if fold(v)}
    said = f" {fold(judged.answer)} "
    for at in sorted(evidence.results.values(), reverse=True):
        rows = evidence.findings[at].rows
        cells = {fold(str(v)) for row in rows for v in row.values() if v is not None}
        if cells and cells == values:
            return at
        if cells and not values and len(rows) <= _MOST_RESTATED and all(f" {cell} " in said for cell in cells):
            return at
    return None


def _bearing_all(claims: Sequence[tuple[str, tuple[str, ...]]], evidence: Evidence) -> int | None:
    """The one result that says every claim of a reply which lists no values."""
    bearing = [{name for name in ids if name in evidence.results} for _, ids in claims]
    shared = set.intersection(*bearing) if bearing else set()
    return evidence.results[shared.pop()] if len(shared) == 1 else None


def _put_together(question: str, judged: Judged, evidence: Evidence) -> list[Any]:
    """The values of an answer that is no result as it stands, as far as the evidence holds them."""
    if read_question(question).intent == Intent.YES_NO:
        said = next((_YES_NO[w] for v in judged.values if (w := fold(v)) in _YES_NO), None)
        return [said] if said is not None else []
    counts = {len(evidence.findings[at].rows) for at in evidence.results.values()}
    values = dict.fromkeys(_bare(v) for v in judged.values if v.strip())
    return [v for v in values if holds_value(v, evidence) or (v.isdigit() and int(v) in counts)]


def _bare(value: str) -> str:
    """A value without the id that a name shared by several things was shown with."""
    return _NUMBERED.sub("", value.strip())


def _numbers(values: Sequence[str]) -> dict[str, str]:
    """The ids with which names that several things share were told apart."""
    found = ((_bare(v), m[0].strip(" []")) for v in values if (m := _NUMBERED.search(v.strip())))
    return {fold(name): id_ for name, id_ in found}


def _of_values(
    question: str, values: Sequence[Any], ids: Mapping[str, str], evidence: Evidence, schema: Schema
) -> Answer:
    table = Rows(("answer",), [(_figure(v),) for v in values])
    found = tuple(e for e in _entities(values, evidence, schema) if ids.get(fold(e.name), e.id) == e.id)
    return Answer(
        question, Status.ANSWERED, "", entities=found, columns=table.columns, rows=plain_rows(table), table=table
    )


def _figure(value: Any) -> Any:
    """A whole number as one; everything else as it was written."""
    return int(value) if isinstance(value, str) and value.isascii() and value.isdigit() and value[0] != "0" else value


def _entities(values: Sequence[Any], evidence: Evidence, schema: Schema) -> tuple[AnswerEntity, ...]:
    """The nodes of the evidence that are called so, in the order of the values."""
    wanted = {fold(str(v)): i for i, v in enumerate(values)}
    found: dict[str, tuple[int, AnswerEntity]] = {}
    for finding in evidence.findings:
        for node in finding.witness.nodes.values():
            name = str(name_of(node, schema))
            if (at := wanted.get(fold(name))) is not None:
                found.setdefault(node.id, (at, AnswerEntity(name, node.labels, node.id, 1.0)))
        for entity in finding.entities:
            if (at := wanted.get(fold(entity.name))) is not None:
                found.setdefault(entity.id, (at, replace(entity, score=1.0)))
    return tuple(entity for _, entity in sorted(found.values(), key=lambda pair: pair[0]))


# --- all that was found, in one answer ---------------------------------------------------------------------------


def gathered(answer: Answer, findings: Sequence[Answer]) -> Answer:
    """An answer that is one of the findings or none, with the queries, witness and citations of all of them."""
    ordered = [f for f in findings if f is answer] + [f for f in findings if f is not answer]
    queries, witness, cited = _joined(ordered, {})
    return replace(answer, queries=queries, witness=witness, citations=tuple(c for c in cited.values()))


def _assembled(
    base: Answer, claims: Sequence[tuple[str, tuple[str, ...]]], evidence: Evidence, result: int | None
) -> Answer:
    first = [] if result is None else [evidence.findings[result]]
    ordered = first + [f for at, f in enumerate(evidence.findings) if at != result]
    wanted = {(p.citation.kind, p.citation.id): None for _, ids in claims for n in ids if (p := evidence.pieces.get(n))}
    queries, witness, cited = _joined(ordered, wanted)
    places = {key: i for i, key in enumerate(cited)}
    starts = _starts(ordered)
    tied = [
        _claim(text, ids, evidence, places, [starts[ordered.index(f)] for f in evidence.findings])
        for text, ids in claims
    ]
    return replace(
        base,
        queries=queries,
        witness=witness,
        citations=tuple(cited.values()),
        claims=tuple(tied),
    )


def _claim(
    text: str, ids: Sequence[str], evidence: Evidence, places: Mapping[tuple[str, str], int], starts: Sequence[int]
) -> Claim:
    """A claim with its evidence as places in the answer: pieces as citations, results as their queries."""
    pieces = [evidence.pieces[n].citation for n in ids if n in evidence.pieces]
    cited = [places[c.kind, c.id] for c in pieces if (c.kind, c.id) in places]
    queries = [starts[evidence.results[n]] for n in ids if n in evidence.results]
    return Claim(text, tuple(dict.fromkeys(cited)), tuple(dict.fromkeys(queries)))


def _starts(findings: Sequence[Answer]) -> list[int]:
    """Where the last own query of each finding stands among all: it is the one that brought its rows."""
    ends, at = [], 0
    for finding in findings:
        at += len(finding.own_queries)
        ends.append(max(0, at - 1))
    return ends


def _joined(
    findings: Sequence[Answer], first: Mapping[tuple[str, str], None]
) -> tuple[tuple[QueryRecord, ...], Witness, dict[tuple[str, str], Citation]]:
    """The queries of all findings, then those of the joined witness; and citations by kind and id, ``first`` ones
    before the others.
    """
    witness = Witness()
    for finding in findings:
        witness = joined(witness, finding.witness)
    own = tuple(q for f in findings for q in f.own_queries)
    every = {(c.kind, c.id): c for f in reversed(findings) for c in _numbered(f, witness, len(own))}
    order = [*(key for key in first if key in every), *_in_order(findings)]
    kept = list(dict.fromkeys(order))[:_MOST_CITED]
    return own + witness.queries, witness, {key: every[key] for key in kept}


def _in_order(findings: Sequence[Answer]) -> Iterator[tuple[str, str]]:
    for kind in ("edge", "passage"):
        yield from ((c.kind, c.id) for f in findings for c in f.citations if c.kind == kind)


def _numbered(finding: Answer, witness: Witness, before: int) -> Iterator[Citation]:
    """A finding's citations with the place of their query among all."""
    for cited in finding.citations:
        query = witness.found_by.get(("edge", cited.id), 0) if cited.kind == "edge" else -before
        yield replace(cited, query=before + query)
