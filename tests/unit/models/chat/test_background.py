import asyncio
import threading

import pytest

from ascertain.core.asking.runs import Budget, Run
from ascertain.models.chat.calls import run_within, sleep_in_run


def a_run() -> Run:
    return Run(Budget(1, 1, 60, 1))


async def doubled(number: int) -> int:
    await asyncio.sleep(0)
    return 2 * number


def test_result_comes_back():
    assert run_within(5, doubled(21), a_run()) == 42


def test_error_comes_back():
    async def fail() -> None:
        raise KeyError("x")

    with pytest.raises(KeyError):
        run_within(5, fail(), a_run())


def test_late_work_is_cancelled():
    cancelled = threading.Event()

    async def wait() -> None:
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            cancelled.set()
            raise

    with pytest.raises(TimeoutError):
        run_within(0.05, wait(), a_run())
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
        run_within(0.05, stubborn(), a_run())
    over.set()
    assert run_within(5, doubled(1), a_run()) == 2


def test_several_threads_at_once():
    results: list[int] = []
    threads = [
        threading.Thread(target=lambda n=n: results.append(run_within(5, doubled(n), a_run()))) for n in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == [0, 2, 4, 6, 8, 10, 12, 14]


def test_works_inside_a_running_loop():
    async def outside() -> int:
        return run_within(5, doubled(4), a_run())

    assert asyncio.run(outside()) == 8


@pytest.mark.parametrize("is_early", [True, False])
def test_interrupting_the_run_ends_the_wait_in_any_thread(is_early):
    run, begun, ended = a_run(), threading.Event(), []
    if is_early:
        run.interrupt()

    async def wait() -> None:
        begun.set()
        await asyncio.sleep(3600)

    def work() -> None:
        with pytest.raises(KeyboardInterrupt):
            run_within(3600, wait(), run)
        ended.append(True)

    thread = threading.Thread(target=work)
    thread.start()
    if not is_early:
        assert begun.wait(30)
        run.interrupt()
    thread.join(30)
    assert ended == [True]


def test_interrupting_the_run_ends_a_sleep():
    run = a_run()
    threading.Timer(0.05, run.interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        sleep_in_run(3600, run)
