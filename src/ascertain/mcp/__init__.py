"""Ascertain for programs that speak the Model Context Protocol: tools to search, ask, add and list; extra ``mcp``."""

from importlib.util import find_spec

from ascertain.core.errors import MissingExtra


def check_mcp_sdk() -> None:
    """Raise MissingExtra without the MCP SDK (extra ``mcp``)."""
    if find_spec("mcp") is None:
        raise MissingExtra("the MCP server", "mcp")
