"""How a literal compares with a property: whether it can be a value of it, how well, and what has to be tested."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import Any

from arcgraph.domain import PropertyInfo
from arcgraph.interpret import operators as english
from arcgraph.interpret.bounds import Bounds
from arcgraph.interpret.forms import NUMERIC_TYPES, Form, form_of, to_epoch
from arcgraph.interpret.literals import MOMENTS, TEXTS, Kind, Literal, Quantity
from arcgraph.interpret.verbalise import split_name
from arcgraph.search.lookup import likeness

_DAYS = frozenset(("date", "datetime", "localdatetime"))
_CLOCKS = frozenset(("time", "localtime"))
# A range of days is written out up to so many.
_MOST_DAYS = 400
# A text written so unlike a property's samples is none of its values.
_LEAST_LIKENESS = 0.3


@dataclass(frozen=True, slots=True)
class Fit:
    """A literal as a test of one property's values.

    ``bounds`` hold for what a value means (``form.read``). ``stored`` are the same for values as they are stored, where
    these have that order; ``None`` where each has to be read first. ``values`` are the stored values meant, where they
    are few and their writing is known (to be excluded where ``bounds.negated``). ``score`` (0 to 1) is how likely this
    literal is a value of this property, by type and writing alone.
    """

    literal: Literal
    form: Form
    bounds: Bounds
    stored: Bounds | None
    values: tuple[Any, ...]
    score: float

    def admits(self, value: Any) -> bool:
        """Whether a stored value passes; what cannot be read does not."""
        meant = self.form.read(value)
        try:
            return meant is not None and self.bounds.holds(meant)
        except TypeError:
            return False

    def among(self, values: Iterable[Any]) -> list[Any]:
        """Of some stored values those that pass."""
        return [value for value in values if self.admits(value)]


def fit(literal: Literal, info: PropertyInfo) -> Fit | None:
    """How a literal compares with the values of a property; ``None`` where it cannot be one."""
    form = form_of(info)
    if form.is_epoch and literal.kind not in MOMENTS:
        form = Form(info.type, samples=info.samples)
    literal = _as_number(literal, form)
    if literal.kind in TEXTS or literal.operator in english.PART_OPERATORS:
        return _as_text(literal, form, info)
    if _is_other_reading(literal, form):
        return None
    literal = _in_unit_of(literal, info, form)
    bounds = literal.bounds(form.meaning)
    score = _score(literal, form) * _unit_score(literal, info, form)
    if bounds is None or not score or form.meaning in ("string", "text"):
        return _as_text(literal, form, info) if form.meaning in ("string", "text") else None
    return Fit(literal, form, bounds, _stored(literal, form, bounds), tuple(_written(bounds, form)), score * form.share)


def _as_number(literal: Literal, form: Form) -> Literal:
    """A code such as "19km" as its number, where it is compared with figures that are followed by a unit."""
    number = form.read(literal.text) if literal.kind == Kind.CODE and form.writing == "leading figures" else None
    if number is None or literal.operator in _TEXT_OPERATORS:
        return literal
    return replace(literal, kind=Kind.FLOAT, value=number)


# How likely a part of a text is meant of a property of which a sample has it, and of one of which none has.
_PART, _NO_PART = 0.7, 0.5
_TEXT_OPERATORS = frozenset(("=", "<>", *english.PART_OPERATORS))


def _is_other_reading(literal: Literal, form: Form) -> bool:
    """Whether the property writes dates like the literal and reads it as another day: 3/4/2017 with the month first."""
    meant = form.read(literal.text.strip()) if literal.kind == Kind.DATE and not form.is_stored else None
    return type(meant) is date and meant != literal.value


def _as_text(literal: Literal, form: Form, info: PropertyInfo) -> Fit | None:
    """The literal's own words as a text of the property."""
    if not ({"string", "text", "list"} & set(info.types)):
        return None
    samples = [item for sample in info.samples for item in _items(sample) if isinstance(item, str)]
    is_part = literal.operator in english.PART_OPERATORS
    score = max(likeness(literal.text, samples), _LEAST_LIKENESS if literal.quoted else 0.0)
    if is_part:
        # Whole texts that look like a part of one say nothing.
        score = _PART if any(literal.text.casefold() in sample.casefold() for sample in samples) else _NO_PART
    if score < _LEAST_LIKENESS or (literal.kind not in TEXTS and not is_part and score < 0.9):
        return None
    if literal.operator not in _TEXT_OPERATORS:
        literal = replace(literal, comparison=None, until=None)
    bounds = replace(literal, kind=Kind.QUOTED, value=literal.text).bounds("string")
    if bounds is None:
        return None
    values = (literal.text,) if bounds.is_point else ()
    return Fit(literal, Form("string", samples=form.samples, in_list=form.in_list), bounds, bounds, values, score)


def _items(sample: Any) -> Iterable[Any]:
    return sample if isinstance(sample, list | tuple) else (sample,)


# --- how likely --------------------------------------------------------------------------------------------------


def _score(literal: Literal, form: Form) -> float:
    """How well a kind of literal goes with a type, 0 for not at all."""
    if form.meaning in NUMERIC_TYPES:
        return _numeric_score(literal, form)
    if form.meaning in _DAYS:
        if literal.kind == Kind.INTEGER:
            return 0.3 if 1_000 <= literal.value <= 2_999 else 0.0
        return 1.0 if literal.kind in MOMENTS - {Kind.TIME} else 0.0
    if form.meaning in _CLOCKS:
        return 1.0 if literal.kind == Kind.TIME else 0.0
    return 1.0 if form.meaning == "duration" and literal.kind == Kind.DURATION else 0.0


