"""The application: routes, middleware and the page that describes it; and how it is served: the socket, the signals, and
the order of its shutdown.

On the first signal the service reports on ``/readyz`` that it is shutting down and takes no more questions, but finishes what it
has and answers everything else, so that a load balancer can switch away. Once all questions are answered, or
after ``server.drain_seconds``, it closes. A second signal closes at once.
"""

from __future__ import annotations

import asyncio
import json
import socket
import time
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from html import escape
from types import FrameType
from typing import Any, cast
from urllib.parse import urlsplit, urlunsplit

import uvicorn
from fastapi import APIRouter, FastAPI, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.middleware.cors import CORSMiddleware
from fastapi.responses import HTMLResponse
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ascertain import __version__
from ascertain.app.access.api_keys import check_reach
from ascertain.app.access.connections import (
    ROOM_SECONDS,
    BodyLimit,
    PageCheck,
    RequestLimit,
    check_certificate,
    protect_response,
    serving_config,
)
from ascertain.app.ascertain import Ascertain
from ascertain.app.health import warm_up
from ascertain.app.telemetry.logs import configure_logs, log_fields, log_request, logger
from ascertain.app.telemetry.metrics import Metrics
from ascertain.app.telemetry.tracing import incoming_trace
from ascertain.app.wire.service import ProblemJson
from ascertain.core.errors import UsageError
from ascertain.core.settings import ServerSettings, Settings
from ascertain.interfaces.server.event_streams import StreamEnded
from ascertain.interfaces.server.identity import LARGEST_UPLOAD, LEAVES, UPLOADS, CallerCheck
from ascertain.interfaces.server.lifecycle import close_service, drain_service, open_service
from ascertain.interfaces.server.memory import giving_back_memory, leave_loaded_alone
from ascertain.interfaces.server.problems import (
    INTERNAL,
    REQUEST_ID,
    Problem,
    add_examples,
    answer_problem,
    handle_errors,
    problem_of_status,
    request_id_of,
)
from ascertain.interfaces.server.routes.asking.analysing import analysing_router
from ascertain.interfaces.server.routes.asking.conversations import conversations_router, older_router, rag_router
from ascertain.interfaces.server.routes.asking.questions import asking_router, feedback_router, searching_router
from ascertain.interfaces.server.routes.asking.research import research_router
from ascertain.interfaces.server.routes.documents import documents_router, jobs_router
from ascertain.interfaces.server.routes.evaluating import evaluating_router
from ascertain.interfaces.server.routes.graph import graph_router
from ascertain.interfaces.server.routes.health import health_router
from ascertain.interfaces.server.routes.notebooks import notebooks_router
from ascertain.interfaces.server.routes.openai.chat_completions import chat_router
from ascertain.interfaces.server.routes.openai.embeddings import embeddings_router
from ascertain.interfaces.server.routes.openai.responses import responses_router
from ascertain.interfaces.server.routes.page import page_router
from ascertain.interfaces.server.routes.people.keys import keys_router
from ascertain.interfaces.server.routes.people.session import session_router
from ascertain.interfaces.server.routes.people.sign_in import sign_in_router
from ascertain.interfaces.server.routes.people.users import own_password_router, users_router
from ascertain.interfaces.server.routes.settings import settings_router
from ascertain.interfaces.server.routes.sources import sources_router
from ascertain.interfaces.server.service import Service, UnderWay
from ascertain.interfaces.server.uploads import MEGABYTE

STYLE = """
:root { color-scheme: light dark; --line: #8884; --soft: #8882; --accent: light-dark(#0b6663, #6ccabf); }
body { font: 16px/1.55 system-ui, sans-serif; max-width: 60rem; margin: 0 auto; padding: 1.5rem; }
h1 { font-size: 1.6rem; margin: 0 0 .5rem } h2 { margin: 2.2rem 0 .6rem; font-size: 1.15rem; text-transform: capitalize }
details { border: 1px solid var(--line); border-radius: 10px; margin: .45rem 0; padding: 0 .9rem }
summary { cursor: pointer; padding: .6rem 0; display: flex; gap: .8rem; align-items: baseline; flex-wrap: wrap }
summary code { font-size: .95rem } .method { color: var(--accent); font-weight: 700; min-width: 4.2rem }
.what { opacity: .8 } pre { background: var(--soft); padding: .8rem; border-radius: 8px; overflow-x: auto; font-size: .85rem }
table { border-collapse: collapse; width: 100%; font-size: .9rem } td { border-top: 1px solid var(--line); padding: .3rem .5rem; vertical-align: top }
a { color: var(--accent) }
"""
POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"


