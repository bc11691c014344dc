"""Charts in files: shared functions, and the chart of a computed answer with groups."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ascertain.core.errors import MissingExtra, UsageError

if TYPE_CHECKING:
    from ascertain.core.asking.answers import Computation

CHARTS = {".svg": "svg", ".png": "png"}
MOST_BARS = 40
"""Groups that a chart shows, the first ones: more could not be told apart."""
_LONGEST_NAME = 40


def check_chart(file: Path | None) -> None:
    """Raise UsageError for an unsupported file name, and MissingExtra if charts cannot be drawn."""
    if file is None:
        return
    if file.suffix.lower() not in CHARTS:
        raise UsageError(f"--chart {file} ends neither in .svg nor in .png")
    from importlib.util import find_spec

    if find_spec("matplotlib") is None:
        raise MissingExtra("drawing a chart", "charts")


@contextmanager
def open_pyplot() -> Generator[Any]:
    """Matplotlib's pyplot without a screen; equal charts make equal files: glyphs as paths need no font for viewing."""
    from importlib import import_module

    # its types are unknown in part
    mpl: Any = import_module("matplotlib")
    mpl.use("Agg")
    with mpl.rc_context({"svg.fonttype": "path", "svg.hashsalt": "ascertain", "font.size": 9}):
        yield import_module("matplotlib.pyplot")


def save_chart(pyplot: Any, figure: Any, file: Path) -> None:
    """Write a figure, without a date in it; raises UsageError if it cannot be written."""
    metadata = {"Date": None} if file.suffix.lower() == ".svg" else {}
    try:
        figure.savefig(file, format=CHARTS[file.suffix.lower()], metadata=metadata)
    except OSError as error:
        raise UsageError(f"--chart {file}: {error.strerror or error}") from None
    finally:
        pyplot.close(figure)


def draw_computation(computation: Computation, question: str, file: Path) -> bool:
    """The figures of the groups as bars, for print and screen; False, and nothing, where the answer has no groups."""
    groups = computation.groups[:MOST_BARS]
    if not groups:
        return False
    # formula signs of matplotlib are ordinary characters in names
    names = [_shorten(group.name).replace("$", r"\$") for group in groups]
    with open_pyplot() as pyplot:
        figure, axes = pyplot.subplots(figsize=(9, 1.2 + 0.32 * len(groups)), layout="constrained")
        places = range(len(groups))
        bars = axes.barh(places, [group.value for group in groups], color="#2a9d8f", height=0.7)
        axes.bar_label(bars, labels=[f"{group.value:,.6g}" for group in groups], padding=3)
        axes.set_yticks(places, names)
        axes.invert_yaxis()
        axes.margins(x=0.12)
        rest = len(computation.groups) - len(groups)
        more = f" (the first {len(groups)} of {len(computation.groups):,})" if rest else ""
        axes.set(xlabel=f"{computation.aggregate} of {computation.of}{more}".replace("$", r"\$"))
        axes.set_title(f"{_shorten(question, 90)}\n{computation.table}".replace("$", r"\$"), loc="left")
        axes.spines[["top", "right"]].set_visible(False)
        save_chart(pyplot, figure, file)
    return True


def _shorten(text: str, most: int = _LONGEST_NAME) -> str:
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"
