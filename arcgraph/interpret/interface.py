"""The query-local interface: the terms and paths that a graph offers around what a question names.

A graph of few relations has one interface for all questions. One of an open vocabulary is explored around the anchors
of each question: the interface grows with what was looked at, not with the graph.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from arcgraph.domain import Schema
from arcgraph.errors import QueryError
from arcgraph.graph.base import Graph
from arcgraph.graph.pattern import Descriptor
from arcgraph.interpret.anchors import Candidate
from arcgraph.interpret.explore import Move, first_moves
from arcgraph.interpret.nearby import Explorer, Nearby
from arcgraph.interpret.paths import Movement, RelationPath, enumerate_paths
from arcgraph.interpret.question import Question
from arcgraph.interpret.roles import RoleMoves, frequent_descriptors, has_open_vocabulary, labels_say_nothing, movement
from arcgraph.interpret.score import EncodedPaths
from arcgraph.interpret.terms import Calibration, EmbedWords, Term, Vocabulary, label_term, relation_term
from arcgraph.settings import AskSettings

# The anchors around which an open vocabulary is explored.
_MOST_EXPLORED = 4
_FIRST_LOOK = 2.0


class Interface(Protocol):
    """What reading a question needs to know of the graph around its anchors."""

    @property
    def vocabulary(self) -> Vocabulary:
        """The terms that a word may mean."""
        ...

    def paths_from(self, candidate: Candidate) -> tuple[EncodedPaths, NDArray[np.bool_]]:
        """The paths that leave an anchor, and which of them can begin there."""
        ...

    def tails_from(self, path: RelationPath) -> EncodedPaths:
        """The single steps on from where a path leads."""
        ...

    def ends_at(self, path: RelationPath, candidate: Candidate) -> bool:
        """Whether a path may end at an anchor."""
        ...


class Interfaces(Protocol):
    """Makes the interface of a question."""

    @property
    def vocabulary(self) -> Vocabulary:
        """The terms that are known before any question: what a word may mean that is no name."""
        ...

    def around(self, question: Question, candidates: Sequence[Candidate]) -> Interface:
        """The interface of a question that may name these candidates, the likeliest first."""
        ...


def interfaces(
    graph: Graph,
    schema: Schema,
    embed: EmbedWords,
    settings: AskSettings,
    cache_dir: Path | None = None,
    calibration: Calibration | None = None,
) -> Interfaces:
    """One interface for all questions, or one for each where the vocabulary is open."""
    if labels_say_nothing(schema) and has_open_vocabulary(graph, schema):
        return LocalInterfaces(graph, schema, embed, settings, calibration)
    moves = movement(graph, schema, cache_dir)
    return SchemaInterface(graph, schema, moves, embed, settings, calibration)


def vocabulary_of(
    moves: Movement, schema: Schema, embed: EmbedWords, calibration: Calibration | None = None
) -> Vocabulary:
    """The terms of a graph: its relations, and what tells its nodes apart."""
    # Labels that tell nothing apart would only attract words ("Entity").
    classes = moves.classes() if isinstance(moves, RoleMoves) else [label for label in schema.labels if label]
    return Vocabulary(_terms(moves.descriptors(), classes), embed, calibration)


def _terms(descriptors: Sequence[Descriptor], classes: Sequence[str]) -> list[Term]:
    relations = dict.fromkeys(d.text for d in descriptors)
    return [relation_term(r) for r in relations] + [label_term(c) for c in classes]


class SchemaInterface:
    """Paths over the whole schema, narrowed to what each anchor really has around it. Thread-safe."""

    def __init__(
        self,
        graph: Graph,
        schema: Schema,
        moves: Movement,
        embed: EmbedWords,
        settings: AskSettings,
        calibration: Calibration | None = None,
    ):
        self.vocabulary = vocabulary_of(moves, schema, embed, calibration)
        self._graph = graph
        self._schema = schema
        self._moves = moves
        self._settings = settings
        self._encoded: dict[tuple[str, ...], EncodedPaths] = {}
        self._tails: dict[str, EncodedPaths] = {}

    def around(self, question: Question, candidates: Sequence[Candidate]) -> SchemaInterface:
        """The same for every question."""
        del question, candidates
        return self

    def paths_from(self, candidate: Candidate) -> tuple[EncodedPaths, NDArray[np.bool_]]:
        """All paths from the anchor's labels, those marked whose first step the anchor has."""
        labels = self._moves.starts(candidate.anchor.labels)
        encoded = self._encode(labels)
        allowed = self._allowed(candidate, labels)
        return encoded, np.array([move in allowed for move in encoded.first_moves], bool)

    def tails_from(self, path: RelationPath) -> EncodedPaths:
        """The single steps on from where a path leads."""
        if path.state not in self._tails:
            steps = [RelationPath(path.end, (step,)) for step in self._moves.of(path.state)]
            self._tails[path.state] = EncodedPaths(steps, self.vocabulary, self._moves.either_way())
        return self._tails[path.state]

    def ends_at(self, path: RelationPath, candidate: Candidate) -> bool:
        """Whether the last label is one of the anchor's."""
        return path.end in self._moves.starts(candidate.anchor.labels)

    def _encode(self, labels: tuple[str, ...]) -> EncodedPaths:
        if labels not in self._encoded:
            paths = enumerate_paths(self._moves, labels, self._settings.max_hops, self._settings.max_patterns)
            self._encoded[labels] = EncodedPaths(paths, self.vocabulary, self._moves.either_way())
        return self._encoded[labels]

    def _allowed(self, candidate: Candidate, labels: tuple[str, ...]) -> set[Move]:
        steps = [s for label in labels for s in self._moves.of(label, first=True)]
        options = list(dict.fromkeys((s.descriptor, s.direction) for s in steps))
        try:
            return first_moves(
                self._graph,
                self._schema,
                candidate.anchor,
                options,
                timeout=min(_FIRST_LOOK, self._settings.deadline),
            )
        except QueryError:
            # Without the look around the anchor more paths are tried; none is lost.
            return set(options)


