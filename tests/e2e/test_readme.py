"""The manual is true: every block of README and docs runs, every command and option exists and is documented."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import typer
from pages import PAGES, ROOT, blocks, commands, expected_output, links, prints_as_told, run_block

from arcgraph.cli import app

README = ROOT / "README.md"
COMMANDS = typer.main.get_command(app).commands  # type: ignore[attr-defined]
PAGES_WITH_BLOCKS = [page for page in PAGES if any(block.runs for block in blocks(page))]


def name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.mark.parametrize("page", PAGES_WITH_BLOCKS, ids=name)
def test_every_block_runs_and_prints_what_the_page_says(page: Path, cache: Path, tmp_path: Path) -> None:
    found = blocks(page)
    for block, following in zip(found, [*found[1:], None], strict=True):
        if not block.runs:
            continue
        done = run_block(block, tmp_path, cache)
        assert done.returncode == 0, f"{block}\n{done.stdout}{done.stderr}"
        expected = expected_output(following)
        assert expected is None or prints_as_told(expected, done.stdout), f"{block} printed\n{done.stdout}"


def test_readme_and_most_guides_have_blocks_that_run() -> None:
    assert {"README.md", "docs/loading.md", "docs/python.md", "docs/ranking.md", "docs/settings.md"} <= {
        name(page) for page in PAGES_WITH_BLOCKS
    }


def test_output_that_a_page_does_not_promise_is_noticed() -> None:
    assert prints_as_told("loaded 3 nodes in … s", "loaded 3 nodes in 0.1 s\n")
    assert not prints_as_told("loaded 3 nodes", "loaded 4 nodes")


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_command_that_is_mentioned_exists(page: Path) -> None:
    for command, options in commands(page.read_text(encoding="utf-8")):
        assert command in COMMANDS, f"{name(page)} mentions arcgraph {command}"
        known = {option for parameter in COMMANDS[command].params for option in parameter.opts}
        assert set(options) <= known | {"--help"}, f"{name(page)}: arcgraph {command} {options}"


def test_mentioned_commands_are_found_in_text_and_blocks() -> None:
    text = 'arcgraph is, `arcgraph nonsense`:\n```bash\narcgraph ask --graph g.arc "a --b?" --bogus | head\n```\n'
    assert list(commands(text)) == [("ask", ["--graph", "--bogus"]), ("nonsense", [])]


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_script_and_file_that_is_mentioned_exists(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert [link for link in links(text) if not (page.parent / link.partition("#")[0]).exists()] == []
    files = set(re.findall(r"(?<![\w/.-])((?:scripts|benchmarks|docs|arcgraph|tests)/[\w./-]*[\w])", text))
    assert [file for file in sorted(files) if not (ROOT / file).exists() and not (page.parent / file).exists()] == []


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_every_command_and_option_has_help_and_is_named_in_the_readme(command: str) -> None:
    assert len((COMMANDS[command].help or "").split()) > 5
    for parameter in COMMANDS[command].params:
        assert getattr(parameter, "help", None), f"arcgraph {command} {parameter.opts}"
    assert f"`arcgraph {command}`" in README.read_text(encoding="utf-8")
