"""Public benchmarks by name: downloaded once, and written in the form of our own sets."""
