"""Readers of graph files, each line understood or given a reason."""

from __future__ import annotations

import gzip
import json
import os
import threading
from pathlib import Path
from typing import Any

import pytest
from neo4j.time import Date

from arcgraph.errors import LoadError
from arcgraph.graph.formats import (
    EdgeRecord,
    NodeRecord,
    PropertyTypes,
    Read,
    Source,
    Triple,
    csv_header,
    is_jsonl,
    read_csv,
    read_jsonl,
    read_triples,
    triple_shape,
)


@pytest.fixture
def write(tmp_path: Path) -> Any:
    """``write("a.txt", content)``: the path of a file with that text or those bytes."""

    def make(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return make


def jsonl(path: Path, types: dict[str, str] | None = None) -> list[Read]:
    return list(read_jsonl(Source.open(path), PropertyTypes(types)))


def triples(path: Path, sep: str | None = None, columns: str | None = None) -> list[Read]:
    source = Source.open(path)
    return list(read_triples(source, triple_shape(source, sep, columns)))


def rows(path: Path, sep: str | None = None) -> list[Read]:
    source = Source.open(path)
    header = csv_header(source, sep)
    assert header is not None
    return list(read_csv(source, header))


def only_reason(reads: list[Read]) -> str:
    (read,) = reads
    assert read.record is None
    return read.reason


# --- files ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_lines_are_numbered_and_blank_ones_counted(write: Any, pack: Any) -> None:
    source = Source.open(write("a", pack(b"\xef\xbb\xbfone\r\n\n  \nfour")))
    assert list(source.lines()) == [(1, b"one"), (4, b"four")]
    assert source.position == source.size


def test_gzip_is_known_by_its_bytes(write: Any) -> None:
    assert list(Source.open(write("a.txt", gzip.compress(b"x\n"))).lines()) == [(1, b"x")]
    assert list(Source.open(write("b.gz", b"x\n")).lines()) == [(1, b"x")]


def test_members_of_gzip_follow_each_other(write: Any) -> None:
    assert len(list(Source.open(write("a.gz", gzip.compress(b"x\n") + gzip.compress(b"y\n"))).lines())) == 2


def test_damaged_gzip_says_where(write: Any) -> None:
    text = "\n".join(str(number**5) for number in range(20_000)).encode()
    source = Source.open(write("a.gz", gzip.compress(text)[:-2000]))
    seen = []
    with pytest.raises(LoadError, match=r"damaged after line \d+"):
        seen.extend(source.lines())
    with pytest.raises(LoadError):
        list(source.lines())


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(LoadError, match="there is no file"):
        Source.open(tmp_path / "absent")
    with pytest.raises(LoadError, match="is a folder; name the files in it"):
        Source.open(tmp_path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_a_pipe_can_be_read_twice(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(b"a|b|c\n",))
    writer.start()
    source = Source.open(pipe)
    writer.join()
    assert list(source.lines()) == list(source.lines()) == [(1, b"a|b|c")]
    assert source.name == str(pipe)


# --- which format --------------------------------------------------------------------------------------------------


def test_jsonl_is_known_by_content_or_name(write: Any) -> None:
    assert is_jsonl(Source.open(write("a.txt", '{"id": 1}\n')))
    assert is_jsonl(Source.open(write("b.txt", 'oops\n{"id": 1}\n')))
    assert is_jsonl(Source.open(write("c.jsonl.gz", gzip.compress(b"oops\n"))))
    assert not is_jsonl(Source.open(write("d.txt", "a|b|c\n")))


def test_a_json_list_says_how_to_make_lines_of_it(write: Any) -> None:
    with pytest.raises(LoadError, match="one object a line"):
        is_jsonl(Source.open(write("a.json", '[{"id": 1}]')))
    with pytest.raises(LoadError, match="one object a line"):
        is_jsonl(Source.open(write("b.json", '[\n {"id": 1}\n]')))


# --- JSONL ---------------------------------------------------------------------------------------------------------


def test_nodes_and_relationships(write: Any) -> None:
    lines = [
        {"id": 1, "labels": ["A", "B", "A"], "props": {"x": 1, "gone": None}},
        {"id": "two"},
        {"start": 1, "type": "T", "end": "two", "props": {"w": [1.5]}},
        {"start": 1, "type": "T", "end": "two"},
    ]
    reads = jsonl(write("a", "\n".join(map(json.dumps, lines))))
    first, second, third, fourth = (read.record for read in reads)
    assert isinstance(first, NodeRecord)
    assert first[:3] == ("1", ("A", "B"), {"x": 1})
    assert isinstance(second, NodeRecord)
    assert second[:3] == ("two", (), {})
    assert isinstance(third, EdgeRecord)
    assert third[:4] == ("1", "T", "two", {"w": [1.5]})
    assert isinstance(fourth, EdgeRecord)
    assert fourth.content != third.content
    assert [read.number for read in reads] == [1, 2, 3, 4]


def test_content_does_not_depend_on_the_order_of_keys(write: Any) -> None:
    lines = [
        '{"id": 1, "labels": ["A", "B"], "props": {"x": 1, "y": 2}}',
        '{"props": {"y": 2, "x": 1}, "labels": ["B", "A"], "id": 1}',
    ]
    one, other = (read.record for read in jsonl(write("a", "\n".join(lines))))
    assert isinstance(one, NodeRecord)
    assert isinstance(other, NodeRecord)
    assert one.content == other.content


def test_declared_types_are_used(write: Any) -> None:
    path = write("a", '{"id": 1, "props": {"born": "2000-01-01", "died": "2050-01-01"}}')
    (read,) = jsonl(path, {"born": "date"})
    assert isinstance(read.record, NodeRecord)
    assert read.record.properties == {"born": Date(2000, 1, 1), "died": "2050-01-01"}


def test_nasty_names_are_kept(write: Any) -> None:
    nasty = "a 'b' \"c\" `d` \\ \n\t שלום 🌋 {x} $y"
    line = json.dumps({"id": nasty, "labels": [nasty], "props": {nasty: nasty}})
    (read,) = jsonl(write("a", line))
    assert isinstance(read.record, NodeRecord)
    assert read.record[:3] == (nasty, (nasty,), {nasty: nasty})


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b'{"id": 1', "broken JSON: Expecting ',' delimiter at character 9"),
        (b"[1]", "not a JSON object"),
        (b'{"name": "x"}', "neither a node {id, labels, props} nor a relationship"),
        (b'{"start": 1, "end": 2}', "type missing"),
        (b'{"start": 1}', "type and end missing"),
        (b'{"start": 1, "type": "", "end": 2}', "the type of a relationship must be a string, and not empty"),
        (b'{"start": null, "type": "T", "end": 2}', "start must be a string or a whole number"),
        (b'{"id": 1.5}', "id must be a string or a whole number"),
        (b'{"id": true}', "id must be a string or a whole number"),
        (b'{"id": "\\u0000"}', "id cannot hold a zero character"),
        (b'{"id": ""}', "id must be a string or a whole number"),
        (b'{"id": 1, "labels": "A"}', "labels must be a list of strings"),
        (b'{"id": 1, "labels": [1]}', "a label must be a string, and not empty"),
        (b'{"id": 1, "labels": [""]}', "a label must be a string, and not empty"),
        (b'{"id": 1, "labels": ["_Arcgraph"]}', "the label _Arcgraph is reserved"),
        (b'{"id": 1, "labels": ["\\u0000"]}', "a label cannot hold a zero character"),
        (b'{"id": 1, "props": [1]}', "props must be a JSON object"),
        (b'{"id": 1, "props": {"": 1}}', "property '': a property key must be a string, and not empty"),
        (b'{"id": 1, "props": {"_arcgraph_id": 1}}', "property '_arcgraph_id': this key is reserved"),
        (b'{"id": 1, "props": {"x": {"y": 1}}}', "property 'x': a map is no property value"),
        (b'{"id": 1, "props": {"born": "soon"}}', "property 'born': 'soon' is no date (YYYY-MM-DD)"),
        (b'{"id": 1, "props": {"x": NaN}}', "NaN is no JSON number"),
        (b'{"id": 1, "props": {"x": "\xff"}}', "ill-formed UTF-8"),
        (b'{"id": 1, "props": {"x": "\\ud800"}}', "ill-formed UTF-8"),
        (b'{"id": ' + b"[" * 100_000, "nested too deeply"),
    ],
)
def test_bad_lines_have_a_reason(write: Any, line: bytes, reason: str) -> None:
    assert only_reason(jsonl(write("a", line), {"born": "date"})).startswith(reason)


