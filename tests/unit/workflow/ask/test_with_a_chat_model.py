"""What a chat model costs and what it changes: when it is asked again, when a search ends, and that nothing found is lost."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from scripted_steps import DOCUMENT, PASSAGE, Script, a_composition, a_quality, a_result, an_evaluation, context_of

from ascertain.core.asking.answers import AnswerSentence, AnswerType, Verdict, VerdictLabel
from ascertain.core.asking.judgements import RULES_SIGNAL, CheckedClaim, Groundedness, RetrievalIssue
from ascertain.core.asking.passages import Confidence, Level, Strategy
from ascertain.core.asking.requests import AskRequest
from ascertain.workflow.ask.run import run_question

QUOTED = a_composition()
UNSURE = Confidence(Level.NONE, 10, "Nothing that was found answers this.")


def judged(score: float, id: str = "c1") -> Any:
    """A passage with the score that a chat model gave it."""
    return replace(PASSAGE, chunk=replace(PASSAGE.chunk, id=id), scores={"dense": 0.7, "judge": score})


def found(*passages: Any) -> Any:
    return a_result(passages or (judged(0.9),))


def by_model(score: int = 90, *issues: RetrievalIssue) -> Any:
    quality = a_quality(score, *issues)
    return replace(quality, signals={**quality.signals, RULES_SIGNAL: float(score)})


def written(*texts: str) -> Any:
    sentences = tuple(AnswerSentence(text, Verdict(VerdictLabel.INFERRED, 0.5), (1,)) for text in texts)
    return replace(QUOTED, text=" ".join(texts), sentences=sentences, quoted=QUOTED)


def checked(*supported: bool) -> Groundedness:
    labels = [VerdictLabel.SUPPORTED if each else VerdictLabel.NOT_IN_SOURCES for each in supported]
    return Groundedness(tuple(CheckedClaim(f"c{i}", i, Verdict(each, 1.0)) for i, each in enumerate(labels)))


DECLINED = replace(QUOTED, is_doubted=True)
POOR = by_model(45, RetrievalIssue.PARTIAL_COVERAGE)


def ask(script: Script) -> tuple[Any, list[tuple[Any, Strategy]]]:
    """The answer, and each search as (wording, strategy)."""
    script.has_model = True
    answer = run_question(AskRequest("What moved to proof of stake?"), context_of(script))
    return answer, [(request.question, request.strategy) for request in script.seen("found")]


def test_a_new_wording_that_finds_the_same_passages_ends_the_search():
    script = Script(found=found(judged(0.6)), quality=POOR, composition=written("It did."), groundedness=checked(True))
    answer, searches = ask(script)
    assert len(searches) == 2
    assert script.count("quality") == 1
    assert script.count("composition") == 1
    assert answer.text == "It did."
    assert any("not judged again" in decision.reason for decision in answer.decisions)


def test_a_new_wording_that_finds_something_new_is_judged_and_written_from_with_what_was_found_before():
    script = Script(
        found=[found(judged(0.6, "c1")), found(judged(0.1, "c2"), judged(0.8, "c3"))],
        quality=[POOR, by_model(80)],
        composition=written("It did."),
        groundedness=checked(True),
    )
    ask(script)
    assert script.count("quality") == 2
    [request] = script.seen("composition")
    assert [passage.chunk.id for passage in request.passages] == ["c3", "c1"]


def test_severe_unsupportedness_after_poor_retrieval_searches_again_with_another_strategy_at_the_defaults():
    script = Script(
        found=[found(judged(0.6, f"c{n}")) for n in range(4)],
        quality=[POOR, POOR, by_model(85)],
        composition=[written("Made up."), written("Right.")],
        groundedness=[checked(False), checked(True)],
    )
    answer, searches = ask(script)
    assert [strategy for _, strategy in searches[:2]] == [Strategy.HYBRID] * 2
    assert searches[2][1] is not Strategy.HYBRID
    assert searches[2][0] == searches[1][0]
    assert answer.text == "Right."


def test_an_answer_that_its_model_finds_wanting_starts_another_round_though_the_rules_are_content():
    doubted = replace(an_evaluation(80), by_model=20)
    script = Script(
        found=[found(judged(0.9, "c1")), found(judged(0.9, "c2"))],
        quality=by_model(90),
        composition=[written("Half of it."), written("All of it.")],
        groundedness=checked(True),
        evaluation=[doubted, an_evaluation(95)],
    )
    answer, searches = ask(script)
    assert len(searches) == 2
    assert searches[1][1] is not searches[0][1]
    assert answer.text == "All of it."


def test_another_round_that_finds_nothing_new_writes_nothing_again():
    doubted = replace(an_evaluation(80), by_model=20)
    script = Script(
        found=found(judged(0.9)),
        quality=by_model(90),
        composition=written("Half of it."),
        groundedness=checked(True),
        evaluation=doubted,
    )
    answer, _ = ask(script)
    assert (script.count("composition"), script.count("quality")) == (1, 1)
    assert answer.text.startswith("Half of it.")


def test_two_refusals_with_nothing_new_in_between_decline():
    script = Script(
        found=found(judged(0.2)),
        quality=by_model(20, RetrievalIssue.MISSING_KEY_INFO),
        composition=DECLINED,
        rule_evaluation=an_evaluation(60),
        confidence=None,
    )
    answer, searches = ask(script)
    assert answer.type is AnswerType.REJECTION
    assert len(searches) == 2
    assert (script.count("quality"), script.count("composition")) == (1, 1)


def test_one_refusal_of_a_model_that_found_the_passages_relevant_leaves_the_quotations():
    script = Script(found=found(judged(0.7)), quality=by_model(70), composition=DECLINED, confidence=None)
    answer, _ = ask(script)
    assert answer.type is not AnswerType.REJECTION
    assert script.count("composition") == 1


def test_a_sentence_that_stood_in_the_draft_before_keeps_its_verdict():
    script = Script(
        found=found(),
        quality=by_model(90),
        composition=[written("Right.", "Made up."), written("Right.", "Mended.")],
        groundedness=[checked(True, False), checked(True)],
    )
    answer, _ = ask(script)
    first, second = script.seen("groundedness")
    assert [sentence.text for sentence in first.sentences] == ["Right.", "Made up."]
    assert [sentence.text for sentence in second.sentences] == ["Mended."]
    assert second.text == "Right. Mended."
    assert answer.text == "Right. Mended."
    assert [sentence.verdict.label for sentence in answer.sentences] == [VerdictLabel.SUPPORTED] * 2


def test_what_a_draft_quotes_from_a_passage_judged_to_answer_is_shown_at_least():
    unsupported = replace(written("Ether turned."), quoted=replace(QUOTED, text="Else."))
    script = Script(
        found=found(judged(0.95)),
        quality=by_model(60),
        composition=unsupported,
        groundedness=checked(False),
        rule_groundedness=checked(False),
        confidence=sure_of_quotations,
    )
    answer, _ = ask(script)
    assert answer.type is not AnswerType.REJECTION
    assert answer.text == DOCUMENT.text
    assert answer.citations[0].quote == DOCUMENT.text
    assert answer.confidence.level is Level.LOW
    assert "the words that it found to answer" in (answer.confidence.caveat or "")


@pytest.mark.parametrize("score", [0.4, 0.8])
def test_what_it_quotes_from_another_passage_is_not(score):
    script = Script(
        found=found(judged(score)),
        quality=by_model(60),
        composition=written("Ether turned."),
        groundedness=checked(False),
        rule_groundedness=checked(False),
        confidence=sure_of_quotations,
    )
    answer, _ = ask(script)
    assert answer.type is AnswerType.REJECTION


def sure_of_quotations(assessment: Any) -> Confidence:
    """Unsure of every attempt, and sure of what is quoted from it at last."""
    return Confidence(Level.HIGH, 80) if assessment.composition.checked is not None else UNSURE


def test_every_attempt_stays_a_candidate():
    script = Script(
        found=[found(judged(0.9, "c1")), found(judged(0.9, "c2"))],
        quality=by_model(90),
        composition=[written("First."), written("Second.")],
        groundedness=[checked(True), checked(False), checked(False)],
        evaluation=[replace(an_evaluation(40), by_model=20), an_evaluation(90)],
        confidence=Confidence(Level.HIGH, 80),
        rule_groundedness=checked(False),
    )
    answer, _ = ask(script)
    assert "First." in answer.text
