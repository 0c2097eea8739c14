"""Relation paths that a graph supports, enumerated over its endpoint triples rather than over its edges."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from arcgraph.domain import Schema
from arcgraph.graph.pattern import Descriptor, Direction

# A label that so small a share of a type's edges reach is an accident of the data (a node with a second label), and
# following it would multiply paths that mean the same.
RARE_END = 0.02


@dataclass(frozen=True, slots=True)
class Step:
    """One hop of a path: what the edge means, how it is crossed, and the label it leads to (``""``: none)."""

    descriptor: Descriptor
    direction: Direction
    label: str


@dataclass(frozen=True, slots=True)
class RelationPath:
    """A chain of steps from a node of label ``start``."""

    start: str
    steps: tuple[Step, ...]

    @property
    def end(self) -> str:
        return self.steps[-1].label if self.steps else self.start

    def __str__(self) -> str:
        arrows = {Direction.OUT: "-{}->", Direction.IN: "<-{}-", Direction.BOTH: "-{}-"}
        return self.start + "".join(f" {arrows[s.direction].format(s.descriptor.text)} {s.label}" for s in self.steps)


class Moves:
    """From each label, the steps that the schema's endpoint triples allow."""

    def __init__(self, schema: Schema):
        hidden = {schema.passages.label, *schema.passages.mention_types} if schema.passages else set()
        totals: dict[tuple[str, str, Direction], int] = defaultdict(int)
        found: list[tuple[str, Step, int]] = []
        for e in schema.endpoints:
            if hidden & {e.start, e.type, e.end} or (e.probed and e.count.value == 0):
                continue
            for here, direction, there in ((e.start, Direction.OUT, e.end), (e.end, Direction.IN, e.start)):
                found.append((here, Step(Descriptor(e.type), direction, there), e.count.value))
                key = (here, e.type, direction)
                totals[key] = max(totals[key], e.count.value)
        self._from: dict[str, list[Step]] = defaultdict(list)
        for here, step, count in found:
            if count >= RARE_END * totals[here, step.descriptor.type, step.direction]:
                self._from[here].append(step)

    def either_way(self) -> set[tuple[str, str, str]]:
        """The (label, type, label) by which a step may leave in either direction."""
        out = {
            (a, s.descriptor.type, s.label) for a, steps in self._from.items() for s in steps if s.direction == "out"
        }
        into = {
            (a, s.descriptor.type, s.label) for a, steps in self._from.items() for s in steps if s.direction == "in"
        }
        return out & into

    def of(self, label: str) -> list[Step]:
        """The steps that leave a label."""
        return self._from.get(label, [])


def enumerate_paths(
    moves: Moves,
    starts: Iterable[str],
    longest: int,
    budget: int,
    first: frozenset[tuple[str, Direction]] | None = None,
) -> list[RelationPath]:
    """All paths of one to ``longest`` steps from the labels in ``starts``, shortest first, at most ``budget``.

    ``first`` restricts the first step to (type, direction) pairs that were seen at the anchor itself.
    """
    found: list[RelationPath] = []
    frontier = [RelationPath(label, ()) for label in starts]
    for depth in range(longest):
        frontier = [p for path in frontier for p in _extensions(moves, path, first if depth == 0 else None)]
        found += frontier[: budget - len(found)]
        if len(found) >= budget:
            break
    return found


def _extensions(
    moves: Moves, path: RelationPath, allowed: frozenset[tuple[str, Direction]] | None
) -> Iterator[RelationPath]:
    for step in moves.of(path.end):
        if allowed is None or (step.descriptor.type, step.direction) in allowed:
            yield RelationPath(path.start, (*path.steps, step))
