"""Which texts are names, and reading them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import pytest

from arcgraph.domain import (
    RESERVED_LABEL,
    Count,
    LabelInfo,
    Omitted,
    PassageHome,
    PropertyInfo,
    Rows,
    Schema,
)
from arcgraph.graph.names import stored_key
from arcgraph.search.base import Entry
from arcgraph.search.collect import Collector, Estimate, Source, is_alias_key, sources
from arcgraph.settings import SearchSettings


def label(name: str, /, *, naming=None, identifying=None, count=10, **types: str) -> LabelInfo:
    properties = {key: PropertyInfo(key, {kind: 5}, 5, Count(count), Count(count)) for key, kind in types.items()}
    return LabelInfo(name, Count(count), properties, naming, identifying)


def schema(*labels: LabelInfo, passages: PassageHome | None = None) -> Schema:
    return Schema({info.name: info for info in labels}, {}, (), passages=passages, fingerprint="1")


class NodesGraph:
    """Nodes in memory that answer the collector's query; keys are stored as its dialect stores them."""

    name = "nodes"

    def __init__(self, *nodes: tuple[str, Any, tuple[str, ...], Mapping[str, Any]], dialect: str = "neo4j"):
        self.nodes = nodes
        self.dialect = dialect
        self.queries: list[str] = []

    def read(self, query, params=None, *, timeout=0.0, limit=None) -> Rows:
        assert timeout > 10
        assert limit is None
        self.queries.append(query)
        wanted = re.search(r"MATCH \(n:`((?:[^`]|``)*)`\)", query)
        keys = re.findall(r"n\.`([^`]+)` AS c\d", query)
        stored = stored_key if self.dialect == "embedded" else str
        records = [
            (element_id, given, list(labels), *({stored(k): v for k, v in properties.items()}.get(k) for k in keys))
            for element_id, given, labels, properties in self.nodes
            if (wanted[1].replace("``", "`") in labels if wanted else not set(labels) - {RESERVED_LABEL})
        ]
        return Rows(("element", "id", "labels", *keys), records[params["skip"] :][: params["most"]])


def collect(graph: NodesGraph, known: Schema, settings: SearchSettings | None = None, **options: Any) -> list[Entry]:
    settings = settings or SearchSettings()
    collector = Collector(graph, known, sources(known, settings), settings.max_entries, **options)
    return [entry for batch in collector.batches() for entry in batch]


# --- what is a name ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "key", ["alias", "aliases", "aka", "AKA", "alsoKnownAs", "also_known_as", "synonyms", "alternativeName", "altLabel"]
)
def test_alias_keys(key):
    assert is_alias_key(key)


@pytest.mark.parametrize("key", ["name", "salary", "known", "alsoBought", "makaron", "altitude", "alternator", "alt"])
def test_other_keys(key):
    assert not is_alias_key(key)


def test_naming_identifying_and_aliases_of_a_label():
    known = schema(
        label("Person", naming="name", name="string", aliases="list", alias_count="integer", born="integer"),
        label("Order", identifying="orderID", orderID="integer"),
        label("Link"),
    )
    assert sources(known, SearchSettings()) == [
        Source("Order", None, "orderID", (), 10),
        Source("Person", "name", None, ("aliases",), 10),
    ]


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, {"Film": ("title", "imdb"), "Person": ("name",)}),
        ({"include_labels": ("Film",)}, {"Film": ("title", "imdb")}),
        ({"exclude_labels": ("Film",)}, {"Person": ("name",)}),
        ({"include_properties": ("tagline",)}, {"Film": ("title", "imdb", "tagline"), "Person": ("name",)}),
        ({"include_properties": ("Person.email",)}, {"Film": ("title", "imdb"), "Person": ("name", "email")}),
        ({"exclude_properties": ("Film.imdb", "name")}, {"Film": ("title",)}),
        ({"include_labels": ("Chunk",)}, {"Chunk": ("id",)}),
    ],
)
def test_what_is_included_and_excluded(settings, expected):
    known = schema(
        label("Film", naming="title", identifying="imdb", title="string", imdb="string", tagline="string"),
        label("Person", naming="name", name="string", email="string"),
        label("Chunk", identifying="id", id="string", text="text"),
        passages=PassageHome("Chunk", "text", "id"),
    )
    assert {s.label: s.keys for s in sources(known, SearchSettings(**settings))} == expected


