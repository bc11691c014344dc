import pytest

from ascertain.answering.checking.evaluation import weigh_scores
from ascertain.answering.checking.model_evaluation import FURTHEST, ModelEvaluator
from ascertain.answering.composition import Composition
from ascertain.answering.confidence import Assessment
from ascertain.core.asking.answers import AnswerSentence, AnswerType, Verdict, VerdictLabel
from ascertain.core.asking.judgements import (
    SUFFICIENT_AFTER_GOOD,
    SUFFICIENT_AFTER_POOR,
    AnswerIssue,
    Appraisal,
    CheckedClaim,
    EvaluatedBy,
    Evaluation,
    Groundedness,
    RetrievalQuality,
    Sufficiency,
)
from ascertain.core.asking.passages import Confidence, Level
from ascertain.core.asking.plans import Complexity, Intent, Plan, QuestionType
from ascertain.core.asking.runs import FAILED_A_CONTROL
from ascertain.core.errors import ModelError
from ascertain.questions.reading.question import read_question

PLAN = Plan(Intent.KNOWLEDGE, QuestionType.FACTUAL, Complexity.SIMPLE, "")
GOOD = {"relevance": 90, "completeness": 80, "comment": ""}


class Rules:
    def __init__(self, score):
        self.score = score

    def evaluate(self, plan, answer, run):
        issues = (AnswerIssue.UNSUPPORTED_CLAIMS, AnswerIssue.WRONG_FOCUS)
        return Evaluation(self.score, self.score, 100, 100, issues, "by rules")


@pytest.fixture
def evaluate(prompts, run):
    def ask(
        chat, labels=(VerdictLabel.SUPPORTED,), *, type=AnswerType.SUMMARY, by_rules=80, question="Who?", appraisal=None
    ):
        sentences = tuple(AnswerSentence("Ada built it.", Verdict(label, 1.0), ()) for label in labels)
        claims = tuple(CheckedClaim(s.text, n, s.verdict) for n, s in enumerate(sentences))
        composition = Composition("", sentences, (), Confidence(Level.HIGH, 90), (), type)
        answer = Assessment(
            read_question(question),
            composition,
            (),
            RetrievalQuality(90, (), ""),
            Sufficiency(True, (), ""),
            Groundedness(claims, appraisal),
        )
        return ModelEvaluator(chat, prompts, Rules(by_rules)).evaluate(PLAN, answer, run)

    return ask


def test_weighs_the_scores_of_the_model(scripted, evaluate):
    evaluation = evaluate(scripted({**GOOD, "issues": ["lacks_specificity"]}))
    assert evaluation.score == weigh_scores(90, 80, 100) == 81
    assert evaluation.issues == (AnswerIssue.UNSUPPORTED_CLAIMS, AnswerIssue.LACKS_SPECIFICITY)


def test_is_never_more_accurate_than_verified(scripted, evaluate):
    evaluation = evaluate(scripted(GOOD), [VerdictLabel.SUPPORTED, VerdictLabel.NOT_IN_SOURCES])
    assert evaluation.accuracy == 50


def test_a_sentence_stands_with_the_verdict_that_was_found(scripted, evaluate):
    chat = scripted(GOOD)
    evaluate(chat, [VerdictLabel.INFERRED, VerdictLabel.NOT_IN_SOURCES])
    assert 'number="1" verdict="supported"' in chat.prompt
    assert 'number="2" verdict="not in sources"' in chat.prompt


def test_what_the_model_gave_by_itself_is_kept_where_the_rules_hold_it(scripted, evaluate):
    evaluation = evaluate(scripted(NOTHING), by_rules=100)
    assert (evaluation.score, evaluation.by_model) == (75, 0)
    assert evaluation.is_doubted(RetrievalQuality(90, (), ""))


def test_what_was_said_with_the_verdicts_costs_no_further_call(scripted, evaluate):
    chat = scripted()
    appraisal = Appraisal(90, 80, (AnswerIssue.LACKS_SPECIFICITY,), "short", is_tried=True)
    evaluation = evaluate(chat, appraisal=appraisal)
    assert not chat.asked
    assert (evaluation.score, evaluation.reason, evaluation.by) == (81, "short", EvaluatedBy.TRIED_MODEL)
    assert AnswerIssue.LACKS_SPECIFICITY in evaluation.issues


