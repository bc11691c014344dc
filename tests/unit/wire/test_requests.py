"""Bodies of requests."""

import pytest
from pydantic import ValidationError

from ascertain.wire.requests import AskBody, NewsBody


@pytest.mark.parametrize("given", ["any", "day", "week", "month", "year", "7d", "30d", "24h"])
def test_news_go_back_a_named_range_or_a_number_of_days_or_hours(given):
    assert AskBody(question="bitcoin?", mode="news", time_range=given).to_request("t").time_range == given
    assert NewsBody(message="bitcoin?", time_range=given).to_request("t").time_range == given


@pytest.mark.parametrize("given", ["fortnight", "0d", "7", "7 days", ""])
def test_another_range_is_refused(given):
    with pytest.raises(ValidationError, match="time_range"):
        NewsBody(message="bitcoin?", time_range=given)
