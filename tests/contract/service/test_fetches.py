"""What every store of fetch states must do."""

from service_nouns import NOON, ODD, later

from ascertain.stores.ports.service import FetchState


def test_nothing_is_known_at_first(service):
    assert service.fetches.get("https://example.org/feed") is None


def test_what_is_known_comes_back_and_is_replaced(reopen):
    state = FetchState("https://example.org/é\udc80", NOON, '"etag\0"', "Sun, 01 Mar 2026 12:00:00 GMT")
    first = reopen()
    first.fetches.put(state, "acme")
    first.close()
    service = reopen()
    assert service.fetches.get(state.url, "acme") == state
    newer = FetchState(state.url, later(microseconds=1))
    service.fetches.put(newer, "acme")
    assert service.fetches.get(state.url, "acme") == newer
    assert service.fetches.get(state.url) is None


def test_addresses_are_told_apart_to_the_character(service):
    for name in ODD:
        service.fetches.put(FetchState(name, NOON, name))
    assert [service.fetches.get(name).etag for name in ODD] == list(ODD)


def test_many_states_are_kept_at_once(service):
    states = [FetchState(name, NOON, name) for name in ODD]
    service.fetches.put_all(states, "acme")
    assert [service.fetches.get(name, "acme") for name in ODD] == states
    assert service.fetches.get(ODD[0]) is None
    service.fetches.put_all([])
