"""The guides say what the code says: every setting, error and field; the tour is what really comes back."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from pages import PAGES, ROOT, environment

from arcgraph import Answer, Status, errors
from arcgraph.demo import QUESTIONS
from arcgraph.settings import Settings

DOCS = ROOT / "docs"
DECISIONS = sorted((DOCS / "decisions").glob("*.md"))


# --- settings ------------------------------------------------------------------------------------------------------


def documented() -> dict[str, tuple[str, str]]:
    """Setting to its variable and default, as the page's tables have them."""
    text = (DOCS / "settings.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+\.\w+)` \| `(\w+)` \| ([^|]+) \|", text, re.M)
    return {setting: (variable, default.strip()) for setting, variable, default in rows}


def real() -> Iterator[tuple[str, Any]]:
    """Setting and default, as the models have them."""
    for part in Settings.model_fields:
        model = getattr(Settings.load({}), part)
        for name in type(model).model_fields:
            yield f"{part}.{name}", getattr(model, name)


def written(default: Any) -> str:
    """How the page writes a default."""
    if isinstance(default, Path):
        return "see below"
    if default == ():
        return "none"
    text = default.get_secret_value() if hasattr(default, "get_secret_value") else str(default)
    return f"`{text}`" if text else "empty"


def test_every_setting_is_documented_with_its_default_and_nothing_else() -> None:
    wanted = {name: (f"ARCGRAPH_{name.replace('.', '_').upper()}", written(default)) for name, default in real()}
    assert documented() == wanted


@pytest.mark.parametrize(
    ("setting", "variable"), [(setting, variable) for setting, (variable, _) in documented().items()]
)
def test_every_documented_variable_sets_its_setting(setting: str, variable: str) -> None:
    part, name = setting.split(".")
    special = {"search.embedder": "none", "search.store": "qdrant", "llm.extra": '{"a": 1}', "arcrag.explore": "off"}
    at_five = ("llm.attempts", "arcrag.attempts", "arcrag.look_timeout")
    value = special.get(setting, "4" if setting in at_five else "5")
    changed = getattr(getattr(Settings.load({variable: value}), part), name)
    assert changed != getattr(getattr(Settings.load({}), part), name)


def test_every_variable_that_is_read_is_documented() -> None:
    page = (DOCS / "settings.md").read_text(encoding="utf-8")
    sources = [*(ROOT / "arcgraph").rglob("*.py"), *(ROOT / "tests").rglob("*.py")]
    sources += [path for path in (ROOT / "scripts").iterdir() if path.is_file()]
    read = {
        variable
        for source in sources
        for variable in re.findall(
            r"(?:environ(?:\.get)?[(\[]\s*\"|\$\{)((?:ARCGRAPH|NEO4J|MEMGRAPH|OPENAI)_[A-Z_]+)",
            source.read_text(encoding="utf-8"),
        )
    }
    assert {"NEO4J_URI", "ARCGRAPH_VENV", "ARCGRAPH_TEST_SLOW"} <= read
    assert sorted(variable for variable in read if variable not in page) == []


# --- Python --------------------------------------------------------------------------------------------------------


def test_every_error_every_field_and_every_status_is_in_the_guide() -> None:
    page = (DOCS / "python.md").read_text(encoding="utf-8")
    tree = {name for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, Exception)}
    told = set(re.findall(r"[├└]── (\w+)|^    (ArcgraphError)$", page, re.M))
    assert {a or b for a, b in told} == tree
    rows = {
        name for row in re.findall(r"^\| ((?:`\w+`(?:, )?)+) \|", page, re.M) for name in re.findall(r"`(\w+)`", row)
    }
    assert {field.name for field in fields(Answer)} <= rows
    assert all(f"`{status}`" in page for status in Status)


def test_the_drawn_error_tree_is_the_real_one() -> None:
    lines = re.findall(r"^    ([│├└─ ]*)(\w+)(?:  .*)?$", (DOCS / "python.md").read_text(encoding="utf-8"), re.M)
    stack: list[str] = []
    for indent, name in lines:
        if hasattr(errors, name):
            stack[len(indent) // 4 :] = [name]
            assert len(stack) == 1 or getattr(errors, name).__base__.__name__ == stack[-2]
    assert stack


# --- the tour ------------------------------------------------------------------------------------------------------


def check_tour(root: Path, cache: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(root / "make_tour.py"), "--check"],
        env=environment(cache),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


needs_static = pytest.mark.skipif(
    not importlib.util.find_spec("wordllama"), reason="the tour is made with the static extra"
)


@needs_static
def test_the_tour_is_what_comes_back(tmp_path: Path) -> None:
    done = check_tour(DOCS, tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


@needs_static
def test_a_tour_that_is_not_what_comes_back_is_noticed(tmp_path: Path) -> None:
    for name in ("make_tour.py", "ranking.md"):
        (tmp_path / name).write_text((DOCS / name).read_text(encoding="utf-8"), encoding="utf-8")
    page = (DOCS / "tour.md").read_text(encoding="utf-8")
    (tmp_path / "tour.md").write_text(page.replace("Edda Brisk (read as", "Old Renn (read as"), encoding="utf-8")
    done = check_tour(tmp_path, tmp_path)
    assert done.returncode == 1
    assert "-> Old Renn (read as" in done.stdout
    assert "python docs/make_tour.py" in done.stderr


def test_the_tour_asks_all_ten_questions_and_shows_failures_as_they_are() -> None:
    page = (DOCS / "tour.md").read_text(encoding="utf-8")
    assert re.findall(r"^## \d+\. (.*)$", page, re.M) == list(QUESTIONS)
    summary = re.search(r"\*\*(\d+) are\s+right.*?(\d+) are\s+missed.*?(\d+) are\s+wrong", page, re.S)
    assert summary is not None
    right, missed, wrong = map(int, summary.groups())
    assert right + missed + wrong == len(QUESTIONS)
    assert page.count("**Wrong.**") == wrong
    assert page.count("**Missed**") == missed


# --- all pages -----------------------------------------------------------------------------------------------------


def test_decisions_have_their_four_parts_and_fit_a_page() -> None:
    assert len(DECISIONS) >= 5
    for page in DECISIONS:
        text = page.read_text(encoding="utf-8")
        headings = re.findall(r"^## (.*)$", text, re.M)
        assert headings == ["Context", "Decision", "Consequences", "What was measured"], page.name
        assert text.count("\n") <= 60


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_pages_are_for_users_and_hold_no_path_of_a_machine(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert re.findall(r"(?<![\w.~])/(?:work|root|home|tmp|Users)/\S*", text) == []
