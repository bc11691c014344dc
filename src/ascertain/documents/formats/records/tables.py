"""Tables as documents: a row a line under the header, a long table in parts that each begin with it."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from ascertain.documents.formats.drafts.draft import Draft, clean_line, clean_text
from ascertain.documents.formats.reader import Extracted, SourceFile
from ascertain.language.tables import BLANK, join_cells

PART_CHARACTERS = 500_000
"""Characters of a document that is a part of a table, some 5,000 rows: what one person may still look through."""

NumberedRow = tuple[str, Sequence[str] | ValueError]
"""What a row is called in the source, and its cells, or why it cannot be read."""


def show_lines(text: str) -> str:
    """The lines of a cell on one, with `` / `` between them."""
    if "\n" not in text and "\r" not in text:
        return clean_line(text)
    return " / ".join(line for each in clean_text(text).split("\n") if (line := clean_line(each)))


def build_tables(
    file: SourceFile, names: Sequence[str], rows: Iterable[NumberedRow], facts: Extracted, *, lead: Sequence[str] = ()
) -> Iterator[Extracted]:
    """The documents of a table under ``names``, or without a header where there are none; ``lead`` are lines of text above it.

    Rows that are longer than a document are reported to ``on_bad_row``. Raises SourceError when no row could be read.
    """
    writer = _TableWriter(file, names, facts, lead)
    for number, row in rows:
        if isinstance(row, ValueError):
            file.options.on_bad_row(f"{file.source}#{number}", str(row))
        else:
            yield from writer.add_row(number, row)
    yield from writer.finish()


class _TableWriter:
    """Collects rows until a document is full."""

    def __init__(self, file: SourceFile, names: Sequence[str], facts: Extracted, lead: Sequence[str]) -> None:
        self._file = file
        self._facts = facts
        self._lead = [line for line in map(clean_text, lead) if line]
        self._width = len(names)
        # a column without a name is called by its number, unless it is the first, which often has the names of the rows
        shown = [clean_line(name) or (f"column {number}" if number > 1 else "") for number, name in enumerate(names, 1)]
        self._head = join_cells(shown)
        self._limit = min(PART_CHARACTERS, file.options.max_characters)
        self._lines: list[str] = []
        self._length = sum(len(line) + 2 for line in self._lead) + len(self._head)
        self._first = self._last = ""
        self._parts = self._wide = 0

    def add_row(self, number: str, row: Sequence[str]) -> Iterator[Extracted]:
        """Add a row; the document that it did not fit into."""
        cells = [show_lines(cell) for cell in row]
        while len(cells) > self._width and cells and not cells[-1]:
            cells.pop()
        line = join_cells(cells)
        if not line:
            return
        if len(self._head) + 1 + len(line) > self._limit:
            self._file.options.on_bad_row(f"{self._file.source}#{number}", f"longer than {self._limit:,} characters")
            return
        self._wide += len(cells) > self._width > 0
        line += f" | {BLANK}" * (self._width - len(cells))
        if self._length + 1 + len(line) > self._limit and (self._lines or self._lead):
            yield self._take_part(is_last=False)
        self._lines.append(line)
        self._length += 1 + len(line)
        self._first, self._last = self._first or number, number

    def finish(self) -> Iterator[Extracted]:
        """The last document."""
        if not self._lines and not self._parts:
            raise self._file.error("no row could be read below the header")
        if self._lines:
            yield self._take_part(is_last=True)

    def _take_part(self, *, is_last: bool) -> Extracted:
        draft = Draft()
        for line in self._lead:
            draft.add(line)
        if self._lines:
            lines = [self._head, *self._lines] if self._head else self._lines
            draft.add_lines(lines, header_rows=int(bool(self._head)))
        text, blocks = draft.finish()
        row = None if is_last and not self._parts else f"{self._first}-{self._last}"
        notes = (f"{self._wide:,} rows have more cells than the header",) if self._wide else ()
        left = "-".join(filter(None, (self._facts.row, row))) or None
        self._lines, self._lead, self._first, self._wide = [], [], "", 0
        self._length = len(self._head)
        self._parts += 1
        return replace(self._facts, text=text, blocks=blocks, row=left, notes=(*self._facts.notes, *notes))
