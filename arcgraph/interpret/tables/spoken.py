"""What a question says of a draft: which of its words stand where, what is asked for, what a word is a property of."""

from __future__ import annotations

from dataclasses import dataclass

from arcgraph.graph.pattern import Expression, Property
from arcgraph.interpret.english import ARTICLES, COMMAND_WORDS, COPULAS, FUNCTION_WORDS, IRREGULAR_FORMS
from arcgraph.interpret.forms import form_of, is_amount
from arcgraph.interpret.marks import Deed, Mark
from arcgraph.interpret.tables.asked import Asked
from arcgraph.interpret.tables.catalog import Catalog, Holder
from arcgraph.interpret.tables.english import (
    AGENT_ENDINGS,
    ASKING_WORDS,
    PLAIN_WORDS,
    REQUEST_WORDS,
    TIME_NOUNS,
)
from arcgraph.interpret.tables.parse import Draft, Test, Use, holder_of, is_agent_noun, variable_of
from arcgraph.interpret.verbalise import last_word

EACH = frozenset("all each their these those its every distinct unique".split())
# A property that a word means only by association is no column but at the head.
VAGUE = -0.7
# A word this far behind a mark is still what the mark is about, in words.
_REACH = 8
NEXT = 3


@dataclass(frozen=True, slots=True)
class Output:
    """One column: an expression, its words, and whether it is a group key or plain column rather than an aggregate."""

    expression: Expression
    words: str
    entity: int = -1


