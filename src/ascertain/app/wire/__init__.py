"""The shapes of the JSON, one pydantic model each: for the shell, the service, MCP and the page."""
