"""The knowledge graph as people look at it, change it and write it out."""
