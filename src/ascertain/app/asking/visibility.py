"""What may be asked, and which documents it sees: those of its tenant that belong to no other conversation."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from ascertain.core.asking.passages import OWN, Filter
from ascertain.core.errors import UsageError
from ascertain.core.settings.sources import TIME_RANGE, TIME_RANGES

if TYPE_CHECKING:
    from ascertain.core.asking.requests import AskRequest


MAX_DAYS_BACK = 365
MAX_ARTICLES = 100
"""The most that ``news.max_articles`` may be too."""
MAX_CHUNKS = 50
"""Passages an answer is written from; more than a reader would check."""


def check_search(k: int | None, days_back: int | None) -> None:
    """Raise UsageError for a number of passages or days out of range."""
    if k is not None and k < 1:
        raise UsageError(f"k is {k}; ask for at least 1 passage")
    if days_back is not None and not 1 <= days_back <= MAX_DAYS_BACK:
        raise UsageError(f"days back is {days_back}; give a number of days from 1 to {MAX_DAYS_BACK}")


def check_request(request: AskRequest) -> None:
    """Raise UsageError for invalid numbers and names beside the question."""
    check_search(None, request.days_back)
    for what, number, most in (
        ("articles", request.max_articles, MAX_ARTICLES),
        ("chunks", request.max_chunks, MAX_CHUNKS),
    ):
        if number is not None and not 1 <= number <= most:
            raise UsageError(f"max {what} is {number}; give a number from 1 to {most}")
    if request.time_range is not None and not re.fullmatch(TIME_RANGE, request.time_range):
        raise UsageError(f"the time range is {request.time_range!r}; it can be: {TIME_RANGES}")


def visible_filter(filter: Filter, tenant: str, conversation_id: str | None = None) -> Filter:
    """``filter`` bound to the tenant, and to what was fetched for no conversation or for this one.

    One that selects the material itself (``conversation_id``, ``within``) is bound to the tenant only.
    """
    if filter.conversation_id is not None or filter.within is not None:
        return replace(filter, tenant=tenant)
    own = (OWN,) if conversation_id is None else (OWN, conversation_id)
    return replace(filter, tenant=tenant, within=own)


def conversation_filter(filter: Filter, tenant: str, conversation_id: str) -> Filter:
    """``filter`` bound to what was fetched for one conversation of the tenant."""
    return replace(filter, tenant=tenant, conversation_id=conversation_id)


def describe_filter(filter: Filter) -> str:
    """What a filter selects, in a line."""
    given = {name: getattr(filter, name) for name in filter.__slots__ if name != "tenant"}
    empty = Filter()
    return ", ".join(f"{name} {_list_values(value)}" for name, value in given.items() if value != getattr(empty, name))


def _list_values(value: object) -> str:
    return " ".join(map(str, cast("tuple[object, ...]", value))) if isinstance(value, tuple) else str(value)


def bind_tenant(filter: Filter, tenant: str) -> Filter:
    """``filter`` bound to the tenant, whatever tenant it names."""
    return replace(filter, tenant=tenant)
