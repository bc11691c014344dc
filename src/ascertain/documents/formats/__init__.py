"""File formats: one reader each, from bytes to a document's text."""
