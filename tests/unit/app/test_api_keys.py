"""API keys over the real store of an embedded home."""

from __future__ import annotations

import re
import sqlite3
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from small_knowledge import opened

from ascertain.app.access.api_keys import CACHE_SECONDS, authenticate_key, create_key, list_keys, revoke_key
from ascertain.core.errors import StoreError, UsageError
from ascertain.core.service.service import Role

NOON = datetime(2025, 6, 1, 12, tzinfo=UTC)


def after(**time: float) -> datetime:
    return NOON + timedelta(**time)


@pytest.fixture
def service(tmp_path: Path):
    with opened(tmp_path / "kb") as knowledge:
        knowledge.set_up()
        yield knowledge.service


def test_a_key_is_shown_once_and_only_its_digest_is_kept(service, tmp_path: Path) -> None:
    key, text = create_key(service, "alice", "acme", requests_per_minute=7, role=Role.ADMIN)
    assert re.fullmatch(r"ask_[A-Za-z0-9_-]{43}", text)
    assert (key.name, key.tenant, key.requests_per_minute, key.role) == ("alice", "acme", 7, Role.ADMIN)
    assert text.startswith(key.hint)
    assert len(key.hint) == 8
    assert [listed.id for listed in list_keys(service)] == [key.id]
    record = sqlite3.connect(tmp_path / "kb" / "record.sqlite3")
    dump = "\n".join(record.iterdump())
    record.close()
    assert text not in dump
    assert text[8:] not in dump


def test_two_keys_are_never_alike(service) -> None:
    made = [create_key(service, "alice") for _ in range(20)]
    assert len({text for _, text in made}) == 20
    assert len({key.id for key, _ in made}) == 20


def test_a_key_opens_its_tenant(service) -> None:
    key, text = create_key(service, "alice", "acme")
    found = authenticate_key(service, text, NOON)
    assert found is not None
    assert (found.id, found.tenant) == (key.id, "acme")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ask_",
        "ask_" + "x" * 43,
        "ask_" + "x" * 42,
        "ASK_" + "x" * 43,
        "ask_" + "é" * 43,
        "ask_" + "x" * 100_000,
        "\0",
    ],
)
def test_what_is_no_key_opens_nothing(service, text: str) -> None:
    create_key(service, "alice")
    assert authenticate_key(service, text, NOON) is None


def test_a_key_with_something_around_it_is_none(service) -> None:
    _, text = create_key(service, "alice")
    for changed in (text + "\n", " " + text, text[:-1], text + "A", text.swapcase()):
        assert authenticate_key(service, changed, NOON) is None


def test_a_revoked_key_is_refused_at_once_where_it_was_revoked(service) -> None:
    key, text = create_key(service, "alice")
    assert authenticate_key(service, text, NOON) is not None
    revoke_key(service, key.id)
    assert authenticate_key(service, text, NOON) is None
    assert list_keys(service)[0].revoked_at is not None


def test_a_key_revoked_elsewhere_is_refused_within_seconds(tmp_path: Path) -> None:
    with opened(tmp_path / "kb") as here, opened(tmp_path / "kb") as there:
        here.set_up()
        key, text = create_key(here.service, "alice")
        assert authenticate_key(here.service, text, NOON) is not None
        revoke_key(there.service, key.id)
        assert authenticate_key(here.service, text, after(seconds=CACHE_SECONDS)) is None
        assert authenticate_key(there.service, text, NOON) is None


def test_keys_of_one_knowledge_base_do_not_open_another(service, tmp_path: Path) -> None:
    _, text = create_key(service, "alice")
    assert authenticate_key(service, text, NOON) is not None
    with opened(tmp_path / "other") as other:
        other.set_up()
        assert authenticate_key(other.service, text, NOON) is None


def test_the_time_of_use_is_noted_once_a_minute(service) -> None:
    _, text = create_key(service, "alice")

    def used() -> datetime | None:
        return list_keys(service)[0].last_used_at

    assert used() is None
    authenticate_key(service, text, NOON)
    assert used() == NOON
    authenticate_key(service, text, after(seconds=2))
    authenticate_key(service, text, after(seconds=59))
    assert used() == NOON
    authenticate_key(service, text, after(seconds=61))
    assert used() == after(minutes=1)


def test_a_full_disk_turns_nobody_away(service, monkeypatch: pytest.MonkeyPatch) -> None:
    _, text = create_key(service, "alice")

    def touch(key_id: str, moment: datetime) -> None:
        raise StoreError("no space left on the device")

    monkeypatch.setattr(service.keys, "touch", touch, raising=False)
    assert authenticate_key(service, text, NOON) is not None
    assert list_keys(service)[0].last_used_at is None


def test_a_clock_that_was_set_back_makes_no_key_last_longer(service, tmp_path: Path) -> None:
    key, text = create_key(service, "alice")
    assert authenticate_key(service, text, NOON) is not None
    with opened(tmp_path / "kb") as there:
        revoke_key(there.service, key.id)
    assert authenticate_key(service, text, after(hours=-1)) is None


def test_revoking_an_unknown_key_says_how_to_find_it(service) -> None:
    with pytest.raises(UsageError, match=r"no key 'nope'.*keys list"):
        revoke_key(service, "nope")


@pytest.mark.parametrize("tenant", ["", "a/b", "a b", "../up", "ä", "x" * 65, "a\n", "a\0"])
def test_refuses_what_is_no_name_of_a_tenant(service, tenant: str) -> None:
    with pytest.raises(UsageError, match="not a valid tenant name"):
        create_key(service, "alice", tenant)


@pytest.mark.parametrize("name", ["", "  ", "x" * 101, "bell\a"])
def test_refuses_what_is_no_name_of_a_key(service, name: str) -> None:
    with pytest.raises(UsageError, match="key's name"):
        create_key(service, name)


def test_refuses_a_limit_below_zero(service) -> None:
    with pytest.raises(UsageError, match="-1 requests"):
        create_key(service, "alice", requests_per_minute=-1)
    assert create_key(service, "alice")[0].requests_per_minute == 120
    assert create_key(service, "alice", requests_per_minute=0)[0].requests_per_minute == 0
