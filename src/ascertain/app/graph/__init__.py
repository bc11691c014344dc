"""The knowledge graph for people: viewed, edited and exported."""
