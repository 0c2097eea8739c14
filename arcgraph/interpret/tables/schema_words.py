"""What words of a question may mean of a graph's schema."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence, Set
from dataclasses import replace
from functools import cached_property
from typing import Any

from arcgraph.interpret.english import (
    ARTICLES,
    COPULAS,
    FUNCTION_WORDS,
    IRREGULAR_FORMS,
    NOTIONS,
    PARTICLES,
    PREPOSITIONS,
)
from arcgraph.interpret.forms import form_of, has_parts, is_amount
from arcgraph.interpret.literals import Kind
from arcgraph.interpret.marks import Deed, Mark
from arcgraph.interpret.tables.asked import (
    FLOOR,
    OUTRIGHT,
    Asked,
    Sense,
    Stretch,
    Unit,
    carries_meaning,
    is_a_word_of,
    is_command_at,
    is_form_of,
    is_verb,
    sense_of,
    singular,
)
from arcgraph.interpret.tables.catalog import Catalog, Holder, Meaning, are_same, key_words
from arcgraph.interpret.tables.deeds import DATED, STEM, WORDED, Deeds, same_phrases, says_part
from arcgraph.interpret.tables.english import (
    AGENT_ENDINGS,
    AMOUNT_NOUNS,
    COUNT_NOUNS,
    COUNTING_WORDS,
    EVENT_NOUNS,
    GREATER_WORDS,
    HAVING_LINKS,
    MONTH_WORDS,
    NAME_WORDS,
    OPPOSITES,
    PERSON_WORDS,
    PLACE_NOUNS,
    PLAIN_VERBS,
    RELATION_NOUNS,
    REQUEST_WORDS,
    TAIL_NOUNS,
    TIME_NOUNS,
    YEAR_WORDS,
)
from arcgraph.interpret.tables.kinds import Kinds
from arcgraph.interpret.tables.wording import worded
from arcgraph.interpret.terms import shared_stem
from arcgraph.interpret.verbalise import content, last_word, split_name

# Of one stretch so many senses are kept.
MOST_SENSES = 6
# A phrase is of so many words at most.
MOST_PHRASE = 4
# A word hardly means what is less likely than this.
_LEAST = 0.05
# A name that swallows a mark ("average height").
_SWALLOWED, _UNGROUPED = 0.4, 0.2
# And what share of that where a thing is spoken of that has a property of this name.
_SAID_WHOLE = 0.25
# What a word means less where it is another thing's whole name, and where it names a label first of all.
NOT_EXACT = 1.0
_SECOND = 0.6
# What a word means that is the head of a label's name ("call" of PhoneCall).
_HEAD_NOUN = 0.3
# What a property costs whose head noun is not said.
_HEADLESS = 0.5
# What a relation costs whose name ends with a preposition that is not said ("plays" for playsFor).
_NO_PREPOSITION = 0.5
# A label that a noun may be said for, at most so likely, and by its likeness.
_KIND, _UNLIKE = -0.7, -1.4
# From this likeness on a noun in the plural is rather one for a label than a value.
_LIKE_LABEL = 0.35
# A label so near to "person" is one of persons.
_LEAST_PERSON = 0.15
# What a property costs as the sense of a verb.
_AS_VERB = 1.5
# What a property of years costs that is only called the year.
_SAID_AS_YEAR = 0.6
# From this logarithm on a label is near what is asked for, alone where it is so much nearer than the next; it is then
# as likely as this.
_NEAR_HEAD, _ALONE, _HEAD = -1.85, 0.6, -0.75
# A preposition may stand so many words before its verb ("for which clubs did he play").
_FRONTED = 6
_NUMBER = "number"
# "Who" and "whose" behind other words open clauses of their own.
ADVERBS = frozenset(("where", "when"))
_DOING_SO = (Deed.AGGREGATE, Deed.GROUP, Deed.SUPERLATIVE)
_OF_MANY = (Deed.AGGREGATE, Deed.SUPERLATIVE)
_MOMENTS = (Kind.YEAR, Kind.DATE, Kind.DATETIME, Kind.MONTH, Kind.DECADE, Kind.CENTURY)


class SchemaWords:
    """Finds what a question's words may mean of one graph's schema. Thread-safe."""

    def __init__(self, catalog: Catalog, kinds: Kinds):
        self._catalog = catalog
        self._kinds = kinds
        self._deeds = Deeds(catalog)

    def meanings(self, asked: Asked) -> Any:
        """How likely each word means each thing of the schema: an array of words by meanings, nothing last."""
        words = [unit.text for unit in asked.units] or ["thing"]
        return self._catalog.vocabulary.meanings(words)

    def stretches(self, asked: Asked, meanings: Any) -> Iterator[Stretch]:
        """The words and phrases that may mean something of the schema; "when" and "where" become idle where another
        word says which property answers them."""
        words = [unit.text for unit in asked.units]
        for one in worded(words, self._catalog.schema.types, self._catalog.nouns):
            yield Stretch(one.first, one.last, (Sense("relation", -WORDED, one.relation),))
        apart = self._said_apart(asked)
        asked.idle |= self._deeds.periods(asked)
        yield from self._idioms(asked)
        yield from self._deeds.stretches(asked)
        said = {m.name for unit in asked.units for m in self._catalog.called(unit.text) if m.kind == "label"}
        # What is grouped is aggregated.
        swallowing = _SWALLOWED + (_UNGROUPED if any(m.deed == Deed.GROUP for m in asked.marks) else 0.0)
        for i, unit in enumerate(asked.units):
            for size in range(min(MOST_PHRASE, len(asked.units) - i), 1, -1):
                if _crosses_quotes(asked, i, i + size):
                    continue
                if senses := self.phrase(asked, i, size):
                    swallowed = _swallowed(asked, i, i + size)
                    # "Longest lifespans" are no extreme of a longestLifespan: a plural asks for several.
                    is_plain = swallowed is None or (_is_plural(asked, i + size - 1) and swallowed.deed in _OF_MANY)
                    # What closes a name counts nothing ("the highest reply count" of reply_count).
                    is_last = swallowed is not None and swallowed.start == asked.units[i + size - 1].start
                    is_plain = is_plain or (is_last and swallowed is not None and swallowed.value == "count")
                    # What a thing that is spoken of has, and is called so, is hardly worked out of another one's.
                    is_had = i > 0 and asked.units[i - 1].text in HAVING_LINKS
                    cost = swallowing * (_SAID_WHOLE if is_had and self._is_of(said, senses) else 1.0)
                    yield Stretch(i, i + size, senses, log=0.0 if is_plain else -cost)
                    if swallowed is not None and not is_plain:
                        yield Stretch(i, i + size, senses, swallowed, -_SWALLOWED)
            if i not in asked.idle and (senses := self.asked_for(asked, i) or self._those(asked, i)):
                yield Stretch(i, i + 1, senses)
            is_request = unit.text in REQUEST_WORDS and not self._catalog.called(unit.text)
            is_request = is_request or is_command_at(asked, i)
            if unit.text in FUNCTION_WORDS or is_request or unit.text.isdigit() or i in asked.idle:
                continue
            if self._only_aggregates(asked, unit):
                continue
            told = (*self._dated(asked, i), *self._years(asked, i), *self._deeds.undone(unit.text), *apart[i])
            word = self._word(unit.text, meanings[i])
            if kinds := self._kinds_of(asked, i, word):
                said = {sense.name for sense in kinds}
                word = tuple(
                    replace(s, log=s.log - _AS_VERB * all(self._catalog.info(h).type == "boolean" for h in s.holders))
                    if s.kind == "property" else s
                    for s in word if s.kind != "label" or s.name not in said
                )  # fmt: skip
                word = (*kinds, *word)
            if unit.text in PARTICLES and not self._catalog.called(unit.text):
                # "Out" says no property that something is sold out.
                word = tuple(s for s in word if s.kind == "relation")
            if apart[i]:
                # What is asked for is hardly a thing by itself.
                word = tuple(replace(s, log=s.log - _SECOND) for s in word)
            if senses := (*told, *word):
                senses = _as_head(senses) if _is_head(asked, i) and not kinds else senses
                if not (i + 1 < len(asked.units) and asked.units[i + 1].text.isdigit()):
                    senses = _rather_labels(senses)
                senses = tuple(replace(s, log=s.log - _unsaid_preposition(asked, i, s)) for s in senses)
                if is_verb(asked, i) or unit.text.endswith("ed"):
                    senses = (*senses, *self._deeds.relations(unit.text))
                is_done = not told and _is_done(asked, i, senses)
                if (is_verb(asked, i) and not apart[i]) or self._is_transitive(asked, i) or is_done:
                    senses = tuple(replace(s, log=s.log - _AS_VERB * (s.kind == "property")) for s in senses)
                else:
                    senses = tuple(replace(s, log=s.log - _AS_VERB * self._is_doing(asked, i, s)) for s in senses)
                yield Stretch(i, i + 1, tuple(sorted(senses, key=lambda s: -s.log)))

    def _is_of(self, labels: Set[str], senses: Sequence[Sense]) -> bool:
        """Whether all that a name may mean are properties of some labels."""
        return all(s.kind == "property" and {holder.owner for holder in s.holders} <= labels for s in senses)

    def _is_transitive(self, asked: Asked, at: int) -> bool:
        """Whether a word is a verb between the nouns of two things of the graph ("which banks wired payments")."""
        words = [unit.text for unit in asked.units]
        behind = next((w for w in words[at + 1 :] if w not in ARTICLES | COUNTING_WORDS | GREATER_WORDS), "")
        beside = [*words[max(0, at - 1) : at], behind]
        is_verb = words[at].endswith("ed") or words[at] in IRREGULAR_FORMS
        is_thing = any(m.kind != "property" for m in self._catalog.called(words[at]))
        is_between = len(beside) > 1 and is_verb and not is_thing
        # "The most viewed recipes" has no noun before it.
        is_between = is_between and not any(
            m.start <= asked.units[at - 1].start < m.end
            for m in asked.marks if m.deed == Deed.SUPERLATIVE or not m.doubtful
        )  # fmt: skip
        return is_between and carries_meaning(beside[0]) and bool(self._catalog.called(beside[1]))

    def _kinds_of(self, asked: Asked, at: int, senses: Sequence[Sense]) -> tuple[Sense, ...]:
        """The labels that a noun may be said for that names none of them, nor anything else of the schema."""
        word = asked.units[at].text
        behind = asked.units[at + 1].text if at + 1 < len(asked.units) else ""
        is_adjective = any(m.kind == "label" for m in self._catalog.called(behind))
        is_called = any(not self._is_flag(m) for m in self._catalog.called(word))
        # "The match code" is one of a fixture.
        heads = any(m.kind == "property" and not self._is_flag(m) for m in self._catalog.called(behind))
        if is_adjective or is_called or not (heads or _is_noun(asked, at)):
            return ()
        others = [s for s in senses if s.kind != "property" or s.log >= OUTRIGHT]
        others = [s for s in others if not s.holders or self._catalog.info(s.holders[0]).type != "boolean"]
        likely = max((s.log for s in others), default=-math.inf)
        found = (Sense("label", min(_KIND, _UNLIKE + score), label) for label, score in self._kinds.of(word))
        return tuple(sense for sense in found if sense.log > likely)

    def is_of_another_kind(self, word: str, holder: Holder) -> bool:
        """Whether a noun that is no name is rather said for a label than for a value of something else."""
        likely = {label for label, score in self._kinds.of(word) if score >= _LIKE_LABEL}
        return bool(likely) and holder.owner not in likely and not self._catalog.called(word)

    def _is_flag(self, meaning: Meaning) -> bool:
        """Whether a meaning is something that is true or false."""
        infos = (self._catalog.info(holder) for holder in meaning.holders)
        return meaning.kind == "property" and all(info.type == "boolean" for info in infos)

    def _is_doing(self, asked: Asked, at: int, sense: Sense) -> bool:
        """Whether a property is meant by a verb that says no amount and no moment, right behind the noun for a thing
        ("ports hosting …": hostName), or by a noun for those who do something ("reviewers": reviewedAt)."""
        word, before = asked.units[at].text, asked.units[at - 1].text if at else ""
        if sense.kind != "property" or sense.is_name or self._catalog.called(word):
            return False
        infos = [self._catalog.info(holder) for holder in sense.holders]
        is_moment = any(form_of(info).is_moment for info in infos)
        if word.rstrip("s").endswith(AGENT_ENDINGS) and is_moment:
            return True
        is_thing = any(m.kind == "label" for m in self._catalog.called(before))
        says_amount = any(is_amount(info) for info in infos)
        return is_thing and word.endswith(("ed", "ing")) and not is_moment and not says_amount

    def _only_aggregates(self, asked: Asked, unit: Unit) -> bool:
        """Whether a word says how things are aggregated, grouped or sorted, and is no whole name."""
        told = [m for m in asked.marks if m.deed in _DOING_SO and not m.doubtful]
        marked = any((m.start, m.end) == (unit.start, unit.end) for m in told)
        return marked and not self._catalog.called(unit.text)

    def aggregates_another(self, asked: Asked, stretch: Stretch) -> bool:
        """Whether a name begins with a word for aggregating, and the rest of it is a property's name as well ("average
        height", where there are both)."""
        first, last = asked.units[stretch.first], stretch.last
        marked = any(m.deed == Deed.AGGREGATE and (m.start, m.end) == (first.start, first.end) for m in asked.marks)
        rest = tuple(unit.text for unit in asked.units[stretch.first + 1 : last])
        return marked and any(m.kind == "property" for m in self._catalog.named_by(rest))

    def _dated(self, asked: Asked, at: int, plain: str = "") -> Iterator[Sense]:
        """The properties of moments that a verb right before one leads to, by its stem, or by that of a plain verb; and
        right behind "most recently"."""
        start = asked.units[at].end
        follows = [
            min(one.start, one.comparison.start if one.comparison else one.start) for one in asked.literals
            if one.kind in _MOMENTS
        ]  # fmt: skip
        behind = min((at for at in follows if at >= start), default=None)
        if not _is_sorted_by(asked, at) and (behind is None or asked.text[start:behind].strip()):
            return
        verb = plain or asked.units[at].text
        noun = EVENT_NOUNS.get(verb)
        for meaning in self._catalog.meanings:
            if (
                meaning.kind == "property"
                and self._catalog.is_moment(meaning)
                and any(shared_stem(verb, word) >= STEM or noun == word for word in split_name(meaning.name))
            ):
                yield sense_of(meaning, -DATED)

    def _said_apart(self, asked: Asked) -> dict[int, list[Sense]]:
        """The properties of which one word is asked for and the others stand behind it ("which country is Ann a citizen
        of": countryOfCitizenship; "when was it built": yearBuilt, and neither "when" nor "where" needs a property of
        its own then), by the units that say them."""
        found: dict[int, list[Sense]] = defaultdict(list)
        words = [unit.text for unit in asked.units]
        idioms = {first: plain for first, _, plain in _plain_verbs(words)}
        for i in range(len(words)):
            asks = i and words[i - 1] in ("which", "what") and words[i] not in FUNCTION_WORDS
            nouns = {"when": TIME_NOUNS, "where": PLACE_NOUNS}.get(words[i], ()) if not i else ()
            if not asks and not nouns:
                continue
            things = {m.name for m in self._catalog.called(words[i]) if m.kind == "label"}
            for meaning in self._catalog.meanings:
                parts = content(split_name(meaning.name)) if meaning.kind == "property" else ()
                asked_for = next((p for p in parts if are_same((words[i],), (p,)) or p in nouns), None)
                others = [part for part in parts if part != asked_for]
                behind = range(i + 2, len(words))
                spoken = {n: (words[n], idioms.get(n, words[n])) for n in behind}
                said = [n for part in others for n in behind if any(says_part(w, part) for w in spoken[n])]
                all_said = all(any(says_part(w, part) for n in behind for w in spoken[n]) for part in others)
                # "Which ports have the port code 7" asks for ports.
                is_own = any(holder.owner in things for holder in meaning.holders)
                is_when = words[i] == "when" and not i and self._catalog.is_moment(meaning)
                if (asked_for is None and not is_when) or is_own or not said or not all_said:
                    continue
                asked.idle |= {i} if nouns else frozenset()
                for n in {i, *said} - asked.idle - idioms.keys():
                    found[n].append(sense_of(meaning, -DATED))
        return found

    def _idioms(self, asked: Asked) -> Iterator[Stretch]:
        """Verbs with a particle, as what a plain verb means that says the same ("put out": released)."""
        for first, last, plain in _plain_verbs([unit.text for unit in asked.units]):
            senses = (
                *self._dated(asked, last - 1, plain),
                *self._word(plain, self._catalog.vocabulary.meanings([plain])[0]),
            )
            if senses:
                yield Stretch(first, last, tuple(sorted(senses, key=lambda s: -s.log)))

    def _years(self, asked: Asked, at: int) -> tuple[Sense, ...]:
        """The properties that hold years, for the word "year" where none is called so; and behind "per" those that hold
        moments, of which things can be grouped by the year or the month."""
        word = asked.units[at].text
        if word not in YEAR_WORDS | MONTH_WORDS:
            return ()
        begin = asked.units[at - (asked.units[at - 1].text == "calendar")].start if at else 0
        groups = any(m.deed == Deed.GROUP and not asked.text[m.end : begin].strip() for m in asked.marks
                     if m.end <= begin)  # fmt: skip
        is_asked = at > 0 and asked.units[at - 1].text in ("which", "what")
        # "Which year had the most visits?"
        groups = groups or (is_asked and any(m.deed == Deed.SUPERLATIVE and not m.doubtful for m in asked.marks))
        if self._catalog.called(word) and not groups:
            return ()
        said = {m.name for m in self._catalog.meanings if word.rstrip("s") in split_name(m.name)}
        held = [h for m in self._catalog.meanings if m.kind == "property" and m.name not in said for h in m.holders]
        meant = tuple(
            h for h in held
            if (word in YEAR_WORDS and self._is_year(h)) or (groups and has_parts(self._catalog.info(h)))
        )  # fmt: skip
        return (Sense("property", -_SAID_AS_YEAR, word, meant),) if meant else ()

    def _is_year(self, holder: Holder) -> bool:
        info = self._catalog.info(holder)
        return info.type == "integer" and form_of(info).is_moment

    def is_told(self, mark: Mark) -> bool:
        """Whether a word that may count or sort is called so in the schema ("the quantity of", "ordered by")."""
        words = mark.text.lower().split()
        if mark.deed == Deed.AGGREGATE and words[0] in AMOUNT_NOUNS:
            return any(m.kind == "property" for m in self._catalog.called(words[0]))
        is_verb = mark.deed == Deed.ORDER and len(words) > 1 and words[0].endswith("ed")
        return is_verb and any(
            m.kind != "property" and is_form_of(words[0], m.name) for m in self._catalog.called(words[0][:-2])
        )

    def phrase(self, asked: Asked, first: int, size: int) -> tuple[Sense, ...]:
        """Senses of several words that are a whole name, one for one; else of a phrase for the same thing."""
        # "The bank's country" says the same as "bank country".
        words = tuple(u.text for i, u in enumerate(asked.units[first : first + size]) if u.text != "s" or not i)
        if words[0] in PREPOSITIONS and (whole := self._catalog.relations_by_words.get(words)):
            # "On call for" is no calling.
            return (Sense("relation", 0.0, whole),)
        if words[0] in FUNCTION_WORDS or words[-1] in FUNCTION_WORDS:
            return ()
        is_turned = size >= 3 and words[1] == "of" and words[0] not in TAIL_NOUNS
        turned = (*words[2:], words[0]) if is_turned else ()
        found = self._catalog.named_by(words) or (self._catalog.named_by(turned) if turned else [])
        if not found and any(word in FUNCTION_WORDS for word in words):
            found = [m for m in self._catalog.named_by(content(words)) if are_same(words, split_name(m.name))]
        if found:
            return tuple(sense_of(meaning, 0.0) for meaning in found)
        for same in same_phrases(words):
            if kept := [m for m in self._catalog.named_by(content(same)) if m.kind == "property"]:
                return tuple(sense_of(meaning, -0.05) for meaning in kept)
        if words[0] in RELATION_NOUNS and size == 2:
            # "The relationship type" is one of what edges hold.
            own = [
                m
                for m in self._catalog.meanings
                if m.kind == "property" and are_same(words[1:], key_words(m.name)[-1:])
            ]
            if kept := [m for m in own if all(holder.side == "relationship" for holder in m.holders)]:
                return tuple(sense_of(meaning, -0.05) for meaning in kept)
        if words[-1] in COUNT_NOUNS and (kept := self._catalog.named_by((_NUMBER, *words[:-1]))):
            # "Injury counts" are numbers of injuries.
            return tuple(sense_of(meaning, -0.05) for meaning in kept)
        if words[-1] in TAIL_NOUNS:
            kept = [m for m in self._catalog.named_by(words[:-1]) if m.kind == "property"]
            if any(m.kind == "property" for m in self._catalog.called(words[-1])):
                # "The match code" is a code, and no matchday.
                kept = [m for m in kept if set(map(singular, words[:-1])) <= set(map(singular, split_name(m.name)))]
            kept = kept or self._catalog.numbered(words[:-1])
            return tuple(sense_of(meaning, -0.1) for meaning in kept)
        if words[-1] in TIME_NOUNS:
            kept = [
                m for m in self._catalog.named_by(words[:-1]) if m.kind == "property" and self._catalog.is_moment(m)
            ]
            return tuple(sense_of(meaning, -0.1) for meaning in kept)
        return ()

    def called(self, word: str) -> tuple[Sense, ...]:
        """What a word is the whole name of; of names, whatever they are called."""
        named = [sense_of(m, 0.0) for m in self._catalog.called(word)]
        return tuple(named) or (self._word(word, ()) if word in NAME_WORDS else ())

    def _word(self, word: str, row: Any) -> tuple[Sense, ...]:
        if word in NAME_WORDS:
            return (Sense("property", math.log(0.9), word, self._naming(), is_name=True),)
        if word in PERSON_WORDS and not self._catalog.called(word):
            return self.persons
        named = [m for same in same_phrases((word,)) for m in self._catalog.named_by(content(same))]
        same = [m for m in named if m.kind == "property" and not self._catalog.named_by((word,))]
        if same and not any(m.kind == "property" and is_a_word_of(word, m.name) for m in self._catalog.meanings):
            return tuple(sense_of(meaning, -0.05) for meaning in same)
        exact = self._catalog.called(word)
        found = [(float(row[at]), meaning) for at, meaning in enumerate(self._catalog.meanings) if row[at] >= _LEAST]
        opposites = _opposites(word)
        found = [(p, m) for p, m in found if not opposites or not opposites & set(split_name(m.name))]
        found.sort(key=lambda item: -item[0])
        senses = [
            sense_of(m, math.log(FLOOR + p) - self._reserve(word, m) - NOT_EXACT * bool(exact and m not in exact))
            for p, m in found
        ]
        senses += [sense_of(m, 0.0) for m in exact if all(m is not other for _, other in found)]
        # A key that has the word itself comes before one that is called otherwise ("price": unitPrice, then cost).
        senses += [sense_of(m, -_SECOND) for m in same if all(m is not other for _, other in found)]
        headed = self._catalog.heads.get(word.rstrip("s"), ())
        if not exact and headed:
            # A thing is meant before what it has ("calls": a PhoneCall, and no call date).
            senses = [
                replace(s, log=s.log - _SECOND) if s.kind == "property" else s
                for s in senses if s.kind != "label" or s.name not in headed
            ]  # fmt: skip
            senses += [Sense("label", -_HEAD_NOUN, name) for name in headed]
        # Where a word names a label it is a noun, and what else is called so comes second.
        names_label = any(m.kind == "label" for m in exact)
        return tuple(
            replace(s, log=(0.0 if s.kind == "label" else -_SECOND)) if _is_any(s, exact) and names_label else
            replace(s, log=0.0) if _is_any(s, exact) else s
            for s in sorted(senses, key=lambda s: -s.log)[:MOST_SENSES]
        )  # fmt: skip

    def _reserve(self, word: str, meaning: Meaning) -> float:
        """What a word costs that is none of a property's head noun ("watch" of watchCount), or has no word of the key
        of what is true or false, and only reminds of it."""
        words = split_name(meaning.name)
        is_less = meaning.kind == "property" and len(words) > 1 and not is_form_of(word, words[-1])
        reminds = self._is_flag(meaning) and not is_form_of(word, meaning.name)
        return _HEADLESS * is_less + _AS_VERB * reminds

    def asked_for(self, asked: Asked, at: int) -> tuple[Sense, ...]:
        """What a question word at the beginning asks for: the label of persons or places, or a label's one moment."""
        word = asked.units[at].text
        if word not in NOTIONS or len(asked.units) == 1 or (at and word not in ADVERBS):
            return ()
        if any(carries_meaning(unit.text) or unit.text in NAME_WORDS for unit in asked.units[:at]):
            return ()
        if word == "where":
            return (*self._labels_of(NOTIONS[word][0]), *self._places)
        return self._moments if word == "when" else self._labels_of(NOTIONS[word][0])

    def _those(self, asked: Asked, at: int) -> tuple[Sense, ...]:
        """What "those" stands for where more is said of people ("those who", "emails of those living in")."""
        behind = asked.units[at + 1].text if at + 1 < len(asked.units) else ""
        before = asked.units[at - 1].text if at else ""
        is_people = behind in ("who", "whose") or (
            before in PREPOSITIONS and (behind.endswith(("ing", "ed")) or behind in IRREGULAR_FORMS)
        )
        return self.persons if asked.units[at].text == "those" and is_people else ()

    @cached_property
    def _moments(self) -> tuple[Sense, ...]:
        """The properties that answer when, of the labels that have just one."""
        found = []
        for label in self._catalog.labels:
            keys = self._catalog.when_keys(label)
            found += [Holder("node", label, keys[0])] if len(keys) == 1 else []
        return (Sense("property", math.log(0.9), "when", tuple(found)),) if found else ()

    @cached_property
    def _places(self) -> tuple[Sense, ...]:
        """The properties that answer where: of each label that is no place itself the one whose key ends with the
        nearest noun for a place."""
        found = []
        places = {sense.name for sense in self._labels_of(NOTIONS["where"][0])}
        for label, info in self._catalog.schema.labels.items():
            if label in places or last_word(label) in PLACE_NOUNS:
                continue
            keys = {last_word(key): key for key in info.properties}
            if place := next((noun for noun in PLACE_NOUNS if noun in keys), None):
                found.append(Holder("node", label, keys[place]))
        return (Sense("property", math.log(0.9), "where", tuple(found)),) if found else ()

    @cached_property
    def persons(self) -> tuple[Sense, ...]:
        """What words for any person mean here."""
        return self._labels_of("person")

    def _labels_of(self, notion: str) -> tuple[Sense, ...]:
        """The label that a word for a kind of thing means most likely, where any is near."""
        row = self._catalog.vocabulary.meanings([notion])[0]
        found = [(float(p), m) for p, m in zip(row, self._catalog.meanings, strict=False) if m.kind == "label"]
        best = max(found, key=lambda item: item[0], default=None)
        if best is None or best[0] < _LEAST_PERSON:
            return ()
        return (sense_of(best[1], math.log(FLOOR + min(1.0, 2 * best[0]))),)

    def _naming(self) -> tuple[Holder, ...]:
        return tuple(
            Holder("node", label, key) for label in self._catalog.labels for key in self._catalog.naming(label)
        )


