"""Charts of Office files, by the values and words that were saved with them (ECMA-376 part 1, 21.2)."""

from typing import Any

from ascertain.documents.formats.drafts.draft import clean_line
from ascertain.documents.formats.office.drawings import drawn_lines
from ascertain.documents.formats.office.packages import Package, attribute_of, first_named, iter_named, local_name

_CHARTS = ("chart", "chartEx")


def chart_parts(shape: Any, relations: dict[str, tuple[str, str]], package: Package) -> list[str]:
    """The parts of the charts that a frame shows."""
    return [
        relations[str(value)][1]
        for each in iter_named(shape, "chart")
        for key, value in each.attrib.items()
        if str(key).endswith("}id")
        and relations.get(str(value), ("", ""))[0] in _CHARTS
        and relations[str(value)][1] in package.names
    ]


def chart_shapes(part: str, package: Package) -> list[str]:
    """The lines of the text boxes that are drawn over the chart in a part."""
    drawn = (name for kind, name in package.relations_of(part).values() if kind == "chartUserShapes")
    return [line for name in drawn if name in package.names for line in drawn_lines(package.read_tree(name))]


def chart_title(chart: Any) -> str:
    """The title of a chart and those of its axes, in one line: ``Sales (Year, Boats)``."""
    titles = [" ".join(drawn_lines(each)) for each in iter_named(chart, "title")]
    shown = [title for title in titles if title]
    parent = next((each.getparent() for each in iter_named(chart, "title")), None)
    if len(shown) > 1 and parent is not None and local_name(parent) == "chart":
        return f"{shown[0]} ({', '.join(shown[1:])})"
    return ", ".join(shown)


def chart_rows(chart: Any) -> list[list[str]]:
    """What a chart shows, as a table: a column for each series, a row for each category."""
    series = list(iter_named(chart, "ser"))
    names = [" ".join(value for _, value in _cached_values(first_named(each, "tx"))) for each in series]
    columns = [dict(_cached_values(_first_of(each, "val", "yVal"))) for each in series]
    categories: dict[int, str] = {}
    for each in series:
        categories = categories or _category_names(_first_of(each, "cat", "xVal"))
    for column in columns:
        for place in column:
            categories.setdefault(place, str(place + 1))
    rows = [[categories[place], *(column.get(place, "") for column in columns)] for place in sorted(categories)]
    return [["", *names], *rows] if rows else []


def _first_of(element: Any, *names: str) -> Any:
    return next(iter_named(element, *names), None)


def _category_names(element: Any) -> dict[int, str]:
    """The names of categories; of several levels the outer ones first."""
    levels = [] if element is None else list(iter_named(element, "lvl"))
    if not levels:
        return dict(_cached_values(element))
    names = [dict(_cached_values(level)) for level in levels]
    found: dict[int, str] = {}
    outer = [""] * len(names)
    for place in sorted({place for level in names for place in level}):
        for number, level in enumerate(names):
            outer[number] = level.get(place, outer[number] if number else "")
        found[place] = " ".join(name for name in reversed(outer) if name)
    return found


def _cached_values(element: Any) -> list[tuple[int, str]]:
    """The values that were saved with a chart, by their place."""
    if element is None:
        return []
    points = list(iter_named(element, "pt"))
    if not points:
        return [(number, clean_line(str(each.text or ""))) for number, each in enumerate(iter_named(element, "v"))]
    found: list[tuple[int, str]] = []
    for number, point in enumerate(points):
        place = attribute_of(point, "idx") or ""
        value = first_named(point, "v")
        text = "" if value is None else clean_line(str(value.text or ""))
        found.append((int(place) if place.isdecimal() and len(place) < 8 else number, text))
    return found
