"""What a draft makes nothing of, and what that says against it."""

from __future__ import annotations

import math
from functools import cached_property

from arcgraph.interpret.english import (
    ARTICLES,
    COPULAS,
    FUNCTION_WORDS,
    IRREGULAR_FORMS,
    OPENING_VERBS,
    PARTICLES,
    POSSESSIVES,
    PREPOSITIONS,
)
from arcgraph.interpret.forms import MOMENT_TYPES, form_of
from arcgraph.interpret.marks import Deed
from arcgraph.interpret.operators import MEASURING_VERBS, is_unit
from arcgraph.interpret.tables.asked import Asked, carries_meaning, is_verb, singular
from arcgraph.interpret.tables.catalog import Catalog, key_words, without_unit
from arcgraph.interpret.tables.english import (
    CLAUSE_OPENERS,
    COUNT_NOUNS,
    DWELLING_VERBS,
    IDIOM_NOUNS,
    LIGHT_VERBS,
    MANNER_WORDS,
    NARROWING_WORDS,
    ORDER_VERBS,
    OWNING_VERBS,
    PERSON_WORDS,
    PLACING,
    RELATIVE_PRONOUNS,
    SAMENESS_WORDS,
    TAIL_NOUNS,
    TELLING_APART,
    TIME_NOUNS,
    TIMES_WORDS,
)
from arcgraph.interpret.tables.parse import Draft, Use, holder_of, is_agent_noun
from arcgraph.interpret.verbalise import last_word, split_name

# From this logarithm on a word says a thing of the schema outright; from this one on a verb may well say a relation.
_OUTRIGHT = -0.2
_LIKE = math.log(0.12)
# Below this one a noun hardly means what it was taken for.
_HARDLY = math.log(0.15)
# From this logarithm on a word is a value, whatever its case.
_KNOWN = -0.5
# From this logarithm down a word barely means a property.
_BARELY = math.log(0.2)
# Below these a noun is only said for a label, and hardly so.
_SAID, _UNLIKELY = -0.85, -1.0
# What a hop costs at most that is the only way between two labels: hardly anything else can be meant.
_ONLY_WAY = 0.45
# A noun stands so few words before or behind the number that it is compared with.
_NEAR = 3
# A clause that tells which thing is meant begins so many words behind "the same".
_SOON = 6
# Words that say what to do with what is found, and particles of verbs.
_ASKING = OPENING_VERBS | ORDER_VERBS | NARROWING_WORDS | PARTICLES
# An event whose moment no property is called by counts for so many.
_UNDATED = 2
# As much weighs a noun that says how two things have to do with each other where that is guessed.
_UNTOLD = 2
_YEARS = (1000, 2100)


