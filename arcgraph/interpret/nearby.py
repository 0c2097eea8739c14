"""Exploration of an open vocabulary: the relation paths that really leave a question's anchors, and where they lead.

Level by level a bounded sample of nodes is looked at in one query a direction, each node once a question, until the
time for it is up. Paths that the question speaks of are
followed further; relations of one meaning ("based in", "is based in") are one step.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from arcgraph.domain import Schema
from arcgraph.graph.base import Graph
from arcgraph.graph.pattern import Descriptor, Direction
from arcgraph.interpret.anchors import Candidate
from arcgraph.interpret.english import ARTICLES, COMMAND_WORDS, COPULAS, FUNCTION_WORDS
from arcgraph.interpret.paths import RelationPath, Step
from arcgraph.interpret.question import Question
from arcgraph.interpret.spelling import Spelling
from arcgraph.interpret.surroundings import NODES_A_LOOK, Deadline, Surroundings
from arcgraph.interpret.terms import EmbedWords, shared_stem
from arcgraph.interpret.verbalise import content, relation_words, subject_class
from arcgraph.settings import AskSettings

Vectors = NDArray[np.float32]

# Where relations of an anchor's node take up all that one look shows, so many looks are taken for the others.
_LOOKS = 4
# Of the nodes that one path leads to so many are looked at, and so many paths of a level are followed further.
_NODES_OF_A_PATH = 12
_FOLLOWED = 80
_KEPT = 400
# From this cosine on two relations are one.
_SAME_MEANING = 0.9
# So many descriptors are compared with each other at once.
_BLOCK = 512
# A class that fewer of a path's nodes have is no name for them.
_CLASS_SHARE = 0.3


@dataclass(frozen=True, slots=True)
class Nearby:
    """What exploring found: for each anchor (by its element ids) the paths that leave it; which steps were seen after a
    state; all descriptors and classes met, each once."""

    paths: Mapping[tuple[str, ...], list[RelationPath]]
    after: Mapping[str, list[Step]]
    descriptors: list[Descriptor]
    classes: list[str]


@dataclass(frozen=True, slots=True)
class _Edge:
    """One edge as seen from a node that was looked at."""

    node: str
    descriptor: Descriptor
    direction: Direction
    target: str


@dataclass(frozen=True, slots=True)
class _Branch:
    """A path with a sample of the nodes that it leads to."""

    path: RelationPath
    nodes: list[str]
    relevance: float


@dataclass(slots=True)
class _Found:
    """What accumulates while one question is explored; ``edges`` of each node that was looked at."""

    meanings: _Meanings
    deadline: Deadline
    edges: dict[str, list[_Edge]] = field(default_factory=dict)
    after: dict[str, list[Step]] = field(default_factory=lambda: defaultdict(list))
    classes: Counter[str] = field(default_factory=Counter)


class Explorer:
    """Explores a graph around anchors. Thread-safe."""

    def __init__(
        self,
        graph: Graph,
        schema: Schema,
        embed: EmbedWords,
        settings: AskSettings,
        clock: Callable[[], float] = time.monotonic,
    ):
        self._spelling = Spelling(graph, schema)
        self._surroundings = Surroundings(graph, schema)
        self._embed = embed
        self._settings = settings
        self._clock = clock

    def explore(self, question: Question, candidates: Sequence[Candidate]) -> Nearby:
        """All paths of up to ``max_hops`` that were seen to leave the candidates, within the budgets above."""
        words = [t.lower for t in question.tokens if t.lower not in FUNCTION_WORDS and t.lower not in COMMAND_WORDS]
        found = _Found(
            _Meanings(words, self._embed), Deadline(min(self._settings.looking, self._settings.deadline), self._clock)
        )
        for candidate in candidates:
            self._look([n for n in self._own(candidate) if n not in found.edges], found, _LOOKS)
        paths = {c.anchor.element_ids: self._around(c, found) for c in candidates}
        return Nearby(paths, found.after, found.meanings.descriptors, list(found.classes))

    def _own(self, candidate: Candidate) -> list[str]:
        return list(self._spelling.ids_of(candidate.anchor))[:_NODES_OF_A_PATH]

    def _around(self, candidate: Candidate, found: _Found) -> list[RelationPath]:
        own = self._own(candidate)
        level = [_Branch(RelationPath("", ()), own, 0.0)]
        paths: list[RelationPath] = []
        for hop in range(self._settings.max_hops + 1):
            is_last = hop == self._settings.max_hops
            edges = {} if is_last and not found.classes else self._edges_around(level, found)
            level = [_classed(branch, edges, found) for branch in level]
            paths += [branch.path for branch in level if branch.path.steps]
            if not is_last:
                level = [made for branch in level[:_FOLLOWED] for made in _extensions(branch, edges, set(own), found)]
                level.sort(key=lambda branch: -branch.relevance)
                level = level[: _KEPT if hop else None]
        return paths[: self._settings.max_patterns]

    def _edges_around(self, level: Sequence[_Branch], found: _Found) -> dict[str, list[_Edge]]:
        """The edges of the nodes of those branches that are followed, and of one node each of the others."""
        nodes = [n for branch in level[:_FOLLOWED] for n in branch.nodes]
        nodes += [n for branch in level[_FOLLOWED:] for n in branch.nodes[:1]] if found.classes else []
        nodes = list(dict.fromkeys(nodes))
        self._look([n for n in nodes if n not in found.edges], found)
        edges = {n: found.edges[n] for n in nodes if found.edges.get(n)}
        found.meanings.meet(Counter(e.descriptor for around in edges.values() for e in around))
        return edges

    def _look(self, nodes: Sequence[str], found: _Found, looks: int = 1) -> None:
        """Take in the edges of some nodes; nothing of them where time is up."""
        spelt = self._spelling
        for at in range(0, len(nodes), NODES_A_LOOK):
            part = nodes[at : at + NODES_A_LOOK]
            found.edges.update((node, []) for node in part)
            for direction in (Direction.OUT, Direction.IN):
                for node, relation, (target,) in self._surroundings.of(
                    part, direction, (spelt.id("m"),), found.deadline, looks=looks
                ):
                    if target is not None:
                        edge = _Edge(node, spelt.descriptor(relation), direction, str(target))
                        found.edges[node].append(edge)


def _extensions(branch: _Branch, edges: Mapping[str, list[_Edge]], own: set[str], found: _Found) -> Iterator[_Branch]:
    """A branch with each of the steps that its nodes have, and the nodes it then leads to, the anchor's own aside."""
    targets: dict[tuple[Descriptor, Direction], dict[str, None]] = defaultdict(dict)
    for edge in (edge for node in branch.nodes for edge in edges.get(node, ())):
        if edge.target not in own:
            targets[found.meanings.same(edge.descriptor), edge.direction][edge.target] = None
    for (descriptor, direction), nodes in targets.items():
        role = f"{branch.path.state} {direction} {descriptor.text}"
        step = Step(descriptor, direction, "", role, also=found.meanings.others(descriptor))
        found.after[branch.path.state].append(step)
        path = replace(branch.path, steps=(*branch.path.steps, step))
        relevance = branch.relevance + found.meanings.relevance(descriptor)
        yield _Branch(path, list(nodes)[:_NODES_OF_A_PATH], relevance)


