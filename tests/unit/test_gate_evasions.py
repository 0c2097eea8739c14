"""The corpus of evasions: every entry that did harm where nothing held it is refused, and what stops it is known.

What each entry did was recorded by running it (``tests/evasion_probe.py``), and ``tests/live`` repeats that.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from evasion_probe import PARAMETERS, corpus, did_harm, harms

from arcgraph.errors import QueryError, Refused
from arcgraph.graph.embedded import EmbeddedGraph
from arcgraph.graph.guard import check

ENTRIES = corpus()
HARMFUL = [entry for entry in ENTRIES if harms(entry)]
WRITES = {"changes data", "changes the schema"}
DOC = Path(__file__).parents[2] / "docs" / "gate.md"


def held_by_explain(entry: dict[str, Any]) -> bool:
    """Whether Neo4j, asked to EXPLAIN, plans more than a read, or refuses."""
    return bool(entry["neo4j"]["explain"] != "r")


def held_by_read_access(entry: dict[str, Any], engine: str) -> bool:
    return not did_harm(entry[engine]["read"])


def test_the_corpus_is_worth_its_name() -> None:
    assert len(HARMFUL) >= 200
    assert len({entry["query"] for entry in HARMFUL}) == len(HARMFUL)
    assert {entry["family"] for entry in HARMFUL} == {entry["family"] for entry in ENTRIES}
    effects = {effect for entry in HARMFUL for effect in entry["neo4j"]["alone"]}
    assert effects >= WRITES | {"reads a file", "writes a file", "opens a connection", "ends another's work"}


@pytest.mark.parametrize("entry", HARMFUL, ids=[entry["id"] for entry in HARMFUL])
def test_nothing_harmful_passes(entry: dict[str, Any]) -> None:
    verdict = check(entry["query"])
    assert not verdict.accepted
    assert verdict.reasons[0].message


def test_what_passes_did_nothing() -> None:
    passed = [entry for entry in ENTRIES if check(entry["query"]).accepted]
    assert [entry for entry in passed if entry["neo4j"]["alone"] != ["nothing"]] == []


def test_every_write_is_held_by_two_more_layers_on_neo4j() -> None:
    writes = [entry for entry in HARMFUL if WRITES & set(entry["neo4j"]["alone"])]
    assert len(writes) > 200
    assert [entry["query"] for entry in writes if not held_by_explain(entry)] == []
    assert [entry["query"] for entry in writes if not held_by_read_access(entry, "neo4j")] == []


def test_every_write_is_held_by_the_file_on_the_embedded_engine() -> None:
    writes = [entry for entry in HARMFUL if "changes data" in entry["embedded"]["alone"]]
    assert len(writes) > 100
    assert [entry["query"] for entry in writes if not held_by_read_access(entry, "embedded")] == []


class Ungated(EmbeddedGraph):
    """A graph whose gate is switched off: the engine's own plan is what is left before the file."""

    def _admit(self, query: str) -> str:
        return query


def refused_by_plan(graph: EmbeddedGraph, query: str) -> bool:
    """Whether EXPLAIN shows a step that does more than read, or does not plan the query at all."""
    try:
        return not graph.explain(query, {**PARAMETERS, "csv": "file:///none.csv"}).reads_only
    except QueryError:
        return True


@pytest.mark.parametrize("write", [True, False], ids=["writer", "reader"])
def test_the_plan_of_the_embedded_engine_shows_every_harm(write: bool, tmp_path: Path) -> None:
    path = tmp_path / "g.arc"
    with EmbeddedGraph(path, create=True) as graph:
        graph.write("CREATE (:P {k: 1})-[:R]->(:Q)")
    with Ungated(path, write=write) as graph:
        assert not refused_by_plan(graph, "MATCH (n) RETURN n")
        harmful = [entry["query"] for entry in HARMFUL if did_harm(entry["embedded"]["alone"])]
        assert any("UNION" in query for query in harmful)
        assert [query for query in harmful if not refused_by_plan(graph, query)] == []


@pytest.mark.parametrize(
    "query",
    [
        "MATCH (n) RETURN n.k AS k UNION MATCH (m:P) SET m.k = 9 RETURN m.k AS k",
        "MATCH (n) RETURN n.k AS k union all CREATE (m:X) RETURN m.k AS k",
        "RETURN 1 AS k UNION ALL RETURN 2 AS k UNION ALL MATCH (m:P) DETACH DELETE m RETURN 3 AS k",
        "RETURN 'UNION' AS k UNION\n MERGE (m:X {k: 1}) RETURN m.k AS k",
        "RETURN 1 AS k UNION LOAD CSV FROM 'file:///none.csv' AS l RETURN l AS k",
        "MATCH (n) RETURN n.union UNION MATCH (m:P) SET m.k = 9 RETURN m.union",
        "RETURN size([1, 2]) AS k UNION MATCH (m:P) WHERE m.k IN [1] SET m:X RETURN 1 AS k",
    ],
)
def test_every_part_of_a_union_is_planned(query: str, tmp_path: Path) -> None:
    path = tmp_path / "g.arc"
    with EmbeddedGraph(path, create=True) as graph:
        graph.write("CREATE (:P {k: 1})-[:R]->(:Q)")
    with Ungated(path, write=True) as graph:
        with pytest.raises(Refused, match="plans more than a read"):
            graph.run(query)
        assert graph.explain("MATCH (n) RETURN n.union AS k UNION ALL RETURN 'a UNION SET' AS k").reads_only
        assert graph.explain("CALL { RETURN 1 AS k UNION RETURN 2 AS k } RETURN k UNION RETURN $x AS k", {"x": 1})
        assert graph.read("MATCH (n:P) RETURN n.k AS k").records == [(1,)]


def test_the_docs_say_what_only_the_gate_stops() -> None:
    only = [e for e in HARMFUL if did_harm(e["neo4j"]["alone"]) and e["neo4j"]["explain"] == "r"]
    only = [entry for entry in only if not held_by_read_access(entry, "neo4j")]
    assert only
    text = " ".join(DOC.read_text(encoding="utf-8").split())
    assert f"{len(HARMFUL)} of the {len(ENTRIES)} entries did harm" in text
    assert f"{len(only)} are stopped by the gate alone" in text
    for effect in {effect for entry in only for effect in entry["neo4j"]["read"]}:
        assert re.search(rf"\b{effect}", text), effect
