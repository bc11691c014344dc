"""Numbers as a spreadsheet shows them: the format codes of Excel (ECMA-376 part 1, 18.8.31).

``#,##0.00 "EUR"`` shows 1234.5 as ``1,234.50 EUR``, ``[h]:mm`` shows 1.5 as ``36:00``. Separators are those of English, as a file has
none of its own. What only pads a column (``_)``, ``*-``, ``?``) becomes a space or nothing.
"""

import re
from collections.abc import Callable, Sequence
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from functools import lru_cache

from ascertain.documents.formats.office.sheets.date_formats import show_date
from ascertain.documents.formats.office.sheets.format_codes import Section, Token, split_sections

Show = Callable[[float], str]
_LONGEST_CODE = 255
"""Characters of a code that Excel takes."""
_MOST_DIGITS = 15
"""Significant digits of a number that Excel holds."""


@lru_cache(maxsize=2048)
def parse_format(code: str, first_day: int = 0) -> tuple[Show, Callable[[str], str]]:
    """How a code shows numbers, and texts. A code that is none shows both as they are.

    Dates are days from 1900, with ``first_day`` added to them, which is not 0 in workbooks that count from 1904.
    """
    if len(code) > _LONGEST_CODE or code.strip().lower() in ("", "general", "@"):
        return show_general, str
    sections = split_sections(code)
    textual = [section for section in sections if any(token == ("mark", "@") for token in section.tokens)]
    numeric = [section for section in sections[:3] if section not in textual] or [Section((), None, None)]
    shows = [_build_show(section, first_day) for section in numeric]

    # dates and prices come again and again
    @lru_cache(maxsize=4096)
    def show_number(value: float) -> str:
        number, is_signed = _choose_section(value, numeric)
        try:
            shown = shows[number](value if is_signed else abs(value))
        except (ArithmeticError, ValueError):
            shown = show_general(value)
        return " ".join(shown.split())

    last = textual[-1] if textual else sections[3] if len(sections) > 3 else None
    return show_number, (lambda text: _show_text(last, text)) if last else str


def show_general(value: float) -> str:
    """A number without a format: all its digits, with an exponent only where there would be very many zeros."""
    if value == int(value) and abs(value) < 1e15:
        return str(int(value))
    shown = f"{value:.{_MOST_DIGITS}g}"
    if "e" not in shown:
        return shown
    if 1e-15 <= abs(value) < 1e21:
        return format(Decimal(shown), "f")
    digits, _, exponent = shown.partition("e")
    return f"{digits}E{int(exponent):+03d}"


def _choose_section(value: float, sections: Sequence[Section]) -> tuple[int, bool]:
    """Which section shows a number, and whether it writes the sign itself: one for negative numbers alone says so in its own way."""
    if any(section.condition for section in sections):
        for number, section in enumerate(sections):
            if section.condition is None or _holds(value, section.condition):
                return number, True
        return len(sections) - 1, True
    if value < 0 and len(sections) > 1:
        return 1, False
    return (2 if value == 0 and len(sections) > 2 else 0), True


def _holds(value: float, condition: tuple[str, float]) -> bool:
    sign, bound = condition
    is_equal, is_less = value == bound, value < bound
    return {
        "<": is_less, "<=": is_less or is_equal, "=": is_equal, "<>": not is_equal, ">": not is_less and not is_equal,
        ">=": not is_less,
    }[sign]  # fmt: skip


def _show_text(section: Section, text: str) -> str:
    shown = "".join(
        text if token == ("mark", "@") else token.text
        for token in section.tokens
        if token.kind == "literal" or token == ("mark", "@")
    )
    return shown.strip()


def _build_show(section: Section, first_day: int) -> Show:
    kinds = {token.kind for token in section.tokens}
    if kinds & {"date", "elapsed", "half"}:
        return lambda value: show_general(value) if (shown := show_date(section, value, first_day)) is None else shown
    if "general" in kinds:
        return lambda value: "".join(
            show_general(value) if token.kind == "general" else token.text for token in section.tokens
        )
    if "digit" not in kinds:
        text = "".join(token.text for token in section.tokens)
        return lambda value: text
    if ("mark", "/") in section.tokens:
        return lambda value: _show_fraction(section.tokens, value)
    return _number_show(section.tokens)


def _number_show(tokens: Sequence[Token]) -> Show:
    """How digits are set: the places of a code, with what stands between them, filled from the point on."""
    percents = tokens.count(Token("mark", "%"))
    places = [number for number, token in enumerate(tokens) if token.kind == "digit"]
    exponent = next((number for number, token in enumerate(tokens) if token.kind == "exponent"), None)
    mantissa = [number for number in places if exponent is None or number < exponent]
    point = next((number for number, token in enumerate(tokens) if token == ("mark", ".")), None)
    whole = [number for number in mantissa if point is None or number < point]
    broken = [number for number in mantissa if point is not None and number > point]
    commas = [number for number, token in enumerate(tokens) if token == ("mark", ",")]
    end = whole[-1] if whole else -1
    has_groups = any(whole and whole[0] < comma < end for comma in commas)
    thousands = sum(comma > end for comma in commas)
    if simple := _simple_show(
        tokens, whole, broken, point, factor=Decimal(100) ** percents / Decimal(1000) ** thousands
    ):
        return simple

    def show(value: float) -> str:
        scaled = Decimal(repr(float(value))) * (100**percents) / (1000**thousands)
        power = 0
        if exponent is not None:
            scaled, power = _split_power(scaled, max(1, len(whole)), len(broken))
        rounded = abs(scaled).quantize(Decimal(1).scaleb(-len(broken)), ROUND_HALF_UP)
        digits, _, decimals = format(rounded, "f").partition(".")
        pieces = dict.fromkeys(commas, "")
        pieces |= _set_whole(tokens, whole, digits if rounded >= 1 or not whole else "", has_groups=has_groups)
        pieces |= _set_decimals(tokens, broken, decimals)
        if point is not None:
            pieces[point] = ("" if whole else digits.lstrip("0")) + "."
        if exponent is not None:
            pieces |= _set_power(tokens, exponent, places, power)
        shown = "".join(pieces.get(number, token.text) for number, token in enumerate(tokens))
        return f"-{shown.lstrip()}" if scaled < 0 and rounded else shown

    return show


