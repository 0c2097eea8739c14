"""The stretches of a question that may mean something: of the schema, of the values, or what to do with them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from arcgraph.interpret import operators as general
from arcgraph.interpret.anchors import Names
from arcgraph.interpret.english import (
    COMMAND_WORDS,
    FUNCTION_WORDS,
    GRAPH_WORDS,
)
from arcgraph.interpret.forms import MOMENT_TYPES, form_of
from arcgraph.interpret.marks import Deed, Mark, signs_of
from arcgraph.interpret.tables.asked import (
    FLOOR,
    OUTRIGHT,
    SHORTEST_PLURAL,
    Asked,
    Stretch,
    Unit,
    carries_meaning,
    is_a_word_of,
    is_command_at,
    is_form_of,
    is_verb,
    singular,
    units_of,
    units_within,
)
from arcgraph.interpret.tables.catalog import Catalog
from arcgraph.interpret.tables.english import (
    APPOSED_NOUNS,
    ASKING_PHRASES,
    CLOSING_VERBS,
    HELD_WORDS,
    HOLDING_VERBS,
    LASTING_LINKS,
    LIGHT_NOUNS,
    LIGHT_VERBS,
    MEASURE_NOUNS,
    NEW_WORDS,
    OPENING_PHRASES,
    ORDER_VERBS,
    OWNING_VERBS,
    PERSON_WORDS,
    PLAIN_WORDS,
    RELATION_NOUNS,
    REQUEST_WORDS,
    TAIL_NOUNS,
    TAKING_PLACE,
    WHENEVER_PHRASES,
)
from arcgraph.interpret.tables.kinds import Kinds
from arcgraph.interpret.tables.schema_words import ADVERBS, NOT_EXACT, SchemaWords
from arcgraph.interpret.tables.value_words import DROPPED_NUMBER, DROPPED_VALUE, LookUp, ValueWords
from arcgraph.interpret.verbalise import split_name
from arcgraph.search.lexicon import quoted_spans
from arcgraph.search.values import ValueIndex

# What leaving a mark out costs.
DROPPED_MARK = 1.5
_DOUBTFUL_MARK = 0.5
# What it costs not to say who, where or when, where the graph has a word for it.
_QUESTION, _WHO = 0.8, 0.4
# A word that carries nothing is hardly missed, nor is one right behind what it makes a compound with ("crew size").
_PLAIN = 0.05
_COMPOUND = 0.5
# What it costs to leave out a verb that may only lead to a moment.
_LIGHT = 0.4
_NAME = 1.0
# So many words at most belong to how a request opens.
_OPENING = 4
# So much dropping a likely value costs.
_LIKELY_VALUE = 1.5
# What each word of a whole name costs that is taken apart; of a relation more ("the defender size" is hardly said of a
# defender).
_APART, _RELATION_APART = 0.5, 1.0
# What it costs not to say a word for any person: where no label is one's, where one is, and where somebody else is
# brought in ("someone").
_PERSON, _SOMEONE, _ANOTHER_ONE = 0.6, 1.8, 2.5
# Of several words a whole name costs at most this.
_DOUBTFUL_NAME = 0.1


class Linker:
    """Finds what a question's words may mean in one graph. Thread-safe."""

    def __init__(self, catalog: Catalog, kinds: Kinds, names: Names, values: ValueIndex, look_up: LookUp | None = None):
        self._catalog = catalog
        self._words = SchemaWords(catalog, kinds)
        self._held = ValueWords(catalog, self._words, names, values, look_up)

    def texts_within(self, text: str) -> list[str]:
        """The texts that are said to stand in a property."""
        return self._held.texts_within(text)

    def read(self, text: str) -> Asked:
        """All stretches of a question."""
        asked = Asked(text, units_of(text))
        asked.idle = _idle([unit.text for unit in asked.units])
        asked.quoted = tuple(quoted_spans(text))
        asked.literals, asked.marks = signs_of(text)
        meanings = self._words.meanings(asked)
        schema = list(self._words.stretches(asked, meanings))
        asked.outright = frozenset(
            s.first for s in schema if s.last == s.first + 1 and any(x.log >= OUTRIGHT for x in s.senses)
        )
        asked.singular = _singular(asked)
        values = list(self._held.stretches(asked, schema))
        strong, surely = _costing(values, DROPPED_NUMBER), _costing(values, _LIKELY_VALUE)
        likely = frozenset(i for first, last in surely for i in range(first, last))
        likely |= {i for i, u in enumerate(asked.units) if any(a <= u.start and u.end <= b for a, b in asked.quoted)}
        restated = asked.restated()
        asked.idle |= _light_verbs(asked) | asked.anywhere(surely) | _behind_relations(asked, schema) | restated
        schema = [stretch for stretch in schema if not asked.idle & set(range(stretch.first, stretch.last))]
        values = [stretch for stretch in values if stretch.first not in restated]
        asked.light = self._leading_to_moments(asked, values)
        self._settle_marks(asked, schema, surely)
        whole = [(s.first, s.last) for s in schema if self._is_whole(asked, s)]
        for stretch in [*values, *_taken_apart([*self._marks(asked), *_but_likely(asked, schema, likely)], whole)]:
            asked.stretches[stretch.first].append(stretch)
        for i, unit in enumerate(asked.units):
            least = max((v.log for v in values if v.first <= i < v.last and i in likely), default=0.0)
            left = Stretch(i, i + 1, log=min(least, self._left_out(asked, i, unit, meanings, strong)))
            asked.stretches[i] += _taken_apart([left], whole)
        return asked

    def _settle_marks(self, asked: Asked, schema: Sequence[Stretch], values: Sequence[tuple[int, int]]) -> None:
        """Drops the marks that words of the schema and values leave nothing of, and tells which of them sort."""
        named = {s.last - 1 for s in schema if s.last > s.first + 1 and s.senses[0].kind == "property"}
        closing = {asked.units[i].start for i in named}
        idle = {asked.units[i].start for i in asked.idle}
        marks = [m for m in asked.marks if m.start not in idle and (m.value != "count" or m.start not in closing)]
        numbering = [m for m in marks if _numbers(asked, m, values)]
        asked.numbering = frozenset(i for i, u in enumerate(asked.units) if any(u.end == m.end for m in numbering))
        kept = [m for m in marks if m not in numbering and not self._words.is_told(m)]
        asked.marks = tuple(_ordering(asked, m) for m in kept)

    def _leading_to_moments(self, asked: Asked, values: Sequence[Stretch]) -> frozenset[int]:
        """The light verbs right before values of properties that hold moments."""
        begins = {
            v.first for v in values
            if any(form_of(self._catalog.info(h)).meaning in MOMENT_TYPES for s in v.senses for h in s.holders)
        }  # fmt: skip
        return frozenset(i for i, u in enumerate(asked.units) if u.text in TAKING_PLACE and i + 1 in begins)

    def _is_whole(self, asked: Asked, stretch: Stretch) -> bool:
        """Whether several words are hardly anything but one name of the schema."""
        is_name = stretch.last > stretch.first + 1 and stretch.senses[0].log >= -_DOUBTFUL_NAME
        return is_name and not self._words.aggregates_another(asked, stretch)

    def _marks(self, asked: Asked) -> Iterator[Stretch]:
        for mark in asked.marks:
            span = units_within(asked.units, mark.start, mark.end)
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
        if at in asked.light:
            return -_LIGHT
        if self._words.asked_for(asked, at):
            # Who is asked for may have another label than people at large.
            return -(_QUESTION if word in ADVERBS else _WHO)
        if word in _BY and _is_grouping(asked, at):
            return -DROPPED_MARK
        marked = any(m.start <= unit.start and unit.end <= m.end and not m.doubtful for m in asked.marks)
        if word in FUNCTION_WORDS and not marked:
            return 0.0
        if marked:
            return -DROPPED_MARK
        if word in ("name", "names") and not is_command_at(asked, at):
            return -_NAME
        if word in PERSON_WORDS:
            return -(_ANOTHER_ONE if word in NEW_WORDS else _SOMEONE if self._words.persons else _PERSON)
        if is_command_at(asked, at):
            return -_PLAIN
        opens = (word in COMMAND_WORDS and at <= _OPENING) or word in LIGHT_VERBS
        is_plain = word in PLAIN_WORDS or word in REQUEST_WORDS - COMMAND_WORDS or opens or word in CLOSING_VERBS
        if is_plain and at in asked.outright and asked.units[0].text in ADVERBS:
            # "Where is the Nightjar located" asks for its location.
            return -_SOMEONE
        if is_plain:
            return -_SOMEONE if any(m.kind != "relation" for m in self._catalog.called(word)) else -_PLAIN
        if word.isdigit():
            return -DROPPED_NUMBER
        nothing = float(meanings[at][self._catalog.vocabulary.null])
        least = math.log(FLOOR + min(1.0, 2 * nothing))
        if at and float(meanings[at - 1][: len(self._catalog.meanings)].max()) > 0.7 and meanings[at].max() < 0.7:
            return max(least, -_COMPOUND)
        return least


