import pytest

from ascertain.answering.composition import Composition
from ascertain.answering.confidence import Assessment
from ascertain.answering.evaluation import ACCURACY, COMPLETENESS, RELEVANCE, ModelEvaluator
from ascertain.core.answers import AnswerSentence, AnswerType, Verdict, VerdictLabel
from ascertain.core.errors import ModelError
from ascertain.core.judgements import AnswerIssue, CheckedClaim, Evaluation, Groundedness, RetrievalQuality, Sufficiency
from ascertain.core.passages import Confidence, Level
from ascertain.core.plans import Complexity, Intent, Plan, QuestionType

PLAN = Plan(Intent.KNOWLEDGE, QuestionType.FACTUAL, Complexity.SIMPLE, "")
GOOD = {"relevance": 90, "completeness": 80, "accuracy": 100}


class Rules:
    def evaluate(self, plan, answer, run):
        return Evaluation(50, 50, 50, 50, (AnswerIssue.UNSUPPORTED_CLAIMS, AnswerIssue.WRONG_FOCUS), "by rules")


@pytest.fixture
def evaluate(prompts, run):
    def ask(chat, labels=(VerdictLabel.SUPPORTED,), type=AnswerType.SUMMARY):
        sentences = tuple(AnswerSentence("Ada built it.", Verdict(label, 1.0), ()) for label in labels)
        claims = tuple(CheckedClaim(s.text, n, s.verdict) for n, s in enumerate(sentences))
        composition = Composition("", sentences, (), Confidence(Level.HIGH, 90), (), type)
        answer = Assessment(
            "Who?", composition, (), RetrievalQuality(90, (), ""), Sufficiency(True, (), ""), Groundedness(claims)
        )
        return ModelEvaluator(chat, prompts, Rules()).evaluate(PLAN, answer, run)

    return ask


def test_weighs_the_scores_of_the_model(scripted, evaluate):
    evaluation = evaluate(scripted({**GOOD, "issues": ["lacks_specificity"]}))
    assert evaluation.score == round(90 * RELEVANCE + 80 * COMPLETENESS + 100 * ACCURACY)
    assert evaluation.issues == (AnswerIssue.UNSUPPORTED_CLAIMS, AnswerIssue.LACKS_SPECIFICITY)


def test_is_never_more_accurate_than_verified(scripted, evaluate):
    evaluation = evaluate(scripted(GOOD), [VerdictLabel.SUPPORTED, VerdictLabel.UNSUPPORTED])
    assert evaluation.accuracy == 50


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
