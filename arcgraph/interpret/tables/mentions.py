"""The stretches of a question that may mean something: of the schema, of the values, or what to do with them."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from functools import cached_property
from itertools import pairwise
from typing import Any, Literal, NamedTuple

from arcgraph.graph.pattern import Operator
from arcgraph.interpret import operators as general
from arcgraph.interpret.anchors import Names, is_command
from arcgraph.interpret.bounds import Bounds
from arcgraph.interpret.english import (
    ARTICLES,
    COMMAND_WORDS,
    FUNCTION_WORDS,
    GRAPH_WORDS,
    IRREGULAR_FORMS,
    NOTIONS,
    POSSESSIVES,
    PREPOSITIONS,
    QUESTION_WORDS,
    SUBJECT_WORDS,
)
from arcgraph.interpret.fitting import Fit, fit
from arcgraph.interpret.forms import form_of
from arcgraph.interpret.literals import TEXTS, Comparison, Kind
from arcgraph.interpret.literals import Literal as Written
from arcgraph.interpret.marks import Deed, Mark, signs_of
from arcgraph.interpret.tables.catalog import Catalog, Holder, Meaning, are_same, key_words, without_unit
from arcgraph.interpret.tables.english import (
    AMOUNT_NOUNS,
    APPOSED_NOUNS,
    BESIDES_PHRASES,
    CLOSING_VERBS,
    COORDINATING,
    COUNT_NOUNS,
    EVENT_NOUNS,
    HELD_WORDS,
    LIGHT_NOUNS,
    LIGHT_VERBS,
    NAME_WORDS,
    NARROWING_WORDS,
    NEW_WORDS,
    ORDER_VERBS,
    PERSON_WORDS,
    PLACING,
    PLAIN_WORDS,
    RELATION_NOUNS,
    RELATIVE_PRONOUNS,
    REQUEST_WORDS,
    SAME_PHRASES,
    TAIL_NOUNS,
    TIME_NOUNS,
    WHENEVER_PHRASES,
    YEAR_WORDS,
)
from arcgraph.interpret.tables.paraphrase import Paraphrases
from arcgraph.interpret.tables.since import ends_of
from arcgraph.interpret.tables.wording import worded
from arcgraph.interpret.terms import shared_stem
from arcgraph.interpret.verbalise import content, split_name
from arcgraph.search.lexicon import quoted_spans
from arcgraph.search.values import ValueIndex, ValueMention

# Below this a probability is noise.
FLOOR = 0.02
# Of one stretch so many senses are kept.
MOST_SENSES = 6
MOST_PHRASE = 4
_LEAST = 0.05
# What leaving a mark out costs, and a value that stands in quotation marks or looks like a code.
DROPPED_MARK = 1.5
_DOUBTFUL_MARK = 0.5
DROPPED_VALUE = 6.0
_DROPPED_NUMBER = 3.0
# A word that carries nothing is hardly missed, nor is one right behind what it makes a compound with ("crew size").
_PLAIN = 0.05
_COMPOUND = 0.5
_NAME = 1.0
# So many words at most belong to how a request opens.
_OPENING = 4
# Shorter words have no plural that is looked for.
_PLURAL = 4
# A name that swallows a mark ("average height").
_SWALLOWED, _UNGROUPED = 0.4, 0.2
# So much dropping a likely value costs; from this logarithm on a word says a thing of the schema outright.
_LIKELY_VALUE = 1.5
_OUTRIGHT = -0.3
_NAMED = -2.0
# What a word means less where it is another thing's whole name, and where it names a label first of all.
_NOT_EXACT = 1.0
_SECOND = 0.6
# What a word means that is the head of a label's name ("call" of PhoneCall).
_HEAD_NOUN = 0.3
# What each word of a whole name costs that is taken apart.
# The same for a relation: "the defender size" is hardly said of a defender.
_APART, _RELATION_APART = 0.5, 1.0
_FORM = 0.75
_HEADLESS = 0.5
_SAID = 0.2
# A name that is surely one.
_SURELY_NAMED = -0.2
# What a name costs that is only the singular of a word.
_CUT = 0.4
# A name that is so much surer than one that crosses it stands.
_SURER = 0.3
# What a relation costs whose name ends with a preposition that is not said ("plays" for playsFor).
_NO_PREPOSITION = 0.5
# What a property costs whose key has the stem of the verb right before a moment ("created in 1999": creationYear).
_STEM, _DATED = 0.6, 0.1
_LEAST_PERSON = 0.15
_PERSON = 0.6
_SOMEONE = 1.8
# "Someone" brings in somebody else.
_ANOTHER_ONE = 2.5
# What a property costs as the sense of a verb.
_AS_VERB = 1.5
# What a property of years costs that is only called the year.
_SAID_AS_YEAR = 0.6
# What it costs not to say who, where or when, where the graph has a word for it.
_QUESTION, _WHO = 0.8, 0.4
_DOUBTFUL_NAME = 0.1
# What a relation costs that is worded with more than its name.
_WORDED = 0.05
# What a value costs that is said in other words.
_OTHERWISE = 0.3
# What a text costs that is said to stand in a property.
_WITHIN = 0.1
# How sure a word with a capital is a value where it is a label as well.
_LABELLED = 0.5
# How sure several words are a value that they are word for word.
_WHOLE = ("exact", "folded")
_WHOLLY = 0.9


# From a text and where it stands in the question to the properties that hold it.
LookUp = Callable[[str, int], Sequence[ValueMention]]


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
    follows ("the number 555-0199").
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


_TOKEN = re.compile(r"[^\W_]+(?:['’](?!s\b)[^\W_]+)*")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def units_of(text: str) -> list[Unit]:
    """The words of a question; "watchCount" and "watch_count" are two."""
    found: list[Unit] = []
    for match in _TOKEN.finditer(text):
        at = match.start()
        for piece in _CAMEL.split(match.group()):
            found.append(Unit(piece.lower(), at, at + len(piece)))
            at += len(piece)
    return found


def carries_meaning(word: str) -> bool:
    """Whether a word says something by itself, neither of grammar nor of how people ask."""
    idle = (FUNCTION_WORDS, PLAIN_WORDS, REQUEST_WORDS, COMMAND_WORDS, LIGHT_VERBS, PERSON_WORDS, NAME_WORDS)
    return not word.isdigit() and len(word) > 1 and not any(word in words for words in idle)


def singular(word: str) -> str:
    """A noun without its plural ending."""
    if word.endswith("ies") and len(word) > _PLURAL:
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def same_phrases(words: tuple[str, ...]) -> list[tuple[str, ...]]:
    """The other phrases of general English for the same kind of property."""
    one = " ".join((*words[:-1], singular(words[-1])))
    return [tuple(other.split()) for group in SAME_PHRASES if one in group for other in group if other != one]


class Linker:
    """Finds what a question's words may mean in one graph. Thread-safe."""

    def __init__(self, catalog: Catalog, names: Names, values: ValueIndex, look_up: LookUp | None = None):
        self._catalog = catalog
        self._names = names
        self._values = values
        self._look_up = look_up
        self._paraphrases = Paraphrases(values)

    def texts_within(self, text: str) -> list[str]:
        """The texts that are said to stand in a property."""
        asked = Asked(text, units_of(text))
        asked.literals, _ = signs_of(text)
        return list(dict.fromkeys(sense.text for _, _, sense, _ in self._told_within(asked)))

    def read(self, text: str) -> Asked:
        """All stretches of a question."""
        asked = Asked(text, units_of(text))
        asked.idle = _idle([unit.text for unit in asked.units])
        asked.quoted = tuple(quoted_spans(text))
        asked.literals, asked.marks = signs_of(text)
        meanings = self._meanings(asked)
        schema = list(self._schema(asked, meanings))
        asked.outright = frozenset(
            s.first for s in schema if s.last == s.first + 1 and any(x.log >= _OUTRIGHT for x in s.senses)
        )
        asked.singular = _singular(asked)
        values = list(self._value_stretches(asked, _named_holders(schema)))
        strong = [(s.first, s.last) for s in values if s.log <= -_DROPPED_NUMBER]
        surely = [(s.first, s.last) for s in values if s.log <= -_LIKELY_VALUE]
        likely = frozenset(i for s in values if s.log <= -_LIKELY_VALUE for i in range(s.first, s.last))
        likely |= {i for i, u in enumerate(asked.units) if any(a <= u.start and u.end <= b for a, b in asked.quoted)}
        restated = asked.restated()
        asked.idle |= _light_verbs(asked)
        asked.idle |= asked.anywhere(surely) | _behind_relations(asked, schema) | restated
        schema = [stretch for stretch in schema if not asked.idle & set(range(stretch.first, stretch.last))]
        said = {asked.units[i].start for i in asked.idle}
        asked.marks = tuple(m for m in asked.marks if m.start not in said)
        values = [stretch for stretch in values if stretch.first not in restated]
        named = {s.last - 1 for s in schema if s.last > s.first + 1 and s.senses[0].kind == "property"}
        closing = {asked.units[i].start for i in named}
        asked.marks = tuple(m for m in asked.marks if m.value != "count" or m.start not in closing)
        numbering = [m for m in asked.marks if _numbers(asked, m, surely)]
        asked.numbering = frozenset(i for i, u in enumerate(asked.units) if any(u.end == m.end for m in numbering))
        asked.marks = tuple(_ordering(asked, m) for m in asked.marks if m not in numbering and not self._is_told(m))
        whole = [
            (s.first, s.last) for s in schema
            if s.last > s.first + 1 and s.senses[0].log >= -_DOUBTFUL_NAME and not self._aggregates_another(asked, s)
        ]  # fmt: skip
        for stretch in [*values, *_taken_apart([*self._marks(asked), *_but_likely(asked, schema, likely)], whole)]:
            asked.stretches[stretch.first].append(stretch)
        for i, unit in enumerate(asked.units):
            left = Stretch(i, i + 1, log=self._left_out(asked, i, unit, meanings, strong))
            left = replace(
                left,
                log=min(left.log, max((v.log for v in values if v.first <= i < v.last and i in likely), default=0.0)),
            )
            asked.stretches[i] += _taken_apart([left], whole)
        return asked

    # --- the schema ----------------------------------------------------------------------------------------------

    def _meanings(self, asked: Asked) -> Any:
        words = [unit.text for unit in asked.units] or ["thing"]
        return self._catalog.vocabulary.meanings(words)

    def _schema(self, asked: Asked, meanings: Any) -> Iterator[Stretch]:
        words = [unit.text for unit in asked.units]
        for one in worded(words, self._catalog.schema.types, self._catalog.nouns):
            yield Stretch(one.first, one.last, (Sense("relation", -_WORDED, one.relation),))
        # What is grouped is aggregated.
        swallowing = _SWALLOWED + (_UNGROUPED if any(m.deed == Deed.GROUP for m in asked.marks) else 0.0)
        for i, unit in enumerate(asked.units):
            for size in range(min(MOST_PHRASE, len(asked.units) - i), 1, -1):
                if _crosses_quotes(asked, i, i + size):
                    continue
                if senses := self._phrase(asked, i, size):
                    swallowed = _swallowed(asked, i, i + size)
                    # "Longest lifespans" are no extreme of a longestLifespan: a plural asks for several.
                    is_plain = swallowed is None or (_is_plural(asked, i + size - 1) and swallowed.deed in _OF_MANY)
                    # What closes a name counts nothing ("the highest reply count" of reply_count).
                    is_last = swallowed is not None and swallowed.start == asked.units[i + size - 1].start
                    is_plain = is_plain or (is_last and swallowed is not None and swallowed.value == "count")
                    yield Stretch(i, i + size, senses, log=0.0 if is_plain else -swallowing)
                    if swallowed is not None and not is_plain:
                        yield Stretch(i, i + size, senses, swallowed, -_SWALLOWED)
            if senses := self._asked_for(asked, i) or self._those(asked, i):
                yield Stretch(i, i + 1, senses)
            is_request = unit.text in REQUEST_WORDS and not self._catalog.called(unit.text)
            is_request = is_request or _is_command(asked, i)
            if unit.text in FUNCTION_WORDS or is_request or unit.text.isdigit() or i in asked.idle:
                continue
            if self._only_aggregates(asked, unit):
                continue
            dated = (*self._dated(asked, i), *self._years(unit.text))
            if senses := (*dated, *self._word(unit.text, meanings[i])):
                senses = _as_head(senses) if _is_head(asked, i) else senses
                if not (i + 1 < len(asked.units) and asked.units[i + 1].text.isdigit()):
                    senses = _rather_labels(senses)
                senses = tuple(replace(s, log=s.log - _unsaid_preposition(asked, i, s)) for s in senses)
                if _is_verb(asked, i):
                    senses = tuple(replace(s, log=s.log - _AS_VERB * (s.kind == "property")) for s in senses)
                yield Stretch(i, i + 1, tuple(sorted(senses, key=lambda s: -s.log)))

    def _only_aggregates(self, asked: Asked, unit: Unit) -> bool:
        """Whether a word says how something is aggregated, and is no whole name ("average" of avgSpeed)."""
        marked = any(m.deed == Deed.AGGREGATE and (m.start, m.end) == (unit.start, unit.end) for m in asked.marks)
        return marked and not self._catalog.called(unit.text)

    def _aggregates_another(self, asked: Asked, stretch: Stretch) -> bool:
        """Whether a name begins with a word for aggregating, and the rest of it is a property's name as well ("average
        height", where there are both)."""
        first, last = asked.units[stretch.first], stretch.last
        marked = any(m.deed == Deed.AGGREGATE and (m.start, m.end) == (first.start, first.end) for m in asked.marks)
        rest = tuple(unit.text for unit in asked.units[stretch.first + 1 : last])
        return marked and any(m.kind == "property" for m in self._catalog.named_by(rest))

    def _dated(self, asked: Asked, at: int) -> Iterator[Sense]:
        """The properties of moments that a verb right before one leads to, by its stem."""
        start = asked.units[at].end
        follows = [
            min(one.start, one.comparison.start if one.comparison else one.start) for one in asked.literals
            if one.kind in _MOMENTS
        ]  # fmt: skip
        behind = min((at for at in follows if at >= start), default=None)
        if behind is None or asked.text[start:behind].strip():
            return
        verb = asked.units[at].text
        noun = EVENT_NOUNS.get(verb)
        for meaning in self._catalog.meanings:
            if (
                meaning.kind == "property"
                and self._is_moment(meaning)
                and any(_STEM <= shared_stem(verb, word) < 1 or noun == word for word in split_name(meaning.name))
            ):
                yield _sense(meaning, -_DATED)

    def _years(self, word: str) -> tuple[Sense, ...]:
        """The properties that hold years, for the word "year" where none is called so."""
        if word not in YEAR_WORDS or self._catalog.called(word):
            return ()
        held = [m for m in self._catalog.meanings if m.kind == "property"]
        return tuple(_sense(m, -_SAID_AS_YEAR) for m in held if any(self._is_year(h) for h in m.holders))

    def _is_year(self, holder: Holder) -> bool:
        info = self._catalog.info(holder)
        return info.type == "integer" and form_of(info).is_moment

    def _is_told(self, mark: Mark) -> bool:
        """Whether a word that may count or sort is called so in the schema ("the quantity of", "ordered by")."""
        words = mark.text.lower().split()
        if mark.deed == Deed.AGGREGATE and words[0] in AMOUNT_NOUNS:
            return any(m.kind == "property" for m in self._catalog.called(words[0]))
        is_verb = mark.deed == Deed.ORDER and len(words) > 1 and words[0].endswith("ed")
        return is_verb and any(
            m.kind != "property" and _is_form_of(words[0], m.name) for m in self._catalog.called(words[0][:-2])
        )

    def _phrase(self, asked: Asked, first: int, size: int) -> tuple[Sense, ...]:
        """Senses of several words that are a whole name, one for one; else of a phrase for the same thing."""
        # "The bank's country" says the same as "bank country".
        words = tuple(u.text for i, u in enumerate(asked.units[first : first + size]) if u.text != "s" or not i)
        if words[0] in FUNCTION_WORDS or words[-1] in FUNCTION_WORDS:
            return ()
        is_turned = size >= 3 and words[1] == "of" and words[0] not in TAIL_NOUNS
        turned = (*words[2:], words[0]) if is_turned else ()
        found = self._catalog.named_by(words) or (self._catalog.named_by(turned) if turned else [])
        if not found and any(word in FUNCTION_WORDS for word in words):
            found = [m for m in self._catalog.named_by(content(words)) if are_same(words, split_name(m.name))]
        if found:
            return tuple(_sense(meaning, 0.0) for meaning in found)
        for same in same_phrases(words):
            if kept := [m for m in self._catalog.named_by(content(same)) if m.kind == "property"]:
                return tuple(_sense(meaning, -0.05) for meaning in kept)
        if words[0] in RELATION_NOUNS and size == 2:
            # "The relationship type" is one of what edges hold.
            own = [
                m
                for m in self._catalog.meanings
                if m.kind == "property" and are_same(words[1:], key_words(m.name)[-1:])
            ]
            if kept := [m for m in own if all(holder.side == "relationship" for holder in m.holders)]:
                return tuple(_sense(meaning, -0.05) for meaning in kept)
        if words[-1] in COUNT_NOUNS and (kept := self._catalog.named_by((_NUMBER, *words[:-1]))):
            # "Injury counts" are numbers of injuries.
            return tuple(_sense(meaning, -0.05) for meaning in kept)
        if words[-1] in TAIL_NOUNS:
            kept = [m for m in self._catalog.named_by(words[:-1]) if m.kind == "property"]
            kept = kept or self._catalog.numbered(words[:-1])
            return tuple(_sense(meaning, -0.1) for meaning in kept)
        if words[-1] in TIME_NOUNS:
            kept = [m for m in self._catalog.named_by(words[:-1]) if m.kind == "property" and self._is_moment(m)]
            return tuple(_sense(meaning, -0.1) for meaning in kept)
        return ()

    def _is_moment(self, meaning: Meaning) -> bool:
        return any(form_of(self._catalog.info(holder)).is_moment for holder in meaning.holders)

    def _word(self, word: str, row: Any) -> tuple[Sense, ...]:
        if word in NAME_WORDS:
            return (Sense("property", math.log(0.9), word, self._naming(), is_name=True),)
        if word in PERSON_WORDS and not self._catalog.called(word):
            return self._persons
        named = [m for same in same_phrases((word,)) for m in self._catalog.named_by(content(same))]
        kept = [m for m in named if m.kind == "property"]
        if kept and not self._catalog.named_by((word,)):
            return tuple(_sense(meaning, -0.05) for meaning in kept)
        exact = self._catalog.called(word)
        found = [(float(row[at]), meaning) for at, meaning in enumerate(self._catalog.meanings) if row[at] >= _LEAST]
        found.sort(key=lambda item: -item[0])
        senses = [
            _sense(m, math.log(FLOOR + p) - (_NOT_EXACT if exact and m not in exact else 0.0) - self._headless(word, m))
            for p, m in found
        ]
        senses += [_sense(m, 0.0) for m in exact if all(m is not other for _, other in found)]
        headed = self._catalog.heads.get(word.rstrip("s"), ())
        if not exact and headed:
            # A thing is meant before what it has ("calls": a PhoneCall, and no call date).
            senses = [
                replace(s, log=s.log - _SECOND) if s.kind == "property" else s
                for s in senses if s.kind != "label" or s.name not in headed
            ]  # fmt: skip
            senses += [Sense("label", -_HEAD_NOUN, name) for name in headed]
        # Where a word names a label it is a noun, and what else is called so comes second.
        names_label = any(m.kind == "label" for m in exact)
        return tuple(
            replace(s, log=(0.0 if s.kind == "label" else -_SECOND)) if _is_any(s, exact) and names_label else
            replace(s, log=0.0) if _is_any(s, exact) else s
            for s in sorted(senses, key=lambda s: -s.log)[:MOST_SENSES]
        )  # fmt: skip

    def _headless(self, word: str, meaning: Meaning) -> float:
        """What a word costs that is none of a property's head noun ("watch" of watchCount)."""
        words = split_name(meaning.name)
        is_less = meaning.kind == "property" and len(words) > 1 and shared_stem(word, words[-1]) < _FORM
        return _HEADLESS if is_less else 0.0

    def _asked_for(self, asked: Asked, at: int) -> tuple[Sense, ...]:
        """What a question word at the beginning asks for: the label of persons or places, or a label's one moment."""
        word = asked.units[at].text
        is_first = not any(carries_meaning(unit.text) or unit.text in NAME_WORDS for unit in asked.units[:at])
        if not is_first or word not in NOTIONS or len(asked.units) == 1 or (at and word not in _ADVERBS):
            return ()
        return self._moments if word == "when" else self._labels_of(NOTIONS[word][0])

    def _those(self, asked: Asked, at: int) -> tuple[Sense, ...]:
        """What "those" stands for where more is said of people ("those who", "emails of those living in")."""
        behind = asked.units[at + 1].text if at + 1 < len(asked.units) else ""
        before = asked.units[at - 1].text if at else ""
        is_people = behind in ("who", "whose") or (
            before in PREPOSITIONS and (behind.endswith(("ing", "ed")) or behind in IRREGULAR_FORMS)
        )
        return self._persons if asked.units[at].text == "those" and is_people else ()

    @cached_property
    def _moments(self) -> tuple[Sense, ...]:
        """The properties that answer when, of the labels that have just one."""
        found = []
        for label in self._catalog.labels:
            keys = self._catalog.when_keys(label)
            found += [Holder("node", label, keys[0])] if len(keys) == 1 else []
        return (Sense("property", math.log(0.9), "when", tuple(found)),) if found else ()

    @cached_property
    def _persons(self) -> tuple[Sense, ...]:
        """What words for any person mean here."""
        return self._labels_of("person")

    def _labels_of(self, notion: str) -> tuple[Sense, ...]:
        """The label that a word for a kind of thing means most likely, where any is near."""
        row = self._catalog.vocabulary.meanings([notion])[0]
        found = [(float(p), m) for p, m in zip(row, self._catalog.meanings, strict=False) if m.kind == "label"]
        best = max(found, key=lambda item: item[0], default=None)
        if best is None or best[0] < _LEAST_PERSON:
            return ()
        return (_sense(best[1], math.log(FLOOR + min(1.0, 2 * best[0]))),)

    def _naming(self) -> tuple[Holder, ...]:
        return tuple(
            Holder("node", label, key) for label in self._catalog.labels for key in self._catalog.naming(label)
        )

    # --- values --------------------------------------------------------------------------------------------------

    def _value_stretches(self, asked: Asked, named: frozenset[Holder]) -> Iterator[Stretch]:
        found: dict[tuple[int, int], list[Sense]] = defaultdict(list)
        costs: dict[tuple[int, int], float] = {}
        known = [*self._named(asked), *self._held(asked), *self._paraphrased(asked), *self._told_within(asked)]
        known += self._looked_up(asked, [(start, end) for start, end, _, _ in known])
        names = [(start, end) for start, end, sense, _ in known if sense.is_name and sense.log >= _SURELY_NAMED]
        for start, end, sense, weight in [*known, *self._written(asked, names), *self._seen_from_the_end(asked)]:
            span = _units_within(asked.units, start, end)
            if span is None:
                continue
            same = next((i for i, s in enumerate(found[span]) if s.holders == sense.holders), None)
            if same is None:
                found[span].append(sense)
            elif found[span][same].log < sense.log:
                found[span][same] = sense
            costs[span] = max(costs.get(span, 0.0), weight)
        best = {span: max(sense.log for sense in senses) for span, senses in found.items()}
        for (first, last), senses in found.items():
            if any(_crosses(other, (first, last)) and log > best[first, last] + _SURER for other, log in best.items()):
                # "art and marine" within "landscape art and marine art" are words of two names.
                continue
            senses.sort(key=lambda s: (not named & set(s.holders), -s.log))
            yield Stretch(first, last, tuple(senses[: 2 * MOST_SENSES]), log=-costs[first, last])

    def _named(self, asked: Asked) -> Iterator[tuple[int, int, Sense, float]]:
        """Names of nodes, as conditions on the property that holds them."""
        yield from self._named_in(asked, asked.text)
        if asked.singular is not None:
            yield from self._named_in(asked, asked.singular)

    def _named_in(self, asked: Asked, text: str) -> Iterator[tuple[int, int, Sense, float]]:
        for mention in self._names.find(text, by_meaning=False):
            if text is not asked.text and not _ends_in_plural(asked, mention.start, mention.end):
                continue
            sure = self._sureness(text, mention)
            if sure < 0.1 or mention.how in ("dense", "fuzzy") or self._names_schema(mention):
                continue
            groups: dict[tuple[tuple[str, ...], str], dict[Any, None]] = {}
            for entry in self._names.entries(mention.entries):
                groups.setdefault((entry.labels, entry.property), {})[entry.text] = None
            merged: dict[tuple[str, tuple[Any, ...]], list[str]] = {}
            for (labels, key), texts in groups.items():
                merged.setdefault((key, tuple(texts)), []).extend(labels)
            for (key, named), owners in merged.items():
                holders = tuple(Holder("node", label, key) for label in self._by_size(owners) if self._has(label, key))
                if not holders:
                    continue
                right = [self._typed(holders[0], text) for text in named]
                compared = self._comparison_at(asked, mention.start, mention.end)
                if compared is not None and compared.operator in general.PART_OPERATORS:
                    continue
                condition = Condition("=", right[0]) if len(right) == 1 else Condition("in", tuple(right))
                if compared is not None and compared.operator == "<>":
                    condition = Condition("<>", right[0])
                log = math.log(sure) - (_CUT if text is not asked.text else 0.0)
                yield (
                    *self._with_comparison(mention.start, mention.end, compared),
                    Sense("value", log, holders=holders, conditions=(condition,), text=mention.text,
                          is_name=True),
                    sure * DROPPED_VALUE * (0.5 if not mention.quoted else 1.0),
                )  # fmt: skip

    def _by_size(self, labels: Sequence[str]) -> list[str]:
        known = [label for label in dict.fromkeys(labels) if label in self._catalog.schema.labels]
        return sorted(known, key=lambda label: -self._catalog.schema.labels[label].count.value)

    def _has(self, label: str, key: str) -> bool:
        return key in self._catalog.schema.labels[label].properties

    def _typed(self, holder: Holder, text: str) -> Any:
        """The text of a name as the type that the property has."""
        kind = self._catalog.info(holder).type
        if kind == "integer" and re.fullmatch(r"-?\d+", text):
            return int(text)
        return text

    def _names_schema(self, mention: Any) -> bool:
        """Whether a text in quotation marks is the name of a label, and only a part of a value."""
        words = [unit.text for unit in units_of(mention.text)]
        is_part = mention.how in ("partial", "tokens")
        return bool(mention.quoted and is_part and len(words) == 1 and self._catalog.called(words[0]))

    def _sureness(self, text: str, mention: Any) -> float:
        """How sure words of a text are a value rather than words of the question (0 to 1)."""
        if mention.quoted:
            return float(mention.score)
        if is_command(text, mention.start, mention.end):
            return 0.0
        words = [unit.text for unit in units_of(mention.text)]
        if mention.function_words or not words or all(w in FUNCTION_WORDS for w in words):
            return 0.0
        if mention.how not in _WHOLE and RELATIVE_PRONOUNS.intersection(words):
            # "The crime that the vehicle …" is no vehicle crime.
            return 0.0
        if mention.capitalised and not mention.initial:
            word = mention.text.lower()
            is_label = any(m.kind == "label" for m in self._catalog.called(word))
            return float(mention.score) * (_LABELLED if is_label else 1.0)
        if len(content(tuple(words))) > 1 and mention.how in _WHOLE:
            # Two words are hardly a whole value by chance ("vehicle crimes", though either word is a label).
            return float(mention.score) * _WHOLLY
        rows = self._catalog.vocabulary.meanings(words)
        # A whole value is no mere form of a name in the schema ("healthy", beside healthstatus).
        is_named = bool(self._catalog.called(words[0]) or self._catalog.heads.get(words[0].rstrip("s")))
        is_value = mention.how in _WHOLE and len(words) == 1 and not is_named
        said = not is_value and any(self._is_said(word, row) for word, row in zip(words, rows, strict=True))
        nothing = float(rows[:, self._catalog.vocabulary.null].max()) if said else 1.0
        plain = len(words) == 1 and (words[0] in PLAIN_WORDS or words[0] in REQUEST_WORDS or words[0] in COMMAND_WORDS)
        return float(mention.score) * max(0.2, min(1.0, 3 * nothing)) * (0.1 if plain else 0.9)

    def _is_said(self, word: str, row: Any) -> bool:
        """Whether a word is a form of what it most likely means in the schema."""
        best = int(row[: len(self._catalog.meanings)].argmax()) if self._catalog.meanings else -1
        return best >= 0 and row[best] >= _SAID and _is_form_of(word, self._catalog.meanings[best].name)

    def _held(self, asked: Asked) -> Iterator[tuple[int, int, Sense, float]]:
        """Values of properties."""
        yield from self._held_in(asked, asked.text)
        if asked.singular is not None:
            yield from self._held_in(asked, asked.singular)

    def _held_in(self, asked: Asked, text: str) -> Iterator[tuple[int, int, Sense, float]]:
        for mention in self._values.find(text):
            if text is not asked.text and not _ends_in_plural(asked, mention.start, mention.end):
                continue
            if mention.how in ("dense", "fuzzy") and not mention.quoted:
                continue
            sure = self._sureness(text, mention)
            if sure < 0.1 or self._names_schema(mention):
                continue
            right: list[Any] = list(mention.values[:20])
            if mention.column.is_list:
                condition = Condition("overlaps", tuple(right))
            elif mention.is_piece or (_is_one_of(asked, mention.end) and isinstance(right[0], str)):
                condition = Condition("contains", right[0])
            else:
                condition = Condition("=", right[0]) if len(right) == 1 else Condition("in", tuple(right))
            compared = self._comparison_at(asked, mention.start, mention.end)
            if compared is not None and compared.operator in _ORDERS and _is_measured(compared):
                # "Longer than '70'" is no 70, nor "before 2005-05-19" that day.
                continue
            if compared is not None and compared.operator in ("<>", *general.PART_OPERATORS):
                if compared.operator != "<>" or mention.column.is_list or mention.is_piece:
                    continue
                condition = Condition("<>", right[0])
            holder = Holder(mention.column.side, mention.owner, mention.key)
            start, end = self._with_comparison(mention.start, mention.end, compared)
            piece = -0.7 if mention.is_piece and not mention.column.is_list else 0.0
            weight = sure * DROPPED_VALUE * (0.5 if not mention.quoted else 1.0)
            sense = Sense("value", math.log(sure) + piece, holders=(holder,), conditions=(condition,),
                          text=mention.text)  # fmt: skip
            yield start, end, sense, weight

    def _paraphrased(self, asked: Asked) -> Iterator[tuple[int, int, Sense, float]]:
        """Values that are phrases, said in other words."""
        for one in self._paraphrases.find([unit.text for unit in asked.units]):
            start, end = asked.units[one.first].start, asked.units[one.last - 1].end
            log = math.log(one.share) - _OTHERWISE
            condition = Condition("=", one.value)
            sense = Sense("value", log, holders=(one.holder,), conditions=(condition,), text=asked.text[start:end])
            yield start, end, sense, one.share * _DROPPED_NUMBER

    def _told_within(self, asked: Asked) -> Iterator[tuple[int, int, Sense, float]]:
        """Texts that are said to stand in a property ("'oak' in its name", "contains '16' in the code")."""
        for literal in asked.literals:
            is_whole = literal.operator in ("=", "<>")
            if literal.kind not in TEXTS or (not is_whole and literal.operator not in general.PART_OPERATORS):
                continue
            first = next((i for i, u in enumerate(asked.units) if u.start >= literal.end), len(asked.units))
            if not asked.units[first:] or asked.units[first].text not in ("in", "within"):
                continue
            inside = {"=": "contains", "<>": "not contains"}.get(literal.operator, literal.operator)
            for last, holders in self._properties_behind(asked, first + 1):
                start, _ = self._with_comparison(literal.start, literal.end, literal)
                condition = Condition(inside, literal.text)  # type: ignore[arg-type]
                sense = Sense("value", -_WITHIN, "vague", holders, (condition,), asked.text[start : literal.end])
                yield start, asked.units[last - 1].end, sense, DROPPED_VALUE

    def _properties_behind(self, asked: Asked, first: int) -> Iterator[tuple[int, tuple[Holder, ...]]]:
        """The properties that hold texts and are named right behind a unit and an article or a possessive, with where
        their words end."""
        units, begins = asked.units, first
        while first < len(units) and (units[first].text in ARTICLES or units[first].text in POSSESSIVES):
            first += 1
        if first == begins:
            return
        for size in range(min(MOST_PHRASE, len(units) - first), 0, -1):
            senses = self._phrase(asked, first, size) if size > 1 else self._called(units[first].text)
            named = (h for s in senses if s.kind == "property" for h in s.holders)
            holders = tuple(h for h in named if self._catalog.info(h).type == "string")
            if holders:
                end = first + size
                while end < len(units) and (units[end].text == "s" or units[end].text in NAME_WORDS):
                    end += 1
                yield end, holders
                return

    def _called(self, word: str) -> tuple[Sense, ...]:
        """What a word is the whole name of; of names, whatever they are called."""
        named = [_sense(m, 0.0) for m in self._catalog.called(word)]
        return tuple(named) or (self._word(word, ()) if word in NAME_WORDS else ())

    def _looked_up(self, asked: Asked, known: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int, Sense, float]]:
        """Texts in quotation marks and codes that no index holds, as values that the database itself knows."""
        if self._look_up is None:
            return
        for literal in asked.literals:
            start, end = literal.start, literal.end
            if literal.kind not in TEXTS or any(a <= start and end <= b for a, b in known):
                continue
            for mention in self._look_up(literal.text, start)[:MOST_SENSES]:
                value = mention.values[0]
                condition = Condition("overlaps", (value,)) if mention.column.is_list else Condition("=", value)
                holder = Holder(mention.column.side, mention.owner, mention.key)
                sense = Sense("value", math.log(mention.score), holders=(holder,),
                              conditions=(condition,), text=mention.text)  # fmt: skip
                yield start, end, sense, mention.score * DROPPED_VALUE

    def _comparison_at(self, asked: Asked, start: int, end: int) -> Written | None:
        return next((one for one in asked.literals if one.start == start and one.end == end and one.comparison), None)

    def _with_comparison(self, start: int, end: int, literal: Written | None) -> tuple[int, int]:
        if literal is None or literal.comparison is None:
            return start, end
        return min(start, literal.comparison.start), max(end, literal.comparison.end)

    def _written(self, asked: Asked, names: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int, Sense, float]]:
        """Literals, as conditions on the properties that they fit; not those that are part of a longer name."""
        # A sum may be more than any value.
        adds_up = any(m.deed == Deed.AGGREGATE and m.value == "sum" and not m.doubtful for m in asked.marks)
        for literal in asked.literals:
            is_part = any(
                a <= literal.start and literal.end <= b and b - a > literal.end - literal.start for a, b in names
            )
            if literal.kind == Kind.ORDINAL or is_part or _is_limit(asked, literal):
                continue
            start, end = self._with_comparison(literal.start, literal.end, literal)
            if literal.until is not None:
                start, end = min(start, literal.until.start), max(end, literal.until.end)
            says_year = literal.kind == Kind.YEAR and "year" in asked.text[start:end].lower()
            for holder in self._catalog.holders():
                if says_year and not self._is_dated(holder):
                    continue
                fitting = fit(literal, self._catalog.info(holder))
                if fitting is None or fitting.score < 0.3 or not (adds_up or self._reaches(holder, fitting)):
                    continue
                conditions = self._conditions(holder, fitting)
                if conditions is None:
                    continue
                said = asked.text[start:end] if literal.comparison else literal.text
                log = math.log(min(1.0, fitting.score)) - (0.4 if literal.kind in TEXTS else 0.1)
                vague = literal.kind in (Kind.INTEGER, Kind.FLOAT) or conditions[0].operator in general.PART_OPERATORS
                sense = Sense("value", log, "vague" if vague else "", (holder,), conditions, said)
                yield start, end, sense, _DROPPED_NUMBER if literal.kind not in TEXTS else DROPPED_VALUE

    def _is_dated(self, holder: Holder) -> bool:
        """Whether a property holds moments, or is called as if it did."""
        form = form_of(self._catalog.info(holder))
        is_stored = form.is_moment or form.meaning in ("date", "datetime", "localdatetime")
        return is_stored or bool(TIME_NOUNS & set(without_unit(split_name(holder.key))))

    def _seen_from_the_end(self, asked: Asked) -> Iterator[tuple[int, int, Sense, float]]:
        """Stretches of time before the last moment that a property holds ("in the last 3 years")."""
        marks = [m for m in asked.marks if m.deed == Deed.RELATIVE and not m.doubtful]
        for mark in marks:
            rolls = mark.value.number > 1 or asked.text[: mark.start].lower().rstrip().endswith(" the")
            for holder in self._catalog.holders():
                literals = self._stretch(holder, mark, rolls=rolls)
                fits = [fit(literal, self._catalog.info(holder)) for literal in literals]
                ends = [self._conditions(holder, one) if one is not None else None for one in fits]
                # One end without the other is another stretch.
                if ends and all(ends):
                    conditions = tuple(condition for end in ends for condition in end or ())
                    sense = Sense("value", math.log(0.9), "", (holder,), conditions, mark.text)
                    yield mark.start, mark.end, sense, _DROPPED_NUMBER

    def _stretch(self, holder: Holder, mark: Mark, *, rolls: bool) -> list[Written]:
        """The ends of a stretch of time as literals that a property can be compared with; none where it has none."""
        form = form_of(self._catalog.info(holder))
        last = self._last(holder) if form.is_moment or form.meaning in ("date", "localdatetime") else None
        years = isinstance(last, int)
        ends = ends_of(mark.value, date(last, 12, 31) if isinstance(last, int) else last, rolls=rolls) if last else None
        if ends is None or (years and mark.value.unit not in ("year", "decade")):
            return []
        if years and rolls:
            ends = (date(ends[0].year + 1, 1, 1), None)
        told: tuple[tuple[Literal[">=", "<"], date | None], ...] = ((">=", ends[0]), ("<", ends[1]))
        return [
            Written(mark.start, mark.end, mark.text, _kind_of(moment, years=years), moment.year if years else moment,
                    Comparison(operator, mark.start, mark.end))
            for operator, moment in told if moment is not None
        ]  # fmt: skip

    def _last(self, holder: Holder) -> date | int | None:
        """The last moment, or year, that a property holds, as far as the index knows."""
        form = form_of(self._catalog.info(holder))
        extent = self._values.extent(holder.owner, holder.key)
        column = self._values.column(holder.owner, holder.key)
        known = [extent.high] if extent is not None else []
        if not known and column is not None and column.complete:
            known = [one.value for one in self._values.values(holder.owner, holder.key) if not one.is_piece]
        moments = [_in_utc(m) for m in map(form.read, known) if isinstance(m, date | int)]
        return max(moments, default=None) if len({type(m) for m in moments}) == 1 else None

    def _reaches(self, holder: Holder, fitting: Fit) -> bool:
        """Whether any value may pass: bounds beyond a property's extent are about another one."""
        extent = self._values.extent(holder.owner, holder.key)
        if extent is None or fitting.bounds.part or fitting.form.in_list:
            return True
        try:
            return fitting.bounds.meets(extent.low, extent.high)
        except TypeError:
            return True

    def _conditions(self, holder: Holder, fitting: Fit) -> tuple[Condition, ...] | None:
        """A fit as conditions that the database can test; ``None`` where it cannot."""
        if fitting.form.in_list:
            return None
        bounds = fitting.bounds
        if fitting.form.meaning in ("string", "text"):
            return self._text_conditions(holder, fitting)
        if fitting.form.writing == "figures":
            return _bounded(bounds, numeric=True)
        if fitting.stored is not None:
            return _bounded(fitting.stored, numeric=False)
        column = self._values.column(holder.owner, holder.key)
        if column is not None and column.complete:
            known = [one.value for one in self._values.values(holder.owner, holder.key) if not one.is_piece]
            passing = fitting.among(known)
            return (Condition("in", tuple(passing)),) if passing else None
        if fitting.values and not bounds.negated:
            return (Condition("in", fitting.values),)
        return None

    def _text_conditions(self, holder: Holder, fitting: Fit) -> tuple[Condition, ...] | None:
        """A comparison with a part of a text, or with a whole one where no index knows all values."""
        bounds = fitting.bounds
        if bounds.part:
            return _parted(bounds)
        column = self._values.column(holder.owner, holder.key)
        is_known = column is None or column.complete
        if is_known or not bounds.is_point or fitting.score < 0.9:
            return None
        return (Condition("<>" if bounds.negated else "=", bounds.low),)

    # --- marks and what is left out ------------------------------------------------------------------------------

    def _marks(self, asked: Asked) -> Iterator[Stretch]:
        for mark in asked.marks:
            span = _units_within(asked.units, mark.start, mark.end)
            if span is not None:
                if mark.doubtful and mark.deed == Deed.GROUP and _is_grouping(asked, span[0]):
                    mark = replace(mark, doubtful=False)
                yield Stretch(*span, mark=mark, log=-_DOUBTFUL_MARK if mark.doubtful else 0.0)

    def _left_out(self, asked: Asked, at: int, unit: Unit, meanings: Any, strong: Sequence[tuple[int, int]]) -> float:
        """The logarithm of leaving a word out."""
        inner = [(s, e) for s, e in asked.quoted if s <= unit.start and unit.end <= e]
        if inner and not any(first <= at < last for first, last in strong):
            words = sum(1 for u in asked.units if inner[0][0] <= u.start and u.end <= inner[0][1])
            return -DROPPED_VALUE / (2 * max(1, words))
        if any(first <= at < last for first, last in strong):
            inside = max((last - first for first, last in strong if first <= at < last), default=1)
            return -DROPPED_VALUE / inside
        word = unit.text
        if at in asked.idle or at in asked.numbering:
            return 0.0
        if self._asked_for(asked, at):
            # Who is asked for may have another label than people at large.
            return -(_QUESTION if word in _ADVERBS else _WHO)
        if word in _BY and _is_grouping(asked, at):
            return -DROPPED_MARK
        marked = any(m.start <= unit.start and unit.end <= m.end and not m.doubtful for m in asked.marks)
        if word in FUNCTION_WORDS and not marked:
            return 0.0
        if marked:
            return -DROPPED_MARK
        if word in ("name", "names") and not _is_command(asked, at):
            return -_NAME
        if word in PERSON_WORDS:
            return -(_ANOTHER_ONE if word in NEW_WORDS else _SOMEONE if self._persons else _PERSON)
        if _is_command(asked, at):
            return -_PLAIN
        opens = (word in COMMAND_WORDS and at <= _OPENING) or word in LIGHT_VERBS
        is_plain = word in PLAIN_WORDS or word in REQUEST_WORDS - COMMAND_WORDS or opens or word in CLOSING_VERBS
        if is_plain:
            return -_SOMEONE if any(m.kind != "relation" for m in self._catalog.called(word)) else -_PLAIN
        if word.isdigit():
            return -_DROPPED_NUMBER
        nothing = float(meanings[at][self._catalog.vocabulary.null])
        least = math.log(FLOOR + min(1.0, 2 * nothing))
        if at and float(meanings[at - 1][: len(self._catalog.meanings)].max()) > 0.7 and meanings[at].max() < 0.7:
            return max(least, -_COMPOUND)
        return least


