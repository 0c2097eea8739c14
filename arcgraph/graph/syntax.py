"""What a Cypher query is made of, once read: clauses, patterns and expressions.

Every element knows the tokens that it covers, ``start`` to ``end`` (exclusive), so that a query can be rewritten
without being printed anew. Names are kept as indexes of their tokens.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal as OneOf
from typing import NamedTuple


@dataclass(slots=True, eq=False)
class Element:
    """Anything that covers tokens ``start`` to ``end`` (exclusive)."""

    start: int
    end: int


@dataclass(slots=True, eq=False)
class Expression(Element):
    """A value."""

    def children(self) -> Iterator[Expression]:
        """The expressions directly inside that see the same variables."""
        return iter(())


@dataclass(slots=True, eq=False)
class Literal(Expression):
    """``null``, a boolean, number or string."""

    kind: OneOf["null", "boolean", "number", "string"]


@dataclass(slots=True, eq=False)
class Parameter(Expression):
    """``$name``."""


@dataclass(slots=True, eq=False)
class Variable(Expression):
    """A variable, by the token that names it."""

    token: int


@dataclass(slots=True, eq=False)
class Step(Element):
    """What follows a value: ``.key`` (its token), ``[index]``, ``[from..to]`` (index and last) or ``:Label``."""

    key: int | None = None
    index: Expression | None = None
    last: Expression | None = None
    is_slice: bool = False
    labels: Labels | None = None


@dataclass(slots=True, eq=False)
class Access(Expression):
    """A value and the steps that follow it."""

    base: Expression
    steps: tuple[Step, ...]

    def children(self) -> Iterator[Expression]:
        yield self.base
        for step in self.steps:
            yield from (part for part in (step.index, step.last) if part)
            if step.labels:
                yield from step.labels.expressions()


@dataclass(slots=True, eq=False)
class Prefix(Expression):
    """``NOT``, ``+`` or ``-`` before an operand, once or more."""

    operators: tuple[str, ...]
    operand: Expression

    def children(self) -> Iterator[Expression]:
        yield self.operand


@dataclass(slots=True, eq=False)
class Chain(Expression):
    """Operands joined by operators, in order of writing; a test such as ``IS NULL`` has no right operand."""

    first: Expression
    rest: tuple[tuple[str, Expression | None], ...]

    def children(self) -> Iterator[Expression]:
        yield self.first
        yield from (operand for _, operand in self.rest if operand)


@dataclass(slots=True, eq=False)
class Call(Expression):
    """A function call. ``name`` is joined by dots; ``star`` is ``count(*)``."""

    name: str
    arguments: tuple[Expression, ...]
    distinct: bool = False
    star: bool = False

    def children(self) -> Iterator[Expression]:
        return iter(self.arguments)


@dataclass(slots=True, eq=False)
class ListLiteral(Expression):
    """``[a, b]``."""

    items: tuple[Expression, ...]

    def children(self) -> Iterator[Expression]:
        return iter(self.items)


@dataclass(slots=True, eq=False)
class Entry(Element):
    """``key: value`` of a map."""

    key: int
    value: Expression


@dataclass(slots=True, eq=False)
class MapLiteral(Expression):
    """``{key: value}``."""

    entries: tuple[Entry, ...]

    def children(self) -> Iterator[Expression]:
        return (entry.value for entry in self.entries)


@dataclass(slots=True, eq=False)
class MapItem(Element):
    """An item of a map projection: ``.*``, ``.key``, ``key: value`` or a variable."""

    kind: OneOf["all", "property", "entry", "variable"]
    token: int
    value: Expression | None = None


@dataclass(slots=True, eq=False)
class MapProjection(Expression):
    """``variable {.key, other: value}``."""

    base: Variable
    items: tuple[MapItem, ...]

    def children(self) -> Iterator[Expression]:
        yield self.base
        yield from (item.value for item in self.items if item.value)


@dataclass(slots=True, eq=False)
class Comprehension(Expression):
    """``[x IN list WHERE … | …]``, or with a ``quantifier`` ``all(x IN list WHERE …)`` and its kin."""

    variable: int
    source: Expression
    where: Expression | None
    project: Expression | None
    quantifier: str = ""


@dataclass(slots=True, eq=False)
class Reduce(Expression):
    """``reduce(total = 0, x IN list | total + x)``."""

    total: int
    initial: Expression
    variable: int
    source: Expression
    body: Expression


@dataclass(slots=True, eq=False)
class PatternComprehension(Expression):
    """``[path = (a)-->(b) WHERE … | …]``."""

    path: PathPattern
    where: Expression | None
    project: Expression


@dataclass(slots=True, eq=False)
class Case(Expression):
    """Both forms of CASE."""

    subject: Expression | None
    whens: tuple[Expression, ...]
    thens: tuple[Expression, ...]
    otherwise: Expression | None

    def children(self) -> Iterator[Expression]:
        yield from (self.subject,) if self.subject else ()
        yield from self.whens
        yield from self.thens
        yield from (self.otherwise,) if self.otherwise else ()


@dataclass(slots=True, eq=False)
class Subquery(Expression):
    """``EXISTS { … }``, ``COUNT { … }`` or ``COLLECT { … }``: a whole query, or patterns with a condition."""

    kind: OneOf["EXISTS", "COUNT", "COLLECT"]
    query: Query | None
    match: Match | None


@dataclass(slots=True, eq=False)
class PatternTest(Expression):
    """A pattern where a value is expected; ``explicit`` inside ``exists(…)``."""

    path: PathPattern
    explicit: bool = False


# --- patterns ----------------------------------------------------------------------------------------------------


@dataclass(slots=True, eq=False)
class Labels(Element):
    """A label or type expression.

    ``name`` has a ``token``; ``any`` is ``%``; ``dynamic`` is ``$(…)``; ``not`` has one item, ``and`` and ``or`` have
    several.
    """

    kind: OneOf["name", "any", "dynamic", "not", "and", "or"]
    token: int = -1
    items: tuple[Labels, ...] = ()
    expression: Expression | None = None

    def names(self) -> Iterator[int]:
        """The tokens of all names inside."""
        if self.kind == "name":
            yield self.token
        for item in self.items:
            yield from item.names()

    def expressions(self) -> Iterator[Expression]:
        """The values of all dynamic labels inside."""
        if self.expression:
            yield self.expression
        for item in self.items:
            yield from item.expressions()


@dataclass(slots=True, eq=False)
class NodePattern(Element):
    """``(variable:Labels {key: value} WHERE …)``; ``label_start`` is the token of the colon."""

    variable: int | None = None
    label_start: int = -1
    labels: Labels | None = None
    properties: MapLiteral | None = None
    where: Expression | None = None
    where_start: int = -1


class Bounds(NamedTuple):
    """How often a relationship or a group is repeated; ``most`` is ``None`` where nothing limits it."""

    least: int = 1
    most: int | None = 1


ONCE = Bounds()
"""A relationship without length or quantifier."""


@dataclass(slots=True, eq=False)
class EdgePattern(Element):
    """``<-[variable:Types*1..3 {key: value} WHERE …]->{1,2}``.

    ``left`` and ``right`` are the tokens of the arrow heads. ``length`` is true for ``*``, whose bounds are the tokens
    from ``length_start`` to ``length_end``; ``quantified`` where a quantifier follows ``end``; ``bounds`` says what
    either means. ``algorithm``,
    ``lambdas`` and ``weight`` are Memgraph's.
    """

    left: int | None = None
    right: int | None = None
    bracket: int | None = None
    variable: int | None = None
    label_start: int = -1
    labels: Labels | None = None
    length: bool = False
    length_start: int = -1
    length_end: int = -1
    quantified: bool = False
    bounds: Bounds = ONCE
    properties: MapLiteral | None = None
    where: Expression | None = None
    where_start: int = -1
    algorithm: str = ""
    lambdas: tuple[Lambda, ...] = ()
    weight: int | None = None


@dataclass(slots=True, eq=False)
class Lambda(Element):
    """Memgraph's ``(edge, node | expression)``."""

    variables: tuple[int, ...]
    body: Expression


