"""Statistics of property values: types, numbers of different values, samples."""

from __future__ import annotations

import math
from datetime import date, timezone

import pytest
from neo4j.spatial import CartesianPoint
from neo4j.time import Date, DateTime, Duration, Time

from arcgraph.domain import Count, Omitted
from arcgraph.graph.introspect.probe import stretches
from arcgraph.graph.introspect.properties import (
    Owner,
    choose_samples,
    estimate_distinct,
    profile_values,
    type_name,
)


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ("a", "string"),
        (1, "integer"),
        (True, "boolean"),
        (1.5, "float"),
        ([1, 2], "list"),
        ([0.5] * 15, "list"),
        ([0.5] * 16, "vector"),
        (b"x", "bytes"),
        (Date(2020, 1, 2), "date"),
        (date(2020, 1, 2), "date"),
        (DateTime(2020, 1, 2), "localdatetime"),
        (DateTime(2020, 1, 2, tzinfo=timezone.utc), "datetime"),  # noqa: UP017
        (Time(1, 2, 3), "localtime"),
        (Time(1, 2, 3, tzinfo=timezone.utc), "time"),  # noqa: UP017
        (Duration(days=1), "duration"),
        (CartesianPoint((1.0, 2.0)), "point"),
        (Omitted("vector", 1536), "vector"),
        (Omitted("text", 30_000), "text"),
    ],
)
def test_types_of_values(value, name):
    assert type_name(value) == name


def profile(values, carriers=None):
    owner = Owner("node", "Thing", Count(len(values)))
    return profile_values("key", owner, Count(carriers or len(values)), values, len(values))


def test_strings_are_texts_where_they_are_long_on_average():
    assert profile(["x" * 110, "x" * 128]).info.type == "string"
    assert profile(["x" * 112, "x" * 128]).info.type == "text"
    assert profile(["x", Omitted("text", 30_000)]).info.types == {"text": 2}


def test_several_types_are_all_told_the_most_frequent_first():
    info = profile(["a", 1, "b"]).info
    assert (info.types, info.type) == ({"string": 2, "integer": 1}, "string")


def test_numbers_of_different_values():
    assert estimate_distinct(["a", "b", "a"], Count(3)) == Count(2)
    assert estimate_distinct(["a", "b", "a"], Count(3, exact=False)) == Count(2, exact=False)
    # two values seen once among four sampled of a hundred, one seen twice
    expected = round(math.sqrt(100 / 4) * 2 + 1)
    assert estimate_distinct(["a", "b", "c", "c"], Count(100)) == Count(expected, exact=False)
    assert estimate_distinct(["a", "b", "c"], Count(100)) == Count(100, exact=False)
    assert estimate_distinct(["a", "a", "b", "b"], Count(100)) == Count(2, exact=False)


def test_equal_numbers_and_booleans_are_different_values():
    assert estimate_distinct([1, True, "1", 1.0], Count(4)) == Count(4)


def test_samples_are_the_frequent_values_and_some_from_all_over():
    rest = [f"v{i}" for i in range(100)]
    samples = choose_samples([*rest, "often", "often", "often", "twice", "twice"])
    assert samples[:2] == ("often", "twice")
    assert len(samples) == len(set(samples)) == 8
    assert {samples[2], samples[-1]} == {"v0", "v83"}


def test_few_values_are_all_samples():
    assert choose_samples(["b", "a", "b", "c"]) == ("b", "a", "c")


def test_samples_leave_out_bulk_and_cut_long_texts():
    samples = choose_samples([[1.0] * 64, Omitted("vector", 64), "word " * 100, ["short", "list"]])
    assert samples == (("word " * 16).rstrip() + "…", ["short", "list"])


def test_stretches_cover_small_owners_and_spread_over_large_ones():
    assert stretches(100, 100) == [(0, 100)]
    assert stretches(1000, 100) == [(0, 25), (325, 25), (650, 25), (975, 25)]
    assert stretches(10_000_000, 400)[-1] == (199_899, 100)


def test_coverage_and_distinctness():
    found = profile_values("key", Owner("node", "Thing", Count(8)), Count(4), ["a", "a", "b", "c"], 8)
    assert (found.coverage, found.distinctness, found.mean_length) == (4 / 8, 3 / 4, 1.0)
