"""Asking: a question on its way through the workflow, and what is kept of its answer."""
