"""One call to a chat model, with a time limit, its reply whole or streamed.

A read timeout restarts with every byte, so a slow server could hold a plain call forever. A call therefore runs on
an event loop of its own thread and is cancelled when time is up, which also tells a local server to stop generating.
There is one loop a process because provider packages share their connection pools between clients, and a pool belongs
to the loop that opened it.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import queue
import threading
import time
from base64 import b64encode
from collections.abc import AsyncGenerator, Callable, Coroutine, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar, cast

from pydantic import BaseModel

from ascertain.core.asking.runs import Run
from ascertain.models.chat.provider import Dialect, ModelAddress, open_model
from ascertain.models.chat.replies import LONGEST_REPLY, asking_for, is_strict, reply_schema
from ascertain.models.ports import Listen, Message
from ascertain.models.servers.failures import CallFailed, read_failure

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

T = TypeVar("T")
_Turn = tuple[str, str | list[str | dict[Any, Any]]]
"""Who says it, and what."""

GRACE_SECONDS = 2.0
"""What a cancelled call gets to close its connection before it is abandoned."""

_starting = threading.Lock()
_running: tuple[asyncio.AbstractEventLoop, threading.Thread] | None = None


def run_within(seconds: float, work: Coroutine[object, object, T], run: Run) -> T:
    """The result of ``work``; TimeoutError after ``seconds``. Interrupting the caller, or ``run``, cancels it too."""
    future = asyncio.run_coroutine_threadsafe(asyncio.wait_for(work, seconds), _background_loop())
    try:
        with run.open_wait(future.cancel):
            return future.result(seconds + GRACE_SECONDS)
    except BaseException:
        future.cancel()
        raise


def stream_within(
    seconds: float, work: Callable[[Callable[[str], None]], Coroutine[object, object, T]], run: Run, listen: Listen
) -> T:
    """As ``run_within`` for ``work`` that yields texts while it runs, each longer than the one before: ``listen`` is
    called with the latest, in this thread. What it raises ends the work.
    """
    texts: queue.SimpleQueue[str | None] = queue.SimpleQueue()
    future = asyncio.run_coroutine_threadsafe(asyncio.wait_for(work(texts.put), seconds), _background_loop())
    future.add_done_callback(lambda _: texts.put(None))
    ends_at = time.monotonic() + seconds + GRACE_SECONDS
    try:
        with run.open_wait(future.cancel):
            while (text := _take_latest(texts, ends_at)) is not None:
                listen(text)
            return future.result(GRACE_SECONDS)
    except BaseException:
        future.cancel()
        raise


def _take_latest(texts: queue.SimpleQueue[str | None], ends_at: float) -> str | None:
    """The last text that was yielded; None once the work is done. TimeoutError when nothing comes in time."""
    try:
        text = texts.get(timeout=max(0.0, ends_at - time.monotonic()))
        while text is not None and not texts.empty():
            later = texts.get_nowait()
            if later is None:
                texts.put(None)
                break
            text = later
    except queue.Empty:
        raise TimeoutError from None
    return text


def sleep_in_run(seconds: float, run: Run) -> None:
    """Sleep; an interrupt of ``run`` ends it."""
    run_within(seconds + GRACE_SECONDS, asyncio.sleep(seconds), run)


def _background_loop() -> asyncio.AbstractEventLoop:
    """The loop, started on first use and again in a forked child, where no thread survives."""
    global _running  # noqa: PLW0603  one a process, see above
    with _starting:
        if _running is None or not _running[1].is_alive():
            loop = asyncio.new_event_loop()
            thread = threading.Thread(target=loop.run_forever, name="ascertain-chat", daemon=True)
            thread.start()
            _running = loop, thread
        return _running[0]


_CUT_OFF = frozenset({"length", "max_tokens", "max_output_tokens"})
"""What providers call the end of a reply that grew too long."""


@dataclass(frozen=True, slots=True)
class Reply:
    """``input_tokens`` and ``output_tokens`` are 0 where the server does not count."""

    text: str
    input_tokens: int = 0
    output_tokens: int = 0
    is_cut_off: bool = False


class CalledModel:
    """A chat model at an address, reopened for each dialect used with it."""

    def __init__(self, address: ModelAddress, max_output_tokens: int, timeout: float) -> None:
        self.address = address
        self._max_output_tokens = max_output_tokens
        self._timeout = timeout
        self._opened: dict[tuple[bool, bool], BaseChatModel] = {}

    def open(self, dialect: Dialect) -> BaseChatModel:
        """The model for ``dialect``; raises what ``open_model`` does."""
        key = dialect.temperature, dialect.old_limit
        if key not in self._opened:
            self._opened[key] = open_model(self.address, dialect, self._max_output_tokens, self._timeout)
        return self._opened[key]

    def reply(
        self,
        messages: Sequence[Message],
        answer: type[BaseModel],
        dialect: Dialect,
        seconds: float,
        run: Run,
        *,
        listen: Listen | None = None,
    ) -> Reply:
        """The reply to ``messages``, requested as an ``answer`` but not yet parsed, within ``seconds``; ``listen`` gets it
        while it is written, where the dialect has streams.

        Raises CallFailed, also for a dialect that the provider's package does not speak (as status 400, not reached), and
        for a server that sends no stream (likewise, reached).
        """
        schema = reply_schema(answer)
        asked = [(message.role, _content_of(message)) for message in messages]
        if dialect.structured != "json_schema":
            asked = _with_instruction(asked, asking_for(schema))
        chunks = self._stream_model(asked, schema, dialect) if listen is not None and dialect.streams else None
        work = None if chunks is not None else self._invoke_model(asked, schema, dialect)
        try:
            if chunks is not None and listen is not None:
                return stream_within(seconds, lambda tell: _read_stream(chunks, tell), run, listen)
            assert work is not None
            return _read_reply(run_within(seconds, work, run))
        except TimeoutError as error:
            raise CallFailed(f"no complete reply within {seconds:.3g} s", outage=1.0) from error
        except Exception as error:  # provider packages share no base class
            cut_off = _cut_off_reply(error)
            if cut_off is not None:
                return cut_off
            if isinstance(error, CallFailed):
                raise
            raise read_failure(error, self.address.secret) from error

    def _invoke_model(
        self, asked: list[_Turn], schema: dict[str, Any], dialect: Dialect
    ) -> Coroutine[object, object, object]:
        """The call, to be awaited; it gives LangChain's message as it is."""
        model = self.open(dialect)
        if dialect.structured == "prompt":
            return model.ainvoke(asked)
        structured = _bind_schema(model, schema, dialect)
        raw = _find_raw_part(structured)
        if raw is not None:
            return raw.ainvoke(asked)

        async def invoke_whole() -> object:
            return (await structured.ainvoke(asked))["raw"]

        return invoke_whole()

    def _stream_model(self, asked: list[_Turn], schema: dict[str, Any], dialect: Dialect) -> AsyncGenerator[Any] | None:
        """The call as LangChain's chunks of a message; None where a package builds it so that only the whole can be had."""
        # the calls of everything else are never streamed, whatever callbacks a caller of ours has set
        model = self.open(dialect).model_copy(update={"disable_streaming": False})
        structured = None if dialect.structured == "prompt" else _bind_schema(model, schema, dialect)
        raw: Any = model if structured is None else _find_raw_part(structured)
        # servers that are compatible with OpenAI's count tokens in a stream only where that is asked for
        options = {"stream_usage": True} if self.address.provider == "openai" else {}
        return raw.astream(asked, **options) if raw is not None else None


