"""Values joined by operators, the tests that may follow them, and the steps behind a value."""

from __future__ import annotations

from arcgraph.graph.lexer import Kind
from arcgraph.graph.reader.patterns import PatternReader
from arcgraph.graph.syntax import (
    Access,
    Chain,
    Expression,
    Prefix,
    Step,
)

COMPARISONS = frozenset({"=", "<>", "<", "<=", ">", ">="})
ARITHMETIC = frozenset({"+", "-", "*", "/", "%", "^", "||"})
BOOLEAN = frozenset({"AND", "OR", "XOR"})
NORMAL_FORMS = frozenset({"NFC", "NFD", "NFKC", "NFKD"})
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


class OperatorReader(PatternReader):
    """Reads a whole value."""

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
            if operator in BOOLEAN or operator in COMPARISONS:
                tested = closed = False
            elif operator not in ARITHMETIC:
                tested = True
            if operator.startswith(("IS ", "::")):
                closed = True
                rest.append((operator, None))
            else:
                rest.append((operator, self.operand(negatable=operator in BOOLEAN)))
        self.depth -= 1
        return Chain(start, self.at, first, tuple(rest)) if rest else first

    def operator(self, tested: bool, closed: bool) -> str | None:
        """Read an operator, and the whole of a test such as ``IS NOT NULL``; ``None`` where none stands."""
        token = self.token
        if token.kind is Kind.OPERATOR:
            return self.symbol(tested, closed)
        if token.word in BOOLEAN:
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
        if text in COMPARISONS or (text in ARITHMETIC and not closed):
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
        if self.is_word(*NORMAL_FORMS) and self.is_word("NORMALIZED", ahead=1):
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
        return self.is_word(*NORMAL_FORMS, ahead=1) and self.is_word("NORMALIZED", ahead=2)

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
