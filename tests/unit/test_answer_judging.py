"""The answer call: what is shown as evidence, which claims it supports, and what becomes of the reply."""

from __future__ import annotations

from typing import Any

import pytest
from offered import judged

from arcgraph.answer.conclude import conclude, gathered
from arcgraph.answer.ground import Ground, holds_value
from arcgraph.answer.judge import Evidence, Judged, Said, evidence_of, judge, known_lines
from arcgraph.answer.result import Answer, AnswerEntity, Attempt, Citation, QueryRecord, Status, Witness
from arcgraph.domain import Count, Edge, LabelInfo, Node, PropertyInfo, Rows, Schema
from arcgraph.llm.reason import Model, Offline
from arcgraph.llm.scripted import ScriptedLLM
from arcgraph.tracing import Trace

SCHEMA = Schema(
    {name: LabelInfo(name, Count(9), {"name": PropertyInfo("name", {"string": 1}, 1, Count(1), Count(1))}, "name")
     for name in ("Ship", "Person", "Firm")},
    {},
    (),
    nodes=Count(27),
)  # fmt: skip
SHIP = Node("1", "s1", ("Ship",), {"name": "Nightjar"})
QUIST = Node("2", "p1", ("Person",), {"name": "Orla Quist"})
TARN = Node("3", "p2", ("Person",), {"name": "Bo Tarn"})
DREW = Edge("11", "DESIGNED", "2", "1", {"year": 1911, "log": ["a"] * 500})
LED = Edge("12", "COMMANDED", "3", "1", {})


def finding(question: str, edge: Edge, person: Node, **other: Any) -> Answer:
    """Who did what to the ship, with its edge and queries."""
    run = QueryRecord(f"MATCH … {edge.type}", {}, "pattern", f"Nightjar <-{edge.type}- person", (Attempt(1),))
    proof = QueryRecord(f"PROOF … {edge.type}", {}, "pattern", "the evidence")
    nodes = {"1": SHIP, person.element_id: person}
    found_by = {("edge", edge.element_id): 0, ("node", "1"): 0, ("node", person.element_id): 0}
    name = str(person.properties["name"])
    made = Answer(
        question,
        Status.ANSWERED,
        name,
        entities=(AnswerEntity(name, ("Person",), person.id, 1.0),),
        columns=("person",),
        rows=[{"person": name}],
        table=Rows(("person",), [(name,)]),
        witness=Witness(nodes, {edge.element_id: edge}, (), (proof,), found_by),
        citations=(Citation("edge", edge.element_id, f"{name} -[{edge.type}]-> Nightjar", 1),),
        queries=(run, proof),
        confidence=0.6,
    )
    return Answer(**{**{f: getattr(made, f) for f in made.__dataclass_fields__}, **other})


DESIGNED = finding("Who designed the Nightjar?", DREW, QUIST)
COMMANDED = finding("Who commanded the Nightjar?", LED, TARN)
PASSAGE = Answer(
    "What was it like?",
    Status.INSUFFICIENT,
    "near",
    citations=(Citation("passage", "c1", "The Nightjar was launched at Port Ys in 1911, in heavy rain.", 0),),
)
BOTH = evidence_of([DESIGNED, COMMANDED], SCHEMA, 6_000)


# --- what is shown ---------------------------------------------------------------------------------------------------


def test_results_come_with_question_reading_columns_and_rows() -> None:
    assert list(BOTH.lines) == [
        'Q1 asked: "Who designed the Nightjar?"; read as "Nightjar <-DESIGNED- person"',
        "Q1 columns: person; 1 rows",
        'Q1 row: "Orla Quist"',
        'Q2 asked: "Who commanded the Nightjar?"; read as "Nightjar <-COMMANDED- person"',
        "Q2 columns: person; 1 rows",
        'Q2 row: "Bo Tarn"',
        'E1 "Bo Tarn" -[COMMANDED]-> "Nightjar"',
        'E2 "Orla Quist" -[DESIGNED {year: 1911, log: ["a", "a", "a", "a", "a", "a", "a", "a", "a", "a", … 490 more]}]'
        '-> "Nightjar"',
    ]


