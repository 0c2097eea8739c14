"""Labels and types of the embedded engine that are not plain ASCII words.

The engine drops the quotes of a quoted label or type inside a pattern and reads it again without them, unless it holds
a space, so that ``(:`人物`)`` or ``[:`a:b`]`` fail to parse. Such names are stored with a mark behind them that holds a
space; queries get it on the way in, results lose it on the way out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from arcgraph.graph.escapes import is_escaped, literal
from arcgraph.graph.lexer import Kind, Token, lex
from arcgraph.graph.names import quote_literally

# A space, which keeps the quotes, and an invisible separator, which no one's own names end with.
NAME_MARK = " \u2063"
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_QUOTED = re.compile(r"`((?:[^`]|``)*)`")
_SUBQUERY_WORDS = frozenset(("EXISTS", "COUNT", "COLLECT", "CALL"))


def stored_name(name: str) -> str:
    """The label or type under which the engine stores a loaded one."""
    return name if _PLAIN.match(name) else name + NAME_MARK


def loaded_name(name: str) -> str:
    """The loaded label or type behind a stored one."""
    return name.removesuffix(NAME_MARK)


def store_names(query: str) -> str:
    """The query with every label and type as it is stored and no escapes in names.

    A query that is no Cypher comes back as it is.
    """
    if not _may_be_unusual(query):
        return query
    tokens = lex(query)
    if tokens.fault:
        return query
    parts: list[str] = []
    done = 0
    marked = {token.offset for token in _labels_and_types(tokens.tokens) if not _PLAIN.match(token.value)}
    for token in tokens.tokens:
        if token.offset in marked:
            parts += [query[done : token.offset], quote_literally(stored_name(token.value))]
            done = token.end
        elif is_escaped(token):
            parts += [query[done : token.offset], literal(token)]
            done = token.end
    return "".join([*parts, query[done:]])


def _may_be_unusual(query: str) -> bool:
    """Whether the query may hold a name that is not plain: only then is it worth reading token by token."""
    if not query.isascii() or r"\u" in query:
        return True
    if "'" in query or '"' in query or "/" in query:
        # A backtick inside a string or a comment would pair with the wrong one.
        return "`" in query
    return any(not _PLAIN.match(name) for name in _QUOTED.findall(query))


def _labels_and_types(tokens: tuple[Token, ...]) -> Iterator[Token]:
    """The names that stand where a label or type does: after a colon that is not a map's, and in such expressions."""
    open_brackets: list[bool] = []  # whether the bracket is a map
    in_expression = False
    for at, token in enumerate(tokens):
        before = tokens[at - 1] if at else None
        if token.kind == Kind.OPERATOR:
            if token.text in "([{":
                open_brackets.append(token.text == "{" and not _opens_subquery(tokens, at))
            elif token.text in ")]}" and open_brackets:
                open_brackets.pop()
            if token.text == ":":
                in_expression = not (open_brackets and open_brackets[-1])
            elif token.text not in ("|", "&", "!", "(", ")", "%"):
                in_expression = False
        elif token.kind in (Kind.NAME, Kind.QUOTED):
            if in_expression and before is not None and before.text in (":", "|", "&", "!", "("):
                yield token
            elif not (before is not None and before.text in (":", "|", "&", "!", "(")):
                in_expression = False
        else:
            in_expression = False


def _opens_subquery(tokens: tuple[Token, ...], brace: int) -> bool:
    """Whether a brace begins a subquery rather than a map: after EXISTS, COUNT, COLLECT, CALL or CALL (…)."""
    at = brace - 1
    if at >= 0 and tokens[at].text == ")":
        depth = 0
        while at >= 0:
            depth += {")": 1, "(": -1}.get(tokens[at].text, 0)
            at -= 1
            if depth == 0:
                break
        return at >= 0 and tokens[at].word == "CALL"
    return at >= 0 and tokens[at].word in _SUBQUERY_WORDS
