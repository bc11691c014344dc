"""What the cells of a workbook show: texts of runs, raised and struck, and values in the formats of their styles (ECMA-376 part 1, 18.4, 18.8)."""

import re
from collections.abc import Callable
from typing import Any

from ascertain.documents.formats.drafts.draft import lowered, raised, struck
from ascertain.documents.formats.office.packages import attribute_of, first_named, iter_named, local_name
from ascertain.documents.formats.office.sheets.format_codes import BUILT_IN
from ascertain.documents.formats.office.sheets.number_formats import parse_format


def string_of(element: Any) -> str:
    """The text of a cell that is written as runs, without how it is pronounced."""
    if len(element) == 1 and local_name(element[0]) == "t":
        return unescape(str(element[0].text or ""))
    pieces: list[str] = []
    for each in element:
        if local_name(each) == "t":
            pieces.append(str(each.text or ""))
        elif local_name(each) == "r":
            text = "".join(str(part.text or "") for part in each if local_name(part) == "t")
            properties = next((part for part in each if local_name(part) == "rPr"), ())
            pieces.append(_mark_run(text, {local_name(part): attribute_of(part, "val") for part in properties}))
    return unescape("".join(pieces))


def _mark_run(text: str, properties: dict[str, str | None]) -> str:
    """Raised, lowered and struck text as such."""
    position = properties.get("vertAlign")
    if position == "superscript":
        text = raised(text)
    elif position == "subscript":
        text = lowered(text)
    return struck(text) if "strike" in properties and properties["strike"] not in ("0", "false") else text


_ESCAPE = re.compile(r"_x([0-9A-Fa-f]{4})_")


def unescape(text: str) -> str:
    """``_x000D_`` stands for the character of that number (18.4.8, ST_Xstring)."""
    return _ESCAPE.sub(lambda match: chr(int(match[1], 16)), text) if "_x" in text else text


def read_formats(styles: Any, first_day: int) -> list[tuple[Callable[[float], str], Callable[[str], str]] | None]:
    """How the cells of each style show what is in them; None for as it is."""
    if styles is None:
        return []
    codes = dict(BUILT_IN)
    for each in iter_named(styles, "numFmt"):
        codes[number_of(each, "numFmtId")] = attribute_of(each, "formatCode") or "General"
    fonts = first_named(styles, "fonts")
    marks = [
        {local_name(part): attribute_of(part, "val") for part in each} for each in (() if fonts is None else fonts)
    ]
    struck_fonts = {number for number, mark in enumerate(marks) if mark.get("strike", "0") not in ("0", "false")}
    cells = first_named(styles, "cellXfs")
    formats: list[tuple[Callable[[float], str], Callable[[str], str]] | None] = []
    for each in () if cells is None else cells:
        code = codes.get(number_of(each, "numFmtId"), "General")
        shows = None if code in ("General", "@") else parse_format(code, first_day)
        if number_of(each, "fontId") in struck_fonts:
            shows = _struck_format(*(shows or parse_format("General")))
        formats.append(shows)
    return formats


def _struck_format(
    show_number: Callable[[float], str], show_text: Callable[[str], str]
) -> tuple[Callable[[float], str], Callable[[str], str]]:
    return lambda value: struck(show_number(value)), lambda text: struck(show_text(text))


def number_of(element: Any, name: str) -> int:
    """An attribute as a number; 0 where it is none."""
    text = attribute_of(element, name) or ""
    return int(text) if text.isdecimal() and len(text) < 8 else 0
