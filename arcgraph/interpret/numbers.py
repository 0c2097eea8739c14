"""Numbers in figures and in words, with multipliers and units: "1.2 million", "5k", "two dozen", "$500", "3 kg"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from typing import NamedTuple

from arcgraph.interpret.operators import (
    CURRENCY_SIGNS,
    MULTIPLIER_LETTERS,
    MULTIPLIER_WORDS,
    TENS_WORDS,
    TIME_UNIT_FORMS,
    UNIT_FORMS,
    UNITS_WORDS,
)


class Amount(NamedTuple):
    """Characters ``start:end`` that read as a number, and the unit written with it, ``""`` without."""

    start: int
    end: int
    number: int | float
    unit: str = ""


def _any_of(forms: Iterable[str]) -> str:
    return "|".join(re.escape(form) for form in sorted(forms, key=lambda form: (-len(form), form)))


FIGURE = r"(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?"
# "5M" is a number, "5m" a length.
LETTERS = rf"(?-i:{_any_of(MULTIPLIER_LETTERS)})"
_MULTIPLIERS = _any_of(MULTIPLIER_WORDS)
_SMALL = _any_of((*UNITS_WORDS, *TENS_WORDS))
_FIRST_WORDS = rf"an?\s+(?:{_MULTIPLIERS})|half\s+a\s+(?:{_MULTIPLIERS})|{_SMALL}"
_IN_WORDS = rf"\b(?:{_FIRST_WORDS})(?:(?:\s+and\s+|[\s-]+)(?:{_SMALL}|{_MULTIPLIERS}))*\b"
_SIGNED = rf"(?:(?<![\w.,:/)-])-|(?<![\w.,:/])){FIGURE}"
_FIGURES = rf"{_SIGNED}(?:\s?(?:{_MULTIPLIERS})\b|(?:{LETTERS})\b)?"
_AMOUNT = re.compile(rf"{_FIGURES}|{_IN_WORDS}", re.I)
_NO_NUMBER_BEFORE = re.compile(r"\w|[.,:/]\d|-[A-Z]")
_UNIT = re.compile(
    rf"(?P<gap>[\s-]?)(?:(?P<time>{_any_of(TIME_UNIT_FORMS)})"
    rf"|(?P<word>{_any_of(form for form in UNIT_FORMS if form[0].isalpha())}))(?!\w)"
    rf"|\s?(?P<sign>{_any_of(form for form in UNIT_FORMS if not form[0].isalnum())})",
    re.I,
)


def find_amounts(text: str) -> Iterator[Amount]:
    """Every number of a text, with its unit where one is written."""
    for start, end in _stretches(text):
        number = read_amount(text[start:end])
        if number is None:
            continue
        sign = text[start - 1 : start]
        if sign and sign in CURRENCY_SIGNS:
            yield Amount(start - 1, end, number, sign)
        elif (unit := _UNIT.match(text, end)) and not _is_apart(unit):
            yield Amount(start, unit.end(), number, _unit_name(unit))
        elif not _NO_NUMBER_BEFORE.match(text, end):
            yield Amount(start, end, number)


def _stretches(text: str) -> Iterator[tuple[int, int]]:
    """Characters of numbers; words that make no single number ("two and four") are parted."""
    for m in _AMOUNT.finditer(text):
        if m.group()[0].isalpha():
            yield from _parted(text, *m.span())
        else:
            yield m.span()


def _parted(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The longest runs of words that make a number, from the left."""
    words = [(start + m.start(), start + m.end()) for m in re.finditer(r"\w+", text[start:end])]
    while words:
        if text[slice(*words[0])].lower() == "and":
            words.pop(0)
            continue
        size = next(n for n in range(len(words), 0, -1) if n == 1 or _is_number(text, words[:n]))
        yield words[0][0], words[size - 1][1]
        words = words[size:]


def _is_number(text: str, words: Sequence[tuple[int, int]]) -> bool:
    """Whether words make one number, and do not end in "and"."""
    stretch = text[words[0][0] : words[-1][1]]
    return not stretch.lower().endswith(" and") and read_amount(stretch) is not None


def _is_apart(unit: re.Match[str]) -> bool:
    """Whether a single letter stands apart from its number, where it is hardly a unit."""
    return bool(unit["word"] and len(unit["word"]) == 1 and unit["gap"])


def _unit_name(unit: re.Match[str]) -> str:
    if unit["time"]:
        return TIME_UNIT_FORMS[unit["time"].lower()]
    return UNIT_FORMS[(unit["word"] or unit["sign"]).lower()]


def read_amount(text: str) -> int | float | None:
    """The number that figures or words stand for; ``None`` where they make none ("four three")."""
    figures = re.match(rf"-?{FIGURE}", text)
    if figures is None:
        return _number_in_words(re.findall(r"[a-z]+", text.lower()))
    rest = text[figures.end() :].strip()
    factor = (MULTIPLIER_LETTERS.get(rest) or MULTIPLIER_WORDS.get(rest.lower())) if rest else 1
    if factor is None:
        return None
    number = Decimal(figures.group().replace(",", "")) * factor
    is_whole = "." not in figures.group() or (factor > 1 and number == int(number))
    return int(number) if is_whole else float(number)


def _number_in_words(words: Sequence[str]) -> int | float | None:
    """For example 120 for "one hundred and twenty"."""
    total = current = 0.0
    room = float("inf")  # what a further word may add has to be smaller
    for word in words:
        if word in MULTIPLIER_WORDS:
            factor = MULTIPLIER_WORDS[word]
            current = (current or 1) * factor
            room = factor
            if factor >= 1_000:
                total, current = total + current, 0.0
        elif (value := _SMALL_VALUES.get(word)) is not None:
            if value >= room:
                return None
            current += value
            room = 10 if value >= 20 else 0
        elif word not in ("a", "an", "and"):
            return None
    number = total + current
    return int(number) if number.is_integer() else number


_SMALL_VALUES: dict[str, float] = {**UNITS_WORDS, **TENS_WORDS, "half": 0.5}
