"""Ask any property graph a question, and get an answer with the edges, passages and Cypher it rests on."""

__version__ = "0.1.0"
