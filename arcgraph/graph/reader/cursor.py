"""Moving over tokens: what every part of the reader shares."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from arcgraph.graph.lexer import Kind, Token
from arcgraph.graph.syntax import (
    Expression,
    MapLiteral,
    Match,
    Query,
)

MAX_DEPTH = 100
NEEDS_BACKTICKS = "a name with spaces must stand between backticks"
_CLOSING = {"(": ")", "[": "]", "{": "}"}
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
    """The query cannot be read: rule, reason, and the offset where reading stopped.

    ``unquoted`` is where a name with spaces begins and ends that only lacks its backticks.
    """

    rule: str
    message: str
    offset: int
    unquoted: tuple[int, int] | None = None


class Cursor(ABC):
    """A place among the tokens, and what can be seen from there."""

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

    def names(self, what: str) -> list[int]:
        names = [self.expect_name(what)]
        while self.accept_op(","):
            names.append(self.expect_name(what))
        return names

    def where(self) -> tuple[Expression | None, int]:
        if not self.accept_word("WHERE"):
            return None, -1
        start = self.at - 1
        return self.expression(), start

    def begins_operand(self, ahead: int) -> bool:
        """Whether a value can begin there, so that the word before it is a keyword and not a variable."""
        token = self.peek(ahead)
        if token.kind in (Kind.STRING, Kind.NUMBER, Kind.PARAMETER, Kind.QUOTED):
            return True
        if token.kind is Kind.OPERATOR:
            return token.value in ("(", "[", "{", "-", "+")
        ending = ("AS", "AND", "OR", "XOR", "IN", "IS", "CONTAINS", "STARTS", "ENDS", "UNION", "ORDER", "SKIP", "LIMIT")
        return token.kind is Kind.NAME and (token.word not in ending or self.is_op("(", ahead + 1))

    # --- brackets ---

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

    # --- what the parts ask of one another ---

    @abstractmethod
    def expression(self) -> Expression:
        """Read a value."""

    @abstractmethod
    def map(self) -> MapLiteral:
        """Read ``{key: value}``."""

    @abstractmethod
    def primary(self) -> Expression:
        """Read a value without operators and steps."""

    @abstractmethod
    def keyword(self) -> Expression | None:
        """Read a value that begins with a keyword; ``None`` where the word is a name like any other."""

    @abstractmethod
    def named(self) -> Expression:
        """Read a variable, a map projection or a function call."""

    @abstractmethod
    def query(self) -> Query:
        """Read clauses, and what UNION joins to them."""

    @abstractmethod
    def match_body(self, start: int, optional: bool) -> Match:
        """Read what follows MATCH."""

    @abstractmethod
    def close_braces(self) -> None:
        """Read the brace behind a subquery."""

    @abstractmethod
    def begins_clause(self) -> bool:
        """Whether a clause begins here, allowed or not."""


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


def _shortened(text: str) -> str:
    return text if len(text) <= 40 else text[:37] + "…"
