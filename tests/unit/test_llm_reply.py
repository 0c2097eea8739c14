"""What a model wrote is taken apart and read, however it was wrapped; what cannot be read says why."""

from __future__ import annotations

import json
import time
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from arcgraph.llm.reply import completion, mended, read, split_thinking
from arcgraph.llm.schema import reply_schema


class Step(BaseModel):
    kind: Literal["hop", "filter"]
    note: str = ""


class Plan(BaseModel):
    steps: list[Step]
    limit: int | None = None


PLAN = Plan(steps=[Step(kind="hop")])
TEXT = '{"steps": [{"kind": "hop", "note": ""}], "limit": null}'


class Loose(BaseModel):
    """Any object at all fits."""

    name: str = ""


# --- thinking ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reply", "thinking", "text"),
    [
        ("Paris", "", "Paris"),
        ("<think>France?</think>\n\nParis", "France?", "Paris"),
        ("  <thinking>a</thinking><think>b</think>Paris", "a\nb", "Paris"),
        ("The template opened it.\n</think>\nParis", "The template opened it.", "Paris"),
        ("Thought on one line</think>\nParis", "Thought on one line", "Paris"),
        ("<think>cut off while", "cut off while", ""),
        ("<think></think>Paris", "", "Paris"),
        ('{"name": "<think>", "other": "</think>"}', "", '{"name": "<think>", "other": "</think>"}'),
        ("A node is called <think>x</think> here", "", "A node is called <think>x</think> here"),
    ],
)
def test_thoughts_are_kept_apart(reply: str, thinking: str, text: str) -> None:
    assert split_thinking(reply) == (thinking, text)


def test_a_draft_among_the_thoughts_is_not_the_reply() -> None:
    reply = '<think>```json\n{"steps": [{"kind": "filter"}]}\n```</think>```json\n' + TEXT + "\n```"
    done = completion(reply, Plan)
    assert (done.parsed, done.fault) == (PLAN, "")
    assert "filter" in done.thinking
    assert "filter" not in done.text


def test_what_the_server_took_apart_and_what_stands_in_tags_are_both_thoughts() -> None:
    done = completion("<think>b</think>Paris", None, reasoning="a")
    assert (done.thinking, done.text) == ("a\nb", "Paris")


# --- JSON ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "reply",
    [
        TEXT,
        f"```json\n{TEXT}\n```",
        f"```\n{TEXT}```",
        f"Here you are:\n\n{TEXT}\n\nTell me {{if}} it helps.",
        f"First [1] I thought of {{something}}. {TEXT}",
        f'```json\n{{"steps": []}}\n```\nNo, rather:\n```json\n{TEXT}\n```',
        f"[{TEXT}]",
        f'{{"Plan": {TEXT}}}',
        '{"steps": [{"kind": "hop",},],}',
        "{'steps': [{'kind': 'hop', 'note': ''}], 'limit': None}",
        '{steps: [{kind: "hop"}], /* all */ limit: null} // done',
        '{"steps": [{"kind": "hop"',
        '{"steps": [{"kind": "hop"}]',
        'Sure! {"steps": [{"kind": "hop"}',
    ],
)
def test_json_is_found_and_put_right(reply: str) -> None:
    done = read(reply, Plan)
    assert done == (PLAN, "")


def test_line_breaks_and_quotes_in_texts_survive() -> None:
    assert read('{"name": "a\nb"}', Loose).parsed == Loose(name="a\nb")
    assert read("{'name': 'it\\'s \"so\"'}", Loose).parsed == Loose(name='it\'s "so"')
    assert read('{"name": "http://x, // no comment",}', Loose).parsed == Loose(name="http://x, // no comment")


def test_a_part_of_something_broken_is_not_taken_for_it() -> None:
    assert read('{"steps": [{"name": "inner"}, oops: : }', Loose).parsed is None


@pytest.mark.parametrize(
    ("reply", "fault"),
    [
        ("", "the reply is empty"),
        ("I would rather not.", "the reply holds no JSON"),
        ('{"steps": [{"kind": "jump"}]}', "the reply is no Plan: steps.0.kind: Input should be 'hop' or 'filter'"),
        ("{}", "the reply is no Plan: steps: Field required"),
        ('"hop"', "the reply is no Plan: "),
        ("[[[[" * 2_000, "the reply holds no JSON"),
        ('{"a":' * 20_000, "the reply holds no JSON"),
        ('{"steps": [], "limit": "\ud800"}', "the reply "),
    ],
)
def test_what_cannot_be_read_is_a_sentence(reply: str, fault: str) -> None:
    done = read(reply, Plan)
    assert done.parsed is None
    assert done.fault.startswith(fault)


