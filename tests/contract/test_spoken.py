"""Questions as people say them, over a small world of orchards: amounts by adjectives and verbs, what was done or not,
two things held against each other, nouns that name no label."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from graphs import fill
from test_amounts import rows

from arcgraph import Agent, Settings, Status

GROWERS = (
    ("g1", "Ada Thorn", 4100, "1980-02-11", True, "Badger"),
    ("g2", "Ben Usk", 3200, "1991-07-30", False, None),
    ("g3", "Cleo Rime", 5300, "1975-01-05", True, None),
    ("g4", "Dov Sand", 2900, "1999-10-21", True, None),
)
ORCHARDS = (
    ("o1", "Long Acre", 40, "A+", 3, True, "Southby"),
    ("o2", "Low Barn", 12, "A-", 1, False, "Northby"),
    ("o3", "Quince Hill", 25, "B+", 2, True, "Westby"),
)
CRATES = (
    ("c1", "CR-1", 12.5, 18.0, "2021-09-01", "ripe", "rain"),
    ("c2", "CR-2", 8.0, 22.5, "2021-10-11", "green", "dry"),
    ("c3", "CR-3", 15.5, 20.0, "2022-09-03", "ripe", "rain"),
    ("c4", "CR-4", 6.0, 16.5, None, "ripe", "dry"),
    ("c5", "CR-5", 9.5, 19.0, "2022-09-20", "green", "dry"),
)
YARD = (
    [
        *((i, "Grower", {k: v for k, v in (("name", n), ("wage", w), ("birth_date", b), ("licence_paid", p),
                                           ("nickname", k)) if v is not None}) for i, n, w, b, p, k in GROWERS),
        *((i, "Orchard", {"name": n, "acres": a, "frost_grade": f, "terrace": t, "has_pond": p, "parish": s})
          for i, n, a, f, t, p, s in ORCHARDS),
        *((i, "Crate", {k: v for k, v in (("code", c), ("price", p), ("weight_kg", w), ("picked_on", d),
                                          ("ripeness", r), ("weather", e)) if v is not None})
          for i, c, p, w, d, r, e in CRATES),
        ("s1", "Sponsor", {"name": "Alder Bank", "monthly_fee": 90, "seat": "Northby"}),
        ("s2", "Sponsor", {"name": "Pear Co", "monthly_fee": 45, "seat": "Southby"}),
    ],
    [
        ("g1", "TENDS", "o1", {"since": "2015-04-01", "hours": 12}),
        ("g1", "TENDS", "o2", {"since": "2018-04-01", "hours": 9}),
        ("g2", "TENDS", "o1", {"since": "2020-05-01", "hours": 20}),
        ("g3", "TENDS", "o3", {"since": "2011-03-01", "hours": 7}),
        ("c1", "FILLED_IN", "o1", {}),
        ("c2", "FILLED_IN", "o1", {}),
        ("c3", "FILLED_IN", "o1", {}),
        ("c4", "FILLED_IN", "o2", {}),
        ("c5", "FILLED_IN", "o3", {}),
        ("s1", "BACKS", "o1", {"amount": 500}),
        ("s1", "BACKS", "o2", {"amount": 450}),
        ("s2", "BACKS", "o3", {"amount": 700}),
    ],
)  # fmt: skip


@pytest.fixture
def yard(graph: Any, tmp_path: Path, settings: Settings) -> Agent:
    fill(graph, tmp_path, *YARD)
    return Agent(graph, settings=settings)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        # Phrases in which people ask say nothing.
        ("How many crates do we have?", {5}),
        ("I'm looking for orchards that have a pond", {"Long Acre", "Quince Hill"}),
        ("what is the largest orchard we own", {"Long Acre"}),
        # Amounts that an adjective or a verb asks for.
        ("How heavy is CR-2?", {22.5}),
        ("What does CR-3 cost?", {15.5}),
        ("How much do growers earn on average?", {3875.0}),
        ("Who earns the most?", {"Cleo Rime"}),
        ("Which crate costs the least?", {"CR-4"}),
        ("Which two crates weigh the most?", {"CR-2", "CR-3"}),
        ("Which sponsor is the most expensive per month?", {"Alder Bank"}),
        # What was done at some moment, or was not.
        ("Which crates are unpicked?", {"CR-4"}),
        ("How many picked crates are there?", {4}),
        ("Which crates have not been picked yet?", {"CR-4"}),
        ("When was CR-5 picked?", {"2022-09-20"}),
        ("crates picked per year", {(2021, 2), (2022, 2)}),
        ("Which growers haven't paid their licence?", {"Ben Usk"}),
        # Values: a sign tells them apart, a verb says them, an ordinal counts them.
        ("Which orchards have frost grade A-?", {"Low Barn"}),
        ("What is the average price of the crates when it rained?", {14.0}),
        ("orchards on the third terrace", {"Long Acre"}),
        ("Who is the grower they call Badger?", {"Ada Thorn"}),
        # What edges hold adds up for those who are asked for.
        ("Which grower works the most hours?", {("Ada Thorn", 21)}),
        ("How much money does Alder Bank give altogether?", {950}),
        # A yardstick: an average, and what a named thing has.
        ("Which crates cost more than average?", {"CR-1", "CR-3"}),
        ("Which orchards have more acres than Low Barn?", {"Long Acre", "Quince Hill"}),
        ("Which growers are older than Ben Usk?", {"Ada Thorn", "Cleo Rime"}),
        # The same as what a named thing has, and as what another thing beside it has.
        ("Which crates have the same ripeness as CR-2?", {"CR-5"}),
        ("Which sponsors have their seat in the same parish as an orchard they back?", {"Alder Bank"}),
        # Two things that are asked for.
        ("Which orchard does Cleo Rime tend, and which sponsor backs it?", {("Quince Hill", "Pear Co")}),
        # Two aggregates held against each other.
        ("What percentage of the growers have paid their licence?", {75.0}),
        ("What share of crates are ripe?", {0.6}),
        ("How many more crates are filled in Long Acre than in Low Barn?", {2}),
        ("Are there more ripe than green crates?", {True}),
        ("Is the average price of ripe crates lower than that of green crates?", {False}),
        ("Which has more crates, Quince Hill or Long Acre?", {("Long Acre", 3)}),
        # Whether so many are.
        ("Did more than 3 growers tend Long Acre?", {False}),
        ("Did more than 1 grower tend Long Acre?", {True}),
        # A number told first, and counted then.
        ("Which orchards have at least two growers? Also show the number of growers.", {("Long Acre", 2)}),
    ],
)
def test_spoken_questions(yard: Agent, question: str, expected: set[Any]) -> None:
    answer = yard.ask(question)
    assert rows(answer) == expected, answer.text


@pytest.mark.parametrize(
    "question",
    [
        # No grade is B-, or B.
        "Which orchards have frost grade B-?",
        "Which orchards have frost grade C",
        # Two questions in one, of which a single column would answer one.
        "What are the crates of Long Acre and who tends it?",
        # Things that are compared by nothing that the graph knows.
        "Which feels warmer, Quince Hill or Long Acre?",
        # A part of a question that says when.
        "When did it hail at Long Acre?",
        "What was the average price of the crates when it thundered?",
        # A noun that may be said for a label, and nothing that bears it out.
        "List all gardeners",
        # No amount of what has none.
        "How much clay do the growers of Long Acre use?",
    ],
)
def test_spoken_questions_that_are_asked_back(yard: Agent, question: str) -> None:
    answer = yard.ask(question)
    assert answer.status != Status.ANSWERED, answer.text


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which gardens have a pond?", {"Long Acre", "Quince Hill"}),
        ("How many growers does each garden have?", {("Long Acre", 2), ("Low Barn", 1), ("Quince Hill", 1)}),
    ],
)
def test_a_noun_may_be_said_for_a_label(yard: Agent, question: str, expected: set[Any]) -> None:
    answer = yard.ask(question)
    assert rows(answer) == expected, answer.text
