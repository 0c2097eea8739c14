"""One file that holds named arrays: written whole or not at all, opened by mapping it.

Layout: a magic line, the length of a JSON header, the header (what the file is, and place, type and shape of every
array), a checksum of the header, the arrays, and the magic line again, so that a file cut short or never finished
shows.
"""

from __future__ import annotations

import contextlib
import json
import math
import mmap
import os
import tempfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcgraph.errors import StorageError

Array = NDArray[Any]
_MAGIC = b"arcgraph-index-1\n"
_ALIGN = 64


class DamagedStore(StorageError):
    """The file is not whole, or not one of ours."""


@dataclass(frozen=True, slots=True)
class Streamed:
    """An array that is made in pieces along its first axis while it is written."""

    dtype: str
    shape: tuple[int, ...]
    parts: Iterable[Array]

    def gathered(self) -> Array:
        """The whole array, in memory."""
        parts = [np.asarray(part, self.dtype) for part in self.parts]
        return np.concatenate(parts) if parts else np.zeros(self.shape, self.dtype)


@dataclass(frozen=True, slots=True)
class Store:
    """What the file says of itself, and its arrays, read-only."""

    meta: Mapping[str, Any]
    arrays: Mapping[str, Array]


def in_memory(meta: Mapping[str, Any], arrays: Mapping[str, Array | Streamed]) -> Store:
    """The same without a file."""
    return Store(meta, {name: a.gathered() if isinstance(a, Streamed) else a for name, a in arrays.items()})


def write_store(path: Path, meta: Mapping[str, Any], arrays: Mapping[str, Array | Streamed]) -> None:
    """Write beside ``path`` and rename, so that a reader sees the old file or the new one.

    Raises ``StorageError`` where the folder cannot be written or the disk is full.
    """
    temporary: Path | None = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        temporary = Path(name)
        with os.fdopen(handle, "wb") as file:
            for piece in _pieces(meta, arrays):
                file.write(piece)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
        temporary = None
    except OSError as error:
        raise StorageError(
            f"the index cannot be written to {path.parent} ({error.strerror or error}); "
            "set ARCGRAPH_CACHE_DIR to a folder that can be written"
        ) from error
    finally:
        if temporary is not None:
            with contextlib.suppress(OSError):
                temporary.unlink()


@dataclass(frozen=True, slots=True)
class _Place:
    """Where an array stands in the body of the file."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    offset: int

    @property
    def end(self) -> int:
        return self.offset + self.dtype.itemsize * math.prod(self.shape)

    def described(self) -> dict[str, Any]:
        return {"dtype": self.dtype.str, "shape": list(self.shape), "offset": self.offset}


def _places(arrays: Mapping[str, Array | Streamed]) -> dict[str, _Place]:
    places: dict[str, _Place] = {}
    offset = 0
    for name, array in arrays.items():
        place = places[name] = _Place(np.dtype(array.dtype), tuple(array.shape), _aligned(offset))
        offset = place.end
    return places


def _pieces(meta: Mapping[str, Any], arrays: Mapping[str, Array | Streamed]) -> Iterator[bytes | memoryview]:
    places = _places(arrays)
    size = max((place.end for place in places.values()), default=0)
    table = {name: place.described() for name, place in places.items()}
    header = json.dumps({"meta": meta, "arrays": table, "size": size}).encode()
    yield _MAGIC + len(header).to_bytes(8, "little") + header + zlib.crc32(header).to_bytes(4, "little")
    yield bytes(_aligned(_body(len(header))) - _body(len(header)))
    written = 0
    for name, place in places.items():
        yield bytes(place.offset - written)
        written = place.offset
        array = arrays[name]
        for part in array.parts if isinstance(array, Streamed) else (array,):
            block = np.ascontiguousarray(part, place.dtype)
            written += block.nbytes
            yield block.tobytes() if block.nbytes < _ALIGN else block.reshape(-1).view(np.uint8).data
        if written != place.end:
            raise ValueError(f"array {name!r} has {written - place.end:+} bytes against its shape")
    yield _MAGIC


def _body(header: int) -> int:
    return len(_MAGIC) + 8 + header + 4


def _aligned(offset: int) -> int:
    return -(-offset // _ALIGN) * _ALIGN


def open_store(path: Path) -> Store:
    """Map a file written by :func:`write_store`.

    Raises ``FileNotFoundError`` where there is none, :class:`DamagedStore` where it is not whole, ``StorageError``
    where it cannot be read.
    """
    try:
        with path.open("rb") as file:
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise FileNotFoundError(f"there is no index at {path}") from error
    except ValueError as error:  # an empty file cannot be mapped
        raise DamagedStore(f"the index {path} is empty") from error
    except OSError as error:
        raise StorageError(f"the index {path} cannot be read ({error.strerror or error})") from error
    try:
        return _parse(mapped)
    except (ValueError, KeyError, TypeError) as error:
        raise DamagedStore(f"the index {path} is damaged ({error})") from error


def _parse(mapped: mmap.mmap) -> Store:
    at = len(_MAGIC)
    if mapped[:at] != _MAGIC:
        raise ValueError("it does not begin as one")
    length = int.from_bytes(mapped[at : at + 8], "little")
    raw = mapped[at + 8 : at + 8 + length]
    if len(raw) != length or zlib.crc32(raw) != int.from_bytes(mapped[at + 8 + length : at + 12 + length], "little"):
        raise ValueError("its header does not match its checksum")
    header = json.loads(raw)
    body = _aligned(_body(length))
    if len(mapped) != body + header["size"] + len(_MAGIC) or mapped[-len(_MAGIC) :] != _MAGIC:
        raise ValueError("it was cut short")
    return Store(header["meta"], {name: _array(mapped, body, **place) for name, place in header["arrays"].items()})


def _array(mapped: mmap.mmap, body: int, dtype: str, shape: list[int], offset: int) -> Array:
    return np.frombuffer(mapped, dtype, math.prod(shape), body + offset).reshape(shape)
