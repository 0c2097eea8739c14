"""What a question does with what it names."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcgraph.interpret.marks import Deed, Relative, Superlative, read_operators


def marks(question: str, deed: str | None = None) -> list[tuple[str, object]]:
    """Text and value of the marks of a kind that are not doubtful."""
    found = read_operators(question)
    return [(m.text, m.value) for m in found if deed in (None, m.deed) and not m.doubtful]


def doubtful(question: str) -> list[str]:
    return [m.text for m in read_operators(question) if m.doubtful]


@pytest.mark.parametrize(
    ("question", "text", "value"),
    [
        ("the oldest tower", "oldest", Superlative("desc", "asc", None, "oldest")),
        ("the three longest bridges", "three longest", Superlative("desc", "", 3, "longest")),
        ("the top 5 bridges", "top 5", Superlative("desc", "", 5, "top")),
        ("the most recent visit", "most recent", Superlative("", "desc", None, "most recent")),
        ("top 5 most recent visits", "top 5 most recent", Superlative("", "desc", 5, "most recent")),
        ("the last 10 visits", "last 10", Superlative("", "desc", 10, "last")),
        ("the most productive yard", "most productive", Superlative("desc", "", None, "most productive")),
        ("the least famous yard", "least famous", Superlative("asc", "", None, "least famous")),
        ("the busiest port", "busiest", Superlative("desc", "", None, "busiest")),
        ("ports with the most boats", "most", Superlative("desc", "", None, "most")),
        ("the port with the fewest boats", "fewest", Superlative("asc", "", None, "fewest")),
        ("the bottom three", "bottom three", Superlative("asc", "", 3, "bottom")),
        ("the most viewed page", "most", Superlative("desc", "", None, "most")),
        ("the highest-rated page", "highest", Superlative("desc", "", None, "highest")),
    ],
)
def test_superlatives(question, text, value):
    assert marks(question, Deed.SUPERLATIVE) == [(text, value)]


@pytest.mark.parametrize(
    "question", ["at least 3 boats", "at most 3 boats", "most of the boats", "her last name", "a priest"]
)
def test_no_superlatives(question):
    assert not [m for m in read_operators(question) if m.deed == Deed.SUPERLATIVE]


@pytest.mark.parametrize(
    ("question", "values"),
    [
        ("how many boats are there", ["count"]),
        ("the number of boats", ["count"]),
        ("the total number of boats", ["count"]),
        ("the average depth and the maximum depth", ["avg", "max"]),
        ("the average number of boats", ["avg", "count"]),
        ("the total weight", ["sum"]),
        ("how much cargo in total", ["sum", "sum"]),
        ("the percentage of boats", ["ratio"]),
        ("a number of boats were lost", []),
    ],
)
def test_aggregates(question, values):
    assert [value for _, value in marks(question, Deed.AGGREGATE)] == values


def test_a_noun_before_number_makes_it_a_name():
    assert doubtful("the phone number of the keeper") == ["number of"]
    assert doubtful("the visit count of the tower") == ["count of"]
    assert doubtful("return the tower, number of visits") == []


def test_groups():
    assert marks("visits per guest", Deed.GROUP) == [("per", "per")]
    assert marks("for each town, the visits", Deed.GROUP) == [("for each", "for each")]
    assert marks("visits grouped by town", Deed.GROUP) == [("grouped by", "grouped by")]
    assert doubtful("towers built by Edda") == ["by"]
    assert doubtful("people who know each other") == ["each"]


def test_having():
    (mark,) = [m for m in read_operators("keepers of at least two lamps") if m.deed == Deed.HAVING]
    assert (mark.text, mark.value.operator, mark.value.value) == ("at least two", ">=", 2)
    assert marks("exactly 3 lamps", Deed.HAVING)
    assert not marks("lamps of 3 and 4", Deed.HAVING)
    assert not marks("built after 1990", Deed.HAVING)


def test_limits():
    assert marks("name 3 keepers", Deed.LIMIT) == [("3", 3)]
    assert marks("Which five ports are there?", Deed.LIMIT) == [("five", 5)]
    assert marks("all ports, limit 5", Deed.LIMIT) == [("limit 5", 5)]
    assert not marks("ports with 3 boats", Deed.LIMIT)


def test_orders():
    assert marks("ports sorted by depth in descending order", Deed.ORDER) == [
        ("sorted by", ""),
        ("in descending order", "desc"),
    ]
    assert marks("ports from lowest to highest") == [("from lowest to highest", "asc")]


def test_negation_and_what_only_belongs_to_a_comparison():
    assert marks("towers that never had a keeper", Deed.NEGATION) == [("never", "never")]
    assert marks("towers without a lamp", Deed.NEGATION) == [("without", "without")]
    assert marks("keepers who don't sail", Deed.NEGATION) == [("don't", "don't")]
    assert not marks("no more than 5 lamps", Deed.NEGATION)
    assert not marks("not before 1990", Deed.NEGATION)


def test_distinct_both_and_either():
    assert marks("distinct ports", Deed.DISTINCT) == [("distinct", "distinct")]
    assert marks("both lamps and towers", Deed.BOTH) == [("both", "both")]
    assert marks("either red or green", Deed.EITHER) == [("either", "either")]
    assert doubtful("either red or green") == ["or"]


def test_time_seen_from_now():
    assert marks("visits in the last 3 days", Deed.RELATIVE) == [("last 3 days", Relative(3, "day", 0))]
    assert marks("visits last year", Deed.RELATIVE) == [("last year", Relative(1, "year", 1))]
    assert marks("visits this month", Deed.RELATIVE) == [("this month", Relative(1, "month", 0))]
    assert marks("visits yesterday", Deed.RELATIVE) == [("yesterday", Relative(1, "day", 1))]
    assert not marks("visits in the last 3 days", Deed.SUPERLATIVE)


def test_nothing_within_quotation_marks():
    assert read_operators("the film 'The Last of the Most'") == []


@settings(max_examples=40, deadline=None)
@given(st.text(max_size=60))
def test_any_text_can_be_read(text):
    for mark in read_operators(text):
        assert text[mark.start : mark.end] == mark.text
