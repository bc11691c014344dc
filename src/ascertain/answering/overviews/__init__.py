"""Answers over many documents: digests, themes, reports of entities."""
