"""Where a model is served, and what opens the door."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, unquote, urlsplit

from arcgraph.errors import UsageError
from arcgraph.settings import LLMSettings

OPENAI = "https://api.openai.com/v1"
_PATH = "/chat/completions"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An address without anything secret, and apart from it, in no repr, what is sent along.

    ``login`` is ``user:password`` for a server behind basic authentication, ``query`` what the address carried.
    """

    address: str
    key: str = field(default="", repr=False)
    login: str = field(default="", repr=False)
    query: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def authorization(self) -> str:
        """The header of that name; empty where nothing is known to put into it."""
        if self.login:
            return "Basic " + base64.b64encode(self.login.encode()).decode()
        return f"Bearer {self.key}" if self.key else ""

    def secrets(self) -> list[str]:
        """Everything that must be shown nowhere."""
        header = self.authorization.partition(" ")[2]
        return [self.key, self.login, self.login.partition(":")[2], header, *self.query.values()]


def endpoint(settings: LLMSettings, environ: Mapping[str, str]) -> Endpoint:
    """The endpoint of the settings; where they name none, that of ``OPENAI_BASE_URL``, else OpenAI's own.

    ``OPENAI_API_KEY`` is looked at in that last case alone: a key goes only to where its owner meant it to go.
    Raises :class:`~arcgraph.errors.UsageError`, which repeats nothing of an address, for one that cannot be used.
    """
    url, key = settings.url.get_secret_value().strip(), settings.key.get_secret_value()
    if not url:
        url = environ.get("OPENAI_BASE_URL", "").strip() or OPENAI
        key = key or environ.get("OPENAI_API_KEY", "")
    return _split(url, _checked(key.strip()))


def _checked(key: str) -> str:
    if not (key.isascii() and key.isprintable() and " " not in key):
        raise UsageError("the model's key (ARCGRAPH_LLM_KEY) holds a space or a character that no key can have")
    return key


def _split(url: str, key: str) -> Endpoint:
    try:
        parts = urlsplit(url)
        _ = parts.port  # read once: it is checked only then
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError(
            "the model's address (ARCGRAPH_LLM_URL) cannot be used: write it like http://localhost:8000/v1, "
            "with the characters / : @ ? # of a user or password percent-encoded"
        )
    host = parts.netloc.rpartition("@")[2]
    login = f"{unquote(parts.username or '')}:{unquote(parts.password or '')}" if "@" in parts.netloc else ""
    if login and key:
        raise UsageError("the model's address (ARCGRAPH_LLM_URL) carries a login, and there is a key: give one of them")
    path = parts.path.rstrip("/").removesuffix(_PATH)
    return Endpoint(f"{parts.scheme}://{host}{path}", key, login, dict(parse_qsl(parts.query)))
