"""Gathers evidence around a question in two steps over edges, for graphs whose edges lead to passages.

First the edges around what the question names and those of the passages that read like it; then, from the entities to
which these lead, the edges that speak of the rest of the question. All of them vote for the passages that they came
from, and the votes are fused with the ranking of the passages' texts. No graph-wide computation: the work grows with
what is looked at.
"""

from __future__ import annotations

import math
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcgraph.domain import Edge, Node, PassageHome, Schema
from arcgraph.errors import QueryError
from arcgraph.graph.base import Graph
from arcgraph.graph.names import quote
from arcgraph.graph.pattern import Direction
from arcgraph.interpret.anchors import Candidate
from arcgraph.interpret.english import FIGURE_NOTIONS
from arcgraph.interpret.question import Intent, Question, view_from
from arcgraph.interpret.spelling import Spelling
from arcgraph.interpret.surroundings import Deadline, Surroundings
from arcgraph.interpret.terms import EmbedWords
from arcgraph.interpret.verbalise import spoken
from arcgraph.search.base import Hit, Ranking
from arcgraph.search.fusion import reciprocal_rank_fusion
from arcgraph.search.passages import Key, Passage, PassageIndex
from arcgraph.settings import AskSettings

# Entities from which the second step goes out, passages that vote for entities.
_BRIDGES = 40
_VOTING = 3
# So many passages of an entity are read, or entities of a passage; and so many of them looked at in one query.
_MENTIONS = 1_000
_NODES_A_QUERY = 100
# Passages taken from the ranking of texts, and how flat the fusion of ranks is: small, as few passages are wanted.
_RANKED = 100
_RANK_CONSTANT = 20
# What an edge counts before anything is known of its wording.
_UNWORDED_FIRST, _UNWORDED_SECOND = 0.3, 0.1
# How far a passage's place counts beside being named, and the second step beside the first.
_BY_PASSAGE = 0.6
_SECOND = 0.8
# An entity that is everywhere leads nowhere: how much its number of edges counts against it.
_HUB = 0.5
# What being from a passage near the top adds to an edge's likeness to the question.
_PLACE = 1.0
# Where edges name no passages themselves, those of the ends of so many of the best edges are looked up.
_LOCATED = 150
# Edges come from so many times the passages that are wanted.
_WITH_EDGES = 2
# What a figure in an edge adds where a time or a number is asked for.
_FIGURE = 0.15
_PLACE_FLATNESS = 5.0
_SECONDS = 3.0


@dataclass(frozen=True, slots=True)
class Gathered:
    """Evidence, best first: edges with the nodes at their ends, and positions in the passage index."""

    edges: tuple[Edge, ...] = ()
    nodes: Mapping[str, Node] = field(default_factory=dict)
    passages: Ranking = ()
    query: str = ""
    params: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class _Fact:
    """One edge as it is weighed: its ends by id, its text, and the passages that it came from."""

    id: str
    start: str
    end: str
    text: str
    passages: tuple[int, ...]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Fact) and self.id == other.id

    def __hash__(self) -> int:
        return hash(self.id)


@dataclass(frozen=True, slots=True)
class _Seen:
    """What one question has seen so far: the edges of each entity looked at; and the time that is left."""

    deadline: Deadline
    around: dict[str, list[_Fact]] = field(default_factory=dict)


