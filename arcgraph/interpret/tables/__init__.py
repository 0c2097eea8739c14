"""Reads questions about values: filters, projections, counts, groups and orders over a small connected pattern."""