def _classed(branch: _Branch, edges: Mapping[str, list[_Edge]], found: _Found) -> _Branch:
    """The branch with what the relations that leave its nodes call them."""
    looked_at = [node for node in branch.nodes if node in edges]
    classes: Counter[str] = Counter()
    for node in looked_at:
        out = (e.descriptor.text for e in edges[node] if e.direction == Direction.OUT)
        classes.update({name for text in out if (name := subject_class(text))})
    named = tuple(name for name, n in classes.items() if n >= _CLASS_SHARE * len(looked_at))
    found.classes.update(named)
    if not branch.path.steps or not named:
        return branch
    *before, last = branch.path.steps
    return replace(branch, path=replace(branch.path, steps=(*before, replace(last, classes=named))))


class _Meanings:
    """The descriptors met so far: which of them mean the same, and how far the question speaks of each."""

    def __init__(self, words: Sequence[str], embed: EmbedWords):
        self._words = list(words)
        self._embed = embed
        self._vectors = embed(self._words) if self._words else None
        self._same: dict[Descriptor, Descriptor] = {}
        self._others: dict[Descriptor, list[Descriptor]] = defaultdict(list)
        self._relevance: dict[Descriptor, float] = {}
        self._by_words: dict[tuple[tuple[str, ...], tuple[str, ...]], Descriptor] = {}
        self._leaders: list[Descriptor] = []
        self._leading = _Stack()

    @property
    def descriptors(self) -> list[Descriptor]:
        """One for each meaning."""
        return list(dict.fromkeys(self._same.values()))

    def same(self, descriptor: Descriptor) -> Descriptor:
        """The descriptor that stands for this one's meaning."""
        return self._same[descriptor]

    def others(self, descriptor: Descriptor) -> tuple[Descriptor, ...]:
        """The further descriptors of the meaning that ``descriptor`` stands for."""
        return tuple(self._others.get(descriptor, ()))

    def relevance(self, descriptor: Descriptor) -> float:
        """How near the nearest word of the question is, about 0 to 1.4."""
        return self._relevance[descriptor]

    def meet(self, counts: Counter[Descriptor]) -> None:
        """Take in descriptors; the more frequent one of a meaning stands for it."""
        new = [d for d, _ in counts.most_common() if d not in self._same]
        vectors = self._embed([" ".join(relation_words(d.text)) for d in new]) if new else None
        for at in range(0, len(new), _BLOCK):
            block = new[at : at + _BLOCK]
            self._place(block, vectors[at : at + _BLOCK] if vectors is not None else None)
        for i, descriptor in enumerate(new):
            self._relevance[descriptor] = self._nearness(descriptor, vectors[i] if vectors is not None else None)

    def _place(self, block: Sequence[Descriptor], vectors: Vectors | None) -> None:
        """Find for each descriptor the one that stands for its meaning: by its words, else by its vector."""
        known = self._leading.get() if vectors is not None else None
        earlier = vectors @ known.T if vectors is not None and known is not None else None
        within = vectors @ vectors.T if vectors is not None else None
        begin = len(self._leaders)
        places: list[int] = []
        for i, descriptor in enumerate(block):
            words, links = _parts(descriptor)
            leader = self._by_words.get((words, links))
            if leader is None and within is not None:
                near = np.concatenate([earlier[i] if earlier is not None else [], within[i, places]])
                leader = self._alike(near, links)
            if leader is not None:
                self._same[descriptor] = leader
                self._others[leader].append(descriptor)
                continue
            self._by_words[words, links] = self._same[descriptor] = descriptor
            self._leaders.append(descriptor)
            places.append(i)
        if vectors is not None and len(self._leaders) > begin:
            self._leading.add(vectors[places])

    def _alike(self, near: Vectors, links: tuple[str, ...]) -> Descriptor | None:
        """The nearest leader of one meaning; "built" and "built by", "born in" and "born on" are none, however near."""
        alike = sorted(np.flatnonzero(near >= _SAME_MEANING).tolist(), key=lambda at: -float(near[at]))
        return next((self._leaders[at] for at in alike if _parts(self._leaders[at])[1] == links), None)

    def _nearness(self, descriptor: Descriptor, vector: Vectors | None) -> float:
        if not self._words:
            return 0.0
        words = content(relation_words(descriptor.text))
        stem = max((shared_stem(w, t) for w in self._words for t in words), default=0.0)
        near = float((self._vectors @ vector).max()) if self._vectors is not None and vector is not None else 0.0
        return near + 0.4 * stem


class _Stack:
    """Rows that are added in blocks and read together."""

    def __init__(self) -> None:
        self._blocks: list[Vectors] = []

    def add(self, rows: Vectors) -> None:
        """More rows."""
        self._blocks.append(rows)

    def get(self) -> Vectors | None:
        """All rows; ``None`` without any."""
        if len(self._blocks) > 1:
            self._blocks = [np.concatenate(self._blocks)]
        return self._blocks[0] if self._blocks else None


@lru_cache(maxsize=100_000)
def _parts(descriptor: Descriptor) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The content words of a relation, and its function words but for forms of "to be" and articles."""
    words = relation_words(descriptor.text)
    own = content(words)
    return own, tuple(w for w in words if w in FUNCTION_WORDS and w not in own and w not in COPULAS | ARTICLES)