def _is_sorted_by(asked: Asked, at: int) -> bool:
    """Whether a word stands right behind a superlative of time ("the most recently released")."""
    begin = asked.units[at].start
    told = (m for m in asked.marks if m.deed == Deed.SUPERLATIVE and m.value.moment and m.end <= begin)
    return any(not asked.text[m.end : begin].strip() for m in told)


def _opposites(word: str) -> frozenset[str]:
    """The words that mean the opposite of one."""
    pairs = (pair for one, other in OPPOSITES for pair in ((one, other), (other, one)))
    return next((other for one, other in pairs if word in one), frozenset())


def _plain_verbs(words: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """Verbs with a particle, and idioms, with the plain verb that says the same."""
    for first in range(len(words)):
        for last in range(first + 2, min(len(words), first + MOST_PHRASE) + 1):
            if plain := PLAIN_VERBS.get(tuple(words[first:last])):
                yield first, last, plain


def _unsaid_preposition(asked: Asked, at: int, sense: Sense) -> float:
    """What a relation costs whose name ends with a preposition that the question does not have behind the verb."""
    last = last_word(sense.name) if sense.kind == "relation" else ""
    if last not in PREPOSITIONS or last in ("by", "of") or any(u.text == last for u in asked.units[at + 1 :]):
        return 0.0
    before = asked.units[at - _FRONTED : at] if at >= _FRONTED else asked.units[:at]
    return 0.0 if any(unit.text == last for unit in before) else _NO_PREPOSITION


def _is_plural(asked: Asked, at: int) -> bool:
    """Whether a word looks like a noun in the plural."""
    return asked.units[at].text.endswith("s") and not asked.units[at].text.endswith("ss")


def _rather_labels(senses: Sequence[Sense]) -> tuple[Sense, ...]:
    """The senses of a word that names a label outright: a property of edges that is called so only refers to it."""
    if not any(s.kind == "label" and s.log >= OUTRIGHT for s in senses):
        return tuple(senses)
    return tuple(
        replace(s, log=s.log - _SECOND) if s.holders and all(h.side == "relationship" for h in s.holders) else s
        for s in senses
    )


def _is_done(asked: Asked, at: int, senses: Sequence[Sense]) -> bool:
    """Whether a participle behind "were" says what was done, and not when ("were moved": MOVED_TO, and no movedOn)."""
    word, before = asked.units[at].text, {unit.text for unit in asked.units[max(0, at - 2) : at]}
    says = any(sense.kind == "relation" and sense.log >= -_NO_PREPOSITION - WORDED for sense in senses)
    is_participle = word.endswith("ed") or word in IRREGULAR_FORMS
    return says and is_participle and bool(COPULAS & before) and asked.units[0].text != "when"


def _is_noun(asked: Asked, at: int) -> bool:
    """Whether a word stands where things are spoken of: in the plural, or behind a word for each of them."""
    before = asked.units[at - 1].text if at else ""
    is_each = before in ("each", "every", "any", "which", "what", "per")
    word = asked.units[at].text
    return (_is_plural(asked, at) or is_each) and not word.endswith(("ed", "ing")) and not is_verb(asked, at)


def _is_head(asked: Asked, at: int) -> bool:
    """Whether a word in the plural is the first that means anything, and so what is asked for."""
    ends = max((m.end for m in asked.marks if m.deed == Deed.AGGREGATE), default=0)
    said = [u for u in asked.units[:at] if u.start >= ends and carries_meaning(u.text)]
    return not said and _is_plural(asked, at)


def _as_head(senses: Sequence[Sense]) -> tuple[Sense, ...]:
    """The senses of what is asked for: it is a thing of the graph, so that the one label that is near is rather meant
    than nothing."""
    labels = sorted((s for s in senses if s.kind == "label"), key=lambda s: -s.log)
    is_one = (
        bool(labels) and labels[0].log >= _NEAR_HEAD and (len(labels) < 2 or labels[0].log - labels[1].log >= _ALONE)
    )
    if not is_one or any(s.log > labels[0].log for s in senses):
        return tuple(senses)
    return tuple(replace(s, log=max(s.log, _HEAD)) if s is labels[0] else s for s in senses)


def _is_any(sense: Sense, meanings: Sequence[Meaning]) -> bool:
    return any(sense.kind == m.kind and sense.name == m.name for m in meanings)


def _swallowed(asked: Asked, first: int, last: int) -> Mark | None:
    """A mark that is not doubtful and lies within units."""
    start, end = asked.units[first].start, asked.units[last - 1].end
    return next((m for m in asked.marks if start <= m.start and m.end <= end and not m.doubtful), None)


def _crosses_quotes(asked: Asked, first: int, last: int) -> bool:
    """Whether units hold a part of a text in quotation marks and something beside it."""
    start, end = asked.units[first].start, asked.units[last - 1].end
    return any(s < end and start < e and (start < s or e < end) for s, e in asked.quoted)