def test_a_whole_surrogate_pair_is_fine(write: Any) -> None:
    (read,) = jsonl(write("a", b'{"id": 1, "props": {"x": "\\ud83c\\udf0b"}}'))
    assert isinstance(read.record, NodeRecord)
    assert read.record.properties == {"x": "🌋"}


def test_a_schema_file(write: Any) -> None:
    text = json.dumps({"property_types": {"born": {"date": 3}, "when": {"date": 1, "string": 2}, "n": {"integer": 1}}})
    for path in (write("schema.json", text), write("schema.json.gz", gzip.compress(text.encode()))):
        assert PropertyTypes.from_file(path).types == {"born": "date", "n": "integer"}


@pytest.mark.parametrize("content", ["", "{}", "[]", "no JSON", '{"property_types": []}'])
def test_what_is_no_schema_file_is_shown_one(write: Any, content: str) -> None:
    with pytest.raises(LoadError, match="property_types"):
        PropertyTypes.from_file(write("schema.json", content))


def test_a_schema_file_may_name_one_type_alone(write: Any) -> None:
    assert PropertyTypes.from_file(
        write("s.json", '{"property_types": {"a": "date", "b": ["date", "time"]}}')
    ).types == {"a": "date"}


def test_an_absent_schema_file(tmp_path: Path) -> None:
    with pytest.raises(LoadError, match="there is no schema file"):
        PropertyTypes.from_file(tmp_path / "schema.json")


