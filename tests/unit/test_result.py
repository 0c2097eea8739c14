"""Answers and what they rest on: plain values, scripts, replays, evidence. Whole answers are in the contract suite."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from graphs import fill
from neo4j.spatial import CartesianPoint, WGS84Point
from neo4j.time import Date, DateTime, Duration, Time

from arcgraph import Agent, Answer, Settings, Status
from arcgraph.answer import compose
from arcgraph.answer.describe import listed
from arcgraph.answer.evidence import MOST_EDGES, Passage, citations, edge_text, elements, name_of, passages_of
from arcgraph.answer.neighbourhood import Link
from arcgraph.answer.result import Attempt, QueryRecord, Witness, cypher_literal
from arcgraph.domain import (
    RESERVED_KEY,
    Anchor,
    Count,
    Edge,
    LabelInfo,
    Node,
    Omitted,
    PassageHome,
    RelationHome,
    Rows,
    Schema,
    TypeInfo,
)
from arcgraph.errors import MissingExtra, QueryError
from arcgraph.graph.lexer import lex
from arcgraph.graph.pattern import Descriptor, Direction
from arcgraph.interpret.assemble import Branch, Reading
from arcgraph.interpret.paths import RelationPath, Step
from arcgraph.interpret.question import Intent
from arcgraph.interpret.score import Parts

ADA = Node("4:1", "p1", ("Person",), {"name": "Ada Vorn", "born": Date(1871, 3, 9)})
BO = Node("4:2", "p2", ("Person",), {"name": "Bo Tarn"})
GULL = Node("4:3", "s1", ("Ship",), {"name": "Amber Gull"})
BUILT = Edge("5:1", "BUILT", "4:1", "4:3", {"chunk_ids": ["c1", "c2"]})
ALSO_BUILT = Edge("5:2", "BUILT", "4:2", "4:3", {"chunk_ids": ["c2"]})


def schema(**changes: Any) -> Schema:
    labels = {
        "Person": LabelInfo("Person", Count(2), naming="name"),
        "Ship": LabelInfo("Ship", Count(1), naming="name", identifying="number"),
        "Order": LabelInfo("Order", Count(1), identifying="code"),
        "Vessel": LabelInfo("Vessel", Count(1)),
    }
    return Schema(labels, {"BUILT": TypeInfo("BUILT", Count(2))}, (), **changes)


class FakeGraph:
    """A graph that gives one answer or error to everything, and remembers what it was asked."""

    dialect, name = "neo4j", "fake"

    def __init__(self, answer: Rows | QueryError):
        self._answer = answer
        self.asked: list[tuple[str, dict[str, Any]]] = []

    def read(self, query: str, params: Mapping[str, Any] | None = None, **options: Any) -> Rows:
        del options
        self.asked.append((query, dict(params or {})))
        if isinstance(self._answer, QueryError):
            raise self._answer
        return self._answer

    run = read


FAILURE = QueryError("the disk is on fire")


# --- the answer ----------------------------------------------------------------------------------------------------


def answer(**changes: Any) -> Answer:
    query = QueryRecord("MATCH (a) RETURN a", {"p0": "Ada"}, "pattern", "Ada <-built-", (Attempt(1, 0.5),))
    made = Answer(
        "Who?", Status.ANSWERED, "Ada Vorn", columns=("person",), rows=[{"person": "Ada Vorn"}], queries=(query,)
    )
    return Answer(**{**{f: getattr(made, f) for f in made.__slots__}, **changes})


def test_a_dict_holds_plain_values_only() -> None:
    query = QueryRecord("MATCH …", {"on": Date(2020, 5, 4), "for": Duration(months=2)}, "pattern")
    found_by = {("node", "4:1"): 0, ("edge", "5:1"): 0}
    witness = Witness({"4:1": ADA, "4:3": GULL}, {"5:1": BUILT}, (), (query,), found_by)
    plain = answer(witness=witness, queries=(query, query)).to_dict()
    assert json.loads(json.dumps(plain)) == plain
    assert plain["status"] == "answered"
    assert plain["queries"][0]["params"] == {"on": "2020-05-04", "for": "P2M"}
    assert plain["witness"]["nodes"][0]["properties"]["born"] == "1871-03-09"
    edge = plain["witness"]["edges"][0]
    assert (edge["start"], edge["end"], edge["query"]) == ("p1", "s1", 1)
    assert plain["witness"]["nodes"][1]["query"] is None


def test_an_edge_to_a_node_outside_the_witness_keeps_its_element_id() -> None:
    assert answer(witness=Witness({}, {"5:1": BUILT})).to_dict()["witness"]["edges"][0]["start"] == "4:1"


def test_a_script_has_one_block_a_query_with_its_parameters() -> None:
    evidence = QueryRecord("MATCH (b) RETURN b", {}, "pattern")
    script = answer(queries=(*answer().queries, evidence)).cypher_script()
    assert script == '// Ada <-built-\n:param p0 => "Ada";\nMATCH (a) RETURN a;\n\nMATCH (b) RETURN b;'
    assert answer(queries=()).cypher_script() == ""


@pytest.mark.parametrize("way_out", ["\n", "\r", "\u2028", r"\u000a", r"\\\u000A"])
def test_no_name_of_the_graph_leaves_the_comment_of_a_script(way_out: str) -> None:
    reading = f"Ada{way_out}MATCH (n) DETACH DELETE n;"
    script = answer(queries=(QueryRecord("RETURN 1 AS x", {}, "pattern", reading),)).cypher_script()
    assert len(script.splitlines()) == 2
    tokens = lex(script)
    assert tokens.fault is None
    assert [token.text for token in tokens.tokens] == ["RETURN", "1", "AS", "x", ";", ""]


@pytest.mark.parametrize(
    ("value", "literal"),
    [
        (None, "null"),
        (True, "true"),
        (False, "false"),
        (3, "3"),
        (-2.5, "-2.5"),
        ('He said "no"\n\\ `x`', '"He said \\"no\\"\\n\\\\ `x`"'),
        ("שלום 🚀", '"שלום 🚀"'),
        (["a", 1, [None]], '["a", 1, [null]]'),
        (("a",), '["a"]'),
        (Date(2020, 5, 4), 'date("2020-05-04")'),
        (Duration(months=14, days=3), 'duration("P1Y2M3D")'),
        (Time(7, 30, 0), 'localtime("07:30:00")'),
        (DateTime(2020, 5, 4, 7, 30, 0), 'localdatetime("2020-05-04T07:30:00")'),
        (WGS84Point((2.5, 1.0)), "point({srid: 4326, longitude: 2.5, latitude: 1.0})"),
        (CartesianPoint((1.0, 2.0, 3.0)), "point({srid: 9157, x: 1.0, y: 2.0, z: 3.0})"),
    ],
)
def test_parameters_become_cypher_literals(value: Any, literal: str) -> None:
    assert cypher_literal(value) == literal


def test_a_literal_never_ends_its_param_line() -> None:
    assert "\n" not in cypher_literal("a\nb\r\nc")


def test_a_frame_without_pandas_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingExtra, match="pip install"):
        answer().to_pandas()


def test_a_frame_is_made_of_the_typed_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    class DataFrame:
        from_records = staticmethod(lambda records, columns: (records, columns))

    class Pandas:
        pass

    Pandas.DataFrame = DataFrame  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "pandas", Pandas)
    table = Rows(("born",), [(Date(1871, 3, 9),)])
    assert answer(columns=("born",), table=table).to_pandas() == ([(Date(1871, 3, 9),)], ["born"])
    assert answer(table=None).to_pandas() == ([], ["person"])


# --- the witness ---------------------------------------------------------------------------------------------------

WITNESS = Witness(
    {"4:1": ADA, "4:3": GULL}, {"5:1": BUILT}, (), (QueryRecord("MATCH …", {"p0": "Amber Gull"}, "pattern"),)
)


def moved(node: Node) -> Node:
    """The same node in another copy of the graph."""
    return Node(f"9:{node.element_id}", node.id, node.labels, node.properties)


def test_a_replay_holds_on_another_copy_whose_element_ids_differ() -> None:
    edge = Edge("7:7", "BUILT", "9:4:1", "9:4:3", {})
    copy = FakeGraph(Rows(("a", "x", "r"), [(moved(GULL), moved(ADA), edge)]))
    assert WITNESS.replay(copy).holds  # type: ignore[arg-type]
    assert copy.asked == [("MATCH …", {"p0": "Amber Gull"})]


def test_a_replay_reads_lists_of_nodes_and_edges() -> None:
    graph = FakeGraph(Rows(("a", "r"), [([ADA, GULL], [BUILT])]))
    assert WITNESS.replay(graph).holds  # type: ignore[arg-type]


def test_a_replay_names_what_is_gone() -> None:
    turned = Edge("5:1", "BUILT", "4:3", "4:1", {})
    graph = FakeGraph(Rows(("a", "x", "r"), [(GULL, ADA, turned)]))
    replay = WITNESS.replay(graph)  # type: ignore[arg-type]
    assert (replay.holds, replay.missing) == (False, ("edge p1 BUILT s1",))


def test_a_replay_that_fails_does_not_hold_and_says_why() -> None:
    replay = WITNESS.replay(FakeGraph(FAILURE))  # type: ignore[arg-type]
    assert not replay.holds
    assert replay.errors == ("the disk is on fire",)
    assert len(replay.missing) == 3


@pytest.mark.parametrize(
    ("question", "named_by"),
    [
        ("What did Pippa Dray build?", {"name": "Philippa Dray", "aliases": ["Pippa Dray"]}),
        ("What did 10248 build?", {"number": 10248}),
    ],
)
def test_what_is_shown_returns_what_was_found_whatever_names_the_anchor(
    question: str, named_by: dict[str, Any], embedded_graph: Any, tmp_path: Path, settings: Settings
) -> None:
    others = [(f"b{i}", "Builder", {k: [f"B {i}"] if k == "aliases" else i for k in named_by}) for i in range(3)]
    nodes = [("b", "Builder", named_by), ("s", "Ship", {"name": "Amber Gull"}), *others]
    fill(embedded_graph, tmp_path, nodes, [("b", "BUILT", "s")])
    found = Agent(embedded_graph, settings=settings).ask(question)
    assert [e.name for e in found.entities] == ["Amber Gull"], found.text
    assert len(embedded_graph.run(found.queries[0].cypher, found.queries[0].params)) == 1
    assert found.replay(embedded_graph).holds


# --- composing -----------------------------------------------------------------------------------------------------


def reading(intent: Intent = Intent.LIST, label: str = "Person") -> Reading:
    anchor = Anchor("Amber Gull", ("Ship",), "name", ("s1",), ("4:3",), (0, 10), "Amber Gull", "exact", 1.0)
    path = RelationPath("Ship", (Step(Descriptor("BUILT"), Direction.IN, label),))
    described = anchor if intent == Intent.DESCRIBE else None
    branches = () if described else (Branch(anchor, path),)
    return Reading(branches, intent, 0.0, Parts(0, 0, 0, 0), described=described)


def test_entities_are_scored_by_their_share_of_the_paths() -> None:
    rows = Rows(("x", "paths"), [(ADA, 4), (BO, 1)])
    assert [(e.name, e.id, e.labels, e.score) for e in compose.entities(rows, schema())] == [
        ("Ada Vorn", "p1", ("Person",), 4 / 4),
        ("Bo Tarn", "p2", ("Person",), 1 / 4),
    ]


def test_a_count_has_no_entities() -> None:
    assert compose.entities(Rows(("count",), [(3,)]), schema()) == ()
    assert compose.text(reading(Intent.COUNT), Rows(("count",), [(0,)]), (), schema()).startswith(
        "0 (read as: how many: "
    )


@pytest.mark.parametrize(("value", "word"), [(True, "Yes"), (False, "No")])
def test_yes_and_no(value: bool, word: str) -> None:
    rows = Rows(("answer",), [(value,)])
    assert compose.text(reading(Intent.YES_NO), rows, (), schema()).startswith(f"{word} (read as: whether: ")
    assert compose.plain_rows(compose.table(reading(Intent.YES_NO), rows, schema())) == [{"answer": value}]


def test_a_list_is_a_column_named_by_the_asked_label() -> None:
    rows = Rows(("x", "paths"), [(ADA, 1), (BO, 1)], truncated=True)
    table = compose.table(reading(), rows, schema())
    assert (table.columns, table.records, table.truncated) == (("person",), [("Ada Vorn",), ("Bo Tarn",)], True)
    assert compose.column_name(reading(label="TransportHub")) == "transport hub"
    assert compose.column_name(reading(label="")) == "name"


def test_a_description_is_a_row_of_typed_properties() -> None:
    rows = Rows(("x",), [(ADA,), (BO,)])
    table = compose.table(reading(Intent.DESCRIBE), rows, schema())
    assert table.columns == ("name", "born")
    assert table.records == [("Ada Vorn", Date(1871, 3, 9)), ("Bo Tarn", None)]
    assert compose.plain_rows(table)[0] == {"name": "Ada Vorn", "born": "1871-03-09"}
    text = compose.text(reading(Intent.DESCRIBE), rows, (), schema(nodes=Count(5)))
    assert text == "Ada Vorn is a person (born: 1871-03-09). Bo Tarn is a person. (read as: about Amber Gull)"


def link(relation: str, direction: Direction, *names: str, more: int | None = 0) -> Link:
    nodes = tuple(Node(f"4:{relation}{n}", n, ("Ship",), {"name": n}) for n in names)
    return Link(relation, direction, "Ship", nodes, more)


@pytest.mark.parametrize(
    ("links", "told"),
    [
        ([link("MOORED_AT", Direction.OUT, "Kelling")], "moored at Kelling"),
        ([link("MOORED_AT", Direction.IN, "Heron", "Gull")], "Heron and Gull moored at Bo Tarn"),
        ([link("has_part", Direction.OUT, "Mast")], "has part Mast"),
        ([link("causes", Direction.OUT, "Rust")], "causes Rust"),
        ([link("genre", Direction.OUT, "Sloop")], "genre: Sloop"),
        ([link("ships", Direction.OUT, "Gull")], "ships: Gull"),
        ([link("pilot", Direction.IN, "Gull")], "pilot ← Gull"),
        ([link("/sea/ship/built_by", Direction.OUT, "Gull")], "built by Gull"),
        ([link("OWNS", Direction.OUT, *"abcdefg", more=12)], "owns a, b, c, d, e and 14 more"),
        ([link("OWNS", Direction.OUT, "a", "b", more=None)], "owns a, b and many more"),
        (
            [link("BESIDE", Direction.OUT, "a", "b"), link("BESIDE", Direction.IN, "b", "a")],
            "beside: a and b",
        ),
        (
            [link("NEAR_TO", Direction.OUT, "a"), link("NEAR_TO", Direction.IN, "a", "c")],
            "near to a; c near to Bo Tarn",
        ),
        ([link("OWNS", Direction.OUT, "a"), link("crew", Direction.IN, "b")], "owns a; crew ← b"),
    ],
)
def test_links_are_told_by_relation(links: list[Link], told: str) -> None:
    rows = Rows(("x",), [(BO,)])
    text = compose.text(reading(Intent.DESCRIBE), rows, (), schema(nodes=Count(5)), {BO.element_id: links})
    assert text.startswith(f"Bo Tarn is a person: {told}. (read as")


def test_a_label_that_every_node_has_tells_nothing() -> None:
    text = compose.text(reading(Intent.DESCRIBE), Rows(("x",), [(BO,)]), (), schema(nodes=Count(2)))
    assert text.startswith("Bo Tarn. (read as")


def test_many_properties_and_long_values_are_cut() -> None:
    properties = {"name": "Heron", "log": "x" * 500, **{f"k{i}": i for i in range(9)}, "vector": Omitted("vector", 8)}
    node = Node("4:9", "s9", ("Ship",), properties)
    text = compose.text(reading(Intent.DESCRIBE), Rows(("x",), [(node,)]), (), schema(nodes=Count(5)))
    assert "x" * 199 + "…, k 0: 0" in text
    assert "and 2 more properties)" in text
    assert "vector" not in text


def test_a_description_of_a_node_without_properties_names_it() -> None:
    rows = Rows(("x",), [(Node("4:9", "v9", ("Vessel",), {}),)])
    assert compose.plain_rows(compose.table(reading(Intent.DESCRIBE), rows, schema())) == [{"name": "Vessel v9"}]


@pytest.mark.parametrize(
    ("names", "text"),
    [
        ([], ""),
        (["a"], "a"),
        (["a", "b"], "a and b"),
        (["a", "b", "c"], "a, b and c"),
        ([str(i) for i in range(12)], "0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 2 more"),
    ],
)
def test_enumerations(names: list[str], text: str) -> None:
    assert listed(names) == text


# --- evidence ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("labels", "properties", "name"),
    [
        (("Ship",), {"name": "Amber Gull", "number": 7}, "Amber Gull"),
        (("Ship",), {"name": "", "number": 7}, 7),
        (("Ship",), {"number": 0}, 0),
        (("Order",), {"code": "10248"}, "10248"),
        (("Vessel",), {"hull": "oak"}, "Vessel n1"),
        (("Unseen",), {}, "Unseen n1"),
        (("Vessel", "Ship"), {"name": "Amber Gull"}, "Amber Gull"),
        ((), {}, "node n1"),
    ],
)
def test_a_node_is_called_by_what_names_it(labels: tuple[str, ...], properties: dict[str, Any], name: Any) -> None:
    assert name_of(Node("4:9", "n1", labels, properties), schema()) == name


def test_an_edge_reads_as_a_line() -> None:
    nodes = {"4:1": ADA, "4:3": GULL}
    assert edge_text(BUILT, nodes, schema()) == "Ada Vorn -[BUILT]-> Amber Gull"
    assert edge_text(BUILT, {"4:1": ADA}, schema()) == "Ada Vorn -[BUILT]-> node 4:3"


def test_an_edge_whose_property_says_the_relation_reads_by_it() -> None:
    home = RelationHome("property", type="RELATED", key="predicate")
    nodes = {"4:1": ADA, "4:3": GULL}
    said = Edge("5:9", "RELATED", "4:1", "4:3", {"predicate": "was the builder of"})
    unsaid = Edge("5:9", "RELATED", "4:1", "4:3", {})
    assert edge_text(said, nodes, schema(relations=home)) == "Ada Vorn -[was the builder of]-> Amber Gull"
    assert edge_text(unsaid, nodes, schema(relations=home)) == "Ada Vorn -[RELATED]-> Amber Gull"


def test_witness_rows_become_nodes_edges_and_one_path_a_match() -> None:
    rows = Rows(("a", "x", "r"), [(GULL, ADA, BUILT), (GULL, BO, ALSO_BUILT)])
    nodes, edges, paths = elements(rows)
    assert nodes.keys() == {"4:1", "4:2", "4:3"}
    assert edges.keys() == {"5:1", "5:2"}
    assert [(p.nodes, p.edges) for p in paths] == [((GULL, ADA), (BUILT,)), ((GULL, BO), (ALSO_BUILT,))]


def test_collected_witness_rows_have_no_paths() -> None:
    nodes, edges, paths = elements(Rows(("a", "x", "r"), [([GULL], [ADA, BO], [BUILT, ALSO_BUILT])]))
    assert (len(nodes), len(edges), paths) == (3, 2, [])


def chunk(id: str) -> Node:
    return Node(f"4:{id}", id, ("Chunk",), {"id": id, "text": f"text of {id}"})


BY_EDGES = PassageHome("Chunk", "text", "id", "chunk_ids", ("MENTIONS",))
BY_MENTIONS = PassageHome("Chunk", "text", "id", None, ("MENTIONS",))
BUILDERS = Witness({"4:1": ADA, "4:2": BO, "4:3": GULL}, {"5:1": BUILT, "5:2": ALSO_BUILT})


def test_passages_that_more_edges_name_come_first() -> None:
    graph = FakeGraph(Rows(("c",), [(chunk("c1"),), (chunk("c2"),)]))
    found = passages_of(graph, schema(passages=BY_EDGES), BUILDERS, timeout=1.0)  # type: ignore[arg-type]
    assert [(p.text, p.votes) for p in found] == [("text of c2", 2), ("text of c1", 1)]
    assert sorted(graph.asked[0][1]["p0"]) == ["c1", "c2"]


def test_passages_without_an_id_of_their_own_are_found_by_the_loaded_one() -> None:
    graph = FakeGraph(Rows(("c",), [(chunk("c1"),)]))
    home = PassageHome("Chunk", "text", None, "chunk_ids")
    found = passages_of(graph, schema(passages=home), BUILDERS, timeout=1.0)  # type: ignore[arg-type]
    assert [(p.text, p.votes) for p in found] == [("text of c1", 1)]
    assert RESERVED_KEY in graph.asked[0][0]


def test_a_passage_counts_that_two_nodes_of_the_witness_share() -> None:
    rows = Rows(("c", "n"), [(chunk("c1"), ADA), (chunk("c2"), ADA), (chunk("c2"), GULL)])
    graph = FakeGraph(rows)
    found = passages_of(graph, schema(passages=BY_MENTIONS), BUILDERS, timeout=1.0)  # type: ignore[arg-type]
    assert [(p.node.id, p.votes) for p in found] == [("c2", 2)]


def test_where_edges_name_no_passage_mentions_do() -> None:
    bare = Witness({"4:1": ADA, "4:3": GULL}, {"5:3": Edge("5:3", "BUILT", "4:1", "4:3", {})})
    rows = Rows(("c", "n"), [(chunk("c2"), ADA), (chunk("c2"), GULL)])
    graph = FakeGraph(rows)
    found = passages_of(graph, schema(passages=BY_EDGES), bare, timeout=1.0)  # type: ignore[arg-type]
    assert [p.node.id for p in found] == ["c2"]


def test_no_passages_where_there_are_none_or_they_cannot_be_read() -> None:
    assert passages_of(FakeGraph(FAILURE), schema(), BUILDERS, timeout=1.0) == []  # type: ignore[arg-type]
    assert passages_of(FakeGraph(FAILURE), schema(passages=BY_EDGES), BUILDERS, timeout=1.0) == []  # type: ignore[arg-type]


def test_citations_are_edges_first_and_bounded() -> None:
    edges = {f"5:{i}": Edge(f"5:{i}", "BUILT", "4:1", "4:3", {}) for i in range(MOST_EDGES + 5)}
    witness = Witness({"4:1": ADA, "4:3": GULL}, edges, (), (), {("edge", "5:1"): 1})
    cited = citations(witness, [Passage(chunk("c1"), "text of c1", 1)], schema())
    assert [c.kind for c in cited] == ["edge"] * MOST_EDGES + ["passage"]
    assert cited[0].text == "Ada Vorn -[BUILT]-> Amber Gull"
    assert (cited[0].query, cited[1].query) == (0, 1)
    assert (cited[-1].id, cited[-1].text) == ("c1", "text of c1")
