"""Values that begin with a word: CASE, subqueries, quantifiers, function calls, map projections, variables."""

from __future__ import annotations

from collections.abc import Callable

from arcgraph.graph.lexer import Kind
from arcgraph.graph.reader.operators import ARITHMETIC, NORMAL_FORMS
from arcgraph.graph.reader.values import ValueReader
from arcgraph.graph.syntax import (
    Call,
    Case,
    Chain,
    Comprehension,
    Expression,
    Literal,
    MapItem,
    MapProjection,
    PatternTest,
    Reduce,
    Subquery,
    Variable,
)


class WordReader(ValueReader):
    """Reads what a keyword or a name begins."""

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
        if self.accept_op(",") and not self.accept_word(*NORMAL_FORMS):
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
        return self.token.kind is Kind.OPERATOR and self.token.value in ARITHMETIC

    def subquery(self, word: str) -> Subquery:
        start = self.at
        self.at += 2
        query = match = None
        if self.begins_clause() and not self.is_op("=", 1):
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
