"""From ranked readings to patterns: the query that a reading means, and the words in which it reads back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice, product

from arcgraph.domain import RESERVED_KEY, Anchor
from arcgraph.graph.pattern import (
    Aggregate,
    Binding,
    Descriptor,
    Direction,
    Entity,
    Filter,
    Hop,
    Order,
    Part,
    Pattern,
    PatternNode,
    Projection,
)
from arcgraph.interpret.paths import RelationPath
from arcgraph.interpret.question import Intent
from arcgraph.interpret.score import Parts
from arcgraph.interpret.verbalise import phrase

THING = "x"
PATHS = "paths"


@dataclass(frozen=True, slots=True)
class Branch:
    """A relation path walked from an anchor."""

    anchor: Anchor
    path: RelationPath


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read the question: branches that all end at the asked thing, or at ``goal`` where that is given.

    Where there is a ``tail``, the branches meet at its start and it leads on to the asked thing. A description has no
    branch but ``described``. ``score`` is a log-likelihood up to a constant: it compares readings of one question.
    """

    branches: tuple[Branch, ...]
    intent: Intent
    score: float
    parts: Parts
    goal: Anchor | None = None
    described: Anchor | None = None
    tail: RelationPath | None = None

    @property
    def end(self) -> str:
        """The label of what is asked for; empty where there is none."""
        path = self.tail or (self.branches[0].path if self.branches else None)
        return path.end if path else ""

    @property
    def anchors(self) -> tuple[Anchor, ...]:
        named = tuple(b.anchor for b in self.branches)
        return named + tuple(a for a in (self.goal, self.described) if a)

    def words(self) -> str:
        """The reading as a person can check it."""
        told = {Intent.COUNT: "how many: ", Intent.YES_NO: "whether: "}.get(self.intent, "")
        return self.route() if self.described else told + self.route()

    def route(self) -> str:
        """What is named and the ways from it, in words, without what is asked of them."""
        if self.described:
            return f"about {self.described.name}"
        text = "; ".join(_branch_words(b) for b in self.branches)
        if self.tail:
            text += f"; then {_steps_words(self.tail)}"
        if self.goal:
            text += f" = {self.goal.name}"
        return text


def _branch_words(branch: Branch) -> str:
    label = f" ({phrase(branch.path.start)})" if branch.path.start else ""
    return f"{branch.anchor.name}{label} {_steps_words(branch.path)}"


def _steps_words(path: RelationPath) -> str:
    arrows = {Direction.OUT: "-{}->", Direction.IN: "<-{}-", Direction.BOTH: "-{}-"}
    return " ".join(
        f"{arrows[s.direction].format(phrase(s.descriptor.text))} {phrase(s.label) if s.label else 'node'}"
        for s in path.steps
    )


def match_of(reading: Reading) -> Pattern:
    """The reading's match, without bindings and columns. Anchors are ``a0, a1, …``; the asked thing is ``x``."""
    if reading.described:
        return Pattern((PatternNode("a0", reading.described.labels[:1]),))
    end = "a1" if reading.goal else "m" if reading.tail else THING
    nodes: dict[str, PatternNode] = {}
    hops: list[Hop] = []

    def walk(at: str, path: RelationPath, end: str, prefix: str) -> None:
        nodes.setdefault(at, PatternNode(at, (path.start,) if path.start else ()))
        for s, step in enumerate(path.steps):
            name = end if s == len(path.steps) - 1 else f"{prefix}{s}"
            nodes.setdefault(name, PatternNode(name, (step.label,) if step.label else ()))
            hops.append(Hop(f"r{len(hops)}", at, name, (step.descriptor, *step.also), step.direction))
            at = name

    for b, branch in enumerate(reading.branches):
        walk(f"a{b}", branch.path, end, f"n{b}")
    if reading.tail:
        walk(end, reading.tail, THING, "t")
    return Pattern(tuple(nodes.values()), tuple(hops), filters=_others(reading))


def _others(reading: Reading) -> tuple[Filter, ...]:
    """What is asked for is not what the question already names; behind a tail it may be one of several named again."""
    if reading.goal or reading.described or reading.tail:
        return ()
    return tuple(Filter(Entity(THING), "<>", Entity(f"a{b}")) for b in range(len(reading.branches)))