def test_a_column_says_what_its_values_mean() -> None:
    """A bare name in a row is only an answer beside its column, and the query that a model wrote for it."""
    query = QueryRecord("MATCH (f:Firm)-[:EMPLOYS]->(:Person {name: 'Bo'}) RETURN f.name", {}, "model", "own")
    row = Answer(
        "Who employs Bo?", Status.ANSWERED, "Acme", columns=("f.name",), rows=[{"f.name": "Acme"}], queries=(query,)
    )
    assert list(evidence_of([row], SCHEMA, 6_000).lines) == [
        'Q1 asked: "Who employs Bo?"; read as "own"',
        "Q1 query: \"MATCH (f:Firm)-[:EMPLOYS]->(:Person {name: 'Bo'}) RETURN f.name\"",
        'Q1 columns: "f.name"; 1 rows',
        'Q1 row: "Acme"',
    ]


def test_namesakes_carry_their_ids() -> None:
    other = Node("9", "p9", ("Person",), {"name": "Orla Quist"})
    namesake = finding("Who commanded the Nightjar?", Edge("12", "COMMANDED", "9", "1", {}), other)
    text = "\n".join(evidence_of([DESIGNED, namesake], SCHEMA, 6_000).lines)
    assert 'Q1 row: "Orla Quist" [p1]' in text
    assert 'E1 "Orla Quist" [p9] -[COMMANDED]-> "Nightjar"' in text
    assert 'Q1 row: "Orla Quist" [p1]' in "\n".join(evidence_of([DESIGNED], SCHEMA, 6_000, ["Orla Quist"]).lines)
    assert known_lines([DESIGNED], SCHEMA) == ('"Who designed the Nightjar?" -> "Orla Quist"',)


def test_evidence_keeps_to_its_budget() -> None:
    many = [
        finding(f"Who designed the Nightjar {i}?", Edge(f"1{i}", "DESIGNED", "2", "1", {}), QUIST) for i in range(200)
    ]
    told = evidence_of(many, SCHEMA, 1_000)
    assert sum(len(line) for line in told.lines) < 4 * 1_000
    assert "E1" in told.pieces


def test_without_evidence_there_is_none() -> None:
    assert not evidence_of([], SCHEMA, 1_000)
    assert evidence_of([PASSAGE], SCHEMA, 1_000)


# --- the call --------------------------------------------------------------------------------------------------------


def test_the_reply_can_name_only_what_was_shown() -> None:
    llm = ScriptedLLM([judged("Orla Quist.", result="Q1", claims=(("Orla Quist designed it.", ("E2",)),))])
    decision = judge(Model(llm, Trace(), 1e12), "Who designed the Nightjar?", "Who designed the Nightjar?", BOTH)
    assert decision.by == "model"
    sent = llm.requests[0].schema
    assert sent is not None
    schema = sent.model_json_schema()
    assert schema["properties"]["result"]["enum"] == ["Q1", "Q2", "none"]
    assert schema["$defs"]["Said"]["properties"]["evidence"]["items"]["enum"] == ["Q1", "Q2", "E1", "E2"]


@pytest.mark.parametrize("reply", [judged(""), judged("x", result="Q7"), judged("x", claims=(("y", ("E9",)),))])
def test_a_reply_that_says_nothing_or_names_what_is_not_there_is_no_judgement(reply: Any) -> None:
    decision = judge(Model(ScriptedLLM([reply]), Trace(), 1e12), "Who?", "Who?", BOTH)
    assert (decision.value, decision.by) == (None, "offline")


def test_without_a_model_nothing_is_judged() -> None:
    assert judge(Offline(), "Who?", "Who?", BOTH).value is None


