"""Calling a provider: what its refusals mean, and its answer as JSON objects. Whatever goes wrong is one ProviderError.

The client tries again by itself what may pass, within the time it is given (Retry-After included).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import cast

from ascertain.core.errors import SourceError
from ascertain.sources.cleaning import clean_text, short_line
from ascertain.sources.news.ports import ProviderError
from ascertain.sources.web.canonical_urls import canonical_url
from ascertain.sources.web.fetching import Fetched, FetchError

Json = Mapping[str, object]

_SAID = 200
"""Characters of a provider's own words about a bad request that are told on."""


def answer_of(
    name: str, request: Callable[[], Fetched], meanings: Mapping[int, str], explain: Callable[[Json], object]
) -> Json:
    """The JSON object that ``request`` is answered with.

    ``meanings`` says for a status what it means and what to do. For one that it does not name, ``explain`` finds the provider's own
    words in the error's JSON. Raises ProviderError, beginning with ``name``.
    """
    try:
        fetched = request()
    except FetchError as error:
        reason = meanings.get(error.status or 0)
        if reason is None:
            said = short_line(explain(_json(error.body) or {}), _SAID) if error.status else None
            reason = f"{error}{f': {said}' if said else ''}"
        raise ProviderError(
            f"{name}: {reason}", retry_after=error.retry_after, is_passing=error.is_passing
        ) from error
    except SourceError as error:
        raise ProviderError(f"{name}: {error}") from error
    answer = _json(fetched.body)
    if answer is None:
        raise ProviderError(f"{name}: {fetched.url.partition('?')[0]} does not answer with a JSON object")
    return answer


def objects(answer: Json, key: str) -> list[Json]:
    """The JSON objects in the list under ``key``; none where it is missing or something else."""
    return [cast(Json, each) for each in items(answer.get(key)) if isinstance(each, dict)]


def items(value: object) -> list[object]:
    """The elements of a JSON list; none of what is something else."""
    return cast("list[object]", value) if isinstance(value, list) else []


def nested(answer: Json, key: str) -> Json:
    """The JSON object under ``key``; an empty one where it is missing or something else."""
    found = answer.get(key)
    return cast(Json, found) if isinstance(found, dict) else {}


def text(value: object) -> str:
    """Cleaned text; empty for everything that is none."""
    return clean_text(value) if isinstance(value, str) else ""


def web_address(value: object) -> str | None:
    """A link in its canonical spelling; None for everything that cannot be fetched and cited."""
    try:
        return canonical_url(value.strip()) if isinstance(value, str) else None
    except SourceError:
        return None


def _json(body: bytes) -> Json | None:
    try:
        value: object = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return cast(Json, value) if isinstance(value, dict) else None
