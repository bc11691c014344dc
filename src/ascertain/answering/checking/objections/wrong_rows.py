"""A table cell that the claim assigns to another row."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ascertain.answering.checking.figures import Figure, find_figures, is_same_unit, is_same_value
from ascertain.answering.checking.objections.objection import Case, Objection
from ascertain.core.asking.answers import VerdictLabel
from ascertain.language.tokens import content_terms

_CELL = " | "
"""What separates the cells of a row in the text of a document, whatever its format."""
_FEWEST_CELLS = 2


@dataclass(frozen=True, slots=True)
class _Row:
    label: str
    terms: frozenset[str]
    figures: tuple[Figure, ...]


def find_wrong_row(case: Case) -> Objection | None:
    """A figure from a row of which the claim has no word, in a claim that has words of another row."""
    said = frozenset(content_terms(case.text, case.language))
    for rows in _list_tables(case):
        shared = rows[0].terms.intersection(*(row.terms for row in rows))
        own = max(rows, key=lambda row: len((row.terms - shared) & said))
        if not (own.terms - shared) & said:
            continue
        for figure in case.figures:
            holders = [row for row in rows if any(_is_same(figure, other) for other in row.figures)]
            if len(holders) == 1 and own not in holders and not (holders[0].terms - shared) & said:
                shown = figure.text.strip()
                return Objection(
                    VerdictLabel.CONTRADICTED, f"the table has {shown} for “{holders[0].label}”, not for “{own.label}”"
                )
    return None


def _list_tables(case: Case) -> Iterator[list[_Row]]:
    """Runs of lines with the same number of cells, each row with its first cell of words as the label; the first line names the columns."""
    for each in case.evidence:
        table: list[list[str]] = []
        for line in (*(each.passage or each.text).splitlines(), ""):
            cells = [cell.strip() for cell in line.strip().strip("|").split(_CELL)]
            if len(cells) >= _FEWEST_CELLS and (not table or len(cells) == len(table[0])):
                table.append(cells)
                continue
            if len(table) > _FEWEST_CELLS:
                yield [_read_row(row, case.language) for row in table[1:]]
            table = [cells] if len(cells) >= _FEWEST_CELLS else []


def _read_row(cells: list[str], language: str) -> _Row:
    figures = [find_figures(cell) for cell in cells]
    words = [cell for cell, found in zip(cells, figures, strict=True) if cell and not found] or cells[:1]
    return _Row(
        words[0],
        frozenset(content_terms(" ".join(words), language)),
        tuple(each for found in figures for each in found),
    )


def _is_same(figure: Figure, other: Figure) -> bool:
    return is_same_unit(figure, other) and is_same_value(figure, other)