def reference_router(app: FastAPI) -> APIRouter:
    """The page of ``app``."""
    router = APIRouter()

    @router.api_route("/docs", methods=["GET", "HEAD"], include_in_schema=False)
    def reference() -> HTMLResponse:  # pyright: ignore[reportUnusedFunction]
        return HTMLResponse(_render_page(app.openapi()), headers={"Content-Security-Policy": POLICY})

    return router


def _render_page(described: Mapping[str, Any]) -> str:
    about = described["info"]
    parts = [
        "<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'>",
        f"<title>{escape(about['title'])} {escape(about['version'])}</title><style>{STYLE}</style>",
        f"<h1>{escape(about['title'])} {escape(about['version'])}</h1>",
        *(f"<p>{_render_inline(part)}</p>" for part in about["description"].split("\n\n")),
        "<p><a href=openapi.json>openapi.json</a> describes all of it for programs.</p>",
    ]
    group = ""
    for method, path, operation in _list_operations(described):
        tag = operation["tags"][0]
        if tag != group:
            group = tag
            parts.append(f"<h2>{escape(tag)}</h2>")
        parts.append(_render_operation(method, path, operation, described))
    return "".join(parts)


def _list_operations(described: Mapping[str, Any]) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    for path, methods in described["paths"].items():
        for method, operation in methods.items():
            yield method.upper(), path, operation


def _render_operation(method: str, path: str, operation: Mapping[str, Any], described: Mapping[str, Any]) -> str:
    first, _, rest = operation.get("description", "").partition("\n\n")
    examples = _find_examples(operation, described)
    return "".join(
        (
            f"<details><summary><span class=method>{method}</span><code>{escape(path)}</code>",
            f"<span class=what>{_render_inline(first)}</span></summary>",
            f"<p>{_render_inline(rest)}</p>" if rest else "",
            _render_table("Parameters", [_describe_parameter(each) for each in operation.get("parameters", ())]),
            *(f"<p>Example</p><pre>{escape(json.dumps(each, indent=2))}</pre>" for each in examples),
            _render_table(
                "Answers", [(code, response["description"]) for code, response in operation["responses"].items()]
            ),
            "</details>",
        )
    )


def _describe_parameter(parameter: Mapping[str, Any]) -> tuple[str, str]:
    needed = ", required" if parameter.get("required") else ""
    return parameter["name"], f"{parameter['in']}{needed}. {parameter.get('description', '')}"


def _find_examples(operation: Mapping[str, Any], described: Mapping[str, Any]) -> Sequence[object]:
    content = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
    name = content.get("schema", {}).get("$ref", "").rpartition("/")[2]
    return cast("Sequence[object]", described["components"]["schemas"].get(name, {}).get("examples", ()))


def _render_table(title: str, rows: Sequence[tuple[str, str]]) -> str:
    if not rows:
        return ""
    cells = "".join(f"<tr><td><code>{escape(name)}</code><td>{_render_inline(text)}" for name, text in rows)
    return f"<p>{title}</p><table>{cells}</table>"


def _render_inline(text: str) -> str:
    """Text with `code` in it, as HTML."""
    pieces = escape(" ".join(text.split())).split("`")
    return "".join(f"<code>{piece}</code>" if at % 2 else piece for at, piece in enumerate(pieces))


MAX_BODY_BYTES = 1_024_000
"""Of a request that is not an upload (by judgement): ten times the longest question that a request may hold."""
BROWSER_HEADERS = (
    *("Authorization", "X-API-Key", "Content-Type", "Last-Event-ID", "X-Conversation-ID"),
    # headers that OpenAI's client adds in a browser
    *(f"X-Stainless-{what}" for what in ("Arch", "Lang", "OS", "Package-Version", "Retry-Count", "Runtime")),
    *(f"X-Stainless-{what}" for what in ("Runtime-Version", "Timeout", "Helper-Method", "Poll-Helper")),
)
"""Headers that pages of ``server.cors_origins`` may send."""
ABOUT = """
Answers from your own documents, with the exact words each sentence rests on.

Send a key as `Authorization: Bearer KEY` or `X-API-Key: KEY`; a service on the machine's own address that has no keys needs none. Problems are
`application/problem+json` (RFC 9457). Every response names its request in `X-Request-ID`, which is yours if you send one.
"""


