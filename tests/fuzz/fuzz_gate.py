"""A harness for atheris: any bytes through lexer, gate and rewriting; stops at the first exception.

Runs where atheris installs (``pip install atheris``): ``python tests/fuzz/fuzz_gate.py -max_total_time=60``. Without it
the same function is run on what is read from standard input, so that a finding can be repeated anywhere.
"""

from __future__ import annotations

import sys
from typing import Any


def judge(data: bytes) -> None:
    """Raises whatever is raised, and ``AssertionError`` where a verdict makes no sense."""
    from arcgraph.errors import Refused
    from arcgraph.graph.guard import check
    from arcgraph.graph.lexer import lex
    from arcgraph.graph.rewrite import to_embedded

    lex(data)
    query = data.decode("utf-8", errors="replace")
    verdict = check(query)
    assert all(0 <= reason.offset <= len(query) for reason in verdict.reasons)
    if verdict.accepted:
        try:
            to_embedded(query)
        except Refused as refused:
            if not refused.verdict.reasons:
                raise RuntimeError("refused without a reason") from refused


def main() -> None:
    """Fuzz, or judge standard input once."""
    try:
        import atheris
    except ImportError:
        judge(sys.stdin.buffer.read())
        return
    fuzzer: Any = atheris
    with fuzzer.instrument_imports(include=["arcgraph"]):
        import arcgraph.graph.guard
        import arcgraph.graph.rewrite  # noqa: F401  # instrumented here, used by judge
    fuzzer.Setup(sys.argv, judge)
    fuzzer.Fuzz()


if __name__ == "__main__":
    main()
