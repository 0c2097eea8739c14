"""A question of four hops over true facts, beside a namesake that must not be taken for the town that is meant.

The script decomposes the question and reads every name from what it is shown: it holds no answer. Each pass must show
it something that the pass before did not.
"""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from graphs import fill
from offered import NO_LOOKS, NO_PLAN, choice, evidence, judged, option, piece, pieces, rows

from arcgraph import Agent, Answer, Settings, Status
from arcgraph.llm.scripted import Reply, Request, ScriptedLLM

# Springfield, Illinois, became the capital of Illinois in 1839; Springfield, Missouri, the seat of its county in 1835.
FACTS = (
    [
        ("home", "House", {"name": "Lincoln Home"}),
        ("school", "School", {"name": "Greenwood Laboratory School"}),
        ("sp-il", "Town", {"name": "Springfield"}),
        ("sp-mo", "Town", {"name": "Springfield"}),
        ("br", "Town", {"name": "Brownsville"}),
        ("va", "Town", {"name": "Vandalia"}),
        ("il", "State", {"name": "Illinois"}),
        ("mo", "State", {"name": "Missouri"}),
        ("gr", "County", {"name": "Greene County"}),
        ("mayo", "Writer", {"name": "Margaret Mayo"}),
        ("polly", "Play", {"name": "Polly of the Circus"}),
        ("baby", "Play", {"name": "Baby Mine"}),
    ],
    [
        ("home", "STANDS_IN", "sp-il"),
        ("school", "STANDS_IN", "sp-mo"),
        ("sp-il", "CAPITAL_OF", "il", {"since": 1839}),
        ("va", "CAPITAL_OF", "il", {"since": 1819, "until": 1839}),
        ("sp-mo", "SEAT_OF", "gr", {"since": 1835}),
        ("sp-il", "LIES_IN", "il"),
        ("va", "LIES_IN", "il"),
        ("br", "LIES_IN", "il"),
        ("sp-mo", "LIES_IN", "mo"),
        ("gr", "LIES_IN", "mo"),
        ("mayo", "BORN_IN", "br"),
        ("mayo", "WROTE", "polly"),
        ("mayo", "WROTE", "baby"),
    ],
)
QUESTION = (
    "In which year did the town where the Lincoln Home stands become the capital of the state "
    "in which the writer of Polly of the Circus was born?"
)


class Detective:
    """Asks for one link of the chain after the other, and names what it has read so far."""

    def __init__(self) -> None:
        self.llm = ScriptedLLM(self._reply)

    def _reply(self, request: Request) -> Reply:
        match request.stage:
            case "generate":
                return self._choice(request)
            case "explore":
                return NO_LOOKS
            case "plan":
                return NO_PLAN
            case "answer":
                return self._judged(request)
        raise AssertionError(request.stage)

    def _choice(self, request: Request) -> Reply:
        """The option that means the town that was found, where a name is that of several."""
        meant = re.search(r'"Springfield" \[(\S+)\]', request.prompt.partition("Options.")[0])
        apart = option(request, f"meaning only node {meant[1]}]", "lies in") if meant else "none"
        asked = re.search(r'What is to be found out now: "(.*)"', request.prompt)
        return choice(apart if asked and "Springfield" in asked[1] else "none")

    def _judged(self, request: Request) -> Reply:
        """What is known of each link, and the question for the first that is not."""
        found = dict(self._links(request))
        for link, question in (
            ("town", "Which town does the Lincoln Home stand in?"),
            ("writer", "Who wrote Polly of the Circus?"),
            ("birthplace", f"Which town was {found.get('writer')} born in?"),
            ("state", f"Which state does {found.get('birthplace')} lie in?"),
            ("of town", f"Which state does {found.get('town')} lie in?"),
        ):
            if link not in found:
                return judged("Not known yet.", sufficient=False, follow_up=question)
        capital = piece(request, f'"{found["town"]}"', "CAPITAL_OF", f'"{found["state"]}"')
        if not capital:
            asked = f"Which town is the capital of {found['state']}?"
            return judged("Not known yet.", sufficient=False, follow_up=asked)
        year = re.findall(r"since: (\d+)", pieces(request)[capital])[0]
        claim = f"{found['town']} is the capital of {found['state']} since {year}."
        return judged(f"In {year}.", values=(year,), claims=((claim, (capital,)),))

    def _links(self, request: Request) -> Any:
        asked = dict(re.findall(r'^(Q\d+) asked: "(.*?)"; read', request.prompt, re.M))
        starts = {"Which town does the": "town", "Who wrote": "writer", "Which town was": "birthplace"}
        for result, row in rows(request):
            name = re.findall(r'"(.*?)"', row)[0]
            question = asked[result]
            for start, link in starts.items():
                if question.startswith(start):
                    yield link, name
            if question.startswith("Which state does"):
                yield ("of town" if "Springfield" in question else "state"), name


@pytest.fixture
def asked(graph: Any, tmp_path: Path, settings: Settings) -> tuple[Answer, ScriptedLLM]:
    fill(graph, tmp_path, *FACTS)
    model = Detective().llm
    return Agent(graph, settings=settings, llm=model).ask(QUESTION), model


def test_the_chain_is_followed_to_its_end(asked: tuple[Answer, ScriptedLLM], graph: Any) -> None:
    answer, _ = asked
    assert (answer.status, answer.rows, answer.text) == (Status.ANSWERED, [{"answer": 1839}], "In 1839.")
    assert answer.unsupported == ()
    (claim,) = answer.claims
    assert [answer.citations[i].text for i in claim.citations] == ["Springfield -[CAPITAL_OF]-> Illinois"]
    assert answer.replay(graph).holds


def test_each_pass_shows_what_the_one_before_did_not(asked: tuple[Answer, ScriptedLLM]) -> None:
    shown = [evidence(r) for r in asked[1].requests if r.stage == "answer"]
    assert len(shown) == 6
    assert all(later - earlier for earlier, later in pairwise(shown))


def test_a_namesake_is_not_merged(asked: tuple[Answer, ScriptedLLM]) -> None:
    answer, model = asked
    assert "sp-mo" not in {n.id for n in answer.witness.nodes.values()}
    choices = [r for r in model.requests if r.stage == "generate" and "meaning only node sp-mo" in r.prompt]
    assert choices
    assert all('"Missouri"' not in line for r in model.requests if r.stage == "answer" for line in evidence(r))
