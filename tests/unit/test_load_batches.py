"""Rows in groups, narrowing to the rows at fault, and the file of bad lines."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from arcgraph.domain import Rows
from arcgraph.errors import QueryError, QueryTimeout, ServerGone, StorageError
from arcgraph.graph.batches import File, Groups, Rejects, Row, Writer
from arcgraph.graph.formats import Read, Source


class RefusingGraph:
    """Takes batches, all or none, and refuses those with a row that ``refuses`` says so of."""

    dialect, name = "neo4j", "a fake"

    def __init__(self, refuses: Callable[[dict[str, Any]], bool], error: QueryError | None = None):
        self._refuses = refuses
        self._error = error or QueryError("it does not fit", code="Neo.ClientError.Schema.ConstraintValidationFailed")
        self.taken: list[dict[str, Any]] = []
        self.queries: list[str] = []

    def write(self, query: str, params: Mapping[str, Any] | None = None) -> None:
        rows = (params or {})["rows"]
        self.queries.append(query)
        if any(map(self._refuses, rows)):
            raise self._error
        self.taken.extend(rows)

    def prepare(self, naming: Iterable[tuple[str, str]] = ()) -> None: ...

    def save(self) -> None: ...

    def run(self, query: str, params: Mapping[str, Any] | None = None, **limits: Any) -> Rows:
        del params, limits
        raise AssertionError(f"the writer reads nothing: {query}")

    read = run

    def explain(self, query: str, params: Mapping[str, Any] | None = None) -> Any: ...

    def schema(self, *, refresh: bool = False) -> Any: ...

    def close(self) -> None: ...


@pytest.fixture
def file(tmp_path: Path) -> File:
    path = tmp_path / "some.jsonl"
    path.write_text("x\n")
    return File(Source.open(path), lambda: iter(()))


def rows_of(file: File, count: int) -> list[Row]:
    return [Row(file, Read(number, b"x" * 10, None), {"id": str(number), "props": {}}) for number in range(count)]


def test_the_rows_at_fault_are_found(file: File) -> None:
    graph = RefusingGraph(lambda row: row["id"] in ("3", "40", "41"))
    refused = Writer(graph).nodes(("A",), rows_of(file, 100))
    assert [row.values["id"] for row, _ in refused] == ["3", "40", "41"]
    assert {reason for _, reason in refused} == {"the database refuses it: it does not fit"}
    assert sorted(int(row["id"]) for row in graph.taken) == [n for n in range(100) if n not in (3, 40, 41)]


def test_a_label_that_is_refused_itself_is_not_tried_for_each_row(file: File) -> None:
    graph = RefusingGraph(lambda _: True)
    assert len(Writer(graph).nodes(("A",), rows_of(file, 5_000))) == 5_000
    assert len(graph.queries) < 100


@pytest.mark.parametrize(
    "error",
    [
        ServerGone("gone"),
        QueryTimeout("late"),
        QueryError("busy", code="Neo.TransientError.Transaction.DeadlockDetected", retryable=True),
        QueryError("no", code="Neo.ClientError.Security.Forbidden"),
        QueryError("full", code="Neo.DatabaseError.General.UnknownError"),
    ],
)
def test_what_concerns_the_whole_load_ends_it(file: File, error: QueryError) -> None:
    graph = RefusingGraph(lambda _: True, error)
    with pytest.raises(QueryError) as caught:
        Writer(graph).nodes((), rows_of(file, 100))
    assert caught.value is error
    assert len(graph.queries) == 1


def test_names_in_statements_are_quoted(file: File) -> None:
    graph = RefusingGraph(lambda _: False)
    Writer(graph).nodes(("A`B", "C D"), rows_of(file, 1))
    Writer(graph).edges("T`) DETACH DELETE n //", rows_of(file, 1))
    assert ":`A``B`:`C D`" in graph.queries[0]
    assert "[r:`T``) DETACH DELETE n //`]" in graph.queries[1]


def test_a_group_is_written_when_it_is_full(file: File) -> None:
    written: list[tuple[str, int]] = []
    groups = Groups[str](10, lambda key, rows: written.append((key, len(rows))))
    for row in rows_of(file, 25):
        groups.add("A", row)
    assert written == [("A", 10), ("A", 10)]
    groups.flush()
    assert written == [("A", 10), ("A", 10), ("A", 5)]


def test_many_groups_are_bounded_together_and_the_fullest_go_first(file: File) -> None:
    written: list[tuple[str, int]] = []
    groups = Groups[str](10, lambda key, rows: written.append((key, len(rows))))
    (row,) = rows_of(file, 1)
    for key in [*"abcdefgh"] * 4 + ["a"] * 4 + [*"bcdefgh"]:
        groups.add(key, row)
    assert written[0] == ("a", 8)
    assert sum(count for _, count in written) >= 20
    groups.flush()
    assert sum(count for _, count in written) == 43


def test_large_rows_are_written_early(file: File) -> None:
    written: list[int] = []
    groups = Groups[str](1_000, lambda _, rows: written.append(len(rows)))
    for _ in range(20):
        groups.add("A", Row(file, Read(1, b"x" * 2**20, None), {}))
    assert written == [16]


def test_bad_lines_are_kept_with_their_reason(tmp_path: Path, file: File) -> None:
    rejects = Rejects(tmp_path / "bad.jsonl")
    assert rejects.path is None
    file.good = 1
    rejects.add(file, Read(3, "é\n".encode(), None), "odd")
    rejects.revoke(file, Read(4, b"\xff", None), "odder")
    rejects.close()
    lines = [json.loads(line) for line in (tmp_path / "bad.jsonl").read_text(encoding="utf-8").splitlines()]
    assert lines == [
        {"file": file.source.name, "line": 3, "reason": "odd", "raw": "é\n"},
        {"file": file.source.name, "line": 4, "reason": "odder", "raw": "\\xff"},
    ]
    assert (rejects.count, file.good, file.bad, file.first_fault) == (2, 0, 2, "line 3: odd")
    assert rejects.path == tmp_path / "bad.jsonl"


def test_a_file_of_bad_lines_that_cannot_be_written_says_what_to_do(tmp_path: Path, file: File) -> None:
    rejects = Rejects(tmp_path / "absent" / "bad.jsonl")
    with pytest.raises(StorageError, match=r"--rejects.*line 3: odd"):
        rejects.add(file, Read(3, b"x", None), "odd")
