"""Readings of questions about values: from a question to ranked queries."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from arcgraph.domain import LabelInfo, Schema
from arcgraph.graph.pattern import Aggregate, Difference, Direction, Entity, Measure, Pattern, Property
from arcgraph.interpret.anchors import Candidate, Names
from arcgraph.interpret.english import ARTICLES
from arcgraph.interpret.literals import Kind
from arcgraph.interpret.marks import Deed, Mark, signs_of
from arcgraph.interpret.roles import labels_say_nothing
from arcgraph.interpret.tables.against import Sides, chosen, held_against, sides
from arcgraph.interpret.tables.arrows import placed, tells_parts
from arcgraph.interpret.tables.asked import OUTRIGHT, Asked, carries_meaning, units_of
from arcgraph.interpret.tables.catalog import MOST_TYPES, Catalog
from arcgraph.interpret.tables.columns import Columns, Query
from arcgraph.interpret.tables.comparing import compares, comparisons
from arcgraph.interpret.tables.discourse import is_compared, second_question
from arcgraph.interpret.tables.english import ASKING_MORE, CLOSING_VERBS, COORDINATING, NAME_WORDS, TIMES_WORDS
from arcgraph.interpret.tables.kinds import Kinds
from arcgraph.interpret.tables.leftover import Leftover
from arcgraph.interpret.tables.mentions import Linker
from arcgraph.interpret.tables.parse import (
    Draft,
    Parser,
    Use,
    covers,
    joins_names,
    name_of_hop,
    name_of_node,
    variable_of,
)
from arcgraph.interpret.tables.sameness import signature
from arcgraph.interpret.tables.value_words import LookUp
from arcgraph.interpret.tables.yardsticks import compared, compares_with_things
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
    many ``hops`` and ``aggregates`` there are, since more can go wrong with them: hops between nodes of one label of
    which no word says which way they go (``alike``), and nodes that are another of a label without being told apart by
    such a hop (``twins``), more than others; hops that no word says (``guessed``); stretches of several words that
    nothing stands for (``gaps``); and verbs and nouns by themselves that should have said one of the guessed hops, or
    something else (``unsaid``).
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
    properties are among its columns that a question asks for outright, names aside, ``several`` that it has others
    beside them that "and" joins; ``missing`` are the nouns that a
    question asks for, or by, of which nothing of it stands for any. ``tells_parts`` says that words tell who acts in an
    edge from whom it happens to; ``said`` are the relations that words say outright.
    """

    pattern: Pattern
    text: str
    score: float
    fit: float
    entity: int = -1
    is_path: bool = False
    doubts: Doubts = Doubts()
    tells: bool = False
    several: bool = False
    missing: tuple[str, ...] = ()
    tells_parts: bool = False
    said: frozenset[str] = frozenset()

    def words(self) -> str:
        """The reading as a person can check it."""
        return self.text


