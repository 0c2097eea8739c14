"""What a prompt offers a model, read back for scripts that choose among it and know no answer."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from arcgraph.llm.scripted import Request

_STRING = r'"(?:[^"\\]|\\.)*"'


class Option(NamedTuple):
    """An option as it was offered: its words, and what it found."""

    id: str
    words: str
    found: str


def options(request: Request) -> list[Option]:
    """The options, in order."""
    lines = re.findall(rf"^(O\d+) ({_STRING}) -> (.*)$", request.prompt, re.M)
    return [Option(id_, json.loads(words), found) for id_, words, found in lines]


def option(request: Request, *parts: str, without: tuple[str, ...] = ()) -> str:
    """The first option whose words hold all parts and none of the others, ``none`` where there is none."""
    return next(
        (o.id for o in options(request) if all(p in o.words for p in parts) and not any(w in o.words for w in without)),
        "none",
    )


def relation(request: Request, name: str, start: str = "") -> str:
    """The identifier of a relation, from nodes of a label."""
    found = re.findall(r"^(R\d+) relation \((\w*)\) (<?-\[)(.+?)(\]->?) \((\w*)\)", request.prompt, re.M)
    return next((r for r, a, _, n, _, _ in found if n.strip('"') == name and (not start or a == start)), "")


def entity(request: Request, name: str) -> str:
    """The identifier of an entity."""
    found = re.findall(rf"^(A\d+) entity ({_STRING})", request.prompt, re.M)
    return next((a for a, n in found if json.loads(n) == name), "")


def property_(request: Request, name: str) -> str:
    """The identifier of a property such as ``Ship.launched``."""
    return next((k for k, n in re.findall(r"^(K\d+) property (\S+)", request.prompt, re.M) if n == name), "")


def rows(request: Request) -> Iterator[tuple[str, str]]:
    """The rows of results: the result's identifier and the row as it stands."""
    yield from re.findall(r"^(Q\d+) row: (.*)$", request.prompt, re.M)


def pieces(request: Request) -> dict[str, str]:
    """Edges and passages by identifier."""
    return dict(re.findall(r"^([EP]\d+) (.*)$", request.prompt, re.M))


def piece(request: Request, *parts: str) -> str:
    """The identifier of the first edge or passage that holds all parts; empty where there is none."""
    return next((name for name, text in pieces(request).items() if all(p in text for p in parts)), "")


def evidence(request: Request) -> set[str]:
    """All lines between the marks, without their identifiers, which differ from prompt to prompt."""
    found = re.findall(r"<graph>\n(.*?)\n</graph>", request.prompt, re.S)
    return {re.sub(r"^[QEP]\d+ ", "", line) for text in found for line in text.splitlines()}


def choice(option_: str, *edits: dict[str, str], cypher: str = "", why: str = "it fits") -> dict[str, Any]:
    """A reply at the stage ``generate``."""
    filled = [{"change": "", "relation": "", "property": "", "operator": "", "value": "", **edit} for edit in edits]
    return {"why": why, "option": option_, "edits": filled, "cypher": cypher}


def judged(
    answer: str = "",
    *,
    result: str = "none",
    values: tuple[str, ...] = (),
    claims: tuple[tuple[str, tuple[str, ...]], ...] = (),
    sufficient: bool = True,
    follow_up: str = "",
) -> dict[str, Any]:
    """A reply at the stage ``answer``."""
    return {
        "claims": [{"text": text, "evidence": list(ids)} for text, ids in claims],
        "answer": answer,
        "result": result,
        "values": list(values),
        "sufficient": sufficient,
        "follow_up": follow_up,
    }


NO_LOOKS: dict[str, Any] = {"looks": []}
NO_PLAN: dict[str, Any] = {"answer": "entity", "paths": []}
