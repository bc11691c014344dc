"""Dates in the words of an answer's caveat."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import UTC, datetime, timedelta

from ascertain.core.asking.answers import Citation
from ascertain.core.asking.passages import Filter
from ascertain.core.errors import UsageError
from ascertain.language.dates import format_day
from ascertain.questions.timeframe import BEGINNING, names_time_within

OUTLOOK = "What is to come is not known; what the sources say of it is no more than that."
DISCLAIMER = "Statements about the future are speculation of those who made them. This product predicts nothing itself, and none of it is advice."
"""After everything about the future."""
_END = datetime.max.replace(tzinfo=UTC)


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


def lies_within(filter: Filter, citation: Citation) -> bool:
    """Whether a citation is from the period of ``filter``, its first and its last day included: by the date of its
    document, or because its words name a time in it, as a report of June on May does.
    """
    start, end = filter.published_from or BEGINNING, filter.published_before or _END
    moment = citation.published_at
    if moment is not None and start <= moment < end:
        return True
    return names_time_within(citation.quote, moment or min(end, datetime.now(UTC)), start, end)


def describe_outside(filter: Filter, were_any: bool, citations: Sequence[Citation]) -> str:
    """The note that an answer is not from the period asked about, or not all of it, and how old it is; empty where it is.

    ``were_any``: the period holds documents, only none that answers.
    """
    outside = [citation for citation in citations if not lies_within(filter, citation)]
    if not outside:
        return ""
    dates = [citation.published_at for citation in outside if citation.published_at]
    if len(outside) < len(citations):
        others = f"the newest other one is from {format_day(max(dates))}" if dates else "the others carry no date"
        kept = len(citations) - len(outside)
        return (
            f"Only {kept} of the {len(citations)} places quoted {_is_or_are(kept)} {format_period(filter)}; {others}."
        )
    return describe_empty_period(filter, were_any, dates, "what follows carries no date")


def describe_empty_period(filter: Filter, were_any: bool, dates: Collection[datetime], undated: str = "") -> str:
    """The note that nothing is from the period asked about, and how new the newest of ``dates`` is; ``undated`` where there are none."""
    # what the search did not find may still be there
    found = f"{format_period(filter)} answers this" if were_any else f"is {format_period(filter)}"
    newest = f"the newest found is from {format_day(max(dates))}" if dates else undated
    return f"Nothing that was found {found}; {newest}." if newest else f"Nothing that was found {found}."


def _is_or_are(number: int) -> str:
    return "is" if number == 1 else "are"


MAX_CHARACTERS = 10_000
"""About four pages (by judgement): more is a document, not a question."""


def check_question(question: str, max_characters: int = MAX_CHARACTERS) -> str:
    """The question without surrounding space; UsageError if it cannot be looked up."""
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
