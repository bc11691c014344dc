"""A question made ready for searching: what to embed, which words to look up, which dates to keep to."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ascertain.core.answers import Decision
from ascertain.core.clock import Clock
from ascertain.core.filters import Filter
from ascertain.core.settings.profiles import Profile
from ascertain.language.tokens import STOP_WORDS, WORD, folded, stem
from ascertain.retrieval.normalise import normalise
from ascertain.retrieval.timeframe import Timeframe, timeframe

PHRASE = re.compile(r"[\"“”]([^\"“”]{2,200})[\"“”]")
IDENTIFIER = re.compile(r"[^\W_]+(?:[-_./:][^\W_]+)+")
"""Codes and versions such as ``TB-4031`` or ``3.11.2``, looked up whole besides their parts."""
MAX_TERMS = 64
"""More words than this make a text, not a question; the rarest are then looked up only (see ``terms_of``)."""


@dataclass(frozen=True, slots=True)
class PreparedQuestion:
    """``text`` is embedded; ``terms`` maps words and phrases to their weights for the lexical leg."""

    original: str
    text: str
    terms: Mapping[str, float]
    filter: Filter
    timeframe: Timeframe | None
    decisions: tuple[Decision, ...]


def prepare(
    question: str, *, profiles: Sequence[Profile], clock: Clock, filter: Filter, days_back: int | None = None
) -> PreparedQuestion:
    """Expand slang, read the time frame, and weigh the words.

    A time frame read from the question never overrides dates that ``filter`` already sets. Raises UsageError for
    ``days_back`` outside 1..365.
    """
    normalised = normalise(question, profiles)
    decisions: list[Decision] = []
    if normalised.expansions:
        changes = ", ".join(f"{short} → {full}" for short, full in normalised.expansions.items())
        decisions.append(Decision("normalise", "expanded", changes))
    frame = timeframe(question, clock.now(), days_back)
    has_dates = filter.published_from is not None or filter.published_before is not None
    if frame is not None and frame.is_explicit and not has_dates:
        filter = replace(filter, published_from=frame.start, published_before=frame.end)
        decisions.append(Decision("timeframe", "dates set", frame.reason))
    else:
        frame = None
    terms = terms_of(normalised.text)
    for short in normalised.expansions:
        terms.setdefault(short, 1.0)
    return PreparedQuestion(question, normalised.text, terms, filter, frame, tuple(decisions))


def terms_of(text: str) -> dict[str, float]:
    """The words and quoted phrases of ``text`` with their weights: how often each is said.

    Words that carry no meaning are left out, unless there are no others ("who are you"). Words that share a stem
    count as one. Identifiers are kept whole as well as in parts, so that ``TB-4031`` finds itself first.
    """
    weights: dict[str, float] = {}
    spelling: dict[str, str] = {}
    words = [word.replace("’", "'") for word in WORD.findall(folded(text))]
    meaningful = [word for word in words if word not in STOP_WORDS] or words
    for word in meaningful:
        first = spelling.setdefault(stem(word), word)
        weights[first] = weights.get(first, 0.0) + 1.0
    for identifier in IDENTIFIER.findall(text):
        weights.setdefault(f'"{identifier}"', 1.0)
    for phrase in PHRASE.findall(text):
        if len(WORD.findall(phrase)) > 1:
            weights.setdefault(f'"{phrase.strip()}"', 1.0)
    return weights


def rarest(
    terms: Mapping[str, float], frequencies: Mapping[str, int], chunks: int, share: float
) -> dict[str, float]:
    """``terms`` without the words found in more than ``share`` of the chunks, as long as a rarer one is left.

    Common words cost most of a lexical search and tell least; at most MAX_TERMS are kept, the rarest first.
    Unknown words are dropped too: they match nothing.
    """
    known = {term: weight for term, weight in terms.items() if frequencies.get(term, 0) > 0}
    rare = {term: weight for term, weight in known.items() if frequencies[term] <= share * chunks}
    kept = rare or known
    order = sorted(kept, key=lambda term: (frequencies[term], term))[:MAX_TERMS]
    return {term: kept[term] for term in kept if term in set(order)}