def _behind_relations(asked: Asked, schema: Sequence[Stretch]) -> frozenset[int]:
    """The nouns that only close a word for a relation ("family members") or a label ("the dead characters")."""
    labels = {s.last for s in schema if s.senses[0].kind == "label" and s.senses[0].log >= _OUTRIGHT}
    said = {s.last for s in schema if s.senses[0].kind == "relation" and s.senses[0].log >= _OUTRIGHT}
    outright = {s.first for s in schema if s.senses[0].log >= _OUTRIGHT}
    closing = ((said, RELATION_NOUNS), (labels, APPOSED_NOUNS))
    return frozenset(
        i for i, unit in enumerate(asked.units) for behind, nouns in closing
        if i in behind - outright and unit.text in nouns
    )  # fmt: skip


def _singular(asked: Asked) -> str | None:
    """The question with its plurals in the singular, of the same length, but for words that by themselves say something
    of the schema outright."""
    text = asked.text
    for i, unit in enumerate(asked.units):
        is_alone = not i or not carries_meaning(asked.units[i - 1].text)
        is_idle = unit.text in FUNCTION_WORDS or unit.text in PLAIN_WORDS or len(unit.text) < _PLURAL
        if is_idle or (i in asked.outright and is_alone):
            continue
        word = text[unit.start : unit.end]
        if word.endswith("ies"):
            text = f"{text[: unit.start]}{word[:-3]}y  {text[unit.end :]}"
        elif word.endswith("s") and not word.endswith("ss"):
            text = f"{text[: unit.start]}{word[:-1]} {text[unit.end :]}"
    return text if text != asked.text else None


