"""``/v1/ask``: questions, answered whole or as events."""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Depends, Header, Query, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.sse import KEEPALIVE_COMMENT, format_sse_event

from ascertain.app.wire.conversations import FeedbackJson
from ascertain.app.wire.documents import SearchJson
from ascertain.app.wire.holdings import StatsJson
from ascertain.app.wire.requests import AskBody, FeedbackBody, SearchBody
from ascertain.app.wire.shape import make_example
from ascertain.core.asking.answers import Answer
from ascertain.core.asking.feedback import Drift, FeedbackSummary
from ascertain.core.asking.passages import Filter
from ascertain.core.asking.requests import AnswerText
from ascertain.core.errors import UsageError
from ascertain.core.service.service import LoggedEvent
from ascertain.interfaces.server.asking import answer_question, begin_stream, check_ready, check_request, stop_stream
from ascertain.interfaces.server.event_streams import ALIVE, EventsResponse
from ascertain.interfaces.server.identity import Known
from ascertain.interfaces.server.problems import (
    Problem,
    ProblemError,
    describe_events,
    describe_problems,
    missing_error,
    note_error,
    request_id_of,
)
from ascertain.interfaces.server.service import Running

EXAMPLE = f"event: text\nid: 5b1f:4\ndata: {json.dumps(make_example(AnswerText))}\n\n"
EVENTS = describe_events("Events, as they come.", EXAMPLE)
LONGEST_NUMBER = 9
"""Digits of an event's number; a run has dozens of events, and up to twenty a second while a draft is written."""

asking_router = APIRouter(tags=["asking"])


@asking_router.post("/v1/ask", responses=describe_problems(400, 409, 503))
async def ask(body: AskBody, who: Known, service: Running, request: Request) -> Answer:
    """Answer a question from the documents, with citations, and a verdict for each sentence."""
    asked = body.to_request(who.tenant)
    await run_in_threadpool(check_request, who.knowledge, asked)
    return await answer_question(service, who, asked, request)


@dataclass(frozen=True, slots=True)
class Listening:
    """Streaming the events of an answer to a listener."""

    answer_id: str
    events: AsyncGenerator[LoggedEvent]


def begin_answer(body: AskBody, who: Known, service: Running) -> Listening:
    """The events of a question that was queued."""
    asked = body.to_request(who.tenant)
    check_request(who.knowledge, asked)
    stream = begin_stream(service, who, asked)
    return Listening(stream.stream_id, stream.after(0))


async def resume_answer(
    answer_id: str,
    who: Known,
    service: Running,
    last_event_id: Annotated[
        str, Header(description="The id of the last event that arrived; by default all are sent.")
    ] = "",
) -> Listening:
    """The events of a question asked before, after the one that the caller knows."""
    events = await service.streams.after(answer_id, who.tenant, _read_event_number(last_event_id, answer_id), who.user)
    if events is None:
        raise missing_error("answer with this id in progress or finished in the last hour")
    return Listening(answer_id, events)


@asking_router.post(
    "/v1/ask/stream", response_class=EventsResponse, responses={**EVENTS, **describe_problems(400, 409, 503)}
)
async def ask_stream(listening: Annotated[Listening, Depends(begin_answer)], request: Request) -> EventsResponse:
    """Answer a question as server-sent events.

    `started` with the id of the answer, `node` for each step as it begins and ends, `draft` with what a chat model writes
    while it writes it, `text` with the checked text in pieces, and last `answer` with the whole answer, or `error` with a problem. The run continues when the listener
    leaves: `GET /v1/ask/stream/{answer_id}` streams the rest.
    """
    return respond_with_events(listening, request)


@asking_router.get(
    "/v1/ask/stream/{answer_id}",
    response_class=EventsResponse,
    responses={**EVENTS, **describe_problems(400, 404), 204: {"description": "The last event has arrived already."}},
)
async def listen_again(listening: Annotated[Listening, Depends(resume_answer)], request: Request) -> EventsResponse:
    """Continue listening to a question asked before, here or at another replica, after the event `Last-Event-ID`."""
    return respond_with_events(listening, request)


