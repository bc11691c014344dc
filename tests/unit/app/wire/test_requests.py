"""Bodies of requests."""

import pytest
from pydantic import ValidationError

from ascertain.app.wire.requests import AskBody, LabelBody, NewsBody, SearchBody


@pytest.mark.parametrize("given", ["any", "day", "week", "month", "year", "7d", "30d", "24h"])
def test_news_go_back_a_named_range_or_a_number_of_days_or_hours(given):
    assert AskBody(question="bitcoin?", mode="news", time_range=given).to_request("t").time_range == given
    assert NewsBody(message="bitcoin?", time_range=given).to_request("t").time_range == given


@pytest.mark.parametrize("given", ["fortnight", "0d", "7", "7 days", ""])
def test_another_range_is_refused(given):
    with pytest.raises(ValidationError, match="time_range"):
        NewsBody(message="bitcoin?", time_range=given)


@pytest.mark.parametrize(("field", "given"), [("k", True), ("days_back", False), ("query", True), ("filter", True)])
def test_true_is_no_number_and_no_text(field, given):
    with pytest.raises(ValidationError, match=field):
        SearchBody.model_validate({"query": "bridges", field: given})


def test_true_is_taken_where_yes_or_no_is_asked():
    assert LabelBody.model_validate({"is_pinned": True}).is_pinned
    assert SearchBody.model_validate({"query": "bridges", "k": None}).k is None
