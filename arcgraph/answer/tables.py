"""Answers that are tables: named columns, plain values, and a sentence that states the reading."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from arcgraph.answer.compose import entities
from arcgraph.answer.describe import listed
from arcgraph.answer.evidence import name_of
from arcgraph.answer.result import AnswerEntity
from arcgraph.domain import Node, Rows, Schema
from arcgraph.graph.values import to_plain
from arcgraph.interpret.tables.columns import THING
from arcgraph.interpret.tables.parse import name_of_node
from arcgraph.interpret.tables.reading import TableReading
from arcgraph.interpret.verbalise import phrase

_SHOWN_ROWS = 5


def table(reading: TableReading, rows: Rows, schema: Schema) -> Rows:
    """The rows with nodes as their names, rows of nothing but nulls left out."""
    records = [tuple(_named(value, schema) for value in record) for record in rows]
    kept = [record for record in records if any(value is not None for value in record)]
    columns = rows.columns
    if reading.entity >= 0:
        labels = (node.labels[0] for node in reading.pattern.nodes if node.name == name_of_node(reading.entity))
        named = phrase(next(labels, THING))
        columns = tuple(named if column == THING else column for column in columns)
    return Rows(columns, kept, rows.truncated)


def _named(value: Any, schema: Schema) -> Any:
    return name_of(value, schema) if isinstance(value, Node) else value


def found_entities(reading: TableReading, rows: Rows, schema: Schema) -> tuple[AnswerEntity, ...]:
    """The entities that the rows are about; none where they hold values."""
    return entities(rows, schema) if reading.entity >= 0 else ()


def text(reading: TableReading, shown: Rows, over: str = "") -> str:
    """The answer in a line, and how the question was read; ``over`` is said of an aggregate."""
    return f"{_result(shown)} (read as: {reading.words()}{f', {over}' if over else ''})"


def _result(shown: Rows) -> str:
    if len(shown.columns) == 1:
        return listed([_cell(record[0]) for record in shown if record[0] is not None])
    lines = ["; ".join(_cells(shown.columns, record) for record in shown.records[:_SHOWN_ROWS])]
    more = len(shown) - _SHOWN_ROWS
    return lines[0] + (f"; and {more} more" if more > 0 else "")


def _cells(columns: Sequence[str], record: Sequence[Any]) -> str:
    return ", ".join(f"{name} {_cell(value)}" for name, value in zip(columns, record, strict=True) if value is not None)


def _cell(value: Any) -> str:
    plain = to_plain(value)
    return f"{plain:.6g}" if isinstance(plain, float) and not plain.is_integer() else str(plain)
