"""Formulas of MathML in one line: ``1/(n + 1)``, ``x²``, ``√(2)``, ``∑_(i=1)^(n)`` (MathML Core, and Content left out)."""

from collections.abc import Callable, Sequence
from typing import Any

from ascertain.documents.formats.drafts.draft import lowered, raised

_WRITTEN_ONCE = frozenset(
    ("annotation", "annotation-xml", "mphantom", "mprescripts", "none", "malignmark", "maligngroup")
)
"""What repeats the formula in another notation, or shows nothing."""
_OPERATORS = frozenset("=<>≤≥≠≈→⇒∈∝≡")
_INVISIBLE = "\u2061\u2062\u2063\u2064"
_LARGE = frozenset("∑∏∫⋃⋂⨁∐")
_OPENING = "([{⟨|‖"


def _tag_of(element: Any) -> str:
    """The name of an element without its prefix or namespace; empty for a comment."""
    tag = element.tag
    return tag.rpartition("}")[2].rpartition(":")[2] if isinstance(tag, str) else ""


def formula_text(math: Any) -> str:
    """A ``math`` element as people write it in a line; that of ``annotation`` where it has no other form."""
    values: dict[Any, str] = {}
    waiting = [(math, False)]
    while waiting:
        element, is_over = waiting.pop()
        if is_over:
            parts = [values.pop(child) for child in element if child in values]
            values[element] = _write(_tag_of(element), element, parts)
        elif isinstance(element.tag, str) and _tag_of(element) not in _WRITTEN_ONCE:
            waiting.append((element, True))
            waiting += [(child, False) for child in reversed(element)]
    text = " ".join(values.get(math, "").split())
    if text:
        return text
    found = next((each for each in math.iter() if _tag_of(each) == "annotation"), None)
    return " ".join("".join(math.itertext() if found is None else found.itertext()).split())


def _write(tag: str, element: Any, parts: Sequence[str]) -> str:
    writer = _WRITERS.get(tag)
    if writer is not None and parts:
        return writer(parts)
    if tag == "mfenced":
        return _write_fence(element, parts)
    own = " ".join((element.text or "").split()).strip(_INVISIBLE)
    if tag == "mo":
        return f" {own} " if own in _OPERATORS else own
    if tag == "mtext":
        return element.text or ""
    if tag == "mspace":
        return " "
    return own + _join(parts) + "".join(child.tail.strip() for child in element if child.tail)


def _join(parts: Sequence[str]) -> str:
    """Side by side; two names or numbers do not become one."""
    text = ""
    for part in parts:
        if (
            text
            and part
            and text[-1].isalnum()
            and part[0].isalnum()
            and (len(part) > 1 or text[-1].isdigit() == part[0].isdigit())
        ):
            text += " "
        text += part
    return text


def grouped(text: str) -> str:
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


def _at(parts: Sequence[str], number: int) -> str:
    return parts[number].strip() if number < len(parts) else ""


def _write_root(radicand: str, degree: str = "") -> str:
    return f"{raised(degree)}√{grouped(radicand)}"


def _write_limits(parts: Sequence[str], below: int, above: int) -> str:
    """What stands under and over a sign or a word; a line or an arrow over a letter stands behind it."""
    base = _at(parts, 0)
    if base not in _LARGE and len(base) < 2:
        return _write_scripts(parts, below, above)
    low, high = _at(parts, below) if below else "", _at(parts, above) if above else ""
    return base + (f"_({low})" if low else "") + (f"^({high})" if high else "") + " "


def _write_scripts(parts: Sequence[str], below: int, above: int) -> str:
    base = _at(parts, 0)
    if base in _LARGE or base == "lim":
        return _write_limits(parts, below, above)
    return grouped(base) + lowered(_at(parts, below) if below else "") + raised(_at(parts, above) if above else "")


def _write_fence(element: Any, parts: Sequence[str]) -> str:
    opening, closing = (element.get(name) for name in ("open", "close"))
    inside = ", ".join(part.strip() for part in parts)
    return ("(" if opening is None else opening) + inside + (")" if closing is None else closing)


_WRITERS: dict[str, Callable[[Sequence[str]], str]] = {
    "mfrac": lambda parts: f"{grouped(_at(parts, 0))}/{grouped(_at(parts, 1))}",
    "msqrt": lambda parts: _write_root(_join(parts)),
    "mroot": lambda parts: _write_root(_at(parts, 0), _at(parts, 1)),
    "msup": lambda parts: _write_scripts(parts, 0, 1),
    "msub": lambda parts: _write_scripts(parts, 1, 0),
    "msubsup": lambda parts: _write_scripts(parts, 1, 2),
    "mover": lambda parts: _write_limits(parts, 0, 1),
    "munder": lambda parts: _write_limits(parts, 1, 0),
    "munderover": lambda parts: _write_limits(parts, 1, 2),
    "mmultiscripts": lambda parts: _write_scripts(parts, 1, 2) + "".join(f" {part}" for part in parts[3:]),
    "mtable": lambda parts: "; ".join(part.strip() for part in parts if part.strip()),
    "mtr": lambda parts: ", ".join(part.strip() for part in parts),
    "mlabeledtr": lambda parts: ", ".join(part.strip() for part in parts),
}
