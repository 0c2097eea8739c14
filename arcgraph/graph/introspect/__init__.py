"""Reads what a graph contains, with bounded work and without procedures that a server may lack.

``read_schema`` is what back ends call; ``introspect`` reads always, ``fingerprint`` tells cheaply whether to.
"""

from __future__ import annotations

from arcgraph.graph.introspect.archive import schema_from_dict, schema_to_dict, to_structured
from arcgraph.graph.introspect.probe import Budget
from arcgraph.graph.introspect.read import fingerprint, introspect, read_schema

__all__ = ["Budget", "fingerprint", "introspect", "read_schema", "schema_from_dict", "schema_to_dict", "to_structured"]