class Leftover:
    """The words of a question that a draft makes nothing of: ``quoted`` those of each text in quotation marks,
    ``words`` all others, ``telling`` those of these that carry meaning. Words are told by their places."""

    def __init__(self, asked: Asked, draft: Draft, catalog: Catalog):
        self._catalog = catalog
        self._asked = asked
        self._draft = draft
        covered = {i for use in draft.uses for i in range(use.first, use.last)}
        covered |= {i for i, u in enumerate(asked.units) for m in draft.marks if m.start <= u.start and u.end <= m.end}
        self._covered = covered
        quoted = [[i for i, u in enumerate(asked.units) if a <= u.start and u.end <= b] for a, b in asked.quoted]
        inside = {i for units in quoted for i in units}
        self.quoted = [[i for i in units if i not in covered] for units in quoted]
        self.words = [i for i in range(len(asked.units)) if i not in covered | inside | asked.idle | asked.light]
        self.telling = [i for i in self.words if carries_meaning(asked.units[i].text)]

    # --- counts ------------------------------------------------------------------------------------------------------

    def unknown(self) -> int:
        """How many texts in quotation marks, and words written like names, nothing stands for."""
        names = [i for i in self.words if self._is_written_like_a_name(i) or self._is_code_of_a_property(i)]
        numbers = [i for i in self.words if self._is_number_of_a_name(i)]
        return (
            sum(1 for units in self.quoted if any(self._word(i) not in FUNCTION_WORDS for i in units))
            + sum(1 for i in names if i + 1 not in names)
            + sum(1 for i in numbers if i + 1 not in names and i - 1 not in names)
        )

    def columns(self) -> int:
        """How many nouns of several words that something is asked by ("the shoe size of") nothing stands for."""
        ends = (i for i in self.telling if i - 1 in self.telling)
        return sum(1 for i in ends if self._word(i + 1) == "of")

    def gaps(self) -> int:
        """How many stretches of words side by side nothing stands for; a particle belongs to its verb."""
        left = [i for i in self.telling if self._word(i) not in PARTICLES]
        return sum(1 for i in left if i + 1 in left and i - 1 not in left)

    def unsaid(self) -> int:
        """How many words that stand by themselves say something that the draft does not: a verb where a hop is guessed
        among several and is nothing like it, and a noun that is no part of what is said beside it."""
        guessed = {hop.type for hop in self._draft.hops if hop.paid > _ONLY_WAY}
        guessed |= {use.keys[0] for use in self._draft.uses if self._is_any_moment(use)}
        found = 0
        for i in self.telling:
            is_alone = i - 1 not in self.telling and i + 1 not in self.telling
            is_dwelling = self._word(i) in DWELLING_VERBS and self._word(i + 1) in PLACING - {"with"}
            # "Led as its keeper": the role says it.
            plays_role = self._word(i + 1) == "as" and i + 2 in self._covered
            if not is_alone or self._is_outright(i) or self._word(i) in _ASKING or is_dwelling or plays_role:
                continue
            if self._is_verb(i):
                likely = {s.name for one in self._asked.stretches[i] if one.last == i + 1 for s in one.senses
                          if s.log >= _LIKE}  # fmt: skip
                found += bool(guessed) and not guessed & likely and not self._leads_to_value(i)
            else:
                # "Whose handiwork is …" says how somebody has to do with it, which no hop that is guessed does.
                is_theirs = self._word(i - 1) == "whose" and bool(guessed)
                # "Gave it back late": how something was done.
                is_manner = i + 1 == len(self._asked.units) and any(
                    use.kind == "relation" and use.last == i for use in self._draft.uses
                )
                found += _UNTOLD * is_theirs or is_manner or not self._covered & {i - 1, i + 1}
        # What happened between two things is hardly dated by one of them.
        happened = any(not hop.paid for hop in self._draft.hops)
        said = {use.at for use in self._draft.uses if use.kind == "relation"}
        dated = [use for use in self._draft.uses if self._is_any_moment(use)
                 and (use.side == "node" or use.at not in said)]  # fmt: skip
        told = [use.keys for use in self._draft.uses if use not in dated]
        return found + _UNDATED * (happened and any(use.keys not in told for use in dated))

    def lost(self) -> int:
        """How many things that are asked for or named nothing stands for.

        A text in quotation marks, a word that names something of the schema outright, a noun that something is asked
        of ("the shoe size of"), and what stands before all else.
        """
        lost = self.unknown() + self._echo + len(self._nouns) + self._is_head_vague + self._borrowed()
        # Nothing says when.
        if self._word(0) == "when":
            lost += 2 * (not self._tells_when()) + any(self._is_verb(i) for i in self.telling)
        # In a clause that lists columns two words of which nothing is made are one more column.
        left = self.telling
        lost += sum(1 for i in left if self._asked.closes(i) and i + 1 in left and i - 1 not in left)
        lost += sum(1 for i in range(len(self._asked.units)) if self._compares_two(i))
        # A number that nothing is made of is a condition that was not understood.
        numbers = [i for i in self.words if self._word(i).isdigit()]
        lost += sum(1 for i in numbers if not self._is_number_of_a_name(i))
        lost += sum(1 for i in self.telling if self._is_done_by(i)) + self._is_deed_of_whom()
        # "When it rained" is a condition.
        clauses = (i for i in self.telling if self._is_verb(i) and self._word(i - 1) in ("it", "they"))
        lost += sum(1 for i in clauses if self._word(i - 2) in ("when", "while", "if"))
        lost += not self._is_joint and any(self._is_shared(i) for i in self.words)
        first = min((use.first for use in self._draft.uses), default=len(self._asked.units))
        runs = [i for i in left if i + 1 not in left and i not in self._nouns and not self._is_said_by_verb(i)]
        return lost + sum(1 for i in runs if i < first or self._word(i + 1) == "of" or self._names_something(i))

    def _tells_when(self) -> bool:
        """Whether a moment is among what is asked for."""
        told = (use for use in self._draft.uses if use.kind == "property" and not use.spent and use.at >= 0)
        infos = (self._catalog.info(holder_of(self._draft, use)) for use in told)
        return any(form_of(info).is_moment or form_of(info).meaning in MOMENT_TYPES for info in infos)

    def nouns(self) -> tuple[str, ...]:
        """Nouns that are asked for, or that things are asked by, and that nothing stands for."""
        units = self._asked.units
        return tuple(self._asked.text[units[i].start : units[i].end] for i in self._nouns)

    # --- nouns -------------------------------------------------------------------------------------------------------

    @cached_property
    def _nouns(self) -> list[int]:
        """The last words of such nouns."""
        ends = [i for i in self.telling if i + 1 not in self.telling]
        return [i for i in ends if not self._is_outright(i) and self._is_asked_noun(i)]

    def _is_asked_noun(self, end: int) -> bool:
        start = end
        while start - 1 in self.telling:
            start -= 1
        if start == end and (self._is_verb(end) or self._word(end) in TIMES_WORDS):
            return False
        return (
            self._is_of_something(start, end)
            or self._is_listed(start)
            or self._is_owned(start, end)
            or self._is_measured(start, end)
            or self._heads_compound(start)
            or self._is_predicate(start, end)
            or self._is_placed(start, end)
            or self._is_aggregated(start)
            or self._is_brought_in(start, end)
            or self._is_had(start, end)
        )

    def _is_of_something(self, start: int, end: int) -> bool:
        """Whether something is asked of what is named behind ("the shoe size of"), by all of these words."""
        before = self._before(start)[-1:]
        is_whole = start - 1 not in self._covered or before == ["and"]
        # "With an age rating of": one of several things that may be said.
        is_said = self._word(start - 1) in ("a", "an") and before == ["with"]
        return self._word(end + 1) == "of" and is_whole and (is_said or not PREPOSITIONS & set(before))

    def _is_listed(self, start: int) -> bool:
        """Whether a noun is one column more ("the names and runways of")."""
        words = [self._word(i) for i in range(max(0, start - 3), start)]
        idle = ARTICLES | POSSESSIVES
        while words and words[-1] in idle:
            words.pop()
        if words[-1:] != ["and"]:
            return False
        at = start - 1
        while self._word(at) != "and":
            at -= 1
        return any(use.kind == "property" and use.last == at and not use.spent for use in self._draft.uses)

    def _is_owned(self, start: int, end: int) -> bool:
        """Whether a noun is one of something ("and what are their enemies", "whose role is", "where the colour is")."""
        before = self._before(start)
        if before == ["whose"]:
            # "Whose handiwork is …?" asks for a person.
            return False
        is_subject = self._word(end + 1) in COPULAS
        return (
            before[-1:] == ["whose"]
            or self._word(start - 1) in POSSESSIVES
            or (is_subject and bool(before) and before[-1] in CLAUSE_OPENERS)
        )

    def _is_measured(self, start: int, end: int) -> bool:
        """Whether a number that no property is named for stands beside a noun ("with 2 runways", "a depth over 5")."""
        for use in self._draft.uses:
            if not self._is_bare_amount(use):
                continue
            between = range(end + 1, use.first) if end < use.first else range(use.last, start)
            if (
                len(between) <= _NEAR
                and all(self._word(i) in FUNCTION_WORDS for i in between)
                and (end < use.first or not between)
            ):
                return True
        return False

    def _is_bare_amount(self, use: Use) -> bool:
        """Whether a value is an amount of a property that no word names."""
        named = any(u.spent and u.at == use.at and u.side == use.side and u.keys == use.keys for u in self._draft.uses)
        return use.kind == "value" and not use.is_name and not named and self._is_amount(use)

    def _is_amount(self, use: Use) -> bool:
        """Whether a value is an amount that something is compared with; years have verbs beside them."""
        element = self._draft.nodes[use.at] if use.side == "node" else self._draft.hops[use.at]
        told = [c for test in element.tests if test.first == use.first for c in test.conditions]
        numbers = [c.right for c in told if c.numeric or isinstance(c.right, int | float)]
        return any(not isinstance(n, int) or not _YEARS[0] <= n < _YEARS[1] for n in numbers)

    def _is_placed(self, start: int, end: int) -> bool:
        """Whether words stand behind a preposition of their own ("painted in oil", "using the casting technique")."""
        if self._word(end + 1) == "of" or {start - 1, end + 1} & self._covered or self._word(end) in IDIOM_NOUNS:
            return False
        at = start - 1
        while at > 0 and self._word(at) in ARTICLES:
            at -= 1
        # Of "worked on cases" the verb is as unknown as the noun.
        return at > 0 and self._word(at) in MANNER_WORDS and (at - 1 in self._covered or self._word(at) == "using")

    def _is_brought_in(self, start: int, end: int) -> bool:
        """Whether a noun is a new thing of which more is said ("a partner with the surname")."""
        return self._word(start - 1) in ("a", "an") and self._word(end + 1) in TELLING_APART

    def _is_had(self, start: int, end: int) -> bool:
        """Whether a noun is what things are said to have ("visits that have a diagnosis")."""
        is_last = not self._word(end + 1) or self._word(end + 1) in ("and", "or")
        verb = self._word(start - 2) if self._word(start - 1) in ("a", "an", "any") else ""
        return is_last and verb in ("have", "has", "had")

    def _is_aggregated(self, start: int) -> bool:
        """Whether words stand right behind a word for an aggregate ("the average salinity", "and how many runways")."""
        begin = self._asked.units[start].start
        ends = [m.end for m in self._asked.marks if m.deed == Deed.AGGREGATE and not m.doubtful]
        return any(end <= begin and not self._asked.text[end:begin].strip() for end in ends)

    def _heads_compound(self, start: int) -> bool:
        """Whether a noun right behind a label is what is meant ("mountain passes", "the company treaty that"), and no
        verb ("which mountain passes", "mountains pass")."""
        labels = (u for u in self._draft.uses if u.kind == "label" and u.log >= _OUTRIGHT)
        use = next((u for u in labels if u.last == start), None)
        if use is None:
            return False
        label = self._word(use.last - 1)
        if label in PERSON_WORDS or label not in split_name(self._draft.nodes[use.at].label):
            return False
        before = self._before(use.first)[-1:]
        # "Which ship owners were" asks for owners.
        is_noun = before in (["all"], ["many"], ["and"]) or bool(PREPOSITIONS & set(before))
        is_noun = is_noun or self._word(start + 1) in COPULAS
        return is_noun or not self._word(start).endswith("s")

    def _is_predicate(self, start: int, end: int) -> bool:
        """Whether a word is what something is said to be ("who are rivals", "as teachers", "the colour is blue")."""
        before = self._word(start - 1)
        is_plural = self._word(end).endswith("s")
        nouns = {use.last - 1 for use in self._draft.uses if use.kind in ("property", "label")} | {*self.telling}
        is_told = before in COPULAS and start - 2 in nouns and not self._word(end + 1)
        return (is_plural and (before == "as" or (before in COPULAS and start > 1))) or is_told

    def _before(self, at: int) -> list[str]:
        """The words before one, articles aside."""
        return [self._word(i) for i in range(at) if self._word(i) not in ARTICLES]

    # --- words -------------------------------------------------------------------------------------------------------

    def _word(self, at: int) -> str:
        return self._asked.units[at].text if 0 <= at < len(self._asked.units) else ""

    def _is_outright(self, at: int) -> bool:
        """Whether a word by itself names something of the schema."""
        own = (one for one in self._asked.stretches[at] if one.last == at + 1)
        return any(s.log >= _OUTRIGHT and s.kind != "value" for one in own for s in one.senses)

    def _names_something(self, at: int) -> bool:
        """The same but for properties."""
        own = (one for one in self._asked.stretches[at] if one.last == at + 1 and one.senses)
        best = (one.senses[0] for one in own)
        return any(s.kind != "property" and s.log >= (_KNOWN if s.kind == "value" else _OUTRIGHT) for s in best)

    def _is_verb(self, at: int) -> bool:
        word, before = self._word(at), self._word(at - 1)
        looks_so = word in IRREGULAR_FORMS or word.endswith(("ed", "ing")) or is_verb(self._asked, at)
        return looks_so or before in RELATIVE_PRONOUNS or before == "to"

    def _leads_to_value(self, at: int) -> bool:
        """Whether a verb only leads to the value of a property ("released after 2000")."""
        follows = min((use for use in self._draft.uses if use.first > at), key=lambda use: use.first, default=None)
        if follows is None or follows.kind != "value" or follows.is_name:
            return False
        return all(self._word(i) in FUNCTION_WORDS for i in range(at + 1, follows.first))

    def _is_written_like_a_name(self, at: int) -> bool:
        """Whether a word has a capital that no sentence gives it."""
        asked, unit = self._asked, self._asked.units[at]
        word = asked.text[unit.start : unit.end]
        begins = at == 0 or any(sign in asked.text[asked.units[at - 1].end : unit.start] for sign in ".?!:")
        return not begins and word[0].isupper() and not word.isupper() and carries_meaning(unit.text)

    def _is_code_of_a_property(self, at: int) -> bool:
        """Whether a word all in capitals stands right behind a property ("with the port code ABCD", "in class B")."""
        unit = self._asked.units[at]
        word = self._asked.text[unit.start : unit.end]
        is_last = at + 1 == len(self._asked.units)
        is_code = word.isupper() and word.isalpha() and (is_last or word not in ("A", "I"))
        return is_code and any(use.kind == "property" and use.last == at and not use.spent for use in self._draft.uses)

    def _is_number_of_a_name(self, at: int) -> bool:
        """Whether a word is a number beside a word written like a name ("12 Park Avenue")."""
        beside = [i for i in (at - 1, at + 1) if 0 <= i < len(self._asked.units)]
        return self._word(at).isdigit() and any(self._is_written_like_a_name(i) for i in beside)

    def _is_any_moment(self, use: Use) -> bool:
        """Whether a property only answers when, as far as words tell."""
        word = self._word(use.last - 1)
        is_bare = use.kind == "property" and use.last == use.first + 1 and bool(use.keys) and not use.spent
        return is_bare and (word == "when" or word in TIME_NOUNS) and self._word(use.first - 1) in ("", "what", "which")

    # --- clauses -----------------------------------------------------------------------------------------------------

    @property
    def _echo(self) -> int:
        """Whether a draft only names a thing of which something more is said; 2 where that cannot be what is asked."""
        uses = self._draft.uses
        if self._draft.hops or not all(use.kind in ("value", "label") or use.is_name for use in uses):
            return 0
        says_more = bool(self.telling) or any(
            unit.text in OWNING_VERBS and i not in self._asked.idle for i, unit in enumerate(self._asked.units)
        )
        if not all(use.is_name for use in uses if use.kind == "value") or self._is_byname():
            return 0
        cannot_be = self._word(0) == "where" or self._asks_whom_by_verb()
        return 2 if cannot_be else int(says_more)

    def _is_byname(self) -> bool:
        """Whether a thing is named by another of its names than it is shown by ("who is called Digger")."""
        tests = [(node.label, test) for node in self._draft.nodes for test in node.tests]
        return any(test.key != self._catalog.main_key(label) for label, test in tests)

    def _asks_whom_by_verb(self) -> bool:
        """Whether a question with "who" has a verb of its own ("who makes …"), of which no more is made than what the
        named thing is."""
        units = self._asked.units
        light = any(unit.text in LIGHT_VERBS for i, unit in enumerate(units) if i not in self._covered)
        words = (self._word(use.first) for use in self._draft.uses if use.kind == "label" and use.log < _OUTRIGHT)
        return self._word(0) == "who" and (light or any(w in IRREGULAR_FORMS or w.endswith("ed") for w in words))

    def _is_deed_of_whom(self) -> bool:
        """Whether the verb behind "who" was taken for what somebody is ("who rested …": a label of the rested), or for
        a relation that wants a preposition which is not there (SETTLED_IN)."""
        verb = self._word(1)
        is_verb = self._word(0) == "who" and (verb in IRREGULAR_FORMS or verb.endswith("ed"))
        if not is_verb or self._is_outright(1) or self._word(2) in PREPOSITIONS:
            return False
        own = [use for use in self._draft.uses if use.first == 1]
        closing = {last_word(self._draft.hops[use.at].type) for use in own if use.kind == "relation"}
        return any(use.kind == "label" for use in own) or bool(closing & (PREPOSITIONS - {"by", "of"}))

    def _is_done_by(self, at: int) -> bool:
        """Whether a word is a participle of which nothing is made, before who it is that plays another part ("races
        lost by the skippers")."""
        word = self._word(at)
        is_participle = word in IRREGULAR_FORMS or word.endswith("ed")
        behind = at + 2 + (self._word(at + 2) in ARTICLES)
        plays = any(use.kind == "relation" and use.first == behind for use in self._draft.uses)
        return is_participle and self._word(at + 1) == "by" and plays

    def _is_said_by_verb(self, at: int) -> bool:
        """Whether a noun for a time only says what the property of a verb behind it holds ("in which year … built")."""
        verbs = (self._word(use.last - 1) for use in self._draft.uses if use.kind == "property" and use.first > at)
        return self._word(at) in TIME_NOUNS and any(v.endswith("ed") or v in IRREGULAR_FORMS for v in verbs)

    def _is_value(self, at: int) -> bool:
        """Whether a word stands for a property that is asked for, or not even for that."""
        uses = [use for use in self._draft.uses if use.first <= at < use.last]
        return not uses or all(use.kind == "property" and not use.spent for use in uses)

    def _compares_two(self, at: int) -> bool:
        """Whether a clause ends in saying that two things are the same, or different: no pattern compares
        properties."""
        if self._word(at) not in SAMENESS_WORDS:
            return False
        before = [self._word(i) for i in range(max(0, at - 2), at) if self._word(i) not in ARTICLES]
        follows = self._asked.text[self._asked.units[at].end :].lstrip()
        return bool(COPULAS.intersection(before[-1:])) and (not follows or follows[0] in ".,;?!")

    def _is_shared(self, at: int) -> bool:
        """Whether two things are said to have one thing, "the same room", behind which neither another thing's name nor
        a clause tells which."""
        words = [self._word(i) for i in range(max(0, at - 1), len(self._asked.units))]
        if words[:2] == ["the", "same"] and "as" in words and self._is_value(at + 1):
            # No pattern compares what two things have, but with what a named one has.
            return self._draft.compared is None and self._draft.equal is None
        is_told = "as" in words or RELATIVE_PRONOUNS.intersection(words[2:_SOON]) or "where" in words[2:_SOON]
        return words[:2] == ["the", "same"] and not is_told

    def _borrowed(self) -> int:
        """How many words were taken for properties that they hardly mean, and numbers for amounts that no word names,
        of things that no word names either ("users with a reputation over 100", by the score of what they wrote)."""
        uses = [use for use in self._draft.uses if use.side == "node"]
        named = {use.at for use in uses if use.kind == "label" or (use.kind == "value" and use.is_name)}
        unnamed = [u for u in uses if u.at >= 0 and u.at not in named]
        guessed = {end for hop in self._draft.hops if hop.paid for end in (hop.start, hop.end)}
        vague = sum(1 for u in uses if u.kind == "label" and u.first and u.log < _BARELY and u.at in guessed)
        vague += self._is_head_unlikely()
        # What is true of an edge is hardly said by a noun that names nothing else of it ("match": an injury's inMatch).
        edges = {use.at for use in self._draft.uses if use.side == "relationship" and use.kind == "relation"}
        vague += sum(1 for u in self._draft.uses if u.at not in edges and self._is_flag_of_edge(u))
        # "Where is Ann from" is not where her clubs are.
        return vague + sum(
            1 for u in unnamed
            if (u.kind == "property" and (u.log < _BARELY or self._word(u.first) == "where")) or self._is_bare_amount(u)
        )  # fmt: skip

    def _is_head_unlikely(self) -> bool:
        """Whether the noun that is asked for may be said for its label, but nothing else bears that out: something of
        its own, or, where it is rather likely, a relation that is said."""
        head = min(self._draft.uses, key=lambda use: use.first, default=None)
        if head is None or head.side != "node" or head.kind != "label" or head.log >= _SAID:
            return False
        has_own = any(u is not head and (u.side, u.at) == ("node", head.at) for u in self._draft.uses)
        hops = [hop for hop in self._draft.hops if head.at in (hop.start, hop.end)]
        return not has_own and (head.log < _UNLIKELY or not any(not hop.paid for hop in hops))

    def _is_flag_of_edge(self, use: Use) -> bool:
        """Whether a property is true or false of an edge that no word says, and no noun for those who play a part."""
        if use.side != "relationship" or use.kind != "property" or use.at < 0 or not use.keys:
            return False
        hop = self._draft.hops[use.at]
        info = self._catalog.info(holder_of(self._draft, use))
        is_player = is_agent_noun(self._asked, use, self._draft.uses) or use.first == min(
            u.first for u in self._draft.uses
        )
        return bool(hop.paid) and info.type == "boolean" and not is_player

    @property
    def _is_head_vague(self) -> bool:
        """Whether what is asked for was taken for something that its word hardly means."""
        first = min(self._draft.uses, key=lambda use: use.first, default=None)
        if first is None or first.kind not in ("label", "property"):
            return False
        if first.log >= _HARDLY and not self._is_part_of_key(first):
            return False
        return not any(carries_meaning(self._word(i)) and i not in self._covered for i in range(first.first))

    def _is_part_of_key(self, use: Use) -> bool:
        """Whether things that are asked for in the plural are only a part of what a key is called ("which keepers":
        keeperRating)."""
        word = self._word(use.first)
        is_plural = word.endswith("s") and not word.endswith("ss") and use.last == use.first + 1
        is_plural = is_plural and not is_unit(word) and word not in MEASURING_VERBS
        if use.kind != "property" or use.is_name or use.spent or not is_plural or not use.keys:
            return False
        heads = [[w for w in without_unit(key_words(key)) if not _closes_key(w)] for key in use.keys]
        return all(words and singular(word) != singular(words[-1]) for words in heads)

    @property
    def _is_joint(self) -> bool:
        """Whether two edges lead from one node to another."""
        ends = [(hop.start, hop.end) for hop in self._draft.hops]
        return len(set(ends)) < len(ends)


def _closes_key(word: str) -> bool:
    """Whether a word of a key says of which kind its values are, not what they are of ("copies sold", "phone no")."""
    is_participle = word in IRREGULAR_FORMS or word.endswith("ed")
    return is_participle or word in TAIL_NOUNS or word in TIME_NOUNS or word in COUNT_NOUNS
