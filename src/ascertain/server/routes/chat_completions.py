"""``/v1/chat/completions`` and ``/v1/models``: the service as clients of OpenAI's API see it, so that any front end for chats
can ask it.
"""

from __future__ import annotations

import asyncio
import json
import uuid
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Header, Path, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import StreamingResponse

from ascertain.app.asking.rendering import (
    ABOVE_DRAFT,
    BELOW_DRAFT,
    BETWEEN_DRAFTS,
    MarkdownPiece,
    answer_as_markdown,
    read_markdown_answer,
)
from ascertain.core.answers import Answer, safe_link
from ascertain.core.errors import AscertainError
from ascertain.core.passages import Filter
from ascertain.core.requests import AskRequest, DraftText, Turn
from ascertain.server.asking import QueuedQuestion, answer_question, check_request, queue_question
from ascertain.server.identity import Known
from ascertain.server.problems import INTERNAL, Problem, ProblemError, describe_chat_problems, problem_of
from ascertain.server.service import Running, Service
from ascertain.telemetry.logs import logger
from ascertain.wire.answers import AnswerJson
from ascertain.wire.chat_completions import (
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
from ascertain.wire.requests import ConversationId
from ascertain.wire.shape import make_example

ALIVE_SECONDS = 15.0
"""How long a stream may be silent, as the HTML standard has it of server-sent events (9.2.7): proxies cut what is."""
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
    """List the models of OpenAI's API that there are: the knowledge base is the one."""
    return ModelsJson(data=[_describe_model(service)])


@chat_router.get("/v1/models/{model}", responses=describe_chat_problems(404))
def show_model(model: Annotated[str, Path(max_length=200)], who: Known, service: Running) -> ModelJson:
    """Show a model of OpenAI's API."""
    _check_model(model)
    return _describe_model(service)


@chat_router.post(
    "/v1/chat/completions",
    response_model=ChatCompletionJson,
    responses={**_REPLIES, **describe_chat_problems(400, 404, 409, 503)},
)
async def complete_chat(
    body: ChatBody, who: Known, service: Running, request: Request, conversation_id: ConversationHeader = None
) -> ChatCompletionJson | StreamingResponse:
    """Answer the last message of a chat as OpenAI's API does, whole or as events (`stream`).

    The answer is Markdown with a footnote for each citation; `ascertain` has the same as data. Messages before the last
    are what it is understood with; where there are none, the turns of the conversation are.
    """
    _check_model(body.model)
    asked = _read_chat(body, who.tenant, conversation_id, service.settings.workflow.history_turns)
    await run_in_threadpool(check_request, who.knowledge, asked)
    reply = _Reply(asked.answer_id, int(service.now().timestamp()), body)
    if body.stream:
        drafts = _DraftQueue() if service.settings.server.stream_drafts else None
        events = _send_pieces(reply, queue_question(service, who, asked, drafts and drafts.put), request, drafts)
        return StreamingResponse(events, media_type="text/event-stream")
    return reply.make_whole(await answer_question(service, who, asked, request))


def _check_model(name: str) -> None:
    if name != MODEL:
        told = f"There is no model of this name; the one there is, is {MODEL}."
        raise ProblemError(Problem("not-found", told, errors=({"pointer": "#/model", "detail": told},)))


def _describe_model(service: Service) -> ModelJson:
    return ModelJson(id=MODEL, created=int(service.began_at.timestamp()), owned_by=MODEL)


def _read_chat(body: ChatBody, tenant: str, conversation_id: str | None, most_turns: int) -> AskRequest:
    """The question of a chat. Raises ProblemError where there is none that can be read."""
    asked_at = next((at for at in range(len(body.messages) - 1, -1, -1) if body.messages[at].role == "user"), None)
    if asked_at is None:
        raise _unreadable("#/messages", "There is no message of a user, which would be the question.")
    question = body.messages[asked_at]
    if isinstance(question.content, list) and any(part.type != "text" for part in question.content):
        raise _unreadable(f"#/messages/{asked_at}/content", "Only text can be read, neither pictures nor files.")
    named = conversation_id or body.user or None
    return AskRequest(
        question.text,
        filter=Filter(tenant=tenant),
        conversation_id=named,
        history=_read_history(body.messages[:asked_at], most_turns),
        answer_id=uuid.uuid4().hex,
        keep=named is not None,
    )


def _unreadable(pointer: str, told: str) -> ProblemError:
    return ProblemError(Problem("invalid-request", told, errors=({"pointer": pointer, "detail": told},)))


def _read_history(messages: Sequence[ChatMessageBody], most_turns: int) -> tuple[Turn, ...]:
    """What was said before, at most so many questions with their answers."""
    turns: list[Turn] = []
    for message in messages:
        if message.role == "user" and message.text:
            turns.append(Turn("user", message.text))
        elif message.role == "assistant" and message.text:
            turns.append(Turn("assistant", read_markdown_answer(message.text)))
    return tuple(turns[-2 * most_turns :] if most_turns else ())


@dataclass(frozen=True, slots=True)
class _Reply:
    """One answer on its way, in the words of OpenAI's API."""

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
            ascertain=_describe_answer(answer),
        )

    def make_pieces(self, answer: Answer, draft: str = "") -> Iterator[str]:
        """The answer as events, behind the ``draft`` that was sent; the last but one tells the tokens, where that is asked for."""
        pieces = tuple(answer_as_markdown(answer))
        if draft:
            yield self.make_event(DeltaJson(content=BELOW_DRAFT))
        for piece in pieces:
            yield self.make_event(DeltaJson(content=piece.text))
        annotations = list(_annotate_marks(pieces, len(draft + BELOW_DRAFT) if draft else 0))
        last = PieceChoiceJson(delta=DeltaJson(annotations=annotations or None), finish_reason="stop")
        yield self._write_event([last], ascertain=_describe_answer(answer))
        if self.body.stream_options and self.body.stream_options.include_usage:
            yield self._write_event([], usage=_count_tokens(answer))
        yield _END

    def make_event(self, delta: DeltaJson) -> str:
        return self._write_event([PieceChoiceJson(delta=delta)])

    def _write_event(self, choices: list[PieceChoiceJson], **others: Any) -> str:
        piece = ChatPieceJson(id=self.reply_id, created=self.created, model=self.body.model, choices=choices, **others)
        return f"data: {json.dumps(piece.to_json())}\n\n"