class LocalInterfaces:
    """Makes a :class:`LocalInterface` for each question. Thread-safe."""

    def __init__(
        self,
        graph: Graph,
        schema: Schema,
        embed: EmbedWords,
        settings: AskSettings,
        calibration: Calibration | None = None,
    ):
        self.vocabulary = Vocabulary(_terms(frequent_descriptors(graph, schema), ()), embed, calibration)
        self._explorer = Explorer(graph, schema, embed, settings)
        self._embed = embed
        self._calibration = calibration

    def around(self, question: Question, candidates: Sequence[Candidate]) -> LocalInterface:
        """Explores around the likeliest candidates; of the others no path is known."""
        nearby = self._explorer.explore(question, candidates[:_MOST_EXPLORED])
        vocabulary = Vocabulary(_terms(nearby.descriptors, nearby.classes), self._embed, self._calibration)
        return LocalInterface(nearby, vocabulary)


class LocalInterface:
    """The paths that were seen to leave the anchors of one question."""

    def __init__(self, nearby: Nearby, vocabulary: Vocabulary):
        self.vocabulary = vocabulary
        self._nearby = nearby
        self._encoded = {key: EncodedPaths(paths, vocabulary) for key, paths in nearby.paths.items()}
        self._nothing = EncodedPaths([], vocabulary)
        self._tails: dict[str, EncodedPaths] = {}

    def paths_from(self, candidate: Candidate) -> tuple[EncodedPaths, NDArray[np.bool_]]:
        """The paths seen around the anchor; all of them can begin there."""
        encoded = self._encoded.get(candidate.anchor.element_ids, self._nothing)
        return encoded, np.ones(len(encoded.paths), bool)

    def tails_from(self, path: RelationPath) -> EncodedPaths:
        """The steps that were seen to follow."""
        if path.state not in self._tails:
            steps = [RelationPath(path.end, (step,)) for step in self._nearby.after.get(path.state, ())]
            self._tails[path.state] = EncodedPaths(steps, self.vocabulary)
        return self._tails[path.state]

    def ends_at(self, path: RelationPath, candidate: Candidate) -> bool:
        """Whether nothing speaks against it: where a path was seen to lead is only a sample."""
        del path, candidate
        return True
