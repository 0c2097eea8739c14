"""The lexer: what tokens a text has, where they stand, and what it will not cut."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcgraph.errors import Position
from arcgraph.graph.lexer import Kind, lex


def values(text: str) -> list[str]:
    """What the tokens mean, without the last one."""
    result = lex(text)
    assert result.fault is None, result.fault
    return [token.value for token in result.tokens[:-1]]


def rule(text: str) -> str | None:
    fault = lex(text).fault
    return fault.rule if fault else None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("MATCH (n:A) RETURN n", ["MATCH", "(", "n", ":", "A", ")", "RETURN", "n"]),
        ("a<=b<>c=~d::e||f", ["a", "<=", "b", "<>", "c", "=~", "d", "::", "e", "||", "f"]),
        ("[*1..3]", ["[", "*", "1", "..", "3", "]"]),
        ("[..4]", ["[", "..", "4", "]"]),
        ("0xFF 0o17 1_000 1.5e-3 .5 1e5 2.5d", ["0xFF", "0o17", "1_000", "1.5e-3", ".5", "1e5", "2.5d"]),
        ("$name $`a b` $0", ["name", "a b", "0"]),
        ("`a``b` `x`", ["a`b", "x"]),
        (r"'it\'s' " ' "say \\"hi\\"" ' r"'a\\b' '\t'", ["it's", 'say "hi"', "a\\b", "\t"]),
        (r"'\d+'", ["\\d+"]),
        ("Pérsona 名前 имя", ["Pérsona", "名前", "имя"]),
        ("a // b\nc /* d\n * e */ f", ["a", "c", "f"]),
        ("'// no comment' '/* nor this */'", ["// no comment", "/* nor this */"]),
        ("a\u00a0b\u3000c", ["a", "b", "c"]),
    ],
)
def test_cuts_a_text_into_tokens(text: str, expected: list[str]) -> None:
    assert values(text) == expected


def test_only_ascii_letters_make_keywords() -> None:
    assert [token.word for token in lex("set SET ſet SΕT `SET`").tokens[:-1]] == ["SET", "SET", "", "", ""]


def test_escapes_become_characters_before_tokens_are_cut() -> None:
    result = lex(r"MATCH (n) \u0053ET n.x = 1")
    token = result.tokens[4]
    assert (token.word, token.text, token.offset, token.end) == ("SET", r"\u0053ET", 10, 18)
    assert result.escaped


def test_a_doubled_backslash_before_u_is_no_escape() -> None:
    assert values(r"'\\u0053'") == [r"\u0053"]
    assert values(r"'\\\u0053'") == [r"\S"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("'open", "unterminated-string"),
        ('"open', "unterminated-string"),
        (r"'open\'", "unterminated-string"),
        ("`open", "unterminated-name"),
        ("``", "empty-name"),
        ("/* open", "unterminated-comment"),
        ("/*/", "unterminated-comment"),
        (r"\u00", "bad-escape"),
        (r"'\uZZZZ'", "bad-escape"),
        ("12abc", "bad-number"),
        ("0777", "bad-number"),
        ("1__0", "bad-number"),
        ("a \u200b b", "unknown-character"),
        ("SE\u200bT", "unknown-character"),
        ("a \u202e b", "unknown-character"),
        ("a\x00b", "unknown-character"),
        ("a # b", "unknown-character"),
        ("a ; b ? c", "unknown-character"),
        # What ends a string for one engine is a character of it for another.
        (r"'\u0027 + 'x'", "ambiguous-escape"),
        (r'"\u0022"', "ambiguous-escape"),
        (r"`\u0060`", "ambiguous-escape"),
        (r"'\u005c'", "ambiguous-escape"),
        ("// \\u000a SET", "ambiguous-escape"),
        (r"/* \u002a/ SET */", "ambiguous-escape"),
        (r"\u0027x'", "ambiguous-escape"),
    ],
)
def test_names_what_it_cannot_cut(text: str, expected: str) -> None:
    assert rule(text) == expected


def test_an_escape_that_changes_nothing_is_fine() -> None:
    assert values(r""""it\u0027s" '\u003C' """) == ["it's", "<"]


def test_positions_count_offsets_from_0_and_lines_and_columns_from_1() -> None:
    tokens = lex("MATCH (n)\r\nRETURN\n  n.x")
    last = tokens.tokens[-2]
    assert tokens.position(last.offset) == Position(22, 3, 5)
    assert tokens.position(0) == Position(0, 1, 1)


def test_positions_point_into_the_text_as_it_was_written() -> None:
    tokens = lex(r"RETURN '\u003C\u003E' AS x")
    assert [tokens.source[token.offset : token.end] for token in tokens.tokens[:-1]] == [
        "RETURN",
        r"'\u003C\u003E'",
        "AS",
        "x",
    ]


@given(st.one_of(st.text(), st.binary(), st.text("'\"`\\u0027/*\n $.1eE_-<>[](){}aé\u200b")))
@settings(max_examples=200, deadline=None)
def test_reads_any_text_without_raising(source: str | bytes) -> None:
    result = lex(source)
    assert result.tokens[-1].kind is Kind.END
    covered = [(token.offset, token.end) for token in result.tokens]
    assert all(start <= end for start, end in covered)
    assert all(before[1] <= after[0] for before, after in pairwise(covered))
    if result.fault:
        assert 0 <= result.fault.offset <= len(result.source)
