"""Reads a question against a graph: anchors, supported patterns, and which of them mean the question, best first."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from arcgraph.domain import Schema
from arcgraph.graph.base import Graph
from arcgraph.graph.pattern import Descriptor, Direction
from arcgraph.interpret.anchors import MOST_CANDIDATES, Candidate, Names, find_candidates, unexplained
from arcgraph.interpret.assemble import Branch, Reading
from arcgraph.interpret.confidence import MARGIN
from arcgraph.interpret.direction import expected_direction
from arcgraph.interpret.english import BARE_NOTIONS, CONJUNCTIONS, DESCRIPTION_WORDS
from arcgraph.interpret.interface import Interface, LocalInterfaces, interfaces
from arcgraph.interpret.paths import RelationPath, Step
from arcgraph.interpret.question import Intent, Question, View, read_question, view_from
from arcgraph.interpret.score import EncodedPaths, Meanings, Parts, Piece, Weights, coverages, joint_parts, score_paths
from arcgraph.interpret.terms import Calibration, EmbedWords
from arcgraph.settings import AskSettings

# Of each anchor so many paths take part in joins with another anchor's.
_JOINED_PATHS = 15
_JOINED_HOPS = 2
_KEPT = 50
# Scores nearer than this are one score.
_TELLS_APART = 1e-4
# What describing an anchor scores: a path that the words fit well is the better answer.
DESCRIPTION = -1.5
# No path scores higher: its parts are logarithms of probabilities, give or take the floor.
BEST_POSSIBLE = 0.5


@dataclass(frozen=True, slots=True)
class Interpretation:
    """What was made of a question: readings, best first, and the anchor candidates they were made from.

    ``is_open`` says that the vocabulary they were made with was only looked at around them, and names no classes.
    ``unsaid`` are words that change what is asked and that no path can say.
    """

    question: Question
    candidates: tuple[Candidate, ...]
    readings: tuple[Reading, ...]
    considered: int
    is_open: bool = False
    unsaid: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Scored:
    """One path of an encoded set, with the parts of its score."""

    encoded: EncodedPaths
    index: int
    parts: Parts

    @property
    def path(self) -> RelationPath:
        return self.encoded.paths[self.index]


@dataclass(frozen=True, slots=True)
class Around:
    """What was found around one candidate: its supported paths, and the best of them scored."""

    candidate: Candidate
    encoded: EncodedPaths
    usable: NDArray[np.bool_]
    scored: list[Scored]

    def short(self, meanings: Meanings) -> list[tuple[int, float]]:
        """The short paths that the words support best, whatever they lead to: place and at most that support."""
        bound = self.encoded.support_bound(meanings.words)
        short = [i for i in np.flatnonzero(self.usable) if len(self.encoded.paths[i].steps) <= _JOINED_HOPS]
        short.sort(key=lambda i: -bound[i])
        return [(int(i), float(bound[i])) for i in short[:_JOINED_PATHS]]


class Reader:
    """Reads questions against one graph. Holds what depends on the schema alone; thread-safe."""

    def __init__(
        self,
        graph: Graph,
        schema: Schema,
        names: Names,
        embed: EmbedWords,
        settings: AskSettings,
        cache_dir: Path | None = None,
        *,
        weights: Weights | None = None,
        calibration: Calibration | None = None,
    ):
        self._names = names
        self._interfaces = interfaces(graph, schema, embed, settings, cache_dir, calibration)
        self._weights = weights or Weights()

    @property
    def explores(self) -> bool:
        """Whether the graph's vocabulary is open, so that each question is read by a look around its anchors."""
        return isinstance(self._interfaces, LocalInterfaces)

    def read(self, text: str) -> Interpretation:
        """All readings of a question, best first; none where it names nothing or the graph supports no pattern."""
        question = read_question(text)
        candidates = find_candidates(text, self._names, self._interfaces.vocabulary)
        leading = _by_cost(candidates)
        interface = self._interfaces.around(question, leading)
        readings = _Reading(question, candidates, interface, self._weights)
        readings.run(leading)
        is_open = self.explores and not interface.vocabulary.names_classes
        return replace(readings.interpretation(), is_open=is_open)


