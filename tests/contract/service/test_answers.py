"""What every answer cache must do."""

from service_nouns import NOON, ODD, a_cached_answer, later


def kept(service, questions, scope="scope", **arguments):
    return [question for question in questions if service.answers.get(scope, question, **arguments)]


def test_nothing_is_kept_at_first(service):
    assert service.answers.get("scope", "why?") is None
    assert service.answers.clear() == 0


def test_everything_of_an_answer_comes_back(reopen):
    answer = a_cached_answer(
        "why\udc80?",
        scope="s\0",
        corpus="c\udc80",
        answer={"text": "\ud800", "nested": {"é": [1.5, None, True]}},
        stored_at=later(microseconds=3),
        tenant="acme",
    )
    first = reopen()
    first.answers.put(answer, 10)
    first.close()
    service = reopen()
    assert service.answers.get("s\0", "why\udc80?", "acme") == answer


def test_an_answer_takes_the_place_of_an_earlier_one(service):
    service.answers.put(a_cached_answer(corpus="before"), 10)
    service.answers.put(a_cached_answer(corpus="after", answer={}, stored_at=later(days=1)), 10)
    found = service.answers.get("scope", "why?")
    assert (found.corpus, found.answer) == ("after", {})


def test_questions_and_scopes_are_told_apart_to_the_character(service):
    for name in ODD:
        service.answers.put(a_cached_answer(name, corpus=name), 100)
        service.answers.put(a_cached_answer("why?", scope=name, corpus=name), 100)
    assert [service.answers.get("scope", name).corpus for name in ODD] == list(ODD)
    assert [service.answers.get(name, "why?").corpus for name in ODD] == list(ODD)


def test_the_latest_of_a_tenant_stay(service):
    service.answers.put(a_cached_answer("of another", tenant="acme"), 10)
    for number in range(5):
        service.answers.put(
            a_cached_answer(str(number), scope="even" if number % 2 == 0 else "odd", stored_at=later(days=number)), 3
        )
    service.answers.put(a_cached_answer("2", scope="even", stored_at=later(days=9)), 2)
    assert kept(service, "01234", "even") == ["2", "4"]
    assert kept(service, "01234", "odd") == []
    assert kept(service, ["of another"], tenant="acme") == ["of another"]


def test_forgetting_leaves_other_tenants_alone(service):
    for tenant in ("default", "acme"):
        for question in "ab":
            service.answers.put(a_cached_answer(question, tenant=tenant, stored_at=NOON), 10)
    assert service.answers.clear() == 2
    assert kept(service, "ab") == []
    assert kept(service, "ab", tenant="acme") == ["a", "b"]


def test_the_answers_of_a_conversation_go_and_no_others(service):
    def put(question, conversation, **fields):
        answer = {"text": "so", "conversation_id": conversation}
        service.answers.put(a_cached_answer(question, answer=answer, **fields), 100)

    for name in ODD:
        put(name, name)
    put("of none", None)
    put("of another", ODD[0], tenant="acme")
    assert service.answers.delete_conversation(ODD[0]) == 1
    assert service.answers.delete_conversation(ODD[0]) == 0
    assert kept(service, [*ODD, "of none"]) == [*ODD[1:], "of none"]
    assert kept(service, ["of another"], tenant="acme") == ["of another"]
