"""What models are asked for, and with which sampling and timeout: table 6 of ArcRAG, and its table 7 for the times."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from pydantic import BaseModel

from arcgraph.errors import UsageError
from arcgraph.llm.base import (
    DEFAULT_CALL,
    DEFAULT_SAMPLING,
    DEFAULT_TIMEOUT,
    LLM,
    Call,
    Completion,
    Message,
    Sampling,
    Wrapper,
)


class Stage(StrEnum):
    """The calls that ArcRAG makes. Others may use names of their own: a stage is any text."""

    REFINE = "refine"
    PHRASES = "phrases"
    EXPLORE = "explore"
    REPORT = "report"
    PLAN = "plan"
    EXPAND = "expand"
    GENERATE = "generate"
    ANSWER = "answer"


@dataclass(frozen=True, slots=True)
class Profile:
    """How the calls of a stage are made; ``timeout`` in seconds, for one attempt."""

    sampling: Sampling = DEFAULT_SAMPLING
    timeout: float = DEFAULT_TIMEOUT


def _exact(temperature: float) -> Profile:
    return Profile(Sampling(temperature))


PROFILES: Mapping[str, Profile] = {
    Stage.REFINE: _exact(0.0),
    Stage.PHRASES: _exact(0.0),
    Stage.EXPLORE: _exact(0.1),
    Stage.REPORT: _exact(0.2),
    Stage.PLAN: _exact(0.0),
    Stage.EXPAND: _exact(0.2),
    Stage.GENERATE: _exact(0.2),
    # The paper gives no time for it. It thinks first and may write twice as much.
    Stage.ANSWER: Profile(Sampling(1.0, max_tokens=16_000, thinking=True), timeout=120.0),
}
EVERY = "all"


def profiles(changes: Sequence[str] = ()) -> dict[str, Profile]:
    """The profiles with changes such as ``answer.max_tokens=2000`` or ``all.thinking=off``, applied in order.

    ``all`` stands for every stage, those without a profile of their own included; they are under ``""``.
    Raises :class:`~arcgraph.errors.UsageError` naming a change that cannot be made.
    """
    changed = {"": Profile(), **PROFILES}
    for change in changes:
        stage, _, assignment = change.partition(".")
        name, _, value = assignment.partition("=")
        if stage != EVERY and stage not in PROFILES:
            raise _unusable(change, f"the stages are {', '.join(PROFILES)}, and {EVERY}")
        for key in list(changed) if stage == EVERY else [stage]:
            changed[key] = _changed(changed[key], name.strip(), value.strip(), change)
    return changed


def _changed(profile: Profile, name: str, value: str, change: str) -> Profile:
    if name not in _READ:
        raise _unusable(change, f"what can be set is {', '.join(_READ)}")
    try:
        read = _READ[name](value)
    except (ValueError, KeyError):
        raise _unusable(change, "its value cannot be used") from None
    if name == "timeout":
        return replace(profile, timeout=read)
    return replace(profile, sampling=replace(profile.sampling, **{name: read}))


def _at_least_0(text: str) -> float:
    number = float(text)
    if not 0 <= number < float("inf"):
        raise ValueError(text)
    return number


def _above_0(text: str) -> float:
    return _at_least_0(text) or _refused(text)


def _whole(text: str) -> int:
    number = int(text)
    return number if number > 0 else int(_refused(text))


def _refused(text: str) -> float:
    raise ValueError(text)


def _switch(text: str) -> bool:
    return {"on": True, "true": True, "1": True, "off": False, "false": False, "0": False}[text.lower()]


_READ: Mapping[str, Any] = {
    "temperature": _at_least_0,
    "top_p": _above_0,
    "max_tokens": _whole,
    "thinking": _switch,
    "seed": int,
    "timeout": _above_0,
}


def _unusable(change: str, why: str) -> UsageError:
    return UsageError(
        f"the setting llm.stages (ARCGRAPH_LLM_STAGES) holds {change!r}: {why}; "
        "write for example answer.max_tokens=2000,generate.timeout=60"
    )


class Staged(Wrapper):
    """Gives each call what its stage's profile says and the caller left open, and stretches every timeout."""

    def __init__(self, inner: LLM, profiles: Mapping[str, Profile] = PROFILES, *, stretch: float = 1.0):
        super().__init__(inner)
        self._profiles = profiles
        self._other = profiles.get("", Profile())
        self._stretch = stretch

    def complete(
        self, messages: Sequence[Message], *, schema: type[BaseModel] | None = None, call: Call = DEFAULT_CALL
    ) -> Completion:
        """See :class:`~arcgraph.llm.base.LLM`."""
        profile = self._profiles.get(call.stage, self._other)
        timeout = profile.timeout if call.timeout is None else call.timeout
        full = replace(call, sampling=call.sampling or profile.sampling, timeout=timeout * self._stretch)
        return self.inner.complete(messages, schema=schema, call=full)
