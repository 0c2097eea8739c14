"""The command line against a running Neo4j."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from arcgraph.demo import files

pytestmark = pytest.mark.live


def cli(live_neo4j: Any, cache: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environ = {
        **os.environ,
        "NEO4J_URI": live_neo4j.uri,
        "NEO4J_USERNAME": live_neo4j.user or "",
        "NEO4J_PASSWORD": live_neo4j.password or "",
        "ARCGRAPH_CACHE_DIR": str(cache),
    }
    return subprocess.run(
        [sys.executable, "-m", "arcgraph.cli", *arguments], capture_output=True, text=True, env=environ, timeout=120
    )


def test_load_then_ask_as_on_a_file(live_neo4j: Any, neo4j_graph: Any, tmp_path: Path) -> None:
    loaded = cli(live_neo4j, tmp_path, "load", *map(str, files()), "--to", live_neo4j.uri, "--json")
    assert loaded.returncode == 0, loaded.stderr
    assert json.loads(loaded.stdout)["nodes"] == 142
    asked = cli(live_neo4j, tmp_path, "ask", "Who designed Kittiwake Light?", "--json")
    assert asked.returncode == 0, asked.stderr
    answer = json.loads(asked.stdout)
    assert answer["rows"] == [{"person": "Edda Brisk"}]
    assert [c["kind"] for c in answer["citations"]] == ["edge", "passage"]
    # What is shown to people can be pasted into a browser: it runs as it is.
    for query in answer["queries"]:
        assert len(neo4j_graph.run(query["cypher"], query["params"])) == query["attempts"][-1]["rows"]
    schema = cli(live_neo4j, tmp_path, "schema", "--json")
    assert "Lighthouse" in schema.stdout
    assert cli(live_neo4j, tmp_path, "ask", "Who designed Nowhere Light?").returncode == 1


def test_a_wrong_password_is_one_sentence(live_neo4j: Any, tmp_path: Path) -> None:
    if live_neo4j.password is None:
        pytest.skip("this server asks for no password")
    environ = {
        **os.environ,
        "NEO4J_USERNAME": "neo4j",
        "NEO4J_PASSWORD": "s3cret-nope",
        "ARCGRAPH_CACHE_DIR": str(tmp_path),
    }
    asked = subprocess.run(
        [sys.executable, "-m", "arcgraph.cli", "ask", "Who?", "--graph", live_neo4j.uri],
        capture_output=True,
        text=True,
        env=environ,
        timeout=60,
    )
    assert asked.returncode == 3
    assert "password" in asked.stderr
    assert "Traceback" not in asked.stderr
    assert "s3cret" not in asked.stderr