def _numeric_score(literal: Literal, form: Form) -> float:
    match literal.kind:
        case Kind.INTEGER | Kind.FLOAT:
            return 1.0
        case Kind.YEAR | Kind.DECADE | Kind.CENTURY:
            are_years = _are_years(form)
            return 1.0 if are_years else 0.7 if literal.kind == Kind.YEAR else 0.0
        case Kind.QUANTITY | Kind.DURATION:
            return 1.0
        case Kind.ORDINAL:
            return 0.4
    return 0.0


def _are_years(form: Form) -> bool:
    numbers = [form.read(sample) for sample in form.samples]
    return form.years or (bool(numbers) and all(isinstance(n, int | float) and 1_000 <= n <= 2_999 for n in numbers))


# --- what to test ------------------------------------------------------------------------------------------------


def _stored(literal: Literal, form: Form, bounds: Bounds) -> Bounds | None:
    if form.is_stored:
        return bounds
    if not form.sorts:
        return None
    if form.is_epoch:
        sides = (None if side is None else to_epoch(side, form.writing) for side in (bounds.low, bounds.high))
        return replace(bounds, low=next(sides), high=next(sides))
    if form.writing == "clock":
        return _among_figures(replace(bounds, low=_first(form.write(bounds.low)), high=_first(form.write(bounds.high))))
    texts = literal.bounds("string")
    if texts is not None and isinstance(literal.value, datetime) and any(" " in sample for sample in form.samples):
        spaced = (t.replace("T", " ") if isinstance(t, str) else t for t in (texts.low, texts.high))
        texts = replace(texts, low=next(spaced), high=next(spaced))
    return _among_figures(texts) if texts is not None else None


def _among_figures(texts: Bounds) -> Bounds:
    """Texts of moments begin with a figure: what stands in place of one ("unknown", "") passes no open side."""
    if texts.low is None and texts.high is not None:
        return replace(texts, low="0", has_low=True)
    return replace(texts, high=":", has_high=False) if texts.high is None and texts.low is not None else texts


def _first(texts: tuple[str, ...]) -> str | None:
    return texts[0] if texts else None


def _written(bounds: Bounds, form: Form) -> Iterator[Any]:
    """The stored values within narrow bounds."""
    if bounds.low is None or bounds.high is None:
        return
    if bounds.is_point:
        yield from (bounds.low,) if form.is_stored else form.write(bounds.low)
    elif form.meaning == "date" and not form.is_stored:
        for day in _days(bounds.low, bounds.high):
            yield from form.write(day)
    elif form.writing == "clock":
        yield from form.write(bounds.low)


def _days(first: date, end: date) -> Iterator[date]:
    if 0 < (end - first).days <= _MOST_DAYS:
        yield from (first + timedelta(days=n) for n in range((end - first).days))


# --- units -------------------------------------------------------------------------------------------------------


def _in_unit_of(literal: Literal, info: PropertyInfo, form: Form) -> Literal:
    """A duration in the unit that a number's key names ("lengthMinutes"), a percentage as a share where all are."""
    if not isinstance(literal.value, Quantity) or form.meaning not in NUMERIC_TYPES:
        return literal
    value = _converted(literal.value, info, form)
    until = _in_unit_of(literal.until, info, form) if literal.until is not None else None
    return replace(literal, value=value, until=until)


# How likely a quantity is one of a property whose key names a unit of its kind, no unit, or one of another kind.
_SAME_UNIT, _NO_UNIT, _OTHER_UNIT = 1.0, 0.8, 0.3


def _unit_score(literal: Literal, info: PropertyInfo, form: Form) -> float:
    """How well the unit of a literal goes with a property, 0 for not at all."""
    if not isinstance(literal.value, Quantity) or form.meaning not in NUMERIC_TYPES:
        return 1.0
    if literal.value.unit in english.TIME_UNITS and _are_years(form):
        return 0.0
    wanted = _unit_of_key(info)
    if wanted is None:
        return _NO_UNIT
    return _SAME_UNIT if _kind_of_unit(wanted) == _kind_of_unit(literal.value.unit) else _OTHER_UNIT


def _unit_of_key(info: PropertyInfo) -> str | None:
    """The unit that a key names ("lengthMinutes", "weight_kg")."""
    words = split_name(info.key)
    forms = {**english.UNIT_FORMS, **english.TIME_UNIT_FORMS}
    return next((forms[word] for word in reversed(words) if word in forms and len(words) > 1), None)


def _kind_of_unit(unit: str) -> str:
    """What a unit measures; the unit itself where it is the only one of its kind."""
    return "time" if unit in english.TIME_UNITS else english.UNIT_SCALES.get(unit, (unit, 1.0))[0]


def _converted(quantity: Quantity, info: PropertyInfo, form: Form) -> Quantity:
    if quantity.unit == "%" and form.samples and all(_is_share(form.read(sample)) for sample in form.samples):
        return replace(quantity, number=quantity.number / 100)
    wanted = _unit_of_key(info)
    if wanted is None or _kind_of_unit(wanted) != _kind_of_unit(quantity.unit):
        return quantity
    number = quantity.number * _size_of(quantity.unit) / _size_of(wanted)
    # Sizes such as 0.01 are no exact numbers.
    number = float(f"{number:.12g}")
    return Quantity(int(number) if number.is_integer() else number, wanted)


def _is_share(number: Any) -> bool:
    return isinstance(number, int | float) and 0 <= number <= 1


def _size_of(unit: str) -> float:
    """How much of what it measures a unit is; of time in seconds."""
    if unit not in english.TIME_UNITS:
        return english.UNIT_SCALES.get(unit, (unit, 1.0))[1]
    months, days, seconds = english.TIME_UNITS[unit]
    return (months / 12 * 365.25 + days) * 86_400 + seconds
