"""Relation paths that a graph supports, enumerated over its endpoint triples rather than over its edges."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from arcgraph.domain import Endpoint, Schema
from arcgraph.graph.pattern import Descriptor, Direction

# An endpoint triple with so small a share of a type's edges is an accident of the data, if others account for the rest.
RARE_END = 0.02


@dataclass(frozen=True, slots=True)
class Step:
    """One hop of a path: what the edge means, how it is crossed, and the label it leads to (``""``: none).

    ``role`` tells further where the hop leads, in graphs whose labels do not, and ``classes`` are names for it that no
    pattern can test. ``also`` are further descriptors of the same meaning.
    """

    descriptor: Descriptor
    direction: Direction
    label: str
    role: str = ""
    classes: tuple[str, ...] = ()
    also: tuple[Descriptor, ...] = ()

    @property
    def named(self) -> tuple[str, ...]:
        """All names for what the hop leads to."""
        return (self.label, *self.classes) if self.label else self.classes


@dataclass(frozen=True, slots=True)
class RelationPath:
    """A chain of steps from a node of label ``start``."""

    start: str
    steps: tuple[Step, ...]

    @property
    def end(self) -> str:
        return self.steps[-1].label if self.steps else self.start

    @property
    def state(self) -> str:
        """What decides which steps may follow."""
        return self.steps[-1].role or self.end if self.steps else self.start

    def __str__(self) -> str:
        arrows = {Direction.OUT: "-{}->", Direction.IN: "<-{}-", Direction.BOTH: "-{}-"}
        return self.start + "".join(f" {arrows[s.direction].format(s.descriptor.text)} {s.label}" for s in self.steps)


class Movement(Protocol):
    """What enumerating paths needs to know of a graph."""

    def starts(self, labels: tuple[str, ...]) -> tuple[str, ...]:
        """The states in which paths from a node with these labels begin."""
        ...

    def of(self, state: str, *, first: bool = False) -> list[Step]:
        """The steps that leave a state."""
        ...

    def either_way(self) -> set[tuple[str, str, str]]:
        """The (label, relation, label) by which a step may leave in either direction."""
        ...

    def descriptors(self) -> list[Descriptor]:
        """All relations, each once."""
        ...


class Moves:
    """From each label, the steps that the schema's endpoint triples allow."""

    def __init__(self, schema: Schema, symmetric: frozenset[str] = frozenset()):
        hidden = {schema.passages.label, *schema.passages.mention_types} if schema.passages else set()
        by_type: dict[str, list[Endpoint]] = defaultdict(list)
        for triple in schema.endpoints:
            if not hidden & {triple.start, triple.type, triple.end} and (triple.count.value or not triple.probed):
                by_type[triple.type].append(triple)
        self._from: dict[str, list[Step]] = defaultdict(list)
        self._accidental: dict[str, list[Step]] = defaultdict(list)
        for name, triples in by_type.items():
            edges = schema.types[name].count.value if name in schema.types else 0
            meant = _meant(triples, edges)
            for triple in triples:
                table = self._from if triple in meant else self._accidental
                descriptor = Descriptor(name)
                if name in symmetric and triple.start == triple.end:
                    table[triple.start].append(Step(descriptor, Direction.BOTH, triple.end))
                    continue
                table[triple.start].append(Step(descriptor, Direction.OUT, triple.end))
                table[triple.end].append(Step(descriptor, Direction.IN, triple.start))

    def starts(self, labels: tuple[str, ...]) -> tuple[str, ...]:
        """The labels themselves; ``""`` for a node without any."""
        return labels or ("",)

    def descriptors(self) -> list[Descriptor]:
        """All relations, each once."""
        tables = (self._from, self._accidental)
        return list(dict.fromkeys(s.descriptor for table in tables for steps in table.values() for s in steps))

    def either_way(self) -> set[tuple[str, str, str]]:
        """The (label, type, label) by which a step may leave in either direction."""
        out = {
            (a, s.descriptor.type, s.label) for a, steps in self._from.items() for s in steps if s.direction == "out"
        }
        into = {
            (a, s.descriptor.type, s.label) for a, steps in self._from.items() for s in steps if s.direction == "in"
        }
        return out & into

    def of(self, label: str, *, first: bool = False) -> list[Step]:
        """The steps that leave a label; as ``first`` step from an anchor the accidental ones, too.

        They matter where the label has no other step over that relation: what an anchor really has around it is asked
        of the graph, so nothing need be guessed away there.
        """
        meant = self._from.get(label, [])
        if not first:
            return meant
        known = {(s.descriptor.type, s.direction) for s in meant}
        return meant + [s for s in self._accidental.get(label, []) if (s.descriptor.type, s.direction) not in known]


def _meant(triples: list[Endpoint], edges: int) -> set[Endpoint]:
    """The triples that a type is about: the frequent ones, and rare ones as long as edges are left over for them.

    A node with a second label ("a film that is also a tag") doubles every triple of its edges; what the frequent
    triples account for without them needs no second reading.
    """
    ranked = sorted(triples, key=lambda t: -t.count.value)
    kept: set[Endpoint] = set()
    covered = 0
    for triple in ranked:
        frequent = triple.count.value >= RARE_END * ranked[0].count.value
        # Where nothing is counted twice every triple has edges of its own.
        if frequent or not triple.probed or covered + triple.count.value <= edges:
            kept.add(triple)
            covered += triple.count.value
    return kept


def enumerate_paths(moves: Movement, starts: Iterable[str], longest: int, budget: int) -> list[RelationPath]:
    """All paths of one to ``longest`` steps from the labels in ``starts``, shortest first, at most ``budget``."""
    found: list[RelationPath] = []
    frontier = [RelationPath(label, ()) for label in starts]
    for depth in range(longest):
        frontier = [
            RelationPath(path.start, (*path.steps, step))
            for path in frontier
            for step in moves.of(path.state, first=depth == 0)
        ]
        found += frontier[: budget - len(found)]
        if len(found) >= budget:
            break
    return found