def _find_raw_part(structured: Any) -> Any | None:
    """What calls the model in what ``with_structured_output`` made; None where a package builds it in another way.

    The parser behind it is left out: it reads a broken reply again for every character that it takes away (LangChain
    1.4), which for 50 MB holds up the loop, and with it every call, for minutes.
    """
    parts = getattr(getattr(structured, "first", None), "steps__", None)
    return cast("dict[str, Any]", parts).get("raw") if isinstance(parts, dict) else None


def _bind_schema(model: BaseChatModel, schema: dict[str, Any], dialect: Dialect) -> Any:
    """The model asked for ``schema``; CallFailed where its package knows no such way."""
    try:
        return _bind_known_way(model, schema, dialect)
    except (ValueError, TypeError, NotImplementedError) as error:
        raise CallFailed(f"its package knows no {dialect.structured}", str(error), status=400, reached=False) from error


def _bind_known_way(model: BaseChatModel, schema: dict[str, Any], dialect: Dialect) -> Any:
    known = inspect.signature(model.with_structured_output).parameters  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]
    options: dict[str, Any] = {"include_raw": True}
    if "method" in known:
        options["method"] = "json_schema" if dialect.structured == "json_schema" else "json_mode"
    elif dialect.structured == "json_object":
        raise NotImplementedError("it has one way of its own")
    if "strict" in known and dialect.structured == "json_schema" and is_strict(schema):
        options["strict"] = True
    return cast(Any, model).with_structured_output(schema, **options)


