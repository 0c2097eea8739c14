"""Questions and answers over small graphs, the same on every engine."""

from __future__ import annotations

import asyncio
import json
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from graphs import fill

from arcgraph import Agent, Answer, Settings, Status
from arcgraph.answer.evidence import passages_of
from arcgraph.domain import RESERVED_KEY
from arcgraph.errors import UsageError
from arcgraph.tracing import Event

FLEET = (
    [
        ("s1", "Ship", {"name": "Amber Gull", "launched": 1901}),
        ("s2", "Ship", {"name": "Nightjar", "launched": 1911}),
        ("s3", "Ship", {"name": "Slow Heron"}),
        ("p1", "Person", {"name": "Orla Quist"}),
        ("p2", "Person", {"name": "Bo Tarn"}),
        ("p3", "Person", {"name": "Ines Vael"}),
        ("h1", "Harbour", {"name": "Port Ys"}),
        ("h2", "Harbour", {"name": "Kelling"}),
    ],
    [
        ("p1", "DESIGNED", "s1"),
        ("p1", "DESIGNED", "s2"),
        ("p2", "DESIGNED", "s3"),
        ("p2", "COMMANDED", "s1"),
        ("p3", "COMMANDED", "s2"),
        ("s1", "MOORED_AT", "h1"),
        ("s2", "MOORED_AT", "h1"),
        ("s3", "MOORED_AT", "h2"),
    ],
)


@pytest.fixture
def fleet(graph: Any, tmp_path: Path, settings: Settings) -> Agent:
    fill(graph, tmp_path, *FLEET)
    return Agent(graph, settings=settings)


def names(answer: Answer) -> set[str]:
    return {e.name for e in answer.entities}


def anchors(answer: Answer) -> list[dict[str, Any]]:
    """What the question's words were linked to: name, labels, how and how strongly."""
    noted = [event.data["anchors"] for event in answer.trace if event.kind == "anchors"]
    return [anchor for found in noted for anchor in found]


def ask_of(graph: Any, tmp_path: Path, settings: Settings, nodes: Any, edges: Any, question: str) -> Answer:
    fill(graph, tmp_path, nodes, edges)
    return Agent(graph, settings=settings).ask(question)


# --- answers ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Who designed the Nightjar?", {"Orla Quist"}),
        ("Which ships did Bo Tarn command?", {"Amber Gull"}),
        ("Which harbour is the Slow Heron moored at?", {"Kelling"}),
        ("Who designed the ships that are moored at Port Ys?", {"Orla Quist"}),
        ("At which harbours are the ships designed by Bo Tarn moored?", {"Kelling"}),
        ("who commanded the ships designed by the designer of the Amber Gull?", {"Ines Vael"}),
    ],
)
def test_relation_questions(fleet: Agent, question: str, expected: set[str]) -> None:
    answer = fleet.ask(question)
    assert (answer.status, names(answer)) == (Status.ANSWERED, expected)


def test_counts_and_yes_no(fleet: Agent) -> None:
    assert fleet.ask("How many ships did Orla Quist design?").rows == [{"count": 2}]
    assert fleet.ask("Did Orla Quist design the Nightjar?").rows == [{"answer": True}]
    assert fleet.ask("Did Bo Tarn design the Nightjar?").rows == [{"answer": False}]


def test_two_anchors_meet(fleet: Agent) -> None:
    answer = fleet.ask("Which ships were designed by Orla Quist and commanded by Ines Vael?")
    assert names(answer) == {"Nightjar"}


def test_a_description_names_the_properties(fleet: Agent) -> None:
    answer = fleet.ask("What is the Nightjar?")
    assert answer.rows == [{"name": "Nightjar", "launched": 1911}]
    assert names(answer) == {"Nightjar"}


