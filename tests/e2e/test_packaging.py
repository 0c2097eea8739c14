"""The wheel, installed into a fresh environment outside the checkout, has all that it needs."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
RESOURCES = sorted(
    path.relative_to(ROOT).as_posix()
    for folder in ("cypher", "prompts")
    for path in (ROOT / folder).rglob("*")
    if path.is_file()
)


def run(*command: str | Path, **options) -> str:
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, timeout=240, check=False, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    # Without isolation nothing is downloaded, but the build backend has to be there.
    isolation = ["--no-isolation"] if importlib.util.find_spec("hatchling") else []
    run(sys.executable, "-m", "build", "--wheel", *isolation, "--outdir", folder, ROOT)
    (built,) = folder.glob("*.whl")
    return built


@dataclass(frozen=True)
class Installed:
    """A fresh environment with the wheel, run from an empty folder."""

    scripts: Path
    work: Path

    def __call__(self, program: str, *arguments: str) -> str:
        environ = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "NEO4J_URI", "MEMGRAPH_URI")}
        environ["ARCGRAPH_CACHE_DIR"] = str(self.work / "cache")
        return run(self.scripts / program, *arguments, cwd=self.work, env=environ)


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory) -> Installed:
    home = tmp_path_factory.mktemp("fresh")
    venv.create(home / "env", symlinks=os.name != "nt")
    scripts = home / "env" / ("Scripts" if os.name == "nt" else "bin")
    python = scripts / "python"
    run(sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-deps", "--no-index", wheel)
    # The dependencies are borrowed. Folders named in a .pth file come last, and .pth files inside them are not read,
    # so neither the checkout nor its editable installation is seen.
    site = Path(run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip())
    (site / "borrowed.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    work = home / "work"
    work.mkdir()
    return Installed(scripts, work)


def test_the_wheel_holds_code_resources_types_and_licence(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {f"arcgraph/_resources/{name}" for name in RESOURCES} <= names
    assert "arcgraph/py.typed" in names
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert not [name for name in names if name.startswith(("tests", "benchmarks", "docs", "scripts"))]


def test_it_is_the_wheel_that_is_imported(installed):
    where = Path(installed("python", "-c", "import arcgraph; print(arcgraph.__file__)").strip())
    assert ROOT not in where.parents


def test_resources_are_read_from_the_wheel(installed):
    program = (
        "import json, sys; from arcgraph.resources import read_text; print(json.dumps([*map(read_text, sys.argv[1:])]))"
    )
    texts = json.loads(installed("python", "-c", program, *RESOURCES))
    assert texts == [(ROOT / name).read_text(encoding="utf-8") for name in RESOURCES]
    assert RESOURCES


def test_the_command_runs(installed):
    assert installed("arcgraph", "--version").startswith("arcgraph ")


def test_the_demo_graph_comes_along(installed):
    report = json.loads(installed("arcgraph", "doctor", "--graph", "demo:", "--json"))
    assert report["ok"]
    (content,) = [check for check in report["checks"] if check["name"] == "content"]
    assert content["state"] == "ok"
