"""Draws which package imports which, from the imports themselves: ``python -m bench.project.package_picture FILE``.

A package stands above all that it imports. An arrow is left out where a way over other arrows says the same
(transitive reduction), so the picture shows the order and not every import.
"""

from __future__ import annotations

import ast
import html
import sys
import textwrap
from collections.abc import Iterator, Mapping
from graphlib import TopologicalSorter
from pathlib import Path

import grimp

ROOT = "ascertain"
SOURCE = Path(__file__).resolve().parents[2] / "src" / ROOT

WIDTH, HEIGHT, GAP, BETWEEN = 214, 66, 22, 46
"""Of a box; to its neighbour; to the next row. Pixels."""

Imports = Mapping[str, frozenset[str]]
"""The packages that each package imports."""


def read_imports() -> dict[str, frozenset[str]]:
    """The packages right below the root, as grimp reads them out of the code."""
    graph = grimp.build_graph(ROOT)
    names = [name for name in graph.find_children(ROOT) if not name.endswith("__main__")]
    return {
        one.removeprefix(f"{ROOT}."): frozenset(
            other.removeprefix(f"{ROOT}.")
            for other in names
            if other != one and graph.direct_import_exists(importer=one, imported=other, as_packages=True)
        )
        for one in names
    }


def rows_of(imports: Imports) -> list[list[str]]:
    """Rows from the bottom up, by the longest way down; in a row, each package near what it imports."""
    level: dict[str, int] = {}
    for name in TopologicalSorter(imports).static_order():
        level[name] = 1 + max((level[each] for each in imports[name]), default=-1)
    rows: list[list[str]] = []
    place: dict[str, float] = {}
    for number in range(1 + max(level.values())):
        members = [name for name in level if level[name] == number]
        row = sorted(members, key=lambda name: (_mean(place, without_detours(imports)[name]), name))
        place |= {name: index - (len(row) - 1) / 2 for index, name in enumerate(row)}
        rows.append(row)
    return rows


def without_detours(imports: Imports) -> dict[str, frozenset[str]]:
    """Each package with those imports that no other import of it already leads to."""
    return {
        name: frozenset(each for each in direct if not any(each in _reached(imports, other) for other in direct))
        for name, direct in imports.items()
    }


def draw(imports: Imports) -> str:
    """The picture as SVG, the same for the same imports and docstrings."""
    rows = rows_of(imports)
    width = max(len(row) for row in rows) * (WIDTH + GAP) + GAP
    height = len(rows) * (HEIGHT + BETWEEN)
    corner = {
        name: (
            width / 2 + (index - len(row) / 2) * (WIDTH + GAP) + GAP / 2,
            height - BETWEEN / 2 - HEIGHT - number * (HEIGHT + BETWEEN),
        )
        for number, row in enumerate(rows)
        for index, name in enumerate(row)
    }
    arrows = [
        _arrow(corner[name], corner[each])
        for name, direct in sorted(without_detours(imports).items())
        for each in sorted(direct)
    ]
    boxes = [line for name in sorted(corner) for line in _box(name, *corner[name])]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" font-family="sans-serif">',
            "<title>The packages of Ascertain: each imports only what stands below it</title>",
            '<defs><marker id="end" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
            '<path d="M0 0 8 4 0 8z" fill="#8a94a6"/></marker></defs>',
            f'<rect width="{width:.0f}" height="{height:.0f}" fill="#fff"/>',
            *arrows,
            *boxes,
            "</svg>\n",
        ]
    )


def _box(name: str, left: float, top: float) -> Iterator[str]:
    yield f'<rect x="{left:.0f}" y="{top:.0f}" width="{WIDTH}" height="{HEIGHT}" rx="8" fill="#eef3fb" stroke="#4a6fa5"/>'
    yield f'<text x="{left + 12:.0f}" y="{top + 21:.0f}" font-size="15" font-weight="700" fill="#1d2b44">{name}</text>'
    for number, line in enumerate(_caption(name)):
        yield (
            f'<text x="{left + 12:.0f}" y="{top + 39 + 15 * number:.0f}" font-size="11" fill="#3d4a60">'
            f"{html.escape(line)}</text>"
        )


def _arrow(importer: tuple[float, float], imported: tuple[float, float]) -> str:
    (x, y), (to_x, to_y) = importer, imported
    return (
        f'<line x1="{x + WIDTH / 2:.0f}" y1="{y + HEIGHT:.0f}" x2="{to_x + WIDTH / 2:.0f}" y2="{to_y:.0f}" '
        'stroke="#8a94a6" marker-end="url(#end)"/>'
    )


def _caption(name: str) -> list[str]:
    """The first sentence of the package's docstring, in two lines at most."""
    folder = SOURCE / name
    text = (folder / "__init__.py" if folder.is_dir() else folder.with_suffix(".py")).read_text("utf-8")
    sentence = (ast.get_docstring(ast.parse(text)) or "").partition("\n\n")[0].replace("\n", " ").partition(". ")[0]
    sentence = sentence.rstrip(".").replace("``", "")
    before, _, after = sentence.partition(": ")
    said = after if after and before.lower() == name else sentence
    return textwrap.wrap(said, 31, max_lines=2, placeholder=" …")


def _mean(place: Mapping[str, float], names: frozenset[str]) -> float:
    return sum(place[name] for name in names) / len(names) if names else 0.0


def _reached(imports: Imports, name: str) -> set[str]:
    return set().union(*({each} | _reached(imports, each) for each in imports[name])) if imports[name] else set()


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(draw(read_imports()), "utf-8")