def test_a_description_tells_what_lies_around(fleet: Agent, graph: Any) -> None:
    answer = fleet.ask("Tell me about the Nightjar.")
    assert answer.text == (
        "Nightjar is a ship (launched: 1911): moored at Port Ys; Ines Vael commanded Nightjar; "
        "Orla Quist designed Nightjar. (read as: about Nightjar)"
    )
    assert [e.name for e in answer.entities] == ["Nightjar"]
    assert {c.text for c in answer.citations} == {
        "Nightjar -[MOORED_AT]-> Port Ys",
        "Ines Vael -[COMMANDED]-> Nightjar",
        "Orla Quist -[DESIGNED]-> Nightjar",
    }
    assert {n.id for n in answer.witness.nodes.values()} == {"s2", "h1", "p1", "p3"}
    edges = answer.to_dict()["witness"]["edges"]
    assert [answer.queries[e["query"]].reading for e in edges] == ["what lies around it"] * 3
    assert {c.query for c in answer.citations} == {edges[0]["query"]}
    assert answer.replay(graph).holds


def test_a_hub_is_described_by_a_few_of_each_relation(graph: Any, tmp_path: Path, settings: Settings) -> None:
    nodes: list[Any] = [("h", "Harbour", {"name": "Port Ys"}), ("p", "Person", {"name": "Orla Quist"})]
    nodes += [(f"s{i}", "Ship", {"name": f"Gull {i}"}) for i in range(400)]
    edges: list[Any] = [(f"s{i}", "MOORED_AT", "h") for i in range(400)] + [("h", "RULED_BY", "p")]
    answer = ask_of(graph, tmp_path, settings, nodes, edges, "Tell me about Port Ys.")
    assert "Port Ys is a harbour: ruled by Orla Quist; Gull " in answer.text
    assert " and many more moored at Port Ys." in answer.text
    assert len(answer.witness.edges) == 50
    assert answer.replay(graph).holds


def test_predicates_in_a_property_group_a_description(graph: Any, tmp_path: Path, settings: Settings) -> None:
    names = [f"{one} {two}" for one in ("Amber", "Slow", "Grey", "Tall") for two in ("Gull", "Heron", "Tern", "Crane")]
    nodes: list[Any] = [(n, "Entity", {"name": n}) for n in ["Port Ys", *names]]
    verbs = ["moored at", "built in", "sold at", "heads for"]
    edges: list[Any] = [(n, "RELATED", "Port Ys", {"predicate": verbs[i % 4]}) for i, n in enumerate(names)]
    edges += [(names[i], "RELATED", names[i - 1], {"predicate": verbs[i % 4]}) for i in range(16)]
    # Parallel edges make a hub of one relation.
    edges += [(names[0], "RELATED", "Port Ys", {"predicate": "moored at"}) for _ in range(400)]
    answer = ask_of(graph, tmp_path, settings, nodes, edges, "Tell me about Port Ys.")
    assert graph.schema().relations.kind == "property"
    assert all(f" {verb} Port Ys" in answer.text for verb in verbs), answer.text
    assert {e.properties["predicate"] for e in answer.witness.edges.values()} == set(verbs)


def test_passages_are_no_neighbours(graph: Any, tmp_path: Path, settings: Settings) -> None:
    text = "The Nightjar, a pilot cutter of the northern fleet, was drawn in the winter before the move to Port Ys. "
    nodes: list[Any] = [("s", "Ship", {"name": "Nightjar"}), ("p", "Person", {"name": "Orla Quist"})]
    nodes += [(f"c{i}", "Chunk", {"text": f"{i} {text * 3}"}) for i in range(4)]
    edges = [("p", "DESIGNED", "s"), *((f"c{i}", "MENTIONS", "s") for i in range(4))]
    answer = ask_of(graph, tmp_path, settings, nodes, edges, "Tell me about the Nightjar.")
    assert {n.id for n in answer.witness.nodes.values()} == {"s", "p"}
    assert answer.text.startswith("Nightjar is a ship: Orla Quist designed Nightjar. (read as")


def test_nodes_of_one_name_are_described_one_by_one(graph: Any, tmp_path: Path, settings: Settings) -> None:
    nodes = [("s1", "Ship", {"name": "Nightjar", "launched": 1911}), ("s2", "Ship", {"name": "Nightjar"})]
    nodes += [("h1", "Harbour", {"name": "Port Ys"}), ("h2", "Harbour", {"name": "Kelling"})]
    edges = [("s1", "MOORED_AT", "h1"), ("s2", "MOORED_AT", "h2")]
    answer = ask_of(graph, tmp_path, settings, nodes, edges, "Tell me about the Nightjar.")
    assert "Nightjar is a ship (launched: 1911): moored at Port Ys. " in answer.text
    assert "Nightjar is a ship: moored at Kelling. " in answer.text
    assert answer.replay(graph).holds


