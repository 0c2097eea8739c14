"""The fuzzing harness itself: it judges what it is given, and finds nothing in a short run where atheris is there."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest
from queries import READS

HARNESS = Path(__file__).parent / "fuzz_gate.py"


def harness(*arguments: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, str(HARNESS), *arguments]
    return subprocess.run(command, input=given, capture_output=True, timeout=120, check=False)


@pytest.mark.skipif(importlib.util.find_spec("atheris") is not None, reason="the harness fuzzes where atheris is there")
@pytest.mark.parametrize(
    "given", [b"MATCH (n) RETURN n", b"CREATE (n)", b"\xff\x00'`\\u12", b"MATCH ((a)-->(b))+ RETURN a"]
)
def test_the_harness_judges_what_it_is_given(given: bytes) -> None:
    done = harness(given=given)
    assert done.returncode == 0, done.stderr.decode()


@pytest.mark.skipif(importlib.util.find_spec("atheris") is None, reason="atheris is not installed: pip install atheris")
def test_a_short_run_finds_nothing(tmp_path: Path) -> None:
    for number, query in enumerate(READS):
        (tmp_path / str(number)).write_text(query, encoding="utf-8")
    done = harness(str(tmp_path), "-runs=5000", "-max_len=400")
    assert done.returncode == 0, done.stderr.decode()[-2_000:]
