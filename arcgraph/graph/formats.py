"""Readers of graph files: JSONL, triples, and CSV with the headers of neo4j-admin import; gzip or plain.

Every reader goes through a file once, in constant memory, and yields one :class:`Read` for each line (of CSV: each
record, which may span lines), understood or not. It never raises for a bad line.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
import shutil
import tempfile
import weakref
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from arcgraph.domain import RESERVED_KEY, RESERVED_LABEL
from arcgraph.errors import LoadError
from arcgraph.graph.literals import Convert, converter, storable, text_converter

LONGEST_LINE = 64 * 2**20
_SNIFFED = 2**18
_GZIP = b"\x1f\x8b"
_MARK = b"\xef\xbb\xbf"


class NodeRecord(NamedTuple):
    """A node as a file tells it; ``content`` is the same where labels and properties are."""

    id: str
    labels: tuple[str, ...]
    properties: dict[str, Any]
    content: str = ""


class EdgeRecord(NamedTuple):
    """A relationship as a file tells it; ``content`` is the same where its properties are.

    ``unique``: said twice it is one relationship, not two parallel ones.
    """

    start: str
    type: str
    end: str
    properties: dict[str, Any]
    content: str = ""
    unique: bool = False


class Triple(NamedTuple):
    """Subject, relation and object as a file tells them."""

    subject: str
    relation: str
    object: str


Record = NodeRecord | EdgeRecord | Triple


class Read(NamedTuple):
    """What became of one line: a record, or a reason why not. ``number`` counts from 1."""

    number: int
    raw: bytes
    record: Record | None
    reason: str = ""


# --- files ---------------------------------------------------------------------------------------------------------


@dataclass
class Source:
    """One file to load; ``position`` and ``size`` are in bytes on disk. A pipe is copied, for files are read twice."""

    path: Path
    name: str = ""
    size: int = 0
    position: int = 0

    @classmethod
    def open(cls, path: str | Path) -> Source:
        """Check that a file can be read. Raises :class:`~arcgraph.errors.LoadError`."""
        path = Path(path)
        if path.is_dir():
            raise LoadError(f"{path} is a folder; name the files in it, nodes as well as relationships")
        try:
            source = cls(path, name=str(path))
            with path.open("rb") as file:
                if not path.is_file():
                    source._keep_copy(file)
            source.size = source.path.stat().st_size
        except FileNotFoundError:
            raise LoadError(f"there is no file {path}") from None
        except OSError as error:
            raise LoadError(f"{path} cannot be read: {error.strerror or error}") from error
        return source

    def _keep_copy(self, stream: BinaryIO) -> None:
        with tempfile.NamedTemporaryFile(prefix="arcgraph-", delete=False) as copy:
            shutil.copyfileobj(stream, copy)
        self.path = Path(copy.name)
        weakref.finalize(self, self.path.unlink, missing_ok=True)

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Numbered lines without their ends; blank ones are left out. Raises ``LoadError`` where gzip is damaged."""
        for number, line in self.raw_lines():
            line = line.rstrip(b"\r\n")
            if line and not line.isspace():
                yield number, line

    def raw_lines(self) -> Iterator[tuple[int, bytes]]:
        """Numbered lines as they are, each with its end. Raises ``LoadError`` where gzip is damaged."""
        self.position = 0
        number = 0
        try:
            with self.path.open("rb") as disk:
                file = io.BufferedReader(_Inflated(disk), 2**17) if disk.peek(2)[:2] == _GZIP else disk
                while line := file.readline(LONGEST_LINE):
                    number += 1
                    if number % 256 == 0:
                        self.position = disk.tell()
                    yield number, line.removeprefix(_MARK) if number == 1 else line
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise LoadError(
                f"{self.name} is damaged after line {number} ({error}); lines before it may be loaded: "
                "loading a sound copy of the file completes them"
            ) from error
        except OSError as error:
            raise LoadError(f"{self.name} cannot be read after line {number}: {error.strerror or error}") from error
        self.position = self.size

    def head(self, lines: int) -> list[str]:
        """The first few lines, as text, undecodable characters replaced."""
        taken, characters = [], 0
        for _, line in self.lines():
            taken.append(line[:_SNIFFED].decode("utf-8", errors="replace"))
            characters += len(line)
            if len(taken) >= lines or characters > _SNIFFED:
                break
        return taken