def test_the_answer_carries_its_evidence(fleet: Agent, graph: Any) -> None:
    answer = fleet.ask("Who designed the Nightjar?")
    assert [c.text for c in answer.citations if c.kind == "edge"] == ["Orla Quist -[DESIGNED]-> Nightjar"]
    assert {n.properties["name"] for n in answer.witness.nodes.values()} == {"Orla Quist", "Nightjar"}
    assert answer.replay(graph).holds
    assert answer.entities[0].id == "p1"
    assert answer.columns == ("person",)
    assert answer.rows == [{"person": "Orla Quist"}]
    assert 0.3 < answer.confidence <= 1.0


def test_replay_notices_what_is_gone(fleet: Agent, graph: Any) -> None:
    answer = fleet.ask("Who designed the Nightjar?")
    graph.write("MATCH (:Person)-[r:DESIGNED]->() DELETE r")
    replay = answer.replay(graph)
    assert not replay.holds
    assert "edge p1 DESIGNED s2" in replay.missing


def test_shown_queries_are_neo4j_with_loaded_names_and_run_through_the_gate(fleet: Agent, graph: Any) -> None:
    for question in ("Who designed the Nightjar?", "How many ships did Orla Quist design?", "What is the Nightjar?"):
        answer = fleet.ask(question)
        for query in answer.queries:
            assert "_arc" not in query.cypher
            rows = graph.run(query.cypher, query.params)
            assert len(rows) == query.attempts[-1].rows


def test_to_dict_is_json(fleet: Agent) -> None:
    plain = json.loads(json.dumps(fleet.ask("Who designed the Nightjar?").to_dict()))
    assert plain["status"] == "answered"
    assert plain["entities"][0] == {"name": "Orla Quist", "labels": ["Person"], "id": "p1", "score": 1.0}
    assert plain["witness"]["edges"][0]["start"] == "p1"
    assert plain["usage"]["calls"] == 0


def test_the_script_has_param_lines(fleet: Agent) -> None:
    script = fleet.ask("Who designed the Nightjar?").cypher_script()
    assert ':param p0 => "Nightjar";' in script
    assert "MATCH (a0:`Ship`)<-[r0:`DESIGNED`]-(x:`Person`)" in script


def test_async_and_stream_agree_with_ask(fleet: Agent) -> None:
    question = "Who designed the Nightjar?"
    assert names(asyncio.run(fleet.aask(question))) == {"Orla Quist"}
    *events, answer = fleet.stream(question)
    assert all(isinstance(e, Event) for e in events)
    assert {(e.stage, e.kind) for e in events} >= {("interpret", "anchors"), ("execute", "query")}
    assert isinstance(answer, Answer)
    assert names(answer) == {"Orla Quist"}


def test_many_threads_share_one_agent(fleet: Agent) -> None:
    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(fleet.ask, ["Who designed the Nightjar?", "Who commanded the Amber Gull?"] * 32))
    assert {frozenset(names(a)) for a in answers} == {frozenset({"Orla Quist"}), frozenset({"Bo Tarn"})}


# --- no answer ----------------------------------------------------------------------------------------------------


def test_nothing_named_is_no_evidence_with_near_names(fleet: Agent) -> None:
    answer = fleet.ask("Who designed the Nightmare?")
    assert answer.status == Status.NO_EVIDENCE
    assert not answer.rows
    assert not answer.entities
    assert "Nightjar" in " ".join(answer.tried)


def test_an_empty_graph_says_so(graph: Any, settings: Settings) -> None:
    answer = Agent(graph, settings=settings).ask("Who designed the Nightjar?")
    assert answer.status == Status.NO_EVIDENCE
    assert "empty" in answer.reason


@pytest.mark.parametrize(
    ("question", "reason"), [("  ", "the question is empty"), ("why " * 12_500, "50,000 characters")]
)
def test_questions_that_cannot_be_asked(fleet: Agent, question: str, reason: str) -> None:
    with pytest.raises(UsageError, match=reason if "empty" in reason else "the limit is 4,000"):
        fleet.ask(question)


