"""The parts of a pass by themselves: interface, schema for a prompt, gaps, edits, plans, acceptability, hints."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, NamedTuple

import pytest
from neo4j.time import Date
from pydantic import TypeAdapter, ValidationError

from arcgraph.arcrag.edit import Edit, Editor, asked, edit_form, typed
from arcgraph.arcrag.gaps import content_words, gaps
from arcgraph.arcrag.hints import NOWHERE_BOUND, Hints, Within, hints, scoped
from arcgraph.arcrag.interface import Interface, Key, Move, keys_of, mentioned, near_moves
from arcgraph.arcrag.options import namesakes, preview, previewed
from arcgraph.arcrag.plan import Planned, Way, compiled, validated
from arcgraph.arcrag.query import Draft, Executor, Outcome
from arcgraph.arcrag.schema_view import schema_view
from arcgraph.domain import (
    Anchor,
    Count,
    Endpoint,
    LabelInfo,
    Node,
    PassageHome,
    PropertyInfo,
    RelationHome,
    Rows,
    Schema,
    TypeInfo,
)
from arcgraph.errors import QueryError
from arcgraph.graph.pattern import (
    Aggregate,
    Binding,
    Descriptor,
    Direction,
    Entity,
    Filter,
    Hop,
    Pattern,
    PatternNode,
    Projection,
    Property,
)
from arcgraph.interpret.assemble import PATHS, THING
from arcgraph.llm.data import tokens
from arcgraph.llm.reason import Unusable


def info(key: str, kind: str = "string", *samples: Any) -> PropertyInfo:
    return PropertyInfo(key, {kind: 1}, 1, Count(1), Count(1), samples)


def label(name: str, count: int, *properties: PropertyInfo) -> LabelInfo:
    return LabelInfo(name, Count(count), {p.key: p for p in properties}, naming="name")


SCHEMA = Schema(
    labels={
        "Ship": label("Ship", 30, info("name"), info("launched", "integer", 1901), info("hull", "vector")),
        "Person": label("Person", 20, info("name"), info("born", "date")),
        "Harbour": label("Harbour", 5, info("name")),
    },
    types={name: TypeInfo(name, Count(9)) for name in ("DESIGNED", "MOORED_AT", "LIVES_AT")},
    endpoints=(
        Endpoint("Person", "DESIGNED", "Ship", Count(9)),
        Endpoint("Ship", "MOORED_AT", "Harbour", Count(7)),
        Endpoint("Person", "LIVES_AT", "Harbour", Count(3)),
    ),
    nodes=Count(55),
    loaded=True,
)
DESIGNED = Move("Person", Descriptor("DESIGNED"), Direction.OUT, "Ship")
DESIGNED_BY = Move("Ship", Descriptor("DESIGNED"), Direction.IN, "Person")
MOORED = Move("Ship", Descriptor("MOORED_AT"), Direction.OUT, "Harbour")
NIGHTJAR = Anchor("Nightjar", ("Ship",), "name", ("s1",), ("e1",), (0, 8), "Nightjar", "exact", 1.0)
QUIST = Anchor("Orla Quist", ("Person",), "name", ("p1",), ("e2",), (0, 0), "Quist", "near", 0.5)
INTERFACE = Interface((NIGHTJAR, QUIST), (DESIGNED_BY, MOORED), (Key("Ship", "launched"), Key("Person", "born")))


# --- interface -------------------------------------------------------------------------------------------------------


def test_what_is_known_keeps_its_identifier() -> None:
    more = INTERFACE.joined(Interface((QUIST,), (DESIGNED, MOORED), paths=("a way",)))
    assert more.move_ids() == {"R1": DESIGNED_BY, "R2": MOORED, "R3": DESIGNED}
    assert more.anchor_ids() == {"A1": NIGHTJAR, "A2": QUIST}


def test_a_line_for_each_name_that_a_model_can_say() -> None:
    told = list(INTERFACE.joined(Interface(seen={MOORED: '"Nightjar" MOORED_AT "Ys"'})).lines(SCHEMA))
    assert told == [
        'A1 entity "Nightjar" (Ship)',
        'A2 entity "Orla Quist" (Person)',
        "R1 relation (Ship) <-[DESIGNED]- (Person)",
        'R2 relation (Ship) -[MOORED_AT]-> (Harbour)  e.g. "Nightjar" MOORED_AT "Ys"',
        "K1 property Ship.launched integer, e.g. 1901",
        "K2 property Person.born date",
    ]


def test_namesakes_are_told_and_can_be_taken_apart() -> None:
    two = Anchor("Ys", ("Harbour",), "name", ("h1", "h2"), ("e5", "e6"), (0, 2), "Ys", "exact", 1.0)
    assert list(Interface((two,)).lines(SCHEMA)) == ['A1 entity "Ys" (Harbour), 2 different nodes of this name']
    assert [a.ids for a in namesakes(two)] == [("h1",), ("h2",)]
    assert namesakes(NIGHTJAR) == []


def test_bulky_properties_are_no_part_of_it() -> None:
    assert Key("Ship", "hull") not in keys_of(SCHEMA, ["Ship"])


def test_relations_between_the_labels_come_before_those_that_lead_away() -> None:
    moves = near_moves(SCHEMA, ["Ship", "Harbour"])
    assert [m.descriptor.text for m in moves[::2]] == ["MOORED_AT", "DESIGNED", "LIVES_AT"]
    assert mentioned(SCHEMA, "Which harbours hold ships?") == ["Ship", "Harbour"]


# --- the schema for a prompt -----------------------------------------------------------------------------------------


def large(labels: int, keys: int) -> Schema:
    names = [f"Kind{i}" for i in range(labels)]
    infos = {n: label(n, 10, *(info(f"key{k}") for k in range(keys))) for n in names}
    triples = tuple(Endpoint(a, f"LEADS{i}", b, Count(5)) for i, (a, b) in enumerate(pairwise(names)))
    return Schema(infos, {t.type: TypeInfo(t.type, Count(5)) for t in triples}, triples)


def test_a_large_schema_fits_its_budget_and_holds_what_the_question_needs() -> None:
    schema = large(300, 40)
    wanted = ["Kind7", "Kind8", "Kind9"]
    view = schema_view(schema, wanted, 1_500)
    assert sum(map(tokens, view)) <= 1_600
    text = "\n".join(view)
    assert all(f"(:{name} {{" in text for name in wanted)
    assert "(:Kind7)-[:LEADS7]->(:Kind8)" in text
    assert "(:Kind8)-[:LEADS8]->(:Kind9)" in text
    assert view[-1] == "this is a part of the schema: there are more labels and relations"
    assert len(schema_view(schema, wanted, 3_000)) > len(view)


def test_relations_between_labels_that_a_question_does_not_name_are_shown_too() -> None:
    ends = (("Ship", "MOORED_AT", "Harbour", 9), ("Person", "DESIGNED", "Ship", 4), ("Person", "KNOWS", "Person", 50))
    schema = replace(SCHEMA, endpoints=tuple(Endpoint(a, t, b, Count(n)) for a, t, b, n in ends))

    def relations(*labels: str) -> list[str]:
        return [
            line.partition("[:")[2].partition("]")[0] for line in schema_view(schema, labels, 1_500) if "]->" in line
        ]

    assert relations() == ["KNOWS", "MOORED_AT", "DESIGNED"]
    assert relations("Harbour") == ["MOORED_AT", "KNOWS", "DESIGNED"]


def test_a_small_schema_is_whole_and_says_where_relations_are() -> None:
    view = schema_view(SCHEMA, ["Ship"], 1_500)
    assert not any("part of the schema" in line for line in view)
    assert "hull" not in "\n".join(view)
    worded = Schema({}, {}, (), relations=RelationHome("property", "RELATED", "predicate"))
    assert schema_view(worded, [], 100) == [
        "relations are values of the property predicate on relationships of type RELATED"
    ]


# --- gaps ------------------------------------------------------------------------------------------------------------


def test_gaps_are_the_words_that_nothing_explains() -> None:
    asked_ = "Who designed the Nightjar that the invoices were settled?"
    assert gaps(asked_, INTERFACE) == ("invoices", "settled")
    assert "invoices" not in gaps(asked_, INTERFACE, ["an invoice of 1911"])
    assert content_words("Who is the the Ship's designer?") == ("ship", "designer")


# --- edits -----------------------------------------------------------------------------------------------------------

LISTED = (Projection(Entity(THING), THING), Projection(Aggregate("count"), PATHS))
MATCH = Pattern(
    (PatternNode("a0", ("Person",)), PatternNode(THING, ("Ship",))),
    (Hop("r0", "a0", THING, (Descriptor("DESIGNED"),)),),
    (Binding("a0", "name", ("Orla Quist",)),),
    returns=LISTED,
)
DRAFT = Draft("Orla Quist -designed-> ship", MATCH, MATCH)
EDITOR = Editor(INTERFACE, SCHEMA, 100)


def edited(*edits: Edit) -> Pattern:
    made = EDITOR.edited(DRAFT, edits).pattern
    assert made is not None
    return made


def test_a_hop_more_ends_where_it_leads() -> None:
    made = edited(Edit(change="extend", relation="R2"))
    assert (made.hops[-1].start, made.hops[-1].direction, asked(made)) == (THING, Direction.OUT, made.hops[-1].end)
    assert made.nodes[-1].labels == ("Harbour",)
    assert made.to_cypher()[0].startswith("MATCH (a0:`Person`)-[r0:`DESIGNED`]->(x:`Ship`)-[r1:`MOORED_AT`]->(y1")


def test_an_edit_is_told_without_what_it_has_no_use_for() -> None:
    filled = {"relation": "R2", "property": "K1", "operator": ">", "value": "1905"}
    told = [
        EDITOR.edited(DRAFT, [Edit(change=c, **filled)]).words for c in ("extend", "filter", "count", "avg", "highest")
    ]
    assert [words.removeprefix(f"{DRAFT.words}, ") for words in told] == [
        "extend (Ship) -[MOORED_AT]-> (Harbour)",
        'filter launched > "1905"',
        "count",
        "avg launched",
        "highest 1905 by launched",
    ]


def test_a_hop_that_was_taken_the_wrong_way_is_turned() -> None:
    back = Editor(Interface(moves=(DESIGNED,)), SCHEMA, 100).edited(DRAFT, [Edit(change="extend", relation="R1")])
    assert back.pattern is not None
    assert (back.pattern.hops[-1].direction, back.pattern.nodes[-1].labels) == (Direction.IN, ("Person",))


def test_a_hop_less_asks_for_what_lies_before() -> None:
    made = edited(Edit(change="extend", relation="R2"), Edit(change="shorten"))
    assert (asked(made), [h.name for h in made.hops]) == (THING, ["r0"])


def test_conditions_counts_and_the_highest() -> None:
    after = edited(Edit(change="filter", property="K1", operator=">", value="1905"))
    assert after.filters == (Filter(Property(THING, "launched"), ">", 1905),)
    assert edited(Edit(change="count")).returns[0].expression == Aggregate("count", Entity(THING), distinct=True)
    top = edited(Edit(change="highest", property="K1", value="2"))
    assert (top.limit, top.order[0].descending) == (2, True)
    assert [p.name for p in top.returns] == [THING, "launched"]
    assert edited(Edit(change="avg", property="K1")).returns[0].expression == Aggregate(
        "avg", Property(THING, "launched")
    )
    # What only another node of the pattern bears is read there.
    assert edited(Edit(change="show", property="K2")).returns[-1].expression == Property("a0", "born")


@pytest.mark.parametrize(
    ("edit", "why"),
    [
        (Edit(change="extend"), "needs a relation"),
        (Edit(change="shorten"), "no hop to leave out"),
        (Edit(change="filter", property="K1", operator=">", value="soon"), "is no integer"),
        (Edit(change="filter", property="K1", value="1"), "needs an operator"),
        (Edit(change="show"), "needs a property"),
    ],
)
def test_an_edit_that_cannot_be_made_says_why(edit: Edit, why: str) -> None:
    with pytest.raises(Unusable, match=why):
        EDITOR.edited(DRAFT, [edit])


def test_what_was_written_freely_is_not_edited() -> None:
    with pytest.raises(Unusable, match="only a pattern"):
        EDITOR.edited(Draft("own", cypher="MATCH (n) RETURN n"), [Edit(change="count")])


def test_the_form_of_an_edit_knows_only_what_is_offered_and_needs_all_that_it_needs() -> None:
    form = TypeAdapter(edit_form(INTERFACE))
    for said in (
        {"change": "extend", "relation": "R2"},
        {"change": "filter", "property": "K1", "operator": ">", "value": "1905"},
        {"change": "highest", "property": "K2"},
        {"change": "count", "relation": "", "property": "", "operator": "", "value": ""},
    ):
        read = Edit(**form.validate_python(said).model_dump())
        assert read == Edit(**said)
    for said in (
        {"change": "extend", "relation": "R9"},
        {"change": "extend"},
        {"change": "filter", "property": "", "operator": "=", "value": "1905"},
        {"change": "avg", "property": "K9"},
        {"change": "destroy"},
    ):
        with pytest.raises(ValidationError):
            form.validate_python(said)
    bare = TypeAdapter(edit_form(Interface())).json_schema()
    assert bare["properties"]["change"]["enum"] == ["shorten", "count"]


def test_texts_are_read_as_the_property_has_them() -> None:
    assert typed("1839", "date") == Date(1839, 1, 1)
    assert typed("1839-07-04", "date") == Date(1839, 7, 4)
    assert [typed("3", "integer"), typed("3.5", "float"), typed("TRUE", "boolean"), typed("3", "string")] == [
        3,
        3.5,
        True,
        "3",
    ]


# --- plans -----------------------------------------------------------------------------------------------------------


def planned(*ways: Way, answer: str = "entity") -> Planned:
    return Planned(answer=answer, paths=list(ways))


def test_a_chain_that_does_not_fit_is_dropped_with_its_reason() -> None:
    good = Way(start="A1", relations=["R1"])
    lost = Way(start="S2", relations=["R2", "R1"])
    made = validated(planned(good, Way(start="A2", relations=["R2"]), lost), INTERFACE, 3)
    assert [s.words() for s in made.subplans] == ['"Nightjar" <-[DESIGNED]- (Person)']
    assert made.dropped == (
        "path 2: R2 does not lead on from Person",
        "path 3: there is no S2 to begin at",
    )


def test_a_relation_taken_the_wrong_way_is_turned() -> None:
    made = validated(planned(Way(start="A2", relations=["R1", "R2"])), INTERFACE, 3)
    assert made.subplans[0].moves == (DESIGNED, MOORED)


def test_a_path_that_begins_at_itself_begins_at_an_entity_that_fits() -> None:
    made = validated(planned(Way(start="S1", relations=["R1"])), INTERFACE, 3)
    assert [s.words() for s in made.subplans] == ['"Nightjar" <-[DESIGNED]- (Person)']


def test_what_is_beyond_the_most_is_dropped() -> None:
    made = validated(planned(*[Way(start="A1", relations=["R1"])] * 5), INTERFACE, 3)
    assert (len(made.subplans), len(made.dropped)) == (3, 2)


def test_a_plan_without_a_path_is_none() -> None:
    with pytest.raises(Unusable, match="follows no relation"):
        validated(planned(Way(start="A1")), INTERFACE, 3)


def test_a_subplan_is_one_query() -> None:
    made = validated(planned(Way(start="A2", relations=["R1"], property="K1")), INTERFACE, 3)
    listed = compiled(made.subplans[0], "entity", SCHEMA, (), 100)
    assert listed is not None
    assert listed.text()[0].endswith("RETURN DISTINCT x AS `x`, x.`launched` AS `launched`")
    plain = validated(planned(Way(start="A1", relations=["R1"])), INTERFACE, 3).subplans[0]
    counted = compiled(plain, "count", SCHEMA, (), 100)
    assert counted is not None
    assert counted.text()[0].endswith("RETURN count(DISTINCT x) AS `count`")


def test_a_subplan_without_its_beginning_is_not_run() -> None:
    back = Interface((NIGHTJAR,), (DESIGNED_BY, DESIGNED))
    ways = (Way(start="A1", relations=["R1"]), Way(start="S1", relations=["R2"]))
    second = validated(planned(*ways), back, 3).subplans[1]
    assert compiled(second, "entity", SCHEMA, (), 100) is None
    started = compiled(second, "entity", SCHEMA, [Node("e2", "p1", ("Person",), {})], 100)
    assert started is not None
    assert started.pattern is not None
    assert started.pattern.bindings[0].values == ("p1",)


# --- what is acceptable ----------------------------------------------------------------------------------------------


def outcome(*records: tuple[Any, ...], pattern: Pattern | None = MATCH, truncated: bool = False) -> Outcome:
    columns = tuple(f"c{i}" for i in range(len(records[0]) if records else 1))
    return Outcome(
        Draft("d", pattern, pattern, cypher="" if pattern else "MATCH (n) RETURN n"),
        Rows(columns, list(records), truncated),
    )


def test_rows_are_acceptable_and_nothing_is_not() -> None:
    assert outcome(("a",)).acceptable
    assert outcome().fault == "it found no rows"
    assert outcome((None,), (None,)).fault == "all values that it found are null"
    assert Outcome(DRAFT, error="syntax error").fault == "syntax error"


def test_a_count_of_nothing_is_none_but_a_no_is_an_answer() -> None:
    counted = MATCH.returning(Projection(Aggregate("count"), "n"))
    whether = MATCH.returning(Projection(Aggregate("exists"), "n"))
    assert outcome((0,), pattern=counted).fault == "it counted nothing"
    assert outcome((3,), pattern=counted).acceptable
    assert outcome((False,), pattern=whether).acceptable


def test_a_result_that_is_cut_off_is_a_mark_unless_it_is_tied_to_nothing() -> None:
    loose = Pattern(MATCH.nodes, MATCH.hops, returns=MATCH.returns)
    assert outcome(("a",), truncated=True).acceptable
    assert "tied to nothing" in outcome(("a",), pattern=loose, truncated=True).fault
    assert outcome(("a",), pattern=loose).acceptable


@dataclass
class Answering:
    """A graph that answers every query alike."""

    rows: Rows
    dialect: str = "neo4j"

    def read(self, *_: Any, **__: Any) -> Rows:
        if not self.rows.columns:
            raise QueryError("out of memory")
        return self.rows


def test_ways_to_say_one_query_are_offered_once() -> None:
    node = Node("e9", "s9", ("Ship",), {"name": "Nightjar"})
    graph: Any = Answering(Rows((THING, PATHS), [(node, 1)]))
    other = Draft("the same from the other end", Pattern((MATCH.nodes[1], MATCH.nodes[0]), MATCH.hops, returns=LISTED))
    third = Draft("another relation", Pattern(MATCH.nodes, (Hop("r0", "a0", THING),), returns=LISTED))
    options, same = previewed([DRAFT, other, third], Executor(graph, timeout=1, most=10), lambda: 1.0, 8)
    assert [o.draft.words for o in options] == [DRAFT.words, third.words]
    assert [o.draft.words for o in same] == [other.words]
    assert preview(options[0], lambda n: str(n.properties["name"])) == '1 row: "Nightjar"'


def test_a_failing_database_is_an_outcome() -> None:
    graph: Any = Answering(Rows((), []))
    failed = Executor(graph, timeout=1, most=10).run(DRAFT)
    assert failed.fault == "out of memory"
    assert preview(failed, str) == "nothing: out of memory"


# --- hints -----------------------------------------------------------------------------------------------------------


NO_GRAPH: Any = None


class Said(NamedTuple):
    """A statement as a store gives it."""

    start: str = "e2"
    end: str = "e1"
    start_id: str = "p1"
    end_id: str = "s1"
    start_name: str = "Orla Quist"
    end_name: str = "Nightjar"
    start_labels: tuple[str, ...] = ("Person",)
    end_labels: tuple[str, ...] = ("Ship",)


class Shelf(NamedTuple):
    """A store that finds the same for every question, and itself as the result."""

    texts: tuple[str, ...]
    triples: tuple[Said, ...] = ()
    scope: Any = None

    def retrieve(self, question: str, phrases: Any = (), k: int = 10) -> Shelf:
        assert question
        assert not phrases
        return Shelf(self.texts[:k], self.triples, self.scope)


def test_statements_hint_at_entities() -> None:
    found = hints(Shelf(("Orla Quist designed Nightjar.",), (Said(), Said())), NO_GRAPH, SCHEMA, "Who drew it?")
    assert found.texts == ("Orla Quist designed Nightjar.",)
    assert [(a.name, a.ids, a.key) for a in found.anchors] == [
        ("Orla Quist", ("p1",), "name"),
        ("Nightjar", ("s1",), "name"),
    ]
    assert hints(None, NO_GRAPH, SCHEMA, "Who drew it?") == Hints()


class Scope(NamedTuple):
    """The passages that were found: what edges call them, and their nodes."""

    keys: tuple[str, ...]
    element_ids: tuple[str, ...] = ("9", "10")


SHELF = Shelf(("A gale.",), scope=Scope(("c1", "c2")))


def test_passages_that_edges_come_from_bound_what_is_looked_at() -> None:
    by_edge = replace(SCHEMA, passages=PassageHome("Chunk", "text", "id", edge_key="chunk_ids"))
    assert hints(SHELF, NO_GRAPH, by_edge, "Who?").within == Within(keys=("c1", "c2"))
    assert hints(SHELF, NO_GRAPH, SCHEMA, "Who?").within == NOWHERE_BOUND
    bounded = scoped(DRAFT, by_edge, Within(keys=("c1", "c2")))
    assert bounded.pattern is not None
    assert bounded.pattern.filters == (Filter(Property("r0", "chunk_ids"), "overlaps", ("c1", "c2")),)
    assert "any(_i IN r0.`chunk_ids` WHERE _i IN $p1)" in bounded.text()[0]
    assert scoped(DRAFT, by_edge, NOWHERE_BOUND) is DRAFT
    assert scoped(DRAFT, SCHEMA, Within(keys=("c1",))) is DRAFT


def test_where_edges_name_no_passages_the_nodes_that_these_mention_bound_it() -> None:
    by_mention = replace(SCHEMA, passages=PassageHome("Chunk", "text", "id", mention_types=("MENTIONS",)))
    ship, person = Node("e1", "s1", ("Ship",), {}), Node("e2", "p1", ("Person",), {})
    graph: Any = Answering(Rows(("n",), [(ship,), (person,)]))
    within = hints(SHELF, graph, by_mention, "Who?").within
    assert within == Within(nodes=(ship, person))
    bounded = scoped(DRAFT, by_mention, within)
    assert bounded.pattern is not None
    # What the query begins at stays as it is.
    assert [(b.node, b.values) for b in bounded.pattern.bindings] == [("a0", ("Orla Quist",)), (THING, ("s1", "p1"))]
    too_many: Any = Answering(Rows(("n",), [(ship,)], truncated=True))
    failing: Any = Answering(Rows((), []))
    assert hints(SHELF, too_many, by_mention, "Who?").within == NOWHERE_BOUND
    assert hints(SHELF, failing, by_mention, "Who?").within == NOWHERE_BOUND
