"""The format codes of a spreadsheet taken apart (ECMA-376 part 1, 18.8.31)."""

import re
from collections.abc import Sequence
from typing import NamedTuple

BUILT_IN = {
    1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 9: "0%", 10: "0.00%", 11: "0.00E+00", 12: "# ?/?", 13: "# ??/??",
    14: "yyyy-mm-dd", 15: "d-mmm-yy", 16: "d-mmm", 17: "mmm-yy", 18: "h:mm AM/PM", 19: "h:mm:ss AM/PM", 20: "h:mm",
    21: "h:mm:ss", 22: "yyyy-mm-dd h:mm", 37: "#,##0 ;(#,##0)", 38: "#,##0 ;[Red](#,##0)", 39: "#,##0.00;(#,##0.00)",
    40: "#,##0.00;[Red](#,##0.00)", 45: "mm:ss", 46: "[h]:mm:ss", 47: "mmss.0", 48: "##0.0E+0", 49: "@",
}  # fmt: skip
"""The codes that a file names by number alone; 14 and 22 look as the reader's system has them, here as ISO 8601 does."""


_TOKEN = re.compile(
    r'"(?P<quoted>[^"]*)"?|\\(?P<escaped>.)|_(?P<pad>.)|\*(?P<fill>.)|\[(?P<bracket>[^\]]{0,200})\]'
    r"|(?P<general>General)|(?P<half>AM/PM|A/P)|(?P<exponent>E[+-])|(?P<digit>[0#?])|(?P<mark>[.,%/@])"
    r"|(?P<date>y+|m+|d+|h+|s+|e+|g+|b+)|(?P<other>.)",
    re.IGNORECASE | re.DOTALL,
)
_CONDITION = re.compile(r"(<=|>=|<>|<|>|=)\s*(-?\d+(?:\.\d+)?)")
_ELAPSED = re.compile(r"h+|m+|s+", re.IGNORECASE)


class Token(NamedTuple):
    """A sign of a code or several that belong together: ``kind`` is digit, mark, date, elapsed, half, exponent, general or literal."""

    kind: str
    text: str


class Section(NamedTuple):
    """One of the up to four parts of a code that ``;`` divides."""

    tokens: tuple[Token, ...]
    condition: tuple[str, float] | None
    language: str | None


def split_sections(code: str) -> list[Section]:
    """The parts of a code that ``;`` divides, four at most."""
    parts: list[list[Token]] = [[]]
    for match in _TOKEN.finditer(code):
        kind = str(match.lastgroup)
        text = match[kind]
        if kind == "other" and text == ";":
            parts.append([])
        else:
            parts[-1].append(Token(kind, text))
    return [_read_section(tokens) for tokens in parts[:4]]


def _read_section(tokens: Sequence[Token]) -> Section:
    """What stands in brackets is a condition, a currency, a language, an elapsed time or a colour."""
    condition: tuple[str, float] | None = None
    language: str | None = None
    read: list[Token] = []
    for token in tokens:
        if token.kind in ("quoted", "escaped", "other"):
            read.append(Token("literal", token.text))
        elif token.kind == "pad":
            read.append(Token("literal", " "))
        elif token.kind != "bracket":
            read.append(token if token.kind != "date" else Token("date", token.text.lower()))
        elif match := _CONDITION.fullmatch(token.text.strip()):
            condition = (match[1], float(match[2]))
        elif token.text.startswith("$"):
            symbol, _, number = token.text[1:].partition("-")
            language = number or language
            read.append(Token("literal", symbol))
        elif _ELAPSED.fullmatch(token.text):
            read.append(Token("elapsed", token.text.lower()))
    return Section(tuple(token for token in read if token.kind != "fill"), condition, language)
