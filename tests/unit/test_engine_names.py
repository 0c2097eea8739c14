"""Labels and types that the embedded engine would misread."""

from __future__ import annotations

import pytest

from arcgraph.graph.engine_names import NAME_MARK, loaded_name, store_names, stored_name

M = NAME_MARK


@pytest.mark.parametrize("name", ["人物", "a:b", "tool set", "9lives", "", "Plain_1", "ends ", "x" + M])
def test_every_name_comes_back(name: str) -> None:
    assert loaded_name(stored_name(name)) == name


def test_plain_names_stay() -> None:
    assert stored_name("Plain_1") == "Plain_1"
    assert stored_name("a-b") == "a-b" + M


@pytest.mark.parametrize(
    ("query", "stored"),
    [
        (
            "MATCH (a:`人物`)-[r:`导演`|`b c`]->(b) RETURN a",
            f"MATCH (a:`人物{M}`)-[r:`导演{M}`|`b c{M}`]->(b) RETURN a",
        ),
        ("MATCH (a:人物) RETURN a", f"MATCH (a:`人物{M}`) RETURN a"),
        ("MATCH (a:A:`b c`) RETURN a.`d e` AS `f g`", f"MATCH (a:A:`b c{M}`) RETURN a.`d e` AS `f g`"),
        (
            "MATCH (a) WHERE EXISTS { (a)-[:`é`]->() } RETURN 1",
            f"MATCH (a) WHERE EXISTS {{ (a)-[:`é{M}`]->() }} RETURN 1",
        ),
        ("MATCH (a) WHERE a:`é` RETURN {k: `é`}", f"MATCH (a) WHERE a:`é{M}` RETURN {{k: `é`}}"),
        ("MATCH (a {`é`: 1}) RETURN ':`é`'", "MATCH (a {`é`: 1}) RETURN ':`é`'"),
        (
            "MATCH (a) CALL (a) { MATCH (a:`é`) RETURN 1 AS x } RETURN x",
            f"MATCH (a) CALL (a) {{ MATCH (a:`é{M}`) RETURN 1 AS x }} RETURN x",
        ),
        ("MERGE (n) SET n:`é`, n.k = 1", f"MERGE (n) SET n:`é{M}`, n.k = 1"),
        ("RETURN 'é", "RETURN 'é"),
        (
            r"MATCH (a:`\u005cu0060`) RETURN a.`k\u005cu0041` AS x, $`\u005cu`, '\u0041'",
            rf"MATCH (a:`\u0060{M}`) RETURN a.`k\u0041` AS x, $`\u`, '\u0041'",
        ),
        ("MATCH (a:Plain) RETURN a", "MATCH (a:Plain) RETURN a"),
    ],
)
def test_only_labels_and_types_are_marked(query: str, stored: str) -> None:
    assert store_names(query) == stored
