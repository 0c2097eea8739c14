"""Explore: two explorers look around the question in parallel, each with one batch of queries, and report.

What they saw joins the interface: entities, relations with their ends and an example, confirmed ways, names that may be
one thing's. Looks compile to patterns or pass the gate; without a model each explorer looks around the anchors, and
what was seen is its report.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import reduce
from itertools import combinations
from operator import or_
from typing import Any

from pydantic import BaseModel, create_model

from arcgraph.arcrag.context import Asked, Context
from arcgraph.arcrag.gaps import gaps
from arcgraph.arcrag.hints import NOWHERE_BOUND, Hints, Within, scoped
from arcgraph.arcrag.interface import Interface, Move, keys_of
from arcgraph.arcrag.query import Draft, Executor, Outcome
from arcgraph.arcrag.seed import anchors_like
from arcgraph.domain import Anchor, Edge, Node, Schema, flat
from arcgraph.graph.pattern import Descriptor, Direction, Hop, Pattern, PatternNode
from arcgraph.interpret.assemble import around, bound, witnessing
from arcgraph.interpret.roles import labels_say_nothing, telling_label
from arcgraph.llm.base import system, user
from arcgraph.llm.data import block, fitting, named, quoted, rules
from arcgraph.llm.reason import Ask, Decision, Unusable
from arcgraph.llm.schema import at_most, narrowed, one_of
from arcgraph.llm.stages import Stage
from arcgraph.resources import prompt

KINDS = ("anchored", "topology")
AROUND, BETWEEN, NAMED, CYPHER = "around", "between", "named", "cypher"
_EDGES_A_LOOK = 40
_WAYS = 10
_LONGEST_WAY = 3
_NAMES = 5
_NEW_ANCHORS = 12
_PATHS = 12
# A report that says less than this needs nobody to sort it.
_MANY = 12
_REPORTS = 2
_PAIRS = 6
_HINTS = 6
_MOST_TYPES = 60


class Look(BaseModel):
    """One look; what it does not need is empty."""

    look: str
    node: str = ""
    other: str = ""
    relation: str = ""
    text: str = ""
    cypher: str = ""


class Looks(BaseModel):
    """A batch of looks."""

    looks: list[Look] = []


class Report(BaseModel):
    """What an explorer makes of what it saw."""

    relations: list[str] = []
    same: list[list[str]] = []


@dataclass(frozen=True, slots=True)
class Explored:
    """What was seen: the interface with it, the results whose rows hold it, and whether a model said where to look."""

    interface: Interface
    facts: tuple[Outcome, ...] = ()
    tried: tuple[Outcome, ...] = ()
    is_led: bool = False


def explore(asked: Asked, context: Context, interface: Interface, hints: Hints | None = None) -> Explored:
    """Both explorers, in parallel; within the passages that hints bound them to, else anywhere."""
    hints = hints or Hints()
    with ThreadPoolExecutor(len(KINDS), thread_name_prefix="arcgraph-explore") as pool:
        explorers = [_Explorer(kind, asked, context, interface, hints) for kind in KINDS]
        done = list(pool.map(lambda explorer: explorer.run(), explorers))
    joined = interface
    for one in done:
        joined = joined.joined(one.interface)
    facts = {o.draft.key: o for one in done for o in one.facts}
    context.trace.note(
        "explore",
        "report",
        queries=sum(len(one.tried) for one in done),
        relations=len(joined.moves) - len(interface.moves),
        entities=len(joined.anchors) - len(interface.anchors),
        paths=list(joined.paths),
    )
    tried = tuple(o for one in done for o in one.tried)
    return Explored(joined, tuple(facts.values()), tried, any(one.is_led and one.facts for one in done))


class _Explorer:
    """One explorer with its batch."""

    def __init__(self, kind: str, asked: Asked, context: Context, interface: Interface, hints: Hints):
        self._kind = kind
        self._asked = asked
        self._context = context
        self._interface = interface
        self._hints = hints.texts[:_HINTS]
        self._within = hints.within
        settings = context.settings
        self._executor = Executor(context.graph, timeout=settings.arcrag.look_timeout, most=_EDGES_A_LOOK)

    def run(self) -> Explored:
        """The batch, and once more without bounds where nothing lies within them."""
        looks = self._looks()
        seen = _Seen(self._context)
        outcomes = self._look(looks.value, seen, self._within)
        if any(self._within) and not any(map(_holds_edges, outcomes)):
            # What no passage bounds was looked at as it is.
            outcomes += self._look(
                [look for look in looks.value if look.look not in (NAMED, CYPHER)], seen, NOWHERE_BOUND
            )
        facts = tuple(filter(_holds_edges, outcomes))
        return Explored(self._reported(seen.interface()), facts, tuple(outcomes), looks.by == "model")

    def _look(self, looks: Sequence[Look], seen: _Seen, within: Within) -> list[Outcome]:
        """At most so many queries as there may be looks."""
        outcomes: list[Outcome] = []
        for look in looks:
            if look.look == NAMED:
                seen.anchors += anchors_like(look.text, self._context, _NAMES) if look.text.strip() else []
                continue
            for draft in self._drafts(look):
                if len(outcomes) >= self._context.settings.arcrag.looks:
                    return outcomes
                bounded = scoped(draft, self._context.schema, within)
                outcomes.append(self._executor.run(bounded, timeout=self._context.left()))
                if outcomes[-1].rows:
                    seen.take(outcomes[-1])
                    break
        return outcomes

    # --- the batch -----------------------------------------------------------------------------------------------

    def _looks(self) -> Decision[list[Look]]:
        context, settings = self._context, self._context.settings.arcrag
        text = prompt("explore", kind=self._kind, most=settings.looks, **self._variables(self._interface))
        batch = narrowed(Looks, looks=at_most(settings.looks, look_form(self._interface)))
        ask = Ask(Stage.EXPLORE, (system(rules()), user(text)), batch)
        default = self._own_looks()[: settings.looks]
        return context.reasoner.decide(ask, default, lambda reply: _batch(reply, settings.looks))

    def _variables(self, interface: Interface) -> dict[str, str]:
        context, asked = self._context, self._asked
        budget = context.settings.arcrag.schema_tokens
        missing = gaps(asked.question, interface, self._hints)
        return {
            "question": quoted(asked.question, len(asked.question)),
            "asked": quoted(asked.text, len(asked.text)) if asked.text != asked.question else "",
            "known": block(fitting(asked.known, budget)) if asked.known else "",
            "gaps": ", ".join(missing),
            "interface": block(fitting(interface.lines(context.schema), budget)),
            "hints": block(quoted(hint) for hint in self._hints) if self._hints else "",
        }

    def _own_looks(self) -> list[Look]:
        """Where no model says: around each entity and between them, or along the relations that leave them."""
        anchors = list(self._interface.anchor_ids())
        if self._kind == KINDS[0]:
            pairs = [Look(look=BETWEEN, node=a, other=b) for a, b in combinations(anchors[:3], 2)]
            return [*(Look(look=AROUND, node=a) for a in anchors[:4]), *pairs]
        moves = self._interface.move_ids()
        return [
            Look(look=AROUND, node=a, relation=r)
            for a in anchors[:2]
            for r, move in moves.items()
            if not move.start or move.start in self._interface.anchor_ids()[a].labels
        ]

    def _drafts(self, look: Look) -> Iterator[Draft]:
        """The queries of a look, of which the first that finds something is enough."""
        anchors = self._interface.anchor_ids()
        one, other = anchors.get(look.node), anchors.get(look.other)
        if look.look == AROUND and one is not None:
            yield self._around(one, self._interface.move_ids().get(look.relation))
        elif look.look == BETWEEN and one is not None and other is not None and one != other:
            yield from (self._between(one, other, hops) for hops in range(1, _LONGEST_WAY + 1))
        elif look.look == CYPHER and look.cypher.strip():
            yield Draft("a look of the model's own", cypher=look.cypher.strip().rstrip(";"), origin="look")

    def _around(self, anchor: Anchor, move: Move | None) -> Draft:
        return scan(anchor, self._context.schema, _EDGES_A_LOOK, move)

    def _between(self, one: Anchor, other: Anchor, hops: int) -> Draft:
        schema = self._context.schema
        names = ["a0", *(f"n{i}" for i in range(1, hops)), "a1"]
        relations = facts_of(schema)
        chain = tuple(Hop(f"r{i}", names[i], names[i + 1], relations, Direction.BOTH) for i in range(len(names) - 1))
        pattern = Pattern(tuple(PatternNode(name) for name in names), chain)
        tied = witnessing(bound(pattern, [one, other], loaded=schema.loaded), _WAYS)
        words = f"ways of {hops} hops between {one.name} and {other.name}"
        return Draft(words, tied, tied, origin="look")

    # --- the report ----------------------------------------------------------------------------------------------

    def _reported(self, seen: Interface) -> Interface:
        """What was seen, sorted by a model where it is much; asked once more where it does not say."""
        if len(seen.moves) <= _MANY or not self._context.reasoner.thinks:
            return seen
        moves, anchors = seen.move_ids(), seen.anchor_ids()
        variables = self._variables(seen)
        text = prompt("report", **{k: variables[k] for k in ("question", "asked", "interface")})
        nodes = one_of(list(anchors) or [""])
        form = narrowed(
            Report,
            relations=at_most(_MANY, one_of(list(moves))),
            same=at_most(_PAIRS, at_most(2, nodes)),
        )
        for sample in range(_REPORTS):
            ask = Ask(Stage.REPORT, (system(rules()), user(text)), form, sample)
            decision = self._context.reasoner.decide(ask, seen, lambda reply: _sorted(reply, seen))
            if decision.by == "model":
                return decision.value
        return seen


def look_form(interface: Interface) -> Any:
    """The type of the looks that an interface allows: for each kind only what it needs."""
    anchors, moves = list(interface.anchor_ids()), list(interface.move_ids())
    forms = [
        create_model("Named", look=(one_of((NAMED,)), ...), text=(str, ...)),
        create_model("Written", look=(one_of((CYPHER,)), ...), cypher=(str, ...)),
    ]
    if len(anchors) > 1:
        ends: dict[str, Any] = {"node": (one_of(anchors), ...), "other": (one_of(anchors), ...)}
        forms.insert(0, create_model("Between", look=(one_of((BETWEEN,)), ...), **ends))
    if anchors:
        around: dict[str, Any] = {"node": (one_of(anchors), ...), "relation": (one_of(["", *moves]), "")}
        forms.insert(0, create_model("Around", look=(one_of((AROUND,)), ...), **around))
    return reduce(or_, forms)


def _batch(reply: Looks, most: int) -> list[Look]:
    if not reply.looks:
        raise Unusable("there is no look in the reply")
    looks = [Look(**look.model_dump()) for look in reply.looks]
    return [look for i, look in enumerate(looks) if look not in looks[:i]][:most]


def _sorted(reply: Report, seen: Interface) -> Interface:
    """The relations that were picked before the others, and the pairs of names."""
    moves, anchors = seen.move_ids(), seen.anchor_ids()
    first = [moves[r] for r in dict.fromkeys(reply.relations) if r in moves]
    rest = [m for m in seen.moves if m not in first]
    known = ([anchors[a].name for a in pair if a in anchors] for pair in reply.same)
    pairs = tuple(dict.fromkeys((p[0], p[1]) for p in known if len(p) == 2 and p[0] != p[1]))
    return replace(seen, moves=(*first, *rest), same=(*seen.same, *pairs))


# --- what was seen -----------------------------------------------------------------------------------------------


class _Seen:
    """Takes in results and makes an interface of them."""

    def __init__(self, context: Context):
        self._context = context
        self.anchors: list[Anchor] = []
        self._nodes: Counter[str] = Counter()
        self._by_id: dict[str, Node] = {}
        self._moves: dict[Move, str] = {}
        self._paths: list[str] = []

    def take(self, outcome: Outcome) -> None:
        """The nodes and edges of a result's rows."""
        assert outcome.rows is not None
        for record in outcome.rows:
            nodes, edges = _elements(record)
            by_id = {n.element_id: n for n in nodes}
            self._by_id |= by_id
            self._nodes.update(by_id.keys())
            for edge in edges:
                if edge.start in by_id and edge.end in by_id:
                    self._edge(edge, by_id[edge.start], by_id[edge.end])
            if len(edges) > 1 and len(self._paths) < _PATHS:
                self._paths.append("; ".join(self._words(e, by_id) for e in edges if {e.start, e.end} <= by_id.keys()))

    def _edge(self, edge: Edge, start: Node, end: Node) -> None:
        schema = self._context.schema
        move = Move(_label(start, schema), descriptor_of(edge, schema), Direction.OUT, _label(end, schema))
        self._moves.setdefault(move, self._words(edge, {start.element_id: start, end.element_id: end}))

    def _words(self, edge: Edge, nodes: dict[str, Node]) -> str:
        start, end = (quoted(self._context.name_of(nodes[i]), 60) for i in (edge.start, edge.end))
        return f"{start} {named(descriptor_of(edge, self._context.schema).text)} {end}"

    def interface(self) -> Interface:
        """All of it."""
        schema = self._context.schema
        often = [self._by_id[i] for i, _ in self._nodes.most_common(_NEW_ANCHORS)]
        anchors = [*self.anchors, *(_anchor(node, self._context) for node in often if not _is_passage(node, schema))]
        labels = dict.fromkeys(label for m in self._moves for label in (m.start, m.end) if label)
        return Interface(
            tuple(dict.fromkeys(anchors)),
            tuple(self._moves),
            tuple(keys_of(schema, labels)),
            tuple(dict.fromkeys(self._paths)),
            seen=dict(self._moves),
        )


