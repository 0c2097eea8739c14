"""Exploring an open vocabulary around anchors, over a graph that is a list of edges, with meanings given by hand."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from arcgraph.domain import Anchor, Count, LabelInfo, PassageHome, RelationHome, Rows, Schema, TypeInfo
from arcgraph.errors import QueryError, QueryTimeout
from arcgraph.graph.pattern import Descriptor, Direction
from arcgraph.interpret.anchors import Candidate
from arcgraph.interpret.interface import LocalInterface, LocalInterfaces, SchemaInterface, interfaces
from arcgraph.interpret.nearby import Explorer, Nearby
from arcgraph.interpret.paths import RelationPath
from arcgraph.interpret.question import read_question
from arcgraph.interpret.terms import Vocabulary
from arcgraph.interpret.verbalise import subject_class
from arcgraph.settings import AskSettings

Triple = tuple[str, str, str]

FLEET: list[Triple] = [
    ("Nightjar", "drawn by", "Orla Quist"),
    ("Orla Quist", "learned from", "Bo Tarn"),
    ("Bo Tarn", "grew up in", "Kelling"),
    ("Kelling", "lies on", "Orm"),
    ("Nightjar", "sails for", "Tern Line"),
]


def no_vectors(_: object) -> None:
    """An embedder that is not there."""


class FakeGraph:
    """A graph that shows its edges in the order in which they are given; fails where it is told to.

    Every look takes some ``seconds`` of its own ``clock``.
    """

    dialect = "neo4j"

    def __init__(
        self, *triples: Triple, fails: Sequence[str] = (), error: Exception | None = None, seconds: float = 0.0
    ):
        self.triples = triples
        self.clock = 0.0
        self._seconds = seconds
        self.looks: list[list[str]] = []
        self.timeouts: list[float] = []
        self._fails = set(fails)
        self._error = error or QueryError("told to fail")

    def read(self, query: str, params: Mapping[str, Any] | None = None, *, timeout: float, limit: int) -> Rows:
        assert timeout > 0
        self.timeouts.append(timeout)
        if params is None:
            return self._overview(query, limit)
        self.looks.append(list(params["ids"]))
        if self._fails & set(params["ids"]):
            raise self._error
        hidden = {value for name, value in params.items() if name.startswith("h")}
        ends = [((a, d, b) if "]->(m)" in query else (b, d, a)) for a, d, b in self.triples]
        most = int(re.findall(r"LIMIT (\d+)", query)[-1])
        shown = [
            row
            for node in dict.fromkeys(params["ids"])
            for row in [end for end in ends if end[0] == node and end[1] not in hidden][:most]
        ]
        self.clock += self._seconds
        return Rows(("n", "d", "m"), shown[:limit])

    def _overview(self, query: str, limit: int) -> Rows:
        """How many relations there are, or the first of them with their numbers of edges."""
        relations = list(dict.fromkeys(relation for _, relation, _ in self.triples))
        if "count(v)" not in query:
            return Rows(("v", "n"), [(relation, 1) for relation in relations][:limit])
        if "every relation" in self._fails:
            raise QueryTimeout("too slow")
        return Rows(("count(v)",), [(len(relations),)])


def schema(*triples: Triple, passages: PassageHome | None = None, home: RelationHome | None = None) -> Schema:
    types = {relation for _, relation, _ in triples} if home is None else {home.type}
    return Schema(
        labels={"Entity": LabelInfo("Entity", Count(10))},
        types={t: TypeInfo(t, Count(1)) for t in types},
        endpoints=(),
        relations=home or RelationHome(),
        passages=passages,
    )


def candidate(*names: str) -> Candidate:
    return Candidate(Anchor(names[0], ("Entity",), "name", names, names, (0, 1), names[0], "exact", 1.0), 1.0)


def explored(
    *triples: Triple,
    anchor: str = "Nightjar",
    text: str = "what",
    embed: Any = no_vectors,
    fails: Sequence[str] = (),
    passages: PassageHome | None = None,
    **settings: int,
) -> Nearby:
    graph = FakeGraph(*triples, fails=fails)
    explorer = Explorer(graph, schema(*triples, passages=passages), embed, AskSettings(**settings))  # type: ignore[arg-type]
    return explorer.explore(read_question(text), [candidate(anchor)])


def paths(nearby: Nearby, anchor: str = "Nightjar") -> list[str]:
    return [str(p).strip().replace(">  ", "> ").replace("-  ", "- ") for p in nearby.paths[anchor,]]


# --- where paths lead ---------------------------------------------------------------------------------------------


def test_paths_lead_as_far_as_the_setting_and_no_farther() -> None:
    chain = ["-drawn by->", "-drawn by-> -learned from->", "-drawn by-> -learned from-> -grew up in->"]
    far = [*FLEET, ("Kelling", "ruled by", "Ines Vael")]
    assert [p for p in paths(explored(*far)) if p in chain] == chain
    assert not [p for p in paths(explored(*far)) if "lies on" in p or "ruled by" in p]
    assert paths(explored(*far, max_hops=1)) == ["-drawn by->", "-sails for->"]


def test_edges_are_followed_against_their_direction_and_never_back_to_the_anchor() -> None:
    found = paths(explored(*FLEET, anchor="Kelling"), "Kelling")
    assert found[:3] == ["-lies on->", "<-grew up in-", "<-grew up in- <-learned from-"]
    assert "<-grew up in- <-learned from- <-drawn by-" in found
    # From Bo Tarn the way back leads to Kelling alone.
    assert "<-grew up in- -grew up in->" not in found


def test_the_nodes_of_one_name_are_explored_together() -> None:
    triples = [("a", "drawn by", "x"), ("b", "sold to", "y")]
    graph = FakeGraph(*triples)
    explorer = Explorer(graph, schema(*triples), no_vectors, AskSettings())  # type: ignore[arg-type]
    nearby = explorer.explore(read_question("what"), [candidate("a", "b")])
    assert {str(p).strip() for p in nearby.paths["a", "b"]} == {"-drawn by->", "-sold to->"}


def test_paths_that_the_question_speaks_of_come_first() -> None:
    triples = [("Nightjar", f"relation {i:03}", f"n{i}") for i in range(150)]
    triples += [("Nightjar", "drawn by", "Orla Quist"), ("Orla Quist", "taught", "Bo Tarn")]
    # 151 relations leave the anchor and 80 are followed: by its words "drawn by" is one of them.
    found = paths(explored(*triples, text="Who was taught by who has drawn the Nightjar?"))
    assert found[0] == "-drawn by->"
    assert "-drawn by-> -taught->" in found


def test_no_more_paths_than_the_setting() -> None:
    triples = [("Nightjar", f"relation {i:03}", f"n{i}") for i in range(150)]
    assert len(explored(*triples, max_patterns=20).paths["Nightjar",]) == 20


def test_steps_are_known_after_what_leads_to_them() -> None:
    nearby = explored(*FLEET)
    (drawn,) = [p for p in nearby.paths["Nightjar",] if str(p).strip() == "-drawn by->"]
    assert [s.descriptor.text for s in nearby.after[drawn.state]] == ["learned from"]


# --- budgets ------------------------------------------------------------------------------------------------------


def test_a_hub_is_looked_at_within_a_budget() -> None:
    hub = [(f"s{i}", "moored at", "Port Ys") for i in range(20_000)]
    beyond = [(f"s{i}", "built of", f"w{i}") for i in range(20_000)]
    graph = FakeGraph(*hub, *beyond)
    explorer = Explorer(graph, schema(*hub, *beyond), no_vectors, AskSettings())  # type: ignore[arg-type]
    nearby = explorer.explore(read_question("what"), [candidate("Port Ys")])
    assert str(nearby.paths["Port Ys",][0]).strip() == "<-moored at-"
    assert len({node for look in graph.looks for node in look}) < 100


def test_thousands_of_equal_edges_do_not_hide_a_rare_one() -> None:
    hub = [(f"s{i}", "moored at", "Port Ys") for i in range(9_000)] + [("Orla Quist", "rules", "Port Ys")]
    assert "<-rules-" in paths(explored(*hub, anchor="Port Ys", max_hops=1), "Port Ys")
    told = [(f"c{i}", "told of", "Port Ys") for i in range(9_000)] + [("Orla Quist", "rules", "Port Ys")]
    home = PassageHome("Chunk", "text", mention_types=("told of",))
    assert paths(explored(*told, anchor="Port Ys", passages=home, max_hops=1), "Port Ys") == ["<-rules-"]


def test_a_hub_beside_a_quiet_node_does_not_hide_its_edges() -> None:
    # The hub comes first, and has five times as many edges as one query shows.
    triples = [("Nightjar", "moored at", "Port Ys"), ("Nightjar", "moored at", "Kelling")]
    triples += [("Port Ys", "lists", f"s{i}") for i in range(20_000)]
    triples += [("Kelling", "ruled by", "Ines Vael")]
    found = paths(explored(*triples))
    assert "-moored at-> -ruled by->" in found
    assert "-moored at-> -lists->" in found


def test_every_node_is_looked_at_once_a_question() -> None:
    triples = [*FLEET, ("Bo Tarn", "taught", "Orla Quist"), ("Kelling", "named after", "Bo Tarn")]
    graph = FakeGraph(*triples)
    explorer = Explorer(graph, schema(*triples), no_vectors, AskSettings())  # type: ignore[arg-type]
    nearby = explorer.explore(read_question("what"), [candidate("Nightjar"), candidate("Bo Tarn")])
    assert len(nearby.paths["Bo Tarn",]) > 3
    looked = Counter(node for look in graph.looks for node in look)
    # Once a direction.
    assert set(looked.values()) == {2}
    assert {"Nightjar", "Orla Quist", "Bo Tarn", "Kelling"} <= set(looked)


def test_when_time_is_up_what_was_seen_so_far_is_used() -> None:
    graph = FakeGraph(*FLEET, seconds=4.0)
    explorer = Explorer(graph, schema(*FLEET), no_vectors, AskSettings(looking=10.0), lambda: graph.clock)  # type: ignore[arg-type]
    nearby = explorer.explore(read_question("what"), [candidate("Nightjar")])
    # Looks begin at 0, 4 and 8 seconds: two directions of the anchor, and one of where its edges lead.
    assert len(graph.looks) == 3
    assert paths(nearby) == ["-drawn by->", "-sails for->", "-drawn by-> -learned from->"]


def test_no_query_gets_more_time_than_is_left() -> None:
    graph = FakeGraph(*FLEET)
    explorer = Explorer(graph, schema(*FLEET), no_vectors, AskSettings(looking=1.5), lambda: graph.clock)  # type: ignore[arg-type]
    explorer.explore(read_question("what"), [candidate("Nightjar")])
    assert max(graph.timeouts) == 1.5


# --- meanings -----------------------------------------------------------------------------------------------------


def test_relations_of_the_same_words_are_one_step_called_by_the_frequent_one() -> None:
    triples = [("a", "is based in", "Nightjar"), ("b", "based in", "Nightjar"), ("c", "based in", "Nightjar")]
    (found,) = explored(*triples).paths["Nightjar",]
    assert found.steps[0].descriptor == Descriptor("based in")
    assert found.steps[0].also == (Descriptor("is based in"),)


def given_vectors(**vectors: Sequence[float]) -> Any:
    """Unit vectors of some words and phrases, underscores for spaces; all others point another way."""
    table = {name.replace("_", " "): np.array(v, np.float32) / np.linalg.norm(v) for name, v in vectors.items()}
    other = np.array([0, 0, 1], np.float32)
    return lambda texts: np.stack([table.get(text, other) for text in texts]) if texts else np.zeros((0, 3), np.float32)


def test_relations_that_embed_alike_are_one_step_and_merely_similar_ones_are_two() -> None:
    triples = [("Nightjar", "home port", "Ys"), ("Nightjar", "home harbour", "Ys"), ("Nightjar", "seen off", "Ys")]
    # Cosines: .995 for the harbour, .707 for where it was seen.
    embed = given_vectors(home_port=(1, 0, 0), home_harbour=(1, 0.1, 0), seen_off=(1, 1, 0))
    steps = [p.steps[0] for p in explored(*triples, embed=embed).paths["Nightjar",]]
    assert {s.descriptor.text: [d.text for d in s.also] for s in steps} == {
        "home port": ["home harbour"],
        "seen off": [],
    }


def test_meanings_are_the_terms_of_the_interface() -> None:
    triples = [("a", "based in", "Nightjar"), ("a", "is based in", "Nightjar"), ("a", "sold to", "Nightjar")]
    assert [d.text for d in explored(*triples).descriptors] == ["based in", "sold to"]


# --- passages and classes -----------------------------------------------------------------------------------------


def test_edges_that_mention_passages_are_no_relations() -> None:
    triples = [*FLEET, ("c1", "told of", "Nightjar")]
    home = PassageHome("Chunk", "text", mention_types=("told of",))
    assert "<-told of-" in paths(explored(*triples))
    assert not [p for p in paths(explored(*triples, passages=home)) if "told of" in p]


def test_a_predicate_called_like_such_a_type_is_one_where_relations_are_predicates() -> None:
    triples = [("Nightjar", "told of", "Orla Quist")]
    described = schema(
        *triples,
        passages=PassageHome("Chunk", "text", mention_types=("told of",)),
        home=RelationHome("property", "RELATED", "predicate"),
    )
    explorer = Explorer(FakeGraph(*triples), described, no_vectors, AskSettings())  # type: ignore[arg-type]
    assert paths(explorer.explore(read_question("what"), [candidate("Nightjar")])) == ["-told of->"]


@pytest.mark.parametrize(
    ("name", "subject"),
    [
        ("/people/person/place_of_birth", "person"),
        ("people.person.place_of_birth", "person"),
        ("/people/person/spouse_s./people/marriage/spouse", "person"),
        ("place_of_birth", ""),
        ("schema:birthPlace", ""),
        ("/film/directed_by", ""),
        ("http://example.org/person/name", ""),
    ],
)
def test_a_qualified_name_tells_the_class_of_its_subjects(name: str, subject: str) -> None:
    assert subject_class(name) == subject


QUALIFIED: list[Triple] = [
    ("Orm", "/geo/river/crosses", "Ys"),
    ("Ald", "/geo/river/crosses", "Ys"),
    ("Orm", "/geo/river/length", "80"),
    ("North Line", "/rail/railway/passes", "Ys"),
    ("North Line", "/rail/railway/gauge", "wide"),
]


def test_nodes_are_called_by_the_names_of_the_relations_that_leave_them() -> None:
    nearby = explored(*QUALIFIED, anchor="Ys")
    classes = {str(p).strip(): p.steps[-1].classes for p in nearby.paths["Ys",] if len(p.steps) == 1}
    assert classes == {"<-/geo/river/crosses-": ("river",), "<-/rail/railway/passes-": ("railway",)}
    assert sorted(nearby.classes) == ["railway", "river"]


def test_a_class_that_few_of_the_nodes_have_is_no_name_for_them() -> None:
    plain = [(f"n{i}", "crosses", "Ys") for i in range(9)]
    nearby = explored(*plain, ("n0", "/geo/river/length", "80"), anchor="Ys")
    assert nearby.paths["Ys",][0].steps[0].classes == ()


def test_classes_are_terms_and_name_the_end_of_a_path() -> None:
    interface = local(*QUALIFIED, anchor="Ys")
    encoded, usable = interface.paths_from(candidate("Ys"))
    assert usable.all()
    assert interface.vocabulary.names_classes
    column = interface.vocabulary.column["label", "river"]
    by_path = {str(p).strip(): encoded.end_names[i, column] for i, p in enumerate(encoded.paths)}
    assert by_path["<-/geo/river/crosses-"] == 1.0
    assert by_path["<-/rail/railway/passes-"] == 0.0


# --- looks that fail ----------------------------------------------------------------------------------------------


def test_a_failing_look_hides_only_what_it_would_have_shown() -> None:
    assert paths(explored(*FLEET, fails=["Orla Quist"])) == ["-drawn by->", "-sails for->"]


def test_where_every_look_fails_there_is_no_path_and_no_error() -> None:
    interface = local(*FLEET, fails=["Nightjar"])
    encoded, usable = interface.paths_from(candidate("Nightjar"))
    assert (encoded.paths, len(usable)) == ([], 0)
    # Every word then means nothing in the graph.
    assert interface.vocabulary.meanings(["drawn"])[0].argmax() == interface.vocabulary.null


def test_a_failure_that_is_none_of_the_query_is_not_hidden() -> None:
    graph = FakeGraph(*FLEET, fails=["Nightjar"], error=RuntimeError("a fault of ours"))
    explorer = Explorer(graph, schema(*FLEET), no_vectors, AskSettings())  # type: ignore[arg-type]
    with pytest.raises(RuntimeError):
        explorer.explore(read_question("what"), [candidate("Nightjar")])


# --- which interface a graph has ----------------------------------------------------------------------------------


def local(*triples: Triple, anchor: str = "Nightjar", fails: Sequence[str] = ()) -> LocalInterface:
    graph = FakeGraph(*triples, fails=fails)
    made = LocalInterfaces(graph, schema(*triples), no_vectors, AskSettings())  # type: ignore[arg-type]
    return made.around(read_question("what"), [candidate(anchor)])


def many(n: int) -> list[Triple]:
    return [("a", f"relation {i:03}", "b") for i in range(n)]


def test_a_graph_is_explored_where_its_relations_are_many_and_its_labels_say_nothing() -> None:
    def made(of: Schema, *triples: Triple) -> object:
        return interfaces(FakeGraph(*triples), of, no_vectors, AskSettings())  # type: ignore[arg-type]

    home = RelationHome("property", "RELATED", "predicate")
    labelled = schema(*many(101))
    labelled = Schema(
        labels={name: LabelInfo(name, Count(5)) for name in ("Ship", "Port")}, types=labelled.types, endpoints=()
    )
    assert isinstance(made(schema(*many(101)), *many(101)), LocalInterfaces)
    assert isinstance(made(schema(home=home), *many(101)), LocalInterfaces)
    assert isinstance(made(labelled, *many(101)), SchemaInterface)


def test_of_an_anchor_that_was_not_explored_no_path_is_known() -> None:
    encoded, usable = local(*FLEET).paths_from(candidate("Kelling"))
    assert (encoded.paths, len(usable)) == ([], 0)


def test_a_query_that_cannot_count_the_relations_in_time_means_that_they_are_many() -> None:
    home = RelationHome("property", "RELATED", "predicate")
    slow = FakeGraph(*FLEET, fails=["every relation"])
    made = interfaces(slow, schema(home=home), no_vectors, AskSettings())  # type: ignore[arg-type]
    assert isinstance(made, LocalInterfaces)


def test_tails_are_the_steps_that_were_seen_to_follow() -> None:
    interface = local(*FLEET)
    encoded, _ = interface.paths_from(candidate("Nightjar"))
    (drawn,) = [p for p in encoded.paths if str(p).strip() == "-drawn by->"]
    assert [str(p).strip() for p in interface.tails_from(drawn).paths] == ["-learned from->"]
    assert interface.tails_from(drawn) is interface.tails_from(drawn)
    assert interface.tails_from(RelationPath("", ())).paths != []
    assert isinstance(interface.vocabulary, Vocabulary)
    assert all(p.steps[0].direction == Direction.OUT for p in interface.tails_from(drawn).paths)
