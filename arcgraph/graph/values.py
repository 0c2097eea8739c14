"""The value border: between Python, the Neo4j driver, the embedded engine and :mod:`arcgraph.domain`.

Outwards, :func:`from_driver` and :func:`from_engine` give nodes, edges and paths as our own types, temporal and spatial
values as :mod:`neo4j.time` and :mod:`neo4j.spatial` values on every engine, and :class:`~arcgraph.domain.Omitted` in
place of anything bulky; the reserved key and label are hidden. :func:`to_plain` goes on to what JSON can hold. Inwards,
:func:`to_driver` and :func:`to_engine` make parameters of ordinary Python values and of all the above.

The embedded engine keeps dates, datetimes, times, durations and WGS-84 points of two dimensions as such. What it would
reject or damage is stored as a marked text (:mod:`arcgraph.graph.marked`) and comes back whole: points of other
reference systems, nanoseconds, bytes. Such values equal a parameter of the same value, but have no order and cannot be
computed with. Durations with months and WGS-84 points are marked too while they are nested in a parameter, since the
engine takes neither; the writer turns them into real ones on ``save()``. Two things it cannot tell apart: a map of
exactly ``latitude`` and ``longitude`` comes back as a point, one of exactly ``months``, ``days`` and ``seconds`` as a
duration.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from enum import Enum
from typing import Any
from uuid import UUID

import neo4j.graph
from neo4j.spatial import Point, WGS84Point
from neo4j.time import Date, DateTime, Duration, Time

from arcgraph.domain import RESERVED_KEY, RESERVED_LABEL, Edge, Node, Omitted, Path
from arcgraph.errors import UsageError
from arcgraph.graph.engine_names import NAME_MARK, loaded_name
from arcgraph.graph.iso import datetime_from_native, duration_from_native, iso_datetime, iso_duration, iso_time, wkt
from arcgraph.graph.marked import decode, encode, stored_datetime, stored_duration, stored_point, stored_time
from arcgraph.graph.names import INVENTED, PREFIX, loaded_key, stored_key
from arcgraph.graph.worker import MARK, VECTOR_ITEMS, bulk

DEFAULT_MAX_ITEMS = 1_000

_AS_IS = frozenset({bool, int, float, type(None), Omitted})
_HIDDEN = frozenset({RESERVED_KEY, RESERVED_LABEL})
_INT64 = 2**63


def omitted(value: Any, max_items: int = DEFAULT_MAX_ITEMS) -> Omitted | None:
    """What stands in for a bulky text, bytes or list value; ``None`` for everything that may stay."""
    found = bulk(value, max_items)
    return None if found is None else Omitted(*found)


# --- from the Neo4j driver ---------------------------------------------------------------------------------------


def from_driver(value: Any, *, max_items: int = DEFAULT_MAX_ITEMS) -> Any:
    """A value as the driver returned it, in our types."""
    kind = type(value)
    if kind in _AS_IS:
        return value
    cut = omitted(value, max_items)
    if cut is not None:
        return cut
    if kind is list:
        return [from_driver(item, max_items=max_items) for item in _shown(value)]
    if kind is dict:
        return value[_ENUM_VALUE] if _is_enum(value) else _driver_map(value, max_items)
    if isinstance(value, neo4j.graph.Node):
        return _driver_node(value, max_items)
    if isinstance(value, neo4j.graph.Relationship):
        return _driver_edge(value, max_items)
    if isinstance(value, neo4j.graph.Path):
        return Path(
            tuple(_driver_node(node, max_items) for node in value.nodes),
            tuple(_driver_edge(edge, max_items) for edge in value.relationships),
        )
    if kind.__name__ == "Vector":  # the driver has the class from version 6 on
        return _vector(value)
    return value


def _driver_map(items: Mapping[str, Any], max_items: int) -> dict[str, Any]:
    return {key: from_driver(item, max_items=max_items) for key, item in items.items() if key != RESERVED_KEY}


# Bolt has no enums: Memgraph sends its own as such maps.
_ENUM_VALUE = "__value"


def _is_enum(items: Mapping[str, Any]) -> bool:
    return items.keys() == {"__type", _ENUM_VALUE} and items["__type"] == "mg_enum"


def _driver_node(node: neo4j.graph.Node, max_items: int) -> Node:
    properties = dict(node.items())
    return Node(
        node.element_id,
        _identity(properties, node.element_id),
        _labels(node.labels),
        _driver_map(properties, max_items),
    )


def _driver_edge(edge: neo4j.graph.Relationship, max_items: int) -> Edge:
    start, end = (node.element_id if node is not None else "" for node in edge.nodes)
    return Edge(edge.element_id, edge.type, start, end, _driver_map(dict(edge.items()), max_items))


def _vector(value: Any) -> Any:
    return Omitted("vector", len(value)) if len(value) >= VECTOR_ITEMS else list(value.to_native())


def _identity(properties: Mapping[str, Any], element_id: str) -> str:
    reserved = properties.get(RESERVED_KEY)
    return element_id if reserved is None else str(reserved)


def _labels(labels: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(label for label in labels if label != RESERVED_LABEL))


def _shown(items: list[Any]) -> list[Any]:
    return [item for item in items if not (type(item) is str and item in _HIDDEN)]


# --- from the embedded engine ------------------------------------------------------------------------------------


def from_engine(value: Any, *, max_items: int = DEFAULT_MAX_ITEMS) -> Any:
    """A value as the embedded engine returned it, in our types, its names as they were loaded."""
    kind = type(value)
    if kind in _AS_IS:
        return value
    if kind is str:
        value = _engine_text(value)
        return omitted(value, max_items) or value
    if kind is list:
        return omitted(value, max_items) or [from_engine(item, max_items=max_items) for item in _engine_list(value)]
    if kind is dict:
        return _engine_dict(value, max_items)
    read = _FROM_NATIVE.get(kind)
    return read(value) if read else value


def records_from_engine(records: Sequence[Sequence[Any]], *, max_items: int) -> list[tuple[Any, ...]]:
    """Rows as the embedded engine returned them, in our types; a node that stands in many of them is read once."""
    known: dict[int, Node] = {}

    def read(value: Any) -> Any:
        if type(value) is not dict or not _is_node(value):
            return from_engine(value, max_items=max_items)
        if value["id"] not in known:
            known[value["id"]] = _engine_node(value, max_items)
        return known[value["id"]]

    return [tuple(map(read, record)) for record in records]


def _engine_text(text: str) -> Any:
    if text.startswith(MARK):
        return decode(text)
    return loaded_key(text) if _is_stored_key(text) else loaded_name(text)


def _is_stored_key(text: str) -> bool:
    return text.startswith(PREFIX) and stored_key(loaded_key(text)) == text


def _engine_list(items: list[Any]) -> list[Any]:
    # keys() of a loaded node: the engine adds a key of its own, which the reserved key beside it gives away.
    if RESERVED_KEY in items:
        items = [item for item in items if not (type(item) is str and item in INVENTED)]
    return _shown(items)


def _engine_dict(value: dict[str, Any], max_items: int) -> Any:
    keys = value.keys()
    if keys == _NODE_KEYS and _is_node(value):
        return _engine_node(value, max_items)
    if keys == _EDGE_KEYS and type(value["id"]) is int and type(value["properties"]) is dict:
        return _engine_edge(value, max_items)
    if keys == _PATH_KEYS and _is_path(value):
        return Path(
            tuple(_engine_node(node, max_items) for node in value["nodes"]),
            tuple(_engine_edge(edge, max_items) for edge in value["relationships"]),
        )
    if keys == _POINT_KEYS and all(type(item) is float for item in value.values()):
        return WGS84Point((value["longitude"], value["latitude"]))
    if keys in (_DURATION_KEYS, _FINE_DURATION_KEYS) and all(type(item) is int for item in value.values()):
        return Duration(**value)
    return _engine_map(value, max_items)


_NODE_KEYS = {"id", "labels", "properties"}
_EDGE_KEYS = {"id", "start", "end", "type", "properties"}
_PATH_KEYS = {"nodes", "relationships"}
_POINT_KEYS = {"latitude", "longitude"}
_DURATION_KEYS = {"months", "days", "seconds"}
_FINE_DURATION_KEYS = _DURATION_KEYS | {"nanoseconds"}


def _is_node(value: Any) -> bool:
    # A map that somebody wrote with these keys holds properties(n), which lacks the invented title and type.
    if type(value) is not dict or value.keys() != _NODE_KEYS or type(value["properties"]) is not dict:
        return False
    return type(value["id"]) is int and "title" in value["properties"] and "type" in value["properties"]


def _is_path(value: dict[str, Any]) -> bool:
    nodes, edges = value["nodes"], value["relationships"]
    if type(nodes) is not list or type(edges) is not list or len(nodes) != len(edges) + 1:
        return False
    return all(_is_node(node) for node in nodes) and all(
        type(edge) is dict and edge.keys() == _EDGE_KEYS for edge in edges
    )


def _engine_node(value: dict[str, Any], max_items: int) -> Node:
    element_id = str(value["id"])
    properties = value["properties"]
    return Node(
        element_id,
        _identity(properties, element_id),
        _labels(map(loaded_name, value["labels"])),
        _engine_properties(properties, max_items),
    )


def _engine_edge(value: dict[str, Any], max_items: int) -> Edge:
    return Edge(
        str(value["id"]),
        loaded_name(value["type"]),
        str(value["start"]),
        str(value["end"]),
        _engine_properties(value["properties"], max_items),
    )


def _engine_properties(stored: dict[str, Any], max_items: int) -> dict[str, Any]:
    return {
        loaded_key(key): from_engine(item, max_items=max_items)
        for key, item in stored.items()
        if key not in INVENTED and key != RESERVED_KEY and item is not None
    }


def _engine_map(stored: dict[str, Any], max_items: int) -> dict[str, Any]:
    invented = {key for key in INVENTED if RESERVED_KEY in stored or stored_key(key) in stored}
    return {
        loaded_key(key): from_engine(item, max_items=max_items)
        for key, item in stored.items()
        if key not in invented and key != RESERVED_KEY
    }


_FROM_NATIVE: dict[type, Callable[[Any], Any]] = {
    date: Date.from_native,
    datetime: datetime_from_native,
    time: Time.from_native,
    bytes: lambda value: value,
}


# --- to the embedded engine --------------------------------------------------------------------------------------


def to_engine(value: Any) -> Any:
    """A parameter value for the embedded engine; :class:`~arcgraph.errors.UsageError` on what has no form there."""
    kind = type(value)
    if kind is str:
        ours = value.startswith(MARK) or value.endswith(NAME_MARK) or _is_stored_key(value)
        return encode("text", value) if ours else value
    if kind is int:
        return _small(value)
    if kind in _AS_IS and kind is not Omitted:
        return value
    if kind is list:
        return [to_engine(item) for item in value]
    if kind is dict:
        return {_text_key(key): to_engine(item) for key, item in value.items()}
    write = _TO_ENGINE.get(kind)
    if write is not None:
        return write(value)
    if isinstance(value, Point):
        return stored_point(value)
    return to_engine(_ordinary(value))


def _small(value: int) -> int:
    if not -_INT64 <= value < _INT64:
        raise UsageError(f"the number {value} does not fit in 64 bits, which is what a graph can hold; make it a text")
    return value


def _text_key(key: Any) -> str:
    if not isinstance(key, str):
        raise UsageError(f"a map in a graph has texts as keys, not {key!r}")
    return str(key)


def _ordinary(value: Any) -> Any:
    """Something of a less usual class as the plain value it stands for; the same for both directions of the border."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, UUID):
        return str(value)
    bases: tuple[Callable[[Any], Any], ...] = (str, int, float, bytes)
    for base in bases:
        if isinstance(value, base) and type(value) is not base:  # type: ignore[arg-type]
            return base(value)
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, tuple | set | frozenset):
        return sorted(value, key=repr) if isinstance(value, set | frozenset) else list(value)
    if hasattr(value, "tolist"):  # numpy arrays and scalars
        return value.tolist()
    if isinstance(value, Node | Edge | Path):
        raise UsageError(f"a {type(value).__name__} cannot be a parameter; give its id or one of its properties")
    if isinstance(value, Omitted):
        raise UsageError(f"{value} was cut when it was read, so it cannot be a parameter")
    raise UsageError(
        f"a {type(value).__name__} cannot be a parameter; give text, numbers, booleans, dates, times, durations, "
        "points, bytes, or lists and maps of these"
    )