def create_app(knowledge: Ascertain, settings: Settings) -> FastAPI:
    """The service over one knowledge base; it opens with the application's lifespan and closes with it.

    Whether it requires keys depends on ``server.host`` and on whether there are any (``identity.Openness``).
    """
    service = open_service(knowledge, settings)

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncGenerator[None]:
        await run_in_threadpool(service.jobs.start, settings.server.ingest_workers)
        service.watch.start()
        try:
            yield
        finally:
            await run_in_threadpool(close_service, service)

    app = FastAPI(
        title="Ascertain",
        version=__version__,
        description=ABOUT.strip(),
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
        generate_unique_id_function=lambda route: route.name,
    )
    app.state.service = service
    for router in (
        asking_router,
        analysing_router,
        chat_router,
        responses_router,
        embeddings_router,
        searching_router,
        documents_router,
        sources_router,
        jobs_router,
        conversations_router,
        notebooks_router,
        graph_router,
        research_router,
        feedback_router,
        evaluating_router,
        session_router,
        sign_in_router,
        settings_router,
        keys_router,
        users_router,
        own_password_router,
        rag_router,
        older_router,
        health_router,
    ):
        app.include_router(router)
    app.include_router(reference_router(app))
    app.include_router(page_router)
    handle_errors(app)
    app.add_exception_handler(StreamEnded, _end_stream)
    _add_middleware(app, settings, service)
    _describe_api(app)
    return app


def _add_middleware(app: FastAPI, settings: Settings, service: Service) -> None:
    """Middleware; the last added is the outermost."""
    server = settings.server
    most_upload = round(server.max_upload_megabytes * MEGABYTE * LARGEST_UPLOAD)

    def limit_body(scope: Scope) -> int:
        return most_upload if (scope["method"], scope["path"]) == ("POST", UPLOADS) else MAX_BODY_BYTES

    app.add_middleware(BodyLimit, most=limit_body, seconds=server.receive_seconds, refuse=_refuse_body)
    app.add_middleware(CallerCheck, service=service)
    app.add_middleware(RequestLimit, most=server.requests_at_once, refuse=_refuse_request, free=HEALTH)
    if server.cors_origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=list(server.cors_origins),
            allow_methods=["GET", "POST", "PATCH", "DELETE"],
            allow_headers=[*BROWSER_HEADERS, REQUEST_ID],
            expose_headers=[REQUEST_ID, "Retry-After"],
        )
    app.add_middleware(
        PageCheck, allowed=server.cors_origins, is_open=service.is_open, refuse=_refuse_page, free=HEALTH
    )
    app.add_middleware(Observation, metrics=service.metrics, under_way=service.under_way)


def _refuse_request(reason: str) -> ASGIApp:
    return partial(answer_problem, Problem("overloaded", f"{reason}.", retry_after=ROOM_SECONDS))


def _refuse_page(reason: str) -> ASGIApp:
    return partial(answer_problem, Problem("forbidden", reason))


def _refuse_body(error: HTTPException) -> ASGIApp:
    return partial(answer_problem, problem_of_status(error.status_code, error.detail))


def _describe_api(app: FastAPI) -> None:
    """Add to the description what the framework does not know: examples, and that every problem has one form."""
    describe = app.openapi

    def described() -> dict[str, Any]:
        if app.openapi_schema is None:
            description = describe()
            add_examples(description)
            schemas = description["components"]["schemas"]
            problem = ProblemJson.model_json_schema(ref_template="#/components/schemas/{model}")
            schemas.update(problem.pop("$defs", {}))
            schemas["ProblemJson"] = problem
        return describe()

    app.openapi = described  # type: ignore[method-assign]


async def _end_stream(_request: Request, _error: Exception) -> Response:
    # the standard's way to make an EventSource not reconnect (HTML, 9.2.3)
    return Response(status_code=204)


