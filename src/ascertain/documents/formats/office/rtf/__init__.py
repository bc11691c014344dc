"""RTF (Rich Text Format Specification 1.9.1)."""
