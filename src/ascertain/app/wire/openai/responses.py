"""Responses as OpenAI's API has them: the request, the answer, and the events of a stream."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field

from ascertain.app.wire.openai.chat_completions import (
    MODEL,
    ChatAnswerJson,
    ChatMessageBody,
    LenientBody,
    TextFormatBody,
    TextPartBody,
)
from ascertain.app.wire.requests import LONGEST_TEXT, ConversationId
from ascertain.app.wire.shape import Shape

LONGEST_ID = 300


class InputItemBody(LenientBody):
    """A message, or another input item, which is ignored."""

    type: str = Field(default="message", max_length=100)
    role: Literal["system", "developer", "user", "assistant"] | None = None
    content: Annotated[str, Field(max_length=LONGEST_TEXT)] | list[TextPartBody] | None = None

    def to_message(self) -> ChatMessageBody | None:
        """As a chat has it; None for anything but a message."""
        if self.type != "message" or self.role is None:
            return None
        parts = self.content
        if isinstance(parts, list):
            parts = [
                TextPartBody(type="text", text=part.text)
                if part.type in {"input_text", "output_text", "text"}
                else part
                for part in parts
            ]
        return ChatMessageBody(role=self.role, content=parts)


class NamedConversationBody(LenientBody):
    """The conversation by its id."""

    id: ConversationId


class TextBody(LenientBody):
    """How the reply is written."""

    format: TextFormatBody | None = None


class ResponseBody(LenientBody):
    """A question, or a chat whose last message is one; settings that are not listed here are ignored."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"model": MODEL, "input": "How do refunds work?", "store": False},
                {
                    "model": MODEL,
                    "input": [{"role": "user", "content": [{"type": "input_text", "text": "How long does it take?"}]}],
                    "conversation": "support-17",
                    "stream": True,
                },
            ]
        }
    )

    model: Annotated[str, Field(min_length=1, max_length=200, description=f"`{MODEL}`.")]
    input: (
        Annotated[str, Field(min_length=1, max_length=LONGEST_TEXT)]
        | Annotated[list[InputItemBody], Field(min_length=1)]
    ) = Field(description="The question, or messages with the question last.")
    instructions: Annotated[str, Field(max_length=LONGEST_TEXT)] | None = Field(
        default=None, description="Ignored, as system messages are."
    )
    previous_response_id: Annotated[str, Field(max_length=LONGEST_ID)] | None = Field(
        default=None, description="The response that the question follows; it must have been stored."
    )
    conversation: ConversationId | NamedConversationBody | None = Field(
        default=None, description="The conversation that the question is a turn of."
    )
    store: bool | None = Field(
        default=None,
        description="Whether the answer is stored as a turn of a conversation, which is started if there is none; true by default.",
    )
    stream: bool | None = Field(default=None, description="Whether to send the answer in pieces, as events.")
    metadata: dict[str, str] | None = Field(default=None, max_length=16, description="Returned unchanged.")
    text: TextBody | None = None
    tool_choice: Literal["none", "auto"] | None = Field(default=None, description="No tool is ever called.")
    background: Literal[False] | None = Field(default=None, description="Answers are always synchronous.")


class ResponseUrlJson(Shape):
    """A mark in the text whose document has a web address."""

    type: Literal["url_citation"] = "url_citation"
    start_index: int = Field(description="Where the mark stands in `text`, in code points.", examples=[51])
    end_index: int = Field(description="Where the mark ends.", examples=[55])
    title: str = Field(examples=["Refunds"])
    url: str = Field(examples=["https://example.org/refunds"])


class ResponseFileJson(Shape):
    """A mark in the text whose document has none."""

    type: Literal["file_citation"] = "file_citation"
    file_id: str = Field(description="The id of the document.", examples=["2b5c5f3e0e9d4f1c8a77"])
    filename: str = Field(description="Its title.", examples=["Refunds"])
    index: int = Field(description="Where the mark stands in `text`, in code points.", examples=[51])


ResponseAnnotation = ResponseUrlJson | ResponseFileJson


class OutputTextJson(Shape):
    """The answer as Markdown, with its citations."""

    type: Literal["output_text"] = "output_text"
    text: str = Field(examples=["A refund is granted within 30 days of the purchase.[^1]"])
    annotations: list[ResponseAnnotation] = Field(
        description="The citations, each where its mark stands.", examples=[[]]
    )
    logprobs: list[float] = Field(default=[], examples=[[]])


class OutputMessageJson(Shape):
    """The message with the answer."""

    type: Literal["message"] = "message"
    id: str = Field(examples=["msg_5b1f0c8e2d914b7a9c3e6f7a8b9c0d1e"])
    status: Literal["in_progress", "completed"] = Field(examples=["completed"])
    role: Literal["assistant"] = "assistant"
    content: list[OutputTextJson]


class InputDetailsJson(Shape):
    """Of the tokens read."""

    cached_tokens: int = Field(default=0, examples=[0])


class OutputDetailsJson(Shape):
    """Of the tokens written."""

    reasoning_tokens: int = Field(default=0, examples=[0])


class ResponseTokensJson(Shape):
    """Tokens that chat models read and wrote for the answer; none without a chat model."""

    input_tokens: int = Field(examples=[0])
    input_tokens_details: InputDetailsJson = InputDetailsJson()
    output_tokens: int = Field(examples=[0])
    output_tokens_details: OutputDetailsJson = OutputDetailsJson()
    total_tokens: int = Field(examples=[0])


class ResponseErrorJson(Shape):
    """Why there is no answer."""

    code: str = Field(examples=["server_error"])
    message: str = Field(examples=["A model does not answer."])


class ResponseJson(Shape):
    """An answer as a response."""

    id: str = Field(
        description="Use it as `previous_response_id` of the next question, if the answer is stored.",
        examples=["resp_support-17_5b1f0c8e2d914b7a9c3e6f7a8b9c0d1e"],
    )
    object: Literal["response"] = "response"
    created_at: int = Field(description="Seconds since 1970.", examples=[1733421600])
    status: Literal["in_progress", "completed", "failed"] = Field(examples=["completed"])
    model: str = Field(examples=[MODEL])
    output: list[OutputMessageJson]
    usage: ResponseTokensJson | None
    previous_response_id: str | None = Field(examples=[None])
    instructions: str | None = Field(examples=[None])
    metadata: dict[str, str] = Field(examples=[{}])
    store: bool
    error: ResponseErrorJson | None = Field(default=None, examples=[None])
    incomplete_details: None = Field(default=None, examples=[None])
    parallel_tool_calls: bool = Field(default=False)
    temperature: None = Field(default=None, examples=[None])
    top_p: None = Field(default=None, examples=[None])
    tool_choice: Literal["none"] = "none"
    tools: list[str] = Field(default=[], description="Tools are never called.", examples=[[]])
    ascertain: ChatAnswerJson | None = Field(default=None, description="The answer as data, beyond its text.")


class ResponseEventJson(Shape):
    """An event of a stream; its other fields are those of its type in OpenAI's API."""

    model_config = ConfigDict(extra="allow")

    type: str = Field(examples=["response.output_text.delta"])
    sequence_number: int = Field(description="From 0.", examples=[4])

    @classmethod
    def of(cls, kind: str, number: int, fields: Mapping[str, Any]) -> ResponseEventJson:
        """The event with what its type has."""
        return cls.model_validate({"type": kind, "sequence_number": number, **fields})
