"""How a test of the contract suite declares what one engine lacks: an expected failure there, with the reason.

An expected failure that starts to pass fails the suite, so that no declaration outlives its reason.
"""

from __future__ import annotations

import pytest


def notimpl(engine: str, reason: str) -> pytest.MarkDecorator:
    """``engine`` could do it, and arcgraph has not written it."""
    return _difference(engine, "not implemented", reason)


def notyet(engine: str, reason: str) -> pytest.MarkDecorator:
    """``engine`` itself has to learn it first."""
    return _difference(engine, "not yet in the engine", reason)


def never(engine: str, reason: str) -> pytest.MarkDecorator:
    """``engine`` will not do it."""
    return _difference(engine, "never", reason)


def _difference(engine: str, word: str, reason: str) -> pytest.MarkDecorator:
    return pytest.mark.engine_difference(engine, f"{word}: {reason}")


def apply_differences(item: pytest.Item) -> None:
    """Turn the declarations of one collected test into expected failures on the engine it runs on."""
    callspec = getattr(item, "callspec", None)
    engine = callspec.params.get("graph") if callspec else None
    for mark in item.iter_markers("engine_difference"):
        if mark.args[0] == engine:
            item.add_marker(pytest.mark.xfail(reason=mark.args[1], strict=True))
