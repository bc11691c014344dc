"""Chat completions as OpenAI's API has them, as far as a chat front end needs them: the request, the answer, the pieces
of a stream, the models and the errors.

Fields beyond that API are under ``ascertain``; clients ignore fields that they do not know.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, SerializerFunctionWrapHandler, model_serializer

from ascertain.app.wire.requests import LONGEST_TEXT, ConversationId
from ascertain.app.wire.shape import Shape, omit_fields
from ascertain.core.asking.answers import Answer

MODEL = "ascertain"
"""The only model: the knowledge base."""


class LenientBody(BaseModel):
    """A part of a request as front ends send it: with sampling settings and much else that is ignored here."""

    model_config = ConfigDict(extra="ignore")


class TextPartBody(LenientBody):
    """A part of a message; only those of the type `text` can be read."""

    type: str = Field(max_length=100)
    text: Annotated[str, Field(max_length=LONGEST_TEXT)] = ""


class ChatMessageBody(LenientBody):
    """A message of the chat."""

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: Annotated[str, Field(max_length=LONGEST_TEXT)] | list[TextPartBody] | None = None

    @property
    def text(self) -> str:
        """What is written in it."""
        if isinstance(self.content, list):
            return "\n".join(part.text for part in self.content if part.type == "text")
        return self.content or ""


class StreamOptionsBody(LenientBody):
    """How to stream."""

    include_usage: bool | None = Field(default=None, description="Whether the last piece has the token counts.")


class TextFormatBody(LenientBody):
    """The form of the reply, which is text."""

    type: Literal["text"]


class ChatBody(LenientBody):
    """A chat, whose last message of a user is the question; settings that are not listed here are ignored."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"model": MODEL, "messages": [{"role": "user", "content": "How do refunds work?"}]},
                {
                    "model": MODEL,
                    "messages": [
                        {"role": "user", "content": "How do refunds work?"},
                        {"role": "assistant", "content": "A refund is granted within 30 days of the purchase.[^1]"},
                        {"role": "user", "content": "And how long does it take?"},
                    ],
                    "user": "support-17",
                    "stream": True,
                    "stream_options": {"include_usage": True},
                },
            ]
        }
    )

    model: Annotated[str, Field(min_length=1, max_length=200, description=f"`{MODEL}`.")]
    messages: Annotated[
        list[ChatMessageBody],
        Field(min_length=1, description="The question, last, and the earlier messages; system messages are ignored."),
    ]
    stream: bool | None = Field(default=None, description="Whether to send the answer in pieces, as events.")
    stream_options: StreamOptionsBody | None = None
    user: ConversationId | Literal[""] | None = Field(
        default=None, description="The conversation that the question is a turn of, if no header names one."
    )
    n: Literal[1] | None = Field(default=None, description="There is always one answer.")
    response_format: TextFormatBody | None = None
    tool_choice: Literal["none", "auto"] | None = Field(default=None, description="No tool is ever called.")


class UrlCitationJson(Shape):
    """A web page that is cited."""

    start_index: int = Field(description="Where its mark begins in `content`, in code points.", examples=[51])
    end_index: int = Field(description="Where the mark ends.", examples=[55])
    title: str = Field(examples=["Refunds"])
    url: str = Field(examples=["https://example.org/refunds"])


class AnnotationJson(Shape):
    """A mark in the answer."""

    type: Literal["url_citation"] = "url_citation"
    url_citation: UrlCitationJson


class ChatMessageJson(Shape):
    """The answer as Markdown."""

    role: Literal["assistant"] = "assistant"
    content: str = Field(
        description="The answer with marks of footnotes, how far to trust it, and the footnotes: the quotes.",
        examples=[
            "A refund is granted within 30 days of the purchase.[^1]\n\nConfidence: high (91/100).\n\n"
            "[^1]: [Refunds](<https://example.org/refunds>): “A refund is granted within 30 days of the purchase.”"
        ],
    )
    refusal: None = Field(default=None, examples=[None])
    annotations: list[AnnotationJson] = Field(description="The citations that have a web address.")


class ChatAnswerJson(
    omit_fields(Answer, "question", "answer", "strategy", "attempts", "decisions", "usage", "computation")
):
    """The answer as data, beyond its text."""


class TokensJson(Shape):
    """Tokens that chat models read and wrote for the answer; none without a chat model."""

    prompt_tokens: int = Field(examples=[0])
    completion_tokens: int = Field(examples=[0])
    total_tokens: int = Field(examples=[0])


class ChoiceJson(Shape):
    """The answer."""

    index: Literal[0] = 0
    message: ChatMessageJson
    finish_reason: Literal["stop"] = "stop"
    logprobs: None = Field(default=None, examples=[None])


class ChatCompletionJson(Shape):
    """An answer as a chat completion."""

    id: str = Field(examples=["chatcmpl-5b1f0c8e2d914b7a9c3e6f7a8b9c0d1e"])
    object: Literal["chat.completion"] = "chat.completion"
    created: int = Field(description="Seconds since 1970.", examples=[1733421600])
    model: str = Field(examples=[MODEL])
    choices: list[ChoiceJson]
    usage: TokensJson
    ascertain: ChatAnswerJson


class _SparseShape(Shape):
    """A shape that leaves out empty fields."""

    @model_serializer(mode="wrap")
    def _leave_out_nulls(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {name: value for name, value in write(self).items() if value is not None}


class DeltaJson(_SparseShape):
    """What is added to the message."""

    role: Literal["assistant"] | None = None
    content: str | None = Field(default=None, examples=["A refund is granted"])
    annotations: list[AnnotationJson] | None = Field(default=None, examples=[None])


class PieceChoiceJson(Shape):
    """A piece of the answer."""

    index: Literal[0] = 0
    delta: DeltaJson = Field(examples=[{"content": "A refund is granted"}])
    finish_reason: Literal["stop"] | None = None


class ChatPieceJson(_SparseShape):
    """A piece of a streamed chat completion."""

    id: str = Field(examples=["chatcmpl-5b1f0c8e2d914b7a9c3e6f7a8b9c0d1e"])
    object: Literal["chat.completion.chunk"] = "chat.completion.chunk"
    created: int = Field(examples=[1733421600])
    model: str = Field(examples=[MODEL])
    choices: list[PieceChoiceJson] = Field(
        description="Empty in the piece with the token counts.",
        examples=[[{"index": 0, "delta": {"content": "A refund is granted"}, "finish_reason": None}]],
    )
    usage: TokensJson | None = Field(default=None, examples=[None])
    ascertain: ChatAnswerJson | None = Field(default=None, description="In the last piece.", examples=[None])


class ModelJson(Shape):
    """The knowledge base as a model."""

    id: str = Field(examples=[MODEL])
    object: Literal["model"] = "model"
    created: int = Field(description="When the service began, in seconds since 1970.", examples=[1733421600])
    owned_by: str = Field(examples=[MODEL])


class ModelsJson(Shape):
    """All models there are."""

    object: Literal["list"] = "list"
    data: list[ModelJson]


class ChatErrorJson(Shape):
    """What went wrong."""

    message: str = Field(description="For people.", examples=["There is no model with this name: gpt-5."])
    type: Literal["invalid_request_error", "rate_limit_error", "server_error"] = Field(
        examples=["invalid_request_error"]
    )
    param: str | None = Field(description="The field that is wrong.", examples=["model"])
    code: str = Field(description="For programs.", examples=["model_not_found"])


class ChatProblemJson(Shape):
    """A problem as clients of OpenAI's API expect it."""

    error: ChatErrorJson
