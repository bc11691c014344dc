"""Measures of rankings, answers and confidence, and how far they can be trusted."""
