"""What verbs and adjectives say of a schema that names no such word: amounts ("how heavy": weight), moments at which
something was done, or not ("unpicked": pickedOn), and the edges that hold such a moment."""

from __future__ import annotations

from collections.abc import Iterator

from arcgraph.interpret.english import FUNCTION_WORDS, IRREGULAR_FORMS
from arcgraph.interpret.forms import form_of, is_amount
from arcgraph.interpret.operators import HOW_ADJECTIVES, MEASURES, MEASURING_VERBS, is_unit
from arcgraph.interpret.tables.asked import (
    SHORTEST_PLURAL,
    Asked,
    Sense,
    Stretch,
    is_a_word_of,
    is_form_of,
    is_verb,
    sense_of,
    singular,
)
from arcgraph.interpret.tables.catalog import Catalog, Holder, are_same
from arcgraph.interpret.tables.english import EVENT_NOUNS, MEASURED_VERBS, OPPOSING_PREFIXES, PERIODS, SAME_PHRASES
from arcgraph.interpret.terms import shared_stem
from arcgraph.interpret.verbalise import content, split_name

# What a property costs whose key has the stem of the verb right before a moment ("created in 1999": creationYear).
STEM, DATED = 0.6, 0.1
# What something costs that is worded with more than its name.
WORDED = 0.05
# The object of a verb stands at most so many words behind it.
_OBJECT = 3
# What a property costs of whose key only what is measured is said ("how long": crossingTime).
_HOW = 0.4
# What a relation costs that is not called by a verb, but has a key that is.
_AS_DEED = 0.4


class Deeds:
    """Finds what verbs and adjectives of a question mean in one graph's schema. Thread-safe."""

    def __init__(self, catalog: Catalog):
        self._catalog = catalog

    def stretches(self, asked: Asked) -> Iterator[Stretch]:
        """Amounts that an adjective or a verb asks for, and what was done to something; words of their keys that are
        said besides become idle."""
        yield from self._how(asked)
        yield from self._done_to(asked)

    def periods(self, asked: Asked) -> frozenset[int]:
        """The units that say by which stretch of time an amount is told whose key says so already ("the most expensive
        per month": monthlyFee)."""
        words = [unit.text for unit in asked.units]
        found: set[int] = set()
        for i in range(len(words) - 1):
            adjectives = PERIODS.get(words[i + 1]) if words[i] in ("per", "a", "each", "every") else None
            if not adjectives:
                continue
            measured = {m for word in words for m in MEASURES.get(HOW_ADJECTIVES.get(word, word), ())}
            said = measured.union(words[:i], *(other for w in words[:i] for other in same_phrases((w,))))
            for meaning in self._catalog.meanings:
                parts = set(content(split_name(meaning.name))) if meaning.kind == "property" else set()
                if parts & adjectives and (parts - adjectives) & said and self._is_amount(meaning.holders[0]):
                    found |= {i, i + 1}
        return frozenset(found)

    def undone(self, word: str) -> Iterator[Sense]:
        """The moments of what a word says was not done ("unresolved": resolvedAt)."""
        prefix = next((p for p in OPPOSING_PREFIXES if word.startswith(p)), "")
        done = word.removeprefix(prefix)
        if not prefix or len(done) < SHORTEST_PLURAL or not (done.endswith("ed") or done in IRREGULAR_FORMS):
            return
        for meaning in self._catalog.meanings:
            if meaning.kind == "property" and self._catalog.is_moment(meaning) and is_a_word_of(done, meaning.name):
                yield sense_of(meaning, -DATED)

    def relations(self, verb: str) -> Iterator[Sense]:
        """The relations of which a key tells when what a verb says was done ("pledged": the edges with pledgedOn)."""
        for meaning in self._catalog.meanings:
            is_moment = meaning.kind == "property" and self._catalog.is_moment(meaning)
            if is_moment and is_form_of(verb, "".join(split_name(meaning.name)[:1])):
                edges = (holder.owner for holder in meaning.holders if holder.side == "relationship")
                yield from (Sense("relation", -_AS_DEED, owner) for owner in edges)

    def _how(self, asked: Asked) -> Iterator[Stretch]:
        """The amounts that "how" and an adjective ask for, or a verb tells ("how long does the crossing take":
        duration; "what does it cost": price), rather those of whose keys another word is said as well."""
        words = [unit.text for unit in asked.units]
        for i in range(1, len(words)):
            adjective = HOW_ADJECTIVES.get(words[i]) if words[i - 1] == "how" else MEASURING_VERBS.get(words[i])
            measures = MEASURES.get(adjective or "", frozenset())
            if not measures:
                continue
            senses = []
            for meaning in self._catalog.meanings:
                parts = split_name(meaning.name) if meaning.kind == "property" else ()
                if not measures & set(parts) or not any(self._is_amount(holder) for holder in meaning.holders):
                    continue
                if is_a_word_of(words[i], meaning.name):
                    # A "cost_in_credits" is called so.
                    continue
                others = [part for part in parts if part not in measures and not is_unit(part)]
                said = {n for n, word in enumerate(words) if n != i and any(says_part(word, part) for part in others)}
                asked.idle |= {n for n in said if not self._catalog.called(words[n])}
                senses.append(sense_of(meaning, -_HOW if others and not said else -DATED))
            if senses:
                verbs = {n for n in range(i + 1, len(words)) if words[n] in MEASURED_VERBS and is_verb(asked, n)}
                asked.idle |= {n for n in verbs if all(m.kind == "relation" for m in self._catalog.called(words[n]))}
                yield Stretch(i, i + 1, tuple(sorted(senses, key=lambda s: -s.log)))

    def _done_to(self, asked: Asked) -> Iterator[Stretch]:
        """Properties whose keys end with a participle, said by a verb and its object ("paid their fee": feePaid)."""
        words = [unit.text for unit in asked.units]
        for meaning in self._catalog.meanings:
            parts = split_name(meaning.name) if meaning.kind == "property" else ()
            if len(parts) < 2 or not (parts[-1].endswith("ed") or parts[-1] in IRREGULAR_FORMS):
                continue
            verbs = [i for i, word in enumerate(words) if are_same((word,), parts[-1:]) and word not in FUNCTION_WORDS]
            for i in verbs:
                size = len(parts) - 1
                for first in range(i + 1, min(len(words), i + 1 + _OBJECT)):
                    if are_same(tuple(words[first : first + size]), parts[:-1]):
                        yield Stretch(i, first + size, (sense_of(meaning, -WORDED),))

    def _is_amount(self, holder: Holder) -> bool:
        info = self._catalog.info(holder)
        return (info.type == "duration" or is_amount(info)) and not form_of(info).is_moment


def same_phrases(words: tuple[str, ...]) -> list[tuple[str, ...]]:
    """The other phrases of general English for the same kind of property."""
    one = " ".join((*words[:-1], singular(words[-1])))
    return [tuple(other.split()) for group in SAME_PHRASES if one in group for other in group if other != one]


def says_part(word: str, part: str) -> bool:
    """Whether a word is a form of a key's word, or a verb for what it is the noun of ("born": birth)."""
    return word not in FUNCTION_WORDS and (EVENT_NOUNS.get(word) == part or shared_stem(word, part) >= STEM)