def _behind_relations(asked: Asked, schema: Sequence[Stretch]) -> frozenset[int]:
    """The nouns that only close a word for a relation ("family members"), a label ("the dead characters") or a property
    ("hull size")."""
    labels = {s.last for s in schema if s.senses[0].kind == "label" and s.senses[0].log >= OUTRIGHT}
    said = {s.last for s in schema if s.senses[0].kind == "relation" and s.senses[0].log >= OUTRIGHT}
    outright = {s.first for s in schema if s.senses[0].log >= OUTRIGHT}
    measured = {s.last for s in schema if s.senses[0].kind == "property" and s.senses[0].log >= OUTRIGHT}
    closing = ((said, RELATION_NOUNS), (labels, APPOSED_NOUNS), (measured, MEASURE_NOUNS))
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
        is_idle = unit.text in FUNCTION_WORDS or unit.text in PLAIN_WORDS or len(unit.text) < SHORTEST_PLURAL
        if is_idle or (i in asked.outright and is_alone):
            continue
        word = text[unit.start : unit.end]
        if word.endswith("ies"):
            text = f"{text[: unit.start]}{word[:-3]}y  {text[unit.end :]}"
        elif word.endswith("s") and not word.endswith("ss"):
            text = f"{text[: unit.start]}{word[:-1]} {text[unit.end :]}"
    return text if text != asked.text else None


