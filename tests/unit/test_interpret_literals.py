"""Literals of a question and how they are compared."""

from __future__ import annotations

import pickle
from datetime import UTC, date, datetime, time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from neo4j.time import Duration

from arcgraph.interpret.bounds import Bounds
from arcgraph.interpret.dates import PartialDate
from arcgraph.interpret.literals import Kind, Literal, Quantity, read_literals, read_value


def read(question: str) -> list[tuple]:
    """Kind, value and operator (``None`` where nothing is compared) of each literal."""
    return [(x.kind.value, x.value, x.operator if x.comparison else None) for x in read_literals(question)]


def one(question: str, kind: str | None = None) -> Literal:
    found = [x for x in read_literals(question) if kind in (None, x.kind)]
    assert len(found) == 1, found
    return found[0]


# --- comparing ---------------------------------------------------------------------------------------------------


FRAGMENTS = ("29 February", "31", "2017", "9999-12-31T23:59", "2017-05-03T10:00+99:00", "1 May", "99" * 20, "years",
             "from", "to", "between", "and", "after", "the 10th", "century", "°", "10:61", "%", "-")  # fmt: skip
TYPES = ("integer", "float", "date", "datetime", "localdatetime", "time", "localtime", "duration", "string")


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(FRAGMENTS), min_size=1, max_size=7).map(" ".join))
def test_what_the_calendar_does_not_have_raises_nothing(text):
    for literal in read_literals(text):
        for name in TYPES:
            literal.bounds(name)


def test_days_that_are_not_and_numbers_beyond_the_database_have_no_bounds():
    (span,) = read_literals("from 29 February to 3 March 2017")
    assert span.value == PartialDate(None, 2, 29)
    assert span.bounds("date") is None
    (many,) = (one for one in read_literals(f"more than {10**30} seats") if one.kind == Kind.INTEGER)
    assert many.bounds("integer") is None
    (long,) = read_literals(f"longer than {10**30} years")
    assert long.bounds("duration") is None


def test_values_of_one_enumeration_are_compared_each_by_itself():
    one, other = read_literals("founded before 1990, or in 1988 or 1999")[-2:]
    assert (one.text, one.operator, other.text, other.operator) == ("1988", "=", "1999", "=")
    assert one.comparison.start < one.start
    assert (other.comparison.start, other.comparison.end) == (other.start, other.start)


@pytest.mark.parametrize(
    ("question", "operator", "value"),
    [
        ("towers with at least 3 lamps", ">=", 3),
        ("towers with no more than 3 lamps", "<=", 3),
        ("not more than 12 boats", "<=", 12),
        ("no fewer than 12 boats", ">=", 12),
        ("not less than 4 rooms", ">=", 4),
        ("over 1,000 guests", ">", 1000),
        ("under 20 tonnes", "<", Quantity(20, "t")),
        ("exactly 4 masts", "=", 4),
        ("5 or more crew", ">=", 5),
        ("7 or fewer", "<=", 7),
        ("7 lamps or more", ">=", 7),
        ("7 lamps at most", "<=", 7),
        ("4 and above", ">=", 4),
        ("a draught that is 9 at most", "<=", 9),
        ("a depth >= 2.5", ">=", 2.5),
        ("a depth < 2.5", "<", 2.5),
        ("a depth != 3", "<>", 3),
        ("not 3", "<>", 3),
        ("other than 3", "<>", 3),
        ("greater than or equal to 80", ">=", 80),
        ("equal to 80", "=", 80),
        ("not equal to 80", "<>", 80),
        ("a keeper older than 50", ">", 50),
        ("a keeper younger than 50", "<", 50),
        ("more than a total of 6", ">", 6),
        ("up to 30 boats", "<=", 30),
        ("a minimum of two lamps", ">=", 2),
        ("-5 or below", "<=", -5),
    ],
)
def test_amounts(question, operator, value):
    literal = one(question)
    assert (literal.operator, literal.value) == (operator, value)
    assert literal.comparison is not None
    assert question[literal.start : literal.end] == literal.text


@pytest.mark.parametrize(
    ("question", "operator"),
    [
        ("built in 1990", "="),
        ("built before 1990", "<"),
        ("built not before 1990", ">="),
        ("built after the year 1990", ">"),
        ("built since 1990", ">="),
        ("built until 1990", "<="),
        ("built by 1990", "<="),
        ("built in or after 1990", ">="),
        ("built no later than 1990", "<="),
        ("built in 1990 or later", ">="),
        ("built in 1990 or earlier", "<="),
        ("built 1990 and before", "<="),
        ("from 1990 on", ">="),
        ("from 1990 onwards", ">="),
        ("boats older than 1990", "<"),
        ("boats newer than 1990", ">"),
        ("not in 1990", "<>"),
    ],
)
def test_years(question, operator):
    literal = one(question)
    assert (literal.kind, literal.value, literal.operator) == (Kind.YEAR, 1990, operator)