class Gatherer:
    """Gathers evidence in one graph. Thread-safe."""

    def __init__(
        self,
        graph: Graph,
        schema: Schema,
        passages: PassageIndex,
        embed: EmbedWords,
        settings: AskSettings,
        clock: Callable[[], float] = time.monotonic,
    ):
        assert schema.passages is not None
        self._graph = graph
        self._home: PassageHome = schema.passages
        self._spelling = Spelling(graph, schema)
        self._named = _naming_keys(schema, schema.passages)
        self._passages = passages
        self._embed = embed
        self._surroundings = Surroundings(graph, schema)
        self._seconds = min(settings.looking, settings.deadline)
        self._clock = clock

    def gather(
        self, question: Question, candidates: Sequence[Candidate], *, most_edges: int = 60, most_passages: int = 10
    ) -> Gathered:
        """The evidence for a question that names the candidates."""
        by_text = self._passages.search(question.text, _RANKED)
        # Only now: the first search may load a sentence model, which is no looking into the graph.
        seen = _Seen(Deadline(self._seconds, self._clock))
        named = _spread(candidates, self._spelling)
        weigh = _Weigher(question, candidates, self._embed)
        near = self._located(self._first_step(named, by_text, weigh, seen), seen)
        far = self._located(self._second_step(named, near, weigh, seen), seen)
        ranking = reciprocal_rank_fusion([by_text, _votes(near, far)], k=_RANK_CONSTANT)
        looked_at = [hit.id for hit in ranking[: _WITH_EDGES * most_passages]]
        facts = dict.fromkeys(self._facts_in(looked_at, seen), 0.0) | far | near
        chosen = _chosen(facts, ranking[: len(looked_at)], weigh)
        return self._fetched(chosen[:most_edges], ranking[:most_passages])

    def passages(self, ranking: Ranking) -> list[Passage]:
        """The passages of a ranking."""
        return self._passages.passages([hit.id for hit in ranking])

    # --- the two steps -------------------------------------------------------------------------------------------

    def _first_step(
        self, named: Mapping[str, float], by_text: Ranking, weigh: _Weigher, seen: _Seen
    ) -> dict[_Fact, float]:
        """Edges of what is named, and of the passages that read most like the question."""
        found: dict[_Fact, float] = {}
        facts = self._facts_of(named, seen)
        weigh.meet(facts)
        degrees = Counter(end for fact in facts for end in (fact.start, fact.end))
        leads = {node: weight / (1 + math.log1p(degrees[node])) for node, weight in named.items()}
        for fact in facts:
            weight = max(leads.get(fact.start, 0.0), leads.get(fact.end, 0.0))
            found[fact] = weight * (_UNWORDED_FIRST + weigh.whole(fact))
        place = {hit.id: i for i, hit in enumerate(by_text[:_VOTING])}
        from_passages = self._facts_in(list(place), seen)
        weigh.meet(from_passages)
        for fact in from_passages:
            nearest = min((place[p] for p in fact.passages if p in place), default=len(place))
            value = _BY_PASSAGE / (1 + nearest) * (_UNWORDED_FIRST + weigh.whole(fact))
            found[fact] = max(found.get(fact, 0.0), value)
        return found

    def _second_step(
        self, named: Mapping[str, float], near: Mapping[_Fact, float], weigh: _Weigher, seen: _Seen
    ) -> dict[_Fact, float]:
        """From the entities to which the first step leads, the edges that speak of what the question says besides."""
        reached: dict[str, float] = {}
        for fact, value in near.items():
            for end in (fact.start, fact.end):
                if end not in named:
                    reached[end] = max(reached.get(end, 0.0), value)
        leading = sorted(reached, key=lambda node: -reached[node])[: 2 * _BRIDGES]
        around: dict[str, list[_Fact]] = defaultdict(list)
        for fact in self._facts_of(leading, seen):
            for end in (fact.start, fact.end):
                around[end].append(fact)
        bridges = {n: reached[n] / (1 + _HUB * math.log1p(len(around[n]))) for n in leading}
        found: dict[_Fact, float] = {}
        crossed = sorted(bridges, key=lambda n: -bridges[n])[:_BRIDGES]
        weigh.meet(fact for node in crossed for fact in around[node])
        for node in crossed:
            for fact in around[node]:
                if fact not in near:
                    value = bridges[node] * (_UNWORDED_SECOND + weigh.rest(fact))
                    found[fact] = max(found.get(fact, 0.0), value)
        return found

    # --- looking into the graph ----------------------------------------------------------------------------------

    def _facts_of(self, nodes: Iterable[str], seen: _Seen) -> list[_Fact]:
        """The edges around some entities, each once."""
        wanted = list(dict.fromkeys(nodes))
        if new := [node for node in wanted if node not in seen.around]:
            seen.around.update((node, []) for node in new)
            for node, fact in self._looked(new, Direction.BOTH, seen):
                seen.around[node].append(fact)
        return list({fact.id: fact for node in wanted for fact in seen.around[node]}.values())

    def _facts_in(self, passages: Sequence[int], seen: _Seen) -> list[_Fact]:
        """The edges that came from some passages, as far as a look from the passages themselves can tell."""
        if not self._home.mention_types or not passages:
            return []
        ids = [source.id for source in self._passages.passages(passages)]
        mentioned = self._mentions(ids, seen, of_passages=True)
        among = [fact for _, fact in self._looked(list(mentioned), Direction.OUT, seen, within=list(mentioned))]
        wanted = set(passages)
        return [_placed(f, mentioned) for f in among if not f.passages or wanted.intersection(f.passages)]

    def _located(self, found: Mapping[_Fact, float], seen: _Seen) -> dict[_Fact, float]:
        """Where edges name no passages, the facts with those that mention both their ends."""
        if self._home.edge_key or not self._home.mention_types:
            return dict(found)
        best = sorted((f for f in found if not f.passages), key=lambda f: -found[f])[:_LOCATED]
        ends = list(dict.fromkeys(end for fact in best for end in (fact.start, fact.end)))
        mentioned = self._mentions(ends, seen, of_passages=False)
        return {_placed(fact, mentioned): value for fact, value in found.items()}

    def _mentions(self, ids: Sequence[str], seen: _Seen, *, of_passages: bool) -> dict[str, set[int]]:
        """Entities by id, each with the places of the passages that mention it, as far as a look can tell.

        ``ids`` are those of entities, or where it is ``of_passages`` of the passages that mention them.
        """
        spelt, near, far = self._spelling, "c" if of_passages else "n", "n" if of_passages else "c"
        types = "|".join(quote(t) for t in self._home.mention_types)
        nodes = {"n": spelt.node("n"), "c": f"(c:{quote(self._home.label)})"}
        query = (
            f"MATCH {nodes[near]} WHERE {spelt.is_among(near, '$ids')} "
            f"CALL {{ WITH {near} MATCH ({near})-[:{types}]-{nodes[far]} RETURN DISTINCT {far} LIMIT {_MENTIONS} }} "
            f"RETURN {spelt.id('n')} AS n, {spelt.element('c')} AS c"
        )
        pairs: list[tuple[str, str]] = []
        for at in range(0, len(ids), _NODES_A_QUERY):
            part = list(ids[at : at + _NODES_A_QUERY])
            rows = self._read(query, {"ids": part}, seen.deadline, len(part) * _MENTIONS)
            pairs += [(str(n), str(c)) for n, c in rows if n is not None]
        found: dict[str, set[int]] = {node: set() for node, _ in pairs}
        for (node, _), place in zip(pairs, self._passages.at_elements([c for _, c in pairs]), strict=True):
            if place >= 0:
                found[node].add(int(place))
        return found

    def _looked(
        self, nodes: Sequence[str], direction: Direction, seen: _Seen, within: Sequence[str] | None = None
    ) -> list[tuple[str, _Fact]]:
        """The edges of some entities, each with the entity it was seen from."""
        spelt = self._spelling
        start, end = "startNode(r)", "endNode(r)"
        values = (
            spelt.element("r"),
            spelt.id(start),
            spelt.id(end),
            spelt.first_of(start, self._named),
            spelt.first_of(end, self._named),
            f"r.{spelt.key(self._home.edge_key)}" if self._home.edge_key else "null",
        )
        edges = list(self._surroundings.of(nodes, direction, values, seen.deadline, within=within))
        keys = [_listed(edge.values[-1]) for edge in edges]
        places = self._passages.at_keys([key for own in keys for key in own]).tolist()
        found: list[tuple[str, _Fact]] = []
        at = 0
        for (node, relation, (edge, s, t, a, b, _)), own in zip(edges, keys, strict=True):
            # Keys of passages that are not in the index are left out.
            passages = dict.fromkeys(place for place in places[at : at + len(own)] if place >= 0)
            at += len(own)
            text = f"{a} {spoken(str(relation))} {b}"
            found.append((node, _Fact(str(edge), str(s), str(t), text, tuple(passages))))
        return found

    def _read(self, query: str, params: dict[str, Any], deadline: Deadline, limit: int) -> list[tuple[Any, ...]]:
        """Rows of a query; none where it fails or time is up: less was seen, and what was seen stands."""
        timeout = min(_SECONDS, deadline.left)
        try:
            return self._graph.read(query, params, timeout=timeout, limit=limit).records if timeout > 0 else []
        except QueryError:
            return []

    def _fetched(self, facts: Sequence[_Fact], passages: Ranking) -> Gathered:
        """The edges with their nodes, in the order of the facts."""
        if not facts:
            return Gathered(passages=passages)
        spelt = self._spelling
        query = (
            f"MATCH {spelt.node('n')}-[r]->(m) WHERE {spelt.is_among('n', '$starts')} "
            f"AND {spelt.is_among('m', '$ends')} AND {spelt.element('r')} IN $edges RETURN n, r, m LIMIT {len(facts)}"
        )
        params = {
            "starts": sorted({fact.start for fact in facts}),
            "ends": sorted({fact.end for fact in facts}),
            "edges": [fact.id for fact in facts],
        }
        # What was found is worth one more query, however late it is.
        rows = self._read(query, params, Deadline(_SECONDS), len(facts))
        edges: dict[str, Edge] = {}
        nodes: dict[str, Node] = {}
        for n, r, m in rows:
            edges[r.element_id] = r
            nodes |= {n.element_id: n, m.element_id: m}
        ordered = tuple(edges[fact.id] for fact in facts if fact.id in edges)
        shown, names = self._shown(nodes.values())
        return Gathered(ordered, nodes, passages, shown, {"names": names})

    def _shown(self, nodes: Iterable[Node]) -> tuple[str, list[Any]]:
        """The query in Neo4j's dialect, by the names that the nodes have."""
        one, other = (", ".join(f"{v}.{quote(key)}" for key in self._named) for v in ("n", "m"))
        query = f"MATCH (n)-[r]->(m)\nWHERE coalesce({one}) IN $names AND coalesce({other}) IN $names\nRETURN n, r, m"
        names = (next((v for k in self._named if (v := node.properties.get(k)) is not None), None) for node in nodes)
        return query, list(dict.fromkeys(name for name in names if name is not None))


