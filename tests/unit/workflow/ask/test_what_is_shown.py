"""What the user is shown after each course the workflow can take: text, confidence, caveat, searches and drafts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import pytest
from scripted_steps import Script, a_composition, a_groundedness, a_plan, a_quality, an_evaluation, context_of

from ascertain.answering.confidence import confidence_of
from ascertain.core.asking.answers import AnswerSentence, AnswerType, Verdict, VerdictLabel
from ascertain.core.asking.judgements import AnswerIssue, CheckedClaim, Groundedness, RetrievalIssue
from ascertain.core.asking.passages import Level
from ascertain.core.asking.plans import Complexity
from ascertain.core.asking.requests import AskRequest
from ascertain.language.languages import ENGLISH
from ascertain.workflow.ask.run import run_question

QUOTED = replace(a_composition(), text="Quoted.", sentences=(replace(a_composition().sentences[0], text="Quoted."),))


def a_quotation(text: str) -> Any:
    return replace(QUOTED, text=text, sentences=(replace(QUOTED.sentences[0], text=text),))


def a_written(*texts: str) -> Any:
    """A chat model's sentences, each with a citation, the quotation behind them."""
    sentences = tuple(AnswerSentence(text, Verdict(VerdictLabel.INFERRED, 0.5), (1,)) for text in texts)
    return replace(QUOTED, text=" ".join(texts), sentences=sentences, quoted=QUOTED)


def checked(*supported: bool) -> Groundedness:
    """One claim a sentence."""
    labels = [VerdictLabel.SUPPORTED if each else VerdictLabel.NOT_IN_SOURCES for each in supported]
    return Groundedness(tuple(CheckedClaim(f"c{i}", i, Verdict(each, 1.0)) for i, each in enumerate(labels)))


@dataclass(frozen=True)
class Shown:
    text: str
    level: Level
    caveat: str = ""
    """A part of it; empty where there is none."""
    searches: int = 1
    drafts: int = 1
    most: int = 100
    """The highest confidence that is right."""


GOOD, POOR = a_quality(90), a_quality(45, RetrievalIssue.PARTIAL_COVERAGE)
BESIDE = an_evaluation(41, AnswerIssue.WRONG_FOCUS)
CASES = {
    "goes well": (Script(composition=QUOTED), Shown("Quoted.", Level.HIGH)),
    "the second attempt is better": (
        Script(
            composition=[a_quotation("First."), a_quotation("Second.")],
            evaluation=[an_evaluation(32, AnswerIssue.WRONG_FOCUS), an_evaluation(95)],
        ),
        Shown("Second.", Level.HIGH, searches=2, drafts=2),
    ),
    "the first attempt is better": (
        Script(
            composition=[a_quotation(text) for text in ("First.", "Second.", "Third.")],
            evaluation=[an_evaluation(60), an_evaluation(32), an_evaluation(32)],
        ),
        Shown("First.", Level.MEDIUM, "may not answer the question fully", searches=3, drafts=3, most=69),
    ),
    "every attempt is beside the question": (
        Script(composition=QUOTED, evaluation=BESIDE),
        Shown("Quoted.", Level.MEDIUM, "something other than what was asked", searches=3, drafts=3, most=69),
    ),
    "right, though no passage looks like it": (
        Script(composition=a_written("Right."), quality=a_quality(61), evaluation=an_evaluation(95), has_model=True),
        Shown("Right.", Level.HIGH),
    ),
    "made up in every draft": (
        Script(composition=a_written("Made up."), groundedness=checked(False), has_model=True),
        Shown("Quoted.", Level.HIGH, drafts=2),
    ),
    "one right sentence and two made up": (
        Script(
            composition=a_written("Right.", "Made up.", "Made up too."),
            groundedness=checked(True, False, False),
            has_model=True,
        ),
        Shown("Right.", Level.HIGH, drafts=2),
    ),
    "better when written again": (
        Script(
            composition=[a_written("Made up."), a_written("Right.")],
            groundedness=[checked(False), checked(True)],
            has_model=True,
        ),
        Shown("Right.", Level.HIGH, drafts=2),
    ),
    "supported, but beside the question, as rules find their quotations not to be": (
        Script(composition=a_written("Beside it."), evaluation=BESIDE, has_model=True),
        Shown("Beside it.\n\nQuoted.", Level.MEDIUM, "nearest sentences", searches=3, drafts=3, most=69),
    ),
    "found beside the question by its own model, and held up by the rules": (
        Script(
            composition=a_written("Beside it."), evaluation=an_evaluation(68, AnswerIssue.WRONG_FOCUS), has_model=True
        ),
        Shown("Beside it.\n\nQuoted.", Level.MEDIUM, "nearest sentences", most=69),
    ),
    "beside the question in writing and quoting": (
        Script(composition=a_written("Beside it."), evaluation=BESIDE, rule_evaluation=BESIDE, has_model=True),
        Shown("Beside it.", Level.MEDIUM, "something other than what was asked", searches=3, drafts=3, most=69),
    ),
    "neither written nor quoted can be relied on": (
        Script(
            composition=a_written("Made up."),
            groundedness=checked(False),
            quality=a_quality(5),
            rule_evaluation=an_evaluation(5),
            evaluation=an_evaluation(5),
            has_model=True,
        ),
        Shown("I could not find it in 1 document.", Level.NONE, "Nothing", searches=3, drafts=2, most=29),
    ),
    "the model finds no answer": (
        Script(composition=replace(QUOTED, is_doubted=True), has_model=True),
        Shown("Quoted.", Level.LOW, "found no answer in these sources"),
    ),
    "the model finds no answer, and the rules doubt theirs": (
        Script(
            composition=replace(QUOTED, is_doubted=True),
            quality=a_quality(40),
            rule_evaluation=an_evaluation(30),
            has_model=True,
        ),
        Shown("I could not find it in 1 document.", Level.NONE, "Nothing", searches=3, drafts=1, most=29),
    ),
    "found relevant, as is a passage about something else": (
        Script(composition=a_written("Beside it."), has_model=True, fails_control_at="quality"),
        Shown("Quoted.", Level.HIGH),
    ),
    "found supported, as is a claim with a figure changed": (
        Script(composition=a_written("Made up."), has_model=True, fails_control_at="groundedness"),
        Shown("Quoted.", Level.HIGH),
    ),
    "praised, as is a text about something else": (
        Script(composition=a_written("Beside it."), has_model=True, fails_control_at="evaluation"),
        Shown("Quoted.", Level.HIGH),
    ),
    "praised by a model that is not believed, where the rules find nothing": (
        Script(
            composition=a_written("Beside it."),
            quality=a_quality(5),
            rule_evaluation=an_evaluation(5),
            has_model=True,
            fails_control_at="evaluation",
        ),
        Shown("I could not find it in 1 document.", Level.NONE, "Nothing", searches=3, drafts=1, most=29),
    ),
    "some claims without support": (
        Script(composition=QUOTED, groundedness=a_groundedness(7, 3)),
        Shown("Quoted.", Level.MEDIUM, "Not every claim", most=69),
    ),
    "always off topic": (
        Script(composition=QUOTED, quality=a_quality(45, RetrievalIssue.OFF_TOPIC)),
        Shown("I could not find it in 1 document.", Level.NONE, "Nothing", searches=3, drafts=0, most=0),
    ),
    "of the wrong domain": (
        Script(composition=QUOTED, quality=a_quality(45, RetrievalIssue.WRONG_DOMAIN), evaluation=an_evaluation(65)),
        Shown("Quoted.", Level.MEDIUM, "may not answer it fully", searches=3),
    ),
    "always incomplete": (
        Script(composition=QUOTED, quality=POOR, evaluation=an_evaluation(65)),
        Shown("Quoted.", Level.MEDIUM, "may not answer it fully", searches=3),
    ),
}


