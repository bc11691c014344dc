from datetime import UTC, datetime

import pytest

from ascertain.core.asking.judgements import GapKind
from ascertain.core.asking.passages import Filter, Passage
from ascertain.core.asking.plans import Complexity, Intent, Plan, QuestionType, SubQuery, SubQueryType
from ascertain.core.asking.runs import Budget, Run
from ascertain.core.documents.blocks import Span
from ascertain.core.documents.documents import Chunk, DocumentKind
from ascertain.core.settings import WorkflowSettings
from ascertain.language.languages import ENGLISH
from ascertain.retrieval import judging
from ascertain.retrieval.judging import RuleSufficiency

RUN = Run(Budget(calls=0, tokens=0, seconds=60, usd=0))
BRIDGE = "The Elm Bridge in Oakford was built in 1912 by Ada Stone. " * 4
QUESTION = "Who built the Elm Bridge?"


def a_plan(*parts):
    queries = tuple(SubQuery(part, SubQueryType.FACTUAL, 1) for part in parts)
    return Plan(Intent.KNOWLEDGE, QuestionType.FACTUAL, Complexity.SIMPLE, "", queries)


def a_passage(text, dense=None, published=None):
    chunk = Chunk("d:0", "d", 0, Span(0, len(text)), text, "", "", DocumentKind.PROSE, "a.md", published_at=published)
    return Passage(chunk, 0.5, {} if dense is None else {"dense": dense})


def checked(question, *passages, filter=Filter(), plan=None, **settings):
    check = RuleSufficiency(WorkflowSettings(**settings))
    return check.check(question, plan or a_plan(), passages, filter, RUN, language=ENGLISH)


def gaps(found):
    return [(gap.kind, gap.what) for gap in found.gaps]


@pytest.mark.parametrize(
    "passages",
    [
        [a_passage(BRIDGE, 0.5), a_passage(BRIDGE, 0.4)],
        [a_passage("Ada Stone built the Elm Bridge.", 0.5)],
        [a_passage("Stone made that bridge.", 0.7), a_passage("The elm.", 0.2)],
        [a_passage("Ada Stone built the Elm Bridge.")],
    ],
    ids=["plenty", "one short note with every word", "one short note that is near", "no similarities"],
)
def test_is_sufficient(passages):
    assert gaps(checked(QUESTION, *passages)) == []


def test_nothing_found_is_a_gap_of_its_own():
    assert gaps(checked(QUESTION)) == [(GapKind.AMOUNT, "no passage was found")]


@pytest.mark.parametrize(
    ("passages", "told"),
    [
        ([a_passage("An elm bridge.", 0.5)], "1 of 2 passages"),
        ([a_passage("An elm.", 0.5), a_passage("A bridge.", 0.5)], "16 of 200 characters"),
        ([a_passage("elm bridge " * 30, 0.4), a_passage("bridge " * 30, 0.4)], "0.40 near, not 0.45"),
        ([a_passage("elm bridge " * 30, 0.5), a_passage("bridge " * 30, 0.1)], "on average, not 0.35"),
    ],
)
def test_too_little_is_told_with_its_bound(passages, told):
    found = checked(QUESTION, *passages)
    assert not found.is_sufficient
    assert any(gap.kind is GapKind.AMOUNT and told in gap.what for gap in found.gaps)


def test_names_that_are_missing_are_named():
    found = checked("Who built the bridge in Ashton?", a_passage(BRIDGE, 0.7), a_passage(BRIDGE, 0.7))
    assert gaps(found) == [(GapKind.NAME, "Ashton")]


def test_a_year_is_covered_by_what_is_said_or_by_the_date_of_a_document():
    passages = (a_passage(BRIDGE, 0.7), a_passage(BRIDGE, 0.7))
    dated = a_passage(BRIDGE, 0.7, datetime(1950, 5, 1, tzinfo=UTC))
    assert gaps(checked("Who built the Elm Bridge in 1912?", *passages)) == []
    assert gaps(checked("Who built the Elm Bridge in 1950?", *passages)) == [(GapKind.TIME, "1950")]
    assert gaps(checked("Who built the Elm Bridge in 1950?", *passages, dated)) == []


def test_a_period_needs_a_document_dated_within_it():
    asked = Filter(published_from=datetime(2026, 3, 1, tzinfo=UTC), published_before=datetime(2026, 4, 1, tzinfo=UTC))
    inside = a_passage(BRIDGE, 0.7, datetime(2026, 3, 31, tzinfo=UTC))
    outside = a_passage(BRIDGE, 0.7, datetime(2026, 4, 1, tzinfo=UTC))
    assert gaps(checked(QUESTION, inside, outside, filter=asked)) == []
    assert [gap.kind for gap in checked(QUESTION, outside, filter=asked).gaps] == [GapKind.TIME]


def test_concepts_are_missing_where_no_passage_holds_half_of_the_words():
    found = checked("Which vegetables thrive beside a bridge?", a_passage(BRIDGE, 0.5), a_passage(BRIDGE, 0.5))
    assert (GapKind.CONCEPT, "vegetables") in gaps(found)


def test_a_part_that_no_passage_speaks_of_is_a_concept_missing():
    plan = a_plan("Who built the Elm Bridge?", "What do penguins eat?")
    found = checked(QUESTION, a_passage(BRIDGE, 0.7), plan=plan)
    assert gaps(found) == [(GapKind.CONCEPT, "What do penguins eat?")]


def test_the_bounds_are_settings_and_constants(monkeypatch):
    monkeypatch.setattr(judging, "ENOUGH_PASSAGES", 1)
    monkeypatch.setattr(judging, "ENOUGH_CHARACTERS", 5)
    passage = a_passage("An elm bridge.", 0.3)
    lenient = {"min_top_similarity": 0.2, "min_mean_similarity": 0.2}
    amounts = [gap for gap in checked(QUESTION, passage, **lenient).gaps if gap.kind is GapKind.AMOUNT]
    assert amounts == []
