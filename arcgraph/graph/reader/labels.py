"""Label and type expressions."""

from __future__ import annotations

from arcgraph.graph.lexer import Kind
from arcgraph.graph.reader.cursor import NEEDS_BACKTICKS, Cursor, Unread
from arcgraph.graph.syntax import (
    Labels,
)


class LabelReader(Cursor):
    """Reads what follows ``:`` or ``IS``."""

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
            message = "labels joined by ':' cannot stand in one clause with &, |, ! or %"
            instead = "write & instead of ':', or a MATCH for each"
            raise self.fault("not-understood", f"{message}; {instead}", start)
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
                raise self.spaced(token)
        return Labels(start, self.at, "name", token=token)

    def spaced(self, token: int) -> Unread:
        last = token
        while self.tokens[last + 1].kind is Kind.NAME and self.tokens[last + 1].word != "WHERE":
            last += 1
        first = self.tokens[token]
        return Unread("not-understood", NEEDS_BACKTICKS, first.offset, (first.offset, self.tokens[last].end))

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
