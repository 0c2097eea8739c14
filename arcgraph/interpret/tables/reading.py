"""Readings of questions about values: from a question to ranked queries."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from arcgraph.domain import LabelInfo, Schema
from arcgraph.graph.pattern import Aggregate, Entity, Pattern, Property
from arcgraph.interpret.anchors import Candidate, Names
from arcgraph.interpret.english import ARTICLES, COPULAS, FUNCTION_WORDS, IRREGULAR_FORMS
from arcgraph.interpret.literals import Kind
from arcgraph.interpret.marks import Deed, Mark, signs_of
from arcgraph.interpret.roles import labels_say_nothing
from arcgraph.interpret.tables.catalog import MOST_TYPES, Catalog
from arcgraph.interpret.tables.columns import Columns, Query
from arcgraph.interpret.tables.english import POSSESSIVES, RELATIVE_PRONOUNS, SAMENESS_WORDS
from arcgraph.interpret.tables.mentions import Asked, Linker, LookUp, carries_meaning
from arcgraph.interpret.tables.parse import Draft, Parser, Use, covers, variable_of
from arcgraph.interpret.tables.sameness import signature
from arcgraph.interpret.terms import Calibration, EmbedWords
from arcgraph.search.values import ValueIndex

MOST_READINGS = 8
_OUTRIGHT = -0.2
_SAID = -0.6
_VAGUE = -0.7
# From this logarithm on a verb may well say a relation.
_LIKE = math.log(0.12)
# What stands so few characters behind "sort by" is what is sorted by.
_SORTED_BY = 5


@dataclass(frozen=True, slots=True)
class Doubts:
    """What speaks against a reading.

    ``dropped`` words at their cost; marks that found nothing (``loose``); what the question asks for, names or rules
    out that nothing stands for (``lost``), of it texts in quotation marks and words with capitals (``unknown``), and
    nouns that something is asked by (``asked``); properties that words mean only by association (``vague``); and how
    many ``hops`` and ``aggregates`` there are, since more can go wrong with them: hops between nodes of one label
    (``alike``), and nodes that are another of a label without being told apart by such a hop (``twins``), more than
    others; hops that no word says (``guessed``); stretches of several words that nothing stands for (``gaps``); and
    verbs and nouns by themselves that should have said one of the guessed hops, or something else (``unsaid``).
    """

    lost: int = 0
    unknown: int = 0
    asked: int = 0
    dropped: float = 0.0
    loose: float = 0.0
    vague: int = 0
    hops: int = 0
    aggregates: int = 0
    alike: int = 0
    twins: int = 0
    guessed: int = 0
    gaps: int = 0
    unsaid: int = 0


@dataclass(frozen=True, slots=True)
class TableReading:
    """One way to read a question as a query over values.

    ``entity`` is the number of the node whose entities are the answer, -1 where the rows are. ``fit`` (0 to 1) is how
    well the words and the query explain each other; ``score`` compares readings of one question. ``tells`` says that
    properties are among its columns that a question asks for outright, names aside; ``left`` are the words that nothing
    of it stands for, where they say something.
    """

    pattern: Pattern
    text: str
    score: float
    fit: float
    entity: int = -1
    is_path: bool = False
    doubts: Doubts = Doubts()
    tells: bool = False
    left: tuple[str, ...] = ()

    def words(self) -> str:
        """The reading as a person can check it."""
        return self.text


# What a reading that leaves out what is asked for falls behind by.
_LOSING = 0.5


class TableReader:
    """Reads questions about values against one graph. Thread-safe."""

    def __init__(
        self,
        schema: Schema,
        names: Names,
        values: ValueIndex,
        embed: EmbedWords,
        calibration: Calibration | None = None,
        look_up: LookUp | None = None,
    ):
        self._catalog = Catalog(schema, embed, calibration)
        self._linker = Linker(self._catalog, names, values, look_up)
        self._parser = Parser(self._catalog)

    def read(self, text: str) -> list[TableReading]:
        """Readings, best first, no two of one query."""
        asked = self._linker.read(text)
        found: dict[Hashable, TableReading] = {}
        for draft in self._parser.parse(asked):
            query = Columns(self._catalog, asked, draft).query()
            if query is None:
                continue
            reading = self._reading(asked, draft, query)
            key = signature(reading.pattern)
            if key not in found or found[key].score < reading.score:
                found[key] = reading
        return sorted(found.values(), key=_rank)[:MOST_READINGS]

    def _reading(self, asked: Asked, draft: Draft, query: Query) -> TableReading:
        score = draft.score - query.loose
        words = max(1, len(draft.uses) + len(draft.marks))
        left = _left(asked, draft)
        telling = tuple(asked.text[asked.units[i].start : asked.units[i].end] for i in left.telling)
        return TableReading(
            query.pattern, query.words, score, math.exp(min(0.0, score) / words), query.entity,
            _is_path(asked, draft, query.pattern), _doubts(asked, draft, query, left),
            _tells_more(draft, query.pattern), telling,
        )  # fmt: skip


def _rank(reading: TableReading) -> tuple[float, int, int]:
    """Sorts readings best first; of two that say it as well the plainer one."""
    doubts = reading.doubts
    # What only names a thing may well come first: nothing more was understood, then.
    behind = _LOSING * min(doubts.lost, 2) if doubts.hops or doubts.aggregates else 0.0
    return -round(reading.score - behind, 2), doubts.twins + doubts.alike, doubts.hops


def _doubts(asked: Asked, draft: Draft, query: Query, left: _Left) -> Doubts:
    return Doubts(
        lost=_lost(asked, draft, left) + len(query.unmet),
        unknown=_unknown(asked, left),
        asked=_unknown_columns(asked, left),
        dropped=-draft.dropped,
        loose=query.loose,
        vague=sum(1 for use in draft.uses if use.kind == "property" and use.log < _VAGUE),
        hops=len(draft.hops),
        aggregates=_aggregates(asked, draft),
        alike=(alike := sum(1 for h in draft.hops if draft.nodes[h.start].label == draft.nodes[h.end].label)),
        guessed=sum(1 for hop in draft.hops if hop.paid),
        gaps=_gaps(left),
        unsaid=_unsaid(asked, draft, left),
        twins=max(0, len(draft.nodes) - len({node.label for node in draft.nodes}) - alike),
    )


def _aggregates(asked: Asked, draft: Draft) -> int:
    """How many marks ask for what no path can say.

    Those of a closing clause, and of what rows are sorted by, say again what the body says; those that are part of a
    name say nothing by themselves.
    """
    swallowed = [m for m in asked.marks for use in draft.uses if covers(asked, use, m) and m not in draft.marks]
    orders = [m.end for m in asked.marks if m.deed == Deed.ORDER]
    marks = [
        m for m in asked.marks
        if m.deed in _BEYOND_PATHS and not m.doubtful and m not in swallowed
        and not any(0 <= m.start - end <= _SORTED_BY for end in orders)
    ]  # fmt: skip
    body = [m for m in marks if asked.closing is None or m.start < asked.units[asked.closing].start]
    return len(body or marks)


def asks_beyond_paths(text: str) -> bool:
    """Whether a question holds marks that no path can express."""
    return any(m.deed in _BEYOND_PATHS and not m.doubtful for m in signs_of(text)[1])


def unsaid_by_paths(text: str, candidates: Sequence[Candidate]) -> list[str]:
    """The words of a question that no path follows and that change what is asked, those of names aside.

    What is ruled out, a choice, the most of something, averages, time seen from now, conditions on numbers of
    things; and texts in quotation marks and moments that are the name of nothing.
    """
    named = [c.anchor.span for c in candidates]
    literals, marks = signs_of(text)
    found = [(m.start, m.end) for m in marks if _denies(m) or m.deed == Deed.EITHER]
    found += [one.span for one in literals if one.kind in _NAMING]
    left = {(s, e) for s, e in found if not any(a < e and s < b for a, b in named)}
    return [text[s:e] for s, e in sorted(left)]


def _denies(mark: Mark) -> bool:
    """Whether no path can follow a mark."""
    return mark.deed in _DENYING and not mark.doubtful and (mark.deed != Deed.AGGREGATE or mark.value != "count")


_DENYING = frozenset((Deed.NEGATION, Deed.RELATIVE, Deed.HAVING, Deed.SUPERLATIVE, Deed.AGGREGATE))
_NAMING = frozenset((Kind.QUOTED, Kind.DATE, Kind.DATETIME, Kind.YEAR, Kind.MONTH, Kind.DECADE, Kind.CENTURY))


def _covered(asked: Asked, draft: Draft) -> set[int]:
    """The words that a draft makes something of."""
    covered = {i for use in draft.uses for i in range(use.first, use.last)}
    return covered | {
        i for i, u in enumerate(asked.units) for m in draft.marks if m.start <= u.start and u.end <= m.end
    }


def _quoted(asked: Asked) -> list[list[int]]:
    """The words of each text in quotation marks."""
    return [[i for i, u in enumerate(asked.units) if start <= u.start and u.end <= end] for start, end in asked.quoted]


class _Left(NamedTuple):
    """What a draft makes nothing of: the words of each text in quotation marks, all others, and of these those that
    carry meaning."""

    quoted: list[list[int]]
    words: list[int]
    telling: list[int]


def _left(asked: Asked, draft: Draft) -> _Left:
    covered = _covered(asked, draft)
    quoted = _quoted(asked)
    inside = {i for units in quoted for i in units}
    words = [i for i in range(len(asked.units)) if i not in covered and i not in inside]
    telling = [i for i in words if carries_meaning(asked.units[i].text) and i not in asked.idle]
    return _Left([[i for i in units if i not in covered] for units in quoted], words, telling)


def _unknown(asked: Asked, left: _Left) -> int:
    """How many texts in quotation marks, and words written like names, nothing stands for."""
    names = [i for i in left.words if _is_written_like_a_name(asked, i)]
    numbers = [i for i in left.words if _is_number_of_a_name(asked, i)]
    return (
        sum(1 for units in left.quoted if any(_tells(asked, i) for i in units))
        + sum(1 for i in names if i + 1 not in names)
        + sum(1 for i in numbers if i + 1 not in names and i - 1 not in names)
    )


def _unknown_columns(asked: Asked, left: _Left) -> int:
    """How many nouns of several words that something is asked by ("the shoe size of") nothing stands for."""
    ends = (i for i in left.telling if i - 1 in left.telling)
    return sum(1 for i in ends if [unit.text for unit in asked.units[i + 1 : i + 2]] == ["of"])


def _gaps(left: _Left) -> int:
    """How many stretches of words side by side nothing stands for."""
    return sum(1 for i in left.telling if i + 1 in left.telling and i - 1 not in left.telling)


def _unsaid(asked: Asked, draft: Draft, left: _Left) -> int:
    """How many words that stand by themselves say something that the draft does not: a verb where a hop is guessed and
    is nothing like it, and a noun that is no part of what is said beside it."""
    guessed = {hop.type for hop in draft.hops if hop.paid}
    covered = _covered(asked, draft)
    found = 0
    for i in left.telling:
        is_alone = i - 1 not in left.telling and i + 1 not in left.telling
        if not is_alone or is_outright(asked, i):
            continue
        if _is_verb(asked, i):
            likely = {s.name for one in asked.stretches[i] if one.last == i + 1 for s in one.senses if s.log >= _LIKE}
            found += bool(guessed) and not guessed & likely and not _leads_to_value(asked, draft, i)
        else:
            found += not covered & {i - 1, i + 1}
    return found


def is_outright(asked: Asked, at: int) -> bool:
    """Whether a word by itself names something of the schema."""
    return any(
        s.log >= _OUTRIGHT and s.kind != "value" for one in asked.stretches[at] if one.last == at + 1
        for s in one.senses
    )  # fmt: skip


def _is_verb(asked: Asked, at: int) -> bool:
    word = asked.units[at].text
    before = asked.units[at - 1].text if at else ""
    return word in IRREGULAR_FORMS or word.endswith(("ed", "ing")) or before in RELATIVE_PRONOUNS or before == "to"


def _leads_to_value(asked: Asked, draft: Draft, at: int) -> bool:
    """Whether a verb only leads to the value of a property ("released after 2000")."""
    follows = min((use for use in draft.uses if use.first > at), key=lambda use: use.first, default=None)
    if follows is None or follows.kind != "value" or follows.is_name:
        return False
    return all(unit.text in FUNCTION_WORDS for unit in asked.units[at + 1 : follows.first])


def _tells(asked: Asked, at: int) -> bool:
    """Whether a word within quotation marks tells one name from another."""
    return asked.units[at].text not in FUNCTION_WORDS


def _is_written_like_a_name(asked: Asked, at: int) -> bool:
    """Whether a word has a capital that no sentence gives it."""
    unit = asked.units[at]
    word = asked.text[unit.start : unit.end]
    begins = at == 0 or any(sign in asked.text[asked.units[at - 1].end : unit.start] for sign in ".?!:")
    return not begins and word[0].isupper() and not word.isupper() and carries_meaning(unit.text)


def _lost(asked: Asked, draft: Draft, missing: _Left) -> int:
    """How many things that are asked for or named nothing of a reading stands for.

    A text in quotation marks, a word that names something of the schema outright, a noun that something is asked of
    ("the shoe size of"), and what stands before all else.
    """
    lost = _unknown(asked, missing)
    left = missing.telling
    first = min((use.first for use in draft.uses), default=len(asked.units))
    if not draft.hops and all(use.kind in ("value", "label") or use.is_name for use in draft.uses):
        # What only names a thing and leaves words over says nothing of it.
        says_more = bool(left) or bool({unit.text for unit in asked.units} & _OWNING)
        lost += says_more and all(use.is_name for use in draft.uses if use.kind == "value")
    # In a clause that lists columns two words of which nothing is made are one more column.
    lost += sum(1 for i in left if asked.closes(i) and i + 1 in left and i - 1 not in left)
    lost += sum(1 for i in range(len(asked.units)) if _compares_two(asked, i))
    # A number that nothing is made of is a condition that was not understood.
    numbers = [i for i in missing.words if asked.units[i].text.isdigit()]
    lost += sum(1 for i in numbers if not _is_number_of_a_name(asked, i))
    lost += not _is_joint(draft) and any(_is_shared(asked, i) for i in missing.words)
    runs = [i for i in left if i + 1 not in left]
    for at in runs:
        follows = asked.units[at + 1].text if at + 1 < len(asked.units) else ""
        names_something = any(
            s.senses and s.last == at + 1 and s.first == at and s.senses[0].kind != "property"
            and s.senses[0].log >= _OUTRIGHT for s in asked.stretches[at]
        )  # fmt: skip
        start = max(i for i in range(at + 1) if i not in left or i == 0)
        is_owned = asked.units[start].text in POSSESSIVES
        lost += follows == "of" or at < first or names_something or is_owned
    return lost


# Verbs that say something of a thing that is named, however little.
_OWNING = frozenset("own owns owned has have had possess possesses contain contains".split())


def _is_number_of_a_name(asked: Asked, at: int) -> bool:
    """Whether a word is a number beside a word written like a name ("12 Park Avenue")."""
    beside = [i for i in (at - 1, at + 1) if 0 <= i < len(asked.units)]
    return asked.units[at].text.isdigit() and any(_is_written_like_a_name(asked, i) for i in beside)


def _compares_two(asked: Asked, at: int) -> bool:
    """Whether a clause ends in saying that two things are the same, or different: no pattern compares properties."""
    if asked.units[at].text not in SAMENESS_WORDS:
        return False
    before = [unit.text for unit in asked.units[max(0, at - 2) : at] if unit.text not in ARTICLES]
    follows = asked.text[asked.units[at].end :].lstrip()
    return bool(COPULAS.intersection(before[-1:])) and (not follows or follows[0] in ".,;?!")


def _is_shared(asked: Asked, at: int) -> bool:
    """Whether two things are said to have one thing, "the same room", which no other thing's name stands behind."""
    words = [unit.text for unit in asked.units[max(0, at - 1) :]]
    return words[:2] == ["the", "same"] and "as" not in words


