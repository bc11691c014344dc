"""What every store of feedback must do."""

from dataclasses import replace

from service_nouns import NOON, ODD, a_given_answer, later


def test_everything_of_an_answer_comes_back(reopen):
    answer = a_given_answer(
        "a\0",
        question="why\udc80?",
        confidence=100,
        question_kind="comparison",
        features={"words": 7, "nested": {"é": [1.5, None, "\ud800"]}},
        conversation_id="",
        tenant="acme",
        thumb="down",
        comment="it says\nnothing",
        judged_at=later(hours=1, microseconds=7),
    )
    first = reopen()
    first.feedback.note(answer)
    first.close()
    assert reopen().feedback.get("a\0", "acme") == answer


def test_an_answer_that_is_noted_stays_as_it_is(service):
    service.feedback.note(a_given_answer("a"))
    service.feedback.note(a_given_answer("a", question="another"))
    assert service.feedback.get("a").question == "why?"


def test_feedback_is_kept_over_earlier_feedback(service):
    answer = a_given_answer("a")
    service.feedback.note(answer)
    assert service.feedback.judged() == []
    judged = service.feedback.judge("a", "up", "good", later(hours=1))
    assert judged == replace(answer, thumb="up", comment="good", judged_at=later(hours=1))
    changed = service.feedback.judge("a", "down", "", later(hours=2))
    assert changed == service.feedback.get("a") == replace(answer, thumb="down", judged_at=later(hours=2))
    assert service.feedback.judged() == [changed]


def test_all_answers_come_in_the_order_they_were_noted_in(service):
    assert service.feedback.answers() == []
    for number in (3, 1, 2):
        service.feedback.note(a_given_answer(str(number), tenant="acme"))
    service.feedback.note(a_given_answer("other"))
    judged = service.feedback.judge("1", "up", "good", later(hours=1), "acme")
    assert service.feedback.answers("acme") == [
        a_given_answer("3", tenant="acme"),
        judged,
        a_given_answer("2", tenant="acme"),
    ]


def test_answers_since_a_moment_are_those_given_from_then_on(service):
    for number in (3, 1, 2, 4):
        service.feedback.note(a_given_answer(str(number), answered_at=later(days=number)))
    service.feedback.note(a_given_answer("other", answered_at=later(days=9), tenant="acme"))
    service.feedback.judge("1", "down", "judged of late, given before", later(days=30))
    judged = service.feedback.judge("3", "up", "", later(days=3, hours=1))
    # the clock of the machine that noted this is behind
    service.feedback.judge("4", "up", "", later(days=1, hours=23))
    assert [answer.answer_id for answer in service.feedback.answers(since=later(days=2))] == ["3", "2", "4"]
    assert service.feedback.answers(since=later(days=2))[0] == judged
    assert [answer.answer_id for answer in service.feedback.answers(since=later(days=2, microseconds=1))] == ["3", "4"]
    assert service.feedback.answers(since=later(days=5)) == []
    assert [answer.answer_id for answer in service.feedback.answers("acme", later(days=9))] == ["other"]


def test_an_unknown_answer_cannot_be_judged(service):
    service.feedback.note(a_given_answer("a", tenant="acme"))
    assert service.feedback.judge("a", "up", "", NOON) is None
    assert service.feedback.get("a") is None
    assert service.feedback.get("a", "acme").thumb is None


def test_names_are_told_apart_to_the_character(service):
    for name in ODD:
        service.feedback.note(a_given_answer(name, question=name))
    assert [service.feedback.get(name).question for name in ODD] == list(ODD)


def test_judged_ones_come_in_order_from_a_moment_on(service):
    for number in (3, 1, 2):
        service.feedback.note(a_given_answer(str(number)))
        service.feedback.judge(str(number), "up", "", later(days=number))
    assert [answer.answer_id for answer in service.feedback.judged()] == ["1", "2", "3"]
    assert [answer.answer_id for answer in service.feedback.judged(since=later(days=2))] == ["2", "3"]
    assert service.feedback.judged("acme") == []


def test_unjudged_ones_beyond_the_latest_are_forgotten(service, monkeypatch):
    monkeypatch.setattr("ascertain.stores.relational.answer_tables.KEPT_UNJUDGED", 3)
    service.feedback.note(a_given_answer("of another", tenant="acme"))
    service.feedback.note(a_given_answer("judged"))
    service.feedback.judge("judged", "up", "", NOON)
    for number in range(5):
        service.feedback.note(a_given_answer(str(number)))
    kept = [name for name in ("judged", *"01234") if service.feedback.get(name)]
    assert kept == ["judged", "2", "3", "4"]
    assert service.feedback.get("of another", "acme")


def test_the_answers_of_a_conversation_go_judged_or_not_and_no_others(service):
    for name in ODD:
        service.feedback.note(a_given_answer(name, conversation_id=name))
    service.feedback.note(a_given_answer("second", conversation_id=ODD[0]))
    service.feedback.note(a_given_answer("of none"))
    service.feedback.note(a_given_answer("of another", conversation_id=ODD[0], tenant="acme"))
    service.feedback.judge(ODD[0], "up", "", NOON)
    assert service.feedback.delete_conversation(ODD[0]) == 2
    assert service.feedback.delete_conversation(ODD[0]) == 0
    assert [answer.answer_id for answer in service.feedback.answers()] == [*ODD[1:], "of none"]
    assert service.feedback.get("of another", "acme") is not None
