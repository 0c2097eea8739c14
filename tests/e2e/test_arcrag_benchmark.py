"""The benchmark of the loop as a command, over the demo graph, with a script in place of a model."""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

BENCHMARKS = Path(__file__).parent.parent.parent / "benchmarks"
QUESTIONS = [
    {"id": "who", "question": "Who designed Kittiwake Light?", "answers": ["Edda Brisk"]},
    {"id": "how many", "question": "How many lighthouses did Edda Brisk design?", "rows": [[3]]},
]
SYSTEMS = ["direct", "generator", "explorer", "planner", "full", "offline"]
Command = Callable[..., int]


@pytest.fixture(scope="module")
def arcrag() -> ModuleType:
    """The script; it imports others that lie beside it."""
    sys.path.insert(0, str(BENCHMARKS))
    try:
        spec = importlib.util.spec_from_file_location("benchmark_arcrag", BENCHMARKS / "arcrag.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module  # dataclasses look their module up
        spec.loader.exec_module(module)
        return module
    finally:
        sys.path.remove(str(BENCHMARKS))


@pytest.fixture
def command(arcrag: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """The command over the demo graph, everything it keeps below the test's folder."""
    for name in [name for name in os.environ if name.startswith("ARCGRAPH_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("ARCGRAPH_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("ARCGRAPH_SEARCH_EMBEDDER", "none")
    questions = tmp_path / "questions.jsonl"
    questions.write_text("\n".join(map(json.dumps, QUESTIONS)), encoding="utf-8")
    own = ["--graph", "demo:", "--questions", str(questions), "--work", str(tmp_path / "work")]

    def run(*arguments: str, script: bool = True) -> int:
        return int(arcrag.main([*own, *(["--script"] if script else []), *arguments]))

    return run


def results(folder: Path) -> list[dict[str, Any]]:
    (file,) = [f for f in (folder / "work").glob("arcrag-*.jsonl") if "traces" not in f.name]
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()[1:]]


def test_all_systems_are_run_over_the_grid_and_tabled(command: Command, tmp_path: Path, capsys: Any) -> None:
    assert command("--systems", *SYSTEMS, "--attempts", "1", "--passes", "1", "2") == 0
    found = results(tmp_path)
    assert len(found) == 2 * (1 + 4 * 2 + 1)
    by_system = {s: [r["exact"] for r in found if r["system"] == s] for s in SYSTEMS}
    assert by_system["offline"] == [1.0, 1.0]
    # The script's one query of its own answers nothing, its first option does.
    assert by_system["direct"] == [0.0, 0.0]
    assert by_system["full"] == [1.0] * 4
    calls = {s: [r["calls"] for r in found if r["system"] == s] for s in SYSTEMS}
    assert calls["offline"] == [0, 0]
    assert calls["direct"] == [1, 1]
    assert min(calls["planner"]) > min(calls["explorer"]) > min(calls["generator"]) > 1
    assert all((r["prompt_tokens"] > 0) == (r["system"] != "offline") for r in found)
    table = capsys.readouterr().out
    assert "| questions | full | 1 | 2 | 2 | 1.00 | 1.00 | 1.00 |" in table
    assert "| questions | full | 1 | 1 | exact | 1.000 [1.000, 1.000] of 2 | 0.000 [0.000, 0.000] of 2 |" in table
    assert 'model: a script that takes the first option\nsettings: {"search": {"embedder": "none"}' in table


def test_a_run_goes_on_where_it_stopped(command: Command, tmp_path: Path, capsys: Any) -> None:
    assert command("--systems", "direct", "offline", "--n", "1") == 0
    first = results(tmp_path)
    assert [r["id"] for r in first] == ["who", "who"]
    capsys.readouterr()
    assert command("--systems", "direct", "offline") == 0
    assert results(tmp_path)[:2] == first
    assert [r["id"] for r in results(tmp_path)] == ["who", "who", "how many", "how many"]
    assert "2/2 questions offline" in capsys.readouterr().err
    assert command("--systems", "direct", "offline", "--table") == 0
    assert "| questions | offline | 1 | 1 | 2 | 1.00 |" in capsys.readouterr().out
    assert len(results(tmp_path)) == 4


def test_results_of_another_configuration_are_never_mixed(
    command: Command, tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "kept.jsonl"
    assert command("--systems", "offline", "--out", str(out)) == 0
    monkeypatch.setenv("ARCGRAPH_ARCRAG_TRUST", "2")
    assert command("--systems", "offline", "--out", str(out)) == 2
    assert "results of another configuration (settings differ): name another --out" in capsys.readouterr().err
    assert len(out.read_text(encoding="utf-8").splitlines()) == 3


def test_without_a_model_it_says_how_to_name_one(command: Command, capsys: Any) -> None:
    assert command("--systems", "full", script=False) == 2
    assert "scripts/local-llm serves one" in capsys.readouterr().err


def test_a_model_that_is_away_is_no_wrong_answer(
    command: Command, tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("openai")
    monkeypatch.setenv("ARCGRAPH_LLM_MODEL", "nobody")
    monkeypatch.setenv("ARCGRAPH_LLM_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("ARCGRAPH_LLM_ATTEMPTS", "1")
    for system in ("direct", "full"):
        assert command("--systems", system, script=False) == 3
        assert "run this again to go on from here" in capsys.readouterr().err
    assert results(tmp_path) == []


def test_questions_without_gold_are_refused(command: Command, tmp_path: Path, capsys: Any) -> None:
    (tmp_path / "questions.jsonl").write_text('{"question": "Who?"}\n', encoding="utf-8")
    assert command("--systems", "offline") == 2
    assert 'line 1: a question is {"id", "question"} with its gold as "answers" or as "rows"' in capsys.readouterr().err
