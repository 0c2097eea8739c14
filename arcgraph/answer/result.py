"""What a question is answered with: the answer, and the subgraph and queries it rests on."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from neo4j.spatial import Point
from neo4j.time import DateTime, Duration, Time

from arcgraph.domain import Edge, Node, Path, Rows, flat
from arcgraph.errors import ArcgraphError, MissingExtra
from arcgraph.graph.base import Graph
from arcgraph.graph.values import to_plain
from arcgraph.llm.usage import ModelUsage
from arcgraph.tracing import Event


class Status(StrEnum):
    """How a question ended."""

    ANSWERED = "answered"
    NO_EVIDENCE = "no_evidence"
    INSUFFICIENT = "insufficient"
    REFUSED = "refused"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class AnswerEntity:
    """An entity of the answer. ``score`` is relative to the first, from 1 down."""

    name: str
    labels: tuple[str, ...]
    id: str
    score: float


@dataclass(frozen=True, slots=True)
class Attempt:
    """One run of a query: rows it returned, or the error it met."""

    rows: int = 0
    seconds: float = 0.0
    error: str = ""


@dataclass(frozen=True, slots=True)
class QueryRecord:
    """A query of the answer, on every engine in Neo4j's dialect with names as loaded, and how its runs went."""

    cypher: str
    params: Mapping[str, Any]
    source: str
    reading: str = ""
    attempts: tuple[Attempt, ...] = ()


@dataclass(frozen=True, slots=True)
class Citation:
    """A piece of evidence: an edge or a passage, its text, and the query (index into ``queries``) that returned it."""

    kind: str
    id: str
    text: str
    query: int


@dataclass(frozen=True, slots=True)
class Claim:
    """One statement of an answer's text, and what it rests on: indices into ``citations`` and ``queries``.

    A claim that rests on nothing is one that the evidence does not support.
    """

    text: str
    citations: tuple[int, ...] = ()
    queries: tuple[int, ...] = ()

    @property
    def supported(self) -> bool:
        """Whether it rests on anything."""
        return bool(self.citations or self.queries)


@dataclass(frozen=True, slots=True)
class Replay:
    """Whether a witness still holds: ``missing`` lists the edges and nodes that its queries no longer return."""

    holds: bool
    missing: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Witness:
    """The subgraph that connects anchors to the answer; ``nodes`` and ``edges`` by element id.

    ``found_by`` leads from ("node" or "edge", element id) to the index in ``queries`` of the query that returned it:
    an engine may use one number for a node and for an edge. ``rows`` are the rows, as texts, of those queries that
    returned values alone.
    """

    nodes: Mapping[str, Node] = field(default_factory=dict)
    edges: Mapping[str, Edge] = field(default_factory=dict)
    paths: tuple[Path, ...] = ()
    queries: tuple[QueryRecord, ...] = ()
    found_by: Mapping[tuple[str, str], int] = field(default_factory=dict)
    rows: Mapping[int, frozenset[str]] = field(default_factory=dict)

    def replay(self, graph: Graph) -> Replay:
        """Run the witness's queries again, on this graph or another copy, and say what they no longer return."""
        seen: set[tuple[str, ...]] = set()
        errors: list[str] = []
        for number, query in enumerate(self.queries):
            try:
                rows = graph.run(query.cypher, query.params, limit=None)
            except ArcgraphError as error:
                errors.append(str(error))
                continue
            for record in rows:
                seen |= _identities(flat(record))
            if number in self.rows:
                seen |= {("row", text) for text in row_texts(rows)}
        wanted = _identities([*self.nodes.values(), *self.edges.values()])
        wanted |= {("row", text) for texts in self.rows.values() for text in texts}
        missing = sorted(wanted - seen)
        return Replay(not missing and not errors, tuple(" ".join(m) for m in missing), tuple(errors))


def row_texts(rows: Rows) -> frozenset[str]:
    """The rows of values as texts that can be compared between copies of a graph."""
    return frozenset(json.dumps([to_plain(v) for v in record], ensure_ascii=False, default=str) for record in rows)


