"""How literals compare with properties of every type, texts that hold numbers and dates included."""

from __future__ import annotations

from datetime import UTC, date, datetime, time

import pytest
from neo4j.time import Date, DateTime

from arcgraph.domain import Count, PropertyInfo
from arcgraph.interpret.bounds import Bounds
from arcgraph.interpret.fitting import Fit, fit
from arcgraph.interpret.forms import form_of
from arcgraph.interpret.literals import Kind, read_literals


def info(*samples: object, type: str = "string", key: str = "k") -> PropertyInfo:
    return PropertyInfo(key, {type: len(samples)}, len(samples), Count(100), Count(50), tuple(samples))


def fitted(question: str, known: PropertyInfo, kind: Kind | None = None) -> Fit | None:
    """The best fit of the question's literals."""
    fits = [found for one in read_literals(question) if kind in (None, one.kind) and (found := fit(one, known))]
    return max(fits, key=lambda found: found.score, default=None)


# --- forms -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("samples", "meaning", "writing"),
    [
        (("183", "77", "unknown", "1,240"), "integer", "figures"),
        (("2.5", "36.8 ", "9"), "float", "figures"),
        (("19kt", "41.9kt", "unknown"), "float", "leading figures"),
        (("1 grade", "1", "0.9 grade"), "float", "leading figures"),
        (("1957-05-25", "1980-05-17"), "date", "iso date"),
        (("2014-12-09T13:50:51.640000Z", "2014-12-10 16:20"), "localdatetime", "iso datetime"),
        (("28/08/2017", "1/08/2017"), "date", "day first"),
        (("08/28/2017", "12/01/2017"), "date", "month first"),
        (("24.8.2017", "3.10.2017"), "date", "day first"),
        (("2017/08/24", "2017/08/25"), "date", "year first"),
        (("May 25, 1957", "June 1, 1980"), "date", "words"),
        (("04:57", "23:20"), "localtime", "clock"),
        (("2012", "1997"), "integer", "figures"),
        (("12 Park Lane", "8 Mill Road"), "string", ""),
        (("2 months", "1 week", "7 days"), "string", ""),
        (("female", "male"), "string", ""),
        (("unknown", "n/a"), "string", ""),
        ((), "string", ""),
    ],
)
def test_forms_of_texts(samples, meaning, writing):
    form = form_of(info(*samples))
    assert (form.meaning, form.writing) == (meaning, writing)


def test_forms_of_types_and_lists():
    assert form_of(info(1, 2, type="integer")).is_stored
    listed = form_of(info(["2017-08-24"], ["2017-08-25", "2017-08-26"], type="list"))
    assert (listed.meaning, listed.in_list) == ("date", True)
    assert form_of(info([1, 2], type="list")).meaning == "integer"
    assert form_of(info(type="list")).meaning == "string"


def test_days_and_months_that_may_be_exchanged_are_trusted_less():
    assert form_of(info("01/02/2017", "03/04/2017")).share == 0.5


# --- fits --------------------------------------------------------------------------------------------------------


def test_numbers_in_texts():
    found = fitted("more than 100", info("183", "77", "unknown", "1,240"))
    assert found
    assert found.stored is None
    assert found.among(["77", "100", "183", "1,240", "unknown", "n/a"]) == ["183", "1,240"]
    equal = fitted("exactly 1240", info("183", "1,240"))
    assert equal
    assert {"1240", "1,240"} <= set(equal.values)


def test_figures_with_something_behind():
    found = fitted("before 50kt", info("19kt", "41.9kt"))
    assert found
    assert found.among(["19kt", "52kt", "unknown"]) == ["19kt"]


@pytest.mark.parametrize(
    ("samples", "written"),
    [
        (("28/08/2017", "1/08/2017"), "3/08/2017"),
        (("28/08/2017", "01/08/2017"), "03/08/2017"),
        (("28.8.2017", "1.8.2017"), "3.8.2017"),
        (("2017-08-28", "2017-08-01"), "2017-08-03"),
        (("08/28/2017", "8/01/2017"), "8/03/2017"),
    ],
)
def test_dates_are_written_as_the_samples_are(samples, written):
    found = fitted("on August 3, 2017", info(*samples))
    assert found
    assert written in found.values
    assert found.admits(written)
    assert not found.admits(samples[0])


def test_a_date_is_read_as_the_property_writes_it():
    of_days, of_months = info("28/08/2017"), info("08/28/2017")
    for known, day in ((of_days, date(2017, 3, 4)), (of_months, date(2017, 4, 3))):
        fits = [found for one in read_literals("on 04/03/2017") if (found := fit(one, known))]
        assert [found.literal.value for found in fits] == [day]


def test_months_and_years_over_dates_in_texts():
    month = fitted("in August 2017", info("28/08/2017", "1/08/2017"))
    assert month
    assert len(month.values) == 31
    assert "1/08/2017" in month.values
    later = fitted("after 2016", info("28/08/2017", "1/08/2017"))
    assert later
    assert (later.stored, later.values) == (None, ())
    assert later.among(["31/12/2016", "1/01/2017"]) == ["1/01/2017"]


