"""What of Neo4j's Cypher Memgraph cannot read, and what to write instead.

By Memgraph's own grammar and its table of functions (August 2026). What only newer servers have, such as
``elementId()`` or ``CALL (n) { … }``, is left to the server: it knows its version.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import fields
from typing import Any

from arcgraph.graph.lexer import Kind, Tokens
from arcgraph.graph.scope import Fault
from arcgraph.graph.syntax import (
    Call,
    CallProcedure,
    CallSubquery,
    Case,
    Chain,
    Cut,
    EdgePattern,
    Element,
    Finish,
    Group,
    Literal,
    Match,
    NodePattern,
    Page,
    PathPattern,
    Query,
    Step,
    Subquery,
)

_LENGTH = "write a relationship with a length, -[:TYPE*1..3]->"
_AFTER = "write it in WHERE behind the pattern"
_SHORTEST = {
    "shortestPath": "write -[*BFS]->",
    "allShortestPaths": "write -[*ALLSHORTEST (r, n | 1)]->",
}
_PLAIN_NUMBER = re.compile(r"0x[0-9a-fA-F]+|0[0-7]*|[1-9][0-9]*|[0-9]*\.[0-9]+([eE]-?[0-9]+)?|[0-9]+[eE]-?[0-9]+")
_TESTS = {"::": "tests of types with ::", "IS TYPED": "IS TYPED", "IS NORMALIZED": "IS NORMALIZED"}

_LESS = "compare the parts instead, such as date.year"
_MISSING = {
    **dict.fromkeys(("char_length", "character_length"), "write size()"),
    **dict.fromkeys(("btrim",), "write trim()"),
    **dict.fromkeys(("lower", "upper"), "write toLower() or toUpper()"),
    **dict.fromkeys(("isnan",), "write x <> x"),
    **dict.fromkeys(("nullif",), "write CASE WHEN a = b THEN null ELSE a END"),
    **dict.fromkeys(("cot",), "write 1 / tan(x)"),
    **dict.fromkeys(("degrees", "radians", "haversin"), "compute it with pi() and sin()"),
    **dict.fromkeys(
        ("percentilecont", "percentiledisc", "stdev", "stdevp"), "collect the values and compute it yourself"
    ),
    **dict.fromkeys(("normalize",), "store normalized texts"),
    **dict.fromkeys(("time",), "write localTime() or datetime()"),
    **dict.fromkeys(
        ("duration.between", "duration.indays", "duration.inmonths", "duration.inseconds"), "subtract the two instead"
    ),
    **dict.fromkeys(("datetime.fromepoch", "datetime.fromepochmillis"), "add a duration to a datetime instead"),
    **dict.fromkeys(("vector.similarity.cosine", "vector.similarity.euclidean"), "CALL vector_search.search(…)"),
    **{f"{kind}.truncate": _LESS for kind in ("date", "datetime", "localdatetime", "localtime", "time")},
    **{
        f"{kind}.{clock}": f"write {kind}()"
        for kind in ("date", "datetime", "localdatetime", "localtime", "time")
        for clock in ("realtime", "statement", "transaction")
    },
}
"""Functions of Neo4j that Memgraph does not have, in lower case, and what serves there."""


def lacking(query: Query, tokens: Tokens, added: tuple[str, ...] = ()) -> tuple[Fault, ...]:
    """What Memgraph cannot read of a query, in the order of the text. ``added`` are functions vouched for."""
    reader = _Reader(tokens, added)
    found = (
        Fault("dialect", f"Memgraph has no {what}", token)
        for element in _elements(query)
        for what, token in reader.of(element)
    )
    return tuple(sorted(found, key=lambda fault: fault.token))


def _elements(root: Element) -> Iterator[Element]:
    """All that a query is made of. No recursion, so that depth costs no stack."""
    stack: list[Any] = [root]
    while stack:
        item = stack.pop()
        if isinstance(item, Element):
            yield item
            stack.extend(getattr(item, field.name) for field in fields(item))
        elif isinstance(item, tuple):
            stack.extend(item)


_Found = Iterator[tuple[str, int]]


class _Reader:
    """Says of each element what Memgraph lacks of it: a text and the token that it stands at."""

    def __init__(self, tokens: Tokens, added: tuple[str, ...]):
        self.tokens = tokens.tokens
        self.added = added

    def of(self, element: Element) -> _Found:
        read = _READERS.get(type(element))
        return read(self, element) if read else iter(())

    def word(self, token: int) -> str:
        return self.tokens[token].word

    # --- clauses ---

    def query(self, query: Query) -> _Found:
        for _, union in query.unions:
            if self.word(union + 1) == "DISTINCT":
                yield "UNION DISTINCT; write UNION, which is the same", union

    def finish(self, clause: Finish) -> _Found:
        yield "FINISH; end with RETURN", clause.start

    def cut(self, clause: Cut) -> _Found:
        yield "ORDER BY, SKIP or LIMIT as a clause of its own; put it behind WITH or RETURN", clause.start

    def page(self, page: Page) -> _Found:
        if page.skip and self.word(page.skip.start - 1) == "OFFSET":
            yield "OFFSET; write SKIP", page.skip.start - 1

    def match(self, clause: Match) -> _Found:
        for hint in clause.hints:
            yield "USING behind MATCH; leave the hint out", hint.start

    def call_subquery(self, clause: CallSubquery) -> _Found:
        if self.word(clause.start) == "OPTIONAL":
            yield "OPTIONAL CALL; write OPTIONAL MATCH inside of CALL { }", clause.start

    def call_procedure(self, clause: CallProcedure) -> _Found:
        if self.word(clause.start) == "OPTIONAL":
            yield "OPTIONAL CALL; write CALL", clause.start
        if clause.arguments is None:
            yield f"CALL without parentheses; write CALL {clause.name}()", clause.at

    # --- patterns ---

    def path(self, path: PathPattern) -> _Found:
        if path.function:
            yield f"{path.function}(…); {_SHORTEST[path.function]}", path.start
        if path.selector:
            instead = "write -[*BFS]->, -[*KSHORTEST|3]-> or -[*ALLSHORTEST (r, n | 1)]->"
            yield f"path selectors such as {path.selector.replace('k', '1')}; {instead}", path.start

    def group(self, group: Group) -> _Found:
        if group.quantified:
            yield f"quantified paths; {_LENGTH}", group.start
        elif group.where:
            yield f"WHERE inside of a pattern; {_AFTER}", group.where.start

    def node(self, node: NodePattern) -> _Found:
        if node.where:
            yield f"WHERE inside of a pattern; {_AFTER}", node.where_start
        if node.labels:
            symbols = self.symbols(node.label_start, node.labels.end)
            if symbols not in (set(), {":"}, {"|"}):
                yield self.labels("write :A:B or :A|B, or test the labels in WHERE, n:A AND NOT n:B"), node.label_start

    def edge(self, edge: EdgePattern) -> _Found:
        if edge.where:
            yield f"WHERE inside of a pattern; {_AFTER}", edge.where_start
        if edge.quantified:
            yield f"quantified relationships; {_LENGTH}", edge.start
        if edge.labels and not self.symbols(edge.label_start, edge.labels.end) <= {"|", ":"}:
            yield self.labels("write :A|B, or test type(r) in WHERE"), edge.label_start

    def labels(self, instead: str) -> str:
        return f"label expressions with &, !, % and brackets, nor IS before a label; {instead}"

    def symbols(self, start: int, end: int) -> set[str]:
        """The symbols between labels, and ``IS`` where it stands for the first colon."""
        inner = {token.value for token in self.tokens[start + 1 : end] if token.kind is Kind.OPERATOR}
        return inner if self.tokens[start].text == ":" else {"IS", *inner}

    def step(self, step: Step) -> _Found:
        if step.labels and not self.symbols(step.start, step.labels.end) <= {":"}:
            yield self.labels("write n:A OR n:B"), step.start

    # --- values ---

    def literal(self, literal: Literal) -> _Found:
        text = self.tokens[literal.start].text
        if literal.kind == "number" and literal.start < literal.end and not _PLAIN_NUMBER.fullmatch(text):
            yield f"numbers written like {text[:20]}; write the plain digits", literal.start

    def chain(self, chain: Chain) -> _Found:
        for operator, operand in chain.rest:
            if operator == "||" and operand:
                yield "||; write +", operand.start - 1
            elif operator.replace("NOT ", "") in _TESTS:
                yield f"{_TESTS[operator.replace('NOT ', '')]}; write valueType(x) = 'INTEGER'", chain.start

    def case(self, case: Case) -> _Found:
        tests = any(isinstance(when, Chain) and when.first.start == when.first.end for when in case.whens)
        if case.subject and (tests or len(case.whens) != len(case.thens)):
            yield "tests or several values behind WHEN; write CASE WHEN x > 3 THEN …", case.start

    def subquery(self, subquery: Subquery) -> _Found:
        if subquery.kind == "COLLECT":
            yield "COLLECT { }; write [(a)-->(b) | b.key], or collect() in CALL { }", subquery.start
        elif subquery.match and not _is_one_path(subquery.match):
            kind = subquery.kind
            yield f"{kind} {{ }} without MATCH but for one plain path; write {kind} {{ MATCH … }}", subquery.start

    def call(self, call: Call) -> _Found:
        name = call.name.lower()
        if name in _MISSING and call.name not in self.added:
            yield f"function {call.name}(); {_MISSING[name]}", call.start
        before = {self.word(argument.start - 1) for argument in call.arguments}
        if "ALL" in before:
            yield f"{call.name}(ALL …); leave ALL out", call.start
        if name == "trim" and "FROM" in before:
            yield "trim(… FROM …); write trim(x), ltrim(x) or rtrim(x)", call.start


def _is_one_path(match: Match) -> bool:
    return len(match.paths) == 1 and not match.where and len(match.paths[0].elements) > 1


_READERS: dict[type[Element], Callable[[_Reader, Any], _Found]] = {
    Query: _Reader.query,
    Finish: _Reader.finish,
    Cut: _Reader.cut,
    Page: _Reader.page,
    Match: _Reader.match,
    CallSubquery: _Reader.call_subquery,
    CallProcedure: _Reader.call_procedure,
    PathPattern: _Reader.path,
    Group: _Reader.group,
    NodePattern: _Reader.node,
    EdgePattern: _Reader.edge,
    Step: _Reader.step,
    Literal: _Reader.literal,
    Chain: _Reader.chain,
    Case: _Reader.case,
    Subquery: _Reader.subquery,
    Call: _Reader.call,
}
