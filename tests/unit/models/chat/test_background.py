import asyncio
import threading

import pytest

from ascertain.models.chat.calls import run_within


async def doubled(number: int) -> int:
    await asyncio.sleep(0)
    return 2 * number


def test_result_comes_back():
    assert run_within(5, doubled(21)) == 42


def test_error_comes_back():
    async def fail() -> None:
        raise KeyError("x")

    with pytest.raises(KeyError):
        run_within(5, fail())


def test_late_work_is_cancelled():
    cancelled = threading.Event()

    async def wait() -> None:
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            cancelled.set()
            raise

    with pytest.raises(TimeoutError):
        run_within(0.05, wait())
    assert cancelled.wait(5)


def test_work_that_ignores_its_end_is_left_behind():
    over = threading.Event()

    async def stubborn() -> None:
        while not over.is_set():
            try:
                await asyncio.sleep(0.05)
            except asyncio.CancelledError:
                continue

    with pytest.raises(TimeoutError):
        run_within(0.05, stubborn())
    over.set()
    assert run_within(5, doubled(1)) == 2


def test_several_threads_at_once():
    results: list[int] = []
    threads = [threading.Thread(target=lambda n=n: results.append(run_within(5, doubled(n)))) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == [0, 2, 4, 6, 8, 10, 12, 14]


def test_works_inside_a_running_loop():
    async def outside() -> int:
        return run_within(5, doubled(4))

    assert asyncio.run(outside()) == 8
