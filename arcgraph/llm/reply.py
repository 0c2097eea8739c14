"""Reads what a model wrote: what it thought aloud, what it answered, and the JSON in that."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from pydantic import BaseModel, ValidationError

from arcgraph.llm.base import Completion

_THOUGHT = re.compile(r"\s*<(think|thinking|reasoning)>(.*?)</\1>", re.S)
_CUT_THOUGHT = re.compile(r"\s*<(?:think|thinking|reasoning)>(.*)", re.S)
# Templates that open the thought themselves leave only its end in the reply. A JSON string holds no line break, so an
# end that stands beside one is no text that was quoted from a graph.
_END_OF_THOUGHT = re.compile(
    r"(?:^|\n)[ \t]*</(?:think|thinking|reasoning)>|</(?:think|thinking|reasoning)>\s*(?:\n|$)"
)
_FENCE = re.compile(r"```[\w-]*[ \t]*\n(.*?)(?:\n[ \t]*)?```", re.S)
_OPENING = re.compile(r"[\[{]")
# What begins like JSON and is none, in contrast to brackets in prose.
_BROKEN = re.compile(r"""\{\s*["'}]|\[\s*["'{\[]""")
# Replies that open one bracket after the other would be read over and over.
_MOST_SPANS = 64
_FAULTS_TOLD = 4
_decoder = json.JSONDecoder(strict=False)


class Parts(NamedTuple):
    """A reply taken apart."""

    thinking: str
    text: str


def split_thinking(reply: str) -> Parts:
    """What stands in ``<think>`` tags at the beginning, and the rest; what was cut off while thinking has no rest."""
    thoughts: list[str] = []
    rest = reply
    while match := _THOUGHT.match(rest):
        thoughts.append(match[2])
        rest = rest[match.end() :]
    if cut := _CUT_THOUGHT.match(rest):
        thoughts.append(cut[1])
        rest = ""
    elif end := _END_OF_THOUGHT.search(rest):
        thoughts.append(rest[: end.start()])
        rest = rest[end.end() :]
    return Parts("\n".join(t.strip() for t in thoughts).strip(), rest.strip())


def completion(
    content: str,
    schema: type[BaseModel] | None,
    *,
    reasoning: str = "",
    declined: str = "",
    finish: str = "stop",
    **about: Any,
) -> Completion:
    """What a server sent, as a completion: thoughts apart, read as ``schema``, with a sentence where it cannot be.

    ``reasoning`` is what the server had already taken apart, ``declined`` the model's words where it would not answer,
    ``about`` further fields of the completion.
    """
    thinking, text = split_thinking(content)
    thinking = "\n".join(part for part in (reasoning.strip(), thinking) if part)
    parsed: BaseModel | None = None
    if declined and not text:
        text, fault = declined, f"the model declined: {declined}"
    elif finish == "content_filter":
        fault = "the server withheld the reply, or a part of it (content filter)"
    elif schema is not None:
        parsed, fault = read(text, schema, is_cut=finish == "length")
    else:
        fault = "" if text else _nothing(is_cut=finish == "length")
    return Completion(text, thinking, parsed, fault, finish, **about)


def _nothing(*, is_cut: bool) -> str:
    return "the reply was cut off before it began" if is_cut else "the reply is empty"


class Read(NamedTuple):
    """A reply as an instance of a schema, or a sentence that says why it is none."""

    parsed: BaseModel | None
    fault: str = ""


def read(text: str, schema: type[BaseModel], *, is_cut: bool = False) -> Read:
    """The reply's JSON as an instance of ``schema``: alone, fenced or among other words, the last that fits.

    Forgotten brackets, trailing commas, comments, single quotes and Python's constants are put right; a reply that
    ``is_cut`` is not completed.
    """
    if not text.strip():
        return Read(None, _nothing(is_cut=is_cut))
    fault = ""
    for value in _values(text, is_cut=is_cut):
        for candidate in _unwrapped(value):
            try:
                return Read(schema.model_validate_json(json.dumps(candidate)))
            except ValidationError as error:
                fault = fault or f"the reply is no {schema.__name__}: {_told(error)}"
            except (ValueError, RecursionError):  # half of a surrogate pair, or a number beyond all bounds
                fault = fault or "the reply holds characters or numbers that no JSON can hold"
    if is_cut:
        return Read(None, "the reply was cut off: it reached the most tokens it may have")
    return Read(None, fault or "the reply holds no JSON")


def _told(error: ValidationError) -> str:
    faults = error.errors(include_url=False, include_input=False, include_context=False)
    told = [f"{'.'.join(map(str, f['loc'])) or 'it'}: {f['msg']}" for f in faults[:_FAULTS_TOLD]]
    more = len(faults) - len(told)
    return "; ".join(told) + (f"; and {more} more" if more > 0 else "")


def _unwrapped(value: Any) -> Iterator[Any]:
    """The value, then what a model may have wrapped: the only item of a list, the only member of an object."""
    yield value
    if isinstance(value, list | dict) and len(value) == 1:
        (inner,) = value.values() if isinstance(value, dict) else value
        if isinstance(inner, list | dict):
            yield inner


def _values(text: str, *, is_cut: bool) -> Iterator[Any]:
    """The values in a text that may be meant, likeliest first: as they stand, then put right."""
    fenced = [match[1] for match in _FENCE.finditer(text)]
    yield from _loaded([text, *reversed(fenced)])
    opening = _OPENING.search(text)
    rest = [text[opening.start() :]] if opening else []
    closed = [r[: max(r.rfind("}"), r.rfind("]")) + 1] for r in rest]
    # Before parts are looked for: a part of something broken is not what was meant.
    yield from _loaded([mended(part, closing=not is_cut) for part in (*reversed(fenced), *closed, *rest)])
    yield from reversed(_spans(text))


def _loaded(texts: list[str]) -> Iterator[Any]:
    for text in texts:
        try:
            yield _decoder.decode(text.strip())
        except (ValueError, RecursionError):
            continue


def _spans(text: str) -> list[Any]:
    """Every object or list that stands in a text, none of them inside another, up to the first that is broken."""
    found: list[Any] = []
    at = 0
    for _ in range(_MOST_SPANS):
        opening = _OPENING.search(text, at)
        if opening is None:
            break
        try:
            value, at = _decoder.raw_decode(text, opening.start())
            found.append(value)
        except (ValueError, RecursionError):
            if _BROKEN.match(text, opening.start()):
                break
            at = opening.end()
    return found


# --- almost JSON -------------------------------------------------------------------------------------------------

# What has no end goes on to the end of the text: else it would be looked for again from every place that follows.
_TOKEN = re.compile(
    r'"(?:[^"\\]|\\.)*(?:"|\Z)'
    r"|'(?:[^'\\]|\\.)*(?:'|\Z)"
    r"|//[^\n]*|/\*.*?(?:\*/|\Z)|\s+"  # comments and space
    r"|[^\W\d][\w$-]*"  # a bare word
    r"|-?\d[\d.eE+-]*"
    r"|.",
    re.S,
)
_CONSTANTS = {"true": "true", "false": "false", "null": "null", "none": "null", "undefined": "null"}
_CLOSER = {"{": "}", "[": "]"}


def mended(text: str, *, closing: bool = True) -> str:
    """A text that is almost JSON, without what JSON does not have; ``closing`` adds forgotten closing brackets."""
    out: list[str] = []
    expected: list[str] = []
    for token in _tokens(text):
        if token in _CLOSER:
            expected.append(_CLOSER[token])
        elif token in ("}", "]"):
            _drop_comma(out)
            if expected and expected[-1] == token:
                expected.pop()
        out.append(_plain(token))
    if closing and expected:
        _drop_comma(out)
        out += reversed(expected)
    return "".join(out)


def _tokens(text: str) -> Iterator[str]:
    for match in _TOKEN.finditer(text):
        token = match[0]
        if not token.isspace() and not token.startswith(("//", "/*")):
            yield token


def _drop_comma(out: list[str]) -> None:
    if out and out[-1] == ",":
        out.pop()


def _plain(token: str) -> str:
    """A token as JSON has it."""
    if token[0] == "'" and len(token) > 1:
        return json.dumps(re.sub(r"\\(['\"])", r"\1", token[1:-1]), ensure_ascii=False)
    if token[0].isalpha() or token[0] == "_":
        return _CONSTANTS.get(token.lower()) or json.dumps(token, ensure_ascii=False)
    return token
