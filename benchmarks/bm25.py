"""BM25: rank-bm25 against the sparse matrix that large corpora take. Equal numbers? How much faster?

    python benchmarks/bm25.py --sizes 1000,10000,100000 --queries 20

Texts are made up of words drawn by Zipf's law, a few words each, as names are. Building is timed from token lists.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from arcgraph.search.lexical import OkapiBM25, SparseBM25

Made = TypeVar("Made")


def corpus(size: int, rng: np.random.Generator) -> list[list[str]]:
    """Texts of two to eight words."""
    lengths = rng.integers(2, 9, size)
    words = [f"w{n}" for n in rng.zipf(1.3, int(lengths.sum())) % 50_000]
    ends = np.cumsum(lengths)
    return [words[end - length : end] for end, length in zip(ends, lengths, strict=True)]


def timed(work: Callable[[], Made]) -> tuple[Made, float]:
    """The result and the seconds it took."""
    started = time.perf_counter()
    made = work()
    return made, time.perf_counter() - started


def largest_difference(library: OkapiBM25, sparse: SparseBM25, queries: list[list[str]]) -> float:
    """Over all scores, relative to the larger of score and one; infinite where different texts are found."""
    worst = 0.0
    for query in queries:
        a, b = library.scored(query), sparse.scored(query)
        if a.ids.tolist() != b.ids.tolist():
            return float("inf")
        if len(a.ids):
            worst = max(worst, float(np.max(np.abs(a.scores - b.scores) / np.maximum(1.0, np.abs(a.scores)))))
    return worst


def measure(size: int, queries: int, seed: int) -> dict[str, Any]:
    """One row of the table."""
    rng = np.random.default_rng(seed)
    documents = corpus(size, rng)
    asked = [documents[i] + ["unknown"] for i in rng.integers(0, size, queries)]
    library, library_build = timed(lambda: OkapiBM25(documents))
    sparse, sparse_build = timed(lambda: SparseBM25.of(documents))
    library_search = statistics.median(timed(lambda q=q: library.rank(q, 30))[1] for q in asked)
    sparse_search = statistics.median(timed(lambda q=q: sparse.rank(q, 30))[1] for q in asked)
    return {
        "texts": size,
        "library_build_s": library_build,
        "sparse_build_s": sparse_build,
        "library_search_ms": library_search * 1e3,
        "sparse_search_ms": sparse_search * 1e3,
        "build_ratio": library_build / sparse_build,
        "search_ratio": library_search / sparse_search,
        "largest_difference": largest_difference(library, sparse, asked),
    }


def main() -> int:
    """Print one row a size; 1 where the numbers differ."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="1000,10000,100000", help="numbers of texts, with commas")
    parser.add_argument("--queries", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    rows = [measure(int(size), options.queries, options.seed) for size in options.sizes.split(",")]
    if options.json:
        print(json.dumps(rows, indent=2))
    else:
        print(f"{'texts':>9} {'build s':>17} {'search ms (p50)':>17} {'ratios':>15} {'difference':>11}")
        for row in rows:
            print(
                f"{row['texts']:>9,} {row['library_build_s']:>8.2f} {row['sparse_build_s']:>8.2f} "
                f"{row['library_search_ms']:>8.2f} {row['sparse_search_ms']:>8.3f} "
                f"{row['build_ratio']:>6.1f}x {row['search_ratio']:>6.0f}x {row['largest_difference']:>11.1e}"
            )
    return int(any(row["largest_difference"] > 1e-9 for row in rows))


if __name__ == "__main__":
    sys.exit(main())
