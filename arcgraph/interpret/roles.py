"""Where labels say nothing, a node's role is its type: which relations enter and leave it.

A graph of bare triples has one label, or keeps its relations in a property of one type. What can follow a hop there is
read from samples: of the nodes that a relation leads to, which relations leave and enter those.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from arcgraph.domain import Node, Schema
from arcgraph.errors import QueryError
from arcgraph.graph.base import Graph
from arcgraph.graph.compile import DIALECTS
from arcgraph.graph.names import quote
from arcgraph.graph.pattern import Descriptor, Direction
from arcgraph.interpret.paths import Movement, Moves, Step
from arcgraph.interpret.spelling import Spelling, arrow
from arcgraph.interpret.verbalise import subject_class
from arcgraph.search.cache import place, prune

Move = tuple[Descriptor, Direction]

# What is kept of an earlier version is read anew.
FORMAT = 1
# So many relations at most are told apart; the rarest of more are left to exploration.
MOST_DESCRIPTORS = 100
# So many nodes are looked at for each relation and direction.
_SAMPLE = 200
# What fewer of the sampled nodes have is an accident of the data.
_RARE = 0.02
# A relation that so many of its nodes both send and receive joins like with like.
_MUTUAL = 0.2
# A relation of which so many edges have a counterpart holds both ways, whatever the rest is missing.
_SYMMETRIC = 0.5
_MOST_ALIKE = 60
# A class that fewer of the nodes have is no name for them.
_CLASS_SHARE = 0.3
_TIMEOUT = 5.0


def telling_label(node: Node, schema: Schema) -> str:
    """The rarest of a node's labels; empty where it has none, or all nodes have it."""
    known = [schema.labels[label] for label in node.labels if label in schema.labels]
    rarest = min(known, key=lambda info: info.count.value, default=None)
    return rarest.name if rarest and rarest.count.value < schema.nodes.value else ""


def labels_say_nothing(schema: Schema) -> bool:
    """Whether entities are not told apart by label, so that roles have to do it."""
    passages = schema.passages.label if schema.passages else None
    labels = [name for name in schema.labels if name != passages]
    return len(labels) <= 1 or schema.relations.kind == "property"


@dataclass(frozen=True, slots=True)
class Roles:
    """Which moves can follow on which, which relations join like with like and which of these hold both ways, and what
    qualified names of relations call the nodes that a move leads to. ``complete`` is false where a query for that
    failed or took too long."""

    follows: Mapping[Move, tuple[Move, ...]]
    mutual: frozenset[str]
    symmetric: frozenset[str] = frozenset()
    classes: Mapping[Move, tuple[str, ...]] = field(default_factory=dict)
    complete: bool = True


class RoleMoves:
    """The moves of a graph without telling labels, in the form of :class:`~arcgraph.interpret.paths.Moves`."""

    def __init__(self, roles: Roles):
        self._roles = roles
        step = {move: _step(self._way(move), roles.classes.get(move, ())) for move in roles.follows}
        after: dict[str, dict[Step, None]] = defaultdict(dict)
        for move, nexts in roles.follows.items():
            after[step[move].role].update(dict.fromkeys(step[m] for m in nexts))
        self._after = {state: list(steps) for state, steps in after.items()}
        self._all = list(dict.fromkeys(step.values()))

    def _way(self, move: Move) -> Move:
        return (move[0], Direction.BOTH) if move[0].text in self._roles.symmetric else move

    def starts(self, labels: tuple[str, ...]) -> tuple[str, ...]:
        """Where paths begin for an anchor: anywhere, whatever it is labelled."""
        del labels
        return ("",)

    def of(self, state: str, *, first: bool = False) -> list[Step]:
        """The steps that may follow; all of them where nothing came before."""
        return self._all if first else self._after.get(state, [])

    def either_way(self) -> set[tuple[str, str, str]]:
        """(label, relation, label) of the relations that join like with like."""
        return {("", text, "") for text in self._roles.mutual}

    def descriptors(self) -> list[Descriptor]:
        """All relations, each once."""
        return list(dict.fromkeys(d for d, _ in self._roles.follows))

    def classes(self) -> list[str]:
        """The names that steps have for where they lead."""
        return list(dict.fromkeys(name for names in self._roles.classes.values() for name in names))


def _state(move: Move) -> str:
    return f"{move[1]} {move[0].text}"


def _step(move: Move, classes: tuple[str, ...]) -> Step:
    return Step(move[0], move[1], "", _state(move), classes)


