"""What a client of OpenAI's API is sent while a question is answered."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

from ascertain.interfaces.server.answer_streams import send_answer


class Queued:
    """A question that is answered at once."""

    async def wait_for_answer(self, request):
        return "an answer"


class Reply:
    def __init__(self, events) -> None:
        self._events = events

    def make_first_events(self) -> Iterator[str]:
        yield "begun"

    def make_last_events(self, answer, sent) -> Iterator[str]:
        yield from self._events(answer)

    def make_failure(self, problem) -> str:
        return f"failed: {problem.kind}"


def collect(reply):
    async def read():
        return [event async for event in send_answer(reply, Queued(), None, None)]

    return asyncio.run(read())


def test_the_answer_is_sent_behind_that_it_has_begun():
    assert collect(Reply(lambda answer: [answer, "end"])) == ["begun", "an answer", "end"]


def test_an_answer_that_cannot_be_written_is_a_problem_and_none_of_it_is_sent():
    def write(answer):
        yield answer
        raise ValueError("no such mark")

    assert collect(Reply(write)) == ["begun", "failed: internal-error"]
