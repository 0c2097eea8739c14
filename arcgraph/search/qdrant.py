"""Passages and triples in Qdrant: a collection for each content of an index, with a dense and a sparse vector a text.

Qdrant finds candidates, by exact search over vectors and weights that are ours; places and scores are then computed by
the same code as without it, so that rankings are those of the local store to the last digit, ties included.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol
from urllib.parse import urlsplit
from weakref import WeakValueDictionary, finalize

import numpy as np

from arcgraph.errors import ConnectError, MissingExtra, StorageError, UsageError
from arcgraph.search.base import Ids, Ranking, Vectors, positions
from arcgraph.search.dense import SLACK
from arcgraph.search.hybrid import LocalWays, SparseRows
from arcgraph.search.local import Progress, Report

DENSE, SPARSE, POSITION = "dense", "sparse", "position"
# Qdrant without a server compares with every point in Python, and says itself that this is for no more.
_SMALL = 20_000
_TIMEOUT = 60
# Points of one request, and rows of their vectors.
_POINTS = 256
_ROWS = 2_048
# Ids of one filter.
_FILTERED = 10_000
# So many candidates beyond twice those wanted are asked for: ties at the end mostly fit.
_ROOM = 32


class Indexed(Protocol):
    """An index whose texts are stored."""

    size: int

    @property
    def ways(self) -> LocalWays:
        """What ranks its texts here."""
        ...

    def told(self, at: int) -> dict[str, Any]:
        """What other programs are told of the text at a position."""
        ...


class _Candidate(NamedTuple):
    """A point that Qdrant found, and its score there, in single precision."""

    id: int
    score: float


# --- the client --------------------------------------------------------------------------------------------------


class Connection:
    """Qdrant at an address, or without a server in a folder. Its client's errors are ours; calls are Thread-safe."""

    def __init__(self, place: str | Path, key: str = ""):
        self.is_server = isinstance(place, str)
        self.name = _without_login(place) if isinstance(place, str) else str(place)
        self._lock = threading.Lock()
        qdrant = _qdrant()
        self.models = qdrant.models
        with self.calling(quietly=True):
            if isinstance(place, str):
                # Another version is found out by what does not work.
                options = {"url": place, "timeout": _TIMEOUT, "check_compatibility": False}
                self.client = qdrant.QdrantClient(api_key=key or None, **options)
            else:
                self.client = _opened(qdrant, place)
        finalize(self, self.client.close)

    @contextmanager
    def calling(self, *, quietly: bool = False) -> Iterator[None]:
        """Around every call: one at a time where there is no server, and with errors translated.

        ``quietly`` keeps back warnings about what our own words say.
        """
        from qdrant_client.http.exceptions import ApiException, UnexpectedResponse

        with ExitStack() as stack:
            if not self.is_server:
                stack.enter_context(self._lock)
            if quietly:
                stack.enter_context(warnings.catch_warnings())
                warnings.simplefilter("ignore")
            try:
                yield
            except UnexpectedResponse as error:
                hint = "; check ARCGRAPH_SEARCH_STORE_KEY" if error.status_code in (401, 403) else ""
                told = f"{error.status_code} {error.reason_phrase}{hint}"
                raise ConnectError(f"Qdrant at {self.name} answered {told}") from error
            except (ApiException, OSError) as error:
                raise ConnectError(
                    f"Qdrant at {self.name} cannot be used ({getattr(error, 'source', error)}); check "
                    "ARCGRAPH_SEARCH_STORE_URL, or set ARCGRAPH_SEARCH_STORE=local"
                ) from error

    def close(self) -> None:
        """Let go of the folder, or of the server."""
        self.client.close()


def _opened(qdrant: Any, folder: Path) -> Any:
    """A client without a server; only one process at a time can use a folder."""
    try:
        return qdrant.QdrantClient(path=str(folder), force_disable_check_same_thread=True)
    except RuntimeError as error:
        raise StorageError(
            f"the Qdrant collection in {folder} is in use by another process; end that, run a Qdrant server and set "
            "ARCGRAPH_SEARCH_STORE_URL, or set ARCGRAPH_SEARCH_STORE=local"
        ) from error


def _qdrant() -> Any:
    try:
        import qdrant_client
    except ImportError as error:
        raise MissingExtra("the Qdrant store", "qdrant") from error
    return qdrant_client


def _without_login(url: str) -> str:
    """An address that can be shown."""
    try:
        parts = urlsplit(url)
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        parts, port = urlsplit(""), ""
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError(
            "ARCGRAPH_SEARCH_STORE_URL is the address of a Qdrant server, for example http://localhost:6333; "
            "leave it empty to keep collections in the cache folder"
        )
    return f"{parts.scheme}://{parts.hostname}{port}"


