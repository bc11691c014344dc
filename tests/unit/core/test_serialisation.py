"""Nouns as JSON for people, and whole in stores."""

from datetime import UTC, datetime

from ascertain.core.asking.answers import Citation, TaskUsage, Usage
from ascertain.core.documents.blocks import Figure, Place, Span
from ascertain.core.documents.sources import SourceRecord
from ascertain.core.reports.research import Agent, PaperChoice, ResearchRequest, ResearchRun, StepRecord
from ascertain.core.serialisation import make_storage_adapter

DAY = datetime(2026, 11, 28, tzinfo=UTC)
CITATION = Citation(1, "d1", "T", None, DAY, "It is so.", Span(0, 9), Place(page=3), figure=Figure("ab", "seer"))
RUN = ResearchRun(
    ResearchRequest("r1", "Why?"),
    DAY,
    steps=(StepRecord(Agent.PLAN, "", "", usage=Usage.of([TaskUsage("plan", 1, 2, 3, 0.5)])),),
    citations=(CITATION,),
    choices=(PaperChoice("p", "T", 0.123456789, 0.5, True, "", ("d1",)),),
)


def test_a_store_keeps_what_people_are_not_shown():
    adapter = make_storage_adapter(ResearchRun)
    assert adapter.validate_json(adapter.dump_json(RUN)) == RUN
    record = SourceRecord("guide", "files", "https://example.org", "https://example.org/", DAY, failed_in_a_row=2)
    sources = make_storage_adapter(SourceRecord)
    assert sources.validate_json(sources.dump_json(record)) == record
    assert "root" not in record.to_json()