# --- triples -------------------------------------------------------------------------------------------------------


def test_triples_are_taken_as_written(write: Any) -> None:
    (read,) = triples(write("a.txt", ' "Heat| was directed by|Mann\r\n'))
    assert read.record == Triple(' "Heat', " was directed by", "Mann")


def test_tabs_are_found(write: Any) -> None:
    (read,) = triples(write("a.tsv", "a b\tr\tc\n"))
    assert read.record == Triple("a b", "r", "c")


def test_a_separator_may_be_several_characters(write: Any) -> None:
    (read,) = triples(write("a.txt", "a ||| r ||| c"), sep=" ||| ")
    assert read.record == Triple("a", "r", "c")


def test_commas_may_be_quoted(write: Any) -> None:
    first, second = triples(write("a.csv", 'x,r,"a, b"\n"two\nlines",r,c\n'), sep=",")
    assert first.record == Triple("x", "r", "a, b")
    assert second.record == Triple("two\nlines", "r", "c")
    assert second.number == 2


def test_columns_by_name_and_by_number(write: Any) -> None:
    named, numbered = write("a.csv", "to,how,from,weight\nb,r,a,1\n"), write("b.txt", "1|r|a|b\n")
    assert [read.record for read in triples(named, sep=",", columns="from, how, to")] == [Triple("a", "r", "b")]
    assert [read.record for read in triples(numbered, columns="3,2,4")] == [Triple("a", "r", "b")]


@pytest.mark.parametrize("columns", ["a", "a,b", "a,,c", "a,b,c,d"])
def test_columns_are_three(write: Any, columns: str) -> None:
    with pytest.raises(LoadError, match="three columns"):
        triples(write("a.csv", "a,b,c\n"), sep=",", columns=columns)


def test_an_absent_column_names_those_there_are(write: Any) -> None:
    with pytest.raises(LoadError, match=r"no column 'tail'; its first line names head, relation, object"):
        triples(write("a.csv", "head,relation,object\n"), sep=",", columns="head,relation,tail")


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"a|b", "2 fields where 3 are expected"),
        (b"a", "1 field where 3 are expected"),
        (b"a|b|c|d", "4 fields where 3 are expected"),
        (b"a||c", "subject, relation or object is empty"),
        (b"  |b|c", "subject, relation or object is empty"),
        (b"a|\xff|c", "ill-formed UTF-8"),
        (b"a|\x00|c", "a triple cannot hold a zero character"),
    ],
)
def test_bad_triples_have_a_reason(write: Any, line: bytes, reason: str) -> None:
    assert only_reason(triples(write("a.txt", line))) == reason


def test_too_few_columns_for_the_numbers(write: Any) -> None:
    assert only_reason(triples(write("a.txt", "a|b"), columns="1,2,3")) == "2 fields where at least 3 are expected"


# --- CSV -----------------------------------------------------------------------------------------------------------


