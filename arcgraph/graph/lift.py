"""Points and durations for the embedded engine, which knows both types but takes neither as a parameter.

A parameter that is one, or a list of them, becomes a call in the query. Nested ones (``$rows``) are written as marked
texts first and turned into real ones afterwards.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from neo4j.time import Duration

from arcgraph.graph.marked import WGS84, decode
from arcgraph.graph.names import quote_literally
from arcgraph.graph.values import to_engine
from arcgraph.graph.worker import MARK

# Strings, quoted names and comments are skipped, so that a ``$`` inside them is left alone.
_PARAMETER = re.compile(
    r"""'(?:\\.|[^'\\])*' | "(?:\\.|[^"\\])*" | `(?:``|[^`])*` | //[^\n]* | /\*.*?\*/ | \$(\w+)""",
    re.VERBOSE | re.DOTALL,
)
_MARKS = {"point": f"{MARK}point {WGS84} ", "duration": f"{MARK}duration "}


class Lifted(NamedTuple):
    """A query and its parameters as the engine takes them; ``calls`` says what now stands in place of ``$name``."""

    query: str
    params: dict[str, Any]
    calls: dict[str, str]

    def written(self, column: str) -> str:
        """The name of a column as it would be without the calls."""
        for name, call in self.calls.items():
            column = column.replace(call, f"${name}")
        return column


def lift(query: str, params: Mapping[str, Any]) -> Lifted:
    """Make real points and durations of the parameters that are such values, or lists of them."""
    ready = {name: to_engine(value) for name, value in params.items()}
    calls: dict[str, str] = {}
    for name, value in ready.items():
        function = _function_for(value)
        if function:
            ready[name] = _argument(value)
            many = type(value) is list
            calls[name] = f"([_x IN ${name} | {function}(_x)])" if many else f"{function}(${name})"
    if calls:
        query = _PARAMETER.sub(lambda match: calls.get(match[1], match[0]), query)
    return Lifted(query, ready, calls)


def _function_for(value: Any) -> str | None:
    items = value if type(value) is list and value else [value]
    for function, mark in _MARKS.items():
        if all(type(item) is str and item.startswith(mark) for item in items) and not _is_third_dimension(items):
            return function
    return None


def _is_third_dimension(items: list[str]) -> bool:
    return any(item.startswith(_MARKS["point"]) and item.count(" ") != 3 for item in items)


def _argument(value: Any) -> Any:
    if type(value) is list:
        return [_argument(item) for item in value]
    decoded = decode(value)
    if isinstance(decoded, Duration):
        return dict(zip(("months", "days", "seconds", "nanoseconds"), decoded, strict=True))
    return {"longitude": decoded[0], "latitude": decoded[1]}


def restorable(value: Any, key: str = "") -> Iterable[tuple[str, str]]:
    """Where in an encoded parameter points and durations are nested: map key, and the function that makes real ones."""
    if type(value) is dict:
        for inner, item in value.items():
            yield from restorable(item, inner)
    elif type(value) is list:
        for item in value:
            if type(item) is not str:  # a list property keeps its items as they are
                yield from restorable(item, key)
    elif type(value) is str and value.startswith(MARK) and key:
        function = _function_for(value)
        if function:
            yield key, function


def restoring(key: str, function: str) -> list[tuple[str, dict[str, Any]]]:
    """The statements that turn marked texts under ``key`` into real points or durations, on nodes and on edges."""
    part = f"split(x.{quote_literally(key)}, ' ')"
    fields = ", ".join(f"{name}: {convert}({part}[{at}])" for name, convert, at in _FIELDS[function])
    change = f"WHERE x.{quote_literally(key)} STARTS WITH $mark SET x.{quote_literally(key)} = {function}({{{fields}}})"
    return [(f"MATCH {match} {change}", {"mark": _MARKS[function]}) for match in ("(x)", "()-[x]->()")]


_FIELDS = {
    "point": (("longitude", "toFloat", 2), ("latitude", "toFloat", 3)),
    "duration": tuple(
        (unit, "toInteger", at) for at, unit in enumerate(("months", "days", "seconds", "nanoseconds"), 1)
    ),
}
