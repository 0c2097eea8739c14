"""How a graph leads to the texts that it was read from: by a list property of edges, or by edges to the texts.

No name is required: passages are nodes whose main content is a long text and that edges point at, by property values
that equal the passages' ids, or by edges to several entities.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from arcgraph.domain import RESERVED_KEY, LabelInfo, PassageHome, Schema
from arcgraph.graph.introspect.naming import split_key
from arcgraph.graph.introspect.probe import Probe
from arcgraph.graph.introspect.properties import KeyProfile
from arcgraph.graph.names import quote

_TEXT_WORDS = frozenset({"text", "content", "body", "passage", "chunk", "paragraph", "sentence"})
_PASSAGE_WORDS = _TEXT_WORDS | {"document", "doc", "section", "snippet", "page", "article", "abstract", "excerpt"}
_SOURCE_WORDS = frozenset({"document", "doc", "file", "source", "article", "book", "corpus", "collection", "website"})

# Characters: below the first nothing is a passage, above the second a text without name may be one by itself.
_SHORTEST = 40
_LONG = 120
_ENOUGH = 2.0
_LOOKED_UP = 50
_MATCHED = 0.8


def find_passages(
    probe: Probe,
    schema: Schema,
    nodes: Mapping[str, Sequence[KeyProfile]],
    edges: Mapping[str, Sequence[KeyProfile]],
) -> PassageHome | None:
    """How edges or entities lead to source texts; ``None`` where nothing does."""
    texts = {label: text for label in filter(None, nodes) if (text := _main_text(nodes[label])) is not None}
    return _by_ids(probe, schema, nodes, edges, texts) or _by_edges(schema, texts)


def _main_text(profiles: Iterable[KeyProfile]) -> KeyProfile | None:
    """The longest text that most nodes of a label carry."""
    return max(filter(_is_prose, profiles), key=lambda p: (p.mean_length, p.key), default=None)


def _is_prose(profile: KeyProfile) -> bool:
    """Long, mostly different, and words rather than encoded data; of what was cut off only the length is known."""
    return (
        profile.info.type in ("string", "text")
        and profile.mean_length >= _SHORTEST
        and profile.coverage >= 0.8
        and profile.distinctness >= 0.5
        and profile.share(lambda value: not isinstance(value, str) or " " in value.strip() or not value.isascii())
        >= 0.8
    )


# --- edges that name passages ------------------------------------------------------------------------------------


def _by_ids(
    probe: Probe,
    schema: Schema,
    nodes: Mapping[str, Sequence[KeyProfile]],
    edges: Mapping[str, Sequence[KeyProfile]],
    texts: Mapping[str, KeyProfile],
) -> PassageHome | None:
    by_length = sorted(texts, key=lambda label: (-texts[label].mean_length, label))
    for edge_key, items in _id_lists(schema, edges):
        for label in by_length:
            id_key = _called_by(probe, schema, label, nodes[label], items)
            if id_key is not None:
                return PassageHome(label, texts[label].key, id_key, edge_key, _mention_types(schema, label))
    return None


def _id_lists(schema: Schema, edges: Mapping[str, Sequence[KeyProfile]]) -> Iterator[tuple[str, list[Any]]]:
    """Keys of edges that hold lists of strings or integers, with some of the items; those on most edges first."""
    lists: dict[str, list[KeyProfile]] = {}
    for type_ in schema.types:
        for profile in edges.get(type_, ()):
            if profile.info.type == "list":
                lists.setdefault(profile.key, []).append(profile)
    carried = {key: sum(profile.info.count.value for profile in profiles) for key, profiles in lists.items()}
    for key in sorted(lists, key=lambda key: (-carried[key], key)):
        items = [
            item
            for profile in lists[key]
            for value in profile.values
            if isinstance(value, (list, tuple))
            for item in value
            if isinstance(item, (str, int)) and not isinstance(item, bool)
        ]
        if items:
            yield key, list(dict.fromkeys(items))[:_LOOKED_UP]


def _called_by(
    probe: Probe, schema: Schema, label: str, profiles: Sequence[KeyProfile], items: Sequence[Any]
) -> str | None:
    """The key of the label's nodes whose values the items are; the id that nodes were loaded under comes last."""
    identifying = schema.labels[label].identifying
    keys = [p.key for p in profiles if p.distinctness >= 0.99 and p.info.type in ("string", "integer")]
    keys.sort(key=lambda key: (key != identifying, key))
    for key in (*keys, *([RESERVED_KEY] if schema.loaded else [])):
        name = probe.key(key)
        query = f"MATCH (x:{quote(label)}) WHERE x.{name} IN $items RETURN count(DISTINCT x.{name}) AS n"
        if (probe.number(query, {"items": list(items)}) or 0) >= _MATCHED * len(items):
            return key
    return None


# --- edges that lead to passages ---------------------------------------------------------------------------------


def _by_edges(schema: Schema, texts: Mapping[str, KeyProfile]) -> PassageHome | None:
    scores = {label: _score(schema, schema.labels[label], text) for label, text in texts.items()}
    label = max(sorted(scores), key=lambda label: scores[label], default=None)
    if label is None or scores[label] < _ENOUGH:
        return None
    identifying = schema.labels[label].identifying
    id_key = identifying if identifying != texts[label].key else None
    return PassageHome(label, texts[label].key, id_key, None, _mention_types(schema, label))


def _score(schema: Schema, info: LabelInfo, text: KeyProfile) -> float:
    """High for long texts without a name of their own, linked to entities by few types; names of things add to it."""
    types = _outward(schema, info.name)
    links = sum(schema.types[type_].count.value for type_ in types)
    if text.mean_length < _LONG or not links:
        return 0.0
    is_named = info.naming is not None and info.naming != text.key
    return (
        1.0
        + (2.0 if _PASSAGE_WORDS & set(split_key(info.name)) else 0.0)
        + (0.5 if _TEXT_WORDS & set(split_key(text.key)) else 0.0)
        + (0.5 if len(types) <= 3 else -0.5)
        + (0.5 if links >= info.count.value else 0.0)
        - (1.0 if is_named else 0.0)
    )


def _outward(schema: Schema, label: str) -> dict[str, set[str]]:
    """Per type, the other labels that its edges join to nodes of the label."""
    far: dict[str, set[str]] = {}
    for e in schema.endpoints:
        if e.probed and e.start != e.end and label in (e.start, e.end):
            far.setdefault(e.type, set()).add(e.end if e.start == label else e.start)
    return far


def _mention_types(schema: Schema, label: str) -> tuple[str, ...]:
    """The types between passages and entities, rather than to the documents that the passages were cut from.

    Entities are joined to more than passages. Where no label is, words must tell, and where they do not, all count.
    """
    far = _outward(schema, label)
    related = {side for sides in far.values() for side in sides if _has_relations(schema, side, label)}
    sources = {side for sides in far.values() for side in sides if _SOURCE_WORDS & set(split_key(side))}
    every = {side for sides in far.values() for side in sides}
    entities = (related - sources) or (every - sources) or every
    return tuple(sorted(type_ for type_, sides in far.items() if sides & entities))


def _has_relations(schema: Schema, side: str, label: str) -> bool:
    return any(side in (e.start, e.end) and label not in (e.start, e.end) for e in schema.endpoints if e.probed)
