import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.core.asking.judgements import RetrievalIssue
from ascertain.core.asking.passages import Passage
from ascertain.core.asking.plans import Complexity, Intent, Plan, QuestionType, SubQuery, SubQueryType
from ascertain.core.asking.runs import Budget, Run
from ascertain.core.documents.blocks import Span
from ascertain.core.documents.documents import Chunk, DocumentKind
from ascertain.language.languages import ENGLISH
from ascertain.retrieval.judging import RuleRetrievalJudge

RUN = Run(Budget(calls=0, tokens=0, seconds=60, usd=0))
BRIDGE = "The Elm Bridge in Oakford was built in 1912 by Ada Stone. " * 4


def a_plan(*parts):
    queries = tuple(SubQuery(part, SubQueryType.FACTUAL, 1) for part in parts)
    return Plan(Intent.KNOWLEDGE, QuestionType.FACTUAL, Complexity.SIMPLE, "", queries)


def a_passage(text, dense=None, title=""):
    chunk = Chunk("d:0", "d", 0, Span(0, len(text)), text, title, title, DocumentKind.PROSE, "a.md")
    return Passage(chunk, 0.5, {} if dense is None else {"dense": dense})


def judged(question, *passages, plan=None):
    return RuleRetrievalJudge().judge(question, ENGLISH, plan or a_plan(), passages, RUN)


def test_all_is_well_with_a_passage_that_is_near_and_holds_the_words():
    quality = judged("Who built the Elm Bridge in Oakford?", a_passage(BRIDGE, 0.75))
    assert quality.issues == ()
    assert quality.score >= 80


@pytest.mark.parametrize(
    ("question", "passages", "issue"),
    [
        ("Who built the Elm Bridge?", [], RetrievalIssue.OFF_TOPIC),
        ("Who built the Elm Bridge?", [a_passage("Cats sleep. " * 40, 0.1)], RetrievalIssue.OFF_TOPIC),
        ("Who built the Elm Bridge?", [a_passage("Cats sleep.")], RetrievalIssue.OFF_TOPIC),
        ("What does mercury cost?", [a_passage("The cost of mercury. " * 20, 0.1)], RetrievalIssue.WRONG_DOMAIN),
        ("What does mercury cost?", [a_passage("The cost of mercury. " * 20, 0.3)], RetrievalIssue.DOMAIN_MISALIGNMENT),
        ("Who built the bridge in Ashton?", [a_passage(BRIDGE, 0.6)], RetrievalIssue.MISSING_KEY_INFO),
        ("Who built it in 1950?", [a_passage(BRIDGE, 0.6)], RetrievalIssue.MISSING_KEY_INFO),
        ("Which vegetables thrive beside a bridge?", [a_passage(BRIDGE, 0.4)], RetrievalIssue.PARTIAL_COVERAGE),
        ("Which vegetables thrive?", [a_passage(BRIDGE, 0.2)], RetrievalIssue.LOW_CONFIDENCE),
        (
            "Which people climb the Elm Bridge?",
            [a_passage(BRIDGE, 0.5), *[a_passage("Cats.", 0.3)] * 7],
            RetrievalIssue.MIXED_RELEVANCE,
        ),
        ("Who painted the Elm Bridge?", [a_passage("The Elm Bridge.", 0.5)], RetrievalIssue.INCOMPLETE_CONTEXT),
    ],
)
def test_each_issue_has_its_sign(question, passages, issue):
    quality = judged(question, *passages)
    assert issue in quality.issues
    assert quality.reason


@pytest.mark.parametrize(
    "passage",
    [
        a_passage(BRIDGE, 0.3),
        a_passage(BRIDGE),
        a_passage("The bridge carries traffic over the river. " * 10, 0.45),
        a_passage("Cats sleep. " * 40, 0.4),
    ],
)
def test_is_sure_before_it_calls_passages_off_topic_or_of_another_domain(passage):
    issues = judged("Who built the Elm Bridge?", passage).issues
    assert not {RetrievalIssue.OFF_TOPIC, RetrievalIssue.WRONG_DOMAIN} & set(issues)


PARIS = "Plus one hour may be Paris in winter, London in summer or Lagos all the year round. " * 3


@pytest.mark.parametrize(
    ("question", "dense", "is_off_topic"),
    [
        ("What is the weather in Paris today?", 0.31, True),
        ("what is the latest weather in Paris this week?", 0.31, True),
        ("What is the weather in Paris today?", 0.4, False),
        ("What is the weather in Paris in winter?", 0.31, False),
        ("What about Paris today?", 0.31, False),
        ("Paris", 0.31, False),
    ],
)
def test_a_name_is_not_the_subject_where_nothing_speaks_of_what_is_asked_of_it(question, dense, is_off_topic):
    quality = judged(question, a_passage(PARIS, dense))
    assert (RetrievalIssue.OFF_TOPIC in quality.issues) is is_off_topic
    assert ("weather" in quality.reason) is is_off_topic or not is_off_topic


def test_without_nearness_words_alone_do_not_make_passages_off_topic():
    assert RetrievalIssue.OFF_TOPIC not in judged("What is the weather in Paris today?", a_passage(PARIS)).issues


def test_a_part_of_the_question_that_no_passage_speaks_of_is_partial_coverage():
    plan = a_plan("Who built the Elm Bridge?", "What do penguins eat?")
    quality = judged("Who built the Elm Bridge?", a_passage(BRIDGE, 0.7), plan=plan)
    assert quality.issues == (RetrievalIssue.PARTIAL_COVERAGE,)
    assert "penguins" in quality.reason


def test_a_single_short_document_that_plainly_answers_has_no_issue():
    assert judged("When is the bin collected?", a_passage("The bin is collected on Tuesdays.", 0.8)).issues == ()


@given(low=st.floats(-1, 1), high=st.floats(-1, 1))
def test_nearer_passages_are_never_judged_worse(low, high):
    low, high = sorted((low, high))
    question = "Who built the Elm Bridge?"
    assert judged(question, a_passage(BRIDGE, low)).score <= judged(question, a_passage(BRIDGE, high)).score


@given(question=st.text(max_size=80), text=st.text(min_size=1, max_size=200), dense=st.floats(-1, 1) | st.none())
def test_any_text_is_judged_within_bounds(question, text, dense):
    quality = judged(question, a_passage(text, dense))
    assert 0 <= quality.score <= 100
    assert all(0 <= quality.signals[name] <= 1 for name in ("coverage", "names"))


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Do you ship to the UK?", "We do not ship to the United Kingdom. " * 6),
        ("Who expects bitcoin at 140k?", "I expect bitcoin to reach 140,000 dollars. " * 6),
        ("Whats the biggest bridge of Oakford now?", "The largest bridge of Oakford is the Elm Bridge. " * 6),
        ("How often does the news tell of Oakford?", "Oakford is a town. " * 12),
    ],
)
def test_words_that_stand_in_another_spelling_and_words_of_asking_are_not_missing(question, text):
    assert not {RetrievalIssue.MISSING_KEY_INFO, RetrievalIssue.PARTIAL_COVERAGE} & set(
        judged(question, a_passage(text, 0.4)).issues
    )
