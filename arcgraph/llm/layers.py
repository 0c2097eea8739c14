"""The order in which wrappers stand around a model."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from arcgraph.llm.base import LLM
from arcgraph.llm.cache import Cached
from arcgraph.llm.limit import Limited
from arcgraph.llm.repair import Repaired
from arcgraph.llm.retry import Retried
from arcgraph.llm.stages import Staged, profiles
from arcgraph.llm.traced import Traced
from arcgraph.llm.usage import Meter, Metered
from arcgraph.settings import LLMSettings
from arcgraph.tracing import Trace


def shared(model: LLM, settings: LLMSettings, cache: Path) -> LLM:
    """A model with what all questions share: the stages' profiles, a cache under ``cache``, retries, a limit.

    The limit is innermost, so that a call that pauses before it is sent again keeps nobody waiting; the cache is
    around both, so that what is known waits for nothing.
    """
    llm: LLM = Retried(Limited(model, settings.concurrency), settings.attempts)
    if settings.cache_entries:
        llm = Cached(llm, cache / "llm", settings.cache_entries)
    return Staged(llm, profiles(settings.stages), stretch=settings.stretch)


class Observed(NamedTuple):
    """A model for one question, and what it has cost."""

    llm: LLM
    meter: Meter


def observed(llm: LLM, trace: Trace, *, repairs: int = 1) -> Observed:
    """A shared model for one question: its calls are noted in ``trace`` and counted, repairs like any other call."""
    meter = Meter()
    return Observed(Repaired(Traced(Metered(llm, meter), trace), repairs), meter)
