"""Folding: what is lost, what is kept, and where each token came from."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcgraph.search.text import content, fold, tokenize, tokens


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Heat", "heat"),
        ("  The   Knock! ", "the knock"),
        ("Grégoire Łódź Ærø", "gregoire lodz aero"),
        ("STRASSE straße", "strasse strasse"),
        ("İstanbul", "istanbul"),
        ("O'Neill's", "oneills"),
        ("Rock ‘n’ Roll", "rock n roll"),
        ("Spider-Man: No Way Home", "spider man no way home"),
        ("New_York", "new york"),
        ("ﬁancé ２００１", "fiance 2001"),
        ("٣ ½", "3 1 2"),
        ("C++", "c + +"),
        ("a\nb\tc\u00a0d", "a b c d"),
        ("so\u00adft zero\u200bwidth", "soft zerowidth"),
        ("\u200fשלום\u200e", "שלום"),
        ("👨\u200d👩\u200d👧 party", "👨 👩 👧 party"),
        ("霸王别姬", "霸 王 别 姬"),
        ("Heat是", "heat 是"),
        ("한국영화를", "한 국 영 화 를"),
        ("हिन्दी", "हिन्दी"),
        ("!!!", ""),
        ("", ""),
    ],
)
def test_fold(text, folded):
    assert fold(text) == folded


def test_dependent_vowels_are_no_accents():
    """Two Thai words and two kana that differ only in marks stay apart."""
    assert fold("ดี") != fold("ดู")
    assert fold("か") != fold("が")


def test_composed_and_decomposed_forms_fold_alike():
    for text in ("Amélie", "한국", "が", "Ångström"):
        assert fold(unicodedata.normalize("NFD", text)) == fold(text)


def test_tokens_know_where_they_stand():
    text = "Is “Heat’s” plot O'Hara's?"
    found = tokenize(text)
    assert [(t.text, t.owner, text[t.start : t.end]) for t in found] == [
        ("is", "is", "Is"),
        ("heats", "heat", "Heat’s"),
        ("plot", "plot", "plot"),
        ("oharas", "ohara", "O'Hara's"),
    ]


def test_a_decomposed_question_keeps_its_offsets():
    text = unicodedata.normalize("NFD", "où est Amélie ?")
    last = tokenize(text)[-1]
    assert text[last.start : last.end] == unicodedata.normalize("NFD", "Amélie")
    assert last.text == "amelie"


def test_content_is_without_glue_and_symbols():
    assert content(tokens("The Lord of the Rings + Will")) == ["lord", "rings", "will"]


@given(st.text())
def test_questions_and_names_fold_alike(text):
    """What is indexed and what is looked up must never disagree."""
    assert [t.text for t in tokenize(text)] == tokens(text)


@given(st.text())
def test_folding_is_stable_and_spans_run_forward(text):
    assert fold(fold(text)) == fold(text)
    spans = [(t.start, t.end) for t in tokenize(text)]
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert spans == sorted(spans)