def test_a_fault_repeats_no_value_and_names_only_a_few_faults() -> None:
    fault = read(json.dumps({"steps": [{"kind": "hunter2"}] * 9}), Plan).fault
    assert "hunter2" not in fault
    assert fault.endswith("and 5 more")


@pytest.mark.parametrize("reply", ['{"steps": [{"kind": "hop"}', '{"steps": [{"kind": "hop"}, {"ki', '{"name": "x"'])
def test_a_reply_that_was_cut_off_is_not_completed(reply: str) -> None:
    for schema in (Plan, Loose):
        done = completion(reply, schema, finish="length")
        assert done.parsed is None
        assert done.fault == "the reply was cut off: it reached the most tokens it may have"


def test_a_reply_that_is_whole_although_it_was_cut_off_is_read() -> None:
    assert completion(TEXT + "\n\nBy the w", Plan, finish="length").parsed == PLAN


@pytest.mark.parametrize(
    "filler", ["{", "[1", "'", '"', "{'a", '\\"', "```\n", "<think>", "{/* ", "{}[]", '{"a": [1, ']
)
def test_long_nonsense_costs_no_time(filler: str) -> None:
    began = time.perf_counter()
    read("{" + filler * 20_000, Plan)
    split_thinking(filler * 20_000)
    assert time.perf_counter() - began < 3


PIECES = [*"{}[]:,\"'`/*-1", "\n", " ", "null", "None", "kind", '"steps"', '"hop"', "```json\n", "</think>", "\\", "é"]


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join), st.booleans())
def test_no_text_makes_reading_fail(text: str, is_cut: bool) -> None:
    done = completion(text, Plan, finish="length" if is_cut else "stop")
    assert (done.parsed is None) == bool(done.fault)


def test_json_itself_is_never_changed_by_mending() -> None:
    value = {"a": [1, -2.5e3, True, None], "b": {"c": "x // y, } 'q' None"}, "ünï": '\\ " \n'}
    assert json.loads(mended(json.dumps(value, ensure_ascii=False))) == value


# --- other ends ----------------------------------------------------------------------------------------------------


def test_ends_that_are_no_reply_are_faults() -> None:
    assert completion("", None).fault == "the reply is empty"
    assert completion("", None, finish="length").fault == "the reply was cut off before it began"
    assert completion("<think>on and on", None, finish="length").fault == "the reply was cut off before it began"
    assert "content filter" in completion("half", None, finish="content_filter").fault
    declined = completion("", Plan, declined="I cannot help with that.")
    assert (declined.text, declined.parsed) == ("I cannot help with that.", None)
    assert declined.fault == "the model declined: I cannot help with that."
    assert completion("Paris", None).fault == ""


def test_a_parsed_reply_is_typed_on_request() -> None:
    done = completion(TEXT, Plan)
    assert done.read(Plan) == PLAN
    assert done.read(Loose) is None


# --- schemas -------------------------------------------------------------------------------------------------------


class Node(BaseModel):
    default: str = Field(default="x", description="called like a keyword")
    children: list[Node] = []


class Outer(BaseModel):
    title: str | None = None
    node: Node = Field(default=Node(), description="beside a reference")


class Open(BaseModel):
    anything: dict[str, int]


def test_a_schema_requires_every_property_and_allows_no_other() -> None:
    sent = reply_schema(Outer)
    assert (sent.name, sent.strict) == ("Outer", True)
    assert sent.schema["required"] == ["title", "node"]
    assert sent.schema["additionalProperties"] is False
    assert sent.schema["properties"]["node"] == {"$ref": "#/$defs/Node"}
    node = sent.schema["$defs"]["Node"]
    assert node["required"] == ["default", "children"]
    assert node["properties"]["default"] == {"type": "string", "description": "called like a keyword"}
    assert '"default": "x"' not in json.dumps(sent.schema)


def test_a_schema_with_open_objects_is_not_strict() -> None:
    assert not reply_schema(Open).strict
    assert reply_schema(Open).schema["properties"]["anything"]["additionalProperties"] == {"type": "integer"}


def test_a_schema_has_a_name_that_servers_take() -> None:
    odd = type("Plan[int] für " + "x" * 80, (Plan,), {})
    assert reply_schema(odd).name.isascii()
    assert len(reply_schema(odd).name) == 64
