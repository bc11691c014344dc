"""Dates in the words of an answer's caveat."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime, timedelta

from ascertain.core.answers import Citation
from ascertain.core.filters import Filter
from ascertain.retrieval.timeframe import BEGINNING


def day(moment: datetime) -> str:
    """``5 December 2024``."""
    return f"{moment.day} {moment:%B %Y}"


def period(filter: Filter) -> str:
    """``dated 5 December 2024``, ``dated 1 December 2024 to 7 December 2024``; empty without a date condition."""
    start, end = filter.published_from, filter.published_before
    if start == BEGINNING:
        start = None
    if start and end:
        last = end - timedelta(microseconds=1)
        return f"dated {day(start)}" if start.date() == last.date() else f"dated {day(start)} to {day(last)}"
    if start:
        return f"dated {day(start)} or later"
    return f"dated before {day(end)}" if end else ""


def undated_caveat(filter: Filter, were_any: bool, citations: Iterable[Citation]) -> str:
    """Why an answer is not from the period asked about, and how old what it rests on is."""
    missing = f"Nothing {period(filter)}{' answers this' if were_any else ''}"
    dates = [citation.published_at for citation in citations if citation.published_at]
    if not dates:
        return f"{missing}; what follows carries no date."
    return f"{missing}; the newest found is from {day(max(dates))}."


def without(phrase: str, question: str) -> str:
    """The question less its words about time; the whole question when nothing else would be left."""
    rest = re.sub(re.escape(phrase), " ", question, flags=re.IGNORECASE)
    rest = re.sub(r"\s+([?!.,;])", r"\1", " ".join(rest.split())).lstrip(" ,;.")
    return rest if any(character.isalnum() for character in rest) else question