_NUMBER = "number"
_ORDERS = ("<", "<=", ">", ">=")
_MOMENTS = (Kind.YEAR, Kind.DATE, Kind.DATETIME, Kind.MONTH, Kind.DECADE, Kind.CENTURY)


def _unsaid_preposition(asked: Asked, at: int, sense: Sense) -> float:
    """What a relation costs whose name ends with a preposition that the question does not have behind the verb."""
    last = split_name(sense.name)[-1] if sense.kind == "relation" else ""
    if last not in PREPOSITIONS or last in ("by", "of") or any(u.text == last for u in asked.units[at + 1 :]):
        return 0.0
    before = asked.units[at - _FRONTED : at] if at >= _FRONTED else asked.units[:at]
    return 0.0 if any(unit.text == last for unit in before) else _NO_PREPOSITION


# A preposition may stand so many words before its verb ("for which clubs did he play").
_FRONTED = 6


_OF_MANY = (Deed.AGGREGATE, Deed.SUPERLATIVE)


def _idle(words: Sequence[str]) -> frozenset[int]:
    """The words that say nothing where they stand: in which unit of measure something is wanted ("in cubic metres per
    second"), that something was so at all ("at some point"), and the noun of a light verb ("took place")."""
    found = {i for i in range(1, len(words)) if words[i] in LIGHT_NOUNS.get(words[i - 1], ())}
    for i in range(len(words) - 3):
        if words[i] in HELD_WORDS and words[i + 1] in ("in", "within") and words[i + 3] in GRAPH_WORDS:
            # "Represented in the data" are all.
            found.update(range(i, i + 4))
    for i in range(len(words)):
        found.update(range(i, _end_of_measure(words, i)))
        for phrase in WHENEVER_PHRASES:
            if tuple(words[i : i + len(phrase)]) == phrase:
                found.update(range(i, i + len(phrase)))
    return frozenset(found)


