"""The knowledge graph: its nouns, and its results."""
