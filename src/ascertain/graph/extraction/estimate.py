"""What reading by chat model would take, before it is begun."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ascertain.core.settings import ChatSettings
from ascertain.models.ports import Message

_CHARACTERS_PER_TOKEN = 4
"""OpenAI's rule of thumb for English text, as calls are booked where a server does not count."""
OUTPUT_PER_INPUT = 0.6
"""Tokens of a reply for each token of the sentences: a sentence of 25 tokens states one relation in every three, which takes about 45 as JSON."""


@dataclass(frozen=True, slots=True)
class ExtractionEstimate:
    """``usd`` is None where no price is set (models.chat.input_usd_per_million, output_usd_per_million)."""

    calls: int
    input_tokens: int
    output_tokens: int
    usd: float | None


def estimated(
    texts: Iterable[str], prompt: Sequence[Message], prices: ChatSettings | None
) -> ExtractionEstimate:
    """For one call for each of ``texts``, each within ``prompt``."""
    fixed = _tokens(sum(len(message.content) for message in prompt))
    calls = given = got = 0
    for text in texts:
        calls += 1
        given += fixed + _tokens(len(text))
        got += math.ceil(_tokens(len(text)) * OUTPUT_PER_INPUT)
    return ExtractionEstimate(calls, given, got, dollars(given, got, prices))


def most_a_call_costs(messages: Sequence[Message], prices: ChatSettings | None) -> float | None:
    """Dollars of one call with the longest reply that is allowed; None where no price is set."""
    if prices is None:
        return None
    given = _tokens(sum(len(message.content) for message in messages))
    return dollars(given, prices.max_output_tokens, prices)


def dollars(input_tokens: int, output_tokens: int, prices: ChatSettings | None) -> float | None:
    """What so many tokens cost; None where no price is set."""
    if prices is None or not (prices.input_usd_per_million or prices.output_usd_per_million):
        return None
    return (input_tokens * prices.input_usd_per_million + output_tokens * prices.output_usd_per_million) / 1e6


def _tokens(characters: int) -> int:
    return math.ceil(characters / _CHARACTERS_PER_TOKEN)
