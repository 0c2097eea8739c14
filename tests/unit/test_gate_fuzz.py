"""Any bytes and any text: the gate decides without raising, and its work grows with the length up to a megabyte."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from types import FrameType

import pytest
from evasion_probe import corpus
from hypothesis import given, settings
from hypothesis import strategies as st
from queries import READS

from arcgraph.graph import memgraph_grammar, rewrite
from arcgraph.graph.guard import Verdict, check
from arcgraph.graph.lexer import Kind, lex

SLOW = os.environ.get("ARCGRAPH_TEST_SLOW") == "1"
MEGABYTE = 1_000_000
SEEDS = [*READS, *(entry["query"] for entry in corpus())]


def decide(query: str) -> Verdict:
    """The verdict, whose places lie inside the query and whose repair is accepted."""
    verdict = check(query)
    assert verdict.accepted is not bool(verdict.reasons)
    for reason in verdict.reasons:
        assert reason.message
        assert 0 <= reason.offset <= len(query)
        assert reason.line >= 1
        assert reason.column >= 1
    if verdict.repaired:
        assert check(verdict.repaired).accepted
    if verdict.accepted:
        for lacking in (rewrite.lacking, memgraph_grammar.lacking):
            rules = {reason.rule for reason in check(query, lacking=lacking).reasons}
            assert rules <= {"embedded", "dialect"}
    else:
        assert not check(query, lacking=rewrite.lacking).accepted
    return verdict


@given(st.binary(max_size=300))
@settings(max_examples=200, deadline=None)
def test_any_bytes_can_be_cut_into_tokens(data: bytes) -> None:
    tokens = lex(data)
    assert tokens.tokens[-1].kind is Kind.END
    assert all(a.end <= b.offset for a, b in zip(tokens.tokens, tokens.tokens[1:], strict=False))
    decide(data.decode("utf-8", errors="replace"))
    decide(data.decode("latin-1"))


@given(st.text(st.characters(codec=None, exclude_categories=()), max_size=200))
@settings(max_examples=200, deadline=None)
def test_any_text_is_decided_lone_surrogates_too(text: str) -> None:
    decide(text)


@given(st.sampled_from(SEEDS), st.text(max_size=8), st.integers(0, 400), st.integers(0, 12))
@settings(max_examples=300, deadline=None)
def test_a_query_with_anything_put_into_it_is_decided(seed: str, text: str, at: int, cut: int) -> None:
    decide(seed[:at] + text + seed[at + cut :])


@given(st.sampled_from(SEEDS), st.sampled_from(SEEDS), st.integers(0, 400), st.integers(0, 400))
@settings(max_examples=200, deadline=None)
def test_two_halves_of_queries_are_decided(first: str, second: str, at: int, behind: int) -> None:
    decide(first[:at] + second[behind:])


MANY: dict[str, Callable[[int], str]] = {
    "open brackets": lambda n: "RETURN " + "(" * n,
    "closed brackets": lambda n: "RETURN " + "(" * (n // 2) + ")" * (n // 2),
    "mixed brackets": lambda n: "RETURN " + "[({" * (n // 6) + "})]" * (n // 6),
    "block comments": lambda n: "/**/" * (n // 4) + "RETURN 1",
    "an open comment": lambda n: "/*" * (n // 2),
    "line comments": lambda n: "//x\n" * (n // 4) + "RETURN 1",
    "a long text": lambda n: "RETURN '" + "x" * n + "'",
    "an open text": lambda n: "RETURN '" + "\\'" * (n // 2),
    "escapes in a text": lambda n: "RETURN '" + "\\u0041" * (n // 6) + "'",
    "escaped blanks": lambda n: "RETURN 1" + "\\u0020" * (n // 6),
    "escapes in a comment": lambda n: "RETURN 1 //" + "\\u0041" * (n // 6),
    "backticks": lambda n: "RETURN `" + "``" * (n // 2),
    "a long name": lambda n: "RETURN " + "a" * n,
    "a long number": lambda n: "RETURN " + "1" * n,
    "blank lines": lambda n: "\n" * n + "RETURN 1",
    "nothing that can be read": lambda n: "\0" * n,
    "quotation marks": lambda n: "'\"`" * (n // 3),
}


def calls(query: str) -> int:
    """How many functions run for the verdict: the work of a machine that nothing else disturbs."""
    count = 0

    def called(_frame: FrameType, event: str, _arg: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(called)
    try:
        decide(query)
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("name", MANY)
def test_the_work_grows_with_the_length(name: str) -> None:
    assert calls(MANY[name](40_000)) < 5 * calls(MANY[name](10_000)) + 1_000


@pytest.mark.parametrize("name", MANY)
def test_a_megabyte_is_decided(name: str) -> None:
    # A megabyte of brackets is a million tokens and takes ten seconds.
    decide(MANY[name](MEGABYTE if SLOW or "brackets" not in name else MEGABYTE // 5))


CHAINS: dict[str, Callable[[int], str]] = {
    "hops": lambda n: "MATCH (a)" + "-->()" * n + " RETURN a",
    "clauses": lambda n: "".join(f"MATCH (v{i}) " for i in range(n)) + "RETURN 1 AS one",
    "a star that grows": lambda n: "MATCH (a) " + " ".join(f"WITH *, 1 AS v{i}" for i in range(n)) + " RETURN a",
    "groups that grow": lambda n: "MATCH (a) " + " ".join(f"WITH *, count(*) AS v{i}" for i in range(n)) + " RETURN a",
    "subqueries": lambda n: "".join(f"CALL (*) {{ RETURN 1 AS v{i} }} " for i in range(n)) + "RETURN 1 AS one",
    "conditions": lambda n: "MATCH (a) WHERE " + " AND ".join(["EXISTS { (a)-->() }"] * n) + " RETURN a",
    "comprehensions": lambda n: "RETURN [" + ",".join(["[x IN y | x]"] * n) + "]",
    "spaced names": lambda n: "MATCH " + ", ".join(["(:A B)"] * n) + " RETURN 1",
    "unions": lambda n: "RETURN 1 AS a" + " UNION RETURN 1 AS a" * n,
}


@pytest.mark.parametrize("name", CHAINS)
def test_the_work_grows_with_the_chain(name: str) -> None:
    assert calls(CHAINS[name](2_000)) < 5 * calls(CHAINS[name](500)) + 1_000


def test_a_subquery_that_imports_ever_more_is_given_up() -> None:
    clauses = "".join(f"CALL {{ WITH * RETURN 1 AS v{i} }} " for i in range(2_000))
    assert [reason.rule for reason in check(f"MATCH (a) {clauses} RETURN a").reasons] == ["too-long"]
