"""One loop, one configuration, two constructions of the same facts: typed, and worded in a property of one type.

Both have passages that their edges come from. The script is the same for both and knows names of neither.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from graphs import fill
from model_server import ModelServer, refused, said
from offered import NO_PLAN, choice, entity, evidence, judged, piece, pieces

from arcgraph import Agent, Answer, Settings, Status
from arcgraph.llm.scripted import Reply, Request, ScriptedLLM

QUESTION = "Who thought up the Nightjar at a kitchen table?"
FACTS = [
    ("Orla Quist", "Person", "DESIGNED", "drew the plans of", "Nightjar", "Ship", "c0"),
    ("Ines Vael", "Person", "COMMANDED", "took command of", "Nightjar", "Ship", "c1"),
    ("Nightjar", "Ship", "MOORED_AT", "lay at", "Port Ys", "Harbour", "c2"),
    ("Bo Tarn", "Person", "DESIGNED", "drew the plans of", "Slow Heron", "Ship", "c3"),
    ("Slow Heron", "Ship", "MOORED_AT", "lay at", "Port Ys", "Harbour", "c4"),
    ("Bo Tarn", "Person", "COMMANDED", "took command of", "Amber Gull", "Ship", "c5"),
]
TEXTS = [
    "At a kitchen table in Kelling, over one winter, Orla Quist thought up the Nightjar, and drew her by lamplight.",
    "Ines Vael took command of the Nightjar in a gale and brought her home without the loss of a single hand on board.",
    "The Nightjar lay at Port Ys for eleven years, a sight so familiar that the town put her on its coat of arms.",
    "Bo Tarn had the Slow Heron built broad in the beam, and those who sailed her said that she earned her name.",
    "The Slow Heron lay at Port Ys, too, until the pier was lost in the great storm and the harbour was given up.",
    "Bo Tarn commanded the Amber Gull on her last voyage, and left the sea for good when she was broken up for timber. "
    "So says the log of the harbour, which a clerk kept to the last day and gave to the museum with all that was in.",
]


def typed() -> tuple[list[Any], list[Any]]:
    kinds = {name: kind for a, ka, _, _, b, kb, _ in FACTS for name, kind in ((a, ka), (b, kb))}
    nodes: list[Any] = [(name, kind, {"name": name}) for name, kind in kinds.items()]
    return nodes, [(a, type_, b, {"chunk_ids": [chunk]}) for a, _, type_, _, b, _, chunk in FACTS]


def worded() -> tuple[list[Any], list[Any]]:
    names = dict.fromkeys(name for a, _, _, _, b, _, _ in FACTS for name in (a, b))
    nodes: list[Any] = [(name, "Entity", {"name": name}) for name in names]
    return nodes, [
        (a, "RELATED", b, {"predicate": words, "chunk_ids": [chunk]}) for a, _, _, words, b, _, chunk in FACTS
    ]


def mentioned() -> tuple[list[Any], list[Any]]:
    """Typed, and no edge names a passage: passages mention the entities."""
    nodes, edges = typed()
    mentions = dict.fromkeys((chunk, name) for a, _, _, _, b, _, chunk in FACTS for name in (a, b))
    return nodes, [(a, type_, b) for a, type_, b, _ in edges] + [(c, "MENTIONS", name) for c, name in mentions]


@pytest.fixture(params=[typed, worded, mentioned], ids=["typed", "worded", "mentioned"])
def graph(request: pytest.FixtureRequest, embedded_graph: Any, tmp_path: Path) -> Any:
    nodes, edges = request.param()
    nodes += [(f"c{i}", "Chunk", {"id": f"c{i}", "text": text}) for i, text in enumerate(TEXTS)]
    fill(embedded_graph, tmp_path, nodes, edges)
    return embedded_graph


def script(request: Request) -> Reply:
    """Objects to every reading, looks around the ship, and answers from the passage that has the question's words."""
    match request.stage:
        case "generate":
            return choice("none")
        case "explore":
            ship = entity(request, "Nightjar")
            return {"looks": [{"look": "around", "node": ship, "other": "", "relation": "", "text": "", "cypher": ""}]}
        case "plan":
            return NO_PLAN
        case "report":
            return {"relations": [], "same": []}
    source = piece(request, "kitchen table")
    name = " ".join(pieces(request)[source].partition("winter, ")[2].split()[:2])
    return judged(f"{name}.", values=(name,), claims=((f"{name} thought up the Nightjar at a table.", (source,)),))


def asked(graph: Any, settings: Settings, **arcrag: Any) -> tuple[Answer, ScriptedLLM]:
    llm = ScriptedLLM(script)
    settings = settings.model_copy(update={"arcrag": settings.arcrag.model_copy(update=arcrag)})
    return Agent(graph, settings=settings, llm=llm).ask(QUESTION), llm


def test_the_same_script_answers_from_a_passage_of_either(graph: Any, settings: Settings) -> None:
    answer, llm = asked(graph, settings)
    assert (answer.status, answer.rows) == (Status.ANSWERED, [{"answer": "Orla Quist"}])
    assert [e.name for e in answer.entities] == ["Orla Quist"]
    assert answer.unsupported == ()
    (claim,) = answer.claims
    assert [answer.citations[i].text for i in claim.citations] == [TEXTS[0]]
    assert any('"Orla Quist" -[' in line and '"Nightjar"' in line for line in evidence(llm.requests[-1]))
    assert answer.replay(graph).holds


def test_explorers_keep_to_edges_from_the_passages_that_were_retrieved(graph: Any, settings: Settings) -> None:
    """With one passage retrieved, of the three edges around the ship only the one that comes from it is seen."""
    answer, _ = asked(graph, settings, retrieved=1)
    looks = [q for q in answer.queries if q.reading == "around Nightjar"]
    assert looks
    (home,) = [graph.schema().passages]
    bound = ["c0"] if home.edge_key else ["Nightjar", "Orla Quist"]
    assert all(bound in [sorted(v) for v in q.params.values() if not isinstance(v, str)] for q in looks)


# --- a model behind an address ---------------------------------------------------------------------------------------


def test_settings_alone_put_a_model_into_the_loop(embedded_graph: Any, tmp_path: Path) -> None:
    fill(embedded_graph, tmp_path, *typed())
    server = ModelServer()
    reply = judged("Orla Quist did.", result="Q1", claims=(("Orla Quist designed the Nightjar.", ("E1",)),))
    server.script = lambda _: said(json.dumps(reply))
    settings = Settings.load(
        {}, cache={"dir": tmp_path / "cache"}, llm={"model": "tiny-1", "url": server.url, "key": "sk-very-secret"}
    )
    agent = Agent(embedded_graph, settings=settings)
    try:
        answer = agent.ask("Who designed the Nightjar?")
        assert (answer.status, answer.text, answer.usage.calls) == (Status.ANSWERED, "Orla Quist did.", 1)
        assert answer.usage.tokens == 18
        (request,) = server.seen
        form = request.body["response_format"]["json_schema"]["schema"]
        assert form["properties"]["result"]["enum"] == ["Q1", "none"]
        assert request.headers["authorization"] == "Bearer sk-very-secret"
        assert "sk-very-secret" not in repr(answer) + str(answer.to_dict())
        server.script = [refused(401, "no such key: sk-very-secret")]
        late = agent.ask("Who commanded the Nightjar?")
        assert (late.status, [e.name for e in late.entities]) == (Status.ANSWERED, ["Ines Vael"])
        assert "sk-very-secret" not in repr(late) + str(late.to_dict())
    finally:
        agent.close()
        server.close()
