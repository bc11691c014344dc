"""Pictures for docs/evaluation.md: ``python tests/e2e/page/evaluation_pictures.py HOME COMPARISON.html docs/images``.

``HOME`` is a knowledge base as the page of the documentation leaves it: two runs and a golden set with open questions in its folder
``evaluation``.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from running_page import chromium, free_port, page_of, service, visit

SETTLED_MS = 1500
"""Until charts are drawn."""


def take_pictures(home: Path, comparison: Path, images: Path) -> None:
    """The page Evaluation with a question to look at, and the page that a comparison writes."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        with service(home, free_port(), log) as url, page_of(url, log) as address, chromium() as browser:
            with visit(browser) as page:
                page.goto(f"{address}/evaluation")
                page.get_by_role("button", name="Keep").wait_for()
                page.wait_for_timeout(SETTLED_MS)
                page.screenshot(path=images / "evaluation-validate.png")
            with visit(browser) as page:
                page.goto(comparison.resolve().as_uri())
                page.wait_for_timeout(SETTLED_MS)
                page.screenshot(path=images / "evaluation-compare.png")


if __name__ == "__main__":
    take_pictures(*map(Path, sys.argv[1:4]))
