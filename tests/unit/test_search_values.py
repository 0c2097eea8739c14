"""The index of values: what is found in a question, what is known of a property, what is no value."""

from __future__ import annotations

from collections import Counter

import pytest
from test_search_collect import label, schema

from arcgraph.domain import Count, Endpoint, PassageHome, PropertyInfo, RelationHome, Schema, TypeInfo
from arcgraph.search.holders import LONGEST_VALUE, Holder, Values, _split, is_value, ranged_holders, text_holders
from arcgraph.search.lookup import likeness, pattern
from arcgraph.search.values import Known, ValueIndex, ValueMention
from arcgraph.settings import SearchSettings


def column(owner: str, key: str, values: dict[str, int], *, side="node", pieces=None) -> Values:
    info = PropertyInfo(key, {"string": 5}, 5, Count(10), Count(len(values)))
    return Values(Holder(side, owner, key, info), Counter(values), Counter(pieces or {}))


INDEX = ValueIndex.of(
    [
        column("Tower", "paint", {"red": 5, "white": 4, "red, white": 2}, pieces={"red": 2, "white": 2}),
        column("Boat", "paint", {"Red": 3, "dark green": 2}),
        column("Boat", "grade", {"A": 3, "No": 1, "B+": 2}),
        column("Boat", "state", {"Under repair": 2, "Afloat": 7}),
        column("Keeper", "phone", {"3-(555)010-2233": 1, "3-(555)010-2234": 1}),
        column("VISITED", "purpose", {"SURVEY": 4, "REPAIR": 6}, side="relationship"),
    ]
)


def found(question: str, index: ValueIndex = INDEX) -> list[tuple]:
    return [(m.owner, m.key, m.values, m.how) for m in index.find(question) if m.maximal]


# --- found in questions ------------------------------------------------------------------------------------------


def test_every_property_of_a_text_is_an_alternative():
    assert set(found("which ones are red")) == {
        ("Tower", "paint", ("red",), "exact"),
        ("Boat", "paint", ("Red",), "folded"),
    }
    mentions = [m for m in INDEX.find("which ones are red") if m.owner == "Tower"]
    assert sorted((m.is_piece, m.count) for m in mentions) == [(False, 5), (True, 2)]
    assert {m.text for m in mentions} == {"red"}


@pytest.mark.parametrize(
    ("question", "value", "how"),
    [
        ("boats that are UNDER REPAIR", "Under repair", "folded"),
        ("how many surveys were there", "SURVEY", "inflected"),
        ("the number 3-(555)010-2233", "3-(555)010-2233", "exact"),
        ("boats painted dark-green", "dark green", "folded"),
        ("boats under reapir", "Under repair", "fuzzy"),
    ],
)
def test_how_a_value_is_found(question, value, how):
    assert (value, how) in [(values[0], by) for _, _, values, by in found(question)]


def test_the_longest_comes_first():
    mentions = INDEX.find("boats under repair")
    assert (mentions[0].values, mentions[0].maximal) == (("Under repair",), True)
    assert [m.maximal for m in mentions if m.values == ("REPAIR",)] == [False]


def test_short_values_need_their_case_or_quotation_marks():
    assert found("a boat of no grade") == []
    assert found("boats of grade A") == [("Boat", "grade", ("A",), "exact")]
    assert ("Boat", "grade", ("No",), "folded") in found('grade "no"')


def test_edges_have_values_too():
    (mention,) = [m for m in INDEX.find("who came for a survey") if m.key == "purpose"]
    assert (mention.column.side, mention.owner, mention.count) == ("relationship", "VISITED", 4)


def test_a_question_without_values():
    assert found("who sails") == []
    assert ValueIndex.of([]).find("who sails") == []


# --- known of a property -----------------------------------------------------------------------------------------


