"""The ask workflow: it judges its own retrieval and its own answer, and changes course."""
