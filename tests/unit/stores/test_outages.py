"""A store that is away is not asked again and again."""

from __future__ import annotations

import pytest

from ascertain.core.errors import StoreBusy, StoreError
from ascertain.stores.outages import AWAY_SECONDS, Outage


class Away:
    """Fails as a server that is away does, and counts who asked."""

    def __init__(self, error: StoreError) -> None:
        self.error: StoreError | None = error
        self.asked = 0
        self.now = 100.0

    def read(self) -> str:
        self.asked += 1
        if self.error is not None:
            raise self.error
        return "here"


def test_only_the_first_waits_for_a_store_that_is_away_until_a_while_has_passed():
    away = Away(StoreError("no connection to bolt://x"))
    outage = Outage(lambda: away.now)
    for _ in range(3):
        with pytest.raises(StoreError, match="no connection"):
            outage.ask(away.read)
    assert away.asked == 1
    away.now += AWAY_SECONDS
    away.error = None
    assert outage.ask(away.read) == "here"
    assert outage.ask(away.read) == "here"
    assert away.asked == 3


def test_a_store_that_is_busy_is_asked_again_at_once():
    away = Away(StoreBusy("other writers"))
    outage = Outage(lambda: away.now)
    for _ in range(2):
        with pytest.raises(StoreBusy):
            outage.ask(away.read)
    assert away.asked == 2
