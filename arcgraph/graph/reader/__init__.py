"""The parts of the reader of Cypher, each a class above the one before; :mod:`arcgraph.graph.clauses` is the whole."""