# What a reading that leaves out what is asked for falls behind by.
_LOSING = 1.0


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
        self._linker = Linker(self._catalog, Kinds(self._catalog, embed), names, values, look_up)
        self._parser = Parser(self._catalog)

    def texts_within(self, text: str) -> list[str]:
        """The texts that a question says to stand in a property ("'oak' in its name"): such a text names nothing."""
        return self._linker.texts_within(text)

    def read(self, text: str) -> list[TableReading]:
        """Readings, best first, no two of one query."""
        asked = self._linker.read(text)
        held = list(sides(asked, self._catalog))
        readings = [*self._held_against(held), *self._plain(asked, is_held=bool(held))]
        return sorted(readings, key=_rank)[:MOST_READINGS]

    def _held_against(self, held: Sequence[Sides]) -> Iterator[TableReading]:
        """Readings that hold two aggregates against each other."""
        for side in held:
            left = self._first(side.left) if side.left else None
            right = self._first(side.right) if side.right else left
            if left is None or right is None:
                continue
            is_choice = side.other is not None
            pattern = (
                chosen(left.pattern, side, self._catalog)
                if is_choice
                else held_against(left.pattern, right.pattern, side.how)
            )
            if pattern is None:
                continue
            worse = min(left, right, key=standing)
            said = f"{left.text}, or of {side.other.right}" if side.other else f"{left.text}, beside {right.text}"
            yield replace(
                worse, pattern=pattern, text=f"{pattern.returns[0].name}: {said}", entity=-1, is_path=False,
                tells=False, several=False,
            )  # fmt: skip

    def _first(self, text: str) -> TableReading | None:
        """The best reading of a plain question, where it loses and guesses nothing."""
        readings = self._plain(self._linker.read(text))[:1]
        return next((r for r in readings if not (r.doubts.lost or r.doubts.vague or r.doubts.gaps)), None)

    def _plain(self, asked: Asked, *, is_held: bool = False) -> list[TableReading]:
        """The readings of the drafts of a question, best first; where two things are ``held`` against each other none
        that does not compare them is what was asked."""
        found: dict[Hashable, TableReading] = {}
        told = (compared(asked, draft, self._catalog) for draft in self._parser.parse(asked))
        parsed = (placed(asked, draft, self._catalog) for draft in told)
        drafts = [(draft, Columns(self._catalog, asked, draft).query()) for draft in parsed]
        compared_ones = list(comparisons(asked, self._catalog))
        for draft, query in (*compared_ones, *drafts):
            if query is None:
                continue
            reading = self._reading(asked, draft, query)
            if is_held and (draft, query) not in compared_ones and not _compares_properties(query.pattern):
                reading = replace(reading, doubts=replace(reading.doubts, lost=reading.doubts.lost + 2))
            key = signature(reading.pattern)
            if key not in found or standing(found[key]) < standing(reading):
                found[key] = reading
        return sorted(found.values(), key=_rank)[:MOST_READINGS]

    def _reading(self, asked: Asked, draft: Draft, query: Query) -> TableReading:
        score = draft.score - query.loose
        words = max(1, len(draft.uses) + len(draft.marks))
        left = Leftover(asked, draft, self._catalog)
        tells = _tells_more(asked, draft, query.pattern)
        several = tells and _asks_for_several(asked, query.pattern)
        return TableReading(
            query.pattern, query.words, score, math.exp(min(0.0, score) / words), query.entity,
            _is_path(asked, draft, query.pattern), _doubts(asked, draft, query, left), tells, several, left.nouns(),
            tells_parts(asked, draft, self._catalog), _said_outright(asked, draft),
        )  # fmt: skip


def _said_outright(asked: Asked, draft: Draft) -> frozenset[str]:
    """The relations of a draft that words say outright."""
    told = {
        (one.first, one.last, s.name) for at in asked.stretches for one in asked.stretches[at] for s in one.senses
        if s.kind == "relation" and s.log >= OUTRIGHT
    }  # fmt: skip
    types = ((use, draft.hops[use.at].type) for use in draft.uses if use.kind == "relation" and use.at >= 0)
    return frozenset(kind for use, kind in types if (use.first, use.last, kind) in told)


def standing(reading: TableReading) -> float:
    """The score of a reading, less what it loses; what only names a thing loses nothing by it, as nothing more was
    understood, then."""
    doubts = reading.doubts
    is_counted = doubts.hops or doubts.aggregates or doubts.lost > 1 or not reading.is_path
    return reading.score - (_LOSING * min(doubts.lost, 2) if is_counted else 0.0)


def _rank(reading: TableReading) -> tuple[float, int, int]:
    """Sorts readings best first; of two that say it as well the plainer one."""
    doubts = reading.doubts
    return -round(standing(reading), 2), doubts.twins + doubts.alike, doubts.hops


def _doubts(asked: Asked, draft: Draft, query: Query, left: Leftover) -> Doubts:
    alike = [i for i, h in enumerate(draft.hops) if draft.nodes[h.start].label == draft.nodes[h.end].label]
    around = [*query.pattern.absent, *query.pattern.optional, *(p for parts in query.pattern.choices for p in parts)]
    around += [aside.part for aside in query.pattern.asides]
    hops = [*query.pattern.hops, *(hop for part in around for hop in part.hops)]
    open_ways = {hop.name for hop in hops if hop.direction == Direction.BOTH}
    # What is counted besides is told apart by that.
    besides = {node.name for part in query.pattern.optional for node in part.nodes}
    besides |= {node.name for aside in query.pattern.asides for node in aside.part.nodes}
    told = [node for i, node in enumerate(draft.nodes) if name_of_node(i) not in besides]
    return Doubts(
        lost=left.lost()
        + len(query.unmet)
        + _contradicts_itself(query.pattern)
        + _compares_not(asked, query.pattern)
        + _answers_half(asked, query.pattern),
        unknown=left.unknown(),
        asked=left.columns(),
        dropped=-draft.dropped,
        loose=query.loose,
        vague=sum(1 for use in draft.uses if use.kind == "property" and use.log < _VAGUE),
        hops=len(draft.hops),
        # Each branch by itself is no harder than one.
        aggregates=_aggregates(asked, draft) - len(query.pattern.asides),
        alike=sum(1 for i in alike if draft.hops[i].paid or name_of_hop(i) in open_ways),
        guessed=sum(1 for hop in draft.hops if hop.paid),
        gaps=left.gaps(),
        unsaid=left.unsaid(),
        twins=max(0, len(told) - len({node.label for node in told}) - len(alike) - _both(asked, draft)),
    )


