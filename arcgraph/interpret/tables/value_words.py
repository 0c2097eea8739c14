"""What words of a question may be values that a graph holds, and with which of its properties they are compared."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, date, datetime
from functools import cached_property
from itertools import islice, pairwise
from typing import Any, Literal

from arcgraph.interpret import operators as general
from arcgraph.interpret.anchors import Names, is_command
from arcgraph.interpret.bounds import Bounds
from arcgraph.interpret.english import (
    ARTICLES,
    COMMAND_WORDS,
    COPULAS,
    FUNCTION_WORDS,
    POSSESSIVES,
)
from arcgraph.interpret.fitting import Fit, fit
from arcgraph.interpret.forms import form_of
from arcgraph.interpret.literals import TEXTS, Comparison, Kind
from arcgraph.interpret.literals import Literal as Written
from arcgraph.interpret.marks import Deed, Mark, signs_of
from arcgraph.interpret.tables.asked import (
    OUTRIGHT,
    SHORTEST_PLURAL,
    Asked,
    Condition,
    Sense,
    Stretch,
    is_form_of,
    is_verb,
    singular,
    units_of,
    units_within,
)
from arcgraph.interpret.tables.catalog import Catalog, Holder, are_same, without_unit
from arcgraph.interpret.tables.english import (
    GENDERS,
    NAME_WORDS,
    PLAIN_WORDS,
    RELATIVE_PRONOUNS,
    REQUEST_WORDS,
    TIME_NOUNS,
)
from arcgraph.interpret.tables.paraphrase import Paraphrases
from arcgraph.interpret.tables.schema_words import MOST_PHRASE, MOST_SENSES, SchemaWords
from arcgraph.interpret.tables.since import ends_of
from arcgraph.interpret.verbalise import content, split_name
from arcgraph.search.values import ValueIndex, ValueMention

# What it costs to leave out a value that stands in quotation marks or looks like a code, and another one.
DROPPED_VALUE = 6.0
DROPPED_NUMBER = 3.0
# From this probability on a word says a thing of the schema, if it is a form of its name.
_SAID = 0.2
# A property that a word means with this logarithm at least is named by it.
_NAMED = -2.0
# A name that is surely one.
_SURELY_NAMED = -0.2
# What a name costs that is only the singular of a word.
_CUT = 0.4
# A name that is so much surer than one that crosses it stands.
_SURER = 0.3
# What a value costs that is said in other words.
_OTHERWISE = 0.3
# How sure a value is whose plural may be said for a label.
_PLURAL = 0.4
# What a text costs that is said to stand in a property.
_WITHIN = 0.1
# How sure a word with a capital is a value where it is a label as well.
_LABELLED = 0.5
# How sure a whole value is right beside what holds it.
_BESIDE = 0.8
# How sure several words are a value that they are word for word.
_WHOLE = ("exact", "folded")
_WHOLLY = 0.9
# A property that tells women from men has so many values at most.
_FEW = 6
_ORDERS = ("<", "<=", ">", ">=")


_LAST_IN = re.compile(r"\b(?:in|since|before|after|until|by)\s+$", re.I)
# From a text and where it stands in the question to the properties that hold it.
LookUp = Callable[[str, int], Sequence[ValueMention]]


class ValueWords:
    """Finds which of a question's words are values of one graph. Thread-safe."""

    def __init__(self, catalog: Catalog, words: SchemaWords, names: Names, values: ValueIndex, look_up: LookUp | None):
        self._catalog = catalog
        self._words = words
        self._names = names
        self._values = values
        self._look_up = look_up
        self._paraphrases = Paraphrases(values)

    def texts_within(self, text: str) -> list[str]:
        """The texts that are said to stand in a property."""
        asked = Asked(text, units_of(text))
        asked.literals, _ = signs_of(text)
        return list(dict.fromkeys(sense.text for _, _, sense, _ in self._told_within(asked)))

    def stretches(self, asked: Asked, schema: Sequence[Stretch]) -> Iterator[Stretch]:
        """The values of a question, ``schema`` being what its words mean of the schema."""
        named = _named_holders(schema)
        things = {s.name for one in schema for s in one.senses if s.kind == "label" and s.log >= OUTRIGHT}
        found: dict[tuple[int, int], list[Sense]] = defaultdict(list)
        costs: dict[tuple[int, int], float] = {}
        known = [*self._named(asked), *self._held(asked, schema), *self._paraphrased(asked), *self._told_within(asked)]
        known += self._of_gender(asked)
        known += self._looked_up(asked, [(start, end) for start, end, _, _ in known])
        names = [(start, end) for start, end, sense, _ in known if sense.is_name and sense.log >= _SURELY_NAMED]
        for start, end, sense, weight in [*known, *self._written(asked, names), *self._seen_from_the_end(asked)]:
            span = units_within(asked.units, start, end)
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
            senses.sort(
                key=lambda s: (not named & set(s.holders), -s.log, all(h.owner not in things for h in s.holders))
            )
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
            if _is_plain_verb(asked, mention):
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
                if compared is not None and compared.kind not in TEXTS and _orders(compared):
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
        return best >= 0 and row[best] >= _SAID and is_form_of(word, self._catalog.meanings[best].name)

    def _held(self, asked: Asked, schema: Sequence[Stretch]) -> Iterator[tuple[int, int, Sense, float]]:
        """Values of properties."""
        yield from self._held_in(asked, asked.text, schema)
        if asked.singular is not None:
            yield from self._held_in(asked, asked.singular, schema)
        yield from self._done(asked)

    def _done(self, asked: Asked) -> Iterator[tuple[int, int, Sense, float]]:
        """Values that a verb says ("when it rained": rain)."""
        for i, unit in enumerate(asked.units):
            stem = next((unit.text.removesuffix(e) for e in ("ed", "ing") if unit.text.endswith(e)), "")
            is_compound = asked.text[max(0, unit.start - 1) : unit.start] == "-"
            if len(stem) < SHORTEST_PLURAL or is_compound or i in asked.outright or self._catalog.called(unit.text):
                continue
            for mention in self._values.find(stem):
                if mention.how == "exact" and not mention.is_piece and len(mention.values) == 1 and mention.count > 1:
                    holder = Holder(mention.column.side, mention.owner, mention.key)
                    condition = Condition("=", mention.values[0])
                    sense = Sense("value", -_OTHERWISE, holders=(holder,), conditions=(condition,), text=unit.text)
                    yield unit.start, unit.end, sense, DROPPED_VALUE / 2

    def _held_in(self, asked: Asked, text: str, schema: Sequence[Stretch]) -> Iterator[tuple[int, int, Sense, float]]:
        for mention in self._values.find(text):
            if text is not asked.text and not _ends_in_plural(asked, mention.start, mention.end):
                continue
            if mention.how in ("dense", "fuzzy") and not mention.quoted:
                continue
            if mention.how != "exact" and text[max(0, mention.start - 1) : mention.start] == "-":
                # "Left-footed" is no foot.
                continue
            holder = Holder(mention.column.side, mention.owner, mention.key)
            sure = self._sureness(text, mention)
            if mention.how == "exact" and _stands_by(asked, (mention.start, mention.end), holder, schema):
                sure = max(sure, _BESIDE)
            if sure < 0.1 or self._names_schema(mention) or _is_plain_verb(asked, mention):
                continue
            noun = next((u.text for u in asked.units if u.start == mention.start), "")
            is_asked = text[: mention.start].lower().split()[-1:] in (["which"], ["each"], ["every"])
            is_noun = (noun.endswith("s") or is_asked) and singular(noun) == str(mention.values[0]).casefold()
            if is_noun and self._words.is_of_another_kind(noun, holder):
                # "Exhibitions" are things before they are what something was moved for.
                sure *= _PLURAL
            sign = _sign_behind(text, mention.end)
            right: list[Any] = [v for v in mention.values[:20] if not _ends_otherwise(v, sign)]
            if not right:
                # "AB-" is no "AB+".
                continue
            if mention.column.is_list:
                condition = Condition("overlaps", tuple(right))
            elif mention.is_piece or (_is_one_of(asked, mention.end) and isinstance(right[0], str)):
                condition = Condition("contains", right[0])
            else:
                condition = Condition("=", right[0]) if len(right) == 1 else Condition("in", tuple(right))
            compared = self._comparison_at(asked, mention.start, mention.end)
            if compared is not None and _orders(compared):
                continue
            if compared is not None and compared.operator in ("<>", *general.PART_OPERATORS):
                if compared.operator != "<>" or mention.column.is_list or mention.is_piece:
                    continue
                condition = Condition("<>", right[0])
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
            yield start, end, sense, one.share * DROPPED_NUMBER

    def _of_gender(self, asked: Asked) -> Iterator[tuple[int, int, Sense, float]]:
        """Words for women or men as what a property holds for them that tells the two apart ("F")."""
        for unit in asked.units:
            meant = next((written for words, written in GENDERS if unit.text in words), None)
            for holder, values in self._genders if meant is not None else ():
                value = next((v for v in values if v.casefold() in (meant or ())), None)
                if value is not None and value.casefold() != unit.text:
                    sense = Sense("value", 0.0, "", (holder,), (Condition("=", value),), unit.text)
                    yield unit.start, unit.end, sense, DROPPED_VALUE / 2

    @cached_property
    def _genders(self) -> tuple[tuple[Holder, tuple[str, ...]], ...]:
        """The properties whose few values are words or letters for women and for men, with these values."""
        found = []
        for holder in self._catalog.holders():
            column = self._values.column(holder.owner, holder.key)
            if column is None or not column.complete or self._catalog.info(holder).type != "string":
                continue
            values = tuple(islice((str(v.value) for v in self._values.values(holder.owner, holder.key)), _FEW + 1))
            written = {value.casefold() for value in values}
            if len(values) <= _FEW and all(written & forms for _, forms in GENDERS):
                found.append((holder, values))
        return tuple(found)

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
            senses = self._words.phrase(asked, first, size) if size > 1 else self._words.called(units[first].text)
            named = (h for s in senses if s.kind == "property" for h in s.holders)
            holders = tuple(h for h in named if self._catalog.info(h).type == "string")
            if holders:
                end = first + size
                while end < len(units) and (units[end].text == "s" or units[end].text in NAME_WORDS):
                    end += 1
                yield end, holders
                return

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
            if is_part or _is_limit(asked, literal):
                continue
            start, end = self._with_comparison(literal.start, literal.end, literal)
            if literal.until is not None:
                start, end = min(start, literal.until.start), max(end, literal.until.end)
            says_year = literal.kind == Kind.YEAR and "year" in asked.text[start:end].lower()
            for holder in self._catalog.holders():
                if says_year and not self._is_dated(holder):
                    continue
                if literal.kind == Kind.ORDINAL and not _numbers(asked, literal, holder):
                    continue
                fitting = fit(literal, self._catalog.info(holder))
                if fitting is None or fitting.score < 0.3 or not (adds_up or self._reaches(holder, fitting)):
                    continue
                conditions = self._conditions(holder, fitting)
                if conditions is None:
                    continue
                said = asked.text[start:end] if literal.comparison else literal.text
                log = math.log(min(1.0, fitting.score)) - (0.4 if literal.kind in TEXTS else 0.1)
                # "In 299" is a year where there are such.
                is_year = form_of(self._catalog.info(holder)).years and _LAST_IN.search(asked.text[: literal.start])
                is_number = literal.kind in (Kind.INTEGER, Kind.FLOAT) and not is_year
                vague = is_number or conditions[0].operator in general.PART_OPERATORS
                sense = Sense("value", log, "vague" if vague else "", (holder,), conditions, said)
                yield start, end, sense, DROPPED_NUMBER if literal.kind not in TEXTS else DROPPED_VALUE

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
                    yield mark.start, mark.end, sense, DROPPED_NUMBER

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


