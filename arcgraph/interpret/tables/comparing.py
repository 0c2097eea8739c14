"""Two named things compared by a property: "how much heavier is A than B", "which is longer, A or B"."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

from arcgraph.graph.pattern import (
    Aggregate,
    Binding,
    Difference,
    Entity,
    Expression,
    Filter,
    Order,
    Pattern,
    PatternNode,
    Projection,
    Property,
)
from arcgraph.interpret.english import YES_NO_STARTS
from arcgraph.interpret.forms import NUMERIC_TYPES, form_of, is_amount
from arcgraph.interpret.operators import MEASURES, SUPERLATIVES
from arcgraph.interpret.tables.asked import Asked, Sense
from arcgraph.interpret.tables.catalog import Catalog, Holder
from arcgraph.interpret.tables.columns import THING, Query
from arcgraph.interpret.tables.english import DIFFERENCE_WORDS, GREATER_WORDS, LESSER_WORDS
from arcgraph.interpret.tables.parse import Draft, Test, Use, Var, name_of_node
from arcgraph.interpret.verbalise import phrase, split_name

# From this logarithm on words name something by themselves.
_NAMED, _SAID, _OUTRIGHT = -0.5, -0.9, -0.3
# A property that an adjective measures, and no word says.
_MEASURED = 0.2
# What is compared says more of a question than what is only named.
_COMPARED = 0.3


class _Named(NamedTuple):
    first: int
    last: int
    sense: Sense


class _Word(NamedTuple):
    """The word that compares: where it stands, whether the larger amount and the later moment are asked for, and the
    superlative that tells what it measures."""

    at: int
    amount: str
    moment: str
    superlative: str


class _Measure(NamedTuple):
    key: str
    first: int
    last: int
    log: float
    holder: Holder


def comparisons(asked: Asked, catalog: Catalog) -> Iterator[tuple[Draft, Query]]:
    """Drafts that compare two named things, with their queries."""
    words = [unit.text for unit in asked.units]
    is_difference = any(word in DIFFERENCE_WORDS for word in words)
    compared = next(_compared(words), None)
    if not is_difference and compared is None:
        return
    for one, other in combinations(_names(asked), 2):
        between = words[one.last : other.first]
        for label, key in _shared(one, other):
            for measure in _measures(asked, catalog, label, compared, (one, other)):
                draft = _draft(asked, label, key, one, other, measure, compared)
                query = _query(words, between, draft, label, key, measure, compared, catalog, is_difference)
                if query is not None:
                    yield draft, query


def compares(words: list[str]) -> bool:
    """Whether words compare one thing with another."""
    return "than" in words and next(_compared(words), None) is not None


def _compared(words: list[str]) -> Iterator[_Word]:
    """Words that compare: "heavier", "later", "more"."""
    for i, word in enumerate(words):
        superlative = word[:-2] + "est" if word.endswith("er") else ""
        if superlative in SUPERLATIVES:
            yield _Word(i, *SUPERLATIVES[superlative], superlative)
        elif word in GREATER_WORDS:
            yield _Word(i, "desc", "desc", "")
        elif word in LESSER_WORDS:
            yield _Word(i, "asc", "asc", "")


def _names(asked: Asked) -> list[_Named]:
    """Named things, none within another."""
    found = [
        _Named(s.first, s.last, sense) for at in sorted(asked.stretches) for s in asked.stretches[at]
        for sense in s.senses if sense.kind == "value" and sense.is_name and sense.log >= _NAMED
    ]  # fmt: skip
    return [
        n for n in found
        if not any(o.first <= n.first and n.last <= o.last and o.last - o.first > n.last - n.first for o in found)
    ]  # fmt: skip


def _shared(one: _Named, other: _Named) -> Iterator[tuple[str, str]]:
    """The labels, with the naming property, that two different things may both bear."""
    if one.last > other.first or len(one.sense.conditions) != 1 or one.sense.conditions == other.sense.conditions:
        return
    both = [h for h in one.sense.holders if h in other.sense.holders and h.side == "node"]
    yield from ((h.owner, h.key) for h in both)


def _measures(
    asked: Asked, catalog: Catalog, label: str, compared: _Word | None, names: tuple[_Named, _Named]
) -> Iterator[_Measure]:
    """The properties of a label that things may be compared by: those that words name, else what an adjective
    measures."""
    taken = {i for n in names for i in range(n.first, n.last)} | ({compared.at} if compared else set())
    said = [
        _Measure(h.key, s.first, s.last, sense.log, h)
        for at in sorted(asked.stretches) for s in asked.stretches[at] if not taken & set(range(s.first, s.last))
        for sense in s.senses if sense.kind == "property" and sense.log >= _SAID and not sense.is_name
        for h in sense.holders if (h.side, h.owner) == ("node", label) and _is_compared(catalog, h)
    ]  # fmt: skip
    measured = list(_by_adjective(catalog, label, compared))
    best = max((m.log for m in said), default=-math.inf)
    if said and (best >= _OUTRIGHT or not measured):
        longest = max(m.last - m.first for m in said if m.log == best)
        yield from (m for m in said if (m.log, m.last - m.first) == (best, longest))
    else:
        yield from measured


def _by_adjective(catalog: Catalog, label: str, compared: _Word | None) -> Iterator[_Measure]:
    """The one property of a label that an adjective measures, if there is one."""
    if compared is None or not compared.superlative:
        return
    properties = catalog.schema.labels[label].properties
    measured = MEASURES.get(compared.superlative, frozenset())
    able = [key for key in properties if measured & set(split_name(key))]
    if not able and compared.moment:
        able = catalog.moment_keys(label)
    holders = [Holder("node", label, key) for key in able]
    holders = [h for h in holders if _is_compared(catalog, h)]
    if len(holders) == 1:
        yield _Measure(holders[0].key, compared.at, compared.at + 1, -_MEASURED, holders[0])


def _is_compared(catalog: Catalog, holder: Holder) -> bool:
    info = catalog.info(holder)
    return is_amount(info) or form_of(info).is_moment


def _draft(
    asked: Asked, label: str, key: str, one: _Named, other: _Named, measure: _Measure, compared: _Word | None
) -> Draft:
    """What the words were taken for, as a draft of two nodes."""
    nodes = tuple(Var(label, True, n.first, (Test(key, n.sense.conditions, n.sense.text, n.first, n.last),))
                  for n in (one, other))  # fmt: skip
    uses = [
        Use("property", measure.first, measure.last, "node", 0, (measure.key,), spent=True, log=measure.log),
        *(Use("value", n.first, n.last, "node", i, (key,), is_name=True, log=n.sense.log)
          for i, n in enumerate((one, other))),
    ]  # fmt: skip
    if compared is not None:
        uses.append(Use("property", compared.at, compared.at + 1, "node", 0, (measure.key,), spent=True))
    for i, unit in enumerate(asked.units):
        senses = [s for x in asked.stretches[i] if x.last == i + 1 for s in x.senses]
        if unit.text in DIFFERENCE_WORDS or any(s.kind == "label" and s.name == label for s in senses):
            uses.append(Use("label", i, i + 1, "node", 0))
    marks = tuple(m for m in asked.marks if not m.doubtful)
    return Draft(measure.log + one.sense.log + other.sense.log + _COMPARED, nodes, (), tuple(uses), marks, 0.0)


def _query(
    words: list[str], between: list[str], draft: Draft, label: str, key: str, measure: _Measure,
    compared: _Word | None, catalog: Catalog, is_difference: bool,
) -> Query | None:  # fmt: skip
    names = [node.tests[0].conditions[0].right for node in draft.nodes]
    is_text = catalog.info(measure.holder).type == "string"
    is_moment = form_of(catalog.info(measure.holder)).is_moment
    one, other = (Property(name_of_node(i), measure.key, is_text and not is_moment) for i in (0, 1))
    nodes = tuple(PatternNode(name_of_node(i), (label,)) for i in (0, 1))
    bindings = tuple(Binding(name_of_node(i), key, (name,)) for i, name in enumerate(names))
    said = f"{phrase(measure.key)} of {phrase(label)} {names[0]} and {names[1]}"
    both = Pattern(nodes, bindings=bindings)
    if is_difference or (compared is not None and "than" in between and words[0] == "how"):
        if is_moment and catalog.info(measure.holder).type not in NUMERIC_TYPES:
            return None
        turned = compared is not None and not is_difference and _way(compared, is_moment) == "asc"
        by: Expression = Difference(other, one) if turned else Difference(one, other)
        pattern = both.returning(Projection(by, f"difference in {phrase(measure.key)}"), distinct=True)
        return Query(pattern, f"difference in {said}{', the other way round' if turned else ''}")
    if compared is None:
        return None
    way = _way(compared, is_moment)
    if "than" in between and words[0] in YES_NO_STARTS:
        kept = Filter(one, ">" if way == "desc" else "<", other)
        pattern = Pattern(
            nodes, bindings=bindings, filters=(kept,), returns=(Projection(Aggregate("exists"), "answer"),)
        )
        return Query(pattern, f"whether the first is {'greater' if way == 'desc' else 'less'}: {said}")
    if "or" not in between and "and" not in between:
        return None
    any_of = (Binding(name_of_node(0), key, tuple(names)),)
    columns = (Projection(Entity(name_of_node(0)), THING), Projection(one, "m1", hidden=True))
    pattern = Pattern(nodes[:1], bindings=any_of, returns=columns, distinct=True,
                      order=(Order("m1", way == "desc"),), limit=1)  # fmt: skip
    return Query(pattern, f"{phrase(label)} with the {'greatest' if way == 'desc' else 'least'} {said}", 0)


def _way(compared: _Word, is_moment: bool) -> str:
    return (compared.moment or compared.amount) if is_moment else (compared.amount or compared.moment)
