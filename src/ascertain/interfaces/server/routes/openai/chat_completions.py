"""``/v1/chat/completions`` and ``/v1/models``: the service as an OpenAI API, so that any chat front end
can ask it.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Header, Path, Request
from fastapi.concurrency import run_in_threadpool

from ascertain.app.asking.rendering import BELOW_DRAFT, MarkdownPiece, answer_as_markdown, read_markdown_answer
from ascertain.app.wire.openai.chat_completions import (
    MODEL,
    AnnotationJson,
    ChatAnswerJson,
    ChatBody,
    ChatCompletionJson,
    ChatMessageBody,
    ChatMessageJson,
    ChatPieceJson,
    ChoiceJson,
    DeltaJson,
    ModelJson,
    ModelsJson,
    PieceChoiceJson,
    TokensJson,
    UrlCitationJson,
)
from ascertain.app.wire.requests import ConversationId
from ascertain.app.wire.shape import make_example
from ascertain.core.asking.answers import Answer, Citation, safe_link
from ascertain.core.asking.passages import Filter
from ascertain.core.asking.requests import HISTORY_TURNS, AskRequest, Turn
from ascertain.core.documents.blocks import Span
from ascertain.interfaces.server.answer_streams import DraftQueue, send_answer
from ascertain.interfaces.server.asking import answer_question, check_request, queue_question
from ascertain.interfaces.server.event_streams import EventsResponse
from ascertain.interfaces.server.identity import Known
from ascertain.interfaces.server.problems import Problem, ProblemError, describe_chat_problems
from ascertain.interfaces.server.service import Running, Service

_END = "data: [DONE]\n\n"
_EXAMPLE = f"data: {json.dumps(make_example(ChatPieceJson))}\n\n{_END}"
_REPLIES: dict[int | str, dict[str, Any]] = {
    200: {
        "model": ChatCompletionJson,
        # without a schema, which OpenAPI 3.1 would hold against the stream as a whole
        "content": {"text/event-stream": {"example": _EXAMPLE}},
    }
}

ConversationHeader = Annotated[
    ConversationId | None,
    Header(alias="X-Conversation-ID", description="The conversation that the question is a turn of; over `user`."),
]

chat_router = APIRouter(tags=["chat front ends"])


@chat_router.get("/v1/models", responses=describe_chat_problems())
def list_models(who: Known, service: Running) -> ModelsJson:
    """List the models: the knowledge base is the only one."""
    return ModelsJson(data=[_describe_model(service)])


@chat_router.get("/v1/models/{model}", responses=describe_chat_problems(404))
def show_model(model: Annotated[str, Path(max_length=200)], who: Known, service: Running) -> ModelJson:
    """Show a model of OpenAI's API."""
    check_model(model)
    return _describe_model(service)


@chat_router.post(
    "/v1/chat/completions",
    response_model=ChatCompletionJson,
    responses={**_REPLIES, **describe_chat_problems(400, 404, 409, 503)},
)
async def complete_chat(
    body: ChatBody, who: Known, service: Running, request: Request, conversation_id: ConversationHeader = None
) -> ChatCompletionJson | EventsResponse:
    """Answer the last message of a chat as OpenAI's API does, whole or as events (`stream`).

    The answer is Markdown with a footnote for each citation; `ascertain` has the same as data. Messages before the last
    are its context; without any, the turns of the conversation are.
    """
    check_model(body.model)
    named = conversation_id or body.user or None
    asked = read_chat(body.messages, who.tenant, named, HISTORY_TURNS)
    await run_in_threadpool(check_request, who.knowledge, asked)
    reply = _Reply(asked.answer_id, int(service.now().timestamp()), body)
    if body.stream:
        drafts = DraftQueue() if service.settings.server.stream_drafts else None
        queued = queue_question(service, who, asked, drafts and drafts.put)
        return EventsResponse(send_answer(reply, queued, request, drafts))
    return reply.make_whole(await answer_question(service, who, asked, request))


def check_model(name: str, others: Collection[str] = ()) -> None:
    """Raise ProblemError unless the model has this name or is one of ``others``."""
    if name != MODEL and name not in others:
        problem = f"There is no model with this name; the only one is {MODEL}."
        raise ProblemError(Problem("not-found", problem, errors=({"pointer": "#/model", "detail": problem},)))


def _describe_model(service: Service) -> ModelJson:
    return ModelJson(id=MODEL, created=int(service.began_at.timestamp()), owned_by=MODEL)


