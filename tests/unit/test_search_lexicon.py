"""Names found in questions: how, how sure, and what must not be found."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcgraph.search.base import Entry
from arcgraph.search.embed import choose_embedder
from arcgraph.search.lexicon import MOST_ENTRIES
from arcgraph.search.local import NameIndex
from arcgraph.search.vocabulary import Vocabulary, allowed_edits, edit_distance
from arcgraph.settings import SearchSettings


def index(*names: str, aliases: tuple[str, ...] = ()) -> NameIndex:
    entries = [Entry(f"e{i}", f"n{i}", ("Thing",), "name", name) for i, name in enumerate(names)]
    entries += [Entry("e0", "n0", ("Thing",), "alias", alias, alias=True) for alias in aliases]
    return NameIndex.of(entries, words=choose_embedder(SearchSettings(), "words").embedder)


def found(names: NameIndex, question: str, how: str | None = None) -> list[str]:
    """Names behind the mentions in their order, those of one kind or all."""
    mentions = [m for m in names.find(question) if how in (None, m.how)]
    return [names.entry(e).text for m in mentions for e in m.entries]


def only(names: NameIndex, question: str):
    (mention,) = names.find(question)
    assert question[mention.start : mention.end] == mention.text
    return mention


# --- how ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "question", "how", "surface"),
    [
        ("Heat", "Who directed Heat?", "exact", "Heat"),
        ("Heat", "Who directed Heat's sequel?", "exact", "Heat"),
        ("Heat", "who directed 'Heat'?", "exact", "Heat"),
        ("Heat", "who directed HEAT", "folded", "HEAT"),
        ("Amélie", "who wrote Amelie", "folded", "Amelie"),
        ("Spider-Man", "who played Spider Man", "folded", "Spider Man"),
        ("Spider-Man", "who played Spiderman", "folded", "Spiderman"),
        ("O'Brien", "where does OBrien live", "folded", "OBrien"),
        ("U.S.A.", "cities of the USA", "folded", "USA"),
        ("Help!", "Who sang Help! first", "exact", "Help!"),
        ("Mr. & Mrs. Smith", "who is in Mr and Mrs Smith", "tokens", "Mr and Mrs Smith"),
        ("The Knock", "What is Knock about?", "tokens", "Knock"),
        ("Tarantino, Quentin", "films of Quentin Tarantino", "tokens", "Quentin Tarantino"),
        ("The Words of War", "who wrote the Words of War", "folded", "the Words of War"),
        ("comedy", "list all comedies", "inflected", "comedies"),
        ("Quentin Tarantino", "films of Quentin Tarantno", "fuzzy", "Quentin Tarantno"),
        ("Scarlett Johansson", "films with Scarlet Johanson", "fuzzy", "Scarlet Johanson"),
        ("The Godfather", "who is in “The Godfahter”", "fuzzy", "The Godfahter"),
        ("Quentin Tarantino", "films of Tarantino", "partial", "Tarantino"),
        ("Quentin Tarantino", "films of quentin tarantno", "fuzzy", "quentin tarantno"),
        ("Scarlett Johansson", "films with scarlet johansson", "fuzzy", "scarlet johansson"),
        ("1994", "what came out in 1994?", "exact", "1994"),
        ("10248", "who placed order 10248?", "exact", "10248"),
    ],
)
def test_how_a_name_is_found(name, question, how, surface):
    mention = only(index(name, "Something Else Entirely"), question)
    assert (mention.how, mention.text, mention.entries) == (how, surface, (0,))
    assert 0 < mention.score <= 1


@pytest.mark.parametrize(
    ("name", "question", "score"),
    [
        ("fishing_boat", "what does a fishing boat carry", 0.95),
        ("fishing_boat", "what do fishing boats carry", 0.75),
        ("fishingBoat", "what does a fishing boat carry", 0.9),
        ("FishingBoat", "What does a fishing boat carry?", 0.9),
        ("HarbourOrQuaysideCraneOperator", "who trains a harbour or quayside crane operator", 0.9),
        ("NDAFile", "who keeps the nda file", 0.9),
        ("therapist", "who is the rapist of the story", 0.7),
    ],
)
def test_names_as_programs_write_them_are_found_by_their_words(name, question, score):
    (mention,) = [m for m in index(name).find(question) if m.tokens > 1]
    assert index(name).entry(mention.entries[0]).text == name
    assert mention.score == pytest.approx(score)


def test_an_alias_is_called_one():
    mention = only(index("Robert Zimmerman", aliases=("Bob Dylan",)), "songs by Bob Dylan")
    assert (mention.how, mention.entries) == ("alias", (1,))


@pytest.mark.parametrize(
    "name",
    [
        "霸王别姬",
        "a `backticked` name",
        'says "quotes" twice',
        "O'Neill's \"Bar\"",
        "two\nlines",
        "שלום עולם",
        "مرحبا",
        "😀 Emoji 🎬",
        "🎬",
        "C++",
        "!!!",
        "50% off",
        "naïve café",
        "İstanbul",
        "{curly} $param \\u0041",
        "e\u0301te\u0301",
    ],
)
@pytest.mark.parametrize("question", ["{}", "What about {}?", "Tell me who made “{}”!", "{} und mehr"])
def test_any_name_is_found_as_it_stands(name, question):
    names = index(name, "Other")
    assert name in found(names, question.format(name), "exact")


@pytest.mark.parametrize(
    ("names", "question", "expected"),
    [
        (("霸王别姬", "陈凯歌"), "谁导演了霸王别姬？", ["霸王别姬"]),
        (("霸王别姬", "陈凯歌"), "陈凯歌导演了《霸王别姬》吗？", ["霸王别姬", "陈凯歌"]),
        (("기생충", "봉준호"), "기생충을 감독한 사람은 누구입니까?", ["기생충"]),
        (("千と千尋の神隠し",), "千と千尋の神隠しの監督は誰ですか", ["千と千尋の神隠し"]),
        (("ต้มยำกุ้ง",), "ใครกำกับต้มยำกุ้ง", ["ต้มยำกุ้ง"]),
    ],
)
def test_scripts_without_spaces(names, question, expected):
    assert sorted(found(index(*names), question, "exact")) == sorted(expected)


def test_characters_in_another_order_are_another_word():
    assert found(index("海上"), "上海在哪里") == []


# --- what must not be found --------------------------------------------------------------------------------------


def test_short_names_are_whole_tokens():
    names = index("Al", "Gale", "Walter White")
    assert found(names, "Who is Al?") == ["Al"]
    assert found(names, "Who is Gale?") == ["Gale"]
    assert found(names, "Who is always also Alan?") == []


def test_a_name_that_is_not_there_is_not_found_but_shown():
    names = index("The Knock", "Arcade Fire")
    assert found(names, "Token Arcade") == []
    assert found(names, "What did Token Arcade release?") == []
    assert names.near_names("Token Arcade", 1) == ["Arcade Fire"]


def test_part_of_a_name_like_stretch_is_no_misspelling():
    assert found(index("Taken"), "What is Token Arcade about?") == []


@pytest.mark.parametrize("question", ["who directed it", "which directors are there", "movies released", "strong wind"])
def test_everyday_words_in_lower_case_are_no_misspellings(question):
    names = index("Director", "Dirceted", "Realised", "String", "Winds of")
    assert [m for m in names.find(question) if m.how == "fuzzy"] == []


def test_part_of_a_name_needs_a_capital():
    names = index("Schindler's List", "Quentin Tarantino")
    assert found(names, "give me a list") == []
    assert found(names, "List every film") == []
    assert found(names, "films by tarantino") == []


def test_fuzzy_only_where_nothing_better_covers_the_words():
    names = index("Tarantino", "Tarantina")
    assert found(names, "films by Tarantino") == ["Tarantino"]


@pytest.mark.parametrize("question", ["", "   ", "?!", "😀", "a" * 50_000, "word " * 4_000, "\x00", "\ud800"])
def test_questions_of_any_shape(question):
    assert isinstance(index("Heat", "The Knock").find(question), list)


def test_an_empty_index():
    names = index()
    assert names.find("Who directed Heat?") == []
    assert names.search("heat", 5) == ()
    assert names.near("heat", 5) == ()


# --- order and features ------------------------------------------------------------------------------------------


def test_a_name_within_a_longer_match_for_the_same_node_is_not_repeated():
    assert [m.text for m in index("The Words of War").find("who wrote the words of war")] == ["the words of war"]


def test_maximal_mentions_come_first_and_the_others_are_kept():
    names = index("The Words", "War", "The Words of War")
    mentions = names.find("Who is in The Words of War?")
    assert [(m.text, m.maximal) for m in mentions if m.how == "exact"] == [
        ("The Words of War", True),
        ("The Words", False),
        ("War", False),
    ]


def test_one_mention_for_all_nodes_of_a_name():
    mention = only(index("Heat", "Heat", "Other"), "Who directed Heat?")
    assert (mention.entries, mention.total) == ((0, 1), 2)


def test_a_name_that_thousands_share_is_cut_and_counted():
    mention = only(index(*["John"] * 1000), "Who is John?")
    assert (len(mention.entries), mention.total) == (MOST_ENTRIES, 1000)


def test_exact_case_is_surer_than_folded():
    names = index("War", "war")
    assert found(names, "films about war")[0] == "war"
    assert found(names, "a film called War")[0] == "War"


def test_features_let_the_caller_doubt_everyday_words():
    names = index("movie", "What", "The", "Heat", "It")
    by_text = {(m.text, m.how): m for m in names.find("what movie is the Heat like? It")}
    assert by_text["what", "folded"].function_words
    assert by_text["the", "folded"].score < 0.3
    assert not by_text["movie", "exact"].capitalised
    assert by_text["movie", "exact"].score < by_text["Heat", "exact"].score == 1.0
    assert by_text["Heat", "exact"].capitalised
    (quoted,) = [m for m in names.find("who stars in 'It'?") if m.text == "It"]
    assert quoted.quoted
    assert quoted.score == 1.0


def test_a_capital_at_the_beginning_says_nothing():
    names = index("Heat")
    first, later = only(names, "Heat was made by whom?"), only(names, "Who made Heat?")
    assert first.initial
    assert not later.initial
    assert first.score < later.score


def test_lower_case_for_a_capitalised_name_is_less_sure():
    names = index("Heat")
    lower = only(names, "who made heat")
    assert not lower.same_case
    assert 0.3 < lower.score < 0.8


@settings(deadline=None, max_examples=60)
@given(st.lists(st.text(min_size=1, max_size=12), min_size=1, max_size=6), st.text(max_size=8), st.text(max_size=8))
def test_a_name_between_blanks_is_always_found(texts, before, after):
    names = index(*texts)
    for at, text in enumerate(texts):
        question = f"{before} {text} {after}"
        mentions = names.find(question)
        assert all(question[m.start : m.end] == m.text for m in mentions)
        assert all(0 < m.score <= 1 for m in mentions)
        if any(c.isalnum() for c in text) and text.isascii():
            assert any(at in m.entries for m in mentions)


# --- near spellings ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("a", "b", "most", "expected"),
    [
        ("knock", "knock", 2, 0),
        ("knock", "knokc", 2, 1),
        ("knock", "nock", 2, 1),
        ("knock", "knocks", 2, 1),
        ("knock", "clock", 2, 2),
        ("kitten", "sitting", 2, 3),
        ("kitten", "sitting", 3, 3),
        ("abc", "abcdef", 2, 3),
        ("", "ab", 2, 2),
    ],
)
def test_edit_distance(a, b, most, expected):
    assert edit_distance(a, b, most) == expected == edit_distance(b, a, most)


def _full_distance(a: str, b: str) -> int:
    table = {(i, j): i + j for i in range(len(a) + 1) for j in range(len(b) + 1) if not i or not j}
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            change = a[i - 1] != b[j - 1]
            table[i, j] = min(table[i - 1, j] + 1, table[i, j - 1] + 1, table[i - 1, j - 1] + change)
            if i > 1 and j > 1 and a[i - 1] == b[j - 2] and a[i - 2] == b[j - 1]:
                table[i, j] = min(table[i, j], table[i - 2, j - 2] + 1)
    return table[len(a), len(b)]


@given(st.text("abc", max_size=7), st.text("abc", max_size=7), st.integers(0, 3))
def test_the_banded_distance_is_the_full_one(a, b, most):
    assert edit_distance(a, b, most) == min(_full_distance(a, b), most + 1)


def test_words_allow_edits_by_their_length():
    assert [allowed_edits(w) for w in ("heat", "knock", "quentins", "tarantino", "10248")] == [0, 1, 1, 2, 0]


def test_corrections_come_nearest_first():
    arrays, _ = Vocabulary.arrays(["tarantino", "tarantini", "taranto", "other", "al", "gale"])
    vocabulary = Vocabulary(arrays)
    assert [(c.text, c.edits) for c in vocabulary.corrections("tarantino", 2)] == [
        ("tarantino", 0),
        ("tarantini", 1),
        ("taranto", 2),
    ]
    assert vocabulary.term("gale") >= 0
    assert vocabulary[vocabulary.term("gale")] == "gale"
    assert vocabulary.term("ale") == -1
