"""Searching by meaning: FAISS, derived from the record."""