def movement(graph: Graph, schema: Schema, cache_dir: Path | None = None) -> Movement:
    """How paths move in a graph: by its labels, or by roles where those say nothing.

    What was asked of the graph for that is kept below ``cache_dir`` for as long as the schema's fingerprint stays the
    same, unless a query for it failed; a folder that cannot be written or a file that cannot be read is no reason to
    fail.
    """
    state = (FORMAT, schema.fingerprint, MOST_DESCRIPTORS, _SAMPLE)
    path = place(cache_dir, graph.name, state, ".roles") if cache_dir and schema.fingerprint else None
    roles = _kept(path)
    if roles is None:
        roles = read_roles(graph, schema) if labels_say_nothing(schema) else _of_labels(graph, schema)
        if roles.complete:
            _keep(path, roles)
    return RoleMoves(roles) if labels_say_nothing(schema) else Moves(schema, roles.symmetric)


def _of_labels(graph: Graph, schema: Schema) -> Roles:
    """All that is asked of a graph whose labels tell its nodes apart: which relations hold both ways."""
    alike = dict.fromkeys(e.type for e in schema.endpoints if e.start == e.end)
    both, complete = symmetric(graph, [Descriptor(name) for name in alike])
    return Roles({}, frozenset(), both, complete=complete)


def _keep(path: Path | None, roles: Roles) -> None:
    if path is not None:
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(_to_plain(roles), ensure_ascii=False), encoding="utf-8")
            prune(path)


def _to_plain(roles: Roles) -> dict[str, Any]:
    moves = list(roles.follows)
    at = {move: i for i, move in enumerate(moves)}
    return {
        "moves": [[d.type, d.key, d.value, str(direction)] for d, direction in moves],
        "follows": [[at[m] for m in roles.follows[move]] for move in moves],
        "mutual": sorted(roles.mutual),
        "symmetric": sorted(roles.symmetric),
        "classes": [list(roles.classes.get(move, ())) for move in moves],
    }


def _kept(path: Path | None) -> Roles | None:
    try:
        plain = json.loads(path.read_text(encoding="utf-8")) if path else None
        if not plain:
            return None
        moves = [(Descriptor(kind, key, value), Direction(way)) for kind, key, value, way in plain["moves"]]
        follows = {moves[i]: tuple(moves[j] for j in nexts) for i, nexts in enumerate(plain["follows"])}
        classes = {move: tuple(names) for move, names in zip(moves, plain["classes"], strict=True)}
        return Roles(follows, frozenset(plain["mutual"]), frozenset(plain["symmetric"]), classes)
    except (OSError, ValueError, KeyError, IndexError, TypeError):
        return None


# --- reading them from the graph ----------------------------------------------------------------------------------


def read_roles(graph: Graph, schema: Schema) -> Roles:
    """Sample the roles of a graph. A relation that cannot be sampled in time is followed by everything."""
    descriptors, all_counted = _frequent(graph, schema)
    moves = [(d, direction) for d in descriptors for direction in (Direction.OUT, Direction.IN)]
    seen = {move: _moves_of_nodes(graph, schema, move, moves) for move in moves}
    follows = {move: _following(move, seen, moves) for move in moves}
    mutual = [d for d in descriptors if _is_mutual(d, seen)]
    both, all_compared = symmetric(graph, mutual)
    return Roles(
        follows,
        frozenset(d.text for d in mutual),
        both,
        {move: _classes(move, seen) for move in moves},
        all_counted and all_compared and None not in seen.values(),
    )


def symmetric(graph: Graph, descriptors: Sequence[Descriptor]) -> tuple[frozenset[str], bool]:
    """Which of some relations mostly hold both ways in the data, so that a direction is only how it was written; and
    whether all that were looked at could be."""
    held = {d.text: _holds_both_ways(graph, d) for d in descriptors[:_MOST_ALIKE]}
    return frozenset(name for name, both in held.items() if both), None not in held.values()


def _holds_both_ways(graph: Graph, descriptor: Descriptor) -> bool | None:
    """``None`` where it cannot be told in time."""
    dialect = DIALECTS[graph.dialect]
    kind, params, there, back = quote(descriptor.type), {}, "", ""
    if descriptor.key is not None:
        key = quote(dialect.key(descriptor.key))
        params["value"] = descriptor.value
        there, back = f"WHERE r.{key} = $value ", f"WHERE s.{key} = $value "
    query = (
        f"MATCH (a)-[r:{kind}]->(b) {there}WITH DISTINCT a, b LIMIT {_SAMPLE} "
        f"OPTIONAL MATCH (b)-[s:{kind}]->(a) {back}"
        f"RETURN {dialect.id_text('a')} AS a, {dialect.id_text('b')} AS b, count(s) AS n"
    )
    try:
        rows = graph.read(query, params, timeout=_TIMEOUT, limit=_SAMPLE)
    except QueryError:
        return None
    others = [int(n) for a, b, n in rows if a != b]
    both = sum(n > 0 for n in others)
    return both > 0 and both >= _SYMMETRIC * len(others)


