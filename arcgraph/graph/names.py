"""Names at the border of the embedded engine, and quoting.

The engine answers some keys whether they were stored or not: ``id``, ``title``, ``type``, ``name``, ``label`` and
``node_type`` on every node, and where a relationship begins and ends, its type and ``id`` on that. So these keys are
stored under a prefix, on nodes and relationships alike, and mapped back wherever a name leaves the engine. A key that
already begins with the prefix gets it once more, so that the mapping can always be undone.
"""

from __future__ import annotations

PREFIX = "_arc_"
INVENTED = frozenset(
    ("id", "title", "type", "name", "label", "node_type", "start", "end", "start_id", "end_id", "connection_type")
)


def stored_key(key: str) -> str:
    """The key under which the embedded engine stores a loaded key."""
    return PREFIX + key if key in INVENTED or key.startswith(PREFIX) else key


def loaded_key(key: str) -> str:
    """The loaded key behind a stored one."""
    return key[len(PREFIX) :] if key.startswith(PREFIX) else key


def quote(name: str) -> str:
    """A label, type, property key or variable as Cypher takes it, whatever characters it holds.

    Neo4j replaces ``\\uXXXX`` before it looks for backticks, so that ``\\u0060`` in a name would end the quotes
    and what follows would be read as Cypher. The backslash is therefore written as an escape itself. Engines that read
    no escapes in names are sent :func:`~arcgraph.graph.escapes.literal_names`.
    """
    return quote_literally(name.replace("\\", r"\u005c") if r"\u" in name else name)


def quote_literally(name: str) -> str:
    """A name for an engine that reads no escapes between backticks."""
    return "`" + name.replace("`", "``") + "`"
