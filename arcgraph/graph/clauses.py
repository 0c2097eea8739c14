"""Reads Cypher into :mod:`arcgraph.graph.syntax`: clauses, patterns and expressions that only read.

A recursive descent without backtracking: one look ahead decides, so the time is linear in the number of tokens. What
the reader does not understand it refuses, with the place and, where the words are known, with what is wrong. Nesting
beyond :data:`MAX_DEPTH` is refused, too. Clauses are read here, what they are made of in :mod:`arcgraph.graph.reader`.
"""

from __future__ import annotations

from collections.abc import Callable

from arcgraph.graph.lexer import Kind, Tokens
from arcgraph.graph.reader.cursor import MAX_DEPTH, Unread
from arcgraph.graph.reader.words import WordReader
from arcgraph.graph.syntax import (
    CallProcedure,
    CallSubquery,
    Clause,
    Cut,
    Expression,
    Finish,
    Hint,
    Item,
    Match,
    Page,
    Project,
    Query,
    Unwind,
)

__all__ = ["MAX_DEPTH", "Unread", "read"]

_CLAUSES = frozenset(
    {"MATCH", "OPTIONAL", "WITH", "UNWIND", "RETURN", "CALL", "FINISH", "ORDER", "SKIP", "OFFSET", "LIMIT", "UNION"}
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


def read(tokens: Tokens) -> Query:
    """Read one statement. Raises :class:`Unread`."""
    if tokens.fault:
        raise Unread(tokens.fault.rule, tokens.fault.message, tokens.fault.offset)
    return _Reader(tokens.tokens).statement()


class _Reader(WordReader):
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
            if kind == "DISTINCT":
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

    def begins_clause(self) -> bool:
        return self.token.word in _CLAUSES or self.token.word in _FORBIDDEN

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
