"""Ascertain for programs that speak the Model Context Protocol: tools to search, ask, add and list; extra ``mcp``."""

from importlib.util import find_spec

from ascertain.core.errors import MissingExtra


def check_mcp_sdk() -> None:
    """Raise MissingExtra without the MCP SDK (extra ``mcp``)."""
    found = find_spec("mcp")
    # without an origin it is a folder of that name where the command was called
    if found is None or found.origin is None:
        raise MissingExtra("the MCP server", "mcp")