def test_a_year_only_where_years_are_compared():
    assert read("more than 2000 guests before 2000") == [("integer", 2000, ">"), ("year", 2000, "<")]
    assert read("in the year 299") == [("year", 299, "=")]
    assert read("page 299") == [("integer", 299, None)]


def test_values_in_a_row_are_compared_alike():
    assert read("in 2008, 2010 or 2012") == [("year", 2008, "="), ("year", 2010, "="), ("year", 2012, "=")]
    assert read("other than 'red' or 'green'") == [("quoted", "red", "<>"), ("quoted", "green", "<>")]
    assert read("before 2008 or 2010") == [("year", 2008, "<"), ("year", 2010, None)]
    assert read("30 boats or under repair") == [("integer", 30, None)]


def test_parts_of_texts():
    assert read("numbers starting with 780") == [("code", "780", "starts with")]
    assert read("names that start with 'Kit'") == [("quoted", "Kit", "starts with")]
    assert read("names that do not contain 'Kit'") == [("quoted", "Kit", "not contains")]
    assert read("names that don't start with 'Kit'") == [("quoted", "Kit", "not starts with")]
    assert read("seen more than once, or exactly one") == [("integer", 1, ">"), ("integer", 1, "=")]
    assert read("once seen by one") == []
    # What is counted is no number to compare with.
    assert read("the number of 1989 cars is 4")[0] == ("year", 1989, "=")
    assert read("ending with “wake”") == [("quoted", "wake", "ends with")]
    assert read('whose note contains "oil lamp"') == [("quoted", "oil lamp", "contains")]
    assert read("is not 'red'") == [("quoted", "red", "<>")]


@pytest.mark.parametrize(
    ("question", "low", "high"),
    [
        ("between 5 and 10", 5, 10),
        ("from 1990 to 1995", 1990, 1995),
        ("1990-1995", 1990, 1995),
        ("5 to 10 boats", 5, 10),
        ("between two and four", 2, 4),
        ("between the years 1990 and 1995", 1990, 1995),
        ("between May 1, 2015, and May 3, 2015", date(2015, 5, 1), date(2015, 5, 3)),
        ("from 1 May to 3 May 2017", date(2017, 5, 1), date(2017, 5, 3)),
        ("between 9:30 and 11:00", time(9, 30), time(11)),
    ],
)
def test_ranges(question, low, high):
    literal = one(question)
    assert literal.until is not None
    assert (literal.operator, literal.value, literal.until.value) == ("range", low, high)


def test_what_looks_like_a_range():
    assert read("two and four lamps") == [("integer", 2, None), ("integer", 4, None)]
    assert read("lamps 2 and 3") == [("integer", 2, None), ("integer", 3, None)]
    assert read("10 to 5") == [("integer", 10, None), ("integer", 5, None)]


def test_no_comparison_where_no_word_says_so():
    for question in ("Apollo 13", "Area 51", "Blade Runner 2049", "R2-D2", "IG-88", "B44 2NY"):
        assert {x.comparison for x in read_literals(question)} == {None}


# --- values ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1,234,567", 1_234_567),
        ("12.5", 12.5),
        ("1.2 million", 1_200_000),
        ("2.3 million", 2_300_000),
        ("5k", 5_000),
        ("3M", 3_000_000),
        ("three", 3),
        ("twenty-five", 25),
        ("two dozen", 24),
        ("a dozen", 12),
        ("a hundred and twenty", 120),
        ("three hundred thousand", 300_000),
        ("two million five hundred", 2_000_500),
        ("half a million", 500_000),
    ],
)
def test_numbers(text, value):
    literal = one(f"about {text} boats")
    assert (literal.text, literal.value) == (text, value)
    assert type(literal.value) is type(value)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**12))
def test_any_number_with_and_without_separators(number):
    for text in (str(number), f"{number:,}"):
        assert number in [x.value for x in read_literals(f"there are {text} of them")]


def test_one_counts_only_where_it_is_compared():
    assert read("which one of them has one lamp") == []
    assert read("at least one lamp") == [("integer", 1, ">=")]


