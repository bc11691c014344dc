"""The nouns of the system. Standard library and pydantic only."""
