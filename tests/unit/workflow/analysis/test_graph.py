"""The graph of an analysis, with and without a chat model, over documents in memory."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import timedelta

import pytest
from documents_in_memory import MAPPER, NEWS, NOW, Folder, Forgetful

from ascertain.core.asking.runs import FELL_BACK, Budget, FixedClock, Run
from ascertain.core.documents.documents import Document, DocumentKind, document_id
from ascertain.core.errors import ModelError
from ascertain.core.reports.analysis import Analysis, Pattern
from ascertain.language.languages import ENGLISH
from ascertain.reports.analysis.model_mapping import ChatMapper
from ascertain.workflow.analysis.run import run_analysis
from ascertain.workflow.analysis.steps import AnalysisContext, AnalysisRequest

CONTROLS = [{"number": 9, "mood": "positive"}, {"number": 10, "mood": "negative"}]


def neutral_articles(count: int) -> list[Document]:
    made: list[Document] = []
    for number in range(count):
        text = f"Kestrel Pay moved its office number {number} to Leeds on Monday. Kestrel Pay has told its staff."
        published = NOW - timedelta(days=number % 20, hours=8)
        title = f"Kestrel Pay moves office {number}"
        made.append(
            Document(
                document_id(title), text, title, DocumentKind.ARTICLE, title, author="Northwire", published_at=published
            )
        )
    return made


def analyze(
    documents: Sequence[Document], chat=None, prompts=None, pattern: Pattern | None = None, calls: int = 15
) -> Analysis:
    context = AnalysisContext(
        store=Folder(documents),
        mapper=MAPPER,
        cache=Forgetful(),
        profiles=[NEWS],
        clock=FixedClock(NOW),
        run=Run(Budget(calls, 1_000_000, 60, 1)),
        expand=lambda text: text,
        model=ChatMapper(chat, prompts) if chat is not None else None,
    )
    question = "how did sentiment on Kestrel Pay change in the last 30 days?"
    return run_analysis(AnalysisRequest(question, ENGLISH, pattern=pattern), context)


def moods(analysis: Analysis) -> dict[str, int]:
    return {each.mood.value: len(each.documents) for each in analysis.findings.shares}


def test_the_moods_of_a_chat_model_are_counted_and_said(scripted, prompts):
    reply = {"documents": [*({"number": n, "mood": "negative"} for n in range(1, 9)), *CONTROLS]}
    found = analyze(neutral_articles(8), scripted(reply), prompts)
    assert found.pattern is Pattern.SINGLE_PASS
    assert moods(found) == {"positive": 0, "neutral": 0, "negative": 8}
    assert found.coverage.by_model == 8
    assert "8 were read by the chat model" in found.answer.text
    assert found.answer.usage.calls == 1


def test_a_model_that_fails_leaves_the_analysis_to_the_rules(scripted, prompts):
    by_rules = analyze(neutral_articles(8))
    found = analyze(neutral_articles(8), scripted(ModelError("nonsense")), prompts)
    assert found.findings == by_rules.findings
    assert found.answer.text == by_rules.answer.text
    assert any(FELL_BACK in each.outcome for each in found.answer.decisions)


def test_refinement_shows_the_model_what_was_read_before(scripted, prompts):
    reply = {"documents": [*({"number": n, "mood": "positive"} for n in range(1, 9)), *CONTROLS]}
    chat = scripted(reply, reply)
    found = analyze(neutral_articles(16), chat, prompts, Pattern.REFINE)
    assert "Read so far: (nothing)" in chat.asked[0][1]
    assert "Read so far: 8 documents so far: 8 positive" in chat.asked[1][1]
    assert moods(found)["positive"] == 16


def test_what_the_budget_does_not_allow_is_read_by_rules(scripted, prompts):
    reply = {"documents": [*({"number": n, "mood": "positive"} for n in range(1, 9)), *CONTROLS]}
    found = analyze(neutral_articles(40), scripted(*[reply] * 9), prompts, Pattern.MAP_REDUCE, calls=2)
    assert found.answer.usage.calls == 2
    assert found.coverage.read == found.coverage.found == 40
    assert moods(found) == {"positive": 16, "neutral": 24, "negative": 0}


@pytest.mark.parametrize("seed", range(30))
def test_whatever_the_model_says_every_document_is_read_within_the_budget(scripted, prompts, seed):
    chance = random.Random(seed)

    def reply() -> object:
        if chance.random() < 0.3:
            return ModelError("broken")
        numbers = [chance.randint(-2, 14) for _ in range(chance.randint(0, 12))]
        keys = [chance.randint(-5, 99) for _ in range(4)]
        return {
            "documents": [
                {"number": n, "mood": chance.choice(["positive", "neutral", "negative"]), "key": keys} for n in numbers
            ]
        }

    found = analyze(
        neutral_articles(30), scripted(*[reply() for _ in range(20)]), prompts, chance.choice(list(Pattern)), calls=6
    )
    assert found.coverage.read == found.coverage.found == 30
    assert sum(moods(found).values()) == 30
    assert found.answer.usage.calls <= 6
    assert {each.quote for each in found.citations} <= {
        sentence
        for each in neutral_articles(30)
        for sentence in (each.text.split(". ")[0] + ".", each.text.split(". ")[1])
    }


def test_documents_without_a_date_are_in_no_period_and_told(scripted):
    undated = Document(document_id("u"), "Kestrel Pay is wonderful.", "Undated", DocumentKind.PROSE, "u")
    found = analyze([*neutral_articles(4), undated])
    assert found.coverage.undated == 1
    assert "1 without a date" in found.answer.text
