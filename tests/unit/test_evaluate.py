"""Metrics against arithmetic done by hand, and the record of a run."""

from __future__ import annotations

import json
import os
import platform
import subprocess
from importlib.metadata import version
from pathlib import Path

import pytest

from arcgraph.evaluate.interval import mean_interval, share_interval
from arcgraph.evaluate.metrics.answer_set import answer_set
from arcgraph.evaluate.metrics.golden_proximity import golden_proximity
from arcgraph.evaluate.metrics.hits import hits_at
from arcgraph.evaluate.metrics.latency import percentile
from arcgraph.evaluate.metrics.recall import recall_at
from arcgraph.evaluate.record import run_record, write_record
from arcgraph.settings import Settings

ROOT = Path(__file__).parent.parent.parent


# --- answer sets ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answered", "gold", "precision", "recall", "f1", "exact"),
    [
        ("abc", "bcde", 2 / 3, 2 / 4, 2 * (2 / 3) * (2 / 4) / (2 / 3 + 2 / 4), 0.0),
        ("ab", "ab", 2 / 2, 2 / 2, 1.0, 1.0),
        ("a", "ab", 1 / 1, 1 / 2, 2 * 1 * 0.5 / (1 + 0.5), 0.0),
        ("x", "ab", 0 / 1, 0 / 2, 0.0, 0.0),
        ("", "ab", 0.0, 0 / 2, 0.0, 0.0),
        ("ab", "", 0 / 2, 0.0, 0.0, 0.0),
        ("", "", 1.0, 1.0, 1.0, 1.0),
    ],
)
def test_precision_recall_f1_and_exact(
    answered: str, gold: str, precision: float, recall: float, f1: float, exact: float
) -> None:
    score = answer_set(list(answered), list(gold))
    assert score == pytest.approx((precision, recall, f1, exact))
    assert (score.precision, score.recall, score.f1, score.exact) == tuple(score)


def test_a_name_that_is_answered_twice_counts_once() -> None:
    assert answer_set(["a", "a", "b"], ["a"]).precision == 1 / 2


def test_names_are_compared_as_they_are() -> None:
    assert answer_set(["heat"], ["Heat"]).f1 == 0


# --- hits, proximity, latency --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("k", "ranked", "hit"),
    [(1, "ag", 0.0), (1, "ga", 1.0), (2, "ag", 1.0), (10, "ab", 0.0), (1, "", 0.0), (0, "g", 0.0)],
)
def test_a_hit_is_any_gold_name_among_the_first_k(k: int, ranked: str, hit: float) -> None:
    assert hits_at(k, list(ranked), {"g"}) == hit


@pytest.mark.parametrize(
    ("k", "ranked", "recall"),
    [(3, "axbcd", 2 / 3), (5, "axbcd", 3 / 3), (2, "aab", 1 / 3), (9, "xyz", 0 / 3), (0, "abc", 0.0), (-1, "abc", 0.0)],
)
def test_recall_is_the_share_of_the_gold_among_the_first_k(k: int, ranked: str, recall: float) -> None:
    assert recall_at(k, list(ranked), ["a", "b", "c", "c"]) == recall


def test_without_gold_there_is_no_recall() -> None:
    assert recall_at(10, ["a"], []) is None


def test_golden_proximity_is_the_share_of_the_intermediate_entities() -> None:
    assert golden_proximity({"a", "b", "z"}, ["a", "b", "c", "d"]) == 2 / 4
    assert golden_proximity([], ["a"]) == 0 / 1
    assert golden_proximity(["a", "a"], ["a", "a"]) == 1 / 1


def test_without_intermediate_entities_there_is_no_proximity_rather_than_none() -> None:
    assert golden_proximity(["a"], []) is None


