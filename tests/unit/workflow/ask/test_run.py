"""Whole runs through the graph, with steps that play a script."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from scripted_steps import (
    PASSAGE,
    SURE,
    UNSURE,
    Script,
    a_composition,
    a_groundedness,
    a_plan,
    a_quality,
    a_result,
    an_evaluation,
    context_of,
)

from ascertain.core.asking.answers import AnswerType, Decision, Form, VerdictLabel
from ascertain.core.asking.forms import join_sentences
from ascertain.core.asking.judgements import RetrievalIssue
from ascertain.core.asking.passages import Confidence, Filter, Level, Strategy
from ascertain.core.asking.plans import Intent
from ascertain.core.asking.requests import AnswerText, AskRequest, Done, NodeFinished, NodeStarted, Standalone, Turn
from ascertain.core.asking.runs import FELL_BACK, Budget, Run
from ascertain.core.errors import UsageError
from ascertain.core.settings import VerificationSettings
from ascertain.questions.timeframe import Timeframe
from ascertain.workflow.ask import finish, routes
from ascertain.workflow.ask.routes import Node
from ascertain.workflow.ask.run import run_question, stream_question

LIMIT = 1000


def asked(script: Script, request: AskRequest = AskRequest("When did Ether move?"), **more: Any):
    return run_question(request, context_of(script, **more), LIMIT)


def path(answer) -> list[str]:
    names = {node.value for node in Node}
    return [decision.node for decision in answer.decisions if decision.node in names]


def test_a_question_that_goes_well_takes_the_straight_way():
    answer = asked(Script())
    assert path(answer) == [
        *("rewrite", "plan", "strategy", "expand", "retrieve", "judge"),
        *("generate", "check", "evaluate", "finish"),
    ]
    assert answer.type is AnswerType.SUMMARY
    assert answer.citations
    assert answer.groundedness == 1.0


def test_a_misspelt_word_is_read_as_the_passages_write_it_and_searched_so():
    script = Script()
    answer = asked(script, AskRequest("When did Etherr move to proof of stake?"))
    assert [seen.question for name, seen in script.calls if name == "found"] == [
        "When did Etherr move to proof of stake?",
        "When did Ether move to proof of stake?",
    ]
    assert any(decision.outcome == "misspelt" for decision in answer.decisions)


@pytest.mark.parametrize(
    ("intent", "type"), [(Intent.GREETING, AnswerType.GREETING), (Intent.OUT_OF_SCOPE, AnswerType.REJECTION)]
)
def test_greetings_and_what_is_out_of_scope_are_answered_without_a_search(intent, type):
    script = Script(plan=a_plan(intent))
    answer = asked(script)
    assert answer.type is type
    assert script.count("found") == 0
    assert "1 document" in answer.text


def test_poor_retrieval_is_rewritten_and_searched_again():
    script = Script(quality=[a_quality(30, RetrievalIssue.MISSING_KEY_INFO), a_quality(80)])
    answer = asked(script)
    assert script.count("refine") == 1
    assert [request.question for request in script.seen("found")] == [
        "When did Ether move?",
        "When did Ether move? again",
    ]
    assert script.seen("composition")[0].question.text == "When did Ether move?"
    assert answer.attempts == 2


def test_what_is_written_from_is_the_best_that_was_found():
    other = replace(PASSAGE, score=0.1)
    script = Script(
        found=[a_result(), a_result((other,)), a_result((other,))],
        quality=[a_quality(50), a_quality(20), a_quality(10)],
    )
    answer = asked(script)
    assert script.seen("composition")[0].passages == (PASSAGE,)
    assert script.seen("composition")[0].quality == 50
    assert "from an earlier search" in next(d.reason for d in answer.decisions if d.node == "generate")


def test_a_search_that_missed_the_subject_changes_strategy_at_once():
    script = Script(quality=[a_quality(10, RetrievalIssue.OFF_TOPIC), a_quality(80)])
    asked(script)
    assert [request.strategy for request in script.seen("found")] == [Strategy.HYBRID, Strategy.KEYWORD]
    assert script.count("refine") == 0


def test_unsupported_claims_after_good_retrieval_are_written_again_and_named():
    script = Script(groundedness=[a_groundedness(1, 2), a_groundedness(3, 0)])
    answer = asked(script)
    first, second = script.seen("composition")
    assert first.unsupported == ()
    assert second.unsupported == ("claim 1", "claim 2")
    assert answer.groundedness == 1.0


def test_unsupported_claims_after_poor_retrieval_are_put_down_to_it():
    poor = a_quality(40, RetrievalIssue.OFF_TOPIC)
    script = Script(quality=[poor, a_quality(80)], groundedness=[a_groundedness(0, 2), a_groundedness(2, 0)])
    asked(script)
    assert len({request.strategy for request in script.seen("found")}) > 1


def test_the_best_attempt_is_kept():
    before, medium = [SURE] * 2, [Confidence(Level.MEDIUM, 60)] * 2
    script = Script(evaluation=an_evaluation(10), confidence=[*medium, *before, Confidence(Level.LOW, 35)])
    answer = asked(script)
    assert script.count("composition") == 3
    assert (answer.confidence.score, answer.confidence.level) == (69, Level.MEDIUM)
    assert "may not answer the question fully" in (answer.confidence.caveat or "")


def test_an_attempt_is_told_which_ones_before_it_were_withheld():
    script = Script(confidence=[UNSURE, UNSURE, SURE])
    asked(script)
    assert [seen.withheld for seen in script.seen("confidence")][::2] == [(), (5,)]


def test_an_answer_below_the_threshold_is_withheld_with_what_was_searched():
    answer = asked(Script(confidence=UNSURE))
    assert answer.type is AnswerType.REJECTION
    assert "I could not find it in 1 document" in answer.text
    assert not answer.sentences
    assert not answer.citations


def test_moderate_groundedness_is_kept_with_a_warning():
    answer = asked(Script(groundedness=a_groundedness(7, 3)))
    assert answer.type is AnswerType.SUMMARY
    assert "Not every claim" in (answer.confidence.caveat or "")
    assert answer.confidence.level is Level.MEDIUM


def test_sentences_without_support_are_shown_as_such_or_removed_but_never_answered_with_alone(monkeypatch):
    script = Script(groundedness=a_groundedness(0, 1))
    assert asked(script).type is AnswerType.REJECTION
    composition = a_composition()
    two = replace(
        composition,
        text=f"{composition.text} And the moon.",
        sentences=(*composition.sentences, replace(composition.sentences[0], text="And the moon.")),
    )
    claims = a_groundedness(1, 1).claims
    mixed = replace(a_groundedness(), claims=(claims[0], replace(claims[1], sentence=1)))
    monkeypatch.setattr(routes, "MODERATE", 0.4)
    monkeypatch.setattr(finish, "FINE", 0.4)
    shown = asked(Script(composition=two, groundedness=mixed))
    assert [s.verdict.label for s in shown.sentences] == [VerdictLabel.SUPPORTED, VerdictLabel.NOT_IN_SOURCES]
    removing = VerificationSettings(unsupported="remove")
    removed = asked(Script(composition=two, groundedness=mixed), verification=removing)
    assert [s.verdict.label for s in removed.sentences] == [VerdictLabel.SUPPORTED]
    assert "moon" not in removed.text
    assert [d.outcome for d in removed.decisions if d.node == "claim"] == ["not in sources"]
    uncited = replace(two, sentences=(two.sentences[0], replace(two.sentences[1], citations=())))
    assert "moon" not in asked(Script(composition=uncited, groundedness=mixed)).text


def test_a_list_of_which_a_step_is_removed_is_numbered_on(monkeypatch):
    composition = a_composition()
    texts = ("Stop it.", "Paint it.", "Start it.")
    steps = tuple(replace(composition.sentences[0], text=text, form=Form.STEP) for text in texts)
    claims = a_groundedness(2, 1).claims
    mixed = replace(a_groundedness(), claims=tuple(replace(claims[n], sentence=at) for at, n in enumerate((0, 2, 1))))
    monkeypatch.setattr(routes, "MODERATE", 0.4)
    script = Script(composition=replace(composition, text=join_sentences(steps), sentences=steps), groundedness=mixed)
    answer = asked(script, verification=VerificationSettings(unsupported="remove"))
    assert answer.text == "1. Stop it.\n2. Start it."


def test_a_reservation_of_the_writer_is_shown():
    composition = replace(a_composition(), caveats=("The answer is in another language than the question.",))
    assert "in another language" in (asked(Script(composition=composition)).confidence.caveat or "")


def test_a_second_draft_sees_the_first_with_its_verdicts():
    script = Script(groundedness=[a_groundedness(1, 2), a_groundedness()])
    asked(script)
    first, second = script.seen("composition")
    assert first.draft is None
    assert [claim.text for claim in second.draft.groundedness.flagged] == ["claim 1", "claim 2"]
    assert second.draft.composition.text == a_composition().text


def test_a_date_that_leaves_nothing_is_dropped_and_the_answer_says_so():
    june = Timeframe(datetime(2026, 6, 1, tzinfo=UTC), datetime(2026, 7, 1, tzinfo=UTC), "in June", "June")
    dated = a_result((), Filter(published_from=june.start, published_before=june.end))
    script = Script(
        found=[dated, a_result()],
        quality=[a_quality(0), a_quality(90)],
        timeframe=lambda text, language: june if "June" in text else None,
    )
    answer = asked(script, AskRequest("What happened in June?"))
    assert "undate" in path(answer)
    assert script.seen("found")[1].question == "What happened?"
    assert answer.text.startswith("Nothing that was found is dated 1 June 2026 to 30 June 2026; ")


def test_a_period_without_anything_on_the_subject_is_left_before_the_question_is_rejected():
    june = Timeframe(datetime(2026, 6, 1, tzinfo=UTC), datetime(2026, 7, 1, tzinfo=UTC), "in June", "June")
    dated = a_result(filter=Filter(published_from=june.start, published_before=june.end))
    off = a_quality(10, RetrievalIssue.OFF_TOPIC)
    script = Script(
        found=[dated, dated, a_result()],
        quality=[off, off, a_quality(90)],
        timeframe=lambda text, language: june if "June" in text else None,
    )
    answer = asked(script, AskRequest("What happened in June?"))
    assert answer.type is AnswerType.SUMMARY
    assert answer.text.startswith("Nothing that was found dated 1 June 2026 to 30 June 2026 answers this; ")
    assert script.count("found") <= 3


def test_a_follow_up_is_looked_up_as_rewritten_and_shown_as_asked():
    history = (Turn("user", "What is Ether?"), Turn("assistant", "A coin."))
    script = Script(standalone=Standalone("When did Ether move?", True, ("Ether",), "names what it means"))
    answer = asked(script, AskRequest("When did it move?", history=history))
    assert answer.question == "When did it move?"
    assert answer.standalone == "When did Ether move?"
    assert script.seen("found")[0].question == "When did Ether move?"
    assert answer.type is AnswerType.FOLLOWUP_ANSWER


def test_every_node_leaves_a_decision_and_notes_of_steps_stand_before_it():
    run = Run(Budget(10, 1000, 60, 1.0))
    run.note(Decision("rewrite", FELL_BACK, "the model was slow"))
    answer = asked(Script(), run=run)
    assert answer.decisions[0].outcome == FELL_BACK
    assert answer.decisions[1].node == "rewrite"
    assert all(decision.seconds >= 0 for decision in answer.decisions)


def test_a_stream_tells_every_node_then_the_text_then_the_end():
    told = list(stream_question(AskRequest("When did Ether move?"), context_of(Script()), LIMIT))
    done = told[-1]
    assert isinstance(done, Done)
    started = [event.node for event in told if isinstance(event, NodeStarted)]
    finished = [event.node for event in told if isinstance(event, NodeFinished)]
    assert started == finished == path(done.answer)
    assert "".join(event.text for event in told if isinstance(event, AnswerText)) == done.answer.text
    decisions = [d for event in told if isinstance(event, NodeFinished) for d in event.decisions]
    assert tuple(decisions) == done.answer.decisions


def test_a_stream_that_nobody_listens_to_any_more_ends_the_work():
    script = Script()
    events = stream_question(AskRequest("When did Ether move?"), context_of(script), LIMIT)
    next(events)
    events.close()
    assert script.count("composition") == 0


@pytest.mark.parametrize("question", ["", "   ", "?!", "x" * (LIMIT + 1)])
def test_a_question_that_cannot_be_looked_up_is_refused(question):
    with pytest.raises(UsageError):
        asked(Script(), AskRequest(question))


def test_the_run_ends_when_its_time_is_up():
    now = iter(range(0, 10_000, 30))
    script = Script(quality=a_quality(1, RetrievalIssue.OFF_TOPIC))
    answer = asked(script, run=Run(Budget(10, 1000, 60, 1.0), clock=lambda: float(next(now))))
    assert script.count("found") <= 1
    assert answer.text
