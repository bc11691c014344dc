"""The shapes that leave the house, one pydantic model each: what the shell, the service, MCP and the page say."""
