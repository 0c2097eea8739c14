"""Makes a free query, written against names as loaded, one for the embedded engine.

The engine stores four property keys under other names (:mod:`arcgraph.graph.names`) and lacks some of Neo4j's forms.
:func:`to_embedded` maps the names wherever they are property keys, writes the missing forms in others of the same
meaning, and refuses with a reason what has none. Everything else of the text stays as it was written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from itertools import pairwise
from typing import Any, NoReturn

from arcgraph.domain import RESERVED_KEY, RESERVED_LABEL
from arcgraph.errors import Refused
from arcgraph.graph.allowlist import is_aggregate
from arcgraph.graph.clauses import Unread, read
from arcgraph.graph.guard import Reason, Verdict
from arcgraph.graph.lexer import Kind, Token, Tokens, lex
from arcgraph.graph.names import INVENTED, PREFIX, quote, stored_key
from arcgraph.graph.reader.operators import BOOLEAN, COMPARISONS
from arcgraph.graph.scope import Analysis, Fault, analyse
from arcgraph.graph.syntax import (
    Access,
    Call,
    CallProcedure,
    CallSubquery,
    Case,
    Chain,
    Clause,
    Comprehension,
    Cut,
    EdgePattern,
    Expression,
    Group,
    Item,
    Labels,
    Literal,
    MapLiteral,
    MapProjection,
    Match,
    NodePattern,
    Page,
    Parameter,
    PathPattern,
    PatternComprehension,
    PatternTest,
    Prefix,
    Project,
    Query,
    Reduce,
    Step,
    Subquery,
    Unwind,
    Variable,
)

# Names of variables that a rewritten query needs and no loaded graph's query is likely to use.
_LABEL, _KEY, _ELEMENT, _PATH = "_arc_l", "_arc_k", "_arc_e", "_arc_p"
_INVENTED_LIST = "[" + ", ".join(f"'{key}'" for key in sorted(INVENTED)) + "]"
_MOST_HOPS = 1_000_000
# What stands between two comparisons is written twice: nested, that would double at every level.
_LONGEST_REPEATED = 2_000
_ALL_PATHS = ("", "ALL", "ALL PATHS", "ALL PATH")
# Families that the engine lacks and calls errors of syntax.
_ABSENT = ("apoc.", "vector.similarity.")
# The engine answers these with its own reserved names, or not at all.
_MISLEADING = frozenset(
    (
        "db.labels db.propertyKeys db.schema.nodeTypeProperties db.schema.relTypeProperties db.schema.visualization"
    ).split()
)


def to_embedded(query: str) -> str:
    """The query in the embedded engine's terms; a query that the gate admits is expected.

    Raises :class:`~arcgraph.errors.Refused`, rule ``embedded``, for what the engine cannot be made to do.
    """
    tokens = lex(query)
    try:
        parsed = read(tokens)
        return _Rewriter(tokens, analyse(parsed, tokens)).rewrite(parsed)
    except Unread as unread:
        _refuse(tokens, unread.rule, unread.message, unread.offset)
    except RecursionError:
        _refuse(tokens, "too-deep", "the query nests too deeply", 0)


def lacking(query: Query, tokens: Tokens, added: tuple[str, ...] = ()) -> tuple[Fault, ...]:
    """What keeps a valid query from being written for the embedded engine: the first such place, rule ``embedded``.

    ``added`` are functions vouched for.
    """
    analysis = analyse(query, tokens, (), added)
    if any(fault.rule not in ("function", "procedure") for fault in analysis.faults):
        return ()
    try:
        _Rewriter(tokens, analysis).rewrite(query)
    except Refused as refused:
        (reason,) = refused.verdict.reasons
        at = next(at for at, token in enumerate(tokens.tokens) if token.offset == reason.offset)
        return (Fault(reason.rule, reason.message, at),)
    return ()


def embedded_params(params: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters for a query that :func:`to_embedded` wrote: the keys of maps in them are stored keys, too."""
    return {name: _stored_maps(value) for name, value in params.items()}


