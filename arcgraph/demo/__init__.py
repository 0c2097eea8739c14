"""A small graph to try things on: the lights, bridges, ships and people of the Skerrow Isles, which do not exist.

142 nodes, 346 relationships, and 42 passages of text from which most of the facts were taken. ``demo:`` opens it.
"""

from __future__ import annotations

from pathlib import Path

_HERE = Path(__file__).parent

QUESTIONS: tuple[str, ...] = (
    "Who designed Kittiwake Light?",
    "Who looked after Marrow Light?",
    "How tall is Corrin High Light?",
    "Where was the keeper of Dunlin Light born?",
    "Which ship did the Hale Circumnavigation use, and which museum shows it?",
    "Who was the leader of the Kittiwake Winter married to?",
    "On which islands are the lighthouses that students of Tobias Renn designed?",
    "How many lighthouses did Edda Brisk design?",
    "Was Nessa Quill a keeper of Arden Light?",
    "Who painted the portrait of Edda Brisk?",
)
"""Ten questions for a tour: one to three hops, a property, a count, a yes or no, and one without an answer here."""


def files() -> list[Path]:
    """The graph's files for :func:`arcgraph.graph.load.load`, nodes first; its schema lies beside them."""
    return [_HERE / "nodes.jsonl", _HERE / "rels.jsonl"]
