import threading

import pytest

from ascertain.core.asking.answers import Decision, TaskUsage
from ascertain.core.asking.runs import FAILED_A_CONTROL, FELL_BACK, Budget, Run, RunStopped, Stop, Task
from ascertain.core.errors import BudgetExceeded


class Watch:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_usage_is_summed_by_task():
    run = Run(Budget(10, 1000, 60, 1.0))
    run.spend(Task.PLAN, input_tokens=10, output_tokens=5, cost_usd=0.1)
    run.spend(Task.WRITE, input_tokens=100, output_tokens=50, cost_usd=0.2)
    run.spend(Task.WRITE, input_tokens=1, output_tokens=1, cost_usd=0.3)
    assert run.usage.calls == 3
    assert (run.usage.input_tokens, run.usage.output_tokens) == (111, 56)
    assert run.usage.cost_usd == pytest.approx(0.6)
    assert run.usage.tasks[1] == TaskUsage("write", 2, 101, 51, 0.5)


@pytest.mark.parametrize(
    ("budget", "limit"),
    [
        (Budget(1, 1000, 60, 1.0), "1 model calls"),
        (Budget(10, 15, 60, 1.0), "15 tokens"),
        (Budget(10, 1000, 60, 0.1), "0.1 US dollars"),
    ],
)
def test_each_limit_is_named_once_it_is_reached(budget, limit):
    run = Run(budget)
    run.allow(Task.WRITE)
    run.spend(Task.WRITE, input_tokens=10, output_tokens=5, cost_usd=0.1)
    with pytest.raises(BudgetExceeded, match=limit):
        run.allow(Task.WRITE)


def test_time_runs_out_with_and_without_calls():
    watch = Watch()
    run = Run(Budget(10, 1000, 60, 1.0), clock=watch)
    watch.now += 59
    assert run.seconds_left == 1
    assert not run.is_out_of_time
    watch.now += 5
    assert run.seconds_left == 0
    assert run.is_out_of_time
    with pytest.raises(BudgetExceeded, match="60 seconds"):
        run.allow(Task.PLAN)


def test_a_budget_of_nothing_allows_no_call_but_leaves_time_to_work():
    run = Run(Budget(0, 0, 60, 0.0))
    with pytest.raises(BudgetExceeded):
        run.allow(Task.PLAN)
    assert not run.is_out_of_time


def test_notes_are_taken_once():
    run = Run(Budget(10, 1000, 60, 1.0))
    run.note(Decision("plan", FELL_BACK, "slow"))
    assert [note.node for note in run.take_notes()] == ["plan"]
    assert run.take_notes() == ()


def test_a_model_that_fails_a_control_is_distrusted_in_this_run():
    run = Run(Budget(10, 1000, 60, 1.0))
    assert not run.is_distrusted
    run.distrust("judge", "it gave 100 of 100 to a passage about something else")
    assert run.is_distrusted
    [note] = run.take_notes()
    assert (note.node, note.outcome) == ("judge", FAILED_A_CONTROL)
    assert note.reason.endswith("; the rest of the question is done by rules")


@pytest.mark.parametrize(
    ("spent", "told"),
    [
        (
            {"input_tokens": 10, "output_tokens": 5, "cost_usd": 0.1},
            "the question's budget of 15 model calls (budget.calls) is shared out among threads, and this one made its 2",
        ),
        (
            {"input_tokens": 900, "output_tokens": 100, "cost_usd": 0.1},
            "the question's budget of 1,040 tokens (budget.tokens) is used up",
        ),
        (
            {"input_tokens": 1, "output_tokens": 0, "cost_usd": 0.97},
            "the question's budget of 1 US dollars (budget.usd) is used up",
        ),
    ],
)
def test_a_thread_that_used_up_its_part_says_so_and_names_the_limit_of_the_question(spent, told):
    run = Run(Budget(15, 1040, 60, 1.0))
    for _ in range(4):
        run.spend(Task.EXTRACT, input_tokens=10, output_tokens=0, cost_usd=0.01)
    part = run.split(Task.EXTRACT, 4)[-1]
    while True:
        try:
            part.allow(Task.EXTRACT)
        except BudgetExceeded as error:
            assert str(error) == f"extract: {told}"
            break
        part.spend(Task.EXTRACT, **({"input_tokens": 1, "output_tokens": 0, "cost_usd": 0.001} | spent))


