"""The demo graph says the same in its nodes, its relationships, its passages and its schema."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from arcgraph import demo

NODES_FILE, RELS_FILE = demo.files()
NODES = [json.loads(line) for line in NODES_FILE.read_text(encoding="utf-8").splitlines()]
RELS = [json.loads(line) for line in RELS_FILE.read_text(encoding="utf-8").splitlines()]
SCHEMA = json.loads((NODES_FILE.parent / "schema.json").read_text(encoding="utf-8"))
BY_ID = {node["id"]: node for node in NODES}
CHUNKS = {node["id"]: node["props"]["text"] for node in NODES if node["labels"] == ["Chunk"]}


def name(id: str) -> str:
    return str(BY_ID[id]["props"]["name"])


def kind(value: Any, declared: str) -> bool:
    """Whether a JSON value has the form of a declared type."""
    if declared == "point":
        return isinstance(value, dict) and set(value) == {"point", "srid"}
    python = {"integer": int, "float": float, "boolean": bool, "list": list}.get(declared, str)
    return type(value) is python


def test_ids_are_unique() -> None:
    assert len(BY_ID) == len(NODES) == 142


def test_endpoints_exist() -> None:
    assert not [rel for rel in RELS if rel["start"] not in BY_ID or rel["end"] not in BY_ID]


def test_it_is_as_rich_as_a_tour_needs() -> None:
    labels = Counter(label for node in NODES for label in node["labels"])
    types = Counter(rel["type"] for rel in RELS)
    assert len(labels) >= 8
    assert len(types) >= 12
    assert len(CHUNKS) >= 40
    declared = {name for types in SCHEMA["property_types"].values() for name in types}
    assert declared == {"string", "integer", "float", "boolean", "date", "datetime", "duration", "point", "list"}


def test_the_schema_counts_what_there_is() -> None:
    assert SCHEMA["node_labels"] == dict(sorted(Counter("|".join(node["labels"]) for node in NODES).items()))
    assert SCHEMA["relationship_types"] == dict(sorted(Counter(rel["type"] for rel in RELS).items()))


def test_the_schema_types_fit_every_value() -> None:
    counts: Counter[str] = Counter()
    for element in (*NODES, *RELS):
        for key, value in element["props"].items():
            (declared,) = SCHEMA["property_types"][key]
            assert kind(value, declared), (key, value, declared)
            counts[key] += 1
    assert {key: {next(iter(types)): counts[key]} for key, types in SCHEMA["property_types"].items()} == SCHEMA[
        "property_types"
    ]


def test_passages_name_what_their_facts_are_about() -> None:
    supported = [rel for rel in RELS if "chunk_ids" in rel["props"]]
    assert len(supported) > 100
    for rel in supported:
        for chunk in rel["props"]["chunk_ids"]:
            assert name(rel["start"]) in CHUNKS[chunk], (chunk, rel)
            assert name(rel["end"]) in CHUNKS[chunk], (chunk, rel)


def test_passages_name_what_they_mention() -> None:
    mentions = [rel for rel in RELS if rel["type"] == "MENTIONS"]
    assert {rel["start"] for rel in mentions} == set(CHUNKS)
    for rel in mentions:
        assert name(rel["end"]) in CHUNKS[rel["start"]]


def test_passages_mention_the_ends_of_their_facts() -> None:
    mentions = {(rel["start"], rel["end"]) for rel in RELS if rel["type"] == "MENTIONS"}
    for rel in RELS:
        for chunk in rel["props"].get("chunk_ids", []):
            assert {(chunk, rel["start"]), (chunk, rel["end"])} <= mentions


def test_passages_call_themselves_by_their_id() -> None:
    assert all(BY_ID[id]["props"]["id"] == id for id in CHUNKS)
    assert all(2 <= text.count(".") <= 8 for text in CHUNKS.values())


@pytest.mark.parametrize("shared", ["Corrin", "Sunniva Hale"])
def test_two_things_bear_one_name(shared: str) -> None:
    assert len({node["labels"][0] for node in NODES if node["props"].get("name") == shared}) == 2


def test_ten_questions() -> None:
    assert len(demo.QUESTIONS) == len(set(demo.QUESTIONS)) == 10


def test_files_are_beside_the_module() -> None:
    assert all(path.is_file() and path.parent == Path(demo.__file__).parent for path in demo.files())
