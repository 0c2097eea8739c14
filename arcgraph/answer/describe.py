"""A node and what lies around it in a sentence: its kind, its properties, and by relation what it is linked to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from arcgraph.answer.evidence import name_of, naming_keys
from arcgraph.answer.neighbourhood import Link
from arcgraph.domain import Node, Omitted, Schema
from arcgraph.graph.pattern import Direction
from arcgraph.graph.values import to_plain
from arcgraph.interpret.english import IRREGULAR_FORMS, PREPOSITIONS, VERBS_OF_HAVING
from arcgraph.interpret.roles import telling_label
from arcgraph.interpret.verbalise import phrase, spoken

_MOST_NAMES = 10
_NAMES_OF_A_LINK = 5
_MOST_LINKS = 15
_MOST_PROPERTIES = 8
_LONGEST_VALUE = 200


def description(node: Node, schema: Schema, links: Sequence[Link]) -> str:
    """For example ``Nightjar is a ship (launched: 1911): moored at Port Ys; Orla Quist designed Nightjar.``"""
    name = str(name_of(node, schema))
    label = telling_label(node, schema)
    kind = f" is {_article(phrase(label))} {phrase(label)}" if label else ""
    facts = ", ".join(_facts(node, name, schema))
    told = "; ".join(_told(name, links, schema))
    return f"{name}{kind}{f' ({facts})' if facts else ''}{f': {told}' if told else ''}."


def _article(noun: str) -> str:
    return "an" if noun[:1] in "aeiou" else "a"


# --- properties --------------------------------------------------------------------------------------------------


def _facts(node: Node, name: str, schema: Schema) -> Iterator[str]:
    own = {k for k in naming_keys(node.labels, schema) if str(node.properties.get(k)) == name}
    worth = [(k, v) for k, v in node.properties.items() if k not in own and _is_worth_telling(v)]
    yield from (f"{phrase(k)}: {_value(v)}" for k, v in worth[:_MOST_PROPERTIES])
    if len(worth) > _MOST_PROPERTIES:
        yield f"and {len(worth) - _MOST_PROPERTIES} more properties"


def _is_worth_telling(value: Any) -> bool:
    return value not in (None, "", []) and not isinstance(value, Omitted)


def _value(value: Any) -> str:
    plain = to_plain(value)
    text = listed([str(v) for v in plain]) if isinstance(plain, list) else str(plain)
    return text if len(text) <= _LONGEST_VALUE else f"{text[: _LONGEST_VALUE - 1].rstrip()}…"


# --- links -------------------------------------------------------------------------------------------------------


def _told(name: str, links: Sequence[Link], schema: Schema) -> Iterator[str]:
    by_relation: dict[tuple[str, Direction], list[Link]] = {}
    for link in links:
        by_relation.setdefault((spoken(link.relation), link.direction), []).append(link)
    by_relation = _each_once(by_relation)
    # What the node does comes before what is done to it.
    told = sorted(by_relation.items(), key=lambda item: item[0][1] != Direction.OUT)
    for (words, direction), parts in told[:_MOST_LINKS]:
        yield _clause(name, words, direction, _others(parts, schema), _reads_as_verb(words, parts))
    if len(by_relation) > _MOST_LINKS:
        yield f"and {len(by_relation) - _MOST_LINKS} more relations"


def _each_once(by_relation: dict[tuple[str, Direction], list[Link]]) -> dict[tuple[str, Direction], list[Link]]:
    """Without what comes back by a relation that also leads there: a mutual one is told once."""
    kept = {}
    for (words, direction), parts in by_relation.items():
        there = by_relation.get((words, Direction.OUT), []) if direction == Direction.IN else []
        told = {n.element_id for link in there for n in link.nodes}
        rest = [replace(link, nodes=tuple(n for n in link.nodes if n.element_id not in told)) for link in parts]
        left = [link for link in rest if link.nodes or link.more != 0]
        if left:
            kept[words, direction] = left
    return kept


def _clause(name: str, words: str, direction: Direction, others: str, is_verb: bool) -> str:
    """Which way a noun points is the graph's own custom ("pilot"), so that it is not put into words."""
    if direction == Direction.OUT:
        return f"{words} {others}" if is_verb else f"{words}: {others}"
    return f"{others} {words} {name}" if is_verb else f"{words} ← {others}"


def _others(parts: Sequence[Link], schema: Schema) -> str:
    nodes: Mapping[str, Node] = {n.element_id: n for link in parts for n in link.nodes}
    names = [str(name_of(n, schema)) for n in nodes.values()]
    if any(link.more is None for link in parts):
        return ", ".join(names[:_NAMES_OF_A_LINK]) + (" and many more" if names else "many more")
    return listed(names, _NAMES_OF_A_LINK, sum(link.more or 0 for link in parts))


def _reads_as_verb(words: str, parts: Sequence[Link]) -> bool:
    """Whether a relation's words stand between two names: "moored at", "designed", "has part", "causes"."""
    first, last = words.split()[0], words.split()[-1]
    if last in PREPOSITIONS or first in VERBS_OF_HAVING or first in IRREGULAR_FORMS or first.endswith("ed"):
        return True
    # A plural of what is at the other end is a noun ("genres").
    is_plural = any(link.label and phrase(link.label).rstrip("s") == words.rstrip("s") for link in parts)
    return first == words and first.endswith("s") and not first.endswith("ss") and not is_plural


def listed(names: Sequence[str], most: int = _MOST_NAMES, more: int = 0) -> str:
    """Names as an enumeration; of a long one the tail is counted, together with ``more`` that have no name here."""
    rest = max(0, len(names) - most) + more
    if rest:
        return f"{', '.join(names[:most])} and {rest} more"
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)