class Observation:
    """The outermost layer of the application: a request's id, its line in the log, its figures, and unexpected errors."""

    def __init__(self, app: ASGIApp, metrics: Metrics, under_way: UnderWay) -> None:
        self._app = app
        self._metrics = metrics
        self._under_way = under_way

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """As ASGI says."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request_id = request_id_of(scope)
        started, status = time.perf_counter(), 0

        async def send_marked(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                headers[REQUEST_ID] = request_id
                if "location" in headers and not scope["state"].get(LEAVES):
                    headers["location"] = _keep_path(headers["location"])
                protect_response(message)
            await send(message)

        with self._under_way.request(), log_fields(request_id=request_id), incoming_trace(Headers(scope=scope)):
            try:
                await self._app(scope, receive, send_marked)
            except Exception:
                logger.exception("unexpected error")
                if status:
                    # the response has begun: cutting it off is the only way to show that it is incomplete
                    raise
                await answer_problem(INTERNAL, scope, receive, send_marked)
            finally:
                self._note_request(scope, status or 499, time.perf_counter() - started)

    def _note_request(self, scope: Scope, status: int, seconds: float) -> None:
        route: str | None = getattr(scope.get("route"), "path", None)
        self._metrics.request(route, scope["method"], status, seconds)
        with log_fields(tenant=scope["state"].get("tenant")):
            log_request(scope["method"], route or "unknown", status, seconds)


HEALTH = ("/healthz", "/readyz")


def _keep_path(location: str) -> str:
    """A redirect within the service, without the host: the framework takes that from the request, which may name any."""
    parts = urlsplit(location)
    path = f"/{parts.path.lstrip('/')}" if parts.netloc else parts.path
    return urlunsplit(("", "", path, parts.query, ""))


BACKLOG = 2048
"""Connections that wait to be accepted; uvicorn's own default."""
CLOSING_SECONDS = 2
"""How long connections that are still open after the drain may take to be closed."""


def open_listener(host: str, port: int) -> socket.socket:
    """A listening socket; port 0 takes a free one. Raises UsageError when the address is unavailable."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listening = socket.socket(family, kind, protocol)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(BACKLOG)
    except OSError as error:
        raise UsageError(f"cannot listen on {host}, port {port}: {error.strerror or error}") from error
    return listening


def url_of(listening: socket.socket, server: ServerSettings) -> str:
    """The address to enter."""
    shown = f"[{server.host}]" if ":" in server.host else server.host
    return f"{'https' if server.certificate else 'http'}://{shown}:{listening.getsockname()[1]}"


def server_of(app: FastAPI, ready: Callable[[], None] = lambda: None) -> DrainingServer:
    """The server of an application, not running yet; ``ready`` is called once it takes requests."""
    service: Service = app.state.service
    config = serving_config(app, service.settings.server, closing_seconds=CLOSING_SECONDS)
    return DrainingServer(config, service, ready)


class DrainingServer(uvicorn.Server):
    """Finishes running requests before it closes."""

    def __init__(self, config: uvicorn.Config, service: Service, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._service = service
        self._ready = ready
        self._draining: asyncio.Task[None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and report it."""
        await super().startup(sockets)
        self._loop = asyncio.get_running_loop()
        self._ready()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """The first signal starts the shutdown, the second makes it immediate. The process ends with 0, as it was asked to."""
        if self._service.is_ending.is_set():
            self.should_exit = self.force_exit = True
        else:
            self.end()

    def end(self) -> None:
        """Start the shutdown; from any thread."""
        self._service.is_ending.set()
        loop = self._loop
        if loop is None or loop.is_closed():
            self.should_exit = True
        else:
            loop.call_soon_threadsafe(self._begin_draining)

    def _begin_draining(self) -> None:
        if self._draining is None:
            self._draining = asyncio.get_running_loop().create_task(self._drain_service())

    async def _drain_service(self) -> None:
        await drain_service(self._service)
        self.should_exit = True


def run_service(knowledge: Ascertain, announce: Callable[[str, bool], None]) -> None:
    """Serve until a signal to stop.

    ``announce`` is called with the address, and whether the service is open, once it takes requests.

    Raises UsageError for an address that is unavailable or must not be served without a key.

    """
    settings = knowledge.settings
    check_certificate(settings.server)
    is_open = check_reach(knowledge.container, settings.server.host, has_sign_in=settings.server.has_sign_in)
    # the address is taken first: a port that is in use is told before anything is loaded
    with open_listener(settings.server.host, settings.server.port) as listening:
        configure_logs(settings.telemetry)
        url = url_of(listening, settings.server)
        serve_requests(knowledge, listening, lambda: announce(url, is_open))


def serve_requests(knowledge: Ascertain, listening: socket.socket, ready: Callable[[], None]) -> None:
    """Answer requests on a listening socket until a signal to stop; ``ready`` is called once requests are taken."""
    app = create_app(knowledge, knowledge.settings)
    logger.info("loaded", extra={"seconds": round(warm_up(knowledge), 3)})
    leave_loaded_alone()
    with giving_back_memory():
        server_of(app, ready).run(sockets=[listening])
