"""Numbers and names that may come with a question."""

from __future__ import annotations

import pytest

from ascertain.app.asking.visibility import check_request, check_search
from ascertain.core.asking.requests import AskRequest
from ascertain.core.errors import UsageError

REFUSED = [
    ({"days_back": 0}, "1 to 365"),
    ({"days_back": 366}, "1 to 365"),
    ({"max_articles": 0}, "max articles is 0; give a number from 1 to 100"),
    ({"max_articles": 101}, "1 to 100"),
    ({"max_chunks": -1}, "max chunks is -1; give a number from 1 to 50"),
    ({"max_chunks": 51}, "1 to 50"),
    ({"strategy": "fuzzy"}, "no strategy 'fuzzy'; choose from semantic, keyword, hybrid"),
    ({"time_range": "decade"}, "it can be: any, day, week, month, year, or days, hours or years such as 7d"),
    ({"time_range": "0d"}, "it can be: any"),
]
ACCEPTED = [
    {"days_back": 1},
    {"days_back": 365},
    {"max_articles": 100, "max_chunks": 50},
    {"time_range": "any"},
    {"time_range": "24h"},
    {},
]


@pytest.mark.parametrize(("asked", "message"), REFUSED)
def test_what_makes_no_sense_is_refused(asked: dict, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        check_request(AskRequest("q", **asked))


@pytest.mark.parametrize("asked", ACCEPTED)
def test_what_makes_sense_is_not(asked: dict) -> None:
    check_request(AskRequest("q", **asked))


def test_a_search_is_for_at_least_one_passage() -> None:
    check_search(1, None)
    with pytest.raises(UsageError, match="at least 1 passage"):
        check_search(0, None)
