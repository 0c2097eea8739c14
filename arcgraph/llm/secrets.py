"""Keeps keys out of everything that is shown: errors, logs, traces."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable
from urllib.parse import quote, quote_plus

HIDDEN = "***"
# Shorter ones are no secrets ("x" for a server that wants any key), and hiding them would garble every message.
_SHORTEST = 4
# The client and the two HTTP libraries it has been built on log the addresses they ask, with all that is in them.
_LOGGERS = ("openai", "openai._base_client", "httpx", "httpx2")


class Redactor:
    """Replaces secrets in texts, also where they stand percent-encoded or inside JSON. Its repr shows none.

    ``shortest`` is how many characters make a secret of a text.
    """

    def __init__(self, secrets: Iterable[str], *, shortest: int = _SHORTEST):
        forms = {
            form
            for secret in secrets
            if len(secret) >= shortest
            for form in (secret, quote(secret, safe=""), quote(secret), quote_plus(secret), json.dumps(secret)[1:-1])
        }
        self._forms = sorted(forms, key=len, reverse=True)

    def __call__(self, text: str) -> str:
        """The text without secrets."""
        for form in self._forms:
            text = text.replace(form, HIDDEN)
        return text


class LogFilter(logging.Filter):
    """Hides secrets in the records of the loggers it is on."""

    def __init__(self, redact: Redactor):
        super().__init__()
        self._redact = redact

    def filter(self, record: logging.LogRecord) -> bool:
        """Let every record pass, with its secrets hidden."""
        record.msg = self._redact(record.getMessage())
        record.args = ()
        if record.exc_info:
            record.exc_text = self._redact(logging.Formatter().formatException(record.exc_info))
            record.exc_info = None
        return True

    def attach(self) -> None:
        """Watch the loggers of the client's libraries."""
        for name in _LOGGERS:
            logging.getLogger(name).addFilter(self)

    def detach(self) -> None:
        """Leave them alone."""
        for name in _LOGGERS:
            logging.getLogger(name).removeFilter(self)
