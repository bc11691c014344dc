"""Answers checked: each claim against what it cites, and the whole against the question."""
