"""``arcgraph schema``: what people and programs get to read."""

from __future__ import annotations

import json

import pytest

from arcgraph.cli import main
from arcgraph.domain import RESERVED_KEY, RESERVED_LABEL


@pytest.fixture
def target(embedded_graph):
    """A file with 30 labels, one of which has 40 properties, and names that look like markup."""
    for i in range(30):
        embedded_graph.write(
            f"UNWIND $rows AS row CREATE (n:{RESERVED_LABEL}:L{i} {{{RESERVED_KEY}: row.id}}) SET n += row.props",
            {"rows": [{"id": f"{i}-{j}", "props": {"_arc_name": f"[b]Node {i} {'ab'[j % 2]}"}} for j in range(30 - i)]},
        )
    wide = ", ".join(f"n.k{j} = {j}" for j in range(40))
    embedded_graph.write(f"MATCH (n:L29) SET {wide}")
    embedded_graph.write("MATCH (a:L0), (b:L29) CREATE (a)-[r:KNOWS]->(b) SET r._arc_type = 'well'")
    embedded_graph.save()
    embedded_graph.close()
    return str(embedded_graph.path)


@pytest.fixture(autouse=True)
def own_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("ARCGRAPH_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("COLUMNS", "100")


def test_wide_graphs_stay_readable(target, capsys):
    assert main(["schema", "--graph", target]) == 0
    text = capsys.readouterr().out
    lines = text.splitlines()
    assert f"{target}: 465 nodes, 30 relationships" in text.replace("\n", "")
    assert "and 10 more labels; --all prints them" in text
    assert "L29 " not in text
    assert "30  (:L0)-[:KNOWS]->(:L29)" in text
    assert "named by name" in text
    assert "[b]Node 0 a" in text
    assert all(len(line) <= 100 for line in lines)
    assert RESERVED_KEY not in text


def test_all_of_it(target, capsys):
    assert main(["schema", "--graph", target, "--all"]) == 0
    text = capsys.readouterr().out
    assert "k39" in text
    assert "--all" not in text


def test_json_is_the_whole_schema(target, capsys):
    assert main(["schema", "--graph", target, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["graph"], data["nodes"], data["complete"]) == (target, {"value": 465, "exact": True}, True)
    assert {label["name"] for label in data["labels"]} == {f"L{i}" for i in range(30)}
    assert data["types"][0]["properties"][0]["samples"] == ["well"]


def test_the_dictionary_for_other_tools(target, capsys):
    assert main(["schema", "--graph", target, "--export", "structured"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["relationships"] == [{"start": "L0", "type": "KNOWS", "end": "L29"}]
    assert data["node_props"]["L0"] == [{"property": "name", "type": "STRING"}]
    assert data["rel_props"] == {"KNOWS": [{"property": "type", "type": "STRING"}]}


def test_an_empty_graph_says_what_to_do(embedded_graph, capsys):
    embedded_graph.save()
    embedded_graph.close()
    assert main(["schema", "--graph", str(embedded_graph.path)]) == 0
    assert "arcgraph load FILE" in capsys.readouterr().out
