"""What an answer rests on: the witness subgraph, and the passages that its edges lead to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from arcgraph.answer.result import Attempt, Citation, QueryRecord, Witness
from arcgraph.domain import RESERVED_KEY, Edge, Node, PassageHome, Path, Rows, Schema, flat
from arcgraph.errors import QueryError
from arcgraph.graph.base import Graph
from arcgraph.graph.pattern import (
    Binding,
    Descriptor,
    Direction,
    Entity,
    Hop,
    Pattern,
    PatternNode,
    Projection,
)

MOST_EDGES = 60
MOST_PASSAGES = 5
_MENTIONING_NODES = 50
_MENTIONS = 400


@dataclass(frozen=True, slots=True)
class Passage:
    """A source text, and how many pieces of the witness lead to it."""

    node: Node
    text: str
    votes: int


def elements(rows: Rows) -> tuple[dict[str, Node], dict[str, Edge], list[Path]]:
    """Nodes and edges of witness rows by element id, and one path a row that is a match.

    A row holds the nodes and edges of one match, nodes first, or lists of all there are.
    """
    nodes: dict[str, Node] = {}
    edges: dict[str, Edge] = {}
    paths: list[Path] = []
    for record in rows:
        found = flat(record)
        nodes.update((v.element_id, v) for v in found if isinstance(v, Node))
        edges.update((v.element_id, v) for v in found if isinstance(v, Edge))
        matched = tuple(v for v in record if isinstance(v, Edge))
        if matched:
            paths.append(Path(tuple(v for v in record if isinstance(v, Node)), matched))
    return nodes, edges, paths


def read_witness(graph: Graph, shape: Pattern, shown: Pattern, *, timeout: float, limit: int) -> Witness:
    """The nodes, edges and matches that a pattern returns; ``shown`` is the same as people see it.

    Raises :class:`~arcgraph.errors.QueryError`.
    """
    query, params = shape.to_cypher(graph.dialect)
    rows = graph.read(query, params, timeout=timeout, limit=limit)
    nodes, edges, paths = elements(rows)
    text, values = shown.to_cypher("neo4j")
    record = QueryRecord(text, values, "pattern", "the evidence", (Attempt(len(rows), rows.seconds),))
    found_by = {("node", i): 0 for i in nodes} | {("edge", i): 0 for i in edges}
    return Witness(nodes, edges, tuple(paths), (record,), found_by)


def joined(one: Witness, other: Witness) -> Witness:
    """Both together, the first one's before the other's; what both hold is the first one's."""
    shift = len(one.queries)
    return Witness(
        {**one.nodes, **{i: n for i, n in other.nodes.items() if i not in one.nodes}},
        {**one.edges, **{i: e for i, e in other.edges.items() if i not in one.edges}},
        one.paths + other.paths,
        one.queries + other.queries,
        {**{k: q + shift for k, q in other.found_by.items()}, **one.found_by},
        {**one.rows, **{q + shift: rows for q, rows in other.rows.items()}},
    )


def name_of(node: Node, schema: Schema) -> Any:
    """What people call a node, as it was loaded: its naming property, else its identifying one, else ``Label id``."""
    for key in naming_keys(node.labels, schema):
        value = node.properties.get(key)
        if value is not None and value != "":
            return value
    return f"{node.labels[0]} {node.id}" if node.labels else f"node {node.id}"


def naming_keys(labels: Sequence[str], schema: Schema) -> list[str]:
    """The properties that name nodes with these labels, then those that identify them."""
    infos = [schema.labels[label] for label in (labels or ("",)) if label in schema.labels]
    keys = [i.naming for i in infos] + [i.identifying for i in infos]
    return list(dict.fromkeys(k for k in keys if k))


def edge_text(edge: Edge, nodes: Mapping[str, Node], schema: Schema) -> str:
    """An edge as a sentence-like line with both ends named."""
    start, end = (_end_text(i, nodes, schema) for i in (edge.start, edge.end))
    return f"{start} -[{schema.meaning(edge)}]-> {end}"


