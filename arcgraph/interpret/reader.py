"""Reads a question against a graph: anchors, supported patterns, and which of them mean the question, best first."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from arcgraph.domain import Schema
from arcgraph.errors import QueryError
from arcgraph.graph.base import Graph
from arcgraph.graph.pattern import Direction
from arcgraph.interpret.anchors import MOST_CANDIDATES, Candidate, Names, find_candidates, unexplained
from arcgraph.interpret.assemble import Branch, Reading
from arcgraph.interpret.confidence import MARGIN
from arcgraph.interpret.direction import expected_direction
from arcgraph.interpret.english import DESCRIPTION_WORDS
from arcgraph.interpret.explore import Move, first_moves
from arcgraph.interpret.paths import RelationPath, Step, enumerate_paths
from arcgraph.interpret.question import Intent, Question, View, read_question, view_from
from arcgraph.interpret.roles import RoleMoves, movement
from arcgraph.interpret.score import EncodedPaths, Meanings, Parts, Piece, Weights, joint_parts, score_paths
from arcgraph.interpret.terms import Calibration, EmbedWords, Vocabulary, label_term, relation_term
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
    """What was made of a question: readings, best first, and the anchor candidates they were made from."""

    question: Question
    candidates: tuple[Candidate, ...]
    readings: tuple[Reading, ...]
    considered: int


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
        self._graph = graph
        self._schema = schema
        self._names = names
        self._settings = settings
        # Labels that tell nothing apart would only attract words ("Entity").
        self._moves = movement(graph, schema, cache_dir)
        labels = [] if isinstance(self._moves, RoleMoves) else [label for label in schema.labels if label]
        relations = dict.fromkeys(d.text for d in self._moves.descriptors())
        self._vocabulary = Vocabulary(
            [relation_term(r) for r in relations] + [label_term(label) for label in labels], embed, calibration
        )
        self._encoded: dict[tuple[str, ...], EncodedPaths] = {}
        self._tails: dict[str, EncodedPaths] = {}
        self._weights = weights or Weights()

    def read(self, text: str) -> Interpretation:
        """All readings of a question, best first; none where it names nothing or the graph supports no pattern."""
        question = read_question(text)
        candidates = find_candidates(text, self._names, self._vocabulary)
        readings: list[Reading] = []
        considered = 0
        found: list[Around] = []
        best = -math.inf
        for candidate in self._by_cost(candidates):
            cost = unexplained(candidates, [candidate])
            if BEST_POSSIBLE - cost < best - MARGIN:
                continue
            view = view_from(question, [candidate.anchor.span])
            if _asks_for_description(view):
                readings.append(self._description(candidate, cost))
                if not view.words:
                    continue
            around = self._paths_from(question, candidate, view)
            considered += int(around.usable.sum())
            found.append(around)
            readings += self._single(question, candidate, around.scored, cost)
            best = max([best, *(r.score for r in readings)])
        for one, other in combinations(found, 2):
            if not one.candidate.overlaps(other.candidate):
                joined = list(self._joined(question, one, other, candidates, best))
                considered += len(joined)
                readings += joined
                best = max([best, *(r.score for r in joined)])
        readings.sort(key=lambda r: -r.score)
        return Interpretation(question, tuple(candidates), tuple(_undirected(readings[:_KEPT])), considered)

    def _by_cost(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        """The leading candidates, those first that leave least unexplained: so most of the rest is skipped."""
        return sorted(candidates[:MOST_CANDIDATES], key=lambda c: unexplained(candidates, [c]))

    # --- one anchor ----------------------------------------------------------------------------------------------

    def _paths_from(self, question: Question, candidate: Candidate, view: View) -> Around:
        """The supported paths from an anchor, and the best of them with their scores, best first."""
        labels = self._moves.starts(candidate.anchor.labels)
        encoded = self._encode(labels)
        allowed = self._allowed(candidate, labels)
        usable = np.array([move in allowed for move in encoded.first_moves], bool)
        meanings = self._meanings(question, view, candidate)
        found = [Scored(encoded, i, parts) for i, parts in score_paths(encoded, meanings, usable, self._weights)]
        found.sort(key=lambda s: -s.parts.total(self._weights))
        return Around(candidate, encoded, usable, found)

    def _meanings(self, question: Question, view: View, anchor: Candidate) -> Meanings:
        span = anchor.anchor.span
        return Meanings.of(view, self._vocabulary, lambda place, name: expected_direction(question, span, place, name))

    def _encode(self, labels: tuple[str, ...]) -> EncodedPaths:
        if labels not in self._encoded:
            paths = enumerate_paths(self._moves, labels, self._settings.max_hops, self._settings.max_patterns)
            self._encoded[labels] = EncodedPaths(paths, self._vocabulary, self._moves.either_way())
        return self._encoded[labels]

    def _allowed(self, candidate: Candidate, labels: tuple[str, ...]) -> set[Move]:
        steps = [s for label in labels for s in self._moves.of(label, first=True)]
        options = list(dict.fromkeys((s.descriptor, s.direction) for s in steps))
        try:
            return first_moves(
                self._graph,
                candidate.anchor,
                options,
                loaded=self._schema.loaded,
                timeout=min(2.0, self._settings.deadline),
            )
        except QueryError:
            # Without the look around the anchor more paths are tried; none is lost.
            return set(options)

    def _single(
        self, question: Question, candidate: Candidate, scored: Sequence[Scored], cost: float
    ) -> Iterator[Reading]:
        for s in scored:
            yield Reading(
                (Branch(candidate.anchor, s.path),), question.intent, s.parts.total(self._weights) - cost, s.parts
            )

    def _description(self, candidate: Candidate, cost: float) -> Reading:
        score = DESCRIPTION - cost
        return Reading((), Intent.DESCRIBE, score, Parts(0.0, 0.0, 0.0, 0.0), described=candidate.anchor)

    # --- two anchors ---------------------------------------------------------------------------------------------

    def _joined(
        self,
        question: Question,
        one: Around,
        other: Around,
        all_candidates: Sequence[Candidate],
        best: float,
    ) -> Iterator[Reading]:
        """Readings in which both anchors take part: one path between them, or two that meet."""
        a, b = one.candidate, other.candidate
        view = view_from(question, [a.anchor.span, b.anchor.span])
        meanings = self._meanings(question, view, a)
        cost = unexplained(all_candidates, [a, b])
        if question.intent == Intent.YES_NO:
            yield from self._between(question, a, b, one.scored, meanings, cost)
            yield from self._between(question, b, a, other.scored, self._meanings(question, view, b), cost)
            return
        at_a, at_b = (0, 1) if a.anchor.span < b.anchor.span else (1, 0)
        for (i, support_a), (j, support_b) in product(one.short(meanings), other.short(meanings)):
            path_a, path_b = one.encoded.paths[i], other.encoded.paths[j]
            # A pair's support is at most the sum of its paths': most pairs need no closer look.
            at_most = BEST_POSSIBLE + self._weights.support * (support_a + support_b) - cost
            if path_a.end != path_b.end or at_most < best - MARGIN:
                continue
            branches = (Branch(a.anchor, path_a), Branch(b.anchor, path_b))
            pieces = [Piece(one.encoded, i, at_a), Piece(other.encoded, j, at_b)]
            parts = joint_parts(pieces, meanings)
            yield Reading(branches, question.intent, parts.total(self._weights) - cost, parts)
            yield from self._with_tails(question, branches, pieces, meanings, cost)

    def _with_tails(
        self, question: Question, branches: tuple[Branch, Branch], pieces: list[Piece], meanings: Meanings, cost: float
    ) -> Iterator[Reading]:
        """The branches meet at something in between, from which one more hop leads on to what is asked for."""
        if any(len(b.path.steps) > 1 for b in branches):
            return
        tails = self._tails_from(branches[0].path)
        for i, tail in enumerate(tails.paths):
            parts = joint_parts([*pieces, Piece(tails, i, None)], meanings)
            yield Reading(branches, question.intent, parts.total(self._weights) - cost, parts, tail=tail)

    def _tails_from(self, path: RelationPath) -> EncodedPaths:
        """The single steps on from where a path leads."""
        if path.state not in self._tails:
            steps = [RelationPath(path.end, (step,)) for step in self._moves.of(path.state)]
            self._tails[path.state] = EncodedPaths(steps, self._vocabulary, self._moves.either_way())
        return self._tails[path.state]

    def _between(
        self,
        question: Question,
        start: Candidate,
        goal: Candidate,
        scored: Sequence[Scored],
        meanings: Meanings,
        cost: float,
    ) -> Iterator[Reading]:
        labels = self._moves.starts(goal.anchor.labels)
        ending = [s for s in scored if s.path.end in labels]
        # A question names its subject first; that counts only where nothing else tells the two ways apart.
        cost += 1e-3 if start.anchor.span[0] > goal.anchor.span[0] else 0.0
        for s in ending:
            parts = joint_parts([Piece(s.encoded, s.index)], meanings, answered=False)
            yield Reading(
                (Branch(start.anchor, s.path),),
                question.intent,
                parts.total(self._weights) - cost,
                parts,
                goal=goal.anchor,
            )


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
    return all(word in DESCRIPTION_WORDS for word in view.words)
