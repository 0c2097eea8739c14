"""HippoRAG's OpenIE file (passages, their entities and triples) as a property graph that arcgraph loads.

    python benchmarks/openie.py openie_musique_train_gpt-3.5-turbo-1106.json.gz --out musique
    arcgraph load musique/nodes.jsonl musique/rels.jsonl --to musique.arc

Passages become ``(:Chunk {id, text, title})``, where ``text`` begins with the title's line as HippoRAG's passages do.
A triple becomes ``(:Entity {name})-[:RELATED {predicate, chunk_ids}]->(:Entity {name})``: one edge for each distinct
subject, predicate and object, ``chunk_ids`` naming every passage that states it. Every entity, of a triple or only
extracted, has a ``MENTIONED_IN`` edge to each of its passages. Names that are equal after trimming are one entity;
"WWII" and "wwii" stay two, because extraction is left as noisy as it is. Triples that are not three strings with
something in them are counted and dropped.

Data: HippoRAG (MIT), MuSiQue (CC BY 4.0), under ARCGRAPH_DATA/hipporag.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from arcgraph.search.text import tokens


class Triple(NamedTuple):
    """What a passage was found to state."""

    subject: str
    predicate: str
    object: str


@dataclass(frozen=True)
class Passage:
    """One passage with what was extracted from it; ``entities`` are those of the triples, too."""

    id: str
    title: str
    text: str
    entities: tuple[str, ...]
    triples: tuple[Triple, ...]


@dataclass
class OpenIE:
    """A corpus as extracted, and how much of it could not be used."""

    passages: list[Passage] = field(default_factory=list)
    repeated_passages: int = 0
    ill_formed_triples: int = 0
    ill_formed_entities: int = 0

    def edges(self) -> dict[Triple, list[str]]:
        """Each distinct triple, and the ids of the passages that state it."""
        stated: dict[Triple, list[str]] = {}
        for passage in self.passages:
            for triple in dict.fromkeys(passage.triples):
                stated.setdefault(triple, []).append(passage.id)
        return stated

    def counts(self) -> dict[str, int]:
        """What there is and what was dropped."""
        edges = self.edges()
        return {
            "passages": len(self.passages),
            "entities": len({name for passage in self.passages for name in passage.entities}),
            "mentions": sum(len(passage.entities) for passage in self.passages),
            "triples": sum(len(passage.triples) for passage in self.passages),
            "distinct triples": len(edges),
            "predicates": len({triple.predicate for triple in edges}),
            "repeated passages dropped": self.repeated_passages,
            "ill-formed triples dropped": self.ill_formed_triples,
            "ill-formed entities dropped": self.ill_formed_entities,
        }


def read_openie(path: Path) -> OpenIE:
    """Read an OpenIE file, plain or gzip. Raises ``ValueError`` for a file of another kind."""
    content = _read_json(path)
    documents = content.get("docs") if isinstance(content, Mapping) else None
    if not isinstance(documents, list) or not all(isinstance(document, Mapping) for document in documents):
        raise ValueError(f'{path} is no OpenIE file of HippoRAG: it has no list "docs" of passages')
    read = OpenIE()
    seen: set[str] = set()
    for number, document in enumerate(documents):
        passage = _passage(f"p{number}", document, read)
        if passage.text in seen:
            read.repeated_passages += 1
        else:
            seen.add(passage.text)
            read.passages.append(passage)
    return read


def _read_json(path: Path) -> Any:
    raw = path.read_bytes()
    try:
        return json.loads(gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw)
    except (ValueError, EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise ValueError(f"{path} cannot be read as JSON, plain or gzip: {error}") from error


def _passage(id: str, document: Mapping[str, Any], read: OpenIE) -> Passage:
    title, text = document.get("title") or "", document.get("text") or ""
    whole = document.get("passage") or passage_text(title, text)
    given, extracted = document.get("extracted_triples") or [], document.get("extracted_entities") or []
    triples = [triple for triple in map(_triple, given) if triple is not None]
    entities = [name for name in map(_name, extracted) if name is not None]
    read.ill_formed_triples += len(given) - len(triples)
    read.ill_formed_entities += len(extracted) - len(entities)
    names = [*entities, *(name for triple in triples for name in (triple.subject, triple.object))]
    return Passage(id, title, whole, tuple(dict.fromkeys(names)), tuple(triples))


def passage_text(title: str, text: str) -> str:
    """A passage as HippoRAG writes it: the title in a line of its own."""
    return f"{title}\n{text}"


def _triple(value: Any) -> Triple | None:
    """The triple that a value is, trimmed; ``None`` unless it is three strings with something in them."""
    if not isinstance(value, list) or len(value) != 3:
        return None
    subject, predicate, object_ = map(_name, value)
    return Triple(subject, predicate, object_) if subject and predicate and object_ else None


def _name(value: Any) -> str | None:
    return (value.strip() or None) if isinstance(value, str) else None


# --- as a graph --------------------------------------------------------------------------------------------------


def nodes(read: OpenIE) -> Iterator[dict[str, Any]]:
    """Passages and entities, in the loader's format."""
    for passage in read.passages:
        props = {"id": passage.id, "text": passage.text, "title": passage.title}
        yield {"id": passage.id, "labels": ["Chunk"], "props": props}
    for name in dict.fromkeys(name for passage in read.passages for name in passage.entities):
        yield {"id": _entity_id(name), "labels": ["Entity"], "props": {"name": name}}


