"""The pieces of a long text that are embedded one by one: its sentences, each under the text's heading.

A vector of a whole passage is a mean of all that it says, and most of that is not what a question is about; a sentence
says one thing, and the heading says of what ("She won it twice." under "Ada Lovelace").
"""

from __future__ import annotations

import re
from collections.abc import Iterator

# A mark that ends a sentence, with closing quotes and brackets, before a blank; or of a script without blanks; or an
# empty line. An abbreviation may end a piece too early: it is then short, and short pieces stay with the next.
_BREAK = re.compile(r"(?<=[.!?…])[\"'”’»)\]]*\s+|(?<=[。！？])|\n\s*\n")
_SENTENCE_ENDS = (".", "!", "?", "…", "。", "！", "？", ",", ";", ":")
# Characters.
_LONGEST_HEADING = 120
_SHORTEST = 40
_LONGEST = 500


def windows(text: str) -> list[str]:
    """One piece or more of ``text``, in order; a text without sentences is its own only piece."""
    heading, body = heading_of(text)
    pieces = [piece for sentence in _sentences(body) for piece in _cut(sentence)]
    return [f"{heading} {piece}".strip() for piece in pieces] or [text]


def heading_of(text: str) -> tuple[str, str]:
    """The heading, ``""`` where there is none, and the rest.

    A heading is a short first line that ends no sentence, above an empty line or a much longer one: lines of text
    broken at a margin are all about as long.
    """
    first, _, rest = text.strip().partition("\n")
    heading = first.strip()
    following = rest.split("\n", 1)[0].strip()
    is_apart = bool(rest.strip()) and (not following or len(following) > 2 * len(heading))
    is_heading = 0 < len(heading) <= _LONGEST_HEADING and not heading.endswith(_SENTENCE_ENDS)
    return (heading, rest) if is_heading and is_apart else ("", text)


def _sentences(body: str) -> Iterator[str]:
    """Sentences in order; what is too short to be one stays with the next, at the end with the last."""
    begun = last = ""
    for piece in _BREAK.split(body):
        begun = f"{begun} {' '.join(piece.split())}".strip()
        if len(begun) >= _SHORTEST:
            if last:
                yield last
            begun, last = "", begun
    if whole := f"{last} {begun}".strip():
        yield whole


def _cut(sentence: str) -> Iterator[str]:
    """A sentence without end, such as a table, in pieces of bearable length."""
    while len(sentence) > _LONGEST:
        end = sentence.rfind(" ", _LONGEST // 2, _LONGEST)
        end = _LONGEST if end < 0 else end
        yield sentence[:end]
        sentence = sentence[end:].lstrip()
    if sentence:
        yield sentence
