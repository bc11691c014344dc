"""One call of a chat model: messages and a schema in, the reply's text and its tokens out, within a limit."""

from __future__ import annotations

import inspect
import json
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from pydantic import BaseModel

from ascertain.models.chat.addresses import ModelAddress
from ascertain.models.chat.background import within
from ascertain.models.chat.dialect import Dialect
from ascertain.models.chat.failures import CallFailed, read_failure
from ascertain.models.chat.provider import open_model
from ascertain.models.chat.schemas import asking_for, is_strict, reply_schema
from ascertain.models.ports import Message

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

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
        self, messages: Sequence[Message], answer: type[BaseModel], dialect: Dialect, seconds: float
    ) -> Reply:
        """The reply to ``messages``, asked for as an ``answer`` but not yet read, within ``seconds``.

        Raises CallFailed, also for a dialect that the provider's package does not speak (as status 400, not reached).
        """
        schema = reply_schema(answer)
        asked = [(message.role, message.content) for message in messages]
        if dialect.structured != "json_schema":
            asked = _with_instruction(asked, asking_for(schema))
        work = self._invoked(asked, schema, dialect)
        try:
            return _reply(within(seconds, work))
        except TimeoutError as error:
            raise CallFailed(f"no complete reply within {seconds:.3g} s") from error
        except Exception as error:  # provider packages share no base class
            cut_off = _cut_off_reply(error)
            if cut_off is not None:
                return cut_off
            raise read_failure(error, self.address.secret) from error

    def _invoked(
        self, asked: list[tuple[str, str]], schema: dict[str, Any], dialect: Dialect
    ) -> Coroutine[object, object, object]:
        """The call, to be awaited; it gives LangChain's message as it is."""
        model = self.open(dialect)
        if dialect.structured == "prompt":
            return model.ainvoke(asked)
        try:
            structured = _structured(model, schema, dialect)
        except (ValueError, TypeError, NotImplementedError) as error:
            raise CallFailed(
                f"its package knows no {dialect.structured}: {error}", status=400, reached=False
            ) from error

        async def raw() -> object:
            return (await structured.ainvoke(asked))["raw"]

        return raw()


def _structured(model: BaseChatModel, schema: dict[str, Any], dialect: Dialect) -> Any:
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


def _reply(message: Any) -> Reply:
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