def bound(pattern: Pattern, anchors: Sequence[Anchor], *, loaded: bool) -> Pattern:
    """The pattern tied to exactly the anchors' nodes, by the fastest handle that the graph has for them."""
    return replace(
        pattern,
        bindings=tuple(
            Binding(f"a{i}", RESERVED_KEY if loaded else None, a.ids if loaded else a.element_ids)
            for i, a in enumerate(anchors)
        ),
    )


def bound_by_name(pattern: Pattern, anchors: Sequence[Anchor], unique: Sequence[bool], *, loaded: bool) -> Pattern:
    """The pattern tied to the anchors' names, as people write it; by identity where it is not ``unique``."""
    exact = bound(pattern, anchors, loaded=loaded).bindings
    named = tuple(
        Binding(f"a{i}", a.key, (a.name,)) if unique[i] and a.key else exact[i] for i, a in enumerate(anchors)
    )
    return replace(pattern, bindings=named)


def answering(pattern: Pattern, intent: Intent, limit: int) -> Pattern:
    """The columns that answer: entities with the number of paths to them, a count, or whether there is a match."""
    if intent == Intent.DESCRIBE:
        return pattern.returning(Projection(Entity("a0"), THING))
    if intent == Intent.YES_NO:
        return pattern.returning(Projection(Aggregate("exists"), "answer"))
    if intent == Intent.COUNT:
        return pattern.returning(Projection(Aggregate("count", Entity(THING), distinct=True), "count"))
    listed = pattern.returning(Projection(Entity(THING), THING), Projection(Aggregate("count"), PATHS))
    return replace(listed, order=(Order(PATHS, descending=True),), limit=limit)


def listing(pattern: Pattern, intent: Intent, limit: int) -> Pattern:
    """The entities alone, in the order in which they are found: it can stop early, which counting cannot."""
    del intent
    return replace(pattern.returning(Projection(Entity(THING), THING), distinct=True), limit=limit)


def witnessing(pattern: Pattern, limit: int) -> Pattern:
    """Every node and edge of the match, one row a match, at most ``limit`` rows."""
    return replace(pattern.returning(*(Projection(Entity(e), e) for e in _elements(pattern))), limit=limit)


def evidencing(pattern: Pattern) -> list[Pattern]:
    """The matches behind a pattern's rows: itself where it has no parts that one can choose or leave out, else with one
    part of each choice, each at a time (six at most), and once more with what is optional, and with each branch that is
    aggregated by itself."""
    plain = replace(pattern, choices=(), optional=(), asides=())
    shapes = [_with(plain, chosen) for chosen in islice(product(*pattern.choices), _MOST_SHAPES)]
    shapes += [_with(plain, [aside.part]) for aside in pattern.asides]
    return [*shapes, _with(shapes[0], pattern.optional)] if pattern.optional else shapes


# Of the matches behind one query so many at most are read.
_MOST_SHAPES = 6


def _with(pattern: Pattern, parts: Iterable[Part]) -> Pattern:
    """The pattern with parts that must be found."""
    for part in parts:
        pattern = replace(
            pattern,
            nodes=pattern.nodes + part.nodes,
            hops=pattern.hops + part.hops,
            bindings=pattern.bindings + part.bindings,
            filters=pattern.filters + part.filters,
        )
    return pattern


def collecting(pattern: Pattern) -> Pattern:
    """Every node and edge of the match once, one list a variable: for matches too many to be listed row by row."""
    return pattern.returning(
        *(Projection(Aggregate("collect", Entity(e), distinct=True), e) for e in _elements(pattern))
    )


def around(
    pattern: Pattern, descriptors: Sequence[Descriptor], direction: Direction, label: str, limit: int
) -> Pattern:
    """The edges at the pattern's first node, with both ends: of some relations or any, to nodes of a label or any."""
    node = PatternNode(THING, (label,) if label else ())
    hop = Hop("r0", pattern.nodes[0].name, THING, tuple(descriptors), direction)
    return witnessing(replace(pattern, nodes=(*pattern.nodes, node), hops=(*pattern.hops, hop)), limit)


def _elements(pattern: Pattern) -> list[str]:
    return [*(n.name for n in pattern.nodes), *(h.name for h in pattern.hops)]