def _identities(elements: Sequence[Node | Edge]) -> set[tuple[str, ...]]:
    """What nodes and edges are called outside one server: element ids differ between copies of a graph."""
    ids = {e.element_id: e.id for e in elements if isinstance(e, Node)}
    return {
        ("node", e.id) if isinstance(e, Node) else ("edge", ids.get(e.start, e.start), e.type, ids.get(e.end, e.end))
        for e in elements
    }


@dataclass(frozen=True, slots=True)
class Usage:
    """What an answer cost: model calls and tokens, seconds in all and by stage, and by stage what the model cost."""

    calls: int = 0
    tokens: int = 0
    seconds: float = 0.0
    stages: Mapping[str, float] = field(default_factory=dict)
    models: Mapping[str, ModelUsage] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Alternative:
    """Another way to read the question: its words, its query, and how likely it is beside the one taken."""

    reading: str
    cypher: str
    confidence: float


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to one question.

    ``rows`` hold plain values, ``table`` the same rows typed. ``claims`` are the statements of a text that a model
    wrote. ``confidence`` is between 0 and 1. ``tried`` says, where there is no answer, what was looked for; ``partial``
    whether a limit or deadline cut something off.
    """

    question: str
    status: Status
    text: str
    entities: tuple[AnswerEntity, ...] = ()
    columns: tuple[str, ...] = ()
    rows: list[dict[str, Any]] = field(default_factory=list)
    table: Rows | None = None
    witness: Witness = field(default_factory=Witness)
    citations: tuple[Citation, ...] = ()
    claims: tuple[Claim, ...] = ()
    queries: tuple[QueryRecord, ...] = ()
    confidence: float = 0.0
    alternatives: tuple[Alternative, ...] = ()
    reason: str = ""
    tried: tuple[str, ...] = ()
    partial: bool = False
    notices: tuple[str, ...] = ()
    usage: Usage = field(default_factory=Usage)
    trace: tuple[Event, ...] = ()

    @property
    def unsupported(self) -> tuple[str, ...]:
        """The claims that nothing in the evidence supports."""
        return tuple(claim.text for claim in self.claims if not claim.supported)

    def replay(self, graph: Graph) -> Replay:
        """Run the witness again; see :meth:`Witness.replay`."""
        return self.witness.replay(graph)

    @property
    def own_queries(self) -> tuple[QueryRecord, ...]:
        """The queries without those of the evidence, which stand last."""
        return self.queries[: max(0, len(self.queries) - len(self.witness.queries))]

    def to_dict(self) -> dict[str, Any]:
        """Plain values only, as ``arcgraph ask --json`` prints them."""
        return {
            "question": self.question,
            "status": str(self.status),
            "text": self.text,
            "entities": [_entity(e) for e in self.entities],
            "columns": list(self.columns),
            "rows": self.rows,
            "witness": _witness(self.witness, len(self.own_queries)),
            "citations": [{"kind": c.kind, "id": c.id, "text": c.text, "query": c.query} for c in self.citations],
            "claims": [
                {"text": c.text, "citations": list(c.citations), "queries": list(c.queries), "supported": c.supported}
                for c in self.claims
            ],
            "queries": [_query(q) for q in self.queries],
            "confidence": round(self.confidence, 4),
            "alternatives": [
                {"reading": a.reading, "cypher": a.cypher, "confidence": round(a.confidence, 4)}
                for a in self.alternatives
            ],
            "reason": self.reason,
            "tried": list(self.tried),
            "partial": self.partial,
            "notices": list(self.notices),
            "usage": {
                "calls": self.usage.calls,
                "tokens": self.usage.tokens,
                "seconds": round(self.usage.seconds, 6),
                "stages": {k: round(v, 6) for k, v in self.usage.stages.items()},
                "models": {stage: _model_usage(usage) for stage, usage in self.usage.models.items()},
            },
            "trace": [to_plain(e.to_dict()) for e in self.trace],
        }

    def to_pandas(self) -> Any:
        """The rows as a :class:`pandas.DataFrame`; raises :class:`MissingExtra` where pandas is not installed."""
        try:
            import pandas  # type: ignore[import-untyped,unused-ignore]  # only for those who have it
        except ImportError:
            raise MissingExtra("to_pandas()", "pandas") from None
        records = self.table.records if self.table else []
        return pandas.DataFrame.from_records(records, columns=list(self.columns))

    def cypher_script(self) -> str:
        """All queries, with their parameters as ``:param`` lines, ready to be pasted into a database browser."""
        blocks = []
        for query in self.queries:
            lines = [f"// {_comment(query.reading)}"] if query.reading else []
            lines += [f":param {name} => {cypher_literal(value)};" for name, value in query.params.items()]
            blocks.append("\n".join([*lines, query.cypher + ";"]))
        return "\n\n".join(blocks)


def _comment(text: str) -> str:
    """A text in one line that stays a comment: names of the graph stand in it, and Neo4j reads escapes there, too."""
    return " ".join(text.split()).replace("\\u", "\\ u")


def cypher_literal(value: Any) -> str:
    """A parameter's value as a Cypher expression, for scripts that people paste."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, str):
        # JSON escapes are Cypher escapes; a line break inside a literal would end a :param line.
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, list | tuple) and not isinstance(value, Duration | Point):
        return "[" + ", ".join(cypher_literal(v) for v in value) + "]"
    if isinstance(value, Point):
        names = ("longitude", "latitude", "height") if value.srid in _GEOGRAPHIC else ("x", "y", "z")
        fields = [f"{n}: {c!r}" for n, c in zip(names, value, strict=False)]
        return f"point({{srid: {value.srid}, {', '.join(fields)}}})"
    return f"{_function(value)}({json.dumps(to_plain(value), ensure_ascii=False)})"


