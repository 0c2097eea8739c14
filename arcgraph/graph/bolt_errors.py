"""Errors of the Neo4j driver, translated to ours: the one place where that happens for every Bolt server."""

from __future__ import annotations

import re
from typing import NamedTuple

from neo4j.exceptions import (
    AuthError,
    DatabaseUnavailable,
    DriverError,
    Neo4jError,
    ServiceUnavailable,
    SessionExpired,
    UnsupportedServerProduct,
)

from arcgraph.errors import ArcgraphError, ConnectError, Position, QueryError, QueryTimeout, ServerGone

WORKS_TODAY = "what works today: Neo4j 5 or later, Memgraph, a graph file (g.arc), and demo:"

_POSITION = re.compile(r"\s*\(line (\d+), column (\d+) \(offset: (\d+)\)\)")
_TIMED_OUT = re.compile(r"\.Transaction(TimedOut\w*|\.TransactionTimedOut\w*)$")
# Memgraph has one code for everything that may be tried again, and this is not to be.
_TIMED_OUT_TEXT = re.compile(r"asked to abort\b.*\b(timeout|executing longer)", re.IGNORECASE | re.DOTALL)
_PLACE = re.compile(r"Error on line (\d+) position (\d+)")
_IMPERSONATION = re.compile(r"impersonat", re.IGNORECASE)


class Where(NamedTuple):
    """What the sentences of an error may name: never a password."""

    address: str
    database: str | None = None
    impersonated_user: str | None = None

    def __str__(self) -> str:
        return f"{self.address}/{self.database}" if self.database else self.address

    @property
    def product(self) -> str:
        """What is expected to answer at the address."""
        return "Memgraph" if self.address.startswith("memgraph") else "Neo4j"

    @property
    def variables(self) -> str:
        """The environment variables that are read for the address."""
        return f"{self.product.upper()}_USERNAME and {self.product.upper()}_PASSWORD"

    def schemes(self, suffix: str = "") -> str:
        """The kinds of address that lead to such a server."""
        return f"memgraph{suffix}://" if self.product == "Memgraph" else f"bolt{suffix}:// or neo4j{suffix}://"


def is_retryable(error: BaseException) -> bool:
    """What the driver says of its own errors, an expired deadline excepted; nothing else is ever retried."""
    if not isinstance(error, Neo4jError | DriverError) or not error.is_retryable():
        return False
    return not (isinstance(error, Neo4jError) and _is_timeout(error))


def translate_connect(error: Exception, where: Where) -> ArcgraphError:
    """The error of an attempt to connect, as one sentence that says what to do."""
    return _access_error(error, where) or ConnectError(_unreachable(error, where))


def translate_query(
    error: Exception, where: Where, *, timeout: float, skipped: int = 0, query: str = ""
) -> ArcgraphError:
    """The error of a query. ``skipped`` is the length of the line that we put before the caller's text.

    ``query`` is the text as sent, to find the place that a server names by line and column alone.
    """
    access = _access_error(error, where)
    if access is not None:
        return access
    if isinstance(error, Neo4jError):
        return _server_error(error, timeout=timeout, skipped=skipped, query=query)
    if isinstance(error, ServiceUnavailable | SessionExpired | OSError):
        return ServerGone(
            f"{where} went away during the query and did not come back; see whether the server runs, then ask again",
            retryable=True,
        )
    if isinstance(error, DriverError):
        return QueryError(f"{where}: {error}")
    return QueryError(f"the query or its parameters cannot be sent: {error}")


def timed_out(timeout: float, code: str = "") -> QueryTimeout:
    """The deadline passed."""
    return QueryTimeout(f"the query was stopped after {timeout:g} s; allow more time or ask for less", code=code)


