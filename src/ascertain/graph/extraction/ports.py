"""The port for reading the graph out of documents, and what reading by chat model costs."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from ascertain.core.documents.documents import Chunk
from ascertain.core.graph.nouns import DocumentGraph
from ascertain.core.settings import ChatSettings
from ascertain.models.ports import Message

_CHARACTERS_PER_TOKEN = 4
"""OpenAI's rule of thumb for English text, as calls are booked where a server does not count."""
OUTPUT_PER_INPUT = 0.6
"""Tokens of a reply for each of the sentences: 25 tokens state one relation in every three, about 45 as JSON."""


@dataclass(frozen=True, slots=True)
class ExtractionEstimate:
    """``usd`` is None where no price is set (models.chat.input_usd_per_million, output_usd_per_million)."""

    calls: int
    input_tokens: int
    output_tokens: int
    usd: float | None


def estimate_calls(texts: Iterable[str], prompt: Sequence[Message], prices: ChatSettings | None) -> ExtractionEstimate:
    """For one call for each of ``texts``, each within ``prompt``."""
    fixed = _count_tokens(sum(len(message.content) for message in prompt))
    calls = given = got = 0
    for text in texts:
        calls += 1
        given += fixed + _count_tokens(len(text))
        got += math.ceil(_count_tokens(len(text)) * OUTPUT_PER_INPUT)
    return ExtractionEstimate(calls, given, got, price_tokens(given, got, prices))


def most_a_call_costs(messages: Sequence[Message], prices: ChatSettings | None) -> float | None:
    """Dollars of one call with the longest reply that is allowed; None where no price is set."""
    if prices is None:
        return None
    given = _count_tokens(sum(len(message.content) for message in messages))
    return price_tokens(given, prices.max_output_tokens, prices)


def price_tokens(input_tokens: int, output_tokens: int, prices: ChatSettings | None) -> float | None:
    """The cost of this many tokens; None where no price is set."""
    if prices is None or not (prices.input_usd_per_million or prices.output_usd_per_million):
        return None
    return (input_tokens * prices.input_usd_per_million + output_tokens * prices.output_usd_per_million) / 1e6


def _count_tokens(characters: int) -> int:
    return math.ceil(characters / _CHARACTERS_PER_TOKEN)


class Extractor(Protocol):
    """Reads the graph out of documents.

    The same chunks give the same graph, whatever else is read with them, so that a graph built piece by piece equals
    one built at once. Only an extractor that asks a chat model may differ from run to run.
    """

    @property
    def name(self) -> str:
        """Distinguishes its results from those of another extractor, or of an earlier version."""
        ...

    def extract(self, documents: Iterable[tuple[str, Sequence[Chunk]]]) -> Iterator[DocumentGraph]:
        """One graph for each document, lazily; each is given by its content hash and its searchable chunks in order.

        Raises ModelError where a model cannot be used at all; what a model says of one document never ends the run.
        """
        ...


@runtime_checkable
class CostlyExtractor(Extractor, Protocol):
    """An extractor that costs money. Its budget is for everything that one object reads: each run uses a new one."""

    @property
    def notes(self) -> tuple[str, ...]:
        """The problems so far, a line each."""
        ...

    def estimate(self, documents: Iterable[Sequence[Chunk]]) -> ExtractionEstimate:
        """The cost of reading these documents, each given by its chunks; estimating costs nothing."""
        ...
