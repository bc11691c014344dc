"""Asking: a question on its way through the workflow, and what is stored of its answer."""
