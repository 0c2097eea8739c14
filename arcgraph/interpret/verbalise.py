"""Names that databases use, as words that people use."""

from __future__ import annotations

import re
from functools import lru_cache

from arcgraph.interpret.english import FUNCTION_WORDS
from arcgraph.search.spoken import DOTTED, local_names
from arcgraph.search.spoken import last_word as last_word
from arcgraph.search.spoken import split_name as split_name
from arcgraph.search.spoken import spoken as spoken

# Words that schemas write together.
_FUSED = {"isa": ("is", "a")}
_PREFIXES = ("has", "is", "get", "rel")
_SUFFIXES = ("inverse", "inv", "rev", "reverse")


@lru_cache(maxsize=100_000)
def relation_words(name: str) -> tuple[str, ...]:
    """The words of a relation's name without the wrapping that carries no meaning.

    A path such as ``/people/person/place_of_birth`` keeps its last segment, one of several paths that are joined by a
    dot the last of each, an address what follows its last mark; ``has_`` before and ``_inverse`` after go.
    """
    words = [w for part in local_names(name) for word in split_name(part) for w in _FUSED.get(word, (word,))]
    words = list(dict.fromkeys(words))
    while len(words) > 1 and words[0] in _PREFIXES and words[1:] != ["a"]:
        words = words[1:]
    while len(words) > 1 and words[-1] in _SUFFIXES:
        words = words[:-1]
    return tuple(words) or (name.lower(),)


@lru_cache(maxsize=100_000)
def subject_class(name: str) -> str:
    """What a qualified name says of a relation's subjects (``/people/person/place_of_birth``: person); else empty."""
    if name.startswith("/"):
        parts = re.split(r"\.(?=/)", name)[0].strip("/").split("/")
    elif DOTTED.fullmatch(name):
        parts = name.split(".")
    else:
        return ""
    return parts[-2] if len(parts) >= 3 else ""


def content(words: tuple[str, ...]) -> tuple[str, ...]:
    """The words that carry meaning; all of them where none does, so that a name never becomes empty."""
    return tuple(w for w in words if w not in FUNCTION_WORDS) or words


def phrase(name: str) -> str:
    """An identifier as a readable phrase."""
    return " ".join(relation_words(name))
