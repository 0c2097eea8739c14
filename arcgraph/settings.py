"""Settings: small frozen parts, merged in one place. Every field is also an environment variable.

``ARCGRAPH_SEARCH_EMBEDDER`` sets ``Settings().search.embedder``, and so on: ``ARCGRAPH_<PART>_<FIELD>``; lists are
comma-separated. Explicit values win over the environment, the environment over the defaults.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, field_validator

from arcgraph.errors import UsageError


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


def default_cache_dir() -> Path:
    """Where indexes and schemas are kept unless ``ARCGRAPH_CACHE_DIR`` says otherwise."""
    if sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    elif os.name == "nt":
        base = Path(os.environ.get("LOCALAPPDATA", Path.home()))
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "arcgraph"


class CacheSettings(_Part):
    """Where derived data lives on disk."""

    dir: Path = Field(default_factory=default_cache_dir)


class GraphSettings(_Part):
    """Limits of a single query, in seconds. ``max_value_items`` is where lists and texts count as bulky."""

    timeout: float = Field(default=10.0, gt=0)
    max_value_items: int = Field(default=1_000, gt=0)
    allow_procedures: tuple[str, ...] = ()
    allow_functions: tuple[str, ...] = ()


class SearchSettings(_Part):
    """The text index. ``embedder`` is ``auto``, ``none``, ``static``, ``local`` or ``served``.

    ``store`` is where passages and triples are searched: ``local``, or ``qdrant``, a server at ``store_url`` or without
    one a folder in the cache. An address may carry a key, so it is hidden like one.

    A served endpoint is used only where ``embedder="served"`` and ``embedder_url`` say so: a key that happens to be in
    the environment never sends a graph's text anywhere. Fusion constants are those of ArcRAG's appendix B.
    """

    embedder: str = Field(default="auto", pattern="^(auto|none|static|local|served)$")
    embedder_model: str = ""
    embedder_url: str = ""
    embedder_key: SecretStr = SecretStr("")
    include_labels: tuple[str, ...] = ()
    exclude_labels: tuple[str, ...] = ()
    include_properties: tuple[str, ...] = ()
    exclude_properties: tuple[str, ...] = ()
    max_entries: int = Field(default=5_000_000, gt=0)
    max_passage_bytes: int = Field(default=1_000_000_000, gt=0)
    max_triples: int = Field(default=250_000, ge=0)
    max_values: int = Field(default=1_000_000, gt=0)
    max_values_per_property: int = Field(default=50_000, gt=0)
    rrf_k: int = Field(default=60, gt=0)
    dense_weight: float = Field(default=2.0, ge=0)
    sparse_weight: float = Field(default=1.0, ge=0)
    prefetch: int = Field(default=30, gt=0)
    store: str = Field(default="local", pattern="^(local|qdrant)$")
    store_url: SecretStr = SecretStr("")
    store_key: SecretStr = SecretStr("")


class LLMSettings(_Part):
    """Language models. None is used unless ``model`` names one; a key in the environment never switches one on.

    An address may carry a key, so it is hidden like one. ``stages`` changes how single stages sample, ``extra`` is a
    JSON object that goes into every request, ``stretch`` multiplies every timeout of a model.
    """

    model: str = ""
    url: SecretStr = SecretStr("")
    key: SecretStr = SecretStr("")
    stages: tuple[str, ...] = ()
    extra: str = ""
    stretch: float = Field(default=1.0, gt=0)
    attempts: int = Field(default=5, ge=1, le=20)
    repairs: int = Field(default=1, ge=0, le=5)
    concurrency: int = Field(default=4, ge=1)
    cache_entries: int = Field(default=10_000, ge=0)

    @field_validator("extra")
    @classmethod
    def _is_object(cls, text: str) -> str:
        if text and not isinstance(_parsed(text), dict):
            raise ValueError('must be a JSON object, for example {"reasoning_effort": "low"}')
        return text


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


class AskSettings(_Part):
    """How far and how long a question may reach: hops, patterns executed, rows kept, characters, seconds.

    ``looking`` is for exploring a graph around a question and once more for gathering evidence, ``deadline`` for all.
    """

    max_hops: int = Field(default=3, ge=1, le=6)
    max_patterns: int = Field(default=2_000, gt=0)
    max_executed: int = Field(default=12, gt=0)
    max_rows: int = Field(default=1_000, gt=0)
    max_question: int = Field(default=4_000, gt=0)
    looking: float = Field(default=15.0, gt=0)
    deadline: float = Field(default=60.0, gt=0)


class ArcragSettings(_Part):
    """Budgets of the loop that asks a model, those of ArcRAG's appendix B where it has one. Times in seconds.

    ``sure`` is the confidence from which the offline reading is not put to a choice, ``trust`` how much a model's
    choice weighs beside the offline ranking, as a factor of likelihood in logarithms. ``deadline`` is for a whole
    question and stretched like a model's timeouts.
    """

    passes: int = Field(default=6, ge=1, le=20)
    attempts: int = Field(default=5, ge=1, le=20)
    extra_attempts: int = Field(default=2, ge=0, le=20)
    subplans: int = Field(default=4, ge=0, le=8)
    explore: bool = True
    looks: int = Field(default=6, ge=1, le=20)
    retrieved: int = Field(default=10, ge=1, le=100)
    options: int = Field(default=8, ge=0, le=40)
    sure: float = Field(default=0.75, ge=0)
    trust: float = Field(default=3.0, ge=0)
    evidence_tokens: int = Field(default=6_000, gt=0)
    schema_tokens: int = Field(default=1_500, gt=0)
    look_timeout: float = Field(default=5.0, gt=0)
    query_timeout: float = Field(default=10.0, gt=0)
    deadline: float = Field(default=600.0, gt=0)


class Settings(_Part):
    """Everything that can be set, in parts."""

    cache: CacheSettings = CacheSettings()
    graph: GraphSettings = GraphSettings()
    search: SearchSettings = SearchSettings()
    llm: LLMSettings = LLMSettings()
    ask: AskSettings = AskSettings()
    arcrag: ArcragSettings = ArcragSettings()

    @classmethod
    def load(cls, environ: Mapping[str, str] | None = None, **parts: Mapping[str, Any]) -> Settings:
        """Defaults, then the environment, then ``parts`` such as ``search={"embedder": "none"}``.

        Raises :class:`~arcgraph.errors.UsageError` naming every setting that cannot be used.
        """
        environ = os.environ if environ is None else environ
        merged: dict[str, dict[str, Any]] = {}
        for part, info in cls.model_fields.items():
            model = info.annotation
            assert isinstance(model, type)
            assert issubclass(model, BaseModel)
            values: dict[str, Any] = {}
            for name, field in model.model_fields.items():
                raw = environ.get(f"ARCGRAPH_{part}_{name}".upper())
                if raw is not None:
                    is_list = "tuple" in str(field.annotation)
                    values[name] = tuple(x.strip() for x in raw.split(",") if x.strip()) if is_list else raw
            values.update(parts.get(part, {}))
            if values:
                merged[part] = values
        unknown = set(parts) - set(cls.model_fields)
        if unknown:
            raise UsageError(f"unknown settings: {', '.join(sorted(unknown))}; there are {', '.join(cls.model_fields)}")
        try:
            return cls.model_validate(merged)
        except ValidationError as error:
            faults = "; ".join(
                f"{'.'.join(map(str, e['loc']))} (ARCGRAPH_{'_'.join(map(str, e['loc'])).upper()}): {e['msg']}"
                for e in error.errors(include_input=False)
            )
            raise UsageError(f"settings that cannot be used: {faults}") from None