def test_does_not_ask_about_what_was_measured(scripted, evaluate):
    evaluation = evaluate(scripted({**GOOD, "issues": ["retrieval_limited"]}))
    assert AnswerIssue.RETRIEVAL_LIMITED not in evaluation.issues


def test_a_complete_answer_is_not_partial(scripted, evaluate):
    evaluation = evaluate(scripted({**GOOD, "completeness": 95, "issues": ["partial_answer", "wrong_focus"]}))
    assert evaluation.issues == (AnswerIssue.UNSUPPORTED_CLAIMS, AnswerIssue.WRONG_FOCUS)


def test_a_rejection_is_left_to_the_rules(scripted, evaluate):
    chat = scripted()
    assert evaluate(chat, type=AnswerType.REJECTION).reason == "by rules"
    assert not chat.asked


def test_leaves_a_failed_call_to_the_rules(scripted, evaluate, run):
    assert evaluate(scripted(ModelError("HTTP 500"))).reason == "by rules"
    assert run.take_notes()[0].node == "evaluate"


ALL, NOTHING = ({"relevance": n, "completeness": n, "comment": "sure"} for n in (100, 0))


@pytest.mark.parametrize("by_rules", [0, 10, 24])
def test_a_model_that_praises_everything_does_not_pass_what_the_rules_fail_clearly(scripted, evaluate, by_rules):
    evaluation = evaluate(scripted(ALL), by_rules=by_rules)
    assert evaluation.score < SUFFICIENT_AFTER_POOR
    assert AnswerIssue.WRONG_FOCUS in evaluation.issues
    assert evaluation.reason == f"sure; the rules disagree ({by_rules}): by rules"


@pytest.mark.parametrize("by_rules", [90, 100])
def test_a_model_that_praises_nothing_does_not_fail_what_the_rules_pass_clearly(scripted, evaluate, by_rules):
    evaluation = evaluate(scripted(NOTHING), by_rules=by_rules)
    assert evaluation.score >= SUFFICIENT_AFTER_GOOD
    assert evaluation.reason == f"sure; the rules disagree ({by_rules}): by rules"


@pytest.mark.parametrize(("told", "passes"), [(100, True), (40, False)])
def test_between_the_model_decides(scripted, evaluate, told, passes):
    evaluation = evaluate(scripted({**ALL, "relevance": told}), by_rules=55)
    assert (evaluation.score >= SUFFICIENT_AFTER_GOOD) is passes
    assert abs(evaluation.score - 55) <= FURTHEST


ASKED = "Who built the Elm Bridge?"


@pytest.mark.parametrize("other", [50, 100])
def test_a_model_that_praises_a_text_about_something_else_is_not_believed(scripted, evaluate, run, other):
    evaluation = evaluate(scripted({**ALL, "other": other}), by_rules=55, question=ASKED)
    assert (evaluation.score, evaluation.reason, evaluation.by) == (55, "by rules", EvaluatedBy.RULES)
    [note] = run.take_notes()
    assert (note.node, note.outcome) == ("evaluate", FAILED_A_CONTROL)
    assert run.is_distrusted


@pytest.mark.parametrize("by_rules", [0, 24, 60])
def test_a_model_that_tells_the_two_apart_may_see_what_the_rules_do_not(scripted, evaluate, by_rules):
    chat = scripted({**ALL, "other": 0})
    evaluation = evaluate(chat, by_rules=by_rules, question=ASKED)
    assert "<other " in chat.prompt
    assert (evaluation.score, evaluation.by) == (100, EvaluatedBy.TRIED_MODEL)


def test_telling_them_apart_fails_nothing_that_the_rules_pass_clearly(scripted, evaluate):
    evaluation = evaluate(scripted({**NOTHING, "other": 0}), by_rules=90, question=ASKED)
    assert evaluation.score >= SUFFICIENT_AFTER_GOOD


def test_a_model_that_says_nothing_of_that_text_is_held_near_the_rules(scripted, evaluate):
    evaluation = evaluate(scripted(ALL), by_rules=20, question=ASKED)
    assert (evaluation.score, evaluation.by) == (20 + FURTHEST, EvaluatedBy.MODEL)
