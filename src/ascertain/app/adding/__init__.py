"""Adding: files, addresses and uploads on their way into the knowledge base."""
