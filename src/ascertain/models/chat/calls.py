"""One call to a chat model: awaited no longer than allowed, and what its failure means.

A read timeout starts anew with every byte, so a server that drips keeps a plain call for ever. A call therefore runs on
an event loop of its own thread and is cancelled when time is up, which also tells a local server to stop generating.
There is one loop a process because provider packages share their connection pools between clients, and a pool belongs
to the loop that opened it.

The packages' exceptions share no base class but much of their shape: a status as ``status_code`` or ``code``, a
``response`` with headers, transport errors under well-known names. The whole chain of causes is read.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import socket
import ssl
import threading
from collections.abc import Coroutine, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, TypeVar, cast

from pydantic import BaseModel

from ascertain.core.errors import ModelError
from ascertain.core.runs import Run
from ascertain.models.chat.provider import Dialect, ModelAddress, open_model
from ascertain.models.chat.replies import asking_for, is_strict, reply_schema
from ascertain.models.ports import Message
from ascertain.models.untrusted import keep_visible

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

T = TypeVar("T")

GRACE_SECONDS = 2.0
"""What a cancelled call gets to close its connection before it is left behind."""

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
    """A chat model at an address, opened anew for each dialect it is spoken to in."""

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
        self, messages: Sequence[Message], answer: type[BaseModel], dialect: Dialect, seconds: float, run: Run
    ) -> Reply:
        """The reply to ``messages``, asked for as an ``answer`` but not yet read, within ``seconds``.

        Raises CallFailed, also for a dialect that the provider's package does not speak (as status 400, not reached).
        """
        schema = reply_schema(answer)
        asked = [(message.role, message.content) for message in messages]
        if dialect.structured != "json_schema":
            asked = _with_instruction(asked, asking_for(schema))
        work = self._invoke_model(asked, schema, dialect)
        try:
            return _read_reply(run_within(seconds, work, run))
        except TimeoutError as error:
            raise CallFailed(f"no complete reply within {seconds:.3g} s", outage=1.0) from error
        except Exception as error:  # provider packages share no base class
            cut_off = _cut_off_reply(error)
            if cut_off is not None:
                return cut_off
            raise read_failure(error, self.address.secret) from error

    def _invoke_model(
        self, asked: list[tuple[str, str]], schema: dict[str, Any], dialect: Dialect
    ) -> Coroutine[object, object, object]:
        """The call, to be awaited; it gives LangChain's message as it is."""
        model = self.open(dialect)
        if dialect.structured == "prompt":
            return model.ainvoke(asked)
        try:
            structured = _bind_schema(model, schema, dialect)
        except (ValueError, TypeError, NotImplementedError) as error:
            raise CallFailed(
                f"its package knows no {dialect.structured}", str(error), status=400, reached=False
            ) from error
        raw = _find_raw_part(structured)
        if raw is not None:
            return raw.ainvoke(asked)

        async def invoke_whole() -> object:
            return (await structured.ainvoke(asked))["raw"]

        return invoke_whole()


def _find_raw_part(structured: Any) -> Any | None:
    """What calls the model in what ``with_structured_output`` made; None where a package builds it in another way.

    The parser behind it is left out: it reads a broken reply again for every character that it takes away (LangChain
    1.4), which for 50 MB holds up the loop, and with it every call, for minutes.
    """
    parts = getattr(getattr(structured, "first", None), "steps__", None)
    return cast("dict[str, Any]", parts).get("raw") if isinstance(parts, dict) else None


def _bind_schema(model: BaseChatModel, schema: dict[str, Any], dialect: Dialect) -> Any:
    known = inspect.signature(model.with_structured_output).parameters  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]
    options: dict[str, Any] = {"include_raw": True}
    if "method" in known:
        options["method"] = "json_schema" if dialect.structured == "json_schema" else "json_mode"
    elif dialect.structured == "json_object":
        raise NotImplementedError("it has one way of its own")
    if "strict" in known and dialect.structured == "json_schema" and is_strict(schema):
        options["strict"] = True
    return cast(Any, model).with_structured_output(schema, **options)


def _with_instruction(asked: list[tuple[str, str]], instruction: str) -> list[tuple[str, str]]:
    """In the system message, where there is one: templates of small models allow no second."""
    if asked and asked[0][0] == "system":
        return [("system", f"{asked[0][1]}\n\n{instruction}"), *asked[1:]]
    return [("system", instruction), *asked]


def _read_reply(message: Any) -> Reply:
    usage: dict[str, Any] = getattr(message, "usage_metadata", None) or {}
    metadata: dict[str, Any] = getattr(message, "response_metadata", None) or {}
    ended = {metadata.get(key) for key in ("finish_reason", "stop_reason", "done_reason")}
    text = str(message.text)
    if not text.strip() and message.tool_calls:  # packages that ask for structure by a tool of that schema
        text = json.dumps(message.tool_calls[0]["args"])
    return Reply(
        text,
        int(usage.get("input_tokens") or 0),
        int(usage.get("output_tokens") or 0),
        any(isinstance(reason, str) and reason.lower() in _CUT_OFF for reason in ended),
    )


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


