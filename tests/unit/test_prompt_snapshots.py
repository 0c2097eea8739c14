"""Prompts as they are sent, as snapshot files, so that a change reads as a diff; none speaks of one construction.

ARCGRAPH_UPDATE_SNAPSHOTS=1 writes the files anew.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest

from arcgraph.llm.data import block, rules
from arcgraph.resources import prompt

PROMPTS = Path(__file__).parent.parent.parent / "prompts"
SNAPSHOTS = Path(__file__).parent / "snapshots" / "prompts"
QUESTION = '"Who designed the ships that are moored at Port Ys?"'
ASKED = '"Which ships are moored at Port Ys?"'
KNOWN = block(['"Where is Port Ys?" -> "On the coast"'])
INTERFACE = block(['A1 entity "Port Ys" (Harbour)', "R1 relation (Harbour) <-[MOORED_AT]- (Ship)"])
OPTIONS = block(['O1 "Port Ys (harbour) <-moored at- ship" -> 2 rows: "Nightjar"; "Amber Gull"'])
HINTS = block(['"The Nightjar lay at Port Ys for years."'])
SCHEMA = block(["(:Ship)-[:MOORED_AT]->(:Harbour)", "(:Ship {name string}) 3 nodes"])

CASES: dict[str, dict[str, Any]] = {
    "choose": {
        "question": QUESTION,
        "asked": "",
        "known": "",
        "options": OPTIONS,
        "interface": INTERFACE,
        "schema": "",
        "attempts": "",
        "relation_key": "",
    },
    "choose.free": {
        "question": QUESTION,
        "asked": ASKED,
        "known": KNOWN,
        "options": "",
        "interface": INTERFACE,
        "schema": SCHEMA,
        "attempts": "",
        "relation_key": "predicate",
    },
    "refine": {
        "question": QUESTION,
        "asked": ASKED,
        "known": KNOWN,
        "options": OPTIONS,
        "interface": INTERFACE,
        "schema": SCHEMA,
        "attempts": block(['"a query" -> "it found no rows"']),
        "relation_key": "",
    },
    "phrases": {"question": QUESTION, "known": "", "near": block(['"Port Yst"']), "most": 6},
    "explore.anchored": {
        "kind": "anchored",
        "most": 6,
        "question": QUESTION,
        "asked": ASKED,
        "known": KNOWN,
        "gaps": "designed",
        "interface": INTERFACE,
        "hints": HINTS,
    },
    "explore.topology": {
        "kind": "topology",
        "most": 6,
        "question": QUESTION,
        "asked": "",
        "known": "",
        "gaps": "",
        "interface": INTERFACE,
        "hints": "",
    },
    "report": {"question": QUESTION, "asked": "", "interface": INTERFACE},
    "plan.again": {
        "question": QUESTION,
        "asked": ASKED,
        "known": KNOWN,
        "interface": INTERFACE,
        "hints": "",
        "most": 3,
        "fault": "path 1: R1 does not lead on from Ship",
    },
    "plan": {
        "question": QUESTION,
        "asked": "",
        "known": "",
        "interface": INTERFACE,
        "hints": HINTS,
        "most": 3,
        "fault": "",
    },
    "answer": {
        "question": QUESTION,
        "asked": ASKED,
        "evidence": block(['Q1 row: "Nightjar"', 'E1 "Nightjar" -[MOORED_AT]-> "Port Ys"']),
        "vain": "",
    },
    "answer.vain": {
        "question": QUESTION,
        "asked": "",
        "evidence": block(['E1 "Nightjar" -[MOORED_AT]-> "Port Ys"']),
        "vain": block(['"Who drew it?"']),
    },
}


@pytest.mark.parametrize("case", CASES)
def test_snapshot(case: str) -> None:
    seen = prompt(case.partition(".")[0], **CASES[case]) + "\n"
    path = SNAPSHOTS / f"{case}.md"
    if os.environ.get("ARCGRAPH_UPDATE_SNAPSHOTS") == "1":
        path.parent.mkdir(exist_ok=True)
        path.write_text(seen)
    assert seen == path.read_text()


def test_the_rules_are_a_snapshot_too() -> None:
    path = SNAPSHOTS / "rules.md"
    if os.environ.get("ARCGRAPH_UPDATE_SNAPSHOTS") == "1":
        path.write_text(rules() + "\n")
    assert rules() + "\n" == path.read_text()


def test_every_prompt_of_the_loop_has_a_snapshot() -> None:
    own = {path.stem for path in PROMPTS.glob("*.md")} - {"json_repair", "json_reply"}
    assert own == {case.partition(".")[0] for case in CASES} | {"rules"}


# How graphs of one construction or another call their parts.
_CONSTRUCTIONS = ("chunk", "openie", "synonym", "predicate", "__entity__", "reified", "rdf", "triple", "wikidata")


@pytest.mark.parametrize("path", sorted(PROMPTS.glob("*.md")), ids=lambda path: path.stem)
def test_no_prompt_speaks_of_one_construction(path: Path) -> None:
    words = set(re.findall(r"\w+", path.read_text(encoding="utf-8").lower()))
    assert not [word for word in _CONSTRUCTIONS if word in words]
