"""Names in evidence: things that share a name are told apart by what else they are called."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from arcgraph.answer.evidence import name_of
from arcgraph.answer.result import Answer
from arcgraph.domain import Edge, Node, Schema
from arcgraph.llm.data import named, quoted

_MOST_PROPERTIES = 3


@dataclass(frozen=True, slots=True)
class Names:
    """How the nodes of some findings are called; ``shared`` are names of more than one node, folded."""

    schema: Schema
    shared: frozenset[str]

    @classmethod
    def of(cls, findings: Sequence[Answer], schema: Schema, shared: Collection[str] = ()) -> Names:
        """The names in witnesses and results; ``shared`` are some that several nodes are known to have."""
        owners: dict[str, set[str]] = defaultdict(set)
        for finding in findings:
            for node in finding.witness.nodes.values():
                owners[str(name_of(node, schema)).casefold()].add(node.id)
            for entity in finding.entities:
                owners[entity.name.casefold()].add(entity.id)
        several = {name for name, ids in owners.items() if len(ids) > 1}
        return cls(schema, frozenset(several | {name.casefold() for name in shared}))

    def node(self, node: Node) -> str:
        """A node's name, with its id where others have the name, too."""
        return self._called(str(name_of(node, self.schema)), node.id)

    def _called(self, name: str, id_: str) -> str:
        return f"{quoted(name)} [{id_}]" if name.casefold() in self.shared else quoted(name)

    def cell(self, finding: Answer, row: int, value: Any) -> str:
        """A value in a row of a finding; where the rows are entities, as these are called."""
        are_entities = len(finding.columns) == 1 and len(finding.entities) == len(finding.rows)
        if are_entities and finding.entities[row].name == str(value):
            return self._called(finding.entities[row].name, finding.entities[row].id)
        return quoted(value)

    def edge(self, edge: Edge, nodes: Mapping[str, Node]) -> str:
        """An edge as a line with both ends named, and its own properties."""
        start, end = (self.node(nodes[i]) if i in nodes else quoted(f"node {i}") for i in (edge.start, edge.end))
        schema = self.schema
        hidden = {schema.relations.key, schema.passages.edge_key if schema.passages else None}
        told = [f"{named(k)}: {quoted(v, 60)}" for k, v in edge.properties.items() if k not in hidden and v is not None]
        more = f" {{{', '.join(told[:_MOST_PROPERTIES])}}}" if told else ""
        return f"{start} -[{named(schema.meaning(edge))}{more}]-> {end}"
