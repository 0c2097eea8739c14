"""The record of a benchmark run: everything needed to know later what was measured."""

from __future__ import annotations

import json
import os
import platform
import re
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from arcgraph.settings import Settings

_PACKAGES = ("arcgraph-qa", "kglite", "neo4j", "numpy", "scipy", "wordllama", "sentence-transformers", "rank-bm25")


def run_record(
    name: str, settings: Settings, given: Mapping[str, Any], results: Any, items: Sequence[Mapping[str, Any]] = ()
) -> dict[str, Any]:
    """What was run, on what, with what, and what came out. ``items`` holds one entry a question."""
    return {
        "name": name,
        "finished": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        "code": {"commit": _git("rev-parse", "HEAD"), "dirty": bool(_git("status", "--porcelain"))},
        "packages": {p: v for p in _PACKAGES if (v := _version(p))},
        "machine": {"python": platform.python_version(), "system": platform.platform(), "cores": os.cpu_count()},
        "given": {k: _without_secrets(v) for k, v in given.items()},
        "settings": settings.model_dump(mode="json"),
        "results": results,
        "items": list(items),
    }


def write_record(record: Mapping[str, Any], folder: Path) -> Path:
    """Write a record under a name that no other run has, and return the file."""
    folder.mkdir(parents=True, exist_ok=True)
    stem = f"{record['name']}-{time.strftime('%Y%m%d-%H%M%S')}-"
    handle, name = tempfile.mkstemp(prefix=stem, suffix=".json", dir=folder)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        json.dump(record, file, ensure_ascii=False, indent=1)
    return Path(name)


def _without_secrets(value: Any) -> Any:
    """A given value; of an address with user and password only the rest."""
    return re.sub(r"(?<=://)[^/@\s]*@", "", value) if isinstance(value, str) else value


def _git(*arguments: str) -> str:
    try:
        return subprocess.run(
            ["git", *arguments], capture_output=True, text=True, check=True, cwd=Path(__file__).parent
        ).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
