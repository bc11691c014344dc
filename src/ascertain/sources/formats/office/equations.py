"""Equations of Office files in one line (OMML, ECMA-376 part 1, 22.1): ``(a + b)/2``, ``x²``, ``√(x)``, ``∑_{i=1}^{n} i``.

Calls go as deep as elements lie in each other, which the parser of ``packages`` bounds.
"""

from typing import Any

from ascertain.sources.formats.draft import clean_line, lowered, raised
from ascertain.sources.formats.office.packages import attribute_of, local_name


def write_equation(element: Any) -> str:
    """The line of an ``oMath``."""
    return clean_line(_write_children(element))


def _write_children(element: Any) -> str:
    return "".join(map(_write_piece, element))


def _write_piece(element: Any) -> str:
    name = local_name(element)
    if name == "t":
        return str(element.text or "")
    if name.endswith("Pr"):
        return ""
    parts = {local_name(each): _write_children(each).strip() for each in element if len(each)}
    base = parts.get("e", "")
    if name == "f":
        return f"{_group(parts.get('num', ''))}/{_group(parts.get('den', ''))}"
    if name in ("sSub", "sSup", "sSubSup"):
        return _group(base) + lowered(parts.get("sub", "")) + raised(parts.get("sup", ""))
    if name == "rad":
        return f"{raised(parts.get('deg', ''))}√{_group(base)}"
    if name == "nary":
        limits = "".join(f"{mark}{{{parts[part]}}}" for mark, part in (("_", "sub"), ("^", "sup")) if parts.get(part))
        return f"{_sign(element, 'chr', '∫')}{limits} {base}"
    if name == "d":
        inside = ", ".join(_write_children(each).strip() for each in element if local_name(each) == "e")
        return _sign(element, "begChr", "(") + inside + _sign(element, "endChr", ")")
    if name == "m":
        rows = (", ".join(_write_children(cell).strip() for cell in row) for row in element if local_name(row) == "mr")
        return f"[{'; '.join(rows)}]"
    if name in ("limLow", "limUpp"):
        return f"{base}{'_' if name == 'limLow' else '^'}{{{parts.get('lim', '')}}} "
    if name == "func":
        return f"{parts.get('fName', '')} {base}"
    return _write_children(element)


def _group(text: str) -> str:
    return text if text.isalnum() or len(text) < 2 else f"({text})"


def _sign(element: Any, name: str, usual: str) -> str:
    properties = next((each for each in element if local_name(each).endswith("Pr")), ())
    found = next((each for each in properties if local_name(each) == name), None)
    return usual if found is None else attribute_of(found, "val") or ""
