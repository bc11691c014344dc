"""Where documents, chunks and vectors are kept: the port and its adapters."""