def _ends_in_plural(asked: Asked, start: int, end: int) -> bool:
    """Whether a stretch ends with a word that was made singular, and is more than such a word of the schema."""
    assert asked.singular is not None
    last = next((i for i in reversed(range(len(asked.units))) if asked.units[i].start < end), -1)
    unit = asked.units[last]
    if last in asked.outright and unit.start <= start:
        return False
    return asked.text[unit.start : unit.end] != asked.singular[unit.start : unit.end]


def _sign_behind(text: str, end: int) -> str:
    """The sign that closes a word, right behind a mention or as its last character ("A+"), as its keyboard's."""
    sign = text[end : end + 1]
    if sign not in _SIGNS or text[end + 1 : end + 2].isalnum():
        sign = text[end - 1 : end]
    return _SIGNS.get(sign, "")


def _ends_otherwise(value: Any, sign: str) -> bool:
    """Whether a value ends with another sign than its mention."""
    own = _SIGNS.get(value[-1:], "") if isinstance(value, str) else ""
    return bool(own and sign) and own != sign


# Signs that close a text and tell it from others ("A+", "C#"), and what they are written for.
_SIGNS = {"+": "+", "-": "-", "\u2212": "-", "\u2013": "-", "#": "#", "*": "*"}


def _is_plain_verb(asked: Asked, mention: Any) -> bool:
    """Whether a word is the verb of a clause with "do" ("how many comments did she write"), however a value is
    called."""
    span = units_within(asked.units, mention.start, mention.end)
    is_plain = not mention.quoted and asked.text[mention.start : mention.end].islower()
    return is_plain and span is not None and span[1] == span[0] + 1 and is_verb(asked, span[0])


