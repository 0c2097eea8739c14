"""Linking and assembly of questions about values, over a schema and values of our own."""

from __future__ import annotations

from collections import Counter

import pytest

from arcgraph.domain import Count, Endpoint, LabelInfo, PropertyInfo, Schema, TypeInfo
from arcgraph.graph.pattern import Aggregate, Order, Pattern, PatternNode, Projection, Property
from arcgraph.interpret.tables import mentions
from arcgraph.interpret.tables.catalog import Catalog
from arcgraph.interpret.tables.reading import TableReader, TableReading
from arcgraph.search.holders import Holder, Values
from arcgraph.search.values import ValueIndex


def _property(key: str, kind: str, samples: tuple[object, ...]) -> PropertyInfo:
    return PropertyInfo(key, {kind: 10}, 10, Count(10), Count(len(samples)), samples)


def _label(name: str, naming: str | None, *properties: PropertyInfo) -> LabelInfo:
    return LabelInfo(name, Count(10), {p.key: p for p in properties}, naming)


COLOUR = _property("hullColour", "string", ("red", "grey"))
SCHEMA = Schema(
    {
        "Barge": _label(
            "Barge", "name", _property("name", "string", ("Tern",)), COLOUR,
            _property("length_m", "string", ("12", "unknown", "31.5")), _property("built", "integer", (1950, 1981)),
        ),
        "Skipper": _label(
            "Skipper", "name", _property("name", "string", ("Mo",)), _property("licence_no", "string", ("L-77",))
        ),
        "Lock": _label("Lock", "name", _property("name", "string", ("Upper Lock",))),
    },
    {"STEERS": TypeInfo("STEERS", Count(9)), "PASSED": TypeInfo("PASSED", Count(9))},
    (Endpoint("Skipper", "STEERS", "Barge", Count(9)), Endpoint("Barge", "PASSED", "Lock", Count(9))),
)  # fmt: skip


class _NoNames:
    def find(self, _question: str) -> list[object]:
        return []

    def entries(self, _ids: object) -> list[object]:
        return []


def no_vectors(_words: object) -> None:
    """No embedder: words are told by their stems alone."""


@pytest.fixture(scope="module")
def reader() -> TableReader:
    held = Values(Holder("node", "Barge", "hullColour", COLOUR), Counter({"red": 4, "grey": 6}))
    return TableReader(SCHEMA, _NoNames(), ValueIndex.of([held]), no_vectors)  # type: ignore[arg-type]


def best(reader: TableReader, question: str) -> TableReading:
    return reader.read(question)[0]


def test_identifiers_are_words() -> None:
    assert [u.text for u in mentions.units_of("hullColour and length_m")] == ["hull", "colour", "and", "length", "m"]


def test_abbreviations_in_keys_are_written_out() -> None:
    catalog = Catalog(SCHEMA, no_vectors)
    assert [m.name for m in catalog.named_by(("licence", "number"))] == ["licence_no"]


def test_ways_are_the_shortest_first() -> None:
    ways = Catalog(SCHEMA, no_vectors).ways("Skipper", "Lock")
    assert [[step.type for step in way] for way in ways] == [["STEERS", "PASSED"]]


def test_a_value_filters_the_property_that_holds_it(reader: TableReader) -> None:
    assert best(reader, "Which barges are red?").words() == "barge where barge hull colour = red"


def test_texts_that_hold_numbers_are_compared_as_numbers(reader: TableReader) -> None:
    pattern = best(reader, "List all barges with a length greater than 20.").pattern
    assert [(f.left, f.operator, f.right) for f in pattern.filters] == [(Property("n0", "length_m", True), ">", 20)]


def test_an_aggregate_takes_the_property_behind_it(reader: TableReader) -> None:
    outputs = [p.expression for p in best(reader, "What is the average length of barges?").pattern.returns]
    assert outputs == [Aggregate("avg", Property("n0", "length_m", True))]


def test_groups_come_first(reader: TableReader) -> None:
    columns = [p.name for p in best(reader, "How many barges are there per hull colour?").pattern.returns]
    assert columns == ["hull colour", "number of barge"]


def test_labels_are_joined_over_the_schema(reader: TableReader) -> None:
    pattern = best(reader, "Find the licence number of skippers that steer red barges.").pattern
    assert [(h.descriptors[0].type, h.start, h.end) for h in pattern.hops] == [("STEERS", "n0", "n1")]
    assert [p.expression for p in pattern.returns] == [Property("n0", "licence_no")]


def test_the_closing_sentence_says_the_columns(reader: TableReader) -> None:
    pattern = best(reader, "Find all skippers who steer red barges. Return the barge name and the built.").pattern
    assert [p.expression for p in pattern.returns] == [Property("n1", "name"), Property("n1", "built")]


def test_a_quoted_text_that_is_nowhere_is_unknown(reader: TableReader) -> None:
    assert best(reader, "Which barges have the hull colour 'violet'?").doubts.unknown == 1


def test_hidden_columns_order_and_are_not_returned() -> None:
    measure = Projection(Property("n", "built"), "m", hidden=True)
    pattern = Pattern(
        (PatternNode("n", ("Barge",)),), returns=(Projection(Property("n", "name"), "name"), measure),
        order=(Order("m", descending=True),), limit=1,
    )  # fmt: skip
    text, _ = pattern.to_cypher()
    assert text.endswith("ORDER BY `m` IS NULL, `m` DESC\nLIMIT 1\nRETURN `name` AS `name`")
