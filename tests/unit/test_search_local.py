"""The index of names: built, kept, opened, repaired; and what it finds."""

from __future__ import annotations

import os
import threading

import numpy as np
import pytest
from test_search_collect import NodesGraph, label, schema
from test_search_embed import LetterEmbedder

from arcgraph.search.base import Entry
from arcgraph.search.dense import DenseIndex
from arcgraph.search.embed import choose_embedder, uncached
from arcgraph.search.lexical import SMALL
from arcgraph.search.local import NameIndex, Progress, estimate, index_path, open_or_build
from arcgraph.search.store import write_store
from arcgraph.settings import SearchSettings, Settings

KNOWN = schema(label("Film", naming="title", title="string"), label("Person", naming="name", name="string"))


def films(*titles: str) -> NodesGraph:
    return NodesGraph(*((f"e{i}", f"n{i}", ("Film",), {"title": t}) for i, t in enumerate(titles)))


def with_fingerprint(fingerprint: str):
    return type(KNOWN)(KNOWN.labels, {}, (), fingerprint=fingerprint)


def entries(*names: str) -> list[Entry]:
    return [Entry(f"e{i}", f"n{i}", ("Film",), "title", name) for i, name in enumerate(names)]


# --- kept on disk ------------------------------------------------------------------------------------------------


def test_built_once_then_opened(settings):
    graph = films("Heat", "Arcade Fire")
    first = open_or_build(graph, KNOWN, settings)
    asked = len(graph.queries)
    again = open_or_build(graph, KNOWN, settings)
    assert (first.built, again.built) == (True, False)
    assert len(graph.queries) == asked
    assert first.path == again.path
    assert again.path.is_relative_to(settings.cache.dir)
    assert (
        again.entries([0, 1])
        == first.entries([0, 1])
        == [
            Entry("e0", "n0", ("Film",), "title", "Heat"),
            Entry("e1", "n1", ("Film",), "title", "Arcade Fire"),
        ]
    )
    assert again.find("Who made Heat?") == first.find("Who made Heat?")
    assert again.search("fire", 2) == first.search("fire", 2)
    assert again.by_label() == {"Film": 2}


def test_a_changed_graph_is_indexed_anew_and_refresh_forces_it(settings):
    open_or_build(films("Heat"), with_fingerprint("1"), settings)
    changed = open_or_build(films("Heat", "Ran"), with_fingerprint("2"), settings)
    assert (changed.built, changed.size) == (True, 2)
    unseen = open_or_build(films("Heat", "Ran", "Alien"), with_fingerprint("2"), settings)
    assert (unseen.built, unseen.size) == (False, 2)
    assert open_or_build(films("Heat", "Ran", "Alien"), with_fingerprint("2"), settings, refresh=True).size == 3


def test_graphs_and_settings_do_not_share_an_index(settings):
    one, other = films("Heat"), films("Ran")
    other.name = "other"
    assert open_or_build(one, KNOWN, settings).entry(0).text == "Heat"
    assert open_or_build(other, KNOWN, settings).entry(0).text == "Ran"
    without = Settings.load({}, cache={"dir": settings.cache.dir}, search={"embedder": "none"})
    lexical = open_or_build(one, KNOWN, without)
    assert lexical.built
    assert lexical.embedder is None
    assert lexical.embed_words(["heat"]) is None
    narrowed = Settings.load({}, cache={"dir": settings.cache.dir}, search={"exclude_labels": ("Film",)})
    assert open_or_build(one, KNOWN, narrowed).size == 0


def test_names_of_graphs_that_are_no_file_names(settings):
    graph = films("Heat")
    for name in ("bolt://host:7687/a?b=c", "../../etc", "x" * 500, "漢字", ""):
        graph.name = name
        path = open_or_build(graph, KNOWN, settings).path
        assert path.is_file()
        assert path.parent.parent == settings.cache.dir / "index"


@pytest.mark.parametrize("keep", [0, 100, 1_000, -1])
def test_a_damaged_index_is_built_again_and_said_so(settings, keep):
    path = open_or_build(films("Heat"), KNOWN, settings).path
    path.write_bytes(path.read_bytes()[:keep])
    repaired = open_or_build(films("Heat"), KNOWN, settings)
    assert repaired.built
    assert any("built again" in notice and str(path) in notice for notice in repaired.notices)
    assert [m.text for m in repaired.find("Who made Heat?")] == ["Heat"]
    assert open_or_build(films("Heat"), KNOWN, settings).notices == ()


def test_an_index_of_other_contents_is_built_again(settings):
    path = open_or_build(films("Heat"), KNOWN, settings).path
    write_store(path, {"entries": 1}, {"unrelated": np.arange(3)})
    assert open_or_build(films("Heat"), KNOWN, settings).built


