"""Storage of documents, chunks and vectors: the port and its adapters."""
