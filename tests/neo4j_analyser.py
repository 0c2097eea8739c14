"""What Neo4j's own analyser says of queries: kept by query in a file, asked anew where Node and its package are there.

``npm install --prefix tests/analyser`` installs it. Verdicts of queries that are not in the file yet are added to it if
``ARCGRAPH_TEST_ANALYSER=write``.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

FOLDER = Path(__file__).parent / "analyser"
CACHE = Path(__file__).parent / "data" / "analyser.tsv"


class Analysis(NamedTuple):
    """``valid``: without an error; ``effects``: clauses, commands and prefixes in it that do more than read."""

    valid: bool
    effects: tuple[str, ...]


def key(query: str) -> str:
    """What stands for a query in the file: the queries of others are not ours to keep."""
    return hashlib.sha256(query.encode()).hexdigest()[:16]


def _kept() -> dict[str, Analysis]:
    if not CACHE.exists():
        return {}
    lines = (line.split("\t") for line in CACHE.read_text().splitlines())
    return {name: Analysis(valid == "valid", tuple(effects.split())) for name, valid, effects in lines}


def analyse(queries: Sequence[str]) -> list[Analysis]:
    """The verdicts, in order; skips the test where some are not kept and the analyser is not installed."""
    kept = _kept()
    missing = list({key(query): query for query in queries if key(query) not in kept}.values())
    if missing:
        kept |= zip_keys(missing, _ask(missing))
        if os.environ.get("ARCGRAPH_TEST_ANALYSER") == "write":
            rows = (f"{name}\t{'valid' if a.valid else 'invalid'}\t{' '.join(a.effects)}" for name, a in kept.items())
            CACHE.write_text("".join(f"{row}\n" for row in sorted(rows)))
    return [kept[key(query)] for query in queries]


def zip_keys(queries: Iterable[str], verdicts: Iterable[Analysis]) -> dict[str, Analysis]:
    """Verdicts by the keys of their queries."""
    return {key(query): verdict for query, verdict in zip(queries, verdicts, strict=True)}


def _ask(queries: Sequence[str]) -> list[Analysis]:
    node = shutil.which("node")
    if node is None or not (FOLDER / "node_modules").exists():
        pytest.skip(
            f"{len(queries)} queries have no kept verdict, and Neo4j's analyser is not installed: "
            "install Node 20 or later and run npm install --prefix tests/analyser"
        )
    text = "".join(json.dumps(query) + "\n" for query in queries)
    done = subprocess.run([node, FOLDER / "verdicts.mjs"], input=text, capture_output=True, text=True, check=True)
    verdicts = [json.loads(line) for line in done.stdout.split("\n") if line]
    return [Analysis(verdict["errors"] == 0, tuple(verdict["rules"])) for verdict in verdicts]