def caution(where: Connection, kind: str, size: int) -> str:
    """What to know of so many ``kind`` there; empty where there is nothing to say."""
    if where.is_server or size <= _SMALL:
        return ""
    return (
        f"{size:,} {kind} in Qdrant without a server are slow to store and to search, and held in memory; above "
        f"{_SMALL:,} run a server and set ARCGRAPH_SEARCH_STORE_URL, or set ARCGRAPH_SEARCH_STORE=local"
    )


_open: WeakValueDictionary[tuple[str, str], Connection] = WeakValueDictionary()
_opening = threading.Lock()


def connection(place: str | Path, key: str = "") -> Connection:
    """The connection of this process to a server or folder: a folder can be opened only once."""
    with _opening:
        known = _open.get((str(place), key))
        if known is None:
            known = _open[str(place), key] = Connection(place, key)
        return known


# --- the collection ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Pool:
    """The positions that may be ranked, in order: all ``size``, or ``ids`` alone. ``first`` asks for a part of them."""

    models: Any
    size: int
    ids: Ids | None = None

    def first(self, count: int) -> Any:
        """A filter for the first so many; ``None`` where no filter is needed."""
        models = self.models
        if self.ids is not None:
            return models.Filter(must=[models.HasIdCondition(has_id=self.ids[:count].tolist())])
        if count == self.size:
            return None
        return models.Filter(must=[models.FieldCondition(key=POSITION, range=models.Range(lt=count))])


