"""``/v1/research``, ``/v1/check`` and ``/api/run``: reports by several agents, and claims checked."""

from __future__ import annotations

import asyncio
import json
import uuid
from collections.abc import Callable, Generator
from contextlib import closing
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Path, Request, Response
from fastapi.concurrency import run_in_threadpool

from ascertain.app.wire.requests import ID_PATTERN, ClaimBody, ResearchBody, RunBody
from ascertain.app.wire.research import (
    CheckedClaimJson,
    DeletedRunJson,
    ResearchBegunJson,
    ResearchListJson,
    ResearchProgressJson,
    ResearchRunJson,
    describe_research_event,
)
from ascertain.app.wire.shape import make_example
from ascertain.core.asking.passages import Filter
from ascertain.core.errors import AscertainError, UsageError
from ascertain.core.reports.research import ResearchEvent, ResearchRun, ResearchSource, RunComparison
from ascertain.interfaces.server.asking import check_ready, stop_about
from ascertain.interfaces.server.event_streams import EventsResponse, LiveStream
from ascertain.interfaces.server.identity import Caller, Known
from ascertain.interfaces.server.problems import (
    Problem,
    ProblemError,
    describe_events,
    describe_problems,
    missing_error,
    note_error,
    problem_of,
)
from ascertain.interfaces.server.routes.asking.questions import Listening, respond_with_events
from ascertain.interfaces.server.service import MANY_DOCUMENTS, Running, Service

research_router = APIRouter(tags=["research"])
EXAMPLE = f"event: step\nid: 5b1f:4\ndata: {json.dumps(make_example(ResearchProgressJson))}\n\n"
EVENTS = describe_events("Events, as they come.", EXAMPLE)
REPORT = "# When was the mill at Olhao built?\n\n## Findings\n\n- The mill at Olhao was built in 1885. [1]\n"
PAGE = '<!doctype html>\n<html lang="en"> ... </html>\n'
RunPath = Annotated[str, Path(min_length=1, max_length=100, pattern=ID_PATTERN)]


def begin_research(body: ResearchBody, who: Known, service: Running) -> Listening:
    """The events of a run that was queued."""
    return _begin_run(body.url or body.question, body, who, service)


def begin_page(body: RunBody, who: Known, service: Running) -> Listening:
    """The events of a run on a page."""
    asked = ResearchBody(url=body.url, mode=body.mode, sources=body.sources)
    return _begin_run(body.url, asked, who, service)


def begin_again(run_id: RunPath, who: Known, service: Running) -> Listening:
    """The events of a run that resumes after its last step."""
    _find_run(who, run_id)
    return _queue_run(run_id, who, service, lambda: who.knowledge.research.resume(run_id))


@research_router.post(
    "/v1/research", response_class=EventsResponse, responses={**EVENTS, **describe_problems(400, 409, 503)}
)
async def research(listening: Annotated[Listening, Depends(begin_research)], request: Request) -> EventsResponse:
    """Research a question or a page, with the progress as server-sent events.

    `started` with the id of the run, `step` for each agent as it starts and ends, and last `report` with the
    whole run, or `error` with a problem. The run continues when the listener leaves: `GET /v1/research/{run_id}` reads
    it, and one that was interrupted by a shutdown resumes with `POST /v1/research/{run_id}/resume`.
    """
    return respond_with_events(listening, request)


@research_router.post(
    "/api/run", response_class=EventsResponse, responses={**EVENTS, **describe_problems(400, 409, 503)}
)
async def run_page(listening: Annotated[Listening, Depends(begin_page)], request: Request) -> EventsResponse:
    """Research a page; the same events as `POST /v1/research`."""
    return respond_with_events(listening, request)


@research_router.get("/v1/research", responses=describe_problems())
def list_research(who: Known) -> ResearchListJson:
    """List the stored runs, the latest first."""
    found = who.knowledge.research.list_runs()
    return ResearchListJson(runs=list(found))


@research_router.get("/v1/research/{run_id}", responses=describe_problems(404))
def show_research(run_id: RunPath, who: Known) -> ResearchRunJson:
    """Read a run in its current state, with its report once there is one."""
    return ResearchRunJson.from_noun(_find_run(who, run_id))


@research_router.get("/v1/research/{run_id}/comparison/{other_id}", responses=describe_problems(404))
def compare_research(run_id: RunPath, other_id: RunPath, who: Known) -> RunComparison:
    """Show what two runs have in common, what only one of them found, and which claims they judge otherwise."""
    _find_run(who, run_id)
    _find_run(who, other_id)
    return who.knowledge.research.compare(run_id, other_id)