def _stands_by(asked: Asked, place: tuple[int, int], holder: Holder, schema: Sequence[Stretch]) -> bool:
    """Whether a value that is no noun of the schema stands right beside what holds it, the label or the property, or is
    what such a thing is said to be ("parcels that have been delivered")."""
    span = units_within(asked.units, *place)
    if span is None:
        return False
    own = [s for one in schema if one.first == span[0] for s in one.senses if s.log >= OUTRIGHT]
    is_participle = asked.units[span[0]].text.endswith("ed") and all(s.kind != "label" for s in own)
    if asked.outright & set(range(*span)) and not is_participle:
        return False

    def is_beside(one: Stretch) -> bool:
        between = {unit.text for unit in asked.units[one.last : span[0]]}
        return one.first == span[1] or (one.last <= span[0] and between <= _BEING)

    return any(
        s.log >= OUTRIGHT and (holder in s.holders or (s.kind == "label" and s.name == holder.owner))
        for one in schema if is_beside(one) and (one.first, one.last) != span
        for s in one.senses
    )  # fmt: skip


_BEING = RELATIVE_PRONOUNS | COPULAS | {"have", "has", "been", "currently", "now"}


def _orders(literal: Written) -> bool:
    """Whether a comparison asks for more or less than a number or a moment: "longer than '70'" is no 70, nor "before
    2005-05-19" that day."""
    is_measured = literal.kind not in TEXTS or not any(sign.isalpha() for sign in literal.text)
    return literal.operator in _ORDERS and is_measured


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


