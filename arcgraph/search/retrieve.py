"""Retrieval before exploration: the passages or triples of a graph that a question and its phrases lead to.

Which of the two is searched, the graph's provenance decides: passages where edges lead to them, and then these bound
what later queries may touch; else its edges as sentences, which only hint at where to look.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from arcgraph.domain import PassageHome, Schema
from arcgraph.graph.base import Graph
from arcgraph.graph.names import quote, stored_key
from arcgraph.search.base import Ranking
from arcgraph.search.collect import element_id
from arcgraph.search.hybrid import Ways, both_ways, fused
from arcgraph.search.local import Report
from arcgraph.search.passages import Key, Passage, PassageIndex, open_or_build_passages
from arcgraph.search.stores import ways_of
from arcgraph.search.triples import Triple, TripleIndex, open_or_build_triples
from arcgraph.settings import SearchSettings, Settings

Kind = Literal["passages", "triples"]


@dataclass(frozen=True, slots=True)
class Scope:
    """The part of a graph that came from some passages: ``keys`` are what edges call these, ``element_ids`` the nodes.

    A query stays inside it by a condition on every edge that it matches, with :attr:`values` as a parameter.
    """

    home: PassageHome
    keys: tuple[Key, ...]
    element_ids: tuple[str, ...]

    @property
    def values(self) -> list[Key]:
        """What the condition's parameter holds."""
        return list(self.keys if self.home.edge_key else self.element_ids)

    def condition(self, edge: str, start: str, end: str, parameter: str = "$scope", dialect: str = "neo4j") -> str:
        """The Cypher condition that an edge came from one of the passages; the variables are those of a match.

        Where edges name no passages themselves, one of these has to mention the nodes at both ends.
        """
        if self.home.edge_key:
            key = stored_key(self.home.edge_key) if dialect == "embedded" else self.home.edge_key
            return f"any(_key IN {quote(edge)}.{quote(key)} WHERE _key IN {parameter})"
        types = "|".join(map(quote, self.home.mention_types))
        passage = f"(_c:{quote(self.home.label)})"
        mentioned = f"({quote(start)})-[:{types}]-{passage}-[:{types}]-({quote(end)})"
        return f"EXISTS {{ MATCH {mentioned} WHERE {element_id('_c', dialect)} IN {parameter} }}"

    def joined(self, other: Scope) -> Scope:
        """What came from the passages of either."""
        return Scope(
            self.home,
            tuple(dict.fromkeys((*self.keys, *other.keys))),
            tuple(dict.fromkeys((*self.element_ids, *other.element_ids))),
        )


@dataclass(frozen=True, slots=True)
class Retrieved:
    """What was found, best first: passages with the ``scope`` that they span, or triples.

    ``by_phrase`` is what each phrase, and the question, found by itself.
    """

    kind: Kind
    ranking: Ranking = ()
    by_phrase: Mapping[str, Ranking] = field(default_factory=dict)
    passages: tuple[Passage, ...] = ()
    triples: tuple[Triple, ...] = ()
    scope: Scope | None = None

    @property
    def positions(self) -> tuple[int, ...]:
        """Where the hits stand in their store: ``within`` of a search that is to stay among them."""
        return tuple(hit.id for hit in self.ranking)

    @property
    def texts(self) -> tuple[str, ...]:
        """The passages, or the sentences of the triples."""
        return (*(passage.text for passage in self.passages), *(triple.text for triple in self.triples))

    def joined(self, other: Retrieved) -> Retrieved:
        """Both: what ``other`` found comes after what was found here, and nothing stands twice."""
        known = {hit.id for hit in self.ranking}
        new = [i for i, hit in enumerate(other.ranking) if hit.id not in known]
        scopes = [scope for scope in (self.scope, other.scope) if scope is not None]
        return Retrieved(
            self.kind,
            (*self.ranking, *(other.ranking[i] for i in new)),
            {**other.by_phrase, **self.by_phrase},
            (*self.passages, *(other.passages[i] for i in new if other.passages)),
            (*self.triples, *(other.triples[i] for i in new if other.triples)),
            scopes[0].joined(scopes[-1]) if scopes else None,
        )


class Retriever:
    """Searches the store that a graph's provenance selects. ``notices`` say what is lacking. Thread-safe.

    ``index`` holds the texts, ``ways`` ranks them, by default the index itself; ``place`` says where, if elsewhere.
    """

    def __init__(
        self,
        index: PassageIndex | TripleIndex,
        *,
        home: PassageHome | None = None,
        ways: Ways | None = None,
        settings: SearchSettings | None = None,
        place: str = "",
        notices: Sequence[str] = (),
    ):
        self.index = index
        self.place = place
        self.kind: Kind = "passages" if isinstance(index, PassageIndex) else "triples"
        self._home = home
        self._ways: Ways = ways or index.ways
        self._settings = settings or SearchSettings()
        self._notices = tuple(notices)

    @property
    def notices(self) -> tuple[str, ...]:
        """Sentences for the user about what is lacking."""
        return tuple(dict.fromkeys((*self.index.notices, *self._notices)))

    def retrieve(
        self, question: str, phrases: Sequence[str] = (), k: int = 10, *, within: Collection[int] | None = None
    ) -> Retrieved:
        """The ``k`` best for the question and its phrases together; where ``within`` is given, only of these.

        Each is searched by wording and by meaning, and all these rankings are fused. The same wording counts once.
        """
        texts = [text for text in dict.fromkeys(map(str.strip, (question, *phrases))) if text]
        found = {text: both_ways(self._ways, text, k, self._settings, within=within) for text in texts}
        by_phrase = {text: fused([both], k, self._settings) for text, both in found.items()}
        return self._found(fused(found.values(), k, self._settings), by_phrase)

    def _found(self, ranking: Ranking, by_phrase: Mapping[str, Ranking]) -> Retrieved:
        places = [hit.id for hit in ranking]
        if isinstance(self.index, TripleIndex):
            return Retrieved("triples", ranking, by_phrase, triples=tuple(self.index.triples(places)))
        passages = tuple(self.index.passages(places))
        return Retrieved("passages", ranking, by_phrase, passages, scope=self._scope(passages))

    def _scope(self, passages: Sequence[Passage]) -> Scope | None:
        if self._home is None:
            return None
        keys = tuple(passage.key for passage in passages if passage.key is not None)
        return Scope(self._home, keys, tuple(passage.element_id for passage in passages))


def open_retriever(
    graph: Graph,
    schema: Schema,
    settings: Settings | None = None,
    *,
    passages: PassageIndex | None = None,
    refresh: bool = False,
    progress: Report | None = None,
) -> Retriever | None:
    """The retriever of a graph, its index stored or built now; ``passages`` is their index where it is open already.

    ``None`` where there is nothing to search: no passages, and no edges or a ``search.max_triples`` of 0. Raises what
    the graph raises; :class:`~arcgraph.errors.MissingExtra`, :class:`~arcgraph.errors.ConnectError` or
    :class:`~arcgraph.errors.StorageError` for a store or an embedder that was asked for and cannot be had.
    """
    settings = settings or Settings.load()
    index: PassageIndex | TripleIndex | None = passages or open_or_build_passages(
        graph, schema, settings, refresh=refresh, progress=progress
    )
    if index is None or not len(index):
        index = open_or_build_triples(graph, schema, settings, refresh=refresh, progress=progress)
    if index is None:
        return None
    home = schema.passages if isinstance(index, PassageIndex) else None
    stored = ways_of(index, graph, settings, progress, refresh=refresh)
    return Retriever(
        index, home=home, ways=stored.ways, settings=settings.search, place=stored.place, notices=stored.notices
    )
