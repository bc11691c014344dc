"""How soon the page in the browser shows something, into ``results/page_paint.json``.

    python -m bench.service.page_paint [--visits N]

The real service over the demo with its page, and Chromium, each warm: somebody has been there once. Every visit is a new browser
context with an empty cache. *frame* is the time until the browser paints the frame of the page (first contentful paint), *paint* from
the address to the greeting and the first example question, which needs the page's scripts and two requests; *step* is the time from
Enter to the first sign of the question, *answer* to the whole answer, for a question that was asked before. *kilobytes* is all
that went over the wire until the greeting.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from bench.setting import RESULTS, circumstances, save, show_remark

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "e2e" / "page"))

from running_page import chromium, free_port, service, visit

from ascertain.app.demo import read_demo

TARGET_SECONDS = 0.3
"""Until the frame is painted."""
TARGET_KILOBYTES = 250

MEASURED = """() => ({
    frame: performance.getEntriesByName("first-contentful-paint")[0].startTime / 1000,
    kilobytes: performance.getEntries().reduce((sum, each) => sum + (each.transferSize || 0), 0) / 1000,
})"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--visits", type=int, default=15)
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder for the results file")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        home = folder / "demo.kb"
        subprocess.run(
            [sys.executable, "-m", "ascertain", "demo", "--home", str(home)], check=True, capture_output=True
        )
        now = read_demo().now.isoformat()
        with service(home, free_port(), folder / "service.log", ASCERTAIN_NOW=now) as address, chromium() as browser:
            visits = [_visit(browser, address) for _ in range(given.visits + 1)][1:]
    measured = {name: _summary([each[name] for each in visits]) for name in visits[0]}
    show_remark(str(measured))
    kilobytes = measured.pop("kilobytes")["median"]
    targets = {"target_seconds": TARGET_SECONDS, "target_kilobytes": TARGET_KILOBYTES}
    load = round(os.getloadavg()[0], 1)
    results = {"circumstances": circumstances(), **targets, "load_average": load, "visits": given.visits}
    results |= {"kilobytes": kilobytes}
    print(save("page_paint", {**results, "seconds": measured}, given.out))


def _visit(browser, address: str) -> dict[str, float]:
    """One visitor: comes in and asks; seconds by what was waited for."""
    with visit(browser) as page:
        seconds = {"paint": _timed(lambda: _enter(page, address))}
        seconds |= page.evaluate(MEASURED)
        box = page.locator(".composer textarea")
        box.fill("How do proof of work and proof of stake secure a blockchain?")
        started = time.perf_counter()
        box.press("Enter")
        page.locator(".turn").first.wait_for()
        seconds["step"] = time.perf_counter() - started
        page.locator(".turn .actions").wait_for()
        seconds["answer"] = time.perf_counter() - started
    return seconds


def _enter(page, address: str) -> None:
    page.goto(address, wait_until="commit")
    page.get_by_role("heading", name="Ask, and see").wait_for()
    page.get_by_role("button", name="What does").first.wait_for()


def _timed(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def _summary(seconds: list[float]) -> dict[str, float]:
    return {
        "median": round(statistics.median(seconds), 3),
        "best": round(min(seconds), 3),
        "worst": round(max(seconds), 3),
    }


if __name__ == "__main__":
    main()