class Spoken:
    """One draft of a question, and what was made of its words so far.

    ``_taken`` are the uses that something was made of, ``_met`` the marks that are followed, ``_loose`` what it costs
    that no word says.
    """

    def __init__(self, catalog: Catalog, asked: Asked, draft: Draft):
        self._catalog = catalog
        self._asked = asked
        self._draft = draft
        self._uses = sorted(draft.uses, key=lambda use: use.first)
        self._marks = sorted(draft.marks, key=lambda mark: mark.start)
        self._taken: set[int] = set()
        self._met: set[Mark] = set()
        self._loose = 0.0
        self._closing = asked.units[asked.closing].start if asked.closing is not None else None
        # What is said to be so, or not ("accepted answers"), or done at some moment ("delivered parcels").
        self._flags = [use for use in self._uses if self._is_flag(use) or self._is_deed(use)]

    def _next_use(self, start: int, within: int) -> int | None:
        """The first use behind a character."""
        for n, use in enumerate(self._uses):
            is_behind = self._char(use) >= start and self._between(start, self._char(use)) <= within
            if is_behind and use not in self._flags:
                return n
        return None

    def _next_property(self, start: int) -> int | None:
        """The first open property behind a character."""
        for n, use in enumerate(self._uses):
            if (
                self._asked.units[use.last - 1].end <= start
                or use.kind != "property"
                or use.spent
                or n in self._taken
                or use.is_name
            ):
                continue
            return n if self._between(start, self._char(use)) <= _REACH else None
        return None

    def _last_property(self, end: int, *, anywhere: bool = False) -> int | None:
        """The last open property before a character, near it or ``anywhere``."""
        found = [
            n for n, use in enumerate(self._uses)
            if self._char(use) < end and use.kind == "property" and not use.spent and n not in self._taken
            and (anywhere or self._between(self._char(use), end) <= NEXT)
        ]  # fmt: skip
        return found[-1] if found else None

    def _char(self, use: Use) -> int:
        return self._asked.units[use.first].start

    def _between(self, start: int, end: int) -> int:
        """How many words begin between two characters."""
        return sum(1 for unit in self._asked.units if start <= unit.start < end)

    def _in_closing(self, char: int) -> bool:
        return self._closing is not None and char >= self._closing

    def _is_before(self, use: Use, mark: Mark) -> bool:
        return self._char(use) < mark.start

    def _is_by(self, char: int) -> bool:
        """Whether "by" or "based on" stands before a character, articles aside."""
        idle = ARTICLES | EACH
        before = [unit.text for unit in self._asked.units if unit.start < char and unit.text not in idle]
        return before[-1:] == ["by"] or before[-2:] == ["based", "on"]

    def _marks_deed(self, deed: Deed) -> bool:
        return any(mark.deed == deed for mark in self._marks)

    def _is_open(self, n: int) -> bool:
        use = self._uses[n]
        return use.kind == "property" and not use.spent and use.at >= 0 and n not in self._taken

    def _is_compound(self, n: int) -> bool:
        """Whether another label stands right behind a label."""
        if n + 1 == len(self._uses):
            return False
        return self._uses[n + 1].kind == "label" and self._uses[n + 1].first == self._uses[n].last

    def _asked_node(self) -> int:
        """The first node that a word names: of a compound the last word's ("crime scenes"), not one that only a
        value's words name, but where the value stands for the things that have it ("which Sergeants"). "Who" asks for
        whoever does what is said first."""
        if self._uses and self._uses[0].kind == "relation" and self._asks_for_player():
            return self._subject()
        if self._uses and self._uses[0].side == "relationship" and self._uses[0] in self._flags:
            # "The headliners" are whose edges say so.
            return self._subject()
        for n, use in enumerate(self._uses):
            if use.kind == "label":
                while self._is_compound(n):
                    n += 1
                return self._uses[n].at
            if use.kind == "value" and use.side == "node" and self._stands_for_things(n):
                return use.at
        return 0

    def _subject(self) -> int:
        """Who does what is said first: the end of its edge that no word names."""
        return self._doer(next(u for u in self._uses if u.side == "relationship"))

    def _doer(self, said: Use) -> int:
        """The end of a relation's edge that no word names."""
        hop = self._draft.hops[said.at]
        nodes = self._draft.nodes
        named = {u.at for u in self._uses if u.kind == "value" and u.side == "node" and u.is_name}
        source, target = (hop.start, hop.end) if hop.forward else (hop.end, hop.start)
        # Who plays the part is where a relation leads that is called by a noun or ends with "by" (PILOT, SUNG_BY), and
        # where one begins that is called by another verb.
        last = last_word(hop.type)
        ends = (target, source) if last == "by" or last.endswith(AGENT_ENDINGS) else (source, target)
        return min(ends, key=lambda i: (i in named, nodes[i].said))

    def _asks_for_player(self) -> bool:
        """Whether the relation said first is asked for by "who", or is a noun for those who do it ("the actors")."""
        return self._asked.units[0].text in ("who", "whom") or is_agent_noun(self._asked, self._uses[0], self._uses)

    def _stands_for_things(self, n: int) -> bool:
        """Whether a value stands where a noun is asked for, and no label behind it is that noun."""
        use = self._uses[n]
        before = self._asked.units[use.first - 1].text if use.first else ""
        follows = self._uses[n + 1] if n + 1 < len(self._uses) else None
        is_noun = (
            follows is not None
            and follows.kind == "label"
            and all(unit.text in PLAIN_WORDS for unit in self._asked.units[use.last : follows.first])
        )
        asks = before in ASKING_WORDS or self._is_head(n)
        return asks and not is_noun

    def _is_head(self, n: int) -> bool:
        """Whether a value in the plural is the first thing spoken of, by a phrase that asks for things ("who are the
        Sergeants that", "a list of the violent crimes at")."""
        use = self._uses[n]
        begin, last = self._asked.units[use.first].start, self._asked.units[use.last - 1].text
        is_plural = last.endswith("s") and not self._asked.text[begin].isdigit()
        before = [unit.text for unit in self._asked.units[: use.first] if unit.text not in ARTICLES]
        asks = before[-1:] in (["are"], ["were"]) or before[-2:] in (["list", "of"], ["count", "of"], ["number", "of"])
        return n == 0 and is_plural and (asks or all(word in REQUEST_WORDS | COMMAND_WORDS for word in before[-1:]))

    def _is_named(self, node: int) -> bool:
        """Whether a node is told by its name, so that there is one, and nothing to take an average of."""
        told = any(u.kind == "value" and u.is_name and u.side == "node" and u.at == node for u in self._uses)
        return told and "all" not in [unit.text for unit in self._asked.units]

    def _is_called(self, node: int) -> bool:
        """Whether a node is the one of some name."""
        tests = self._draft.nodes[node].tests
        return any(len(t.conditions[0].several) == 1 for t in tests
                   if self._names(self._draft.nodes[node].label, t) and t.conditions[0].operator == "=")  # fmt: skip

    def _names(self, label: str, test: Test) -> bool:
        """Whether a test ties a node to names, which a graph finds by its indexes."""
        one = test.conditions[0] if len(test.conditions) == 1 else None
        is_tied = one is not None and one.operator in ("=", "in") and not one.numeric
        return is_tied and test.key in self._catalog.naming(label)

    def _is_deed(self, use: Use) -> bool:
        """Whether a property of moments is said by a participle right before the noun for what has it, or behind "is":
        that it was done at all ("delivered parcels", "which parcels are undelivered")."""
        if use.kind != "property" or use.spent or use.at < 0 or use.last > use.first + 1 or len(use.keys) != 1:
            return False
        words = [unit.text for unit in self._asked.units]
        word, before = words[use.first], words[max(0, use.first - 2) : use.first]
        is_participle = word.endswith("ed") or word in IRREGULAR_FORMS
        is_thing = any(m.kind == "label" for m in self._catalog.called(word))
        asks_when = bool((TIME_NOUNS | {"when"}) & set(words[: use.first]))
        if not is_participle or is_thing or asks_when:
            return False
        is_sorted = any(m.deed == Deed.SUPERLATIVE and m.end < self._char(use) <= m.end + 1 for m in self._asked.marks)
        if is_sorted or not form_of(self._catalog.info(self._holder(use))).is_moment:
            return False
        follows = next((u for u in self._uses if u.first >= use.last), None)
        is_attribute = follows is not None and follows.kind == "label" and follows.first == use.last
        is_told = use.last == len(words) or words[use.last] in FUNCTION_WORDS
        is_predicate = bool(COPULAS & set(before)) and is_told and (follows is None or follows.kind != "value")
        return is_attribute or (is_predicate and any(u.first < use.first for u in self._uses))

    def _is_flag(self, use: Use) -> bool:
        """Whether a property is true or false, and no column of the closing clause nor asked for by "whether"."""
        if use.kind != "property" or use.spent or use.at < 0 or self._in_closing(self._char(use)):
            return False
        before = [unit.text for unit in self._asked.units[: use.first]]
        return self._catalog.info(self._holder(use)).type == "boolean" and "whether" not in before

    def _holder(self, use: Use) -> Holder:
        return holder_of(self._draft, use)

    def _property(self, use: Use, *, numeric: bool = False) -> Property:
        key = use.keys[0]
        info = self._catalog.info(self._holder(use))
        is_text = info.type == "string" and form_of(info).writing == "figures"
        return Property(variable_of(use), key, numeric and is_text)

    def _is_number(self, use: Use) -> bool:
        info = self._catalog.info(self._holder(use))
        return info.type == "duration" or is_amount(info)