def _end_of_measure(words: Sequence[str], first: int) -> int:
    """Where "in" and a unit of measure behind it end, or "square miles" behind a number; ``first`` where no such phrase
    begins."""
    if first and words[first - 1].isdigit():
        end = first
        while end < len(words) and (words[end] in ("square", "cubic") or general.is_unit(words[end])):
            end += 1
        # A single one may be a property ("5 stars"); two are the unit that a number is in.
        return end if end > first + 1 else first
    end = first + 1
    while end < len(words) and (
        general.is_unit(words[end])
        or (end > first + 1 and words[end] in general.UNIT_LINKS | general.TIME_UNITS.keys())
    ):
        end += 1
    return end if words[first] == "in" and end > first + 1 and not words[first + 1].isdigit() else first


def _is_plural(asked: Asked, at: int) -> bool:
    """Whether a word looks like a noun in the plural."""
    return asked.units[at].text.endswith("s") and not asked.units[at].text.endswith("ss")


def _ends_in_plural(asked: Asked, start: int, end: int) -> bool:
    """Whether a stretch ends with a word that was made singular, and is more than such a word of the schema."""
    assert asked.singular is not None
    last = next((i for i in reversed(range(len(asked.units))) if asked.units[i].start < end), -1)
    unit = asked.units[last]
    if last in asked.outright and unit.start <= start:
        return False
    return asked.text[unit.start : unit.end] != asked.singular[unit.start : unit.end]