# --- behaviours that graph question answering is known to get wrong -----------------------------------------------


def test_direction_comes_from_the_wording(graph: Any, tmp_path: Path, settings: Settings) -> None:
    nodes = [(i, "Account", {"name": i}) for i in ("A1", "B2", "C3")]
    edges = [("A1", "PAID", "B2"), ("B2", "PAID", "C3")]
    fill(graph, tmp_path, nodes, edges)
    agent = Agent(graph, settings=settings)
    assert names(agent.ask("Which accounts paid B2?")) == {"A1"}
    assert names(agent.ask("Which accounts did B2 pay?")) == {"C3"}
    assert names(agent.ask("Which accounts were paid by B2?")) == {"C3"}


def test_partial_names_link_and_strangers_do_not(graph: Any, tmp_path: Path, settings: Settings) -> None:
    nodes = [("1", "Band", {"name": "The Knock"}), ("2", "Band", {"name": "Arcade Fire"})]
    fill(graph, tmp_path, nodes)
    agent = Agent(graph, settings=settings)
    knock = agent.ask("What is Knock about?")
    assert (knock.status, names(knock)) == (Status.ANSWERED, {"The Knock"})
    (anchor,) = anchors(knock)
    assert (anchor["name"], anchor["how"]) == ("The Knock", "tokens")
    assert 0 < anchor["strength"] < 1
    stranger = agent.ask("Token Arcade")
    assert stranger.status == Status.NO_EVIDENCE
    assert anchors(stranger) == []
    assert "near name: Arcade Fire" in stranger.tried
    assert "Arcade Fire" in stranger.text


@pytest.mark.parametrize(
    "question", ["Token Arcade", "What did Token Arcade write?", "How many books has Token Arcade?"]
)
def test_names_are_offered_where_a_reading_without_the_stranger_is_not_sure_enough(
    graph: Any, tmp_path: Path, settings: Settings, question: str
) -> None:
    nodes = [("1", "Band", {"name": "Arcade Fire"}), ("2", "Book", {"name": "The Knock", "pages": 9})]
    answer = ask_of(graph, tmp_path, settings, nodes, [("1", "WROTE", "2")], question)
    assert answer.status in (Status.NO_EVIDENCE, Status.INSUFFICIENT)
    assert anchors(answer) == []
    assert (answer.entities, answer.rows) == ((), [])
    assert "near name: Arcade Fire" in answer.tried
    assert "Arcade Fire" in answer.text


def test_short_names_match_whole_tokens_only(graph: Any, tmp_path: Path, settings: Settings) -> None:
    nodes = [(n, "Person", {"name": n, "about": f"about {n}"}) for n in ("Al", "Gale", "Walter White")]
    answer = ask_of(graph, tmp_path, settings, nodes, [], "Who is Al?")
    assert names(answer) == {"Al"}
    assert [(anchor["name"], anchor["how"]) for anchor in anchors(answer)] == [("Al", "exact")]
    assert "Gale" not in answer.text + repr(answer.rows)
    gale = Agent(graph, settings=settings).ask("Who is Gal?")
    assert "Al" not in names(gale)


def test_what_the_graph_lacks_is_not_invented(graph: Any, tmp_path: Path, settings: Settings) -> None:
    nodes = [("1", "Customer", {"name": "Orla"}), ("2", "City", {"name": "Ghent"})]
    answer = ask_of(graph, tmp_path, settings, nodes, [("1", "LIVES_IN", "2")], "total unpaid invoices for Orla?")
    assert answer.status in (Status.NO_EVIDENCE, Status.INSUFFICIENT)
    assert (answer.rows, answer.entities, answer.citations) == ([], (), ())
    assert answer.usage.calls == 0
    assert answer.tried
    assert "Ghent" not in answer.text


def test_the_answer_is_named_by_what_names_it(graph: Any, tmp_path: Path, settings: Settings) -> None:
    nodes = [("1", "Company", {"name": "Acme"}), ("2", "Person", {"name": "Bo"})]
    answer = ask_of(graph, tmp_path, settings, nodes, [("1", "EMPLOYS", "2")], "Who employs Bo?")
    assert names(answer) == {"Acme"}
    assert answer.rows == [{"company": "Acme"}]


