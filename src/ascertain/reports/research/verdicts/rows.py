"""A claim against a row of a table: which row it speaks of, which column, and what stands in that cell."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ascertain.answering.checking.figures import find_figures
from ascertain.language.tokens import WORD, fold_words
from ascertain.language.word_lists import load_word_set, load_words
from ascertain.reports.research.verdicts.conflicts import Conflict
from ascertain.reports.research.verdicts.quantities import Outcome, Quantity, compare_quantity, read_quantities
from ascertain.reports.research.verdicts.wording import LIGHT_WEIGHT, Term, Wording, is_alike, read_wording

_ORDINALS = load_words("quantities", "ordinals")
_YES, _NO = load_word_set("verdicts", "yes"), load_word_set("verdicts", "no")
_QUARTER = re.compile(rf"\b(?P<which>{'|'.join(_ORDINALS[1:5])})\s+quarter\b", re.I)
_SPLIT = re.compile(r"[\W_]+")
NAMED = 0.6
"""Share of the words of a row's first cell by which a claim speaks of that row."""


@dataclass(frozen=True, slots=True)
class Row:
    """``names`` are the columns, "" where one has none; ``cells`` what stands under them."""

    names: tuple[str, ...]
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RowJudgement:
    """``named`` is the share of the row's own name that the claim has, ``column`` the place of the cell that it speaks of, if any;
    ``outcome`` how the cell stands to the claim.
    """

    named: float
    column: int | None
    outcome: Outcome
    conflict: Conflict | None = None


def judge_row(claim: Wording, row: Row, context: str) -> RowJudgement:
    """How the cell of ``row`` that ``claim`` speaks of stands to it; ``context`` is what stands over the table, with its scale."""
    key = next((i for i, cell in enumerate(row.cells) if _list_words(cell) and not _is_value(cell)), None)
    if key is None:
        return RowJudgement(0.0, None, Outcome.MISSING)
    named = max(_share_named(claim, cell) for i, cell in enumerate(row.cells) if i == key or _is_code(cell))
    if named < NAMED:
        return RowJudgement(named, None, Outcome.MISSING)
    column, outcome, conflict = _judge_value(claim, row, key, context)
    return RowJudgement(named, column, outcome, conflict)


def _judge_value(claim: Wording, row: Row, key: int, context: str) -> tuple[int | None, Outcome, Conflict | None]:
    quantities = read_quantities(claim)
    own = {term.stem for term in read_wording(row.cells[key]).terms}
    wanted = [each for each in quantities if not _stands_in(each, row.cells[key])]
    if wanted:
        return _judge_figure(claim, row, key, _drop_scale(wanted[-1], context))
    return _judge_answer(claim, row, key, own)


def _judge_figure(claim: Wording, row: Row, key: int, claimed: Quantity) -> tuple[int | None, Outcome, Conflict | None]:
    cells = {
        i: read_quantities(read_wording(_join_unit(row.names[i], cell)))
        for i, cell in enumerate(row.cells)
        if i != key and _is_value(cell)
    }
    cells = {i: found for i, found in cells.items() if len(found) == 1}
    compared = {i: compare_quantity(claimed, found[0]) for i, found in cells.items()}
    fitting = {i: outcome for i, outcome in compared.items() if outcome is not None}
    if not fitting:
        return None, Outcome.MISSING, None
    scores = {i: _score_column(claim, row.names[i], cells[i][0], claimed) for i in fitting}
    most = max(scores.values())
    best = [i for i, score in scores.items() if score >= most - 1e-9]
    if len(best) > 1:
        return None, Outcome.MISSING, None
    (column,) = best
    if most <= 0 and len(fitting) > 1:
        return None, Outcome.MISSING, None
    outcome = fitting[column]
    conflict = None
    if outcome is Outcome.AT_ODDS:
        conflict = Conflict("cell", f"the table says {_name_cell(row, column)}, not {claimed.shown}")
    return column, outcome, conflict


def _drop_scale(claimed: Quantity, context: str) -> Quantity:
    """``31 thousand euros`` as 31 where the table is in thousands."""
    figure = claimed.figure
    if not figure.scale or not re.search(rf"\b{re.escape(figure.scale)}s?\b", context, re.I) or not figure.number:
        return claimed
    factor = figure.written / figure.number
    plain = replace(figure, value=figure.written, number=figure.written, step=figure.step * factor, unit="", scale="")
    return replace(claimed, figure=plain, low=claimed.low * factor, high=claimed.high * factor)


