"""What a question's words say of what was spoken of before: the same again, something new, or one more thing of it."""

from __future__ import annotations

from collections.abc import Sequence

from arcgraph.interpret.english import ARTICLES, COPULAS, PREPOSITIONS
from arcgraph.interpret.tables.asked import Asked, Stretch
from arcgraph.interpret.tables.english import BACK_WORDS, COORDINATING, NEW_WORDS
from arcgraph.interpret.verbalise import last_word

# Words that may stand between "and" and what it goes on with.
GOING_ON = frozenset("also both who that which whom has have had".split())
# "The same … as" stands at most so many words before what something is compared with.
_COMPARED = 8


def second_question(words: Sequence[str]) -> int | None:
    """Where a question goes on with another one ("what are the … and who made them"), and not with one more clause
    that says which things are meant ("people who … and who …"); ``None`` where it does not."""
    for i in range(3, len(words) - 1):
        at = i + 1 + (words[i + 1] in PREPOSITIONS)
        is_asked = words[i] in COORDINATING and at < len(words) and words[at] in _ASKED
        if is_asked and not any(word in _RELATIVE for word in words[2:i]):
            return at
    return None


_ASKED = frozenset("who whom which what where when".split())
_RELATIVE = frozenset("who whom which that whose where".split())


def refers(asked: Asked, stretch: Stretch) -> bool:
    """Whether a word right before says that what follows was named before ("those films", "that very film")."""
    return any(asked.units[i].text in BACK_WORDS for i in range(max(0, stretch.first - 2), stretch.first))


def is_indefinite(asked: Asked, stretch: Stretch) -> bool:
    """Whether a label's words bring in something that was not spoken of before ("a person", "someone", "others")."""
    before = asked.units[stretch.first - 1].text if stretch.first else ""
    return before in NEW_WORDS or asked.units[stretch.first].text in NEW_WORDS


def is_coordinated(asked: Asked, stretch: Stretch, *, is_verb: bool) -> bool:
    """Whether a stretch begins another thing said of what is asked for: "… and who also appear in", "… and had a".

    What is no verb itself needs one before it.
    """
    for i in range(stretch.first - 1, max(-1, stretch.first - 5), -1):
        word = asked.units[i].text
        if word in COORDINATING:
            return is_verb
        if word == "with" and i and "," in asked.text[asked.units[i - 1].end : asked.units[i].start]:
            # "lakes in …, with an area over"
            return True
        is_verb = is_verb or word not in ARTICLES
        if word not in COPULAS | ARTICLES and word not in GOING_ON:
            return False
    return False


def is_somebody(asked: Asked, stretch: Stretch, key: str) -> bool:
    """Whether a name stands for anybody of that name ("related to a Murray"), and so for another than was spoken of."""
    before = asked.units[stretch.first - 1].text if stretch.first else ""
    is_capital = asked.text[asked.units[stretch.first].start].isupper()
    return before in ("a", "an") and is_capital and last_word(key).endswith("name")


def is_compared(asked: Asked, first: int) -> bool:
    """Whether a value that begins at a unit stands behind "the same … as": it is of another thing than what shares
    something with it."""
    words = [unit.text for unit in asked.units[max(0, first - _COMPARED) : first]]
    if "as" not in words:
        return False
    at = len(words) - 1 - words[::-1].index("as")
    return "same" in words[:at] and not COORDINATING & set(words[at:])