_TO_ENGINE: dict[type, Callable[[Any], Any]] = {
    bytes: lambda value: encode("bytes", base64.b64encode(value).decode("ascii")),
    bytearray: lambda value: to_engine(bytes(value)),
    memoryview: lambda value: to_engine(bytes(value)),
    date: lambda value: value,
    datetime: lambda value: stored_datetime(datetime_from_native(value)),
    time: lambda value: stored_time(Time.from_native(value)),
    timedelta: lambda value: stored_duration(duration_from_native(value)),
    Date: lambda value: value.to_native(),
    DateTime: stored_datetime,
    Time: stored_time,
    Duration: stored_duration,
}


# --- to the driver -----------------------------------------------------------------------------------------------


def to_driver(value: Any) -> Any:
    """A parameter value for the Neo4j driver; raises :class:`~arcgraph.errors.UsageError` on what it cannot take."""
    kind = type(value)
    if kind is int:
        return _small(value)
    if kind in _DRIVER_TYPES or isinstance(value, Point):
        return value
    if kind is list:
        return [to_driver(item) for item in value]
    if kind is dict:
        return {_text_key(key): to_driver(item) for key, item in value.items()}
    if kind.__name__ == "Vector":
        return value
    return to_driver(_ordinary(value))


_DRIVER_TYPES = frozenset(
    {bool, float, str, type(None), bytes, bytearray, date, datetime, time, timedelta, Date, DateTime, Time, Duration}
)


