"""``arcgraph schema``: what a graph contains."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, TypeVar

import typer
from rich.text import Text

from arcgraph.cli.common import (
    DatabaseOption,
    GraphOption,
    JsonOption,
    PasswordOption,
    TimeoutOption,
    UserOption,
    err,
    load_settings,
    open_graph,
    out,
    print_json,
)
from arcgraph.domain import Count, Endpoint, LabelInfo, PassageHome, PropertyInfo, RelationHome, Schema, TypeInfo
from arcgraph.graph.values import to_plain

_LABELS = 20
_TYPES = 20
_KEYS = 12
_TRIPLES = 40
_INDEXES = 20
# Cells of key, type and the two numbers; wider ones are cut.
_WIDTHS = (28, 20, 11, 11)
_NUMBERS = (2, 3)
_WITHOUT_LABEL = "(no label)"

_Item = TypeVar("_Item")


class Export(StrEnum):
    """Forms that other tools read."""

    STRUCTURED = "structured"


def register(app: typer.Typer) -> None:
    """Add the command to ``app``."""
    app.command("schema")(schema)


def schema(
    graph: GraphOption = None,
    database: DatabaseOption = None,
    user: UserOption = None,
    password: PasswordOption = False,
    timeout: TimeoutOption = None,
    as_json: JsonOption = False,
    export: Annotated[
        Export | None,
        typer.Option(
            "--export",
            help="Print the node_props / rel_props / relationships dictionary of LangChain and neo4j-graphrag.",
        ),
    ] = None,
    refresh: Annotated[
        bool, typer.Option("--refresh", help="Read it anew although the graph does not seem to have changed.")
    ] = False,
    show_all: Annotated[bool, typer.Option("--all", help="Print everything, however wide the graph is.")] = False,
) -> None:
    """Say what a graph contains: labels, types, properties, what names an entity, and how all of it is connected.

    Numbers with ~ are estimates; a triple with ? was neither confirmed nor excluded in the time allowed.
    """
    from arcgraph.graph.introspect import schema_to_dict, to_structured

    connection = open_graph(graph, database=database, user=user, password=password, settings=load_settings(timeout))
    try:
        with err.status("reading the schema"):
            found = connection.schema(refresh=refresh)
    finally:
        connection.close()
    if export is Export.STRUCTURED:
        print_json(to_structured(found))
    elif as_json:
        print_json({"graph": connection.name, **schema_to_dict(found)})
    else:
        _print(connection.name, found, show_all=show_all)


# --- for people --------------------------------------------------------------------------------------------------


def _print(name: str, schema: Schema, *, show_all: bool) -> None:
    out.print(Text(f"{name}: {_number(schema.nodes)} nodes, {_number(schema.edges)} relationships", style="bold"))
    if not schema.nodes.value:
        out.print("The graph is empty; load something: arcgraph load FILE --to TARGET")
        return
    if not schema.complete:
        out.print("Time ran out before everything was read: what is missing here may exist.", style="yellow")
    out.print(Text(f"Relations: {_relations(schema.relations)}"))
    out.print(Text(f"Passages: {_passages(schema.passages)}"))
    _print_owners("Labels", list(schema.labels.values()), _LABELS, show_all)
    _print_owners("Relationship types", list(schema.types.values()), _TYPES, show_all)
    _print_triples(schema.endpoints, show_all)
    _print_indexes(schema, show_all)


def _relations(home: RelationHome) -> str:
    if home.kind == "property":
        return f"the property {home.key} of {home.type} says which ({home.distinct:,} different)"
    if home.kind == "reified":
        return (
            f"nodes with label {home.label} stand for them, their {home.key} says which ({home.distinct:,} different)"
        )
    return "the relationship types say which"


def _passages(home: PassageHome | None) -> str:
    if home is None:
        return "none found"
    ways = [f"relationships name them in {home.edge_key}"] if home.edge_key else []
    ways += [f"entities are joined to them by {', '.join(home.mention_types)}"] if home.mention_types else []
    called = f", called by {home.id_key}" if home.id_key else ""
    return f"{home.text_key} of {home.label}{called}; {'; '.join(ways)}"


def _print_owners(title: str, owners: Sequence[LabelInfo | TypeInfo], most: int, show_all: bool) -> None:
    if not owners:
        return
    shown, more = _cut(owners, most, show_all)
    lines = [line for owner in shown for line in _owner_lines(owner, show_all)]
    heads = [Text(head, style="dim") for head in ("", "type", "on", "different", "such as")]
    lines.insert(0, _Line((heads[0], heads[1], heads[2], heads[3]), heads[4]))
    widths = [min(limit, max(line.cells[at].cell_len for line in lines)) for at, limit in enumerate(_WIDTHS)]
    out.print()
    out.print(title, style="bold italic")
    for line in lines:
        out.print(line.aligned(widths), no_wrap=True, overflow="ellipsis", crop=True)
    _print_more(more, title.lower())


@dataclass(frozen=True)
class _Line:
    """Key, type, how many carry it and how many values are different; then a remark that takes the room left."""

    cells: tuple[Text, Text, Text, Text]
    remark: Text

    def aligned(self, widths: Sequence[int]) -> Text:
        whole = Text(end="")
        for at, (cell, width) in enumerate(zip(self.cells, widths, strict=True)):
            cell.truncate(width, overflow="ellipsis")
            gap = " " * (width - cell.cell_len)
            whole += Text(gap) + cell if at in _NUMBERS else cell + Text(gap)
            whole += Text("  ")
        return whole + self.remark


def _owner_lines(owner: LabelInfo | TypeInfo, show_all: bool) -> Iterator[_Line]:
    name = Text(owner.name or _WITHOUT_LABEL, style="bold")
    yield _Line((name, Text(), Text(_number(owner.count)), Text()), _named(owner))
    keys, hidden = _cut(_by_coverage(owner), _KEYS, show_all)
    for info in keys:
        yield _property_line(info)
    if hidden:
        yield _Line((Text("  …"), Text(), Text(), Text()), Text(f"and {hidden} more", style="dim"))


def _by_coverage(owner: LabelInfo | TypeInfo) -> list[PropertyInfo]:
    """Naming and identifying properties first, then those that most owners carry."""
    first = (owner.naming, owner.identifying) if isinstance(owner, LabelInfo) else ()
    return sorted(owner.properties.values(), key=lambda info: (info.key not in first, -info.count.value, info.key))


def _named(owner: LabelInfo | TypeInfo) -> Text:
    if isinstance(owner, TypeInfo):
        return Text()
    if owner.naming:
        return Text(f"named by {owner.naming}", style="green")
    return Text(f"told apart by {owner.identifying}" if owner.identifying else "without name", style="yellow")


def _property_line(info: PropertyInfo) -> _Line:
    mark = " unique" if info.unique else " indexed" if info.indexed else ""
    kinds = " or ".join(info.types) if len(info.types) <= 2 else f"{info.type} and others"
    cells = (Text(f"  {info.key}"), Text(kinds) + Text(mark, "cyan"), Text(_number(info.count)))
    return _Line((*cells, Text(_number(info.distinct))), Text(", ".join(map(_sample, info.samples)), style="dim"))


def _sample(value: object) -> str:
    text = repr(value) if isinstance(value, str) and ("," in value or value != value.strip()) else str(to_plain(value))
    text = " ".join(text.split())
    return text if len(text) <= 40 else text[:39] + "…"


def _print_triples(endpoints: Sequence[Endpoint], show_all: bool) -> None:
    if not endpoints:
        return
    shown, more = _cut(endpoints, _TRIPLES, show_all)
    numbers = [_number(e.count) if e.probed else "?" for e in shown]
    width = max(map(len, numbers))
    out.print()
    out.print("Paths", style="bold italic")
    for number, e in zip(numbers, shown, strict=True):
        out.print(Text(f"{number:>{width}}  ({_label(e.start)})-[:{e.type}]->({_label(e.end)})"))
    _print_more(more, "paths")


def _label(name: str) -> str:
    return f":{name}" if name else ""


def _print_indexes(schema: Schema, show_all: bool) -> None:
    if not schema.indexes:
        return
    out.print()
    out.print("Indexes", style="bold italic")
    shown, more = _cut(schema.indexes, _INDEXES, show_all)
    for index in shown:
        unique = "unique " if index.unique else ""
        on = f" on {', '.join(index.owners)} ({', '.join(index.keys)})" if index.owners else f" of {index.entity}s"
        out.print(Text(f"{unique}{index.kind} {index.name}{on}"))
    _print_more(more, "indexes")


def _print_more(hidden: int, what: str) -> None:
    if hidden:
        out.print(f"and {hidden:,} more {what}; --all prints them", style="dim")


def _cut(items: Iterable[_Item], most: int, show_all: bool) -> tuple[list[_Item], int]:
    """The items to print, and how many are left out."""
    every = list(items)
    return (every, 0) if show_all else (every[:most], max(0, len(every) - most))


def _number(count: Count) -> str:
    return f"{'' if count.exact else '~'}{count.value:,}"
