"""How well a relation path explains a question, and the question a path: one small function for each part.

All parts are logarithms or counts and are added with the weights of :class:`Weights`. The scheme was chosen on
prototypes over several graphs; ``benchmarks/README.md`` says what each part brings.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from arcgraph.graph.pattern import Direction
from arcgraph.interpret.direction import agent_direction
from arcgraph.interpret.english import PARTICLES
from arcgraph.interpret.paths import RelationPath
from arcgraph.interpret.question import View, joined_words
from arcgraph.interpret.terms import Matrix, Vocabulary

# Below this a probability is noise: it bounds what a single unexplained word or unworded hop can cost.
FLOOR = 0.02
# An answer known by its role in the last relation counts a little less than one known by its label.
ROLE = 0.85
# What naming the label in between says of a way back, beside naming the relation itself.
THROUGH = 0.3
# A relation that was followed and followed back is hardly followed a third time: that returns to what was just left.
AGAIN = 0.3
# A relation whose name says nothing ("of", "has") is hardly ever worded.
SILENT = 0.3
# Exact assignment is run on so many paths, the best by an upper bound.
EXACT = 80
# Paths that must fall so far behind the best one are not scored exactly.
KEPT_BEHIND = 5.0

# From this probability on a word names a relation.
_NAMES_RELATION = 0.5

_NOTHING = ("thing",)

Vector = NDArray[np.float32]
# (words, demands): what each word gives each demand.
Claims: TypeAlias = list[list[float]]


# Below this probability a word is left unexplained.
_UNEXPLAINED = 0.2
_HALF_EXPLAINED = 0.5


@dataclass(frozen=True, slots=True)
class Weights:
    """How the parts add up. All are flat around these values."""

    coverage: float = 1.0
    support: float = 1.0
    answer: float = 1.5
    order: float = 1.0
    direction: float = 1.0
    surplus: float = 0.25


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of one path's score, unweighted; ``order`` and ``surplus`` cost.

    And what is none of them: ``grounded``, the share of the question's content words that the path's own terms explain,
    null aside; ``words``, how many content words there are; ``gap``, the most of them that stand side by side with
    nothing to explain them; ``noun``, whether there is but the noun that is asked for ("which harbours has …"); and
    ``missed``, the words that nothing explains surely.
    """

    coverage: float
    support: float
    answer: float
    order: float
    direction: float = 0.0
    surplus: float = 0.0
    grounded: float = 1.0
    words: int = 0
    gap: int = 0
    noun: bool = False
    missed: tuple[str, ...] = ()

    def total(self, weights: Weights) -> float:
        return (
            weights.coverage * self.coverage
            + weights.support * self.support
            + weights.answer * self.answer
            - weights.order * self.order
            + weights.direction * self.direction
            - weights.surplus * self.surplus
        )


@dataclass(frozen=True, slots=True)
class Demand:
    """What a path asks the question to say: a relation, or that it is followed back again.

    ``through`` is the label that the way back leads to where the path goes on from there, -1 elsewhere: naming it ("the
    ships of the designer of …") half says that the way leads back.
    """

    column: int
    way_back: bool = False
    through: int = -1
    again: bool = False
    silent: bool = False


