"""What a question asks: rewritten, planned, split, expanded and dated before anything is searched."""
