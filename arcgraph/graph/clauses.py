"""Reads Cypher into :mod:`arcgraph.graph.syntax`: clauses, patterns and expressions that only read.

A recursive descent without backtracking: one look ahead decides, so the time is linear in the number of tokens. What
the reader does not understand it refuses, with the place and, where the words are known, with what is wrong. Nesting
beyond :data:`MAX_DEPTH` is refused, too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from arcgraph.graph.lexer import Kind, Token, Tokens
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
    Entry,
    Expression,
    Finish,
    Group,
    Hint,
    Item,
    Labels,
    Lambda,
    ListLiteral,
    Literal,
    MapItem,
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

MAX_DEPTH = 100

_CLOSING = {"(": ")", "[": "]", "{": "}"}
_COMPARISONS = frozenset({"=", "<>", "<", "<=", ">", ">="})
_ARITHMETIC = frozenset({"+", "-", "*", "/", "%", "^", "||"})
_BOOLEAN = frozenset({"AND", "OR", "XOR"})
_NORMAL_FORMS = frozenset({"NFC", "NFD", "NFKC", "NFKD"})
_ALGORITHMS = frozenset({"BFS", "WSHORTEST", "KSHORTEST", "ALLSHORTEST"})
_CLAUSES = frozenset(
    {"MATCH", "OPTIONAL", "WITH", "UNWIND", "RETURN", "CALL", "FINISH", "ORDER", "SKIP", "OFFSET", "LIMIT", "UNION"}
)
_TYPE_NAMES = tuple(
    tuple(words.split())
    for words in (
        "TIMESTAMP WITHOUT TIME ZONE|TIMESTAMP WITHOUT TIMEZONE|TIMESTAMP WITH TIME ZONE|TIMESTAMP WITH TIMEZONE|"
        "TIME WITHOUT TIME ZONE|TIME WITHOUT TIMEZONE|TIME WITH TIME ZONE|TIME WITH TIMEZONE|LOCAL DATETIME|LOCAL TIME|"
        "ZONED DATETIME|ZONED TIME|ANY PROPERTY VALUE|PROPERTY VALUE|ANY NODE|ANY VERTEX|ANY RELATIONSHIP|ANY EDGE|"
        "ANY MAP|ANY VALUE|ANY|SIGNED INTEGER|NOTHING|NULL|BOOLEAN|BOOL|VARCHAR|STRING|INTEGER64|INTEGER32|INTEGER16|"
        "INTEGER8|INTEGER|INT64|INT32|INT16|INT8|INT|FLOAT64|FLOAT32|FLOAT|DATE|DURATION|POINT|NODE|VERTEX|"
        "RELATIONSHIP|EDGE|MAP|LIST|ARRAY|PATHS|PATH"
    ).split("|")
)

# What stands where a clause should and must not: the rule and why.
_FORBIDDEN = {
    **dict.fromkeys(
        ("CREATE", "MERGE", "SET", "DELETE", "DETACH", "NODETACH", "REMOVE", "FOREACH", "INSERT"),
        ("write", "{} changes the graph; only reading is allowed"),
    ),
    **dict.fromkeys(
        (
            *("DROP", "ALTER", "GRANT", "DENY", "REVOKE", "SHOW", "TERMINATE", "START", "STOP", "RENAME", "ENABLE"),
            *("DRYRUN", "REALLOCATE", "DEALLOCATE", "STORAGE", "ANALYZE", "DUMP", "REGISTER", "UNREGISTER", "RECOVER"),
            *("LOCK", "UNLOCK", "KILL", "FREE", "EDIT", "COMMIT", "ROLLBACK", "BEGIN"),
        ),
        ("administration", "{} administers the database; only reading data is allowed"),
    ),
    "LOAD": ("load-csv", "LOAD CSV reads files and addresses outside of the graph"),
    "USE": ("use", "USE leaves the graph that was connected to"),
    "GRAPH": ("use", "GRAPH leaves the graph that was connected to"),
    **dict.fromkeys(
        ("EXPLAIN", "PROFILE", "CYPHER"), ("prefix", "{} before a query is not allowed; send the query alone")
    ),
}
_HINTS = {
    "GROUP": "Cypher has no GROUP BY: columns without an aggregate are the groups",
    "HAVING": "Cypher has no HAVING: aggregate in WITH, then filter with WHERE",
    "FROM": "Cypher has no FROM: begin with MATCH",
    "SELECT": "Cypher has no SELECT: MATCH … RETURN …",
    "JOIN": "Cypher has no JOIN: join by a pattern such as (a)-[:TYPE]->(b)",
    "WHERE": "WHERE must follow MATCH, WITH or YIELD",
}


@dataclass(frozen=True, slots=True)
class Unread(Exception):
    """The query cannot be read: rule, reason, and the offset where reading stopped."""

    rule: str
    message: str
    offset: int


def read(tokens: Tokens) -> Query:
    """Read one statement. Raises :class:`Unread`."""
    if tokens.fault:
        raise Unread(tokens.fault.rule, tokens.fault.message, tokens.fault.offset)
    return _Reader(tokens.tokens).statement()


class _Reader:
    def __init__(self, tokens: tuple[Token, ...]):
        self.tokens = tokens
        self.at = 0
        self.depth = 0
        # Where each bracket closes, so that one look ahead can see behind it.
        self.closes = _match_brackets(tokens)
        # The tokens | that part a comprehension and are no "or" between labels or types.
        self.bars: set[int] = set()
        # How labels are joined in the clause at hand: Neo4j takes either ':' or the symbols of label expressions.
        self.symbols: set[str] = set()

    # --- moving ---

    @property
    def token(self) -> Token:
        return self.tokens[self.at]

    def peek(self, ahead: int = 1) -> Token:
        return self.tokens[min(self.at + ahead, len(self.tokens) - 1)]

    def is_op(self, text: str, ahead: int = 0) -> bool:
        token = self.peek(ahead)
        return token.kind is Kind.OPERATOR and token.value == text

    def is_word(self, *words: str, ahead: int = 0) -> bool:
        return self.peek(ahead).word in words

    def accept_op(self, text: str) -> bool:
        if self.is_op(text):
            self.at += 1
            return True
        return False

    def accept_word(self, *words: str) -> bool:
        if self.token.word and self.token.word in words:
            self.at += 1
            return True
        return False

    def expect_op(self, text: str) -> int:
        if not self.accept_op(text):
            raise self.unexpected(f"'{text}'")
        return self.at - 1

    def expect_word(self, word: str) -> int:
        if not self.accept_word(word):
            raise self.unexpected(word)
        return self.at - 1

    def is_name(self, ahead: int = 0) -> bool:
        return self.peek(ahead).kind in (Kind.NAME, Kind.QUOTED)

    def expect_name(self, what: str) -> int:
        if not self.is_name():
            raise self.unexpected(what)
        self.at += 1
        return self.at - 1

    def deeper(self) -> None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self.fault("too-deep", f"the query nests more than {MAX_DEPTH} levels")

    def fault(self, rule: str, message: str, token: int | None = None) -> Unread:
        return Unread(rule, message, self.tokens[self.at if token is None else token].offset)

    def unexpected(self, wanted: str) -> Unread:
        token = self.token
        found = "the end of the query" if token.kind is Kind.END else f"'{_shortened(token.text)}'"
        hint = _HINTS.get(token.word)
        return self.fault("not-understood", f"expected {wanted}, found {found}" + (f"; {hint}" if hint else ""))

    # --- statements and clauses ---

    def statement(self) -> Query:
        if self.is_end():
            raise self.fault("not-understood", "the query is empty")
        query = self.query()
        if self.accept_op(";") and not self.is_end():
            raise self.fault("several-statements", "only one statement is allowed; another begins after ';'")
        if not self.is_end():
            raise self.not_a_clause()
        return query

    def is_end(self) -> bool:
        return self.token.kind is Kind.END

    def query(self) -> Query:
        self.deeper()
        start = self.at
        parts = [self.single()]
        unions: list[tuple[str, int]] = []
        while self.accept_word("UNION"):
            union = self.at - 1
            kind = "ALL" if self.accept_word("ALL") else "DISTINCT"
            self.accept_word("DISTINCT")
            unions.append((kind, union))
            parts.append(self.single())
        self.depth -= 1
        return Query(start, self.at, tuple(parts), tuple(unions))

    def single(self) -> tuple[Clause, ...]:
        clauses = [self.clause()]
        while self.token.word in _CLAUSES and self.token.word != "UNION":
            clauses.append(self.clause())
        return tuple(clauses)

    def clause(self) -> Clause:
        readers: dict[str, Callable[[], Clause]] = {
            "MATCH": self.match,
            "WITH": self.project,
            "RETURN": self.project,
            "UNWIND": self.unwind,
            "CALL": self.call,
            "FINISH": self.finish,
            **dict.fromkeys(("ORDER", "SKIP", "OFFSET", "LIMIT"), self.cut),
        }
        word = self.token.word
        if word == "OPTIONAL" and self.is_word("MATCH", "CALL", ahead=1):
            word = self.peek().word
        reader = readers.get(word)
        if reader is None:
            raise self.not_a_clause()
        before, self.symbols = self.symbols, set()
        clause = reader()
        self.symbols = before
        return clause

    def not_a_clause(self) -> Unread:
        known = _FORBIDDEN.get(self.token.word)
        if known:
            return self.fault(known[0], known[1].format(self.token.word))
        if self.is_word("IN") and self.tokens[self.at - 1].text == "}":
            return self.fault("in-transactions", "CALL { … } IN TRANSACTIONS commits and is not allowed")
        return self.unexpected("a clause such as MATCH, WITH or RETURN")

    def match(self) -> Match:
        start = self.at
        optional = self.accept_word("OPTIONAL")
        self.expect_word("MATCH")
        return self.match_body(start, optional)

    def match_body(self, start: int, optional: bool) -> Match:
        paths = [self.path()]
        while self.accept_op(","):
            paths.append(self.path())
        if len(paths) > 1 and any(path.selector not in ("", "ALL", "ALL PATH", "ALL PATHS") for path in paths):
            raise self.fault("not-understood", "a path selector must stand in a MATCH of its own", start)
        hints = []
        while self.is_word("USING"):
            hints.append(self.hint())
        patterns_end = self.at
        where, where_start = self.where()
        return Match(start, self.at, optional, tuple(paths), tuple(hints), where, where_start, patterns_end)

    def where(self) -> tuple[Expression | None, int]:
        if not self.accept_word("WHERE"):
            return None, -1
        start = self.at - 1
        return self.expression(), start

    def hint(self) -> Hint:
        start = self.expect_word("USING")
        if self.accept_word("JOIN"):
            self.expect_word("ON")
            return Hint(start, self.at, tuple(self.names("a variable")))
        self.accept_word("TEXT", "RANGE", "POINT")
        scan = self.accept_word("SCAN")
        if not scan:
            self.expect_word("INDEX")
            if self.is_word("SEEK") and not self.is_op(":", 1):
                self.at += 1
        variable = self.expect_name("a variable")
        self.expect_op(":")
        self.expect_name("a label")
        if not scan:
            self.expect_op("(")
            self.names("a property")
            self.expect_op(")")
        return Hint(start, self.at, (variable,))

    def names(self, what: str) -> list[int]:
        names = [self.expect_name(what)]
        while self.accept_op(","):
            names.append(self.expect_name(what))
        return names

    def unwind(self) -> Unwind:
        start = self.expect_word("UNWIND")
        expression = self.expression()
        self.expect_word("AS")
        variable = self.expect_name("a variable")
        return Unwind(start, self.at, expression, variable)

    def finish(self) -> Finish:
        start = self.expect_word("FINISH")
        return Finish(start, self.at)

    def cut(self) -> Cut:
        start = self.at
        page = self.page()
        return Cut(start, self.at, page)

    def project(self) -> Project:
        start = self.at
        kind = "WITH" if self.accept_word("WITH") else "RETURN"
        if kind == "RETURN":
            self.expect_word("RETURN")
        distinct = self.is_word("DISTINCT") and self.begins_operand(1)
        if distinct or (self.is_word("DISTINCT") and self.is_op("*", 1)):
            distinct = True
            self.at += 1
        star = self.accept_op("*")
        items = [] if star and not self.accept_op(",") else [self.item()]
        while items and self.accept_op(","):
            items.append(self.item())
        page = self.page()
        where = self.where()[0] if kind == "WITH" else None
        return Project(
            start, self.at, "WITH" if kind == "WITH" else "RETURN", distinct, star, tuple(items), page, where
        )

    def item(self) -> Item:
        expression = self.expression()
        alias = self.expect_name("a name") if self.accept_word("AS") else None
        return Item(expression.start, self.at, expression, alias)

    def page(self) -> Page:
        page = Page(self.at, self.at)
        if self.is_word("ORDER") and self.is_word("BY", ahead=1):
            self.at += 2
            page.order = tuple(self.order())
        if self.accept_word("SKIP", "OFFSET"):
            page.skip = self.expression()
        if self.accept_word("LIMIT"):
            page.limit = self.expression()
        page.end = self.at
        if page.end == page.start and self.is_word("ORDER"):
            raise self.unexpected("ORDER BY")
        return page

    def order(self) -> list[Expression]:
        keys = []
        while True:
            keys.append(self.expression())
            self.accept_word("ASC", "ASCENDING", "DESC", "DESCENDING")
            if not self.accept_op(","):
                return keys

    def call(self) -> Clause:
        start = self.at
        self.accept_word("OPTIONAL")
        self.expect_word("CALL")
        if self.is_op("{") or self.is_op("("):
            return self.call_subquery(start)
        return self.call_procedure(start)

    def call_subquery(self, start: int) -> CallSubquery:
        imports: tuple[int, ...] | None = None
        imports_all = False
        if self.accept_op("("):
            imports_all = self.accept_op("*")
            imports = () if imports_all or self.is_op(")") else tuple(self.names("a variable"))
            self.expect_op(")")
        self.expect_op("{")
        query = self.query()
        self.close_braces()
        return CallSubquery(start, self.at, query, imports, imports_all)

    def close_braces(self) -> None:
        if self.is_op("}"):
            self.at += 1
            return
        raise self.not_a_clause()

    def call_procedure(self, start: int) -> CallProcedure:
        at = self.at
        name = self.dotted()
        arguments = self.arguments() if self.is_op("(") else None
        yields: tuple[tuple[int, int], ...] | None = None
        yields_all = False
        where = None
        if self.accept_word("YIELD"):
            yields_all = self.accept_op("*")
            yields = () if yields_all else tuple(self.yields())
            where = self.where()[0]
        return CallProcedure(start, self.at, name, at, arguments, yields, yields_all, where)

    def dotted(self) -> str:
        parts = [self.expect_name("the name of a procedure")]
        while self.accept_op("."):
            parts.append(self.expect_name("a name"))
        return ".".join(self.tokens[part].value for part in parts)

    def arguments(self) -> tuple[Expression, ...]:
        self.expect_op("(")
        arguments: list[Expression] = []
        while not self.accept_op(")"):
            if arguments:
                self.expect_op(",")
            arguments.append(self.expression())
        return tuple(arguments)

    def yields(self) -> list[tuple[int, int]]:
        """Pairs of the column's token and that of the variable it becomes."""
        columns = []
        while True:
            column = self.expect_name("a column")
            columns.append((column, self.expect_name("a variable") if self.accept_word("AS") else column))
            if not self.accept_op(","):
                return columns

    # --- patterns ---

    def path(self) -> PathPattern:
        start = self.at
        variable = None
        if self.is_name() and self.is_op("=", 1):
            variable = self.at
            self.at += 2
        if self.is_word("SHORTESTPATH", "ALLSHORTESTPATHS") and self.is_op("(", 1):
            return self.shortest_path(start, variable)
        selector = self.selector()
        elements = self.elements(groups=True)
        if not selector and any(isinstance(e, Group) and e.path.variable is not None for e in elements):
            raise self.fault("not-understood", "a part of a pattern cannot be named; name the whole", start)
        return PathPattern(start, self.at, variable, elements, selector)

    def shortest_path(self, start: int, variable: int | None) -> PathPattern:
        function = "shortestPath" if self.is_word("SHORTESTPATH") else "allShortestPaths"
        self.at += 1
        self.expect_op("(")
        elements = self.elements(groups=False)
        self.expect_op(")")
        if len(elements) != 3:
            raise self.fault("not-understood", f"{function} takes a pattern of exactly one relationship", start)
        return PathPattern(start, self.at, variable, elements, function=function)

    def selector(self) -> str:
        words = []
        limit = self.at + 4
        while self.at < limit and not self.is_op("("):
            if self.token.kind is Kind.NUMBER:
                words.append("k")
            elif self.is_word("ANY", "ALL", "SHORTEST", "PATH", "PATHS", "GROUP", "GROUPS"):
                words.append(self.token.word)
            else:
                break
            self.at += 1
        selector = " ".join(words)
        if selector and not _is_selector(words):
            raise self.unexpected("a path selector such as SHORTEST 1 or ALL SHORTEST")
        return selector

    def elements(self, *, groups: bool) -> tuple[NodePattern | EdgePattern | Group, ...]:
        elements: list[NodePattern | EdgePattern | Group] = [self.node_or_group(groups)]
        while True:
            if self.is_edge():
                if isinstance(elements[-1], Group):
                    raise self.unexpected("a node; a relationship cannot follow a pattern in parentheses")
                elements.append(self.edge(groups))
                elements.append(self.node())
            elif groups and self.is_op("("):
                elements.append(self.node_or_group(groups))
                if not any(isinstance(e, Group) and e.quantified for e in elements[-2:]):
                    raise self.fault("not-understood", "only quantified patterns may stand side by side", self.at - 1)
            else:
                return tuple(elements)

    def is_edge(self) -> bool:
        if self.is_op("<"):
            return self.is_op("-", 1)
        return self.is_op("-")

    def node_or_group(self, groups: bool) -> NodePattern | Group:
        inner = self.is_op("(", 1) or (self.is_name(1) and self.is_op("=", 2))
        if groups and inner and self.is_op("("):
            return self.group()
        return self.node()

    def group(self) -> Group:
        self.deeper()
        start = self.expect_op("(")
        inner = self.path()
        where = self.where()[0]
        self.expect_op(")")
        quantified = self.quantifier()
        self.depth -= 1
        if quantified:
            self.check_quantified(inner)
        return Group(start, self.at, inner, where, quantified)

    def check_quantified(self, path: PathPattern) -> None:
        if not any(isinstance(element, EdgePattern) for element in path.elements):
            raise self.fault("not-understood", "a quantified pattern needs at least one relationship", path.start)
        for element in path.elements:
            nested = isinstance(element, Group) or (isinstance(element, EdgePattern) and element.quantified)
            if nested or (isinstance(element, EdgePattern) and element.length):
                raise self.fault("not-understood", "quantified patterns cannot be nested", element.start)

    def quantifier(self) -> bool:
        if self.accept_op("+") or self.accept_op("*"):
            return True
        if not self.is_op("{"):
            return False
        self.at += 1
        bounded = self.number()
        if self.accept_op(","):
            self.number()
        elif not bounded:
            raise self.unexpected("a number of repetitions")
        self.expect_op("}")
        return True

    def number(self) -> bool:
        if self.token.kind is not Kind.NUMBER:
            return False
        self.whole_number()
        return True

    def whole_number(self) -> None:
        if self.token.kind is not Kind.NUMBER or not self.token.value.replace("_", "").isdigit():
            raise self.unexpected("a whole number")
        self.at += 1

    def node(self) -> NodePattern:
        node = NodePattern(self.expect_op("("), self.at)
        if self.is_variable(")"):
            node.variable = self.at
            self.at += 1
        self.pattern_labels(node)
        if self.is_op("{"):
            node.properties = self.map()
        if self.token.kind is Kind.PARAMETER:
            raise self.fault("not-understood", "a whole parameter cannot be matched; write {key: $map.key}")
        node.where_start = self.at
        node.where, _ = self.where()
        self.expect_op(")")
        node.end = self.at
        return node

    def is_variable(self, closing: str) -> bool:
        """Whether the name here is a variable rather than the word WHERE or IS that begins what follows."""
        if not self.is_name():
            return False
        if self.is_word("WHERE", "IS"):
            return any(self.is_op(text, 1) for text in (closing, ":", "{")) or self.is_word("WHERE", "IS", ahead=1)
        return True

    def pattern_labels(self, element: NodePattern | EdgePattern) -> None:
        if self.is_op(":") or self.is_word("IS"):
            element.label_start = self.at
            element.labels = self.labels(types=isinstance(element, EdgePattern))

    def edge(self, quantifiable: bool) -> EdgePattern:
        edge = EdgePattern(self.at, self.at)
        if self.accept_op("<"):
            edge.left = self.at - 1
        self.expect_op("-")
        if self.is_op("["):
            edge.bracket = self.at
            self.at += 1
            self.edge_content(edge)
            self.expect_op("]")
        self.expect_op("-")
        if self.accept_op(">"):
            edge.right = self.at - 1
        edge.end = self.at
        if quantifiable and self.quantifier():
            edge.quantified = True
            if edge.length:
                raise self.fault("not-understood", "a relationship takes a length or a quantifier, not both")
        return edge

    def edge_content(self, edge: EdgePattern) -> None:
        if self.is_variable("]") and not (self.is_word("WHERE") and not self.is_op("]", 1)):
            edge.variable = self.at
            self.at += 1
        self.pattern_labels(edge)
        if self.accept_op("*"):
            edge.length = True
            self.length(edge)
        if self.is_op("{"):
            edge.properties = self.map()
        edge.where_start = self.at
        edge.where, _ = self.where()
        if edge.where and edge.length:
            raise self.fault("not-understood", "a relationship with a length takes no WHERE inside", edge.where_start)

    def length(self, edge: EdgePattern) -> None:
        if self.is_word(*_ALGORITHMS):
            edge.algorithm = self.token.word
            self.at += 1
        types = edge.labels.items or (edge.labels,) if edge.labels else ()
        joined_otherwise = edge.labels is not None and edge.labels.kind not in ("name", "or", "dynamic")
        if joined_otherwise or any(type_.kind not in ("name", "dynamic") for type_ in types):
            message = "a relationship with a length takes one type or alternatives of types, joined by |"
            raise self.fault("not-understood", message, edge.label_start)
        edge.length_start = self.at
        if self.token.kind is Kind.NUMBER:
            self.whole_number()
        if self.accept_op("..") and self.token.kind is Kind.NUMBER:
            self.whole_number()
        edge.length_end = self.at
        if edge.algorithm:
            self.algorithm(edge)

    def algorithm(self, edge: EdgePattern) -> None:
        """What Memgraph lets follow ``*BFS`` and its kin: a number of paths, up to two lambdas, a weight variable."""
        if self.accept_op("|"):
            self.whole_number()
        lambdas: list[Lambda] = []
        while self.is_op("(") and len(lambdas) < 2:
            lambdas.append(self.lambda_())
            if self.is_name() and edge.weight is None and not self.is_word("WHERE"):
                edge.weight = self.at
                self.at += 1
        edge.lambdas = tuple(lambdas)

    def lambda_(self) -> Lambda:
        start = self.expect_op("(")
        self.mark_bar(start)
        variables = tuple(self.names("a variable"))
        self.expect_op("|")
        body = self.expression()
        self.expect_op(")")
        return Lambda(start, self.at, variables, body)

    # --- labels ---

    def labels(self, *, types: bool = False) -> Labels:
        start = self.at
        if not self.accept_op(":"):
            self.expect_word("IS")
        symbols: set[str] = set()
        labels = self.label_or(symbols, types)
        if ":" in symbols and types:
            raise self.fault("not-understood", "relationship types cannot be joined by ':'; write |", start)
        # Alternatives of types were written with | long before label expressions.
        self.symbols |= set() if types and symbols == {"|"} else symbols
        if ":" in self.symbols and len(self.symbols) > 1:
            message = "labels joined by ':' cannot stand in one clause with &, |, ! or %; write & instead of ':'"
            raise self.fault("not-understood", message, start)
        return labels

    def label_or(self, symbols: set[str], types: bool) -> Labels:
        start = self.at
        items = [self.label_and(symbols)]
        while self.is_op("|") and self.at not in self.bars:
            self.at += 1
            if not (types and self.accept_op(":")):
                symbols.add("|")
            items.append(self.label_and(symbols))
        return items[0] if len(items) == 1 else Labels(start, self.at, "or", items=tuple(items))

    def label_and(self, symbols: set[str]) -> Labels:
        start = self.at
        items = [self.label_not(symbols)]
        while self.is_op("&") or self.is_op(":"):
            symbols.add(self.token.value)
            self.at += 1
            items.append(self.label_not(symbols))
        return items[0] if len(items) == 1 else Labels(start, self.at, "and", items=tuple(items))

    def label_not(self, symbols: set[str]) -> Labels:
        start = self.at
        negations = 0
        while self.accept_op("!"):
            symbols.add("!")
            negations += 1
        label = self.label_primary(symbols)
        return Labels(start, self.at, "not", items=(label,)) if negations % 2 else label

    def label_primary(self, symbols: set[str]) -> Labels:
        start = self.at
        if self.accept_op("%"):
            symbols.add("%")
            return Labels(start, self.at, "any")
        if self.is_op("$") or (self.token.kind is Kind.PARAMETER and self.is_word_value("all", "any")):
            return self.dynamic_label()
        if self.accept_op("("):
            self.deeper()
            symbols.add("(")
            inner = self.label_or(symbols, False)
            symbols.discard("(")
            self.depth -= 1
            self.expect_op(")")
            return inner
        if self.is_word("NOT", "NULL", "TYPED", "NORMALIZED") and self.is_word("IS", ahead=-1):
            raise self.unexpected("a label")
        token = self.expect_name("a label or type; a name with spaces stands between backticks")
        if self.is_name() and self.tokens[token].end < self.token.offset and not self.is_word("WHERE"):
            after = {"AND", "OR", "XOR", "AS", "IS", "IN", "THEN", "WHEN", "ELSE", "END", "RETURN", "WITH", "ORDER"}
            if self.in_pattern(token) and self.token.word not in after:
                raise self.fault("not-understood", "a name with spaces must stand between backticks", token)
        return Labels(start, self.at, "name", token=token)

    def in_pattern(self, token: int) -> bool:
        """Whether the label at ``token`` follows an opening bracket, a variable at most between them."""
        at = token - 2
        if at >= 0 and self.tokens[at].kind in (Kind.NAME, Kind.QUOTED):
            at -= 1
        return at >= 0 and self.tokens[at].text in ("(", "[")

    def is_word_value(self, *values: str) -> bool:
        return self.token.value.lower() in values and self.is_op("(", 1)

    def dynamic_label(self) -> Labels:
        start = self.at
        self.at += 1
        self.expect_op("(")
        expression = self.expression()
        self.expect_op(")")
        return Labels(start, self.at, "dynamic", expression=expression)

    # --- expressions ---

    def expression(self) -> Expression:
        self.deeper()
        start = self.at
        first = self.operand(negatable=True)
        rest: list[tuple[str, Expression | None]] = []
        # After a test such as IS NULL only a comparison or AND and its kin may follow, and no second test.
        tested = closed = False
        while True:
            operator = self.operator(tested, closed)
            if operator is None:
                break
            if operator in _BOOLEAN or operator in _COMPARISONS:
                tested = closed = False
            elif operator not in _ARITHMETIC:
                tested = True
            if operator.startswith(("IS ", "::")):
                closed = True
                rest.append((operator, None))
            else:
                rest.append((operator, self.operand(negatable=operator in _BOOLEAN)))
        self.depth -= 1
        return Chain(start, self.at, first, tuple(rest)) if rest else first

    def operator(self, tested: bool, closed: bool) -> str | None:
        """Read an operator, and the whole of a test such as ``IS NOT NULL``; ``None`` where none stands."""
        token = self.token
        if token.kind is Kind.OPERATOR:
            return self.symbol(tested, closed)
        if token.word in _BOOLEAN:
            self.at += 1
            return token.word
        if tested or closed:
            return None
        if token.word in ("IN", "CONTAINS"):
            self.at += 1
            return token.word
        if token.word in ("STARTS", "ENDS") and self.is_word("WITH", ahead=1):
            self.at += 2
            return f"{token.word} WITH"
        if token.word == "IS":
            return self.is_test()
        return None

    def symbol(self, tested: bool, closed: bool) -> str | None:
        text = self.token.value
        if text == "!=":
            raise self.fault("not-understood", "Cypher writes <> for unequal")
        if text in _COMPARISONS or (text in _ARITHMETIC and not closed):
            self.at += 1
            return text
        if text == "=~" and not tested:
            self.at += 1
            return text
        if text == "::" and not tested:
            self.at += 1
            self.type()
            return "::"
        return None

    def is_test(self) -> str | None:
        self.expect_word("IS")
        negated = "NOT " if self.accept_word("NOT") else ""
        if self.accept_word("NULL"):
            return f"IS {negated}NULL"
        if self.accept_op("::") or self.accept_word("TYPED"):
            self.type()
            return f"IS {negated}TYPED"
        if self.is_word(*_NORMAL_FORMS) and self.is_word("NORMALIZED", ahead=1):
            self.at += 1
        if self.accept_word("NORMALIZED"):
            return f"IS {negated}NORMALIZED"
        raise self.unexpected("NULL, a type or NORMALIZED")

    def type(self) -> None:
        self.deeper()
        while True:
            self.type_name()
            if not (self.is_op("|") and self.at not in self.bars):
                break
            self.at += 1
        self.depth -= 1

    def type_name(self) -> None:
        words = next((w for w in _TYPE_NAMES if all(self.is_word(x, ahead=i) for i, x in enumerate(w))), None)
        if words is None:
            raise self.unexpected("a type such as INTEGER or LIST<STRING>")
        self.at += len(words)
        if words[-1] in ("LIST", "ARRAY", "ANY") and self.accept_op("<"):
            self.accept_word("VALUE")
            if not self.is_op(">"):
                self.type()
            self.expect_op(">")
        while True:
            if self.is_word("NOT") and self.is_word("NULL", ahead=1):
                self.at += 2
            elif not (self.accept_op("!") or self.accept_word("LIST", "ARRAY")):
                return

    def operand(self, *, negatable: bool) -> Expression:
        start = self.at
        operators = []
        while negatable and self.is_word("NOT") and self.begins_operand(1):
            operators.append("NOT")
            self.at += 1
        while self.is_op("-") or self.is_op("+"):
            operators.append(self.token.value)
            self.at += 1
        value = self.access()
        return Prefix(start, self.at, tuple(operators), value) if operators else value

    def access(self) -> Expression:
        """A value and the steps behind it."""
        start = self.at
        base = self.primary()
        steps: list[Step] = []
        while True:
            step = self.step()
            if step is None:
                break
            steps.append(step)
        return Access(start, self.at, base, tuple(steps)) if steps else base

    def step(self) -> Step | None:
        start = self.at
        if self.accept_op("."):
            key = self.expect_name("a property")
            return Step(start, self.at, key=key)
        if self.is_op("["):
            return self.subscript()
        is_label = self.is_word("IS") and self.is_name(1) and not self.is_test_ahead()
        if self.is_op(":") or is_label:
            labels = self.labels()
            return Step(start, self.at, labels=labels)
        return None

    def is_test_ahead(self) -> bool:
        if self.is_word("NOT", "NULL", "TYPED", "NORMALIZED", ahead=1):
            return True
        return self.is_word(*_NORMAL_FORMS, ahead=1) and self.is_word("NORMALIZED", ahead=2)

    def subscript(self) -> Step:
        step = Step(self.expect_op("["), self.at)
        if not self.is_op(".."):
            step.index = self.expression()
        if self.accept_op(".."):
            step.is_slice = True
            if not self.is_op("]"):
                step.last = self.expression()
            if step.index is None and step.last is None:
                raise self.unexpected("a bound; a slice needs a beginning or an end")
        self.expect_op("]")
        step.end = self.at
        return step

    def begins_operand(self, ahead: int) -> bool:
        """Whether a value can begin there, so that the word before it is a keyword and not a variable."""
        token = self.peek(ahead)
        if token.kind in (Kind.STRING, Kind.NUMBER, Kind.PARAMETER, Kind.QUOTED):
            return True
        if token.kind is Kind.OPERATOR:
            return token.value in ("(", "[", "{", "-", "+")
        ending = ("AS", "AND", "OR", "XOR", "IN", "IS", "CONTAINS", "STARTS", "ENDS", "UNION", "ORDER", "SKIP", "LIMIT")
        return token.kind is Kind.NAME and (token.word not in ending or self.is_op("(", ahead + 1))

    def primary(self) -> Expression:
        token = self.token
        start = self.at
        if token.kind in (Kind.STRING, Kind.NUMBER):
            self.at += 1
            return Literal(start, self.at, "string" if token.kind is Kind.STRING else "number")
        if token.kind is Kind.PARAMETER:
            self.at += 1
            return Parameter(start, self.at)
        if token.kind is Kind.OPERATOR:
            return self.bracketed()
        if token.kind is Kind.NAME:
            return self.keyword() or self.named()
        if token.kind is Kind.QUOTED:
            return self.named()
        raise self.unexpected("a value")

    def bracketed(self) -> Expression:
        if self.is_op("{"):
            return self.map()
        if self.is_op("["):
            return self.square()
        if not self.is_op("("):
            raise self.unexpected("a value")
        if self.is_pattern(self.at):
            return self.pattern_test()
        self.at += 1
        inner = self.expression()
        self.expect_op(")")
        # The parentheses belong to the value: text is taken from start to end.
        return Access(inner.start - 1, self.at, inner, ())

    def pattern_test(self, *, explicit: bool = False) -> PatternTest:
        start = self.at
        elements = self.elements(groups=False)
        path = PathPattern(start, self.at, None, elements)
        return PatternTest(start, self.at, path, explicit)

    def is_pattern(self, at: int) -> bool:
        """Whether a pattern with a relationship begins at the opening parenthesis ``at``."""
        tokens, close = self.tokens, self.closes[at]
        first, after = tokens[at + 1], tokens[close + 1]
        opens = first.kind in (Kind.NAME, Kind.QUOTED) or first.text in (")", ":", "{")
        if not opens or after.kind is not Kind.OPERATOR or after.value not in ("-", "<"):
            return False
        if (
            first.kind in (Kind.NAME, Kind.QUOTED)
            and tokens[at + 2].text not in (")", ":", "{")
            and (first.word not in ("WHERE", "IS") and tokens[at + 2].word not in ("WHERE", "IS"))
        ):
            return False
        dash = close + 2 if after.value == "<" else close + 1
        if tokens[dash].text != "-":
            return False
        behind = dash + 1
        if tokens[behind].text == "[":
            behind = self.closes[behind] + 1
        if tokens[behind].text != "-":
            return False
        behind += 2 if tokens[behind + 1].text == ">" else 1
        return tokens[behind].text in ("(", "+", "*", "{") and tokens[behind].kind is Kind.OPERATOR

    def map(self) -> MapLiteral:
        start = self.expect_op("{")
        entries: list[Entry] = []
        while not self.accept_op("}"):
            if entries:
                self.expect_op(",")
            entries.append(self.entry())
        return MapLiteral(start, self.at, tuple(entries))

    def entry(self) -> Entry:
        key = self.expect_name("a key")
        self.expect_op(":")
        value = self.expression()
        return Entry(key, self.at, key, value)

    def square(self) -> Expression:
        """A list, or a comprehension over a list or a pattern."""
        if self.is_name(1) and self.is_word("IN", ahead=2) and not self.has_comma():
            return self.comprehension()
        begin = self.at + 3 if self.is_name(1) and self.is_op("=", 2) else self.at + 1
        if self.tokens[begin].text == "(" and self.outer_bars(self.at) and self.is_pattern(begin):
            return self.pattern_comprehension()
        start = self.expect_op("[")
        items: list[Expression] = []
        while not self.accept_op("]"):
            if items:
                self.expect_op(",")
            items.append(self.expression())
        return ListLiteral(start, self.at, tuple(items))

    def outer_tokens(self, opening: int) -> list[int]:
        """The tokens between a bracket and its closing that are in no bracket inside."""
        at, close = opening + 1, self.closes[opening]
        found = []
        while at < close:
            found.append(at)
            at = self.closes.get(at, at) + 1
        return found

    def has_comma(self) -> bool:
        return any(self.tokens[at].text == "," for at in self.outer_tokens(self.at))

    def mark_bar(self, opening: int) -> None:
        """Find the bar that parts a comprehension, the last one outside of inner brackets: others join labels."""
        bars = self.outer_bars(opening)
        self.bars.update(bars[-1:])

    def outer_bars(self, opening: int) -> list[int]:
        return [at for at in self.outer_tokens(opening) if self.tokens[at].text == "|"]

    def comprehension(self) -> Comprehension:
        start = self.expect_op("[")
        self.mark_bar(start)
        variable = self.expect_name("a variable")
        self.expect_word("IN")
        source = self.expression()
        where, _ = self.where()
        project = self.expression() if self.accept_op("|") else None
        self.expect_op("]")
        return Comprehension(start, self.at, variable, source, where, project)

    def pattern_comprehension(self) -> PatternComprehension:
        start = self.expect_op("[")
        self.mark_bar(start)
        path_start = self.at
        variable = None
        if self.is_name():
            variable = self.at
            self.at += 2
        elements = self.elements(groups=False)
        path = PathPattern(path_start, self.at, variable, elements)
        where, _ = self.where()
        self.expect_op("|")
        project = self.expression()
        self.expect_op("]")
        return PatternComprehension(start, self.at, path, where, project)

    # --- words that begin a value ---

    def keyword(self) -> Expression | None:
        """A value that begins with a keyword; ``None`` where the word is a name like any other."""
        word = self.token.word
        start = self.at
        if word in ("TRUE", "FALSE", "NULL", "INF", "INFINITY", "NAN") and not (
            self.is_op("(", 1) or self.is_op(".", 1)
        ):
            self.at += 1
            kind = {"NULL": "null", "TRUE": "boolean", "FALSE": "boolean"}.get(word, "number")
            return Literal(start, self.at, kind)  # type: ignore[arg-type]  # one of the four, as the table says
        if word == "CASE" and (self.begins_operand(1) or self.is_word("WHEN", ahead=1)):
            return self.case()
        if word in ("EXISTS", "COUNT", "COLLECT") and self.is_op("{", 1) and not self.is_projection():
            return self.subquery(word)
        if not self.is_op("(", 1):
            return None
        readers: dict[str, Callable[[], Expression]] = {
            **dict.fromkeys(("SHORTESTPATH", "ALLSHORTESTPATHS"), self.shortest_path_value),
            "TRIM": self.trim,
            "NORMALIZE": self.normalize,
        }
        if word in ("ALL", "ANY", "NONE", "SINGLE") and self.is_name(2) and self.is_word("IN", ahead=3):
            return self.quantified(word)
        if word == "REDUCE" and self.is_name(2) and self.is_op("=", 3):
            return self.reduce()
        if word == "EXISTS" and self.is_op("(", 2) and self.is_pattern(self.at + 2):
            return self.exists()
        return readers[word]() if word in readers else None

    def is_projection(self) -> bool:
        """Whether braces after a word that may be a variable hold a map projection."""
        return self.is_op(".", 2) or (self.is_name(2) and (self.is_op(":", 3) or self.is_op(",", 3)))

    def shortest_path_value(self) -> PatternTest:
        start = self.at
        path = self.shortest_path(start, None)
        return PatternTest(start, self.at, path, explicit=True)

    def exists(self) -> PatternTest:
        start = self.at
        self.at += 2
        test = self.pattern_test(explicit=True)
        self.expect_op(")")
        return PatternTest(start, self.at, test.path, explicit=True)

    def trim(self) -> Call:
        start = self.at
        self.at += 2
        special = self.is_word("LEADING", "TRAILING", "BOTH") and (
            self.begins_operand(1) or self.is_word("FROM", ahead=1)
        )
        if special:
            self.at += 1
        arguments = []
        if not (self.is_word("FROM") and self.begins_operand(1)):
            arguments.append(self.expression())
        if (special or self.is_word("FROM")) and self.expect_word("FROM"):
            arguments.append(self.expression())
        while self.accept_op(","):
            arguments.append(self.expression())
        self.expect_op(")")
        return Call(start, self.at, "trim", tuple(arguments))

    def normalize(self) -> Call:
        start = self.at
        self.at += 2
        argument = self.expression()
        if self.accept_op(",") and not self.accept_word(*_NORMAL_FORMS):
            raise self.unexpected("a normal form: NFC, NFD, NFKC or NFKD")
        self.expect_op(")")
        return Call(start, self.at, "normalize", (argument,))

    def quantified(self, word: str) -> Comprehension:
        start = self.at
        self.at += 2
        variable = self.expect_name("a variable")
        self.expect_word("IN")
        source = self.expression()
        where, _ = self.where()
        if where is None:
            raise self.unexpected(f"WHERE; {word.lower()}(x IN list WHERE …)")
        self.expect_op(")")
        return Comprehension(start, self.at, variable, source, where, None, word.lower())

    def reduce(self) -> Reduce:
        start = self.at
        self.mark_bar(self.at + 1)
        self.at += 2
        total = self.expect_name("a variable")
        self.expect_op("=")
        initial = self.expression()
        self.expect_op(",")
        variable = self.expect_name("a variable")
        self.expect_word("IN")
        source = self.expression()
        self.expect_op("|")
        body = self.expression()
        self.expect_op(")")
        return Reduce(start, self.at, total, initial, variable, source, body)

    def case(self) -> Case:
        start = self.expect_word("CASE")
        subject = None if self.is_word("WHEN") else self.expression()
        whens: list[Expression] = []
        thens: list[Expression] = []
        while self.accept_word("WHEN"):
            whens.append(self.when(subject is not None))
            while subject is not None and self.accept_op(","):
                whens.append(self.when(True))
            self.expect_word("THEN")
            thens.append(self.expression())
        if not whens:
            raise self.unexpected("WHEN")
        otherwise = self.expression() if self.accept_word("ELSE") else None
        self.expect_word("END")
        return Case(start, self.at, subject, tuple(whens), tuple(thens), otherwise)

    def when(self, simple: bool) -> Expression:
        """A value, or, in a CASE with a subject, a test of the subject such as ``> 3`` or ``IS NULL``."""
        start = self.at
        operator = self.operator(False, False) if simple and not (self.is_sign() or self.is_word("IN")) else None
        if operator is None:
            return self.expression()
        subject = Literal(start, start, "null")
        if operator.startswith(("IS ", "::")):
            return Chain(start, self.at, subject, ((operator, None),))
        operand = self.expression()
        return Chain(start, self.at, subject, ((operator, operand),))

    def is_sign(self) -> bool:
        return self.token.kind is Kind.OPERATOR and self.token.value in _ARITHMETIC

    def subquery(self, word: str) -> Subquery:
        start = self.at
        self.at += 2
        query = match = None
        if self.token.word in _CLAUSES | set(_FORBIDDEN) and not self.is_op("=", 1):
            query = self.query()
        elif word == "COLLECT":
            raise self.unexpected("MATCH; COLLECT { } takes a whole query")
        else:
            self.deeper()
            match = self.match_body(self.at, optional=False)
            self.depth -= 1
        self.close_braces()
        return Subquery(start, self.at, word, query, match)  # type: ignore[arg-type]  # one of the three words

    def named(self) -> Expression:
        """A variable, a map projection or a function call."""
        start = self.at
        self.at += 1
        if self.is_op("{"):
            return self.projection(start)
        last = self.call_ahead()
        if last is None:
            return Variable(start, self.at, start)
        name = ".".join(self.tokens[at].value for at in range(start, last + 1, 2))
        self.at = last + 1
        return self.function(start, name)

    def call_ahead(self) -> int | None:
        """The last token of a dotted name with an opening parenthesis behind it, seen from behind its first token."""
        at = self.at
        while self.tokens[at].text == "." and self.tokens[at + 1].kind in (Kind.NAME, Kind.QUOTED):
            at += 2
        return at - 1 if self.tokens[at].kind is Kind.OPERATOR and self.tokens[at].value == "(" else None

    def function(self, start: int, name: str) -> Call:
        self.expect_op("(")
        if name.lower() == "count" and self.is_op("*") and self.is_op(")", 1):
            self.at += 2
            return Call(start, self.at, name, (), star=True)
        distinct = self.is_word("DISTINCT", "ALL") and self.begins_operand(1)
        if distinct:
            distinct = self.is_word("DISTINCT")
            self.at += 1
        arguments: list[Expression] = []
        while not self.accept_op(")"):
            if arguments:
                self.expect_op(",")
            arguments.append(self.expression())
        return Call(start, self.at, name, tuple(arguments), distinct)

    def projection(self, start: int) -> MapProjection:
        base = Variable(start, start + 1, start)
        self.expect_op("{")
        items: list[MapItem] = []
        while not self.accept_op("}"):
            if items:
                self.expect_op(",")
            items.append(self.map_item())
        return MapProjection(start, self.at, base, tuple(items))

    def map_item(self) -> MapItem:
        start = self.at
        if self.accept_op("."):
            if self.accept_op("*"):
                return MapItem(start, self.at, "all", start)
            token = self.expect_name("a property")
            return MapItem(start, self.at, "property", token)
        token = self.expect_name("a key")
        if self.accept_op(":"):
            value = self.expression()
            return MapItem(start, self.at, "entry", token, value)
        return MapItem(start, self.at, "variable", token, Variable(token, token + 1, token))


