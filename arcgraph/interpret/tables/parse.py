"""Builds the pattern of a question word by word: each stretch joins the pattern so far by the cheapest ways.

A beam of partial patterns moves through the question. What a stretch means is a node's label, an edge's type, a
property or a condition on one; it goes to a node that is there, or to a new one that the schema connects. Every word
costs what it leaves unexplained, every hop what it leaves unsaid.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple, TypeVar

from arcgraph.interpret.english import ARTICLES, COPULAS, FUNCTION_WORDS, POSSESSIVES, PREPOSITIONS
from arcgraph.interpret.marks import Deed, Mark
from arcgraph.interpret.tables.asked import Asked, Condition, Sense, Stretch
from arcgraph.interpret.tables.catalog import Catalog, Holder, Way
from arcgraph.interpret.tables.discourse import (
    GOING_ON,
    is_compared,
    is_coordinated,
    is_indefinite,
    is_somebody,
    refers,
)
from arcgraph.interpret.tables.english import (
    AGENT_ENDINGS,
    COMPARING,
    LIGHT_VERBS,
    OPPOSITE_PREPOSITIONS,
    RELATIVE_PRONOUNS,
    THINGS_AGAIN,
)
from arcgraph.interpret.verbalise import split_name

_T = TypeVar("_T")

BEAM = 10
# Of partial patterns of one shape so many are kept.
_ALIKE = 5
MOST_NODES = 6
# Of the ways to join a new node the cheapest are tried.
_MOST_JOINS = 5
# What a hop costs that no word says: where it is the only one between two labels, and elsewhere.
_ONLY_HOP, _HOP = 0.4, 0.8
# What a preposition takes off that, or adds where the relation's name has its opposite.
_BY_PREPOSITION = 0.3
# And what further hops cost.
_LONGER = (0.0, 0.8, 2.4)
# A property that is said "of" a node that does not have it.
_NOT_OF = 1.0
# Joining another node than the one last spoken of, by how long ago that was; the first one stays in mind.
_FARTHER, _FARTHEST, _HEAD = 0.2, 0.8, 0.25
# Two verbs joined by "and" that are not said of one thing.
_OBJECT_OF_ITS_OWN = 0.6
# What "and" goes on with is hardly said of what is asked for where a clause about another thing was begun.
_OUTER_CLAUSE = 0.15
# Saying a label once more of the same node.
_AGAIN = 0.7
# The same where the words bring in something new ("someone", "another film").
_ANOTHER = 2.0
# A node taken for the one that it is compared with ("the same street as …").
_OTHER_ONE = 3.0
# A property or number whose node no one names.
_DEFERRED = 0.1
_UNNAMED_KEY = 1.3
_UNNAMED_ID = 1.5
# A property of an edge, beside one of a node that has it as well.
_APART_FROM = 0.6
# A relation whose hop was said already.
_SAID_AGAIN = 0.1
_NAMED_KEY = 0.6
# A value right behind the name of another property than its own.
_CONTRADICTED = 1.2
# A node that nothing is said of.
_IDLE = 0.6
# A new node for a word that refers back, and as much again for one in the clause that only lists columns.
_UNNAMED_BACK = 0.6
# A second node of a label where the first one would do.
_TWIN = 0.7
_WINDOW = 4


class Test(NamedTuple):
    """A condition on a property, with what of the question says it."""

    key: str
    conditions: tuple[Condition, ...]
    text: str
    first: int
    last: int


class Var(NamedTuple):
    """A node: its label, whether a word says it, when it was last spoken of, and what it is tested for."""

    label: str
    said: bool
    at: int
    tests: tuple[Test, ...] = ()


class Link(NamedTuple):
    """An edge from node ``start`` to ``end``, along its arrow where ``forward``; ``paid`` is what it cost unsaid.

    One of the types ``others`` will do as well.
    """

    type: str
    start: int
    end: int
    forward: bool
    paid: float
    tests: tuple[Test, ...] = ()
    others: tuple[str, ...] = ()


class Use(NamedTuple):
    """What units ``first:last`` were taken for: of node or hop number ``at``, -1 where that is still open.

    ``keys`` are the properties meant; ``spent`` tells that a property only says what a value belongs to.
    """

    kind: Literal["label", "relation", "property", "value"]
    first: int
    last: int
    side: Literal["node", "relationship"]
    at: int
    keys: tuple[str, ...] = ()
    spent: bool = False
    holders: tuple[Holder, ...] = ()
    is_name: bool = False
    log: float = 0.0


class Compared(NamedTuple):
    """What a property of node or hop number ``at`` is compared with, ``words`` in words: an aggregate of that property
    over all of the kind, or over those that ``named`` tests."""

    side: Literal["node", "relationship"]
    at: int
    key: str
    operator: Literal[">", "<", "="]
    function: Literal["avg", "max"]
    words: str
    named: Test | None = None


class Equal(NamedTuple):
    """Two properties of nodes that have one value ("the same colour as their captain")."""

    node: int
    key: str
    other: int
    other_key: str


class Draft(NamedTuple):
    """A pattern so far."""

    score: float = 0.0
    nodes: tuple[Var, ...] = ()
    hops: tuple[Link, ...] = ()
    uses: tuple[Use, ...] = ()
    marks: tuple[Mark, ...] = ()
    dropped: float = 0.0
    compared: Compared | None = None
    equal: Equal | None = None


def name_of_node(i: int) -> str:
    """The variable of a node."""
    return f"n{i}"


def name_of_hop(i: int) -> str:
    """The variable of a hop."""
    return f"r{i}"


def variable_of(use: Use) -> str:
    """The variable of the node or hop that a use is of."""
    return name_of_node(use.at) if use.side == "node" else name_of_hop(use.at)


def holder_of(draft: Draft, use: Use) -> Holder:
    """The property that a use of a node or hop is of."""
    owner = draft.nodes[use.at].label if use.side == "node" else draft.hops[use.at].type
    return Holder(use.side, owner, use.keys[0])


def covers(asked: Asked, use: Use, mark: Mark) -> bool:
    """Whether the words of a mark are part of what a use was taken for ("average height", "not 'Docks'")."""
    return asked.units[use.first].start <= mark.start and mark.end <= asked.units[use.last - 1].end


def is_agent_noun(asked: Asked, use: Use, uses: Iterable[Use]) -> bool:
    """Whether the last word of a use is a noun for those who do something ("actors"), and no verb ("Ann tutors")."""
    before = asked.units[use.first - 1].text if use.first else ""
    # "Which actors" asks for them.
    asks = before == "which" and use.first == 1
    is_verb = (before in RELATIVE_PRONOUNS and not asks) or any(u.kind == "value" and u.last == use.first for u in uses)
    return not is_verb and asked.units[use.last - 1].text.rstrip("s").endswith(AGENT_ENDINGS)


class Parser:
    """Parses the stretches of one question after another. Thread-safe."""

    def __init__(self, catalog: Catalog):
        self._catalog = catalog

    def parse(self, asked: Asked) -> list[Draft]:
        """Complete patterns, best first."""
        beams: dict[int, list[Draft]] = defaultdict(list)
        beams[0] = [Draft()]
        for at in range(len(asked.units)):
            for draft in _pruned(beams.pop(at, [])):
                for stretch in asked.stretches[at]:
                    beams[stretch.last] += self._taken(asked, draft, stretch)
        done = [found for draft in beams.get(len(asked.units), []) for found in self._completed(asked, draft)]
        return sorted(done, key=lambda draft: -draft.score)[:BEAM]

    def _taken(self, asked: Asked, draft: Draft, stretch: Stretch) -> Iterator[Draft]:
        if stretch.mark is not None and stretch.senses:
            draft = draft._replace(marks=(*draft.marks, stretch.mark))
        elif stretch.mark is not None:
            yield draft._replace(score=draft.score + stretch.log, marks=(*draft.marks, stretch.mark))
        elif not stretch.senses:
            yield draft._replace(score=draft.score + stretch.log, dropped=draft.dropped + stretch.log)
        for sense in stretch.senses:
            base = draft._replace(score=draft.score + sense.log + (stretch.log if sense.kind != "value" else 0.0))
            match sense.kind:
                case "label":
                    yield from self._label(asked, base, stretch, sense)
                case "relation":
                    yield from self._relation(asked, base, stretch, sense)
                case "property":
                    yield from self._property(asked, base, stretch, sense)
                case "value":
                    yield from self._value(asked, base, stretch, sense)

    # --- joining -------------------------------------------------------------------------------------------------

    def _narrower(self, one: str, other: str) -> str | None:
        """The label of a node that bears both; ``None`` where none does."""
        if one == other:
            return one
        if (one, other) not in self._catalog.shared:
            return None
        labels = self._catalog.schema.labels
        return min(one, other, key=lambda name: labels[name].count.value)

    def _reached(self, asked: Asked, draft: Draft, label: str, at: int) -> Iterator[tuple[Draft, int]]:
        """The draft with a new node of a label, joined by the ways from each node that is there.

        A preposition before its words that a relation's name has, too, speaks for it ("from Ys": DEPARTS_FROM).
        """
        if not draft.nodes:
            yield draft._replace(nodes=(Var(label, False, at),)), 0
        if len(draft.nodes) >= MOST_NODES:
            return
        twin = _TWIN if any(node.label == label for node in draft.nodes) else 0.0
        found: list[tuple[float, int, Way]] = []
        before = _preposition(asked, at)
        for i, node in enumerate(draft.nodes):
            ways = self._catalog.ways(node.label, label)
            near = (_of_the_same(asked, draft, i) if asked.goes_on(at) else _farther(draft, i)) + twin
            shortest = sum(1 for way in ways if len(way) == len(ways[0]))
            first = _ONLY_HOP if shortest == 1 else _HOP
            found += [(first + _LONGER[len(way) - 1] + near - _told(before, way[-1].type), i, way) for way in ways]
        found.sort(key=lambda item: item[0])
        for cost, i, way in found[:_MOST_JOINS]:
            yield self._walked(draft, i, way, at, cost)

    def _walked(self, draft: Draft, start: int, way: Way, at: int, cost: float) -> tuple[Draft, int]:
        nodes, hops = list(draft.nodes), list(draft.hops)
        for step in way:
            nodes.append(Var(step.label, False, at))
            hops.append(Link(step.type, start, len(nodes) - 1, step.forward, cost / len(way)))
            start = len(nodes) - 1
        return draft._replace(score=draft.score - cost, nodes=tuple(nodes), hops=tuple(hops)), start

    # --- labels --------------------------------------------------------------------------------------------------

    def _label(self, asked: Asked, draft: Draft, stretch: Stretch, sense: Sense) -> Iterator[Draft]:
        closes = asked.closes(stretch.first)
        told = closes or refers(asked, stretch)
        is_back = told or asked.goes_on(stretch.first)
        other = not is_back and is_indefinite(asked, stretch)
        owned = closes and _is_theirs_again(asked, stretch)
        # "… and the number of people who left it" are others than those spoken of before.
        others = asked.goes_on(stretch.first) and not told and _opens_clause(asked, stretch)
        is_back = is_back and not others
        for i, node in enumerate(draft.nodes):
            label = self._narrower(node.label, sense.name)
            if label is None:
                continue
            cost = _farther(draft, i) * (0.3 if is_back else 1.0) + (_ANOTHER if owned and i == 0 else 0.0)
            if (node.said or (other and node.tests)) and not _adjoins(draft, stretch, i):
                # What narrows a thing that is spoken of again is another one ("of persons, and of the kings").
                narrows = node.label != sense.name
                is_there = narrows and told and any(n.label == sense.name and n.said for n in draft.nodes)
                cost += _ANOTHER if other or others or is_there else 0.1 if told or (narrows != is_back) else _AGAIN
            yield _said(draft, i, label, stretch, cost, sense.log)
        for joined, i in self._one_more_beside(asked, draft, stretch, sense.name):
            yield _said(joined, i, sense.name, stretch, 0.0, sense.log)
        # What is named first of all refers to nothing ("all the calls").
        new = _UNNAMED_BACK * (is_back + closes) * bool(draft.nodes)
        for reached, i in self._reached(asked, draft, sense.name, stretch.first):
            yield _said(reached, i, sense.name, stretch, new, sense.log)

    def _one_more_beside(self, asked: Asked, draft: Draft, stretch: Stretch, label: str) -> Iterator[tuple[Draft, int]]:
        """The draft with a thing of another label joined as the one is that was named right before ("in which both the
        crane 'Ox' and the dock 'Ys' appear")."""
        last = draft.uses[-1] if draft.uses else None
        is_joined = last is not None and last.is_name and joins_names(asked, last, stretch.first)
        if last is None or not is_joined or last.side != "node" or len(draft.nodes) >= MOST_NODES:
            return
        for hop in draft.hops:
            if last.at != hop.end or draft.nodes[hop.end].label == label:
                continue
            steps = self._catalog.ends(hop.type, draft.nodes[hop.start].label)
            if any(step.label == label and step.forward == hop.forward for step in steps):
                nodes = (*draft.nodes, Var(label, False, stretch.first))
                more = Link(hop.type, hop.start, len(draft.nodes), hop.forward, 0.0)
                yield draft._replace(nodes=nodes, hops=(*draft.hops, more)), len(draft.nodes)

    # --- relations -----------------------------------------------------------------------------------------------

    def _relation(self, asked: Asked, draft: Draft, stretch: Stretch, sense: Sense) -> Iterator[Draft]:
        for i, hop in enumerate(draft.hops):
            if hop.type == sense.name:
                said = _put(draft.hops, i, hop._replace(paid=0.0))
                cost = -0.8 * hop.paid if hop.paid else _SAID_AGAIN
                yield _used(draft._replace(hops=said), Use("relation", *_span(stretch), "relationship", i), cost)
        conjunction = _conjunction(asked, draft, stretch)
        joint = conjunction == "and" or _is_of_them(asked, stretch) or _is_theirs(asked, draft, stretch)
        if conjunction == "or":
            yield from self._either(draft, stretch, sense)
        elif conjunction:
            yield from self._shared(draft, stretch, sense, draft.hops[draft.uses[-1].at])
        elif joint:
            for hop in draft.hops:
                yield from self._shared(draft, stretch, sense, hop)
        if len(draft.nodes) >= MOST_NODES:
            return
        for i, node in enumerate(draft.nodes):
            again = _TWIN if any(hop.type == sense.name and i in (hop.start, hop.end) for hop in draft.hops) else 0.0
            for step in self._catalog.ends(sense.name, node.label)[:4]:
                cost = _spoken_of(asked, draft, stretch, i, is_verb=True) + (again if step.label != node.label else 0.0)
                cost += _OBJECT_OF_ITS_OWN * joint
                walked, _ = self._walked(draft, i, (step,), stretch.first, cost)
                hops = (*walked.hops[:-1], walked.hops[-1]._replace(paid=0.0))
                use = Use("relation", *_span(stretch), "relationship", len(hops) - 1)
                yield _used(walked._replace(hops=hops), use, 0.0)
        if not draft.nodes:
            for start, end in self._catalog.by_type[sense.name][:3]:
                nodes = (Var(start, False, stretch.first), Var(end, False, stretch.first))
                hop = Link(sense.name, 0, 1, True, 0.0)
                yield _used(
                    draft._replace(nodes=nodes, hops=(hop,)), Use("relation", *_span(stretch), "relationship", 0), 0.6
                )

    def _either(self, draft: Draft, stretch: Stretch, sense: Sense) -> Iterator[Draft]:
        """The draft with one more type that the relation last said may have ("wrote or directed")."""
        last = draft.uses[-1]
        hop = draft.hops[last.at]
        for step in self._catalog.ends(sense.name, draft.nodes[hop.start].label):
            is_alike = step.forward == hop.forward and self._narrower(step.label, draft.nodes[hop.end].label)
            if is_alike and sense.name not in (hop.type, *hop.others):
                hops = _put(draft.hops, last.at, hop._replace(others=(*hop.others, sense.name)))
                # "or" is a word of the relation now.
                yield draft._replace(hops=hops, uses=(*draft.uses[:-1], last._replace(last=stretch.last)))

    def _shared(self, draft: Draft, stretch: Stretch, sense: Sense, hop: Link) -> Iterator[Draft]:
        """The draft with one more edge between the nodes of another ("wrote and directed", "who also tested it")."""
        for step in self._catalog.ends(sense.name, draft.nodes[hop.start].label):
            if hop.type != sense.name and self._narrower(step.label, draft.nodes[hop.end].label):
                hops = (*draft.hops, Link(sense.name, hop.start, hop.end, step.forward, 0.0))
                use = Use("relation", *_span(stretch), "relationship", len(hops) - 1)
                yield _used(draft._replace(hops=hops), use, 0.0)

    # --- properties ----------------------------------------------------------------------------------------------

    def _property(self, asked: Asked, draft: Draft, stretch: Stretch, sense: Sense) -> Iterator[Draft]:
        keys = _by_owner(sense.holders)
        use = Use("property", *_span(stretch), "node", -1, holders=sense.holders, is_name=sense.is_name, log=sense.log)
        last = draft.uses[-1] if draft.uses else None
        is_beside = last is not None and last.kind == "value" and last.last == stretch.first
        if last is not None and is_beside and _ends_key(asked, stretch.first, stretch.last, last.keys[0]):
            # "'SMS' type" says what 'SMS' is.
            said = use._replace(side=last.side, at=last.at, keys=last.keys, spent=True)
            yield _used(draft, said, -_NAMED_KEY / 2)
        for i, node in enumerate(draft.nodes):
            own = keys.get(("node", node.label))
            if not own:
                continue
            placed = use._replace(at=i, keys=own)
            if _names_test(asked, draft, stretch, i, own):
                yield _touched(_used(draft, placed._replace(spent=True), -_NAMED_KEY / 2), i, stretch.first)
            is_compound = last is not None and last.kind == "label" and last.at == i and last.last == stretch.first
            far = _of_closing(draft, i) if asked.closes(stretch.first) else _spoken_of(asked, draft, stretch, i)
            cost = -0.1 if is_compound else _DEFERRED + far
            yield _touched(_used(draft, placed, cost), i, stretch.first)
        # "Their names and ids" are of one thing.
        joined = last is not None and last.kind == "property" and last.side == "node" and _is_joined(asked, last, use)
        apart = _APART_FROM if joined and last is not None and self._has_key(draft, last, keys) else 0.0
        yield from self._of_edges(draft._replace(score=draft.score - apart), stretch, keys, use)
        owners = [owner for side, owner in keys if side == "node"]
        yield _used(draft, use, _DEFERRED)
        if len(owners) <= 2 and not sense.is_name:
            for owner in owners:
                for reached, i in self._reached(asked, draft, owner, stretch.first):
                    new = _UNNAMED_BACK * asked.closes(stretch.first)
                    yield _used(reached, use._replace(at=i, keys=keys["node", owner]), 0.1 + new)

    def _has_key(self, draft: Draft, last: Use, keys: dict[tuple[str, str], tuple[str, ...]]) -> bool:
        """Whether what a property was said of has another one, too."""
        owners = {draft.nodes[last.at].label} if last.at >= 0 else {h.owner for h in last.holders if h.side == "node"}
        return any(("node", owner) in keys for owner in owners)

    def _of_edges(
        self, draft: Draft, stretch: Stretch, keys: dict[tuple[str, str], tuple[str, ...]], use: Use
    ) -> Iterator[Draft]:
        for (side, owner), own in keys.items():
            if side != "relationship":
                continue
            for with_hop, i in self._with_edge(draft, owner, stretch.first):
                yield _used(with_hop, use._replace(side="relationship", at=i, keys=own), 0.0)

    def _with_edge(self, draft: Draft, kind: str, at: int) -> Iterator[tuple[Draft, int]]:
        """The draft with an edge of a type: one that is there, or a new one."""
        there = [i for i, hop in enumerate(draft.hops) if hop.type == kind]
        for since, i in enumerate(reversed(there)):
            refunded = _put(draft.hops, i, draft.hops[i]._replace(paid=0.0))
            yield draft._replace(hops=refunded, score=draft.score + 0.5 * draft.hops[i].paid - 0.4 * since), i
        if there or len(draft.nodes) >= MOST_NODES:
            return
        for i, node in enumerate(draft.nodes):
            for step in self._catalog.ends(kind, node.label)[:2]:
                walked, _ = self._walked(draft, i, (step,), at, 0.2 + _farther(draft, i))
                yield walked, len(walked.hops) - 1
        if not draft.nodes:
            for start, end in self._catalog.by_type[kind][:2]:
                yield (
                    draft._replace(
                        nodes=(Var(start, False, at), Var(end, False, at)), hops=(Link(kind, 0, 1, True, 0.0),)
                    ),
                    0,
                )

    # --- values --------------------------------------------------------------------------------------------------

    def _value(self, asked: Asked, draft: Draft, stretch: Stretch, sense: Sense) -> Iterator[Draft]:
        yield from self._joined(asked, draft, stretch, sense)
        by_side: dict[str, list[Holder]] = defaultdict(list)
        for holder in sense.holders:
            by_side[holder.side].append(holder)
        for holder in by_side["relationship"]:
            for with_edge, i in self._with_edge(draft, holder.owner, stretch.first):
                if not _may_test(with_edge.hops[i].tests, holder.key, sense):
                    continue
                yield from self._tested(asked, with_edge, stretch, sense, "relationship", i, holder.key)
        owners = {holder.owner: holder.key for holder in by_side["node"]}
        if not owners:
            return
        objects = list(self._one_more_object(asked, draft, stretch, sense, owners))
        objects += self._other_sharer(asked, draft, stretch, owners)
        for reached, i in objects:
            yield from self._tested(asked, reached, stretch, sense, "node", i, owners[reached.nodes[i].label])
        draft = draft._replace(score=draft.score - _NOT_OF * bool(objects))
        for i, node in enumerate(draft.nodes):
            key = owners.get(node.label)
            if key is None or not _may_test(node.tests, key, sense):
                continue
            is_known = node.said or bool(node.tests)
            # "The same colour as Ann" has nobody between.
            shares = bool(draft.uses) and draft.uses[-1].kind == "property" and draft.uses[-1].at == i
            is_other = is_compared(asked, stretch.first) and not shares
            is_other = is_other or (is_known and is_somebody(asked, stretch, key))
            other = _OTHER_ONE if is_other else 0.0
            near = draft._replace(score=draft.score - _spoken_of(asked, draft, stretch, i) - other)
            yield from self._tested(asked, near, stretch, sense, "node", i, key)
        owner = by_side["node"][0].owner
        for reached, i in self._reached(asked, draft, owner, stretch.first):
            if is_compared(asked, stretch.first) or is_somebody(asked, stretch, owners[owner]):
                reached = reached._replace(score=reached.score + _TWIN)
            yield from self._tested(asked, reached, stretch, sense, "node", i, owners[owner])

    def _one_more_object(
        self, asked: Asked, draft: Draft, stretch: Stretch, sense: Sense, owners: Mapping[str, str]
    ) -> Iterator[tuple[Draft, int]]:
        """The draft with one more object of the verb whose object was named right before ("met both Ann and Ben")."""
        last = draft.uses[-1] if draft.uses else None
        if last is None or not last.is_name or not sense.is_name or not joins_names(asked, last, stretch.first):
            return
        for hop in draft.hops:
            if last.side != "node" or last.at != hop.end or len(draft.nodes) >= MOST_NODES:
                continue
            labels = [step.label for step in self._catalog.ends(hop.type, draft.nodes[hop.start].label)]
            known = [label for label in (draft.nodes[hop.end].label, *labels, *owners) if label in owners]
            if known:
                nodes = (*draft.nodes, Var(known[0], False, stretch.first))
                more = hop._replace(end=len(draft.nodes), paid=0.0, tests=())
                yield draft._replace(nodes=nodes, hops=(*draft.hops, more)), len(draft.nodes)

    def _other_sharer(
        self, asked: Asked, draft: Draft, stretch: Stretch, owners: Mapping[str, str]
    ) -> Iterator[tuple[Draft, int]]:
        """The draft with the other one that has the same thing ("live in the same street as Ann")."""
        last = draft.uses[-1] if draft.uses else None
        if (
            last is None
            or last.kind != "label"
            or not is_compared(asked, stretch.first)
            or len(draft.nodes) >= MOST_NODES
        ):
            return
        for hop in draft.hops:
            if last.at not in (hop.start, hop.end) or hop.start == hop.end:
                continue
            sharer = hop.start if last.at == hop.end else hop.end
            shared = draft.nodes[last.at].label
            able = [name for name in (draft.nodes[sharer].label, *owners) if name in owners]
            able = [name for name in able if any(s.label == shared for s in self._catalog.ends(hop.type, name))]
            if able:
                nodes = (*draft.nodes, Var(able[0], False, stretch.first))
                is_away = hop.forward == (last.at == hop.end)
                more = Link(hop.type, last.at, len(draft.nodes), not is_away, 0.0)
                yield draft._replace(nodes=nodes, hops=(*draft.hops, more)), len(draft.nodes)

    def _joined(self, asked: Asked, draft: Draft, stretch: Stretch, sense: Sense) -> Iterator[Draft]:
        """The draft with the value as one more choice of the test right before it: "red, green or blue"."""
        last = draft.uses[-1] if draft.uses else None
        right = _equal_to(sense.conditions)
        if last is None or last.kind != "value" or right is None or not _enumerates(asked, last, stretch, sense):
            return
        owner = self._owner(draft, last.side, last.at)
        if not any((h.side, h.owner, h.key) == (last.side, owner, last.keys[0]) for h in sense.holders):
            return
        element: Var | Link = draft.nodes[last.at] if last.side == "node" else draft.hops[last.at]
        test = next((t for t in element.tests if t.key == last.keys[0] and t.last == last.last), None)
        before = _equal_to(test.conditions) if test is not None else None
        if test is None or before is None:
            return
        both = Condition("in", (*before, *right), sense.conditions[0].numeric)
        joined = test._replace(conditions=(both,), last=stretch.last)
        tests = tuple(joined if t is test else t for t in element.tests)
        if last.side == "node":
            draft = draft._replace(nodes=_put(draft.nodes, last.at, draft.nodes[last.at]._replace(tests=tests)))
        else:
            draft = draft._replace(hops=_put(draft.hops, last.at, draft.hops[last.at]._replace(tests=tests)))
        # "or" is a word of the enumeration now.
        yield draft._replace(uses=(*draft.uses[:-1], last._replace(last=stretch.last)))

    def _tested(
        self,
        asked: Asked,
        draft: Draft,
        stretch: Stretch,
        sense: Sense,
        side: Literal["node", "relationship"],
        i: int,
        key: str,
    ) -> Iterator[Draft]:
        """The draft with the value's test; a property named right before it then only says which property that is."""
        test = Test(key, sense.conditions, sense.text, stretch.first, stretch.last)
        if side == "node":
            node = draft.nodes[i]
            draft = draft._replace(nodes=_put(draft.nodes, i, node._replace(tests=(*node.tests, test))))
            draft = _touched(draft, i, stretch.first)
        else:
            hop = draft.hops[i]
            draft = draft._replace(hops=_put(draft.hops, i, hop._replace(tests=(*hop.tests, test))))
        use = Use("value", *_span(stretch), side, i, (key,), is_name=sense.is_name, log=sense.log)
        naming = _naming_use(asked, draft, stretch, side, i, key, self._owner(draft, side, i))
        if naming is None:
            cost = _UNNAMED_KEY if sense.name == "vague" else 0.3 if not sense.is_name else 0.0
            if sense.name == "vague" and side == "node" and self._identifies(draft.nodes[i].label, key):
                cost += _UNNAMED_ID
            yield _used(draft, use, cost + (_CONTRADICTED if _is_named_otherwise(asked, draft, stretch) else 0.0))
        else:
            named = draft.uses[naming]
            spent = named._replace(side=side, at=i, keys=(key,), spent=True)
            # "The rack numbers of racks in zone 4" has a word right before the number.
            is_other = _is_named_otherwise(asked, draft, stretch) and named.last < draft.uses[-1].first
            cost = _CONTRADICTED if is_other else -_NAMED_KEY
            yield _used(draft._replace(uses=_put(draft.uses, naming, spent)), use, cost)

    def _identifies(self, label: str, key: str) -> bool:
        return self._catalog.schema.labels[label].identifying == key

    def _owner(self, draft: Draft, side: str, i: int) -> str:
        return draft.nodes[i].label if side == "node" else draft.hops[i].type

    # --- ends ----------------------------------------------------------------------------------------------------

    def _completed(self, asked: Asked, draft: Draft) -> Iterator[Draft]:
        """Properties still open go to the node that the words behind them speak of first; else to one that has them."""
        if not draft.nodes:
            return
        uses = list(draft.uses)
        score = draft.score
        for n, use in enumerate(uses):
            if use.kind != "property" or use.at >= 0:
                continue
            keys = _by_owner(use.holders)
            found = self._home(asked, draft, use, keys)
            edge = self._edge_home(draft, keys)
            if edge is not None and (found is None or found[1] > _DEFERRED):
                uses[n] = use._replace(side="relationship", at=edge, keys=keys["relationship", draft.hops[edge].type])
                continue
            if found is None:
                owner = next((owner for side, owner in keys if side == "node"), None)
                if owner is None:
                    new = self._new_edge(draft, use, keys)
                    if new is None:
                        return
                    score += new[0].score - draft.score
                    draft, edge = new
                    uses[n] = use._replace(
                        side="relationship", at=edge, keys=keys["relationship", draft.hops[edge].type]
                    )
                    continue
                reached = max(self._reached(asked, draft, owner, use.first), key=lambda r: r[0].score, default=None)
                if reached is None:
                    return
                score += reached[0].score - draft.score
                draft, found = reached[0], (reached[1], 0.3)
            i, cost = found
            shared = _coordinated(asked, uses, n, n + 1)
            shared = _coordinated(asked, uses, n, n - 1) if shared is None else shared
            if shared is not None and ("node", draft.nodes[shared].label) in keys:
                i = shared
            score -= cost
            uses[n] = use._replace(at=i, keys=keys["node", draft.nodes[i].label])
        score -= _NOT_OF * sum(1 for n, use in enumerate(uses) if _is_of_another(asked, uses, n, use))
        idle = {i for i, node in enumerate(draft.nodes) if _is_idle(draft, uses, i, node)}
        for use in uses:
            if use.kind == "relation" and is_agent_noun(asked, use, uses):
                # It stands for one of its ends ("the oldest actors").
                hop = draft.hops[use.at]
                idle.discard(hop.start if hop.start in idle else hop.end)
        yield draft._replace(score=score - _IDLE * len(idle), uses=tuple(uses))

    def _new_edge(
        self, draft: Draft, use: Use, keys: dict[tuple[str, str], tuple[str, ...]]
    ) -> tuple[Draft, int] | None:
        """The draft with the cheapest edge more that has the property."""
        found = [
            one for side, owner in keys if side == "relationship" for one in self._with_edge(draft, owner, use.first)
        ]
        return max(found, key=lambda one: one[0].score, default=None)

    def _edge_home(self, draft: Draft, keys: dict[tuple[str, str], tuple[str, ...]]) -> int | None:
        """The first edge that may have the property."""
        return next((i for i, hop in enumerate(draft.hops) if ("relationship", hop.type) in keys), None)

    def _home(
        self, asked: Asked, draft: Draft, use: Use, keys: dict[tuple[str, str], tuple[str, ...]]
    ) -> tuple[int, float] | None:
        able = [i for i, node in enumerate(draft.nodes) if ("node", node.label) in keys]
        if not able:
            return None
        if asked.closes(use.first) and asked.units[use.first - 1].text in POSSESSIVES:
            # "List their names along with …": of those that the question opens with.
            head = next((u.at for u in draft.uses if u.side == "node" and u.kind == "label" and u.at in able), None)
            if head is not None:
                return head, 0.0
        behind = [
            (u.first, u.at) for u in draft.uses
            if u.side == "node" and u.at in able and u.first >= use.last and u.kind in ("label", "value")
        ]  # fmt: skip
        if behind:
            first, at = min(behind)
            return at, 0.02 * (first - use.last)
        return able[0], 0.5


def joins_names(asked: Asked, last: Use, first: int) -> bool:
    """Whether nothing but "and" stands between a name and what follows."""
    between = [unit.text for unit in asked.units[last.last : first]]
    idle = COMPARING | ARTICLES | {"and"}
    return last.kind == "value" and "and" in between and all(word in idle for word in between)


# --- drafts ------------------------------------------------------------------------------------------------------


def _pruned(drafts: Iterable[Draft]) -> list[Draft]:
    """The best drafts, none twice, and few that differ only in the relations and in which node of a label is meant."""
    kept: dict[object, Draft] = {}
    alike: dict[object, int] = defaultdict(int)
    for draft in sorted(drafts, key=lambda d: -d.score):
        key = (draft.nodes, draft.hops, draft.uses[-3:], draft.marks)
        shape = tuple(node.label for node in draft.nodes), tuple((use.kind, use.first) for use in draft.uses)
        if key in kept or alike[shape] == _ALIKE:
            continue
        kept[key] = draft
        alike[shape] += 1
        if len(kept) == BEAM:
            break
    return list(kept.values())


def _spoken_of(asked: Asked, draft: Draft, stretch: Stretch, i: int, *, is_verb: bool = False) -> float:
    """What it costs to say something of a node: what "and" goes on with is the first one, first of all, and so is what
    more is asked of ("…, and how many")."""
    if asked.goes_on(stretch.first):
        return _of_the_same(asked, draft, i)
    if not is_coordinated(asked, stretch, is_verb=is_verb):
        return _farther(draft, i)
    if (clause := _antecedent(asked, draft, stretch.first)) is not None and i in (0, clause):
        return 0.0 if i == clause else _OUTER_CLAUSE
    return 0.0 if i == 0 else _HEAD + _farther(draft, i)


def _antecedent(asked: Asked, draft: Draft, before: int) -> int | None:
    """The node of the noun that the last "who" or "that" before a unit follows ("… of species that have … and …")."""
    at = next((i for i in range(before - 1, 0, -1) if asked.units[i].text in RELATIVE_PRONOUNS), None)
    found = (use.at for use in draft.uses if use.kind == "label" and use.last == at)
    return next(found, None) if at is not None else None


def _conjunction(asked: Asked, draft: Draft, stretch: Stretch) -> str:
    """What joins a relation to the one last said, "and" or "or", so that both are to one thing; else empty."""
    last = draft.uses[-1] if draft.uses else None
    if last is None or last.kind != "relation":
        return ""
    end, begin = asked.units[last.last - 1].end, asked.units[stretch.first].start
    if any(m.deed == Deed.NEGATION and end <= m.start < begin for m in asked.marks):
        return ""
    between = [unit.text for unit in asked.units[last.last : stretch.first]]
    if not all(word in FUNCTION_WORDS or word in GOING_ON or word in LIGHT_VERBS for word in between):
        return ""
    if "," in asked.text[end:begin] and not {"and", "or"} & set(between):
        # The last of those listed says how they are joined.
        between = [unit.text for unit in asked.units[stretch.last : stretch.last + _WINDOW]]
    return next((word for word in between if word in ("and", "or")), "")


def _opens_clause(asked: Asked, stretch: Stretch) -> bool:
    """Whether a clause of its own says which things are meant."""
    return "".join(unit.text for unit in asked.units[stretch.last : stretch.last + 1]) in RELATIVE_PRONOUNS


def _is_theirs_again(asked: Asked, stretch: Stretch) -> bool:
    """Whether a label is what those who were asked for have to do with ("the people they know")."""
    return "".join(unit.text for unit in asked.units[stretch.last : stretch.last + 1]) in ("they", "he", "she", "it")


def _is_of_them(asked: Asked, stretch: Stretch) -> bool:
    """Whether a relation is said of what was spoken of before ("someone who also acted in them")."""
    behind = [unit.text for unit in asked.units[stretch.last : stretch.last + 2]]
    return bool(behind) and (behind[0] in THINGS_AGAIN or (behind[0] in COMPARING and behind[-1] in THINGS_AGAIN))


def _is_theirs(asked: Asked, draft: Draft, stretch: Stretch) -> bool:
    """Whether a relation is one of those whose verb stands right before it ("killed by their students")."""
    last = draft.uses[-1] if draft.uses else None
    if last is None or asked.units[stretch.first - 1].text not in POSSESSIVES:
        return False
    between = {unit.text for unit in asked.units[last.last : stretch.first - 1]}
    is_object = last.kind == "label" and any(hop.end == last.at for hop in draft.hops)
    return (last.kind == "relation" and between <= PREPOSITIONS) or is_object


def _told(preposition: str, kind: str) -> float:
    """What a preposition says for a relation, or against it."""
    words = split_name(kind)
    return _BY_PREPOSITION * ((preposition in words) - (OPPOSITE_PREPOSITIONS.get(preposition) in words))


def _preposition(asked: Asked, at: int) -> str:
    """The preposition before a word, articles aside; empty where another word stands there."""
    before = [unit.text for unit in asked.units[max(0, at - 2) : at] if unit.text not in ARTICLES]
    return before[-1] if before and before[-1] in PREPOSITIONS else ""


def _span(stretch: Stretch) -> tuple[int, int]:
    return stretch.first, stretch.last


def _put(items: tuple[_T, ...], i: int, item: _T) -> tuple[_T, ...]:
    return (*items[:i], item, *items[i + 1 :])


def _used(draft: Draft, use: Use, cost: float) -> Draft:
    return draft._replace(score=draft.score - cost, uses=(*draft.uses, use))


def _touched(draft: Draft, i: int, at: int) -> Draft:
    return draft._replace(nodes=_put(draft.nodes, i, draft.nodes[i]._replace(at=at)))


def _said(draft: Draft, i: int, label: str, stretch: Stretch, cost: float, log: float) -> Draft:
    """The draft with a node's label said."""
    nodes = _put(draft.nodes, i, draft.nodes[i]._replace(label=label, said=True, at=stretch.first))
    return _used(draft._replace(nodes=nodes), Use("label", *_span(stretch), "node", i, log=log), cost)


def _farther(draft: Draft, i: int) -> float:
    """What speaking of a node costs that others were spoken of since."""
    since = sum(1 for node in draft.nodes if node.at > draft.nodes[i].at)
    farther = min(_FARTHEST, _FARTHER * since)
    return min(farther, _HEAD) if i == 0 else farther


def _of_closing(draft: Draft, i: int) -> float:
    """The same where the question closes with the columns that it wants: they are the first node's, first of all."""
    return 0.0 if i == 0 else _HEAD + _farther(draft, i)


def _of_the_same(asked: Asked, draft: Draft, i: int) -> float:
    """The same where more is asked of the first node, all the more of "each"."""
    each = asked.going_on is not None and any(unit.text == "each" for unit in asked.units[asked.going_on :])
    return _of_closing(draft, i) + (_HEAD if each and i else 0.0)


def _adjoins(draft: Draft, stretch: Stretch, i: int) -> bool:
    """Whether a label stands right behind another word for the same node."""
    last = draft.uses[-1] if draft.uses else None
    return last is not None and last.side == "node" and last.at == i and last.last == stretch.first


def _by_owner(holders: Sequence[Holder]) -> dict[tuple[str, str], tuple[str, ...]]:
    keys: dict[tuple[str, str], tuple[str, ...]] = {}
    for holder in holders:
        keys[holder.side, holder.owner] = (*keys.get((holder.side, holder.owner), ()), holder.key)
    return keys


def _names_test(asked: Asked, draft: Draft, stretch: Stretch, i: int, keys: Sequence[str]) -> bool:
    """Whether a property right behind a value says what the value belongs to ("the red colour")."""
    return any(
        test.key in keys
        and 0 <= stretch.first - test.last <= _WINDOW + 1
        and asked.closes(stretch.first) == asked.closes(test.first)
        for test in draft.nodes[i].tests
        if not any(u.spent and u.at == i and test.key in u.keys for u in draft.uses)
    )


def _naming_use(asked: Asked, draft: Draft, stretch: Stretch, side: str, i: int, key: str, owner: str) -> int | None:
    """The use that names the property of a value: the last one before it, a few words away."""
    for n in range(len(draft.uses) - 1, -1, -1):
        use = draft.uses[n]
        if use.kind != "property" or use.spent or stretch.first - use.last > _WINDOW:
            continue
        between = [u for u in draft.uses if u.first >= use.last]
        if any(u.kind == "value" or (use.is_name and u.kind in ("label", "property")) for u in between):
            continue
        if use.at == i and use.side == side and key in use.keys:
            return n
        if use.at < 0 and any((h.side, h.owner, h.key) == (side, owner, key) for h in use.holders):
            return n
        if _begins(use, side, owner, i, key) or (use.at < 0 and _ends_key(asked, use.first, use.last, key)):
            return n
    return None


def _begins(use: Use, side: str, owner: str, i: int, key: str) -> bool:
    """Whether a value's property is called by what a use names and more ("the home bank in Peru": homeBankCountry)."""
    words = split_name(key)
    if use.at >= 0:
        keys = use.keys if (use.side, use.at) == (side, i) else ()
    else:
        keys = tuple(h.key for h in use.holders if (h.side, h.owner) == (side, owner))
    return any(1 < len(own := split_name(k)) < len(words) and words[: len(own)] == own for k in keys)


def _ends_key(asked: Asked, first: int, last: int, key: str) -> bool:
    """Whether words close a property's key ("type" of call_type)."""
    words, said = split_name(key), tuple(unit.text for unit in asked.units[first:last])
    return len(said) < len(words) and words[-len(said) :] == said


def _is_named_otherwise(asked: Asked, draft: Draft, stretch: Stretch) -> bool:
    """Whether a property stands right before a value, with at most a form of "to be" in between."""
    last = draft.uses[-1] if draft.uses else None
    if last is None or last.kind != "property" or last.spent:
        return False
    between = asked.units[last.last : stretch.first]
    return len(between) <= 1 and all(unit.text in COPULAS or unit.text == "as" for unit in between)


def _may_test(tests: Sequence[Test], key: str, sense: Sense) -> bool:
    """Whether a node may be tested once more for a property: not for equality twice."""
    if not any(test.key == key for test in tests):
        return True
    equal = ("=", "in")
    both = [c.operator for test in tests if test.key == key for c in test.conditions]
    return not any(o in equal for o in both) and not any(c.operator in equal for c in sense.conditions)


def _equal_to(conditions: Sequence[Condition]) -> tuple[object, ...] | None:
    """The values that a condition lets through, where it names them."""
    if len(conditions) != 1 or conditions[0].operator not in ("=", "in"):
        return None
    return conditions[0].several


def _enumerates(asked: Asked, last: Use, stretch: Stretch, sense: Sense) -> bool:
    """Whether nothing but "or", a comma, or between values that name nothing "and" stands before another value."""
    between = asked.units[last.last : stretch.first]
    words = {unit.text for unit in between}
    if "or" in words:
        return words <= _LINKS | {"or"}
    begin, end = asked.units[last.last - 1].end, asked.units[stretch.first].start
    if {"a", "an"} & words:
        # "a school and a shop" are two things.
        return False
    is_comma = not words and "," in asked.text[begin:end]
    return not sense.is_name and (is_comma or (bool(words) and words <= _LINKS | {"and"}))


_LINKS = COMPARING | frozenset(("the", "a", "an", "either"))


def _is_idle(draft: Draft, uses: Sequence[Use], i: int, node: Var) -> bool:
    degree = sum(1 for hop in draft.hops if i in (hop.start, hop.end))
    return degree <= 1 and not node.tests and not any(u.side == "node" and u.at == i for u in uses)


def _coordinated(asked: Asked, uses: Sequence[Use], n: int, other: int) -> int | None:
    """The node of the property that "and" joins to another: "the names and ages of" are of one thing."""
    if not 0 <= other < len(uses):
        return None
    beside = uses[other]
    is_placed = beside.kind == "property" and beside.side == "node" and not beside.spent and beside.at >= 0
    return beside.at if is_placed and _is_joined(asked, *sorted((uses[n], beside), key=lambda u: u.first)) else None


def _is_joined(asked: Asked, one: Use, other: Use) -> bool:
    """Whether nothing but "and" stands between two uses."""
    between = {unit.text for unit in asked.units[one.last : other.first]}
    return "and" in between and between <= _LISTING


_LISTING = ARTICLES | frozenset(("and", "also", "their", "its"))


def _is_of_another(asked: Asked, uses: Sequence[Use], n: int, use: Use) -> bool:
    """Whether a property is said to be "of" a label that stands for another node than the one it was given to."""
    if use.kind != "property" or use.spent or n + 1 == len(uses):
        return False
    follows = uses[n + 1]
    between = [unit.text for unit in asked.units[use.last : follows.first]]
    if follows.kind == "relation" and n + 2 < len(uses) and uses[n + 2].first == follows.last:
        # "the name of the investigating officer"
        follows = uses[n + 2]
    is_of = bool(between) and between[0] in ("of", "for") and all(w in FUNCTION_WORDS for w in between)
    return is_of and follows.kind in ("label", "value") and follows.side == "node" and follows.at != use.at
