"""A query in words, so that a person sees how a question was read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from neo4j.time import Duration

from arcgraph.graph.pattern import Aggregate, Direction, Filter, Measure, Part, Pattern, Property
from arcgraph.interpret.tables.parse import Draft, Link, name_of_hop, name_of_node
from arcgraph.interpret.tables.spoken import Output
from arcgraph.interpret.verbalise import phrase


class Saying:
    """Says the patterns that are made of a draft, whose hops go the ways ``ways``."""

    def __init__(self, draft: Draft, ways: Sequence[Direction]):
        self._draft = draft
        self._ways = ways

    def query(
        self, pattern: Pattern, outputs: Sequence[Output], hidden: Sequence[Output], counted: Sequence[str]
    ) -> str:
        """A pattern in words: its columns, its hops, those that must be absent denied, choices, conditions, order and
        limit.

        ``counted`` are conditions on numbers of things; ``hidden`` columns only sort.
        """
        text = ", ".join(output.words for output in outputs)
        said = self._said_hops()
        denied = {hop.name for part in pattern.absent for hop in part.hops}
        open_to = {hop.name for parts in pattern.choices for part in parts for hop in part.hops}
        besides = {hop.name for part in pattern.optional for hop in part.hops}
        apart = {hop.name for aside in pattern.asides for hop in aside.part.hops}
        said |= {name: f"{words} by itself" for name, words in said.items() if name in apart}
        hops = [f"not {words}" if name in denied else f"{words} where there is any" if name in besides else words
                for name, words in said.items() if name not in open_to]  # fmt: skip
        hops += ["either " + " or ".join(map(self._part_words, parts)) for parts in pattern.choices]
        if hops:
            text += " of " + "; ".join(hops)
        elif text != phrase(self._draft.nodes[0].label):
            text += f" of {phrase(self._draft.nodes[0].label)}"
        beside = [aside.part for aside in pattern.asides]
        conditions = [
            *self._conditions(pattern),
            *(c for part in (*pattern.absent, *pattern.optional, *beside) for c in self._conditions(part)),
            *counted,
        ]
        if conditions:
            text += " where " + " and ".join(conditions)
        by_expression = {o.expression: o.words for o in (*hidden, *outputs)}
        columns = {c.name: c.expression for c in pattern.returns}
        for order in pattern.order:
            by = by_expression.get(columns[order.column], "")
            text += f", {'descending' if order.descending else 'ascending'}{f' by {by}' if by else ''}"
        return text + (f", first {pattern.limit}" if pattern.limit is not None else "")

    def _said_hops(self) -> dict[str, str]:
        """Each hop in words, by its name."""
        links = zip(self._draft.hops, self._ways, strict=True)
        return {name_of_hop(i): self._hop_words(link, way) for i, (link, way) in enumerate(links)}

    def _part_words(self, part: Part) -> str:
        """A part of a choice in words."""
        said = self._said_hops()
        hops = "; ".join(said[hop.name] for hop in part.hops)
        conditions = " and ".join(self._conditions(part))
        return f"{hops} where {conditions}" if hops and conditions else hops or conditions

    def _conditions(self, part: Pattern | Part) -> Iterator[str]:
        """The conditions of a match in words."""
        for binding in part.bindings:
            operator = "=" if len(binding.values) == 1 else "in"
            yield f"{self._owner_words(binding.node)} {phrase(binding.key or '')} {operator} {_shown(binding.values)}"
        bounds: dict[Property, list[str]] = {}
        for test in part.filters:
            if isinstance(test.left, Property):
                if _is_open_side(test) or (isinstance(part, Pattern) and _is_of_key(test, part)):
                    continue
                operator = _OPERATORS.get(test.operator, test.operator)
                right = self._property_words(test.right) if isinstance(test.right, Property) else _shown(test.right)
                said = f"{operator} {right}" if test.right is not None else operator
                bounds.setdefault(test.left, []).append(said)
        for left, said_of in bounds.items():
            yield f"{self._property_words(left)} {' and '.join(said_of)}"

    def _property_words(self, prop: Property) -> str:
        return f"{self._owner_words(prop.owner)} {phrase(prop.key)}"

    def _owner_words(self, variable: str) -> str:
        nodes = {name_of_node(i): self._node_words(i) for i in range(len(self._draft.nodes))}
        hops = {name_of_hop(i): phrase(h.type) for i, h in enumerate(self._draft.hops)}
        return (nodes | hops)[variable]

    def _node_words(self, i: int) -> str:
        """A node's label, with a number from the second of that label on."""
        label = self._draft.nodes[i].label
        before = sum(1 for node in self._draft.nodes[:i] if node.label == label)
        return phrase(label) + (f" {before + 1}" if before else "")

    def _hop_words(self, hop: Link, way: Direction) -> str:
        arrow = {Direction.OUT: ("-", "->"), Direction.IN: ("<-", "-"), Direction.BOTH: ("-", "-")}[way]
        said = " or ".join(map(phrase, (hop.type, *hop.others)))
        return f"{self._node_words(hop.start)} {arrow[0]}{said}{arrow[1]} {self._node_words(hop.end)}"


# Operators in words, where they are none.
_OPERATORS = {
    "overlaps": "includes",
    "not contains": "does not contain",
    "not starts with": "does not start with",
    "not ends with": "does not end with",
}


def _is_of_key(test: Filter, pattern: Pattern) -> bool:
    """Whether a condition only keeps what is unknown from coming first among groups."""
    keys = {(c.expression.owner, c.expression.key) for c in pattern.returns if isinstance(c.expression, Property)}
    is_ranked = pattern.limit is not None and any(isinstance(c.expression, Aggregate) for c in pattern.returns)
    is_known = test.operator == "is not null" and isinstance(test.left, Property)
    return is_ranked and is_known and (test.left.owner, test.left.key) in keys  # type: ignore[union-attr]


def _is_open_side(test: Filter) -> bool:
    """Whether a condition only keeps texts that are no moments out."""
    return (test.operator, test.right) in ((">=", "0"), ("<", ":"))


def _shown(right: object) -> str:
    if isinstance(right, Measure):
        return right.name
    if isinstance(right, Duration):
        return right.iso_format()
    if isinstance(right, tuple | list):
        return ", ".join(map(str, right[:3])) + (" …" if len(right) > 3 else "")
    return str(right)
