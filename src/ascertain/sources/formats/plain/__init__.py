"""Plain text as a tree: what stands on its lines is told by how they lie, never by what they say."""