def test_lookup():
    assert INDEX.lookup("Boat", "paint", "red") == [Known("Red", 3)]
    assert INDEX.lookup("Tower", "paint", "red") == [Known("red", 5), Known("red", 2, is_piece=True)]
    assert INDEX.lookup("Boat", "paint", "blue") == []
    assert INDEX.lookup("Boat", "nothing", "red") == []
    assert INDEX.lookup("Boat", "grade", "a") == [Known("A", 3)]
    assert INDEX.lookup("Keeper", "phone", "3-(555)010-2239") == []


def test_all_values_of_a_property():
    assert INDEX.values("Boat", "state") == [Known("Afloat", 7), Known("Under repair", 2)]
    assert INDEX.values("Tower", "paint")[-1].is_piece
    assert INDEX.values("Tower", "mood") == []
    assert INDEX.column("Tower", "paint").complete
    assert INDEX.column("Tower", "mood") is None


def test_near():
    assert INDEX.near_values("under reapir")[0] == "Under repair"
    first = INDEX.near("dark grey green", 1)[0]
    assert isinstance(first, ValueMention)
    assert (first.owner, first.values) == ("Boat", ("dark green",))


# --- what is a value ---------------------------------------------------------------------------------------------


def keys(known: Schema, settings: SearchSettings | None = None) -> set[tuple[str, str]]:
    return {(holder.owner, holder.key) for holder in text_holders(known, settings or SearchSettings())}


def test_names_have_their_own_index():
    known = schema(
        label("Boat", naming="name", identifying="code", name="string", code="string", aliases="list", paint="string"),
        label("Berth", identifying="code", code="string", depth="float"),
    )
    assert keys(known) == {("Boat", "code"), ("Boat", "paint")}
    assert [(h.owner, h.key) for h in ranged_holders(known, SearchSettings())] == [("Berth", "depth")]


def test_prose_vectors_and_structure_are_no_values():
    edge = TypeInfo(
        "SAYS", Count(5), {k: PropertyInfo(k, {"string": 5}, 5, Count(5), Count(5)) for k in ("what", "ids", "mood")}
    )
    known = Schema(
        {
            "Chunk": label("Chunk", text="string", story="text", shape="vector", source="string"),
        },
        {"SAYS": edge},
        (Endpoint("Chunk", "SAYS", "Chunk", Count(5)),),
        relations=RelationHome("property", type="SAYS", key="what"),
        passages=PassageHome("Chunk", "text", edge_key="ids"),
    )
    assert keys(known) == {("Chunk", "source"), ("SAYS", "mood")}


def test_excluded_labels_and_properties_stay_out():
    known = schema(label("Boat", paint="string", secret="string"), label("Diary", mood="string"))
    assert keys(known, SearchSettings(exclude_labels=("Diary",), exclude_properties=("Boat.secret",))) == {
        ("Boat", "paint")
    }
    assert keys(known, SearchSettings(include_labels=("Diary",))) == {("Diary", "mood")}


def test_long_and_blank_texts_are_no_values():
    assert is_value("x" * LONGEST_VALUE)
    assert not is_value("x" * (LONGEST_VALUE + 1))
    assert not is_value("  ")


def test_texts_that_enumerate_are_parted_if_their_parts_come_back():
    paints = column("Boat", "paint", {"red": 5, "red, green": 2, "green, white": 1})
    _split(paints)
    assert paints.pieces == {"red": 2, "green": 3, "white": 1}
    places = column("Boat", "place", {"Oslo, Norway": 1, "Bergen, Harbour": 1, "Rome": 4})
    _split(places)
    assert not places.pieces


# --- likeness ----------------------------------------------------------------------------------------------------


def test_patterns():
    assert pattern("B44 2ny-") == "A99 9aa-"


def test_texts_written_alike():
    assert likeness("B44 2NY", ["K12 6TB"]) == 1.0
    assert likeness("B4 2NY", ["K12 6TB"]) == 0.9
    assert likeness("a1b2", ["9zz8"]) == 0.8
    assert likeness("B44 2NY", ["Edda"]) == 0.1
    assert likeness("anything", []) == 0.5
