"""What a question's form adds to its words: two ties to one name, names that qualify, bare question words, verbs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from arcgraph.domain import Count, Endpoint, LabelInfo, Rows, Schema, TypeInfo
from arcgraph.errors import QueryError
from arcgraph.graph.pattern import Descriptor, Direction
from arcgraph.interpret.anchors import find_candidates
from arcgraph.interpret.confidence import MARGIN, holds
from arcgraph.interpret.direction import agent_direction, expected_direction
from arcgraph.interpret.paths import RelationPath, Step
from arcgraph.interpret.question import View, joined_words, read_question, view_from
from arcgraph.interpret.reader import Interpretation, Reader
from arcgraph.interpret.score import EncodedPaths, Meanings
from arcgraph.interpret.terms import Vocabulary, label_term, relation_term
from arcgraph.search.base import Entry
from arcgraph.search.lexicon import Mention
from arcgraph.settings import AskSettings


def no_vectors(_: object) -> None:
    """An embedder that is not there."""


def schema(*triples: tuple[str, str, str]) -> Schema:
    return Schema(
        labels={x: LabelInfo(x, Count(9)) for a, _, b in triples for x in (a, b)},
        types={t: TypeInfo(t, Count(9)) for _, t, _ in triples},
        endpoints=tuple(Endpoint(a, t, b, Count(9)) for a, t, b in triples),
    )


class Silent:
    """A graph that fails every query: every path of the schema may begin at every anchor."""

    dialect = "neo4j"

    def read(self, query: str, params: Mapping[str, Any] | None = None, *, timeout: float, limit: int) -> Rows:
        raise QueryError(f"no answer to {query} with {params} within {timeout} and {limit}")


class Names:
    """Names with their labels, found where they stand in a question as they are."""

    def __init__(self, **labels: str):
        self._names = {name.replace("_", " "): label for name, label in labels.items()}

    def find(self, question: str, *, by_meaning: bool = True) -> list[Mention]:
        del by_meaning
        return [mention(name, question, i) for i, name in enumerate(self._names) if name in question]

    def entries(self, ids: Sequence[int]) -> list[Entry]:
        named = list(self._names.items())
        return [Entry(f"4:{i}", f"n{i}", (named[i][1],) if named[i][1] else (), "name", named[i][0]) for i in ids]


def mention(text: str, question: str, number: int = 0, **features: Any) -> Mention:
    start = question.index(text)
    features = {"capitalised": text[0].isupper(), **features}
    return Mention(start, start + len(text), text, (number,), "exact", 1.0, 1, len(text.split()), **features)


FLEET = schema(
    ("Person", "DESIGNED", "Ship"),
    ("Person", "BUILT", "Ship"),
    ("Ship", "LOCATED_IN", "Town"),
    ("Person", "LED", "Ship"),
)


def read(question: str, of: Schema = FLEET, **names: str) -> Interpretation:
    reader = Reader(Silent(), of, Names(**(names or {"Ys": "Ship"})), no_vectors, AskSettings())  # type: ignore[arg-type]
    return reader.read(question)


def words(question: str, **names: str) -> str:
    return read(question, **names).readings[0].words()


# --- two ties to one name -----------------------------------------------------------------------------------------


def test_one_name_may_be_tied_to_the_answer_in_two_ways() -> None:
    best = read("Who designed and built Ys?").readings[0]
    assert {str(b.path) for b in best.branches} == {"Ship <-DESIGNED- Person", "Ship <-BUILT- Person"}
    assert {b.anchor.name for b in best.branches} == {"Ys"}


def test_two_ties_need_an_and() -> None:
    assert all(len(r.branches) < 2 for r in read("Who designed what was built for Ys?").readings)
    assert words("Who designed Ys?") == "Ys (ship) <-designed- person"


def test_an_and_in_the_name_is_none() -> None:
    found = read("Who designed Salt and Sons?", Salt_and_Sons="Ship")
    assert found.readings
    assert all(len(r.branches) < 2 for r in found.readings)


def test_two_ties_are_two_relations_that_end_alike() -> None:
    for reading in read("Who designed and built Ys in which town?").readings:
        if len(reading.branches) == 2:
            one, other = (b.path for b in reading.branches)
            assert (one.end, len(one.steps)) == (other.end, 1)
            assert one.steps[0].descriptor != other.steps[0].descriptor


# --- question words by themselves ---------------------------------------------------------------------------------


def test_a_bound_on_joined_readings_leaves_out_only_what_is_far_behind() -> None:
    """Two ships have a designer in common, from whom eight ways lead on that no word tells apart."""
    of = schema(
        *((a, t, b) for a, t, b in (("Person", "DESIGNED", "Ship"),)), *(("Person", t, "Club") for t in "ABCDEFGH")
    )
    found = read("What does the designer of Ys and Ulm do?", of, Ys="Ship", Ulm="Ship").readings
    tails = [r for r in found if r.tail is not None]
    assert {r.tail.steps[0].descriptor.type for r in tails if r.tail and r.tail.end == "Club"} == set("ABCDEFGH")
    assert max(r.score for r in tails) - min(r.score for r in tails) < MARGIN


def test_where_alone_asks_for_a_location() -> None:
    assert words("Where is Ys?") == "Ys (ship) -located in-> town"


def test_where_alone_describes_what_nothing_locates() -> None:
    unplaced = schema(("Person", "DESIGNED", "Ship"))
    assert read("Where is Ys?", unplaced).readings[0].words() == "about Ys"


def test_who_alone_asks_for_a_description() -> None:
    assert words("Who is Orla?", Orla="Person") == "about Orla"


def test_is_a_a_b_says_only_that_both_belong_together() -> None:
    trades = schema(("Person", "TRADE", "Craft"), ("Person", "LEARNED_FROM", "Person"))
    found = read("Is Orla a Painter?", trades, Orla="Person", Painter="Craft")
    best = found.readings[0]
    assert best.words() == "whether: Orla (person) -trade-> craft = Painter"
    assert best.parts.words == 0
    assert holds(best, found.readings)


# --- names before the noun that is asked for ----------------------------------------------------------------------


def strengths(question: str, *mentions: Mention) -> dict[str, float]:
    class Given(Names):
        def find(self, question: str, *, by_meaning: bool = True) -> list[Mention]:
            del by_meaning
            assert question
            return list(mentions)

    of = Vocabulary([relation_term("MOORED_AT"), label_term("Boat")], no_vectors)
    names = Given(**{f"n{i}": "Ship" for i in range(len(mentions))})
    return {c.anchor.surface: c.strength for c in find_candidates(question, names, of)}


def test_a_name_right_behind_which_is_a_class_unless_a_noun_follows() -> None:
    as_class, qualifying = "which tarn is deep", "which tarn boats are old"
    alone = strengths(as_class, mention("tarn", as_class))["tarn"]
    before = strengths(qualifying, mention("tarn", qualifying))["tarn"]
    assert alone == pytest.approx(before / 4)


def test_a_part_of_a_quoted_name_is_no_name() -> None:
    question = "who built 'Grey Tarn'"
    whole, part = mention("Grey Tarn", question, 0), mention("Tarn", question, 1)
    assert set(strengths(question, whole, part)) == {"Grey Tarn"}
    # Where the whole is nothing, a part may be meant.
    assert set(strengths(question, mention("Tarn", question, 0))) == {"Tarn"}
    unquoted = "who built Grey Tarn"
    assert set(strengths(unquoted, mention("Grey Tarn", unquoted, 0), mention("Tarn", unquoted, 1))) == {
        "Grey Tarn",
        "Tarn",
    }


def test_names_without_capitals_are_doubted_where_another_has_its_own() -> None:
    question = "what did Orla see in the tarn"
    tarn = mention("tarn", question, 1, same_case=False)
    alone = strengths(question, mention("tarn", question, 0, same_case=False))["tarn"]
    beside = strengths(question, mention("Orla", question, 0, same_case=True), tarn)["tarn"]
    assert beside == pytest.approx(alone / 2)


def test_names_that_the_graph_itself_writes_without_capitals_are_not() -> None:
    question = "what did Orla see in the tarn"
    own = mention("tarn", question, 1, same_case=True)
    beside = strengths(question, mention("Orla", question, 0, same_case=True), own)["tarn"]
    assert beside == strengths(question, mention("tarn", question, 0, same_case=True))["tarn"]


def test_a_capital_at_the_beginning_says_nothing_of_the_others() -> None:
    question = "Tarn water flows to the beck"
    first = mention("Tarn", question, 0, initial=True)
    beck = mention("beck", question, 1, same_case=False)
    alone = strengths(question, mention("beck", question, 0, same_case=False))["beck"]
    assert strengths(question, first, beck)["beck"] == alone


# --- words that are one name --------------------------------------------------------------------------------------


DATES = Vocabulary([relation_term(r) for r in ("date_of_birth", "release_year", "place")], no_vectors)


@pytest.mark.parametrize(
    ("one", "other", "link", "is_one"),
    [
        ("date", "birth", ("of",), True),
        ("date", "birth", ("of", "the"), True),
        ("dates", "births", ("of",), True),
        ("birth", "date", ("of",), True),
        ("release", "year", (), True),
        ("year", "release", ("of", "the"), True),
        ("birth", "date", (), False),
        ("year", "release", (), False),
        ("date", "birth", ("in",), False),
        ("date", "release", ("of",), False),
        ("place", "birth", ("of",), False),
    ],
)
def test_neighbours_in_a_name_are_one_word(one: str, other: str, link: tuple[str, ...], is_one: bool) -> None:
    assert DATES.are_one_name(one, other, link) == is_one


def seen(text: str, anchor: str = "Ys") -> View:
    at = text.index(anchor)
    return joined_words(view_from(read_question(text), [(at, at + len(anchor))]), DATES.are_one_name)


def test_a_name_of_several_words_claims_one_hop() -> None:
    view = seen("What is the date of birth of Ys?")
    assert (view.words, view.places, view.distances) == (("date birth",), (5,), (2,))
    assert seen("Tell me the release year and place of Ys").words == ("release year", "place")


def test_no_name_goes_over_an_anchor() -> None:
    assert seen("What is the date of Ys birth?").words == ("date", "birth")
    assert seen("Which release has Ys year?").words == ("release", "year")


def test_a_joined_word_means_its_term_and_no_part_of_another() -> None:
    row = DATES.meanings(["date birth"])[0]
    assert row.argmax() == DATES.column["relation", "date_of_birth"]
    assert row[DATES.column["relation", "date_of_birth"]] > 0.9


# --- sharing of a word --------------------------------------------------------------------------------------------


def test_terms_that_hold_the_word_do_not_compete_for_it() -> None:
    deaths = Vocabulary([relation_term(r) for r in ("place_of_death", "cause_of_death", "mooring")], no_vectors)
    place, cause, mooring = deaths.meanings(["death"])[0][:3]
    assert place == cause > 0.9
    assert mooring < 0.01
    # A word that only one of them holds is that one's alone.
    assert deaths.meanings(["cause"])[0][:2] == pytest.approx([0.0, 1.0], abs=0.01)


def test_a_word_that_is_a_whole_name_means_that_more_than_a_part_of_another() -> None:
    whole = Vocabulary([relation_term(r) for r in ("genre", "genre_of_music", "music")], no_vectors)
    row = whole.meanings(["genre"])[0]
    assert 0.5 < row[0] <= 1.0
    assert row[1] < row[0]


# --- verbs and their ends -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "verb"),
    [
        ("Who built Ys?", "built"),
        ("who commands Ys", "commands"),
        ("Who was Ys built by?", ""),
        ("Who is the builder of Ys?", ""),
        ("Who also built Ys?", ""),
        ("Who Ys built?", ""),
        ("What built Ys?", ""),
        ("Whom did Ys carry?", ""),
        ("Who", ""),
    ],
)
def test_the_verb_whose_subject_is_asked_for(text: str, verb: str) -> None:
    at = text.find("Ys")
    assert view_from(read_question(text), [(at, at + 2)] if at >= 0 else []).acts == verb


@pytest.mark.parametrize(
    ("relation", "direction"),
    [
        ("built_by", Direction.OUT),
        ("has_builder", Direction.OUT),
        ("starred_actors", Direction.OUT),
        ("BUILT", Direction.IN),
        ("commanded", Direction.IN),
        ("FOLLOWS", Direction.IN),
        ("KEEPER_OF", Direction.IN),
        ("spouse", None),
    ],
)
def test_where_who_acts_stands(relation: str, direction: Direction | None) -> None:
    assert agent_direction(relation) == direction


def test_who_acts_ends_the_relation_that_the_verb_names() -> None:
    of = Vocabulary([relation_term("built_by"), relation_term("moored_at")], no_vectors)
    steps = [("built_by", Direction.OUT), ("built_by", Direction.IN), ("moored_at", Direction.OUT)]
    paths = [RelationPath("", (Step(Descriptor(relation), way, ""),)) for relation, way in steps]
    view = view_from(read_question("Who built Ys?"), [(10, 12)])
    builder, built, mooring = EncodedPaths(paths, of).answer(Meanings.of(view, of))
    assert builder > -0.5
    assert built < builder - 2
    assert mooring < builder - 2


def test_where_labels_tell_who_can_be_asked_for_the_verb_does_not() -> None:
    labelled = Vocabulary([relation_term("built_by"), label_term("Yard")], no_vectors)
    view = view_from(read_question("Who built Ys?"), [(10, 12)])
    asked = Meanings.of(view, labelled).asked
    # "person" names nothing here, so what is asked for is open.
    assert asked[labelled.column["relation", "built_by"]] < 0.2
    assert Meanings.of(view, labelled).asked_nothing > 0.5


@pytest.mark.parametrize(
    ("text", "relation", "direction"),
    [
        ("Which towns are in Ys?", "LOCATED_IN", Direction.IN),
        ("Which towns lie within the Ys?", "LIES_IN", Direction.IN),
        ("What was shipped to Ys?", "SHIPPED_TO", Direction.IN),
        ("Which towns are in Ys?", "LEADS_TO", None),
        ("What does Ys lie in?", "LIES_IN", None),
    ],
)
def test_a_preposition_before_the_name_is_the_far_end_of_a_relation_that_ends_with_it(
    text: str, relation: str, direction: Direction | None
) -> None:
    at = text.index("Ys")
    # No word stands for the relation: the preposition alone tells.
    assert expected_direction(read_question(text), (at, at + 2), -1, relation) == direction
