"""The application: routes, middleware, errors, and the page that describes it."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from html import escape
from typing import Any, cast

from fastapi import APIRouter, FastAPI, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.exceptions import RequestValidationError
from fastapi.middleware.cors import CORSMiddleware
from fastapi.responses import HTMLResponse
from starlette.exceptions import HTTPException

from ascertain import __version__
from ascertain.app.ascertain import Ascertain
from ascertain.core.errors import AscertainError
from ascertain.core.settings import Settings
from ascertain.server.event_streams import StreamEnded
from ascertain.server.identity import LARGEST_UPLOAD, BodyLimit
from ascertain.server.lifecycle import close_service, open_service
from ascertain.server.observation import REQUEST_ID, Observation, request_id_of
from ascertain.server.problems import Problem, add_examples, problem_of, problem_of_status
from ascertain.server.routes.asking import asking_router, feedback_router, searching_router
from ascertain.server.routes.conversations import conversations_router, rag_router
from ascertain.server.routes.documents import documents_router, jobs_router
from ascertain.server.routes.graph import graph_router
from ascertain.server.routes.health import health_router
from ascertain.server.service import Service
from ascertain.server.uploads import MEGABYTE
from ascertain.telemetry.logs import logger
from ascertain.wire.service import ProblemJson

MOST_FIELDS = 20
"""Wrong fields named in one problem."""


def handle_errors(app: FastAPI) -> None:
    """Give ``app`` the handlers; what no handler knows is met by ``Observation``."""
    app.add_exception_handler(AscertainError, _app_error)
    app.add_exception_handler(RequestValidationError, _refuse_body)
    app.add_exception_handler(HTTPException, _framework_error)
    app.add_exception_handler(StreamEnded, _end_stream)


async def _app_error(request: Request, error: Exception) -> Response:
    problem = problem_of(error)
    if problem.status >= 500 and problem.kind != "overloaded":
        logger.warning("%s: %s", problem.kind, error)
    return _make_response(request, problem)


async def _framework_error(request: Request, error: Exception) -> Response:
    failure = cast(HTTPException, error)
    problem = problem_of_status(failure.status_code, _end_sentence(failure.detail))
    allowed = (failure.headers or {}).get("Allow")
    if allowed:
        problem = Problem(problem.kind, f"This address takes {allowed}.", headers={"Allow": allowed})
    return _make_response(request, problem)


async def _refuse_body(request: Request, error: Exception) -> Response:
    wrong = cast("Sequence[Mapping[str, Any]]", cast(RequestValidationError, error).errors())
    fields = tuple(_field_errors(wrong[:MOST_FIELDS]))
    told = "; ".join(f"{field['pointer']}: {field['detail']}" for field in fields[:3])
    more = f"; and {len(wrong) - 3} more" if len(wrong) > 3 else ""
    return _make_response(request, Problem("invalid-body", told + more, errors=fields))


async def _end_stream(_request: Request, _error: Exception) -> Response:
    # the standard's way to tell an EventSource not to come back (HTML, 9.2.3)
    return Response(status_code=204)


def _field_errors(wrong: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, str]]:
    """What was wrong with each field, without what was sent: it may be long, or secret."""
    for each in wrong:
        where = [str(part) for part in each["loc"]]
        in_body = where[:1] == ["body"]
        pointer = "#" + "".join(f"/{_escape_pointer(part)}" for part in where[1:]) if in_body else where[-1]
        yield {"pointer": pointer, "detail": str(each["msg"])}


def _escape_pointer(part: str) -> str:
    """A step of a JSON pointer (RFC 6901, section 3)."""
    return part.replace("~", "~0").replace("/", "~1")


def _end_sentence(detail: object) -> str:
    text = str(detail)
    return text if text.endswith(".") else f"{text}."


def _make_response(request: Request, problem: Problem) -> Response:
    return problem.response(request.url.path, request_id_of(request.scope))


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

    @router.get("/docs", include_in_schema=False)
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
            _render_table("Answers", [(code, told["description"]) for code, told in operation["responses"].items()]),
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
    cells = "".join(f"<tr><td><code>{escape(name)}</code><td>{_render_inline(told)}" for name, told in rows)
    return f"<p>{title}</p><table>{cells}</table>"


def _render_inline(text: str) -> str:
    """Text with `code` in it, as HTML."""
    pieces = escape(" ".join(text.split())).split("`")
    return "".join(f"<code>{piece}</code>" if at % 2 else piece for at, piece in enumerate(pieces))


MAX_BODY_BYTES = 1_024_000
"""Of a request that is not an upload (by judgement): ten times the longest question that a request may hold."""
ABOUT = """
Answers from your own documents, with the exact words each sentence rests on.

Send a key as `Authorization: Bearer KEY` or `X-API-Key: KEY`; a service on the machine's own address that has no keys needs none. Problems are
`application/problem+json` (RFC 9457). Every response names its request in `X-Request-ID`, which is yours if you send one.
"""


def create_app(knowledge: Ascertain, settings: Settings) -> FastAPI:
    """The service over one knowledge base; it opens with the application's lifespan and closes with it.

    Whether it asks for keys hangs on ``server.host`` and on whether there are any (``identity.Openness``).
    """
    service = open_service(knowledge, settings)

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncGenerator[None]:
        await run_in_threadpool(service.jobs.start, settings.server.ingest_workers)
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
        searching_router,
        documents_router,
        jobs_router,
        conversations_router,
        graph_router,
        feedback_router,
        rag_router,
        health_router,
    ):
        app.include_router(router)
    app.include_router(reference_router(app))
    handle_errors(app)
    _add_middleware(app, settings, service)
    _describe_api(app)
    return app


def _add_middleware(app: FastAPI, settings: Settings, service: Service) -> None:
    """Middleware; the last added is the outermost."""
    server = settings.server
    app.add_middleware(
        BodyLimit, most=MAX_BODY_BYTES, most_upload=round(server.max_upload_megabytes * MEGABYTE * LARGEST_UPLOAD)
    )
    if server.cors_origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=list(server.cors_origins),
            allow_methods=["GET", "POST", "DELETE"],
            allow_headers=["Authorization", "X-API-Key", "Content-Type", "Last-Event-ID", REQUEST_ID],
            expose_headers=[REQUEST_ID, "Retry-After"],
        )
    app.add_middleware(Observation, metrics=service.metrics, under_way=service.under_way)


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
