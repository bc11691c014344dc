"""Attributes that are opened once for all threads."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from ascertain.app.container.opening import opened_once, release_opened


class House:
    def __init__(self) -> None:
        self.log: list[str] = []
        self.fails = 0
        self.may_go_on = threading.Event()

    @opened_once
    def door(self) -> object:
        """The way in."""
        self.log.append("door")
        return object()

    @opened_once
    def cellar(self) -> tuple[object, str]:
        self.may_go_on.wait(10)
        if self.fails:
            self.fails -= 1
            raise OSError("it is flooded")
        self.log.append("cellar")
        return self.door, "dark"


def test_it_is_opened_when_it_is_first_needed_and_then_the_same() -> None:
    house = House()
    assert house.log == []
    assert house.door is house.door
    assert house.log == ["door"]
    assert House.door.__doc__ == "The way in."
    assert House().door is not house.door


def test_threads_that_want_it_at_once_get_one_and_the_same() -> None:
    house = House()
    with ThreadPoolExecutor(8) as pool:
        waiting = [pool.submit(lambda: house.cellar) for _ in range(8)]
        house.may_go_on.set()
        assert len({id(each.result()) for each in waiting}) == 1
    assert house.log == ["cellar", "door"]


def test_after_an_error_the_next_one_tries_again() -> None:
    house = House()
    house.may_go_on.set()
    house.fails = 1
    with pytest.raises(OSError, match="flooded"):
        _ = house.cellar
    assert house.cellar[1] == "dark"


def test_what_was_opened_is_released_in_the_order_of_opening_and_opened_again() -> None:
    house = House()
    house.may_go_on.set()
    cellar = house.cellar
    assert release_opened(house) == [cellar[0], cellar]
    assert release_opened(house) == []
    assert house.door is not cellar[0]


def test_one_of_them_is_released_alone() -> None:
    house = House()
    house.may_go_on.set()
    cellar = house.cellar
    assert release_opened(house, "door") == [cellar[0]]
    assert house.cellar is cellar


def test_what_is_being_opened_is_waited_for_and_released() -> None:
    house = House()
    with ThreadPoolExecutor(2) as pool:
        opening = pool.submit(lambda: house.cellar)
        releasing = pool.submit(release_opened, house, "cellar")
        house.may_go_on.set()
        opened = opening.result()
        assert releasing.result() in ([opened], [])
