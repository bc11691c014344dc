"""Formulas of MathML in one line: ``1/(n + 1)``, ``x²``, ``√(2)``, ``∑_(i=1)^(n)`` (MathML Core, and Content left out)."""

from collections.abc import Callable, Sequence
from typing import Any

from ascertain.sources.formats.dom.elements import local_tag
from ascertain.sources.formats.draft import lowered, raised

_WRITTEN_ONCE = frozenset(
    ("annotation", "annotation-xml", "mphantom", "mprescripts", "none", "malignmark", "maligngroup")
)
"""What repeats the formula in another notation, or shows nothing."""
_OPERATORS = frozenset("=<>≤≥≠≈→⇒∈∝≡")
_INVISIBLE = "\u2061\u2062\u2063\u2064"
_LARGE = frozenset("∑∏∫⋃⋂⨁∐")


def formula_text(math: Any) -> str:
    """A ``math`` element as people write it in a line; that of ``annotation`` where it has no other form."""
    values: dict[Any, str] = {}
    waiting = [(math, False)]
    while waiting:
        element, is_over = waiting.pop()
        if is_over:
            parts = [values.pop(child) for child in element if child in values]
            values[element] = _write(local_tag(element), element, parts)
        elif isinstance(element.tag, str) and local_tag(element) not in _WRITTEN_ONCE:
            waiting.append((element, True))
            waiting += [(child, False) for child in reversed(element)]
    text = " ".join(values.get(math, "").split())
    if text:
        return text
    found = next((each for each in math.iter() if local_tag(each) == "annotation"), None)
    return " ".join("".join(math.itertext() if found is None else found.itertext()).split())


def _write(tag: str, element: Any, parts: Sequence[str]) -> str:
    writer = _WRITERS.get(tag)
    if writer is not None and parts:
        return writer(parts)
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


def _grouped(text: str) -> str:
    text = text.strip()
    is_single = text.isalnum() or (text.startswith("(") and text.endswith(")") and ")" not in text[:-1])
    return text if is_single else f"({text})"


def _at(parts: Sequence[str], number: int) -> str:
    return parts[number].strip() if number < len(parts) else ""


def _root(parts: Sequence[str]) -> str:
    return f"√({_join(parts).strip()})"


def _limits(parts: Sequence[str], below: int, above: int) -> str:
    """Small signs under and over a base; a line or an arrow over it stands behind it."""
    base = _at(parts, 0)
    low, high = _at(parts, below) if below else "", _at(parts, above) if above else ""
    if base in _LARGE or len(base) > 1:
        return base + (f"_({low})" if low else "") + (f"^({high})" if high else "") + (" " if base in _LARGE else "")
    return base + lowered(low) + raised(high)


_WRITERS: dict[str, Callable[[Sequence[str]], str]] = {
    "mfrac": lambda parts: f"{_grouped(_at(parts, 0))}/{_grouped(_at(parts, 1))}",
    "msqrt": _root,
    "mroot": lambda parts: f"{raised(_at(parts, 1))}√({_at(parts, 0)})",
    "msup": lambda parts: _limits(parts, 0, 1),
    "msub": lambda parts: _limits(parts, 1, 0),
    "msubsup": lambda parts: _limits(parts, 1, 2),
    "mover": lambda parts: _limits(parts, 0, 1),
    "munder": lambda parts: _limits(parts, 1, 0),
    "munderover": lambda parts: _limits(parts, 1, 2),
    "mmultiscripts": lambda parts: _limits(parts, 1, 2) + "".join(f" {part}" for part in parts[3:]),
    "mtable": lambda parts: "; ".join(part.strip() for part in parts if part.strip()),
    "mtr": lambda parts: ", ".join(part.strip() for part in parts),
    "mlabeledtr": lambda parts: ", ".join(part.strip() for part in parts),
    "mfenced": lambda parts: f"({', '.join(part.strip() for part in parts)})",
}