# --- claims ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "named", "rests_on"),
    [
        ("Orla Quist designed the Nightjar.", ["E2"], ("E2",)),
        # The edge that is named says something else; the one that says it is found.
        ("Orla Quist designed the Nightjar.", ["E1"], ("E2",)),
        ("Bo Tarn commanded the Nightjar.", [], ("E1",)),
        ("It was designed in 1911.", [], ("E2",)),
        ("Orla Quist was born in Lisbon.", ["E2"], ()),
        ("It was designed in 1912.", ["E2"], ()),
        ("Quistian work.", [], ()),
        ("Found.", [], ()),
    ],
)
def test_a_claim_rests_on_what_says_it(text: str, named: list[str], rests_on: tuple[str, ...]) -> None:
    assert Ground("Who designed the Nightjar?", BOTH).support(Said(text=text, evidence=named)) == rests_on


def test_what_two_edges_say_together_rests_on_both() -> None:
    both = Ground("Who designed the Nightjar?", BOTH).support(Said(text="Of Orla Quist and Bo Tarn one designed it."))
    assert set(both) == {"E1", "E2"}


def test_a_value_stands_in_the_evidence_word_for_word() -> None:
    assert holds_value("orla quist", BOTH) == ("E2", "Q1")
    assert holds_value("Quis", BOTH) == ()
    assert holds_value("", BOTH) == ()


# --- what becomes of it ----------------------------------------------------------------------------------------------


def concluded(evidence: Evidence, question: str = "Who designed the Nightjar?", **reply: Any) -> Any:
    return conclude(question, Judged(**judged(**reply)), evidence, SCHEMA)


def test_a_result_keeps_its_rows_and_gains_confidence() -> None:
    answer = concluded(BOTH, answer="She did.", result="Q1", claims=(("Orla Quist designed it.", ("E2", "Q1")),)).answer
    assert (answer.text, answer.rows, answer.confidence) == ("She did.", [{"person": "Orla Quist"}], 0.8)
    (claim,) = answer.claims
    assert [answer.citations[i].text for i in claim.citations] == ["Orla Quist -[DESIGNED]-> Nightjar"]
    assert [answer.queries[i].cypher for i in claim.queries] == ["MATCH … DESIGNED"]


def test_queries_and_citations_of_all_findings_are_numbered_together() -> None:
    answer = concluded(BOTH, answer="He did.", result="Q2", claims=(("Bo Tarn commanded it.", ("E1", "Q2")),)).answer
    assert [q.cypher for q in answer.queries] == [
        "MATCH … COMMANDED",
        "MATCH … DESIGNED",
        "PROOF … COMMANDED",
        "PROOF … DESIGNED",
    ]
    assert [answer.queries[c.query].cypher for c in answer.citations] == ["PROOF … COMMANDED", "PROOF … DESIGNED"]
    assert [answer.queries[i].cypher for i in answer.claims[0].queries] == ["MATCH … COMMANDED"]
    edges = {e["type"]: answer.queries[e["query"]].cypher for e in answer.to_dict()["witness"]["edges"]}
    assert edges == {"COMMANDED": "PROOF … COMMANDED", "DESIGNED": "PROOF … DESIGNED"}


def test_values_become_rows_and_entities_where_the_evidence_holds_them() -> None:
    claims = (("Bo Tarn commanded the Nightjar.", ()),)
    answer = concluded(BOTH, answer="Both.", values=("Bo Tarn", "Orla Quist", "Leonardo"), claims=claims).answer
    assert answer.rows == [{"answer": "Bo Tarn"}, {"answer": "Orla Quist"}]
    assert [e.id for e in answer.entities] == ["p2", "p1"]


def test_values_that_are_those_of_a_result_are_that_result() -> None:
    for reply in ({"answer": "She did.", "values": ("orla quist",)}, {"answer": "It was Orla Quist."}):
        answer = concluded(BOTH, **reply).answer
        assert (answer.columns, answer.confidence) == (("person",), 0.8)