# --- to JSON -----------------------------------------------------------------------------------------------------


def to_plain(value: Any) -> Any:
    """What JSON can hold: scalars, lists and maps. Never fails.

    Temporal values become ISO 8601 texts, spatial ones WKT with the reference system in front, omitted ones their
    description, bytes base64, numbers that JSON lacks ``"NaN"``, ``"Infinity"`` and ``"-Infinity"``. A node becomes its
    id, an edge its type and a path the list of these: naming them is the business of whoever has the schema.
    """
    kind = type(value)
    if kind is str or kind is int or kind is bool or value is None:
        return value
    if kind is float:
        return value if math.isfinite(value) else _no_number(value)
    write = _TO_PLAIN.get(kind)
    if write is not None:
        return write(value)
    if isinstance(value, Point):
        return wkt(value)
    if isinstance(value, Mapping):
        return {str(key): to_plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [to_plain(item) for item in value]
    try:
        return to_plain(_ordinary(value))
    except UsageError:
        return str(value)


def _no_number(value: float) -> str:
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def _plain_path(path: Path) -> list[str]:
    steps: list[str] = [path.nodes[0].id] if path.nodes else []
    for edge, node in zip(path.edges, path.nodes[1:], strict=False):
        steps += [edge.type, node.id]
    return steps


_TO_PLAIN: dict[type, Callable[[Any], Any]] = {
    Omitted: str,
    Node: lambda node: node.id,
    Edge: lambda edge: edge.type,
    Path: _plain_path,
    bytes: lambda value: base64.b64encode(value).decode("ascii"),
    date: date.isoformat,
    datetime: lambda value: iso_datetime(datetime_from_native(value)),
    time: lambda value: iso_time(Time.from_native(value)),
    timedelta: lambda value: iso_duration(duration_from_native(value)),
    Date: lambda value: value.iso_format(),
    DateTime: iso_datetime,
    Time: iso_time,
    Duration: iso_duration,
}
