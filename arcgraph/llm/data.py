"""What a graph says, as it stands in prompts: as data between marks, a line each, bulky values cut.

Text of a graph may hold anything, orders to a model among it. No value can end the block that it stands in, or begin
another line: each is a JSON string, and the marks themselves are broken up inside one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from arcgraph.domain import Edge, Node, Omitted, Path
from arcgraph.graph.values import to_plain
from arcgraph.resources import prompt

OPEN, CLOSE = "<graph>", "</graph>"
LONGEST = 200
_MOST_ITEMS = 10
_WORD = re.compile(r"\w{1,60}")
# About so many characters make a token; what is counted is a bound and no bill.
_CHARS_A_TOKEN = 3.5


def quoted(value: Any, longest: int = LONGEST) -> str:
    """One value: texts as JSON strings of at most ``longest`` characters, lists and maps item by item."""
    if isinstance(value, Omitted):
        return str(value)
    if isinstance(value, Node | Edge | Path):
        # Whoever shows elements names them; nothing else of theirs belongs into a prompt.
        return f"<{type(value).__name__.lower()}>"
    plain = to_plain(value)
    if isinstance(plain, str):
        return _text(plain, longest)
    if isinstance(plain, list):
        more = [f"… {len(plain) - _MOST_ITEMS} more"] if len(plain) > _MOST_ITEMS else []
        items = value if isinstance(value, list | tuple) else plain
        return f"[{', '.join([quoted(v, longest) for v in list(items)[:_MOST_ITEMS]] + more)}]"
    if isinstance(plain, Mapping):
        items = list(plain.items())[:_MOST_ITEMS]
        return "{" + ", ".join(f"{_text(str(k), longest)}: {quoted(v, longest)}" for k, v in items) + "}"
    return json.dumps(plain)


def _text(text: str, longest: int) -> str:
    cut = text if len(text) <= longest else f"{text[: longest - 1].rstrip()}…"
    safe = json.dumps(cut, ensure_ascii=False).replace("\u2028", " ").replace("\u2029", " ").replace("\x85", " ")
    return safe.replace(OPEN, "<\\u0067raph>").replace(CLOSE, "<\\/graph>")


def named(name: str) -> str:
    """A label, relation or key: as it is where it is one short word, else :func:`quoted`."""
    return name if _WORD.fullmatch(name) else quoted(name)


def rules() -> str:
    """What a model is told before anything else: how it works, and what such text is."""
    return prompt("rules", begin=OPEN, end=CLOSE)


def block(lines: Iterable[str]) -> str:
    """Lines whose values are :func:`quoted`, between the marks."""
    return "\n".join([OPEN, *lines, CLOSE])


def tokens(text: str) -> int:
    """About how many tokens a text has."""
    return int(len(text) / _CHARS_A_TOKEN) + 1


def fitting(lines: Iterable[str], budget: int) -> list[str]:
    """The first lines that fit into so many tokens; a line that says how many were left out stands for the others."""
    kept: list[str] = []
    everything = list(lines)
    for line in everything:
        budget -= tokens(line)
        if budget < 0:
            break
        kept.append(line)
    left = len(everything) - len(kept)
    return [*kept, f"({left} more left out)"] if left else kept
