"""The gate for Cypher that arcgraph did not compile: it admits one statement that only reads, and nothing else.

An allowlist on top of a reader of the whole query: clauses, procedures and functions that are known to read or compute
pass; whatever is not understood is refused, with the place. ``docs/gate.md`` says what is promised and what is not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from arcgraph.domain import Schema
from arcgraph.errors import Refused
from arcgraph.graph.base import Explained
from arcgraph.graph.clauses import Unread, read
from arcgraph.graph.lexer import Tokens, lex
from arcgraph.graph.names import quote
from arcgraph.graph.reader.cursor import NEEDS_BACKTICKS
from arcgraph.graph.schema_check import SchemaFault, faults_of, repair, spaced_key
from arcgraph.graph.scope import Fault, TooLong, analyse
from arcgraph.graph.syntax import Query

Lacking = Callable[[Query, Tokens, tuple[str, ...]], Iterable[Fault]]
"""What a server cannot read of a query; the third argument are the functions that the operator added."""

# Each repair of a name reads the query anew: more names, or a longer text, are no oversight.
_MOST_QUOTED = 10
_LONGEST_QUOTED = 20_000


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a query is refused: the rule it breaks, and where. Offsets count from 0, lines and columns from 1.

    Rules: ``write``, ``administration``, ``load-csv``, ``use``, ``prefix``, ``in-transactions``,
    ``several-statements``, ``procedure``, ``function``; ``undefined-variable``, ``clash``, ``column``, ``aggregate``;
    ``dialect`` for what the server at hand cannot read, ``embedded`` for what a file cannot run;
    ``plan`` where the database, asked to EXPLAIN, plans more than a read;
    ``not-understood``, ``too-deep``, ``too-long`` and the lexer's ``unterminated-…``, ``unknown-character``, ``bad-…``,
    ``ambiguous-escape``.
    """

    rule: str
    message: str
    offset: int
    line: int
    column: int

    def to_dict(self) -> dict[str, Any]:
        """As printed by ``arcgraph check``."""
        return {
            "rule": self.rule,
            "message": self.message,
            "offset": self.offset,
            "line": self.line,
            "column": self.column,
        }

    def __str__(self) -> str:
        return f"{self.message} (line {self.line}, column {self.column})"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the gate says of a query.

    ``reasons`` are what forbids it or makes it invalid anywhere; ``schema_faults`` what does not fit the given schema.
    ``repaired`` is the query with its arrows turned and its names with spaces between backticks, where nothing else is
    wrong.
    """

    reasons: tuple[Reason, ...] = ()
    schema_faults: tuple[SchemaFault, ...] = ()
    repaired: str | None = None

    @property
    def accepted(self) -> bool:
        """Whether nothing stands against the query."""
        return not self.reasons and not self.schema_faults

    def to_dict(self) -> dict[str, Any]:
        """As printed by ``arcgraph check``."""
        return {
            "accepted": self.accepted,
            "reasons": [reason.to_dict() for reason in self.reasons],
            "schema_faults": [fault.to_dict() for fault in self.schema_faults],
            "repaired": self.repaired,
        }


def check(
    query: str,
    schema: Schema | None = None,
    *,
    allow_procedures: Iterable[str] = (),
    allow_functions: Iterable[str] = (),
    lacking: Lacking | None = None,
) -> Verdict:
    """Hold a query to the gate, and to a schema where one is given. Never raises for the query's sake.

    ``allow_procedures`` and ``allow_functions`` are exact names that the operator vouches for; ``lacking`` says what
    the server at hand cannot read.
    """
    rules = _Rules(schema, tuple(allow_procedures), tuple(allow_functions), lacking)
    verdict, unquoted = _judge(query, rules)
    if unquoted is None or len(query) > _LONGEST_QUOTED:
        return verdict
    return replace(verdict, repaired=_quoted(query, unquoted, rules))


class _Rules(NamedTuple):
    """What a query is held to."""

    schema: Schema | None
    procedures: tuple[str, ...]
    functions: tuple[str, ...]
    lacking: Lacking | None


def _judge(query: str, rules: _Rules) -> tuple[Verdict, tuple[int, int] | None]:
    """The verdict, and where a name stands that lacks its backticks, if that keeps the query from being read."""
    tokens = lex(query)
    try:
        parsed = read(tokens)
        analysis = analyse(parsed, tokens, rules.procedures, rules.functions)
        found = [*analysis.faults, *(rules.lacking(parsed, tokens, rules.functions) if rules.lacking else ())]
        reasons = tuple(_reason(tokens, f.rule, f.message, tokens.tokens[f.token].offset) for f in found)
        if reasons or rules.schema is None:
            return Verdict(reasons), spaced_key(tokens, rules.schema) if reasons and rules.schema else None
        faults = faults_of(analysis, tokens, rules.schema)
    except Unread as unread:
        return _unreadable(tokens, unread, rules.schema)
    except TooLong:
        return Verdict((_reason(tokens, "too-long", "the query imports too many variables into subqueries", 0),)), None
    except RecursionError:
        # The caller's own stack may be deep already, so the reader's limit alone cannot rule this out.
        return Verdict((_reason(tokens, "too-deep", "the query nests too deeply", 0),)), None
    return Verdict((), faults, repair(query, faults)), None


def _unreadable(tokens: Tokens, unread: Unread, schema: Schema | None) -> tuple[Verdict, tuple[int, int] | None]:
    """Why the query cannot be read, and the name in it that lacks its backticks: a label, or a key of the schema's."""
    unquoted = unread.unquoted or (spaced_key(tokens, schema) if schema else None)
    if unquoted and unquoted[0] <= unread.offset < unquoted[1]:
        unread = Unread(unread.rule, NEEDS_BACKTICKS, unquoted[0])
    return Verdict((_reason(tokens, unread.rule, unread.message, unread.offset),)), unquoted


def _quoted(query: str, unquoted: tuple[int, int] | None, rules: _Rules) -> str | None:
    """The query with names between backticks, and arrows turned where only that is left; ``None`` if more is wrong."""
    for _ in range(_MOST_QUOTED):
        if unquoted is None:
            return None
        start, end = unquoted
        query = query[:start] + quote(query[start:end]) + query[end:]
        verdict, unquoted = _judge(query, rules)
        if verdict.accepted:
            return query
        if verdict.repaired:
            return verdict.repaired
    return None


def admit(
    query: str,
    *,
    allow_procedures: Iterable[str] = (),
    allow_functions: Iterable[str] = (),
    lacking: Lacking | None = None,
) -> None:
    """Raise :class:`~arcgraph.errors.Refused`, carrying the verdict, unless the query only reads and is valid."""
    verdict = check(query, allow_procedures=allow_procedures, allow_functions=allow_functions, lacking=lacking)
    if not verdict.accepted:
        raise Refused(f"query refused: {verdict.reasons[0]}", verdict)


def admit_planned(query: str, explained: Explained) -> None:
    """The layer behind the gate: raise :class:`~arcgraph.errors.Refused` unless the database itself plans a read."""
    if not explained.reads_only:
        reason = _reason(lex(query), "plan", "the database plans more than a read; only reading is allowed", 0)
        raise Refused(f"query refused: {reason}", Verdict((reason,)))


def _reason(tokens: Tokens, rule: str, message: str, offset: int) -> Reason:
    return Reason(rule, message, *tokens.position(offset))
