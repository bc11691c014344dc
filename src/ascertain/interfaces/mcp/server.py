"""The MCP server over one knowledge base: a process that an agent starts (stdio), or an address (streamable HTTP)."""

import asyncio
import threading
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import uvicorn
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.transport_security import DEFAULT_MAX_REQUEST_BODY_SIZE, TransportSecuritySettings
from mcp.types import CallToolResult, InputRequiredResult, Tool
from pydantic import ValidationError
from pydantic_core import ErrorDetails
from starlette.datastructures import Headers
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from ascertain import __version__
from ascertain.app.access.api_keys import Openness, authenticate_key, check_reach
from ascertain.app.access.connections import (
    ROOM_SECONDS,
    BodyLimit,
    PageCheck,
    RequestLimit,
    check_certificate,
    read_address,
    serving_config,
    warn_unencrypted,
)
from ascertain.app.access.viewers import Viewer
from ascertain.app.ascertain import Ascertain
from ascertain.app.asking.rendering import AGENT_RULES
from ascertain.app.health import warm_up
from ascertain.core.service.service import ApiKey, Role
from ascertain.interfaces.mcp.bases import ARGUMENT, SEEN, Bases, find_seen
from ascertain.interfaces.mcp.prompts import add_prompts
from ascertain.interfaces.mcp.reading import DocumentList, ReadingTools
from ascertain.interfaces.mcp.results import tell_errors
from ascertain.interfaces.mcp.tools import Reach, Tools

ROLES = {"add": Role.WRITE}
"""The role that a tool needs, beyond reading."""

MINUTE = 60.0


class KeyCheck:
    """Passes requests with a valid key (``Authorization: Bearer`` or ``X-API-Key``), and all of them while the server is open; every request
    with a key counts against its limit.
    """

    def __init__(self, app: ASGIApp, knowledge: Ascertain, is_open: Openness) -> None:
        self._app = app
        self._knowledge = knowledge
        self._is_open = is_open

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """As ASGI says."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers, address = Headers(scope=scope), read_address(scope)
        kind, _, text = headers.get("authorization", "").partition(" ")
        if kind.lower() != "bearer":
            text = headers.get("x-api-key", "")
        if text:
            warn_unencrypted(scope, headers)
        key, wait = await asyncio.to_thread(self._admit_key, text.strip(), address)
        if key is None and not await asyncio.to_thread(self._is_open):
            problem = "send a valid key: Authorization: Bearer KEY"
            await _make_refusal(401, problem, {"WWW-Authenticate": "Bearer"})(scope, receive, send)
        elif wait:
            problem = "the key's requests a minute are used up"
            await _make_refusal(429, problem, {"Retry-After": str(int(wait) + 1)})(scope, receive, send)
        else:
            seen = self._knowledge.as_tenant(key.tenant, Viewer.of(key, address)) if key else self._knowledge
            scope.setdefault("state", {})[SEEN] = seen
            await self._app(scope, receive, send)

    def _admit_key(self, text: str, address: str) -> tuple[ApiKey | None, float]:
        service, now = self._knowledge.service, datetime.now(UTC)
        key = authenticate_key(service, text, now, address)
        if key is None or not key.requests_per_minute:
            return key, 0.0
        return key, service.rates.take(key.id, key.requests_per_minute, MINUTE, now)


def _make_refusal(status: int, detail: str, headers: Mapping[str, str] | None = None) -> ASGIApp:
    return JSONResponse({"error": detail}, status, headers)


PATH = "/mcp"
SESSION_HEADERS = ("Mcp-Session-Id", "Mcp-Protocol-Version")
INSTRUCTIONS = (
    "Answers questions from the user's own documents with citations of the exact words. Use `ask` for a question, `compute` for a figure "
    "over rows of tables, `analyze` for what all documents of a period say together, `search` for passages, `outline` and `read` to read "
    "a document in parts, `list_documents` to see what is there, `add` to read more in. A number in brackets behind a sentence is that of "
    "the block `n` with its source: keep it when you report the sentence. When an answer is a rejection, tell the user that the documents "
    f"do not say.\n\n{AGENT_RULES}"
)


class WarmUp:
    """Loads in the background what the first question needs, after the handshake: a client drops a server
    that does not answer it soon, and then does not call it for a while.
    """

    def __init__(self, named: Mapping[str, Ascertain]) -> None:
        self._thread = threading.Thread(
            target=lambda: [warm_up(each) for each in named.values()], name="warm-up", daemon=True
        )
        self._has_begun = False

    async def __call__(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        """See the SDK's middleware."""
        if ctx.method != "initialize" and not self._has_begun:
            self._has_begun = True
            self._thread.start()
        return await call_next(ctx)


class ToolServer(MCPServer[Any]):
    """Tells mistakes in the arguments of a tool in our words, and has a call name one of several knowledge bases."""

    def __init__(self, bases: Bases, **options: Any) -> None:
        super().__init__("ascertain", **options)
        self._bases = bases

    async def list_tools(self) -> list[Tool]:
        """As the SDK does."""
        return [self._bases.describe(tool) for tool in await super().list_tools()]

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """As the SDK does; raises ToolError."""
        # many clients send null for a missing argument
        arguments = {argument: value for argument, value in arguments.items() if value is not None}
        known = next((tool.input_schema["properties"] for tool in await self.list_tools() if tool.name == name), None)
        needed, viewer = ROLES.get(name, Role.READ), _find_viewer(context)
        if viewer is not None and not viewer.role.includes(needed):
            raise ToolError(f"this key may {viewer.role.value}; {name} needs one made with --role {needed.value}")
        unknown = sorted(arguments.keys() - known.keys()) if known is not None else []
        if known and unknown:
            raise ToolError(f"{unknown[0]} is not an argument of {name}; it takes {', '.join(known)}")
        try:
            with tell_errors(), self._bases.choose(arguments) as given:
                return await super().call_tool(name, given, context)
        except ToolError as error:
            if isinstance(error.__cause__, ValidationError):
                raise ToolError("; ".join(map(_describe_mistake, error.__cause__.errors()))) from error
            if isinstance(error.__cause__, ToolError):
                # the tool's own words, without what the SDK puts before them
                raise error.__cause__ from None
            raise


