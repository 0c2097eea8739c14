"""The pages of the manual, taken apart: fenced blocks, commands and links."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
_FENCE = re.compile(r"^(?P<indent> *)```(?P<info>[^\n`]*)\n(?P<text>.*?)^(?P=indent)```[ ]*$", re.M | re.S)
# A command in running text stands between backticks, in a block of shell it begins a line.
_COMMAND = re.compile(r"(?:(?<!`)`|^)(?:\$ )?arcgraph +([a-z][a-z-]*)([^`\n|;&]*)", re.M)
_OPTION = re.compile(r"(?<![\w-])(--?[a-z][a-z-]*)")


@dataclass(frozen=True)
class Block:
    """One fenced block: its language, further words of the info string, text, and the line it begins on."""

    page: Path
    line: int
    language: str
    marks: frozenset[str]
    text: str

    @property
    def runs(self) -> bool:
        return self.language in ("bash", "python") and "no-run" not in self.marks

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def blocks(page: Path) -> list[Block]:
    """The fenced blocks of a page, in order."""
    text = page.read_text(encoding="utf-8")
    found = []
    for match in _FENCE.finditer(text):
        language, *marks = match["info"].split() or [""]
        line = text.count("\n", 0, match.start()) + 1
        found.append(Block(page, line, language, frozenset(marks), match["text"]))
    return found


def expected_output(following: Block | None) -> str | None:
    """What a block prints by the page: the ``text output`` block after it."""
    if following is not None and following.language == "text" and "output" in following.marks:
        return following.text
    return None


def prints_as_told(expected: str, printed: str) -> bool:
    """Whether output is as the page says; there ``…`` stands for anything."""
    pattern = ".*".join(re.escape(part) for part in expected.strip().split("…"))
    return re.fullmatch(pattern, printed.strip(), re.S) is not None


def environment(cache: Path) -> dict[str, str]:
    """The environment of a person who has installed arcgraph and set nothing."""
    environ = {
        name: value for name, value in os.environ.items() if not name.startswith(("ARCGRAPH_", "NEO4J_", "MEMGRAPH_"))
    }
    environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), environ.get("PATH", "")])
    environ["ARCGRAPH_CACHE_DIR"] = str(cache)
    return environ


def run_block(block: Block, folder: Path, cache: Path) -> subprocess.CompletedProcess[str]:
    """Run a block as a reader would who pastes it, in ``folder``."""
    if block.language == "bash":
        command = ["bash", "-euo", "pipefail", "-c", block.text]
    else:
        command = [sys.executable, "-W", "error", "-c", block.text]
    return subprocess.run(
        command, cwd=folder, env=environment(cache), capture_output=True, text=True, timeout=120, check=False
    )


def commands(page: str) -> Iterator[tuple[str, list[str]]]:
    """The commands of arcgraph that a page mentions, each with its options."""
    shell = [m["text"].replace("\\\n", " ") for m in _FENCE.finditer(page) if m["info"].startswith("bash")]
    spans = re.findall(r"`[^`\n]+`", _FENCE.sub("", page))
    for text in (*shell, *spans):
        for match in _COMMAND.finditer(text):
            yield match[1], _OPTION.findall(re.sub(r"\"[^\"]*\"", "", match[2].partition(" #")[0]))


def links(text: str) -> list[str]:
    """Targets of links within the repository."""
    return [t for t in re.findall(r"\]\(([^)\s]+)\)", text) if "://" not in t and not t.startswith("#")]
