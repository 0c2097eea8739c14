"""What the names in a query stand for: variables followed through WITH, subqueries, comprehensions and patterns.

:func:`analyse` checks a read query for what makes it invalid or forbidden without a graph, and binds each mention of a
variable to what it stands for, so that a schema can be held against it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from typing import Literal as OneOf

from arcgraph.graph.allowlist import allows_function, allows_procedure, is_aggregate, takes
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
    Finish,
    Group,
    Item,
    Labels,
    Lambda,
    ListLiteral,
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
    Subquery,
    Unwind,
    Variable,
)

if TYPE_CHECKING:
    from arcgraph.graph.lexer import Tokens

Sort = OneOf["node", "edge", "edges", "path", "list", "scalar", "value"]


@dataclass(slots=True, eq=False)
class Binding:
    """What a variable stands for: its sort, and the label or type expressions that its patterns demand of it.

    ``element`` is what the members of a list are. A ``value`` may be anything.
    """

    sort: Sort
    labels: list[Labels] = field(default_factory=list)
    element: Binding | None = None


class Scope:
    """The variables that can be seen, innermost first."""

    __slots__ = ("names", "outer")

    def __init__(self, outer: Scope | None = None, names: dict[str, Binding] | None = None):
        self.outer = outer
        self.names = {} if names is None else names

    def find(self, name: str) -> Binding | None:
        """What the name stands for, ``None`` if nothing."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.names:
                return scope.names[name]
            scope = scope.outer
        return None


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong at one token."""

    rule: str
    message: str
    token: int


class TooLong(Exception):
    """Following the names of the query would take more than a sensible time."""


_MOST_COPIED = 1_000_000


@dataclass(slots=True)
class Analysis:
    """The faults of a query, and what its variables (by token) and patterns (by identity) are bound to."""

    faults: list[Fault] = field(default_factory=list)
    variables: dict[int, Binding] = field(default_factory=dict)
    patterns: dict[int, Binding] = field(default_factory=dict)
    paths: list[PathPattern] = field(default_factory=list)
    accesses: list[Access] = field(default_factory=list)
    projections: list[MapProjection] = field(default_factory=list)


def analyse(
    query: Query, tokens: Tokens, allow_procedures: tuple[str, ...] = (), allow_functions: tuple[str, ...] = ()
) -> Analysis:
    """Follow all names of a query."""
    walker = _Walker(tokens, allow_procedures, allow_functions)
    walker.query(query, Scope(), outermost=True)
    return walker.analysis


class _Walker:
    def __init__(self, tokens: Tokens, procedures: tuple[str, ...], functions: tuple[str, ...]):
        self.tokens = tokens.tokens
        self.source = tokens.source
        self.allow_procedures = procedures
        self.allow_functions = functions
        self.analysis = Analysis()
        # Whether an aggregate may stand here, and why not.
        self.no_aggregate = ""
        # Expressions of the projection that ORDER BY and WHERE behind it may repeat, as token texts.
        self.repeatable: set[tuple[str, ...]] = set()
        self.aggregates_seen = 0
        # How many names subqueries have imported by a star.
        self.copied = 0
        # Patterns that stand where a condition is expected, by identity.
        self.conditions: set[int] = set()

    def fault(self, rule: str, message: str, token: int) -> None:
        self.analysis.faults.append(Fault(rule, message, token))

    def name(self, token: int) -> str:
        return self.tokens[token].value

    def text(self, expression: Expression) -> tuple[str, ...]:
        """The tokens of an expression, to compare two of them."""
        inner = _bare(expression)
        return tuple(token.kind + token.value for token in self.tokens[inner.start : inner.end])

    def column(self, item: Item) -> str:
        """The name of a returned column."""
        if item.alias is not None:
            return self.name(item.alias)
        expression = item.expression
        if isinstance(expression, MapProjection):
            expression = expression.base
        if isinstance(expression, Variable):
            return self.name(expression.token)
        first, last = self.tokens[item.expression.start], self.tokens[item.expression.end - 1]
        return self.source[first.offset : last.end]

    # --- queries and clauses ---

    def query(
        self,
        query: Query,
        outer: Scope,
        *,
        outermost: bool = False,
        needs_return: bool = True,
        importing: Scope | None = None,
        aliased: bool = False,
    ) -> dict[str, Binding]:
        """Follow a query; gives the columns of its last part. ``importing`` is what a leading WITH may import from."""
        columns: list[dict[str, Binding]] = []
        for part in query.parts:
            alone = outermost and len(query.parts) == 1 and len(part) == 1
            columns.append(self.part(part, outer, alone, needs_return, importing, aliased))
        self.unions(query, columns)
        return columns[-1] if len(columns) == 1 else _joined(columns)

    def unions(self, query: Query, columns: list[dict[str, Binding]]) -> None:
        kinds = {kind for kind, _ in query.unions}
        for (_, token), left, right in zip(query.unions, columns, columns[1:], strict=False):
            if set(left) != set(right):
                self.fault("column", "both sides of a UNION must return the same columns", token)
        if len(kinds) > 1:
            self.fault("not-understood", "UNION and UNION ALL cannot be mixed", query.unions[-1][1])

    def part(
        self,
        clauses: tuple[Clause, ...],
        outer: Scope,
        alone: bool,
        needs_return: bool,
        importing: Scope | None,
        aliased: bool,
    ) -> dict[str, Binding]:
        scope = Scope(outer)
        columns: dict[str, Binding] = {}
        for at, clause in enumerate(clauses):
            last = at == len(clauses) - 1
            if at == 0 and importing is not None and self.is_import(clause):
                assert isinstance(clause, Project)
                scope = self.import_names(clause, importing)
                continue
            if isinstance(clause, Project) and clause.kind == "RETURN":
                columns = self.project(clause, scope, outer, aliased).names
                if not last:
                    self.fault("not-understood", "RETURN must be the last clause", clause.start)
                continue
            scope = self.clause(clause, scope, outer, alone)
            if isinstance(clause, Finish) and not last:
                self.fault("not-understood", "FINISH must be the last clause", clause.start)
        self.conclusion(clauses[-1], alone, needs_return)
        return columns

    def conclusion(self, clause: Clause, alone: bool, needs_return: bool) -> None:
        concluded = isinstance(clause, Finish) or (isinstance(clause, Project) and clause.kind == "RETURN")
        standalone = alone and isinstance(clause, CallProcedure)
        if not (concluded or standalone or not needs_return):
            word = self.name(clause.start).upper()
            self.fault("not-understood", f"a query cannot end with {word}; add RETURN", clause.end - 1)

    def clause(self, clause: Clause, scope: Scope, outer: Scope, alone: bool) -> Scope:
        if isinstance(clause, Match):
            return self.match(clause, scope)
        if isinstance(clause, Project):
            return self.project(clause, scope, outer)
        if isinstance(clause, Unwind):
            return self.unwind(clause, scope)
        if isinstance(clause, CallProcedure):
            return self.procedure(clause, scope, alone)
        if isinstance(clause, CallSubquery):
            return self.subquery_clause(clause, scope)
        if isinstance(clause, Cut):
            self.page(clause.page, scope)
        return scope

    def match(self, clause: Match, scope: Scope) -> Scope:
        self.patterns(clause.paths, scope, clause.optional)
        for hint in clause.hints:
            for variable in hint.variables:
                self.mention(variable, scope)
        if clause.where:
            self.where(clause.where, scope)
        return scope

    def unwind(self, clause: Unwind, scope: Scope) -> Scope:
        binding = self.without_aggregates("UNWIND", clause.expression, scope)
        element = (binding.element if binding else None) or Binding("value")
        return self.declare_all([(clause.variable, element)], scope)

    def declare_all(self, names: Iterable[tuple[int, Binding]], scope: Scope) -> Scope:
        for token, binding in names:
            if scope.find(self.name(token)):
                self.already(token)
            self.declare(token, binding, scope)
        return scope

    def already(self, token: int) -> None:
        self.fault("clash", f"variable {self.name(token)} is already declared", token)

    def declare(self, token: int, binding: Binding, scope: Scope) -> None:
        scope.names[self.name(token)] = binding
        self.analysis.variables[token] = binding

    def mention(self, token: int, scope: Scope) -> Binding | None:
        binding = scope.find(self.name(token))
        if binding is None:
            self.fault("undefined-variable", f"variable {self.name(token)} is not defined", token)
            return None
        self.analysis.variables[token] = binding
        return binding

    def procedure(self, clause: CallProcedure, scope: Scope, alone: bool) -> Scope:
        if not allows_procedure(clause.name, self.allow_procedures):
            message = f"procedure {clause.name} is not on the list of reading procedures"
            self.fault("procedure", message, clause.at)
        for argument in clause.arguments or ():
            self.without_aggregates("the arguments of CALL", argument, scope)
        if not alone and (clause.yields is None or clause.yields_all or clause.arguments is None):
            message = "CALL inside a query needs its arguments in parentheses and YIELD with the columns"
            self.fault("not-understood", message, clause.at)
        inner = self.declare_all(((alias, Binding("value")) for _, alias in clause.yields or ()), scope)
        if clause.where:
            self.where(clause.where, inner)
            if alone:
                self.fault("not-understood", "WHERE after YIELD needs a RETURN behind it", clause.where.start)
        return inner

    def subquery_clause(self, clause: CallSubquery, scope: Scope) -> Scope:
        if clause.imports is None:
            columns = self.query(clause.query, Scope(), importing=scope, aliased=True)
        else:
            imported = Scope(scope if clause.imports_all else None)
            for token in clause.imports:
                binding = self.mention(token, scope)
                imported.names[self.name(token)] = binding or Binding("value")
            columns = self.query(clause.query, imported, aliased=True)
        for name in columns:
            if scope.find(name):
                message = f"the subquery returns {name}, which is declared outside already; rename it with AS"
                self.fault("clash", message, clause.query.end - 1)
        scope.names.update(columns)
        return scope

    def visible(self, scope: Scope) -> dict[str, Binding]:
        """All names that can be seen, copied: the one work here that could grow faster than the query."""
        names: dict[str, Binding] = {}
        at: Scope | None = scope
        while at is not None:
            names = {**at.names, **names}
            at = at.outer
        self.copied += len(names)
        if self.copied > _MOST_COPIED:
            raise TooLong
        return names

    def is_import(self, clause: Clause) -> bool:
        if not (isinstance(clause, Project) and clause.kind == "WITH"):
            return False
        if clause.star:
            return True
        return any(self.mentions_variable(item.expression) for item in clause.items)

    def mentions_variable(self, expression: Expression) -> bool:
        stack = [expression]
        while stack:
            inner = stack.pop()
            if isinstance(inner, Variable):
                return True
            stack.extend(inner.children())
        return False

    def import_names(self, clause: Project, importing: Scope) -> Scope:
        if clause.star:
            return Scope(None, self.visible(importing))
        scope = Scope()
        for item in clause.items:
            simple = isinstance(item.expression, Variable) and item.alias is None
            if not simple or clause.distinct or clause.where or clause.page.end > clause.page.start:
                message = "the WITH that imports into a subquery may only list variables from outside"
                self.fault("not-understood", message, item.start)
            if isinstance(item.expression, Variable):
                binding = self.mention(item.expression.token, importing)
                scope.names[self.name(item.expression.token)] = _copied(binding)
        return scope

    # --- projections ---

    def project(self, clause: Project, scope: Scope, outer: Scope, aliased: bool = False) -> Scope:
        # The names before a star go on, and nothing asks for them without the new ones.
        projected = Scope(outer, scope.names if clause.star else None)
        if clause.star and not scope.names and clause.kind == "RETURN":
            self.fault("undefined-variable", "RETURN * needs at least one variable", clause.start)
        aggregating: list[Item] = []
        bindings = []
        for item in clause.items:
            before = self.aggregates_seen
            bindings.append(self.value(item.expression, scope))
            if self.aggregates_seen > before:
                aggregating.append(item)
        self.columns(clause, projected, bindings, aliased)
        self.implicit_groups(clause, aggregating, scope)
        self.after_projection(clause, projected, scope, aggregated=bool(aggregating))
        return projected

    def columns(self, clause: Project, projected: Scope, bindings: list[Binding | None], aliased: bool) -> None:
        seen: set[str] = set()
        for item, binding in zip(clause.items, bindings, strict=True):
            name = self.column(item)
            named = item.alias is not None or isinstance(item.expression, (Variable, MapProjection))
            if not isinstance(item.expression, Variable) or self.name(item.expression.token) != name:
                self.no_shadow(name, item, projected)
            if not named and clause.kind == "WITH":
                self.fault("column", "an expression in WITH needs a name: … AS name", item.start)
            if not named and aliased and clause.kind == "RETURN":
                self.fault("column", "an expression returned by CALL { … } needs a name: … AS name", item.start)
            if name in seen:
                self.fault("column", f"two columns are named {name}", item.start)
            seen.add(name)
            projected.names[name] = binding or Binding("value")
            if item.alias is not None:
                self.analysis.variables[item.alias] = projected.names[name]

    def no_shadow(self, name: str, item: Item, projected: Scope) -> None:
        if projected.outer and projected.outer.find(name):
            self.fault("clash", f"{name} hides a variable from outside of the subquery; use another name", item.start)

    def implicit_groups(self, clause: Project, aggregating: list[Item], scope: Scope) -> None:
        """Beside an aggregate only grouping keys may stand: ``RETURN n.x + count(*)`` has no meaning."""
        if not aggregating:
            return
        keys = {
            self.text(item.expression)
            for item in clause.items
            if item not in aggregating and _is_simple(_bare(item.expression))
        }
        local = frozenset[str]()
        for item in aggregating:
            token = self.ungrouped(item.expression, keys, local, scope if clause.star else None)
            if token is not None:
                message = f"{self.name(token)} stands beside an aggregate and is no column of its own; return it, too"
                self.fault("aggregate", message, token)

    def ungrouped(
        self, expression: Expression, keys: set[tuple[str, ...]], local: frozenset[str], star: Scope | None
    ) -> int | None:
        """The token of a variable that is neither grouped, nor among those of a star, nor aggregated."""
        if self.text(expression) in keys or isinstance(expression, (Subquery, PatternComprehension, PatternTest)):
            return None
        if isinstance(expression, Variable):
            name = self.name(expression.token)
            return None if name in local or (star and name in star.names) else expression.token
        if isinstance(expression, Call) and is_aggregate(expression.name):
            return None
        inner: Iterator[Expression] = expression.children()
        if isinstance(expression, Comprehension):
            inner = (part for part in (expression.source, expression.where, expression.project) if part)
            local = local | {self.name(expression.variable)}
        elif isinstance(expression, Reduce):
            inner = iter((expression.initial, expression.source, expression.body))
            local = local | {self.name(expression.variable), self.name(expression.total)}
        return next((found for part in inner if (found := self.ungrouped(part, keys, local, star)) is not None), None)

    def after_projection(self, clause: Project, projected: Scope, scope: Scope, aggregated: bool) -> None:
        """ORDER BY and WHERE see the new columns, and the old variables unless rows were folded into others."""
        before = self.repeatable
        folded = aggregated or clause.distinct
        self.repeatable = {self.text(item.expression) for item in clause.items}
        seen = projected if folded else Scope(scope, projected.names)
        self.page(clause.page, seen)
        if clause.where:
            self.where(clause.where, seen)
        self.repeatable = before

    def page(self, page: Page, scope: Scope) -> None:
        for key in page.order:
            self.without_aggregates("ORDER BY unless it is returned, too", key, scope)
        for amount in (page.skip, page.limit):
            if amount and self.mentions_variable(amount):
                self.fault("undefined-variable", "SKIP and LIMIT cannot use variables", amount.start)
            elif amount:
                self.without_aggregates("SKIP and LIMIT", amount, Scope())
                self.amount(amount)

    def amount(self, amount: Expression) -> None:
        bare = _bare(amount)
        whole = self.tokens[bare.start].text.replace("_", "").isdigit()
        if isinstance(bare, Prefix) or (isinstance(bare, Literal) and not whole):
            self.fault("not-understood", "SKIP and LIMIT take a whole number from 0", amount.start)

    # --- patterns ---

    def patterns(self, paths: Iterable[PathPattern], scope: Scope, optional: bool = False) -> None:
        """Declare the variables of all paths, then follow their conditions, which may use any of them."""
        for path in paths:
            self.declare_path(path, scope, optional)
        for path in paths:
            self.path_conditions(path, scope)

    def declare_path(self, path: PathPattern, scope: Scope, optional: bool) -> None:
        self.analysis.paths.append(path)
        for element in path.elements:
            if isinstance(element, Group):
                self.declare_group(element, scope, optional)
            else:
                self.declare_element(element, scope, optional)
        if path.variable is not None:
            name = self.name(path.variable)
            if scope.find(name):
                self.already(path.variable)
            self.declare(path.variable, Binding("path"), scope)

    def declare_group(self, group: Group, scope: Scope, optional: bool) -> None:
        if not group.quantified:
            self.declare_path(group.path, scope, optional)
            return
        inner = Scope(scope.outer, {})
        self.declare_path(group.path, inner, optional)
        for name, binding in inner.names.items():
            if scope.find(name):
                self.fault("clash", f"variable {name} of a quantified pattern is already declared", group.start)
            scope.names[name] = Binding("list", element=binding)
        seen = Scope(scope, inner.names)
        self.path_conditions(group.path, seen)
        if group.where:
            self.where(group.where, seen)

    def declare_element(self, element: NodePattern | EdgePattern, scope: Scope, optional: bool = False) -> None:
        sort: Sort = "node"
        if isinstance(element, EdgePattern):
            sort = "edges" if element.length or element.quantified else "edge"
        token = element.variable
        binding = scope.find(self.name(token)) if token is not None else None
        if token is not None and binding is not None and binding.sort not in (sort, "value"):
            message = (
                f"variable {self.name(token)} cannot be a {_said(sort)} here: it is a {_said(binding.sort)} already"
            )
            self.fault("clash", message, token)
        if binding is None:
            binding = Binding(sort, element=Binding("edge") if sort == "edges" else None)
        elif element.labels and token is not None and (optional or self.name(token) not in scope.names):
            # What an optional pattern or a subquery demands of a variable from outside holds only in there.
            binding = Binding(binding.sort, list(binding.labels), binding.element)
        if token is not None:
            if not (optional and scope.find(self.name(token))):
                scope.names[self.name(token)] = binding
            self.analysis.variables[token] = binding
        if element.labels:
            (binding.element or binding).labels.append(element.labels)
        self.analysis.patterns[id(element)] = binding

    def path_conditions(self, path: PathPattern, scope: Scope) -> None:
        for element in path.elements:
            if isinstance(element, Group):
                if not element.quantified:
                    self.path_conditions(element.path, scope)
                    if element.where:
                        self.where(element.where, scope)
                continue
            self.element_conditions(element, scope)

    def element_conditions(self, element: NodePattern | EdgePattern, scope: Scope) -> None:
        for expression in element.labels.expressions() if element.labels else ():
            self.without_aggregates("a pattern", expression, scope)
        if element.properties:
            self.without_aggregates("a pattern", element.properties, scope)
        if isinstance(element, EdgePattern):
            self.lambdas(element, scope)
            if element.quantified and element.where and element.variable is not None:
                # Inside its own condition a quantified relationship is one relationship.
                scope = Scope(scope, {self.name(element.variable): Binding("edge", labels=_labels(element))})
        if element.where:
            self.where(element.where, scope)

    def lambdas(self, edge: EdgePattern, scope: Scope) -> None:
        for lambda_ in edge.lambdas:
            self.lambda_(lambda_, scope)
        if edge.weight is not None:
            self.declare(edge.weight, Binding("scalar"), scope)

    def lambda_(self, lambda_: Lambda, scope: Scope) -> None:
        inner = Scope(scope)
        sorts: tuple[Sort, ...] = ("edge", "node")
        for at, token in enumerate(lambda_.variables):
            self.declare(token, Binding(sorts[at] if at < 2 else "value"), inner)
        self.without_aggregates("a pattern", lambda_.body, inner)

    def closed_pattern(self, path: PathPattern, scope: Scope) -> None:
        """A pattern that may name no new variables."""
        inner = Scope(scope, {})
        for element in path.elements:
            assert not isinstance(element, Group)
            if element.variable is not None and not scope.find(self.name(element.variable)):
                self.fault(
                    "undefined-variable", f"variable {self.name(element.variable)} is not defined", element.variable
                )
            if path.function and isinstance(element, NodePattern) and element.variable is None:
                self.fault("undefined-variable", f"{path.function} outside of MATCH needs bound nodes", element.start)
            self.declare_element(element, inner)
        self.analysis.paths.append(path)
        self.path_conditions(path, inner)

    # --- expressions ---

    def without_aggregates(self, where: str, expression: Expression, scope: Scope) -> Binding | None:
        before, self.no_aggregate = self.no_aggregate, where
        binding = self.value(expression, scope)
        self.no_aggregate = before
        return binding

    def where(self, expression: Expression, scope: Scope) -> None:
        self.conditions.add(id(_bare(expression)))
        self.without_aggregates("WHERE", expression, scope)

    def value(self, expression: Expression, scope: Scope) -> Binding | None:
        """Follow an expression; gives what it is known to be."""
        if self.repeatable and self.text(expression) in self.repeatable:
            return None
        return _VALUES[type(expression)](self, expression, scope)

    def nothing(self, _expression: Literal | Parameter, _scope: Scope) -> Binding | None:
        return Binding("scalar") if isinstance(_expression, Literal) and _expression.kind != "null" else None

    def variable(self, expression: Variable, scope: Scope) -> Binding | None:
        return self.mention(expression.token, scope)

    def children(self, expression: Expression, scope: Scope) -> Binding | None:
        for child in expression.children():
            self.value(child, scope)
        return None

    def prefix(self, expression: Prefix, scope: Scope) -> Binding | None:
        if "NOT" in expression.operators:
            self.conditions.add(id(_bare(expression.operand)))
        return self.children(expression, scope)

    def chain(self, expression: Chain, scope: Scope) -> Binding | None:
        operators = ["AND", *(operator for operator, _ in expression.rest), "AND"]
        operands = [expression.first, *(operand for _, operand in expression.rest)]
        for before, operand, after in zip(operators, operands, operators[1:], strict=False):
            if operand and {before, after} <= _BOOLEAN and len(operands) > 1:
                self.conditions.add(id(_bare(operand)))
        return self.children(expression, scope)

    def case(self, expression: Case, scope: Scope) -> Binding | None:
        if expression.subject is None:
            self.conditions.update(id(_bare(when)) for when in expression.whens)
        return self.children(expression, scope)

    def access(self, expression: Access, scope: Scope) -> Binding | None:
        binding = self.value(expression.base, scope)
        for step in expression.steps:
            for part in (step.index, step.last):
                if part:
                    self.value(part, scope)
            for dynamic in step.labels.expressions() if step.labels else ():
                self.value(dynamic, scope)
        if not expression.steps:
            return binding
        self.analysis.accesses.append(expression)
        step = expression.steps[0]
        if len(expression.steps) == 1 and step.index and not step.is_slice and binding:
            return binding.element
        return binding if len(expression.steps) == 1 and step.is_slice else None

    def list(self, expression: ListLiteral, scope: Scope) -> Binding | None:
        elements = [self.value(item, scope) for item in expression.items]
        same = elements[0] if len(elements) == 1 else None
        return Binding("list", element=same)

    def call(self, expression: Call, scope: Scope) -> Binding | None:
        if not allows_function(expression.name, self.allow_functions):
            message = f"function {expression.name} is unknown or not on the list of computing functions"
            self.fault("function", message, expression.start)
        given = 1 if expression.star else len(expression.arguments)
        if not takes(expression.name, given):
            self.fault("function", f"{expression.name} does not take {given} arguments", expression.start)
        if is_aggregate(expression.name):
            return self.aggregate(expression, scope)
        if expression.distinct:
            self.fault("function", f"{expression.name} takes no DISTINCT: it is no aggregate", expression.start)
        bindings = [self.value(argument, scope) for argument in expression.arguments]
        name = expression.name.lower()
        if name in ("nodes", "relationships"):
            return Binding("list", element=Binding("node" if name == "nodes" else "edge"))
        if name in ("startnode", "endnode"):
            return Binding("node")
        if name in ("head", "last") and bindings and bindings[0]:
            return bindings[0].element
        return None

    def aggregate(self, expression: Call, scope: Scope) -> Binding | None:
        self.aggregates_seen += 1
        if self.no_aggregate:
            message = f"{expression.name}(…) cannot stand in {self.no_aggregate}; aggregate in WITH or RETURN first"
            self.fault("aggregate", message, expression.start)
        before, self.no_aggregate = self.no_aggregate, "another aggregate"
        bindings = [self.value(argument, scope) for argument in expression.arguments]
        self.no_aggregate = before
        if expression.name.lower() == "collect":
            return Binding("list", element=bindings[0] if bindings else None)
        return None

    def projection(self, expression: MapProjection, scope: Scope) -> Binding | None:
        self.analysis.projections.append(expression)
        return self.children(expression, scope)

    def comprehension(self, expression: Comprehension, scope: Scope) -> Binding | None:
        source = self.value(expression.source, scope)
        inner = Scope(scope)
        element = (source.element if source else None) or Binding("value")
        self.declare(expression.variable, element, inner)
        projected = None
        if expression.where:
            self.conditions.add(id(_bare(expression.where)))
            self.without_aggregates("a list comprehension", expression.where, inner)
        if expression.project:
            projected = self.without_aggregates("a list comprehension", expression.project, inner)
        if expression.quantifier:
            return None
        return Binding("list", element=projected if expression.project else element)

    def reduce(self, expression: Reduce, scope: Scope) -> Binding | None:
        self.value(expression.initial, scope)
        source = self.value(expression.source, scope)
        inner = Scope(scope)
        self.declare(expression.total, Binding("value"), inner)
        self.declare(expression.variable, (source.element if source else None) or Binding("value"), inner)
        self.without_aggregates("reduce", expression.body, inner)
        return None

    def pattern_comprehension(self, expression: PatternComprehension, scope: Scope) -> Binding | None:
        inner = Scope(scope, {})
        self.patterns((expression.path,), inner)
        if expression.where:
            self.where(expression.where, inner)
        element = self.without_aggregates("a pattern comprehension", expression.project, inner)
        return Binding("list", element=element)

    def subquery(self, expression: Subquery, scope: Scope) -> Binding | None:
        before = self.no_aggregate, self.aggregates_seen, self.repeatable
        self.no_aggregate, self.repeatable = "", set()
        element = None
        if expression.match:
            self.match(expression.match, Scope(scope, {}))
        if expression.query:
            columns = self.query(expression.query, scope, needs_return=expression.kind == "COLLECT")
            if expression.kind == "COLLECT" and len(columns) != 1:
                self.fault("column", "COLLECT { … } must return one column", expression.start)
            element = next(iter(columns.values()), None)
        self.no_aggregate, self.aggregates_seen, self.repeatable = before
        return Binding("list", element=element) if expression.kind == "COLLECT" else None

    def pattern_test(self, expression: PatternTest, scope: Scope) -> Binding | None:
        if not expression.explicit and id(expression) not in self.conditions:
            message = "a pattern is a condition; to use it as a value write exists(…), COUNT { … } or [… | …]"
            self.fault("not-understood", message, expression.start)
        self.closed_pattern(expression.path, scope)
        return None


def _bare(expression: Expression) -> Expression:
    """The expression inside its parentheses."""
    while isinstance(expression, Access) and not expression.steps:
        expression = expression.base
    return expression


def _copied(binding: Binding | None) -> Binding:
    return Binding(binding.sort, list(binding.labels), binding.element) if binding else Binding("value")


def _joined(columns: list[dict[str, Binding]]) -> dict[str, Binding]:
    """What the columns of a UNION are known to be: what holds of all its parts, and no labels."""
    joined = {}
    for name in columns[-1]:
        sorts = {part[name].sort if name in part else "value" for part in columns}
        joined[name] = Binding(sorts.pop() if len(sorts) == 1 else "value")
    return joined


def _labels(element: NodePattern | EdgePattern) -> list[Labels]:
    return [element.labels] if element.labels else []


def _is_simple(expression: Expression) -> bool:
    """Whether an expression may be repeated beside an aggregate: a variable, or one of its properties."""
    is_property = isinstance(expression, Access) and len(expression.steps) == 1
    return isinstance(expression, Variable) or (is_property and isinstance(expression.base, Variable))  # type: ignore[attr-defined]  # mypy forgets the test


_BOOLEAN = frozenset({"AND", "OR", "XOR"})


def _said(sort: Sort) -> str:
    return {"edge": "relationship", "edges": "list of relationships", "scalar": "plain value"}.get(sort, sort)


_VALUES: dict[type[Expression], Callable[[_Walker, Any, Scope], Binding | None]] = {
    Literal: _Walker.nothing,
    Parameter: _Walker.nothing,
    Variable: _Walker.variable,
    Access: _Walker.access,
    Prefix: _Walker.prefix,
    Chain: _Walker.chain,
    Call: _Walker.call,
    ListLiteral: _Walker.list,
    MapLiteral: _Walker.children,
    MapProjection: _Walker.projection,
    Comprehension: _Walker.comprehension,
    Reduce: _Walker.reduce,
    PatternComprehension: _Walker.pattern_comprehension,
    Case: _Walker.case,
    Subquery: _Walker.subquery,
    PatternTest: _Walker.pattern_test,
}
