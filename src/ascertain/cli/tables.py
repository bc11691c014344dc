"""Tables without boxes: aligned columns in a terminal, tab-separated lines in a pipe."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from ascertain.cli.text import printable

if TYPE_CHECKING:
    from rich.console import Console


def print_table(
    console: Console, columns: Sequence[str], rows: Iterable[Sequence[str]], elastic: int | None = None
) -> None:
    """Print rows under a header; in a terminal only the ``elastic`` column is wrapped when the width is short."""
    if not console.is_terminal:
        for row in rows:
            # not console.print, which would expand the tabs
            console.file.write("\t".join(printable(cell) for cell in row) + "\n")
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for position, column in enumerate(columns):
        table.add_column(
            column, no_wrap=position != elastic, overflow="fold" if position == elastic else "ellipsis"
        )
    for row in rows:
        table.add_row(*(Text(printable(cell)) for cell in row))
    console.print(table)