def _is_joint(draft: Draft) -> bool:
    """Whether two edges lead from one node to another."""
    ends = [(hop.start, hop.end) for hop in draft.hops]
    return len(set(ends)) < len(ends)


_BEYOND_PATHS = frozenset((Deed.GROUP, Deed.SUPERLATIVE, Deed.HAVING, Deed.AGGREGATE))


def serves(schema: Schema) -> bool:
    """Whether a graph can be asked for tables at all: its relations are types and not too many, and its nodes are told
    apart by labels or carry more than the property that names them."""
    if schema.relations.kind != "types" or len(schema.types) > MOST_TYPES or not any(schema.labels):
        return False
    return not labels_say_nothing(schema) or any(_has_values(info) for info in schema.labels.values())


def _has_values(info: LabelInfo) -> bool:
    return any(key not in (info.naming, info.identifying) for key in info.properties)


def _is_path(asked: Asked, draft: Draft, pattern: Pattern) -> bool:
    """Whether a path between named things says all of it: no condition but on names, and entities or their number."""
    outputs = [p.expression for p in pattern.returns]
    if any(m.deed in _BEYOND_PATHS and not m.doubtful and (m.deed != Deed.AGGREGATE or m.value != "count")
           for m in asked.marks):  # fmt: skip
        return False
    plain = all(
        isinstance(e, Entity) or (isinstance(e, Aggregate) and e.function in ("count", "exists")
                                  and not isinstance(e.of, Property))
        for e in outputs
    )  # fmt: skip
    if pattern.limit is not None:
        return False
    if not plain or len(outputs) != 1 or pattern.order:
        return not _is_hard(draft) and all(not isinstance(e, Aggregate) for e in outputs)
    return not _is_hard(draft)


def _tells_more(draft: Draft, pattern: Pattern) -> bool:
    """Whether a property that a word says outright is returned, and is no name: no path has it for an answer."""
    said = {(variable_of(use), key) for use in draft.uses if _is_told(use) for key in use.keys}
    return any(isinstance(e := p.expression, Property) and (e.owner, e.key) in said for p in pattern.returns)


def _is_told(use: Use) -> bool:
    return use.kind == "property" and use.at >= 0 and not use.spent and not use.is_name and use.log >= _SAID


def _is_hard(draft: Draft) -> bool:
    """Whether something is surely said that no path can say: a value that is no name, or a property outright."""
    return any(
        (use.kind == "value" and not use.is_name)
        or (use.kind == "property" and not use.spent and not use.is_name and use.log >= _OUTRIGHT)
        for use in draft.uses
    )