def _end_text(element_id: str, nodes: Mapping[str, Node], schema: Schema) -> str:
    return str(name_of(nodes[element_id], schema)) if element_id in nodes else f"node {element_id}"


# --- passages ----------------------------------------------------------------------------------------------------


def passages_of(graph: Graph, schema: Schema, witness: Witness, *, timeout: float) -> list[Passage]:
    """The passages that most of the witness's edges and nodes lead to, most votes first."""
    home = schema.passages
    if home is None:
        return []
    try:
        by_edges = _by_edges(graph, home, witness, timeout) if home.edge_key else []
        return (by_edges or _by_mentions(graph, schema, home, witness, timeout))[:MOST_PASSAGES]
    except QueryError:
        # Passages only deepen the evidence; the edges stand without them.
        return []


def _by_edges(graph: Graph, home: PassageHome, witness: Witness, timeout: float) -> list[Passage]:
    votes: Counter[Any] = Counter()
    for edge in witness.edges.values():
        votes.update(set(_as_list(edge.properties.get(home.edge_key or ""))))
    if not votes:
        return []
    wanted = tuple(i for i, _ in votes.most_common(MOST_PASSAGES))
    key = home.id_key or RESERVED_KEY
    pattern = Pattern(
        (PatternNode("c", (home.label,)),),
        bindings=(Binding("c", key, wanted),),
        returns=(Projection(Entity("c"), "c"),),
    )
    found = [row[0] for row in graph.read(*pattern.to_cypher(graph.dialect), timeout=timeout, limit=len(wanted) * 2)]
    made = [Passage(n, str(n.properties.get(home.text_key, "")), votes[_called(n, home)]) for n in found]
    return sorted(made, key=lambda p: -p.votes)


def _called(passage: Node, home: PassageHome) -> Any:
    """What edges call a passage by."""
    # The reserved property is no property of a node: its value is the node's id.
    return passage.id if home.id_key in (None, RESERVED_KEY) else passage.properties.get(home.id_key or "")


def _as_list(value: Any) -> Iterable[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _by_mentions(graph: Graph, schema: Schema, home: PassageHome, witness: Witness, timeout: float) -> list[Passage]:
    """Passages linked to nodes of the witness; one that two of its nodes share says more than one alone."""
    if not home.mention_types or not witness.nodes:
        return []
    wanted = list(witness.nodes.values())[:_MENTIONING_NODES]
    handle = RESERVED_KEY if schema.loaded else None
    pattern = Pattern(
        (PatternNode("n"), PatternNode("c", (home.label,))),
        (Hop("m", "n", "c", tuple(Descriptor(t) for t in home.mention_types), Direction.BOTH),),
        bindings=(Binding("n", handle, tuple(n.id if schema.loaded else n.element_id for n in wanted)),),
        returns=(Projection(Entity("c"), "c"), Projection(Entity("n"), "n")),
        distinct=True,
    )
    votes: Counter[str] = Counter()
    found: dict[str, Node] = {}
    for chunk, _ in graph.read(*pattern.to_cypher(graph.dialect), timeout=timeout, limit=_MENTIONS):
        votes[chunk.element_id] += 1
        found[chunk.element_id] = chunk
    shared = 2 if len(wanted) > 1 else 1
    return [
        Passage(found[i], str(found[i].properties.get(home.text_key, "")), n)
        for i, n in votes.most_common(MOST_PASSAGES)
        if n >= shared
    ]


def citations(witness: Witness, passages: Sequence[Passage], schema: Schema, before: int = 0) -> tuple[Citation, ...]:
    """Edges first, then passages, each with what it says; ``before`` queries of the answer precede the witness's."""
    cited = [
        Citation("edge", i, edge_text(e, witness.nodes, schema), before + witness.found_by.get(("edge", i), 0))
        for i, e in list(witness.edges.items())[:MOST_EDGES]
    ]
    return tuple(cited + [Citation("passage", p.node.id, p.text, 0) for p in passages])