def test_the_time_of_a_part_is_that_of_the_question():
    watch = Watch()
    run = Run(Budget(10, 1000, 60, 1.0), clock=watch)
    watch.now += 20
    [part] = run.split(Task.EXTRACT, 1)
    watch.now += 41
    with pytest.raises(BudgetExceeded, match="budget of 60 seconds"):
        part.allow(Task.EXTRACT)


def test_a_stop_ends_the_wait_that_is_open_and_refuses_the_next_call():
    stop = Stop()
    run = Run(Budget(10, 1000, 60, 1), stop=stop)
    cancelled = threading.Event()

    def wait():
        assert cancelled.wait(10)
        raise TimeoutError("cancelled")

    threading.Timer(0.1, stop.request).start()
    with pytest.raises(RunStopped), run.open_wait(cancelled.set):
        wait()
    with pytest.raises(RunStopped):
        run.allow(Task.WRITE)
    assert run.is_out_of_time


def test_a_stop_ends_the_parts_of_a_run_and_runs_that_begin_later():
    stop = Stop()
    part = Run(Budget(10, 1000, 60, 1), stop=stop).split(Task.WRITE, 2)[0]
    part.check_wanted()
    stop.request()
    for run in (part, Run(Budget(10, 1000, 60, 1), stop=stop)):
        with pytest.raises(RunStopped):
            run.check_wanted()


def test_a_stop_passes_those_who_handle_errors():
    assert not issubclass(RunStopped, Exception)


def test_a_limited_part_makes_no_more_calls_than_it_may_and_is_booked_when_it_ends():
    run = Run(Budget(15, 1000, 60, 1.0))
    with run.limit(Task.VERIFY, 1) as part:
        part.spend(Task.VERIFY, input_tokens=10, output_tokens=5, cost_usd=0.1)
        with pytest.raises(BudgetExceeded, match="this step's share of 1 model calls"):
            part.allow(Task.VERIFY)
        part.note(Decision("verify", FELL_BACK, "no calls"))
    assert run.usage.tasks == (TaskUsage("verify", 1, 10, 5, 0.1),)
    assert [note.node for note in run.take_notes()] == ["verify"]
    run.allow(Task.VERIFY)


def test_a_limited_part_has_no_calls_that_are_kept_for_what_comes_behind():
    run = Run(Budget(8, 1000, 60, 1.0))
    for _ in range(7):
        run.spend(Task.WRITE, input_tokens=1, output_tokens=1, cost_usd=0.0)
    with run.limit(Task.WRITE, 3) as part, pytest.raises(BudgetExceeded):
        part.allow(Task.WRITE)


def test_what_fails_a_control_in_a_part_is_not_believed_in_the_whole_nor_in_later_parts():
    run = Run(Budget(15, 1000, 60, 1.0))
    with run.limit(Task.VERIFY, 1) as part:
        part.distrust("check", "it believes anything")
    assert run.is_distrusted
    with run.limit(Task.VERIFY, 1) as later:
        assert later.is_distrusted


def test_an_interrupt_of_a_run_ends_its_limited_part():
    run = Run(Budget(15, 1000, 60, 1.0))
    ended = []
    with pytest.raises(KeyboardInterrupt), run.limit(Task.VERIFY, 1) as part, part.open_wait(lambda: ended.append(1)):
        run.interrupt()
        raise BudgetExceeded("the wait was cancelled")
    assert ended


