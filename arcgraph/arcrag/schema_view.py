"""The schema for a prompt: what a question's labels need, within a budget of tokens, and marked where it is partial."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from arcgraph.arcrag.interface import is_bulky
from arcgraph.domain import LabelInfo, Schema
from arcgraph.llm.data import fitting, named, quoted

_MOST_KEYS = 40
_SAMPLES = 2


def schema_view(schema: Schema, labels: Iterable[str], budget: int) -> list[str]:
    """Lines on the given labels, the relations between them, then on what lies next to these, and on the rest."""
    first = [name for name in dict.fromkeys(labels) if name in schema.labels]
    lines = [*_relation_home(schema), *_between(schema, set(first)), *(_label(schema.labels[n]) for n in first)]
    near = list(_touching(schema, set(first)))
    others = [n for n in schema.labels if n and n not in first]
    lines += [*near, *(_label(schema.labels[n]) for n in others)]
    kept = fitting(lines, budget)
    is_partial = kept[-1:] != lines[-1:]
    return [*kept, "this is a part of the schema: there are more labels and relations"] if is_partial else kept


def _relation_home(schema: Schema) -> Iterator[str]:
    home = schema.relations
    if home.kind == "property":
        yield f"relations are values of the property {named(home.key)} on relationships of type {named(home.type)}"


def _between(schema: Schema, labels: set[str]) -> Iterator[str]:
    for e in schema.endpoints:
        if {e.start, e.end} <= labels | {""} and e.count.value:
            yield f"(:{named(e.start)})-[:{named(e.type)}]->(:{named(e.end)}){_edge_keys(schema, e.type)}"


def _touching(schema: Schema, labels: set[str]) -> Iterator[str]:
    for e in schema.endpoints:
        if len({e.start, e.end} & labels) == 1 and not {e.start, e.end} <= labels and e.count.value:
            yield f"(:{named(e.start)})-[:{named(e.type)}]->(:{named(e.end)})"


def _edge_keys(schema: Schema, type_: str) -> str:
    info = schema.types.get(type_)
    keys = [named(k) for k, p in info.properties.items() if not is_bulky(p)][:_MOST_KEYS] if info else []
    return f" {{{', '.join(keys)}}}" if keys else ""


def _label(info: LabelInfo) -> str:
    shown = [(key, p) for key, p in info.properties.items() if not is_bulky(p)][:_MOST_KEYS]
    keys = []
    for key, p in shown:
        samples = ", ".join(quoted(v, 30) for v in p.samples[:_SAMPLES])
        keys.append(f"{named(key)} {p.type}" + (f" ({samples})" if samples else ""))
    return f"(:{named(info.name)} {{{'; '.join(keys)}}}) {info.count.value} nodes"