@pytest.mark.parametrize(("script", "shown"), CASES.values(), ids=CASES)
def test_what_the_user_is_shown(script, shown):
    script = replace(script, confidence=None, calls=[])
    answer = run_question(AskRequest("When did Ether move?"), context_of(script), 1000)
    assert answer.text == shown.text
    assert answer.confidence.level is shown.level
    assert answer.confidence.score <= shown.most
    assert shown.caveat in (answer.confidence.caveat or "")
    assert bool(shown.caveat) == bool(answer.confidence.caveat)
    assert script.count("found") == shown.searches
    assert script.count("composition") == shown.drafts
    assert (answer.type is AnswerType.REJECTION) == (shown.level is Level.NONE)
    for sentence in answer.sentences:
        assert sentence.verdict.label is VerdictLabel.SUPPORTED or shown.most < 70


def test_of_a_model_that_is_not_believed_nothing_is_shown_however_sure_the_rules_are_of_it():
    sure = [confidence_of(score, 30, ENGLISH) for score in (50, 60, 80)]
    script = Script(composition=a_written("Right."), confidence=sure, has_model=True, fails_control_at="evaluation")
    answer = run_question(AskRequest("When did Ether move?"), context_of(script), 1000)
    assert (answer.text, answer.confidence.score) == ("Quoted.", 60)


def test_what_a_model_planned_that_is_not_believed_is_planned_again():
    script = Script(plan=[a_plan(), replace(a_plan(), complexity=Complexity.COMPLEX)], quality=POOR, evaluation=BESIDE)
    script = replace(script, has_model=True, fails_control_at="quality")
    run_question(AskRequest("When did Ether move?"), context_of(script), 1000)
    assert [request.iterate for request in script.seen("found")] == [False, True, True]


def test_no_number_of_a_citation_is_used_twice_where_both_answers_are_shown():
    script = Script(composition=a_written("Beside it."), evaluation=BESIDE, confidence=None, has_model=True)
    answer = run_question(AskRequest("When did Ether move?"), context_of(script), 1000)
    assert [citation.number for citation in answer.citations] == [1, 2]
    assert [sentence.citations for sentence in answer.sentences] == [(1,), (2,)]
