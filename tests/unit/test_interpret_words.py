"""Names as words, questions as tokens, and which way wording points an edge."""

from __future__ import annotations

import pytest

from arcgraph.graph.pattern import Direction
from arcgraph.interpret.anchors import is_command
from arcgraph.interpret.direction import expected_direction
from arcgraph.interpret.question import Intent, read_question, view_from
from arcgraph.interpret.terms import shared_stem
from arcgraph.interpret.verbalise import content, relation_words, split_name


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("ACTED_IN", "acted in"),
        ("has_genre", "genre"),
        ("directedBy", "directed by"),
        ("/film/film/directed_by", "directed by"),
        ("/film/actor/film./film/performance/film", "film"),
        ("people.person.place_of_birth", "place of birth"),
        ("http://schema.org/birthPlace", "birth place"),
        ("http://www.w3.org/1999/02/22-rdf-syntax-ns#type", "type"),
        ("schema:birthPlace", "birth place"),
        ("Ships to: address", "ships to address"),
        ("St. Agnes", "st agnes"),
        ("HTTPServer2Name", "http server 2 name"),
        ("film_inverse", "film"),
        ("has MD5 hash", "md 5 hash"),
        ("KNOWS_LW", "knows lw"),
        ("IS_IN", "in"),
        ("出演", "出演"),
        ("has", "has"),
    ],
)
def test_relation_names_become_words(name: str, words: str) -> None:
    assert " ".join(relation_words(name)) == words


def test_a_name_without_content_words_keeps_what_it_has() -> None:
    assert content(("in",)) == ("in",)
    assert content(("acted", "in")) == ("acted",)


def test_every_boundary_splits() -> None:
    assert split_name("fooBar_baz-qux 12") == ("foo", "bar", "baz", "qux", "12")


@pytest.mark.parametrize(
    ("a", "b", "share"),
    [
        ("director", "directed", 6 / 8),
        ("leader", "led", 1.0),
        ("screenwriter", "written", 1.0),  # by way of "write"
        ("films", "film", 1.0),
        ("act", "actor", 0.0),  # below four letters nothing is shared
        ("directors", "actors", 0.0),  # alike only at their ends
    ],
)
def test_shared_stem(a: str, b: str, share: float) -> None:
    assert shared_stem(a, b) == pytest.approx(share)
    assert shared_stem(b, a) == pytest.approx(share)


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("Who founded it?", Intent.LIST),
        ("How many ships are there?", Intent.COUNT),
        ("the number of ships", Intent.COUNT),
        ("Did Ann build it?", Intent.YES_NO),
        ("Can you list the ships?", Intent.LIST),
    ],
)
def test_intent(text: str, intent: Intent) -> None:
    assert read_question(text).intent == intent


def view(text: str, anchor: str) -> tuple[tuple[str, ...], tuple[int, ...], tuple[str, ...]]:
    at = text.index(anchor)
    seen = view_from(read_question(text), [(at, at + len(anchor))])
    return seen.words, seen.distances, seen.asked


def test_the_anchor_counts_as_one_token() -> None:
    words, distances, asked = view("Which ships sailed to Port of Ys in winter?", "Port of Ys")
    assert words == ("ships", "sailed", "winter")
    # which ships sailed to @ in winter: the anchor stands at 4, and what follows it lies behind all before it.
    assert distances == (3, 2, 6)
    assert asked == ("ships",)


def test_an_open_statement_asks_for_what_it_ends_with() -> None:
    assert view("the builder of Ys also built harbours", "Ys")[2] == ("harbours",)
    assert view("the builder of Ys built harbours", "Ys")[2] == ("builder",)


def test_a_question_word_stands_for_its_notion() -> None:
    assert view("Who built Ys?", "Ys")[2] == ("person", "people")
    assert view("What kind of ship is Ys?", "Ys")[2] == ("genre", "category", "type")


def test_opening_words_are_no_content() -> None:
    assert view("Please tell me the builder of Ys", "Ys")[0] == ("builder",)
    assert view("How many builders has Ys?", "Ys")[0] == ("builders",)


@pytest.mark.parametrize(
    ("text", "word", "relation", "direction"),
    [
        ("Which accounts paid B2?", "paid", "PAID", Direction.IN),
        ("Which accounts did B2 pay?", "pay", "PAID", Direction.OUT),
        ("Which accounts were paid by B2?", "paid", "PAID", Direction.OUT),
        ("Who was B2 paid by?", "paid", "PAID", Direction.IN),
        ("Which accounts paid B2?", "paid", "PAID_BY", Direction.OUT),
        ("Who is the mentor of B2?", "mentor", "MENTOR_OF", Direction.IN),
        ("Who is the parent of B2?", "parent", "parent", Direction.OUT),
        ("Who is B2's parent?", "parent", "has_parent", Direction.OUT),
        ("Who are the followers of B2?", "followers", "FOLLOWS", Direction.IN),
    ],
)
def test_direction_from_wording(text: str, word: str, relation: str, direction: Direction) -> None:
    question = read_question(text)
    place = next(i for i, t in enumerate(question.tokens) if t.lower == word)
    at = text.index("B2")
    assert expected_direction(question, (at, at + 2), place, relation) == direction


def test_no_direction_for_a_word_inside_the_anchor() -> None:
    question = read_question("Who paid B2?")
    assert expected_direction(question, (4, 8), 1, "PAID") is None


@pytest.mark.parametrize(
    ("question", "word", "is_told"),
    [
        ("List the ships of Ys", "List", True),
        ("Please count all ships", "count", True),
        ("Which ships are there? Limit it to five", "Limit", True),
        ("the ships in the database", "database", True),
        ("List of ships", "List", False),
        ("Which ships show the flag?", "show", False),
        ("the author of database", "database", False),
    ],
)
def test_the_verb_of_an_order_and_the_whole_that_is_asked_are_no_names(question, word, is_told):
    start = question.index(word)
    assert is_command(question, start, start + len(word)) == is_told
