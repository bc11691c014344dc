"""Dates in the words of an answer's caveat."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime, timedelta

from ascertain.core.answers import Citation
from ascertain.core.errors import UsageError
from ascertain.core.passages import Filter
from ascertain.retrieval.query.timeframe import BEGINNING


def format_day(moment: datetime) -> str:
    """``5 December 2024``."""
    return f"{moment.day} {moment:%B %Y}"


def format_period(filter: Filter) -> str:
    """``dated 5 December 2024``, ``dated 1 December 2024 to 7 December 2024``; empty without a date condition."""
    start, end = filter.published_from, filter.published_before
    if start == BEGINNING:
        start = None
    if start and end:
        last = end - timedelta(microseconds=1)
        return (
            f"dated {format_day(start)}"
            if start.date() == last.date()
            else f"dated {format_day(start)} to {format_day(last)}"
        )
    if start:
        return f"dated {format_day(start)} or later"
    return f"dated before {format_day(end)}" if end else ""


def undated_caveat(filter: Filter, were_any: bool, citations: Iterable[Citation]) -> str:
    """Why an answer is not from the period asked about, and how old what it rests on is."""
    missing = f"Nothing {format_period(filter)}{' answers this' if were_any else ''}"
    dates = [citation.published_at for citation in citations if citation.published_at]
    if not dates:
        return f"{missing}; what follows carries no date."
    return f"{missing}; the newest found is from {format_day(max(dates))}."


def drop_time_words(phrase: str, question: str) -> str:
    """The question less its words about time; the whole question when nothing else would be left."""
    rest = re.sub(re.escape(phrase), " ", question, flags=re.IGNORECASE)
    rest = re.sub(r"\s+([?!.,;])", r"\1", " ".join(rest.split())).lstrip(" ,;.")
    return rest if any(character.isalnum() for character in rest) else question


MAX_CHARACTERS = 10_000
"""About four pages (by judgement): more is a document, not a question."""


def check_question(question: str, max_characters: int = MAX_CHARACTERS) -> str:
    """The question without surrounding space; UsageError when nothing can be looked up by it."""
    text = question.strip()
    if not text:
        raise UsageError('the question is empty; ask something, for example: ascertain ask "What is a stablecoin?"')
    if len(text) > max_characters:
        raise UsageError(
            f"the question has {len(text):,} characters and the limit is {max_characters:,}"
            "; shorten it, or add the text as a document and ask about it"
        )
    if not any(character.isalnum() for character in text):
        raise UsageError(f"the question {text[:40]!r} has no words to look up; ask in words")
    return text
