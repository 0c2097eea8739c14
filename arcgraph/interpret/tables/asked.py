"""A question cut into units, with the stretches of it that may mean something."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, NamedTuple

from arcgraph.graph.pattern import Operator
from arcgraph.interpret.anchors import is_command
from arcgraph.interpret.english import (
    ARTICLES,
    COMMAND_WORDS,
    FUNCTION_WORDS,
    PREPOSITIONS,
    QUESTION_WORDS,
    SUBJECT_WORDS,
)
from arcgraph.interpret.literals import Literal as Written
from arcgraph.interpret.marks import Deed, Mark
from arcgraph.interpret.tables.catalog import Holder, Meaning, are_same
from arcgraph.interpret.tables.english import (
    BESIDES_PHRASES,
    CLOSING_VERBS,
    COORDINATING,
    COUNT_NOUNS,
    LIGHT_VERBS,
    NAME_WORDS,
    NARROWING_WORDS,
    PERSON_WORDS,
    PLACING,
    PLAIN_WORDS,
    REQUEST_WORDS,
)
from arcgraph.interpret.terms import shared_stem
from arcgraph.interpret.verbalise import split_name

# Below this a probability is noise.
FLOOR = 0.02
# From this logarithm on a word says a thing of the schema outright.
OUTRIGHT = -0.3
# Words that share so much of their letters from the first on are forms of one.
_FORM = 0.75
# Shorter words have no plural that is looked for.
SHORTEST_PLURAL = 4


class Unit(NamedTuple):
    """A word of the question, in lower case, and its characters; parts of one identifier are words of their own."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Condition:
    """``operator`` and what a property's value is compared with; ``numeric`` where it is a text that holds a number."""

    operator: Operator
    right: Any
    numeric: bool = False

    @property
    def several(self) -> tuple[Any, ...]:
        """What is compared with, as several; a duration, whose class is a tuple's, is one."""
        return self.right if type(self.right) is tuple else (self.right,)

    @property
    def operand(self) -> Any:
        """What is compared with, as a condition of a pattern has it."""
        return list(self.right) if type(self.right) is tuple else self.right


@dataclass(frozen=True, slots=True)
class Sense:
    """One thing that a stretch may mean, with the logarithm of how likely that is.

    ``holders`` are the properties that come into question; ``conditions`` are those of a value, which ``text`` says in
    words; ``meaning`` is what of the schema is meant.
    """

    kind: Literal["label", "relation", "property", "value"]
    log: float
    name: str = ""
    holders: tuple[Holder, ...] = ()
    conditions: tuple[Condition, ...] = ()
    text: str = ""
    is_name: bool = False


@dataclass(frozen=True, slots=True)
class Stretch:
    """Units ``first:last`` with their senses, or with a mark; without both they are left out at a cost (``log``)."""

    first: int
    last: int
    senses: tuple[Sense, ...] = ()
    mark: Mark | None = None
    log: float = 0.0


@dataclass
class Asked:
    """A question cut into units, with every stretch that may mean something by the unit that it begins at.

    ``singular`` is the text with its plurals in the singular; ``idle`` are the units that say nothing where they stand,
    ``outright`` those that name something of the schema by themselves, ``numbering`` those that only say that a number
    follows ("the number 555-0199"), ``light`` verbs that may only lead to a moment ("that occurred on 1 May").
    """

    text: str
    units: list[Unit]
    stretches: dict[int, list[Stretch]] = field(default_factory=lambda: defaultdict(list))
    marks: tuple[Mark, ...] = ()
    literals: tuple[Written, ...] = ()
    singular: str | None = None
    quoted: tuple[tuple[int, int], ...] = ()
    idle: frozenset[int] = frozenset()
    outright: frozenset[int] = frozenset()
    numbering: frozenset[int] = frozenset()
    light: frozenset[int] = frozenset()

    @cached_property
    def closing(self) -> int | None:
        """The unit at which the clause begins that only says which columns are wanted; ``None`` where there is none."""
        for i in range(len(self.units) - 2, 2, -1):
            if self.units[i].text in CLOSING_VERBS and self.begins_clause(i) and self._is_said(0, i):
                return i if self._is_said(i + 1, len(self.units)) else None
        return None

    def begins_clause(self, i: int) -> bool:
        """Whether a unit stands behind a sentence's end, a comma or a word that goes on."""
        before = self.text[self.units[i - 1].start : self.units[i].start]
        return any(sign in before for sign in ".,;?!:") or self.units[i - 1].text in ("and", "also", "then", "to")

    def _is_said(self, first: int, last: int) -> bool:
        """Whether any of the units means something by itself, a name included."""
        return any(carries_meaning(u.text) or u.text in NAME_WORDS for u in self.units[first:last])

    @cached_property
    def going_on(self) -> int | None:
        """The unit from which on the question asks more of the same things ("…, and how many", "considering only")."""
        words = [unit.text for unit in self.units]
        for i in range(2, len(words) - 2):
            is_asked = words[i] in COORDINATING and words[i + 1] in QUESTION_WORDS - SUBJECT_WORDS
            is_beside = tuple(words[i : i + 2]) in BESIDES_PHRASES and self._is_counted(i + 2)
            if (is_asked or is_beside or words[i] in NARROWING_WORDS or self._counts_more(i)) and self._is_said(0, i):
                return i
        return None

    def _is_counted(self, i: int) -> bool:
        """Whether things are counted a few words behind a unit ("along with the number of")."""
        end = self.units[min(len(self.units), i + 4) - 1].end
        return any(m.deed == Deed.AGGREGATE and self.units[i - 1].end <= m.start < end for m in self.marks)

    def _counts_more(self, i: int) -> bool:
        """Whether "and" goes on with another aggregate, behind one."""
        if self.units[i].text not in COORDINATING:
            return False
        told = [m for m in self.marks if m.deed == Deed.AGGREGATE]
        end = self.units[min(len(self.units), i + 4) - 1].end
        more = [m for m in told if self.units[i].end <= m.start < end]
        return bool(more) and any(m.end <= self.units[i].start for m in told)

    def anywhere(self, values: Sequence[tuple[int, int]]) -> frozenset[int]:
        """The units behind a value that only say that it holds anywhere ("met Ann in any chapter")."""
        words = [unit.text for unit in self.units]
        ends = {last for _, last in values}
        return frozenset(
            at for i in ends if words[i : i + 1] and words[i] in PLACING and words[i + 1 : i + 2] == ["any"]
            for at in range(i, min(i + 3, len(words)))
        )  # fmt: skip

    def restated(self) -> frozenset[int]:
        """The units of a closing clause that only says once more what is grouped and aggregated."""
        aggregates = [m for m in self.marks if m.deed == Deed.AGGREGATE and not m.doubtful]
        is_grouped = any(m.deed == Deed.GROUP and not m.doubtful and not self._closes(m) for m in self.marks)
        if self.closing is None or not is_grouped or all(self._closes(m) for m in aggregates):
            return frozenset()
        orders = (
            m.start for m in self.marks if m.deed in (Deed.ORDER, Deed.LIMIT, Deed.SUPERLATIVE) and self._closes(m)
        )
        end = min(orders, default=len(self.text))
        units = [i for i in range(self.closing, len(self.units)) if self.units[i].start < end]
        counted = {unit.text for unit in self.units for m in aggregates if m.start <= unit.start < m.end}
        body = {unit.text for unit in self.units[: self.closing]} | counted | COUNT_NOUNS | CLOSING_VERBS
        told = (self.units[i].text for i in units if carries_meaning(self.units[i].text))
        is_told = all(word in body or any(are_same((word,), (other,)) for other in body) for word in told)
        return frozenset(units) if is_told else frozenset()

    def _closes(self, mark: Mark) -> bool:
        return self.closing is not None and mark.start >= self.units[self.closing].start

    def goes_on(self, unit: int) -> bool:
        """Whether a unit stands behind that."""
        return self.going_on is not None and unit > self.going_on

    def closes(self, unit: int) -> bool:
        """Whether a unit stands in the closing clause."""
        return self.closing is not None and unit >= self.closing


