"""An answer streamed to a client of OpenAI's API: the drafts of a chat model, keep-alives, and last the answer or a problem."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterable
from typing import Protocol

from fastapi import Request

from ascertain.app.asking.rendering import ABOVE_DRAFT, BETWEEN_DRAFTS
from ascertain.app.telemetry.logs import logger
from ascertain.core.asking.answers import Answer
from ascertain.core.asking.requests import DraftText
from ascertain.core.errors import AscertainError
from ascertain.interfaces.server.asking import QueuedQuestion
from ascertain.interfaces.server.problems import INTERNAL, Problem, problem_of

ALIVE_SECONDS = 15.0
"""How long a stream may be silent, by the HTML standard for server-sent events (9.2.7): proxies cut silent streams."""
ALIVE_EVENT = ": alive\n\n"


class DraftQueue:
    """Drafts on their way from the thread of a run to the event loop."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._queue: asyncio.Queue[DraftText] = asyncio.Queue()

    def put(self, draft: DraftText) -> None:
        """Add a piece, from any thread."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._queue.put_nowait, draft)

    async def get(self) -> DraftText:
        """The next piece."""
        return await self._queue.get()


class Reply(Protocol):
    """How a route of OpenAI's API formats a streamed answer."""

    def make_first_events(self) -> Iterable[str]:
        """The event that it has begun."""
        ...

    def make_delta(self, text: str) -> str:
        """The event of a piece of text."""
        ...

    def make_last_events(self, answer: Answer, sent: str) -> Iterable[str]:
        """The rest to send once the answer is ready, after ``sent`` was sent as drafts."""
        ...

    def make_failure(self, problem: Problem) -> str:
        """The event of a failed question."""
        ...


async def send_answer(
    reply: Reply, queued: QueuedQuestion, request: Request, drafts: DraftQueue | None
) -> AsyncGenerator[str]:
    """Events of the drafts as they are shown, a keep-alive after each silence, and last the checked answer, or a problem."""
    waiting = asyncio.ensure_future(queued.wait_for_answer(request))
    drafting = asyncio.ensure_future(drafts.get()) if drafts else None
    sent = ""
    try:
        for event in reply.make_first_events():
            yield event
        while not waiting.done():
            await asyncio.wait(
                {waiting, *((drafting,) if drafting else ())},
                timeout=ALIVE_SECONDS,
                return_when=asyncio.FIRST_COMPLETED,
            )
            if drafts and drafting and drafting.done():
                text = _write_draft(drafting.result(), is_first=not sent)
                sent += text
                yield reply.make_delta(text)
                drafting = asyncio.ensure_future(drafts.get())
            elif not waiting.done():
                yield ALIVE_EVENT
        # all of them before the first is sent: an error after that could not be reported any more
        for event in list(reply.make_last_events(waiting.result(), sent)):
            yield event
    except AscertainError as error:
        logger.warning("a question failed: %s", type(error).__name__)
        yield reply.make_failure(problem_of(error))
    except Exception:
        logger.exception("a question failed")
        yield reply.make_failure(INTERNAL)
    finally:
        waiting.cancel()
        if drafting:
            drafting.cancel()


def _write_draft(draft: DraftText, *, is_first: bool) -> str:
    """A piece of a draft as it is sent: the first says what it is, and a new draft is marked as such."""
    above = ABOVE_DRAFT if is_first else BETWEEN_DRAFTS if draft.is_new else ""
    return above + draft.text
