"""The shapes that leave the house: what the command line, the service, MCP and the page say and read, each
one pydantic model.
"""
