"""Random valid queries over random schemas have no fault, and one fault put into them is found, alone."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from arcgraph.domain import Count, Endpoint, LabelInfo, PropertyInfo, Schema, TypeInfo
from arcgraph.graph.guard import Verdict, check

Triple = tuple[str, str, str]


def infos(kind: type, names: list[str], dice: Random) -> dict[str, LabelInfo | TypeInfo]:
    """Labels or types, each with the key ``name`` and one of its own."""
    return {
        name: kind(name, Count(5), {key: PropertyInfo(key, {"string": 1}, 1, Count(1), Count(1)) for key in keys})
        for name in names
        for keys in [("name", f"of{name}", *dice.sample(["x", "y", "z"], dice.randint(0, 2)))]
    }


def random_schema(dice: Random) -> Schema:
    labels = [f"L{i}" for i in range(dice.randint(2, 5))]
    types = [f"T{i}" for i in range(dice.randint(1, 4))]
    triples = {(dice.choice(labels), type_, dice.choice(labels)) for type_ in types for _ in range(dice.randint(1, 2))}
    endpoints = tuple(Endpoint(start, type_, end, Count(1)) for start, type_, end in sorted(triples))
    return Schema(infos(LabelInfo, labels, dice), infos(TypeInfo, types, dice), endpoints)


@dataclass
class Hop:
    """One relationship of a random pattern, from the node before it to the node after it."""

    triple: Triple
    backwards: bool
    kind: str
    named: bool = True

    def text(self, variable: str) -> str:
        type_ = f":{self.triple[1]}" if self.named else ""
        left, right = {"any": ("", ""), "out": ("", ">"), "in": ("<", "")}[self.arrow()]
        inner = {"plain": f"[{variable}{type_}]", "length": f"[{type_}*1..2]", "quantified": f"[{type_}]"}
        text = inner.get(self.kind, inner["plain"])
        quantifier = "{1,3}" if self.kind == "quantified" else ""
        return f"{left}-{text}-{right}{quantifier}"

    def arrow(self) -> str:
        return "any" if self.kind == "undirected" else "in" if self.backwards else "out"


@dataclass
class Path:
    """A random pattern that its schema has: labels of the nodes, whether they are written, and the hops between."""

    labels: list[str]
    shown: list[bool]
    hops: list[Hop] = field(default_factory=list)

    def text(self) -> str:
        parts = []
        for at, label in enumerate(self.labels):
            parts.append(f"(n{at}{':' + label if self.shown[at] else ''})")
            if at < len(self.hops):
                parts.append(self.hops[at].text(f"r{at}"))
        return "".join(parts)


def random_path(schema: Schema, dice: Random) -> Path:
    triples = [(e.start, e.type, e.end) for e in schema.endpoints]
    first = dice.choice(triples)
    path = Path([first[0]], [dice.random() < 0.7])
    for _ in range(dice.randint(1, 3)):
        here = path.labels[-1]
        ways = [(t, back) for t in triples for back in (False, True) if t[2 if back else 0] == here]
        if not ways:
            break
        triple, back = dice.choice(ways)
        kind = dice.choice(["plain", "plain", "undirected", "length", "quantified"])
        path.hops.append(Hop(triple, back, kind, named=dice.random() < 0.8))
        path.labels.append(triple[0 if back else 2])
        path.shown.append(dice.random() < 0.7)
    return path


def key_of(schema: Schema, label: str, dice: Random) -> str:
    return dice.choice(sorted(schema.labels[label].properties))


SHELLS = (
    "MATCH {path} RETURN {var}.{key} AS value",
    "MATCH {path} WHERE {var}.{key} IS NOT NULL RETURN count(*) AS value",
    "MATCH {path} WITH {var} AS other RETURN other.{key} AS value",
    "MATCH {path} WITH collect({var}) AS others UNWIND others AS other RETURN other.{key} AS value",
    "MATCH {path} WITH collect({var}) AS others RETURN [other IN others | other.{key}] AS value",
    "MATCH {path} RETURN {var}{{.{key}}} AS value",
    "MATCH {path} CALL ({var}) {{ RETURN {var}.{key} AS inside }} RETURN inside",
    "MATCH {path} CALL {{ WITH {var} WITH {var} AS other RETURN other.{key} AS inside }} RETURN inside",
    "CALL {{ MATCH {path} RETURN {var} }} RETURN {var}.{key} AS value",
    "MATCH (any) WHERE EXISTS {{ MATCH {path} WHERE {var}.{key} = 1 }} RETURN any",
    "MATCH (any) RETURN COUNT {{ MATCH {path} WHERE {var}.{key} = 1 }} AS value",
    "OPTIONAL MATCH {path} RETURN {var}.{key} AS value ORDER BY {var}.{key}",
)


def query_of(path: Path, shell: str, node: int, key: str) -> str:
    return shell.format(path=path.text(), var=f"n{node}", key=key)


def judged(query: str, schema: Schema) -> Verdict:
    verdict = check(query, schema)
    assert verdict.reasons == (), query
    return verdict


@given(st.randoms(use_true_random=False))
@settings(max_examples=300, deadline=None)
def test_a_query_that_the_schema_has_is_no_fault(dice: Random) -> None:
    schema = random_schema(dice)
    path = random_path(schema, dice)
    node = dice.randrange(len(path.labels))
    query = query_of(path, dice.choice(SHELLS), node, key_of(schema, path.labels[node], dice))
    assert judged(query, schema).schema_faults == (), query


@given(st.randoms(use_true_random=False))
@settings(max_examples=200, deadline=None)
def test_an_unknown_name_is_the_only_fault(dice: Random) -> None:
    schema = random_schema(dice)
    path = random_path(schema, dice)
    node = dice.randrange(len(path.labels))
    shell, key = dice.choice(SHELLS), key_of(schema, path.labels[node], dice)
    rule = dice.choice(["label", "type", "property"])
    if rule == "label":
        path.labels[node], path.shown[node] = "Nowhere", True
    elif rule == "type":
        assume(path.hops)
        hop = dice.choice(path.hops)
        hop.triple, hop.named = (hop.triple[0], "NOWHERE", hop.triple[2]), True
    else:
        key = "nowhere"
    query = query_of(path, shell, node, key)
    faults = judged(query, schema).schema_faults
    assert [fault.rule for fault in faults] == [rule], query
    fault = faults[0]
    assert fault.name.lower() == "nowhere"
    assert query[fault.offset :].lower().startswith("nowhere")


def has(schema: Schema, start: str, type_: str, end: str) -> bool:
    return any((e.start, e.type, e.end) == (start, type_, end) for e in schema.endpoints)


@given(st.randoms(use_true_random=False))
@settings(max_examples=200, deadline=None)
def test_a_turned_arrow_is_the_only_fault_and_is_turned_back(dice: Random) -> None:
    schema = random_schema(dice)
    path = random_path(schema, dice)
    hops = [at for at, hop in enumerate(path.hops) if not has(schema, hop.triple[2], hop.triple[1], hop.triple[0])]
    assume(hops)
    at = dice.choice(hops)
    hop = path.hops[at]
    hop.kind, hop.named = "plain", True
    path.shown[at] = path.shown[at + 1] = True
    node = dice.randrange(len(path.labels))
    shell, key = dice.choice(SHELLS), key_of(schema, path.labels[node], dice)
    right = query_of(path, shell, node, key)
    assert judged(right, schema).schema_faults == (), right
    hop.backwards = not hop.backwards
    wrong = query_of(path, shell, node, key)
    verdict = judged(wrong, schema)
    assert [fault.rule for fault in verdict.schema_faults] == ["direction"], wrong
    assert verdict.repaired == right


@given(st.randoms(use_true_random=False))
@settings(max_examples=200, deadline=None)
def test_a_stranger_at_the_end_is_the_only_fault(dice: Random) -> None:
    schema = random_schema(dice)
    path = random_path(schema, dice)
    assume(path.hops)
    hop = path.hops[-1]
    hop.kind, hop.named = dice.choice(["plain", "undirected"]), True
    near = path.labels[-2]
    type_ = hop.triple[1]
    strangers = [s for s in schema.labels if not has(schema, s, type_, near) and not has(schema, near, type_, s)]
    assume(strangers)
    path.labels[-1] = dice.choice(strangers)
    path.shown[-1] = path.shown[-2] = True
    node = dice.randrange(len(path.labels))
    query = query_of(path, dice.choice(SHELLS), node, key_of(schema, path.labels[node], dice))
    verdict = judged(query, schema)
    assert [fault.rule for fault in verdict.schema_faults] == ["endpoints"], query
    assert verdict.repaired is None


@given(st.randoms(use_true_random=False))
@settings(max_examples=100, deadline=None)
def test_a_triple_that_was_not_probed_forgives(dice: Random) -> None:
    schema = random_schema(dice)
    path = random_path(schema, dice)
    unprobed = tuple(
        Endpoint(start, type_, end, Count(0), probed=False)
        for start in schema.labels
        for type_ in schema.types
        for end in schema.labels
    )
    open_ = Schema(schema.labels, schema.types, unprobed)
    for hop in path.hops:
        hop.backwards = dice.random() < 0.5
    assert judged(f"MATCH {path.text()} RETURN 1 AS one", open_).schema_faults == ()
