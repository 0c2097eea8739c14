"""Escapes in names, for engines that read none there.

Queries are written as Neo4j reads them: ``\\uXXXX`` stands for a character anywhere in the text. Memgraph and the
embedded engine read it so inside strings alone.
"""

from __future__ import annotations

from arcgraph.graph.lexer import Kind, Token, lex
from arcgraph.graph.names import quote_literally


def literal_names(query: str) -> str:
    """The query with the characters that escapes in its names stand for; what is no Cypher comes back as it is."""
    if r"\u" not in query:
        return query
    tokens = lex(query)
    if tokens.fault or not tokens.escaped:
        return query
    parts: list[str] = []
    done = 0
    for token in tokens.tokens:
        if is_escaped(token):
            parts += [query[done : token.offset], literal(token)]
            done = token.end
    return "".join([*parts, query[done:]])


def is_escaped(token: Token) -> bool:
    """Whether a token holds an escape that only Neo4j reads."""
    return r"\u" in token.text and token.kind in (Kind.NAME, Kind.QUOTED, Kind.PARAMETER)


def literal(token: Token) -> str:
    """The text of a name or parameter without its escapes."""
    if token.kind is Kind.NAME:
        return token.value
    return ("$" if token.kind is Kind.PARAMETER else "") + quote_literally(token.value)
