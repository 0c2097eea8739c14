"""Where the meaning of relations lives: in types, in a property of edges, or in nodes that stand for relations.

Decided by structure and values: which share of the edges a type has, how many edges of which types a node has, whether
values read as relations and how varied they are. Words in names only add to that.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from arcgraph.domain import Endpoint, PassageHome, RelationHome, Schema
from arcgraph.graph.introspect.naming import is_address, is_odd, split_key
from arcgraph.graph.introspect.probe import Probe
from arcgraph.graph.introspect.properties import KeyProfile
from arcgraph.graph.names import quote

_RELATION_WORDS = frozenset({"predicate", "relation", "relationship", "rel", "verb", "property"})
_HINT_WORDS = frozenset({"type", "name", "label", "kind", "role", "title"})
_GENERIC_TYPES = _RELATION_WORDS | {"related", "relates", "edge", "link", "linked", "fact", "triple", "connected"}
_STATEMENT_WORDS = _RELATION_WORDS | {"statement", "fact", "triple", "assertion", "claim", "edge"}
_ROLE_WORDS = frozenset({"subject", "object", "head", "tail", "source", "target", "from", "to", "start", "end", "arg"})

# A home of relations holds at least this share of the edges between entities.
_MAIN = 0.5
_SAMPLE = 200
_FEW_KEYS = 4
# Up to this share of different values relations are stated again and again.
_STATED_AGAIN = 0.8
_LONGEST_PHRASE = 80
_LONGEST_PATH = 200
# Words between slashes, as predicates are named by domain and class; file names have an ending, addresses have digits.
# A path that leads over a node in between is written as two, joined by a dot.
_PREDICATE_PATH = re.compile(r"/[^\W\d]\w*(\.?/[^\W\d]\w*)+")
_ENOUGH_FOR_PROPERTY = 3.0
_ENOUGH_FOR_NODES = 3.5


@dataclass(frozen=True, slots=True)
class _Candidate:
    home: RelationHome
    score: float
    needed: float


def find_relations(
    probe: Probe,
    schema: Schema,
    nodes: Mapping[str, Sequence[KeyProfile]],
    edges: Mapping[str, Sequence[KeyProfile]],
) -> RelationHome:
    """Where relations live; types, unless the evidence for something else is strong. Passages must be known before."""
    facts = _facts(schema, schema.passages)
    candidates = [*_edge_properties(schema, edges, facts), *_relation_nodes(probe, schema, nodes, facts)]
    enough = [candidate for candidate in candidates if candidate.score >= candidate.needed]
    if not enough:
        return RelationHome()
    return max(enough, key=lambda c: (c.score, c.home.distinct, c.home.label, c.home.type, c.home.key)).home


def _facts(schema: Schema, passages: PassageHome | None) -> list[Endpoint]:
    """The triples between entities: an edge at a passage says where something was read, not what it is."""
    return [e for e in schema.endpoints if e.probed and (passages is None or passages.label not in (e.start, e.end))]


def _edges_of(schema: Schema, types: Iterable[str]) -> int:
    return sum(schema.types[name].count.value for name in set(types))


# --- a property of edges -----------------------------------------------------------------------------------------


def _edge_properties(
    schema: Schema, edges: Mapping[str, Sequence[KeyProfile]], facts: Sequence[Endpoint]
) -> Iterator[_Candidate]:
    types = {endpoint.type for endpoint in facts}
    for type_ in sorted(types):
        share = schema.types[type_].count.value / max(1, _edges_of(schema, types))
        prior = (1.5 if _GENERIC_TYPES & set(split_key(type_)) else 0.0) + (0.5 if share > 0.9 else 0.0)
        keys = list(filter(_says_relations, edges.get(type_, ()))) if share >= _MAIN else []
        for profile in keys:
            if len(keys) == 1 or _is_worded(profile):
                home = RelationHome("property", type=type_, key=profile.key, distinct=profile.info.distinct.value)
                yield _Candidate(home, prior + _weight(profile), _ENOUGH_FOR_PROPERTY)


def _says_relations(profile: KeyProfile) -> bool:
    """Whether (nearly) every owner has a value and the values read as relations that are stated again and again.

    Under a key that is called so each may be stated but once, as in what is extracted from a few texts.
    """
    return (
        profile.coverage >= 0.95
        and profile.info.type == "string"
        and profile.info.distinct.value >= 2
        and (profile.distinctness <= _STATED_AGAIN or _is_worded(profile))
        and profile.share(_reads_as_relation) >= 0.8
    )


def _is_worded(profile: KeyProfile) -> bool:
    words = split_key(profile.key)
    return bool(_RELATION_WORDS & {*words[:1], *words[-1:]})


def _reads_as_relation(value: Any) -> bool:
    if not isinstance(value, str) or not 0 < len(value) <= _LONGEST_PATH:
        return False
    if is_address(value):
        # A predicate of linked data, or one that is written as a path.
        return "://" in value or bool(_PREDICATE_PATH.fullmatch(value))
    if len(value) > _LONGEST_PHRASE:
        return False
    letters = sum(map(str.isalpha, value))
    return letters >= 0.6 * len(value) and len(value.split()) <= 8 and not is_odd(value)


def _weight(profile: KeyProfile) -> float:
    """How much a key and its values speak for relations: the key's words, variety, and no look of proper names."""
    prior = 3.0 if _is_worded(profile) else 1.0 if _HINT_WORDS & set(split_key(profile.key)[-1:]) else 0.0
    distinct = profile.info.distinct.value
    variety = 2.5 if distinct >= 50 else 1.0 if distinct >= 15 else 0.0
    return prior + variety - (0.0 if prior > 1.0 else 1.5 * profile.share(_looks_proper))