def test_reading_that_leaves_the_answer_its_calls_shares_out_the_others():
    run = Run(Budget(15, 1000, 60, 1.0))
    shared = [sum(part._budget.calls for part in run.split(Task.EXTRACT, 3, leaves)) for leaves in (False, True)]
    assert shared == [15, 12]


def test_a_part_for_a_thread_makes_all_of_its_calls():
    (part,) = Run(Budget(15, 1000, 60, 1.0)).split(Task.JUDGE, 1)
    for _ in range(11):
        part.spend(Task.JUDGE, input_tokens=0, output_tokens=0, cost_usd=0.0)
    assert is_allowed(part, Task.JUDGE)
    part.spend(Task.JUDGE, input_tokens=0, output_tokens=0, cost_usd=0.0)
    assert not is_allowed(part, Task.JUDGE)


def spent(budget: Budget, calls: int, tokens: int = 0, usd: float = 0.0) -> Run:
    run = Run(budget)
    for _ in range(calls):
        run.spend(Task.PLAN, input_tokens=tokens, output_tokens=0, cost_usd=usd)
    return run


def is_allowed(run: Run, task: Task) -> bool:
    try:
        run.allow(task)
    except BudgetExceeded:
        return False
    return True


RESERVES = [
    (Task.REWRITE, 3), (Task.PLAN, 3), (Task.JUDGE, 3), (Task.WRITE, 2), (Task.VERIFY, 0), (Task.EVALUATE, 0), (Task.EXTRACT, 0), (Task.DESCRIBE, 0),
]  # fmt: skip


@pytest.mark.parametrize(("task", "kept"), RESERVES)
@pytest.mark.parametrize("calls", [6, 7, 15])
def test_a_task_leaves_exactly_its_reserve_to_those_behind_it(task, kept, calls):
    budget = Budget(calls, 10_000, 60, 1.0)
    assert is_allowed(spent(budget, calls - kept - 1), task)
    assert not is_allowed(spent(budget, calls - kept), task)


@pytest.mark.parametrize("calls", [1, 3, 5])
def test_a_small_budget_keeps_nothing_back(calls):
    budget = Budget(calls, 10_000, 60, 1.0)
    assert is_allowed(spent(budget, calls - 1), Task.PLAN)
    assert not is_allowed(spent(budget, calls), Task.PLAN)


def test_tokens_and_money_are_used_up_at_the_limit_itself_and_not_before():
    assert is_allowed(spent(Budget(15, 100, 60, 1.0), 1, tokens=99), Task.WRITE)
    assert not is_allowed(spent(Budget(15, 100, 60, 1.0), 1, tokens=100), Task.WRITE)
    assert is_allowed(spent(Budget(15, 100, 60, 0.5), 1, usd=0.499), Task.WRITE)
    assert not is_allowed(spent(Budget(15, 100, 60, 0.5), 1, usd=0.5), Task.WRITE)


def test_what_is_written_counts_as_what_is_read_does():
    run = Run(Budget(15, 100, 60, 1.0))
    run.spend(Task.PLAN, input_tokens=50, output_tokens=50, cost_usd=0.0)
    assert not is_allowed(run, Task.WRITE)


def test_the_last_second_is_over_when_it_is_over():
    watch = Watch()
    run = Run(Budget(15, 100, 60, 1.0), clock=watch)
    watch.now += 59.999
    assert not run.is_out_of_time
    assert is_allowed(run, Task.WRITE)
    watch.now = 160.0
    assert run.is_out_of_time
    assert not is_allowed(run, Task.WRITE)


def test_a_part_may_spend_what_is_left_and_no_more():
    run = spent(Budget(15, 100, 60, 1.0), 4, tokens=10, usd=0.1)
    with run.limit(Task.VERIFY, 50) as part:
        assert (part._budget.calls, part._budget.tokens) == (11, 60)
        assert part._budget.usd == pytest.approx(0.6)
    assert sum(each._budget.calls for each in run.split(Task.WRITE, 3)) == 9
    assert {each._budget.tokens for each in run.split(Task.WRITE, 3)} == {60}