class _Inflated(io.RawIOBase):
    """Unpacked gzip, to be buffered: GzipFile's own readline is slow, and its read gives up what precedes damage."""

    def __init__(self, disk: BinaryIO):
        self._gzip = gzip.GzipFile(fileobj=disk)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._gzip.read1(len(buffer))
        buffer[: len(data)] = data
        return len(data)


# --- which format --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class TripleShape:
    """How triples lie in lines: separator, whether fields may be quoted, and three columns (positions from 0)."""

    separator: str = "|"
    quoted: bool = False
    columns: tuple[int, int, int] = (0, 1, 2)
    width: int | None = 3
    """How many fields a line has; ``None``: enough for the columns."""
    header: bool = False


def is_jsonl(source: Source) -> bool:
    """Whether the file holds one JSON object a line, by its name or its first lines."""
    names = {suffix.lower() for suffix in Path(source.name).suffixes}
    head = source.head(20)
    if head and head[0].lstrip().startswith("[") and _is_json_list(head[0]):
        raise LoadError(f"{source.name} is one JSON list; write one object a line: jq -c '.[]' IN.json > OUT.jsonl")
    return bool(names & {".jsonl", ".ndjson"}) or any(line.lstrip().startswith("{") for line in head)


def _is_json_list(line: str) -> bool:
    return line.strip() == "[" or bool(re.match(r"\s*\[\s*\{", line))


def triple_shape(source: Source, separator: str | None, columns: str | None) -> TripleShape:
    """How the triples of a file lie; ``columns`` is three header names or three positions from 1, comma-separated."""
    head = source.head(20)
    if separator is None:
        tabs = not any("|" in line for line in head) and any("\t" in line for line in head)
        separator = "\t" if tabs else "|"
    quoted = separator == "," or ".csv" in Path(source.name).suffixes
    if columns is None:
        return TripleShape(separator, quoted)
    names = [name.strip() for name in columns.split(",")]
    if len(names) != 3 or not all(names):
        raise LoadError(f"--columns takes three columns (subject, relation, object), not {columns!r}")
    if all(name.isdecimal() and int(name) > 0 for name in names):
        first, second, third = (int(name) - 1 for name in names)
        return TripleShape(separator, quoted, (first, second, third), width=None)
    header = _fields(head[0], separator, quoted) if head else []
    missing = [name for name in names if name not in header]
    if missing:
        raise LoadError(
            f"{source.name} has no column {', '.join(map(repr, missing))}; its first line names {', '.join(header)}"
        )
    first, second, third = (header.index(name) for name in names)
    return TripleShape(separator, quoted, (first, second, third), width=len(header), header=True)


def _fields(line: str, separator: str, quoted: bool) -> list[str]:
    return next(csv.reader([line], delimiter=separator), []) if quoted else line.split(separator)


# --- JSONL ---------------------------------------------------------------------------------------------------------


class PropertyTypes:
    """Declared property types: ``{"property_types": {key: {type: count}}}``; a key with several types has none."""

    def __init__(self, types: Mapping[str, str] | None = None):
        self.types = dict(types or {})
        self._convert: dict[str, Convert] = {key: converter(name) for key, name in self.types.items()}

    @classmethod
    def from_file(cls, path: Path) -> PropertyTypes:
        """Read a schema file, gzip or plain. Raises :class:`~arcgraph.errors.LoadError`."""
        try:
            raw = path.read_bytes()
            data = json.loads(gzip.decompress(raw) if raw[:2] == _GZIP else raw)
            declared = data["property_types"]
            types = {key: [types] if isinstance(types, str) else list(types) for key, types in declared.items()}
            return cls({key: names[0] for key, names in types.items() if len(names) == 1})
        except FileNotFoundError:
            raise LoadError(f"there is no schema file {path}") from None
        except (OSError, EOFError, zlib.error) as error:
            raise LoadError(f"the schema file {path} cannot be read: {error}") from error
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise LoadError(
                f'{path} is no schema file; it should be JSON like {{"property_types": {{"born": {{"date": 12}}}}}}'
            ) from error

    def properties(self, raw: Any) -> dict[str, Any]:
        """The properties of one element, converted; nulls are absent. Raises ``ValueError`` naming the key."""
        if raw is None:
            return {}
        if not isinstance(raw, dict):
            raise ValueError("props must be a JSON object")
        properties = {}
        for key, value in raw.items():
            if value is None:
                continue
            try:
                properties[_key(key)] = self._convert.get(key, storable)(value)
            except ValueError as error:
                raise ValueError(f"property {key!r}: {error}") from None
        return properties