def test_percentiles_are_interpolated_linearly() -> None:
    seconds = [0.4, 0.1, 0.3, 0.2]
    assert percentile(seconds, 50) == pytest.approx((0.2 + 0.3) / 2)
    # Position .95 x (4 - 1) = 2.85 among the sorted values, from 0.
    assert percentile(seconds, 95) == pytest.approx(0.3 + 0.85 * (0.4 - 0.3))
    assert (percentile(seconds, 0), percentile(seconds, 100)) == (0.1, 0.4)
    assert (percentile([7.0], 95), percentile([], 50)) == (7.0, 0.0)


# --- intervals -----------------------------------------------------------------------------------------------------


def test_the_interval_of_a_mean_is_that_of_the_normal_distribution_for_many_values() -> None:
    """Half of 400 are 1, so the standard error is sqrt(.25 / 400) and the interval .5 -+ 1.96 of it."""
    found = mean_interval([0.0, 1.0] * 200)
    assert found.value == 0.5
    assert (found.low, found.high) == pytest.approx((0.5 - 1.96 * 0.025, 0.5 + 1.96 * 0.025), abs=0.005)
    assert found == mean_interval([0.0, 1.0] * 200)


def test_a_share_weighs_questions_by_what_they_ask_for() -> None:
    found = share_interval([1, 0, 4], [1, 1, 8])
    assert found.value == (1 + 0 + 4) / (1 + 1 + 8)
    assert found.low < found.value < found.high
    assert str(share_interval([1], [4])) == "0.250 [0.250, 0.250]"


def test_equal_values_have_no_spread() -> None:
    assert mean_interval([0.5] * 10) == (0.5, 0.5, 0.5)
    assert share_interval([1, 2], [2, 4]) == (0.5, 0.5, 0.5)


def test_an_interval_needs_a_measurement() -> None:
    with pytest.raises(ValueError, match="nothing was measured"):
        mean_interval([])


# --- records -------------------------------------------------------------------------------------------------------


def record(**changes: object) -> dict[str, object]:
    settings = Settings.load({"ARCGRAPH_SEARCH_EMBEDDER_KEY": "hunter2"}, ask={"max_hops": 2})
    return run_record("films", settings, {"n": 5} | changes, {"1": {"f1": 0.5}}, [{"question": "?", "f1": 0.5}])


def git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="not in a checkout")
def test_a_record_says_which_code_ran() -> None:
    assert record()["code"] == {"commit": git("rev-parse", "HEAD"), "dirty": bool(git("status", "--porcelain"))}


def test_a_record_outside_a_checkout_says_that_it_does_not_know(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")  # no git
    assert record()["code"] == {"commit": "", "dirty": False}


def test_a_record_says_what_it_ran_with() -> None:
    made = record(seed=3)
    packages = made["packages"]
    assert isinstance(packages, dict)
    assert packages["kglite"] == version("kglite")
    assert all(packages.values())
    assert made["machine"] == {
        "python": platform.python_version(),
        "system": platform.platform(),
        "cores": os.cpu_count(),
    }
    assert made["given"] == {"n": 5, "seed": 3}
    settings = made["settings"]
    assert isinstance(settings, dict)
    assert settings["ask"]["max_hops"] == 2
    assert settings["graph"]["timeout"] == 10.0
    assert (made["name"], made["results"]) == ("films", {"1": {"f1": 0.5}})


def test_a_record_hides_secrets() -> None:
    assert "hunter2" not in json.dumps(record())


def test_a_record_hides_the_password_of_an_address() -> None:
    assert "hunter2" not in json.dumps(record(graph="bolt://neo4j:hunter2@localhost:7687"))


def test_a_record_is_written_where_no_other_is(tmp_path: Path) -> None:
    path = write_record(record(), tmp_path / "new" / "folder")
    assert path.name.startswith("films-")
    read = json.loads(path.read_text(encoding="utf-8"))
    assert read["items"] == [{"question": "?", "f1": 0.5}]
    assert read["settings"]["ask"]["max_hops"] == 2


def test_two_records_of_one_second_do_not_replace_each_other(tmp_path: Path) -> None:
    paths = {write_record(record(), tmp_path) for _ in range(3)}
    assert len(paths) == len(list(tmp_path.iterdir())) == 3
