"""What the nouns know about themselves."""

import pytest

from arcgraph.domain import Edge, RelationHome, Schema


@pytest.mark.parametrize(
    ("edge", "meaning"),
    [
        (Edge("1", "LINK", "a", "b", {"says": "borders"}), "borders"),
        (Edge("2", "LINK", "a", "b", {}), "LINK"),
        (Edge("3", "CITES", "a", "b", {"says": "page 7"}), "CITES"),
    ],
)
def test_a_predicate_in_a_property_speaks_for_edges_of_its_own_type_only(edge: Edge, meaning: str) -> None:
    assert Schema({}, {}, (), RelationHome("property", "LINK", "says")).meaning(edge) == meaning


def test_without_such_a_property_the_type_speaks() -> None:
    assert Schema({}, {}, ()).meaning(Edge("1", "LINK", "a", "b", {"says": "borders"})) == "LINK"
