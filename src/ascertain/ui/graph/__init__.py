"""The page of the knowledge graph."""