@pytest.mark.parametrize(
    ("text", "number", "unit"),
    [
        ("3 kg", 3, "kg"),
        ("$500", 500, "$"),
        ("£3,500", 3_500, "£"),
        ("$1.5 million", 1_500_000, "$"),
        ("20%", 20, "%"),
        ("20 percent", 20, "%"),
        ("5m", 5, "m"),
        ("95-second", 95, "second"),
        ("two weeks", 2, "week"),
        ("1.5 hours", 1.5, "hour"),
    ],
)
def test_units(text, number, unit):
    literal = one(f"more than {text} long")
    assert (literal.text, literal.value, literal.number) == (text, Quantity(number, unit), number)


def test_durations_are_those_of_the_database():
    assert Quantity(2, "week").duration == Duration(days=14)
    assert Quantity(18, "month").duration == Duration(months=18)
    assert Quantity(1.5, "hour").duration == Duration(seconds=5_400)
    assert Quantity(3, "kg").duration is None


def test_dates():
    day = date(2017, 8, 24)
    for text in (
        "2017-08-24",
        "24 August 2017",
        "24th of August 2017",
        "August 24, 2017",
        "Aug 24th 2017",
        "24/08/2017",
    ):
        literal = one(f"on {text}")
        assert (literal.kind, literal.value, literal.text, literal.operator) == (Kind.DATE, day, text, "=")


def test_days_and_months_that_can_be_exchanged_are_both_kept():
    found = read_literals("on 12/08/2017")
    assert [x.value for x in found] == [date(2017, 8, 12), date(2017, 12, 8)]
    assert {x.span for x in found} == {(3, 13)}


def test_what_is_not_written_stays_open():
    assert read("in May 2017") == [("month", PartialDate(2017, 5), "=")]
    assert read("in May") == [("month", PartialDate(None, 5), "=")]
    assert read("on August 3") == [("date", PartialDate(None, 8, 3), "=")]
    assert read("in the 1990s") == [("decade", 1990, "=")]
    assert read("the nineties") == [("decade", 1990, None)]
    assert read("in the 19th century") == [("century", 19, "=")]
    assert read("Who may march to May Castle?") == []


def test_days_that_the_calendar_lacks_are_no_dates():
    assert not [x for x in read_literals("on 2017-02-30 or 31/04/2017") if x.kind == Kind.DATE]


def test_times():
    for text in ("9:30 pm", "21:30", "9:30 p.m."):
        assert one(f"at {text}").value == time(21, 30)
    assert one("at 9pm").value == time(21)
    assert one("before noon").value == time(12)
    assert one("12:05 am").value == time(0, 5)
    assert read("at 25:10") == []


def test_datetimes():
    assert one("at 2017-08-24T10:00:00Z").value == datetime(2017, 8, 24, 10, tzinfo=UTC)
    assert one("at 2017-08-24 10:15").value == datetime(2017, 8, 24, 10, 15)


@pytest.mark.parametrize(
    "code",
    [
        "B44 2NY", "QX52 ABC", "R2-D2", "IG-88", "t-47", "AB1-CDE-2-2", "3-(555)010-2233", "555-010-2233",
        "555-01-0123", "44-1234567", "+49 30 1234567", "978-3-16-148410-0", "192.0.2.204", "kay@example.org",
        "https://example.org/a?b=1", "4f0c6c9e-7b1f-4c39-9c1c-2d5b8a1b7e10", "00:1b:44:11:3a:b7", "007", "1234567",
    ],
)  # fmt: skip
def test_codes(code):
    found = [x.text for x in read_literals(f"the record of {code}, please") if x.kind == Kind.CODE]
    assert code in found
    assert found[0] == code


def test_the_parts_of_a_code_are_alternatives_behind_it():
    assert [x.text for x in read_literals("near B44 2NY")] == ["B44 2NY", "B44", "2NY"]


def test_quoted_texts_are_texts_and_what_they_read_as():
    assert read("number '12' and \"2017-08-24\"") == [
        ("integer", 12, None),
        ("quoted", "12", None),
        ("date", date(2017, 8, 24), None),
        ("quoted", "2017-08-24", None),
    ]
    assert read("called '12 Park Lane'") == [("quoted", "12 Park Lane", None)]


def test_ordinals():
    assert read("the 3rd oldest and the second one") == [("ordinal", 3, None), ("ordinal", 2, None)]
    assert read("her first name, the first 3 boats") == [("integer", 3, None)]