def _elements(record: Iterable[object]) -> tuple[list[Node], list[Edge]]:
    found = flat(record)
    return [one for one in found if isinstance(one, Node)], [one for one in found if isinstance(one, Edge)]


def _holds_edges(outcome: Outcome) -> bool:
    return outcome.rows is not None and any(_elements(record)[1] for record in outcome.rows)


def _label(node: Node, schema: Schema) -> str:
    """The label that tells what a node is, empty where labels tell nothing apart."""
    return "" if labels_say_nothing(schema) else telling_label(node, schema)


def _anchor(node: Node, context: Context) -> Anchor:
    name = context.name_of(node)
    key = context.schema.naming(node.labels) or ""
    return Anchor(name, node.labels, key, (node.id,), (node.element_id,), (0, 0), name, "explored", 0.5)


def _is_passage(node: Node, schema: Schema) -> bool:
    return schema.passages is not None and schema.passages.label in node.labels


def descriptor_of(edge: Edge, schema: Schema) -> Descriptor:
    """What an edge means."""
    home = schema.relations
    if home.kind == "property" and home.type == edge.type and (said := edge.properties.get(home.key)) is not None:
        return Descriptor(edge.type, home.key, said)
    return Descriptor(edge.type)


def facts_of(schema: Schema) -> tuple[Descriptor, ...]:
    """The relations between entities, where others lead to passages; none where all are: any relation then."""
    if schema.passages is None:
        return ()
    label = schema.passages.label
    types = sorted({e.type for e in schema.endpoints if label not in (e.start, e.end)})
    return tuple(map(Descriptor, types)) if set(types) < set(schema.types) and len(types) <= _MOST_TYPES else ()


def scan(anchor: Anchor, schema: Schema, most: int, move: Move | None = None) -> Draft:
    """The open neighbourhood of an entity: its edges of any relation, or of one."""
    start = bound(Pattern((PatternNode("a0"),)), [anchor], loaded=schema.loaded)
    relations = (move.descriptor,) if move else facts_of(schema)
    direction = move.direction if move else Direction.BOTH
    pattern = around(start, relations, direction, move.end if move else "", most)
    words = f"around {anchor.name}" + (f" by {move.descriptor.text}" if move else "")
    return Draft(words, pattern, pattern, origin="scan")
