"""Formulas of Microsoft Office in one line (OMML, ECMA-376 part 1, 22.1); those of OpenDocument are MathML (``dom.formulas``).

    (a+b)/2    x²    √(x+1)    ∑_(i=1)^(n) aᵢ    [a, b; c, d]

Calls go as deep as elements lie in each other, which the parser of ``packages`` bounds.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ascertain.documents.formats.dom.formulas import grouped
from ascertain.documents.formats.drafts.draft import clean_line, lowered, raised
from ascertain.documents.formats.office.packages import child_of, child_value, local_name

_OVER = {"\u0302": "hat", "\u0303": "tilde", "\u0304": "bar", "\u0305": "bar", "\u0307": "dot", "\u0308": "ddot", "\u20d7": "vec"}  # fmt: skip


def _write_fraction(above: str, below: str) -> str:
    return f"{grouped(above)}/{grouped(below)}"


def _write_root(radicand: str, degree: str) -> str:
    return f"{raised(degree) if degree else ''}√{grouped(radicand)}"


def _write_limits(sign: str, below: str, above: str) -> str:
    """``∑_(i=1)^(n)``: what stands at a sign with limits."""
    return sign + (f"_({below})" if below else "") + (f"^({above})" if above else "")


def _write_matrix(rows: Iterable[Sequence[str]]) -> str:
    return "[" + "; ".join(", ".join(row) for row in rows) + "]"


def word_formula(element: Any) -> str:
    """The line of an ``oMath``; an ``oMathPara`` has one for each formula in it."""
    if local_name(element) == "oMathPara":
        return "\n".join(line for each in element if local_name(each) == "oMath" and (line := word_formula(each)))
    return clean_line(_word_children(element))


def _word_children(element: Any) -> str:
    return "" if element is None else "".join(map(_word_piece, element))


def _part(element: Any, name: str) -> str:
    return _word_children(child_of(element, name)).strip()


def _word_piece(element: Any) -> str:
    name = local_name(element)
    if name in ("t", "delText"):
        return str(element.text or "")
    if name in ("br", "tab"):
        return " "
    if name.endswith("Pr") or name in ("del", "moveFrom", "instrText"):
        return ""
    writer = _WORD.get(name)
    return writer(element) if writer else _word_children(element)


def _word_fraction(element: Any) -> str:
    if child_value(child_of(element, "fPr"), "type") == "noBar":
        return f"({_part(element, 'num')}; {_part(element, 'den')})"
    return _write_fraction(_part(element, "num"), _part(element, "den"))


def _word_scripts(element: Any) -> str:
    below, above = _part(element, "sub"), _part(element, "sup")
    scripts = (lowered(below) if below else "") + (raised(above) if above else "")
    base = grouped(_part(element, "e"))
    return scripts + base if local_name(element) == "sPre" else base + scripts


def _word_sum(element: Any) -> str:
    sign = child_value(child_of(element, "naryPr"), "chr")
    operand = _part(element, "e")
    return f"{_write_limits(sign or '∫', _part(element, 'sub'), _part(element, 'sup'))} {operand} "


def _word_delimiters(element: Any) -> str:
    properties = child_of(element, "dPr")
    opening, closing, between = (child_value(properties, name) for name in ("begChr", "endChr", "sepChr"))
    parts = [_word_children(each).strip() for each in element if local_name(each) == "e"]
    inside = (between or "|").join(parts)
    if opening != "" and _is_matrix(element):
        inside = inside.strip()[1:-1]
    return ("(" if opening is None else opening) + inside + (")" if closing is None else closing)


def _is_matrix(element: Any) -> bool:
    inner = child_of(element, "e")
    shown = [local_name(each) for each in (() if inner is None else inner) if not local_name(each).endswith("Pr")]
    return shown == ["m"]


def _word_accent(element: Any) -> str:
    sign = child_value(child_of(element, "accPr"), "chr") or "\u0302"
    base = _part(element, "e")
    return base + sign if len(base) == 1 else f"{_OVER.get(sign, sign)}({base})"


def _word_bar(element: Any) -> str:
    return f"bar({_part(element, 'e')})"


def _word_limit(element: Any) -> str:
    limit = _part(element, "lim")
    is_below = local_name(element) == "limLow"
    return _write_limits(_part(element, "e"), limit if is_below else "", "" if is_below else limit)


def _word_matrix(element: Any) -> str:
    rows = (each for each in element if local_name(each) == "mr")
    return _write_matrix([_word_children(cell).strip() for cell in row if local_name(cell) == "e"] for row in rows)


def _word_lines(element: Any) -> str:
    return "; ".join(_word_children(each).strip() for each in element if local_name(each) == "e")


_WORD: dict[str, Callable[[Any], str]] = {
    "f": _word_fraction,
    "sSub": _word_scripts,
    "sSup": _word_scripts,
    "sSubSup": _word_scripts,
    "sPre": _word_scripts,
    "rad": lambda element: _write_root(_part(element, "e"), _part(element, "deg")),
    "nary": _word_sum,
    "d": _word_delimiters,
    "func": lambda element: f"{_part(element, 'fName')} {_part(element, 'e')}",
    "acc": _word_accent,
    "bar": _word_bar,
    "limLow": _word_limit,
    "limUpp": _word_limit,
    "m": _word_matrix,
    "eqArr": _word_lines,
}