def _match_brackets(tokens: tuple[Token, ...]) -> dict[int, int]:
    """Where each opening bracket closes. Raises :class:`Unread` where one does not."""
    closes: dict[int, int] = {}
    stack: list[int] = []
    for at, token in enumerate(tokens):
        if token.kind is not Kind.OPERATOR:
            continue
        if token.value in _CLOSING:
            stack.append(at)
        elif token.value in (")", "]", "}"):
            if not stack or _CLOSING[tokens[stack[-1]].value] != token.value:
                raise Unread("not-understood", f"'{token.value}' closes no bracket", token.offset)
            closes[stack.pop()] = at
    if stack:
        opening = tokens[stack[-1]]
        raise Unread("not-understood", f"'{opening.value}' is never closed", opening.offset)
    return closes


def _is_selector(words: list[str]) -> bool:
    core = [word for word in words if word not in ("PATH", "PATHS")]
    return core in (
        ["ANY"],
        ["ANY", "k"],
        ["ALL"],
        ["ALL", "SHORTEST"],
        ["ANY", "SHORTEST"],
        ["SHORTEST", "k"],
        ["SHORTEST", "GROUP"],
        ["SHORTEST", "GROUPS"],
        ["SHORTEST", "k", "GROUP"],
        ["SHORTEST", "k", "GROUPS"],
    )


def _shortened(text: str) -> str:
    return text if len(text) <= 40 else text[:37] + "…"
