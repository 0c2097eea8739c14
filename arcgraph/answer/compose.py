"""From the rows of the reading that held to an answer, without a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from arcgraph.answer.describe import description, listed
from arcgraph.answer.evidence import name_of
from arcgraph.answer.neighbourhood import Link
from arcgraph.answer.result import AnswerEntity, Citation
from arcgraph.domain import Node, Rows, Schema
from arcgraph.graph.values import to_plain
from arcgraph.interpret.assemble import PATHS, THING, Reading
from arcgraph.interpret.question import Intent
from arcgraph.interpret.verbalise import phrase

_NAMED_IN_TEXT = 10

# Edges of the evidence that are told where there is no answer.
_NEAREST = 3


def entities(rows: Rows, schema: Schema) -> tuple[AnswerEntity, ...]:
    """The distinct nodes of the answer column, in order; scored by the share of paths that lead to them."""
    if THING not in rows.columns:
        return ()
    things = rows.column(THING)
    paths = rows.column(PATHS) if PATHS in rows.columns else [1] * len(things)
    most = max(paths, default=1)
    return tuple(
        AnswerEntity(str(name_of(node, schema)), node.labels, node.id, count / most)
        for node, count in zip(things, paths, strict=True)
        if isinstance(node, Node)
    )


def table(reading: Reading, rows: Rows, schema: Schema) -> Rows:
    """The answer as a table for people: one named column, or the properties of a described node."""
    if reading.intent in (Intent.COUNT, Intent.YES_NO):
        return rows
    nodes = [n for n in rows.column(THING) if isinstance(n, Node)]
    if reading.intent == Intent.DESCRIBE:
        keys = tuple(dict.fromkeys(k for n in nodes for k in n.properties))
        return Rows(
            keys or ("name",), [tuple(n.properties.get(k) for k in keys) or (name_of(n, schema),) for n in nodes]
        )
    return Rows((column_name(reading),), [(name_of(n, schema),) for n in nodes], rows.truncated)


def column_name(reading: Reading) -> str:
    """The asked thing's label in words."""
    return phrase(reading.end) if reading.end else "name"


def plain_rows(rows: Rows) -> list[dict[str, Any]]:
    """Rows of plain values."""
    return [{k: to_plain(v) for k, v in row.items()} for row in rows.dicts()]


def text(
    reading: Reading,
    rows: Rows,
    found: Sequence[AnswerEntity],
    schema: Schema,
    links: Mapping[str, Sequence[Link]] | None = None,
) -> str:
    """The answer in a line, and how the question was read, so that a person sees at once whether it was understood.

    ``links`` are those of the described nodes, by element id.
    """
    return f"{_result(reading, rows, found, schema, links or {})} (read as: {reading.words()})"


def nearest(cited: Sequence[Citation]) -> str:
    """What the evidence nearest to a question says, for one that has no answer; empty without any."""
    if not cited:
        return ""
    return "\nNearest in the graph: " + "; ".join(c.text for c in cited[:_NEAREST]) + "."


def _result(
    reading: Reading,
    rows: Rows,
    found: Sequence[AnswerEntity],
    schema: Schema,
    links: Mapping[str, Sequence[Link]],
) -> str:
    if reading.intent == Intent.COUNT:
        return str(rows.records[0][0])
    if reading.intent == Intent.YES_NO:
        return "Yes" if rows.records[0][0] else "No"
    if reading.intent == Intent.DESCRIBE:
        nodes = [node for node in rows.column(THING) if isinstance(node, Node)]
        told = [description(node, schema, links.get(node.element_id, ())) for node in nodes[:_NAMED_IN_TEXT]]
        rest = [f"There are {len(nodes) - len(told)} more of that name."] if len(nodes) > len(told) else []
        return " ".join([*told, *rest])
    return listed([e.name for e in found])