def test_nodes_of_neo4j_admin(write: Any) -> None:
    text = (
        "personId:ID(Person),name,born:date,scores:float[],:LABEL,note:IGNORE\n"
        '1,"Ann ""A"" B",2000-01-01,1.5;2,Person;Actor,x\n'
        '2,"two\nlines",,,,\n'
    )
    first, second = rows(write("n.csv", text))
    assert isinstance(first.record, NodeRecord)
    assert first.record[:3] == (
        "Person:1",
        ("Person", "Actor"),
        {"personId": "1", "name": 'Ann "A" B', "born": Date(2000, 1, 1), "scores": [1.5, 2.0]},
    )
    assert isinstance(second.record, NodeRecord)
    assert second.record[:3] == ("Person:2", (), {"personId": "2", "name": "two\nlines"})
    assert (first.number, second.number) == (2, 3)


def test_relationships_of_neo4j_admin(write: Any) -> None:
    (read,) = rows(write("r.csv", ":START_ID(Person);role;since:int;:END_ID(Film);:TYPE\n1;lead;1999;7;ACTED IN\n"))
    assert isinstance(read.record, EdgeRecord)
    assert read.record[:4] == ("Person:1", "ACTED IN", "Film:7", {"role": "lead", "since": 1999})


def test_a_given_separator_is_used(write: Any) -> None:
    path = write("n.csv", ":ID#a,b\n1#x\n")
    (read,) = rows(path, sep="#")
    assert isinstance(read.record, NodeRecord)
    assert read.record.properties == {"a,b": "x"}


def test_an_id_without_space_is_itself(write: Any) -> None:
    (read,) = rows(write("n.csv", "id:ID,name\nx,y\n"))
    assert isinstance(read.record, NodeRecord)
    assert read.record[:3] == ("x", (), {"id": "x", "name": "y"})


def test_an_id_may_be_a_number_property(write: Any) -> None:
    (read,) = rows(write("n.csv", "id:ID(P){id-type:long}\n7\n"))
    assert isinstance(read.record, NodeRecord)
    assert read.record[:3] == ("P:7", (), {"id": 7})


def test_empty_and_absent_strings_differ(write: Any) -> None:
    (read,) = rows(write("n.csv", ':ID,a,b,c\n1,,"",x\n'))
    assert isinstance(read.record, NodeRecord)
    assert read.record.properties == {"b": "", "c": "x"}


def test_points_with_options(write: Any) -> None:
    (read,) = rows(write("n.csv", ':ID,at:point{crs:WGS-84}\n1,"{latitude:1.5, longitude:2.5}"\n'))
    assert isinstance(read.record, NodeRecord)
    assert tuple(read.record.properties["at"]) == (2.5, 1.5)


def test_line_breaks_inside_quotes_are_kept(write: Any) -> None:
    (read,) = rows(write("n.csv", b':ID,a\r\n1,"x\r\n \r\n\r\ny"\r\n'))
    assert isinstance(read.record, NodeRecord)
    assert read.record.properties == {"a": "x\r\n \r\n\r\ny"}


def test_no_header_is_no_csv_of_ours(write: Any) -> None:
    assert csv_header(Source.open(write("a.csv", "a,b,c\n")), None) is None
    assert csv_header(Source.open(write("b.csv", "")), None) is None


@pytest.mark.parametrize(
    ("header", "reason"),
    [
        (":ID,a:quaternion", "'quaternion' is no property type"),
        ("a,:LABEL", "nodes has one :ID"),
        (":ID,x:ID", "nodes has one :ID"),
        (":START_ID,:END_ID", "relationships has one :TYPE"),
        (":ID,a,a:int", "a named more than once"),
        (":ID,:int", "a property key must be a string, and not empty"),
        (":ID,_arcgraph_id", "reserved"),
    ],
)
def test_headers_that_cannot_be_used(write: Any, header: str, reason: str) -> None:
    with pytest.raises(LoadError, match=reason):
        rows(write("a.csv", header + "\n"))


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"1", "1 field where the header names 3"),
        (b"1,2,3,4", "4 fields where the header names 3"),
        (b",2,A", ":ID is empty, or holds a zero character"),
        (b"\0,2,A", ":ID is empty, or holds a zero character"),
        (b"1,x,A", "property 'n': 'x' is no whole number of 64 bits"),
        (b"1,2,\xff", "ill-formed UTF-8"),
        (b"1,2,_Arcgraph", "the label _Arcgraph is reserved"),
    ],
)
def test_bad_records_have_a_reason(write: Any, line: bytes, reason: str) -> None:
    assert only_reason(rows(write("a.csv", b":ID,n:int,:LABEL\n" + line))) == reason
