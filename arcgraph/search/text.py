"""Folding: what two spellings of one name have in common, and where in the original each piece came from.

A text folds to a list of tokens. Case, accents, width and punctuation fall away; an apostrophe inside a word joins
("O'Neill" is ``oneill``); every character of a script that is written without spaces, and every symbol or emoji, is a
token of its own, so that a name in running Chinese is found as a sequence of tokens like any other.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

# Words of a question that carry grammar rather than content.
FUNCTION_WORDS = frozenset(
    """a an the this that these those some any each every no of in on at by for from to into onto with without about
    as than and or but nor not if so is are was were be been being am do does did done has have had having will would
    shall should can could may might must i me my mine we us our ours you your yours he him his she her hers it its
    they them their theirs who whom whose which what when where why how there here s t""".split()
)

# Words that people leave out of a name or put into it ("Knock" for "The Knock"); "will", "may" and "her" name things.
GLUE = frozenset("the a an of and or in on at to for from with by".split())

# Letters that people type without their mark although Unicode does not decompose them.
_PLAIN = {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "ħ": "h", "ŧ": "t"}
_APOSTROPHES = frozenset("'’‘ʼ′＇`´")
_UNSPACED = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x1000, 0x109F),  # Myanmar
    (0x1780, 0x17FF),  # Khmer
    (0x2E80, 0x2FDF),  # radicals
    (0x3005, 0x30FF),  # kana
    (0x3100, 0x31FF),
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),  # Han
    (0xAC00, 0xD7A3),  # Hangul: spaced, but particles are glued to names
    (0xF900, 0xFAFF),
    (0x20000, 0x3FFFF),
)
_TOKEN = re.compile(r"[^\s']+(?:'[^\s']+)*")
_INNER_APOSTROPHE = re.compile(r"(?<=[^\s'])'(?=[^\s'])")
# Marks at or above this combining class are accents; below lie dependent vowels, voicing marks and viramas, without
# which words of Indic scripts and kana would fall together.
_FIRST_ACCENT_CLASS = 10


@dataclass(frozen=True, slots=True)
class Token:
    """One folded token and the characters ``start:end`` of the original that it came from.

    ``owner`` is the token without a possessive ending ("heat" for "Heat's"), else the token itself.
    """

    text: str
    start: int
    end: int
    owner: str

    @property
    def is_function_word(self) -> bool:
        """Whether it carries grammar only."""
        return self.owner in FUNCTION_WORDS or self.text in FUNCTION_WORDS


def is_unspaced(character: str) -> bool:
    """Whether a letter belongs to a script in which words are not separated by spaces."""
    code = ord(character)
    return code >= 0x0E00 and any(low <= code <= high for low, high in _UNSPACED) and character.isalnum()


def is_symbol(character: str) -> bool:
    """Mathematical, currency and other symbols, emoji included."""
    return unicodedata.category(character) in ("Sm", "Sc", "So")


class _Folding(dict[int, str]):
    """Code point to its folded text, filled as characters are met; fits ``str.translate``."""

    def __missing__(self, code: int) -> str:
        folded = self[code] = _fold_character(chr(code))
        return folded


def _fold_character(character: str) -> str:
    if character in _APOSTROPHES:
        return "'"
    # Invisible: joiners, direction marks, variation selectors.
    if unicodedata.category(character) == "Cf" or 0xFE00 <= ord(character) <= 0xFE0F:
        return ""
    return "".join(map(_fold_compatible, unicodedata.normalize("NFKC", character)))


def _fold_compatible(character: str) -> str:
    if is_unspaced(character):
        return f" {character} "
    if is_symbol(character) and character != "\N{FRACTION SLASH}":
        return f" {character} "
    decomposed = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", character).casefold())
    return "".join(map(_fold_simple, decomposed))


def _fold_simple(character: str) -> str:
    category = unicodedata.category(character)
    if unicodedata.combining(character) >= _FIRST_ACCENT_CLASS:
        return ""
    if category == "Nd":
        return str(unicodedata.decimal(character))
    if category[0] in "LNM":
        return _PLAIN.get(character, character)
    return " "


_FOLDING = _Folding()


def tokens(text: str) -> list[str]:
    """The folded tokens of a text."""
    if not text.isascii():
        text = unicodedata.normalize("NFC", text)
    folded = text.translate(_FOLDING)
    if "'" in folded:
        folded = _INNER_APOSTROPHE.sub("", folded).replace("'", " ")
    return folded.split()


def fold(text: str) -> str:
    """The folded tokens with one blank between them."""
    return " ".join(tokens(text))


def content(words: list[str]) -> list[str]:
    """The tokens of a name that make it this name: neither glue nor symbols."""
    return [w for w in words if w not in GLUE and not is_symbol(w[0])]


def tokenize(text: str) -> list[Token]:
    """The same tokens as :func:`tokens`, each with its place in ``text``."""
    folded: list[str] = []
    origin: list[tuple[int, int]] = []
    for start, end in _clusters(text):
        piece = unicodedata.normalize("NFC", text[start:end]).translate(_FOLDING)
        folded.append(piece)
        origin.extend([(start, end)] * len(piece))
    found = _TOKEN.finditer("".join(folded))
    return [_token(m.group(), origin[m.start()][0], origin[m.end() - 1][1]) for m in found]


def _token(raw: str, start: int, end: int) -> Token:
    joined = raw.replace("'", "")
    owner = raw[:-2].replace("'", "") if raw.endswith("'s") else joined
    return Token(joined, start, end, owner)


def _clusters(text: str) -> list[tuple[int, int]]:
    """Character spans, each a character with the marks and trailing jamo that compose with it."""
    if text.isascii() or unicodedata.is_normalized("NFC", text):
        return [(i, i + 1) for i in range(len(text))]
    starts = [i for i, c in enumerate(text) if not i or not _composes(c)]
    return list(zip(starts, [*starts[1:], len(text)], strict=True))


def _composes(character: str) -> bool:
    return unicodedata.combining(character) > 0 or "\u1160" <= character <= "\u11ff"