@dataclass(frozen=True, slots=True)
class Meanings:
    """A question in the columns of a vocabulary.

    ``words`` (content words, columns) says what each word means, ``plain`` the same before nouns for classes were set
    aside. ``asked`` (columns) is the best over the words for what is asked; ``asked_source`` and ``asked_target`` the
    same for who stands at either end of a relation. ``named`` (words) is how far each word names some relation.
    ``expects`` tells from a word's place which way a relation should point.
    """

    view: View
    words: Matrix
    plain: Matrix
    asked: Vector
    asked_source: Vector
    asked_target: Vector
    asked_nothing: float
    named: Vector
    round_trip: int
    expects: Callable[[int, str], Direction | None] | None = None

    @property
    def count(self) -> int:
        """How many content words the question has beside its anchors."""
        return 0 if self.view.words == _NOTHING else len(self.view.words)

    @property
    def is_noun(self) -> bool:
        """Whether the only content word is the noun that is asked for."""
        return self.count == 1 and self.view.asked[:1] == self.view.words

    @classmethod
    def of(
        cls, view: View, vocabulary: Vocabulary, expects: Callable[[int, str], Direction | None] | None = None
    ) -> Meanings:
        """The meanings of a view's words; a view without any content word is read as asking for a thing."""
        seen = view if view.words else replace(view, words=_NOTHING, places=(0,), distances=(0,), sites=(0,))
        seen = joined_words(seen, vocabulary.are_one_name)
        asked_words = view.asked or _NOTHING
        plain, asked = vocabulary.meanings(seen.words), vocabulary.meanings(asked_words)
        words = plain
        if not vocabulary.names_classes:
            words, asked = _without_class_nouns(words), _without_class_nouns(asked)
        role = vocabulary.roles(asked_words)
        if not vocabulary.names_classes and (acts := _agent_roles(view.acts, vocabulary)) is not None:
            asked, role = acts
        return cls(
            seen,
            words,
            plain,
            asked.max(axis=0),
            (asked * (role != Direction.OUT)).max(axis=0),
            (asked * (role != Direction.IN)).max(axis=0),
            float(asked[:, vocabulary.null].min()),
            words[:, vocabulary.relations].max(axis=1, initial=0.0),
            vocabulary.round_trip,
            expects,
        )


def _agent_roles(verb: str, vocabulary: Vocabulary) -> tuple[Matrix, NDArray[Any]] | None:
    """Meanings and roles of who does what a verb says ("who built"); ``None`` where it names no relation.

    Where labels tell who can be asked for with "who" they are the better judge.
    """
    if not verb:
        return None
    meanings = vocabulary.meanings([verb])
    if meanings[0, vocabulary.relations].max(initial=0.0) < _NAMES_RELATION:
        return None
    roles = np.full(meanings.shape, None, dtype=object)
    for i in vocabulary.relations:
        roles[0, i] = agent_direction(vocabulary.terms[i].name)
    return meanings, roles


def _without_class_nouns(words: Matrix) -> Matrix:
    """Where no label names classes, the nouns that do ("which films") have nothing to mean.

    A word that names no relation outright is taken for such a noun: what it is merely associated with goes to null, by
    squaring.
    """
    words = words.copy()
    vague = words[:, :-2].max(axis=1, initial=0.0) < _NAMES_RELATION
    words[vague, :-2] **= 2
    words[vague, -1] = 1.0 - np.minimum(1.0, words[vague, :-1].sum(axis=1))
    return words