def _stored_maps(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {stored_key(key) if isinstance(key, str) else key: _stored_maps(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_stored_maps(item) for item in value]
    return value


def _refuse(tokens: Tokens, rule: str, message: str, offset: int) -> NoReturn:
    reason = Reason(rule, message, *tokens.position(offset))
    raise Refused(f"query refused: {reason}", Verdict((reason,)))


class _Rewriter:
    """Collects changes per token, innermost first, and prints the tokens with them."""

    def __init__(self, tokens: Tokens, analysis: Analysis):
        self.all = tokens
        self.tokens = tokens.tokens
        self.analysis = analysis
        self.replaced: dict[int, str] = {}
        self.before: dict[int, str] = {}
        self.after: dict[int, str] = {}
        self.gone: set[int] = set()
        self.made = 0
        self.returns_all = False
        self.dynamic: set[int] = set()

    def rewrite(self, query: Query) -> str:
        self.returns_all = any(token.word == "RETURN" for token in self.tokens) and _has_star(self.tokens)
        for at, token in enumerate(self.tokens):
            self.plain(at, token)
        self.query(query, outermost=True)
        return self.render(0, query.end)

    # --- printing ---

    def render(self, start: int, end: int) -> str:
        """The text of some tokens with all changes so far; a blank stands wherever blanks or comments stood."""
        parts: list[str] = []
        last = None
        for at in range(start, end):
            token = self.tokens[at]
            text = "" if at in self.gone else self.replaced.get(at, token.text)
            piece = self.before.get(at, "") + text + self.after.get(at, "")
            if last is not None and token.offset > self.tokens[last].end:
                parts.append(self.gap(self.tokens[last].end, token.offset))
            parts.append(piece)
            last = at
        return "".join(parts).strip()

    def gap(self, start: int, end: int) -> str:
        """White space as written; where a comment stood, one blank or line end."""
        text = self.all.source[start:end]
        return text if text.isspace() and text.isascii() else "\n" if "\n" in text else " "

    def remove(self, start: int, end: int) -> None:
        self.gone.update(range(start, end))
        for at in range(start, end):
            self.before.pop(at, None)
            self.after.pop(at, None)

    def add_after(self, at: int, text: str) -> None:
        self.after[at] = self.after.get(at, "") + text

    def add_before(self, at: int, text: str) -> None:
        self.before[at] = text + self.before.get(at, "")

    def refuse(self, message: str, token: int) -> NoReturn:
        _refuse(self.all, "embedded", f"{message} on an embedded graph", self.tokens[token].offset)

    def plain(self, at: int, token: Token) -> None:
        """Spellings that the engine reads otherwise: unknown escapes, digits apart, octal numbers."""
        if token.kind is Kind.STRING and "\\" in token.text:
            self.replaced[at] = _string(token.value)
        elif token.kind is Kind.NUMBER:
            self.replaced[at] = _number(token.value)
        elif token.kind in (Kind.NAME, Kind.QUOTED) and "\\u" in token.text:
            self.replaced[at] = token.value if token.kind is Kind.NAME else quote(token.value)
        elif token.kind is Kind.PARAMETER and "\\u" in token.text:
            self.replaced[at] = "$" + quote(token.value)

    def key(self, at: int) -> None:
        """Map a property key."""
        name = self.tokens[at].value
        if stored_key(name) != name:
            self.replaced[at] = quote(stored_key(name))

    def variable_of(self, element: NodePattern | EdgePattern) -> str | None:
        """The variable of a pattern element, made if there is none; ``None`` where one would show in RETURN *."""
        if element.variable is not None:
            return quote(self.tokens[element.variable].value)
        opening = element.start if isinstance(element, NodePattern) else element.bracket
        if self.returns_all or opening is None:
            return None
        self.made += 1
        name = f"{_ELEMENT}{self.made}"
        self.after[opening] = name + self.after.get(opening, "")
        return name

    # --- queries and clauses ---

    def query(self, query: Query, *, outermost: bool = False) -> None:
        for _, union in query.unions:
            if self.tokens[union + 1].word == "DISTINCT":  # what UNION means; the engine does not know the word here
                self.gone.add(union + 1)
        for part in query.parts:
            for clause in part:
                self.clause(clause, outermost)

    def clause(self, clause: Clause, outermost: bool) -> None:
        if isinstance(clause, Match):
            self.match(clause)
        elif isinstance(clause, Project):
            self.project(clause, outermost)
        elif isinstance(clause, Unwind):
            self.value(clause.expression)
        elif isinstance(clause, CallProcedure):
            self.procedure(clause)
        elif isinstance(clause, CallSubquery):
            self.query(clause.query)
        elif isinstance(clause, Cut):
            self.page(clause.page)

    def procedure(self, clause: CallProcedure) -> None:
        if clause.name.startswith(_ABSENT):
            self.refuse(f"procedure {clause.name} is not to be had", clause.at)
        if clause.name in _MISLEADING:
            self.refuse(f"{clause.name} is not to be had; read the schema instead (arcgraph schema)", clause.at)
        self.values(clause.arguments or ())
        if clause.where:
            self.value(clause.where)

    def match(self, clause: Match) -> None:
        for hint in clause.hints:
            self.remove(hint.start, hint.end)
        conditions = [condition for path in clause.paths for condition in self.path(path)]
        for path in clause.paths:
            if path.variable is None and (path.function or path.selector not in _ALL_PATHS):
                self.name_path(path)
        self.add_conditions(conditions, clause.where, clause.where_start, clause.patterns_end)

    def add_conditions(
        self, conditions: list[str], where: Expression | None, where_start: int, patterns_end: int
    ) -> None:
        """Put conditions that stood inside a pattern into the WHERE behind it."""
        if where:
            self.value(where)
        if not conditions:
            return
        joined = " AND ".join(conditions)
        if where is None:
            self.add_after(patterns_end - 1, f" WHERE {joined} ")
            return
        self.add_after(where_start, f" {joined} AND (")
        self.add_after(where.end - 1, ")")

    def project(self, clause: Project, outermost: bool) -> None:
        for item in clause.items:
            self.value(item.expression)
            self.name_column(item, outermost and clause.kind == "RETURN")
        self.page(clause.page)
        if clause.where:
            self.value(clause.where)

    def name_column(self, item: Item, shown: bool) -> None:
        """A column keeps the name that its expression had before it was rewritten."""
        if item.alias is not None or isinstance(item.expression, Variable):
            return
        if isinstance(item.expression, MapProjection):
            self.add_after(item.end - 1, f" AS {quote(self.tokens[item.expression.base.token].value)}")
        elif shown:
            first, last = self.tokens[item.start], self.tokens[item.end - 1]
            self.add_after(item.end - 1, f" AS {quote(self.all.source[first.offset : last.end])}")

    def page(self, page: Page) -> None:
        self.values(page.order)
        self.values(amount for amount in (page.skip, page.limit) if amount)

    # --- patterns ---

    def path(self, path: PathPattern, *, movable: bool = True) -> list[str]:
        """Rewrite a path; gives the conditions that must hold outside of it."""
        if path.function == "allShortestPaths":
            self.refuse(
                "allShortestPaths is cut off after 256 paths, so it cannot be used; take shortestPath", path.start
            )
        self.selector(path)
        conditions: list[str] = []
        for at, element in enumerate(path.elements):
            if isinstance(element, Group):
                self.refuse("quantified and parenthesised patterns cannot be used", element.start)
            if isinstance(element, EdgePattern):
                following = path.elements[at + 1]
                self.edge(element, following.start)
            conditions += self.element(element, movable, inside=bool(path.function or path.selector))
        return conditions

    def selector(self, path: PathPattern) -> None:
        if path.selector in _ALL_PATHS:
            if path.selector:
                self.remove(path.elements[0].start - len(path.selector.split()), path.elements[0].start)
            return
        words = path.selector.split()
        start = path.elements[0].start - len(words)
        amount = next((self.tokens[start + at].value for at, word in enumerate(words) if word == "k"), "1")
        core = [word for word in words if word not in ("PATH", "PATHS")]
        if core not in (["SHORTEST", "k"], ["ANY", "SHORTEST"]) or amount != "1" or len(path.elements) != 3:
            self.refuse("of the path selectors only SHORTEST 1 over one relationship can be used", start)
        self.remove(start, path.elements[0].start)
        self.add_before(path.elements[0].start, "shortestPath(")
        self.add_after(path.end - 1, ")")

    def name_path(self, path: PathPattern) -> None:
        """The engine looks for a shortest path only where it has a name."""
        if self.returns_all:
            self.refuse("a shortest path needs a name beside RETURN *; write p = …", path.start)
        self.made += 1
        self.add_before(path.start, f"{_PATH}{self.made} = ")

    def edge(self, edge: EdgePattern, following: int) -> None:
        if edge.algorithm:
            self.refuse(f"*{edge.algorithm} cannot be used", edge.start)
        if edge.left is not None and edge.right is not None:
            self.remove(edge.left, edge.left + 1)
            self.remove(edge.right, edge.right + 1)
        if edge.length:
            self.bound(edge)
        if not edge.quantified:
            return
        if edge.where:
            self.refuse("a quantified relationship with WHERE inside cannot be used", edge.start)
        length = self.length(edge.end, following)
        self.remove(edge.end, following)
        if edge.bracket is None:
            dash = edge.start + (edge.left is not None)
            self.add_after(dash, f"[{length}]")
            return
        end = edge.labels.end if edge.labels else edge.bracket + 1 + (edge.variable is not None)
        self.add_after(end - 1, length)

    def bound(self, edge: EdgePattern) -> None:
        """Give a length without upper bound one: the engine would stop after ten hops."""
        bounds = [token.text for token in self.tokens[edge.length_start : edge.length_end]]
        if not bounds:
            self.add_after(edge.length_start - 1, f"1..{_MOST_HOPS}")
        elif bounds[-1] == "..":
            self.add_after(edge.length_end - 1, str(_MOST_HOPS))

    def length(self, start: int, end: int) -> str:
        """The length ``*1..3`` that a quantifier such as ``{1,3}`` means."""
        texts = [token.text for token in self.tokens[start:end]]
        if texts[0] in ("+", "*"):
            return f"*{1 if texts[0] == '+' else 0}..{_MOST_HOPS}"
        inner = texts[1:-1]
        if "," not in inner:
            return f"*{inner[0]}..{inner[0]}"
        comma = inner.index(",")
        return f"*{''.join(inner[:comma]) or '0'}..{''.join(inner[comma + 1 :]) or _MOST_HOPS}"

    def element(self, element: NodePattern | EdgePattern, movable: bool, inside: bool) -> list[str]:
        conditions: list[str] = []
        if element.properties:
            self.value(element.properties)
        if element.where:
            self.value(element.where)
        if element.labels:
            conditions += self.pattern_labels(element, movable)
        if element.properties and movable and not inside:
            conditions += self.move_properties(element, element.properties)
        if element.where:
            if not movable:
                self.refuse(
                    "a condition inside this pattern cannot be used; write EXISTS { … WHERE … }", element.where_start
                )
            conditions.append(f"({self.render(element.where.start, element.where.end)})")
            self.remove(element.where_start, element.where.end)
        return conditions

    def move_properties(self, element: NodePattern | EdgePattern, properties: MapLiteral) -> list[str]:
        """An inline map as conditions: the engine raises where a label has no such key.

        What guides the search of a path stays inside, else the engine would search between all nodes first.
        """
        if isinstance(element, EdgePattern) and (element.length or element.quantified):
            return []
        variable = self.variable_of(element) if properties.entries else None
        if variable is None:
            return []
        conditions = []
        for entry in properties.entries:
            key = quote(stored_key(self.tokens[entry.key].value))
            value = self.render(entry.value.start, entry.value.end)
            simple = isinstance(entry.value, (Literal, Parameter))
            conditions.append(f"{variable}.{key} = {value}" if simple else f"{variable}.{key} = ({value})")
        self.remove(properties.start, properties.end)
        return conditions

    def pattern_labels(self, element: NodePattern | EdgePattern, movable: bool) -> list[str]:
        labels = element.labels
        assert labels is not None
        if self.is_native(labels, element.label_start):
            return []
        names = self.simple_labels(labels, types=isinstance(element, EdgePattern))
        if names is not None:
            self.put_labels(element.label_start, labels.end, names)
            return []
        variable = self.variable_of(element) if movable else None
        if variable is None:
            self.refuse(
                "this label expression cannot be used here; name the element and test it in WHERE", labels.start
            )
        condition = self.label_condition(labels, variable, types=isinstance(element, EdgePattern))
        self.remove(element.label_start, labels.end)
        return [condition]

    def is_native(self, labels: Labels, start: int) -> bool:
        """Whether labels are written as the engine takes them: ``:A``, ``:A:B`` or ``:A|B``."""
        symbols = {token.text for token in self.tokens[start + 1 : labels.end] if token.kind is Kind.OPERATOR}
        return self.tokens[start].text == ":" and symbols in (set(), {":"}, {"|"})

    def put_labels(self, start: int, end: int, text: str) -> None:
        self.remove(start + 1, end)
        self.replaced[start] = text
        self.gone.discard(start)

    def simple_labels(self, labels: Labels, *, types: bool) -> str | None:
        """Labels in the engine's own form, ``:A:B`` or ``:A|B``; ``None`` where they have none."""
        if labels.kind == "name":
            return f":{self.label(labels)}"
        if any(item.kind != "name" for item in labels.items):
            return None
        names = [self.label(item) for item in labels.items]
        if labels.kind == "and" and not types:
            return "".join(f":{name}" for name in names)
        return f":{'|'.join(names)}" if labels.kind == "or" else None

    def label(self, labels: Labels) -> str:
        return quote(self.tokens[labels.token].value)

    def label_condition(self, labels: Labels, variable: str, *, types: bool = False) -> str:
        """A label expression as a condition on a variable."""
        if labels.kind == "name":
            value = self.tokens[labels.token].value
            return f"type({variable}) = {_string(value)}" if types else f"{variable}:{self.label(labels)}"
        if labels.kind == "any":
            return "true" if types else f"size({_visible_labels(variable)}) > 0"
        if labels.kind == "dynamic":
            self.refuse("labels that are computed cannot be used", labels.start)
        parts = [self.label_condition(item, variable, types=types) for item in labels.items]
        if labels.kind == "not":
            return f"NOT ({parts[0]})"
        return f"({(' AND ' if labels.kind == 'and' else ' OR ').join(parts)})"

    # --- expressions ---

    def values(self, expressions: Iterable[Expression]) -> None:
        for expression in expressions:
            self.value(expression)

    def value(self, expression: Expression) -> None:
        """Rewrite an expression, the inner ones first."""
        rewrite = _VALUES.get(type(expression))
        if rewrite is None:
            self.values(expression.children())
        else:
            rewrite(self, expression)

    def access(self, expression: Access) -> None:
        self.value(expression.base)
        for at, step in enumerate(expression.steps):
            self.values(part for part in (step.index, step.last) if part)
            if step.key is not None:
                self.key(step.key)
            elif step.index and not step.is_slice:
                self.subscript(expression, at, step, step.index)
            elif step.labels:
                self.label_test(expression, step, step.labels)

    def subscript(self, expression: Access, at: int, step: Step, index: Expression) -> None:
        """``n['name']`` and ``n[key]``: a key that is only known at run time is mapped there."""
        if isinstance(index, Literal):
            if index.kind == "string":
                self.replaced[index.start] = _string(stored_key(self.tokens[index.start].value))
            return
        binding = self.analysis.variables.get(expression.base.token) if isinstance(expression.base, Variable) else None
        if at == 0 and binding and binding.sort in ("list", "edges"):
            return
        if any(inside in self.dynamic for inside in range(step.start, step.end)):
            self.refuse("a computed key inside another cannot be used; name the inner one with WITH", step.start)
        text = f"({self.render(index.start, index.end)})"
        mapped = f"toString({text}) STARTS WITH '{PREFIX}' THEN '{PREFIX}' + {text} ELSE {text}"
        self.remove(index.start + 1, index.end)
        self.before.pop(index.start, None)
        self.after.pop(index.start, None)
        self.replaced[index.start] = f"CASE WHEN {text} IN {_INVENTED_LIST} OR {mapped} END"
        self.dynamic.add(index.start)

    def label_test(self, expression: Access, step: Step, labels: Labels) -> None:
        if self.is_native(labels, step.start) and labels.kind != "or":
            return
        names = self.simple_labels(labels, types=False)
        if names is not None and "|" not in names:
            self.put_labels(step.start, labels.end, names)
            return
        if not isinstance(expression.base, Variable) or len(expression.steps) > 1:
            self.refuse("a label expression can only be tested on a variable", step.start)
        variable = quote(self.tokens[expression.base.token].value)
        self.put_labels(step.start, labels.end, "")
        self.replaced[expression.base.token] = f"({self.label_condition(labels, variable)})"

    def map(self, expression: MapLiteral) -> None:
        for entry in expression.entries:
            self.key(entry.key)
            self.value(entry.value)

    def projection(self, expression: MapProjection) -> None:
        for item in expression.items:
            if item.kind in ("property", "entry"):
                self.key(item.token)
            elif item.kind == "variable":
                name = self.tokens[item.token].value
                self.replaced[item.token] = f"{quote(stored_key(name))}: {quote(name)}"
            if item.kind == "entry" and item.value:
                self.value(item.value)

    def call(self, expression: Call) -> None:
        self.values(expression.arguments)
        name = expression.name.lower()
        if name.startswith(_ABSENT):
            self.refuse(f"function {expression.name} is not to be had", expression.start)
        if name == "labels":
            self.wrap(expression, f"([{_LABEL} IN ", f" WHERE {_LABEL} <> '{RESERVED_LABEL}'])")
        elif name == "keys":
            hidden = f"NOT {_KEY} IN {_INVENTED_LIST} AND {_KEY} <> '{RESERVED_KEY}'"
            shown = f"CASE WHEN {_KEY} STARTS WITH '{PREFIX}' THEN substring({_KEY}, {len(PREFIX)}) ELSE {_KEY} END"
            self.wrap(expression, f"([{_KEY} IN ", f" WHERE {hidden} | {shown}])")

    def wrap(self, expression: Expression, before: str, after: str) -> None:
        self.add_before(expression.start, before)
        self.add_after(expression.end - 1, after)

    def chain(self, expression: Chain) -> None:
        self.values(expression.children())
        for operator, operand in expression.rest:
            if operator == "IN" and isinstance(operand, Comprehension | PatternComprehension):
                self.wrap(operand, "(", ")")

        self.chained(expression)

    def chained(self, expression: Chain) -> None:
        """``a < b < c`` is ``(a < b AND b < c)``; the engine compares once."""
        operands = [expression.first, *(operand for _, operand in expression.rest)]
        starts = [0, *(at for at, (word, _) in enumerate(expression.rest, 1) if word in BOOLEAN), len(operands)]
        for first, last in pairwise(starts):
            compared = [at for at in range(first + 1, last) if expression.rest[at - 1][0] in COMPARISONS]
            if len(compared) < 2:
                continue
            ends = [operands[at].start - 1 for at in compared]  # type: ignore[union-attr]  # a comparison has one
            begin = self.behind_not(operands[first])
            end = expression.end if last == len(operands) else operands[last].start - 1  # type: ignore[union-attr]
            spans = zip([begin, *(at + 1 for at in ends)], [*ends, end], strict=True)
            texts = [f"({self.render(*span)})" for span in spans]
            if any(len(text) > _LONGEST_REPEATED for text in texts[1:-1]):
                self.refuse("comparisons in a row with so long a value between them cannot be used", begin)
            tests = [f"{a} {self.tokens[at].text} {b}" for (a, b), at in zip(pairwise(texts), ends, strict=True)]
            self.remove(begin, end)
            self.gone.discard(begin)
            self.replaced[begin] = f"({' AND '.join(tests)})"

    def behind_not(self, operand: Expression | None) -> int:
        """Where an operand begins without the NOT before it, which denies all that is compared."""
        assert operand is not None
        at = operand.start
        while isinstance(operand, Prefix) and self.tokens[at].word == "NOT":
            at += 1
        return at

    def comprehension(self, expression: Comprehension) -> None:
        self.values(part for part in (expression.source, expression.where, expression.project) if part)

    def reduce(self, expression: Reduce) -> None:
        self.values((expression.initial, expression.source, expression.body))

    def pattern_comprehension(self, expression: PatternComprehension) -> None:
        conditions = self.path(expression.path)
        where_start = expression.path.end
        self.add_conditions(conditions, expression.where, where_start, expression.path.end)
        self.value(expression.project)

    def case(self, expression: Case) -> None:
        self.values(expression.children())
        is_test = any(when.start < when.end and self.begins_test(when) for when in expression.whens)
        if expression.subject and (is_test or len(expression.whens) != len(expression.thens)):
            self.refuse(
                "CASE with several values or a test after WHEN cannot be used; write CASE WHEN condition …",
                expression.start,
            )

    def begins_test(self, when: Expression) -> bool:
        first = self.tokens[when.start]
        symbols = ("=", "<>", "<", "<=", ">", ">=", "=~", "::")
        return first.word in ("IS", "STARTS", "ENDS", "CONTAINS") or (
            first.kind is Kind.OPERATOR and first.value in symbols
        )

    def subquery(self, expression: Subquery) -> None:
        if expression.match:
            self.match(expression.match)
        if expression.kind == "COLLECT":
            self.collect(expression)
        elif expression.query:
            self.query(expression.query)
            self.drop_return(expression.query)

    def drop_return(self, query: Query) -> None:
        """The engine takes no RETURN here and counts the rows of the pattern, so RETURN may not change their number."""
        last = query.parts[-1][-1]
        if len(query.parts) > 1 or any(isinstance(clause, Cut) for clause in query.parts[0]):
            self.refuse("UNION and LIMIT inside of a subquery expression cannot be used", query.start)
        if not isinstance(last, Project):
            return
        folds = last.distinct or any(_aggregates(item.expression) for item in last.items)
        if folds or last.page.skip or last.page.limit:
            self.refuse("DISTINCT, aggregates and LIMIT inside of a subquery expression cannot be used", last.start)
        self.remove(last.start, last.end)

    def collect(self, expression: Subquery) -> None:
        """``COLLECT { MATCH p WHERE c RETURN x }`` is the pattern comprehension ``[p WHERE c | x]``."""
        assert expression.query is not None
        clauses = expression.query.parts[0]
        if len(expression.query.parts) != 1 or not _is_comprehension(clauses):
            self.refuse("COLLECT { } can only hold one MATCH of one path and a plain RETURN", expression.start)
        match, returned = clauses
        assert isinstance(match, Match)
        assert isinstance(returned, Project)
        self.match(match)
        self.value(returned.items[0].expression)
        self.replaced[expression.start] = "["
        self.remove(expression.start + 1, match.paths[0].start)
        item = returned.items[0]
        self.replaced[returned.start] = "|"
        self.remove(item.expression.end, item.end)
        self.replaced[expression.end - 1] = "]"

    def pattern_test(self, expression: PatternTest) -> None:
        self.path(expression.path, movable=False)


def _visible_labels(variable: str) -> str:
    return f"[{_LABEL} IN labels({variable}) WHERE {_LABEL} <> '{RESERVED_LABEL}']"


def _is_comprehension(clauses: tuple[Clause, ...]) -> bool:
    if len(clauses) != 2 or not isinstance(clauses[0], Match) or not isinstance(clauses[1], Project):
        return False
    match, returned = clauses
    assert isinstance(match, Match)
    assert isinstance(returned, Project)
    page = returned.page
    plain = not (returned.distinct or returned.star or page.order or page.skip or page.limit)
    one = len(match.paths) == 1 and not match.optional and not match.hints and len(match.paths[0].elements) > 1
    return plain and one and len(returned.items) == 1 and not _aggregates(returned.items[0].expression)


def _aggregates(expression: Expression) -> bool:
    if isinstance(expression, Call) and is_aggregate(expression.name):
        return True
    return any(_aggregates(child) for child in expression.children())


def _has_star(tokens: tuple[Token, ...]) -> bool:
    """Whether some RETURN, perhaps DISTINCT, returns everything."""
    for at, token in enumerate(tokens):
        behind = at + 2 if tokens[min(at + 1, len(tokens) - 1)].word == "DISTINCT" else at + 1
        if token.word == "RETURN" and behind < len(tokens) and tokens[behind].text == "*":
            return True
    return False


def _string(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace("'", "\\'")
    return "'" + escaped.replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t") + "'"


def _number(text: str) -> str:
    plain = text.replace("_", "").lower()
    if plain.startswith("0o"):
        return str(int(plain, 8))
    return plain if plain.startswith("0x") else re.sub(r"[fd]$", "", plain)


_VALUES: dict[type[Expression], Callable[[_Rewriter, Any], None]] = {
    Access: _Rewriter.access,
    MapLiteral: _Rewriter.map,
    MapProjection: _Rewriter.projection,
    Call: _Rewriter.call,
    Comprehension: _Rewriter.comprehension,
    Reduce: _Rewriter.reduce,
    PatternComprehension: _Rewriter.pattern_comprehension,
    Case: _Rewriter.case,
    Chain: _Rewriter.chain,
    Subquery: _Rewriter.subquery,
    PatternTest: _Rewriter.pattern_test,
}
