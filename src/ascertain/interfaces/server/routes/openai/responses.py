"""``/v1/responses``: questions by OpenAI's newer API, whole or as events."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool

from ascertain.app.ascertain import Ascertain
from ascertain.app.asking.rendering import BELOW_DRAFT, MarkdownPiece, answer_as_markdown
from ascertain.app.wire.openai.chat_completions import ChatMessageBody
from ascertain.app.wire.openai.responses import (
    NamedConversationBody,
    OutputMessageJson,
    OutputTextJson,
    ResponseAnnotation,
    ResponseBody,
    ResponseErrorJson,
    ResponseEventJson,
    ResponseFileJson,
    ResponseJson,
    ResponseTokensJson,
    ResponseUrlJson,
)
from ascertain.app.wire.shape import make_example
from ascertain.core.asking.answers import Answer, Citation, safe_link
from ascertain.core.asking.requests import HISTORY_TURNS, AskRequest, Turn
from ascertain.core.documents.blocks import Span
from ascertain.interfaces.server.answer_streams import DraftQueue, send_answer
from ascertain.interfaces.server.asking import answer_question, check_request, queue_question
from ascertain.interfaces.server.event_streams import EventsResponse
from ascertain.interfaces.server.identity import Caller, Known
from ascertain.interfaces.server.problems import Problem, ProblemError, describe_chat_problems
from ascertain.interfaces.server.routes.openai.chat_completions import (
    check_model,
    describe_answer,
    find_marks,
    read_chat,
)
from ascertain.interfaces.server.service import Running

responses_router = APIRouter(tags=["chat front ends"])
PREFIX = "resp_"
_EXAMPLE = f"event: response.output_text.delta\ndata: {json.dumps(make_example(ResponseEventJson))}\n\n"
_REPLIES: dict[int | str, dict[str, Any]] = {
    200: {
        "model": ResponseJson,
        # without a schema, which OpenAPI 3.1 would hold against the stream as a whole
        "content": {"text/event-stream": {"example": _EXAMPLE}},
    }
}


@responses_router.post(
    "/v1/responses", response_model=ResponseJson, responses={**_REPLIES, **describe_chat_problems(400, 404, 409, 503)}
)
async def create_response(
    body: ResponseBody, who: Known, service: Running, request: Request
) -> ResponseJson | EventsResponse:
    """Answer a question as OpenAI's API of responses does, whole or as events (`stream`).

    The answer is Markdown with a footnote for each citation, each of which is an annotation too; `ascertain` has the same as data. Unless
    `store` is false the answer is stored as a turn of a conversation, which the next question continues with `previous_response_id`.
    """
    check_model(body.model)
    asked = await run_in_threadpool(_read_request, body, who, HISTORY_TURNS)
    await run_in_threadpool(check_request, who.knowledge, asked)
    reply = _Reply(asked, int(service.now().timestamp()), body)
    if body.stream:
        drafts = DraftQueue() if service.settings.server.stream_drafts else None
        queued = queue_question(service, who, asked, drafts and drafts.put)
        return EventsResponse(send_answer(reply, queued, request, drafts))
    return reply.make_whole(await answer_question(service, who, asked, request))


def _read_request(body: ResponseBody, who: Caller, most_turns: int) -> AskRequest:
    """The question with the turns that it follows. Raises ProblemError where it cannot be read or follows nothing."""
    if isinstance(body.input, str):
        messages = [ChatMessageBody(role="user", content=body.input)]
    else:
        messages = [message for item in body.input if (message := item.to_message()) is not None]
    before: Sequence[Turn] = ()
    named = body.conversation.id if isinstance(body.conversation, NamedConversationBody) else body.conversation
    if body.previous_response_id is not None:
        if named is not None:
            raise _wrong("conversation", "Give a conversation or previous_response_id, not both.")
        named, before, is_latest = _find_previous(who.knowledge, body.previous_response_id)
        if is_latest and len(messages) == 1 and body.store is not False:
            # the stored turns have more than their text
            before = ()
    if body.store is False:
        if named is not None and body.previous_response_id is None:
            raise _wrong("store", "A turn of a conversation is always stored; leave out store, or the conversation.")
        named = None
    elif named is None:
        named = uuid.uuid4().hex
    return read_chat(messages, who.tenant, named, most_turns, before=before, field="input")


def _find_previous(knowledge: Ascertain, response_id: str) -> tuple[str, Sequence[Turn], bool]:
    """The conversation of a response, its turns up to that one, and whether it is the latest.

    Raises ProblemError for a response that is not stored, or belongs to someone else.
    """
    conversation_id, _, turn_id = response_id.removeprefix(PREFIX).rpartition("_")
    turns = knowledge.conversation(conversation_id) if conversation_id and knowledge.exists else []
    at = next((at for at, turn in enumerate(turns) if turn.turn_id == turn_id and turn.outcome is not None), None)
    if at is None:
        raise _wrong("previous_response_id", "There is no stored response with this id.")
    before: list[Turn] = []
    for turn in turns[: at + 1]:
        if turn.outcome is not None:
            before.append(Turn("user", turn.question, turn.outcome.standalone or ""))
            before.append(Turn("assistant", turn.outcome.text))
    return conversation_id, before, at == len(turns) - 1


def _wrong(name: str, problem: str) -> ProblemError:
    return ProblemError(Problem("invalid-request", problem, errors=({"pointer": f"#/{name}", "detail": problem},)))


@dataclass(frozen=True, slots=True)
class _Reply:
    """One streamed answer, in the form of OpenAI's responses API."""

    asked: AskRequest
    created: int
    body: ResponseBody
    _numbers: Iterator[int] = field(default_factory=count)

    @property
    def message_id(self) -> str:
        return f"msg_{self.asked.answer_id}"

    def make_whole(self, answer: Answer) -> ResponseJson:
        """The response with the whole answer."""
        pieces = tuple(answer_as_markdown(answer))
        part = OutputTextJson(text="".join(piece.text for piece in pieces), annotations=_annotate(pieces))
        return self._finish(answer, part)

    def make_first_events(self) -> Iterator[str]:
        """The events that it has begun."""
        for kind in ("response.created", "response.in_progress"):
            yield self._write_event(kind, response=self._describe("in_progress"))
        item = OutputMessageJson(id=self.message_id, status="in_progress", content=[])
        yield self._write_event("response.output_item.added", output_index=0, item=item)
        part = OutputTextJson(text="", annotations=[])
        yield self._write_event("response.content_part.added", **self._place, part=part)

    def make_delta(self, text: str) -> str:
        """A piece of the text."""
        return self._write_event("response.output_text.delta", **self._place, delta=text, logprobs=[])

    def make_last_events(self, answer: Answer, sent: str) -> Iterator[str]:
        """The answer after the draft that was ``sent``, and that it is complete."""
        pieces = tuple(answer_as_markdown(answer))
        before = sent + BELOW_DRAFT if sent else ""
        if sent:
            yield self.make_delta(BELOW_DRAFT)
        for piece in pieces:
            yield self.make_delta(piece.text)
        text = before + "".join(piece.text for piece in pieces)
        part = OutputTextJson(text=text, annotations=_annotate(pieces, len(before)))
        for index, annotation in enumerate(part.annotations):
            yield self._write_event(
                "response.output_text.annotation.added", **self._place, annotation_index=index, annotation=annotation
            )
        yield self._write_event("response.output_text.done", **self._place, text=part.text, logprobs=[])
        yield self._write_event("response.content_part.done", **self._place, part=part)
        whole = self._finish(answer, part)
        yield self._write_event("response.output_item.done", output_index=0, item=whole.output[0])
        yield self._write_event("response.completed", response=whole)

    def make_failure(self, problem: Problem) -> str:
        """The event that there is no answer."""
        described = problem.describe_to_chat().error
        error = ResponseErrorJson(code=described.code, message=described.message)
        return self._write_event("response.failed", response=self._describe("failed", error=error))

    @property
    def _place(self) -> dict[str, Any]:
        return {"item_id": self.message_id, "output_index": 0, "content_index": 0}

    def _finish(self, answer: Answer, part: OutputTextJson) -> ResponseJson:
        spent = answer.usage
        return self._describe(
            "completed",
            output=[OutputMessageJson(id=self.message_id, status="completed", content=[part])],
            usage=ResponseTokensJson(
                input_tokens=spent.input_tokens,
                output_tokens=spent.output_tokens,
                total_tokens=spent.input_tokens + spent.output_tokens,
            ),
            ascertain=describe_answer(answer),
        )

    def _describe(self, status: str, **others: Any) -> ResponseJson:
        conversation_id = self.asked.conversation_id
        kept = f"{conversation_id}_" if conversation_id else ""
        known: dict[str, Any] = {"output": [], "usage": None, **others}
        return ResponseJson.model_validate(
            {
                "id": f"{PREFIX}{kept}{self.asked.answer_id}",
                "created_at": self.created,
                "status": status,
                "model": self.body.model,
                "previous_response_id": self.body.previous_response_id,
                "instructions": self.body.instructions,
                "metadata": self.body.metadata or {},
                "store": conversation_id is not None,
                **known,
            }
        )

    def _write_event(self, kind: str, **fields: Any) -> str:
        event = ResponseEventJson.of(kind, next(self._numbers), fields)
        return f"event: {kind}\ndata: {json.dumps(event.to_json())}\n\n"


def _annotate(pieces: Sequence[MarkdownPiece], start: int = 0) -> list[ResponseAnnotation]:
    return [_annotate_mark(citation, span) for citation, span in find_marks(pieces, start)]


def _annotate_mark(citation: Citation, span: Span) -> ResponseAnnotation:
    title = citation.title or citation.source
    if link := safe_link(citation.url):
        return ResponseUrlJson(start_index=span.start, end_index=span.end, title=title, url=link)
    return ResponseFileJson(file_id=citation.document_id, filename=title, index=span.start)
