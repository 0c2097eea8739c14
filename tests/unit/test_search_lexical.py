"""BM25: rank-bm25's numbers from both implementations."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rank_bm25 import BM25Okapi

from arcgraph.search.lexical import EPSILON, K1, SMALL, B, OkapiBM25, SparseBM25, bm25

BOTH = pytest.mark.parametrize("index", [OkapiBM25, SparseBM25.of], ids=["library", "sparse"])
CORPUS = [
    ["the", "heat"],
    ["the", "words", "of", "war"],
    ["war", "and", "war", "again"],
    [],
    ["the", "big", "heat", "the", "end"],
]


def dense(scored, size):
    scores = np.zeros(size)
    scores[scored.ids] = scored.scores
    return scores


@BOTH
@pytest.mark.parametrize(
    "query",
    [["heat"], ["war", "war"], ["the"], ["the", "heat", "unknown"], ["unknown"], []],
    ids=["one", "repeated", "in-most-texts", "mixed", "unknown", "empty"],
)
def test_scores_are_those_of_rank_bm25(index, query):
    expected = BM25Okapi(CORPUS, k1=K1, b=B, epsilon=EPSILON).get_scores(query)
    assert dense(index(CORPUS).scored(query), len(CORPUS)) == pytest.approx(expected, rel=1e-12, abs=1e-15)


@BOTH
def test_by_hand(index):
    """Two texts of one word each and one of two; "a" stands in one of them."""
    corpus = [["a"], ["b"], ["b", "c"]]
    idf_a = math.log(3 - 1 + 0.5) - math.log(1 + 0.5)
    length = 1 / (4 / 3)
    expected = idf_a * (1 * (1.5 + 1)) / (1 + 1.5 * (1 - 0.75 + 0.75 * length))
    ((id, score),) = index(corpus).rank(["a"], 5)
    assert (id, score) == (0, pytest.approx(expected))


@BOTH
def test_a_word_in_most_texts_gets_a_quarter_of_the_mean(index):
    corpus = [["a", "x"], ["a", "y"], ["a", "z"], ["w"]]
    idf = {
        word: math.log(4 - n + 0.5) - math.log(n + 0.5) for word, n in {"a": 3, "x": 1, "y": 1, "z": 1, "w": 1}.items()
    }
    assert idf["a"] < 0
    floor = EPSILON * sum(idf.values()) / 5
    weight = (1.5 + 1) / (1 + 1.5 * (1 - 0.75 + 0.75 * 2 / (7 / 4)))
    assert index(corpus).rank(["a"], 1)[0].score == pytest.approx(floor * weight)


@BOTH
@pytest.mark.parametrize("corpus", [[], [[]], [[], []]], ids=["none", "one-empty", "two-empty"])
def test_a_corpus_without_words_finds_nothing(index, corpus):
    assert index(corpus).search("heat", 5) == ()
    assert index(corpus).search("", 5) == ()


@BOTH
def test_only_texts_that_share_a_word_are_ranked(index):
    assert [hit.id for hit in index(CORPUS).search("War!", 10)] == [2, 1]
    assert index(CORPUS).search("", 10) == ()


@BOTH
def test_within_restricts_before_ranking(index):
    found = index(CORPUS)
    assert [hit.id for hit in found.search("the heat", 1, within=[1, 3])] == [1]
    assert found.search("heat", 3, within=[]) == ()
    assert found.search("heat", 3, within=range(5)) == found.search("heat", 3)


words = st.lists(st.sampled_from("abcdefgh"), max_size=6)


@given(st.lists(words, min_size=1, max_size=12).filter(any), words)
def test_library_and_sparse_matrix_agree(corpus, query):
    library, sparse = OkapiBM25(corpus).scored(query), SparseBM25.of(corpus).scored(query)
    assert library.ids.tolist() == sparse.ids.tolist()
    assert sparse.scores == pytest.approx(library.scores, rel=1e-9, abs=1e-12)


def test_the_size_of_the_corpus_decides():
    rng = random.Random(0)
    corpus = [[rng.choice("abcdefghij") for _ in range(4)] for _ in range(SMALL)]
    assert isinstance(bm25(corpus[:-1]), OkapiBM25)
    assert isinstance(bm25(corpus), SparseBM25)
