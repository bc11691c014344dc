"""Ingest: documents are chunked, embedded and written; changed, removed and repeated ones are noticed."""
