"""Names that databases use, taken apart into the words that they were made of."""

from __future__ import annotations

import re
from functools import lru_cache

# "people.person.place_of_birth" and "schema:birthPlace".
DOTTED = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*){2,}")
_PREFIXED = re.compile(r"[^\W\d]\w{0,15}:[^\W\d][\w-]*")


@lru_cache(maxsize=100_000)
def split_name(name: str) -> tuple[str, ...]:
    """Lower-case words of an identifier or phrase: camelCase, snake_case, paths and punctuation are boundaries."""
    words: list[str] = []
    for chunk in re.split(r"[\W_]+", name):
        words += [piece.lower() for piece in _camel(chunk)]
    return tuple(words)


def last_word(name: str) -> str:
    """The last of a name's words, empty where it has none: "", "_", "№"."""
    return next(reversed(split_name(name)), "")


def _camel(chunk: str) -> list[str]:
    if chunk.isupper() or chunk.islower():
        return re.findall(r"\d+|[^\W\d]+", chunk)
    return re.findall(r"\d+|[A-Z]+(?![a-z])|[A-Z]?[^\WA-Z\d]+|[^\W\d]+", chunk)


def local_names(name: str) -> list[str]:
    """What is left of a qualified name once the qualification is gone."""
    if "://" in name:
        return [re.split(r"[/#]", name.rstrip("/#"))[-1]]
    if name.startswith("/"):
        return [path.rstrip("/").rsplit("/", 1)[-1] for path in re.split(r"\.(?=/)", name)]
    if DOTTED.fullmatch(name):
        return [name.rsplit(".", 1)[-1]]
    if _PREFIXED.fullmatch(name):
        return [name.split(":", 1)[1]]
    return [name]


@lru_cache(maxsize=100_000)
def spoken(name: str) -> str:
    """All words of a relation's name but for its qualification, as they are said between two names."""
    return " ".join(word for part in local_names(name) for word in split_name(part)) or name