def _is_verb(asked: Asked, at: int) -> bool:
    """Whether a word is the last of a clause that begins with "did" or its like, and so its verb."""
    is_last = at + 1 == len(asked.units) or asked.units[at + 1].text in FUNCTION_WORDS
    return is_last and any(unit.text in _DOING for unit in asked.units[max(0, at - _CLAUSE) : at])


def _light_verbs(asked: Asked) -> frozenset[int]:
    """The verbs of clauses with "do" that say no more than that something took place ("what did she place")."""
    forms = ((i, unit.text) for i, unit in enumerate(asked.units) if _is_verb(asked, i) and i not in asked.outright)
    return frozenset(i for i, word in forms if f"{word.removesuffix('e')}ed" in LIGHT_VERBS)


# "Who" and "whose" behind other words open clauses of their own.
_ADVERBS = frozenset(("where", "when"))
_DOING = frozenset("do does did".split())
_CLAUSE = 6


def _is_command(asked: Asked, at: int) -> bool:
    return is_command(asked.text, asked.units[at].start, asked.units[at].end)


def _is_measured(literal: Written) -> bool:
    """Whether a literal is a number or a moment, so that more and less of it there is."""
    return literal.kind not in TEXTS or not any(sign.isalpha() for sign in literal.text)


def _kind_of(moment: date, *, years: bool) -> Kind:
    return Kind.YEAR if years else Kind.DATETIME if isinstance(moment, datetime) else Kind.DATE


