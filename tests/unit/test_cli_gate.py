"""What the command line says of the gate: which names may be called, and repairs."""

from __future__ import annotations

import json

import pytest

from arcgraph.cli import main


def test_doctor_shows_what_may_be_called(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARCGRAPH_GRAPH_ALLOW_PROCEDURES", "my.reading.procedure")
    monkeypatch.setenv("ARCGRAPH_GRAPH_ALLOW_FUNCTIONS", "my.function")
    main(["doctor", "--json"])
    printed = json.loads(capsys.readouterr().out)
    assert {"my.reading.procedure", "db.labels"} <= set(printed["allowed"]["procedures"])
    assert {"my.function", "coalesce", "apoc.text.join"} <= set(printed["allowed"]["functions"])
    assert not any(name.startswith(("apoc.load", "apoc.search")) for name in printed["allowed"]["procedures"])
    (gate,) = (check for check in printed["checks"] if check["name"] == "gate")
    assert "added by you, who vouch for them: my.function, my.reading.procedure" in gate["detail"]


def test_doctor_says_that_nothing_was_added(capsys: pytest.CaptureFixture[str]) -> None:
    main(["doctor"])
    assert "none added by you" in " ".join(capsys.readouterr().out.split())


def test_check_prints_a_query_whose_names_lack_backticks_with_them(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "MATCH (n:Tool Set) RETURN n"]) == 1
    assert "repaired: MATCH (n:`Tool Set`) RETURN n" in capsys.readouterr().out