def test_a_cache_that_cannot_be_written(tmp_path):
    """Questions work all the same; the reason and the remedy are said."""
    (tmp_path / "file").write_text("in the way")
    settings = Settings.load({}, cache={"dir": tmp_path / "file" / "cache"})
    index = open_or_build(films("Heat"), KNOWN, settings)
    assert index.path is None
    assert [m.text for m in index.find("Who made Heat?")] == ["Heat"]
    assert [index.entry(h.id).text for h in index.search("heat", 1)] == ["Heat"]
    (notice,) = index.notices
    assert "cannot be written" in notice
    assert "ARCGRAPH_CACHE_DIR" in notice


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read anything")
def test_an_index_that_may_not_be_read(settings):
    path = open_or_build(films("Heat"), KNOWN, settings).path
    path.chmod(0)
    assert open_or_build(films("Heat"), KNOWN, settings).built


def test_only_the_newest_indexes_of_a_graph_are_kept(settings):
    for number in range(8):
        path = open_or_build(films("Heat"), with_fingerprint(str(number)), settings).path
    assert path.exists()
    assert len(list(path.parent.iterdir())) == 4


def test_builders_and_readers_do_not_disturb_each_other(settings):
    """While one index is written over and over, every reader sees a whole one."""
    lexical = Settings.load({}, cache={"dir": settings.cache.dir}, search={"embedder": "none"})
    graph = films(*(f"Film {i}" for i in range(300)))
    open_or_build(graph, KNOWN, lexical)
    failures: list[object] = []

    def repeat(refresh: bool, times: int) -> None:
        for _ in range(times):
            index = open_or_build(graph, KNOWN, lexical, refresh=refresh)
            if (index.size, index.notices, index.built) != (300, (), refresh):
                failures.append((index.size, index.notices, index.built))
            if not index.find("Who made Film 299?"):
                failures.append("nothing found")

    threads = [threading.Thread(target=repeat, args=args) for args in ((True, 8), (True, 8), (False, 40))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert [path.suffix for path in (settings.cache.dir / "index").glob("*/*")] == [".names"]


def test_progress_and_estimate(settings):
    seen: list[Progress] = []
    graph = films(*(f"Film {i}" for i in range(50)))
    open_or_build(graph, KNOWN, settings, progress=seen.append)
    assert seen[0].is_first
    assert [p.done for p in seen if p.stage == "reading"][-1] == 50
    if choose_embedder(settings.search).embedder:
        assert seen[-1] == Progress("embedding", 50, 50)
    assert estimate(KNOWN, settings.search).entries == 20


def test_the_estimate_is_near_the_truth(settings):
    graph = films(*(f"The Film {i} of {i % 7}" for i in range(3000)))
    known = schema(label("Film", naming="title", title="string", count=3000))
    size = open_or_build(graph, known, settings).path.stat().st_size
    assert estimate(known, settings.search).bytes == pytest.approx(size, rel=0.35)


def test_a_graph_with_more_names_than_allowed_says_so(settings):
    few = Settings.load({}, cache={"dir": settings.cache.dir}, search={"max_entries": 2})
    for index in (open_or_build(films("A", "B", "C"), KNOWN, few), open_or_build(films(), KNOWN, few)):
        assert index.size == 2
        assert "ARCGRAPH_SEARCH_MAX_ENTRIES" in index.notices[-1]


def test_an_empty_graph(settings):
    index = open_or_build(films(), KNOWN, settings)
    assert (index.size, index.find("Who made Heat?"), index.near("heat"), index.search("heat", 3)) == (0, [], (), ())
    assert open_or_build(films(), KNOWN, settings).built is False


def test_the_path_does_not_depend_on_the_process(settings):
    path = index_path(films(), KNOWN, settings, None)
    assert path.name == index_path(films(), KNOWN, settings, None).name
    assert path != index_path(films(), KNOWN, settings, LetterEmbedder())


# --- search ------------------------------------------------------------------------------------------------------


@pytest.fixture
def letters() -> NameIndex:
    return NameIndex.of(entries("Heat", "The Heat", "Theta", "Ran"), embedder=LetterEmbedder())


def test_search_fuses_meaning_and_wording(letters):
    """Both put "Heat" first and "The Heat" second; "Theta" has the letters only. Weights 2 and 1, k = 60."""
    heat, the_heat, theta = letters.search("heat", 3)
    assert (heat.id, the_heat.id, theta.id) == (0, 1, 2)
    assert heat.score == pytest.approx(2.0 / (60 + 1) + 1.0 / (60 + 1))
    assert the_heat.score == pytest.approx(2.0 / (60 + 2) + 1.0 / (60 + 2))
    assert theta.score == pytest.approx(2.0 / (60 + 3))


def test_search_within_ranks_only_those(letters):
    assert {hit.id for hit in letters.search("heat", 5, within=[1, 3])} <= {1, 3}
    assert letters.search("heat", 5, within={1})[0].id == 1
    assert letters.search("heat", 5, within=[]) == ()


def test_search_without_an_embedder_is_lexical():
    index = NameIndex.of(entries("Heat", "The Heat", "Ran"))
    assert [hit.id for hit in index.search("heat", 5)] == [0, 1]


def test_a_large_index_ranks_as_a_small_one():
    names = [f"name {i % 97} of {i % 31}" for i in range(SMALL + 5)]
    large, small = NameIndex.of(entries(*names)), NameIndex.of(entries(*names[: SMALL - 1]))
    within = range(SMALL - 1)
    assert type(large._sparse) is not type(small._sparse)
    assert [h.id for h in large.search("name 5 of 3", 3, within=within)] == [
        h.id for h in small.search("name 5 of 3", 3)
    ]


def test_near_names_forgive_spelling_and_repeat_nothing():
    index = NameIndex.of(entries("The Godfather", "The Godfather", "Godzilla", "Casino"))
    assert index.near_names("Godfahter", 5)[0] == "The Godfather"
    assert len(index.near_names("Godfather", 5)) == len(set(index.near_names("Godfather", 5)))


def test_a_name_that_is_none_by_its_wording_may_be_one_by_meaning():
    index = NameIndex.of(entries("Listen", "Ran"), embedder=LetterEmbedder())
    (mention,) = index.find("who directed Silent?")
    assert (mention.how, mention.text, mention.entries) == ("dense", "Silent", (0,))
    assert 0.3 < mention.score <= 0.5
    assert index.find("who directed silent?") == []
    assert index.find("who directed Potato?") == []


@pytest.mark.skipif(choose_embedder(SearchSettings()).embedder is None, reason="needs an embedder")
def test_a_name_that_shares_a_word_does_not_mean_the_same():
    index = NameIndex.of(entries("The Knock", "Arcade Fire"), embedder=choose_embedder(SearchSettings()).embedder)
    assert index.find("What did Token Arcade release?") == []
    assert index.near_names("Token Arcade", 1) == ["Arcade Fire"]


def test_half_precision_ranks_alike():
    embedder = LetterEmbedder()
    vectors = embedder.embed(["heat", "theta", "ran", "arcade", ""])
    exact = DenseIndex(vectors, embedder).search("head", 5)
    half = DenseIndex(vectors.astype(np.float16), embedder).search("head", 5)
    assert [h.id for h in exact] == [h.id for h in half]
    assert [h.score for h in exact] == pytest.approx([h.score for h in half], abs=2e-3)
    assert 4 not in [h.id for h in exact]
    assert DenseIndex(vectors, embedder).search("!", 5) == ()


def test_the_index_records_its_embedder(settings):
    index = open_or_build(films("Heat"), KNOWN, settings)
    chosen = choose_embedder(SearchSettings())
    assert (index.embedder and index.embedder.name) == (chosen.embedder and chosen.embedder.name)


@pytest.mark.skipif(choose_embedder(SearchSettings()).embedder is None, reason="needs an embedder")
def test_words_are_embedded_and_remembered(settings):
    index = open_or_build(films("Heat"), KNOWN, settings)
    vectors = index.embed_words(["director", "film"])
    assert vectors.shape[0] == 2
    with pytest.MonkeyPatch.context() as patch:
        # It cannot be called now.
        patch.setattr(type(uncached(choose_embedder(SearchSettings(), "words").embedder)), "embed", None)
        np.testing.assert_array_equal(index.embed_words(["film", "director"]), vectors[::-1])


# --- size --------------------------------------------------------------------------------------------------------


def test_many_names_are_opened_and_searched(tmp_path):
    names = [f"{a}{b}{c} {i}" for i, (a, b, c) in enumerate(_syllables(20_000))]
    settings = Settings.load({}, cache={"dir": tmp_path}, search={"embedder": "none"})
    open_or_build(films(*names), KNOWN, settings)
    index = open_or_build(films(), KNOWN, settings)
    question = f"which of the many things that are related to {names[17_777]} was made before the other one in the year"
    assert [index.entry(m.entries[0]).text for m in index.find(question)] == [names[17_777]]


def _syllables(count: int):
    parts = ["Ka", "lo", "Mi", "ne", "Ru", "so", "Te", "vu", "Xa", "zi"]
    for i in range(count):
        yield parts[i % 10], parts[i // 10 % 10].lower(), parts[i // 100 % 10].lower()
