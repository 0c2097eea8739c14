"""What one load has seen."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from arcgraph.graph.ledger import Identity, Ledger, Standing, content_hash


@pytest.fixture
def ledger() -> Iterator[Ledger]:
    ledger = Ledger()
    yield ledger
    ledger.close()


def test_the_first_content_of_an_id_stands(ledger: Ledger) -> None:
    new, same, other = Standing.NEW, Standing.SAME, Standing.OTHER
    assert ledger.admit([("a", 1), ("a", 1), ("b", 1), ("a", 2)]) == [new, same, new, other]
    assert ledger.admit([("a", 1), ("a", 2), ("c", 5)]) == [same, other, new]


def test_barred_ids_do_not_stand(ledger: Ledger) -> None:
    ledger.admit([("a", 1), ("b", 1)])
    ledger.bar(["b", "c"])
    assert ledger.standing_ids(["a", "b", "c", "d"]) == {"a": True, "b": False, "c": False}


def test_any_text_is_an_id(ledger: Ledger) -> None:
    nasty = ["", "'", '"]', "שלום", "🌋", "a" * 10_000]
    ledger.add((id, 1) for id in nasty)
    assert ledger.standing_ids([*nasty, "other"]) == dict.fromkeys(nasty, True)


def test_new_tags_come_once(ledger: Ledger) -> None:
    assert ledger.new_tags([("a", "X"), ("a", "Y"), ("a", "X")]) == [("a", "X"), ("a", "Y")]
    assert ledger.new_tags([("a", "Y"), ("b", "X")]) == [("b", "X")]


def test_equal_edges_are_counted(ledger: Ledger) -> None:
    identified = ledger.identify([7, 7, -8])
    assert identified == [(Identity(7, 0), True), (Identity(7, 1), True), (Identity(-8, 0), True)]
    assert ledger.identify([7]) == [(Identity(7, 2), True)]


def test_another_file_that_says_the_same_adds_nothing_to_it(ledger: Ledger) -> None:
    ledger.identify([7, 7])
    ledger.next_file()
    assert ledger.identify([7, 7, 7]) == [(Identity(7, 0), False), (Identity(7, 1), False), (Identity(7, 2), True)]


def test_edges_that_the_graph_holds_are_not_new(ledger: Ledger) -> None:
    ledger.know([Identity(7, 1), Identity(7, 0)])
    assert [is_new for _, is_new in ledger.identify([7, 7, 7])] == [False, False, True]


@pytest.mark.parametrize("identity", [Identity(0, 0), Identity(-1, 0), Identity(2**63 - 1, 3), Identity(-(2**63), 12)])
def test_a_stored_key_says_the_identity(identity: Identity) -> None:
    assert Identity.of_key(identity.key) == identity


def test_the_content_hash_is_the_same_everywhere() -> None:
    assert content_hash("a", "b", "") == content_hash("a", "b", "") == -4551146190642337637
    assert (
        len({content_hash("a", "bc"), content_hash("ab", "c"), content_hash("abc", ""), content_hash("", "abc")}) == 4
    )
    assert -(2**63) <= content_hash("\ud800") < 2**63
