"""Stretches of time seen from the end of the data."""

from __future__ import annotations

from datetime import date, datetime

import pytest

from arcgraph.interpret.marks import Relative
from arcgraph.interpret.tables.since import ends_of

LAST = date(2020, 3, 31)


@pytest.mark.parametrize(
    ("relative", "rolls", "ends"),
    [
        (Relative(3, "year", 0), True, (date(2017, 3, 31), None)),
        (Relative(1, "month", 1), True, (date(2020, 2, 29), None)),
        (Relative(2, "week", 0), True, (date(2020, 3, 17), None)),
        (Relative(1, "decade", 0), True, (date(2010, 3, 31), None)),
        (Relative(1, "year", 0), False, (date(2020, 1, 1), date(2021, 1, 1))),
        (Relative(1, "year", 1), False, (date(2019, 1, 1), date(2020, 1, 1))),
        (Relative(1, "month", 1), False, (date(2020, 2, 1), date(2020, 3, 1))),
        (Relative(1, "week", 0), False, (date(2020, 3, 30), date(2020, 4, 6))),
        (Relative(1, "day", 1), False, (date(2020, 3, 30), date(2020, 3, 31))),
        (Relative(1, "decade", 1), False, (date(2010, 1, 1), date(2020, 1, 1))),
        # Days have no hours, and nothing was before the year 1.
        (Relative(5, "hour", 0), True, None),
        (Relative(3_000, "year", 0), True, None),
        (Relative(10**7, "day", 0), True, None),
        (Relative(10**15, "week", 0), True, None),
    ],
)
def test_ends(relative, rolls, ends):
    assert ends_of(relative, LAST, rolls=rolls) == ends


def test_a_moment_rolls_by_hours_and_keeps_its_time():
    last = datetime(2020, 3, 31, 12, 30)
    assert ends_of(Relative(5, "hour", 0), last, rolls=True) == (datetime(2020, 3, 31, 7, 30), None)
    assert ends_of(Relative(1, "month", 0), last, rolls=True) == (datetime(2020, 2, 29, 12, 30), None)
