"""Material from the web: one guarded client, and what it brings: pages, feeds, papers of arXiv."""