@research_router.get(
    "/v1/research/{run_id}/report",
    response_class=Response,
    responses={
        200: {
            "description": "The report.",
            "content": {"text/markdown": {"example": REPORT}, "text/html": {"example": PAGE}},
        },
        **describe_problems(404),
    },
)
def read_report(run_id: RunPath, who: Known, format: Literal["markdown", "html"] = "markdown") -> Response:
    """Read the report of a run as Markdown, or as a page that loads nothing."""
    run, desk = _find_run(who, run_id), who.knowledge.research
    if format == "html":
        policy = {"Content-Security-Policy": "sandbox; default-src 'none'; style-src 'unsafe-inline'"}
        return Response(desk.write_html(run), media_type="text/html; charset=utf-8", headers=policy)
    return Response(desk.write_markdown(run), media_type="text/markdown; charset=utf-8")


@research_router.post(
    "/v1/research/{run_id}/resume",
    response_class=EventsResponse,
    responses={**EVENTS, **describe_problems(404, 409, 503)},
)
async def resume_research(listening: Annotated[Listening, Depends(begin_again)], request: Request) -> EventsResponse:
    """Resume a run after its last stored step; a finished one only sends its report."""
    return respond_with_events(listening, request)


@research_router.delete("/v1/research/{run_id}", responses=describe_problems(404))
def delete_research(run_id: RunPath, who: Known, service: Running) -> DeletedRunJson:
    """Delete a run and the documents that were fetched for it."""
    _find_run(who, run_id)
    documents = who.knowledge.research.delete(run_id)
    stop_about(service, who, run_id)
    return DeletedRunJson(id=run_id, documents=documents)


@research_router.post("/v1/check", responses=describe_problems(400, 409, 503))
async def check(body: ClaimBody, who: Known, service: Running) -> CheckedClaimJson:
    """Check whether the documents support a claim, contradict it, or neither, with quotations for and against."""
    await run_in_threadpool(check_ready, who.knowledge)

    def work() -> CheckedClaimJson:
        chosen = body.filter.to_filter(who.tenant) if body.filter else Filter(tenant=who.tenant)
        found = who.knowledge.research.check_claim(body.claim, chosen)
        return CheckedClaimJson.of(found.check, found.citations, found.usage)

    return await asyncio.wrap_future(service.pool.submit(work, tenant=who.tenant, share=MANY_DOCUMENTS))


def _find_run(who: Caller, run_id: str) -> ResearchRun:
    try:
        return who.knowledge.research.show(run_id)
    except UsageError:
        raise missing_error("research run with this id") from None


def _begin_run(subject: str, body: ResearchBody, who: Caller, service: Service) -> Listening:
    if body.sources == [ResearchSource.DOCUMENTS]:
        check_ready(who.knowledge)
    run_id = uuid.uuid4().hex[:12]
    question = body.question if body.url else ""
    # errors in the request are reported at once, before it is queued
    events = who.knowledge.research.start(
        subject, mode=body.mode, sources=body.sources, question=question, run_id=run_id
    )
    return _queue_run(run_id, who, service, lambda: events)


def _queue_run(run_id: str, who: Caller, service: Service, begin: Callable[[], Generator[ResearchEvent]]) -> Listening:
    stream_id = uuid.uuid4().hex
    first = ("started", ResearchBegunJson(run_id=run_id).to_json())
    stream = service.streams.begin(stream_id, who.tenant, first, user=who.user, about=run_id)

    def run() -> None:
        try:
            _tell_events(stream, begin)
        finally:
            service.streams.end(stream)

    try:
        future = service.pool.submit(run, tenant=who.tenant, share=MANY_DOCUMENTS)
    except ProblemError as error:
        _tell_failure(stream, error.problem)
        service.streams.end(stream)
        raise
    future.add_done_callback(lambda done: _tell_shutdown(service, stream, done.cancelled()))
    return Listening(stream_id, stream.after(0))


def _tell_events(stream: LiveStream, begin: Callable[[], Generator[ResearchEvent]]) -> None:
    try:
        with closing(begin()) as events:
            for event in events:
                kind, data = describe_research_event(event)
                stream.tell(kind, data.to_json(), is_last=kind == "report")
    except AscertainError as error:
        _tell_failure(stream, problem_of(error))
    except Exception as error:
        _tell_failure(stream, note_error(error))
        raise


def _tell_failure(stream: LiveStream, problem: Problem) -> None:
    stream.tell("error", {"problem": problem.describe("/v1/research", "").to_json()}, is_last=True)


def _tell_shutdown(service: Service, stream: LiveStream, was_cancelled: bool) -> None:
    if was_cancelled:
        _tell_failure(stream, Problem("shutting-down", "The service ended before this run had its turn; resume it."))
        service.streams.end(stream)