def _in_utc(moment: date | int) -> date | int:
    """A moment with a zone as a naive one in UTC."""
    has_zone = isinstance(moment, datetime) and moment.tzinfo is not None
    return moment.astimezone(UTC).replace(tzinfo=None) if has_zone else moment  # type: ignore[union-attr]


def _is_one_of(asked: Asked, end: int) -> bool:
    """Whether a value is said to be one of several ("'oak' as one of its timbers", "'oak' among its timbers")."""
    behind = [unit.text for unit in asked.units if unit.start >= end][:4]
    return "among" in behind[:1] or ("one", "of") in pairwise(behind)


def _is_order_verb(asked: Asked, i: int) -> bool:
    """Whether a word is a verb for sorting, and not the noun that looks like it ("the order placed by")."""
    word = asked.units[i].text
    return word in ORDER_VERBS and (i == 0 or word.endswith(("ed", "ing")) or asked.begins_clause(i))


def _ordering(asked: Asked, mark: Mark) -> Mark:
    """The mark as one of order, where a verb for that stands before its "by" ("sort the results by")."""
    at = next((i for i, u in enumerate(asked.units) if u.start == mark.start), 0)
    if mark.deed != Deed.GROUP or mark.text.lower() != "by":
        return mark
    is_order = any(_is_order_verb(asked, i) for i in range(max(0, at - 4), at))
    return replace(mark, deed=Deed.ORDER, value="", doubtful=False) if is_order else mark


