"""Seed: where a question names nothing that is known, it is asked for in other words, with phrases to search for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from pydantic import BaseModel

from arcgraph.arcrag.context import Asked, Context
from arcgraph.domain import Anchor
from arcgraph.llm.base import system, user
from arcgraph.llm.data import block, fitting, quoted, rules
from arcgraph.llm.reason import Ask, Decision, Unusable
from arcgraph.llm.stages import Stage
from arcgraph.resources import prompt
from arcgraph.search.base import Entry

MOST_PHRASES = 6
_NEAR = 8
_NEAR_A_PHRASE = 3
_LONGEST_PHRASE = 100


class Refined(BaseModel):
    """A question in other words, and what to search for."""

    question: str
    phrases: list[str] = []


class Seeds(NamedTuple):
    """The question as it is read from here on, phrases, and entities whose names are like these."""

    question: str
    phrases: tuple[str, ...] = ()
    anchors: tuple[Anchor, ...] = ()


def seed(asked: Asked, context: Context) -> Seeds:
    """One call; without a model the question stays as it is and its own words are searched for."""
    near = [context.names.entry(hit.id) for hit in context.names.near(asked.text, _NEAR)]
    text = prompt(
        "phrases",
        question=quoted(asked.text, len(asked.text)),
        known=block(fitting(asked.known, context.settings.arcrag.evidence_tokens // 2)) if asked.known else "",
        near=block(dict.fromkeys(quoted(entry.text) for entry in near)),
        most=MOST_PHRASES,
    )
    ask = Ask(Stage.PHRASES, (system(rules()), user(text)), Refined)
    longest = context.settings.ask.max_question
    decision: Decision[Seeds] = context.reasoner.decide(
        ask, Seeds(asked.text), lambda reply: _read(reply, asked.text, longest)
    )
    refined = decision.value
    phrases = refined.phrases or (asked.text,)
    found = [anchor for phrase in phrases for anchor in anchors_like(phrase, context, _NEAR_A_PHRASE)]
    context.trace.note("seed", "phrases", question=refined.question, phrases=list(refined.phrases), by=decision.by)
    return refined._replace(anchors=tuple(dict.fromkeys(found)))


def _read(reply: Refined, original: str, longest: int) -> Seeds:
    question = reply.question.strip() or original
    if len(question) > longest:
        raise Unusable("the question in other words is too long")
    phrases = [p.strip()[:_LONGEST_PHRASE] for p in reply.phrases if p.strip()]
    return Seeds(question, tuple(dict.fromkeys(phrases))[:MOST_PHRASES])


def anchors_like(text: str, context: Context, most: int) -> list[Anchor]:
    """Entities whose names are like a text, the nearest first."""
    hits = context.names.near(text, most)
    return anchors_of((context.names.entry(hit.id) for hit in hits), text)


def anchors_of(entries: Iterable[Entry], text: str) -> list[Anchor]:
    """Entries as anchors: those of one name and kind are one. They stand nowhere in the question."""
    groups: dict[tuple[str, tuple[str, ...], str], list[Entry]] = defaultdict(list)
    for entry in entries:
        groups[entry.text, entry.labels, entry.property].append(entry)
    return [
        Anchor(
            name,
            labels,
            key,
            tuple(e.id for e in members),
            tuple(e.element_id for e in members),
            (0, 0),
            text,
            "near",
            0.5,
        )
        for (name, labels, key), members in groups.items()
    ]