class EncodedPaths:
    """Paths in the columns of a vocabulary, so that a question is scored against all of them at once."""

    def __init__(
        self, paths: Sequence[RelationPath], vocabulary: Vocabulary, either_way: Collection[tuple[str, str, str]] = ()
    ):
        self.paths = list(paths)
        self.demands = [_demands(path, vocabulary) for path in paths]
        self._round_trip = vocabulary.round_trip
        width = len(vocabulary.terms) + 2
        self.explains = np.zeros((len(paths), width), dtype=np.float32)
        self.end_names = np.zeros((len(paths), width), dtype=np.float32)
        self.last_relation = np.full(len(paths), -1, dtype=np.intp)
        self.ends_out = np.array([p.steps[-1].direction != Direction.IN for p in paths], dtype=bool)
        self.ends_in = np.array([p.steps[-1].direction != Direction.OUT for p in paths], dtype=bool)
        self.first_moves = [(p.steps[0].descriptor, p.steps[0].direction) for p in paths]
        self.either_way = [_either_way(path, either_way) for path in paths]
        for i, path in enumerate(paths):
            self._encode(i, path, vocabulary)
        self._pad_demands()

    def _encode(self, i: int, path: RelationPath, vocabulary: Vocabulary) -> None:
        labels = [path.start, *(name for s in path.steps for name in s.named)]
        columns = [vocabulary.column["relation", s.descriptor.text] for s in path.steps]
        columns += [c for label in labels if (c := vocabulary.column.get(("label", label))) is not None]
        self.explains[i, columns] = 1.0
        self.explains[i, vocabulary.null] = 1.0
        if any(d.way_back for d in self.demands[i]) or any(s.direction == Direction.BOTH for s in path.steps):
            # A way back, or a relation that holds both ways, is what "same" and "share" say.
            self.explains[i, vocabulary.round_trip] = 1.0
        ends = path.steps[-1].named
        self.end_names[i, [c for name in ends if (c := vocabulary.column.get(("label", name))) is not None]] = 1.0
        self.last_relation[i] = self.demands[i][-1].column

    def _pad_demands(self) -> None:
        longest = max((len(d) for d in self.demands), default=1)
        self._demand_columns = np.zeros((len(self.paths), longest), dtype=np.intp)
        self._demand_back = np.zeros((len(self.paths), longest), dtype=bool)
        self._demand_through = np.full((len(self.paths), longest), -1, dtype=np.intp)
        self._demand_there = np.zeros((len(self.paths), longest), dtype=bool)
        self._demand_silent = np.zeros((len(self.paths), longest), dtype=np.float32)
        for i, demands in enumerate(self.demands):
            for j, demand in enumerate(demands):
                self._demand_columns[i, j] = demand.column
                self._demand_back[i, j] = demand.way_back
                self._demand_through[i, j] = demand.through
                self._demand_there[i, j] = True
                self._demand_silent[i, j] = SILENT if demand.silent else 0.0

    # --- the parts -----------------------------------------------------------------------------------------------

    def coverage(self, meanings: Matrix) -> Vector:
        """Question explained by path: the sum over content words of the log of what the path's terms explain."""
        explained = np.minimum(self.explains @ meanings.T, 1.0)
        return np.asarray(np.log(FLOOR + explained).sum(axis=1), dtype=np.float32)

    def answer(self, meanings: Meanings) -> Vector:
        """What is asked for against the last label or, where labels say nothing, its role in the last relation.

        0 where the question does not say what it asks for. What names nothing in the graph rules no answer out.
        """
        if not meanings.view.asked:
            return np.zeros(len(self.paths), dtype=np.float32)
        label = (self.end_names * meanings.asked).max(axis=1, initial=0.0)
        roles = np.maximum(
            self.ends_out[:, None] * meanings.asked_target, self.ends_in[:, None] * meanings.asked_source
        )
        role = np.take_along_axis(roles, self.last_relation[:, None], axis=1)[:, 0] * (self.last_relation >= 0)
        fits = np.maximum(label, ROLE * role)
        return np.asarray(np.log(FLOOR + np.maximum(fits, meanings.asked_nothing)), dtype=np.float32)

    def answer_of(self, i: int, meanings: Meanings) -> float:
        """The same for one path."""
        if not meanings.view.asked:
            return 0.0
        relation = self.last_relation[i]
        best = float((self.end_names[i] * meanings.asked).max(initial=0.0))
        role = max(
            self.ends_out[i] * meanings.asked_target[relation], self.ends_in[i] * meanings.asked_source[relation]
        )
        fits = max(best, ROLE * role if relation >= 0 else 0.0)
        return math.log(FLOOR + max(fits, meanings.asked_nothing))

    def support_bound(self, meanings: Matrix) -> Vector:
        """An upper bound of the support: every demand takes its best word, whoever else takes it too."""
        best = meanings.max(axis=0)
        way_back = np.maximum(meanings, meanings[:, [self._round_trip]]).max(axis=0)
        claims = np.where(self._demand_back, way_back[self._demand_columns], best[self._demand_columns])
        named = np.where(self._demand_through >= 0, THROUGH * best[self._demand_through], 0.0)
        claims = np.maximum(np.maximum(claims, named), self._demand_silent)
        return np.asarray((log_support(claims) * self._demand_there).sum(axis=1), dtype=np.float32)


def _either_way(path: RelationPath, either_way: Collection[tuple[str, str, str]]) -> bool:
    """Whether the schema would allow the first hop to point the other way, too."""
    first = path.steps[0]
    return (path.start, first.descriptor.text, first.label) in either_way


