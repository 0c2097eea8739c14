"""Habits of SQL in a model's Cypher that can be put right without changing what is asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from arcgraph.graph.lexer import Kind, Token, lex

_PROJECTING = frozenset(("RETURN", "WITH"))
_ENDING = frozenset(("ORDER", "LIMIT", "SKIP", "OFFSET", "RETURN", "WITH", "MATCH", "OPTIONAL", "UNWIND", "UNION"))
_Text = tuple[str, ...]


def ungrouped(cypher: str) -> str:
    """The query without a ``GROUP BY`` that says what Cypher does anyway: its groups are columns that are returned.

    One that groups by anything else stays, and the gate says what is wrong with it.
    """
    tokens = lex(cypher)
    outer = [] if tokens.fault else list(_outer(tokens.tokens))
    for at, (token, following) in enumerate(pairwise(outer)):
        if (token.word, following.word) == ("GROUP", "BY"):
            end = next(i for i in range(at, len(outer)) if outer[i].word in _ENDING or outer[i].kind == Kind.END)
            groups = _items(tokens.tokens, outer[at + 2 : end])
            if groups and set(groups) <= _columns(tokens.tokens, outer[:at]):
                return f"{cypher[: token.offset].rstrip()} {cypher[outer[end].offset :]}".strip()
    return cypher


def _outer(tokens: Sequence[Token]) -> Iterator[Token]:
    """The tokens outside of all brackets; of a bracket that closes only where it opens."""
    depth = 0
    for token in tokens:
        depth -= token.text in (")", "]", "}")
        if depth == 0:
            yield token
        depth += token.text in ("(", "[", "{")


def _columns(tokens: Sequence[Token], before: Sequence[Token]) -> set[_Text]:
    """What the last RETURN or WITH before a place returns: each column's expression, and its name."""
    starts = [i for i, token in enumerate(before) if token.word in _PROJECTING]
    items = _items(tokens, before[starts[-1] + 1 :]) if starts else []
    found = set(items)
    for item in items:
        if "AS" in (words := [part.upper() for part in item]):
            at = len(words) - 1 - words[::-1].index("AS")
            found |= {item[:at], item[at + 1 :]}
    return found


def _items(tokens: Sequence[Token], outer: Sequence[Token]) -> list[_Text]:
    """What stands between commas, token by token, with all that its brackets hold."""
    if not outer:
        return []
    breaks = {token.offset for token in outer if token.text == ","}
    items: list[list[str]] = [[]]
    for token in tokens:
        if outer[0].offset <= token.offset <= outer[-1].offset:
            if token.offset in breaks:
                items.append([])
            else:
                items[-1].append(token.text)
    return [tuple(item) for item in items if item]