def test_a_result_that_says_all_claims_is_the_answer_where_no_values_are_listed() -> None:
    said = ("Orla Quist designed the Nightjar.", ("Q1",))
    answer = concluded(BOTH, answer="Whoever drew her.", claims=(said,)).answer
    assert (answer.text, answer.rows) == ("Whoever drew her.", [{"person": "Orla Quist"}])
    other = ("Bo Tarn commanded the Nightjar.", ("Q2",))
    assert concluded(BOTH, answer="They did.", claims=(said, other)).answer is None
    assert concluded(BOTH, answer="They did.", claims=(("Leonardo drew it.", ("Q1",)),)).answer is None


def test_of_namesakes_the_one_that_was_meant_is_the_entity() -> None:
    other = Node("9", "p9", ("Person",), {"name": "Orla Quist"})
    namesake = finding("Who commanded the Nightjar?", Edge("12", "COMMANDED", "9", "1", {}), other)
    evidence = evidence_of([DESIGNED, namesake, COMMANDED], SCHEMA, 6_000)
    claims = (("Orla Quist commanded the Nightjar.", ()),)
    answer = concluded(evidence, answer="She did.", values=("Orla Quist [p9]", "Bo Tarn"), claims=claims).answer
    assert answer.rows == [{"answer": "Orla Quist"}, {"answer": "Bo Tarn"}]
    assert [e.id for e in answer.entities] == ["p9", "p2"]


def test_values_without_a_claim_that_holds_are_no_answer() -> None:
    claims = (("She was born in Lisbon.", ()),)
    left = concluded(BOTH, answer="Both.", values=("Bo Tarn", "Orla Quist"), claims=claims)
    assert (left.answer, left.why) == (None, "the evidence says nothing of what the answer claims")


def test_values_that_stand_nowhere_are_no_answer() -> None:
    left = concluded(BOTH, answer="Leonardo.", values=("Leonardo",))
    assert (left.answer, left.why) == (None, "no value of the answer stands in the evidence")


def test_a_number_may_be_how_many_rows_there_are() -> None:
    claims = (("Orla Quist designed it.", ("E2",)),)
    assert concluded(BOTH, "How many?", answer="One.", values=("1",), claims=claims).answer.rows == [{"answer": 1}]
    assert concluded(BOTH, "How many?", answer="Seven.", values=("7",), claims=claims).answer is None


@pytest.mark.parametrize(("said", "row"), [("yes", True), ("No", False)])
def test_yes_and_no_need_a_claim_that_holds(said: str, row: bool) -> None:
    question = "Did Orla Quist design the Nightjar?"
    claims = (("Orla Quist designed the Nightjar.", ("E2",)),)
    assert concluded(BOTH, question, answer=said, values=(said,), claims=claims).answer.rows == [{"answer": row}]
    wild = (("She was born in Lisbon.", ()),)
    assert concluded(BOTH, question, answer=said, values=(said,), claims=wild).answer is None


def test_an_answer_from_a_passage_cites_it() -> None:
    evidence = evidence_of([PASSAGE], SCHEMA, 1_000)
    claims = (("It was launched in heavy rain in 1911.", ("P1",)),)
    answer = concluded(evidence, "What was the weather?", answer="Rain.", values=("heavy rain",), claims=claims).answer
    assert (answer.status, answer.rows) == (Status.ANSWERED, [{"answer": "heavy rain"}])
    assert [answer.citations[i].kind for i in answer.claims[0].citations] == ["passage"]


def test_sentences_are_claims_where_none_are_listed() -> None:
    answer = concluded(BOTH, answer="It was Orla Quist. She lived in Lisbon.", result="Q1").answer
    assert [(c.text, c.supported) for c in answer.claims] == [
        ("It was Orla Quist.", True),
        ("She lived in Lisbon.", False),
    ]
    assert answer.unsupported == ("She lived in Lisbon.",)


def test_what_was_found_on_the_way_stays_with_an_answer_that_stands() -> None:
    whole = gathered(DESIGNED, [DESIGNED, COMMANDED])
    assert [q.cypher for q in whole.queries][:2] == ["MATCH … DESIGNED", "MATCH … COMMANDED"]
    assert set(whole.witness.edges) == {"11", "12"}
