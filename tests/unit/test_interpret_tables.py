"""Linking and assembly of questions about values, over a schema and values of our own."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from arcgraph.domain import Count, Endpoint, LabelInfo, PropertyInfo, Schema, TypeInfo
from arcgraph.graph.pattern import Aggregate, Filter, Order, Pattern, PatternNode, Projection, Property
from arcgraph.interpret.tables import mentions, ranking
from arcgraph.interpret.tables.catalog import Catalog
from arcgraph.interpret.tables.reading import Doubts, TableReader, TableReading, unsaid_by_paths
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


# --- what is ruled out -------------------------------------------------------------------------------------------


def test_a_relation_that_must_not_be_there_is_absent(reader: TableReader) -> None:
    found = best(reader, "Which barges have not passed a lock?")
    assert [n.labels for n in found.pattern.nodes] == [("Barge",)]
    (part,) = found.pattern.absent
    assert [n.labels for n in part.nodes] == [("Lock",)]
    assert [d.type for h in part.hops for d in h.descriptors] == ["PASSED"]
    assert found.doubts.lost == 0
    assert "not barge -passed-> lock" in found.words()


def test_what_stands_before_a_denial_is_not_denied(reader: TableReader) -> None:
    """The skipper is asked for, so the way to the skipper stays."""
    found = best(reader, "Which skippers steer barges that have not passed a lock?")
    assert {n.labels[0] for n in found.pattern.nodes} == {"Skipper", "Barge"}
    assert [n.labels[0] for part in found.pattern.absent for n in part.nodes] == ["Lock"]


@pytest.mark.parametrize(
    ("question", "condition"),
    [
        ("Which barges do not have the hull colour red?", Filter(Property("n0", "hullColour"), "<>", "red")),
        ("Which barges have no hull colour?", Filter(Property("n0", "hullColour"), "is null")),
        ("Which barges were not built after 1960?", Filter(Property("n0", "built"), "<=", 1960)),
        ("Which barges have the hull colour red or grey?", Filter(Property("n0", "hullColour"), "in", ["red", "grey"])),
    ],
)
def test_conditions_are_turned_and_joined(reader: TableReader, question: str, condition: Filter) -> None:
    found = best(reader, question)
    assert found.pattern.filters == (condition,), found.words()
    assert found.doubts.lost == 0


@pytest.mark.parametrize(
    "question",
    [
        "Which barges were built in the last 3 years?",
        "Which barges were built before 1960 or after 1980?",
        "Which skippers never ever, under no circumstances, laughed?",
    ],
)
def test_a_word_that_nothing_follows_is_lost(reader: TableReader, question: str) -> None:
    assert best(reader, question).doubts.lost > 0


def test_superlatives_of_moments_and_of_amounts(reader: TableReader) -> None:
    oldest = best(reader, "Which barge is the oldest?").pattern
    assert (oldest.returns[-1].expression, oldest.order[0].descending, oldest.limit) == (
        Property("n0", "built"), False, 1
    )  # fmt: skip
    longest = best(reader, "Top 2 barges by length").pattern
    assert (longest.returns[-1].expression, longest.order[0].descending, longest.limit) == (
        Property("n0", "length_m", numeric=True), True, 2
    )  # fmt: skip


def test_what_paths_leave_unsaid() -> None:
    assert unsaid_by_paths("Which barges never passed Upper Lock?", []) == ["never"]
    assert unsaid_by_paths("Which barges passed 'Nowhere Lock' in 1990?", []) == ["Nowhere Lock", "1990"]
    assert unsaid_by_paths("How many barges passed Upper Lock?", []) == []


# --- how sure ----------------------------------------------------------------------------------------------------


def test_confidence_falls_with_every_doubt(reader: TableReader) -> None:
    sure = best(reader, "Which barges have the hull colour red?")
    at_first = ranking.confidence(sure, [sure])
    assert at_first > ranking.LEAST_SURE
    for doubts in (Doubts(lost=1), Doubts(dropped=3.0), Doubts(vague=2), Doubts(hops=2), Doubts(loose=2.0)):
        assert ranking.confidence(replace(sure, doubts=doubts), [sure]) < at_first
    lost = replace(sure, doubts=Doubts(lost=1))
    assert ranking.confidence(lost, [lost]) < ranking.LEAST_SURE
    rival = replace(sure, score=sure.score + 1)
    assert ranking.confidence(sure, [rival, sure]) < at_first
    assert ranking.loses([lost])
    assert not ranking.loses([lost, sure])


def test_a_table_leads_where_it_says_what_no_path_can(reader: TableReader) -> None:
    table = best(reader, "Which barges have the hull colour red?")
    assert ranking.leads([table], None)
    counted = best(reader, "What is the average length of barges for each hull colour?")
    assert ranking.is_clear([counted])
    assert not ranking.is_clear([table])
    assert not ranking.is_clear([replace(counted, doubts=replace(counted.doubts, lost=1))])
