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


def test_queries_hold_values_as_parameters(town: Agent) -> None:
    answer = town.ask("What are the names of workshops in the 'Docks' quarter?")
    assert answer.queries[0].params == {"p0": "Docks"}
    assert "Docks" not in answer.queries[0].cypher
