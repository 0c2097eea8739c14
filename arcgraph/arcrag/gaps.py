"""Gap analysis: the words of a question that nothing known of the graph explains. No call, no query."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from arcgraph.arcrag.interface import Interface
from arcgraph.interpret.english import BARE_NOTIONS, COMMAND_WORDS, DESCRIPTION_WORDS, FUNCTION_WORDS
from arcgraph.interpret.question import read_question
from arcgraph.interpret.terms import shared_stem
from arcgraph.interpret.verbalise import split_name

_SAME = 0.75
_IDLE = FUNCTION_WORDS | COMMAND_WORDS | BARE_NOTIONS | DESCRIPTION_WORDS


def gaps(question: str, interface: Interface, hints: Iterable[str] = ()) -> tuple[str, ...]:
    """The content words that share no stem with a name of the interface, whatever it names, or with a hint."""
    known = set(_words(interface))
    known.update(word for hint in hints for word in split_name(hint))
    return tuple(word for word in content_words(question) if not _is_known(word, known))


def content_words(question: str) -> tuple[str, ...]:
    """The words of a question that say what it is about, in small letters, each once."""
    return tuple(dict.fromkeys(t.lower for t in read_question(question).tokens if t.lower not in _IDLE))


def _is_known(word: str, known: set[str]) -> bool:
    return word in known or any(shared_stem(word, other) >= _SAME for other in known)


def _words(interface: Interface) -> Iterator[str]:
    for anchor in interface.anchors:
        yield from split_name(anchor.name)
    for move in interface.moves:
        yield from (word for name in (move.start, move.descriptor.text, move.end) for word in split_name(name))
    for key in interface.keys:
        yield from (*split_name(key.owner), *split_name(key.key))
