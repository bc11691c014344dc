"""What an analysis by rules tells a reader, over articles in memory."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from documents_in_memory import MAPPER, NEWS, NOW, Folder, Forgetful

from ascertain.core.asking.runs import Budget, FixedClock, Run
from ascertain.core.documents.documents import Document, DocumentKind, document_id
from ascertain.core.reports.analysis import Analysis
from ascertain.language.languages import ENGLISH
from ascertain.workflow.analysis.run import run_analysis
from ascertain.workflow.analysis.steps import AnalysisContext, AnalysisRequest
from ascertain.workflow.question_text import DISCLAIMER, OUTLOOK


def a_document(
    title: str, text: str, day: str | None = "2025-06-10", kind: DocumentKind = DocumentKind.ARTICLE, by: str = "Post"
) -> Document:
    published = datetime.fromisoformat(day).replace(tzinfo=UTC) if day else None
    return Document(document_id(title), text, title, kind, title, author=by, published_at=published)


def ask(question: str, *documents: Document) -> Analysis:
    context = AnalysisContext(
        store=Folder(documents),
        mapper=MAPPER,
        cache=Forgetful(),
        profiles=[NEWS],
        clock=FixedClock(NOW),
        run=Run(Budget(0, 0, 60, 1)),
        expand=lambda text: text,
    )
    return run_analysis(AnalysisRequest(question, ENGLISH), context)


HOUSES = (
    a_document(
        "Larkford house prices climb",
        "House prices in Larkford rose 1.8 percent in May. Ingrid Halvorsen, chief economist at Meridian Homes, expects "
        "prices to rise by another 4 percent by next summer.",
        "2025-06-03",
    ),
    a_document(
        "Lenders cut rates",
        "Samuel Okoro, an analyst at Dunmore Research, warned that house prices in Larkford could fall by 5 percent next "
        "year. The report contradicts the land registry.",
        "2025-06-12",
        by="Ledger",
    ),
)


def test_days_of_several_years_are_told_with_their_year():
    found = ask(
        "analyze the trend of Kestrel",
        a_document("Kestrel in 2022", "Kestrel fell to $16.", "2022-11-11"),
        a_document("Kestrel in 2023", "Kestrel rose to $52.", "2023-01-02"),
        a_document("Kestrel in 2024", "Kestrel rose to $104.", "2024-12-05"),
        a_document("Kestrel in 2025", "Kestrel fell to $100.", "2025-01-05"),
    )
    assert (
        "- Kestrel rose from $16 (11 Nov 2022) to $100 (5 Jan 2025), by 525 %; from 2022 to 2025 the highest that the "
        "texts tell is $104 (5 Dec 2024)."
    ) in found.answer.text


def test_who_expects_what_of_the_subject_is_told_under_the_title_that_names_it():
    found = ask("where are house prices in Larkford heading?", *HOUSES)
    assert "- Within a year: Ingrid Halvorsen expects a rise; Samuel Okoro expects a fall." in found.answer.text
    assert "Expectations for house prices differ" in found.answer.text
    assert found.answer.text.endswith(DISCLAIMER)
    assert (found.answer.confidence.caveat or "").startswith(OUTLOOK)


@pytest.mark.parametrize("question", ["where are house prices heading?", "should I buy a house now or wait?"])
def test_what_moved_is_named_by_what_it_is(question: str):
    text = ask(question, *HOUSES).answer.text
    assert "- House prices rose 1.8 %, as told on 3 Jun 2025." in text


def test_the_caveat_of_an_analysis_says_what_it_is_and_nothing_else():
    two = ask("how is the mood about house prices?", *HOUSES).confidence
    assert two.caveat == "Only 2 documents on this."
    nothing = ask("where is Kestrel heading?", a_document("Kestrel", "Kestrel opened an office in Leeds."))
    assert (nothing.confidence.caveat or "").startswith("No statement about what is to come was found on this.")


def test_disagreement_that_the_documents_tell_of_stands_first_where_it_is_asked_for():
    text = ask("what do the articles disagree about?", *HOUSES).answer.text
    assert "- Lenders cut rates: The report contradicts the land registry." in text
    assert text.index("Expectations for house prices differ") < text.index("contradicts the land registry")
    assert text.index("contradicts the land registry") < text.index("Sentiment:")


def test_papers_and_minutes_are_read_whole_and_not_those_of_the_last_month_alone():
    minutes = [
        a_document(f"Minutes of {day}", f"Turnover fell to {size} percent.", day, DocumentKind.PROSE)
        for day, size in (("2025-01-10", 18), ("2025-03-10", 17), ("2025-06-10", 15))
    ]
    found = ask("what trends are there?", *minutes)
    assert (found.coverage.read, found.coverage.found) == (3, 3)


def test_a_short_form_of_a_name_is_that_name():
    found = ask(
        "what is the outlook for Larkford Rovers?",
        a_document(
            "Rovers seventh",
            "Larkford Rovers lost 1-2 at Brannock. Supporters left early. Pundit Alan Greave predicted that Rovers will miss "
            "the play-offs. In Leeds it rained, and Rovers went home.",
        ),
    )
    assert "- [speculation] Pundit Alan Greave predicted that Rovers will miss the play-offs." in found.answer.text


def test_a_description_is_no_mood_about_what_it_describes():
    paper = a_document(
        "How proof of work works",
        "Kestrel adjusts the target every 2,016 blocks, about every two weeks, so that a block is found on average. "
        "The difficulty is limited.",
        "2025-06-01",
        DocumentKind.PAPER,
    )
    found = ask(
        "how is the mood about Kestrel?",
        paper,
        a_document("Kestrel", "Kestrel had a terrible week, its customers say."),
    )
    assert [len(each.documents) for each in found.findings.shares] == [0, 1, 1]
    assert not any("2,016" in each.quote.text for each in found.findings.voices)


def test_what_worries_people_is_told_before_what_pleases_them():
    text = ask(
        "what worries people?",
        a_document("Good news for Leeds", "The new tram was a great success, and its passengers are happy."),
        a_document("Bad news for Leeds", "Tenants fear that the terrible shortage of homes gets worse."),
    ).answer.text
    assert text.index("- negative: Tenants fear") < text.index("- positive:")


def test_who_expects_what_is_told_by_what_they_speak_of():
    rents = a_document(
        "Rents fall", "The analyst Petra Novak said the relief may be short: “I expect rents to climb again next year.”"
    )
    text = ask("what are the trends?", *HOUSES, rents).answer.text
    assert "Samuel Okoro expects a fall of house prices" in text
    assert "The analyst Petra Novak expects a rise of rents" in text