class _Weigher:
    """How like an edge's text is to the whole question, and to what is left of it without the names.

    Without an embedder every edge is alike, and only the graph's shape and the passages' texts decide.
    """

    def __init__(self, question: Question, candidates: Sequence[Candidate], embed: EmbedWords):
        self._embed = embed
        view = view_from(question, [c.anchor.span for c in candidates])
        rest = view.words
        self._asks_for_figure = question.intent == Intent.COUNT or not FIGURE_NOTIONS.isdisjoint(view.asked)
        vectors = embed([question.text, " ".join(rest) or question.text])
        self._questions = vectors
        self._known: dict[str, NDArray[np.float32]] = {}

    def whole(self, fact: _Fact) -> float:
        """Likeness to the question, 0 to 1."""
        return self._likeness(fact, 0)

    def rest(self, fact: _Fact) -> float:
        """Likeness to the question without the names in it, 0 to 1."""
        return self._likeness(fact, 1)

    def mean(self, fact: _Fact) -> float:
        """Likeness to both, a little more for an edge that holds a figure where one is asked for."""
        has_figure = self._asks_for_figure and any(c.isdigit() for c in fact.text)
        return (self.whole(fact) + self.rest(fact)) / 2 + (_FIGURE if has_figure else 0.0)

    def meet(self, facts: Iterable[_Fact]) -> None:
        """Compare facts with the question, all at once: that is much cheaper than one by one."""
        new = list(dict.fromkeys(fact.text for fact in facts if fact.text not in self._known))
        if self._questions is not None and new and (vectors := self._embed(new)) is not None:
            self._known.update(zip(new, vectors @ self._questions.T, strict=True))

    def _likeness(self, fact: _Fact, which: int) -> float:
        if fact.text not in self._known:
            self.meet([fact])
        return max(0.0, float(self._known[fact.text][which])) if fact.text in self._known else 0.0


