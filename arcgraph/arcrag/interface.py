"""The query-local interface: what is known of the graph around one question, under identifiers that a model can say.

It is made from the offline readings and grows by what explorers report and by what passes find; it grows with the
budget for that, not with the graph.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, TypeVar

from arcgraph.domain import Anchor, PropertyInfo, Schema
from arcgraph.graph.pattern import Descriptor, Direction, Pattern
from arcgraph.interpret.anchors import Candidate
from arcgraph.interpret.paths import RelationPath
from arcgraph.interpret.reader import Interpretation
from arcgraph.interpret.tables.reading import TableReading
from arcgraph.interpret.terms import shared_stem
from arcgraph.interpret.verbalise import split_name
from arcgraph.llm.data import named, quoted

T = TypeVar("T")

MOST_MOVES = 40
MOST_KEYS = 40
MOST_ANCHORS = 20
_READINGS = 20
_STEM = 0.7
_SAMPLES = 3
_BULKY = frozenset(("vector", "text", "bytes"))
_ARROWS = {Direction.OUT: "-[{}]->", Direction.IN: "<-[{}]-", Direction.BOTH: "-[{}]-"}


class Move(NamedTuple):
    """A relation as it is walked: from a node with label ``start`` to one with ``end`` (empty: any label)."""

    start: str
    descriptor: Descriptor
    direction: Direction
    end: str

    def words(self) -> str:
        """For example ``(Ship) -[MOORED_AT]-> (Harbour)``."""
        start, end = (f"({named(label)})" if label else "()" for label in (self.start, self.end))
        return f"{start} {_ARROWS[self.direction].format(named(self.descriptor.text))} {end}"


class Key(NamedTuple):
    """A property of nodes with a label."""

    owner: str
    key: str


@dataclass(frozen=True, slots=True)
class Interface:
    """What is known around a question. Identifiers count from 1 in the order of each tuple, and never change.

    ``seen`` shows an example of a move, ``variants`` are further relations that mean the same as one; ``paths`` are
    confirmed ways in words; ``same`` pairs of names that may be one thing's, offered and never merged.
    """

    anchors: tuple[Anchor, ...] = ()
    moves: tuple[Move, ...] = ()
    keys: tuple[Key, ...] = ()
    paths: tuple[str, ...] = ()
    same: tuple[tuple[str, str], ...] = ()
    seen: Mapping[Move, str] = field(default_factory=dict)
    variants: Mapping[Descriptor, tuple[Descriptor, ...]] = field(default_factory=dict)

    def joined(self, other: Interface) -> Interface:
        """Both; what is known already keeps its identifier."""
        known = {a.element_ids for a in self.anchors}
        return Interface(
            _both(self.anchors, [a for a in other.anchors if a.element_ids not in known]),
            _both(self.moves, other.moves),
            _both(self.keys, other.keys),
            _both(self.paths, other.paths),
            _both(self.same, other.same),
            {**self.seen, **other.seen},
            {**other.variants, **self.variants},
        )

    def anchor_ids(self) -> dict[str, Anchor]:
        """``A1`` and so on."""
        return {f"A{i}": a for i, a in enumerate(self.anchors[:MOST_ANCHORS], 1)}

    def move_ids(self) -> dict[str, Move]:
        """``R1`` and so on; where the labels do not tell which way a relation is walked, ``R1b`` is the way back."""
        ids: dict[str, Move] = {}
        for i, move in enumerate(self.moves[: 2 * MOST_MOVES], 1):
            ids[f"R{i}"] = move
            if move.start == move.end and turned(move) not in self.moves:
                ids[f"R{i}b"] = turned(move)
        return ids

    def meaning(self, descriptor: Descriptor) -> tuple[Descriptor, ...]:
        """A relation with the others that mean the same."""
        return (descriptor, *self.variants.get(descriptor, ()))

    def key_ids(self) -> dict[str, Key]:
        """``K1`` and so on."""
        return {f"K{i}": k for i, k in enumerate(self.keys[:MOST_KEYS], 1)}

    def labels(self) -> tuple[str, ...]:
        """All labels that play a part, in order."""
        of_anchors = (label for a in self.anchors for label in a.labels)
        of_moves = (label for m in self.moves for label in (m.start, m.end))
        return tuple(dict.fromkeys(label for label in (*of_anchors, *of_moves) if label))

    def lines(self, schema: Schema) -> Iterator[str]:
        """The interface for a prompt, an identifier a line."""
        for name, anchor in self.anchor_ids().items():
            labels = f" ({', '.join(map(named, anchor.labels))})" if anchor.labels else ""
            several = f", {len(anchor.ids)} different nodes of this name" if len(anchor.ids) > 1 else ""
            yield f"{name} entity {quoted(anchor.name)}{labels}{several}"
        moves = self.move_ids()
        for name, move in moves.items():
            if not name.endswith("b"):
                back = f" ({name}b: backwards)" if f"{name}b" in moves else ""
                seen = f"  e.g. {self.seen[move]}" if move in self.seen else ""
                yield f"{name} relation {move.words()}{back}{seen}"
        for name, key in self.key_ids().items():
            yield f"{name} property {named(key.owner)}.{named(key.key)}{_about(key, schema)}"
        yield from (f"path {path}" for path in self.paths)
        yield from (f"perhaps one thing: {quoted(a)} and {quoted(b)}" for a, b in self.same)


def turned(move: Move) -> Move:
    """The way back."""
    return Move(move.end, move.descriptor, move.direction.opposite, move.start)


def _both(one: Sequence[T], other: Sequence[T]) -> tuple[T, ...]:
    return tuple(dict.fromkeys((*one, *other)))


def _about(key: Key, schema: Schema) -> str:
    info = schema.labels[key.owner].properties[key.key]
    samples = [quoted(v, 40) for v in info.samples[:_SAMPLES]]
    return f" {info.type}" + (f", e.g. {', '.join(samples)}" if samples else "")


# --- from readings -----------------------------------------------------------------------------------------------


def around(
    schema: Schema, interpretation: Interpretation | None, tables: Sequence[TableReading], question: str
) -> Interface:
    """The interface that the offline readings give, what they rank first before what lies near by the schema."""
    readings = interpretation.readings[:_READINGS] if interpretation else ()
    paths = [p for r in readings for p in (*(b.path for b in r.branches), *((r.tail,) if r.tail else ()))]
    moves = [move for path in paths for move in _moves_of(path)]
    moves += [move for t in tables for move in moves_in(t.pattern)]
    anchors = _named(interpretation.candidates) if interpretation else []
    steps = [step for path in paths for step in path.steps if step.also]
    variants = {step.descriptor: step.also for step in reversed(steps)}
    first = Interface(tuple(dict.fromkeys(anchors)), tuple(dict.fromkeys(moves)), variants=variants)
    labels = tuple(dict.fromkeys((*first.labels(), *mentioned(schema, question))))
    near = [m for m in near_moves(schema, labels) if m not in first.moves]
    moves = [*first.moves, *near][:MOST_MOVES]
    return replace(first, moves=tuple(moves), keys=tuple(keys_of(schema, labels)[:MOST_KEYS]))


def _named(candidates: Sequence[Candidate]) -> list[Anchor]:
    """The anchors that a question may name, without those whose words are a part of a surer one's."""
    return [
        c.anchor
        for i, c in enumerate(candidates)
        if not any(
            o.anchor.span != c.anchor.span
            and o.anchor.span[0] <= c.anchor.span[0]
            and c.anchor.span[1] <= o.anchor.span[1]
            for o in candidates[:i]
        )
    ]


