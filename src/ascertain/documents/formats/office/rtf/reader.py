"""RTF as Word shows it: headings, lists, tables, notes and comments; what the file says of itself from its info group.

No kept library reads it so: striprtf gives one string, deleted and hidden text in it and notes lost; the others decode RTF in mail only.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby

from ascertain.core.documents.blocks import BlockKind
from ascertain.documents.formats.drafts.draft import Draft, clean_line, short_line
from ascertain.documents.formats.drafts.losses import Losses
from ascertain.documents.formats.drafts.metadata import parse_date
from ascertain.documents.formats.office.grids import MOST_COLUMNS, Grid, GridCell
from ascertain.documents.formats.office.rtf.parser import MOST_GROUPS, RtfParser
from ascertain.documents.formats.office.rtf.parts import Note, RtfParagraph, RtfRow, RtfStyle, Story
from ascertain.documents.formats.office.stories import Paragraph, StoryWriter, write_pieces
from ascertain.documents.formats.reader import Extracted, SourceFile

_EDGE = 15
"""Twentieths of a point by which edges of cells differ that are the same to the eye."""
_MOST_STORIES = 50
"""Notes in notes; deeper ones are left out by name."""


def read_rtf(file: SourceFile) -> Iterator[Extracted]:
    """The text of an RTF file. Raises SourceError for what is none, or has groups too deep in each other."""
    data = file.data()
    if not data.lstrip().startswith(b"{\\rtf"):
        raise file.error("not an RTF file; give it the suffix of what it is")
    losses = Losses()
    parser = RtfParser(losses)
    try:
        parser.parse(data)
    except ValueError as error:
        raise file.error(f"groups lie more than {MOST_GROUPS:,} deep in each other; save it again") from error
    draft = Draft()
    body = _StoryReader(draft, parser.styles, losses)
    body.read(parser.body)
    _add_furniture(parser, draft, losses)
    text, blocks = draft.finish()
    yield Extracted(
        text,
        title=body.title or short_line(parser.facts.get("title")),
        author=short_line(parser.facts.get("author")),
        published_at=parse_date(_read_date(parser.dates)),
        tags=tuple(tag for name in parser.facts.get("keywords", "").split(",") if (tag := short_line(name, 60))),
        blocks=blocks,
        left_out=losses.left_out(),
        notes=("the file ends in the middle; it may be cut off",) if parser.is_cut_off else (),
    )


def _read_date(dates: dict[str, dict[str, int]]) -> str:
    found = dates.get("revtim") or dates.get("creatim") or {}
    return f"{found.get('yr', 0):04d}-{found.get('mo', 0):02d}-{found.get('dy', 0):02d}" if found else ""


def _add_furniture(parser: RtfParser, draft: Draft, losses: Losses) -> None:
    draft.leave_sections()
    seen: set[str] = set()
    for story in parser.furniture:
        lines = Draft()
        _StoryReader(lines, parser.styles, losses).read(story)
        for line in map(clean_line, lines.finish()[0].split("\n")):
            if line and line not in seen:
                seen.add(line)
                draft.add(line, kind=BlockKind.FURNITURE)


class _StoryReader:
    """Puts a story into a draft."""

    def __init__(self, draft: Draft, styles: dict[int, RtfStyle], losses: Losses, depth: int = 0) -> None:
        self._draft = draft
        self._styles = styles
        self._losses = losses
        self._depth = depth
        self._writer = StoryWriter(draft)

    @property
    def title(self) -> str | None:
        """The first paragraph that is styled as the document's title."""
        return self._writer.title

    def read(self, story: Story) -> None:
        """Add a whole story, with its notes at the end."""
        for is_row, entries in groupby(story.entries, key=lambda entry: isinstance(entry, RtfRow)):
            if is_row:
                for rows in _split_tables([entry for entry in entries if isinstance(entry, RtfRow)]):
                    self._add_table(rows)
            else:
                for entry in entries:
                    if isinstance(entry, RtfParagraph):
                        self._add_paragraph(entry)
        self._writer.finish()

    def _add_paragraph(self, paragraph: RtfParagraph) -> None:
        self._writer.add(paragraph.read(self._styles))
        self._add_hanging(paragraph)

    def _add_hanging(self, paragraph: RtfParagraph) -> None:
        """What is hidden in a paragraph, and what hangs on it."""
        self._writer.add_hidden(write_pieces(paragraph.pieces, hidden=True))
        self._writer.add_fields(paragraph.fields)
        for note in paragraph.notes:
            self._add_note(note)

    def _add_note(self, note: Note) -> None:
        if self._depth >= _MOST_STORIES:
            self._losses.add("notes in notes")
            return
        inner = _StoryReader(self._draft, self._styles, self._losses, self._depth + 1)
        if note.kind == "comment":
            with self._writer.comment(short_line(note.author, 100)):
                inner.read(note.story)
        elif note.kind == "box":
            self._writer.end_blocks()
            inner.read(note.story)
        else:
            self._writer.wait_note(note.mark, lambda: inner.read(note.story))

    def _add_table(self, rows: Sequence[RtfRow]) -> None:
        self._writer.end_blocks()
        paragraphs = [each for row in rows for cell in row.cells for each in cell.paragraphs]
        if all(len(row.cells) == 1 for row in rows):
            for each in paragraphs:
                self._add_paragraph(each)
            self._writer.end_blocks()
            return
        grid = Grid()
        edges = _list_edges(rows)
        for row in rows:
            grid.add_row(self._read_row(row, edges))
        header_rows = next((number for number, row in enumerate(rows) if not row.is_header), len(rows))
        grid.add_to(self._draft, header_rows)
        for each in paragraphs:
            self._add_hanging(each)

    def _read_row(self, row: RtfRow, edges: Sequence[int]) -> list[GridCell]:
        cells: list[GridCell] = []
        left = 0
        for cell in row.cells:
            text = " / ".join(line for each in cell.paragraphs for line in _cell_lines(each.read(self._styles)))
            if cell.joins_left and cells:
                cells[-1].columns += 1
                cells[-1].text = f"{cells[-1].text} {text}".strip()
                continue
            columns = sum(left < edge <= cell.right for edge in edges) if cell.right else 1
            left = max(left, cell.right)
            cells.append(GridCell(text, max(1, columns), goes_on=cell.joins_above))
        return cells


