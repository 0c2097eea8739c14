"""Which property names an entity: each rule on values made for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from arcgraph.domain import Count, PropertyInfo
from arcgraph.graph.introspect.naming import choose_naming, split_key
from arcgraph.graph.introspect.properties import KeyProfile, Owner, profile_values

PEOPLE = ["Ada Lovelace", "Alan Turing", "Grace Hopper", "Barbara Liskov", "Edsger Dijkstra", "Donald Knuth"]
CITIES = ["Lima", "Oslo", "Lima", "Oslo", "Lima", "Oslo"]
CODES = ["X-101", "X-102", "X-103", "X-104", "X-105", "X-106"]


def profiles(columns: Mapping[str, Sequence[Any]]) -> list[KeyProfile]:
    """Profiles of keys whose values are given; ``None`` where a node lacks the key."""
    size = max(map(len, columns.values()))
    owner = Owner("node", "Thing", Count(size))
    found = []
    for key, column in columns.items():
        values = [value for value in column if value is not None]
        found.append(profile_values(key, owner, Count(len(values)), values, size))
    return found


def named(label: str, **columns: Sequence[Any]) -> str | None:
    return choose_naming(label, profiles(columns))[0]


def told_apart(label: str, **columns: Sequence[Any]) -> str | None:
    return choose_naming(label, profiles(columns))[1]


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("productName", ("product", "name")),
        ("company_name", ("company", "name")),
        ("companyname", ("company", "name")),
        ("HTMLTitle", ("html", "title")),
        ("full-name", ("full", "name")),
        ("orderID", ("order", "id")),
        ("line2", ("line", "2")),
        ("name", ("name",)),
        ("名称", ("名称",)),
        ("---", ()),
    ],
)
def test_keys_fall_into_words(key, words):
    assert split_key(key) == words


def test_name_beats_other_text():
    assert named("Person", city=["A b", "C d", "E f", "G h", "I j", "K l"], name=PEOPLE) == "name"


def test_name_in_the_words_of_the_label_beats_somebody_elses_name():
    columns = {"categoryName": ["Tea", "Beer", "Fish"], "contactName": ["Ann Lee", "Bo Ek", "Cy Fox"]}
    assert named("Category", **columns) == "categoryName"


def test_prefix_shared_with_other_keys_speaks_of_something_else():
    columns = {"contactName": PEOPLE, "contactTitle": ["Owner"] * 6, "companyName": [f"{p} Ltd" for p in PEOPLE]}
    assert named("Customer", **columns) == "companyName"


def test_name_of_something_else_that_repeats_names_nothing():
    columns = {"shipName": ["Ann", "Bo"] * 3, "shipCity": CITIES, "orderID": [1, 2, 3, 4, 5, 6]}
    assert named("Order", **columns) is None
    assert told_apart("Order", **columns) == "orderID"


def test_family_name_names_better_than_nothing_and_than_first_name():
    columns = {"firstName": ["Ada", "Alan", "Grace", "Barb", "Ed", "Don"], "lastName": [p.split()[1] for p in PEOPLE]}
    assert named("User", **columns) == "lastName"


def test_whole_name_beats_its_parts():
    columns = {"first_name": ["Ada", "Alan", "Grace", "Barb", "Ed", "Don"], "display_name": PEOPLE}
    assert named("User", **columns) == "display_name"


def test_names_may_repeat_where_the_key_is_a_name():
    assert named("Process", name=["nginx", "redis"] * 3) == "name"


def test_numbers_name_where_the_key_says_so_only():
    assert named("Year", name=[1999, 2000, 2001]) == "name"
    assert named("Year", value=[1999, 2000, 2001]) is None


def test_text_in_words_names_without_any_hint():
    assert named("Thing", zorp=PEOPLE) == "zorp"


def test_text_in_words_that_repeats_does_not():
    assert named("Thing", zorp=CITIES) is None


def test_names_in_a_script_without_blanks():
    assert named("城市", 名称=["北京", "上海", "广州"], 编号=["A1", "A2", "A3"]) == "名称"
    assert named("城市", 甲=["北京", "上海", "广州"]) == "甲"


@pytest.mark.parametrize(
    "values",
    [
        CODES,
        ["10.0.0.1", "10.0.0.2", "10.0.0.3"],
        ["https://a.example/1", "https://a.example/2", "https://a.example/3"],
        ["ann@a.example", "bo@a.example", "cy@a.example"],
        ["2020-01-01", "2020-01-02", "2020-01-03"],
        ["0f1e2d3c4b5a69788796a5b4", "1f1e2d3c4b5a69788796a5b4", "2f1e2d3c4b5a69788796a5b4"],
        ["M1 1AA", "M1 1AB", "M1 1AC"],
    ],
    ids=["codes", "ips", "urls", "emails", "dates", "hashes", "postcodes"],
)
def test_what_is_no_word_names_nothing(values):
    assert named("Thing", zorp=values) is None


def test_addresses_name_nothing_even_under_name():
    assert named("Site", name=[f"https://a.example/{i}" for i in range(5)]) is None


def test_long_text_names_nothing():
    assert named("Chunk", content=[f"{i} " + "and so on " * 30 for i in range(5)]) is None


def test_rare_key_names_nothing():
    assert named("Thing", name=["Ann", *[None] * 9]) is None


@pytest.mark.parametrize(
    ("label", "key", "values"),
    [
        ("Order", "orderID", ["10248", "10249", "10250"]),
        ("Officer", "badge_no", ["26-1", "26-2", "26-3"]),
        ("Email", "email_address", ["ann@a.example", "bo@a.example", "cy@a.example"]),
        ("Crime", "id", ["a" * 60 + f"{i:04x}" for i in range(5)]),
        ("Interface", "ip", ["10.0.0.1", "10.0.0.2", "10.0.0.3"]),
        ("Vehicle", "reg", ["RY52 APF", "MO92 GUF", "RD82 VHD"]),
    ],
)
def test_keys_tell_apart_what_nothing_names(label, key, values):
    columns = {key: values, "kind": ["a"] * len(values), "size": list(range(len(values)))}
    assert (named(label, **columns), told_apart(label, **columns)) == (None, key)


def test_own_id_beats_the_id_of_something_else():
    columns = {"supplierID": [1, 2, 3], "productID": [7, 8, 9]}
    assert told_apart("Product", **columns) == "productID"


@pytest.mark.parametrize(
    "values",
    [[1.5, 2.5, 3.5], [10, 20, 30], ["2020-01-01", "2020-01-02", "2020-01-03"], ["a1", "a1", "b2"], ["a1", "b2"]],
    ids=["floats", "measures", "dates", "repeating", "too few to tell"],
)
def test_what_does_not_identify(values):
    assert told_apart("Thing", zorp=values) is None


def test_number_of_few_different_values_does_not_identify():
    assert told_apart("Thing", code=[1, 1, 2, 2, 3, 3]) is None


def test_nothing_at_all():
    assert choose_naming("Thing", []) == (None, None)


def test_the_words_of_the_key_must_do_where_no_value_was_read():
    unread = [
        KeyProfile(PropertyInfo(key, {}, 0, Count(9), Count(0, exact=False)), 1.0, ()) for key in ("name", "town", "id")
    ]
    assert choose_naming("Thing", unread) == ("name", None)