def relationships(read: OpenIE) -> Iterator[dict[str, Any]]:
    """Triples and mentions, in the loader's format."""
    for triple, passages in read.edges().items():
        props = {"predicate": triple.predicate, "chunk_ids": passages}
        yield _relationship(_entity_id(triple.subject), "RELATED", _entity_id(triple.object), props)
    for passage in read.passages:
        for name in passage.entities:
            yield _relationship(_entity_id(name), "MENTIONED_IN", passage.id, {})


def _relationship(start: str, type_: str, end: str, props: dict[str, Any]) -> dict[str, Any]:
    return {"start": start, "type": type_, "end": end, "props": props}


def _entity_id(name: str) -> str:
    return f"e:{name}"


def write_graph(read: OpenIE, folder: Path) -> list[Path]:
    """Write ``nodes.jsonl`` and ``rels.jsonl`` into a folder and return them."""
    folder.mkdir(parents=True, exist_ok=True)
    written = {folder / "nodes.jsonl": nodes(read), folder / "rels.jsonl": relationships(read)}
    for path, records in written.items():
        _write_lines(path, records)
    return list(written)


def _write_lines(path: Path, records: Iterable[Mapping[str, Any]]) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


# --- questions ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Question:
    """A question with its gold.

    ``gold`` are ids of the passages needed, in the order of the steps; ``answerable`` is whether the answer or one of
    its aliases stands in a triple of these passages, so that a witness can hold it.
    """

    id: str
    question: str
    answers: tuple[str, ...]
    gold: tuple[str, ...]
    answerable: bool


def read_questions(path: Path, read: OpenIE) -> list[Question]:
    """MuSiQue's questions over the passages read. Raises ``ValueError`` where a gold passage is not among them."""
    by_text = {passage.text: passage for passage in read.passages}
    return [_question(record, by_text) for record in _read_json(path)]


def _question(record: Mapping[str, Any], by_text: Mapping[str, Passage]) -> Question:
    needed = [p for p in record["paragraphs"] if p["is_supporting"]]
    texts = [passage_text(p["title"], p["paragraph_text"]) for p in needed]
    if absent := [text.split("\n", 1)[0] for text in texts if text not in by_text]:
        raise ValueError(f"question {record['id']} needs passages that the corpus does not have: {', '.join(absent)}")
    gold = [by_text[text] for text in dict.fromkeys(texts)]
    answers = tuple(dict.fromkeys([record["answer"], *record.get("answer_aliases", ())]))
    stated = [" ".join(triple) for passage in gold for triple in passage.triples]
    answerable = any(holds_answer(text, answers) for text in stated)
    return Question(record["id"], record["question"], answers, tuple(passage.id for passage in gold), answerable)


def holds_answer(text: str, answers: Iterable[str]) -> bool:
    """Whether one of the answers stands in a text as whole words, whatever its case, accents, punctuation and articles.

    Articles are left out as in the scripts that score answers of SQuAD and MuSiQue.
    """
    padded = f" {_without_articles(text)} "
    return any(f" {words} " in padded for answer in answers if (words := _without_articles(answer)))


def _without_articles(text: str) -> str:
    return " ".join(word for word in tokens(text) if word not in ("a", "an", "the"))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, help="the OpenIE file, plain or gzip")
    parser.add_argument("--out", type=Path, required=True, help="folder for nodes.jsonl and rels.jsonl")
    options = parser.parse_args()
    try:
        read = read_openie(options.file)
    except (OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    for what, number in read.counts().items():
        print(f"{number:>8,}  {what}")
    print("written:", *write_graph(read, options.out))
    return 0


if __name__ == "__main__":
    sys.exit(main())