_LONGEST_REASON = 300  # characters; servers answer with whole pages of HTML

_UNREACHED = {"ConnectError", "ConnectTimeout", "NewConnectionError", "ClientConnectorError"}
_CUT = {"TransportError", "APIConnectionError", "ClientConnectionError", "ClientPayloadError"}
_LATE = {"TimeoutError", "TimeoutException", "APITimeoutError"}
_TRY_AGAIN = {408, 409, 425, 429}  # as the official clients do, besides every 5xx
_OVERLOADED = {408, 429}
_UNREADABLE = 0.5
"""How far a reply that is none of the API's shows that the server is down: a gateway's page of HTML is one, but so may
be what a filter left of the reply to this one prompt. The second in a row is believed.
"""


class CallFailed(ModelError):
    """One call that gave no reply.

    ``summary`` is in our words, ``detail`` in the server's. ``status`` is the server's, None where there was none;
    ``reached`` says whether the server saw the request, and so may charge for it; ``is_transient`` whether another try
    may succeed; ``retry_after`` the seconds the server asked to wait; ``outage`` in 0..1 how far this shows that the
    server is down, whatever it is asked.
    """

    def __init__(
        self,
        summary: str,
        detail: str = "",
        *,
        status: int | None = None,
        reached: bool = True,
        is_transient: bool = False,
        retry_after: float | None = None,
        outage: float = 0.0,
    ) -> None:
        self.reason = f"{summary}: {detail}" if detail else summary
        super().__init__(self.reason)
        self.summary = summary
        self.outage = outage
        self.status = status
        self.reached = reached
        self.is_transient = is_transient
        self.retry_after = retry_after


def read_failure(error: BaseException, secret: str = "") -> CallFailed:
    """What ``error`` of a provider package means; ``secret`` is kept out of it, for servers repeat keys they refuse."""
    chain = list(_iterate_causes(error))
    texts = [_one_line(each, secret) for each in chain]
    status = next((found for each in chain if (found := _http_status(each)) is not None), None)
    if status is not None:
        return CallFailed(
            f"{_explain_status(status)} (HTTP {status})",
            texts[0],
            status=status,
            is_transient=status in _TRY_AGAIN or status >= 500,
            retry_after=next((wait for each in chain if (wait := _retry_after(each)) is not None), None),
            outage=1.0 if status in _OVERLOADED or status >= 500 else 0.0,
        )
    root = next((text for text in reversed(texts) if text), type(error).__name__)
    if _matches_any(chain, _UNREACHED, (ConnectionRefusedError, socket.gaierror, ssl.SSLCertVerificationError)):
        return CallFailed("the server cannot be reached", root, reached=False, is_transient=True, outage=1.0)
    if _matches_any(chain, _LATE, (TimeoutError,)):
        return CallFailed("the server took too long", outage=1.0)
    if _matches_any(chain, _CUT, (ConnectionError, ssl.SSLError)):
        return CallFailed("the connection was cut", root, is_transient=True, outage=1.0)
    return CallFailed(
        "the reply could not be read", f"{type(error).__name__}: {texts[0]}", is_transient=True, outage=_UNREADABLE
    )


def _iterate_causes(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def _matches_any(chain: list[BaseException], names: set[str], kinds: tuple[type[BaseException], ...]) -> bool:
    return any(isinstance(each, kinds) or names & {c.__name__ for c in type(each).__mro__} for each in chain)


def _http_status(error: BaseException) -> int | None:
    loose = cast(Any, error)
    for found in (
        getattr(loose, "status_code", None),
        getattr(loose, "code", None),
        getattr(getattr(loose, "response", None), "status_code", None),
    ):
        if isinstance(found, int) and 400 <= found < 600:
            return found
    return None


def _retry_after(error: BaseException) -> float | None:
    headers = getattr(getattr(cast(Any, error), "response", None), "headers", None)
    if headers is None:
        return None
    milliseconds, value = headers.get("retry-after-ms"), headers.get("retry-after")
    try:
        if milliseconds is not None:
            return max(0.0, float(milliseconds) / 1000)
        return None if value is None else max(0.0, float(value))
    except ValueError:
        return _seconds_until(value)


def _seconds_until(date: object) -> float | None:
    try:
        moment = parsedate_to_datetime(str(date))
    except ValueError:
        return None
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max(0.0, (aware - datetime.now(UTC)).total_seconds())


def _explain_status(status: int) -> str:
    match status:
        case 401 | 403:
            return "the server refused the key"
        case 404:
            return "the server does not know the model or the address"
        case 429:
            return "the server is asked too often"
        case _ if status >= 500:
            return "the server failed"
        case _:
            return "the server refused the request"


def _one_line(error: BaseException, secret: str) -> str:
    line = " ".join(keep_visible(str(error)).split())
    if secret:
        line = line.replace(secret, "***")
    return line if len(line) <= _LONGEST_REASON else line[: _LONGEST_REASON - 1] + "…"
