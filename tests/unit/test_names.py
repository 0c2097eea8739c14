"""Names at the border of the embedded engine."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcgraph.graph.escapes import literal_names
from arcgraph.graph.lexer import Kind, lex
from arcgraph.graph.names import INVENTED, loaded_key, quote, stored_key

KEYS = st.one_of(st.text(), st.sampled_from(["id", "title", "type", "name", "_arc_", "_arc_id", "_arc__arc_id", "ID"]))


@given(KEYS)
def test_mapping_can_be_undone(key: str) -> None:
    assert loaded_key(stored_key(key)) == key


@given(KEYS, KEYS)
def test_two_keys_never_share_a_stored_one(one: str, other: str) -> None:
    assert (stored_key(one) == stored_key(other)) == (one == other)


@given(KEYS)
def test_no_stored_key_is_one_that_the_engine_invents(key: str) -> None:
    assert stored_key(key) not in INVENTED


@pytest.mark.parametrize(
    ("name", "quoted"),
    [
        ("Movie", "`Movie`"),
        ("Tool Set", "`Tool Set`"),
        ("a`b", "`a``b`"),
        ("x`) DETACH DELETE (n", "`x``) DETACH DELETE (n`"),
        ("", "``"),
        (r"x\u0060) DETACH DELETE n //", r"`x\u005cu0060) DETACH DELETE n //`"),
        (r"\\\u0060", r"`\u005c\u005c\u005cu0060`"),
        ("ends\\", "`ends\\`"),
        (r"new\name", r"`new\name`"),
    ],
)
def test_quote_leaves_no_way_out(name: str, quoted: str) -> None:
    assert quote(name) == quoted


PIECES = st.sampled_from(
    ["\\", "u", "\\u", r"\u0060", r"\u005c", "0060", "005c", "`", "a", " ", "\n", "é", "\U0001f600"]
)


@given(st.one_of(st.text(min_size=1), st.lists(PIECES, min_size=1).map("".join)))
def test_a_quoted_name_is_one_name_for_who_reads_escapes_and_for_who_reads_none(name: str) -> None:
    query = f"MATCH (n:{quote(name)}) RETURN n"
    tokens = lex(query)
    assert tokens.fault is None
    assert [token.value for token in tokens.tokens if token.kind is Kind.QUOTED] == [name]
    doubled = name.replace("`", "``")
    assert literal_names(query) == f"MATCH (n:`{doubled}`) RETURN n"


@pytest.mark.parametrize(
    ("query", "literal"),
    [
        (r"MATCH (\u006e:`a\u0041`) RETURN $`\u005cu`, '\u0041'", r"MATCH (n:`aA`) RETURN $`\u`, '\u0041'"),
        (r"RETURN `a\\u0041`", r"RETURN `a\\u0041`"),
        (r"RETURN '\u0041'", r"RETURN '\u0041'"),
        (r"RETURN `\u0060`", r"RETURN `\u0060`"),
        ("RETURN `a\\b`", "RETURN `a\\b`"),
    ],
)
def test_only_escapes_in_names_are_made_literal(query: str, literal: str) -> None:
    assert literal_names(query) == literal
