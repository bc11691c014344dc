"""``/v1/analyze``: what every document of a period says together, whole or as events."""

import asyncio
import json
import uuid
from contextlib import closing
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.concurrency import run_in_threadpool

from ascertain.app.wire.analysis import AnalysisJson, describe_analysis_event
from ascertain.app.wire.answers import StreamBegunJson
from ascertain.app.wire.requests import AnalyzeBody
from ascertain.app.wire.shape import make_example
from ascertain.core.asking.passages import Filter
from ascertain.core.asking.requests import AnalysisDone, AnswerText
from ascertain.core.errors import AscertainError
from ascertain.core.reports.analysis import Analysis
from ascertain.interfaces.server.asking import check_ready
from ascertain.interfaces.server.event_streams import EventsResponse, LiveStream
from ascertain.interfaces.server.identity import Known
from ascertain.interfaces.server.problems import (
    ProblemError,
    describe_events,
    describe_problems,
    note_error,
    problem_of,
)
from ascertain.interfaces.server.routes.asking.questions import Listening, respond_with_events
from ascertain.interfaces.server.service import MANY_DOCUMENTS, Running

EXAMPLE = f"event: text\nid: 7c2e:6\ndata: {json.dumps(make_example(AnswerText))}\n\n"
EVENTS = describe_events("Events, as they come.", EXAMPLE)

analysing_router = APIRouter(tags=["analysing"])


@analysing_router.post("/v1/analyze", responses=describe_problems(400, 409, 503))
async def analyze(body: AnalyzeBody, who: Known, service: Running) -> AnalysisJson:
    """Read every document of a period and report what all of them say together, with the documents and quotes behind every
    figure.

    The period is the one in the question, `days_back`, or the dates of the filter. Statements about the future are
    speculation of those who made them; nothing is predicted.
    """
    await run_in_threadpool(_check_body, body, who)
    return AnalysisJson.from_noun(
        await asyncio.wrap_future(
            service.pool.submit(lambda: _run_analysis(body, who, None), tenant=who.tenant, share=MANY_DOCUMENTS)
        )
    )


def begin_analysis(body: AnalyzeBody, who: Known, service: Running) -> Listening:
    """The events of a queued analysis; it does not depend on listeners."""
    _check_body(body, who)
    stream_id = uuid.uuid4().hex
    first = StreamBegunJson(answer_id=stream_id, conversation_id=None)
    stream = service.streams.begin(stream_id, who.tenant, ("started", first.to_json()), user=who.user)

    def run() -> None:
        try:
            _run_analysis(body, who, stream)
        except AscertainError as error:
            _tell_failure(stream, ProblemError(problem_of(error)))
        except Exception as error:
            _tell_failure(stream, ProblemError(note_error(error)))
            raise
        finally:
            service.streams.end(stream)

    try:
        service.pool.submit(run, tenant=who.tenant, share=MANY_DOCUMENTS)
    except ProblemError as error:
        _tell_failure(stream, error)
        service.streams.end(stream)
        raise
    return Listening(stream_id, stream.after(0))


@analysing_router.post(
    "/v1/analyze/stream", response_class=EventsResponse, responses={**EVENTS, **describe_problems(400, 409, 503)}
)
async def analyze_stream(listening: Annotated[Listening, Depends(begin_analysis)], request: Request) -> EventsResponse:
    """The same as server-sent events.

    `started` with an id, `node` for each step as it begins and ends, `text` with the text, and last `analysis` with the
    whole of it, or `error` with a problem. `GET /v1/ask/stream/{answer_id}` with that id streams the rest to a client that
    reconnects.
    """
    return respond_with_events(listening, request)


def _check_body(body: AnalyzeBody, who: Known) -> None:
    who.knowledge.check_question(body.question)
    check_ready(who.knowledge)


def _run_analysis(body: AnalyzeBody, who: Known, stream: LiveStream | None) -> Analysis:
    """The analysis, with each event sent to ``stream``."""
    events = who.knowledge.analyze_stream(
        body.question,
        filter=body.filter.to_filter(who.tenant) if body.filter else Filter(tenant=who.tenant),
        days_back=body.days_back,
        pattern=body.pattern,
    )
    with closing(events):
        for event in events:
            if stream is not None:
                kind, data = describe_analysis_event(event)
                stream.tell(kind, data.to_json(), is_last=kind == "analysis")
            if isinstance(event, AnalysisDone):
                return event.analysis
    raise AssertionError("an analysis ends with its last event")


def _tell_failure(stream: LiveStream, error: ProblemError) -> None:
    problem = error.problem.describe("/v1/analyze/stream", "")
    stream.tell("error", {"problem": problem.to_json()}, is_last=True)