def _demands(path: RelationPath, vocabulary: Vocabulary) -> tuple[Demand, ...]:
    """A hop and its way back over the same relation are one idea with two demands."""
    demands: list[Demand] = []
    previous: tuple[int, Direction] | None = None
    returned = -1
    for at, step in enumerate(path.steps):
        column = vocabulary.column["relation", step.descriptor.text]
        back = previous is not None and previous[0] == column and previous[1] != step.direction
        goes_on = back and at < len(path.steps) - 1
        named = [c for name in step.named if (c := vocabulary.column.get(("label", name))) is not None]
        class_noun = named[0] if named else -1 if vocabulary.names_classes else vocabulary.null
        silent = not vocabulary.terms[column].says_something
        demands.append(Demand(column, back, class_noun if goes_on else -1, column == returned, silent))
        previous = None if back else (column, step.direction)
        returned = column if back else -1
    return tuple(demands)


def score_paths(
    encoded: EncodedPaths, meanings: Meanings, usable: NDArray[np.bool_], weights: Weights
) -> list[tuple[int, Parts]]:
    """The parts of the most promising ``usable`` paths' scores, in no order; no other can come before the best."""
    if not usable.any():
        return []
    coverage, answer = encoded.coverage(meanings.words), encoded.answer(meanings)
    bound = (
        weights.coverage * coverage + weights.answer * answer + weights.support * encoded.support_bound(meanings.words)
    )
    promising = np.argsort(np.where(usable, -bound, np.inf), kind="stable")[: min(EXACT, int(usable.sum()))]
    found = []
    best = -math.inf
    for i in promising:
        if bound[i] < best - KEPT_BEHIND:
            break
        worded = wording(encoded.demands[i], meanings, weights.order)
        turned = direction_part(encoded, int(i), meanings, worded.first_word)
        parts = Parts(float(coverage[i]), worded.support, float(answer[i]), worded.disorder, turned, worded.surplus)
        best = max(best, parts.total(weights))
        found.append((int(i), parts))
    said = explained(encoded.explains[[i for i, _ in found]], meanings)
    return [
        (i, replace(parts, grounded=float(share), gap=int(gap), words=meanings.count, noun=meanings.is_noun,
                    missed=missed(said[:, n], meanings)))
        for n, ((i, parts), share, gap) in enumerate(zip(found, said.mean(axis=0), gaps(said, meanings), strict=True))
    ]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Piece:
    """One path of a pattern of several: ``anchor`` is the number of the anchor it leaves, in the question's order;
    ``None`` for the way on from where the others meet."""

    encoded: EncodedPaths
    index: int
    anchor: int | None = 0


def joint_parts(pieces: Sequence[Piece], meanings: Meanings, *, answered: bool = True) -> Parts:
    """The parts of several paths read as one pattern that ends in one answer.

    ``answered`` is false where nothing is asked for, as in a question for yes or no. A word that stands nearer to
    another anchor than to the one whose path claims it is out of order.
    """
    chosen = [(p.encoded, p.index) for p in pieces]
    explains = chosen[0][0].explains[chosen[0][1]]
    for encoded, i in chosen[1:]:
        explains = np.maximum(explains, encoded.explains[i])
    if sum(p.anchor is not None for p in pieces) > 1:
        # That the paths meet is what "both" and "together" say.
        explains = explains.copy()
        explains[meanings.round_trip] = 1.0
    coverage = float(_coverage(explains[None, :], meanings)[0])
    owned = _shared_demands(pieces)
    demands = [demand for demand, _ in owned]
    # Words of several anchors stand in no one order; that each stands with its own is told below.
    worded = wording(demands, meanings, 1.0 if len(chosen) == 1 else 0.0)
    turned = direction_part(*chosen[0], meanings, worded.first_word) if len(chosen) == 1 else 0.0
    disorder = worded.disorder
    if len(chosen) > 1:
        disorder = _misplaced(demands, [owner for _, owner in owned], meanings)
    ends = [chosen[-1]] if pieces[-1].anchor is None else chosen
    answer = max(encoded.answer_of(i, meanings) for encoded, i in ends) if answered else 0.0
    said = explained(explains[None, :], meanings)
    return Parts(
        coverage,
        worded.support,
        answer,
        disorder,
        turned,
        worded.surplus,
        float(said.mean(axis=0)[0]),
        meanings.count,
        int(gaps(said, meanings)[0]),
        meanings.is_noun,
        missed(said[:, 0], meanings),
    )