def _simple_show(
    tokens: Sequence[Token], whole: Sequence[int], broken: Sequence[int], point: int | None, *, factor: Decimal
) -> Show | None:
    """The usual codes (``#,##0.00 "EUR"``), which Python's own formatting knows, ten times as fast; None for others."""
    places = [token.text for token in tokens[whole[0] : (broken or whole)[-1] + 1]] if whole else []
    grouped = "".join(places).partition(".")
    if grouped[0] not in ("0", "#,##0", "#0", "##0") or set(grouped[2]) - {"0"} or bool(point) != bool(broken):
        return None
    if any(token.kind in ("exponent", "digit") for token in tokens[(broken or whole)[-1] + 1 :]):
        return None
    before = "".join(token.text for token in tokens[: whole[0]])
    behind = "".join(token.text for token in tokens[(broken or whole)[-1] + 1 :] if token != ("mark", ","))
    unit, code = Decimal(1).scaleb(-len(broken)), "," if "," in grouped[0] else ""

    def show(value: float) -> str:
        rounded = (Decimal(repr(float(value))) * factor).quantize(unit, ROUND_HALF_UP)
        sign = "-" if rounded < 0 else ""
        return f"{sign}{before.lstrip() if sign else before}{abs(rounded):{code}f}{behind}"

    return show


def _set_whole(tokens: Sequence[Token], whole: Sequence[int], digits: str, *, has_groups: bool) -> dict[int, str]:
    """The digits before the point, from the last place on; what is too long for the places stands in the first."""
    pieces: dict[int, str] = {}
    left, count = digits, 0
    for number in reversed(whole):
        is_first = number == whole[0]
        taken = left if is_first else left[-1:]
        left = "" if is_first else left[:-1]
        if not taken:
            taken = {"0": "0", "?": " "}.get(tokens[number].text, "")
        written = ""
        for digit in reversed(taken):
            comma = "," if has_groups and count and count % 3 == 0 and digit != " " else ""
            written = digit + comma + written
            count += 1
        pieces[number] = written
    return pieces


def _set_decimals(tokens: Sequence[Token], broken: Sequence[int], decimals: str) -> dict[int, str]:
    """The digits behind the point; zeros at the end stand only where the code has a ``0``."""
    pieces: dict[int, str] = {}
    has_more = False
    for number, digit in zip(reversed(broken), reversed(decimals.ljust(len(broken), "0")), strict=False):
        has_more = has_more or digit != "0" or tokens[number].text == "0"
        pieces[number] = digit if has_more else {"?": " "}.get(tokens[number].text, "")
    return pieces


def _split_power(value: Decimal, places: int, decimals: int) -> tuple[Decimal, int]:
    """A number as one with ``places`` digits at most before the point, and the power of ten: a multiple of ``places``."""
    if not value:
        return value, 0
    power = value.adjusted() // places * places
    scaled = value.scaleb(-power)
    if abs(scaled).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP) >= Decimal(10) ** places:
        power += places
        scaled = value.scaleb(-power)
    return scaled, power


def _set_power(tokens: Sequence[Token], exponent: int, places: Sequence[int], power: int) -> dict[int, str]:
    behind = [number for number in places if number > exponent]
    sign = "-" if power < 0 else "+" if tokens[exponent].text.endswith("+") else ""
    pieces = dict.fromkeys(behind, "")
    pieces[exponent] = f"E{sign}{str(abs(power)).zfill(len(behind))}"
    return pieces


def _show_fraction(tokens: Sequence[Token], value: float) -> str:
    """``# ?/?`` shows 5.25 as ``5 1/4``, ``# ?/8`` as ``5 2/8``."""
    code = "".join(token.text for token in tokens)
    before, _, behind = code.partition("/")
    match = re.match(r"\s*(\d+)", behind)
    is_mixed = " " in before.strip()
    size = abs(Fraction(value))
    whole = int(size) if is_mixed else 0
    rest = size - whole
    if match and int(match[1]):
        low = int(match[1])
        high = round(rest * low)
    else:
        nearest = rest.limit_denominator(10 ** min(5, max(1, len(re.findall(r"[?#0]", behind)))) - 1)
        high, low = nearest.numerator, nearest.denominator
    if is_mixed and high == low:
        whole, high = whole + 1, 0
    sign = "-" if value < 0 else ""
    if not high and is_mixed:
        return f"{sign}{whole}"
    return f"{sign}{whole} {high}/{low}" if whole else f"{sign}{high}/{low}"
