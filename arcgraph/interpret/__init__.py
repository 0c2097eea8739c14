"""From a question to ranked, executable patterns of a graph that was never seen before, without a model."""