# Reference systems whose coordinates are degrees: WGS-84 in two and in three dimensions.
_GEOGRAPHIC = (4326, 4979)


def _function(value: Any) -> str:
    """The Cypher function that reads a temporal value's ISO text."""
    if isinstance(value, DateTime | Time):
        return ("local" if value.tzinfo is None else "") + type(value).__name__.lower()
    return type(value).__name__.lower()


def _entity(entity: AnswerEntity) -> dict[str, Any]:
    return {"name": entity.name, "labels": list(entity.labels), "id": entity.id, "score": round(entity.score, 4)}


def _model_usage(usage: ModelUsage) -> dict[str, Any]:
    counts = {name: getattr(usage, name) for name in ("calls", "cached", "failed", "unread", "requests")}
    return {**counts, "tokens": usage.tokens.total, "seconds": round(usage.seconds, 6)}


def _query(query: QueryRecord) -> dict[str, Any]:
    return {
        "cypher": query.cypher,
        "params": to_plain(dict(query.params)),
        "source": query.source,
        "reading": query.reading,
        "attempts": [{"rows": a.rows, "seconds": round(a.seconds, 6), "error": a.error} for a in query.attempts],
    }


def _witness(witness: Witness, before: int) -> dict[str, Any]:
    """``before`` queries of the answer precede the witness's."""
    ids = {element_id: node.id for element_id, node in witness.nodes.items()}
    return {
        "nodes": [
            {
                "id": n.id,
                "labels": list(n.labels),
                "properties": to_plain(dict(n.properties)),
                "query": _number(witness.found_by.get(("node", i)), before),
            }
            for i, n in witness.nodes.items()
        ],
        "edges": [
            {
                "id": e.element_id,
                "start": ids.get(e.start, e.start),
                "type": e.type,
                "end": ids.get(e.end, e.end),
                "properties": to_plain(dict(e.properties)),
                "query": _number(witness.found_by.get(("edge", i)), before),
            }
            for i, e in witness.edges.items()
        ],
        "paths": [[n.id for n in p.nodes] for p in witness.paths],
    }


def _number(query: int | None, before: int) -> int | None:
    return None if query is None else before + query
