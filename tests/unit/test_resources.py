"""Packaged files are found in a checkout, and a missing one is named. The wheel is tested in tests/e2e."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from arcgraph import resources

ROOT = Path(__file__).parent.parent.parent


@pytest.mark.parametrize("path", sorted((ROOT / "cypher").rglob("*.cypher")), ids=lambda path: path.name)
def test_every_fixed_query_is_readable_and_says_something(path):
    name = path.relative_to(ROOT).as_posix()
    assert resources.read_text(name).strip()


def test_a_dialect_has_its_own_file_or_falls_back_to_the_common_one():
    folders = {path.name for path in (ROOT / "cypher").iterdir() if path.is_dir()}
    assert folders <= {"neo4j", "memgraph", "embedded"}
    common = next((ROOT / "cypher").glob("*.cypher"))
    assert resources.cypher(common.stem, "memgraph") == common.read_text(encoding="utf-8").strip()


def test_a_missing_file_is_named_with_the_places_searched():
    with pytest.raises(FileNotFoundError, match=r"cypher/no_such_query\.cypher is part of arcgraph"):
        resources.cypher("no_such_query", "neo4j")


@pytest.mark.parametrize("path", sorted((ROOT / "prompts").glob("*.md")), ids=lambda path: path.name)
def test_a_prompt_names_every_variable_that_is_missing_and_takes_them_as_they_are(path):
    with pytest.raises(KeyError) as caught:
        resources.prompt(path.stem)
    names = re.findall(r"\w+", str(caught.value).partition(" needs ")[2])
    assert names
    told = resources.prompt(path.stem, **{name: f"<{name} & {{{{ x }}}}>" for name in names})
    assert all(f"<{name} & {{{{ x }}}}>" in told for name in names)
