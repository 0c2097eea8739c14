"""Ask any property graph a question, and get an answer with the edges, passages and Cypher it rests on."""

from arcgraph.agent import Agent
from arcgraph.answer.result import Answer, Status
from arcgraph.build import connect
from arcgraph.settings import Settings

__version__ = "0.1.0"

__all__ = ["Agent", "Answer", "Settings", "Status", "__version__", "connect"]
