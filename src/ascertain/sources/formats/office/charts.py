"""Charts and diagrams of office files, by the values and words that were saved with them (ECMA-376 part 1, 21.2 and 21.4)."""

from typing import Any

from ascertain.sources.formats.draft import clean_line
from ascertain.sources.formats.office.packages import first_named, iter_named, local_name

_MOST_POINTS = 10_000
"""Of a chart; more are no picture any more."""


def chart_title(chart: Any) -> str:
    """The title of a chart; empty where it has none of its own."""
    found = next((each for each in iter_named(chart, "title") if local_name(each.getparent()) == "chart"), None)
    return "" if found is None else " ".join(drawn_lines(found))


def chart_rows(chart: Any) -> list[list[str]]:
    """What a chart shows, as a table: a column for each series, a row for each category; nothing where no values were saved."""
    series = list(iter_named(chart, "ser"))
    names = [" ".join(_saved_values(first_named(each, "tx")).values()) for each in series]
    categories: dict[int, str] = {}
    columns: list[dict[int, str]] = []
    for each in series:
        for name in ("cat", "xVal"):
            categories = categories or _saved_values(first_named(each, name))
        values = first_named(each, "val")
        columns.append(_saved_values(first_named(each, "yVal") if values is None else values))
    places = sorted({*categories, *(place for column in columns for place in column)})
    rows = [[categories.get(place, ""), *(column.get(place, "") for column in columns)] for place in places]
    return [["", *names], *rows] if rows else []


def _saved_values(element: Any) -> dict[int, str]:
    if element is None:
        return {}
    values: dict[int, str] = {}
    for point in iter_named(element, "pt"):
        place = str(point.get("idx") or "")
        words = clean_line(" ".join(str(each.text or "") for each in iter_named(point, "v")))
        if len(values) < _MOST_POINTS:
            values[int(place) if place.isdecimal() and len(place) < 9 else len(values)] = words
    if not values:
        values = {place: clean_line(str(each.text or "")) for place, each in enumerate(iter_named(element, "v"))}
    return values


def drawn_lines(element: Any) -> list[str]:
    """The paragraphs of DrawingML in a tree, each on a line."""
    lines: list[str] = []
    for paragraph in iter_named(element, "p"):
        pieces = (
            str(each.text or "") if local_name(each) == "t" else " " for each in iter_named(paragraph, "t", "br", "tab")
        )
        if line := clean_line("".join(pieces)):
            lines.append(line)
    return lines
