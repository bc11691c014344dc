"""Workflows: which step comes next, and why."""
