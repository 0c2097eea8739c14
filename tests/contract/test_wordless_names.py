"""A graph whose labels, types and keys hold no words, or none at all: every question is answered or left open."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from graphs import fill

from arcgraph import Agent, Settings, Status

ROOT = Path(__file__).parents[2]
LABELS = (("Ship",), (), ("_",), ("№",), ("42",), ("Ship", "_"), ("船",))
TYPES = ("--", "_1", "SAILS_TO", "船", "№")
NAMES = ("Ann", "Ben Hur", "Cy", "Dee", "--")
ODD = (
    [
        (
            f"n{i}",
            LABELS[i % len(LABELS)],
            {
                "name": f"{NAMES[i % 5]}{i // 5}", "_": i, "№": f"2020-0{i % 9 + 1}-01", "1": "xy"[i % 2],
                "--": i / 3, "born": 1900 + i, "$": ["a", "b"], "年": i % 3,
            },
        )
        for i in range(40)
    ],
    [
        (f"n{i}", TYPES[(i + k) % 5], f"n{(7 * i + k) % 40}", {"_": k, "№": "2020-01-01", "since": 2000 + k})
        for i in range(40)
        for k in range(1, 4)
    ],
)  # fmt: skip


@pytest.fixture
def odd(graph: Any, tmp_path: Path, settings: Settings) -> Agent:
    fill(graph, tmp_path, *ODD)
    return Agent(graph, settings=settings)


def everyday_questions() -> list[str]:
    files = sorted((ROOT / "benchmarks" / "everyday").glob("*/questions.jsonl"))
    return [json.loads(line)["question"] for file in files for line in file.read_text(encoding="utf-8").splitlines()]


def test_no_question_fails_over_names_without_words(odd: Agent) -> None:
    questions = everyday_questions()
    assert len(questions) >= 240
    statuses = [odd.ask(question).status for question in (*questions, "Where is Ann0?", "When was Dee1 here?")]
    assert Status.INSUFFICIENT in statuses


@pytest.mark.parametrize(
    ("question", "expected"),
    [("Which ships were born after 1930?", {"Dee6", "Ann7"}), ("How many ships are there?", {11})],
)
def test_what_has_words_is_still_found(odd: Agent, question: str, expected: set[object]) -> None:
    answer = odd.ask(question)
    told = {getattr(value, "properties", {}).get("name", value) for row in answer.rows for value in row.values()}
    assert (answer.status, told) == (Status.ANSWERED, expected)
