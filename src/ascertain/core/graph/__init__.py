"""The knowledge graph: its nouns, and what is told of it."""