def test_the_estimate_counts_aliases_and_respects_the_limit():
    found = [Source("A", "name", None, ("alias",), 1000), Source("B", None, "id", (), 500)]
    assert Estimate.of(found, SearchSettings(), 256).entries == 2 * 1000 + 500
    cut = Estimate.of(found, SearchSettings(max_entries=10), 0)
    assert cut.entries == 10
    assert "about 10 names" in str(cut)
    assert str(Estimate(2_000_000, 480_000_000)) == "about 2,000,000 names, 480 MB on disk"


# --- reading -----------------------------------------------------------------------------------------------------


def test_entries_carry_everything_a_caller_needs():
    graph = NodesGraph(
        ("4:x:0", "n0", ("Person", RESERVED_LABEL), {"name": "Ada", "aliases": ["Countess", "Ada", ""]}),
        ("4:x:1", None, ("Person",), {"name": "Bo"}),
    )
    known = schema(label("Person", naming="name", name="string", aliases="list"))
    assert collect(graph, known) == [
        Entry("4:x:0", "n0", ("Person",), "name", "Ada"),
        Entry("4:x:0", "n0", ("Person",), "aliases", "Countess", alias=True),
        Entry("4:x:0", "n0", ("Person",), "aliases", "Ada", alias=True),
        Entry("4:x:1", "4:x:1", ("Person",), "name", "Bo"),
    ]


def test_the_embedded_engine_is_asked_by_its_stored_keys():
    graph = NodesGraph(("0", "a", ("Film",), {"title": "Heat"}), dialect="embedded")
    assert [e.text for e in collect(graph, schema(label("Film", naming="title", title="string")))] == ["Heat"]
    assert "n.`_arc_title`" in graph.queries[0]


def test_labels_and_keys_of_any_spelling_are_quoted():
    graph = NodesGraph(("0", "a", ("Tool` Set",), {"has name": "Hammer"}))
    known = schema(label("Tool` Set", naming="has name", **{"has name": "string"}))
    assert [e.text for e in collect(graph, known)] == ["Hammer"]
    assert "(n:`Tool`` Set`)" in graph.queries[0]


def test_a_node_with_several_labels_gives_each_text_once():
    graph = NodesGraph(
        ("0", "a", ("Actor", "Person"), {"name": "Ada", "stage": "Ace"}),
        ("1", "b", ("Person",), {"name": "Bo"}),
    )
    known = schema(label("Actor", naming="stage", name="string"), label("Person", naming="name", name="string"))
    assert [(e.id, e.text) for e in collect(graph, known)] == [("a", "Ace"), ("a", "Ada"), ("b", "Bo")]


def test_what_identifies_a_node_is_read_where_nothing_names_it():
    graph = NodesGraph(
        ("0", "a", ("Customer",), {"company": "Acme", "id": "AC"}),
        ("1", "b", ("Customer",), {"id": "BO"}),
        ("2", "c", ("Customer",), {"company": "  ", "id": 17}),
        ("3", "d", ("Customer", "Member"), {"number": 4, "company": "Delta"}),
        ("4", "e", ("Member",), {"number": 5.0}),
        ("5", "f", ("Member",), {"number": None}),
    )
    known = schema(
        label("Customer", naming="company", identifying="id", company="string", id="string"),
        label("Member", identifying="number", number="integer"),
    )
    assert [(e.id, e.text) for e in collect(graph, known)] == [
        ("a", "Acme"),
        ("b", "BO"),
        ("c", "17"),
        ("d", "Delta"),
        ("e", "5"),
    ]


def test_nodes_without_a_label_and_values_that_are_no_names():
    graph = NodesGraph(
        ("0", "a", (), {"name": "Bare"}),
        ("1", "b", (RESERVED_LABEL,), {"name": "Hidden label"}),
        ("2", "c", (), {"name": True}),
        ("3", "d", (), {"name": Omitted("text", 99999)}),
        ("4", "e", ("Other",), {"name": "Labelled"}),
    )
    known = schema(label("", naming="name", name="string"))
    assert [(e.text, e.labels) for e in collect(graph, known)] == [("Bare", ()), ("Hidden label", ())]


def test_reading_in_batches_loses_nothing_and_stops_at_the_limit():
    graph = NodesGraph(*((str(i), str(i), ("A",), {"name": f"n{i}"}) for i in range(25)))
    known = schema(label("A", naming="name", name="string"))
    assert [e.text for e in collect(graph, known, batch=10)] == [f"n{i}" for i in range(25)]
    assert len(graph.queries) == 3
    settings = SearchSettings(max_entries=12)
    collector = Collector(graph, known, sources(known, settings), settings.max_entries, batch=10)
    assert sum(len(batch) for batch in collector.batches()) == 12
    assert collector.cut
