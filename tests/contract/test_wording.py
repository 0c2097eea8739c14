"""Questions whose words are not those of the graph, over a harbour: initials, phrases, plurals, branches."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from graphs import fill

from arcgraph import Agent, Answer, Settings, Status

PEOPLE = (
    ("a", "Ada", "Fuller", "12-77"), ("b", "Bo", "Lind", "12-78"), ("c", "Cy", "Moe", "12-79"),
    ("d", "Dot", "Lind", "12-80"), ("e", "Eli", "Fuller", "12-81"),
)  # fmt: skip
HARBOUR = (
    [
        *((i, "Sailor", {"name": n, "surname": s, "seal_no": no}) for i, n, s, no in PEOPLE),
        ("s1", "Ship", {"name": "Heron", "tonnage": 100}),
        ("s2", "Ship", {"name": "Petrel", "tonnage": 300}),
        ("s3", "Ship", {"name": "Teal", "tonnage": 500}),
        ("p1", "Port", {"name": "Ostvik"}),
        ("p2", "Port", {"name": "Varde"}),
        ("p3", "Port", {"name": "Ulm"}),
        ("k1", "Pier", {"name": "North Pier"}),
        ("k2", "Pier", {"name": "South Pier"}),
        ("k3", "Pier", {"name": "Old Pier"}),
        ("f1", "Fine", {"fine_id": "F1", "outcome": "Inquiry closed; no witness found", "kind": "Port fine"}),
        ("f2", "Fine", {"fine_id": "F2", "outcome": "Paid in full by the owner", "kind": "Other fee"}),
        ("f3", "Fine", {"fine_id": "F3", "outcome": "Inquiry still going on", "kind": "Port fine"}),
        ("f4", "Fine", {"fine_id": "F4", "outcome": "Inquiry still going on", "kind": "Other fee"}),
        ("f5", "Fine", {"fine_id": "F5", "outcome": "Paid in full by the owner", "kind": "Other fee"}),
    ],
    [
        ("a", "KIN_LW", "b"),
        ("c", "KIN_LW", "d"),
        ("a", "KIN_BX", "c"),
        ("a", "READS_LOG", "c"),
        ("d", "READS_LOG", "a"),
        ("e", "GREETED", "a"),
        ("e", "GREETED", "b"),
        ("d", "GREETED", "a"),
        ("b", "GREETED", "e"),
        ("a", "SAILS", "s1"),
        ("b", "SAILS", "s1"),
        ("c", "SAILS", "s2"),
        ("s1", "BERTHS_IN", "p1"),
        ("s2", "BERTHS_IN", "p1"),
        ("s3", "BERTHS_IN", "p2"),
        ("p1", "HAS_PIER", "k1"),
        ("p1", "HAS_PIER", "k2"),
        ("p2", "HAS_PIER", "k3"),
        ("a", "OWES", "f1"),
        ("b", "OWES", "f2"),
        ("c", "OWES", "f3"),
    ],
)


@pytest.fixture
def harbour(graph: Any, tmp_path: Path, settings: Settings) -> Agent:
    fill(graph, tmp_path, *HARBOUR)
    return Agent(graph, settings=settings)


def values(answer: Answer) -> set[Any]:
    return {value for row in answer.rows for value in row.values()} or {entity.name for entity in answer.entities}


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        # Initials of a verb and its preposition, in either direction; other words for living together.
        ("Who lives with Bo?", {"Ada"}),
        ("Which sailors reside with Dot?", {"Cy"}),
        ("How many sailors share a home with Ada?", {1}),
        ("Which sailors are roommates of Cy?", {"Dot"}),
        # Two words of one name with others in between.
        ("Which sailors read the log of Cy?", {"Ada"}),
        # Two objects of one verb; who greets is told from who is greeted.
        ("Which sailors greeted both Ada and Bo?", {"Eli"}),
        ("Which sailors were greeted by Eli?", {"Ada", "Bo"}),
        # Who else has the same thing.
        ("Which sailors sail the same ship as Ada?", {"Bo"}),
        # A name that several have.
        ("Which sailors with the surname Lind greeted Ada?", {"Dot"}),
        ("What is the seal ID of Cy?", {"12-79"}),
    ],
)
def test_relations_in_other_words(harbour: Agent, question: str, expected: set[Any]) -> None:
    answer = harbour.ask(question)
    assert values(answer) == expected, answer.text


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which fines were closed with no witness found?", {"F1"}),
        ("How many port fines are there?", {2}),
        ("Who owes a fine whose inquiry is closed with no witness?", {"Ada"}),
    ],
)
def test_values_in_other_words(harbour: Agent, question: str, expected: set[Any]) -> None:
    answer = harbour.ask(question)
    assert values(answer) == expected, answer.text


@pytest.mark.parametrize(
    "question",
    [
        "For each port, what is the average tonnage of the ships that berth in it and the number of its piers?",
        "For each port, find the average tonnage of ships that berth in it and the number of piers it has. "
        "Return the port name, average tonnage, and number of piers.",
    ],
)
def test_branches_are_aggregated_for_themselves(harbour: Agent, question: str) -> None:
    """In one match each of a port's two ships would meet each of its two piers; a port without ships has no row."""
    answer = harbour.ask(question)
    assert {tuple(row.values()) for row in answer.rows} == {("Ostvik", 200.0, 2), ("Varde", 500.0, 1)}, answer.text
    assert "by itself" in answer.text
    # Two ports, three ships, three piers.
    assert len(answer.witness.nodes) == 8


def test_each_in_what_is_returned_groups(harbour: Agent) -> None:
    answer = harbour.ask("Find all ports with piers and return the number of piers each port has.")
    assert {tuple(row.values()) for row in answer.rows} == {("Ostvik", 2), ("Varde", 1)}, answer.text


def test_what_is_said_of_two_is_not_read_of_one(harbour: Agent) -> None:
    """ "Related to" joins two sailors; without a relation that says it nothing is answered for one."""
    answer = harbour.ask("What are the seal numbers of sailors married with a sailor whose surname is Moe?")
    assert answer.status != Status.ANSWERED or "12-79" not in values(answer), answer.text


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which payments came from the account number 77-1?", {"P1"}),
        ("Which payments were received by the account number 77-1?", {"P2"}),
        ("Can you list the payments made using the number 77-1?", {"P1"}),
    ],
)
def test_a_number_tells_who_acts(
    graph: Any, tmp_path: Path, settings: Settings, question: str, expected: set[str]
) -> None:
    nodes = [("a", "Account", {"account_no": "77-1"}), ("b", "Account", {"account_no": "77-2"})]
    nodes += [(i, "Payment", {"payment_id": i.upper(), "amount": n}) for i, n in (("p1", 5), ("p2", 9))]
    edges = [("p1", "PAYER", "a"), ("p1", "PAYEE", "b"), ("p2", "PAYER", "b"), ("p2", "PAYEE", "a")]
    fill(graph, tmp_path, nodes, edges)
    answer = Agent(graph, settings=settings).ask(question)
    assert values(answer) == expected, answer.text