_TOKEN = re.compile(r"\be-mails?\b|[^\W_]+(?:['’](?!s\b)[^\W_]+)*", re.I)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def units_of(text: str) -> list[Unit]:
    """The words of a question; "watchCount" and "watch_count" are two."""
    found: list[Unit] = []
    for match in _TOKEN.finditer(text):
        at = match.start()
        if match.group().lower().startswith("e-mail"):
            found.append(Unit(match.group().lower().replace("-", ""), at, match.end()))
            continue
        for piece in _CAMEL.split(match.group()):
            found.append(Unit(piece.lower(), at, at + len(piece)))
            at += len(piece)
    return found


_IDLE = FUNCTION_WORDS | PLAIN_WORDS | REQUEST_WORDS | COMMAND_WORDS | LIGHT_VERBS | PERSON_WORDS | NAME_WORDS


def sense_of(meaning: Meaning, log: float) -> Sense:
    """What of the schema a stretch means, with the logarithm of how likely that is."""
    return Sense(meaning.kind, log, meaning.name, meaning.holders)


def carries_meaning(word: str) -> bool:
    """Whether a word says something by itself, neither of grammar nor of how people ask."""
    return len(word) > 1 and word not in _IDLE and not word.isdigit()


def singular(word: str) -> str:
    """A noun without its plural ending."""
    if word.endswith("ies") and len(word) > SHORTEST_PLURAL:
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def units_within(units: Sequence[Unit], start: int, end: int) -> tuple[int, int] | None:
    """The units that lie within characters ``start:end``."""
    inside = [i for i, unit in enumerate(units) if unit.start < end and start < unit.end]
    return (inside[0], inside[-1] + 1) if inside else None


def is_command_at(asked: Asked, at: int) -> bool:
    return is_command(asked.text, asked.units[at].start, asked.units[at].end)


def is_verb(asked: Asked, at: int) -> bool:
    """Whether a word is the last of a clause that begins with "did" or its like, and so its verb."""
    is_last = at + 1 == len(asked.units) or asked.units[at + 1].text in FUNCTION_WORDS
    before = {unit.text for unit in asked.units[max(0, at - _CLAUSE) : at]}
    # A noun stands behind "for" or "the".
    is_noun = at > 0 and asked.units[at - 1].text in _NOUN_LINKS
    # "Do not have the colour red" has its verb already.
    return is_last and bool(before & _DOING) and "have" not in before and not is_noun


_DOING = frozenset("do does did".split())
_NOUN_LINKS = (PREPOSITIONS - {"to"}) | ARTICLES | {"each", "every", "any", "no", "which", "what"}
_CLAUSE = 6


def is_a_word_of(word: str, name: str) -> bool:
    """Whether a word is one of a name's, plural endings and derivations aside."""
    return any(are_same((word,), (part,)) for part in split_name(name))


def is_form_of(word: str, name: str) -> bool:
    """Whether a word is a form of one of a name's words."""
    return any(shared_stem(word, part) >= _FORM for part in split_name(name))
