"""Which model is used, and when none is; where it is, with which key; how its stages sample."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from arcgraph.build import connect_llm
from arcgraph.errors import ModelError, UsageError
from arcgraph.llm.base import Call, Completion, Sampling, user
from arcgraph.llm.endpoint import OPENAI, Endpoint, endpoint
from arcgraph.llm.scripted import ScriptedLLM
from arcgraph.llm.stages import PROFILES, Profile, Stage, Staged, profiles
from arcgraph.settings import LLMSettings, Settings

THEIRS = {"OPENAI_API_KEY": "theirs", "OPENAI_BASE_URL": "https://elsewhere.example/v1"}


def where(environ: dict[str, str], **llm: str) -> Endpoint:
    return endpoint(LLMSettings(model="tiny", **llm), environ)  # type: ignore[arg-type]


# --- whether ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "environ",
    [
        {},
        THEIRS,
        {"OPENAI_MODEL": "gpt-x", **THEIRS},
        {"ARCGRAPH_LLM_MODEL": " ", **THEIRS},
        {"ARCGRAPH_LLM_URL": "http://localhost:8000/v1", "ARCGRAPH_LLM_KEY": "ours", **THEIRS},
    ],
)
def test_no_model_is_used_that_the_settings_do_not_name(
    environ: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    assert connect_llm(Settings.load(environ), environ) is None
    assert connect_llm() is None


def test_a_model_that_is_named_is_there(tmp_path: Path) -> None:
    pytest.importorskip("openai", reason="the client is an optional part")
    environ = {"ARCGRAPH_LLM_MODEL": "tiny", "ARCGRAPH_LLM_URL": "http://localhost:1/v1/chat/completions"}
    llm = connect_llm(Settings.load(environ, cache={"dir": tmp_path}), {})
    assert llm is not None
    assert llm.identity == "tiny at http://localhost:1/v1"
    llm.close()


def run(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)


def test_importing_does_not_import_the_client() -> None:
    done = run(
        "import sys; import arcgraph.build, arcgraph.agent, arcgraph.llm.openai, arcgraph.llm.layers\n"
        "print([m for m in sys.modules if m.split('.')[0] in ('openai', 'httpx', 'httpx2')])"
    )
    assert done.stdout.strip() == "[]", done.stderr


def test_without_the_client_the_extra_is_named() -> None:
    done = run(
        "import sys; sys.modules['openai'] = None\n"
        "from arcgraph import Settings; from arcgraph.build import connect_llm\n"
        "connect_llm(Settings.load({}, llm={'model': 'tiny'}), {})"
    )
    assert "MissingExtra: a language model needs an optional part: pip install 'arcgraph-qa[llm]'" in done.stderr


# --- where -----------------------------------------------------------------------------------------------------------


def test_a_key_goes_only_to_where_its_owner_meant_it_to_go() -> None:
    assert where({}) == Endpoint(OPENAI)
    assert where({"OPENAI_API_KEY": "theirs"}) == Endpoint(OPENAI, "theirs")
    assert where(THEIRS) == Endpoint("https://elsewhere.example/v1", "theirs")
    assert where(THEIRS, key="ours") == Endpoint("https://elsewhere.example/v1", "ours")
    assert where(THEIRS, url="http://localhost:8000/v1/") == Endpoint("http://localhost:8000/v1")
    assert where(THEIRS, url="http://localhost:8000/v1", key=" ours\n") == Endpoint("http://localhost:8000/v1", "ours")


def test_an_address_is_taken_apart() -> None:
    found = where({}, url="https://ann:pa%3Ass@llm.example:8443/openai/v1/chat/completions?api-version=1&x=y%20z")
    assert found.address == "https://llm.example:8443/openai/v1"
    assert (found.login, dict(found.query)) == ("ann:pa:ss", {"api-version": "1", "x": "y z"})


# --- how -------------------------------------------------------------------------------------------------------------


def test_the_stages_sample_as_table_6_of_the_paper_has_it() -> None:
    table = {stage: (p.sampling.temperature, p.sampling.top_p, p.sampling.thinking, p.sampling.max_tokens)
             for stage, p in PROFILES.items()}  # fmt: skip
    assert table == {
        "refine": (0.0, 0.95, False, 8_192),
        "phrases": (0.0, 0.95, False, 8_192),
        "explore": (0.1, 0.95, False, 8_192),
        "report": (0.2, 0.95, False, 8_192),
        "plan": (0.0, 0.95, False, 8_192),
        "expand": (0.2, 0.95, False, 8_192),
        "generate": (0.2, 0.95, False, 8_192),
        "answer": (1.0, 0.95, True, 16_000),
    }
    assert set(PROFILES) == set(Stage)
    assert PROFILES[Stage.EXPLORE].timeout == PROFILES[Stage.PLAN].timeout == 30.0


def test_stages_can_be_changed_one_by_one_and_all_together() -> None:
    changed = profiles(
        ["all.thinking=off", "all.seed=7", "answer.max_tokens = 2000", "plan.timeout=5.5", "plan.temperature=0.4"]
    )
    assert changed["answer"].sampling == Sampling(1.0, 0.95, 2_000, thinking=False, seed=7)
    assert changed["plan"] == Profile(Sampling(0.4, 0.95, 8_192, seed=7), 5.5)
    assert changed[""].sampling.seed == 7
    assert PROFILES["answer"].sampling.thinking


@pytest.mark.parametrize(
    "change", ["answer", "dessert.top_p=1", "answer.flavour=2", "answer.max_tokens=many", "answer.max_tokens=0",
               "plan.timeout=0", "plan.temperature=nan", "plan.temperature=-1", "answer.thinking=perhaps", ""]
)  # fmt: skip
def test_a_change_that_cannot_be_made_is_refused(change: str) -> None:
    with pytest.raises(UsageError, match="ARCGRAPH_LLM_STAGES"):
        profiles([change])


def seen_by_model(call: Call, stretch: float = 1.0) -> Call:
    model = ScriptedLLM(["fine"])
    Staged(model, stretch=stretch).complete([user("?")], call=call)
    return model.requests[0].call


def test_a_call_gets_what_its_stage_says_and_keeps_what_it_brings() -> None:
    assert seen_by_model(Call(stage="answer")).sampling == PROFILES["answer"].sampling
    assert seen_by_model(Call(stage="of my own")) == Call("of my own", Sampling(), 30.0)
    mine = Call(stage="answer", sampling=Sampling(0.5), timeout=1.0, sample=3)
    assert seen_by_model(mine) == mine


def test_one_setting_stretches_every_timeout_and_no_deadline() -> None:
    assert seen_by_model(Call(stage="plan"), stretch=20).timeout == 600.0
    assert seen_by_model(Call(stage="plan", timeout=2.0, deadline=1e12), stretch=20) == Call(
        "plan", PROFILES["plan"].sampling, 40.0, 1e12
    )


def test_settings_reach_the_model(tmp_path: Path) -> None:
    from arcgraph.llm.layers import shared

    settings = LLMSettings(stages=("plan.timeout=3",), stretch=2.0, attempts=2, cache_entries=0)
    model = ScriptedLLM([ModelError("busy", retryable=True, retry_after=0), "fine", "fine", "fine"])
    llm = shared(model, settings, tmp_path)
    replies: list[Completion] = [llm.complete([user("?")], call=Call(stage="plan")) for _ in range(2)]
    assert [r.attempts for r in replies] == [2, 1]
    assert model.requests[0].call.timeout == 6.0
    assert list(tmp_path.iterdir()) == []
