"""Results of a tool: text for a model with the same as data, or an error message for it."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import CallToolResult, TextContent

from ascertain.core.errors import AscertainError
from ascertain.wire.shape import Shape


@contextmanager
def tell_errors() -> Generator[None]:
    """Errors with messages for the caller become the tool's; for all others the caller only learns that there
    was one.
    """
    try:
        yield
    except AscertainError as error:
        raise ToolError(str(error)) from error


def make_result(text: str, shape: Shape) -> CallToolResult:
    """The text, and the shape as structured content."""
    return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=shape.to_json())
