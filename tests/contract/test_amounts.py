"""Questions about how much and how often, parts of texts, and columns beside each other, over a lending library."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from graphs import fill

from arcgraph import Agent, Answer, Settings, Status

READERS = (
    ("a", "Ada", "Fuller", "Varde", "071-20"), ("b", "Bo", "Lind", "Varde", "071-21"),
    ("c", "Cy", "Moe", "Ulm", "088-20"), ("d", "Dot", "Lind", "Ulm", "088-31"),
)  # fmt: skip
VOLUMES = (
    ("v1", "Tides", 1990, 300, 4, "salt_press"), ("v2", "Lamps", 1990, 120, 0, "salt_press"),
    ("v3", "Reeds", 2001, 240, 2, "gull_house"), ("v4", "Cold Tides", 2004, 90, 7, "gull_house"),
)  # fmt: skip
LIBRARY = (
    [
        *((i, "Reader", {"firstName": f, "lastName": n, "town": t, "phone": p}) for i, f, n, t, p in READERS),
        *(
            (i, "Volume", {"title": t, "printed": y, "pages": n, "copiesLent": c, "binding_class": p})
            for i, t, y, n, c, p in VOLUMES
        ),
        *((i, "Shelf", {"name": n, "average_height": h}) for i, n, h in (("s1", "North", 40), ("s2", "South", 55))),
        *((i, "Author", {"name": n, "height": h}) for i, n, h in (("w1", "Eli Roe", 170), ("w2", "Fay Noll", 180))),
        ("r1", "Notice", {"text": "lost", "posted": "2020-03-01"}),
        ("r2", "Notice", {"text": "torn", "posted": "2020-05-01"}),
        ("r3", "Notice", {"text": "late", "posted": "2021-05-01"}),
    ],
    [
        ("a", "BORROWED", "v1", {"borrow_count": 3}),
        ("a", "BORROWED", "v2", {"borrow_count": 1}),
        ("b", "BORROWED", "v1", {"borrow_count": 1}),
        ("c", "BORROWED", "v3", {"borrow_count": 2}),
        ("v1", "STANDS_ON", "s1"),
        ("v2", "STANDS_ON", "s1"),
        ("v3", "STANDS_ON", "s2"),
        ("v4", "STANDS_ON", "s2"),
        ("w1", "WROTE", "v1"),
        ("w1", "WROTE", "v3"),
        ("w2", "WROTE", "v4"),
        ("w2", "EDITED", "v1"),
        ("r1", "CONCERNS", "v1"),
        ("r2", "CONCERNS", "v1"),
        ("r3", "CONCERNS", "v3"),
    ],
)


@pytest.fixture
def library(graph: Any, tmp_path: Path, settings: Settings) -> Agent:
    fill(graph, tmp_path, *LIBRARY)
    return Agent(graph, settings=settings)


def rounded(value: Any) -> Any:
    return round(value, 3) if isinstance(value, float) else value


def rows(answer: Answer) -> set[Any]:
    """The rows as tuples, single values by themselves."""
    found = [tuple(map(rounded, row.values())) for row in answer.rows] or [(entity.name,) for entity in answer.entities]
    return {row[0] if len(row) == 1 else row for row in found}


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        # Edges hold how often; else edges or events are counted.
        ("Which volumes were borrowed more than once by Ada?", {"Tides"}),
        ("What are the titles of volumes that Ada borrowed, and how many times did she borrow each volume?",
         {("Tides", 3), ("Lamps", 1)}),
        ("For each shelf, what is the average number of times volumes on that shelf were borrowed?",
         {("North", 1.667), ("South", 2.0)}),
        ("How often do notices concern volumes?", {2}),
        # Numbers of things are held against those that have them, whatever is asked of them.
        ("What are the towns of readers who have borrowed at least two volumes?", {"Varde"}),
        ("Which shelves hold volumes that were borrowed by at least two readers?", {"North"}),
        ("Which volumes have exactly one reader?", {"Lamps", "Reeds"}),
        # An aggregate as a condition.
        ("Which shelves have volumes with an average of pages above 200?", {"North"}),
        ("Which shelves have a total of pages over 400?", {"North"}),
        ("How many readers has each volume on average?", {1.333}),
        ("What is the average number of volumes per borrower?", {1.333}),
        # Several aggregates and extremes of one property.
        ("What are the highest and the lowest number of pages of volumes?", {(300, 90)}),
        ("What are the minimum and maximum pages of volumes on each shelf?", {("North", 120, 300), ("South", 90, 240)}),
        ("What is the average height and the lowest height of authors?", {(175.0, 170)}),
        # No amount is 0.
        ("Which volumes have no copies lent?", {"Lamps"}),
        # What is listed with a number beside.
        ("List all shelves together with the number of volumes they hold.", {("North", 2), ("South", 2)}),
        ("How many volumes were printed each year?", {(1990, 2), (2001, 1), (2004, 1)}),
        ("What is the number of 1990 volumes on the shelf North?", {2}),
        ("What is the total number of pages of all volumes combined?", {750}),
    ],
)  # fmt: skip
def test_amounts(library: Agent, question: str, expected: set[Any]) -> None:
    answer = library.ask(question)
    assert rows(answer) == expected, answer.text


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which readers have '20' in their phone number?", {"Fuller", "Moe"}),
        ("Which volumes have 'Tides' in the title?", {"Tides", "Cold Tides"}),
        ("Which readers have a phone number that does not contain '20'?", {"Lind"}),
        ("Which volumes have a title that doesn't start with 'C'?", {"Tides", "Lamps", "Reeds"}),
        # A text in quotation marks that is a name is no part of it.
        ("Who borrowed 'Tides'?", {"Fuller", "Lind"}),
        # A quoted key groups; a phrase does not go across quotation marks.
        ("What is the average 'pages' for each 'binding_class' of volumes?",
         {("salt_press", 210.0), ("gull_house", 165.0)}),
        ("How many volumes were printed before '2001'?", {2}),
    ],
)  # fmt: skip
def test_parts_of_texts_and_quotation_marks(library: Agent, question: str, expected: set[Any]) -> None:
    answer = library.ask(question)
    assert rows(answer) == expected, answer.text


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        # There is a property average_height, and a height to take the average of.
        ("What is the average height of authors?", {175.0}),
        ("What is the average height of the shelf North?", {40}),
        ("What is the phone number of Ada Fuller?", {"071-20"}),
        # Names beside each other, and a second thing that is asked for.
        ("Find the authors who wrote volumes on the shelf 'North', and list their names along with the volume title.",
         {("Eli Roe", "Tides")}),
        ("What are the titles of volumes that Ada borrowed, and what are the shelves of these volumes?",
         {("Tides", "North"), ("Lamps", "North")}),
        ("What are the first names of readers who borrowed Tides?", {"Ada", "Bo"}),
        ("In which year was Reeds printed?", {2001}),
        # A number compared with an average, and two numbers with each other.
        ("Which volumes have more pages than the average volume?", {"Tides", "Reeds"}),
        ("How many more volumes did Eli Roe write than Fay Noll?", {1}),
        # What one thing has, and others as well.
        ("Which volumes have the same binding class as Tides?", {"Lamps"}),
    ],
)  # fmt: skip
def test_what_is_asked_for(library: Agent, question: str, expected: set[Any]) -> None:
    answer = library.ask(question)
    assert rows(answer) == expected, answer.text


@pytest.mark.parametrize(
    "question",
    [
        # Nothing holds a reputation; a far thing's number is none.
        "Which readers have a reputation between 100 and 500?",
        "Whose brainchild was Tides?",
    ],
)
def test_what_is_asked_back(library: Agent, question: str) -> None:
    answer = library.ask(question)
    assert answer.status != Status.ANSWERED, answer.text


def test_columns_of_one_name_bear_their_owners(graph: Any, tmp_path: Path, settings: Settings) -> None:
    nodes = [("k", "Keeper", {"name": "Ada"}), ("l", "Lamp", {"name": "Dunlin"}), ("m", "Lamp", {"name": "Teal"})]
    fill(graph, tmp_path, nodes, [("k", "TENDS", "l"), ("k", "TENDS", "m")])
    answer = Agent(graph, settings=settings).ask(
        "Find all keepers who tend a lamp, and list their names along with the lamp name."
    )
    found = sorted(answer.rows, key=lambda row: row["lamp name"])
    assert found == [{"name": "Ada", "lamp name": "Dunlin"}, {"name": "Ada", "lamp name": "Teal"}], answer.text


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many loans lasted longer than 2 hours?", {2}),
        ("Which loans had a duration of less than 90 minutes?", {"L1"}),
        ("How many loans have a duration between 1 hour and 3 hours?", {2}),
        # A word that is a whole value, and the beginning of a key.
        ("How many healthy readers are there?", {2}),
    ],
)
def test_durations_and_states(
    graph: Any, tmp_path: Path, settings: Settings, question: str, expected: set[Any]
) -> None:
    (tmp_path / "schema.json").write_text('{"property_types": {"duration": {"duration": 1}}}')
    loans = (("l1", "L1", "PT1H"), ("l2", "L2", "PT2H30M"), ("l3", "L3", "P2D"))
    states = (("a", "Ada", "Healthy"), ("b", "Bo", "Ill"), ("c", "Cy", "Healthy"))
    nodes = [(i, "Loan", {"name": n, "duration": d}) for i, n, d in loans]
    nodes += [(i, "Reader", {"name": n, "healthstate": s}) for i, n, s in states]
    fill(graph, tmp_path, nodes, [("a", "TOOK", "l1"), ("b", "TOOK", "l2"), ("c", "TOOK", "l3")])
    answer = Agent(graph, settings=settings).ask(question)
    assert rows(answer) == expected, answer.text


@pytest.mark.parametrize(
    ("question", "over"),
    [
        ("What is the average height of authors?", "over 2 authors"),
        ("What is the average number of volumes per author?", "over 2 authors"),
        ("How many volumes were printed each year?", "over 4 volumes"),
        ("What is the average height of the author of Reeds?", "over 1 author"),
        ("What is the average borrow count per reader?", "over 4 borrowed edges"),
        # The number is itself the answer, or groups were left out.
        ("How many readers are there?", ""),
        ("Which shelves have a total of pages over 400?", ""),
    ],
)
def test_the_answer_says_over_how_many_things(library: Agent, question: str, over: str) -> None:
    answer = library.ask(question)
    assert answer.status == Status.ANSWERED, answer.text
    assert answer.text.endswith(f", {over})") if over else "over" not in answer.text.partition("read as")[2]
    assert (answer.queries[-1].reading == "over how many") == bool(over)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which country is Eli Roe a citizen of?", {"Norway"}),
        ("In which city was Fay Noll born?", {"Bergen"}),
        ("Which villages are linked to the village code 7?", {"Ulm"}),
    ],
)
def test_a_key_whose_words_stand_apart(
    graph: Any, tmp_path: Path, settings: Settings, question: str, expected: set[Any]
) -> None:
    nodes = [
        ("w1", "Author", {"name": "Eli Roe", "countryOfCitizenship": "Norway", "birthCity": "Oslo"}),
        ("w2", "Author", {"name": "Fay Noll", "countryOfCitizenship": "Chile", "birthCity": "Bergen"}),
        ("c1", "Country", {"name": "Norland"}),
        ("p1", "Prize", {"name": "Quill"}),
        ("u", "Village", {"name": "Ulm", "villageCode": 7}),
        ("v", "Village", {"name": "Varde", "villageCode": 8}),
    ]
    fill(graph, tmp_path, nodes, [("p1", "AWARDED_IN", "c1"), ("p1", "AWARDED_TO", "w1"), ("p1", "AWARDED_TO", "w2")])
    answer = Agent(graph, settings=settings).ask(question)
    assert rows(answer) == expected, answer.text


@pytest.mark.parametrize(
    "question",
    [
        # Two questions at once are no single path, nor is a number of nothing that is known.
        "Which volumes did Eli Roe write, and how many words do they hold?",
        "How many more poems did Eli Roe write than Fay Noll?",
    ],
)
def test_a_path_answers_no_half_of_a_question(library: Agent, question: str) -> None:
    answer = library.ask(question)
    assert answer.status == Status.INSUFFICIENT, answer.text
