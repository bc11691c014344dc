"""The application: routes, middleware, and the description of both."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI
from fastapi.concurrency import run_in_threadpool
from fastapi.middleware.cors import CORSMiddleware

from ascertain import __version__
from ascertain.app.ascertain import Ascertain
from ascertain.core.settings import Settings
from ascertain.server.error_handling import handle_errors
from ascertain.server.lifecycle import close_service, open_service
from ascertain.server.limits import LARGEST_UPLOAD, BodyLimit
from ascertain.server.observation import REQUEST_ID, Observation
from ascertain.server.reference_page import reference_router
from ascertain.server.responses import add_examples
from ascertain.server.routes import (
    asking,
    conversations,
    documents,
    feedback,
    graph,
    health,
    jobs,
    rag,
    searching,
    views,
)
from ascertain.server.service import Service
from ascertain.server.uploads import MEGABYTE
from ascertain.wire.service import ProblemJson

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
    for module in (asking, searching, documents, views, jobs, conversations, graph, feedback, rag, health):
        app.include_router(module.router)
    app.include_router(reference_router(app))
    handle_errors(app)
    _surround(app, settings, service)
    _describe(app)
    return app


def _surround(app: FastAPI, settings: Settings, service: Service) -> None:
    """Middleware; the last added is the outermost."""
    server = settings.server
    app.add_middleware(
        BodyLimit,
        most=MAX_BODY_BYTES,
        most_upload=round(server.max_upload_megabytes * MEGABYTE * LARGEST_UPLOAD),
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


def _describe(app: FastAPI) -> None:
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
