"""The shapes that leave the house, each one pydantic model: what the shell, the service, MCP and the page say and read."""
