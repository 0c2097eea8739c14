"""The path questions of the benchmarks: well formed, and right about the graphs that they ask."""

from __future__ import annotations

import gzip
import importlib.util
import re
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from arcgraph.graph.guard import check
from arcgraph.graph.load import load

ROOT = Path(__file__).parent.parent.parent
SHAPES = {"chain", "two_anchors", "branch", "yes_no", "count", "comparison", "description"}


def module(name: str, path: Path) -> ModuleType:
    """A script as a module: ``benchmarks`` is no package."""
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    sys.modules[name] = loaded  # dataclasses look their module up
    spec.loader.exec_module(loaded)
    return loaded


paths = module("benchmark_paths", ROOT / "benchmarks" / "paths.py")
make_graphs = module("benchmark_make_graphs", ROOT / "benchmarks" / "paths" / "make_graphs.py")
QUESTIONS = paths.questions()


def test_every_question_has_an_id_of_its_own_and_is_asked_once_a_graph() -> None:
    assert not [i for i, n in Counter(q.id for q in QUESTIONS).items() if n > 1]
    assert not [key for key, n in Counter((q.graph, q.question.lower()) for q in QUESTIONS).items() if n > 1]
    assert all(q.id.startswith(f"{q.graph}-") for q in QUESTIONS)


def test_every_graph_has_enough_questions_and_every_shape_some() -> None:
    by_graph = Counter(q.graph for q in QUESTIONS)
    assert set(by_graph) == set(paths.SOURCES)
    assert min(by_graph.values()) >= 15
    assert {q.shape for q in QUESTIONS} == SHAPES
    assert {q.hops for q in QUESTIONS} == {1, 2, 3, 4}


def test_a_gold_is_a_read() -> None:
    assert not [q.id for q in QUESTIONS if not check(q.gold).accepted]


def test_a_gold_returns_what_the_shape_asks_for() -> None:
    for question in QUESTIONS:
        returned = question.gold.rsplit(" RETURN ", 1)[1]
        truth = question.shape in {"yes_no", "comparison"}
        assert ("count(" in returned) == (truth or question.shape == "count"), question.id
        assert returned.endswith("> 0") == truth, question.id


def test_hops_count_the_relationships_of_the_gold() -> None:
    wrong = [q.id for q in QUESTIONS if len(re.findall(r"-\[|\)--\(", q.gold)) != q.hops]
    assert not wrong


def test_the_invented_graphs_are_what_their_script_writes(tmp_path: Path) -> None:
    for name, triples in (
        ("family.txt", make_graphs.Family(seed=11).write()),
        ("encyclopedia.txt", list(make_graphs.encyclopedia(seed=11))),
    ):
        make_graphs.write(tmp_path / name, triples)
        assert (tmp_path / name).read_text() == (ROOT / "benchmarks" / "paths" / name).read_text(), name


def empty_golds(name: str, graph: Any) -> list[str]:
    """Questions of a graph whose gold is nothing at all."""
    load(paths.SOURCES[name].files, graph)
    return [q.id for q in QUESTIONS if q.graph == name and paths.gold(graph, q) == frozenset()]


@pytest.mark.parametrize("name", ["family", "encyclopedia"])
def test_golds_of_the_invented_graphs_hold_something(name: str, embedded_graph: Any) -> None:
    assert not empty_golds(name, embedded_graph)


@pytest.mark.data
@pytest.mark.parametrize("name", ["star_wars", "movies"])
def test_golds_of_shared_graphs_hold_something(
    name: str, embedded_graph: Any, shared_data: Callable[[str], Path]
) -> None:
    shared_data(f"graphs/{name}")
    assert not empty_golds(name, embedded_graph)


def test_a_name_that_two_nodes_share_makes_them_one(tmp_path: Path) -> None:
    nodes, rels = tmp_path / "nodes.jsonl.gz", tmp_path / "rels.jsonl.gz"
    with gzip.open(nodes, "wt") as file:
        file.write('{"id": "1", "labels": ["A"], "props": {"name": "x", "year": 1}}\n')
        file.write('{"id": "2", "labels": ["B"], "props": {"title": "x"}}\n')
        file.write('{"id": "3", "labels": ["C"], "props": {}}\n')
    with gzip.open(rels, "wt") as file:
        file.write('{"start": "1", "type": "LIKES", "end": "3", "props": {}}\n')
        file.write('{"start": "2", "type": "LIKES", "end": "3", "props": {}}\n')
    source = paths.Source((nodes, rels), ("name", "title"))
    written = paths._write_restored(source, "property", tmp_path)
    assert written[0].read_text().count("\n") == 2
    assert '"C 3"' in written[0].read_text()
    assert "year" not in written[0].read_text()
    assert written[1].read_text() == (
        '{"start": "x", "type": "RELATED", "end": "C 3", "props": {"predicate": "LIKES"}}\n'
    )
    paths._write_restored(source, "merged", tmp_path)
    assert '{"id": "x", "labels": ["A", "B"], "props": {"name": "x", "title": "x"}}' in written[0].read_text()


def test_labels_are_taken_out_of_a_gold_and_nothing_else() -> None:
    question = paths.Question("g", "g-1", "?", "MATCH (:A:B {k: 'x:y'})-[:R]->(m:C) RETURN m.k", 1, "chain")
    assert paths.without_labels(question).gold == "MATCH ( {k: 'x:y'})-[:R]->(m) RETURN m.k"
