"""Rerankers: models that read a question and a passage together."""
