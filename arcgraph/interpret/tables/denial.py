"""What a question rules out: properties without a value, and relations that must not be there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from arcgraph.graph.pattern import Filter, Pattern, Property
from arcgraph.interpret.english import COPULAS, FUNCTION_WORDS
from arcgraph.interpret.marks import Deed, Mark
from arcgraph.interpret.operators import INVERSES
from arcgraph.interpret.tables.asked import Asked
from arcgraph.interpret.tables.english import KNOWN_WORDS, LIGHT_VERBS, PLAIN_WORDS
from arcgraph.interpret.tables.parse import Draft, Use, covers, variable_of
from arcgraph.interpret.tables.parts import beyond, hop_to, names_of, returned, taken

# So many words at most stand between "not" and what it denies.
_REACH = 4


def denier(asked: Asked, use: Use) -> Mark | None:
    """The mark that denies a property its value: "without an email", "whose height is not known"."""
    before = next((m for m in _denials(asked) if _is_right_before(asked, m, use)), None)
    return before or next((m for m in _denials(asked) if _is_unknown(asked, m, use)), None)


def flag_denier(asked: Asked, use: Use, uses: Sequence[Use]) -> Mark | None:
    """The mark that denies what is true or false, a verb in between ("do not work remotely")."""
    verbs = {i for u in uses if u.kind == "relation" for i in range(u.first, u.last)}
    for mark in _denials(asked):
        between = [i for i, u in enumerate(asked.units[: use.first]) if u.start >= mark.end]
        is_near = mark.end <= asked.units[use.first].start and len(between) < _REACH
        if is_near and all(i in verbs or asked.units[i].text in _IDLE for i in between):
            return mark
    return denier(asked, use)


def _denials(asked: Asked) -> Iterator[Mark]:
    return (m for m in asked.marks if m.deed == Deed.NEGATION and not m.doubtful)


def _is_right_before(asked: Asked, mark: Mark, use: Use) -> bool:
    between = [u.text for u in asked.units if u.start >= mark.end and u.start < asked.units[use.first].start]
    is_before = mark.end <= asked.units[use.first].start
    return is_before and len(between) < _REACH and all(w in _IDLE for w in between)


_IDLE = FUNCTION_WORDS | KNOWN_WORDS | LIGHT_VERBS | PLAIN_WORDS


def _is_unknown(asked: Asked, mark: Mark, use: Use) -> bool:
    """Whether "is not known" stands right behind."""
    behind = asked.units[use.last : use.last + 3]
    if not behind or behind[0].text not in COPULAS or not any(unit.text in KNOWN_WORDS for unit in behind):
        return False
    return behind[0].start <= mark.start <= behind[-1].end


class Denial:
    """Follows the denials of one question in one draft: ``met`` are those that it could. ``flags`` are properties of
    which the pattern says already that they are false, ``is_amount`` tells those that are 0 where there is nothing."""

    def __init__(
        self, asked: Asked, draft: Draft, uses: Sequence[Use], flags: Sequence[Use], is_amount: Callable[[Use], bool]
    ):
        self._flags = flags
        self._is_amount = is_amount
        self._asked = asked
        self._draft = draft
        self._uses = uses
        self.met: set[Mark] = set()
        self._cut_off: set[int] = set()

    def applied(self, pattern: Pattern) -> Pattern:
        """The pattern with what is denied: a property that is null, a part that is absent."""
        followed: set[Use] = set()
        flagged = {flag_denier(self._asked, use, self._uses) for use in self._flags}
        self.met |= {mark for mark in flagged if mark is not None}
        for mark in _denials(self._asked):
            if mark in flagged:
                # That it is false is among the conditions.
                continue
            use = next((u for u in self._uses if self._asked.units[u.first].start >= mark.end), None)
            unknown = next((u for u in self._uses if u.kind == "property" and denier(self._asked, u) == mark), None)
            if unknown is not None and unknown.at >= 0 and not unknown.spent:
                denied: Pattern | None = self._unknown(pattern, unknown)
            elif use is None or use in followed or not self._is_near(mark, use) or self._is_said(mark):
                continue
            elif use.kind == "property":
                denied = self._opposed(pattern, self._value_of(use)) if use.spent else None
            else:
                denied = self._cut(pattern, use) or self._opposed(pattern, use)
            if denied is not None:
                # Denied twice it would be said after all: that is left to those who ask.
                followed.update(u for u in (use, unknown) if u is not None)
                pattern = denied
                self.met.add(mark)
        return pattern

    def _is_said(self, mark: Mark) -> bool:
        """Whether a value's own condition says so already."""
        return any(covers(self._asked, use, mark) for use in self._uses)

    def _unknown(self, pattern: Pattern, use: Use) -> Pattern:
        prop = Property(variable_of(use), use.keys[0])
        none = Filter(prop, "=", 0) if self._is_amount(use) else Filter(prop, "is null")
        return replace(pattern, filters=(*pattern.filters, none))

    def _value_of(self, use: Use) -> Use | None:
        """The value right behind the property that names it."""
        at = next((n for n, u in enumerate(self._uses) if u is use), len(self._uses))
        follows = self._uses[at + 1] if at + 1 < len(self._uses) else None
        return follows if follows is not None and follows.kind == "value" and follows.keys == use.keys else None

    def _opposed(self, pattern: Pattern, use: Use | None) -> Pattern | None:
        """The pattern with the opposite of a value's condition; ``None`` where that is no one condition."""
        if use is None or use.kind != "value":
            return None
        left = (variable_of(use), use.keys[0])
        bindings = [b for b in pattern.bindings if (b.node, b.key) == left]
        tests = [f for f in pattern.filters if isinstance(f.left, Property) and (f.left.owner, f.left.key) == left]
        if len(bindings) + len(tests) != 1:
            return None
        values = bindings[0].values if bindings else tuple(tests[0].right) if tests[0].operator == "in" else ()
        if values:
            of = tests[0].left if tests else Property(*left)
            opposite = [Filter(of, "<>", value) for value in values]
        elif tests[0].operator in INVERSES:
            opposite = [replace(tests[0], operator=INVERSES[tests[0].operator])]
        else:
            return None
        return replace(
            pattern,
            bindings=tuple(b for b in pattern.bindings if b not in bindings),
            filters=(*(f for f in pattern.filters if f not in tests), *opposite),
        )

    def _is_near(self, mark: Mark, use: Use) -> bool:
        begin = self._asked.units[use.first].start
        return sum(1 for unit in self._asked.units if mark.end <= unit.start < begin) < _REACH

    def _cut(self, pattern: Pattern, use: Use) -> Pattern | None:
        """The pattern with the part behind a hop made absent; ``None`` where something of that part is asked for, or
        was spoken of before."""
        at = use.at if use.side == "relationship" else hop_to(self._draft, use.at)
        if at is None:
            return None
        nodes, hops = beyond(self._draft, at)
        if any(sum(1 for h in self._draft.hops if h.end == node) > 1 for node in nodes):
            return None
        if hops & self._cut_off:
            # Denied already: denied twice it is left to those who ask.
            return None
        # The verb of the denied hop may stand before the denial ("take no course").
        told = [u for u in self._uses if (u.at in nodes if u.side == "node" else u.at in hops - {at})]
        if any(u.first < use.first for u in told):
            return None
        names = names_of(nodes, hops)
        if names & returned(pattern):
            return None
        self._cut_off |= hops
        part, rest = taken(pattern, names)
        return replace(rest, absent=(*rest.absent, part))
