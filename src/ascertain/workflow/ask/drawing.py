"""Draws the graph into ``docs/workflow.md``: ``python -m ascertain.workflow.ask.drawing FILE``.

The drawing stands between two marks on that page; the rest of the page is left as it is.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from ascertain.workflow.ask.graph import mermaid

BEGIN = "<!-- drawn by `make docs` -->"
END = "<!-- end of drawing -->"


def drawing() -> str:
    """The graph as a Mermaid block; dotted arrows are taken by a routing function."""
    return f"{BEGIN}\n```mermaid\n{mermaid().strip()}\n```\n{END}"


def with_drawing(page: str) -> str:
    """The page with the drawing of the graph as it is now; ValueError when the marks are not there."""
    pattern = re.compile(f"{re.escape(BEGIN)}.*?{re.escape(END)}", re.DOTALL)
    drawn, count = pattern.subn(drawing().replace("\\", r"\\"), page)
    if count != 1:
        raise ValueError(f"the page must hold {BEGIN} and {END} once")
    return drawn


if __name__ == "__main__":
    file = Path(sys.argv[1])
    file.write_text(with_drawing(file.read_text("utf-8")), "utf-8")