class _Reading:
    """One question on its way to readings."""

    def __init__(self, question: Question, candidates: Sequence[Candidate], interface: Interface, weights: Weights):
        self._question = question
        self._candidates = candidates
        self._interface = interface
        self._weights = weights
        self._readings: list[Reading] = []
        self._considered = 0
        self._best = -math.inf

    def interpretation(self) -> Interpretation:
        """What was found, best first."""
        self._readings.sort(key=lambda r: -r.score)
        best = tuple(_undirected(self._readings[:_KEPT]))
        return Interpretation(self._question, tuple(self._candidates), best, self._considered)

    def run(self, leading: Sequence[Candidate]) -> None:
        """All readings from one anchor, then those in which two take part."""
        found: list[Around] = []
        for candidate in leading:
            cost = unexplained(self._candidates, [candidate])
            if BEST_POSSIBLE - cost < self._best - MARGIN:
                continue
            view = _worded(view_from(self._question, [candidate.anchor.span]))
            if _asks_for_description(view):
                self._take([_description(candidate, cost)])
                if not view.words:
                    continue
            around = self._paths_from(candidate, view)
            self._considered += int(around.usable.sum())
            found.append(around)
            self._take(self._single(candidate, around.scored, cost))
            if _says_and(self._question, candidate):
                self._take(self._forked(around, view, cost))
        for one, other in combinations(found, 2):
            if not one.candidate.overlaps(other.candidate):
                joined = list(self._joined(one, other))
                self._considered += len(joined)
                self._take(joined)

    def _take(self, readings: Iterable[Reading]) -> None:
        for reading in readings:
            self._readings.append(reading)
            self._best = max(self._best, reading.score)

    # --- one anchor ----------------------------------------------------------------------------------------------

    def _paths_from(self, candidate: Candidate, view: View) -> Around:
        """The supported paths from an anchor, and the best of them with their scores, best first."""
        encoded, usable = self._interface.paths_from(candidate)
        scored = score_paths(encoded, self._meanings(view, candidate), usable, self._weights)
        found = [Scored(encoded, i, parts) for i, parts in scored]
        found.sort(key=lambda s: -s.parts.total(self._weights))
        return Around(candidate, encoded, usable, found)

    def _meanings(self, view: View, anchor: Candidate) -> Meanings:
        span = anchor.anchor.span
        return Meanings.of(
            view, self._interface.vocabulary, lambda place, name: expected_direction(self._question, span, place, name)
        )

    def _single(self, candidate: Candidate, scored: Sequence[Scored], cost: float) -> Iterator[Reading]:
        for s in scored:
            score = s.parts.total(self._weights) - cost
            yield Reading((Branch(candidate.anchor, s.path),), self._question.intent, score, s.parts)

    def _forked(self, around: Around, view: View, cost: float) -> Iterator[Reading]:
        """Readings in which the answer is tied to the anchor in two ways ("who designed and built Ys")."""
        candidate, meanings = around.candidate, self._meanings(view, around.candidate)
        short = [i for i, _ in around.short(meanings) if len(around.encoded.paths[i].steps) == 1]
        for i, j in combinations(short, 2):
            one, other = around.encoded.paths[i], around.encoded.paths[j]
            if one.end != other.end or one.steps[0].descriptor == other.steps[0].descriptor:
                continue
            parts = joint_parts([Piece(around.encoded, i), Piece(around.encoded, j)], meanings)
            branches = (Branch(candidate.anchor, one), Branch(candidate.anchor, other))
            score = parts.total(self._weights) - cost
            yield Reading(branches, self._question.intent, score, parts)

    # --- two anchors ---------------------------------------------------------------------------------------------

    def _joined(self, one: Around, other: Around) -> Iterator[Reading]:
        """Readings in which both anchors take part: one path between them, or two that meet."""
        a, b = one.candidate, other.candidate
        view = view_from(self._question, [a.anchor.span, b.anchor.span])
        meanings = self._meanings(view, a)
        cost = unexplained(self._candidates, [a, b])
        if self._question.intent == Intent.YES_NO:
            yield from self._between(a, b, one.scored, meanings, cost)
            yield from self._between(b, a, other.scored, self._meanings(view, b), cost)
            return
        at_a, at_b = (0, 1) if a.anchor.span < b.anchor.span else (1, 0)
        best = self._best
        for support, i, j in _pairs(one, other, meanings):
            path_a, path_b = one.encoded.paths[i], other.encoded.paths[j]
            most = self._weights.support * support - cost
            if BEST_POSSIBLE + most < best - MARGIN:
                break
            branches = (Branch(a.anchor, path_a), Branch(b.anchor, path_b))
            pieces = [Piece(one.encoded, i, at_a), Piece(other.encoded, j, at_b)]
            parts = joint_parts(pieces, meanings)
            score = parts.total(self._weights) - cost
            best = max(best, score)
            yield Reading(branches, self._question.intent, score, parts)
            for reading in self._with_tails(branches, pieces, meanings, cost, most, best):
                best = max(best, reading.score)
                yield reading

    def _with_tails(
        self,
        branches: tuple[Branch, Branch],
        pieces: list[Piece],
        meanings: Meanings,
        cost: float,
        most: float,
        best: float,
    ) -> Iterator[Reading]:
        """The branches meet at something in between, from which one more hop leads on to what is asked for.

        ``most`` is what the branches' support leaves to be had, ``best`` the best score so far.
        """
        if any(len(b.path.steps) > 1 for b in branches):
            return
        tails = self._interface.tails_from(branches[0].path)
        if not tails.paths:
            return
        at_most = BEST_POSSIBLE + most + self._weights.coverage * coverages(pieces, tails, meanings)
        for i in np.argsort(-at_most, kind="stable").tolist():
            if at_most[i] < best - MARGIN:
                break
            tail = tails.paths[i]
            parts = joint_parts([*pieces, Piece(tails, i, None)], meanings)
            score = parts.total(self._weights) - cost
            best = max(best, score)
            yield Reading(branches, self._question.intent, score, parts, tail=tail)

    def _between(
        self, start: Candidate, goal: Candidate, scored: Sequence[Scored], meanings: Meanings, cost: float
    ) -> Iterator[Reading]:
        ending = [s for s in scored if self._interface.ends_at(s.path, goal)]
        # A question names its subject first; that counts only where nothing else tells the two ways apart.
        cost += 1e-3 if start.anchor.span[0] > goal.anchor.span[0] else 0.0
        for s in ending:
            parts = joint_parts([Piece(s.encoded, s.index)], meanings, answered=False)
            score = parts.total(self._weights) - cost
            branches = (Branch(start.anchor, s.path),)
            yield Reading(branches, self._question.intent, score, parts, goal=goal.anchor)


