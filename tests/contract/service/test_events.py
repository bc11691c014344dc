"""What every event log must do."""

import threading

import pytest
from service_nouns import NOON, ODD, events, later

from ascertain.core.service.service import LoggedEvent


def numbers(service, stream="s", after=0, **arguments):
    found = service.events.after(stream, after, **arguments)
    return None if found is None else [event.number for event in found]


def test_there_is_no_log_at_first(service):
    assert service.events.after("s", 0) is None


def test_everything_of_an_event_comes_back(reopen):
    logged = [
        LoggedEvent(1, "node", {"node": "plan\0", "scores": {"é": [0.5, None]}}),
        LoggedEvent(2, "answer", {"text": "\ud800"}, is_last=True),
    ]
    first = reopen()
    first.events.append("s", logged, NOON)
    assert reopen().events.after("s", 0) == logged


@pytest.mark.parametrize(("after", "left"), [(0, [1, 2, 3]), (1, [2, 3]), (3, []), (9, []), (-1, [1, 2, 3])])
def test_it_goes_on_after_any_event(service, after, left):
    service.events.append("s", events(1, 2), NOON)
    service.events.append("s", events(3, last=3), NOON)
    assert numbers(service, after=after) == left


def test_an_event_that_is_there_is_left_out(service):
    service.events.append("s", events(1, 2), NOON)
    service.events.append("s", [LoggedEvent(2, "other", {}), *events(3)], NOON)
    assert service.events.after("s", 0) == events(1, 2, 3)


def test_a_log_without_events_is_one(service):
    service.events.append("s", [], NOON)
    assert numbers(service) == []


def test_streams_are_told_apart_to_the_character(service):
    for number, name in enumerate(ODD, 1):
        service.events.append(name, events(1, number + 1), NOON)
    assert [numbers(service, name) for name in ODD] == [[1, number + 1] for number in range(1, len(ODD) + 1)]


def test_old_logs_are_forgotten_an_hour_after_their_last_event(service):
    service.events.append("old", events(1), NOON, "acme")
    service.events.append("long", events(1), NOON)
    service.events.append("long", events(2), later(minutes=30))
    service.events.append("new", events(1), later(minutes=60))
    assert numbers(service, "old", tenant="acme") == [1]
    service.events.append("new", events(2), later(minutes=61))
    assert numbers(service, "old", tenant="acme") is None
    assert numbers(service, "long") == [1, 2]
    assert numbers(service, "new") == [1, 2]


def test_events_of_many_streams_at_the_same_time_are_all_there(reopen):
    stores = [reopen() for _ in range(4)]

    def log(number):
        for event in range(1, 21):
            stores[number].events.append(f"s{number}", events(event), later(seconds=event))

    threads = [threading.Thread(target=log, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number in range(4):
        assert numbers(stores[0], f"s{number}") == list(range(1, 21))


def test_a_log_goes_with_its_events_and_no_other(service):
    for tenant in ("default", "acme"):
        service.events.append("s", events(1, 2), NOON, tenant)
    assert service.events.delete("s")
    assert not service.events.delete("s")
    assert numbers(service) is None
    assert numbers(service, tenant="acme") == [1, 2]


def test_a_log_that_was_deleted_while_its_run_went_on_stays_deleted(service):
    service.events.append("s", events(1, 2), NOON)
    service.events.delete("s")
    service.events.append("s", events(3, last=3), NOON)
    assert numbers(service) is None


def test_a_log_is_for_its_user_and_for_whoever_asks_for_all(service):
    service.events.append("s", events(1), NOON, user="kim")
    service.events.append("s", events(2), NOON, user="kim")
    assert numbers(service, user="kim") == [1, 2]
    assert numbers(service) == [1, 2]
    assert numbers(service, user="lee") is None
    assert numbers(service, user="") is None


def test_all_logs_about_one_thing_go_together(service):
    for stream, about, tenant in (
        ("a", "run", "default"),
        ("b", "run", "default"),
        ("c", "", "default"),
        ("d", "run", "acme"),
    ):
        service.events.append(stream, events(1), NOON, tenant, about=about)
        service.events.append(stream, events(2), NOON, tenant, about=about)
    assert service.events.delete_about("run") == 2
    assert [numbers(service, stream) for stream in "abc"] == [None, None, [1, 2]]
    assert numbers(service, "d", tenant="acme") == [1, 2]
    assert service.events.delete_about("") == 0