def _cell_lines(paragraph: Paragraph) -> list[str]:
    marker = f"{paragraph.marker} " if paragraph.marker else ""
    return (
        [line for each in (marker + paragraph.text).split("\n") if (line := clean_line(each))] if paragraph.text else []
    )


def _split_tables(rows: Sequence[RtfRow]) -> Iterator[list[RtfRow]]:
    """Rows that follow each other as tables: one begins where no line between cells goes on from those above."""
    table: list[RtfRow] = []
    lines: set[int] = set()
    for row in rows:
        own = {cell.right // _EDGE for cell in row.cells[:-1] if cell.right}
        near = {edge + step for edge in own for step in (-1, 0, 1)}
        if table and own and lines and not near & lines:
            yield table
            table, lines = [], set()
        table.append(row)
        lines |= own
    if table:
        yield table


def _list_edges(rows: Sequence[RtfRow]) -> list[int]:
    """The right edges of the columns; rows whose cells reach over several of them have merged cells."""
    edges: list[int] = []
    for edge in sorted({cell.right for row in rows for cell in row.cells if cell.right}):
        if not edges or edge - edges[-1] > _EDGE:
            edges.append(edge)
    widest = max(len(row.cells) for row in rows)
    # edges that no row needs all of come from columns that were drawn by hand
    return edges if len(edges) <= min(MOST_COLUMNS, 2 * widest) else []