def _compares_not(asked: Asked, pattern: Pattern) -> bool:
    """Whether nothing is made of it that a question compares something with a thing ("larger than Ulm")."""
    return compares_with_things(asked) and not _compares_properties(pattern)


def _answers_half(asked: Asked, pattern: Pattern) -> bool:
    """Whether two things are asked for and one column is given."""
    shown = [column for column in pattern.returns if not column.hidden]
    return len(shown) < 2 and second_question([unit.text for unit in asked.units]) is not None


def _contradicts_itself(pattern: Pattern) -> bool:
    """Whether an edge is asked for and ruled out, so that nothing can fit ("that passed a lock have no lock")."""
    labels = {node.name: node.labels for node in pattern.nodes}
    there = {(hop.start, hop.descriptors, hop.direction, labels[hop.end]) for hop in pattern.hops}
    there |= {(hop.end, hop.descriptors, hop.direction.opposite, labels[hop.start]) for hop in pattern.hops}
    for part in pattern.absent:
        own = {node.name: node.labels for node in part.nodes}
        is_bare = len(part.hops) == 1 and not part.filters and not part.bindings
        if is_bare and any(
            (hop.start, hop.descriptors, hop.direction, own.get(hop.end)) in there
            or (hop.end, hop.descriptors, hop.direction.opposite, own.get(hop.start)) in there
            for hop in part.hops
        ):
            return True
    return False


def _both(asked: Asked, draft: Draft) -> int:
    """How often "both", or two names that "and" joins, say that two things of one kind are meant."""
    said = sum(1 for mark in asked.marks if mark.deed == Deed.BOTH and mark.text.lower() == "both")
    names = [use for use in draft.uses if use.kind == "value" and use.is_name]
    joined = sum(1 for one, other in pairwise(names) if one.at != other.at and joins_names(asked, one, other.first))
    # "The same port as Ann" is of two, one of them named.
    sharing = len({use.at for use in names if is_compared(asked, use.first)})
    return max(said, joined) + sharing


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
    # "The average number of times" is one average.
    ends = {m.end for m in marks if m.deed == Deed.AGGREGATE}
    often = [m for m in marks if m.deed == Deed.AGGREGATE and m.text.lower().split()[-1] in TIMES_WORDS]
    marks = [m for m in marks if m not in often or not any(0 < m.start - end <= 1 for end in ends)]
    # "How many has each" counts once.
    more = [m for m in marks if m.deed == Deed.AGGREGATE and asked.goes_on(_unit_at(asked, m.start))]
    marks = [m for m in marks if m.deed != Deed.GROUP or not more or not asked.goes_on(_unit_at(asked, m.start))]
    body = [m for m in marks if asked.closing is None or m.start < asked.units[asked.closing].start]
    return len(body or marks)


def _unit_at(asked: Asked, start: int) -> int:
    return next((i for i, unit in enumerate(asked.units) if unit.start >= start), len(asked.units))


def asks_beyond_paths(text: str) -> bool:
    """Whether a question holds marks that no path can express."""
    words = [unit.text for unit in units_of(text)]
    return compares(words) or any(m.deed in _BEYOND_PATHS and not m.doubtful for m in signs_of(text)[1])