def test_a_whole_text():
    assert [x.value for x in read_value("1,240")] == [1240]
    assert read_value("1,240 boats") == []


@settings(max_examples=40, deadline=None)
@given(st.text(max_size=60))
def test_any_text_can_be_read(text):
    for literal in read_literals(text):
        assert text[literal.start : literal.end] == literal.text
        assert pickle.loads(pickle.dumps(literal)) == literal
        for name in ("integer", "date", "datetime", "localtime", "duration", "string", "boolean"):
            literal.bounds(name)


# --- bounds ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "type_name", "bounds"),
    [
        ("in 1990", "date", Bounds(date(1990, 1, 1), date(1991, 1, 1))),
        ("after 1990", "date", Bounds(date(1991, 1, 1), None)),
        ("since 1990", "date", Bounds(date(1990, 1, 1), None)),
        ("before 1990", "date", Bounds(None, date(1990, 1, 1))),
        ("until 1990", "date", Bounds(None, date(1991, 1, 1))),
        ("from 1990 to 1995", "date", Bounds(date(1990, 1, 1), date(1996, 1, 1))),
        ("not in 1990", "date", Bounds(date(1990, 1, 1), date(1991, 1, 1), negated=True)),
        ("in December 2017", "date", Bounds(date(2017, 12, 1), date(2018, 1, 1))),
        ("in the 1990s", "date", Bounds(date(1990, 1, 1), date(2000, 1, 1))),
        ("in the 19th century", "date", Bounds(date(1801, 1, 1), date(1901, 1, 1))),
        ("in the 1990s", "integer", Bounds(1990, 2000)),
        ("in 1990", "integer", Bounds(1990, 1990, has_high=True)),
        ("after 1990", "integer", Bounds(1990, None, has_low=False)),
        ("over 5.5", "float", Bounds(5.5, None, has_low=False)),
        ("at most 5", "integer", Bounds(None, 5, has_high=True)),
        ("between 5 and 10", "integer", Bounds(5, 10, has_high=True)),
        ("on 2017-08-24", "datetime", Bounds(datetime(2017, 8, 24, tzinfo=UTC), datetime(2017, 8, 25, tzinfo=UTC))),
        ("on 2017-08-24", "localdatetime", Bounds(datetime(2017, 8, 24), datetime(2017, 8, 25))),
        ("at 2017-08-24 10:15", "localdatetime", Bounds(datetime(2017, 8, 24, 10, 15), datetime(2017, 8, 24, 10, 16))),
        ("at 9:30", "localtime", Bounds(time(9, 30), time(9, 31))),
        ("at 9:30", "time", Bounds(time(9, 30, tzinfo=UTC), time(9, 31, tzinfo=UTC))),
        ("over 5", "date", None),
        ("at 23:59", "localtime", Bounds(time(23, 59), None)),
        ("on 2017-08-24", "string", Bounds("2017-08-24", "2017-08-25")),
        ("in May 2017", "string", Bounds("2017-05", "2017-06")),
        ("after 1990", "string", Bounds("1991", None)),
        ("in May", "date", None),
        ("at 9:30", "date", None),
        ("on 2017-08-24", "integer", None),
        ("over 5", "boolean", None),
    ],
)  # fmt: skip
def test_bounds(question, type_name, bounds):
    assert one(question).bounds(type_name) == bounds


def test_what_bounds_hold():
    year = Bounds(date(1990, 1, 1), date(1991, 1, 1))
    assert year.holds(date(1990, 1, 1))
    assert year.holds(date(1990, 12, 31))
    assert not year.holds(date(1991, 1, 1))
    assert not Bounds(5, None, has_low=False).holds(5)
    assert Bounds(5, 5, has_high=True).is_point
    assert not Bounds(5, 5, has_high=True, negated=True).holds(5)
    assert Bounds("wake", part="ends with").holds("Kittiwake")
    assert not Bounds("wake", part="starts with").holds("Kittiwake")
    assert Bounds("wake", part="starts with", negated=True).holds("Kittiwake")


def test_bounds_against_an_extent():
    assert Bounds(5, None).meets(1, 5)
    assert not Bounds(5, None, has_low=False).meets(1, 5)
    assert not Bounds(None, 1).meets(1, 5)
    assert Bounds(None, 1, has_high=True).meets(1, 5)
    assert Bounds(2, 3).meets(1, 5)
    assert Bounds(5, 5, has_high=True, negated=True).meets(1, 5)
    assert not Bounds(5, 5, has_high=True, negated=True).meets(5, 5)
