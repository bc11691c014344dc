"""Everything that the documents say of something they name."""
