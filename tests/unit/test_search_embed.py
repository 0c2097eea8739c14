"""Embedders, and which of them is taken."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec

import numpy as np
import pytest

from arcgraph.errors import ConnectError, MissingExtra, StorageError, UsageError
from arcgraph.search import embed
from arcgraph.search.embed import CachedEmbedder, LocalEmbedder, ServedEmbedder, StaticEmbedder, choose_embedder
from arcgraph.settings import SearchSettings, Settings

needs_static = pytest.mark.skipif(find_spec("wordllama") is None, reason="needs the extra static")
without_static = pytest.mark.skipif(find_spec("wordllama") is not None, reason="the extra static is installed")
without_local = pytest.mark.skipif(
    find_spec("sentence_transformers") is not None, reason="sentence-transformers is installed"
)


class LetterEmbedder:
    """Counts letters; remembers what it was asked."""

    name = "letters"
    dimension = 26

    def __init__(self) -> None:
        self.asked: list[str] = []

    def embed(self, texts):
        self.asked += texts
        counts = [[text.count(chr(97 + i)) for i in range(26)] for text in texts]
        return embed.unit(np.array(counts, np.float32).reshape(len(texts), 26))


# --- static ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def static() -> StaticEmbedder:
    return StaticEmbedder()


@needs_static
class TestStatic:
    def test_unit_vectors_in_single_precision(self, static):
        vectors = static.embed(["director", "a film about war", "霸王别姬"])
        assert vectors.shape == (3, static.dimension) == (3, 256)
        assert vectors.dtype == np.float32
        assert np.linalg.norm(vectors, axis=1) == pytest.approx(1.0, abs=1e-5)

    def test_nothing_is_a_row_of_zeros(self, static):
        assert static.embed([]).shape == (0, 256)
        assert not static.embed(["", "word"])[0].any()
        many = static.embed(["word", ""] * 40)
        assert not many[1::2].any()
        assert many[::2].any(axis=1).all()

    def test_few_and_many_texts_give_the_same(self, static):
        texts = [f"word {i} and another" for i in range(5000)]
        np.testing.assert_allclose(static.embed(texts)[:5], static.embed(texts[:5]), atol=1e-6)

    def test_case_is_ignored_and_meaning_is_not(self, static):
        director, again, filmmaker, potato = static.embed(["director", "Director", "filmmaker", "potato"])
        assert director @ again == pytest.approx(1.0, abs=1e-5)
        assert director @ filmmaker > director @ potato + 0.1

    def test_everyday_words_are_known_and_names_are_not(self, static):
        assert static.knows("directed")
        assert not static.knows("tarantino")

    @pytest.mark.parametrize("broken", [embed._TABLE, embed._TOKENIZER])
    @pytest.mark.parametrize("keep", [0, 5, 1000, 100_000])
    def test_a_broken_table_is_a_clear_sentence(self, tmp_path, broken, keep):
        source = embed._package_folder("wordllama")
        for part in (embed._TABLE, embed._TOKENIZER):
            (tmp_path / part).parent.mkdir(parents=True)
            (tmp_path / part).write_bytes((source / part).read_bytes())
        (tmp_path / broken).write_bytes((source / broken).read_bytes()[:keep])
        with pytest.raises(StorageError, match="install it again"):
            StaticEmbedder(tmp_path)


# --- local -------------------------------------------------------------------------------------------------------


class Encoder:
    """Stands where a SentenceTransformer stands."""

    def encode(self, sentences, **options):
        assert options["convert_to_numpy"]
        return np.array([[3.0, 4.0 * len(s)] for s in sentences])


def test_a_local_model_is_normalised():
    local = LocalEmbedder("my-model", encoder=Encoder())
    assert (local.name, local.dimension) == ("local:my-model", 2)
    np.testing.assert_allclose(local.embed(["x"]), [[0.6, 0.8]])
    assert local.embed([]).shape == (0, 2)


@pytest.mark.local
def test_the_packaged_model_works_offline():
    local = LocalEmbedder()
    assert local.dimension == 384
    car, automobile, potato = local.embed(["car", "automobile", "potato"])
    assert car @ automobile > car @ potato + 0.2


@pytest.mark.local
def test_loading_a_model_shows_no_bars(capfd):
    LocalEmbedder().embed(["x"])
    assert capfd.readouterr() == ("", "")


@pytest.mark.local
def test_passages_take_the_local_model():
    assert choose_embedder(SearchSettings(), "passages").embedder.name == "local:all-MiniLM-L6-v2"


@pytest.mark.local
def test_a_model_that_is_not_there_is_a_clear_sentence(tmp_path):
    with pytest.raises(StorageError, match="ARCGRAPH_SEARCH_EMBEDDER_MODEL"):
        LocalEmbedder(str(tmp_path / "absent")).embed(["x"])


@pytest.mark.local
def test_a_model_that_nobody_asked_for_by_name_gives_way(tmp_path):
    settings = SearchSettings(embedder_model=str(tmp_path / "absent"))
    assert choose_embedder(settings, "passages").embedder.name.startswith("static:")
    assert choose_embedder(settings, "passages", load=False).embedder.name.startswith("local:")
    with pytest.raises(StorageError, match="ARCGRAPH_SEARCH_EMBEDDER_MODEL"):
        choose_embedder(settings.model_copy(update={"embedder": "local"}), "passages")


# --- served ------------------------------------------------------------------------------------------------------


class Endpoint:
    """A real HTTP server that speaks the embeddings protocol; ``replies`` come first, then it answers properly."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, dict[str, str], dict]] = []
        self.replies: list[tuple[int, bytes]] = []
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                endpoint.requests.append((self.path, dict(self.headers), body))
                status, reply = endpoint.replies.pop(0) if endpoint.replies else (200, endpoint.answer(body))
                self.send_response(status)
                self.end_headers()
                self.wfile.write(reply)

            def log_message(self, *_) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"

    @staticmethod
    def answer(body) -> bytes:
        data = [{"index": i, "embedding": [float(len(text)), 1.0, 0.0]} for i, text in enumerate(body["input"])]
        return json.dumps({"data": data[::-1]}).encode()


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    endpoint = Endpoint()
    thread = threading.Thread(target=endpoint.server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield endpoint
    endpoint.server.shutdown()
    endpoint.server.server_close()
    thread.join()


class TestServed:
    def test_texts_keep_their_order_over_batches(self, endpoint):
        served = ServedEmbedder(endpoint.url + "/", "m", "secret")
        served.batch = 2
        vectors = served.embed(["a", "bbb", "cc"])
        np.testing.assert_allclose(vectors[:, 0] / vectors[:, 1], [1, 3, 2], rtol=1e-6)
        assert served.dimension == 3
        path, headers, body = endpoint.requests[0]
        assert path == "/v1/embeddings"
        assert headers["Authorization"] == "Bearer secret"
        assert body == {"model": "m", "input": ["a", "bbb"]}
        assert len(endpoint.requests) == 2

    def test_without_a_key_none_is_sent(self, endpoint, monkeypatch):
        monkeypatch.setenv("OPENAI_API_KEY", "sk-stray")
        ServedEmbedder(endpoint.url, "m").embed(["a"])
        assert "Authorization" not in endpoint.requests[0][1]

    def test_a_busy_server_is_asked_again(self, endpoint):
        endpoint.replies = [(503, b"busy"), (429, b"slow down")]
        assert ServedEmbedder(endpoint.url, "m", pause=0.01).embed(["a"]).shape == (1, 3)
        assert len(endpoint.requests) == 3

    def test_a_refused_key_is_not_tried_again(self, endpoint):
        endpoint.replies = [(401, b"no")]
        with pytest.raises(ConnectError, match="answered 401; check ARCGRAPH_SEARCH_EMBEDDER_KEY") as caught:
            ServedEmbedder(endpoint.url, "m", "secret").embed(["a"])
        assert "secret" not in str(caught.value)
        assert len(endpoint.requests) == 1

    @pytest.mark.parametrize(
        "reply",
        [b"<html>", b"{}", b"[1]", b'{"data": []}', b'{"data": [{"embedding": null}]}', b'{"data": [{"index": 0}]}'],
    )
    def test_an_answer_in_another_format(self, endpoint, reply):
        endpoint.replies = [(200, reply)] * 3
        with pytest.raises(ConnectError, match=r"127\.0\.0\.1"):
            ServedEmbedder(endpoint.url, "m", pause=0.01).embed(["a"])

    def test_no_server(self, endpoint):
        endpoint.server.server_close()
        with pytest.raises(ConnectError, match="check ARCGRAPH_SEARCH_EMBEDDER_URL"):
            ServedEmbedder(endpoint.url, "m", pause=0.01).embed(["a"])


# --- cache and choice --------------------------------------------------------------------------------------------


def test_a_cached_text_is_embedded_once():
    inner = LetterEmbedder()
    cached = CachedEmbedder(inner)
    first = cached.embed(["ab", "c", "ab"])
    again = cached.embed(["c", "ab"])
    assert inner.asked == ["ab", "c"]
    np.testing.assert_array_equal(again, first[[1, 0]])
    assert cached.embed([]).shape == (0, 26)


def test_a_full_cache_starts_anew():
    inner = LetterEmbedder()
    cached = CachedEmbedder(inner, size=2)
    for text in ("a", "b", "c", "a"):
        cached.embed([text])
    assert inner.asked == ["a", "b", "c", "a"]
    assert cached.embed(["c", "d", "e"]).shape == (3, 26)


@needs_static
@pytest.mark.parametrize("purpose", ["words", "names"])
def test_auto_takes_the_static_table_for_words_and_names(purpose):
    chosen = choose_embedder(SearchSettings(), purpose)
    assert chosen.embedder.name == "static:l2_supercat_256"
    assert chosen.notice == ""


@needs_static
@without_local
def test_auto_says_what_passages_lack():
    chosen = choose_embedder(SearchSettings(), "passages")
    assert chosen.embedder.name.startswith("static")
    assert "arcgraph-qa[local]" in chosen.notice


@without_static
@without_local
def test_without_any_embedder_auto_says_how_to_get_one():
    chosen = choose_embedder(SearchSettings())
    assert chosen.embedder is None
    assert "arcgraph-qa[static]" in chosen.notice


@pytest.mark.parametrize("purpose", ["words", "names", "passages"])
def test_none_is_none_and_nothing_to_complain_about(purpose):
    assert choose_embedder(SearchSettings(embedder="none"), purpose) == (None, "")


def test_a_stray_key_in_the_environment_uploads_nothing(endpoint, monkeypatch):
    """OpenAI's own variables may be set for anything; only arcgraph's own setting names an endpoint."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-stray")
    monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
    for variables in ({}, {"ARCGRAPH_SEARCH_EMBEDDER_URL": endpoint.url, "ARCGRAPH_SEARCH_EMBEDDER_KEY": "sk-stray"}):
        for purpose in ("words", "names", "passages"):
            embedder = choose_embedder(Settings.load(variables).search, purpose).embedder
            if embedder is not None:
                assert not embedder.name.startswith("served")
                embedder.embed(["secret name"])
    assert endpoint.requests == []


def test_an_endpoint_is_used_where_it_is_named(endpoint):
    settings = SearchSettings(embedder="served", embedder_url=endpoint.url, embedder_model="m", embedder_key="k")
    embedder = choose_embedder(settings).embedder
    embedder.embed(["name"])
    assert [body["input"] for _, _, body in endpoint.requests] == [["name"]]
    assert embedder.name == f"served:m@{endpoint.url}"
    assert "k" not in embedder.name.partition("@")[0].split(":")


def test_served_without_an_address_says_which_setting():
    with pytest.raises(UsageError, match="ARCGRAPH_SEARCH_EMBEDDER_URL"):
        choose_embedder(SearchSettings(embedder="served"))


@without_local
def test_local_without_its_extra():
    with pytest.raises(MissingExtra, match=r"arcgraph-qa\[local\]"):
        choose_embedder(SearchSettings(embedder="local"))


@without_static
def test_static_without_its_extra():
    with pytest.raises(MissingExtra, match=r"arcgraph-qa\[static\]"):
        choose_embedder(SearchSettings(embedder="static"))


def test_a_notice_is_said_once(caplog):
    notice = "a notice of this test only"
    assert embed.say_once([notice, "", notice]) == [notice]
    assert embed.say_once([notice]) == []
    assert caplog.messages == [notice]
