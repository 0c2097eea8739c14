"""Real graphs that nobody tuned for: they load, and plain questions get the answers that a query by hand gives."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arcgraph import Agent, Settings
from arcgraph.graph.load import load

QUESTIONS = {
    "movies": [
        ("Who directed The Matrix?", "MATCH (p:Person)-[:DIRECTED]->(:Movie {title: 'The Matrix'}) RETURN p.name"),
        (
            "Who acted in movies directed by Ron Howard?",
            "MATCH (p:Person)-[:ACTED_IN]->()<-[:DIRECTED]-(d:Person {name: 'Ron Howard'}) RETURN p.name",
        ),
        (
            "Who follows Jessica Thompson?",
            "MATCH (p:Person)-[:FOLLOWS]->(:Person {name: 'Jessica Thompson'}) RETURN p.name",
        ),
    ],
    "northwind": [
        (
            "Which products does Exotic Liquids supply?",
            "MATCH (:Supplier {companyName: 'Exotic Liquids'})-[:SUPPLIES]->(p) RETURN p.productName",
        ),
        (
            "Which category is Chai part of?",
            "MATCH (:Product {productName: 'Chai'})-[:PART_OF]->(c) RETURN c.categoryName",
        ),
        (
            "Which customers purchased orders with Chai?",
            "MATCH (c:Customer)-[:PURCHASED]->()-[:ORDERS]->(:Product {productName: 'Chai'}) RETURN c.companyName",
        ),
    ],
    "gdsc": [
        ("Which house does Jon Snow belong to?", "MATCH (:Person {name: 'Jon Snow'})-[:BELONGS_TO]->(h) RETURN h.name"),
        (
            "In which book did Arya Stark appear?",
            "MATCH (:Person {name: 'Arya Stark'})-[:APPEARED_IN]->(b) RETURN b.name",
        ),
        (
            "Who was the attacker commander in the Battle of Riverrun?",
            "MATCH (p)-[:ATTACKER_COMMANDER]->(:Battle {name: 'Battle of Riverrun'}) RETURN p.name",
        ),
    ],
}
NODES = {"movies": (171, 253), "northwind": (1035, 3139), "gdsc": (2641, 16747)}


@pytest.mark.data
@pytest.mark.parametrize("name", QUESTIONS)
def test_load_and_answer(name: str, graph: Any, shared_data: Callable[[str], Path], settings: Settings) -> None:
    folder = shared_data(f"graphs/{name}")
    report = load([folder / "nodes.jsonl.gz", folder / "rels.jsonl.gz"], graph)
    assert (report.nodes, report.relationships, report.rejected) == (*NODES[name], 0)
    agent = Agent(graph, settings=settings)
    for question, cypher in QUESTIONS[name]:
        expected = {row[0] for row in graph.run(cypher)}
        assert expected, cypher
        assert {e.name for e in agent.ask(question).entities} == expected, question
