"""``arcgraph index``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from graphs import fill

from arcgraph.cli import main
from arcgraph.graph.load import load


@pytest.fixture
def target(tmp_path, monkeypatch) -> str:
    """A graph file with two films, and a cache of its own."""
    from arcgraph.build import connect

    monkeypatch.setenv("ARCGRAPH_CACHE_DIR", str(tmp_path / "cache"))
    nodes = tmp_path / "nodes.jsonl"
    films = [{"id": str(i), "labels": ["Film"], "props": {"title": t}} for i, t in enumerate(("Heat", "[bold]Ran"))]
    nodes.write_text("\n".join(map(json.dumps, films)), encoding="utf-8")
    with connect(str(tmp_path / "films.arc"), create=True) as graph:
        load([nodes], graph)
    return str(tmp_path / "films.arc")


def test_it_builds_says_how_large_and_is_then_up_to_date(target, capsys):
    assert main(["index", "--graph", target]) == 0
    printed = capsys.readouterr()
    assert "about 2 names" in printed.err
    assert "2 names, built in" in printed.out
    assert "Film" in printed.out
    assert main(["index", "--graph", target]) == 0
    printed = capsys.readouterr()
    assert "2 names, up to date" in printed.out
    assert "about" not in printed.err
    assert main(["index", "--graph", target, "--refresh"]) == 0
    assert "built in" in capsys.readouterr().out


def test_json_for_programs(target, capsys):
    assert main(["index", "--graph", target, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["entries"], told["labels"], told["built"]) == (2, {"Film": 2}, True)
    assert told["passages"] is None
    assert Path(told["path"]).stat().st_size == told["bytes"]


def test_passages_are_indexed_beside_the_names(tmp_path, monkeypatch, capsys):
    from arcgraph import connect

    monkeypatch.setenv("ARCGRAPH_CACHE_DIR", str(tmp_path / "cache"))
    films = [(f"f{i}", "Film", {"title": f"Film {'abcdef'[i]}"}) for i in range(6)]
    text = "A film that was made in the north and that everybody in the harbour went to see, some twice. It ran for"
    chunks = [(f"c{i}", "Chunk", {"id": f"c{i}", "text": f"{text} {i} weeks."}) for i in range(6)]
    edges = [(f"f{i}", "LIKE", f"f{(i + 1) % 6}", {"chunk_ids": [f"c{i}"]}) for i in range(6)]
    target = str(tmp_path / "films.arc")
    with connect(target, create=True) as graph:
        fill(graph, tmp_path, [*films, *chunks], edges)
    assert main(["index", "--graph", target]) == 0
    printed = capsys.readouterr()
    assert "about 6 passages" in printed.err
    assert "6 names, built in" in printed.out
    assert "6 passages, built in" in printed.out
    assert main(["index", "--graph", target, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["entries"], told["passages"]["entries"], told["passages"]["built"]) == (6, 6, False)
    assert Path(told["passages"]["path"]).stat().st_size == told["passages"]["bytes"]


def test_a_cache_that_cannot_be_written_is_said(target, tmp_path, monkeypatch, capsys):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("ARCGRAPH_CACHE_DIR", str(tmp_path / "file"))
    assert main(["index", "--graph", target]) == 0
    printed = capsys.readouterr()
    assert printed.err.count("set ARCGRAPH_CACHE_DIR") == 1
    assert "2 names" in printed.out


def test_an_embedder_that_is_not_there_is_a_sentence_and_a_usage_error(target, monkeypatch, capsys):
    monkeypatch.setenv("ARCGRAPH_SEARCH_EMBEDDER", "served")
    assert main(["index", "--graph", target]) == 2
    printed = capsys.readouterr()
    assert "ARCGRAPH_SEARCH_EMBEDDER_URL" in printed.err
    assert "Traceback" not in printed.err