def _key(key: str) -> str:
    if key == RESERVED_KEY:
        raise ValueError("this key is reserved")
    return _name(key, "a property key")


def _name(name: Any, what: str) -> str:
    if not isinstance(name, str) or not name:
        raise ValueError(f"{what} must be a string, and not empty")
    if "\0" in name:
        raise ValueError(f"{what} cannot hold a zero character")
    return name


def _identity(value: Any, what: str) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
        raise ValueError(f"{what} must be a string or a whole number")
    if "\0" in (text := str(value)):
        raise ValueError(f"{what} cannot hold a zero character")
    return text


def read_jsonl(source: Source, types: PropertyTypes) -> Iterator[Read]:
    """Nodes ``{id, labels, props}`` and relationships ``{start, type, end, props}``, one a line, in any order."""
    for number, raw in source.lines():
        try:
            yield Read(number, raw, _record_of_json(raw, types))
        except ValueError as error:
            yield Read(number, raw, None, _json_reason(error))


def _json_reason(error: ValueError) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"broken JSON: {error.msg} at character {error.pos + 1}"
    return "ill-formed UTF-8" if isinstance(error, UnicodeError) else str(error)


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON number")


_decode = json.JSONDecoder(parse_constant=_no_constant).decode


def _record_of_json(raw: bytes, types: PropertyTypes) -> Record:
    try:
        data = _decode(raw.decode("utf-8"))
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if not isinstance(data, dict):
        raise ValueError("not a JSON object")
    if b"\\ud" in raw or b"\\uD" in raw:
        json.dumps(data, ensure_ascii=False).encode()  # half a surrogate pair: no engine takes it
    if "start" in data or "end" in data:
        return _edge_of_json(data, types)
    return _node_of_json(data, types)


def _require(data: Mapping[str, Any], *keys: str) -> None:
    missing = [key for key in keys if key not in data]
    if missing:
        raise ValueError(f"{' and '.join(missing)} missing")


def _node_of_json(data: Mapping[str, Any], types: PropertyTypes) -> NodeRecord:
    if "id" not in data:
        raise ValueError("neither a node {id, labels, props} nor a relationship {start, type, end, props}")
    labels, props = _labels(data.get("labels")), data.get("props")
    content = json.dumps([sorted(labels), props], sort_keys=True)
    return NodeRecord(_identity(data["id"], "id"), labels, types.properties(props), content)


def _labels(raw: Any) -> tuple[str, ...]:
    if raw is None:
        return ()
    if not isinstance(raw, list):
        raise ValueError("labels must be a list of strings")
    return tuple(dict.fromkeys(_label(label) for label in raw))


def _label(label: Any) -> str:
    if label == RESERVED_LABEL:
        raise ValueError(f"the label {RESERVED_LABEL} is reserved")
    return _name(label, "a label")


def _edge_of_json(data: Mapping[str, Any], types: PropertyTypes) -> EdgeRecord:
    _require(data, "start", "type", "end")
    props = data.get("props")
    return EdgeRecord(
        _identity(data["start"], "start"),
        _name(data["type"], "the type of a relationship"),
        _identity(data["end"], "end"),
        types.properties(props),
        json.dumps(props, sort_keys=True) if props else "",
    )


# --- triples -------------------------------------------------------------------------------------------------------


def read_triples(source: Source, shape: TripleShape) -> Iterator[Read]:
    """One fact a line. Fields are taken exactly as written, blanks included."""
    lines = _quoted_records(source, shape.separator) if shape.quoted else _plain_records(source, shape.separator)
    if shape.header:
        next(lines, None)
    subject, relation, object = shape.columns
    for number, raw, fields, reason in lines:
        if not reason:
            reason = _triple_fault(fields, raw, shape)
        if reason:
            yield Read(number, raw, None, reason)
        else:
            yield Read(number, raw, Triple(fields[subject], fields[relation], fields[object]))


def _triple_fault(fields: list[str], raw: bytes, shape: TripleShape) -> str:
    wanted = shape.width or max(shape.columns) + 1
    if len(fields) < wanted or (shape.width and len(fields) > wanted):
        return f"{_counted(len(fields), 'field')} where {'' if shape.width else 'at least '}{wanted} are expected"
    for at in shape.columns:
        if not fields[at] or fields[at].isspace():
            return "subject, relation or object is empty"
    return "a triple cannot hold a zero character" if b"\0" in raw else ""


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")


