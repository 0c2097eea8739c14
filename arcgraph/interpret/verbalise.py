"""Names that databases use, as words that people use."""

from __future__ import annotations

import re
from functools import lru_cache

from arcgraph.interpret.english import FUNCTION_WORDS

# "people.person.place_of_birth" and "schema:birthPlace".
_DOTTED = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*){2,}")
_PREFIXED = re.compile(r"[^\W\d]\w{0,15}:[^\W\d][\w-]*")
# Words that schemas write together.
_FUSED = {"isa": ("is", "a")}
_PREFIXES = ("has", "is", "get", "rel")
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

    A path such as ``/people/person/place_of_birth`` keeps its last segment, one of several paths that are joined by a
    dot the last of each, an address what follows its last mark; ``has_`` before and ``_inverse`` after go.
    """
    words = [w for part in _local_names(name) for word in split_name(part) for w in _FUSED.get(word, (word,))]
    words = list(dict.fromkeys(words))
    while len(words) > 1 and words[0] in _PREFIXES and words[1:] != ["a"]:
        words = words[1:]
    while len(words) > 1 and words[-1] in _SUFFIXES:
        words = words[:-1]
    return tuple(words) or (name.lower(),)


def _local_names(name: str) -> list[str]:
    """What is left of a qualified name once the qualification is gone."""
    if "://" in name:
        return [re.split(r"[/#]", name.rstrip("/#"))[-1]]
    if name.startswith("/"):
        return [path.rstrip("/").rsplit("/", 1)[-1] for path in re.split(r"\.(?=/)", name)]
    if _DOTTED.fullmatch(name):
        return [name.rsplit(".", 1)[-1]]
    if _PREFIXED.fullmatch(name):
        return [name.split(":", 1)[1]]
    return [name]


@lru_cache(maxsize=100_000)
def subject_class(name: str) -> str:
    """What a qualified name says of a relation's subjects (``/people/person/place_of_birth``: person); else empty."""
    if name.startswith("/"):
        parts = re.split(r"\.(?=/)", name)[0].strip("/").split("/")
    elif _DOTTED.fullmatch(name):
        parts = name.split(".")
    else:
        return ""
    return parts[-2] if len(parts) >= 3 else ""


def spoken(name: str) -> str:
    """All words of a relation's name but for its qualification, as they are said between two names."""
    return " ".join(word for part in _local_names(name) for word in split_name(part)) or name


def content(words: tuple[str, ...]) -> tuple[str, ...]:
    """The words that carry meaning; all of them where none does, so that a name never becomes empty."""
    return tuple(w for w in words if w not in FUNCTION_WORDS) or words


def phrase(name: str) -> str:
    """An identifier as a readable phrase."""
    return " ".join(relation_words(name))
