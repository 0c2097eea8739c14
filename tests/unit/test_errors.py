"""The error tree, its drawing, and the translation of every error of the driver."""

from __future__ import annotations

import inspect

import pytest
from neo4j import exceptions as driver_errors

from arcgraph import errors
from arcgraph.errors import (
    ConnectError,
    MissingExtra,
    Position,
    QueryError,
    QueryTimeout,
    Refused,
    ServerGone,
)
from arcgraph.graph.bolt_errors import Where, is_retryable, translate_connect, translate_query

WHERE = Where("bolt://db.example:7687", "films")


def classes(module, base):
    return [c for _, c in inspect.getmembers(module, inspect.isclass) if issubclass(c, base)]


def server_error(code: str, message: str) -> driver_errors.Neo4jError:
    """The error that the driver makes of what a server sent."""
    hydrate = getattr(driver_errors.Neo4jError, "_hydrate_neo4j", None) or driver_errors.Neo4jError.hydrate
    return hydrate(code=code, message=message)


def test_the_drawing_shows_every_error():
    for kind in classes(errors, Exception):
        assert kind.__name__ in errors.__doc__


def test_an_extra_is_named_with_the_command_that_gets_it():
    error = MissingExtra("a local embedding model", "local")
    assert str(error) == "a local embedding model needs an optional part: pip install 'arcgraph-qa[local]'"
    assert error.extra == "local"


def test_a_refusal_carries_its_verdict():
    assert Refused("no", verdict=["write"]).verdict == ["write"]


@pytest.mark.parametrize("kind", classes(driver_errors, driver_errors.DriverError))
@pytest.mark.parametrize("translate", [translate_connect, lambda e, w: translate_query(e, w, timeout=1)])
def test_no_driver_error_passes_untranslated(kind, translate):
    error = kind.__new__(kind)
    Exception.__init__(error, "something happened")
    assert isinstance(translate(error, WHERE), ConnectError | QueryError)


@pytest.mark.parametrize("error", [OSError("reset"), ValueError("x"), RuntimeError("never thought of")])
def test_nor_does_any_other_error(error):
    assert isinstance(translate_query(error, WHERE, timeout=1), QueryError)
    assert isinstance(translate_connect(error, WHERE), ConnectError)


def test_code_and_position_are_read_from_the_message():
    message = 'Variable `m` not defined (line 2, column 8 (offset: 17))\n"RETURN m"\n        ^'
    error = translate_query(server_error("Neo.ClientError.Statement.SyntaxError", message), WHERE, timeout=1)
    assert isinstance(error, QueryError)
    assert (str(error), error.code) == ("Variable `m` not defined", "Neo.ClientError.Statement.SyntaxError")
    assert error.position == Position(offset=17, line=2, column=8)


def test_a_line_that_we_put_before_the_query_is_taken_off_the_position():
    message = "Variable `m` not defined (line 2, column 18 (offset: 25))"
    error = translate_query(
        server_error("Neo.ClientError.Statement.SyntaxError", message), WHERE, timeout=1, skipped=len("EXPLAIN\n")
    )
    assert error.position == Position(offset=17, line=1, column=18)


@pytest.mark.parametrize("message", ["/ by zero", "Unexpected end of input (line 0, column 0 (offset: 1))"])
def test_there_may_be_no_position(message):
    error = translate_query(server_error("Neo.ClientError.Statement.ArithmeticError", message), WHERE, timeout=1)
    assert error.position is None
    assert "(line" not in str(error)


@pytest.mark.parametrize(
    "code",
    [
        "Neo.ClientError.Transaction.TransactionTimedOut",
        "Neo.ClientError.Transaction.TransactionTimedOutClientConfiguration",
    ],
)
def test_a_timeout_says_how_long_it_was_and_what_to_do(code):
    error = translate_query(server_error(code, "terminated"), WHERE, timeout=2.5)
    assert isinstance(error, QueryTimeout)
    assert "after 2.5 s" in str(error)
    assert error.code == code


def test_a_lost_connection_is_a_server_that_is_gone():
    for kind in (driver_errors.ServiceUnavailable, driver_errors.SessionExpired):
        assert isinstance(translate_query(kind("lost"), WHERE, timeout=1), ServerGone)


@pytest.mark.parametrize(
    ("code", "message", "says"),
    [
        ("Security.Unauthorized", "The client is unauthorized", "refused the user or the password"),
        (
            "Security.Unauthorized",
            "Unsupported authentication token, missing key `scheme`",
            "wants a user and a password",
        ),
        ("Security.CredentialsExpired", "must be changed", "has expired"),
        ("Security.AuthenticationRateLimit", "too many times", "wait some seconds"),
        ("Database.DatabaseNotFound", "Graph not found: films", "there is no database 'films'"),
    ],
)
def test_errors_of_access_are_connect_errors_wherever_they_turn_up(code, message, says):
    error = server_error(f"Neo.ClientError.{code}", message)
    for translated in (translate_query(error, WHERE, timeout=1), translate_connect(error, WHERE)):
        assert isinstance(translated, ConnectError)
        assert says in str(translated)
        assert WHERE.address in str(translated)


def test_only_what_the_driver_calls_retryable_is_retried():
    assert is_retryable(driver_errors.ServiceUnavailable("lost"))
    assert is_retryable(server_error("Neo.TransientError.Transaction.DeadlockDetected", "deadlock"))
    assert not is_retryable(server_error("Neo.ClientError.Statement.SyntaxError", "no"))
    assert not is_retryable(OSError("lost"))