_Fields = tuple[int, bytes, list[str], str]


def _plain_records(source: Source, separator: str) -> Iterator[_Fields]:
    for number, raw in source.lines():
        try:
            yield number, raw, raw.decode("utf-8").split(separator), ""
        except UnicodeDecodeError:
            yield number, raw, [], "ill-formed UTF-8"


# --- CSV -----------------------------------------------------------------------------------------------------------


def _quoted_records(source: Source, delimiter: str) -> Iterator[_Fields]:
    """CSV records: number of the first line, raw bytes, fields, fault. Quoted fields may hold line breaks."""
    # The module's own bound of 128 KiB a field is meant for untrusted columns and too small for passages.
    csv.field_size_limit(max(csv.field_size_limit(), LONGEST_LINE))
    taken: list[tuple[int, bytes]] = []

    def texts() -> Iterator[str]:
        for number, line in source.raw_lines():
            taken.append((number, line))
            yield line.decode("utf-8", errors="surrogateescape")

    reader = csv.reader(texts(), delimiter=delimiter)
    while True:
        taken.clear()
        reason, fields = "", []
        try:
            fields = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            reason = f"broken CSV: {error}"
        raw = b"".join(line for _, line in taken).rstrip(b"\r\n")
        if raw.strip():
            yield taken[0][0], raw, fields, reason or _surrogate_fault(fields)


def _surrogate_fault(fields: list[str]) -> str:
    text = "".join(fields)
    return "" if text.isascii() or not _SURROGATE.search(text) else "ill-formed UTF-8"


_SURROGATE = re.compile("[\udc80-\udcff]")
_COLUMN = re.compile(
    r"(?P<name>.*?)(?::(?P<type>[A-Za-z_]+(?:\[\])?)(?:\((?P<space>[^)]*)\))?(?P<options>\{.*\})?)?", re.S
)
_OPTION = re.compile(r"([\w-]+)\s*:\s*([^,}]+)")
_MARKS = re.compile(r"(?:^|[^:]*):(?:ID|START_ID|END_ID|LABEL|TYPE)\b")
_STRUCTURE = frozenset({"ID", "START_ID", "END_ID", "LABEL", "TYPE", "IGNORE"})
LIST_SEPARATOR = ";"


@dataclass(frozen=True)
class Column:
    """One field of a header. ``role`` is ``ID``, ``START_ID``, ``END_ID``, ``LABEL``, ``TYPE``, ``IGNORE`` or empty."""

    name: str
    role: str = ""
    space: str = ""
    convert: Convert | None = None

    @property
    def key(self) -> str:
        """The property that the column fills; empty where it fills none."""
        return self.name if self.role in ("", "ID") else ""


@dataclass(frozen=True)
class Header:
    """What the columns of a neo4j-admin CSV file mean."""

    columns: tuple[Column, ...]
    delimiter: str

    def position(self, role: str) -> int | None:
        """Which column plays a role, from 0."""
        return next((at for at, column in enumerate(self.columns) if column.role == role), None)


def csv_header(source: Source, separator: str | None) -> Header | None:
    """The header of a neo4j-admin CSV file; ``None`` where the first line is none. Raises ``LoadError``."""
    first = next(iter(source.head(1)), "")
    splits = {
        delimiter: next(csv.reader([first], delimiter=delimiter), [])
        for delimiter in ([separator] if separator else [",", ";", "\t", "|"])
        if len(delimiter) == 1
    }
    # A wrong delimiter can leave one field that ends like a header.
    delimiter, names = max(splits.items(), key=lambda split: _marked(split[1]), default=("", []))
    if not _marked(names):
        return None
    return Header(_checked(tuple(_column(source, name.strip()) for name in names), source), delimiter)


def _marked(names: list[str]) -> int:
    return sum(bool(_MARKS.match(name.strip())) for name in names)


def _column(source: Source, field_text: str) -> Column:
    match = _COLUMN.fullmatch(field_text)
    assert match is not None  # the name alone matches anything
    name, kind = match["name"], match["type"] or "string"
    if kind in _STRUCTURE:
        return Column(name, kind, match["space"] or "", _id_converter(match["options"]) if kind == "ID" else None)
    options = dict(_OPTION.findall((match["options"] or "").strip("{}")))
    try:
        _key(name)
        convert = text_converter(kind.removesuffix("[]"), options)
    except ValueError as error:
        raise LoadError(f"{source.name}, line 1, column {field_text!r}: {error}") from None
    return Column(name, convert=_split(convert) if kind.endswith("[]") else convert)


