"""Questions, conversations, analyses and research."""
