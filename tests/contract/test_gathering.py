"""Evidence in two steps over edges, on graphs that lead to passages by lists on their edges or by edges alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from graphs import EdgeSpec, NodeSpec, fill

from arcgraph import Agent, Answer, Settings, Status
from arcgraph.interpret.anchors import find_candidates
from arcgraph.interpret.gather import Gathered, Gatherer
from arcgraph.interpret.question import read_question
from arcgraph.search.passages import PassageIndex

# Each passage with the facts that were taken from it. Nothing in the second says "cutter" or "Nightjar".
NOTES: list[tuple[str, list[tuple[str, str, str]]]] = [
    (
        "The Nightjar is a pilot cutter of the northern fleet. Orla Quist drew her lines in the long winter.",
        [("Orla Quist", "DREW", "Nightjar"), ("Nightjar", "BELONGS_TO", "Northern Fleet")],
    ),
    (
        "Orla Quist was the youngest of nine. Her early years she spent in Kelling, behind the ropewalk of her uncle.",
        [("Orla Quist", "GREW_UP_IN", "Kelling")],
    ),
    (
        "Bo Tarn held the lease of the salt pans for thirty years and grew old among them with his two brothers.",
        [("Bo Tarn", "LEASED", "Salt Pans")],
    ),
]
ENTRY = " The entry stands in the book of the harbour office."
OTHERS = ["Amber Gull", "Slow Heron", "Grey Tern", "Tall Crane", "Red Knot", "Dunlin", "Sanderling", "Plover"]
NOTES += [
    (
        f"The {name} is a cutter that was drawn by nobody known, in a town that nobody knows: number {i} of the list.",
        [(name, "BELONGS_TO", f"Owner {i}")],
    )
    for i, name in enumerate(OTHERS * 3)
]
NOTES = [(text + ENTRY, facts) for text, facts in NOTES]
QUESTION = "In which town did the one who drew the cutter Nightjar grow up?"


def notes(form: str) -> tuple[list[NodeSpec], list[EdgeSpec]]:
    facts = [fact for _, facts in NOTES for fact in facts]
    names = list(dict.fromkeys(end for a, _, b in facts for end in (a, b)))
    nodes: list[NodeSpec] = [(name, "Entity", {"name": name}) for name in names]
    nodes += [(f"c{i}", "Chunk", {"id": f"c{i}", "text": text}) for i, (text, _) in enumerate(NOTES)]
    edges: list[EdgeSpec] = []
    for i, (_, own) in enumerate(NOTES):
        listed = {"chunk_ids": [f"c{i}"]} if form == "lists" else {}
        edges += [(a, relation, b, listed) for a, relation, b in own]
        if form == "mentions":
            edges += [(end, "TOLD_IN", f"c{i}") for end in dict.fromkeys(e for a, _, b in own for e in (a, b))]
    return nodes, edges


@pytest.fixture(params=["lists", "mentions"])
def told(request: pytest.FixtureRequest, graph: Any, tmp_path: Path) -> Any:
    fill(graph, tmp_path, *notes(request.param))
    schema = graph.schema(refresh=True)
    assert (schema.passages.edge_key is not None) == (request.param == "lists")
    assert bool(schema.passages.mention_types) == (request.param == "mentions")
    return graph


def gatherer(agent: Agent) -> Gatherer:
    agent.prepare()
    found = agent._ready().gatherer
    assert found is not None
    return found


def gathered(agent: Agent, question: str, **most: int) -> tuple[Gathered, list[str]]:
    """The evidence, and the ids of its passages."""
    ready, by = agent._ready(), gatherer(agent)
    candidates = find_candidates(question, ready.index, ready.reader._interfaces.vocabulary)
    found = by.gather(read_question(question), candidates, **most)
    return found, [p.id for p in by.passages(found.passages)]


def texts_alone(agent: Agent, question: str, k: int) -> list[str]:
    index: PassageIndex = gatherer(agent)._passages
    return [p.id for p in index.passages([hit.id for hit in index.search(question, k)])]


def test_a_passage_over_a_bridge_stands_among_the_first(told: Any, settings: Settings) -> None:
    agent = Agent(told, settings=settings)
    # No word of the question stands in the passage; 24 others read more like it.
    assert "c1" not in texts_alone(agent, QUESTION, 20)
    _, passages = gathered(agent, QUESTION)
    assert passages[0] == "c0"
    assert "c1" in passages[:5]


def test_without_an_embedder_edges_and_words_still_lead(told: Any, settings: Settings) -> None:
    bare = Settings.load({}, cache={"dir": settings.cache.dir}, search={"embedder": "none"})
    agent = Agent(told, settings=bare)
    assert "c1" not in texts_alone(agent, QUESTION, 20)
    found, passages = gathered(agent, QUESTION)
    assert passages[0] == "c0"
    assert "c1" in passages[:8]
    assert {"DREW", "GREW_UP_IN"} <= {e.type for e in found.edges}


def test_edges_from_the_leading_passages_come_first(told: Any, settings: Settings) -> None:
    found, _ = gathered(Agent(told, settings=settings), QUESTION)
    first = [e.type for e in found.edges[:3]]
    assert {"DREW", "GREW_UP_IN"} <= set(first)
    assert not [e for e in found.edges if e.type == "TOLD_IN"]


def test_no_more_than_is_wanted(told: Any, settings: Settings) -> None:
    found, passages = gathered(Agent(told, settings=settings), QUESTION, most_edges=2, most_passages=4)
    assert len(found.edges) == 2
    assert len(passages) == 4
    ends = {end for e in found.edges for end in (e.start, e.end)}
    assert ends == set(found.nodes)


UNANSWERED = "Which poison did Orla Quist swallow?"


def unanswered(graph: Any, settings: Settings) -> Answer:
    answer = Agent(graph, settings=settings).ask(UNANSWERED)
    assert answer.status in (Status.INSUFFICIENT, Status.NO_EVIDENCE)
    return answer


def test_a_question_without_answer_carries_what_is_near(told: Any, settings: Settings) -> None:
    answer = unanswered(told, settings)
    kinds = [c.kind for c in answer.citations]
    assert kinds == sorted(kinds)  # edges first
    assert 0 < kinds.count("edge") <= 60
    assert 0 < kinds.count("passage") <= 10
    texts = [c.text for c in answer.citations]
    assert "Orla Quist -[DREW]-> Nightjar" in texts
    assert NOTES[1][0] in texts
    assert "\nNearest in the graph: " in answer.text
    assert answer.text.endswith(".")
    assert not answer.rows
    assert not answer.entities


def test_its_witness_replays_and_its_queries_can_be_pasted(told: Any, settings: Settings) -> None:
    answer = unanswered(told, settings)
    assert answer.witness.edges
    assert answer.replay(told).holds
    assert {answer.queries[c.query].reading for c in answer.citations if c.kind == "edge"} == {
        "edges around the question"
    }
    for query in answer.queries:
        assert "_arc" not in query.cypher
        assert told.run(query.cypher, query.params).records is not None
    edges = {(e.start, e.type, e.end) for e in answer.witness.edges.values()}
    shown = answer.queries[-1]
    returned = {(e.start, e.type, e.end) for e in told.run(shown.cypher, shown.params, limit=None).column("r")}
    assert edges <= returned


def test_an_answer_of_sixty_edges_and_ten_passages_at_most(graph: Any, tmp_path: Path, settings: Settings) -> None:
    nodes, edges = notes("lists")
    nodes += [(f"x{i}", "Entity", {"name": f"Stone {i}"}) for i in range(200)]
    edges += [("Orla Quist", "SAW", f"x{i}", {"chunk_ids": [f"c{i % 27}"]}) for i in range(200)]
    fill(graph, tmp_path, nodes, edges)
    answer = unanswered(graph, settings)
    kinds = [c.kind for c in answer.citations]
    assert (kinds.count("edge"), kinds.count("passage")) == (60, 10)
    assert len({c.id for c in answer.citations}) == 70


def test_a_sure_answer_needs_no_gathering(told: Any, settings: Settings) -> None:
    answer = Agent(told, settings=settings).ask("Who drew the Nightjar?")
    assert answer.status == Status.ANSWERED
    assert [c.text for c in answer.citations if c.kind == "edge"] == ["Orla Quist -[DREW]-> Nightjar"]
    assert "edges around the question" not in {q.reading for q in answer.queries}
