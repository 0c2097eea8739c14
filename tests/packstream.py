"""PackStream, the encoding of Bolt messages: what a server of ours needs of it, with the structures of Bolt 5."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any, NamedTuple

from neo4j.spatial import Point
from neo4j.time import Date, DateTime, Duration, Time

from arcgraph.domain import Edge, Node, Path


class Structure(NamedTuple):
    """A tagged list of fields: a message, or a value of a kind of its own."""

    tag: int
    fields: tuple[Any, ...]


# --- writing -----------------------------------------------------------------------------------------------------


def pack(value: Any) -> bytes:
    """A value as bytes; our nodes, edges and paths become those of Bolt."""
    match value:
        case None:
            return b"\xc0"
        case bool():
            return b"\xc3" if value else b"\xc2"
        case int():
            return _integer(value)
        case float():
            return b"\xc1" + struct.pack(">d", value)
        case str():
            text = value.encode()
            return _sized(len(text), 0x80, b"\xd0\xd1\xd2") + text
        case bytes():
            return _sized(len(value), None, b"\xcc\xcd\xce") + value
        case Structure():
            return bytes([0xB0 + len(value.fields), value.tag]) + b"".join(map(pack, value.fields))
        case Mapping():
            items = b"".join(pack(key) + pack(item) for key, item in value.items())
            return _sized(len(value), 0xA0, b"\xd8\xd9\xda") + items
        case Node() | Edge() | Path() | Date() | Time() | DateTime() | Duration() | Point():
            return pack(_structure(value))
        case list() | tuple():
            return _sized(len(value), 0x90, b"\xd4\xd5\xd6") + b"".join(map(pack, value))
    raise TypeError(f"a {type(value).__name__} has no form in Bolt")


def _integer(value: int) -> bytes:
    if -16 <= value < 128:
        return struct.pack(">b", value)
    for mark, form, bits in ((b"\xc8", ">b", 7), (b"\xc9", ">h", 15), (b"\xca", ">i", 31)):
        if -(1 << bits) <= value < 1 << bits:
            return mark + struct.pack(form, value)
    return b"\xcb" + struct.pack(">q", value)


def _sized(size: int, tiny: int | None, marks: bytes) -> bytes:
    if tiny is not None and size < 16:
        return bytes([tiny + size])
    for mark, form, limit in zip(marks, (">B", ">H", ">I"), (1 << 8, 1 << 16, 1 << 32), strict=True):
        if size < limit:
            return bytes([mark]) + struct.pack(form, size)
    raise ValueError("too long for Bolt")


def _structure(value: Any) -> Structure:
    match value:
        case Node():
            labels, properties = list(value.labels), dict(value.properties)
            return Structure(0x4E, (int(value.element_id), labels, properties, value.element_id))
        case Edge():
            ends = (value.start, value.end)
            numbers = (int(value.element_id), *map(int, ends))
            return Structure(0x52, (*numbers, value.type, dict(value.properties), value.element_id, *ends))
        case Path():
            return _path(value)
        case Date():
            return Structure(0x44, (value.to_ordinal() - Date(1970, 1, 1).to_ordinal(),))
        case DateTime():
            seconds, nanoseconds = divmod(_nanoseconds(value), 10**9)
            offset = value.utcoffset()
            if offset is None:
                return Structure(0x64, (seconds, nanoseconds))
            shift = int(offset.total_seconds())
            return Structure(0x49, (seconds - shift, nanoseconds, shift))
        case Time() if value.tzinfo is None:
            return Structure(0x74, (value.ticks,))
        case Duration():
            return Structure(0x45, tuple(value))
        case Point():
            return Structure(0x58 if len(value) == 2 else 0x59, (value.srid, *value))
    raise TypeError(f"{value!r} is not among the values that these tests send")


def _nanoseconds(value: DateTime) -> int:
    days = value.date().to_ordinal() - Date(1970, 1, 1).to_ordinal()
    return days * 86_400 * 10**9 + value.time().ticks


def _path(path: Path) -> Structure:
    edges = [Structure(0x72, (int(e.element_id), e.type, dict(e.properties), e.element_id)) for e in path.edges]
    steps: list[int] = []
    for at, edge in enumerate(path.edges, 1):
        forwards = edge.start == path.nodes[at - 1].element_id
        steps += [at if forwards else -at, at]
    return Structure(0x50, (list(path.nodes), edges, steps))


# --- reading -----------------------------------------------------------------------------------------------------


def unpack(data: bytes) -> Any:
    """The one value that ``data`` holds."""
    value, end = _read(data, 0)
    if end != len(data):
        raise ValueError(f"{len(data) - end} bytes too many")
    return value


_FIXED = {0xC1: ">d", 0xC8: ">b", 0xC9: ">h", 0xCA: ">i", 0xCB: ">q"}
_CONSTANTS = {0xC0: None, 0xC2: False, 0xC3: True}
_SIZED = {
    0xCC: ("bytes", ">B"),
    0xCD: ("bytes", ">H"),
    0xCE: ("bytes", ">I"),
    0xD0: ("text", ">B"),
    0xD1: ("text", ">H"),
    0xD2: ("text", ">I"),
    0xD4: ("list", ">B"),
    0xD5: ("list", ">H"),
    0xD6: ("list", ">I"),
    0xD8: ("map", ">B"),
    0xD9: ("map", ">H"),
    0xDA: ("map", ">I"),
}
_TINY = {0x80: "text", 0x90: "list", 0xA0: "map", 0xB0: "structure"}


def _read(data: bytes, at: int) -> tuple[Any, int]:
    mark = data[at]
    at += 1
    if mark < 0x80 or mark >= 0xF0:
        return struct.unpack(">b", bytes([mark]))[0], at
    if mark in _CONSTANTS:
        return _CONSTANTS[mark], at
    if mark in _FIXED:
        form = _FIXED[mark]
        end = at + struct.calcsize(form)
        return struct.unpack(form, data[at:end])[0], end
    if mark in _SIZED:
        kind, form = _SIZED[mark]
        end = at + struct.calcsize(form)
        return _content(data, end, kind, struct.unpack(form, data[at:end])[0])
    return _content(data, at, _TINY[mark & 0xF0], mark & 0x0F)


def _content(data: bytes, at: int, kind: str, size: int) -> tuple[Any, int]:
    if kind in ("bytes", "text"):
        content = data[at : at + size]
        return (content.decode() if kind == "text" else content), at + size
    tag = data[at] if kind == "structure" else 0
    at += kind == "structure"
    items = []
    for _ in range(size * 2 if kind == "map" else size):
        item, at = _read(data, at)
        items.append(item)
    if kind == "map":
        return dict(zip(items[::2], items[1::2], strict=True)), at
    return (Structure(tag, tuple(items)) if kind == "structure" else items), at
