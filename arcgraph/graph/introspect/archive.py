"""A schema as plain data: for ``--json``, for the cache on disk, and as the dictionary that other tools use."""

from __future__ import annotations

import base64
import datetime
import math
from collections.abc import Callable, Mapping
from typing import Any

import neo4j.spatial
import neo4j.time
import pytz  # type: ignore[import-untyped]

from arcgraph.domain import (
    Count,
    Endpoint,
    IndexInfo,
    LabelInfo,
    Omitted,
    PassageHome,
    PropertyInfo,
    RelationHome,
    Schema,
    TypeInfo,
)

_STRUCTURED_TYPES = {
    "text": "STRING",
    "localtime": "LOCAL_TIME",
    "datetime": "DATE_TIME",
    "localdatetime": "LOCAL_DATE_TIME",
    "vector": "LIST",
    "bytes": "BYTE_ARRAY",
}


def schema_to_dict(schema: Schema) -> dict[str, Any]:
    """The schema as JSON can hold it; values that JSON lacks become ``{"$kind": ...}`` objects."""
    return {
        "nodes": _count(schema.nodes),
        "edges": _count(schema.edges),
        "labels": [
            {
                "name": info.name,
                "count": _count(info.count),
                "naming": info.naming,
                "identifying": info.identifying,
                "properties": _properties(info.properties),
            }
            for info in schema.labels.values()
        ],
        "types": [
            {"name": info.name, "count": _count(info.count), "properties": _properties(info.properties)}
            for info in schema.types.values()
        ],
        "endpoints": [
            {"start": e.start, "type": e.type, "end": e.end, "count": _count(e.count), "probed": e.probed}
            for e in schema.endpoints
        ],
        "relations": _fields(schema.relations),
        "passages": _fields(schema.passages) if schema.passages else None,
        "indexes": [_fields(index) for index in schema.indexes],
        "fingerprint": schema.fingerprint,
        "complete": schema.complete,
        "loaded": schema.loaded,
    }


def schema_from_dict(data: Mapping[str, Any]) -> Schema:
    """The schema that :func:`schema_to_dict` wrote; ``KeyError``, ``TypeError`` or ``ValueError`` on anything else."""
    labels = [
        LabelInfo(
            item["name"],
            _count_from(item["count"]),
            _properties_from(item["properties"]),
            item["naming"],
            item["identifying"],
        )
        for item in data["labels"]
    ]
    types = [
        TypeInfo(item["name"], _count_from(item["count"]), _properties_from(item["properties"]))
        for item in data["types"]
    ]
    return Schema(
        labels={info.name: info for info in labels},
        types={info.name: info for info in types},
        endpoints=tuple(
            Endpoint(e["start"], e["type"], e["end"], _count_from(e["count"]), e["probed"]) for e in data["endpoints"]
        ),
        relations=RelationHome(**data["relations"]),
        passages=PassageHome(**_tuples(data["passages"])) if data["passages"] else None,
        indexes=tuple(IndexInfo(**_tuples(item)) for item in data["indexes"]),
        nodes=_count_from(data["nodes"]),
        edges=_count_from(data["edges"]),
        fingerprint=data["fingerprint"],
        complete=data["complete"],
        loaded=data["loaded"],
    )


def to_structured(schema: Schema) -> dict[str, Any]:
    """The dictionary of ``node_props``, ``rel_props`` and ``relationships`` that LangChain and neo4j-graphrag read.

    Triples that were not confirmed are left out, and so are nodes without label, which that form cannot name.
    """
    return {
        "node_props": {name: _structured(info.properties) for name, info in schema.labels.items() if name},
        "rel_props": {name: props for name, info in schema.types.items() if (props := _structured(info.properties))},
        "relationships": [
            {"start": e.start, "type": e.type, "end": e.end} for e in schema.endpoints if e.probed and e.start and e.end
        ],
    }


def _structured(properties: Mapping[str, PropertyInfo]) -> list[dict[str, str]]:
    return [
        {"property": key, "type": _STRUCTURED_TYPES.get(info.type, info.type.upper())}
        for key, info in properties.items()
    ]


def _count(count: Count) -> dict[str, Any]:
    return {"value": count.value, "exact": count.exact}


