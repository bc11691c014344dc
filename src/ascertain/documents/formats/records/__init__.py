"""Tables and records: CSV, JSON, and what their rows have in common with those of sheets."""
