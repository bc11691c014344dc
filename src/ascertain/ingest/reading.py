"""Files to documents, one file after another; a file that cannot be read is an item like any other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from ascertain.core.documents import Document, DocumentKind, document_id
from ascertain.core.errors import AscertainError
from ascertain.ingest.preparing import Finished, Found, Read, Unreadable, describe
from ascertain.sources.extraction import SourceFile
from ascertain.sources.files import ReadOptions, read

LISTED_ROWS = 20
"""Bad rows of one file that are listed one by one; of more, only the number."""


def read_files(files: Sequence[Path], options: ReadOptions) -> Iterator[Read]:
    """What is in ``files``: their documents, what could not be read, and the end of each file.

    Of a file that changes or disappears meanwhile, the last document is not given: it may be half the old text, half the new.
    """
    for path in files:
        yield from _FileReading(path, options).items()


class _FileReading:
    def __init__(self, path: Path, options: ReadOptions) -> None:
        self._path = path
        self._bad_rows: list[tuple[str, str]] = []
        self._bad_row_count = 0
        self._options = replace(options, on_bad_row=self._bad_row)
        self._source = SourceFile(path, options).source

    def items(self) -> Iterator[Read]:
        before = _stamp(self._path)
        rest = before[0] if before else 0
        held: Document | None = None
        reason: str | None = None
        try:
            for document in read(self._path, self._options):
                yield from self._rows()
                if held is not None:
                    size = min(rest, len(held.text))
                    rest -= size
                    yield Found(held, size)
                held = document
        except AscertainError as error:
            reason = str(error)
        except MemoryError:
            reason = "does not fit into memory"
        except Exception as error:  # one bad file never stops the run, whatever its parser does
            reason = f"could not be read ({describe(error)})"
        reason = reason or self._changed_since(before)
        yield from self._rows()
        if self._bad_row_count > LISTED_ROWS:
            yield self._unreadable(f"{self._bad_row_count - LISTED_ROWS:,} more rows could not be read")
        if reason is not None:
            yield self._unreadable(reason, rest)
        elif held is not None:
            yield Found(held, rest)
        finished_size = rest if reason is None and held is None else 0
        yield Finished(self._source, finished_size, is_whole=reason is None)

    def _changed_since(self, before: tuple[int, int] | None) -> str | None:
        after = _stamp(self._path)
        if before is None or after is None:
            return "disappeared while it was being read"
        return None if before == after else "changed while it was being read; add it again"

    def _bad_row(self, source: str, reason: str) -> None:
        self._bad_row_count += 1
        if self._bad_row_count <= LISTED_ROWS:
            self._bad_rows.append((source, reason))

    def _rows(self) -> Iterator[Read]:
        for source, reason in self._bad_rows:
            yield Unreadable(stand_in(self._path, source, self._options), reason)
        self._bad_rows.clear()

    def _unreadable(self, reason: str, size: int = 0) -> Unreadable:
        path = self._path
        file = stand_in(path, self._source, self._options)
        return Unreadable(file, reason.removeprefix(f"{path.name}: "), size)


def stand_in(path: Path, source: str, options: ReadOptions) -> Document:
    """What stands in the store for a file, or a row of it, that gave no document."""
    return Document(
        id=document_id(source, options.tenant, options.conversation_id),
        text="",
        title=path.name,
        kind=DocumentKind.PROSE,
        source=source,
        tags=options.tags,
        profile=options.profile,
        conversation_id=options.conversation_id,
        tenant=options.tenant,
    )


def _stamp(path: Path) -> tuple[int, int] | None:
    """Size and time of change; None when the file cannot be looked at."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_size, status.st_mtime_ns
