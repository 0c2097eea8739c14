"""A question costs what is looked at, however large the graph: hubs, and vocabularies of thousands of relations.

Work is counted in queries and rows. Set ARCGRAPH_TEST_SLOW=1 for the full sizes.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from graphs import Counted, EdgeSpec, NodeSpec, fill

from arcgraph import Agent, Answer, Settings, connect
from arcgraph.graph.load import load
from arcgraph.interpret.interface import LocalInterfaces

SLOW = os.environ.get("ARCGRAPH_TEST_SLOW") == "1"
RELATIONS = 13_000 if SLOW else 3_000
HUB = 100_000 if SLOW else 20_000


@pytest.fixture
def embedded(tmp_path: Path, settings: Settings) -> Iterator[Any]:
    with connect(str(tmp_path / "g.arc"), create=True, settings=settings) as graph:
        yield graph


def asked(graph: Any, settings: Settings, question: str) -> tuple[Answer, Counted]:
    """The answer, and what it cost beyond preparing."""
    counted = Counted(graph)
    agent = Agent(counted, settings=settings)  # type: ignore[arg-type]
    assert isinstance(agent._ready().reader._interfaces, LocalInterfaces)
    counted.reset()
    return agent.ask(question), counted


def names(answer: Answer) -> set[str]:
    return {e.name for e in answer.entities}


SYLLABLES = ("ba", "do", "ki", "lu", "me", "no", "ri", "su", "ta", "ve")


def made_up(i: int) -> str:
    """A word of five syllables."""
    return "".join(SYLLABLES[int(digit)] for digit in f"{i:05}")


def test_thousands_of_relations_cost_what_lies_around_the_anchor(
    embedded: Any, tmp_path: Path, settings: Settings
) -> None:
    triples = [("Nightjar", "was drawn by", "Orla Quist"), ("Orla Quist", "grew up in", "Kelling")]
    triples += [(f"Stone {i} of {k}", made_up(i), f"Stone {i + 1} of {k}") for i in range(RELATIONS) for k in "abc"]
    # The part of the graph that is looked at has relations of its own.
    triples += [("Nightjar", made_up(i), f"Stone {i} of a") for i in range(20)]
    file = tmp_path / "triples.txt"
    file.write_text("".join(f"{a}|{r}|{b}\n" for a, r, b in triples))
    load([file], embedded, relations="property")
    answer, counted = asked(embedded, settings, "Where did the one who drew the Nightjar grow up?")
    assert names(answer) == {"Kelling"}
    # Two queries for each of three levels and the ends, the readings that are run, and the evidence.
    assert counted.queries <= 12
    assert counted.rows <= 200


def test_a_hub_costs_its_share_and_hides_nothing(embedded: Any, tmp_path: Path, settings: Settings) -> None:
    nodes: list[NodeSpec] = [(f"s{i}", "Thing", {"name": f"Gull {i}"}) for i in range(HUB)]
    called = {
        "h": "Port Ys",
        "q": "Quay House",
        "w": "West Pier",
        "v": "Ines Vael",
        "o": "Orla Quist",
        "b": "Bo Tarn",
        "n": "Nightjar",
    }
    nodes += [(i, "Thing", {"name": name}) for i, name in called.items()]
    nodes += [(f"f{i}", "Thing", {"name": f"Stone {i}"}) for i in range(131)]
    edges: list[EdgeSpec] = [("h", "RULED_BY", "o"), ("q", "NAMED_AFTER", "b"), ("w", "GUARDED_BY", "v")]
    edges += [("h", "SHELTERS", f"s{i}") for i in range(HUB)]
    edges += [(f"f{i}", f"{made_up(i)}_to".upper(), f"f{i + 1}") for i in range(130)]
    edges += [("n", "BERTHED_AT", berth) for berth in ("q", "h", "w")]
    fill(embedded, tmp_path, nodes, edges)
    # From the hub itself an edge as rare as can be; a look shows 4,000 edges, and the next what they were not.
    answer, counted = asked(embedded, settings, "By whom is Port Ys ruled?")
    assert names(answer) == {"Orla Quist"}
    assert counted.queries <= 12
    assert counted.rows <= 5_000
    # And edges of nodes that are looked at together with the hub, whichever the engine begins with.
    for question, expected in (
        ("After whom is the berth of the Nightjar named?", "Bo Tarn"),
        ("Who guarded the berth of the Nightjar?", "Ines Vael"),
    ):
        answer, counted = asked(embedded, settings, question)
        assert names(answer) == {expected}
        assert counted.queries <= 12
        assert counted.rows <= 5_000
