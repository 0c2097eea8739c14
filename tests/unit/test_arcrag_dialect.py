"""SQL in a model's Cypher: what is put right, and what is left for the gate to refuse."""

from __future__ import annotations

import pytest

from arcgraph.arcrag.dialect import ungrouped


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("MATCH (s) RETURN s.flag, count(*) AS n\nGROUP BY s.flag", "MATCH (s) RETURN s.flag, count(*) AS n"),
        ("MATCH (s) RETURN s.a AS f, sum(s.x) group by f ORDER BY f", "MATCH (s) RETURN s.a AS f, sum(s.x) ORDER BY f"),
        ("MATCH (s) RETURN s.a AS f, count(*) GROUP BY s.a LIMIT 2", "MATCH (s) RETURN s.a AS f, count(*) LIMIT 2"),
        (
            "MATCH (s) WITH coalesce(s.a, [1, 2]) AS a, s.b, count(*) AS n GROUP BY coalesce(s.a, [1,2]), s.b RETURN n",
            "MATCH (s) WITH coalesce(s.a, [1, 2]) AS a, s.b, count(*) AS n RETURN n",
        ),
    ],
)  # fmt: skip
def test_groups_that_are_columns_are_left_out(written: str, meant: str) -> None:
    assert ungrouped(written) == meant


@pytest.mark.parametrize(
    "query",
    [
        "MATCH (s) RETURN count(*) GROUP BY s.flag",
        "MATCH (s) RETURN s.flag, count(*) GROUP BY s.flag, s.port",
        "MATCH (s) RETURN s.flag, count(*) GROUP BY s.flag HAVING count(*) > 1",
        "MATCH (s) RETURN s.flag, count(*) GROUP BY",
        "MATCH (s) WHERE s.name = 'GROUP BY s.name' RETURN s.name",
        "MATCH (s) RETURN s.group AS group",
        "MATCH (s) RETURN 'not closed GROUP BY s",
        "GROUP BY s",
        "",
    ],
)
def test_all_else_stays_as_it_is(query: str) -> None:
    assert ungrouped(query) == query
