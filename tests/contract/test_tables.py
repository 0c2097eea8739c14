"""Questions about values over a small graph, the same on every engine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from graphs import fill

from arcgraph import Agent, Answer, Settings, Status

# A town's workshops: what is asked for is rarely a node.
TOWN = (
    [
        ("w1", "Workshop", {"name": "Lantern Yard", "founded": 1988, "quarter": "Docks", "budget": "1200"}),
        ("w2", "Workshop", {"name": "Oak Bench", "founded": 1999, "quarter": "Old Town", "budget": "unknown"}),
        ("w3", "Workshop", {"name": "Quill House", "founded": 2004, "quarter": "Docks", "budget": "400"}),
        ("w4", "Workshop", {"name": "Bell Loft", "founded": 2011, "quarter": "Docks", "budget": "800"}),
        ("m1", "Member", {"name": "Ada Thorn", "email": "ada@thorn.test", "trade": "carpenter", "joined": 2001}),
        ("m2", "Member", {"name": "Ben Usk", "email": "ben@usk.test", "trade": "printer", "joined": 2005}),
        ("m3", "Member", {"name": "Cleo Vant", "email": "cleo@vant.test", "trade": "carpenter", "joined": 2012}),
        ("m4", "Member", {"name": "Dov Wren", "email": "dov@wren.test", "trade": "carpenter", "joined": 2012}),
        ("m5", "Member", {"name": "Eli Moss", "trade": "printer", "joined": 2003}),
    ],
    [
        ("m1", "WORKS_IN", "w1"),
        ("m2", "WORKS_IN", "w3"),
        ("m3", "WORKS_IN", "w1"),
        ("m4", "WORKS_IN", "w4"),
    ],
)


@pytest.fixture
def town(graph: Any, tmp_path: Path, settings: Settings) -> Agent:
    fill(graph, tmp_path, *TOWN)
    return Agent(graph, settings=settings)


def values(answer: Answer) -> set[Any]:
    return {value for row in answer.rows for value in row.values() if value is not None}


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What is the email of Ada Thorn?", {"ada@thorn.test"}),
        ("List the names of all workshops.", {"Lantern Yard", "Oak Bench", "Quill House", "Bell Loft"}),
        ("Which workshops were founded after 1999?", {"Quill House", "Bell Loft"}),
        ("What are the names of workshops in the 'Docks' quarter?", {"Lantern Yard", "Quill House", "Bell Loft"}),
        ("Show the names and trades of members who joined in 2012.", {"Cleo Vant", "Dov Wren", "carpenter"}),
        ("How many members are carpenters?", {3}),
        ("What is the average budget of workshops?", {800.0}),
        ("What is the email of the members who work in 'Lantern Yard'?", {"ada@thorn.test", "cleo@vant.test"}),
        ("Find the emails of members in a workshop founded before 1990.", {"ada@thorn.test", "cleo@vant.test"}),
        ("What is the highest budget of all workshops?", {1200.0}),
        # What is ruled out: a property, a relation, a relation to something, a value, a value said by its property.
        ("Which members have no email?", {"Eli Moss"}),
        ("Which members without an email are printers?", {"Eli Moss"}),
        ("Which members do not work in a workshop?", {"Eli Moss"}),
        ("Which workshops have no members?", {"Oak Bench"}),
        ("How many members never worked in a workshop?", {1}),
        ("Which members do not work in 'Lantern Yard'?", {"Ben Usk", "Dov Wren", "Eli Moss"}),
        ("Which workshops are not in the 'Docks' quarter?", {"Oak Bench"}),
        ("Which workshops were not founded in 1999?", {"Lantern Yard", "Quill House", "Bell Loft"}),
        # Choices.
        ("Which workshops were founded in 1988 or 1999?", {"Lantern Yard", "Oak Bench"}),
        ("How many members joined in 2001, 2003 or 2012?", {4}),
        ("Which members joined in 2001 and 2005?", {"Ada Thorn", "Ben Usk"}),
        ("Which members work in either Lantern Yard or Quill House?", {"Ada Thorn", "Ben Usk", "Cleo Vant"}),
        # Orders in time and by amount.
        ("Which workshop is the oldest?", {"Lantern Yard"}),
        ("What is the newest workshop?", {"Bell Loft"}),
        ("Which workshop was founded first?", {"Lantern Yard"}),
        ("Which workshop has the lowest budget?", {"Quill House"}),
        ("Top 2 workshops by budget", {"Lantern Yard", "Bell Loft"}),
        ("Which workshop has the most members?", {"Lantern Yard"}),
        ("Which workshops were founded in the 1990s?", {"Oak Bench"}),
        ("Which quarters have more than two workshops?", {"Docks"}),
        ("How many printers work in Lantern Yard?", {0}),
        ("Is Ada Thorn a printer?", {False}),
    ],
)  # fmt: skip
def test_rows_are_what_was_asked(town: Agent, question: str, expected: set[Any]) -> None:
    answer = town.ask(question)
    assert answer.status == Status.ANSWERED, answer.text
    assert values(answer) == expected, answer.text


def test_groups_stand_beside_their_aggregate(town: Agent) -> None:
    answer = town.ask("How many workshops are there for each quarter?")
    assert {tuple(row.values()) for row in answer.rows} == {("Docks", 3), ("Old Town", 1)}


def test_the_answer_says_how_it_was_read(town: Agent) -> None:
    answer = town.ask("Which workshops were founded after 1999?")
    assert "read as: workshop where workshop founded > 1999" in answer.text
    assert {entity.name for entity in answer.entities} == values(answer)


def test_what_is_nowhere_in_the_graph_is_not_answered(town: Agent) -> None:
    for question in ("What is the email of the member named 'Zeb Qormund'?", "What is the shoe size of Ada Thorn?"):
        answer = town.ask(question)
        assert answer.status in (Status.INSUFFICIENT, Status.NO_EVIDENCE), answer.text


@pytest.mark.parametrize(
    "question",
    [
        "Which members joined in the last 3 years?",
        "What is the average number of members per workshop?",
        "Which members joined before 2004 or after 2010?",
    ],
)
def test_what_no_part_of_a_query_follows_is_not_left_out(town: Agent, question: str) -> None:
    answer = town.ask(question)
    assert answer.status == Status.INSUFFICIENT, answer.text
    assert "Did you mean" in answer.text
    assert not answer.rows


def test_a_total_of_nothing_is_no_zero(town: Agent) -> None:
    answer = town.ask("What is the total budget of workshops in 'Old Town'?")
    assert answer.status == Status.NO_EVIDENCE
    assert "total budget of workshop where workshop quarter = Old Town" in answer.text


def test_a_word_within_another_is_not_said(graph: Any, tmp_path: Path, settings: Settings) -> None:
    """ "No" is none of the relation's "north"; without labels there is only the path to be asked back."""
    edges = [("a", "NORTH_OF", "b"), ("b", "NORTH_OF", "c")]
    fill(
        graph, tmp_path, [(i, "Entity", {"name": name}) for i, name in (("a", "Ost"), ("b", "Ys"), ("c", "Ulm"))], edges
    )
    agent = Agent(graph, settings=settings)
    assert values(agent.ask("What is north of Ys?")) == {"Ost"}
    answer = agent.ask("What, no village, is north of Ys?")
    assert answer.status == Status.INSUFFICIENT, answer.text
    assert '"no"' in answer.reason


def test_the_order_is_said(town: Agent) -> None:
    text = town.ask("Which workshop has the lowest budget?").text
    assert "read as: workshop, ascending by budget, first 1" in text
    assert "founded <> 1999" in town.ask("Which workshops were not founded in 1999?").text


@pytest.mark.parametrize(
    "question", ["Which workshop has the most members?", "Which workshops have at least two members?"]
)
def test_the_evidence_is_that_of_what_was_kept(town: Agent, question: str) -> None:
    answer = town.ask(question)
    assert {node.properties["name"] for node in answer.witness.nodes.values()} == {
        "Lantern Yard",
        "Ada Thorn",
        "Cleo Vant",
    }
    assert len(answer.witness.edges) == 2
    assert {answer.queries[c.query].reading for c in answer.citations} == {"the evidence"}


def test_queries_hold_values_as_parameters(town: Agent) -> None:
    answer = town.ask("What are the names of workshops in the 'Docks' quarter?")
    assert answer.queries[0].params == {"p0": "Docks"}
    assert "Docks" not in answer.queries[0].cypher
