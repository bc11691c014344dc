"""Vectors of sentences: computed once, compared on one scale."""
