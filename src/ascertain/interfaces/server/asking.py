"""The path of a question: into the queue, through the app, out as an answer or as events."""

import asyncio
import uuid
from collections.abc import Callable, Generator
from concurrent.futures import Future
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from fastapi import Request

from ascertain.app.ascertain import Ascertain
from ascertain.app.telemetry.logs import log_fields, logger
from ascertain.app.wire.answers import StreamBegunJson, describe_stream_event
from ascertain.core.asking.answers import Answer
from ascertain.core.asking.requests import AskRequest, Done, DraftText, Event
from ascertain.core.asking.runs import RunStopped, Stop
from ascertain.core.errors import AscertainError, UsageError
from ascertain.interfaces.server.event_streams import LiveStream
from ascertain.interfaces.server.identity import Caller
from ascertain.interfaces.server.problems import Problem, ProblemError, note_error, problem_of
from ascertain.interfaces.server.service import Service

T = TypeVar("T")
LOOK_FOR_CALLER_SECONDS = 0.5
"""How often it is checked whether a waiting caller is still connected."""

NO_DOCUMENTS = Problem("no-documents", "The knowledge base has no documents yet; upload some: POST /v1/documents.")

STOPPED = Problem("stopped", "This question was stopped before its answer was ready.")


def check_request(knowledge: Ascertain, asked: AskRequest) -> None:
    """Raise UsageError or ProblemError for a question that cannot be answered, before it waits for its turn."""
    knowledge.check_question(asked.question)
    knowledge.check_conversation(asked.conversation_id)
    if asked.mode == "documents":
        check_ready(knowledge)


def check_ready(knowledge: Ascertain) -> None:
    """Raise ProblemError when there are no documents yet."""
    try:
        knowledge.check_ready()
    except UsageError:
        # the app's message names a folder of this machine and a command
        raise ProblemError(NO_DOCUMENTS) from None


@dataclass(frozen=True, slots=True)
class QueuedQuestion:
    """A question that waits for its turn, or is being answered."""

    future: Future[Answer | None]
    stop: Stop
    is_kept: bool
    """Whether it is a turn of a conversation, which is answered even if no one waits."""

    async def wait_for_answer(self, request: Request) -> Answer:
        """The answer, once it is ready.

        A caller who leaves loses the place in the queue, or ends the run: the running model call, or the
        current step. A turn of a conversation continues once it has begun.
        """
        found = await _wait_for_answer(self.future, request, self._leave)
        if found is None:
            raise ProblemError(Problem("unavailable", "The run was ended before it came to an answer."))
        return found

    def _leave(self) -> None:
        self.future.cancel()
        if not self.is_kept:
            self.stop.request()


def queue_question(
    service: Service, who: Caller, asked: AskRequest, show_draft: Callable[[DraftText], object] | None = None
) -> QueuedQuestion:
    """Put a question into the queue; ``show_draft`` is called, in the thread of the run, with drafts as they are written.
    Raises ProblemError when there is no room.
    """
    stop = Stop()

    def run() -> Answer | None:
        try:
            request = replace(asked, drafts=show_draft is not None)
            with closing(who.knowledge.ask_stream(request, stop)) as events:
                for event in events:
                    if show_draft is not None and isinstance(event, DraftText):
                        show_draft(event)
                    if isinstance(event, Done):
                        return event.answer
                    if stop.is_requested:
                        break
        except RunStopped:
            pass
        return None

    future = service.pool.submit(_measure_run(service, asked, run), tenant=who.tenant)
    return QueuedQuestion(future, stop, asked.conversation_id is not None)


async def answer_question(service: Service, who: Caller, asked: AskRequest, request: Request) -> Answer:
    """The answer to a question, once its turn has come; ``QueuedQuestion`` says what happens if the caller leaves."""
    return await queue_question(service, who, asked).wait_for_answer(request)


def begin_stream(service: Service, who: Caller, asked: AskRequest) -> LiveStream:
    """Queue a question and return the stream of its events; the run does not depend on listeners."""
    answer_id = uuid.uuid4().hex
    first = StreamBegunJson(answer_id=answer_id, conversation_id=asked.conversation_id)
    stream = service.streams.begin(
        answer_id, who.tenant, ("started", first.to_json()), user=who.user, about=asked.conversation_id
    )

    def run() -> Answer | None:
        try:
            return _stream_events(
                stream, lambda: who.knowledge.ask_stream(replace(asked, answer_id=answer_id, drafts=True), stream.stop)
            )
        finally:
            service.streams.end(stream)

    try:
        future = service.pool.submit(_measure_run(service, asked, run), tenant=who.tenant)
    except ProblemError as error:
        _tell_failure(stream, error.problem)
        service.streams.end(stream)
        raise
    future.add_done_callback(lambda done: _tell_shutdown(service, stream, done))
    return stream


def stop_stream(stream: LiveStream) -> None:
    """End the run of a stream; its listeners are notified at once, also where it still waits for its turn."""
    stream.stop.request()
    _tell_failure(stream, STOPPED)


def stop_about(service: Service, who: Caller, about: str) -> None:
    """Stop what is running here for a deleted conversation or run; it sends no more events."""
    for stream in service.streams.find_about(about, who.tenant):
        stop_stream(stream)


def _measure_run(service: Service, asked: AskRequest, run: Callable[[], Answer | None]) -> Callable[[], Answer | None]:
    def measured() -> Answer | None:
        try:
            found = run()
        except Exception:
            service.metrics.count_failed_question(asked.mode)
            raise
        if found is not None:
            is_looked_up = asked.use_cache and service.settings.cache.answers
            service.metrics.question(found, asked.mode, "on" if is_looked_up else "off")
            with log_fields(answer_id=found.id):
                logger.info("question answered", extra={"seconds": round(found.seconds, 6)})
        return found

    return measured


async def _wait_for_answer(future: Future[T], request: Request, leave: Callable[[], None]) -> T:
    waiting, has_left = asyncio.wrap_future(future), False
    try:
        while True:
            done, _ = await asyncio.wait({waiting}, timeout=LOOK_FOR_CALLER_SECONDS)
            if done:
                return waiting.result()
            if not has_left and await request.is_disconnected():
                has_left = True
                leave()
    except asyncio.CancelledError:
        if not future.cancelled():
            leave()
            raise
        raise ProblemError(Problem("shutting-down", "This question will not be answered here.")) from None


def _stream_events(stream: LiveStream, begin: Callable[[], Generator[Event]]) -> Answer | None:
    """Start a run and stream its events; the last is the answer or an error."""
    found: Answer | None = None
    try:
        with closing(begin()) as events:
            for event in events:
                kind, data = describe_stream_event(event)
                stream.tell(kind, data.to_json(), is_last=kind == "answer")
                if isinstance(event, Done):
                    found = event.answer
    except RunStopped:
        _tell_failure(stream, STOPPED)
    except AscertainError as error:
        logger.warning("a question failed: %s", type(error).__name__)
        _tell_failure(stream, problem_of(error))
    except Exception as error:
        # no one waits for the result of the run: it goes into the log
        _tell_failure(stream, note_error(error))
        raise
    return found


def _tell_failure(stream: LiveStream, problem: Problem) -> None:
    stream.tell("error", {"problem": problem.describe("/v1/ask/stream", "").to_json()}, is_last=True)


def _tell_shutdown(service: Service, stream: LiveStream, done: Future[Any]) -> None:
    """A question that was never started, because the service is shutting down."""
    if done.cancelled():
        _tell_failure(stream, Problem("shutting-down", "The service ended before this question had its turn."))
        service.streams.end(stream)
