"""Log lines of the service on standard error: JSON, one object a line, or text.

A line holds what happened and where, never a question, passage or answer: of a record only the fields in ``FIELDS`` are
written beside its message; of an exception its type and the lines of code it came through, not its words, which may quote text; and of
another library's record the words in its source code, without the values filled in. Secrets are replaced in all of it.
"""

from __future__ import annotations

import json
import logging
import os
import re
import sys
import traceback
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import TextIO, cast

from ascertain.core.settings import TelemetrySettings

# Secrets are removed from log lines and traces in two ways together: the values of environment variables whose names
# say that they are secrets are known to the letter, and whatever looks like a key, an Authorization header or a
# password in an address is replaced where it stands. Better too much than too little.

HIDDEN = "***"

_SECRET_NAME = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS|HEADERS)$", re.IGNORECASE)
_SHORTEST = 6
"""A shorter value would also occur in ordinary text, and is too weak for a secret."""

_NAMED = r"authorization|(?:x-)?api[-_]?key|apikey|access[-_]?token|auth[-_]?token|client[-_]?secret|secret|password|passwd|pwd|token"
_PATTERNS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"(://)[^\s\"'<>]{0,1000}@"), rf"\1{HIDDEN}@"),
    (re.compile(r"\b(bearer|basic)\s+[^\s\"',;]+", re.IGNORECASE), rf"\1 {HIDDEN}"),
    (
        re.compile(rf"\b({_NAMED})([\"']?\s*[:=]\s*[\"']?)(?!(?:bearer|basic)\s)[^\s\"'&,;]+", re.IGNORECASE),
        rf"\1\2{HIDDEN}",
    ),
    # Keys are recognised by their prefix: our own ask_, OpenAI and Anthropic sk-, Tavily tvly-, GitHub gh?_, Slack xox?-, Google AIza.
    (re.compile(r"(?:\bask_(?=[\w-]{43})|\b(?:sk-|tvly-|gh[a-z]_|xox[a-z]-|AIza))[\w-]{8,}"), HIDDEN),
)


class Redaction:
    """Replaces secrets in text by ``***``."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        known = sorted({secret for secret in secrets if len(secret) >= _SHORTEST}, key=len, reverse=True)
        self._known = re.compile("|".join(map(re.escape, known))) if known else None

    @classmethod
    def of(cls, environ: Mapping[str, str]) -> Redaction:
        """Knows the values of the variables whose names end as those of secrets do, such as TAVILY_API_KEY."""
        return cls(value for name, value in environ.items() if _SECRET_NAME.search(name))

    def __call__(self, text: str) -> str:
        """``text`` without secrets."""
        if self._known is not None:
            text = self._known.sub(HIDDEN, text)
        for pattern, instead in _PATTERNS:
            text = pattern.sub(instead, text)
        return text


logger = logging.getLogger("ascertain.service")
"""For the service's own lines: ``logger.info("question answered", extra={"seconds": 0.2})``; ``extra`` takes the names in FIELDS."""

FIELDS = ("request_id", "tenant", "method", "route", "status", "seconds", "job", "answer_id")

_OURS = ("ascertain", "uvicorn")
_NOISY = ("uvicorn.access", "httpx", "httpcore")
"""They write addresses with their queries, and ``log_request`` logs the same without them."""
_DEEPEST = 30
"""Lines of code logged for one exception, the innermost."""
_LONGEST_CHAIN = 10
"""Exceptions logged of a chain of causes."""

_NONE: Mapping[str, object] = MappingProxyType({})
_bound: ContextVar[Mapping[str, object]] = ContextVar("log_fields", default=_NONE)


@contextmanager
def log_fields(**fields: object) -> Generator[None]:
    """Put ``fields`` on every line logged inside, such as ``request_id`` and ``tenant``; for work passed to another thread,
    run it in a copy of the context.
    """
    token = _bound.set({**_bound.get(), **fields})
    try:
        yield
    finally:
        _bound.reset(token)