def _content_of(message: Message) -> str | list[str | dict[Any, Any]]:
    """What is said, in LangChain's own blocks where pictures go with it, which each provider's package translates."""
    if not message.images:
        return message.content
    return [
        {"type": "text", "text": message.content},
        *(
            {"type": "image", "base64": b64encode(image.data).decode(), "mime_type": image.media_type}
            for image in message.images
        ),
    ]


def _with_instruction(asked: list[_Turn], instruction: str) -> list[_Turn]:
    """In the system message, where there is one: templates of small models allow no second."""
    if asked and asked[0][0] == "system":
        return [("system", f"{asked[0][1]}\n\n{instruction}"), *asked[1:]]
    return [("system", instruction), *asked]


def _read_reply(message: Any) -> Reply:
    text = str(message.text)
    if not text.strip() and message.tool_calls:  # packages that ask for structure by a tool of that schema
        text = json.dumps(message.tool_calls[0]["args"])
    return Reply(text, *_count_usage(message), _is_cut_off(message))


LONGEST_HEARD = 100_000
"""Characters of a reply that are heard while it is written: each time it is read from its beginning."""


async def _read_stream(chunks: AsyncGenerator[Any], tell: Callable[[str], None]) -> Reply:
    """The reply of a stream, so far, with each chunk; an endless one is cut beyond the longest possible reply."""
    texts: list[str] = []
    length = given = got = 0
    is_cut_off = False
    async with aclosing(_watch_stream(chunks)) as watched:
        async for chunk in watched:
            piece = str(chunk.text) or "".join(part.get("args") or "" for part in chunk.tool_call_chunks)
            input_tokens, output_tokens = _count_usage(chunk)
            given, got, is_cut_off = given + input_tokens, got + output_tokens, is_cut_off or _is_cut_off(chunk)
            if not piece:
                continue
            texts.append(piece)
            length += len(piece)
            if length <= LONGEST_HEARD:
                tell("".join(texts))
            if length > LONGEST_REPLY:
                break
    return Reply("".join(texts), given, got, is_cut_off)


async def _watch_stream(chunks: AsyncGenerator[Any]) -> AsyncGenerator[Any]:
    """The chunks; CallFailed without any, as from a server that always sends the reply whole."""
    has_begun = False
    try:
        async with aclosing(chunks):
            async for chunk in chunks:
                has_begun = True
                yield chunk
    except (ValueError, AssertionError, AttributeError) as error:
        # LangChain and OpenAI's client each trip in a way of their own over a stream without a chunk
        if has_begun:
            raise
        raise CallFailed("it sends no stream", str(error), status=400) from error
    if not has_begun:
        raise CallFailed("it sends no stream", status=400)


def _count_usage(message: Any) -> tuple[int, int]:
    """Tokens in and out of a message, or of a chunk of one."""
    usage: dict[str, Any] = getattr(message, "usage_metadata", None) or {}
    return int(usage.get("input_tokens") or 0), int(usage.get("output_tokens") or 0)


def _is_cut_off(message: Any) -> bool:
    metadata: dict[str, Any] = getattr(message, "response_metadata", None) or {}
    ended = {metadata.get(key) for key in ("finish_reason", "stop_reason", "done_reason")}
    return any(isinstance(reason, str) and reason.lower() in _CUT_OFF for reason in ended)


def _cut_off_reply(error: BaseException) -> Reply | None:
    """The reply inside the error that OpenAI's client makes of one that was cut off."""
    completion = cast(Any, getattr(error, "completion", None))
    if completion is None or not completion.choices:
        return None
    usage = completion.usage
    return Reply(
        completion.choices[0].message.content or "",
        usage.prompt_tokens if usage else 0,
        usage.completion_tokens if usage else 0,
        is_cut_off=completion.choices[0].finish_reason == "length",
    )