def _numbers(asked: Asked, mark: Mark, values: Sequence[tuple[int, int]]) -> bool:
    """Whether a word for counting only says what a value right behind it is ("calls to the number 555-0199")."""
    follows = next((i for i, u in enumerate(asked.units) if u.start >= mark.end), None)
    is_noun = mark.deed == Deed.AGGREGATE and mark.text.lower().split()[-1] in TAIL_NOUNS
    return is_noun and any(first == follows for first, _ in values)


def _is_limit(asked: Asked, literal: Written) -> bool:
    """Whether a number says how many of what is sorted ("what are the 3 cheapest …"), whatever stands before it."""
    superlatives = (m for m in asked.marks if m.deed == Deed.SUPERLATIVE and m.value.limit and not m.doubtful)
    return any(m.start <= literal.start and literal.end <= m.end for m in superlatives)


_BY = frozenset(("by",))
_GROUPING = ("group", "split", "broken", "break", "sort", "order", "aggregat")


def _is_grouping(asked: Asked, at: int) -> bool:
    """Whether a verb for grouping stands a little before a word ("group the results by")."""
    verbs = (i for i in range(max(0, at - 4), at) if asked.units[i].text.startswith(_GROUPING))
    # "Ordered by customers" may say a relation.
    return any(i not in asked.outright for i in verbs)