def _judge_answer(claim: Wording, row: Row, key: int, own: set[str]) -> tuple[int | None, Outcome, Conflict | None]:
    """A cell of yes or no, under a column that the claim names."""
    for i, cell in enumerate(row.cells):
        answer = fold_words(cell).strip()
        if i == key or answer not in _YES | _NO:
            continue
        terms = [
            t
            for t in claim.terms
            if t.stem not in own and any(is_alike(t.word.folded, n) for n in _list_words(row.names[i]))
        ]
        if terms:
            is_affirmed = not any(term.word.is_denied for term in terms)
            if is_affirmed == (answer in _YES):
                return i, Outcome.HELD, None
            return i, Outcome.AT_ODDS, Conflict("cell", f"the table says {_name_cell(row, i)}")
    return None, Outcome.MISSING, None


def _score_column(claim: Wording, name: str, held: Quantity, claimed: Quantity) -> float:
    """How much of a column's name the claim has, and whether its unit is that of the figure."""
    words = _list_words(name)
    spoken = {fold_words(match.group()) for match in WORD.finditer(claim.text)}
    spoken |= {f"q{_ORDINALS.index(match['which'].lower())}" for match in _QUARTER.finditer(claim.text)}
    score = sum(1.0 for word in words if word in spoken)
    score += sum(
        0.9 for word in words if word not in spoken and any(is_alike(t.word.folded, word) for t in claim.terms)
    )
    score /= max(len(words), 1)
    if claimed.figure.unit and claimed.figure.unit == held.figure.unit:
        score += 0.5
    return score


def _join_unit(name: str, cell: str) -> str:
    """The cell with the unit that its column names."""
    if find_figures(cell) and find_figures(cell)[0].unit:
        return cell
    if "%" in name or re.search(r"\bper ?cent\b", name, re.I):
        return f"{cell} %"
    for code, unit in _UNITS:
        if re.search(code, name, re.I):
            return f"{cell} {unit}"
    return cell


_UNITS = (
    (r"\beur\b|euros?\b|€", "euros"),
    (r"\busd\b|dollars?\b|\$", "dollars"),
    (r"\bgbp\b|£", "GBP"),
    (r"\bhours?\b", "hours"),
    (r"\bminutes?\b", "minutes"),
    (r"\bdays?\b", "days"),
)


def _name_cell(row: Row, column: int) -> str:
    name = row.names[column] or "the cell"
    return f"{name}: {row.cells[column]}"


def _share_named(claim: Wording, cell: str) -> float:
    """Share of the words of a cell that the claim has; of a name with points or underscores its last part alone will do."""
    words = _list_words(cell)
    if not words:
        return 0.0
    spoken = {fold_words(match.group()) for match in WORD.finditer(claim.text)}
    if "," in cell:
        return max(_share_named(claim, part) for part in cell.split(","))
    have = [word for word in words if word in spoken or any(is_alike(word, other) for other in spoken)]
    if _is_code(cell) and words[-1] in spoken:
        return 1.0
    return len(have) / len(words)


def _is_code(cell: str) -> bool:
    return (
        bool(cell) and " " not in cell and bool(re.search(r"[._:]\w|\d", cell)) and bool(re.search(r"[A-Za-z]", cell))
    )


def _is_value(cell: str) -> bool:
    """Whether a cell holds a figure rather than a name."""
    return bool(re.match(r"\W*\d", cell))


def _stands_in(quantity: Quantity, cell: str) -> bool:
    return any(figure.value == quantity.figure.value for figure in find_figures(cell))


def _list_words(text: str) -> list[str]:
    return [fold_words(part) for part in _SPLIT.split(text) if len(part) > 1 and part.lower() not in _SMALL]


_SMALL = frozenset("the of in a an per and or to for with by on at".split())


def list_left_terms(claim: Wording, row: Row) -> list[Term]:
    """Terms of the claim that neither a cell nor a column has."""
    words = [word for text in (*row.names, *row.cells) for word in _list_words(text)]
    return [t for t in claim.terms if t.weight > LIGHT_WEIGHT and not any(is_alike(t.word.folded, w) for w in words)]


def read_row(names: Sequence[str], cells: Sequence[str]) -> Row | None:
    """A row whose cells are those of its header; None for any other."""
    return Row(tuple(names), tuple(cells)) if len(names) == len(cells) > 1 else None
