"""What is compared with a value that is worked out first: with the average, or with that of one named thing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from arcgraph.graph.pattern import (
    Aggregate,
    Binding,
    Descriptor,
    Filter,
    Hop,
    Measure,
    Part,
    Pattern,
    PatternNode,
    Property,
    Yardstick,
)
from arcgraph.interpret.english import ARTICLES, PREPOSITIONS
from arcgraph.interpret.forms import NUMERIC_TYPES, form_of, is_amount
from arcgraph.interpret.marks import Deed, Mark
from arcgraph.interpret.operators import MEASURES, SUPERLATIVES
from arcgraph.interpret.tables.asked import Asked, Condition
from arcgraph.interpret.tables.catalog import Catalog
from arcgraph.interpret.tables.english import (
    BACK_WORDS,
    COMPARATIVE_LINKS,
    GREATER_WORDS,
    LESSER_LINKS,
    LESSER_WORDS,
    MOMENT_LINKS,
)
from arcgraph.interpret.tables.parse import Compared, Draft, Equal, Test, Use, holder_of
from arcgraph.interpret.verbalise import phrase, split_name

# A comparative stands at most so many words before "than", a property so many before what compares it.
_NEAR, _FAR = 4, 6
# "More expensive than" has so many words up to "than".
_ADJECTIVE = 2
# "As" stands so many words behind "same".
_SAME = 5
# What the elements of a yardstick are called.
_ONE, _OTHER, _EDGE = "one", "other", "one_edge"


class _Link(NamedTuple):
    """What compares: the unit of "than", "above" or "before", that of the comparative, if any, which way it compares
    amounts, where it does, and moments, and the adjective that tells what it measures."""

    at: int
    begins: int
    amount: Literal[">", "<"] | None
    moment: Literal[">", "<"]
    adjective: str = ""


def compared(asked: Asked, draft: Draft, catalog: Catalog) -> Draft:
    """The draft with what it compares with an average, or with a named thing, taken out of its conditions."""
    for link in _links(asked):
        mark = next((m for m in draft.marks if _is_average(m) and _stands_behind(asked, link.at, m.start)), None)
        named = next((u for u in draft.uses if _is_named(asked, draft, u, link.at)), None)
        word = asked.units[link.at].text
        if mark is not None and word not in MOMENT_LINKS:
            return _with_average(asked, draft, catalog, link, mark)
        if named is not None and (word == "than" or word in MOMENT_LINKS):
            return _with_named(draft, catalog, link, named)
    for first, last in _sames(asked):
        named = next((u for u in draft.uses if _is_named(asked, draft, u, last)), None)
        if named is not None:
            return _with_the_same(draft, first, last, named)
        return _with_equal(asked, draft, catalog, first, last)
    return draft


def _sames(asked: Asked) -> Iterator[tuple[int, int]]:
    """The units of "the same … as"."""
    words = [unit.text for unit in asked.units]
    for i, word in enumerate(words):
        if word == "same":
            yield from ((i, j) for j in range(i + 2, min(len(words), i + _SAME)) if words[j] == "as")


def _with_the_same(draft: Draft, first: int, last: int, named: Use) -> Draft:
    """The draft whose thing has the value of a property that a named thing has ("the same colour as the Nightjar"), and
    is not that thing."""
    shared = [u for u in draft.uses if u.kind == "property" and u.first > first and u.last <= last and not u.spent]
    test = _test_of(draft, named)
    if len(shared) != 1 or test is None or (shared[0].side, shared[0].at) != ("node", named.at):
        return draft
    measure, name = shared[0], test.conditions[0].several[0]
    node = draft.nodes[named.at]
    other = test._replace(conditions=(Condition("<>", name),))
    kept = node._replace(tests=(*(t for t in node.tests if t is not test), other))
    nodes = (*draft.nodes[: named.at], kept, *draft.nodes[named.at + 1 :])
    said = named._replace(kind="property", keys=measure.keys, spent=True, is_name=False)
    found = Compared("node", named.at, measure.keys[0], "=", "max", f"that of {name}", test)
    draft = draft._replace(nodes=nodes, uses=tuple(said if use is named else use for use in draft.uses))
    return _with(draft, _Link(last, first, None, ">"), measure, found, ())


def compares_with_things(asked: Asked) -> bool:
    """Whether a question compares something with what is no number ("larger than Ulm")."""
    numbers = [one.comparison for one in asked.literals if one.comparison is not None]
    return any(
        asked.units[link.at].text == "than" and not any(c.start <= asked.units[link.at].start < c.end for c in numbers)
        for link in _links(asked)
    )


def _links(asked: Asked) -> Iterator[_Link]:
    words = [unit.text for unit in asked.units]
    for i, word in enumerate(words):
        if word == "than":
            near = range(i - 1, max(-1, i - 1 - _NEAR), -1)
            yield from next(([link] for j in near if (link := _comparative(words, i, j)) is not None), [])
        elif word in COMPARATIVE_LINKS:
            way = _way_of(less=word in LESSER_LINKS)
            yield _Link(i, i, way, way)
        elif word in MOMENT_LINKS:
            yield _Link(i, i, None, MOMENT_LINKS[word])


def _comparative(words: list[str], than: int, at: int) -> _Link | None:
    """What a comparative compares ("more", "longer", "more expensive")."""
    word = words[at]
    superlative = word[:-2] + "est" if word.endswith("er") else ""
    if word in GREATER_WORDS | LESSER_WORDS:
        way = _way_of(less=word in LESSER_WORDS)
        adjective = words[at + 1] if than == at + _ADJECTIVE and words[at + 1] in MEASURES else ""
        return _Link(than, at, way, way, adjective)
    if superlative not in SUPERLATIVES:
        return None
    amount, moment = SUPERLATIVES[superlative]
    return _Link(
        than, at, _way_of(less=(amount or moment) == "asc"), _way_of(less=(moment or amount) == "asc"), superlative
    )


def _way_of(*, less: bool) -> Literal[">", "<"]:
    return "<" if less else ">"


def _is_average(mark: Mark) -> bool:
    return mark.deed == Deed.AGGREGATE and mark.value == "avg"


def _stands_behind(asked: Asked, at: int, start: int) -> bool:
    """Whether nothing but articles stands between a unit and a character."""
    return start > asked.units[at].start and all(
        unit.text in ARTICLES | BACK_WORDS for unit in asked.units[at + 1 :] if unit.start < start
    )


def _is_named(asked: Asked, draft: Draft, use: Use, at: int) -> bool:
    """Whether a use is the name of one thing behind a unit, its noun aside."""
    if use.kind != "value" or not use.is_name or use.side != "node" or use.first <= at:
        return False
    nouns = {i for u in draft.uses if u.kind == "label" and u.at == use.at for i in range(u.first, u.last)}
    is_behind = all(i in nouns or asked.units[i].text in ARTICLES | {"of", "that"} for i in range(at + 1, use.first))
    return is_behind and _test_of(draft, use) is not None


def _test_of(draft: Draft, use: Use) -> Test | None:
    """The test that ties a node to the one name of a use."""
    for test in draft.nodes[use.at].tests:
        one = test.conditions[0]
        if test.first == use.first and len(test.conditions) == 1 and one.operator == "=" and len(one.several) == 1:
            return test
    return None


def _with_equal(asked: Asked, draft: Draft, catalog: Catalog, first: int, last: int) -> Draft:
    """The draft of which two things have the same in common, the second one told by its noun behind "as" ("in the same
    town as a club that they back", where the first one's property may be another: "have their office in")."""
    shared = [u for u in draft.uses if u.kind == "property" and u.first > first and u.last <= last and not u.spent]
    behind = [u for u in draft.uses if u.side == "node" and u.kind == "label" and u.first > last]
    if len(shared) != 1 or not behind or len(shared[0].keys) != 1 or shared[0].side != "node":
        return draft
    other, key = min(behind, key=lambda use: use.first).at, shared[0].keys[0]
    before = [u for u in draft.uses if u.kind == "property" and u.last <= first and u.side == "node" and not u.spent]
    own = max(before, key=lambda use: use.last, default=None)
    if own is not None and all(unit.text in PREPOSITIONS | ARTICLES for unit in asked.units[own.last : first]):
        node, own_key, said = own.at, own.keys[0], {own, shared[0]}
    else:
        asks = min((u for u in draft.uses if u.side == "node"), key=lambda use: use.first)
        node, own_key, said = asks.at, key, {shared[0]}
    labels = draft.nodes[node].label, draft.nodes[other].label
    has_both = (
        own_key in catalog.schema.labels[labels[0]].properties and key in catalog.schema.labels[labels[1]].properties
    )
    if node == other or not has_both:
        return draft
    spent = (Use("property", i, i + 1, "node", other, (key,), spent=True) for i in (first, last))
    uses = (*(use._replace(spent=True) if use in said else use for use in draft.uses), *spent)
    return draft._replace(uses=uses, equal=Equal(node, own_key, other, key))


# --- with the average --------------------------------------------------------------------------------------------


def _with_average(asked: Asked, draft: Draft, catalog: Catalog, link: _Link, mark: Mark) -> Draft:
    ends = sum(1 for unit in asked.units if unit.start < mark.end)
    begins = sum(1 for unit in asked.units if unit.start < mark.start)
    measure = _measured_behind(draft, catalog, ends) or _measured_before(draft, catalog, link)
    if measure is None:
        node = _node_behind(draft, ends)
        measure = _by_adjective(catalog, draft, node, link) if node is not None else None
    if measure is None or catalog.info(holder_of(draft, measure)).type not in NUMERIC_TYPES:
        return draft
    marks = tuple(m for m in draft.marks if m is not mark)
    said = Use("property", begins, ends, measure.side, measure.at, measure.keys, spent=True)
    words = f"average {phrase(measure.keys[0])}"
    way = _way(catalog, draft, measure, link)
    found = Compared(measure.side, measure.at, measure.keys[0], way, "avg", words)
    return _with(draft._replace(marks=marks), link, measure, found, (said,))


def _measured_behind(draft: Draft, catalog: Catalog, at: int) -> Use | None:
    """The property right behind the word for an average, its noun aside ("the average film length")."""
    for use in sorted(draft.uses, key=lambda use: use.first):
        if use.first >= at:
            if _is_measure(catalog, draft, use):
                return use if use.first == at else None
            at = use.last if use.kind == "label" and use.first == at else at
    return None


def _measured_before(draft: Draft, catalog: Catalog, link: _Link) -> Use | None:
    """The last property before what compares, or between the comparative and "than"."""
    able = [u for u in draft.uses if u.last <= link.at and _is_measure(catalog, draft, u)]
    last = max(able, key=lambda use: use.first, default=None)
    is_moment = last is not None and form_of(catalog.info(holder_of(draft, last))).is_moment
    if last is None or (link.amount is None and not is_moment):
        return None
    return last if link.begins - last.last <= (_FAR if link.amount is not None else 0) else None


def _node_behind(draft: Draft, at: int) -> int | None:
    """The node whose noun stands behind a unit, else the first one that is named by a noun."""
    nouns = sorted((u for u in draft.uses if u.kind == "label"), key=lambda use: (use.first != at, use.first))
    return nouns[0].at if nouns else 0 if draft.nodes else None


# --- with one thing ----------------------------------------------------------------------------------------------


def _with_named(draft: Draft, catalog: Catalog, link: _Link, named: Use) -> Draft:
    test = _test_of(draft, named)
    assert test is not None
    measure = _measured_before(draft, catalog, link) or _by_adjective(catalog, draft, named.at, link)
    is_of_node = measure is not None and (measure.side, measure.at) == ("node", named.at)
    is_only_name = not any(u.kind == "value" and u.is_name and u.at == named.at and u is not named for u in draft.uses)
    if measure is None or not is_of_node or not is_only_name:
        return draft
    node = draft.nodes[named.at]
    kept = node._replace(tests=tuple(t for t in node.tests if t is not test))
    nodes = (*draft.nodes[: named.at], kept, *draft.nodes[named.at + 1 :])
    said = named._replace(kind="property", keys=measure.keys, spent=True, is_name=False)
    name = test.conditions[0].several[0]
    found = Compared(
        "node", named.at, measure.keys[0], _way(catalog, draft, measure, link), "max", f"that of {name}", test
    )
    draft = draft._replace(nodes=nodes, uses=tuple(said if use is named else use for use in draft.uses))
    return _with(draft, link, measure, found, ())


# --- the measure -------------------------------------------------------------------------------------------------


def _is_measure(catalog: Catalog, draft: Draft, use: Use) -> bool:
    """Whether a use is a property that can be compared."""
    if use.kind != "property" or use.spent or use.at < 0 or len(use.keys) != 1:
        return False
    info = catalog.info(holder_of(draft, use))
    return is_amount(info) or form_of(info).is_moment


def _by_adjective(catalog: Catalog, draft: Draft, node: int, link: _Link) -> Use | None:
    """The one property of a node that an adjective measures, if there is one."""
    label = draft.nodes[node].label
    measured = MEASURES.get(link.adjective, frozenset())
    keys = [key for key in catalog.schema.labels[label].properties if measured & set(split_name(key))]
    if not keys and SUPERLATIVES.get(link.adjective, ("", ""))[1]:
        keys = catalog.moment_keys(label)
    uses = [Use("property", link.begins, link.begins + 1, "node", node, (key,), spent=False) for key in keys]
    able = [use for use in uses if _is_measure(catalog, draft, use)]
    return able[0] if len(able) == 1 else None


def _way(catalog: Catalog, draft: Draft, measure: Use, link: _Link) -> Literal[">", "<"]:
    is_moment = form_of(catalog.info(holder_of(draft, measure))).is_moment
    return link.moment if is_moment or link.amount is None else link.amount


def _with(draft: Draft, link: _Link, measure: Use, found: Compared, said: tuple[Use, ...]) -> Draft:
    """The draft that compares, with no column made of what it compares."""
    same = (measure.side, measure.at, measure.keys)
    uses = [u._replace(spent=True) if (u.side, u.at, u.keys) == same and u.kind == "property" else u
            for u in draft.uses]  # fmt: skip
    taken = {i for use in (*uses, *said) for i in range(use.first, use.last)}
    begins = [i for i in {link.begins, link.at} if i not in taken]
    uses += [Use("property", i, i + 1, measure.side, measure.at, measure.keys, spent=True) for i in begins]
    return draft._replace(uses=(*uses, *said), compared=found)


# --- the pattern -------------------------------------------------------------------------------------------------


def with_yardstick(pattern: Pattern, draft: Draft, left: Property) -> tuple[Filter, Yardstick]:
    """The condition that compares ``left``, a property of a pattern's, and the value that it is compared with: of all
    nodes of a label, or edges of a type between two."""
    one = draft.compared
    assert one is not None
    if one.side == "node":
        part = Part((PatternNode(_ONE, (draft.nodes[one.at].label,)),))
        own = _ONE
    else:
        (hop,) = (hop for hop in pattern.hops if hop.name == left.owner)
        labels = {node.name: node.labels for node in pattern.nodes}
        ends = PatternNode(_ONE, labels[hop.start]), PatternNode(_OTHER, labels[hop.end])
        part = Part(
            ends, (Hop(_EDGE, _ONE, _OTHER, tuple(map(Descriptor, (draft.hops[one.at].type,))), hop.direction),)
        )
        own = _EDGE
    if one.named is not None:
        part = Part(part.nodes, part.hops, (Binding(own, one.named.key, one.named.conditions[0].several),))
    of = Property(own, left.key, left.numeric)
    return Filter(left, one.operator, Measure(one.words)), Yardstick(one.words, Aggregate(one.function, of), part)