def _find_viewer(context: Context[Any, Any] | None) -> Viewer | None:
    seen = find_seen(context.request_context) if context is not None else None
    return seen.viewer if seen is not None else None


def _describe_mistake(mistake: ErrorDetails) -> str:
    """What is wrong with an argument; pydantic's own messages are for programmers."""
    place, bounds = mistake["loc"], mistake.get("ctx", {})
    name = str(place[0]) + "".join(f", item {part + 1}" if isinstance(part, int) else f".{part}" for part in place[1:])
    messages = {
        "missing": "is missing",
        "string_too_short": "is empty",
        "too_short": "is empty",
        "string_too_long": "has more than {max_length} characters",
        "too_long": "has more than {max_length} entries",
        "greater_than_equal": "must be {ge} or more",
        "less_than_equal": "must be {le} or less",
        "literal_error": "must be {expected}",
        "enum": "must be {expected}",
        "int_type": "must be a whole number",
        "int_parsing": "must be a whole number",
        "int_from_float": "must be a whole number",
        "string_type": "must be a text",
        "list_type": "must be a list",
        "tuple_type": "must be a list",
        "extra_forbidden": "is not known",
        "value_error": "cannot be so: {error}",
    }.get(mistake["type"])
    return f"{name} {messages.format(**bounds)}" if messages else f"{name}: {mistake['msg']}"


def build_server(named: Mapping[str, Ascertain], reach: Reach) -> ToolServer:
    """The server with its tools over the knowledge bases by name, or the one of an empty name; a caller with a key sees the documents of the
    key's tenant.
    """
    bases = Bases(named)
    server = ToolServer(
        bases,
        title="Ascertain",
        instructions=INSTRUCTIONS if not bases.names else f"{INSTRUCTIONS}\n\n{_tell_names(bases.names)}",
        version=__version__,
        log_level="WARNING",
        middleware=[WarmUp(named), DocumentList(bases)],
    )
    Tools(bases, reach).add_to(server)
    ReadingTools(bases).add_to(server)
    add_prompts(server)
    return server


def _tell_names(names: Sequence[str]) -> str:
    return (
        f"There are several knowledge bases: {', '.join(names)}. `ask` and `search` look in all of them and say where an answer or a passage is "
        f"from; `{ARGUMENT}` names one. The other tools work on the one that it names."
    )


def http_app(knowledge: Ascertain, reach: Reach, host: str) -> ASGIApp:
    """The server as an ASGI application at ``/mcp``; it keeps no sessions, so any replica answers any request.

    Raises UsageError for an address that other machines can reach while there is no key.
    """
    knowledge.set_up()
    check_reach(knowledge.container, host)
    app = build_server({"": knowledge}, reach).streamable_http_app(
        streamable_http_path=PATH,
        stateless_http=True,
        json_response=True,
        # PageCheck is the service's check of Host and Origin; the SDK's accepts every page of this machine
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    # a redirect would lead to the host named in the request
    app.router.redirect_slashes = False
    server = knowledge.settings.server
    timely = BodyLimit(
        app,
        most=lambda _: DEFAULT_MAX_REQUEST_BODY_SIZE,
        seconds=server.receive_seconds,
        refuse=lambda error: _make_refusal(error.status_code, error.detail),
    )
    is_open = Openness(lambda: knowledge.service, server, host)
    checked = KeyCheck(timely, knowledge, is_open)
    limited = RequestLimit(
        checked,
        most=server.requests_at_once,
        refuse=lambda reason: _make_refusal(503, reason, {"Retry-After": str(ROOM_SECONDS)}),
    )
    shared = limited if not server.cors_origins else _share_with_pages(limited, server.cors_origins)
    return PageCheck(shared, server.cors_origins, is_open, lambda reason: _make_refusal(403, reason))


def _share_with_pages(app: ASGIApp, origins: Sequence[str]) -> ASGIApp:
    return CORSMiddleware(
        app,
        allow_origins=list(origins),
        allow_methods=["GET", "POST", "DELETE"],
        allow_headers=["Authorization", "X-API-Key", "Content-Type", "Last-Event-ID", *SESSION_HEADERS],
        expose_headers=list(SESSION_HEADERS),
    )


def serve_stdio(named: Mapping[str, Ascertain], reach: Reach) -> None:
    """Answer on standard input and output until the input ends."""
    build_server(named, reach).run("stdio")


def serve_http(knowledge: Ascertain, reach: Reach, host: str, port: int) -> None:
    """Answer at ``http://host:port/mcp`` until a signal stops it."""
    check_certificate(knowledge.settings.server)
    app = http_app(knowledge, reach, host)
    config = serving_config(app, knowledge.settings.server, host=host, port=port)
    uvicorn.Server(config).run()