class _DraftQueue:
    """Drafts on their way from the thread of a run to the event loop."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._queue: asyncio.Queue[DraftText] = asyncio.Queue()

    def put(self, draft: DraftText) -> None:
        """Hand over a piece, from any thread."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._queue.put_nowait, draft)

    async def get(self) -> DraftText:
        """The next piece."""
        return await self._queue.get()


async def _send_pieces(
    reply: _Reply, queued: QueuedQuestion, request: Request, drafts: _DraftQueue | None
) -> AsyncIterator[str]:
    """The answer once it is there, all of it checked, and until then the draft, where it is to be seen, and signs of life."""
    yield reply.make_event(DeltaJson(role="assistant", content=""))
    waiting = asyncio.ensure_future(queued.wait_for_answer(request))
    drafting = asyncio.ensure_future(drafts.get()) if drafts else None
    sent = ""
    try:
        while not waiting.done():
            await asyncio.wait(
                {waiting, *((drafting,) if drafting else ())},
                timeout=ALIVE_SECONDS,
                return_when=asyncio.FIRST_COMPLETED,
            )
            if drafts and drafting and drafting.done():
                piece = _write_draft(drafting.result(), sent)
                sent += piece
                yield reply.make_event(DeltaJson(content=piece))
                drafting = asyncio.ensure_future(drafts.get())
            elif not waiting.done():
                yield ": alive\n\n"
        for event in reply.make_pieces(waiting.result(), sent):
            yield event
    except AscertainError as error:
        logger.warning("a question came to nothing: %s", type(error).__name__)
        yield _write_problem(problem_of(error))
    except Exception:
        logger.exception("a question failed")
        yield _write_problem(INTERNAL)
    finally:
        waiting.cancel()
        if drafting:
            drafting.cancel()


def _write_draft(draft: DraftText, sent: str) -> str:
    """A piece of a draft as it is sent: the first says what it is, and a draft that begins again is told from the one before."""
    above = ABOVE_DRAFT if not sent else BETWEEN_DRAFTS if draft.is_new else ""
    return above + draft.text


def _write_problem(problem: Problem) -> str:
    return f"data: {json.dumps(problem.describe_to_chat().to_json())}\n\n"


def _annotate_marks(pieces: Sequence[MarkdownPiece], start: int = 0) -> Iterator[AnnotationJson]:
    """Where the marks stand whose documents have a web address; the first piece stands at ``start``."""
    for piece in pieces:
        end = start + len(piece.text)
        if piece.citation and (link := safe_link(piece.citation.url)):
            yield AnnotationJson(
                url_citation=UrlCitationJson(start_index=start, end_index=end, title=piece.citation.title, url=link)
            )
        start = end


def _describe_answer(answer: Answer) -> ChatAnswerJson:
    return ChatAnswerJson.from_noun(AnswerJson.from_noun(answer))


def _count_tokens(answer: Answer) -> TokensJson:
    spent = answer.usage
    return TokensJson(
        prompt_tokens=spent.input_tokens,
        completion_tokens=spent.output_tokens,
        total_tokens=spent.input_tokens + spent.output_tokens,
    )
