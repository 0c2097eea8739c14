"""Work that is given up when its time is over."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


class Outlasted(Exception):
    """The work was not done in time; it goes on unheard."""


def within(seconds: float, work: Callable[[], T]) -> T:
    """What ``work`` returns or raises, if it does so in ``seconds``; else ``Outlasted``.

    The timeouts of HTTP libraries count from one byte to the next, so a server that sends one now and then, or a name
    that is never resolved, would hold the caller for ever. What is given up ends in its own thread.
    """
    done = threading.Event()
    results: list[T] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(work())
        except BaseException as error:
            errors.append(error)
        finally:
            done.set()

    threading.Thread(target=run, name="arcgraph-llm", daemon=True).start()
    if not done.wait(seconds):
        raise Outlasted
    if errors:
        raise errors[0]
    return results[0]
