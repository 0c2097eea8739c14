"""``arcgraph load``: what it prints, and its exit codes."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path

import pytest

from arcgraph.cli import OK, USAGE, main
from arcgraph.graph.embedded import EmbeddedGraph

NODES = '{"id": 1, "labels": ["A"], "props": {"name": "x"}}\n{"id": 2}\n'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ARCGRAPH_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "nodes.jsonl").write_text(NODES)
    return tmp_path


def test_a_graph_file_is_made(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["load", "nodes.jsonl", "--to", "g.arc"]) == OK
    shown = capsys.readouterr()
    assert "Loaded 2 nodes and 0 relationships into " in shown.out
    assert shown.err == ""
    with EmbeddedGraph(folder / "g.arc") as graph:
        assert graph.read("MATCH (n) RETURN count(n)").records == [(2,)]


def test_a_second_load_says_what_was_there(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["load", "nodes.jsonl", "--to", "g.arc"])
    (folder / "more.jsonl").write_text('{"id": 2}\n{"id": 3}\noops\n{"id": 3}\n')
    capsys.readouterr()
    assert main(["load", "more.jsonl", "--to", "g.arc"]) == OK
    shown = capsys.readouterr().out
    assert "1 node and 0 relationships of these were there already." in shown
    assert "1 line repeated what another said." in shown
    assert "held 2 nodes already: this load adds to them." in shown
    assert "1 line could not be loaded; all of them are in more.jsonl.rejects.jsonl:" in shown
    assert "more.jsonl, line 3: broken JSON" in shown


def test_json_for_programs(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "kb.txt").write_text("a\tr\tb\n")
    assert main(["load", "nodes.jsonl", "kb.txt", "--to", "g.arc", "--json", "--relations", "property"]) == OK
    told = json.loads(capsys.readouterr().out)
    assert (told["nodes"], told["relationships"], told["rejected"], told["rejects"]) == (4, 1, 0, None)


def test_options_of_triples(folder: Path) -> None:
    (folder / "kb.csv").write_text("how,from,to\nmade,Ann,Pot\n")
    (folder / "labels.json").write_text('{"made": ["Potter", "Thing"]}')
    options = ["--sep", ",", "--columns", "from,how,to", "--labels", "labels.json", "--batch", "1"]
    assert main(["load", "kb.csv", "--to", "g.arc", *options]) == OK
    with EmbeddedGraph(folder / "g.arc") as graph:
        rows = graph.read("MATCH (a:Potter)-[:made]->(b:Thing) RETURN a, b")
        assert [(a.id, b.id) for a, b in rows] == [("Ann", "Pot")]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["absent.jsonl"], "there is no file absent.jsonl"),
        (["."], "is a folder"),
        (["prose.txt"], "nothing in prose.txt can be loaded; line 1: 1 field where 3 are expected"),
        (["nodes.jsonl", "--schema", "absent.json"], "there is no schema file absent.json"),
        (["kb.txt", "--labels", "absent.json"], "there is no file absent.json"),
        (["kb.txt", "--columns", "1,2"], "three columns"),
    ],
)
def test_a_mistake_leaves_no_graph_behind(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], told: str
) -> None:
    (folder / "prose.txt").write_text("Once upon a time.\n")
    (folder / "kb.txt").write_text("a|r|b\n")
    assert main(["load", *arguments, "--to", "g.arc"]) == USAGE
    assert told in capsys.readouterr().err
    assert not list(folder.glob("g.arc*"))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_a_pipe(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    writer = threading.Thread(target=(folder / "pipe").write_text, args=(NODES,))
    writer.start()
    assert main(["load", "pipe", "--to", "g.arc"]) == OK
    writer.join()
    with EmbeddedGraph(folder / "g.arc") as graph:
        assert graph.read("MATCH (n) RETURN count(n)").records == [(2,)]


def test_no_file_is_a_usage_error(folder: Path) -> None:
    del folder
    assert main(["load", "--to", "g.arc"]) == USAGE


def test_rejects_that_cannot_be_written(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "a.jsonl").write_text('{"id": 1}\noops\n')
    assert main(["load", "a.jsonl", "--to", "g.arc", "--rejects", "absent/bad.jsonl"]) == USAGE
    assert "--rejects" in capsys.readouterr().err