def read_chat(
    messages: Sequence[ChatMessageBody],
    tenant: str,
    conversation_id: str | None,
    most_turns: int,
    *,
    before: Sequence[Turn] = (),
    field: str = "messages",
) -> AskRequest:
    """The question of a chat, whose turns ``before`` the messages are stored. Raises ProblemError, which points into ``field``, if
    none can be read.
    """
    asked_at = next((at for at in range(len(messages) - 1, -1, -1) if messages[at].role == "user"), None)
    if asked_at is None:
        raise _unreadable(f"#/{field}", "There is no user message to use as the question.")
    question = messages[asked_at]
    if isinstance(question.content, list) and any(part.type != "text" for part in question.content):
        raise _unreadable(f"#/{field}/{asked_at}/content", "Only text can be read, neither pictures nor files.")
    return AskRequest(
        question.text,
        filter=Filter(tenant=tenant),
        conversation_id=conversation_id,
        history=(*before, *_read_history(messages[:asked_at]))[-2 * most_turns :] if most_turns else (),
        answer_id=uuid.uuid4().hex,
        keep=conversation_id is not None,
    )


def _unreadable(pointer: str, problem: str) -> ProblemError:
    return ProblemError(Problem("invalid-request", problem, errors=({"pointer": pointer, "detail": problem},)))


def _read_history(messages: Sequence[ChatMessageBody]) -> list[Turn]:
    """The earlier messages."""
    turns: list[Turn] = []
    for message in messages:
        if message.role == "user" and message.text:
            turns.append(Turn("user", message.text))
        elif message.role == "assistant" and message.text:
            turns.append(Turn("assistant", read_markdown_answer(message.text)))
    return turns


@dataclass(frozen=True, slots=True)
class _Reply:
    """One streamed answer, in the form of OpenAI's API."""

    answer_id: str
    created: int
    body: ChatBody

    @property
    def reply_id(self) -> str:
        return f"chatcmpl-{self.answer_id}"

    def make_whole(self, answer: Answer) -> ChatCompletionJson:
        pieces = tuple(answer_as_markdown(answer))
        content = "".join(piece.text for piece in pieces)
        message = ChatMessageJson(content=content, annotations=list(_annotate_marks(pieces)))
        return ChatCompletionJson(
            id=self.reply_id,
            created=self.created,
            model=self.body.model,
            choices=[ChoiceJson(message=message)],
            usage=_count_tokens(answer),
            ascertain=describe_answer(answer),
        )

    def make_first_events(self) -> Iterator[str]:
        """The role of the message."""
        yield self._make_event(DeltaJson(role="assistant", content=""))

    def make_delta(self, text: str) -> str:
        return self._make_event(DeltaJson(content=text))

    def make_last_events(self, answer: Answer, sent: str) -> Iterator[str]:
        """The answer after the draft that was ``sent``; the last but one has the tokens, if requested."""
        pieces = tuple(answer_as_markdown(answer))
        if sent:
            yield self.make_delta(BELOW_DRAFT)
        for piece in pieces:
            yield self.make_delta(piece.text)
        annotations = list(_annotate_marks(pieces, len(sent + BELOW_DRAFT) if sent else 0))
        last = PieceChoiceJson(delta=DeltaJson(annotations=annotations or None), finish_reason="stop")
        yield self._write_event([last], ascertain=describe_answer(answer))
        if self.body.stream_options and self.body.stream_options.include_usage:
            yield self._write_event([], usage=_count_tokens(answer))
        yield _END

    def make_failure(self, problem: Problem) -> str:
        return f"data: {json.dumps(problem.describe_to_chat().to_json())}\n\n"

    def _make_event(self, delta: DeltaJson) -> str:
        return self._write_event([PieceChoiceJson(delta=delta)])

    def _write_event(self, choices: list[PieceChoiceJson], **others: Any) -> str:
        piece = ChatPieceJson(id=self.reply_id, created=self.created, model=self.body.model, choices=choices, **others)
        return f"data: {json.dumps(piece.to_json())}\n\n"


def _annotate_marks(pieces: Sequence[MarkdownPiece], start: int = 0) -> Iterator[AnnotationJson]:
    """Where the marks stand whose documents have a web address; the first piece stands at ``start``."""
    for citation, span in find_marks(pieces, start):
        if link := safe_link(citation.url):
            cited = UrlCitationJson(start_index=span.start, end_index=span.end, title=citation.title, url=link)
            yield AnnotationJson(url_citation=cited)


def find_marks(pieces: Sequence[MarkdownPiece], start: int = 0) -> Iterator[tuple[Citation, Span]]:
    """The citations and where their marks stand, in code points; the first piece stands at ``start``."""
    for piece in pieces:
        end = start + len(piece.text)
        if piece.citation:
            yield piece.citation, Span(start, end)
        start = end


def describe_answer(answer: Answer) -> ChatAnswerJson:
    """The answer as data, beyond its text."""
    return ChatAnswerJson.from_noun(answer)


def _count_tokens(answer: Answer) -> TokensJson:
    spent = answer.usage
    return TokensJson(
        prompt_tokens=spent.input_tokens,
        completion_tokens=spent.output_tokens,
        total_tokens=spent.input_tokens + spent.output_tokens,
    )
