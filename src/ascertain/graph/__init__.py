"""The knowledge graph: read from chunks, resolved into entities, walked and summarised."""
