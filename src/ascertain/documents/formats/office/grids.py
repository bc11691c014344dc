"""Tables of text documents with their spans filled: each cell that a merged one covers says what it says."""

from collections.abc import Sequence
from dataclasses import dataclass

from ascertain.core.documents.blocks import BlockKind
from ascertain.documents.formats.drafts.draft import Draft

MOST_COLUMNS = 200
"""Of a table of a text document; Word has 63 at most (by judgement)."""
_LONGEST_COPY = 300
"""Characters of a merged cell that are written again in the cells it covers; longer ones stand once."""


@dataclass(slots=True)
class GridCell:
    """A cell's words and how many columns it covers; ``goes_on`` says that it is covered by the one above it."""

    text: str
    columns: int = 1
    goes_on: bool = False


class Grid:
    """Rows of cells, filled as they are added."""

    def __init__(self) -> None:
        self.rows: list[list[str]] = []
        self._origins: list[list[int]] = []
        self._titles: list[bool] = []

    def add_row(self, cells: Sequence[GridCell]) -> None:
        """Add a row; what covers more columns than a table has is cut to ``MOST_COLUMNS``."""
        row: list[str] = []
        origins: list[int] = []
        above, above_origins = (self.rows[-1], self._origins[-1]) if self.rows else ([], [])
        number = len(self.rows)
        for cell in cells:
            copy = cell.text if len(cell.text) <= _LONGEST_COPY else ""
            for place in range(min(max(1, cell.columns), MOST_COLUMNS - len(row))):
                column = len(row)
                if cell.goes_on and column < len(above):
                    text = above[column] if len(above[column]) <= _LONGEST_COPY else ""
                    row.append(cell.text or text)
                    origins.append(above_origins[column])
                else:
                    row.append(copy if place else cell.text)
                    origins.append(number)
        self.rows.append(row)
        self._origins.append(origins)
        self._titles.append(len(cells) == 1 and cells[0].columns > 1)

    def add_to(self, draft: Draft, header_rows: int) -> None:
        """Put the table into a draft; lines over its whole width at its beginning are its caption."""
        first = 0
        while first < len(self.rows) - 1 and self._titles[first] and any(self.rows[first]):
            draft.add(self.rows[first][0], kind=BlockKind.CAPTION)
            first += 1
        rows = [row for row in self.rows[first:] if any(row)]
        header_rows = max(0, header_rows - first) if header_rows != 1 else 1
        if rows:
            draft.add_table(rows, self._widen_header(header_rows, first) if len(rows) > 1 else 0)

    def _widen_header(self, header_rows: int, first: int) -> int:
        """The rows of a header with those that its merged cells reach into."""
        if not header_rows:
            return 0
        end = first + header_rows
        while end < len(self.rows) - 1 and any(origin < end for origin in self._origins[end]):
            end += 1
        return end - first