def _numbers(asked: Asked, literal: Written, holder: Holder) -> bool:
    """Whether an ordinal stands right before what a property is called ("on the third floor")."""
    behind = next((unit.text for unit in asked.units if unit.start >= literal.end), "")
    return are_same((behind,), split_name(holder.key)[-1:]) and holder.side == "node"


def _is_limit(asked: Asked, literal: Written) -> bool:
    """Whether a number says how many of what is sorted ("what are the 3 cheapest …"), whatever stands before it."""
    if any(m.deed == Deed.LIMIT and not m.doubtful and literal.span == (m.start, m.end) for m in asked.marks):
        return True
    superlatives = (m for m in asked.marks if m.deed == Deed.SUPERLATIVE and m.value.limit and not m.doubtful)
    return any(m.start <= literal.start and literal.end <= m.end for m in superlatives)


def _crosses(one: tuple[int, int], other: tuple[int, int]) -> bool:
    """Whether two stretches share words, and neither lies within the other."""
    return one[0] < other[0] < one[1] < other[1] or other[0] < one[0] < other[1] < one[1]


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


def _named_holders(schema: Sequence[Stretch]) -> frozenset[Holder]:
    """The properties that words of the question say more or less outright."""
    return frozenset(h for stretch in schema for s in stretch.senses if s.log > _NAMED for h in s.holders)
