"""The process that reads: takes one request after another from its standard input and answers on its standard output.

It imports the readers of formats and nothing of the models, stores and settings: it starts in half a second.
"""

import os
import pickle
import re
import resource
import shutil
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import timezone
from pathlib import Path
from typing import BinaryIO, cast

from ascertain.core.errors import AscertainError, SourceError
from ascertain.documents.formats.feeds import Feed, parse_feed
from ascertain.documents.formats.reader import Extracted, ReadLimits, ReadOptions, SourceFile
from ascertain.documents.formats.registry import extract_texts
from ascertain.documents.reading.messages import (
    FOLDER_PREFIX,
    LENGTH,
    MAX_ANSWER_BYTES,
    Answer,
    AtWork,
    BadRows,
    Done,
    FeedRequest,
    FileRequest,
    Refusal,
    Request,
    memory_reason,
    pack_message,
)

_LOOK_SECONDS = 2.0
"""How soon a process without a parent notices it."""
_GROWN_BYTES = 300_000_000
"""A process that has needed so much is replaced: what a parser leaves behind stays in it."""
_SPARE_SECONDS = 5
"""Processor time beyond ``ReadLimits.seconds``, after which the system kills work that no one waits for any more."""


def serve_requests() -> None:
    """Answer requests until standard input ends."""
    _leave_interrupts_to_parent()
    requests, answers = _take_pipes()
    threading.Thread(target=_end_with_parent, args=(os.getppid(),), daemon=True).start()
    try:
        _answer_requests(requests, _Speaker(answers))
    finally:
        _drop_folder()


_BUNDLE = 1000
"""Bad rows sent together."""


class _Speaker:
    """Sends answers in order."""

    def __init__(self, pipe: BinaryIO) -> None:
        self._pipe = pipe
        self._bad_rows: list[tuple[str, str]] = []

    def send(self, answer: Answer) -> None:
        """Send an answer, after the bad rows that came before it."""
        self._send_bad_rows()
        self._write(answer)

    def note_bad_row(self, source: str, reason: str) -> None:
        """Send it with others."""
        self._bad_rows.append((source, reason))
        if len(self._bad_rows) == _BUNDLE:
            self._send_bad_rows()

    def _send_bad_rows(self) -> None:
        if self._bad_rows:
            self._write(BadRows(tuple(self._bad_rows)))
            self._bad_rows.clear()

    def _write(self, answer: Answer) -> None:
        message = pack_message(answer)
        if len(message) > MAX_ANSWER_BYTES:
            message = pack_message(Refusal("has more parts than can be handled; split it"))
        self._pipe.write(message)
        self._pipe.flush()


def _answer_requests(requests: BinaryIO, speaker: _Speaker) -> None:
    speaker.send(Done(retires=False))
    while header := requests.read(LENGTH.size):
        # from our own parent, so that it may be anything
        request = cast(Request, pickle.loads(requests.read(LENGTH.unpack(header)[0])))
        _set_limits(request.limits)
        lacks_memory = False
        try:
            for answer in _answer_request(request, speaker):
                speaker.send(answer)
                _limit_processor(request.limits)
        except MemoryError:
            # reported below, where the frames of the reader are freed: here there may be no memory left for it
            lacks_memory = True
        except AscertainError as error:
            speaker.send(Refusal(str(error)))
        if lacks_memory:
            resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
            speaker.send(Refusal(_lacks_memory(request)))
        speaker.send(Done(lacks_memory or _has_grown()))


def _leave_interrupts_to_parent() -> None:
    """Ctrl-C reaches every process of a terminal; the parent decides what becomes of this one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with suppress(OSError):
        # where memory runs out all the same, this process goes first
        Path("/proc/self/oom_score_adj").write_text("1000")


def _take_pipes() -> tuple[BinaryIO, BinaryIO]:
    """Both pipes for this module alone: what a parser prints must not get between the answers."""
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    return requests, answers


def _end_with_parent(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_LOOK_SECONDS)
    _drop_folder()
    os._exit(1)


def _drop_folder() -> None:
    """Unpacked files would stay if the owner of the folder has died."""
    folder = Path(os.environ.get("TMPDIR", ""))
    if folder.name.startswith(FOLDER_PREFIX):
        shutil.rmtree(folder, ignore_errors=True)


def _set_limits(limits: ReadLimits) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (limits.memory_bytes, resource.RLIM_INFINITY))
    _limit_processor(limits)


def _limit_processor(limits: ReadLimits) -> None:
    """From now on; the parent counts the seconds it waits, and has died if this is ever needed."""
    used = time.process_time()
    resource.setrlimit(resource.RLIMIT_CPU, (int(used + limits.seconds) + _SPARE_SECONDS, resource.RLIM_INFINITY))


def _answer_request(request: Request, speaker: _Speaker) -> Iterator[Extracted | Feed]:
    if isinstance(request, FeedRequest):
        yield _read_feed(request)
        return

    def note_piece() -> None:
        speaker.send(AtWork())
        _limit_processor(request.limits)

    options = ReadOptions(
        profile=request.profile,
        max_bytes=request.max_bytes,
        max_characters=request.max_characters,
        on_bad_row=speaker.note_bad_row,
        on_piece=note_piece,
        source=request.source,
        limits=request.limits,
        reads_pictures=request.reads_pictures,
    )
    yield from map(_make_plain, extract_texts(SourceFile(request.path, options)))


def _read_feed(request: FeedRequest) -> Feed:
    try:
        return parse_feed(request.data, request.url, request.content_type)
    except ValueError as error:
        raise SourceError(str(error)) from error


def _make_plain(found: Extracted) -> Extracted:
    """Of plain classes, whatever a parser's own kinds of text and time zone were."""
    date = found.published_at
    offset = date.utcoffset() if date else None
    return replace(
        found,
        text=str(found.text),
        title=_plain_text(found.title),
        author=_plain_text(found.author),
        url=_plain_text(found.url),
        row=_plain_text(found.row),
        tags=tuple(map(str, found.tags)),
        published_at=date if date is None or offset is None else date.replace(tzinfo=timezone(offset)),
    )


def _plain_text(text: str | None) -> str | None:
    return None if text is None else str(text)


def _lacks_memory(request: Request) -> str:
    reason = memory_reason(request.limits)
    return f"{request.path.name}: {reason}" if isinstance(request, FileRequest) else reason


def _has_grown() -> bool:
    # what getrusage tells of a new process is the size of the one that started it
    match = re.search(r"^VmHWM:\s*(\d+) kB", Path("/proc/self/status").read_text(), re.MULTILINE)
    return match is not None and int(match[1]) * 1024 > _GROWN_BYTES
