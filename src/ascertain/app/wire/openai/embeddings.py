"""Embeddings as OpenAI's API has them."""

from __future__ import annotations

from typing import Annotated, Literal, cast

from pydantic import BeforeValidator, ConfigDict, Field

from ascertain.app.wire.openai.chat_completions import MODEL, LenientBody
from ascertain.app.wire.requests import LONGEST_TEXT
from ascertain.app.wire.shape import Shape

MOST_TEXTS = 2048
"""Of one request, as in OpenAI's API."""


def _refuse_tokens(given: object) -> object:
    """One text as a list; some clients send numbers of tokens, which only the model they were made for understands."""
    texts: object = [given] if isinstance(given, str) else given
    if not isinstance(texts, list):
        return texts
    texts = cast("list[object]", texts)
    if any(isinstance(each, (int, list)) for each in texts):
        raise ValueError("send text, not tokens (in LangChain: check_embedding_ctx_length=False)")
    return texts


EmbeddedText = Annotated[str, Field(min_length=1, max_length=LONGEST_TEXT)]


class EmbeddingsBody(LenientBody):
    """Texts to embed; settings that are not listed here are ignored."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"model": MODEL, "input": "How do refunds work?"},
                {
                    "model": MODEL,
                    "input": ["A refund is granted.", "The bridge is closed."],
                    "encoding_format": "base64",
                },
            ]
        }
    )

    model: Annotated[str, Field(min_length=1, max_length=200, description=f"`{MODEL}`, or the name of the model.")]
    input: Annotated[
        list[EmbeddedText],
        BeforeValidator(_refuse_tokens, json_schema_input_type=EmbeddedText | list[EmbeddedText]),
        Field(
            min_length=1, max_length=MOST_TEXTS, description="A text, or several; text past the model's window is cut."
        ),
    ]
    encoding_format: Literal["float", "base64"] | None = Field(
        default=None, description="base64: little-endian float32 numbers."
    )
    dimensions: int | None = Field(default=None, ge=1, description="Only that of the model is available.")


class EmbeddingJson(Shape):
    """The vector of a text, of unit length."""

    object: Literal["embedding"] = "embedding"
    index: int = Field(description="Of the text, from 0.", examples=[0])
    embedding: list[float] | str = Field(description="Numbers, or these in base64.", examples=[[0.6, 0.8]])


class EmbeddingTokensJson(Shape):
    """Tokens that were read, about."""

    prompt_tokens: int = Field(examples=[9])
    total_tokens: int = Field(examples=[9])


class EmbeddingsJson(Shape):
    """The vectors of the texts, in their order."""

    object: Literal["list"] = "list"
    data: list[EmbeddingJson]
    model: str = Field(
        description="The model that made them; those of another cannot be compared with them.",
        examples=["all-MiniLM-L6-v2"],
    )
    usage: EmbeddingTokensJson
