"""The tables of stored documents: rows of cells with the characters they stand at, under the names of their columns.

What a document's blocks call a table is one; in text without blocks, rows in pipes or with tabs under a header. The parts in which a
long table was stored are put together again. Nothing is changed: a row is a span of its document's text.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePath

from ascertain.core.documents.blocks import Block, BlockKind, Span
from ascertain.core.documents.documents import Document
from ascertain.core.errors import AscertainError
from ascertain.language.languages import ENGLISH
from ascertain.language.tables import TableFinder, split_cells
from ascertain.language.tokens import fold_words, is_stop_word
from ascertain.language.word_lists import load_word_set
from ascertain.reports.tables.values import HIDDEN_MARK, clean_cell

FEWEST_ROWS = 2
"""Rows below a header from which there is something to compute."""
MOST_COLUMNS = 400
"""Columns of a table that is computed: SQLite takes 2,000, and a header of more than this is none (by judgement)."""
TABLE_SUFFIXES = frozenset({".csv", ".tsv", ".xlsx", ".xlsm", ".ods", ".json", ".jsonl", ".ndjson"})
"""Files that are mostly tables."""
LONGEST_NAME = 120
"""Characters of a column's name; what is longer is a sentence (by judgement)."""
_TOTALS = load_word_set("question_signs", "totals")
_TOTAL_STARTS = ("total", "sum", "grand", "sub", "overall")
_TOTAL_LABEL_WORDS = 4


@dataclass(frozen=True, slots=True)
class TableRow:
    """One row: where it stands in which of the table's documents, and its cells, cleaned; as many as there are columns."""

    document: int
    span: Span
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """``label`` is what people call it: the file with the sheet or heading. ``about`` are the words over it: title, heading, caption, file
    name. ``headers`` are the header's span in each of ``documents``. ``totals`` are rows that sum up others: they are no data.
    ``left_out`` counts lines under the header that have more cells than it.
    """

    label: str
    about: str
    documents: tuple[Document, ...]
    headers: tuple[Span, ...]
    names: tuple[str, ...]
    rows: tuple[TableRow, ...]
    totals: tuple[TableRow, ...] = ()
    left_out: int = 0

    @property
    def is_file(self) -> bool:
        """Whether it is a file of tables, and no table in a text."""
        return PurePath(self.documents[0].source.partition("#")[0]).suffix.lower() in TABLE_SUFFIXES

    def cell_span(self, row: TableRow, column: int) -> Span | None:
        """Where the characters of a cell stand in the document of its row; None where it is empty or written otherwise."""
        text, cell = self.documents[row.document].text, row.cells[column]
        if not cell:
            return None
        start = row.span.start
        for before in row.cells[:column]:
            found = text.find(before, start, row.span.end) if before else -1
            start = found + len(before) if found >= 0 else start
        found = text.find(cell, start, row.span.end)
        return Span(found, found + len(cell)) if found >= 0 else None


@dataclass(slots=True)
class _Draft:
    """A table of one document, before the parts of a long one are put together."""

    document: Document
    header: Span
    names: tuple[str, ...]
    rows: list[tuple[Span, tuple[str, ...]]]
    heading: str
    about: str
    left_out: int = 0
    base: str = field(default="")


class ReadingTooLong(AscertainError):
    """Tables could not be read in the time there was."""


def read_tables(documents: Iterable[Document], deadline: float = float("inf")) -> list[Table]:
    """The tables of ``documents``, in order; those of two rows and more with a header of two columns and more.

    Raises ReadingTooLong after ``deadline``, a time of ``time.monotonic``.
    """
    joined: dict[tuple[str, str, tuple[str, ...]], list[_Draft]] = {}
    for document in documents:
        if time.monotonic() > deadline:
            raise ReadingTooLong("the tables could not be read in time; ask of fewer files, or split the largest")
        for number, draft in enumerate(_find_drafts(document)):
            is_part = document.source != draft.base
            key = (draft.base if is_part else f"{document.id}\0{number}", draft.heading, draft.names)
            joined.setdefault(key, []).append(draft)
    made = [_build_table(parts) for parts in joined.values()]
    return _tell_labels_apart([table for table in made if len(table.rows) >= FEWEST_ROWS])


def _find_drafts(document: Document) -> Iterator[_Draft]:
    blocks = list(document.blocks_of(BlockKind.TABLE))
    for block in blocks:
        if block.header_rows and (draft := _read_block(document, block)):
            yield draft
    yield from _find_plain_tables(document, blocks)


_LINE = re.compile(r"[^\n]+")


def _read_block(document: Document, block: Block) -> _Draft | None:
    lines = [Span(*match.span()) for match in _LINE.finditer(document.text, *block.span)]
    return _read_lines(document, lines)


def _find_plain_tables(document: Document, blocks: Sequence[Block]) -> Iterator[_Draft]:
    """Tables that no block marks: rows in pipes or with tabs, lists of lists."""
    text = document.text
    finder = TableFinder(text, document.tree)
    position = 0
    while (match := re.compile(r"^.*(?:\|.*\||\t.*\t|\* - ).*$", re.MULTILINE).search(text, position)) is not None:
        position = match.end() + 1
        if any(block.span.start <= match.start() < block.span.end for block in blocks):
            continue
        table = finder.find_at(match.start())
        if table is None:
            continue
        position = max(position, table.span.end + 1)
        draft = _read_lines(document, [table.header, *table.rows])
        if draft is not None:
            yield draft


