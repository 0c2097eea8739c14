"""The benchmark reader of HippoRAG's OpenIE files and MuSiQue's questions."""

from __future__ import annotations

import gzip
import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from arcgraph.graph.load import load
from arcgraph.search.passages import open_or_build_passages

FILE = Path(__file__).parent.parent.parent / "benchmarks" / "openie.py"
if not FILE.exists():
    pytest.skip("the benchmarks are not here", allow_module_level=True)
spec = importlib.util.spec_from_file_location("openie", FILE)
openie = importlib.util.module_from_spec(spec)
sys.modules["openie"] = openie  # dataclasses look their module up
spec.loader.exec_module(openie)


def document(title: str, text: str, triples: list[Any], entities: tuple[Any, ...] = ()) -> dict[str, Any]:
    given = {"title": title, "text": text, "passage": f"{title}\n{text}"}
    return given | {"extracted_entities": list(entities), "extracted_triples": triples}


DOCUMENTS = [
    document(
        "Kittiwake Light",
        "Edda Brisk kept it.",
        [[" Edda Brisk", "kept", "Kittiwake Light "], ["Edda Brisk", "kept", "Kittiwake Light"], ["a", "b"], "abc"],
        ("Edda Brisk", "granite", 7, " "),
    ),
    document(
        "Edda Brisk",
        "She kept Kittiwake Light in the United States.",
        [
            ["Edda Brisk", "kept", "Kittiwake Light"],
            ["Edda Brisk", "", "x"],
            ["Edda Brisk", "lived in", "the U.S."],
            [1, 2, 3],
        ],
    ),
    document("Kittiwake Light", "Edda Brisk kept it.", [["again", "and", "again"]]),
]


def written(path: Path, content: Any, zipped: bool = False) -> Path:
    raw = json.dumps(content).encode()
    path.write_bytes(gzip.compress(raw) if zipped else raw)
    return path


@pytest.fixture(params=[False, True])
def read(request, tmp_path):
    return openie.read_openie(written(tmp_path / "openie.json", {"docs": DOCUMENTS}, request.param))


def test_what_is_ill_formed_is_counted_and_dropped(read):
    assert read.counts() == {
        "passages": 2,
        "entities": 4,
        "mentions": 3 + 3,
        "triples": 2 + 2,
        "distinct triples": 2,
        "predicates": 2,
        "repeated passages dropped": 1,
        "ill-formed triples dropped": 2 + 2,
        "ill-formed entities dropped": 2,
    }
    assert read.passages[0].entities == ("Edda Brisk", "granite", "Kittiwake Light")


def test_a_triple_is_one_edge_that_names_all_its_passages(read):
    kept = openie.Triple("Edda Brisk", "kept", "Kittiwake Light")
    assert read.edges() == {kept: ["p0", "p1"], openie.Triple("Edda Brisk", "lived in", "the U.S."): ["p1"]}


def test_what_is_written_is_loaded_with_its_passages(read, tmp_path, embedded_graph):
    report = load(openie.write_graph(read, tmp_path / "out"), embedded_graph)
    assert (report.nodes, report.relationships) == (2 + 4, 2 + 6)
    rows = embedded_graph.read(
        "MATCH (:Entity)-[r:RELATED]->(o:Entity) RETURN r.predicate, r.chunk_ids ORDER BY r.predicate"
    )
    assert rows.records == [("kept", ["p0", "p1"]), ("lived in", ["p1"])]
    texts = embedded_graph.read("MATCH (:Entity {`_arc_name`: 'granite'})-[:MENTIONED_IN]->(c:Chunk) RETURN c.text")
    assert texts.records == [("Kittiwake Light\nEdda Brisk kept it.",)]