def test_iso_texts_sort_as_dates():
    found = fitted("before 1980", info("1957-05-25", "1993-05-25"))
    assert found
    # What begins with no figure is no moment.
    assert found.stored == Bounds("0", "1980")
    assert [text for text in ("", "1957-05-25", "unknown") if found.stored.holds(text)] == ["1957-05-25"]
    later = fitted("after 1980", info("1957-05-25", "1993-05-25"))
    assert later
    assert [text for text in ("1993-05-25", "unknown") if later.stored.holds(text)] == ["1993-05-25"]
    spaced = fitted("after 2014-12-10 16:00", info("2014-12-10 16:20", "2014-12-11 09:00"))
    assert spaced
    assert spaced.stored
    assert spaced.stored.low.startswith("2014-12-10 16:00")


def test_times_in_texts():
    found = fitted("after 9:30 pm", info("04:57", "23:20"))
    assert found
    assert found.stored == Bounds("21:31", ":")
    (unpadded,) = (fitted("at 9:30", info("4:57", "23:20")),)
    assert unpadded
    assert unpadded.values == ("9:30",)
    assert not unpadded.form.sorts


def test_typed_properties():
    day = fitted("in 2017", info(Date(2017, 1, 2), type="date"))
    assert day
    assert day.stored == Bounds(date(2017, 1, 1), date(2018, 1, 1))
    assert day.admits(Date(2017, 5, 5))
    moment = fitted("on 2017-08-24", info(DateTime(2017, 8, 24, 1, tzinfo=UTC), type="datetime"))
    assert moment
    assert moment.admits(datetime(2017, 8, 24, 23, tzinfo=UTC))
    clock = fitted("at 9:30", info(time(9, 30, 5), type="localtime"))
    assert clock
    assert clock.admits(time(9, 30, 5))


def test_years_and_amounts():
    years, counts = info(1990, 2001, type="integer"), info(3, 12, type="integer")
    in_years, in_counts = fitted("in 1995", years), fitted("in 1995", counts)
    assert in_years
    assert in_counts
    assert in_years.score > in_counts.score
    decade = fitted("in the 1990s", years)
    assert decade
    assert decade.among([1989, 1990, 1999, 2000]) == [1990, 1999]
    assert fitted("in the 1990s", counts) is None


def test_units_are_told_in_that_of_the_key():
    metres = fitted("over 250 cm", info(1.5, 4.0, type="float", key="length_m"))
    assert metres.bounds == Bounds(2.5, None, has_low=False)
    # A length is none of a mass, years are no amount of time, and a key without a unit comes after one with it.
    mass, plain = info(20.0, 90.0, type="float", key="mass_kg"), info(90, 400, type="integer", key="streams")
    assert fitted("over 250 cm", mass).score < fitted("over 250 cm", plain).score < metres.score
    assert fitted("over 20 minutes", info(1990, 2011, type="integer", key="release_year"), Kind.DURATION) is None


def test_units_of_the_key():
    minutes = fitted("over 2 hours", info(90, 150, type="integer", key="lengthMinutes"))
    assert minutes
    assert minutes.among([90, 120, 121]) == [121]
    share = fitted("over 20%", info(0.1, 0.35, type="float"))
    assert share
    assert share.among([0.1, 0.2, 0.35]) == [0.35]


def test_texts_by_how_they_are_written():
    postcode, name = info("KX12 6TB", "K2 4JD"), info("Edda", "Bo")
    code = "near B44 2NY"
    likely, unlikely = fitted(code, postcode), fitted(code, name)
    assert likely
    assert likely.values == ("B44 2NY",)
    assert likely.score == 0.9
    assert unlikely is None
    part = fitted("a name that contains 'dd'", name)
    assert part
    assert part.among(["Edda", "Bo"]) == ["Edda"]
    other = fitted("a name other than 'Bo'", name)
    assert other
    assert (other.values, other.bounds.negated) == (("Bo",), True)
    assert other.among(["Edda", "Bo"]) == ["Edda"]


def test_what_does_not_fit():
    assert fitted("over 5", info(True, False, type="boolean")) is None
    assert fitted("over 5", info("red", "green")) is None
    assert fitted("at 9:30", info(Date(2017, 1, 2), type="date")) is None
    assert fitted("on 2017-08-24", info(3, 4, type="integer")) is None
    assert fitted("'red'", info(3, 4, type="integer")) is None


# --- moments since 1970 ------------------------------------------------------------------------------------------

SECONDS, MILLISECONDS = 1_609_500_000, 1_609_500_000_000


@pytest.mark.parametrize(
    ("key", "samples", "writing"),
    [
        ("createdAt", (SECONDS, SECONDS + 9), "epoch seconds"),
        ("startTime", (MILLISECONDS,), "epoch milliseconds"),
        ("accountNumber", (SECONDS,), ""),
        ("createdAt", (SECONDS, 12), ""),
        ("createdAt", (), ""),
    ],
)
def test_whole_numbers_that_a_key_calls_moments_count_from_1970(key, samples, writing):
    form = form_of(info(*samples, type="integer", key=key))
    assert (form.writing, form.is_moment) == (writing, bool(writing))


@pytest.mark.parametrize("unit", [1, 1_000])
def test_a_year_is_a_stretch_of_moments_since_1970(unit):
    found = fitted("created in 2021", info(SECONDS * unit, type="integer", key="createdAt"))
    assert found is not None
    assert found.stored == Bounds(1_609_459_200 * unit, 1_640_995_200 * unit)


def test_a_plain_number_is_compared_with_moments_since_1970_as_it_is():
    found = fitted("created after 1600000000", info(SECONDS, type="integer", key="createdAt"), Kind.INTEGER)
    assert found is not None
    assert found.stored == Bounds(1_600_000_000, None, has_low=False)
