"""``arcgraph index``."""

from __future__ import annotations

import json
import sys
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


@pytest.fixture
def people(tmp_path, monkeypatch) -> str:
    """A graph file with edges and no passages, and a cache of its own."""
    from arcgraph import connect

    monkeypatch.setenv("ARCGRAPH_CACHE_DIR", str(tmp_path / "cache"))
    nodes = [(f"p{i}", "Person", {"name": f"Person {'abcdef'[i]}"}) for i in range(6)]
    with connect(str(tmp_path / "people.arc"), create=True) as graph:
        fill(graph, tmp_path, nodes, [(f"p{i}", "KNOWS", f"p{(i + 1) % 6}") for i in range(6)])
    return str(tmp_path / "people.arc")


def test_triples_are_indexed_where_they_are_asked_for(people, capsys):
    assert main(["index", "--graph", people]) == 0
    assert " triples, " not in capsys.readouterr().out
    assert main(["index", "--graph", people, "--triples"]) == 0
    printed = capsys.readouterr()
    assert "about 6 triples" in printed.err
    assert "6 triples, built in" in printed.out
    assert main(["index", "--graph", people, "--triples", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["triples"]["entries"], told["triples"]["built"], told["store"]) == (6, False, None)
    assert main(["index", "--graph", people, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["triples"] is None
    assert main(["index", "--graph", people, "--triples", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert Path(told["triples"]["path"]).stat().st_size == told["triples"]["bytes"]


def test_triples_are_indexed_where_a_model_is_named(people, monkeypatch, capsys):
    monkeypatch.setenv("ARCGRAPH_LLM_MODEL", "tiny")
    assert main(["index", "--graph", people]) == 0
    assert "6 triples, built in" in capsys.readouterr().out
    assert main(["index", "--graph", people, "--no-triples"]) == 0
    assert " triples, " not in capsys.readouterr().out


def test_a_collection_in_qdrant_is_filled(people, monkeypatch, capsys):
    pytest.importorskip("qdrant_client", reason="qdrant-client is not installed")
    monkeypatch.setenv("ARCGRAPH_SEARCH_STORE", "qdrant")
    assert main(["index", "--graph", people]) == 0
    assert "searched in arcgraph-" in capsys.readouterr().out
    assert main(["index", "--graph", people, "--json"]) == 0
    assert "triples" in json.loads(capsys.readouterr().out)["store"]


def test_a_qdrant_that_is_not_there_is_said(people, monkeypatch, capsys):
    pytest.importorskip("qdrant_client", reason="qdrant-client is not installed")
    monkeypatch.setenv("ARCGRAPH_SEARCH_STORE", "qdrant")
    monkeypatch.setenv("ARCGRAPH_SEARCH_STORE_URL", "http://127.0.0.1:9")
    assert main(["index", "--graph", people]) == 3
    assert "Qdrant at http://127.0.0.1:9 cannot be used" in capsys.readouterr().err


def test_without_qdrants_client_the_extra_is_named(people, monkeypatch, capsys):
    monkeypatch.setenv("ARCGRAPH_SEARCH_STORE", "qdrant")
    monkeypatch.setitem(sys.modules, "qdrant_client", None)
    assert main(["index", "--graph", people]) != 0
    assert "pip install 'arcgraph-qa[qdrant]'" in capsys.readouterr().err


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