def configure_logs(settings: TelemetrySettings, stream: TextIO | None = None) -> None:
    """Send the lines of this program, of uvicorn and the warnings of all libraries to ``stream`` (standard error).

    Start uvicorn with ``log_config=None`` afterwards, or it puts its own handlers back. May be called again.
    """
    level = logging.getLevelNamesMapping()[settings.log_level.upper()]
    form = JsonLines if settings.log_format == "json" else TextLines
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(form(Redaction.of(os.environ)))
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(max(level, logging.WARNING))
    for name in (*_OURS, "uvicorn.error"):
        ours = logging.getLogger(name)
        ours.handlers = []
        ours.propagate = True
        ours.setLevel(level)
    for name in _NOISY:
        noisy = logging.getLogger(name)
        noisy.handlers = []
        noisy.propagate = True
        noisy.setLevel(max(level, logging.WARNING))
    logging.captureWarnings(True)


def log_request(method: str, route: str, status: int, seconds: float) -> None:
    """The line of a request that was answered; ``route`` is the template, such as ``/v1/documents/{id}``."""
    level = logging.ERROR if status >= 500 else logging.INFO
    fields = {"method": method, "route": route, "status": status, "seconds": round(seconds, 6)}
    logger.log(level, "request", extra=fields)


class JsonLines(logging.Formatter):
    """Records as JSON objects."""

    def __init__(self, redaction: Redaction) -> None:
        super().__init__()
        self._redaction = redaction

    def format(self, record: logging.LogRecord) -> str:
        """One line without its end."""
        return json.dumps(_record_fields(record, self._redaction), ensure_ascii=True)


class TextLines(logging.Formatter):
    """Records for people: time, level, message, then the fields."""

    def __init__(self, redaction: Redaction) -> None:
        super().__init__()
        self._redaction = redaction

    def format(self, record: logging.LogRecord) -> str:
        """One line without its end; what would end it earlier is escaped."""
        fields_shown = _record_fields(record, self._redaction)
        head = f"{fields_shown.pop('time')} {str(fields_shown.pop('level')).upper()} {fields_shown.pop('message')}"
        fields = " ".join(f"{name}={value}" for name, value in fields_shown.items() if name != "logger")
        return f"{head} {fields}".rstrip().encode("unicode_escape").decode("ascii")


def _record_fields(record: logging.LogRecord, redaction: Redaction) -> dict[str, object]:
    moment = datetime.fromtimestamp(record.created, UTC)
    fields_logged: dict[str, object] = {
        "time": moment.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "level": record.levelname.lower(),
        "message": redaction(_record_message(record)),
        "logger": record.name,
    }
    given = {**_bound.get(), **vars(record)}
    for name in FIELDS:
        value = given.get(name)
        if isinstance(value, (bool, int, float)):
            fields_logged[name] = value
        elif value is not None:
            fields_logged[name] = redaction(str(value))
    return {**fields_logged, **_record_exception(record)}


def _record_message(record: logging.LogRecord) -> str:
    if record.name.split(".")[0] in _OURS:
        return record.getMessage()
    place = f"{record.module}:{record.lineno}"
    return f"{place}: {record.msg}" if record.args and isinstance(record.msg, str) else place


def _record_exception(record: logging.LogRecord) -> dict[str, str]:
    error = record.exc_info[1] if record.exc_info else None
    if error is None:
        return {}
    chain, length = type(error).__name__, 1
    while (inner := _inner_exception(error)) is not None and length < _LONGEST_CHAIN:
        chain += (
            f" of {type(inner).__name__}" if isinstance(error, BaseExceptionGroup) else f" from {type(inner).__name__}"
        )
        error, length = inner, length + 1
    frames = traceback.extract_tb(error.__traceback__)[-_DEEPEST:]
    way = [f"{_shorten_path(frame.filename)}:{frame.lineno} {frame.name}" for frame in frames]
    return {"error": chain, "at": " < ".join(reversed(way))}


def _inner_exception(error: BaseException) -> BaseException | None:
    """What an exception came from: its cause, or of a group, which says nothing by itself, the first in it."""
    if isinstance(error, BaseExceptionGroup):
        return cast("BaseExceptionGroup[BaseException]", error).exceptions[0]
    return error.__cause__ or error.__context__


def _shorten_path(file: str) -> str:
    """The last two parts of a path: enough to find it, without where this machine keeps things."""
    return "/".join(Path(file).parts[-2:])
