"""``arcgraph check``: hold Cypher to the gate, one query or a stream of them."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arcgraph.cli.common import (
    DatabaseOption,
    GraphOption,
    JsonOption,
    PasswordOption,
    TimeoutOption,
    UserOption,
    load_settings,
    open_graph,
    out,
    print_json,
)
from arcgraph.errors import UsageError
from arcgraph.graph.base import Extended

if TYPE_CHECKING:
    from arcgraph.domain import Schema
    from arcgraph.graph.guard import Lacking, Reason, Verdict
    from arcgraph.graph.schema_check import SchemaFault
    from arcgraph.settings import Settings


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(check)


def check(
    query: Annotated[str | None, typer.Argument(help="The Cypher to check, in quotation marks.")] = None,
    jsonl: Annotated[
        bool, typer.Option("--jsonl", help='Read lines {"query": …} on standard input, print one verdict a line.')
    ] = False,
    graph: GraphOption = None,
    database: DatabaseOption = None,
    user: UserOption = None,
    password: PasswordOption = False,
    timeout: TimeoutOption = None,
    as_json: JsonOption = False,
) -> None:
    """Check that Cypher only reads and is valid; with --graph also against that graph's schema.

    Nothing is run. Exit code 0 if every query is accepted, 1 if one is refused.
    """
    if (query is None) != jsonl:
        raise UsageError("give one query as argument, or --jsonl and queries on standard input")
    settings = load_settings(timeout)
    schema, functions, lacking = None, settings.graph.allow_functions, None
    if graph is not None:
        connection = open_graph(graph, database=database, user=user, password=password, settings=settings)
        try:
            schema = connection.schema()
            if isinstance(connection, Extended):
                functions += connection.functions
                lacking = connection.lacking
        finally:
            connection.close()
    judge = _judge(settings, schema, functions, lacking)
    accepted = _stream(judge) if query is None else _one(judge(query), query, as_json)
    if not accepted:
        raise typer.Exit(1)


def _judge(
    settings: Settings, schema: Schema | None, functions: tuple[str, ...], lacking: Lacking | None
) -> Callable[[str], Verdict]:
    from arcgraph.graph import guard  # heavy

    procedures = settings.graph.allow_procedures
    return lambda query: guard.check(
        query, schema, allow_procedures=procedures, allow_functions=functions, lacking=lacking
    )


def _one(verdict: Verdict, query: str, as_json: bool) -> bool:
    if as_json:
        print_json(verdict.to_dict())
    elif verdict.accepted:
        out.print("accepted")
    else:
        faults: list[Reason | SchemaFault] = [*verdict.reasons, *verdict.schema_faults]
        for reason in faults:
            out.print(f"{reason.line}:{reason.column}: {reason.message} ({reason.rule})", markup=False, soft_wrap=True)
            out.print(f"    {_line(query, reason.line)}", style="dim", markup=False, soft_wrap=True)
            out.print("    " + " " * (reason.column - 1) + "^", style="dim", markup=False)
        if verdict.repaired:
            out.print(f"repaired: {verdict.repaired}", markup=False, soft_wrap=True)
    return verdict.accepted


def _line(query: str, number: int) -> str:
    lines = query.splitlines() or [""]
    return lines[min(number, len(lines)) - 1]


def _stream(judge: Callable[[str], Verdict]) -> bool:
    accepted = True
    for number, line in enumerate(sys.stdin, 1):
        if line.strip():
            verdict = judge(_query(line, number))
            accepted = accepted and verdict.accepted
            sys.stdout.write(json.dumps(verdict.to_dict(), ensure_ascii=False) + "\n")
            sys.stdout.flush()
    return accepted


def _query(line: str, number: int) -> str:
    try:
        item: Any = json.loads(line)
    except ValueError as error:
        raise UsageError(f"line {number} of standard input is not JSON: {error}") from None
    if not isinstance(item, dict) or not isinstance(item.get("query"), str):
        raise UsageError(f'line {number} of standard input has no text under "query"')
    return str(item["query"])
