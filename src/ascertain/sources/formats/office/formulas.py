"""Formulas in one line: those of Word (OMML, ECMA-376 part 1, 22.1) and of OpenDocument (MathML 3).

    (a+b)/2    x²    √(x+1)    ∑_(i=1)^(n) aᵢ    [a, b; c, d]

Calls go as deep as elements lie in each other, which the parser of ``packages`` bounds.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ascertain.sources.formats.draft import clean_line, lowered, raised
from ascertain.sources.formats.office.docx.styles import child_of, child_value
from ascertain.sources.formats.office.packages import attribute_of, first_named, local_name

_OVER = {"\u0302": "hat", "\u0303": "tilde", "\u0304": "bar", "\u0305": "bar", "\u0307": "dot", "\u0308": "ddot", "\u20d7": "vec"}  # fmt: skip
_OPENING = "([{⟨|‖"


def _group(text: str) -> str:
    """``text`` in brackets where it is more than one sign or word."""
    text = text.strip()
    is_one = text.replace(".", "").replace(",", "").isalnum() or (text[:1] in _OPENING and _closes_last(text))
    return text if is_one or len(text) <= 1 else f"({text})"


def _closes_last(text: str) -> bool:
    """Whether the bracket that ``text`` begins with is closed by its last sign."""
    depth = 0
    for place, character in enumerate(text):
        depth += (character in "([{⟨") - (character in ")]}⟩")
        if depth == 0:
            return place == len(text) - 1 and place > 0
    return False


def _write_fraction(above: str, below: str) -> str:
    return f"{_group(above)}/{_group(below)}"


def _write_root(radicand: str, degree: str) -> str:
    return f"{raised(degree) if degree else ''}√{_group(radicand)}"


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
    base = _group(_part(element, "e"))
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


def mathml_formula(element: Any) -> str:
    """The line of a ``math`` element."""
    return clean_line(_math_piece(element))


def _math_children(element: Any) -> list[str]:
    return [_math_piece(each) for each in element if isinstance(each.tag, str)]


def _math_piece(element: Any) -> str:
    name = local_name(element)
    if name in ("annotation", "annotation-xml", "none", "mprescripts"):
        return ""
    if name == "mspace":
        return " "
    if name in ("mi", "mn", "mo", "mtext", "ms"):
        return clean_line("".join(map(str, element.itertext())))
    parts = _math_children(element)
    writer = _MATHML.get(name)
    return writer(element, [*parts, "", "", ""]) if writer else "".join(parts)


def _math_scripts(element: Any, parts: list[str]) -> str:
    name = local_name(element)
    base, first, second = parts[:3]
    below, above = {"msub": (first, ""), "msup": ("", first)}.get(name, (first, second))
    if base in ("∑", "∏", "∫", "lim", "⋃", "⋂"):
        return f"{_write_limits(base, below, above)} "
    return _group(base) + (lowered(below) if below else "") + (raised(above) if above else "")


def _math_over(element: Any, parts: list[str]) -> str:
    name = local_name(element)
    below, above = {"munder": (parts[1], ""), "mover": ("", parts[1])}.get(name, (parts[1], parts[2]))
    return f"{_write_limits(parts[0], below, above)} "


def _math_fenced(element: Any, parts: list[str]) -> str:
    opening, closing = attribute_of(element, "open") or "(", attribute_of(element, "close") or ")"
    return opening + ", ".join(each for each in parts if each) + closing


def _math_table(element: Any, parts: list[str]) -> str:
    return _write_matrix(_math_children(row) for row in element if local_name(row) in ("mtr", "mlabeledtr"))


_MATHML: dict[str, Callable[[Any, list[str]], str]] = {
    "mfrac": lambda element, parts: _write_fraction(parts[0], parts[1]),
    "msqrt": lambda element, parts: _write_root("".join(parts), ""),
    "mroot": lambda element, parts: _write_root(parts[0], parts[1]),
    "msub": _math_scripts,
    "msup": _math_scripts,
    "msubsup": _math_scripts,
    "munder": _math_over,
    "mover": _math_over,
    "munderover": _math_over,
    "mfenced": _math_fenced,
    "mtable": _math_table,
    # with its source in another notation beside it
    "semantics": lambda element, parts: parts[0],
}


def find_mathml(tree: Any) -> str:
    """The line of the first formula in a tree; empty where there is none."""
    found = first_named(tree, "math")
    return "" if found is None else mathml_formula(found)
