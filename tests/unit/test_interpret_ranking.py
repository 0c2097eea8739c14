"""The parts of a path's score, each by hand, with meanings given rather than embedded."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from arcgraph.domain import Anchor, Count, Endpoint, LabelInfo, PassageHome, Schema, TypeInfo
from arcgraph.graph.pattern import Descriptor, Direction
from arcgraph.interpret.anchors import UNEXPLAINED, Candidate, find_candidates, mention_strength, unexplained
from arcgraph.interpret.assemble import Branch, Reading, answering, bound, match_of
from arcgraph.interpret.confidence import fit, holds, lead
from arcgraph.interpret.direction import role_direction
from arcgraph.interpret.paths import Moves, RelationPath, Step, enumerate_paths
from arcgraph.interpret.question import Intent, View
from arcgraph.interpret.score import (
    FLOOR,
    EncodedPaths,
    Meanings,
    Parts,
    Piece,
    Weights,
    coverages,
    explained,
    gaps,
    joint_parts,
    score_paths,
    wording,
)
from arcgraph.interpret.terms import Vocabulary, label_term, relation_term
from arcgraph.search.base import Entry
from arcgraph.search.lexicon import Mention


def no_vectors(_: object) -> None:
    """An embedder that is not there."""


def schema(*triples: tuple[str, str, str, int], passages: PassageHome | None = None) -> Schema:
    labels = {name for a, _, b, _ in triples for name in (a, b)}
    totals: dict[str, int] = {}
    for _, kind, _, n in triples:
        totals[kind] = totals.get(kind, 0) + n
    return Schema(
        labels={name: LabelInfo(name, Count(10)) for name in sorted(labels)},
        types={t: TypeInfo(t, Count(n)) for t, n in totals.items()},
        endpoints=tuple(Endpoint(a, t, b, Count(n)) for a, t, b, n in triples),
        passages=passages,
    )


FLEET = schema(("Person", "DESIGNED", "Ship", 30), ("Person", "LED", "Trip", 10), ("Trip", "SAILED_ON", "Ship", 12))


def vocabulary(of: Schema) -> Vocabulary:
    return Vocabulary([relation_term(t) for t in of.types] + [label_term(x) for x in of.labels], no_vectors)


def path(start: str, *steps: tuple[str, str, str]) -> RelationPath:
    return RelationPath(start, tuple(Step(Descriptor(t), Direction(d), label) for t, d, label in steps))


# --- paths --------------------------------------------------------------------------------------------------------


def test_paths_follow_the_endpoint_triples() -> None:
    found = enumerate_paths(Moves(FLEET), ["Ship"], 2, 100)
    assert [str(p) for p in found] == [
        "Ship <-DESIGNED- Person",
        "Ship <-SAILED_ON- Trip",
        "Ship <-DESIGNED- Person -DESIGNED-> Ship",
        "Ship <-DESIGNED- Person -LED-> Trip",
        "Ship <-SAILED_ON- Trip <-LED- Person",
        "Ship <-SAILED_ON- Trip -SAILED_ON-> Ship",
    ]


def test_the_budget_cuts_the_longest() -> None:
    assert len(enumerate_paths(Moves(FLEET), ["Ship"], 3, 5)) == 5


def test_an_accidental_triple_is_followed_from_an_anchor_only() -> None:
    # Two of 1,002 edges end at a ship that is also a trip: other triples account for all edges.
    doubled = schema(
        ("Person", "DESIGNED", "Ship", 1000), ("Person", "DESIGNED", "Trip", 2), ("Trip", "LED", "Ship", 9)
    )
    doubled = replace(doubled, types={**doubled.types, "DESIGNED": TypeInfo("DESIGNED", Count(1000))})
    moves = Moves(doubled)
    assert [s.label for s in moves.of("Person", first=True)] == ["Ship"]
    assert [s.label for s in moves.of("Trip")] == ["Ship"]
    assert [s.label for s in moves.of("Trip", first=True)] == ["Ship", "Person"]


def test_a_rare_triple_that_nothing_else_accounts_for_is_meant() -> None:
    rare = schema(("Person", "DESIGNED", "Ship", 1000), ("Robot", "DESIGNED", "Ship", 30))
    assert [s.descriptor.type for s in Moves(rare).of("Robot")] == ["DESIGNED"]


def test_passages_are_no_part_of_an_answer_path() -> None:
    with_text = schema(
        ("Person", "DESIGNED", "Ship", 5), ("Chunk", "MENTIONS", "Ship", 9), passages=PassageHome("Chunk", "text")
    )
    assert [str(p) for p in enumerate_paths(Moves(with_text), ["Ship"], 1, 10)] == ["Ship <-DESIGNED- Person"]


# --- meanings -----------------------------------------------------------------------------------------------------


def test_rows_are_distributions_over_different_words() -> None:
    rows = vocabulary(FLEET).meanings(["designer", "ships", "xyzzy"])
    assert rows.sum(axis=1) == pytest.approx([1, 1, 1])
    assert rows[2].argmax() == rows.shape[1] - 1  # null absorbs what is about nothing


def test_a_label_and_a_type_of_one_word_do_not_compete() -> None:
    shop = vocabulary(schema(("Customer", "PURCHASED", "Order", 9), ("Order", "ORDERS", "Product", 9)))
    row = shop.meanings(["orders"])[0]
    assert row[shop.column["label", "Order"]] == row[shop.column["relation", "ORDERS"]] > 0.5


# --- the parts, with meanings given by hand -----------------------------------------------------------------------

# Columns: DESIGNED, LED, SAILED_ON, Person, Ship, Trip, round trip, null.
WORDS = np.array([[0.9, 0, 0, 0, 0, 0, 0, 0.1], [0, 0.6, 0.2, 0, 0, 0, 0, 0.2]], np.float32)
ASKED = np.array([0, 0, 0, 0.8, 0.1, 0, 0, 0.1], np.float32)


def meanings(distances: tuple[int, ...] = (1, 2), words: np.ndarray = WORDS) -> Meanings:
    view = View(tuple("ab")[: len(words)], tuple(range(len(words))), distances, ("person",))
    named = words[:, :3].max(axis=1)
    return Meanings(view, words, words, ASKED, ASKED, ASKED, 0.0, named, 6)


def encoded(*paths: RelationPath) -> EncodedPaths:
    return EncodedPaths(paths, vocabulary(FLEET))


TWO = path("Ship", ("SAILED_ON", "in", "Trip"), ("LED", "in", "Person"))
ONE = path("Ship", ("DESIGNED", "in", "Person"))


def log_given(probability: float) -> float:
    """What a hop gets that claims a word with this probability; 0 for one that is worded outright."""
    return math.log((FLOOR + probability) / (1 + FLOOR))


def test_a_hop_that_is_worded_outright_costs_and_gains_nothing() -> None:
    words = np.array([[1.0, 0, 0, 0, 0, 0, 0, 0]], np.float32)
    assert wording(encoded(ONE).demands[0], meanings((1,), words)).support == pytest.approx(0.0, abs=1e-6)


def test_coverage_is_what_the_terms_and_null_explain() -> None:
    # DESIGNED .9 + null .1; then of LED .6, SAILED_ON .2, null .2 only null belongs to the path.
    assert encoded(ONE).coverage(WORDS)[0] == pytest.approx(math.log(FLOOR + 1.0) + math.log(FLOOR + 0.2), abs=1e-5)


def test_support_gives_each_hop_a_word_of_its_own() -> None:
    # LED takes the second word (.6), so SAILED_ON is left with the first (0), though .2 would be there.
    worded = wording(encoded(TWO).demands[0], meanings())
    assert worded.support == pytest.approx(log_given(0.6) + log_given(0.0), abs=1e-5)
    assert worded.first_word == 0


def test_a_word_for_a_relation_that_no_hop_claims_is_surplus() -> None:
    assert wording(encoded(ONE).demands[0], meanings()).surplus == pytest.approx(0.6)
    assert wording(encoded(TWO).demands[0], meanings()).surplus == 0.0


def test_of_two_words_for_one_relation_each_hop_takes_the_nearer() -> None:
    back = path("Person", ("DESIGNED", "out", "Ship"), ("DESIGNED", "in", "Person"))
    words = np.array([[0.9, 0, 0, 0, 0, 0, 0, 0.1], [0.8, 0, 0, 0, 0, 0, 0, 0.2]], np.float32)
    worded = wording(encoded(back).demands[0], meanings((3, 1), words))
    assert (worded.disorder, worded.first_word) == (0.0, 1)


def test_a_relation_followed_a_third_time_needs_more_than_a_third_word() -> None:
    thrice = path("Person", *[("DESIGNED", d, x) for d, x in (("out", "Ship"), ("in", "Person"), ("out", "Ship"))])
    assert [d.again for d in encoded(thrice).demands[0]] == [False, False, True]
    words = np.array([[0.9, 0, 0, 0, 0, 0, 0, 0.1]] * 3, np.float32)
    worded = wording(encoded(thrice).demands[0], meanings((1, 2, 3), words))
    assert worded.support == pytest.approx(2 * log_given(0.9) + log_given(0.27), abs=1e-5)


def test_order_costs_the_smaller_claim_of_an_inversion() -> None:
    words = np.array([[0, 0, 0.7, 0, 0, 0, 0, 0], [0, 0.5, 0, 0, 0, 0, 0, 0]], np.float32)
    # SAILED_ON is next to the anchor and is worded farther from it than LED.
    assert wording(encoded(TWO).demands[0], meanings((3, 1), words)).disorder == pytest.approx(0.5)
    assert wording(encoded(TWO).demands[0], meanings((1, 3), words)).disorder == 0.0


def test_a_way_back_may_be_claimed_by_a_return_word() -> None:
    back = path("Person", ("DESIGNED", "out", "Ship"), ("DESIGNED", "in", "Person"))
    words = np.array([[0.8, 0, 0, 0, 0, 0, 0, 0.2], [0, 0, 0, 0, 0, 0, 0.7, 0.3]], np.float32)
    support = wording(encoded(back).demands[0], meanings(words=words)).support
    assert support == pytest.approx(log_given(0.8) + log_given(0.7), abs=1e-5)


def test_answer_is_the_last_label_or_its_role() -> None:
    paths = encoded(ONE, path("Ship", ("SAILED_ON", "in", "Trip")))
    assert paths.answer(meanings()) == pytest.approx([math.log(FLOOR + 0.8), math.log(FLOOR)], abs=1e-5)
    assert paths.answer_of(0, meanings()) == pytest.approx(math.log(FLOOR + 0.8), abs=1e-5)


def test_what_is_explained_leaves_null_out() -> None:
    assert explained(encoded(ONE).explains, meanings())[:, 0].tolist() == pytest.approx([0.9, 0.0])
    assert score_paths(encoded(ONE), meanings(), np.array([True]), Weights())[0][1].grounded == pytest.approx(0.45)


@pytest.mark.parametrize(
    ("places", "shares", "gap"),
    [
        # The first two stand side by side unexplained; a word explained, or one between, ends the run.
        ((3, 4, 5, 9), (0.1, 0.0, 0.9, 0.0), 2),
        ((3, 4, 6, 7), (0.1, 0.9, 0.0, 0.1), 2),
        ((3, 5, 7, 9), (0.0, 0.0, 0.0, 0.0), 1),
        ((3, 4, 5, 6), (0.0, 0.0, 0.0, 0.9), 3),
        ((3, 4, 5, 6), (0.9, 0.5, 0.3, 0.2), 0),
    ],
)
def test_a_gap_is_the_longest_run_of_words_that_nothing_explains(
    places: tuple[int, ...], shares: tuple[float, ...], gap: int
) -> None:
    view = replace(meanings().view, places=places, words=("ships", "harbours", "storms", "crews"))
    asked = replace(meanings(), view=view)
    assert gaps(np.array(shares, np.float32)[:, None], asked).tolist() == [gap]


def test_a_particle_is_no_word_of_a_gap() -> None:
    view = replace(meanings().view, places=(3, 4, 5), words=("tags", "fall", "under"))
    asked = replace(meanings(), view=view)
    assert gaps(np.array((0.9, 0.0, 0.0), np.float32)[:, None], asked).tolist() == [1]


def test_the_coverage_of_a_way_on_is_that_of_all_together() -> None:
    paths = encoded(ONE, path("Trip", ("LED", "in", "Person")))
    two = replace(meanings(), view=View(("a", "b"), (0, 1), (1, 1), ("person",), (0, 2), (1, 3)))
    pieces = [Piece(paths, 0, 0), Piece(paths, 1, 1)]
    for i in (0, 1):
        whole = joint_parts([*pieces, Piece(paths, i, None)], two)
        assert coverages(pieces, paths, two)[i] == pytest.approx(whole.coverage, abs=1e-5)


def test_unusable_paths_are_not_scored() -> None:
    paths = encoded(ONE, TWO)
    assert [i for i, _ in score_paths(paths, meanings(), np.array([False, True]), Weights())] == [1]
    assert score_paths(paths, meanings(), np.array([False, False]), Weights()) == []


def test_two_paths_are_read_as_one_pattern() -> None:
    paths = encoded(ONE, path("Trip", ("LED", "in", "Person")))
    # a @ b @: each word stands before its own anchor.
    two = replace(meanings(), view=View(("a", "b"), (0, 1), (1, 1), ("person",), (0, 2), (1, 3)))
    parts = joint_parts([Piece(paths, 0, 0), Piece(paths, 1, 1)], two)
    assert parts.coverage == pytest.approx(math.log(FLOOR + 1.0) + math.log(FLOOR + 0.8), abs=1e-5)
    assert parts.support == pytest.approx(log_given(0.9) + log_given(0.6), abs=1e-5)
    assert parts.order == 0.0
    swapped = joint_parts([Piece(paths, 0, 1), Piece(paths, 1, 0)], two)
    assert swapped.order == pytest.approx(0.9 + 0.6, abs=1e-5)


@pytest.mark.parametrize(
    ("word", "relation", "direction"),
    [
        ("actors", "ACTED_IN", Direction.IN),
        ("actors", "starred_actors", Direction.OUT),
        ("director", "directed_by", Direction.OUT),
        ("keeper", "KEEPER_OF", Direction.IN),
        ("genre", "has_genre", Direction.OUT),
        ("thing", "ACTED_IN", None),
    ],
)
def test_which_end_a_role_noun_names(word: str, relation: str, direction: Direction | None) -> None:
    assert role_direction(word, relation) == direction


# --- anchors and readings -----------------------------------------------------------------------------------------


def anchor(name: str, start: int, end: int) -> Anchor:
    return Anchor(name, ("Ship",), "name", (name,), ("e-" + name,), (start, end), name, "exact", 1.0)


def test_a_longer_mention_leaves_a_rest_unexplained() -> None:
    # "Al" covers 2 of the 8 characters of "Al Green".
    short, long = Candidate(anchor("Al", 0, 2), 1.0), Candidate(anchor("Al Green", 0, 8), 1.0)
    assert unexplained([short, long], [long]) == 0.0
    assert unexplained([short, long], [short]) == pytest.approx(UNEXPLAINED * 6 / 8)


def test_of_overlapping_leftovers_only_the_strongest_counts() -> None:
    chosen = Candidate(anchor("Ys", 20, 22), 1.0)
    others = [Candidate(anchor("Al", 0, 2), 0.4), Candidate(anchor("Al Green", 0, 8), 0.9)]
    assert unexplained([chosen, *others], [chosen]) == pytest.approx(UNEXPLAINED * 0.9)


def reading(score: float, grounded_share: float = 1.0, **parts: float) -> Reading:
    filled: dict[str, Any] = {"coverage": 0.0, "support": 0.0, "answer": 0.0, "order": 0.0, **parts}
    return Reading((Branch(anchor("Ys", 0, 2), ONE),), Intent.LIST, score, Parts(**filled, grounded=grounded_share))


def test_confidence_needs_fit_ground_and_lead() -> None:
    assert fit(reading(0.0)) == 1.0
    assert fit(reading(0.0, support=-3.0)) == pytest.approx(math.exp(-1.0))
    assert holds(reading(0.0), [])
    assert not holds(reading(0.0, grounded_share=0.1, words=2), [])
    assert holds(reading(0.0, words=4, gap=1), [])
    assert not holds(reading(0.0, words=4, gap=2), [])
    first, second = reading(0.0), reading(-1.0)
    assert lead(first, [first, second]) == pytest.approx(1 / (1 + math.exp(-1)))


def test_a_reading_becomes_a_bound_pattern() -> None:
    pattern = answering(bound(match_of(reading(0.0)), [anchor("Ys", 0, 2)], loaded=False), Intent.LIST, 7)
    text, params = pattern.to_cypher()
    assert text == (
        "MATCH (a0:`Ship`)<-[r0:`DESIGNED`]-(x:`Person`)\n"
        "WHERE elementId(a0) = $p0 AND x <> a0\n"
        "RETURN x AS `x`, count(*) AS `paths`\n"
        "ORDER BY `paths` DESC\n"
        "LIMIT 7"
    )
    assert params == {"p0": "e-Ys"}


# --- strength of mentions ----------------------------------------------------------------------------------------


class FakeNames:
    """Names whose mentions are given."""

    def __init__(self, *mentions: Mention):
        self._mentions = list(mentions)

    def find(self, question: str, *, by_meaning: bool = True) -> list[Mention]:
        del by_meaning
        return [m for m in self._mentions if m.text in question]

    def entries(self, ids: Sequence[int]) -> list[Entry]:
        return [Entry(f"4:{i}", f"n{i}", ("Entity",), "name", f"name {i}") for i in ids]


def mention(text: str, question: str, number: int = 0, **features: Any) -> Mention:
    start = question.index(text)
    size = len(text.split())
    return Mention(start, start + len(text), text, (number,), "folded", 0.9, 1, size, **features)


def strengths(question: str, *texts: str) -> dict[str, float]:
    found = FakeNames(*(mention(text, question, i) for i, text in enumerate(texts)))
    of = vocabulary(schema(("Ship", "MOORED_AT", "Harbour", 9), ("Harbour", "ISSUES", "Permit", 9)))
    return {c.anchor.surface: c.strength for c in find_candidates(question, found, of)}


def test_the_only_name_stays_however_doubtful() -> None:
    assert strengths("what is near ships", "ships") == {"ships": pytest.approx(0.9 * 0.05, rel=0.1)}


def test_a_word_of_the_vocabulary_is_no_anchor_beside_another_name() -> None:
    assert list(strengths("which ships are near tarn", "ships", "tarn")) == ["tarn"]


def test_a_word_that_merely_resembles_a_term_stays_beside_another_name() -> None:
    found = strengths("is tissue near tarn", "tissue", "tarn")
    assert list(found) == ["tarn", "tissue"]
    assert 0.01 < found["tissue"] < 0.2


def test_several_words_are_doubted_less_unless_one_term_says_them_all() -> None:
    assert strengths("what is a harbour permit", "harbour permit")["harbour permit"] > 0.4
    assert strengths("what is moored at", "moored at")["moored at"] < 0.1


def test_a_plural_of_a_name_rather_means_a_class() -> None:
    question = "what do gulls eat"
    of = vocabulary(FLEET)
    plural = find_candidates(question, FakeNames(replace(mention("gulls", question), how="inflected")), of)
    given = find_candidates(question, FakeNames(mention("gulls", question)), of)
    assert plural[0].strength == pytest.approx(given[0].strength / 4)


def test_more_relations_do_not_make_a_name_doubtful() -> None:
    few = vocabulary(schema(("Ship", "MOORED_AT", "Harbour", 9)))
    many = vocabulary(schema(*(("Ship", f"RELATION_{chr(97 + i)}x", "Harbour", 9) for i in range(26))))
    question = "what is a gull"
    of_few, of_many = (mention_strength(mention("gull", question), v) for v in (few, many))
    assert of_many == pytest.approx(of_few, rel=0.2)