def _read_lines(document: Document, lines: Sequence[Span]) -> _Draft | None:
    text = document.text
    lines = [line for line in lines if line.of(text).strip(" \t|:-+=")]
    if len(lines) < 2:
        return None
    header, *below = [_trim(text, line) for line in lines]
    names = _name_columns(split_cells(header.of(text)))
    if not 2 <= len(names) <= MOST_COLUMNS or not _is_header(split_cells(header.of(text))):
        return None
    draft = _Draft(document, header, names, [], *_describe_place(document, header))
    # a document that is a part of a table is named ``file#first-last``
    draft.base = document.source.partition("#")[0]
    heads = split_cells(header.of(text))
    for line in below:
        cells = _split_quickly(line.of(text))
        if len(cells) > len(names):
            draft.left_out += 1
            continue
        cleaned = tuple(map(clean_cell, cells))
        # a header that is repeated inside a table is no row of it
        if any(cleaned) and cells != heads:
            draft.rows.append((line, (*cleaned, *("",) * (len(names) - len(cells)))))
    return draft


def _split_quickly(line: str) -> tuple[str, ...]:
    """As ``split_cells``, without a regular expression for rows as readers write them: there may be a million."""
    if "\t" in line or line.startswith(("|", "*")) or line.endswith("|"):
        return split_cells(line)
    return tuple([cell.strip() for cell in line.split(" | ")])


def _is_header(cells: Sequence[str]) -> bool:
    """Whether cells are names of columns, and no items of a list or sentences."""
    return not any(cell.startswith(("- ", "* ")) or len(cell) > LONGEST_NAME for cell in cells)


def _trim(text: str, line: Span) -> Span:
    words = line.of(text)
    return Span(line.end - len(words.lstrip()), line.start + len(words.rstrip()))


def _name_columns(cells: Sequence[str]) -> tuple[str, ...]:
    """The names, each once: a second ``Amount`` is ``Amount (2)``, one without a name is called by its place."""
    names: list[str] = []
    for place, cell in enumerate(cells, 1):
        name = cell.removeprefix(HIDDEN_MARK).strip().strip("*_`").strip()
        name = "" if name in {"–", "-"} else name
        name = name or f"column {place}"
        count = sum(each == name or (each.startswith(f"{name} (") and each.endswith(")")) for each in names)
        names.append(f"{name} ({count + 1})" if name in names else name)
    return tuple(names)


def _describe_place(document: Document, header: Span) -> tuple[str, str]:
    """The heading over a table, and all that is said over it in words."""
    section = document.place_of(header).section
    heading = section[-1] if section else ""
    above = document.text[max(0, header.start - 300) : header.start].rstrip().rpartition("\n\n")[2]
    lead = above if len(above) < 200 and "|" not in above and "\t" not in above else ""
    stem = PurePath(document.source.partition("#")[0]).stem
    return heading, " ".join(filter(None, (document.title, *section, lead, stem)))


def _build_table(parts: Sequence[_Draft]) -> Table:
    first = parts[0]
    rows: list[TableRow] = []
    totals: list[TableRow] = []
    for number, part in enumerate(parts):
        for span, cells in part.rows:
            (totals if _is_total(cells) else rows).append(TableRow(number, span, cells))
    sums = _find_unnamed_totals(rows)
    kept = tuple(rows[: len(rows) - len(sums)])
    return Table(
        label=_label(first),
        about=first.about,
        documents=tuple(part.document for part in parts),
        headers=tuple(part.header for part in parts),
        names=first.names,
        rows=kept,
        totals=(*totals, *sums),
        left_out=sum(part.left_out for part in parts),
    )


def _label(draft: _Draft) -> str:
    # what was uploaded has a name and no folder
    file = PurePath(draft.base.removeprefix("upload:")).name or draft.document.title
    heading = draft.heading.removeprefix("sheet ") if draft.heading else ""
    if not heading or fold_words(heading) in (fold_words(draft.document.title), fold_words(PurePath(file).stem)):
        return file
    return f"{file} ({'sheet ' if draft.heading.startswith('sheet ') else ''}{heading})"


def _is_total(cells: Sequence[str]) -> bool:
    """Whether the first cell that says anything is a word of a total, and little beside it: ``Total``, ``Sum of all``, ``Grand total``."""
    label = next((cell for cell in cells if cell), "")
    if not label[:8].lower().startswith(_TOTAL_STARTS):
        return False
    words = re.findall(r"[^\W\d_]+", label.lower())
    telling = [word for word in words if not is_stop_word(word, ENGLISH) and word != "grand"]
    if not words or len(words) > _TOTAL_LABEL_WORDS or not any(word in _TOTALS for word in words):
        return False
    filled = sum(bool(cell) for cell in cells)
    return words[0] in {"total", "totals", "sum", "grand", "subtotal", "sub", "overall"} and (
        (len(telling) <= 2 and filled < max(2, len(cells))) or len(telling) == 1
    )


def _find_unnamed_totals(rows: Sequence[TableRow]) -> list[TableRow]:
    """The last row where it has no label of its own and figures alone, as sums do."""
    if len(rows) < 4:
        return []
    last, before = rows[-1], rows[:-1]
    labelled = all(row.cells[0] for row in before)
    figures = [cell for cell in last.cells[1:] if cell]
    is_bare = labelled and not last.cells[0] and figures and all(re.search(r"\d", cell) for cell in figures)
    return [last] if is_bare else []


def _tell_labels_apart(tables: Sequence[Table]) -> list[Table]:
    """The tables, those of one label numbered."""
    labels = [table.label for table in tables]
    made: list[Table] = []
    for place, table in enumerate(tables):
        number = labels[: place + 1].count(table.label)
        is_alone = labels.count(table.label) == 1
        made.append(table if is_alone else replace(table, label=f"{table.label}, table {number}"))
    return made
