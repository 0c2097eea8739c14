"""Questions about values with choices, comparisons of two things, and numbers that are asked for besides."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from graphs import fill

from arcgraph import Agent, Answer, Settings, Status

# A harbour: keys with units, a relation of one label in two roles, and things that some have none of.
FLEET = (
    [
        (
            "s1",
            "Ship",
            {"name": "Amber Gull", "length_m": 40.5, "mass_t": 310, "launch_year": 1988, "avg_speed_kmh": 20},
        ),
        ("s2", "Ship", {"name": "Nightjar", "length_m": 62.0, "mass_t": 280, "launch_year": 1999, "avg_speed_kmh": 31}),
        ("s3", "Ship", {"name": "Tern 12", "length_m": 55.0, "mass_t": 450, "launch_year": 2006, "avg_speed_kmh": 26}),
        ("c1", "Captain", {"name": "Ada Thorn", "place_of_birth": "Varde", "date_of_birth": "1950-04-01"}),
        ("c2", "Captain", {"name": "Ben Usk", "place_of_birth": "Skive", "date_of_birth": "1961-09-12"}),
        ("c3", "Captain", {"name": "Cleo Vant", "place_of_birth": "Varde", "date_of_birth": "1972-01-30"}),
        ("c4", "Captain", {"name": "Dov Wren", "place_of_birth": "Hobro", "date_of_birth": "1980-06-05"}),
        ("p1", "Port", {"name": "Ys", "depth_m": 9}),
        ("p2", "Port", {"name": "Ulm Quay", "depth_m": 14}),
        ("l1", "Line", {"name": "Grey Line"}),
        ("l2", "Line", {"name": "Blue Line"}),
    ],
    [
        ("s1", "hasCaptain", "c1"),
        ("s2", "hasCaptain", "c2"),
        ("s3", "hasCaptain", "c2"),
        ("s3", "hasCaptain", "c3"),
        ("s1", "callsAt", "p1"),
        ("s1", "callsAt", "p2"),
        ("s2", "callsAt", "p2"),
        ("s1", "sailsFor", "l1"),
        ("s2", "sailsFor", "l2"),
        ("s3", "sailsFor", "l1"),
        ("c2", "hasMentor", "c1"),
        ("c3", "hasMentor", "c2"),
        ("c4", "hasMentor", "c2"),
        ("c2", "rescuedBy", "c1"),
        ("c3", "rescuedBy", "c1"),
        ("c1", "rescuedBy", "c4"),
    ],
)


@pytest.fixture
def fleet(graph: Any, tmp_path: Path, settings: Settings) -> Agent:
    fill(graph, tmp_path, *FLEET)
    return Agent(graph, settings=settings)


def rows(answer: Answer) -> set[tuple[Any, ...]]:
    return {tuple(row.values()) for row in answer.rows}


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        # One thing or another: of a name, of a relation, of a condition.
        ("Which ships either call at Ys or sail for the Blue Line?", {("Amber Gull",), ("Nightjar",)}),
        ("How many ships are either captained by Cleo Vant or call at Ys?", {(2,)}),
        ("Which ships were launched before 1990 or after 2000?", {("Amber Gull",), ("Tern 12",)}),
        # Two things compared.
        ("How much longer is the Nightjar than the Amber Gull in metres?", {(21.5,)}),
        ("What is the difference in mass between the Amber Gull and the Nightjar?", {(30,)}),
        ("Which ship is longer, the Amber Gull or Tern 12?", {("Tern 12",)}),
        ("Which ship is lighter, the Amber Gull or the Nightjar?", {("Nightjar",)}),
        ("Is the Nightjar longer than Tern 12?", {(True,)}),
        ("Is the Nightjar heavier than Tern 12?", {(False,)}),
        # Asked for besides: what has none counts as 0.
        (
            "What are the names of ships that sail for the Grey Line, and how many ports does each of them call at?",
            {("Amber Gull", 2), ("Tern 12", 0)},
        ),
        (
            "Give the names of ships sailing for the Grey Line, along with the number of ports each of them calls at.",
            {("Amber Gull", 2), ("Tern 12", 0)},
        ),
        ("Who is the captain of the Amber Gull, and where was she born?", {("Ada Thorn", "Varde")}),
        # Two relations between the same two.
        ("What are the names of captains who were rescued by their mentors?", {("Ben Usk",)}),
        # Who fills a role.
        ("What are the names of captains that have Ben Usk as a mentor?", {("Cleo Vant",), ("Dov Wren",)}),
        ("What are the places of birth of captains whose mentor is Ben Usk?", {("Varde",), ("Hobro",)}),
        # Units, in keys and in questions; a key that holds an aggregate's word.
        ("What is the length in metres of the Amber Gull?", {(40.5,)}),
        ("What are the names and average speeds of ships launched after 1990?", {("Nightjar", 31), ("Tern 12", 26)}),
        # A name that holds figures, and words that say nothing where they stand.
        ("What is the mass in tonnes of Tern 12?", {(450,)}),
        ("Which ships have had Ben Usk as captain at some point?", {("Nightjar",), ("Tern 12",)}),
    ],
)
def test_what_is_asked_is_answered(fleet: Agent, question: str, expected: set[tuple[Any, ...]]) -> None:
    answer = fleet.ask(question)
    assert answer.status == Status.ANSWERED, answer.text
    assert rows(answer) == expected, answer.text


def test_an_order_may_be_told_by_two_superlatives(fleet: Agent) -> None:
    answer = fleet.ask("List the names of all ships, from the most recently launched to the oldest.")
    assert [tuple(row.values()) for row in answer.rows] == [("Tern 12",), ("Nightjar",), ("Amber Gull",)], answer.text


def test_the_evidence_of_a_choice_is_that_of_both_sides(fleet: Agent) -> None:
    answer = fleet.ask("Which ships either call at Ys or sail for the Blue Line?")
    assert "either" in answer.text
    types = sorted(edge.type for edge in answer.witness.edges.values())
    assert types == ["callsAt", "sailsFor"]


@pytest.mark.parametrize(
    "question",
    [
        # A noun that is asked for, or that things are asked by, and that nothing stands for.
        "What are the names and tonnages of the ships that sail for the Grey Line?",
        "Who is the captain of the Amber Gull, and what are his hobbies?",
        "Which ships with a crew larger than 12 sail for the Grey Line?",
        "What are the names of the ship engines that call at Ys?",
        "Which captains of the Amber Gull work as divers?",
        # When two things came together, nothing says.
        "In what year did the Amber Gull first call at Ys?",
        # What is named is not what is asked for.
        "Who owns the Amber Gull?",
    ],
)
def test_what_the_graph_does_not_know_is_not_answered(fleet: Agent, question: str) -> None:
    answer = fleet.ask(question)
    assert answer.status != Status.ANSWERED, answer.text