def test_questions_with_their_gold_and_whether_triples_hold_the_answer(read, tmp_path):
    def paragraphs(*supporting: int) -> list[dict[str, Any]]:
        chosen = enumerate(DOCUMENTS[:2])
        return [{"title": d["title"], "paragraph_text": d["text"], "is_supporting": i in supporting} for i, d in chosen]

    asked = [
        {
            "id": "a",
            "question": "Where?",
            "answer": "United States",
            "answer_aliases": ["U.S."],
            "paragraphs": paragraphs(1, 0),
        },
        {"id": "b", "question": "Where?", "answer": "United States", "answer_aliases": [], "paragraphs": paragraphs(1)},
        {"id": "c", "question": "Where?", "answer": "U.S.", "paragraphs": paragraphs(0)},
    ]
    questions = openie.read_questions(written(tmp_path / "questions.json", asked), read)
    assert [(q.id, q.answers, q.gold, q.answerable) for q in questions] == [
        ("a", ("United States", "U.S."), ("p0", "p1"), True),
        ("b", ("United States",), ("p1",), False),
        ("c", ("U.S.",), ("p0",), False),
    ]
    asked[0]["paragraphs"][0]["paragraph_text"] = "Something else."
    with pytest.raises(ValueError, match="does not have: Kittiwake Light"):
        openie.read_questions(written(tmp_path / "questions.json", asked), read)


@pytest.mark.parametrize(
    ("text", "answers", "held"),
    [
        ("Al moved to Gale", ["al"], True),
        ("Gale moved", ["al"], False),
        ("the Anglican Communion", ["Anglican Communion"], True),
        ("Anglican communion,", ["the Anglican Communion"], True),
        ("Bogotá D.C.", ["Bogota"], True),
        ("The", ["the"], False),
        ("x", ["y", "X"], True),
        ("x", [], False),
    ],
)
def test_an_answer_is_held_as_whole_words_without_articles(text, answers, held):
    assert openie.holds_answer(text, answers) is held


@pytest.mark.parametrize("content", [[], {"docs": 7}, {"docs": ["x"]}, {}])
def test_another_file_is_refused_by_name(tmp_path, content):
    with pytest.raises(ValueError, match=r"other\.json is no OpenIE file"):
        openie.read_openie(written(tmp_path / "other.json", content))


@pytest.mark.parametrize("raw", [b"", b"{", b"\xff\xfe\xff", gzip.compress(b"{}" * 999)[:30]])
def test_a_file_that_cannot_be_read_is_named(tmp_path, raw):
    (tmp_path / "broken.json").write_bytes(raw)
    with pytest.raises(ValueError, match=r"broken\.json cannot be read as JSON"):
        openie.read_openie(tmp_path / "broken.json")


@pytest.mark.data
def test_the_corpus_that_the_benchmark_reads(shared_data):
    folder = shared_data("hipporag")
    read = openie.read_openie(folder / "openie_musique_train_gpt-3.5-turbo-1106.json.gz")
    counts = read.counts()
    assert (counts["passages"], counts["triples"], counts["predicates"]) == (1_890, 17_234, 5_043)
    assert (counts["ill-formed triples dropped"], counts["repeated passages dropped"]) == (185, 0)
    questions = openie.read_questions(folder / "musique_train_q_even.json.gz", read)
    assert (len(questions), sum(len(q.gold) for q in questions), sum(q.answerable for q in questions)) == (50, 120, 39)


def test_passages_are_found_in_what_was_loaded(embedded_graph, settings, tmp_path):
    """Edges name the passages, and introspection finds both forms in one graph."""
    documents = [
        document(
            f"Light {i}",
            f"Light number {i} stands on the north coast and is known to every sailor of these waters. It is old.",
            [[f"Light {i}", "stands on", "north coast"], [f"Light {i}", "is near", f"Light {i + 1}"]],
        )
        for i in range(12)
    ]
    read = openie.read_openie(written(tmp_path / "openie.json", {"docs": documents}))
    load(openie.write_graph(read, tmp_path), embedded_graph)
    schema = embedded_graph.schema(refresh=True)
    assert (schema.passages.edge_key, schema.passages.mention_types) == ("chunk_ids", ("MENTIONED_IN",))
    assert (schema.relations.kind, schema.relations.key) == ("property", "predicate")
    index = open_or_build_passages(embedded_graph, schema, settings)
    assert index.passage(index.search("What do sailors know of light number 7?", 1)[0].id).key == "p7"
