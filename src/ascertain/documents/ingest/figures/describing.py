"""Descriptions of pictures by a chat model that reads images, and their cost."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from pydantic import BaseModel, Field

from ascertain.core.asking.runs import Budget, Run, Task
from ascertain.core.documents.documents import Document
from ascertain.core.errors import ModelError
from ascertain.core.settings import ChatSettings, GraphSettings
from ascertain.documents.formats.reader import Picture
from ascertain.language.instructions import without_instructions
from ascertain.models.ports import Chat, Image, Message
from ascertain.models.prompts import Prompts, as_data
from ascertain.models.untrusted import keep_visible

PROMPT = "describe_figure"
MOST_CHARACTERS = 4000
"""Of a description, twice the requested words: more means a model that does not stop."""
_AROUND = 300
"""Characters of the document before the picture, and behind it: its caption, and the sentence that points at it."""
_PIXELS_A_TOKEN = 750
"""Anthropic's guide to vision: a picture costs about its width times its height in pixels, divided by this; OpenAI's come to less."""
_PROMPT_TOKENS = 700
"""What is said around the picture, schema and text of the document included (the packaged prompt at four characters a token)."""
_REPLY_TOKENS = 350
"""250 words."""


class FigureReply(BaseModel):
    """What a picture shows."""

    is_decorative: bool = Field(default=False, description="Whether the picture says nothing to search for.")
    description: str = Field(default="", description="What it shows, in plain sentences; empty where it is decorative.")


class FigureDescriber(Protocol):
    """Describes what a picture shows."""

    @property
    def model(self) -> str:
        """The model, as the settings name it; descriptions are cached by it."""
        ...

    def describe(self, picture: Picture, document: Document) -> str:
        """Plain sentences on what a picture of ``document`` shows; empty where that is nothing to search for.

        Raises ModelError when the model gave no description, and BudgetExceeded before a call that the budget does not allow.
        """
        ...

    def estimate(self, pictures: Iterable[Picture]) -> FigureEstimate:
        """The cost of describing these, without calling the model."""
        ...


@dataclass(frozen=True, slots=True)
class FigureEstimate:
    """The approximate cost of describing; ``usd`` is 0 where no price is set."""

    pictures: int = 0
    tokens: int = 0
    usd: float = 0.0

    def plus(self, other: FigureEstimate) -> FigureEstimate:
        """Both together."""
        return FigureEstimate(self.pictures + other.pictures, self.tokens + other.tokens, self.usd + other.usd)


class ModelFigureDescriber:
    """Asks a chat model that reads images about each picture, within the budget of reading by chat model in one run (``graph.model_calls``,
    ``graph.model_budget_usd``).
    """

    def __init__(self, chat: Chat, prompts: Prompts, model: str, settings: GraphSettings, prices: ChatSettings) -> None:
        self.model = model
        self._chat = chat
        self._prompts = prompts
        self._prices = prices
        self._run = Run(
            Budget(settings.model_calls, tokens=sys.maxsize, seconds=math.inf, usd=settings.model_budget_usd)
        )

    def describe(self, picture: Picture, document: Document) -> str:
        """See ``FigureDescriber.describe``."""
        about = {"title": document.title, "place": picture.place.label, "language": document.language or ""}
        blocks = [
            as_data(
                without_instructions(picture.caption),
                "caption",
                {name: value for name, value in about.items() if value},
            )
        ]
        around = document.text[max(0, picture.position - _AROUND) : picture.position + _AROUND].strip()
        if around:
            blocks.append(as_data(without_instructions(around), "text_around"))
        *before, last = self._prompts.messages(PROMPT, about="\n".join(blocks))
        asked = [*before, Message(last.role, last.content, (Image(picture.data, picture.media_type),))]
        reply = self._chat.ask(Task.DESCRIBE, asked, FigureReply, self._run)
        if reply.is_decorative:
            return ""
        text = " ".join(keep_visible(reply.description).split())
        if not text:
            raise ModelError(f"{self.model}: an empty description")
        return text if len(text) <= MOST_CHARACTERS else text[:MOST_CHARACTERS].rpartition(" ")[0] + " …"

    def estimate(self, pictures: Iterable[Picture]) -> FigureEstimate:
        """See ``FigureDescriber.estimate``."""
        sizes = [picture.size for picture in pictures]
        given = sum(_PROMPT_TOKENS + math.ceil(width * height / _PIXELS_A_TOKEN) for width, height in sizes)
        got = _REPLY_TOKENS * len(sizes)
        prices = self._prices
        usd = (given * prices.input_usd_per_million + got * prices.output_usd_per_million) / 1e6
        return FigureEstimate(len(sizes), given + got, usd)
