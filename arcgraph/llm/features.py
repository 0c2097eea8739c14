"""What a server has been found to take. OpenAI-compatible servers differ, and say so only when they refuse."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Any, NamedTuple


class Structured(IntEnum):
    """How a server is asked for JSON, strongest last."""

    TEXT = 0
    JSON = 1
    SCHEMA = 2


@dataclass(frozen=True, slots=True)
class Features:
    """What is sent to a server; hopeful at first. ``limit`` is what it calls the most tokens, empty: do not send."""

    structured: Structured = Structured.SCHEMA
    template: bool = True
    """Whether it takes ``chat_template_kwargs``, which turn a model's thinking on and off."""
    temperature: bool = True
    top_p: bool = True
    seed: bool = True
    limit: str = "max_tokens"

    def without(self, told: str) -> Features | None:
        """What is left to try after a refusal in these words; ``None`` where they are about something else."""
        for remedy in _REMEDIES:
            if remedy.pattern.search(told):
                changed = remedy.apply(self)
                if changed != self:
                    return changed
        return None


class _Remedy(NamedTuple):
    pattern: re.Pattern[str]
    apply: Callable[[Features], Features]


def _remedy(pattern: str, apply: Callable[[Features], Features]) -> _Remedy:
    return _Remedy(re.compile(pattern, re.I | re.S), apply)


def _weaker(features: Features) -> Features:
    return replace(features, structured=Structured(max(0, features.structured - 1)))


def _renamed(features: Features) -> Features:
    return replace(features, limit="max_completion_tokens") if features.limit == "max_tokens" else features


# What a server gives at most is often less than the defaults ask; it knows best how much room is left.
_TOO_MUCH = r"max_(completion_)?tokens|maximum context length|context (length|window|size)"

_REMEDIES = (
    _remedy(r"chat_template|enable_thinking", lambda f: replace(f, template=False)),
    _remedy(
        r"response_format|json_schema|json_object|json.?mode|structured.?output|guided|grammar"
        r"|json_validate_failed",
        _weaker,
    ),
    _remedy(r"max_completion_tokens.{0,20}instead|(unsupported|unrecogni[sz]ed|unknown).{0,40}max_tokens", _renamed),
    _remedy(_TOO_MUCH, lambda f: replace(f, limit="")),
    _remedy(r"top_p", lambda f: replace(f, top_p=False)),
    _remedy(r"temperature", lambda f: replace(f, temperature=False)),
    _remedy(r"\bseed\b", lambda f: replace(f, seed=False)),
)

_ONE_SCHEMA = re.compile(
    r"json_validate_failed|invalid_json_schema|invalid (json )?schema|unsupported (json )?schema|schema conversion"
    r"|(parse|convert|compile|process)\w* (the )?(json )?(schema|grammar)",
    re.I,
)


def is_about_this_schema(told: str) -> bool:
    """Whether a server refused one schema, not schemas as such."""
    return _ONE_SCHEMA.search(told) is not None


_LONGEST = 1_000
# Where servers say what they have against a request. Some repeat the request itself beside it, under other names.
_TELLING = ("error", "message", "msg", "detail", "loc", "param", "code", "type")


def words_of_refusal(body: Any) -> str:
    """What a refusal says itself, without what it repeats of the request."""
    return "; ".join(_said(body, 0))[:_LONGEST]


def _said(body: Any, depth: int) -> Iterator[str]:
    """The texts of an error, however it is nested: OpenAI, FastAPI, Mistral and Google each do it their own way."""
    if isinstance(body, str):
        if body.strip():
            yield body.strip()[:_LONGEST]
        return
    inner = [body[key] for key in _TELLING if key in body] if isinstance(body, dict) else body
    if isinstance(inner, list) and depth < _DEEPEST:
        for part in inner:
            yield from _said(part, depth + 1)


_DEEPEST = 6