def test_names_with_spaces_are_quoted(graph: Any, tmp_path: Path, settings: Settings) -> None:
    nodes = [("1", "Tool Set", {"name": "Wrench Roll"}), ("2", "Order", {"name": "Order Nine"})]
    edges = [("1", "has MD5 hash", "2")]
    answer = ask_of(graph, tmp_path, settings, nodes, edges, "Which order has the MD5 hash of the Wrench Roll?")
    assert names(answer) == {"Order Nine"}
    assert "`has MD5 hash`" in answer.queries[0].cypher


@pytest.mark.parametrize(
    "name", ['O\'Brien "Bo" `x`', "line\nbreak", "שלום עולם", "🚀 Rocket", "a{b}$c", "Naïve Café"], ids=repr
)
def test_nasty_names_link_and_come_back_as_loaded(graph: Any, tmp_path: Path, settings: Settings, name: str) -> None:
    nodes = [("1", "Thing", {"name": name}), ("2", "Maker", {"name": "Ada Vorn"})]
    answer = ask_of(graph, tmp_path, settings, nodes, [("2", "BUILT", "1")], f"Who built {name}?")
    assert names(answer) == {"Ada Vorn"}
    back = Agent(graph, settings=settings).ask("What did Ada Vorn build?")
    assert names(back) == {name}


def test_a_chinese_question_over_chinese_names(graph: Any, tmp_path: Path, settings: Settings) -> None:
    nodes = [("1", "电影", {"name": "霸王别姬"}), ("2", "人物", {"name": "陈凯歌"})]
    answer = ask_of(graph, tmp_path, settings, nodes, [("1", "导演", "2")], "霸王别姬的导演是谁？")
    assert names(answer) == {"陈凯歌"}


def test_a_graph_without_names_answers_by_identity(graph: Any, tmp_path: Path, settings: Settings) -> None:
    nodes = [("o1", "Order", {"code": "10248"}), ("o2", "Invoice", {"amount": 12.5})]
    answer = ask_of(graph, tmp_path, settings, nodes, [("o1", "BILLED_BY", "o2")], "Which invoice billed 10248?")
    assert names(answer) == {"Invoice o2"}


def test_passages_are_cited(graph: Any, tmp_path: Path, settings: Settings) -> None:
    text = (
        "The Nightjar, a pilot cutter of the northern fleet, was drawn by Orla Quist in the winter before her move to "
    )
    text += "Port Ys, and launched two years later after a long quarrel over the mast."
    nodes = [
        ("s", "Ship", {"name": "Nightjar"}),
        ("p", "Person", {"name": "Orla Quist"}),
        ("c1", "Chunk", {"id": "c1", "text": text}),
        ("c2", "Chunk", {"id": "c2", "text": text.replace("Nightjar", "Heron").replace("Orla Quist", "someone")}),
    ]
    edges = [("p", "DESIGNED", "s", {"chunk_ids": ["c1"]})]
    answer = ask_of(graph, tmp_path, settings, nodes, edges, "Who designed the Nightjar?")
    assert names(answer) == {"Orla Quist"}
    assert [(c.id, c.text) for c in answer.citations if c.kind == "passage"] == [("c1", text)]


def test_passages_that_are_called_by_their_loaded_ids_keep_their_order(
    graph: Any, tmp_path: Path, settings: Settings
) -> None:
    text = (
        "The records of the northern fleet say in some detail how the cutter was drawn, built and paid for, part {}. "
    )
    nodes: list[Any] = [("s", "Ship", {"name": "Nightjar"}), ("p", "Person", {"name": "Orla Quist"})]
    nodes += [(f"c{i}", "Chunk", {"text": text.format(i) * 2}) for i in range(3)]
    edges = [
        ("p", "DESIGNED", "s", {"chunk_ids": ["c0", "c2"]}),
        ("p", "DESIGNED", "s", {"chunk_ids": ["c2"]}),
        ("p", "DESIGNED", "s", {"chunk_ids": ["c1", "c2"]}),
        ("p", "DESIGNED", "s", {"chunk_ids": ["c1"]}),
    ]
    fill(graph, tmp_path, nodes, edges)
    schema = graph.schema(refresh=True)
    assert schema.passages.id_key == RESERVED_KEY
    answer = Agent(graph, settings=settings).ask("Who designed the Nightjar?")
    passages = passages_of(graph, schema, answer.witness, timeout=5)
    assert [(p.node.id, p.votes) for p in passages] == [("c2", 3), ("c1", 2), ("c0", 1)]


