"""The index of values over real engines: read by aggregation, kept, repaired; and values looked up in the database."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest
from graphs import fill
from neo4j.time import Date, DateTime

from arcgraph.search.local import open_or_build
from arcgraph.search.lookup import look_up_in_graph
from arcgraph.search.store import write_store
from arcgraph.search.values import Known, open_or_build_values
from arcgraph.settings import Settings

NODES = [
    ("b1", "Boat", {"name": "Ran", "type": "cutter", "paint": "red, white", "crew": 3, "tags": ["old", "fast"]}),
    ("b2", "Boat", {"name": "Heat", "type": "Cutter", "paint": "red", "crew": 12, "tags": ["fast"]}),
    ("b3", "Boat", {"name": "Tern", "type": "yawl", "paint": "white, blue", "crew": 7, "draught": 2.5}),
    ("k1", "Keeper", {"name": "Edda Brisk", "id": "3-(555)010-2233", "active": True, "rank": "Captain"}),
    ("k2", ["Keeper", "Sailor"], {"name": "Bo Al", "id": "3-(555)010-2244", "rank": "Captain"}),
    *((f"n{i}", [], {"kind": "stray thing", "code": i}) for i in range(3)),
]
EDGES = [
    ("k1", "SAILS", "b1", {"role": "Mate", "since": 1990}),
    ("k2", "SAILS", "b2", {"role": "Master", "since": 2001}),
    ("k2", "SAILS", "b3", {"role": "Mate", "since": 2010}),
]


@pytest.fixture
def fleet(graph, tmp_path):
    fill(graph, tmp_path, NODES, EDGES)
    return graph


@pytest.fixture
def index(fleet, settings):
    return open_or_build_values(fleet, fleet.schema(refresh=True), settings)


def found(index, question: str) -> set[tuple]:
    return {(m.owner, m.key, m.values, m.count, m.is_piece) for m in index.find(question) if m.score > 0.4}


def test_values_of_nodes_edges_and_lists(index):
    assert found(index, "Which are cutters?") == {("Boat", "type", ("Cutter", "cutter"), 2, False)}
    assert ("Boat", "type", ("cutter",), 1, False) in found(index, "a cutter")
    assert found(index, "the one painted red") == {
        ("Boat", "paint", ("red",), 1, False),
        ("Boat", "paint", ("red",), 1, True),
    }
    assert found(index, "fast ones") == {("Boat", "tags", ("fast",), 2, True)}
    assert found(index, "who is mate") == {("SAILS", "role", ("Mate",), 2, False)}
    assert ("Keeper", "id", ("3-(555)010-2233",), 1, False) in found(index, "the keeper of 3-(555)010-2233")
    assert ("", "kind", ("stray thing",), 3, False) in found(index, "a stray thing")


def test_every_label_of_a_node_holds_its_values(index):
    assert {m.owner for m in index.find("a Captain") if m.values == ("Captain",)} == {"Keeper", "Sailor"}


def test_extents(index):
    crew, draught, since = index.extent("Boat", "crew"), index.extent("Boat", "draught"), index.extent("SAILS", "since")
    assert (crew.low, crew.high) == (3, 12)
    assert (draught.low, draught.high) == (2.5, 2.5)
    assert (since.low, since.high) == (1990, 2010)
    assert index.extent("Boat", "name") is None


def test_extents_of_moments(graph, settings):
    graph.write(
        "CREATE (:Visit {day: $d1, at: $t1}), (:Visit {day: $d2, at: $t2})",
        {
            "d1": Date(2017, 8, 24),
            "d2": Date(2017, 9, 1),
            "t1": DateTime(2017, 8, 24, 10, tzinfo=UTC),
            "t2": DateTime(2017, 9, 1, 9, 30, tzinfo=UTC),
        },
    )
    graph.save()
    schema = graph.schema(refresh=True)
    for index in (open_or_build_values(graph, schema, settings), open_or_build_values(graph, schema, settings)):
        day, at = index.extent("Visit", "day"), index.extent("Visit", "at")
        assert (day.low, day.high) == (date(2017, 8, 24), date(2017, 9, 1))
        assert (at.low, at.high) == (datetime(2017, 8, 24, 10, tzinfo=UTC), datetime(2017, 9, 1, 9, 30, tzinfo=UTC))


def test_it_is_kept_beside_the_names_until_the_graph_changes(index, fleet, settings, tmp_path):
    names = open_or_build(fleet, fleet.schema(), settings)
    again = open_or_build_values(fleet, fleet.schema(), settings)
    assert (index.built, again.built, again.path) == (True, False, index.path)
    assert again.path.parent == names.path.parent
    assert again.find("a red cutter") == index.find("a red cutter")
    assert again.columns == index.columns
    fill(fleet, tmp_path, [("b4", "Boat", {"name": "Gull", "type": "ketch"})])
    changed = open_or_build_values(fleet, fleet.schema(refresh=True), settings)
    assert changed.built
    assert changed.lookup("Boat", "type", "ketch") == [Known("ketch", 1)]
    assert open_or_build_values(fleet, fleet.schema(), settings, refresh=True).built


@pytest.mark.parametrize("keep", [0, 100, 1_000, -1])
def test_a_damaged_index_is_built_again_and_said_so(index, fleet, settings, keep):
    index.path.write_bytes(index.path.read_bytes()[:keep])
    repaired = open_or_build_values(fleet, fleet.schema(), settings)
    assert repaired.built
    assert any("built again" in notice for notice in repaired.notices)
    assert repaired.lookup("Boat", "type", "yawl")
    assert open_or_build_values(fleet, fleet.schema(), settings).notices == ()


def test_an_index_of_other_contents_is_built_again(index, fleet, settings):
    write_store(index.path, {"entries": 1}, {})
    assert open_or_build_values(fleet, fleet.schema(), settings).built


def test_a_cache_that_cannot_be_written(fleet, tmp_path):
    (tmp_path / "file").write_text("in the way")
    settings = Settings.load({}, cache={"dir": tmp_path / "file" / "cache"})
    index = open_or_build_values(fleet, fleet.schema(refresh=True), settings)
    assert index.path is None
    assert index.lookup("Boat", "type", "yawl")
    (notice,) = index.notices
    assert "cannot be written" in notice


def test_budgets(fleet, settings):
    schema = fleet.schema(refresh=True)
    narrow = Settings.load({}, cache={"dir": settings.cache.dir}, search={"max_values_per_property": 2})
    index = open_or_build_values(fleet, schema, narrow)
    assert index.values("Boat", "type") == []
    assert not index.column("Boat", "type").complete
    assert index.column("SAILS", "role").complete
    assert len(index.values("SAILS", "role")) == 2
    tiny = Settings.load({}, cache={"dir": settings.cache.dir}, search={"max_values": 3})
    few = open_or_build_values(fleet, schema, tiny)
    assert 0 < sum(len(few.values(c.owner, c.key)) for c in few.columns if c.complete) <= 3
    assert not all(c.complete for c in few.columns)


def test_an_empty_graph_has_an_empty_index(graph, settings):
    index = open_or_build_values(graph, graph.schema(refresh=True), settings)
    assert len(index) == 0
    assert index.find("who is mate") == []
    assert index.near("mate") == []


# --- looked up in the database -----------------------------------------------------------------------------------


def looked_up(graph, text: str, **options) -> list[tuple]:
    mentions = look_up_in_graph(graph, graph.schema(refresh=True), text, 10.0, **options)
    return [(m.owner, m.key, m.values, m.count, m.how) for m in mentions]


def test_values_looked_up(fleet):
    assert looked_up(fleet, "3-(555)010-2233") == [("Keeper", "id", ("3-(555)010-2233",), 1, "exact")]
    assert looked_up(fleet, "YAWL") == [("Boat", "type", ("yawl",), 1, "folded")]
    assert looked_up(fleet, "fast") == [("Boat", "tags", ("fast",), 2, "exact")]
    assert looked_up(fleet, "Mate") == [("SAILS", "role", ("Mate",), 2, "exact")]
    assert looked_up(fleet, "stray thing") == [("", "kind", ("stray thing",), 3, "exact")]
    assert looked_up(fleet, "no such thing") == []
    assert looked_up(fleet, "Captain", skip={("Sailor", "rank")}) == [("Keeper", "rank", ("Captain",), 2, "exact")]


def test_where_a_looked_up_value_stands(fleet):
    (mention,) = look_up_in_graph(fleet, fleet.schema(refresh=True), "yawl", 10.0, start=7)
    assert (mention.start, mention.end, mention.text) == (7, 11, "yawl")


def test_no_time_is_no_value(fleet):
    assert look_up_in_graph(fleet, fleet.schema(refresh=True), "yawl", 0.0) == []