@asking_router.delete(
    "/v1/ask/stream/{answer_id}", status_code=204, response_class=Response, responses=describe_problems(404)
)
def stop_answer(answer_id: str, who: Known, service: Running) -> Response:
    """Stop a question that was asked with `POST /v1/ask/stream` at this replica. Its stream ends with the problem
    `stopped`, and so does its turn of a conversation.
    """
    stream = service.streams.find_live(answer_id, who.tenant, who.user)
    if stream is None:
        raise missing_error("answer of this id on its way here")
    stop_stream(stream)
    return Response(status_code=204)


def respond_with_events(listening: Listening, request: Request) -> EventsResponse:
    """The events of a run as they come."""
    return EventsResponse(_format_events(listening, request))


async def _format_events(listening: Listening, request: Request) -> AsyncIterator[bytes]:
    try:
        async with aclosing(listening.events) as events:
            async for event in events:
                if event.kind == ALIVE:
                    yield KEEPALIVE_COMMENT
                else:
                    data, number = json.dumps(event.data), f"{listening.answer_id}:{event.number}"
                    yield format_sse_event(data_str=data, event=event.kind, id=number)
    except Exception as error:
        # it has no id: a client that reconnects continues after the last event received
        problem = note_error(error).describe(request.url.path, request_id_of(request.scope))
        yield format_sse_event(data_str=json.dumps({"problem": problem.to_json()}), event="error")


def _read_event_number(last_event_id: str, answer_id: str) -> int:
    if not last_event_id:
        return 0
    stream_id, _, number = last_event_id.rpartition(":")
    if stream_id != answer_id or not (number.isascii() and number.isdigit()) or len(number) > LONGEST_NUMBER:
        raise ProblemError(Problem("invalid-request", f"Last-Event-ID is not of an event of {answer_id}."))
    return int(number)


feedback_router = APIRouter(prefix="/v1/feedback", tags=["feedback"])


@feedback_router.post("", responses=describe_problems(404))
def give_feedback(body: FeedbackBody, who: Known, service: Running) -> FeedbackJson:
    """Give feedback on an answer; later feedback replaces earlier."""
    try:
        given = who.knowledge.feedback(body.answer_id, body.thumb, body.comment)
    except UsageError:
        raise missing_error("answer with this id") from None
    service.metrics.feedback(body.thumb)
    return FeedbackJson.from_noun(given)


@feedback_router.get("/summary", responses=describe_problems())
def summary(who: Known) -> FeedbackSummary:
    """Count feedback by kind of question and way of searching, each share with a 95 % interval."""
    return who.knowledge.feedback_summary()


@feedback_router.get("/drift", responses=describe_problems(400))
def drift(
    who: Known, days: Annotated[int, Query(ge=1, le=365, description="Length of the recent period.")] = 7
) -> Drift:
    """Compare the answers of the last days with those before: confidence, declined questions, feedback; and show which
    questions stayed without an answer, by theme.
    """
    return who.knowledge.drift(days)


searching_router = APIRouter(tags=["searching"])


@searching_router.post("/v1/search", responses=describe_problems(400, 409, 503))
async def search(body: SearchBody, who: Known, service: Running) -> SearchJson:
    """Find passages, best first, each with its scores and its place."""
    await run_in_threadpool(check_ready, who.knowledge)

    def find() -> SearchJson:
        found = who.knowledge.search(
            body.query,
            strategy=body.strategy,
            k=body.k,
            filter=body.filter.to_filter(who.tenant) if body.filter else Filter(tenant=who.tenant),
            days_back=body.days_back,
            context=body.context,
        )
        return SearchJson.from_noun(found)

    return await asyncio.wrap_future(service.pool.submit(find, tenant=who.tenant))


@searching_router.get("/v1/stats", responses=describe_problems())
def stats(who: Known) -> StatsJson:
    """Count documents and passages, by kind, profile and state."""
    numbers = who.knowledge.stats()
    # a key is often held by somebody who need not know where this machine keeps things, nor how much others keep there
    place = who.knowledge.place if who.user is None else None
    graph = who.knowledge.graph.counts()
    return StatsJson.from_counts(numbers, place, who.knowledge.ingest_runs(), graph)