def _count_from(data: Mapping[str, Any]) -> Count:
    return Count(int(data["value"]), bool(data["exact"]))


def _fields(record: RelationHome | PassageHome | IndexInfo) -> dict[str, Any]:
    values = {name: getattr(record, name) for name in record.__dataclass_fields__}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}


def _tuples(data: Mapping[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in data.items()}


def _properties(properties: Mapping[str, PropertyInfo]) -> list[dict[str, Any]]:
    return [
        {
            "key": info.key,
            "types": dict(info.types),
            "seen": info.seen,
            "count": _count(info.count),
            "distinct": _count(info.distinct),
            "samples": [value_to_json(value) for value in info.samples],
            "indexed": info.indexed,
            "unique": info.unique,
        }
        for info in properties.values()
    ]


def _properties_from(items: list[Mapping[str, Any]]) -> dict[str, PropertyInfo]:
    return {
        item["key"]: PropertyInfo(
            key=item["key"],
            types=dict(item["types"]),
            seen=item["seen"],
            count=_count_from(item["count"]),
            distinct=_count_from(item["distinct"]),
            samples=tuple(value_from_json(value) for value in item["samples"]),
            indexed=item["indexed"],
            unique=item["unique"],
        )
        for item in items
    }


# --- property values ---------------------------------------------------------------------------------------------


def value_to_json(value: Any) -> Any:
    """A property value as JSON holds it: plain where it is plain, else an object with one ``$kind`` key."""
    if isinstance(value, list) or type(value) is tuple:
        return [value_to_json(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return {"$float": str(value)}
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    for kind, kinds, encode, _ in _CODECS:
        if isinstance(value, kinds):
            return {f"${kind}": encode(value)}
    raise TypeError(f"a property cannot hold a {type(value).__name__}")


def value_from_json(data: Any) -> Any:
    """The value that :func:`value_to_json` wrote."""
    if isinstance(data, list):
        return [value_from_json(item) for item in data]
    if not isinstance(data, dict):
        return data
    ((tag, content),) = data.items()
    if tag == "$float":
        return float(content)
    for kind, _, _, decode in _CODECS:
        if tag == f"${kind}":
            return decode(content)
    raise ValueError(f"unknown kind of value {tag}")


def _encode_datetime(value: neo4j.time.DateTime | datetime.datetime) -> list[str | None]:
    zone = getattr(value.tzinfo, "zone", None) or getattr(value.tzinfo, "key", None)
    return [value.isoformat(), zone]


def _decode_datetime(content: list[str | None]) -> neo4j.time.DateTime:
    text, zone = content
    value = neo4j.time.DateTime.from_iso_format(text)
    return value.astimezone(pytz.timezone(zone)) if zone else value


def _decode_duration(content: list[int]) -> neo4j.time.Duration:
    months, days, seconds, nanoseconds = content
    return neo4j.time.Duration(months=months, days=days, seconds=seconds, nanoseconds=nanoseconds)


def _encode_point(value: neo4j.spatial.Point) -> dict[str, Any]:
    return {"srid": value.srid, "at": list(value)}


def _decode_point(content: Mapping[str, Any]) -> neo4j.spatial.Point:
    kind = neo4j.spatial.WGS84Point if content["srid"] in (4326, 4979) else neo4j.spatial.CartesianPoint
    return kind(content["at"])


_Codec = tuple[str, type | tuple[type, ...], Callable[[Any], Any], Callable[[Any], Any]]

# A datetime is a date in the standard library: the order matters.
_CODECS: tuple[_Codec, ...] = (
    ("datetime", (neo4j.time.DateTime, datetime.datetime), _encode_datetime, _decode_datetime),
    ("date", (neo4j.time.Date, datetime.date), lambda v: v.isoformat(), neo4j.time.Date.from_iso_format),
    ("time", (neo4j.time.Time, datetime.time), lambda v: v.isoformat(), neo4j.time.Time.from_iso_format),
    ("duration", neo4j.time.Duration, list, _decode_duration),
    ("point", neo4j.spatial.Point, _encode_point, _decode_point),
    ("bytes", (bytes, bytearray), lambda v: base64.b64encode(v).decode(), base64.b64decode),
    ("omitted", Omitted, lambda v: [v.kind, v.size], lambda v: Omitted(*v)),
)
