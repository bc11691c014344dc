"""What adding a file would store, without a knowledge base."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from ascertain.core.documents.documents import Document
from ascertain.core.documents.ingest import Failure
from ascertain.core.errors import SourceError, UsageError
from ascertain.core.settings import Settings
from ascertain.documents.formats.reader import ReadLimits, ReadOptions
from ascertain.documents.formats.registry import known_suffixes
from ascertain.documents.sources.files import discover_files, read_apart


def list_formats(settings: Settings) -> tuple[str, ...]:
    """The suffixes of the files that are read under ``settings``, without their dots, in order; those of plug-ins among them."""
    found = known_suffixes(describes=settings.ingest.describe_figures)
    return tuple(sorted(suffix.removeprefix(".") for suffix in found))


def preview_files(paths: Sequence[Path], settings: Settings) -> Iterator[Document | Failure]:
    """The documents in the files under ``paths``, as adding them would store them, and what cannot be read.

    Files are read in processes of their own within the limits of ``settings``. Raises UsageError where there is no such path or no
    file under it.
    """
    found = discover_files(paths)
    if not found.files and not found.skipped:
        raise UsageError("there is no file to read")
    options = ReadOptions(
        settings.profile, max_bytes=settings.ingest.max_file_bytes, limits=ReadLimits.of(settings.ingest.reading)
    )
    for path in found.files:
        yield from _preview_file(path, options)
    yield from (Failure(str(path), reason) for path, reason in found.skipped)


def _preview_file(path: Path, options: ReadOptions) -> Iterator[Document | Failure]:
    failures: list[Failure] = []

    def hear(source: str, reason: str) -> None:
        failures.append(Failure(source, reason))

    try:
        yield from read_apart(path, replace(options, on_bad_row=hear))
    except SourceError as error:
        failures.append(Failure(str(path), str(error)))
    yield from failures
