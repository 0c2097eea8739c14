"""``arcgraph ask``: one question, one answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape
from rich.table import Table

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
    progress,
)

if TYPE_CHECKING:
    from arcgraph.answer.result import Answer

_SHOWN_EVIDENCE = 8
_SHOWN_PASSAGES = 3


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(ask)


def ask(
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="What you want to know, in quotation marks.")],
    graph: GraphOption = None,
    database: DatabaseOption = None,
    user: UserOption = None,
    password: PasswordOption = False,
    timeout: TimeoutOption = None,
    limit: Annotated[int, typer.Option("--limit", min=1, help="How many rows to print; none is lost in --json.")] = 20,
    cypher: Annotated[
        bool, typer.Option("--cypher", help="Print only the queries, ready for a database browser.")
    ] = False,
    trace: Annotated[bool, typer.Option("--trace", help="Print what happened on the way.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Ask a graph a question.

    Example: arcgraph ask --graph demo: "Who designed the lighthouse?"
    """
    from arcgraph.agent import Agent, checked  # heavy

    settings = load_settings(timeout)
    checked(question, settings)
    connection = open_graph(graph, database=database, user=user, password=password, settings=settings)
    try:
        agent = Agent(connection, settings=settings)
        with progress("indexing names") as bar:
            agent.prepare(lambda p: bar(p.done, p.total))
        answer = agent.ask(question)
    finally:
        connection.close()
    if as_json:
        print_json(answer.to_dict())
    elif cypher:
        out.print(answer.cypher_script(), markup=False, soft_wrap=True)
    else:
        _show(answer, limit, trace)
    if answer.status != "answered":
        raise typer.Exit(1)


def _show(answer: Answer, limit: int, trace: bool) -> None:
    for notice in answer.notices:
        err.print(f"note: {notice}", style="dim", markup=False, soft_wrap=True)
    out.print(answer.text, style="bold", markup=False, soft_wrap=True)
    if answer.rows:
        _show_rows(answer, limit)
    if answer.partial:
        what = (
            "at the row limit (ARCGRAPH_ASK_MAX_ROWS)"
            if answer.rows
            else "short by the deadline (ARCGRAPH_ASK_DEADLINE)"
        )
        out.print(f"… cut {what}", style="yellow", markup=False)
    for claim in answer.unsupported:
        out.print(f"  not in the evidence: {claim}", style="yellow", markup=False, soft_wrap=True)
    for line in answer.tried:
        out.print(f"  tried: {line}", style="dim", markup=False, soft_wrap=True)
    _show_evidence(answer)
    if answer.queries:
        out.print("\nCypher", style="bold")
        out.print(answer.cypher_script(), style="cyan", markup=False, soft_wrap=True)
    if trace:
        _show_trace(answer)
    calls = f"{answer.usage.calls} model calls"
    out.print(
        f"\n{answer.status}, confidence {answer.confidence:.2f}, {answer.usage.seconds * 1000:.0f} ms, {calls}",
        style="dim",
        markup=False,
    )


def _show_rows(answer: Answer, limit: int) -> None:
    table = Table(show_edge=False, pad_edge=False)
    for column in answer.columns:
        table.add_column(escape(column), overflow="fold")
    for row in answer.rows[:limit]:
        table.add_row(*("" if row[c] is None else escape(str(row[c])) for c in answer.columns))
    out.print(table)
    if len(answer.rows) > limit:
        out.print(f"… {len(answer.rows) - limit} more (--limit)", style="dim", markup=False)


def _show_evidence(answer: Answer) -> None:
    edges = [c for c in answer.citations if c.kind == "edge"]
    passages = [c for c in answer.citations if c.kind == "passage"]
    if edges:
        out.print("\nEvidence", style="bold")
    for citation in edges[:_SHOWN_EVIDENCE]:
        out.print(f"  {citation.text}", markup=False, soft_wrap=True)
    if len(edges) > _SHOWN_EVIDENCE:
        out.print(f"  … {len(edges) - _SHOWN_EVIDENCE} more edges", style="dim", markup=False)
    for citation in passages[:_SHOWN_PASSAGES]:
        out.print(f"  “{citation.text}” [{citation.id}]", style="italic", markup=False, soft_wrap=True)


def _show_trace(answer: Answer) -> None:
    out.print("\nTrace", style="bold")
    for event in answer.trace:
        out.print(
            f"  {event.at * 1000:8.1f} ms  {event.stage}: {event.kind} {dict(event.data)}", markup=False, soft_wrap=True
        )
