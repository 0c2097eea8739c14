"""What the embedded engine says, in arcgraph's errors and with names as they were loaded."""

from __future__ import annotations

import re
from typing import NoReturn

from arcgraph.errors import ConnectError, Position, QueryError, QueryTimeout, StorageError
from arcgraph.graph.engine_names import NAME_MARK
from arcgraph.graph.names import INVENTED, PREFIX
from arcgraph.graph.worker_process import Failure

_STORED_NAME = re.compile(rf"(?<!\w){PREFIX}(?={'|'.join(sorted(INVENTED))}\b|{PREFIX})")
_DISK = frozenset({"FileError", "FileIoError", "OSError", "PermissionError", "FileNotFoundError"})
_POSITION = re.compile(r"line (\d+), col(?:umn)? (\d+)")


def loaded_names(text: str) -> str:
    """A text of the engine in which stored keys are those loaded."""
    return _STORED_NAME.sub("", text).replace(NAME_MARK, "")


def too_long(timeout: float) -> str:
    """What the user reads when a deadline passed."""
    return f"the query took more than {timeout:g} s and was stopped; ask for less, or allow more time"


def raise_failure(failure: Failure, query: str, written: str, timeout: float) -> NoReturn:
    """Raise what the engine raised on ``query``, with its position where that is what the user has ``written``."""
    if failure.kind == "CypherTimeoutError":
        raise QueryTimeout(too_long(timeout), code=failure.kind)
    message = loaded_names(failure.text.partition("\n")[0])
    if failure.kind in _DISK:
        raise StorageError(f"{message}; what was written before is kept in the log beside the graph file")
    raise QueryError(message, code=failure.kind, position=_position(failure, query) if query == written else None)


def _position(failure: Failure, query: str) -> Position | None:
    line, column = failure.line, failure.column
    if line is None or column is None:
        match = _POSITION.search(failure.text)
        if match is None:
            return None
        line, column = int(match[1]), int(match[2])
    lines = query.split("\n")
    return Position(sum(len(before) + 1 for before in lines[: line - 1]) + column - 1, line, column)


def refuse_to_open(name: str, failure: Failure) -> NoReturn:
    """Raise why a graph file cannot be opened."""
    if failure.kind == "WriterLeaseHeldError":
        holder = re.search(r"pid (\d+)", failure.text)
        who = f"process {holder[1]}" if holder else "another process"
        raise ConnectError(f"{who} is writing {name}, and only one can; wait until it is done, or open it for reading")
    if failure.kind == "FileFormatError" and "spill" in failure.text and "os error" in failure.text:
        # The file is sound: the engine unpacks parts of it into the folder for temporary files.
        where = f"there is no room to unpack {name} in the folder for temporary files"
        raise ConnectError(f"{where}; free some space, or let TMPDIR name another folder")
    if failure.kind == "FileFormatError":
        raise ConnectError(f"{name} is no graph file, or a damaged one; load it anew: arcgraph load FILE --to {name}")
    if failure.kind == "ForeignFileError":
        raise ConnectError(f"{name} cannot be used: {failure.text}")
    if failure.kind == "ModuleNotFoundError":
        raise ConnectError(f"graph files need the engine kglite, which cannot be imported: {failure.text}")
    raise ConnectError(f"cannot open {name}: {failure.text.partition(chr(10))[0]}")
