"""Reciprocal rank fusion and the convex combination, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from arcgraph.search.base import Hit, best, positions
from arcgraph.search.fusion import convex_combination, reciprocal_rank_fusion


def ranking(*ids: int):
    return tuple(Hit(id, 100.0 - place) for place, id in enumerate(ids))


def test_two_rankings():
    fused = reciprocal_rank_fusion([ranking(7, 8, 9), ranking(9, 7)])
    assert [hit.id for hit in fused] == [7, 9, 8]
    assert [hit.score for hit in fused] == pytest.approx(
        [1 / (60 + 1) + 1 / (60 + 2), 1 / (60 + 3) + 1 / (60 + 1), 1 / (60 + 2)]
    )


def test_weights_and_constant():
    fused = dict(reciprocal_rank_fusion([ranking(1, 2), ranking(2, 1)], weights=(2.0, 1.0), k=10))
    assert fused[1] == pytest.approx(2.0 / (10 + 1) + 1.0 / (10 + 2))
    assert fused[2] == pytest.approx(2.0 / (10 + 2) + 1.0 / (10 + 1))


def test_a_ranking_of_weight_zero_does_not_count():
    assert [hit.id for hit in reciprocal_rank_fusion([ranking(1), ranking(2)], weights=(1.0, 0.0))] == [1]


def test_ties_stand_in_order_of_id_and_the_limit_cuts():
    fused = reciprocal_rank_fusion([ranking(5), ranking(3), ranking(4)], limit=2)
    assert [hit.id for hit in fused] == [3, 4]


def test_nothing_in_nothing_out():
    assert reciprocal_rank_fusion([]) == ()
    assert reciprocal_rank_fusion([(), ()]) == ()


def test_a_weight_must_be_given_for_every_ranking():
    with pytest.raises(ValueError, match="zip"):
        reciprocal_rank_fusion([ranking(1), ranking(2)], weights=(1.0,))


def test_best_breaks_ties_by_id_also_at_the_cut():
    ids = positions([9, 3, 5, 3, 7])
    assert ids is not None
    assert ids.tolist() == [3, 5, 7, 9]
    scores = ids * 0.0 + 1.0
    assert [hit.id for hit in best(ids, scores, 2)] == [3, 5]
    assert best(ids, scores, 0) == ()


# --- convex combination ----------------------------------------------------------------------------------------------


def test_scores_are_scaled_and_weighed():
    fused = convex_combination([np.array([0.0, 3.0, 12.0]), np.array([0.8, 0.4, 0.6])], (1.0, 2.0))
    low, middle, high = 0.0 / 12, 3.0 / 12, 12.0 / 12
    assert fused == pytest.approx([(low + 2 * 1.0) / 3, (middle + 2 * 0.0) / 3, (high + 2 * 0.5) / 3])


def test_scores_that_say_nothing_do_not_count():
    telling = np.array([1.0, 5.0, 3.0])
    assert convex_combination([telling, np.zeros(3)], (1.0, 2.0)) == pytest.approx([0.0, 1.0, 0.5])
    assert convex_combination([telling, -telling], (1.0, 0.0)) == pytest.approx([0.0, 1.0, 0.5])
    assert convex_combination([np.ones(2), np.ones(2)], (1.0, 1.0)).tolist() == [0.0, 0.0]
    assert convex_combination([np.zeros(0), np.zeros(0)], (1.0, 1.0)).tolist() == []


def test_every_score_needs_a_weight_in_the_combination():
    with pytest.raises(ValueError, match="shorter"):
        convex_combination([np.ones(2), np.ones(2)], (1.0,))