def _id_converter(options: str | None) -> Convert:
    kind = dict(_OPTION.findall((options or "").strip("{}"))).get("id-type", "string")
    return text_converter("string" if kind == "string" else "long", {})


def _split(convert: Convert) -> Convert:
    return lambda text: [convert(part) for part in text.split(LIST_SEPARATOR)]


def _checked(columns: tuple[Column, ...], source: Source) -> tuple[Column, ...]:
    roles = [column.role for column in columns]
    edges = "START_ID" in roles or "END_ID" in roles
    for role in ("START_ID", "END_ID", "TYPE") if edges else ("ID",):
        if roles.count(role) != 1:
            raise LoadError(
                f"{source.name}, line 1: a header of {'relationships' if edges else 'nodes'} has one :{role}"
            )
    keys = [column.key for column in columns if column.key]
    if repeated := {key for key in keys if keys.count(key) > 1}:
        raise LoadError(f"{source.name}, line 1: {', '.join(sorted(repeated))} named more than once")
    return columns


def read_csv(source: Source, header: Header) -> Iterator[Read]:
    """Nodes or relationships of a neo4j-admin CSV file; an empty field is an absent property."""
    make = _edge_of_fields if header.position("START_ID") is not None else _node_of_fields
    records = _quoted_records(source, header.delimiter)
    next(records, None)
    for number, raw, fields, reason in records:
        if not reason and len(fields) != len(header.columns):
            reason = f"{_counted(len(fields), 'field')} where the header names {len(header.columns)}"
        try:
            yield Read(number, raw, None if reason else make(header, _with_empty_strings(fields, raw, header)), reason)
        except ValueError as error:
            yield Read(number, raw, None, str(error))


_Optional = list[str | None]


def _with_empty_strings(fields: list[str], raw: bytes, header: Header) -> _Optional:
    """Empty fields as ``None``, except those written ``""``, which are empty strings."""
    quoted = _quoted_empty(raw.decode("utf-8"), header.delimiter, len(fields)) if b'""' in raw else frozenset()
    return [field if field or at in quoted else None for at, field in enumerate(fields)]


def _quoted_empty(record: str, delimiter: str, width: int) -> frozenset[int]:
    pattern = rf'("(?:[^"]|"")*"|[^{re.escape(delimiter)}]*)(?:{re.escape(delimiter)}|$)'
    parts = [match[1] for match in re.finditer(pattern, record)][:width]
    return frozenset(at for at, part in enumerate(parts) if part == '""')


def _node_of_fields(header: Header, fields: _Optional) -> NodeRecord:
    at = header.position("LABEL")
    names = (fields[at] or "").split(LIST_SEPARATOR) if at is not None else []
    labels = tuple(dict.fromkeys(_label(name) for name in names if name))
    properties = _properties_of_fields(header, fields)
    return NodeRecord(_spaced(header, "ID", fields), labels, properties, _content(header, fields, labels))


def _edge_of_fields(header: Header, fields: _Optional) -> EdgeRecord:
    at = header.position("TYPE")
    assert at is not None
    properties = _properties_of_fields(header, fields)
    return EdgeRecord(
        _spaced(header, "START_ID", fields),
        _name(fields[at], "the type of a relationship"),
        _spaced(header, "END_ID", fields),
        properties,
        _content(header, fields) if properties else "",
    )


def _content(header: Header, fields: _Optional, labels: tuple[str, ...] = ()) -> str:
    texts = {column.key: text for column, text in zip(header.columns, fields, strict=True) if column.key}
    return json.dumps([sorted(labels), texts], sort_keys=True)


def _spaced(header: Header, role: str, fields: _Optional) -> str:
    """An id; ids of a named space carry its name, for they need not differ between spaces."""
    at = header.position(role)
    assert at is not None
    value, space = fields[at], header.columns[at].space
    if not value or "\0" in value:
        raise ValueError(f":{role} is empty, or holds a zero character")
    return f"{space}:{value}" if space else value


def _properties_of_fields(header: Header, fields: _Optional) -> dict[str, Any]:
    properties = {}
    for column, text in zip(header.columns, fields, strict=True):
        if column.key and column.convert and text is not None:
            try:
                properties[column.key] = column.convert(text)
            except ValueError as error:
                raise ValueError(f"property {column.key!r}: {error}") from None
    return properties