def _access_error(error: Exception, where: Where) -> ConnectError | None:
    """Errors that no other query would survive either, wherever they turn up."""
    if not isinstance(error, Neo4jError):
        return None
    code, message = error.code or "", error.message or ""
    if where.impersonated_user and _IMPERSONATION.search(message):
        return ConnectError(
            f"{where.address} does not let this user act as {where.impersonated_user!r}: {message.rstrip('.')}. "
            f"Leave impersonated_user out, or use {where.product} Enterprise and a user with the IMPERSONATE privilege"
        )
    if code.endswith(".CredentialsExpired"):
        return ConnectError(f"the password for {where.address} has expired; change it in the database, then connect")
    if code.endswith(".AuthenticationRateLimit"):
        return ConnectError(f"{where.address} saw too many wrong passwords; wait some seconds, then use the right one")
    if isinstance(error, AuthError) or code.endswith(".Security.Unauthenticated"):
        return ConnectError(_refused_login(message, where))
    if code.endswith(".DatabaseNotFound"):
        return ConnectError(
            f"there is no database {where.database!r} on {where.address}; "
            "name an existing one (SHOW DATABASES lists them) or leave it out for the default"
        )
    if isinstance(error, DatabaseUnavailable):
        return ConnectError(f"the database of {where} is not available now; start it or wait until it is online")
    return None


def _refused_login(message: str, where: Where) -> str:
    if "missing key" in message or "scheme 'none'" in message:
        return f"{where.address} wants a user and a password; give both ({where.variables})"
    return f"{where.address} refused the user or the password; correct them ({where.variables})"


def _unreachable(error: Exception, where: Where) -> str:
    text = " ".join(str(e) for e in _causes(error))
    if "CERTIFICATE_VERIFY" in text.upper().replace(" ", "_"):
        return f"the certificate of {where.address} cannot be verified; use {where.schemes('+ssc')} to accept it as is"
    if "SSL" in text:
        return f"{where.address} does not speak TLS; use {where.schemes()} without +s, or turn TLS on in the server"
    if "HTTP" in text:
        return f"{where.address} answers HTTP, not Bolt; use the server's Bolt port (7687 unless changed)"
    if isinstance(error, UnsupportedServerProduct):
        return f"{where.address} is no Neo4j; {WORKS_TODAY}"
    if "DNS resolve" in text or "Cannot resolve" in text:
        return f"the host name of {where.address} is not known; check the address"
    if isinstance(error, Neo4jError):
        return f"{where.address} refused the connection: {error.message}"
    return f"no {where.product} answers at {where.address}; see that the server runs and that host and port are right"


def _causes(error: BaseException | None) -> list[BaseException]:
    seen: list[BaseException] = []
    while error is not None and error not in seen:
        seen.append(error)
        error = error.__cause__ or error.__context__
    return seen


def _is_timeout(error: Neo4jError) -> bool:
    return bool(_TIMED_OUT.search(error.code or "") or _TIMED_OUT_TEXT.search(error.message or ""))


def _server_error(error: Neo4jError, *, timeout: float, skipped: int, query: str) -> QueryError:
    code = error.code or ""
    if _is_timeout(error):
        return timed_out(timeout, code)
    message = error.message or str(error)
    text, position = _split_position(message, skipped)
    if position is None and (found := _PLACE.search(message)):
        position = _position(query, int(found[1]), int(found[2]), skipped)
    return QueryError(text, code=code, position=position, retryable=error.is_retryable())


def _split_position(message: str, skipped: int) -> tuple[str, Position | None]:
    """The sentence without the quoted query, and the position it named."""
    found = _POSITION.search(message)
    if not found:
        return message.strip(), None
    line, column, offset = (int(group) for group in found.groups())
    position = Position(offset - skipped, line - bool(skipped), column)
    # An empty query is reported at line 0.
    return message[: found.start()].strip(), position if position.offset >= 0 and position.line >= 1 else None


def _position(query: str, line: int, column: int, skipped: int) -> Position | None:
    """The place of a line and column, both from 1, in the text as sent."""
    before = query.splitlines(keepends=True)[: line - 1]
    position = Position(sum(map(len, before)) + column - 1 - skipped, line - bool(skipped), column)
    return position if position.offset >= 0 and position.line >= 1 else None
