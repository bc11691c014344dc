"""Builds a story of RTF out of its paragraph marks and cell marks."""

from dataclasses import dataclass, field, replace

from ascertain.documents.formats.office.rtf.parts import Format, RtfCell, RtfParagraph, RtfRow, Story
from ascertain.documents.formats.office.stories import Look, write_pieces

_MOST_DEPTH = 20
"""Of tables in each other; deeper ones count as that deep."""
_MOST = 1_000_000
_PROPERTIES = {
    "itap": ("depth", _MOST_DEPTH),
    "s": ("style", _MOST),
    "outlinelevel": ("outline_level", _MOST),
    "li": ("indent", _MOST),
    "lin": ("indent", _MOST),
    "fi": ("first_indent", _MOST),
    "ls": ("list_id", _MOST),
    "ilvl": ("list_level", 8),
}
"""The field of a format that a word sets, and the most that it may be."""


@dataclass(slots=True)
class _Nested:
    """A table in a cell: the paragraphs of its open cell, and the cells of its open row."""

    paragraphs: list[RtfParagraph] = field(default_factory=list[RtfParagraph])
    cells: list[str] = field(default_factory=list[str])


class StoryBuilder:
    """Takes characters and marks in order; ``paragraph`` is the one that is open."""

    def __init__(self, story: Story) -> None:
        self.paragraph = RtfParagraph()
        self._story = story
        self._cells: list[RtfCell] = []
        self._definition: list[RtfCell] = []
        self._next_cell = RtfCell()
        self._is_header = False
        self._is_in_row = False
        self._cell: list[RtfParagraph] = []
        self._nested: dict[int, _Nested] = {}

    def add(self, text: str, look: Look, form: Format) -> None:
        """Add characters to the open paragraph."""
        self.paragraph.format = form
        self.paragraph.pieces.append((text, look))

    def read_word(self, word: str, number: int | None, form: Format) -> bool:
        """Whether ``word`` is one of paragraphs and tables; then it is done."""
        if word in _PROPERTIES:
            name, most = _PROPERTIES[word]
            setattr(form, name, min(number or 0, most))
        elif word == "pard":
            form.reset_paragraph()
        elif word == "intbl":
            form.in_table = True
        elif word in ("par", "sect"):
            self.end_paragraph(form)
        elif word == "cell":
            self._end_cell(form)
        elif word == "row":
            self._end_row()
        elif word == "nestcell":
            self._end_nested_cell(form)
        elif word == "nestrow":
            self._end_nested_row(form)
        else:
            return self._define_row(word, number or 0)
        return True

    def _define_row(self, word: str, value: int) -> bool:
        """Whether ``word`` says how the cells of a row lie."""
        if word == "trowd":
            self._definition, self._next_cell, self._is_header, self._is_in_row = [], RtfCell(), False, True
        elif word == "trhdr":
            self._is_header = True
        elif word == "cellx":
            self._next_cell.right = value
            self._definition.append(self._next_cell)
            self._next_cell = RtfCell()
        elif word in ("clmrg", "clvmrg"):
            self._next_cell.joins_left |= word == "clmrg"
            self._next_cell.joins_above |= word == "clvmrg"
        else:
            return False
        return True

    def end_paragraph(self, form: Format | None = None) -> None:
        """End the open paragraph."""
        paragraph = self._take_paragraph(form)
        if paragraph is None:
            return
        if paragraph.format.depth > 1 and self._is_in_table(paragraph):
            self._nested.setdefault(paragraph.format.depth, _Nested()).paragraphs.append(paragraph)
        elif self._is_in_table(paragraph):
            self._cell.append(paragraph)
        else:
            self._end_open_row()
            self._story.entries.append(paragraph)

    def finish(self) -> None:
        """End what is open."""
        self.end_paragraph()
        self._end_open_row()

    def _is_in_table(self, paragraph: RtfParagraph) -> bool:
        return self._is_in_row or paragraph.format.in_table

    def _take_paragraph(self, form: Format | None) -> RtfParagraph | None:
        paragraph, self.paragraph = self.paragraph, RtfParagraph()
        # the properties of a paragraph are those that hold at its end
        paragraph.format = (form or paragraph.format).copy()
        return None if paragraph.is_empty else paragraph

    def _end_cell(self, form: Format) -> None:
        paragraph = self._take_paragraph(form)
        self._end_nested_tables()
        self._cells.append(RtfCell([*self._cell, *([] if paragraph is None else [paragraph])]))
        self._cell = []

    def _end_row(self) -> None:
        if self._cell or not self.paragraph.is_empty:
            self._end_cell(self.paragraph.format)
        cells: list[RtfCell] = []
        for number, cell in enumerate(self._cells):
            is_defined = number < len(self._definition)
            if self._definition and not is_defined and not cell.paragraphs:
                continue
            shape = self._definition[number] if is_defined else RtfCell()
            cells.append(replace(shape, paragraphs=cell.paragraphs))
        if cells:
            self._story.entries.append(RtfRow(cells, self._is_header))
        self._cells, self._is_in_row = [], False

    def _end_open_row(self) -> None:
        """A row without its end, as damaged files have it: what is in it stands."""
        if self._cells or self._cell:
            self._end_row()

    def _end_nested_cell(self, form: Format) -> None:
        depth = max(2, form.depth)
        table = self._nested.setdefault(depth, _Nested())
        paragraph = self._take_paragraph(form)
        if paragraph is not None:
            table.paragraphs.append(paragraph)
        table.cells.append(" / ".join(text for each in table.paragraphs if (text := write_pieces(each.pieces))))
        self._carry_notes(table, depth)

    def _carry_notes(self, table: _Nested, depth: int) -> None:
        """What hangs on the paragraphs of a nested cell, and is hidden in it, goes to the cell around."""
        for each in table.paragraphs:
            hidden = [piece for piece in each.pieces if piece[1].hidden]
            if each.notes or each.fields or hidden:
                self._paragraphs_at(depth - 1).append(RtfParagraph(hidden, notes=each.notes, fields=each.fields))
        table.paragraphs = []

    def _paragraphs_at(self, depth: int) -> list[RtfParagraph]:
        return self._cell if depth <= 1 else self._nested.setdefault(depth, _Nested()).paragraphs

    def _end_nested_row(self, form: Format) -> None:
        depth = max(2, form.depth)
        table = self._nested.setdefault(depth, _Nested())
        line = "; ".join(cell for cell in table.cells if cell)
        table.cells = []
        if line:
            self._paragraphs_at(depth - 1).append(RtfParagraph([(line, Look())]))

    def _end_nested_tables(self) -> None:
        """Nested rows without their end."""
        for depth in sorted(self._nested, reverse=True):
            table = self._nested.pop(depth)
            rest = [*table.cells, *(text for each in table.paragraphs if (text := write_pieces(each.pieces)))]
            if line := "; ".join(cell for cell in rest if cell):
                self._paragraphs_at(depth - 1).append(RtfParagraph([(line, Look())]))