def _moves_of(path: RelationPath) -> Iterator[Move]:
    at = path.start
    for step in path.steps:
        yield Move(at, step.descriptor, step.direction, step.label)
        at = step.label


def moves_in(pattern: Pattern) -> Iterator[Move]:
    """The moves that a pattern's hops make."""
    label = {n.name: n.labels[0] if n.labels else "" for n in pattern.nodes}
    for hop in pattern.hops:
        yield from (Move(label[hop.start], d, hop.direction, label[hop.end]) for d in hop.descriptors)


def mentioned(schema: Schema, question: str) -> list[str]:
    """The labels whose names the question has, in the order of their size."""
    words = split_name(question)
    found = [
        info
        for name, info in schema.labels.items()
        if (own := split_name(name)) and all(any(shared_stem(o, w) >= _STEM or o == w for w in words) for o in own)
    ]
    return [info.name for info in sorted(found, key=lambda info: -info.count.value)]


def near_moves(schema: Schema, labels: Iterable[str]) -> list[Move]:
    """The moves between some labels, then those from them, each by frequency; relations that are values are none."""
    if schema.relations.kind == "property":
        return []
    among = set(labels)
    hidden = {schema.passages.label} if schema.passages else set()
    triples = [e for e in schema.endpoints if not hidden & {e.start, e.end} and among & {e.start, e.end}]
    triples.sort(key=lambda e: (not {e.start, e.end} <= among, -e.count.value))
    both = (
        (
            Move(e.start, Descriptor(e.type), Direction.OUT, e.end),
            Move(e.end, Descriptor(e.type), Direction.IN, e.start),
        )
        for e in triples
    )
    return [move for pair in both for move in pair]


def keys_of(schema: Schema, labels: Iterable[str]) -> list[Key]:
    """The properties of some labels, bulky ones aside, of each label in turn."""
    by_label = [
        [Key(label, key) for key, info in schema.labels[label].properties.items() if not is_bulky(info)]
        for label in labels
        if label in schema.labels
    ]
    longest = max(map(len, by_label), default=0)
    return [keys[i] for i in range(longest) for keys in by_label if i < len(keys)]


def is_bulky(info: PropertyInfo) -> bool:
    """Whether a property holds what no prompt has room for."""
    return info.type in _BULKY
