"""What a question's form adds to its words, asked of every engine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from graphs import fill

from arcgraph import Agent, Answer, Settings, Status
from arcgraph.graph.load import load
from arcgraph.graph.pattern import Descriptor
from arcgraph.interpret.roles import RoleMoves, movement, symmetric

FLEET = (
    [
        ("s1", "Ship", {"name": "Amber Gull"}),
        ("s2", "Ship", {"name": "Nightjar"}),
        ("p1", "Person", {"name": "Orla Quist"}),
        ("p2", "Person", {"name": "Bo Tarn"}),
        ("p3", "Person", {"name": "Ines Vael"}),
        ("h1", "Harbour", {"name": "Kelling"}),
    ],
    [
        ("p1", "DESIGNED", "s1"),
        ("p1", "BUILT", "s1"),
        ("p2", "DESIGNED", "s1"),
        ("p3", "BUILT", "s1"),
        ("p2", "BUILT", "s2"),
        ("s1", "LOCATED_IN", "h1"),
    ],
)


@pytest.fixture
def fleet(graph: Any, tmp_path: Path, settings: Settings) -> Agent:
    fill(graph, tmp_path, *FLEET)
    return Agent(graph, settings=settings)


def names(answer: Answer) -> set[str]:
    return {e.name for e in answer.entities}


def test_who_did_both_did_each(fleet: Agent, graph: Any) -> None:
    answer = fleet.ask("Who designed and built the Amber Gull?")
    assert (answer.status, names(answer)) == (Status.ANSWERED, {"Orla Quist"})
    assert {c.text for c in answer.citations} == {
        "Orla Quist -[DESIGNED]-> Amber Gull",
        "Orla Quist -[BUILT]-> Amber Gull",
    }
    assert answer.replay(graph).holds
    assert names(fleet.ask("Who built the Amber Gull?")) == {"Orla Quist", "Ines Vael"}


def test_where_is_it(fleet: Agent) -> None:
    assert names(fleet.ask("Where is the Amber Gull?")) == {"Kelling"}


def bare_of(graph: Any, tmp_path: Path, settings: Settings, text: str, relations: str) -> Agent:
    file = tmp_path / "triples.txt"
    file.write_text(text)
    load([file], graph, relations=relations)
    return Agent(graph, settings=settings)


TRADES = """Orla Quist|trade|painter
Bo Tarn|trade|sailor
Ines Vael|trade|painter
Orla Quist|drew|Nightjar
Bo Tarn|drew|Amber Gull
"""


@pytest.fixture(params=["types", "property"])
def trades(request: pytest.FixtureRequest, graph: Any, tmp_path: Path, settings: Settings) -> Agent:
    return bare_of(graph, tmp_path, settings, TRADES, request.param)


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("Is Orla Quist a painter?", True),
        ("Is Bo Tarn a painter?", False),
        ("Did Orla Quist draw the Nightjar?", True),
        ("Did Bo Tarn draw the Nightjar?", False),
        ("Was the Nightjar drawn by Orla Quist?", True),
    ],
)
def test_yes_or_no_joins_both_names_without_labels(trades: Agent, question: str, truth: bool) -> None:
    answer = trades.ask(question)
    assert (answer.status, answer.rows) == (Status.ANSWERED, [{"answer": truth}])


MARRIED = """Ada Vorn|spouse|Cy Holt
Cy Holt|spouse|Ada Vorn
Di Moss|spouse|Bo Tarn
Bo Tarn|spouse|Di Moss
Ines Vael|spouse|Ed Falk
Cy Holt|parent|Ed Falk
Di Moss|parent|Ada Vorn
Bo Tarn|parent|Cy Holt
"""


@pytest.fixture(params=["types", "property"])
def married(request: pytest.FixtureRequest, graph: Any, tmp_path: Path, settings: Settings) -> Agent:
    return bare_of(graph, tmp_path, settings, MARRIED, request.param)


def test_what_holds_both_ways_is_read_from_the_edges(married: Agent, graph: Any) -> None:
    moves = movement(graph, graph.schema())
    assert isinstance(moves, RoleMoves)
    assert symmetric(graph, moves.descriptors()) == ({"spouse"}, True)
    assert {str(s.direction) for s in moves.of("", first=True) if s.descriptor.text == "spouse"} == {"both"}
    assert {str(s.direction) for s in moves.of("", first=True) if s.descriptor.text == "parent"} == {"in", "out"}
    assert names(married.ask("Who is the spouse of Ada Vorn?")) == {"Cy Holt"}


def test_an_edge_that_lacks_its_counterpart_is_found_from_either_end(married: Agent, graph: Any) -> None:
    for question, expected in (
        ("Who is the spouse of Ines Vael?", {"Ed Falk"}),
        ("Who is the spouse of Ed Falk?", {"Ines Vael"}),
    ):
        answer = married.ask(question)
        assert names(answer) == expected
        assert answer.replay(graph).holds


def test_labelled_graphs_know_what_holds_both_ways(graph: Any, tmp_path: Path, settings: Settings) -> None:
    people = ["Ada Vorn", "Cy Holt", "Bo Tarn", "Di Moss", "Ed Falk"]
    nodes: list[Any] = [(n, "Person", {"name": n}) for n in people] + [("s", "Ship", {"name": "Nightjar"})]
    edges = [("Ada Vorn", "KNOWS", "Cy Holt"), ("Cy Holt", "KNOWS", "Ada Vorn"), ("Bo Tarn", "KNOWS", "Di Moss")]
    edges += [("Ed Falk", "MENTORS", "Ada Vorn"), ("Ada Vorn", "MENTORS", "Bo Tarn"), ("Ed Falk", "SAW", "s")]
    fill(graph, tmp_path, nodes, edges)
    assert symmetric(graph, [Descriptor("KNOWS"), Descriptor("MENTORS")]) == ({"KNOWS"}, True)
    agent = Agent(graph, settings=settings)
    assert names(agent.ask("Whom does Di Moss know?")) == {"Bo Tarn"}
    assert names(agent.ask("Whom does Ada Vorn mentor?")) == {"Bo Tarn"}


@pytest.mark.parametrize("question", ["Which invoices has Orla?", "How many invoices does Orla have?"])
def test_a_noun_that_nothing_explains_is_not_answered(
    graph: Any, tmp_path: Path, settings: Settings, question: str
) -> None:
    """Of two labels one always seems the nearer: it takes more than that to be what is asked for."""
    nodes = [("a", "Person", {"name": "Orla"}), ("b", "Person", {"name": "Finn"})]
    nodes += [("c", "City", {"name": "Ghent"}), ("d", "City", {"name": "Ulm"})]
    fill(graph, tmp_path, nodes, [("a", "LIVES_IN", "c"), ("b", "LIVES_IN", "d")])
    agent = Agent(graph, settings=settings)
    answer = agent.ask(question)
    assert answer.status in (Status.INSUFFICIENT, Status.NO_EVIDENCE), answer.text
    assert not answer.rows
    assert [entity.name for entity in agent.ask("Where does Orla live?").entities] == ["Ghent"]
