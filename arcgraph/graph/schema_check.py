"""Holds a query against a graph's schema: unknown names, patterns that it has in no or only in the other direction.

A fault is only what the schema is sure of: a triple that introspection did not probe, a label reached through a
variable, a dynamic name or a negation are left alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

from arcgraph.domain import RESERVED_KEY, RESERVED_LABEL, LabelInfo, Schema, TypeInfo
from arcgraph.graph.lexer import Kind, Tokens
from arcgraph.graph.scope import Analysis, Binding
from arcgraph.graph.syntax import (
    ONCE,
    Access,
    EdgePattern,
    Group,
    Labels,
    MapProjection,
    NodePattern,
    PathPattern,
    Variable,
)
from arcgraph.graph.triples import Demands, Triples


@dataclass(frozen=True, slots=True)
class SchemaFault:
    """What does not fit the schema: ``label``, ``type``, ``property``, ``direction`` or ``endpoints``, and where.

    ``name`` is the name as written, ``nearest`` real names that may be meant. ``turn`` holds, for a direction, the
    replacements of text (from, to, by) that turn the arrow.
    """

    rule: str
    message: str
    offset: int
    line: int
    column: int
    name: str
    nearest: tuple[str, ...] = ()
    turn: tuple[tuple[int, int, str], ...] = field(default=(), repr=False)

    def to_dict(self) -> dict[str, Any]:
        """As printed by ``arcgraph check``."""
        return {
            "rule": self.rule,
            "message": self.message,
            "offset": self.offset,
            "line": self.line,
            "column": self.column,
            "name": self.name,
            "nearest": list(self.nearest),
        }


def faults_of(analysis: Analysis, tokens: Tokens, schema: Schema) -> tuple[SchemaFault, ...]:
    """All faults, in the order of the text."""
    checker = _Checker(analysis, tokens, schema)
    return tuple(sorted(checker.faults(), key=lambda fault: fault.offset))


def repair(query: str, faults: tuple[SchemaFault, ...]) -> str | None:
    """The query with its arrows turned, if nothing but arrows is wrong."""
    if not faults or not all(fault.turn for fault in faults):
        return None
    for start, end, text in sorted((turn for fault in faults for turn in fault.turn), reverse=True):
        query = query[:start] + text + query[end:]
    return query


def spaced_key(tokens: Tokens, schema: Schema) -> tuple[int, int] | None:
    """Where the first property of the schema's stands whose name holds spaces and lacks its backticks.

    Only behind a dot, or before the colon of a map. Meant for queries that are refused: a valid one may hold the same
    words, ``n.size IN list``.
    """
    known: dict[str, list[str]] = {}
    for key in _all_keys((*schema.labels.values(), *schema.types.values())):
        if " " in key:
            known.setdefault(key.partition(" ")[0], []).append(key)
    if not known:
        return None
    before = ""
    for token in tokens.tokens:
        if before in (".", "{", ",") and token.text in known:
            for key in sorted(known[token.text], key=len, reverse=True):
                end = token.offset + len(key)
                if tokens.source.startswith(key, token.offset) and _ends_key(tokens.source, end, before):
                    return token.offset, end
        before = token.text
    return None


def _ends_key(source: str, end: int, before: str) -> bool:
    after = source[end : end + 1]
    if before == ".":
        return not (after.isalnum() or after == "_")
    return source[end : end + 50].lstrip().startswith(":")


class _Checker:
    def __init__(self, analysis: Analysis, tokens: Tokens, schema: Schema):
        self.analysis = analysis
        self.tokens = tokens
        self.schema = schema
        self.triples = Triples(schema)
        # What a test such as n:Label narrows is more than its patterns say.
        self.tested = {
            self.binding(access) for access in analysis.accesses if any(step.labels for step in access.steps)
        }
        self.keys = {"node": _all_keys(schema.labels.values()), "edge": _all_keys(schema.types.values())}

    def faults(self) -> Iterator[SchemaFault]:
        seen: set[tuple[str, int]] = set()
        for fault in (*self.names(), *self.properties(), *self.edges()):
            if (fault.rule, fault.offset) not in seen:
                seen.add((fault.rule, fault.offset))
                yield fault

    def name(self, token: int) -> str:
        return self.tokens.tokens[token].value

    def fault(self, rule: str, message: str, token: int, name: str, nearest: Iterable[str] = ()) -> SchemaFault:
        nearest = tuple(nearest)
        if nearest:
            message += f"; did you mean {' or '.join(nearest)}?"
        return SchemaFault(rule, message, *self.tokens.position(self.tokens.tokens[token].offset), name, nearest)

    # --- names ---

    def names(self) -> Iterator[SchemaFault]:
        for is_edge, labels in self.label_expressions():
            for token in labels.names():
                name = self.name(token)
                known: Iterable[str] = self.schema.types if is_edge else self.schema.labels
                if name in known or name == RESERVED_LABEL:
                    continue
                rule, said = ("type", "relationship type") if is_edge else ("label", "label")
                yield self.fault(rule, f"the graph has no {said} {name}", token, name, nearest_names(name, known))

    def label_expressions(self) -> Iterator[tuple[bool, Labels]]:
        for path in self.analysis.paths:
            for element in path.elements:
                if not isinstance(element, Group) and element.labels:
                    yield isinstance(element, EdgePattern), element.labels
        for access in self.analysis.accesses:
            binding = self.binding(access)
            for step in access.steps:
                if step.labels and binding and binding.sort in ("node", "edge"):
                    yield binding.sort == "edge", step.labels

    def binding(self, owner: Access | MapProjection) -> Binding | None:
        base = owner.base
        return self.analysis.variables.get(base.token) if isinstance(base, Variable) else None

    # --- properties ---

    def properties(self) -> Iterator[SchemaFault]:
        for binding, token in self.mentioned_keys():
            key = self.name(token)
            if key == RESERVED_KEY or binding.sort not in ("node", "edge"):
                continue
            owners = self.owners_without(binding, key)
            if owners is None:
                continue
            kind = "node" if binding.sort == "node" else "edge"
            of = " or ".join(owners) if owners else f"any {'node' if kind == 'node' else 'relationship'}"
            near = nearest_names(key, self.keys_of(kind, owners))
            yield self.fault("property", f"{of} has no property {key}", token, key, near)

    def mentioned_keys(self) -> Iterator[tuple[Binding, int]]:
        for access in self.analysis.accesses:
            binding, first = self.binding(access), access.steps[0]
            if binding and first.key is not None:
                yield binding, first.key
            elif binding and first.index and self.is_string(first.index.start, first.index.end):
                yield binding, first.index.start
        for projection in self.analysis.projections:
            binding = self.binding(projection)
            for item in projection.items if binding else ():
                if item.kind == "property":
                    assert binding is not None
                    yield binding, item.token
        for path in self.analysis.paths:
            for element in path.elements:
                if not isinstance(element, Group) and element.properties:
                    bound = self.analysis.patterns[id(element)]
                    yield from ((bound.element or bound, entry.key) for entry in element.properties.entries)

    def is_string(self, start: int, end: int) -> bool:
        return end == start + 1 and self.tokens.tokens[start].kind is Kind.STRING

    def owners_without(self, binding: Binding, key: str) -> list[str] | None:
        """The labels or types that were demanded and lack the key; ``None`` where nothing is wrong."""
        is_node = binding.sort == "node"
        infos: dict[str, LabelInfo | TypeInfo] = dict(self.schema.labels if is_node else self.schema.types)
        clauses = [] if binding in self.tested else self.clauses(binding)
        names = [name for clause in clauses for name in clause]
        if any(name not in infos for name in names):
            return None  # an unknown label is a fault of its own
        if not self.schema.complete and not all(info.properties for info in infos.values()):
            return None  # some properties were not read
        if not clauses:
            return None if key in self.keys["node" if is_node else "edge"] else []
        return None if any(key in infos[name].properties for name in names) else sorted(clauses[0])

    def keys_of(self, kind: str, owners: list[str]) -> set[str]:
        if not owners:
            return self.keys[kind]
        infos: dict[str, LabelInfo | TypeInfo] = dict(self.schema.labels if kind == "node" else self.schema.types)
        return _all_keys(infos[name] for name in owners)

    def clauses(self, binding: Binding) -> Demands:
        """What a binding's labels demand, as alternatives that must each hold."""
        return [clause for labels in binding.labels for clause in self.demands(labels)]

    def demands(self, labels: Labels) -> Demands:
        if labels.kind == "name":
            return [frozenset((self.name(labels.token),))]
        if labels.kind == "and":
            return [clause for item in labels.items for clause in self.demands(item)]
        if labels.kind == "or":
            parts = [self.demands(item) for item in labels.items]
            if all(len(part) == 1 for part in parts):
                return [frozenset().union(*(part[0] for part in parts))]
        return []

    # --- endpoints ---

    def edges(self) -> Iterator[SchemaFault]:
        for path in self.analysis.paths:
            for at, element in enumerate(path.elements):
                if isinstance(element, EdgePattern):
                    left, right = path.elements[at - 1], path.elements[at + 1]
                    if isinstance(left, NodePattern) and isinstance(right, NodePattern):
                        yield from self.edge(element, self.demanded(left), self.demanded(right))
                elif isinstance(element, Group):
                    yield from self.joints(path, at, element)

    def joints(self, path: PathPattern, at: int, group: Group) -> Iterator[SchemaFault]:
        """Where a group begins and ends, its outer node is the one beside it."""
        inner = group.path.elements
        if group.bounds.least == 0 or len(inner) < 3:
            return
        before = path.elements[at - 1] if at else None
        after = path.elements[at + 1] if at + 1 < len(path.elements) else None
        ends: list[tuple[int, NodePattern | None, NodePattern | None]] = []
        if isinstance(before, NodePattern):
            ends.append((1, before, None))
        if isinstance(after, NodePattern):
            ends.append((len(inner) - 2, None, after))
        for middle, first, last in ends:
            left, edge, right = inner[middle - 1 : middle + 2]
            if isinstance(left, NodePattern) and isinstance(edge, EdgePattern) and isinstance(right, NodePattern):
                yield from self.edge(edge, self.demanded(left, first), self.demanded(right, last))

    def edge(self, edge: EdgePattern, start: Demands | None, end: Demands | None) -> Iterator[SchemaFault]:
        bound = self.analysis.patterns[id(edge)]
        kinds = self.clauses(bound.element or bound)
        if start is None or end is None or any(n not in self.schema.types for kind in kinds for n in kind):
            return
        if not self.triples.are_sure(kinds):
            return
        directed = (edge.left is None) != (edge.right is None)
        first, last = (end, start) if directed and edge.left is not None else (start, end)
        if self.walkable(first, kinds, last, edge, both_ways=not directed):
            return
        turned = directed and self.walkable(last, kinds, first, edge, both_ways=False)
        yield self.direction(edge, start, kinds, end) if turned else self.endpoints(edge, start, kinds, end)

    def walkable(self, start: Demands, kinds: Demands, end: Demands, edge: EdgePattern, *, both_ways: bool) -> bool:
        if edge.bounds == ONCE:
            hop = self.triples.possible
            return hop(start, kinds, end) or (both_ways and hop(end, kinds, start))
        return self.triples.walkable(start, kinds, end, edge.bounds, both_ways=both_ways)

    def demanded(self, *nodes: NodePattern | None) -> Demands | None:
        """What a node must be that is all of these; ``None`` where a label is unknown, which is a fault of its own."""
        demands: Demands = []
        for node in nodes:
            demands += self.clauses(self.analysis.patterns[id(node)]) if node else []
        demands = [clause for clause in demands if RESERVED_LABEL not in clause]
        return None if any(name not in self.schema.labels for clause in demands for name in clause) else demands

    def direction(self, edge: EdgePattern, start: Demands, kinds: Demands, end: Demands) -> SchemaFault:
        said = _said_pattern(start, kinds, end, edge)
        fault = self.fault("direction", f"the graph has {said} only the other way round", edge.start, _said(kinds))
        return SchemaFault(
            fault.rule, fault.message, fault.offset, fault.line, fault.column, fault.name, (), self.turned(edge)
        )

    def turned(self, edge: EdgePattern) -> tuple[tuple[int, int, str], ...]:
        tokens = self.tokens.tokens
        if edge.right is not None:
            head, first = tokens[edge.right], tokens[edge.start]
            return ((first.offset, first.offset, "<"), (head.offset, head.end, ""))
        assert edge.left is not None
        head, last = tokens[edge.left], tokens[edge.end - 1]
        return ((head.offset, head.end, ""), (last.end, last.end, ">"))

    def endpoints(self, edge: EdgePattern, start: Demands, kinds: Demands, end: Demands) -> SchemaFault:
        said = _said_pattern(start, kinds, end, edge)
        joins = self.triples.joins
        real = sorted(t for t in self.schema.types if joins(start, t, end) or joins(end, t, start))
        fault = self.fault("endpoints", f"the graph has no {said}", edge.start, _said(kinds), real[:3])
        if real:
            return fault
        ends = sorted(f"(:{s})-[:{t}]->(:{e})" for s, t, e in self.triples.ends(kinds))
        if not ends:
            return fault
        message = f"{fault.message}; it has {', '.join(ends[:3])}"
        return SchemaFault(fault.rule, message, fault.offset, fault.line, fault.column, fault.name)


def nearest_names(name: str, known: Iterable[str]) -> tuple[str, ...]:
    """Up to three real names that look like the given one, best first; case does not count."""
    by_lower = {other.lower(): other for other in sorted(known)}
    return tuple(by_lower[match] for match in get_close_matches(name.lower(), list(by_lower), n=3, cutoff=0.5))


def _all_keys(infos: Iterable[LabelInfo | TypeInfo]) -> set[str]:
    return {key for info in infos for key in info.properties}


def _said(clauses: Demands) -> str:
    return ":".join("|".join(sorted(clause)) for clause in clauses)


def _said_pattern(start: Demands, kinds: Demands, end: Demands, edge: EdgePattern) -> str:
    left, right = (f"(:{_said(clauses)})" if clauses else "()" for clauses in (start, end))
    inner = f"[:{_said(kinds)}{'*' if edge.bounds != ONCE else ''}]" if kinds else ""
    head, tail = "<" if edge.left is not None else "", ">" if edge.right is not None else ""
    return f"{left}{head}-{inner}-{tail}{right}"
