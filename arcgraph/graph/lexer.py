"""Cypher's tokens: Neo4j 5, with the forms that Memgraph adds.

The lexer never raises and takes time linear in the text. What it cannot read becomes one final :class:`LexFault`, and
readers refuse the query. Neo4j turns ``\\uXXXX`` into a character *before* it looks for tokens, other engines do so
only inside strings; a text that the two would cut into different tokens is a fault, too.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from arcgraph.errors import Position


class Kind(StrEnum):
    """What a token is."""

    NAME = "name"
    QUOTED = "quoted name"
    STRING = "string"
    NUMBER = "number"
    PARAMETER = "parameter"
    OPERATOR = "operator"
    END = "end of the query"


@dataclass(frozen=True, slots=True)
class Token:
    """One token.

    ``text`` is what stands in the query, ``value`` what it means: a name without its backticks, a string without its
    quotes and escapes. ``word`` is the name in capitals if it could be a keyword, else empty: only ASCII letters make
    keywords.
    ``offset`` and ``end`` count characters of the query from 0.
    """

    kind: Kind
    text: str
    value: str
    offset: int
    end: int
    word: str = ""


@dataclass(frozen=True, slots=True)
class LexFault:
    """Where and why a text is no sequence of tokens."""

    rule: str
    message: str
    offset: int


@dataclass(frozen=True, slots=True)
class Tokens:
    """All tokens of a text, an ``END`` token last, and the fault that stopped the lexer, if any.

    ``escaped`` is true where the text holds ``\\uXXXX`` outside of strings.
    """

    source: str
    tokens: tuple[Token, ...]
    fault: LexFault | None = None
    escaped: bool = False
    _lines: tuple[int, ...] = (0,)

    def position(self, offset: int) -> Position:
        """Offset from 0, line and column from 1."""
        line = bisect_right(self._lines, offset)
        return Position(offset, line, offset - self._lines[line - 1] + 1)


_PAIRS = frozenset({"..", "<=", ">=", "<>", "!=", "=~", "+=", "::", "||"})
_SINGLE = frozenset("()[]{},.;:=<>+-*/%^|&!$")
# White space of Neo4j 5, which is more than Python's ``\s`` in some places and less in others.
_SPACE = frozenset(
    "\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
_SIMPLE_ESCAPES = {"b": "\b", "t": "\t", "n": "\n", "r": "\r", "f": "\f", "\\": "\\", "'": "'", '"': '"'}
_HEX = frozenset("0123456789abcdefABCDEF")
_NUMBER = re.compile(
    r"0[xX](?:_?[0-9a-fA-F])+"
    r"|0[oO](?:_?[0-7])+"
    r"|(?:[0-9](?:_?[0-9])*)?\.[0-9](?:_?[0-9])*(?:[eE][+-]?[0-9](?:_?[0-9])*)?[fFdD]?"
    r"|[0-9](?:_?[0-9])*(?:[eE][+-]?[0-9](?:_?[0-9])*[fFdD]?)?"
)
_ASCII_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True)
class _Stop(Exception):
    """Carries a fault out of the scanning functions; never leaves :func:`lex`."""

    fault: LexFault


def lex(source: str | bytes) -> Tokens:
    """Cut a query into tokens. Never raises: a text that cannot be cut carries a ``fault``."""
    text = source.decode("utf-8", errors="replace") if isinstance(source, bytes) else source
    lines = (0, *(match.end() for match in re.finditer(r"\r\n|\n|\r", text)))
    return _Lexer(text, lines).run()


class _Lexer:
    """One pass over the characters of one text, escapes already replaced."""

    def __init__(self, source: str, lines: tuple[int, ...]):
        self.source = source
        self.lines = lines
        self.tokens: list[Token] = []
        self.escaped = False
        self.at = 0
        self.text = source
        # Position in the source of every character; None while the two texts are the same.
        self.offsets: list[int] | None = None
        self.from_escape: set[int] = set()

    def run(self) -> Tokens:
        fault = None
        try:
            self._decode()
            while self._skip_blank():
                self._token()
        except _Stop as stop:
            fault = stop.fault
        end = len(self.source)
        self.tokens.append(Token(Kind.END, "", "", end, end))
        return Tokens(self.source, tuple(self.tokens), fault, self.escaped, self.lines)

    # --- characters ---

    def _decode(self) -> None:
        """Replace every ``\\uXXXX``, remembering where each character came from."""
        if "\\u" not in self.source:
            return
        characters: list[str] = []
        offsets: list[int] = []
        at = 0
        while at < len(self.source):
            # Neo4j reads a backslash and its follower as a pair, so the u of \\u0041 is no escape.
            if self.source.startswith("\\u", at):
                self.from_escape.add(len(characters))
                characters.append(self._hexadecimal(at))
                offsets.append(at)
                at += 6
                continue
            width = 2 if self.source[at] == "\\" else 1
            characters.extend(self.source[at : at + width])
            offsets.extend(range(at, min(at + width, len(self.source))))
            at += width
        self.text = "".join(characters)
        self.offsets = [*offsets, len(self.source)]

    def _hexadecimal(self, at: int) -> str:
        digits = self.source[at + 2 : at + 6]
        if len(digits) < 4 or not _HEX.issuperset(digits):
            raise _Stop(LexFault("bad-escape", r"\u must be followed by four hexadecimal digits", at))
        return chr(int(digits, 16))

    def _offset(self, at: int) -> int:
        return at if self.offsets is None else self.offsets[at]

    def _stop(self, rule: str, message: str, at: int) -> _Stop:
        return _Stop(LexFault(rule, message, self._offset(at)))

    def _no_escape(self, at: int, where: str) -> None:
        if at in self.from_escape:
            message = f"an escape that ends or changes {where} is read differently by different engines"
            raise self._stop("ambiguous-escape", message, at)

    # --- blanks and comments ---

    def _skip_blank(self) -> bool:
        """Move to the next token; false at the end."""
        text, size = self.text, len(self.text)
        while self.at < size:
            if text[self.at] in _SPACE:
                self.at += 1
            elif text.startswith("//", self.at):
                self._line_comment()
            elif text.startswith("/*", self.at):
                self._block_comment()
            else:
                return True
        return False

    def _line_comment(self) -> None:
        start = self.at
        while self.at < len(self.text) and self.text[self.at] not in "\r\n":
            self.at += 1
        self._comment_escapes(start, self.at + 1, "\r\n/")

    def _block_comment(self) -> None:
        start = self.at
        close = self.text.find("*/", start + 2)
        if close < 0:
            raise self._stop("unterminated-comment", "a comment that begins with /* is not closed by */", start)
        self.at = close + 2
        self._comment_escapes(start, self.at, "*/")

    def _comment_escapes(self, start: int, end: int, significant: str) -> None:
        if not self.from_escape:
            return
        for at in range(start, min(end, len(self.text))):
            if self.text[at] in significant:
                self._no_escape(at, "a comment")

    # --- tokens ---

    def _token(self) -> None:
        char = self.text[self.at]
        if char in "'\"":
            self._string(char)
        elif char == "`":
            value, end = self._backticked(self.at)
            self._add(Kind.QUOTED, value, end)
        elif char == "$":
            self._parameter()
        elif char in "0123456789" or (char == "." and self.text[self.at + 1 : self.at + 2] in tuple("0123456789")):
            self._number()
        elif _starts_name(char):
            self._name()
        else:
            self._operator(char)

    def _add(self, kind: Kind, value: str, end: int, word: str = "") -> None:
        start, stop = self._offset(self.at), self._offset(end)
        self.tokens.append(Token(kind, self.source[start:stop], value, start, stop, word))
        if self.from_escape and kind is not Kind.STRING:
            self.escaped = self.escaped or any(at in self.from_escape for at in range(self.at, end))
        self.at = end

    def _string(self, quote: str) -> None:
        text, size, start = self.text, len(self.text), self.at
        self._no_escape(start, "a string")
        parts: list[str] = []
        at = start + 1
        while at < size and text[at] != quote:
            if text[at] != "\\":
                parts.append(text[at])
                at += 1
                continue
            self._no_escape(at, "a string")
            escape = text[at + 1 : at + 2]
            self._no_escape(at + 1, "a string")
            # Neo4j keeps the backslash of an escape that it does not know, as regular expressions like it.
            parts.append(_SIMPLE_ESCAPES.get(escape, "\\" + escape))
            at += 2
        if at >= size:
            raise self._stop("unterminated-string", f"a string that begins with {quote} is not closed", start)
        self._no_escape(at, "a string")
        self._add(Kind.STRING, "".join(parts), at + 1)

    def _backticked(self, start: int) -> tuple[str, int]:
        """The name that begins with the backtick at ``start``, and where it ends."""
        parts: list[str] = []
        at = start + 1
        self._no_escape(start, "a quoted name")
        while True:
            close = self.text.find("`", at)
            if close < 0:
                raise self._stop("unterminated-name", "a name that begins with a backtick is not closed", start)
            self._no_escape(close, "a quoted name")
            parts.append(self.text[at:close])
            if self.text[close + 1 : close + 2] != "`":
                break
            self._no_escape(close + 1, "a quoted name")
            at = close + 2
        value = "`".join(parts)
        if not value:
            raise self._stop("empty-name", "a name between backticks is empty", start)
        return value, close + 1

    def _parameter(self) -> None:
        start = self.at + 1
        if self.text[start : start + 1] == "`":
            value, end = self._backticked(start)
        else:
            end = self._run(start, _continues_name)
            value = self.text[start:end]
        if value:
            self._add(Kind.PARAMETER, value, end)
        else:
            self._add(Kind.OPERATOR, "$", start)

    def _number(self) -> None:
        match = _NUMBER.match(self.text, self.at)
        assert match is not None
        end = match.end()
        if end < len(self.text) and _continues_name(self.text[end]):
            raise self._stop("bad-number", "a number runs into letters", self.at)
        if re.match(r"0[0-9_]+$", match.group()):
            raise self._stop("bad-number", "octal numbers are written 0o17", self.at)
        self._add(Kind.NUMBER, match.group(), end)

    def _name(self) -> None:
        match = _ASCII_NAME.match(self.text, self.at)
        end = match.end() if match else self.at
        end = self._run(end, _continues_name)
        value = self.text[self.at : end]
        self._add(Kind.NAME, value, end, value.upper() if value.isascii() else "")

    def _run(self, at: int, belongs: Callable[[str], bool]) -> int:
        while at < len(self.text) and belongs(self.text[at]):
            at += 1
        return at

    def _operator(self, char: str) -> None:
        pair = self.text[self.at : self.at + 2]
        operator = pair if pair in _PAIRS else char
        if operator == char and char not in _SINGLE:
            raise self._stop("unknown-character", f"{_described(char)} has no meaning here", self.at)
        self._add(Kind.OPERATOR, operator, self.at + len(operator))


def _starts_name(char: str) -> bool:
    return char.isidentifier()


def _continues_name(char: str) -> bool:
    return ("a" + char).isidentifier()


def _described(char: str) -> str:
    name = unicodedata.name(char, "")
    shown = f"'{char}'" if char.isprintable() else "the invisible character"
    return f"{shown} (U+{ord(char):04X}{' ' + name if name else ''})"
