"""Names that databases use, as words that people use."""

from __future__ import annotations

import re
from functools import lru_cache

from arcgraph.interpret.english import FUNCTION_WORDS

_PREFIXES = ("has", "is", "get", "rel")
# ``prefix:name``, or ``domain.class.name``.
_QUALIFIED = re.compile(r"[^\W\d]\w*:[^\W\d][\w-]*|[^\W\d]\w*(\.[^\W\d]\w*){2,}")
_SUFFIXES = ("inverse", "inv", "rev", "reverse")


@lru_cache(maxsize=100_000)
def split_name(name: str) -> tuple[str, ...]:
    """Lower-case words of an identifier or phrase: camelCase, snake_case, paths and punctuation are boundaries."""
    words: list[str] = []
    for chunk in re.split(r"[\W_]+", name):
        words += [piece.lower() for piece in _camel(chunk)]
    return tuple(words)


def _camel(chunk: str) -> list[str]:
    if chunk.isupper() or chunk.islower():
        return re.findall(r"\d+|[^\W\d]+", chunk)
    return re.findall(r"\d+|[A-Z]+(?![a-z])|[A-Z]?[^\WA-Z\d]+|[^\W\d]+", chunk)


@lru_cache(maxsize=100_000)
def relation_words(name: str) -> tuple[str, ...]:
    """The words of a relation's name without the wrapping that carries no meaning.

    A path such as ``/people/person/place_of_birth`` or ``people.person.place_of_birth`` and a name of linked data
    such as ``http://schema.org/birthPlace`` or ``schema:birthPlace`` keep their last segment; ``has_`` before and
    ``_inverse`` after go.
    """
    words = list(split_name(_last_segment(name)))
    while len(words) > 1 and words[0] in _PREFIXES:
        words = words[1:]
    while len(words) > 1 and words[-1] in _SUFFIXES:
        words = words[:-1]
    return tuple(words) or (name.lower(),)


def spoken(name: str) -> str:
    """The words of a relation's last segment, all of them, as they are said between two names."""
    return " ".join(split_name(_last_segment(name))) or name


def _last_segment(name: str) -> str:
    if name.startswith("/") or "://" in name:
        return re.split(r"[/#]", name.rstrip("/#>"))[-1]
    return name[name.rfind(":") + 1 :].rsplit(".", 1)[-1] if _QUALIFIED.fullmatch(name) else name


def content(words: tuple[str, ...]) -> tuple[str, ...]:
    """The words that carry meaning; all of them where none does, so that a name never becomes empty."""
    return tuple(w for w in words if w not in FUNCTION_WORDS) or words


def phrase(name: str) -> str:
    """An identifier as a readable phrase."""
    return " ".join(relation_words(name))
