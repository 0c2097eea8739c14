"""Values between operators: literals, lists, maps, comprehensions, patterns as conditions."""

from __future__ import annotations

from arcgraph.graph.lexer import Kind
from arcgraph.graph.reader.operators import OperatorReader
from arcgraph.graph.syntax import (
    Access,
    Comprehension,
    Entry,
    Expression,
    ListLiteral,
    Literal,
    MapLiteral,
    Parameter,
    PathPattern,
    PatternComprehension,
    PatternTest,
)


class ValueReader(OperatorReader):
    """Reads a value without operators."""

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
