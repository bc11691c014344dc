"""Chunking: how documents of each kind are cut."""

from ascertain.ingest.chunking.chunks import chunk_document

__all__ = ["chunk_document"]
