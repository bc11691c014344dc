"""Searching by words: Tantivy, derived from the record."""
