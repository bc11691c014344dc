"""Awaiting with a limit that holds: a coroutine runs on an event loop of its own thread and is cancelled when time is up.

A read timeout starts anew with every byte, so a server that drips keeps a plain call for ever. Cancelling closes the
connection, which also tells a local server to stop generating. There is one loop a process because provider packages share
their connection pools between clients, and a pool belongs to the loop that opened it.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from typing import TypeVar

T = TypeVar("T")

GRACE_SECONDS = 2.0
"""What a cancelled call gets to close its connection before it is left behind."""

_starting = threading.Lock()
_running: tuple[asyncio.AbstractEventLoop, threading.Thread] | None = None


def within(seconds: float, work: Coroutine[object, object, T]) -> T:
    """The result of ``work``; TimeoutError after ``seconds``. Interrupting the caller cancels it too."""
    future = asyncio.run_coroutine_threadsafe(asyncio.wait_for(work, seconds), _loop())
    try:
        return future.result(seconds + GRACE_SECONDS)
    except BaseException:
        future.cancel()
        raise


def _loop() -> asyncio.AbstractEventLoop:
    """The loop, started on first use and again in a forked child, where no thread survives."""
    global _running  # noqa: PLW0603  one a process, see above
    with _starting:
        if _running is None or not _running[1].is_alive():
            loop = asyncio.new_event_loop()
            thread = threading.Thread(target=loop.run_forever, name="ascertain-chat", daemon=True)
            thread.start()
            _running = loop, thread
        return _running[0]