def unsaid_by_paths(text: str, candidates: Sequence[Candidate]) -> list[str]:
    """The words of a question that no path follows and that change what is asked, those of names aside.

    What is ruled out, a choice, the most of something, averages, time seen from now, conditions on numbers of
    things; and texts in quotation marks and moments that are the name of nothing.
    """
    named = [c.anchor.span for c in candidates]
    literals, marks = signs_of(text)
    found = [(m.start, m.end) for m in marks if _denies(m) or m.deed == Deed.EITHER]
    found += [one.span for one in literals if one.kind in _NAMING]
    found += _comparisons(text) + _further_columns(text) + _further_questions(text) + _listed_columns(text)
    left = {(s, e) for s, e in found if not any(a < e and s < b for a, b in named)}
    return [text[s:e] for s, e in sorted(left)]


def _comparisons(text: str) -> list[tuple[int, int]]:
    """Where one thing is compared with another ("how many more … than")."""
    units = units_of(text)
    is_compared = compares([unit.text for unit in units])
    return [(unit.start, unit.end) for unit in units if is_compared and unit.text == "than"]


def _further_columns(text: str) -> list[tuple[int, int]]:
    """What is asked for beside names ("the names and ages of"): a path has but one thing for an answer."""
    units = units_of(text)
    words = [unit.text for unit in units]
    return [
        (units[i + 2].start, units[i + 2].end) for i in range(len(words) - 3)
        if words[i] in NAME_WORDS and words[i + 1] == "and" and words[i + 2] not in ARTICLES | NAME_WORDS
        and "of" in words[i + 3 : i + 6] and carries_meaning(words[i + 2])
    ]  # fmt: skip


def _listed_columns(text: str) -> list[tuple[int, int]]:
    """What a closing clause lists beside its first column ("… and return their names along with the ports")."""
    units = units_of(text)
    words = [unit.text for unit in units]
    closing = next((i for i in range(len(words) - 2, 2, -1) if words[i] in CLOSING_VERBS), len(words))
    is_list = any(words[i] in ("and", "with") for i in range(closing + 2, len(words) - 1))
    return [(units[-1].start, units[-1].end)] if is_list else []


def _further_questions(text: str) -> list[tuple[int, int]]:
    """Where a second question begins ("…, and how many …", "… and what is her age")."""
    units = units_of(text)
    begins = {i for i in range(3, len(units)) if units[i - 1].text in COORDINATING and units[i].text in ASKING_MORE}
    more = second_question([unit.text for unit in units])
    begins |= {more} if more is not None else set()
    return [(units[i].start, units[i].end) for i in sorted(begins)]


def _denies(mark: Mark) -> bool:
    """Whether no path can follow a mark."""
    return mark.deed in _DENYING and not mark.doubtful and (mark.deed != Deed.AGGREGATE or mark.value != "count")


_DENYING = frozenset((Deed.NEGATION, Deed.RELATIVE, Deed.HAVING, Deed.SUPERLATIVE, Deed.AGGREGATE))
_NAMING = frozenset((Kind.QUOTED, Kind.DATE, Kind.DATETIME, Kind.YEAR, Kind.MONTH, Kind.DECADE, Kind.CENTURY))


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
    if _compares_properties(pattern):
        return False
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


def _tells_more(asked: Asked, draft: Draft, pattern: Pattern) -> bool:
    """Whether a property that a word says outright is returned, and is no name: no path has it for an answer."""
    if _compares_properties(pattern):
        return True
    said = {(variable_of(use), key) for use in draft.uses if _is_told(asked, use) for key in use.keys}
    return any(isinstance(e := p.expression, Property) and (e.owner, e.key) in said for p in pattern.returns)


def _asks_for_several(asked: Asked, pattern: Pattern) -> bool:
    shown = [p for p in pattern.returns if not p.hidden]
    return len(shown) > 1 and any(unit.text == "and" for unit in asked.units)


def _compares_properties(pattern: Pattern) -> bool:
    return any(isinstance(p.expression, Difference) for p in pattern.returns) or any(
        isinstance(f.right, Property | Measure) for f in pattern.filters
    )


def _is_told(asked: Asked, use: Use) -> bool:
    is_column = use.kind == "property" and use.at >= 0 and not use.spent and not use.is_name
    return is_column and (use.log >= _SAID or asked.goes_on(use.first))


def _is_hard(draft: Draft) -> bool:
    """Whether something is surely said that no path can say: a value that is no name, or a property outright."""
    return any(
        (use.kind == "value" and not use.is_name)
        or (use.kind == "property" and not use.spent and not use.is_name and use.log >= _OUTRIGHT)
        for use in draft.uses
    )
