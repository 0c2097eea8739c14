"""Linking and assembly of questions about values, over a schema and values of our own."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from test_interpret_reader import Names

from arcgraph import Answer, Settings, Status
from arcgraph.answer.from_tables import TableAnswers
from arcgraph.domain import Anchor, Count, Endpoint, LabelInfo, PropertyInfo, Rows, Schema, TypeInfo
from arcgraph.graph.pattern import (
    Aggregate,
    Descriptor,
    Direction,
    Filter,
    Order,
    Pattern,
    PatternNode,
    Projection,
    Property,
)
from arcgraph.interpret.anchors import find_candidates
from arcgraph.interpret.assemble import Branch, Reading
from arcgraph.interpret.paths import RelationPath, Step
from arcgraph.interpret.question import Intent, read_question
from arcgraph.interpret.reader import Interpretation
from arcgraph.interpret.score import Parts
from arcgraph.interpret.tables import mentions, ranking
from arcgraph.interpret.tables.catalog import Catalog
from arcgraph.interpret.tables.leftover import Leftover
from arcgraph.interpret.tables.parse import Draft, Link, Use, Var
from arcgraph.interpret.tables.reading import Doubts, TableReader, TableReading, unsaid_by_paths
from arcgraph.search.holders import Holder, Values
from arcgraph.search.values import ValueIndex
from arcgraph.tracing import Trace


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
        "Lock": _label(
            "Lock", "name", _property("name", "string", ("Upper Lock",)), _property("dug", "integer", (1790, 1801)),
            _property("repaired", "integer", (1960, 1999)),
        ),
    },
    {"STEERS": TypeInfo("STEERS", Count(9)), "PASSED": TypeInfo("PASSED", Count(9))},
    (Endpoint("Skipper", "STEERS", "Barge", Count(9)), Endpoint("Barge", "PASSED", "Lock", Count(9))),
)  # fmt: skip


class _NoNames:
    def find(self, _question: str, *, by_meaning: bool = True) -> list[object]:
        del by_meaning
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
        "Which barges were built in the last 3 days?",
        # Dug or repaired?
        "Which lock is the oldest?",
        "Which barges that passed a lock have no lock?",
        "Which skippers never ever, under no circumstances, laughed?",
    ],
)
def test_a_word_that_nothing_follows_is_lost(reader: TableReader, question: str) -> None:
    assert best(reader, question).doubts.lost > 0


@pytest.mark.parametrize(("link", "unsaid"), [("as", 0), ("with", 1)])
def test_a_role_behind_as_says_what_a_verb_does(reader: TableReader, link: str, unsaid: int) -> None:
    asked = reader._linker.read(f"Which locks are there that Mo helmed {link} skipper?")
    words = [unit.text for unit in asked.units]
    at = {word: words.index(word) for word in ("locks", "mo", "skipper")}
    draft = Draft(
        0.0,
        (Var("Lock", True, at["locks"]), Var("Skipper", True, at["mo"])),
        (Link("PASSED", 0, 1, True, 0.8),),
        (
            Use("label", at["locks"], at["locks"] + 1, "node", 0),
            Use("value", at["mo"], at["mo"] + 1, "node", 1),
            Use("label", at["skipper"], at["skipper"] + 1, "node", 1),
        ),
        (),
        0.0,
    )
    assert Leftover(asked, draft, reader._catalog).unsaid() == unsaid


def test_only_what_is_enumerated_is_a_choice(reader: TableReader) -> None:
    chosen = Filter(Property("n0", "hullColour"), "in", ["red", "grey"])
    assert best(reader, "Which barges have the hull colour red, grey?").pattern.filters == (chosen,)
    assert chosen not in best(reader, "Which barges have the hull colour red or passed a lock, grey?").pattern.filters
    assert chosen not in best(reader, "Which barges have the hull colour red or steered grey?").pattern.filters
    darker = best(reader, "Which barges have the hull colour red or anything darker than grey?")
    assert chosen not in darker.pattern.filters
    assert darker.doubts.lost > 0


def test_two_names_joined_by_and_are_no_choice() -> None:
    named = TableReader(SCHEMA, Names(Tern="Barge", Gull="Barge"), ValueIndex.of([]), no_vectors)  # type: ignore[arg-type]
    either = [r.pattern.bindings for r in named.read("Which skippers steer Tern or Gull?")]
    both = [r.pattern.bindings for r in named.read("Which skippers steer Tern and Gull?")]
    assert any(b.values == ("Tern", "Gull") for bindings in either for b in bindings)
    assert not any(len(b.values) > 1 for bindings in both for b in bindings)


def test_what_is_denied_twice_is_left_open(reader: TableReader) -> None:
    assert best(reader, "Which barges do not never have the hull colour red?").doubts.lost > 0


def test_superlatives_of_moments_and_of_amounts(reader: TableReader) -> None:
    oldest = best(reader, "Which barge is the oldest?").pattern
    assert (oldest.returns[-1].expression, oldest.order[0].descending, oldest.limit) == (
        Property("n0", "built"), False, 1
    )  # fmt: skip
    earliest = best(reader, "Which barge has the oldest built?").pattern
    assert (earliest.order[0].column, earliest.order[0].descending) == (earliest.returns[-1].name, False)
    longest = best(reader, "Top 2 barges by length").pattern
    assert (longest.returns[-1].expression, longest.order[0].descending, longest.limit) == (
        Property("n0", "length_m", numeric=True), True, 2
    )  # fmt: skip


def test_what_paths_leave_unsaid() -> None:
    assert unsaid_by_paths("Which barges never passed Upper Lock?", []) == ["never"]
    assert unsaid_by_paths("Which barges passed 'Nowhere Lock' in 1990?", []) == ["Nowhere Lock", "1990"]
    assert unsaid_by_paths("How many barges passed Upper Lock?", []) == []
    locks = find_candidates(
        "Who passed Ys or Ulm?", Names(Ys="Lock", Ulm="Lock"), Catalog(SCHEMA, no_vectors).vocabulary
    )
    assert unsaid_by_paths("Who passed Ys or Ulm?", locks) == ["or"]
    assert unsaid_by_paths("Who passed Ys or sank?", locks[:1]) == ["or"]


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


def interpretation(question: str, parts: Parts, unsaid: tuple[str, ...] = ()) -> Interpretation:
    """A path of one hop that was read into a question."""
    anchor = Anchor("Mo", ("Skipper",), "name", ("n1",), ("4:1",), (0, 2), "Mo", "exact", 1.0)
    steers = RelationPath("Skipper", (Step(Descriptor("STEERS"), Direction.OUT, "Barge"),))
    path = Reading((Branch(anchor, steers),), Intent.LIST, 0.0, parts)
    return Interpretation(read_question(question), (), (path,), 1, unsaid=unsaid)


WELL = Parts(0.0, 0.0, 0.0, 0.0, grounded=1.0, words=3)


def test_a_table_that_says_every_word_leads_over_a_path_that_explains_the_question(reader: TableReader) -> None:
    question = "Which barges have the hull colour red?"
    table, path = best(reader, question), interpretation(question, WELL)
    assert ranking.leads([table], path)
    for doubts in (Doubts(lost=1), Doubts(vague=1), Doubts(dropped=1.0)):
        assert not ranking.leads([replace(table, doubts=doubts)], path)
    assert not ranking.leads([replace(table, is_path=True)], path)
    assert not ranking.leads([replace(table, fit=0.5)], path)


def test_a_table_leads_where_a_path_leaves_words_unsaid(reader: TableReader) -> None:
    table = replace(best(reader, "Which barges have the hull colour red?"), is_path=True, fit=0.5)
    path = interpretation("Which barges never passed a lock?", WELL, ("never",))
    assert ranking.leads([table], path)
    assert not ranking.leads([replace(table, doubts=Doubts(lost=1))], path)
    assert not ranking.settles(path)


# --- running -----------------------------------------------------------------------------------------------------


class Answers:
    """A graph that gives for each query what stands for a text in it; nothing else."""

    dialect, name = "neo4j", "answers"

    def __init__(self, **rows: list[tuple[object, ...]]):
        self._rows = rows

    def read(self, query: str, params: object = None, *, timeout: float, limit: int | None) -> Rows:
        assert params is not None
        assert timeout > 0
        assert limit
        found = next((rows for text, rows in self._rows.items() if f"`{text}`" in query), [])
        return Rows(("x",), found)


def asked_for(key: str, score: float, expression: Aggregate | None = None, **doubts: int) -> TableReading:
    returned = Projection(expression or Property("n0", key), "x")
    pattern = Pattern((PatternNode("n0", (key,)),), returns=(returned,))
    return TableReading(pattern, f"read as {key}", score, 1.0, doubts=Doubts(**doubts))


def answered(*readings: TableReading, **rows: list[tuple[object, ...]]) -> Answer:
    return TableAnswers(Answers(**rows), SCHEMA, Settings.load({})).answer("?", readings, Trace())  # type: ignore[arg-type]


def test_an_empty_reading_moves_on_to_one_that_is_sure_by_itself() -> None:
    second = answered(asked_for("one", 0.0), asked_for("other", -0.5), other=[("red",)])
    assert (second.status, [*second.rows]) == (Status.ANSWERED, [{"x": "red"}])
    assert "the likelier reading found nothing: read as one" in second.text
    assert second.tried == ("read as one: 0 rows", "read as other: 1 rows")
    unsure = answered(asked_for("one", 0.0), asked_for("other", -0.5, lost=1), other=[("red",)])
    assert unsure.status == Status.NO_EVIDENCE


def test_a_count_of_nothing_stands_unless_another_reading_is_as_likely() -> None:
    count = Aggregate("count")
    rows: dict[str, list[tuple[object, ...]]] = {"one": [(0,)], "other": [(5,)]}
    assert [*answered(asked_for("one", 0.0, count), asked_for("other", -0.5, count), **rows).rows] == [{"x": 0}]
    assert [*answered(asked_for("one", 0.0, count), asked_for("other", -0.2, count), **rows).rows] == [{"x": 5}]
