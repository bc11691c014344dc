from dataclasses import replace

import pytest

from ascertain.answering.composition import Composition
from ascertain.answering.confidence import Assessment, confidence_of
from ascertain.answering.evaluation import RuleEvaluator, describe_issue
from ascertain.core.answers import AnswerSentence, AnswerType, Citation, Verdict, VerdictLabel
from ascertain.core.documents import Place, Span
from ascertain.core.judgements import (
    SUFFICIENT_AFTER_GOOD,
    AnswerIssue,
    CheckedClaim,
    Gap,
    GapKind,
    Groundedness,
    RetrievalQuality,
    Sufficiency,
)
from ascertain.core.plans import Complexity, Intent, Plan, QuestionType, SubQuery, SubQueryType
from ascertain.core.runs import Budget, Run

RUN = Run(Budget(calls=0, tokens=0, seconds=60, usd=0))
GOOD = Verdict(VerdictLabel.SUPPORTED, 1.0)
BAD = Verdict(VerdictLabel.UNSUPPORTED, 0.1)
BRIDGE = "Ada Stone built the Elm Bridge in 1912."


def a_plan(*parts, type=QuestionType.FACTUAL, complexity=Complexity.SIMPLE):
    queries = tuple(SubQuery(part, SubQueryType.FACTUAL, 1) for part in parts)
    return Plan(Intent.KNOWLEDGE, type, complexity, "", queries)


@pytest.fixture
def an_answer(a_document, a_passage):
    def build(question, text, read=(BRIDGE,), verdict=GOOD, confidence=80):
        documents = [a_document(part, id=f"d{i}", title="") for i, part in enumerate(read)]
        citation = Citation(1, "d0", "", None, None, read[0], Span(0, len(read[0])), Place())
        made = Composition(
            text,
            (AnswerSentence(text, verdict, (1,)),),
            (citation,),
            confidence_of(confidence, 30),
            (),
            AnswerType.SUMMARY,
        )
        return Assessment(
            question,
            made,
            tuple(a_passage(d) for d in documents),
            RetrievalQuality(80, (), ""),
            Sufficiency(True, (), ""),
            Groundedness((CheckedClaim(text, 0, verdict),)),
        )

    return build


def evaluated(answer, plan=None):
    return RuleEvaluator().evaluate(plan or a_plan(), answer, RUN)


def test_an_answer_that_says_what_was_asked_is_sufficient_and_without_issue(an_answer):
    evaluation = evaluated(an_answer("When was the Elm Bridge built?", BRIDGE))
    assert evaluation.issues == ()
    assert evaluation.score >= SUFFICIENT_AFTER_GOOD
    assert (evaluation.completeness, evaluation.accuracy) == (100, 100)


def test_each_issue_has_its_sign(an_answer):
    question = "When was the Elm Bridge built?"
    poor = replace(an_answer(question, BRIDGE), quality=RetrievalQuality(30, (), ""))
    gappy = replace(an_answer(question, BRIDGE), sufficiency=Sufficiency(False, (Gap(GapKind.NAME, "Eve"),), ""))
    both = a_plan("When was the Elm Bridge built?", "What do penguins eat?")
    comparative = a_plan(type=QuestionType.COMPARATIVE)
    two = (BRIDGE, "The Oak Bridge was built in 1950.")
    cases = [
        (poor, a_plan(), AnswerIssue.RETRIEVAL_LIMITED),
        (gappy, a_plan(), AnswerIssue.CONTEXTUAL_GAPS),
        (an_answer(question, BRIDGE, verdict=BAD), a_plan(), AnswerIssue.UNSUPPORTED_CLAIMS),
        (an_answer(question, "Cats sleep on the parapet."), a_plan(), AnswerIssue.WRONG_FOCUS),
        (an_answer(question, "Ada Stone built the Elm Bridge."), a_plan(), AnswerIssue.LACKS_SPECIFICITY),
        (an_answer(question, BRIDGE), both, AnswerIssue.PARTIAL_ANSWER),
        (an_answer("Is the Elm Bridge older?", BRIDGE, two), comparative, AnswerIssue.INCOMPLETE_SYNTHESIS),
        (
            an_answer("When was the Zorblax Elm Bridge built?", BRIDGE, (BRIDGE + " Zorblax.",)),
            a_plan(),
            AnswerIssue.MISSING_DETAILS,
        ),
    ]
    assert {issue for _, _, issue in cases} == set(AnswerIssue)
    for answer, plan, issue in cases:
        assert issue in evaluated(answer, plan).issues, issue


def test_unsupported_claims_cost_accuracy_and_score(an_answer):
    question = "When was the Elm Bridge built?"
    good, bad = evaluated(an_answer(question, BRIDGE)), evaluated(an_answer(question, BRIDGE, verdict=BAD))
    assert (bad.accuracy, bad.relevance) == (0, good.relevance)
    assert bad.score < good.score


def test_a_rejection_scores_nothing(an_answer):
    answer = an_answer("When?", BRIDGE)
    rejected = replace(answer, composition=replace(answer.composition, type=AnswerType.REJECTION))
    assert evaluated(rejected).score == 0


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Who built it?", "No person or organisation is named, though the question asks for one."),
        ("Where is it?", "No place is given, though the question asks for one."),
        ("When was it built?", "No date or period is given, though the question asks for one."),
        ("How much did it cost?", "No sum of money is given, though the question asks for one."),
        ("What percentage failed?", "No percentage is given, though the question asks for one."),
        ("How many failed?", "No number is given, though the question asks for one."),
        ("Why did it fail?", "No reason is given, though the question asks for one."),
        ("Tell me of the bridge", "The answer stays general, though the question asks for something particular."),
    ],
)
def test_an_absent_fact_is_told_by_its_kind(question, told):
    assert describe_issue(AnswerIssue.LACKS_SPECIFICITY, question) == told


@pytest.mark.parametrize("issue", AnswerIssue)
def test_every_issue_is_told_in_one_short_sentence(issue):
    told = describe_issue(issue, "How is the bridge?")
    assert told[0].isupper() and told.endswith(".") and told.count(".") == 1
    assert len(told) < 90