class QdrantWays:
    """Ranks the texts of an index in its collection; see :class:`~arcgraph.search.hybrid.Ways`. Thread-safe.

    :meth:`fill` comes first. ``name`` begins with ``prefix``, which says of which graph it is. ``batch`` is how many
    points one request stores, ``filtered`` how many ids one filter holds.
    """

    def __init__(
        self, where: Connection, index: Indexed, prefix: str, *, batch: int = _POINTS, filtered: int = _FILTERED
    ):
        self._batch = batch
        self._filtered = filtered
        self.name = f"{prefix}-{index.ways.digest()}"
        self._where = where
        self._index = index
        self._local = index.ways
        self._models = where.models

    # --- filling -------------------------------------------------------------------------------------------------

    def fill(self, report: Report, *, refresh: bool = False) -> bool:
        """Store every text that is not there yet, in order; returns whether there were any.

        What was begun and cut short is gone on with; ``refresh`` begins anew.
        """
        stored = self._begun(refresh)
        if stored == self._index.size:
            return False
        if not self._where.is_server:
            self._drop_older()
        # The last request may have been applied in part.
        self._store(max(0, stored - self._batch), report)
        if self._count() != self._index.size:
            # Somebody deleted from it.
            self._store(0, report)
        if (count := self._count()) != self._index.size:
            raise StorageError(
                f"the Qdrant collection {self.name} holds {count:,} points in place of {self._index.size:,}; "
                "delete it, and it is filled again"
            )
        return True

    def _begun(self, refresh: bool) -> int:
        """How many texts are in the collection, which is made where there is none."""
        if refresh and self._exists():
            with self._where.calling():
                self._where.client.delete_collection(self.name)
        if not self._exists():
            self._create()
        return self._count()

    def _exists(self) -> bool:
        with self._where.calling():
            return bool(self._where.client.collection_exists(self.name))

    def _create(self) -> None:
        client = self._where.client
        try:
            with self._where.calling(quietly=True):
                client.create_collection(
                    self.name, vectors_config=self._dense_config(), sparse_vectors_config=self._sparse_config()
                )
        except ConnectError:
            # Another process was faster.
            if not self._exists():
                raise
        if self._where.is_server:
            with self._where.calling():
                client.create_payload_index(self.name, POSITION, self._models.PayloadSchemaType.INTEGER)

    def _drop_older(self) -> None:
        """Without a server all collections of a folder are read when it is opened, and the folder is ours alone."""
        with self._where.calling():
            for other in self._where.client.get_collections().collections:
                if other.name != self.name:
                    self._where.client.delete_collection(other.name)

    def _dense_config(self) -> dict[str, Any]:
        models, local = self._models, self._local
        if not local.dimension:
            return {}
        # Every search is exact, so that no graph of neighbours is needed. Of several vectors of a text the best counts.
        best = models.MultiVectorConfig(comparator=models.MultiVectorComparator.MAX_SIM) if local.has_windows else None
        config = models.VectorParams(
            size=local.dimension,
            distance=models.Distance.DOT,
            multivector_config=best,
            hnsw_config=models.HnswConfigDiff(m=0),
        )
        return {DENSE: config}

    def _sparse_config(self) -> dict[str, Any]:
        return {SPARSE: self._models.SparseVectorParams()}

    def _count(self) -> int:
        with self._where.calling():
            return int(self._where.client.count(self.name, exact=True).count)

    def _store(self, start: int, report: Report) -> None:
        rows = self._local.sparse_rows()
        report(Progress("storing", start, self._index.size))
        for batch in self._batches(start, rows):
            with self._where.calling(quietly=not self._where.is_server):
                self._where.client.upsert(self.name, points=batch, wait=True)
            report(Progress("storing", batch[-1].id + 1, self._index.size))

    def _batches(self, start: int, rows: SparseRows) -> Iterator[list[Any]]:
        batch: list[Any] = []
        width = 0
        for at in range(start, self._index.size):
            dense = self._local.dense.rows(at) if self._local.dense is not None else None
            batch.append(self._point(at, dense, rows))
            width += len(dense) if dense is not None else 1
            if len(batch) >= self._batch or width >= _ROWS:
                yield batch
                batch, width = [], 0
        if batch:
            yield batch

    def _point(self, at: int, dense: Vectors | None, rows: SparseRows) -> Any:
        vectors: dict[str, Any] = {}
        if dense is not None and dense.any():
            vectors[DENSE] = dense.tolist() if self._local.has_windows else dense[0].tolist()
        sparse = rows[at]
        if len(sparse.terms):
            vectors[SPARSE] = self._sparse(sparse.terms.tolist(), sparse.weights.tolist())
        payload = {POSITION: at, **self._index.told(at)}
        return self._models.PointStruct(id=at, vector=vectors, payload=payload)

    def _sparse(self, indices: list[int], values: list[float]) -> Any:
        return self._models.SparseVector(indices=indices, values=values)

    # --- ranking -------------------------------------------------------------------------------------------------

    def by_wording(self, text: str, k: int, *, within: Collection[int] | None = None) -> Ranking:
        """See :class:`~arcgraph.search.hybrid.Ways`."""
        asked = self._local.asked_terms(text)
        if not len(asked.terms) or k <= 0:
            return ()
        query = self._sparse(asked.terms.tolist(), asked.weights.tolist())
        return self._local.settled_wording(text, self._candidates(query, SPARSE, k, within), k)

    def by_meaning(self, text: str, k: int, *, within: Collection[int] | None = None) -> Ranking:
        """See :class:`~arcgraph.search.hybrid.Ways`."""
        vector = self._local.vector(text)
        if vector is None or k <= 0 or not self._index.size:
            return ()
        query = [vector.tolist()] if self._local.has_windows else vector.tolist()
        return self._local.settled_meaning(vector, self._candidates(query, DENSE, k, within), k)

    def _candidates(self, query: Any, using: str, k: int, within: Collection[int] | None) -> Ids:
        """Every position that may be among the ``k`` best, ascending."""
        # Without a server every search is exact, and asking for it a cause for a warning.
        exact = self._models.SearchParams(exact=True) if self._where.is_server else None

        def ask(allowed: Any, limit: int) -> list[_Candidate]:
            with self._where.calling():
                found = self._where.client.query_points(
                    self.name,
                    query=query,
                    using=using,
                    query_filter=allowed,
                    limit=limit,
                    search_params=exact,
                    with_payload=False,
                )
            return [_Candidate(int(point.id), float(point.score)) for point in found.points]

        found = [at for pool in self._pools(within) for at in _best(ask, pool, k)]
        return np.unique(np.array(found, np.int64))

    def _pools(self, within: Collection[int] | None) -> list[_Pool]:
        allowed = positions(within)
        if allowed is None:
            return [_Pool(self._models, self._index.size)]
        parts = [allowed[i : i + self._filtered] for i in range(0, len(allowed), self._filtered)]
        return [_Pool(self._models, len(part), part) for part in parts]


def _best(ask: Callable[[Any, int], Sequence[_Candidate]], pool: _Pool, k: int) -> list[int]:
    """Every position of a pool that may be among its ``k`` best, with those that are as good as the last.

    Qdrant leaves open which of several equally good points it returns; here the first in order count. So where more are
    as good as the ``k``-th than were asked for, ever smaller beginnings of the pool are asked until they fit.
    """
    limit = 2 * k + _ROOM
    found = ask(pool.first(pool.size), limit)
    if len(found) < limit:
        return [one.id for one in found]
    slack = SLACK * max(1.0, abs(found[k - 1].score))
    least = found[k - 1].score - slack
    if found[-1].score < least:
        return [one.id for one in found]
    surely = [one.id for one in found if one.score > found[k - 1].score + slack]
    low, high = 0, pool.size
    as_good: list[int] = []
    # One place more is at most one more point, so that some beginning fits unless the server's answers disagree.
    while high - low > 1 and len(as_good) < k:
        middle = (low + high) // 2
        part = ask(pool.first(middle), limit)
        as_good = [one.id for one in part if one.score >= least]
        if len(as_good) == limit:
            high, as_good = middle, []
        else:
            low = middle
    return surely + (as_good or [one.id for one in found])
