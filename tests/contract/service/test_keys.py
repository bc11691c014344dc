"""What every store of API keys must do."""

import threading
from dataclasses import replace
from datetime import timedelta

import pytest
from service_nouns import NOON, ODD, a_key, later

from ascertain.core.errors import UsageError
from ascertain.core.service.service import Role


def ids(service):
    listed = service.keys.keys()
    return [key.id for key in listed]


def test_there_are_no_keys_at_first(service):
    assert service.keys.keys() == []
    assert service.keys.find(b"d" * 32) is None


def test_everything_of_a_key_comes_back(reopen):
    key = a_key(
        "k",
        name="na\u00efve\udc80",
        tenant="acme\0",
        requests_per_minute=0,
        role=Role.ADMIN,
        user="kim",
        expires_at=later(days=90),
    )
    first = reopen()
    first.keys.add(key, b"d" * 32)
    first.close()
    assert reopen().keys.find(b"d" * 32) == key


def test_a_key_is_found_by_its_digest_alone(service):
    for number, name in enumerate(ODD):
        service.keys.add(a_key(name, created_at=later(seconds=number)), bytes([number]) * 32)
    assert ids(service) == list(ODD)
    assert [service.keys.find(bytes([number]) * 32).id for number in range(len(ODD))] == list(ODD)
    assert service.keys.find(b"\1" * 31) is None


@pytest.mark.parametrize("id_and_digest", [("k", b"other" * 6), ("other", b"d" * 32)])
def test_a_second_one_of_an_id_or_a_digest_is_refused(service, id_and_digest):
    service.keys.add(a_key("k"), b"d" * 32)
    name, digest = id_and_digest
    with pytest.raises(UsageError, match="exists already"):
        service.keys.add(a_key(name), digest)
    assert ids(service) == ["k"]


def test_digests_go_by_the_ids_of_keys(service):
    assert service.keys.digests() == {}
    for number, name in enumerate(ODD):
        service.keys.add(a_key(name), bytes([number]) * 32)
    assert service.keys.digests() == {name: bytes([number]) * 32 for number, name in enumerate(ODD)}


def test_keys_come_in_order_of_their_making(service):
    for number in (2, 0, 1):
        service.keys.add(a_key(str(number), created_at=later(days=number)), bytes([number]) * 32)
    assert ids(service) == ["0", "1", "2"]


def test_use_is_noted_to_the_minute_and_never_back(service):
    service.keys.add(a_key("k"), b"d" * 32)
    for moment, noted in (
        (later(seconds=59, microseconds=5), NOON),
        (later(minutes=3, seconds=1), later(minutes=3)),
        (later(minutes=2), later(minutes=3)),
    ):
        service.keys.touch("k", moment)
        assert service.keys.find(b"d" * 32).last_used_at == noted
    service.keys.touch("unknown", NOON)


def test_a_revoked_key_is_still_found_and_the_first_moment_stays(service):
    key = a_key("k")
    service.keys.add(key, b"d" * 32)
    service.keys.add(a_key("other"), b"e" * 32)
    assert service.keys.revoke("k", NOON)
    assert service.keys.revoke("k", NOON + timedelta(hours=1))
    assert not service.keys.revoke("unknown", NOON)
    assert service.keys.find(b"d" * 32) == replace(key, revoked_at=NOON)
    assert service.keys.find(b"e" * 32).revoked_at is None


def test_a_rotated_key_is_found_by_its_new_text_alone(service):
    key = a_key("k")
    service.keys.add(key, b"d" * 32)
    assert service.keys.rotate("k", b"e" * 32, "ask_new", later(hours=1), later(days=1))
    assert service.keys.find(b"d" * 32) is None
    assert service.keys.find(b"e" * 32) == replace(
        key, hint="ask_new", created_at=later(hours=1), expires_at=later(days=1)
    )
    assert not service.keys.rotate("unknown", b"f" * 32, "ask_new", NOON, None)
    service.keys.revoke("k", NOON)
    assert not service.keys.rotate("k", b"f" * 32, "ask_new", NOON, None)


def test_a_key_made_elsewhere_counts_at_once(reopen):
    here, there = reopen(), reopen()
    there.keys.add(a_key("k"), b"d" * 32)
    assert here.keys.find(b"d" * 32) is not None
    there.keys.revoke("k", NOON)
    assert here.keys.find(b"d" * 32).revoked_at == NOON


def test_a_deleted_key_is_as_if_it_had_never_been(service):
    service.keys.add(a_key("k"), b"d" * 32)
    service.keys.add(a_key("other"), b"o" * 32)
    assert service.keys.delete("k")
    assert not service.keys.delete("k")
    assert service.keys.find(b"d" * 32) is None
    assert ids(service) == ["other"]
    service.keys.add(a_key("k"), b"d" * 32)


def test_of_many_at_the_same_time_one_is_kept(reopen):
    outcomes = []

    def add(service, name):
        try:
            service.keys.add(a_key(name), b"d" * 32)
            outcomes.append(name)
        except UsageError:
            outcomes.append(None)

    threads = [threading.Thread(target=add, args=(reopen(), f"k{number}")) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    kept = [name for name in outcomes if name]
    assert len(kept) == 1
    assert ids(reopen()) == kept
