"""Graphs of more relations than can be told apart in advance: explored around what a question names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from graphs import Counted, fill

from arcgraph import Agent, Answer, Settings, Status
from arcgraph.graph.load import load
from arcgraph.interpret.interface import LocalInterfaces
from arcgraph.interpret.roles import MOST_DESCRIPTORS, frequent_descriptors

# Each of these relations is rarer than any of the 130 others.
RARE = """Nightjar|was drawn by|Orla Quist
Orla Quist|learned her trade from|Bo Tarn
Bo Tarn|grew up in|Kelling
Amber Gull|is moored at|Port Ys
Nightjar|moored at|Port Ys
Slow Heron|moored at|Kelling
"""
SYLLABLES = ("ba", "do", "ki", "lu", "me", "no", "ri", "su", "ta", "ve", "wo", "zu")
FILLERS = [a + b for a in SYLLABLES for b in SYLLABLES][:130]
FILLING = "".join(f"Stone {i}{k}|{filler}|Stone {i + 1}{k}\n" for i, filler in enumerate(FILLERS) for k in "abc")


@pytest.fixture(params=["types", "property"])
def open_graph(request: pytest.FixtureRequest, graph: Any, tmp_path: Path) -> Any:
    file = tmp_path / "triples.txt"
    file.write_text(RARE + FILLING)
    load([file], graph, relations=request.param)
    return graph


@pytest.fixture
def agent(open_graph: Any, settings: Settings) -> Agent:
    return Agent(open_graph, settings=settings)


def names(answer: Answer) -> set[str]:
    return {e.name for e in answer.entities}


def test_the_relations_asked_for_are_not_among_the_frequent_ones(open_graph: Any) -> None:
    frequent = {d.text for d in frequent_descriptors(open_graph, open_graph.schema())}
    assert len(frequent) == MOST_DESCRIPTORS
    assert not frequent & {line.split("|")[1] for line in RARE.splitlines()}


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Who drew the Nightjar?", {"Orla Quist"}),
        ("What was drawn by Orla Quist?", {"Nightjar"}),
        ("Where did Bo Tarn grow up?", {"Kelling"}),
        ("From whom did the one who drew the Nightjar learn the trade?", {"Bo Tarn"}),
        ("Where did the one grow up from whom the one who drew the Nightjar learned the trade?", {"Kelling"}),
        ("What is moored at Port Ys?", {"Amber Gull", "Nightjar"}),
    ],
)
def test_rare_relations_are_found_around_the_anchor(
    agent: Agent, open_graph: Any, question: str, expected: set[str]
) -> None:
    answer = agent.ask(question)
    assert (answer.status, names(answer)) == (Status.ANSWERED, expected)
    assert answer.replay(open_graph).holds
    for query in answer.queries:
        assert len(open_graph.run(query.cypher, query.params)) == query.attempts[-1].rows


def test_relations_of_one_meaning_are_asked_for_together(agent: Agent, open_graph: Any) -> None:
    query = agent.ask("What is moored at Port Ys?").queries[0]
    both = {"moored at", "is moored at"}
    if open_graph.schema().relations.kind == "types":
        assert all(f"`{relation}`" in query.cypher for relation in both)
    else:
        assert both in [set(v) for v in query.params.values() if isinstance(v, list)]


def test_the_names_of_relations_that_nobody_asked_for_answer_nothing(agent: Agent) -> None:
    answer = agent.ask("Which poison killed Orla Quist?")
    assert answer.status in (Status.INSUFFICIENT, Status.NO_EVIDENCE)
    assert not answer.rows


def test_a_hub_costs_no_more_than_its_budget(graph: Any, tmp_path: Path, settings: Settings) -> None:
    nodes = [(f"s{i}", "Thing", {"name": f"Gull {i}"}) for i in range(20_000)]
    nodes += [("h", "Thing", {"name": "Port Ys"}), ("p", "Thing", {"name": "Orla Quist"})]
    nodes += [("o", "Thing", {"name": "Bo Tarn"})]
    nodes += [(f"f{i}", "Thing", {"name": f"Stone {i}"}) for i in range(131)]
    edges = [(f"s{i}", "MOORED_AT", "h") for i in range(20_000)]
    edges += [(f"f{i}", f"{filler}_to".upper(), f"f{i + 1}") for i, filler in enumerate(FILLERS)]
    # The last of the edges to be loaded, one into the hub and one out of it.
    edges += [("p", "RULES", "h"), ("h", "NAMED_AFTER", "o")]
    fill(graph, tmp_path, nodes, edges)
    counted = Counted(graph)
    agent = Agent(counted, settings=settings)
    agent.prepare()
    agent._ready()
    counted.reset()
    answer = agent.ask("Who rules Port Ys?")
    # A look shows 4,000 of the 20,000 edges, and the next what they were not.
    assert counted.queries <= 12
    assert counted.rows <= 5_000
    assert names(answer) == {"Orla Quist"}
    assert names(agent.ask("After whom is Port Ys named?")) == {"Bo Tarn"}
    assert isinstance(agent._ready().reader._interfaces, LocalInterfaces)


def test_nodes_are_preferred_that_are_what_is_asked_for(graph: Any, tmp_path: Path, settings: Settings) -> None:
    triples = [
        ("Orm", "/geo/river/flows_past", "Ys"),
        ("Ald", "/geo/river/flows_past", "Ys"),
        ("Orm", "/geo/river/spring", "Hollow Fell"),
        ("Ald", "/geo/river/spring", "Hollow Fell"),
        ("North Line", "/rail/railway/goes_past", "Ys"),
        ("North Line", "/rail/railway/gauge", "Wide Gauge"),
        *((f"Stone {i}", f"/{filler}/thing/{filler}", f"Stone {i + 1}") for i, filler in enumerate(FILLERS)),
    ]
    file = tmp_path / "triples.txt"
    file.write_text("".join(f"{a}|{r}|{b}\n" for a, r, b in triples))
    load([file], graph, relations="types")
    agent = Agent(graph, settings=settings)
    assert names(agent.ask("Which rivers pass Ys?")) == {"Orm", "Ald"}
    assert names(agent.ask("Which railways pass Ys?")) == {"North Line"}


def test_passages_are_no_step_of_a_path(graph: Any, tmp_path: Path, settings: Settings) -> None:
    text = "The Nightjar, a pilot cutter of the northern fleet, was drawn in the winter before the move to Port Ys. "
    nodes: list[Any] = [("n", "Thing", {"name": "Nightjar"}), ("o", "Thing", {"name": "Orla Quist"})]
    nodes += [(f"f{i}", "Thing", {"name": f"Stone {i}"}) for i in range(131)]
    nodes += [(f"c{i}", "Chunk", {"text": f"{i} {text * 3}"}) for i in range(6)]
    edges = [(f"f{i}", f"{filler}_to".upper(), f"f{i + 1}") for i, filler in enumerate(FILLERS)]
    edges += [(f"c{i}", "TOLD_OF", one) for i in range(6) for one in ("n", "o")]
    fill(graph, tmp_path, nodes, [*edges, ("o", "DREW", "n")])
    assert graph.schema(refresh=True).passages.mention_types == ("TOLD_OF",)
    agent = Agent(graph, settings=settings)
    assert agent._ready().reader.explores
    answer = agent.ask("What was told of the Nightjar?")
    assert not {e.name for e in answer.entities}
    readings = agent._ready().reader.read("Who drew the Nightjar?").readings
    assert readings
    assert not [r for r in readings if "told of" in r.words()]
    assert names(agent.ask("Who drew the Nightjar?")) == {"Orla Quist"}
