"""Choices between things said of one thing: "who wrote 'A' or live in 'B'", "before 1990 or after 2000"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from arcgraph.graph.pattern import Binding, Filter, Part, Pattern, Property
from arcgraph.interpret.marks import Deed, Mark
from arcgraph.interpret.tables.asked import Asked
from arcgraph.interpret.tables.parse import Draft, Test, Use, covers, name_of_node
from arcgraph.interpret.tables.parts import beyond, hop_to, names_of, returned, taken

_OR = "or"


class Choosing:
    """Follows what "or" says of one draft: ``met`` are the marks that it could."""

    def __init__(self, asked: Asked, draft: Draft, uses: Sequence[Use]):
        self._asked = asked
        self._draft = draft
        self._uses = uses
        self.met: set[Mark] = set()

    def applied(self, pattern: Pattern) -> Pattern:
        """The pattern with its branches and conditions on both sides of "or" as parts of which one will do."""
        for mark in self._asked.marks:
            is_said = any(covers(self._asked, use, mark) for use in self._uses)
            if mark.deed != Deed.EITHER or mark.text.lower() != _OR or is_said:
                continue
            chosen = self._chosen(mark, pattern)
            if chosen is not None:
                pattern = chosen
                self.met |= {m for m in self._asked.marks if m == mark or m == self._opener(mark)}
        return pattern

    def _opener(self, mark: Mark) -> Mark | None:
        """The "either" that belongs to an "or"."""
        before = [m for m in self._asked.marks if m.deed == Deed.EITHER and m.end <= mark.start]
        return before[-1] if before and before[-1].text.lower() != _OR else None

    def _chosen(self, mark: Mark, pattern: Pattern) -> Pattern | None:
        opener = self._opener(mark)
        begin = opener.end if opener is not None else 0
        behind = [use for use in self._uses if self._start(use) >= mark.end]
        if not behind:
            return None
        right = self._branch(behind[0], mark.end)
        if right is None:
            return None
        node, one = right
        before = [use for use in self._uses if begin <= self._start(use) < mark.start]
        others = [b for use in before if (b := self._branch(use, begin)) is not None and b[0] == node]
        sides = [side for _, side in others if side != one]
        if not sides:
            return None
        # What "either" opens is all of it; else the last thing said before "or".
        left = sides if opener is not None else sides[-1:]
        return self._split(pattern, node, list(dict.fromkeys(left)), one)

    def _start(self, use: Use) -> int:
        return self._asked.units[use.first].start

    def _branch(self, use: Use, begin: int) -> tuple[int, int | Test] | None:
        """The node at which the branch that a use belongs to begins behind a character, and its first hop; or the
        node's own condition."""
        if use.kind == "value" and use.side == "node":
            tests = [t for t in self._draft.nodes[use.at].tests if t.first <= use.first < t.last]
            hop = hop_to(self._draft, use.at)
            if hop is None or self._was_told(use.at, begin):
                return (use.at, tests[-1]) if tests else None
        elif use.side == "relationship":
            hop = use.at
        else:
            hop = hop_to(self._draft, use.at)
        if hop is None:
            return None
        while True:
            start = self._draft.hops[hop].start
            above = hop_to(self._draft, start)
            if above is None or self._was_told(start, begin) or self._was_said(above, begin):
                return start, hop
            hop = above

    def _was_told(self, node: int, begin: int) -> bool:
        return any(u.side == "node" and u.at == node and self._start(u) < begin for u in self._uses)

    def _was_said(self, hop: int, begin: int) -> bool:
        return any(u.side == "relationship" and u.at == hop and self._start(u) < begin for u in self._uses)

    def _split(self, pattern: Pattern, node: int, left: Sequence[int | Test], right: int | Test) -> Pattern | None:
        """The pattern with both sides as parts; ``None`` where one of them holds what is returned or told again."""
        parts = []
        rest = pattern
        for side in (left, [right]):
            branches = [names_of(*beyond(self._draft, one)) for one in side if not isinstance(one, Test)]
            names = set[str]().union(*branches)
            tests = [one for one in side if isinstance(one, Test)]
            if names & returned(pattern):
                return None
            part, rest = _side(rest, names, name_of_node(node), tests)
            if not part.hops and not part.filters and not part.bindings:
                return None
            parts.append(part)
        if not rest.nodes or any(h.start not in _names(rest) or h.end not in _names(rest) for h in rest.hops):
            return None
        return replace(rest, choices=(*rest.choices, tuple(parts)))


def _names(pattern: Pattern) -> set[str]:
    return {node.name for node in pattern.nodes}


def _side(pattern: Pattern, names: set[str], node: str, tests: Sequence[Test]) -> tuple[Part, Pattern]:
    """A part of some elements with their conditions, and of conditions on a node; and the pattern without it."""
    told = list(_conditions(node, tests))

    def is_told(one: Binding | Filter) -> bool:
        if isinstance(one, Binding):
            return any(one.node == node and one.key == t.key for t in tests)
        return isinstance(one.left, Property) and _said(one) in told

    return taken(pattern, names, is_told)


def _conditions(node: str, tests: Sequence[Test]) -> Iterator[tuple[str, str, str, str]]:
    for test in tests:
        for condition in test.conditions:
            right = condition.operand
            yield node, test.key, condition.operator, repr(right)


def _said(condition: Filter) -> tuple[str, str, str, str]:
    assert isinstance(condition.left, Property)
    return condition.left.owner, condition.left.key, condition.operator, repr(condition.right)
