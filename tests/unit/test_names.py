"""Names at the border of the embedded engine."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

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
    ],
)
def test_quote_leaves_no_way_out(name: str, quoted: str) -> None:
    assert quote(name) == quoted
