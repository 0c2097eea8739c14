"""Graphs whose labels say nothing: bare triples, and relations kept in a property."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from arcgraph import Agent, Settings
from arcgraph.graph.load import load
from arcgraph.graph.pattern import Descriptor, Direction
from arcgraph.interpret.paths import enumerate_paths
from arcgraph.interpret.roles import RoleMoves, movement, read_roles

TRIPLES = """Nightjar|designed_by|Orla Quist
Amber Gull|designed_by|Orla Quist
Slow Heron|designed_by|Bo Tarn
Nightjar|moored_at|Port Ys
Amber Gull|moored_at|Port Ys
Slow Heron|moored_at|Kelling
Orla Quist|born_in|Kelling
Bo Tarn|born_in|Port Ys
Orla Quist|mentor_of|Bo Tarn
Bo Tarn|mentor_of|Ines Vael
Ines Vael|born_in|Kelling
"""


@pytest.fixture(params=["types", "property"])
def bare(request: pytest.FixtureRequest, graph: Any, tmp_path: Path) -> Any:
    file = tmp_path / "triples.txt"
    file.write_text(TRIPLES)
    load([file], graph, relations=request.param)
    return graph


def descriptor(graph: Any, relation: str) -> Descriptor:
    home = graph.schema().relations
    return Descriptor("RELATED", "predicate", relation) if home.kind == "property" else Descriptor(relation)


def test_what_can_follow_is_what_nodes_of_that_role_have(bare: Any) -> None:
    roles = read_roles(bare, bare.schema())
    reached = roles.follows[descriptor(bare, "designed_by"), Direction.OUT]
    assert {(d.text, str(way)) for d, way in reached} == {
        ("designed_by", "in"),
        ("born_in", "out"),
        ("mentor_of", "out"),
        ("mentor_of", "in"),
    }
    assert roles.mutual == {"mentor_of"}


def test_paths_stay_within_roles(bare: Any) -> None:
    moves = RoleMoves(read_roles(bare, bare.schema()))
    paths = {str(p).strip() for p in enumerate_paths(moves, ("",), 2, 1000)}
    assert any("-designed_by->  -born_in->" in p for p in paths)
    # A ship is moored, a person is not.
    assert not any("-designed_by->  -moored_at->" in p for p in paths)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Who designed the Nightjar?", {"Orla Quist"}),
        ("Where was the designer of the Slow Heron born?", {"Port Ys"}),
        ("Who designed what is moored at Port Ys?", {"Orla Quist"}),
        ("Who is the mentor of Ines Vael?", {"Bo Tarn"}),
    ],
)
def test_questions_over_bare_triples(bare: Any, question: str, expected: set[str], settings: Settings) -> None:
    answer = Agent(bare, settings=settings).ask(question)
    assert {e.name for e in answer.entities} == expected
    assert bare.run(answer.queries[0].cypher, answer.queries[0].params).records


def test_roles_are_kept_with_the_schema_and_a_broken_file_is_read_anew(bare: Any, tmp_path: Path) -> None:
    schema = bare.schema()
    first = movement(bare, schema, tmp_path)
    (kept,) = tmp_path.glob("index/*/*.roles")
    again = movement(bare, schema, tmp_path)
    assert again.of("", first=True) == first.of("", first=True)
    assert again.either_way() == first.either_way()
    kept.write_text("not json")
    assert movement(bare, schema, tmp_path).of("", first=True) == first.of("", first=True)