@dataclass(slots=True, eq=False)
class Group(Element):
    """A path pattern between parentheses, quantified or not."""

    path: PathPattern
    where: Expression | None
    quantified: bool
    bounds: Bounds = ONCE


@dataclass(slots=True, eq=False)
class PathPattern(Element):
    """``variable = SELECTOR (a)-->(b)``; ``function`` is ``shortestPath`` or ``allShortestPaths`` where written so."""

    variable: int | None
    elements: tuple[NodePattern | EdgePattern | Group, ...]
    selector: str = ""
    function: str = ""


# --- clauses -----------------------------------------------------------------------------------------------------


@dataclass(slots=True, eq=False)
class Clause(Element):
    """A clause."""


@dataclass(slots=True, eq=False)
class Hint(Element):
    """``USING INDEX variable:Label(key)`` and its kin."""

    variables: tuple[int, ...]


@dataclass(slots=True, eq=False)
class Match(Clause):
    """``OPTIONAL MATCH patterns WHERE …``; ``patterns_end`` is the token after the last pattern and hint."""

    optional: bool
    paths: tuple[PathPattern, ...]
    hints: tuple[Hint, ...]
    where: Expression | None
    where_start: int = -1
    patterns_end: int = -1


@dataclass(slots=True, eq=False)
class Item(Element):
    """A returned expression and the token of its alias."""

    expression: Expression
    alias: int | None


@dataclass(slots=True, eq=False)
class Page(Element):
    """ORDER BY, SKIP and LIMIT."""

    order: tuple[Expression, ...] = ()
    skip: Expression | None = None
    limit: Expression | None = None


@dataclass(slots=True, eq=False)
class Project(Clause):
    """``WITH`` or ``RETURN``."""

    kind: OneOf["WITH", "RETURN"]
    distinct: bool
    star: bool
    items: tuple[Item, ...]
    page: Page
    where: Expression | None = None


@dataclass(slots=True, eq=False)
class Unwind(Clause):
    """``UNWIND list AS variable``."""

    expression: Expression
    variable: int


@dataclass(slots=True, eq=False)
class Cut(Clause):
    """ORDER BY, SKIP or LIMIT as a clause of its own."""

    page: Page


@dataclass(slots=True, eq=False)
class CallProcedure(Clause):
    """``CALL name(arguments) YIELD column AS variable WHERE …``; no ``arguments`` where the parentheses are missing."""

    name: str
    at: int
    arguments: tuple[Expression, ...] | None
    yields: tuple[tuple[int, int], ...] | None
    yields_all: bool = False
    where: Expression | None = None


@dataclass(slots=True, eq=False)
class CallSubquery(Clause):
    """``CALL (imports) { query }``; ``imports`` is ``None`` where the parentheses are missing."""

    query: Query
    imports: tuple[int, ...] | None
    imports_all: bool = False


@dataclass(slots=True, eq=False)
class Finish(Clause):
    """``FINISH``."""


@dataclass(slots=True, eq=False)
class Query(Element):
    """Single queries, each a list of clauses; ``unions`` holds ``ALL`` or ``DISTINCT`` between them, with its token."""

    parts: tuple[tuple[Clause, ...], ...]
    unions: tuple[tuple[str, int], ...] = field(default=())
