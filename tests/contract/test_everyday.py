"""Questions as people type them, over a small world of music: idioms, units, who plays a part, when and where."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from graphs import fill
from test_amounts import rows

from arcgraph import Agent, Settings, Status

SONGS = (("s1", "Long Wave", 640, 900, True), ("s2", "Tin Roof", 180, 700, False), ("s3", "Grey Tide", 240, 300, False))
GIGS = (("g1", "2021-03-05", True, 3), ("g2", "2021-11-20", False, 2), ("g3", "2022-03-01", False, 1))
MUSIC = (
    [
        *((i, "Song", {"title": t, "duration_seconds": d, "streams": s, "explicit": e}) for i, t, d, s, e in SONGS),
        *(
            (i, "Album", {"title": t, "release_year": y, "copies_sold": c, "genre": g})
            for i, t, y, c, g in (
                ("a1", "Harbour", 1999, 500, "folk"),
                ("a2", "Winter", 2005, 300, "jazz"),
                ("a3", "Sparks", 2011, 900, "folk"),
            )
        ),
        *(
            (i, "Band", {"name": n, "formed_year": f, "disbanded_year": d, "home_size": z})
            for i, n, f, d, z in (("b1", "Tin Gulls", 1998, 2012, "xl"), ("b2", "Salt Choir", 2003, 2020, "xs"))
        ),
        *(
            (i, "Artist", {"name": n, "country": c})
            for i, n, c in (("p1", "Ida Moe", "Norway"), ("p2", "Lev Orr", "Chile"))
        ),
        *(
            (i, "Festival", {"name": n, "first_year": y})
            for i, n, y in (("f1", "Tidefall", 2001), ("f2", "Northlight", 2010))
        ),
        *((i, "Gig", {"held_on": d, "sold_out": s, "encores": e}) for i, d, s, e in GIGS),
        ("v1", "Venue", {"name": "Corn Hall", "city": "Ulm", "code": "V-7", "children_allowed": False}),
        ("v2", "Venue", {"name": "Pier", "city": "Varde", "code": "V-9", "children_allowed": True}),
        ("m1", "Manager", {"name": "Ada Roe"}),
    ],
    [
        ("s1", "sung_by", "p1", {}),
        ("s2", "sung_by", "p2", {}),
        ("s3", "sung_by", "p1", {}),
        ("b1", "released", "a1", {}),
        ("b1", "released", "a2", {}),
        ("b2", "released", "a3", {}),
        ("b1", "played_at", "f1", {"headliner": True}),
        ("b2", "played_at", "f1", {"headliner": False}),
        ("b2", "played_at", "f2", {"headliner": True}),
        ("g1", "held_at", "v1", {}),
        ("g2", "held_at", "v1", {}),
        ("g3", "held_at", "v2", {}),
        ("m1", "heads", "v1", {}),
    ],
)


@pytest.fixture
def music(graph: Any, tmp_path: Path, settings: Settings) -> Agent:
    fill(graph, tmp_path, *MUSIC)
    return Agent(graph, settings=settings)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        # A verb with a particle means what a plain one does; its particle alone says nothing.
        ("Which band put out Harbour?", {"Tin Gulls"}),
        ("folk albums that came out after 2003", {"Sparks"}),
        ("Who is in charge of venue V-7?", {"Ada Roe"}),
        ("When did the Tin Gulls split up?", {2012}),
        # When and where, by the property that says so.
        ("When was Salt Choir formed?", {2003}),
        ("Where is the Corn Hall?", {"Ulm"}),
        ("Where is Pier located?", {"Varde"}),
        # Groups by the year and the month of days.
        ("How many gigs were there in each year?", {(2021, 2), (2022, 1)}),
        ("Average encores of gigs per month", {("2021-03", 3.0), ("2021-11", 2.0), ("2022-03", 1.0)}),
        ("gigs per year", {(2021, 2), (2022, 1)}),
        ("Which year had the most gigs?", {(2021, 2)}),
        # A unit goes with a property that is counted in it, and is told in it.
        ("What songs last longer than 600 seconds?", {"Long Wave"}),
        ("Which songs are shorter than 4 minutes?", {"Tin Roof"}),
        ("How many seconds long is the song Tin Roof?", {180}),
        # Numbers of things that a property holds.
        ("Average number of copies sold by album genre", {("folk", 700.0), ("jazz", 300.0)}),
        ("Top 2 best-selling albums with the number of copies sold", {("Sparks", 900), ("Harbour", 500)}),
        ("What are the shortest and longest song durations?", {(180, 640)}),
        ("Which genre has the most albums?", {("folk", 2)}),
        # Nouns and verbs that say nothing beside what is measured, and before a moment.
        ("Which albums have a genre type of 'jazz'?", {"Winter"}),
        ("How many gigs occurred on 2021-11-20?", {1}),
        # What is sorted, and what is asked for.
        ("What is the most recently released album?", {"Sparks"}),
        ("What is the largest album copies sold?", {900}),
        # The largest of each, by an edge and by a property.
        ("the best-selling album of each genre", {("folk", "Sparks", 900), ("jazz", "Winter", 300)}),
        ("For each band, which album is the oldest?", {("Tin Gulls", "Harbour", 1999), ("Salt Choir", "Sparks", 2011)}),
        ("the best-selling album of each band released after 2000",
         {("Tin Gulls", "Winter", 300), ("Salt Choir", "Sparks", 900)}),
        # Who plays the part that an edge, or a relation called by a verb, says.
        ("Who were the headliners at Tidefall?", {"Tin Gulls"}),
        ("Who sings Grey Tide?", {"Ida Moe"}),
        # One property said by two words.
        ("Which venues don't allow children?", {"Corn Hall"}),
        # A value beside what holds it.
        ("Which albums did the xl bands release?", {"Harbour", "Winter"}),
    ],
)  # fmt: skip
def test_everyday_questions(music: Agent, question: str, expected: set[Any]) -> None:
    answer = music.ask(question)
    assert rows(answer) == expected, answer.text


@pytest.mark.parametrize(
    "question",
    [
        # One thing is not counted, and a thing that is only named is no answer.
        "How many people are on Harbour?",
        "Who made Harbour?",
        # A word for grouping or sorting is no property that it looks like.
        "Average copies sold per decade of the drummer",
        "Which album is the earliest and the funniest?",
        "Average copies sold of albums per year of birth",
        # A number of nothing that is named.
        "Which venue came before 1234567?",
    ],
)
def test_what_is_not_understood_is_asked_back(music: Agent, question: str) -> None:
    answer = music.ask(question)
    assert answer.status in (Status.INSUFFICIENT, Status.NO_EVIDENCE), answer.text


REALM = (
    [
        *((i, "Battle", {"name": n, "year": y})
          for i, n, y in (("b1", "Fords", 298), ("b2", "Camps", 299), ("b3", "Crag", 299))),
        *((i, "House", {"name": n}) for i, n in (("h1", "Starling"), ("h2", "Grebe"))),
        *((i, "Place", {"name": n}) for i, n in (("l1", "Red Ford"), ("l2", "Old Camp"))),
        *((i, "Region", {"name": n}) for i, n in (("r1", "Lowlands"), ("r2", "Heath"))),
        *((i, "Person", {"name": n, "born_year": y}) for i, n, y in (("p1", "Rob Tarn", 282), ("p2", "Ada Fen", 290))),
        ("p3", ["Person", "Dead"], {"name": "Odo Moss", "born_year": 299}),
        ("k1", "Chronicle", {"name": "First Chronicle"}),
    ],
    [
        ("b1", "IS_IN", "l1"), ("b2", "IS_IN", "l2"), ("b3", "IS_IN", "l1"),
        ("l1", "IS_IN", "r1"), ("l2", "IS_IN", "r1"),
        ("h1", "ATTACKER", "b1"), ("h1", "ATTACKER", "b2"), ("h2", "ATTACKER", "b3"),
        ("p1", "COMMANDED", "b1"), ("p2", "COMMANDED", "b2"), ("p3", "COMMANDED", "b3"),
        ("p3", "DIED_IN", "k1"), ("p1", "RESEMBLES", "p2", {"characterSimilarity": 0.5}),
        ("p2", "RESEMBLES", "p3", {"characterSimilarity": 0.7}), ("p1", "MET", "p3"), ("p2", "MET", "p3"),
    ],
)  # fmt: skip


@pytest.fixture
def realm(graph: Any, tmp_path: Path, settings: Settings) -> Agent:
    fill(graph, tmp_path, *REALM)
    return Agent(graph, settings=settings)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        # Years are what a key calls years, however long ago; and a battle's own come before anybody's.
        ("Which battles took place in 299?", {"Camps", "Crag"}),
        ("When did the battle Fords take place?", {298}),
        # Counted for what is asked for, through places that nobody names.
        ("Which regions have more than 2 battles?", {"Lowlands"}),
    ],
)
def test_years_and_counts_of_long_ago(realm: Agent, question: str, expected: set[Any]) -> None:
    answer = realm.ask(question)
    assert rows(answer) == expected, answer.text


@pytest.mark.parametrize(
    "question",
    [
        # A verb with who did it is more than the part that they play.
        "Which battles were lost by the attackers?",
        # Who did something is not whom it was done to, nor anybody like them.
        "Who killed Odo Moss?",
        # What is near the opposite is not meant.
        "Is Ada Fen alive?",
        # A word of a key is not the thing that it is a part of.
        "How many characters are dead?",
    ],
)
def test_what_only_looks_like_it_is_not_meant(realm: Agent, question: str) -> None:
    answer = realm.ask(question)
    assert answer.status in (Status.INSUFFICIENT, Status.NO_EVIDENCE), answer.text


SCHOOL = (
    [
        *(
            (i, "Tutor", {"fullName": n, "gender": g, "room": r, "hired": h} | ({"email": e} if e else {}))
            for i, n, g, r, h, e in (
                ("t1", "Ida Vorn", "F", "D12", 2001, "ida@school.test"), ("t2", "Lev Orr", "M", "D14", 2015, ""),
                ("t3", "Una Quist", "F", "B2", 2012, "una@school.test"),
            )
        ),
        *((i, "Course", {"title": t, "status": s, "weightKg": w}) for i, t, s, w in (
            ("c1", "Algebra", "approved", 2), ("c2", "Topology", "open", 3), ("c3", "Logic", "approved", 7))),
    ],
    [
        ("c1", "PREREQUISITE_OF", "c2"), ("c3", "PREREQUISITE_OF", "c2"), ("c1", "PREREQUISITE_OF", "c3"),
        ("t1", "TEACHES", "c1"), ("t1", "TEACHES", "c2"), ("t2", "TEACHES", "c3"), ("t2", "APPROVED_BY", "t1"),
    ],
)  # fmt: skip


@pytest.fixture
def school(graph: Any, tmp_path: Path, settings: Settings) -> Agent:
    fill(graph, tmp_path, *SCHOOL)
    return Agent(graph, settings=settings)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        # What a thing is said to have is there.
        ("How many tutors have an email?", {2}),
        ("Which tutors have an e-mail address?", {"Ida Vorn", "Una Quist"}),
        # Women and men, however a property writes them.
        ("List the female tutors who were hired before 2010.", {"Ida Vorn"}),
        ("How many women are there among the tutors?", {2}),
        # Numbers that say how many are asked for, and a number said again.
        ("Who are the two tutors with the most courses?", {("Ida Vorn", 2), ("Lev Orr", 1)}),
        ("Top two tutors by number of courses, together with the number", {("Ida Vorn", 2), ("Lev Orr", 1)}),
        # A part of a text without quotation marks.
        ("Which tutors have a room starting with D?", {"Ida Vorn", "Lev Orr"}),
        # Whose noun it is that somebody has.
        ("Which courses have no prerequisites?", {"Algebra"}),
        ("Which courses have prerequisites?", {"Topology", "Logic"}),
        # A participle before what holds it is a value.
        ("What is the average weight of approved courses?", {4.5}),
        ("Which courses are open right now?", {"Topology"}),
    ],
)
def test_what_is_said_to_be_had(school: Agent, question: str, expected: set[Any]) -> None:
    answer = school.ask(question)
    assert rows(answer) == expected, answer.text
