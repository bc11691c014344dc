"""Golden sets: their questions, and proposals of such."""