def _idle(words: Sequence[str]) -> frozenset[int]:
    """The words that say nothing where they stand: in which unit of measure something is wanted ("in cubic metres per
    second"), that something was so at all ("at some point"), phrases in which people ask ("do we have"), and the noun
    of a light verb ("took place")."""
    found = {i for i in range(1, len(words)) if words[i] in LIGHT_NOUNS.get(words[i - 1], ())}
    # "Films that last longer than": a verb.
    found |= {i for i in range(1, len(words) - 1) if words[i] in ("last", "lasts") and words[i + 1] in LASTING_LINKS}
    found |= {i for i in range(len(words) - 1) if words[i] == "calendar" and words[i + 1] in general.TIME_UNITS}
    for i in range(len(words) - 3):
        if words[i] in HELD_WORDS and words[i + 1] in ("in", "within") and words[i + 3] in GRAPH_WORDS:
            # "Represented in the data" are all.
            found.update(range(i, i + 4))
    # "Which … do we own", "we hold": what the graph is of.
    found |= {
        n for i in range(len(words) - 1) if words[i] in ("we", "you") and words[i + 1] in OWNING_VERBS | HOLDING_VERBS
        for n in (i, i + 1)
    }  # fmt: skip
    for i in range(len(words)):
        found.update(range(i, _end_of_measure(words, i)))
        opens = not any(carries_meaning(word) for word in words[:i])
        for phrase in (*WHENEVER_PHRASES, *ASKING_PHRASES, *(OPENING_PHRASES if opens else ())):
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


def _light_verbs(asked: Asked) -> frozenset[int]:
    """The verbs of clauses with "do" that say no more than that something took place ("what did she place")."""
    forms = ((i, unit.text) for i, unit in enumerate(asked.units) if is_verb(asked, i) and i not in asked.outright)
    return frozenset(i for i, word in forms if f"{word.removesuffix('e')}ed" in LIGHT_VERBS)


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


_BY = frozenset(("by",))
_GROUPING = ("group", "split", "broken", "break", "sort", "order", "aggregat")


def _is_grouping(asked: Asked, at: int) -> bool:
    """Whether a verb for grouping stands a little before a word ("group the results by")."""
    verbs = (i for i in range(max(0, at - 4), at) if asked.units[i].text.startswith(_GROUPING))
    # "Ordered by customers" may say a relation.
    return any(i not in asked.outright for i in verbs)


def _costing(values: Sequence[Stretch], least: float) -> list[tuple[int, int]]:
    """The units of the values that it costs at least so much to leave out."""
    return [(s.first, s.last) for s in values if s.log <= -least]


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


def _but_likely(asked: Asked, schema: Sequence[Stretch], likely: frozenset[int]) -> Iterator[Stretch]:
    """Without vague meanings of words that are values: such a word is hardly one for something of the schema."""
    for stretch in schema:
        if stretch.first not in likely or stretch.last > stretch.first + 1:
            yield stretch
        else:
            unit = asked.units[stretch.first]
            is_quoted = any(start <= unit.start and unit.end <= end for start, end in asked.quoted)
            is_said = is_a_word_of if is_quoted else is_form_of
            # Of a word that is a whole value a form of a key is hardly meant ("healthy": healthstatus, "severe":
            # severity).
            senses = [
                replace(s, log=s.log - NOT_EXACT * (s.kind == "property" and not _is_in_key(unit.text, s.name)))
                for s in stretch.senses if is_said(unit.text, s.name)
            ]  # fmt: skip
            if senses:
                yield Stretch(stretch.first, stretch.last, tuple(sorted(senses, key=lambda s: -s.log)))


def _is_in_key(word: str, key: str) -> bool:
    """Whether a word stands in a key as it is, but for its plural."""
    return singular(word) in {singular(part) for part in split_name(key)}
