"""The gate against Neo4j's own analyser: nothing that it calls more than a read passes, no valid read is refused."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from evasion_probe import corpus
from neo4j_analyser import analyse, key
from queries import MUTANTS, READS, mutants

from arcgraph.graph.guard import check

DIFFERENCES = Path(__file__).parents[1] / "data" / "analyser_differences.jsonl"
# What the gate refuses though the analyser has nothing against it, by its rules: calls outside of the lists.
POLICY = {"function", "procedure"}


def compare(queries: list[str]) -> Iterator[dict[str, str]]:
    """Queries that the two judge differently, and how."""
    for query, analysis in zip(queries, analyse(queries), strict=True):
        verdict = check(query)
        if analysis.effects and verdict.accepted:
            yield {"kind": "effect accepted", "query": query, "says": " ".join(analysis.effects)}
        elif analysis.valid and not analysis.effects and not verdict.accepted:
            if not POLICY & {reason.rule for reason in verdict.reasons}:
                yield {"kind": "valid refused", "query": query, "says": str(verdict.reasons[0])}
        elif not analysis.valid and verdict.accepted:
            yield {"kind": "invalid accepted", "query": query, "says": ""}


def listed() -> dict[str, dict[str, str]]:
    """Differences that are known, with their reason, by key of the query."""
    entries = [json.loads(line) for line in DIFFERENCES.read_text(encoding="utf-8").splitlines()]
    return {entry["key"]: entry for entry in entries}


def unlisted(queries: list[str]) -> list[dict[str, str]]:
    known = listed()
    return [found for found in compare(queries) if known.get(key(found["query"]), {}).get("kind") != found["kind"]]


def test_no_effect_passes_even_if_it_is_listed() -> None:
    assert {entry["kind"] for entry in listed().values()} <= {"invalid accepted", "valid refused"}
    assert all(entry["why"] for entry in listed().values())


def test_on_our_own_queries() -> None:
    assert unlisted([*READS, *(entry["query"] for entry in corpus())]) == []


@pytest.mark.data
def test_on_the_shared_cases(shared_data: Callable[[str], Path]) -> None:
    lines = (shared_data("cypher") / "guard_cases.jsonl").read_text(encoding="utf-8").splitlines()
    assert unlisted([json.loads(line)["query"] for line in lines]) == []


@pytest.mark.data
def test_on_the_manual(shared_data: Callable[[str], Path]) -> None:
    lines = gzip.decompress((shared_data("cypher") / "manual.jsonl.gz").read_bytes()).decode().splitlines()
    assert unlisted([json.loads(line)["query"] for line in lines]) == []


def test_on_mutants() -> None:
    queries = mutants()
    assert len(queries) == MUTANTS
    assert unlisted(queries) == []