def _listed(keys: Any) -> list[Key]:
    """The keys that an edge carries, as a list, as one value, or not at all."""
    return keys if isinstance(keys, list) else [] if keys is None else [keys]


def _placed(fact: _Fact, mentioned: Mapping[str, set[int]]) -> _Fact:
    """A fact that names no passages with those that mention both its ends."""
    if fact.passages:
        return fact
    both = mentioned.get(fact.start, set()) & mentioned.get(fact.end, set())
    return replace(fact, passages=tuple(sorted(both)))


def _naming_keys(schema: Schema, home: PassageHome) -> list[str]:
    """The properties by which the graph's nodes are called, passages aside."""
    infos = [info for name, info in schema.labels.items() if name != home.label]
    return list(dict.fromkeys(key for info in infos if (key := info.naming or info.identifying))) or ["name"]


def _spread(candidates: Sequence[Candidate], spelt: Spelling) -> dict[str, float]:
    """Weights of the named entities: a name that many bear says less of each, a doubtful one little."""
    weights: dict[str, float] = {}
    for candidate in candidates:
        ids = spelt.ids_of(candidate.anchor)
        for i in ids[:10]:
            weights[i] = max(weights.get(i, 0.0), candidate.strength**2 / math.sqrt(len(ids)))
    return weights


def _votes(near: Mapping[_Fact, float], far: Mapping[_Fact, float]) -> Ranking:
    """Passages by the best of the edges that came from them."""
    votes: dict[int, float] = defaultdict(float)
    for facts, weight in ((near, 1.0), (far, _SECOND)):
        most = max(facts.values(), default=0.0) or 1.0
        for fact, value in facts.items():
            for passage in fact.passages:
                votes[passage] = max(votes[passage], weight * value / most)
    ranked = sorted(votes.items(), key=lambda vote: (-vote[1], vote[0]))
    return tuple(Hit(at, value) for at, value in ranked[:_RANKED])


def _chosen(facts: Mapping[_Fact, float], ranking: Ranking, weigh: _Weigher) -> list[_Fact]:
    """The edges from the passages that lead the ranking, most like the question first; where edges name no passages, by
    what they were worth."""
    place = {hit.id: i for i, hit in enumerate(ranking)}
    from_passages = {f for f in facts if any(p in place for p in f.passages)}
    weigh.meet(from_passages)

    def worth(fact: _Fact) -> float:
        nearest = min(place[p] for p in fact.passages if p in place)
        return weigh.mean(fact) + _PLACE / (_PLACE_FLATNESS + nearest)

    ranked = sorted(from_passages, key=lambda f: (-worth(f), f.id))
    others = sorted((f for f in facts if f not in from_passages), key=lambda f: -facts[f])
    return ranked + others
