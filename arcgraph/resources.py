"""Finds the files under ``prompts/`` and ``cypher/``, in a wheel and in a checkout alike."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, StrictUndefined, meta

_PACKAGE = Path(__file__).parent
# A wheel carries the two folders inside the package; an editable install leaves them in the repository.
_HOMES = (_PACKAGE / "_resources", _PACKAGE.parent)


@cache
def read_text(name: str) -> str:
    """The text of a packaged file such as ``cypher/neo4j/labels.cypher``; raises ``FileNotFoundError`` naming it."""
    for home in _HOMES:
        path = home / name
        if path.is_file():
            return path.read_text(encoding="utf-8")
    raise FileNotFoundError(f"{name} is part of arcgraph and was not found; looked in {', '.join(map(str, _HOMES))}")


def cypher(name: str, dialect: str = "") -> str:
    """A fixed query: ``cypher/DIALECT/NAME.cypher`` where the dialect differs, else ``cypher/NAME.cypher``."""
    if dialect:
        try:
            return read_text(f"cypher/{dialect}/{name}.cypher").strip()
        except FileNotFoundError:
            pass
    return read_text(f"cypher/{name}.cypher").strip()


_TEMPLATES = Environment(undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, autoescape=False)


def prompt(name: str, **variables: Any) -> str:
    """The prompt of ``prompts/NAME.md`` with its variables filled in; ``KeyError`` names every one that is missing."""
    source = read_text(f"prompts/{name}.md")
    missing = meta.find_undeclared_variables(_TEMPLATES.parse(source)) - variables.keys()
    if missing:
        raise KeyError(f"the prompt {name} needs {', '.join(sorted(missing))}")
    return _TEMPLATES.from_string(source).render(variables).strip()
