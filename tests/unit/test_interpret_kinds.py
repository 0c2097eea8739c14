"""What label a noun is said for that names none, without an embedder and with one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from arcgraph.domain import Count, LabelInfo, PropertyInfo, Schema
from arcgraph.interpret.tables.catalog import Catalog
from arcgraph.interpret.tables.kinds import Kinds


def label(name: str, names: tuple[str, ...], *keys: str) -> LabelInfo:
    properties = {key: PropertyInfo(key, {"string": 3}, 3, Count(3), Count(3), ("x",)) for key in keys}
    properties["name"] = PropertyInfo("name", {"string": 3}, 3, Count(3), Count(3), names)
    return LabelInfo(name, Count(3), properties, "name")


SCHEMA = Schema(
    {
        "Ground": label("Ground", ("Park Stadium", "Mill Stadium", "The Oval"), "pitch_length", "turf"),
        "Club": label("Club", ("Oak Rovers", "Mill Rovers", "Elm Stadium Friends"), "motto"),
        "Judge": label("Judge", ("Ann Lee", "Bo Roe", "Cy Moe"), "grade"),
    },
    {},
    (),
)
# Words by what they are near: clubs and sides, judges and umpires.
NEAR = {"club": 0, "side": 0, "judge": 1, "umpire": 1}


def spelling(texts: Sequence[str]) -> None:
    del texts


def meaning(texts: Sequence[str]) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    vectors = np.zeros((len(texts), 8), np.float32)
    for row, text in enumerate(texts):
        vectors[row, NEAR.get(text, 2 + len(text) % 6)] = 1.0
    return vectors


@pytest.mark.parametrize(
    ("noun", "expected"),
    [
        # Nodes of a label are called so, more than one of them.
        ("stadiums", ["Ground"]),
        # A key begins with it.
        ("pitches", ["Ground"]),
        # One name alone tells nothing, nor does a word that is in none, nor one for any person.
        ("friends", []),
        ("umpires", []),
        ("people", []),
    ],
)
def test_nouns_by_names_and_keys(noun: str, expected: list[str]) -> None:
    assert [name for name, _ in Kinds(Catalog(SCHEMA, spelling), spelling).of(noun)] == expected


def test_nouns_by_meaning() -> None:
    found = Kinds(Catalog(SCHEMA, spelling), meaning)
    assert [name for name, _ in found.of("umpires")] == ["Judge"]
    assert [name for name, _ in found.of("sides")] == ["Club"]