def _rather_labels(senses: Sequence[Sense]) -> tuple[Sense, ...]:
    """The senses of a word that names a label outright: a property of edges that is called so only refers to it."""
    if not any(s.kind == "label" and s.log >= _OUTRIGHT for s in senses):
        return tuple(senses)
    return tuple(
        replace(s, log=s.log - _SECOND) if s.holders and all(h.side == "relationship" for h in s.holders) else s
        for s in senses
    )


def _is_head(asked: Asked, at: int) -> bool:
    """Whether a word in the plural is the first that means anything, and so what is asked for."""
    ends = max((m.end for m in asked.marks if m.deed == Deed.AGGREGATE), default=0)
    said = [u for u in asked.units[:at] if u.start >= ends and carries_meaning(u.text)]
    return not said and _is_plural(asked, at)


def _as_head(senses: Sequence[Sense]) -> tuple[Sense, ...]:
    """The senses of what is asked for: it is a thing of the graph, so that the one label that is near is rather meant
    than nothing."""
    labels = sorted((s for s in senses if s.kind == "label"), key=lambda s: -s.log)
    is_one = (
        bool(labels) and labels[0].log >= _NEAR_HEAD and (len(labels) < 2 or labels[0].log - labels[1].log >= _ALONE)
    )
    if not is_one or any(s.log > labels[0].log for s in senses):
        return tuple(senses)
    return tuple(replace(s, log=max(s.log, _HEAD)) if s is labels[0] else s for s in senses)


# From this logarithm on a label is near what is asked for, alone where it is so much nearer than the next; it is then
# as likely as this.
_NEAR_HEAD, _ALONE, _HEAD = -1.85, 0.6, -0.75


def _is_any(sense: Sense, meanings: Sequence[Meaning]) -> bool:
    return any(sense.kind == m.kind and sense.name == m.name for m in meanings)


def _swallowed(asked: Asked, first: int, last: int) -> Mark | None:
    """A mark that is not doubtful and lies within units."""
    start, end = asked.units[first].start, asked.units[last - 1].end
    return next((m for m in asked.marks if start <= m.start and m.end <= end and not m.doubtful), None)


def _crosses_quotes(asked: Asked, first: int, last: int) -> bool:
    """Whether units hold a part of a text in quotation marks and something beside it."""
    start, end = asked.units[first].start, asked.units[last - 1].end
    return any(s < end and start < e and (start < s or e < end) for s, e in asked.quoted)


def _named_holders(schema: Sequence[Stretch]) -> frozenset[Holder]:
    """The properties that words of the question say more or less outright."""
    return frozenset(h for stretch in schema for s in stretch.senses if s.log > _NAMED for h in s.holders)


def _is_a_word_of(word: str, name: str) -> bool:
    """Whether a word is one of a name's, plural endings and derivations aside."""
    return any(are_same((word,), (part,)) for part in split_name(name))


def _taken_apart(stretches: Sequence[Stretch], whole: Sequence[tuple[int, int]]) -> list[Stretch]:
    """Stretches at their cost where they take a whole name of several words apart."""
    found = []
    for stretch in stretches:
        inside = any(a <= stretch.first < b and (stretch.first, stretch.last) != (a, b) and stretch.last - stretch.first
                     <= b - a for a, b in whole)  # fmt: skip
        is_relation = bool(stretch.senses) and stretch.senses[0].kind == "relation"
        apart = _RELATION_APART if is_relation else _APART
        found.append(replace(stretch, log=stretch.log - apart) if inside else stretch)
    return found


def _is_form_of(word: str, name: str) -> bool:
    """Whether a word is a form of one of a name's words."""
    return any(shared_stem(word, part) >= _FORM for part in split_name(name))


def _but_likely(asked: Asked, schema: Sequence[Stretch], likely: frozenset[int]) -> Iterator[Stretch]:
    """Without vague meanings of words that are values: such a word is hardly one for something of the schema."""
    for stretch in schema:
        if stretch.first not in likely or stretch.last > stretch.first + 1:
            yield stretch
        else:
            unit = asked.units[stretch.first]
            is_quoted = any(start <= unit.start and unit.end <= end for start, end in asked.quoted)
            is_said = _is_a_word_of if is_quoted else _is_form_of
            # Of a word that is a whole value only a part of a key is hardly meant ("healthy": healthstatus).
            senses = [
                replace(s, log=s.log - _NOT_EXACT * (s.kind == "property" and not _is_a_word_of(unit.text, s.name)))
                for s in stretch.senses if is_said(unit.text, s.name)
            ]  # fmt: skip
            if senses:
                yield Stretch(stretch.first, stretch.last, tuple(sorted(senses, key=lambda s: -s.log)))


def _sense(meaning: Meaning, log: float) -> Sense:
    return Sense(meaning.kind, log, meaning.name, meaning.holders)


def _crosses(one: tuple[int, int], other: tuple[int, int]) -> bool:
    """Whether two stretches share words, and neither lies within the other."""
    return one[0] < other[0] < one[1] < other[1] or other[0] < one[0] < other[1] < one[1]


def _units_within(units: Sequence[Unit], start: int, end: int) -> tuple[int, int] | None:
    """The units that lie within characters ``start:end``."""
    inside = [i for i, unit in enumerate(units) if unit.start < end and start < unit.end]
    return (inside[0], inside[-1] + 1) if inside else None


def _bounded(bounds: Bounds, *, numeric: bool) -> tuple[Condition, ...] | None:
    """Bounds as conditions."""
    if bounds.part:
        return _parted(bounds)
    compared = bounds.comparisons()
    return None if compared is None else tuple(Condition(operator, value, numeric) for operator, value in compared)


def _parted(bounds: Bounds) -> tuple[Condition, ...]:
    """A condition on a part of a text."""
    operator = f"not {bounds.part}" if bounds.negated else bounds.part
    return (Condition(operator, bounds.low),)  # type: ignore[arg-type]