def coverages(pieces: Sequence[Piece], more: EncodedPaths, meanings: Meanings) -> Vector:
    """The coverage of several paths, each time together with one path ``more``."""
    explains = np.maximum.reduce([p.encoded.explains[p.index] for p in pieces])
    explains = np.maximum(more.explains, explains[None, :])
    if sum(p.anchor is not None for p in pieces) > 1:
        explains[:, meanings.round_trip] = 1.0
    return np.asarray(_coverage(explains, meanings))


def _coverage(explains: Matrix, meanings: Meanings) -> Vector:
    """For each row of what terms are explained the log of how likely the question's words are."""
    return np.asarray(np.log(FLOOR + np.minimum(meanings.words @ explains.T, 1.0)).sum(axis=0))


def _shared_demands(pieces: Sequence[Piece]) -> list[tuple[Demand, int | None]]:
    """Every demand with the anchor that it belongs to.

    Where the same path leaves every anchor it is worded once, for all of them ("who sailed on A and B").
    """
    leaving = [p for p in pieces if p.anchor is not None]
    steps = {tuple((s.descriptor, s.direction) for s in p.encoded.paths[p.index].steps) for p in leaving}
    if len(leaving) > 1 and len(steps) == 1:
        pieces = [replace(leaving[0], anchor=None), *(p for p in pieces if p.anchor is None)]
    return [(demand, p.anchor) for p in pieces for demand in p.encoded.demands[p.index]]


def explained(explains: Matrix, meanings: Meanings) -> Matrix:
    """For each content word (rows) and path (columns) the probability that one of the path's terms, and not null, is
    meant."""
    return np.asarray(np.minimum(meanings.plain[:, :-1] @ explains[:, :-1].T, 1.0), dtype=np.float32)


def gaps(said: Matrix, meanings: Meanings) -> NDArray[np.int_]:
    """For each path the length of the longest run of adjacent words that it does not explain."""
    places, words = meanings.view.places, meanings.view.words
    run = longest = np.zeros(said.shape[1], np.int_)
    for at in range(len(places)):
        follows = at > 0 and places[at] == places[at - 1] + 1
        if follows and words[at] in PARTICLES:
            continue
        run = np.where(said[at] < _UNEXPLAINED, (run if follows else 0) + 1, 0)
        longest = np.maximum(longest, run)
    return longest


def missed(said: Vector, meanings: Meanings) -> tuple[str, ...]:
    """The words that a path does not explain surely, those of names of several words one by one."""
    words = [w for w, share in zip(meanings.view.words, said, strict=True) if share < _HALF_EXPLAINED]
    return tuple(part for word in words for part in word.split()) if meanings.count else ()


def direction_part(encoded: EncodedPaths, i: int, meanings: Meanings, first_word: int) -> float:
    """Half a point for or against a first hop that could point either way, by what the wording says of it."""
    step = encoded.paths[i].steps[0]
    if not encoded.either_way[i] or meanings.expects is None or step.direction == Direction.BOTH:
        return 0.0
    place = meanings.view.places[first_word] if first_word >= 0 else -1
    expected = meanings.expects(place, step.descriptor.text)
    return 0.0 if expected is None else 0.5 if expected == step.direction else -0.5


def log_support(given: NDArray[Any]) -> NDArray[Any]:
    """The log of what hops are given; a hop that is worded outright adds nothing, however many there are."""
    return np.asarray(np.log((FLOOR + given) / (1.0 + FLOOR)))


@dataclass(frozen=True, slots=True)
class Wording:
    """How a path's demands are worded, as in :class:`Parts`; ``first_word`` is what the first one claims, -1: none."""

    support: float
    disorder: float
    surplus: float
    first_word: int


