"""Whether the SDK is there; the other modules here import it."""

from __future__ import annotations

from importlib.util import find_spec

from ascertain.core.errors import MissingExtra


def check_installed() -> None:
    """Raise MissingExtra without the MCP SDK (extra ``mcp``)."""
    if find_spec("mcp") is None:
        raise MissingExtra("the MCP server", "mcp")
