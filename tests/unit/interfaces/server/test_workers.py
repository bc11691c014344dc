import threading
from concurrent.futures import CancelledError

import pytest

from ascertain.core.errors import TooMuchWork
from ascertain.interfaces.server.problems import ProblemError, problem_of
from ascertain.interfaces.server.service import QuestionPool


@pytest.fixture
def pool():
    made = QuestionPool(2, 1, 60)
    yield made
    made.close(10)


@pytest.fixture
def held(pool):
    """Both threads at work until it is set."""
    go, at_work = threading.Event(), threading.Barrier(3)

    def work():
        at_work.wait(10)
        go.wait(10)

    futures = [pool.submit(work, tenant="a") for _ in range(2)]
    at_work.wait(10)
    yield go
    go.set()
    for future in futures:
        future.result(10)


def test_work_is_done_and_its_outcome_handed_over(pool):
    assert pool.submit(lambda: 6 * 7, tenant="a").result(10) == 42
    assert pool.wait_until_idle(10)


def test_an_error_is_handed_over_and_the_threads_go_on(pool):
    for _ in range(5):
        with pytest.raises(ZeroDivisionError):
            pool.submit(lambda: 1 / 0, tenant="a").result(10)
    assert pool.submit(lambda: "still there", tenant="a").result(10) == "still there"


def test_so_many_work_and_so_many_wait_and_the_next_is_refused(pool, held):
    pool.submit(lambda: None, tenant="a")
    assert (pool.running, pool.waiting) == (2, 1)
    with pytest.raises(ProblemError) as refused:
        pool.submit(lambda: None, tenant="a")
    assert refused.value.problem.kind == "overloaded"
    held.set()
    assert pool.wait_until_idle(10)
    assert pool.submit(lambda: "room again", tenant="a").result(10) == "room again"


def test_who_cancels_gives_up_the_place_in_the_queue(pool, held):
    waiting = pool.submit(lambda: None, tenant="a")
    assert waiting.cancel()
    assert pool.waiting == 0
    pool.submit(lambda: None, tenant="a")


def test_a_pool_that_refuses_finishes_what_it_took(pool, held):
    waiting = pool.submit(lambda: "done", tenant="a")
    pool.refuse()
    with pytest.raises(ProblemError) as refused:
        pool.submit(lambda: None, tenant="a")
    assert refused.value.problem.kind == "shutting-down"
    held.set()
    assert waiting.result(10) == "done"


def test_a_closed_pool_drops_what_waits(pool, held):
    waiting = pool.submit(lambda: "never", tenant="a")
    pool.close(0)
    with pytest.raises(CancelledError):
        waiting.result(10)


def test_work_over_many_documents_leaves_a_thread_to_questions(pool):
    go = threading.Event()
    heavy = [pool.submit(lambda: go.wait(60), tenant="a", share=10) for _ in range(2)]
    assert pool.submit(lambda: "answered", tenant="a").result(10) == "answered"
    assert (pool.running, pool.waiting) == (1, 1)
    go.set()
    assert [each.result(10) for each in heavy] == [True, True]


def test_tenants_have_their_turns_however_much_one_of_them_asks():
    made, go, began, order = QuestionPool(1, 10, 60), threading.Event(), threading.Event(), []

    def hold():
        began.set()
        go.wait(60)

    futures = [made.submit(hold, tenant="a")]
    assert began.wait(60)
    for tenant, name in (("a", "a1"), ("a", "a2"), ("a", "a3"), ("b", "b1")):
        futures.append(made.submit(lambda name=name: order.append(name), tenant=tenant))
    go.set()
    for future in futures:
        future.result(60)
    assert order == ["a1", "b1", "a2", "a3"]
    made.close(10)


def test_work_that_takes_too_much_of_the_processor_ends_with_a_line_and_the_thread_goes_on():
    made = QuestionPool(1, 1, 0.2)

    def spin():
        while True:
            pass

    with pytest.raises(TooMuchWork, match=r"more than 0\.2 s of processor time and was stopped") as ended:
        made.submit(spin, tenant="a").result(60)
    assert problem_of(ended.value).status == 422
    with pytest.raises(TooMuchWork, match=r"more than 0\.6 s"):
        made.submit(spin, tenant="a", share=3).result(60)
    assert made.submit(lambda: "still there", tenant="a").result(60) == "still there"
    made.close(10)
