"""The knowledge bases of a server as the caller of a tool may see them: one, or several by name.

Where there are several, every tool takes one more argument that names one. Without it `ask` and `search` look in all, and what names a
document finds it in any.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from mcp.server.context import ServerRequestContext
from mcp.server.mcpserver import Context
from mcp.types import Tool

from ascertain.app.ascertain import Ascertain
from ascertain.core.errors import UsageError

ARGUMENT = "knowledge_base"
SEEN = "ascertain_seen"
"""In the state of a request: the knowledge base as its caller may see it."""
_IN_ALL = frozenset({"ask", "search"})
_chosen: ContextVar[str | None] = ContextVar("chosen_knowledge_base", default=None)


def find_seen(request_context: ServerRequestContext[Any, Any]) -> Ascertain | None:
    """The knowledge base as the caller may see it; None where it starts the server itself."""
    return getattr(getattr(request_context.request, "state", None), SEEN, None)


class Bases:
    """``named`` are open; one alone has an empty name."""

    def __init__(self, named: Mapping[str, Ascertain]) -> None:
        self._named = named

    @property
    def names(self) -> list[str]:
        """Of several; none where there is one."""
        return [name for name in self._named if name]

    def list_all(self, request_context: ServerRequestContext[Any, Any]) -> Mapping[str, Ascertain]:
        """All by their names."""
        seen = find_seen(request_context)
        return {"": seen} if seen is not None else self._named

    def list_chosen(self, context: Context[Any, Any]) -> Mapping[str, Ascertain]:
        """The one that the call names, or all."""
        chosen = _chosen.get()
        return {chosen: self._named[chosen]} if chosen is not None else self.list_all(context.request_context)

    def find_one(self, context: Context[Any, Any]) -> Ascertain:
        """The only one, or the one that the call names. Raises UsageError where it names none of several."""
        found = self.list_chosen(context)
        if len(found) > 1:
            raise UsageError(f"{ARGUMENT} is missing; it is one of {', '.join(found)}")
        return next(iter(found.values()))

    def find_holder(self, context: Context[Any, Any], document_id: str) -> Ascertain:
        """The first that has the document; the last where none has it."""
        *others, last = self.list_chosen(context).values()
        return next((base for base in others if base.exists and base.document(document_id)), last)

    @contextmanager
    def choose(self, arguments: dict[str, Any]) -> Generator[dict[str, Any]]:
        """The arguments of a call without the name of a knowledge base, which is the chosen one meanwhile. Raises UsageError for another."""
        given = dict(arguments)
        name = given.pop(ARGUMENT, None) if self.names else None
        if name is not None and name not in self._named:
            raise UsageError(f"{ARGUMENT} must be one of {', '.join(self.names)}")
        token = _chosen.set(name)
        try:
            yield given
        finally:
            _chosen.reset(token)

    def describe(self, tool: Tool) -> Tool:
        """The tool with the argument, where there are several."""
        if not self.names:
            return tool
        schema = tool.input_schema
        known = schema.get("properties", {})
        is_needed = tool.name not in _IN_ALL and "document_id" not in known
        about = {"type": "string", "enum": self.names, "description": "Which knowledge base."}
        if tool.name in _IN_ALL:
            about["description"] = "Only in this knowledge base; without it in all."
        needed = [*schema.get("required", []), *([ARGUMENT] if is_needed else [])]
        changed = {**schema, "properties": {**known, ARGUMENT: about}, "required": needed}
        return tool.model_copy(update={"input_schema": changed})
