"""The front ends in examples/, against a service that runs; their own libraries are not needed for what they ask of it."""

import sys
from pathlib import Path

import pytest
from material import QUESTION, REFUNDS
from running_service import ended, new_key

sys.path.insert(0, str(Path(__file__).parents[4] / "examples"))

from streamlit_app import Service

FILE = Path(__file__).parents[4] / "examples" / "streamlit_app.py"


def test_a_front_end_adds_a_file_asks_and_shows_the_words_of_a_source(place, tenant):
    service = Service(place.url, new_key(place.knowledge, tenant))
    with service.client:
        job = service.upload("refunds.md", REFUNDS)
        assert ended(service.client, {"id": job, "state": "queued"})["state"] == "finished"
        assert [document["source"] for document in service.documents("refund")] == ["upload:refunds.md"]
        events = list(service.ask(QUESTION, "one"))
        assert {name for name, _ in events} >= {"node", "answer"}
        citation = events[-1][1]["citations"][0]
        before, quoted, after = service.source_text(citation)
    assert quoted == citation["quote"]
    assert "How it is paid" in before + after


def test_a_front_end_is_told_why_nothing_comes(place):
    service = Service(place.url, "ask_wrong")
    with service.client, pytest.raises(RuntimeError, match="valid key"):
        list(service.ask(QUESTION, "one"))


def test_an_example_is_short():
    assert len(FILE.read_text(encoding="utf-8").splitlines()) < 150
