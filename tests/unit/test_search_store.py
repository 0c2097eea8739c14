"""The file of arrays: whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from arcgraph.errors import StorageError
from arcgraph.search.store import DamagedStore, Streamed, in_memory, open_store, write_store

ARRAYS = {
    "ids": np.arange(1000, dtype=np.int64),
    "none": np.zeros((0, 4), np.float32),
    "flags": np.array([1, 0, 1], np.uint8),
    "vectors": np.random.default_rng(0).random((7, 3)).astype(np.float16),
}


def test_what_is_written_is_read(tmp_path):
    path = tmp_path / "deep" / "er" / "x.names"
    write_store(path, {"a": ["é", 1]}, ARRAYS)
    store = open_store(path)
    assert store.meta == {"a": ["é", 1]}
    assert list(store.arrays) == list(ARRAYS)
    for name, array in ARRAYS.items():
        assert store.arrays[name].dtype == array.dtype
        np.testing.assert_array_equal(store.arrays[name], array)
    assert [p.name for p in path.parent.iterdir()] == ["x.names"]


def test_arrays_are_read_only(tmp_path):
    write_store(tmp_path / "x", {}, ARRAYS)
    with pytest.raises(ValueError, match="read-only"):
        open_store(tmp_path / "x").arrays["ids"][0] = 5


def test_a_streamed_array_is_the_same_in_memory_and_on_disk(tmp_path):
    parts = [np.ones((2, 2), np.float32), np.full((1, 2), 3, np.float64)]
    streamed = Streamed("float16", (3, 2), parts)
    write_store(tmp_path / "x", {}, {"v": streamed})
    np.testing.assert_array_equal(open_store(tmp_path / "x").arrays["v"], in_memory({}, {"v": streamed}).arrays["v"])


def test_a_stream_of_another_length_is_an_error_and_leaves_nothing(tmp_path):
    with pytest.raises(ValueError, match="against its shape"):
        write_store(tmp_path / "x", {}, {"v": Streamed("float32", (3, 2), [np.ones((2, 2))])})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("keep", [0, 5, 30, 200, 5000, -1])
def test_a_file_cut_short_is_damaged(tmp_path, keep):
    path = tmp_path / "x"
    write_store(path, {}, ARRAYS)
    whole = path.read_bytes()
    path.write_bytes(whole[:keep])
    with pytest.raises(DamagedStore, match=str(path)):
        open_store(path)


def test_other_files_and_changed_headers_are_damaged(tmp_path):
    path = tmp_path / "x"
    write_store(path, {"number": 1234}, ARRAYS)
    changed = path.read_bytes().replace(b"1234", b"1235", 1)
    path.write_bytes(changed)
    with pytest.raises(DamagedStore, match="checksum"):
        open_store(path)
    path.write_bytes(b"PK\x03\x04" + bytes(5000))
    with pytest.raises(DamagedStore, match="does not begin"):
        open_store(path)


def test_a_failed_write_leaves_the_old_file(tmp_path):
    path = tmp_path / "x"
    write_store(path, {"version": 1}, ARRAYS)

    def broken():
        yield np.ones((1, 1), np.float32)
        raise OSError(28, "No space left on device")

    with pytest.raises(StorageError, match=r"No space left.*ARCGRAPH_CACHE_DIR"):
        write_store(path, {"version": 2}, {"v": Streamed("float32", (9, 1), broken())})
    assert open_store(path).meta == {"version": 1}
    assert [p.name for p in tmp_path.iterdir()] == ["x"]


def test_an_open_file_outlives_its_replacement(tmp_path):
    write_store(tmp_path / "x", {}, {"v": np.zeros(10_000)})
    old = open_store(tmp_path / "x")
    write_store(tmp_path / "x", {}, {"v": np.ones(10_000)})
    assert old.arrays["v"].sum() == 0
    assert open_store(tmp_path / "x").arrays["v"].sum() == 10_000


def test_no_file_is_no_damage(tmp_path):
    with pytest.raises(FileNotFoundError):
        open_store(tmp_path / "absent")


def test_a_folder_that_cannot_be_made_is_a_clear_sentence(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError, match="cannot be written"):
        write_store(tmp_path / "file" / "x", {}, ARRAYS)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_permission(tmp_path):
    locked = Path(tmp_path / "locked")
    locked.mkdir()
    locked.chmod(0o500)
    with pytest.raises(StorageError, match="Permission denied"):
        write_store(locked / "x", {}, ARRAYS)