def has_open_vocabulary(graph: Graph, schema: Schema) -> bool:
    """Whether a graph has more relations than are told apart in advance."""
    home = schema.relations
    if home.kind != "property":
        return len(schema.types) > MOST_DESCRIPTORS
    key = quote(DIALECTS[graph.dialect].key(home.key))
    query = (
        f"MATCH ()-[r:{quote(home.type)}]->() WITH DISTINCT r.{key} AS v LIMIT {MOST_DESCRIPTORS + 1} RETURN count(v)"
    )
    try:
        return int(graph.read(query, timeout=_TIMEOUT, limit=1).records[0][0]) > MOST_DESCRIPTORS
    except QueryError:
        # So many edges that their predicates cannot be counted in time are better explored than sampled.
        return True


def frequent_descriptors(graph: Graph, schema: Schema) -> list[Descriptor]:
    """The most frequent relations of a graph, at most ``MOST_DESCRIPTORS``."""
    return _frequent(graph, schema)[0]


def _frequent(graph: Graph, schema: Schema) -> tuple[list[Descriptor], bool]:
    """The most frequent relations, and whether they could be counted in time."""
    home = schema.relations
    if home.kind == "property":
        key = DIALECTS[graph.dialect].key(home.key)
        query = f"MATCH ()-[r:{quote(home.type)}]->() RETURN r.{quote(key)} AS v, count(*) AS n ORDER BY n DESC"
        try:
            rows = graph.read(f"{query} LIMIT {MOST_DESCRIPTORS}", timeout=_TIMEOUT, limit=MOST_DESCRIPTORS)
        except QueryError:
            # What cannot be counted in time is met when the graph is explored.
            return [], False
        return [Descriptor(home.type, home.key, value) for value, _ in rows if value is not None], True
    hidden = schema.passages.mention_types if schema.passages else ()
    types = sorted((t for t in schema.types.values() if t.name not in hidden), key=lambda t: -t.count.value)
    return [Descriptor(t.name) for t in types[:MOST_DESCRIPTORS]], True


def _moves_of_nodes(graph: Graph, schema: Schema, move: Move, moves: Sequence[Move]) -> Counter[Move] | None:
    """Of a sample of nodes that can make ``move``, how many can make each other one; ``None`` if time ran out."""
    by_text = {(d.text, direction): (d, direction) for d, direction in moves}
    found: dict[str, set[Move]] = defaultdict(set)
    for direction in (Direction.OUT, Direction.IN):
        query, params = _sample_query(graph, schema, move, direction)
        try:
            rows = graph.read(query, params, timeout=_TIMEOUT, limit=_SAMPLE)
        except QueryError:
            return None
        for node, texts in rows:
            found[node] |= {by_text[str(t), direction] for t in texts if (str(t), direction) in by_text}
    counts: Counter[Move] = Counter(m for own in found.values() for m in own)
    counts[move] = len(found)
    return counts


def _sample_query(graph: Graph, schema: Schema, move: Move, direction: Direction) -> tuple[str, dict[str, object]]:
    descriptor, way = move
    key = DIALECTS[graph.dialect].key
    params: dict[str, object] = {}
    condition = ""
    if descriptor.key is not None:
        condition = f"WHERE r.{quote(key(descriptor.key))} = $value "
        params["value"] = descriptor.value
    spelt = Spelling(graph, schema)
    return (
        f"MATCH (n){arrow(f'r:{quote(descriptor.type)}', way)}() {condition}WITH DISTINCT n LIMIT {_SAMPLE} "
        f"OPTIONAL MATCH (n){arrow('s', direction)}() "
        f"RETURN {spelt.element('n')} AS n, collect(DISTINCT {spelt.relation('s')}) AS d"
    ), params


def _opposite(move: Move) -> Move:
    return move[0], Direction.IN if move[1] == Direction.OUT else Direction.OUT


def _following(move: Move, seen: Mapping[Move, Counter[Move] | None], moves: Iterable[Move]) -> tuple[Move, ...]:
    """Where a node that was reached by ``move`` can go on to: it is a node that could make the opposite move."""
    counts = seen[_opposite(move)]
    if counts is None:
        return tuple(moves)
    at_least = _RARE * counts[_opposite(move)]
    return tuple(m for m in moves if counts[m] and counts[m] >= at_least)


def _classes(move: Move, seen: Mapping[Move, Counter[Move] | None]) -> tuple[str, ...]:
    """What the relations that leave the nodes reached by a move say in their names of their subjects."""
    counts = seen[_opposite(move)]
    if counts is None:
        return ()
    shares: Counter[str] = Counter()
    for (descriptor, direction), n in counts.items():
        if direction == Direction.OUT and (name := subject_class(descriptor.text)):
            shares[name] = max(shares[name], n)
    return tuple(name for name, n in shares.items() if n >= _CLASS_SHARE * max(1, counts[_opposite(move)]))


def _is_mutual(descriptor: Descriptor, seen: Mapping[Move, Counter[Move] | None]) -> bool:
    out, into = (descriptor, Direction.OUT), (descriptor, Direction.IN)
    counts = seen[out]
    return counts is not None and counts[into] >= _MUTUAL * max(1, counts[out])