def _looks_proper(value: Any) -> bool:
    return isinstance(value, str) and value[:1].isupper() and not value.isupper()


# --- nodes that stand for relations ------------------------------------------------------------------------------


def _relation_nodes(
    probe: Probe, schema: Schema, nodes: Mapping[str, Sequence[KeyProfile]], facts: Sequence[Endpoint]
) -> Iterator[_Candidate]:
    total = max(1, _edges_of(schema, (endpoint.type for endpoint in facts)))
    for label in filter(None, schema.labels):
        keys = [profile for profile in nodes.get(label, ()) if _says_relations(profile)]
        touching = [e for e in facts if label in (e.start, e.end) and e.start != e.end] if keys else []
        share = sum(high for _, high in _ranges(schema, touching).values()) / total
        roles = _roles(probe, schema, label, touching) if share >= _MAIN else []
        if len(roles) < 2:
            continue
        structure = _structure(label, roles, touching) + (1.0 if share > 0.9 else 0.0)
        # Such a node says which relation and little else; what has many properties is an entity of its own.
        is_bare = len(keys) == 1 and len(nodes[label]) <= _FEW_KEYS
        for profile in keys if is_bare else filter(_is_worded, keys):
            home = RelationHome("reified", label=label, key=profile.key, distinct=profile.info.distinct.value)
            yield _Candidate(home, structure + _weight(profile), _ENOUGH_FOR_NODES)


def _ranges(schema: Schema, touching: Iterable[Endpoint]) -> dict[str, tuple[int, int]]:
    """Per type, how many of the edges there are at least and at most: triples overlap where nodes bear two labels."""
    found: dict[str, tuple[int, int]] = {}
    for e in touching:
        low, high = found.get(e.type, (0, 0))
        found[e.type] = (max(low, e.count.value), min(high + e.count.value, schema.types[e.type].count.value))
    return found


def _roles(probe: Probe, schema: Schema, label: str, touching: Iterable[Endpoint]) -> list[str]:
    """Types of which (nearly) every node of the label has exactly one edge, to or from another label.

    The counts tell which types may be such; only edges of these are looked at, so that no hub is ever walked.
    """
    nodes = schema.labels[label].count.value
    ranges = _ranges(schema, touching).items()
    likely = sorted(type_ for type_, (low, high) in ranges if low <= 1.1 * nodes and high >= 0.9 * nodes)
    if len(likely) < 2:
        return []
    rows = probe.rows(
        f"MATCH (x:{quote(label)}) WITH x LIMIT {_SAMPLE} MATCH (x)-[r:{'|'.join(map(quote, likely))}]-(y) "
        f"WHERE NOT y:{quote(label)} RETURN type(r) AS type, count(r) AS edges, count(DISTINCT x) AS owners"
    )
    size = min(nodes, _SAMPLE)
    return sorted(type_ for type_, edges, owners in rows or [] if owners >= 0.95 * size and edges <= 1.05 * owners)


def _structure(label: str, roles: Sequence[str], touching: Iterable[Endpoint]) -> float:
    far: dict[str, set[str]] = {}
    for e in touching:
        if e.type in roles:
            far.setdefault(e.type, set()).add(e.end if e.start == label else e.start)
    sides = list(far.values())
    alike = any(one & other for at, one in enumerate(sides) for other in sides[at + 1 :])
    named = sum(1 for role in roles if _ROLE_WORDS & set(split_key(role)))
    return (2.0 if _STATEMENT_WORDS & set(split_key(label)) else 0.0) + min(named, 2) + (1.0 if alike else 0.0)
