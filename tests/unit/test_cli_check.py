"""``arcgraph check``: the verdict, its exit code, and streams of queries."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

from arcgraph.cli import main


def test_a_read_is_accepted(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "MATCH (n) RETURN n;"]) == 0
    assert capsys.readouterr().out.strip() == "accepted"


def test_a_write_is_refused_with_its_place(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "MATCH (n)\nSET n.x = 1"]) == 1
    shown = capsys.readouterr().out
    assert shown.startswith("2:1: ")
    assert "SET n.x = 1" in shown


def test_json_has_the_contract_s_shape(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--json", "MATCH (n) DELETE n"]) == 1
    verdict = json.loads(capsys.readouterr().out)
    assert set(verdict) == {"accepted", "reasons", "schema_faults", "repaired"}
    assert verdict["accepted"] is False
    assert {"rule", "message", "offset", "line", "column"} <= set(verdict["reasons"][0])


def test_a_stream_gives_one_line_each(monkeypatch: Any, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [{"query": "RETURN 1"}, {"query": "CREATE (n)"}, {"query": "RETURN 'data set'"}]
    monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(map(json.dumps, lines)) + "\n"))
    assert main(["check", "--jsonl"]) == 1
    assert [json.loads(line)["accepted"] for line in capsys.readouterr().out.splitlines()] == [True, False, True]


@pytest.mark.parametrize("text", ["not json", '{"q": 1}'])
def test_bad_lines_are_the_user_s(text: str, monkeypatch: Any, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(text + "\n"))
    assert main(["check", "--jsonl"]) == 2
    assert "line 1 of standard input" in capsys.readouterr().err


def test_one_or_the_other(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check"]) == 2
    assert main(["check", "RETURN 1", "--jsonl"]) == 2
    assert "--jsonl" in capsys.readouterr().err


def test_a_schema_fault_is_a_refusal(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--graph", "demo:", "MATCH (p:Person)-[:DESIGNED]->(x:Lighthouse) RETURN x.name"]) == 0
    assert main(["check", "--graph", "demo:", "--json", "MATCH (p:Persn) RETURN p"]) == 1
    verdict = json.loads(capsys.readouterr().out.split("accepted", 1)[1].strip())
    assert verdict["schema_faults"][0]["nearest"] == ["Person"]


def test_what_a_file_cannot_run_is_a_refusal(capsys: pytest.CaptureFixture[str]) -> None:
    query = "MATCH (p:Person) ((a)-[:DESIGNED]->(b)){1,2} (x) RETURN x.name"
    assert main(["check", query]) == 0
    assert main(["check", "--graph", "demo:", "--json", query]) == 1
    (reason,) = json.loads(capsys.readouterr().out.split("accepted", 1)[1].strip())["reasons"]
    assert (reason["rule"], reason["column"]) == ("embedded", 18)
    assert "quantified" in reason["message"]
    assert (
        main(
            [
                "check",
                "--graph",
                "demo:",
                "MATCH (p:Person)-[:DESIGNED]->+(x) RETURN x.name UNION MATCH (p) SET p.x = 1",
            ]
        )
        == 1
    )
    assert "SET changes the graph" in capsys.readouterr().out