def _pairs(one: Around, other: Around, meanings: Meanings) -> list[tuple[float, int, int]]:
    """Paths from two anchors that may meet, with the most that their support can be together, best first.

    It is at most the sum of both; the same steps from both are worded once.
    """
    found = []
    for (i, support_a), (j, support_b) in product(one.short(meanings), other.short(meanings)):
        path_a, path_b = one.encoded.paths[i], other.encoded.paths[j]
        if path_a.end == path_b.end:
            is_shared = _ways(path_a) == _ways(path_b)
            found.append((max(support_a, support_b) if is_shared else support_a + support_b, i, j))
    return sorted(found, key=lambda pair: -pair[0])


def _ways(path: RelationPath) -> list[tuple[Descriptor, Direction]]:
    return [(step.descriptor, step.direction) for step in path.steps]


def _by_cost(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The leading candidates, those first that leave least unexplained: so most of the rest is skipped."""
    return sorted(candidates[:MOST_CANDIDATES], key=lambda c: unexplained(candidates, [c]))


def _description(candidate: Candidate, cost: float) -> Reading:
    return Reading((), Intent.DESCRIBE, DESCRIPTION - cost, Parts(0.0, 0.0, 0.0, 0.0), described=candidate.anchor)


def _undirected(readings: Sequence[Reading]) -> list[Reading]:
    """Readings that differ only in which way edges point, and that nothing tells apart, become one that goes both ways.

    So it is with relations that are mutual but stored once ("married to").
    """
    merged: list[Reading] = []
    for reading in readings:
        twin = next((i for i, r in enumerate(merged) if _are_twins(r, reading)), None)
        if twin is None:
            merged.append(reading)
        else:
            merged[twin] = _both_ways(merged[twin], reading)
    return merged


def _are_twins(one: Reading, other: Reading) -> bool:
    return abs(one.score - other.score) < _TELLS_APART and _shape(one) == _shape(other) and bool(one.branches)


def _shape(reading: Reading) -> tuple[object, ...]:
    """Everything but directions."""
    steps = tuple((s.descriptor, s.label) for b in reading.branches for s in b.path.steps)
    starts = tuple((b.anchor, b.path.start, len(b.path.steps)) for b in reading.branches)
    return (starts, steps, reading.goal, reading.tail, reading.intent)


def _both_ways(one: Reading, other: Reading) -> Reading:
    branches = tuple(
        replace(a, path=replace(a.path, steps=tuple(map(_both, a.path.steps, b.path.steps))))
        for a, b in zip(one.branches, other.branches, strict=True)
    )
    return replace(one, branches=branches)


def _both(one: Step, other: Step) -> Step:
    return one if one.direction == other.direction else replace(one, direction=Direction.BOTH)


def _asks_for_description(view: View) -> bool:
    """Whether a question says nothing beyond naming its anchor ("Who is Ann?", "Tell me about Ann")."""
    return all(word in DESCRIPTION_WORDS or word in BARE_NOTIONS for word in view.words)


def _says_and(question: Question, candidate: Candidate) -> bool:
    """Whether "and" or "both" stands outside the anchor's name."""
    start, end = candidate.anchor.span
    return any(t.lower in CONJUNCTIONS and not start <= t.start < end for t in question.tokens)


def _worded(view: View) -> View:
    """A question whose question word alone says what is asked ("Where is Ys?") with a word for that."""
    notion = next((word for word in view.asked if word in BARE_NOTIONS), None)
    if view.words or notion is None:
        return view
    return replace(view, words=(notion,), places=(0,), distances=(1,), sites=(0,), links=(None,))
