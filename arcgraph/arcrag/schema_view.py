"""The schema for a prompt: what a question's labels need first, within a budget, marked where it is only a part."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from arcgraph.arcrag.interface import is_bulky
from arcgraph.domain import Endpoint, LabelInfo, Schema
from arcgraph.llm.data import fitting, named, quoted

_MOST_KEYS = 40
_SAMPLES = 2


def schema_view(schema: Schema, labels: Iterable[str], budget: int) -> list[str]:
    """Lines on the given labels, the relations between them, those from them to others, then all other relations, the
    frequent ones first, and all other labels.
    """
    first = [name for name in dict.fromkeys(labels) if name in schema.labels]
    among = set(first)
    relations = sorted((e for e in schema.endpoints if e.count.value), key=lambda e: -e.count.value)
    inner = [e for e in relations if {e.start, e.end} <= among | {""}]
    near = [e for e in relations if e not in inner and {e.start, e.end} & among]
    rest = [e for e in relations if e not in inner and e not in near]
    told = list(_relation_lines(schema, [*inner, *near, *rest]))
    own = [_label(schema.labels[name]) for name in first]
    others = [_label(info) for name, info in schema.labels.items() if name and name not in among]
    lines = [*_relation_home(schema), *told[: len(inner)], *own, *told[len(inner) :], *others]
    kept = fitting(lines, budget)
    is_partial = kept[-1:] != lines[-1:]
    return [*kept, "this is a part of the schema: there are more labels and relations"] if is_partial else kept


def _relation_home(schema: Schema) -> Iterator[str]:
    home = schema.relations
    if home.kind == "property":
        yield f"relations are values of the property {named(home.key)} on relationships of type {named(home.type)}"


def _relation_lines(schema: Schema, relations: Sequence[Endpoint]) -> Iterator[str]:
    """A line for each, the first of a type with the type's properties."""
    seen: set[str] = set()
    for e in relations:
        keys = _edge_keys(schema, e.type) if e.type not in seen else ""
        seen.add(e.type)
        yield f"(:{named(e.start)})-[:{named(e.type)}]->(:{named(e.end)}){keys}"


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
