"""The tests' own PackStream. That the driver reads it is shown wherever the double of a server answers."""

from __future__ import annotations

import pytest
from packstream import Structure, pack, unpack

VALUES = [
    None,
    True,
    False,
    *[sign * (1 << bits) + step for bits in (0, 4, 7, 15, 31, 62) for sign in (1, -1) for step in (-1, 0, 1)],
    0.5,
    "",
    "é" * 200,
    "x" * 70_000,
    b"\x00\xff",
    [1, "two", [3.0, None]],
    list(range(300)),
    {"a": {"b": [True]}, "c": None},
    {f"k{i}": i for i in range(40)},
]


@pytest.mark.parametrize("value", VALUES, ids=lambda value: repr(value)[:20])
def test_what_is_packed_is_unpacked(value):
    assert unpack(pack(value)) == value


def test_a_message_is_a_structure():
    assert unpack(pack(Structure(0x71, ([1, "a"],)))) == Structure(0x71, ([1, "a"],))
    assert pack(Structure(0x71, ([1],))) == b"\xb1\x71\x91\x01"


def test_bytes_too_many_are_noticed():
    with pytest.raises(ValueError, match="1 bytes too many"):
        unpack(pack(1) + b"\x00")
