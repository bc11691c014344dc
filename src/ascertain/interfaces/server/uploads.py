"""Uploads: the files of a multipart body, buffered on disk and measured as they arrive."""

from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import IO, cast

from fastapi import Request
from starlette.datastructures import FormData, UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser

from ascertain.app.wire.requests import MOST_VALUES
from ascertain.interfaces.server.identity import FILES_AT_ONCE
from ascertain.interfaces.server.problems import Problem, ProblemError

PIECE = 1 << 20
"""Bytes passed on at a time."""
MEGABYTE = 1_000_000
LONGEST_FIELD = 1000
"""Bytes of a field that is not a file: a tag, the name of a profile."""


@dataclass(frozen=True, slots=True)
class Uploaded:
    """What came with an upload. The files can be read as long as their context lasts."""

    files: list[tuple[str, Iterator[bytes]]]
    profile: str | None
    tags: list[str]
    replaces: bool
    """Whether they replace files with their names that someone else uploaded."""


@asynccontextmanager
async def read_upload(request: Request, most_megabytes: float) -> AsyncGenerator[Uploaded]:
    """The files and fields of a request.

    Raises ProblemError for a request that is not an upload, or has too large or too many files.
    """
    if not request.headers.get("content-type", "").lower().startswith("multipart/form-data"):
        raise ProblemError(Problem("unsupported-media-type", "Send the files as multipart/form-data."))
    parser = _MeasuringParser(request, round(most_megabytes * MEGABYTE))
    try:
        form = await parser.parse()
    except MultiPartException as error:
        raise ProblemError(Problem("invalid-request", error.message)) from None
    try:
        yield _check_form(form)
    finally:
        await form.close()


class _MeasuringParser(MultiPartParser):
    """Ends with the first byte over the limit of a file; files beyond a megabyte are buffered on disk."""

    def __init__(self, request: Request, most: int) -> None:
        super().__init__(
            request.headers,
            request.stream(),
            max_files=FILES_AT_ONCE,
            max_fields=MOST_VALUES,
            max_part_size=LONGEST_FIELD,
        )
        self._most = most
        self._size = 0

    def on_part_begin(self) -> None:
        """A field or file begins."""
        super().on_part_begin()
        self._size = 0

    def on_part_data(self, data: bytes, start: int, end: int) -> None:
        """Some of its bytes."""
        self._size += end - start
        if self._size > self._most:
            raise ProblemError(
                Problem("too-large", f"A file may have {self._most:,} bytes (server.max_upload_megabytes).")
            )
        super().on_part_data(data, start, end)


def _check_form(form: FormData) -> Uploaded:
    unknown = sorted({name for name in form if name not in {"files", "profile", "tags", "replace"}})
    files = [value for value in form.getlist("files") if isinstance(value, UploadFile)]
    if unknown:
        raise ProblemError(
            Problem("invalid-request", f"{unknown[0]!r} is not known; send files, profile, tags and replace.")
        )
    if not files or len(files) != len(form.getlist("files")):
        raise ProblemError(Problem("invalid-request", "Send at least one file, each as a part named files."))
    tags = [tag for value in form.getlist("tags") if isinstance(value, str) for tag in value.split(",")]
    profile, replaces = form.get("profile"), form.get("replace", "false")
    if replaces not in ("true", "false"):
        raise ProblemError(Problem("invalid-request", "replace is true or false."))
    return Uploaded(
        files=[(file.filename or "", _read_pieces(cast("IO[bytes]", file.file))) for file in files],
        profile=profile if isinstance(profile, str) and profile else None,
        tags=[tag.strip() for tag in tags if tag.strip()],
        replaces=replaces == "true",
    )


def _read_pieces(file: IO[bytes]) -> Iterator[bytes]:
    while piece := file.read(PIECE):
        yield piece