def test_a_changed_graph_is_noticed(graph: Any, tmp_path: Path, settings: Settings) -> None:
    nodes = [("1", "Ship", {"name": "Nightjar"}), ("2", "Person", {"name": "Orla Quist"})]
    fill(graph, tmp_path, nodes, [("2", "DESIGNED", "1")])
    agent = Agent(graph, settings=settings)
    assert names(agent.ask("Who designed the Nightjar?")) == {"Orla Quist"}
    # A new name with the same number of nodes and edges.
    graph.write("MATCH (p:Person) SET p._arc_name = 'Ines Vael', p.name = 'Ines Vael'")
    graph.save()
    deadline = time.monotonic() + 20
    while names(agent.ask("What did Ines Vael design?")) != {"Nightjar"}:
        assert time.monotonic() < deadline, "the new name was never seen"
        time.sleep(0.5)


def test_without_any_embedder_spelling_alone_answers(graph: Any, tmp_path: Path, settings: Settings) -> None:
    fill(graph, tmp_path, *FLEET)
    bare = Settings.load({}, cache={"dir": settings.cache.dir}, search={"embedder": "none"})
    agent = Agent(graph, settings=bare)
    answer = agent.ask("Who designed the ships that are moored at Port Ys?")
    assert names(answer) == {"Orla Quist"}
    assert names(agent.ask("Which ships did Orla Quist design?")) == {"Amber Gull", "Nightjar"}


def test_a_mutual_relation_is_followed_both_ways(graph: Any, tmp_path: Path, settings: Settings) -> None:
    nodes = [(str(i), "Person", {"name": n}) for i, n in enumerate(("Ada Vorn", "Bo Tarn", "Cy Holt", "Di Quist"))]
    fill(graph, tmp_path, nodes, [("0", "MARRIED_TO", "1"), ("2", "MARRIED_TO", "3")])
    agent = Agent(graph, settings=settings)
    assert names(agent.ask("Who is married to Ada Vorn?")) == {"Bo Tarn"}
    assert names(agent.ask("Who is Bo Tarn married to?")) == {"Ada Vorn"}
    assert names(agent.ask("Who is married to Di Quist?")) == {"Cy Holt"}


def test_a_single_node_without_label_can_be_described(graph: Any, tmp_path: Path, settings: Settings) -> None:
    answer = ask_of(graph, tmp_path, settings, [("1", [], {"name": "Lone Rock"})], [], "What is the Lone Rock?")
    assert (answer.status, answer.rows) == (Status.ANSWERED, [{"name": "Lone Rock"}])
    other = Agent(graph, settings=settings).ask("Who owns the Lone Rock?")
    assert other.status != Status.ANSWERED
    assert not other.rows


def test_anchors_that_meet_lead_on(graph: Any, tmp_path: Path, settings: Settings) -> None:
    nodes, edges = FLEET
    fill(graph, tmp_path, nodes, edges)
    agent = Agent(graph, settings=settings)
    question = "At which harbour are the ships moored that were designed by Orla Quist and commanded by Ines Vael?"
    answer = agent.ask(question)
    assert names(answer) == {"Port Ys"}
    assert answer.replay(graph).holds


def test_another_number_is_another_name(graph: Any, tmp_path: Path, settings: Settings) -> None:
    nodes = [("1", "Location", {"name": "8 Park Avenue"}), ("2", "Area", {"name": "North Side"})]
    fill(graph, tmp_path, nodes, [("1", "LIES_IN", "2")])
    agent = Agent(graph, settings=settings)
    assert names(agent.ask("In which area does 8 Park Avenue lie?")) == {"North Side"}
    assert agent.ask("In which area does 12 Park Avenue lie?").status == Status.NO_EVIDENCE