def wording(demands: Sequence[Demand], meanings: Meanings, order_weight: float = 1.0) -> Wording:
    """Path explained by question: every demand claims a word of its own, by optimal one-to-one assignment.

    Disorder: a hop nearer to the anchor is worded nearer to it, and each inversion among the assigned words costs the
    smaller of the two claims. Of words that serve two demands about equally ("written by the writer of") each takes the
    one that stands in order. Surplus: what is left over of words that name a relation.
    """
    table = _claims(demands, meanings)
    # Single numbers are read from lists several times as fast as from an array.
    claims: Claims = table.tolist()
    by_hop = _in_order(_assigned(table), claims, meanings.view.distances, order_weight)
    given = np.array([SILENT if demand.silent else 0.0 for demand in demands])
    for demand, word in by_hop:
        given[demand] = max(given[demand], claims[word][demand])
    claimed = {word for _, word in by_hop}
    left = sum(named for word, named in enumerate(meanings.named) if word not in claimed)
    return Wording(
        float(log_support(given).sum()),
        _disorder(by_hop, claims, meanings.view.distances),
        float(left),
        by_hop[0][1] if by_hop and by_hop[0][0] == 0 else -1,
    )


def _disorder(by_hop: Sequence[tuple[int, int]], claims: Claims, distances: Sequence[int]) -> float:
    return float(
        sum(
            min(claims[word_a][a], claims[word_b][b])
            for (a, word_a), (b, word_b) in combinations(by_hop, 2)
            if distances[word_a] > distances[word_b]
        )
    )


def _in_order(
    by_hop: list[tuple[int, int]], claims: Claims, distances: Sequence[int], weight: float
) -> list[tuple[int, int]]:
    """Give a demand another word, its own to whom that belonged, as long as order gains more than support loses."""
    disorder = _disorder(by_hop, claims, distances)
    if not weight or not disorder:
        return by_hop
    supports = log_support(np.array(claims)).tolist()
    best = sum(supports[word][demand] for demand, word in by_hop) - weight * disorder
    for at, word in product(range(len(by_hop)), range(len(claims))):
        if not disorder:
            break
        changed = _given(by_hop, at, word)
        support = sum(supports[word][demand] for demand, word in changed)
        # However well it stands in order it cannot gain more than that.
        if support > best and (value := support - weight * _disorder(changed, claims, distances)) > best:
            best, by_hop, disorder = value, changed, _disorder(changed, claims, distances)
    return by_hop


def _given(by_hop: list[tuple[int, int]], at: int, word: int) -> list[tuple[int, int]]:
    """The pairs with ``word`` at one place; where another pair has it, the two exchange theirs."""
    own = by_hop[at][1]
    given = [(demand, own if taken == word else taken) for demand, taken in by_hop]
    given[at] = (by_hop[at][0], word)
    return given


def _assigned(claims: Matrix) -> list[tuple[int, int]]:
    """Pairs of demand and word, in the order of the demands."""
    words, demands = linear_sum_assignment(-claims)
    return sorted(zip(demands.tolist(), words.tolist(), strict=True))


def _misplaced(demands: Sequence[Demand], owners: Sequence[int | None], meanings: Meanings) -> float:
    """What demands are given by words that belong to another anchor than theirs."""
    claims = _claims(demands, meanings)
    return float(
        sum(
            claims[word, demand]
            for demand, word in _assigned(claims)
            if (owner := owners[demand]) is not None and meanings.view.belongs_elsewhere(word, owner)
        )
    )


def _claims(demands: Sequence[Demand], meanings: Meanings) -> Matrix:
    columns = []
    for demand in demands:
        column = meanings.words[:, demand.column]
        if demand.way_back:
            column = np.maximum(column, meanings.words[:, meanings.round_trip])
        if demand.through >= 0:
            column = np.maximum(column, THROUGH * meanings.words[:, demand.through])
        if demand.again:
            column = AGAIN * column
        columns.append(column)
    return np.stack(columns, axis=1)
