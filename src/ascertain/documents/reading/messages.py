"""Requests to a process that reads files, and its answers: pickled, each with its length before it.

A parser that is taken over by a hostile file could answer anything, so that answers are unpickled into a few plain
classes only, and none may be longer than ``MAX_ANSWER_BYTES``.
"""

import io
import pickle
import struct
from dataclasses import dataclass
from enum import Enum, EnumType
from pathlib import Path
from typing import cast

from ascertain.documents.formats.feeds import Feed
from ascertain.documents.formats.reader import MAX_CHARACTERS, Extracted, ReadLimits

FOLDER_PREFIX = "ascertain-reader-"
"""Begins the name of the folder for temporary files that a reader has to itself, and takes with it."""
LENGTH = struct.Struct(">Q")
"""The number of bytes that follow."""
MAX_ANSWER_BYTES = 8 * MAX_CHARACTERS
"""The longest text takes four bytes a character at most; as much again is left for its places."""


@dataclass(frozen=True, slots=True)
class FileRequest:
    """Read a file; ``source`` is what its rows are named after."""

    path: Path
    source: str
    profile: str
    max_bytes: int
    max_characters: int
    limits: ReadLimits
    reads_pictures: bool


@dataclass(frozen=True, slots=True)
class FeedRequest:
    """Read a feed that was fetched from ``url``."""

    data: bytes
    url: str
    content_type: str
    limits: ReadLimits


Request = FileRequest | FeedRequest


@dataclass(frozen=True, slots=True)
class BadRows:
    """Rows that were skipped: the source of each and why. They are sent in bundles, for there may be millions."""

    rows: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class AtWork:
    """A page was recognised, or a piece of a recording: the time limit restarts for the next one."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why the request failed, in one line; begins with the file's name where a file was read."""

    reason: str


@dataclass(frozen=True, slots=True)
class Done:
    """All was read. With ``retires`` the process ends: it has grown."""

    retires: bool


Answer = Extracted | Feed | BadRows | AtWork | Refusal | Done

_ALLOWED = {
    "ascertain.core.documents.blocks": ("Block", "BlockKind", "LineBox", "Place", "Span"),
    "ascertain.core.documents.documents": ("DocumentKind", "LeftOut"),
    "ascertain.documents.formats.feeds": ("Feed", "FeedEntry"),
    "ascertain.documents.formats.reader": ("Extracted", "Picture"),
    "ascertain.documents.reading.messages": ("AtWork", "BadRows", "Done", "Refusal"),
    "datetime": ("datetime", "timedelta", "timezone"),
}


def memory_reason(limits: ReadLimits) -> str:
    """The message for something that exceeds its memory limit."""
    return (
        f"needs more than {limits.memory_bytes:,} bytes of memory to be read; split it, or raise "
        "ingest.reading.memory_bytes if it is known to be good"
    )


def pack_message(message: Request | Answer) -> bytes:
    """The message with its length."""
    data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    return LENGTH.pack(len(data)) + data


def unpack_answer(data: bytes) -> object:
    """The answer in ``data``. Raises UnpicklingError, or whatever damage leads to, for anything else."""
    return _AnswerUnpickler(io.BytesIO(data)).load()


class _AnswerUnpickler(pickle.Unpickler):
    def find_class(self, module_name: str, global_name: str, /) -> object:
        """The class of that name, if it is one that answers are made of."""
        if (module_name, global_name) == ("builtins", "getattr"):
            return _get_member
        if global_name not in _ALLOWED.get(module_name, ()):
            raise pickle.UnpicklingError(f"{module_name}.{global_name} is no part of an answer")
        return super().find_class(module_name, global_name)


def _get_member(kind: object, name: str) -> Enum:
    """A member of an enumeration. Early versions of Python 3.11, such as the 3.11.2 of Debian 12, pickle it as a call of getattr."""
    if not isinstance(kind, EnumType):
        raise pickle.UnpicklingError("an attribute is no part of an answer")
    return cast("type[Enum]", kind)[name]
