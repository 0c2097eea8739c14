"""Cutting a passage into what is embedded."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcgraph.search.windows import heading_of, windows

FIRST = "The lighthouse was built of grey granite in 1884."
SECOND = "Its keeper for thirty years was Edda Brisk of Kelling."


def test_each_sentence_stands_under_the_heading():
    assert windows(f"Kittiwake Light\n{FIRST} {SECOND}") == [f"Kittiwake Light {FIRST}", f"Kittiwake Light {SECOND}"]


@pytest.mark.parametrize(
    ("text", "heading"),
    [
        (f"Kittiwake Light\n{FIRST}", "Kittiwake Light"),
        (f"Kittiwake Light\n\n{FIRST}", "Kittiwake Light"),
        (f"\n Kittiwake Light \n{FIRST}", "Kittiwake Light"),
        (f"# Light\r\n\r\n{FIRST}", "# Light"),
        (FIRST, ""),
        ("Kittiwake Light", ""),
        ("Kittiwake Light\n\n", ""),
        ("", ""),
        (f"It stands.\n{FIRST} {SECOND}", ""),
        (f"{'long ' * 30}\n{FIRST * 10}", ""),
        ("a text that is broken\nat a margin so that all\nlines are about as long", ""),
    ],
)
def test_a_heading_is_a_short_line_above_a_longer_text(text, heading):
    assert heading_of(text)[0] == heading


def test_lines_broken_at_a_margin_are_joined():
    assert windows(
        "The lighthouse was built of grey\ngranite in 1884.\nIts keeper for thirty years was\nEdda Brisk."
    ) == [
        "The lighthouse was built of grey granite in 1884.",
        "Its keeper for thirty years was Edda Brisk.",
    ]


def test_short_pieces_stay_with_their_neighbours():
    assert windows(f"Dr. Brisk came first. {SECOND}") == [f"Dr. Brisk came first. {SECOND}"]
    assert windows(f"{FIRST} So it is said.") == [f"{FIRST} So it is said."]


def test_paragraphs_and_quotes_end_sentences():
    assert windows(f"“{FIRST}” {SECOND}") == [f"“{FIRST}", SECOND]
    items = ["a list of things without any full stop, really", "and one more list of things without any of them"]
    assert windows("\n\n".join([FIRST, *items])) == [FIRST, *items]


def test_scripts_without_blanks():
    sentence = "霸王别姬是一部由陈凯歌执导的剧情电影" * 3 + "。"
    assert windows(sentence * 2) == [sentence, sentence]


def test_a_text_without_sentences_is_cut():
    pieces = windows("word " * 1000)
    assert max(map(len, pieces)) <= 500
    assert " ".join(pieces).split() == ["word"] * 1000
    assert [len(piece) for piece in windows("x" * 1200)] == [500, 500, 200]


def test_what_has_nothing_in_it_is_one_piece():
    assert windows("") == [""]
    assert windows(" \n ") == [" \n "]


@given(st.text(st.sampled_from('ab .!?\n。"')))
def test_no_word_is_lost(text):
    """The heading is repeated; everything else comes once, in order (closing quotes at a break may go)."""
    heading, body = heading_of(text)
    pieces = [piece.removeprefix(heading) for piece in windows(text)]
    letters = "".join("".join(pieces).split()).replace('"', "")
    assert letters == "".join(body.split()).replace('"', "")
