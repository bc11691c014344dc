import pytest

from ascertain.ui.client import ServiceAway, ServiceBusy, ServiceProblem, TooManyRequests
from ascertain.ui.states import describe_problem


@pytest.mark.parametrize(
    ("problem", "title", "words"),
    [
        (ServiceAway("nothing answers at http://127.0.0.1:8000"), "The service does not answer", "Nothing answers at"),
        (TooManyRequests("slow down", seconds=7), "That was a lot at once", "in 7 seconds"),
        (TooManyRequests("slow down", seconds=None), "That was a lot at once", "in a minute"),
        (ServiceBusy("the queue is full", status=503), "The service is busy", "The queue is full."),
        (ServiceProblem("too long", status=422, request_id="r1"), "That did not work", "the request r1"),
    ],
)
def test_problem_is_told_with_what_to_do(problem, title, words):
    shown, lines, _ = describe_problem(problem)
    assert shown == title
    assert words in " ".join(lines)


def test_service_that_is_away_comes_with_the_command_that_starts_it():
    assert describe_problem(ServiceAway("nothing answers"))[2] == "ascertain serve"
