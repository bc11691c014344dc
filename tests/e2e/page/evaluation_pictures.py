"""Pictures for docs/evaluation.md: ``python tests/e2e/page/evaluation_pictures.py docs/images``.

The page over this documentation, with a golden set that was proposed and two runs over it, made by the commands of the documentation.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from running_page import chromium, free_port, service, visit

DOCS = Path(__file__).parents[3] / "docs"
SETTLED_MS = 1500
"""Until charts are drawn."""


def run_command(*arguments: object) -> None:
    """Run ``ascertain`` with the settings as they are by default; raises where it fails."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ASCERTAIN_")}
    command = [sys.executable, "-m", "ascertain", *map(str, arguments)]
    subprocess.run(command, check=True, env={**kept, "OMP_NUM_THREADS": "1"}, capture_output=True)


def build_evaluated_home(home: Path, corpus: Sequence[Path], count: int) -> Path:
    """A knowledge base over ``corpus`` with a golden set of ``count`` questions, nobody's yet, and two runs; the page that compares them."""
    kept = home / "evaluation"
    run_command("add", *corpus, "--home", home)
    run_command("eval", "generate", kept / "golden.jsonl", "--count", count, "--seed", 7, "--home", home)
    for name, strategy in (("hybrid", "hybrid"), ("words", "keyword")):
        asked = ("--golden", kept / "golden.jsonl", "--strategy", strategy, "--save", kept / f"{name}.json")
        run_command("eval", "answers", *asked, "--home", home)
    comparison = home / "comparison.html"
    run_command("eval", "compare", kept / "hybrid.json", kept / "words.json", "--html", comparison)
    return comparison


def take_pictures(images: Path) -> None:
    """The page Evaluation with a question to look at, and the page that a comparison writes."""
    with tempfile.TemporaryDirectory() as folder:
        home, log = Path(folder) / "kb", Path(folder) / "log"
        # without the pictures, each of which would be read by recognising its letters
        comparison = build_evaluated_home(home, sorted(DOCS.glob("*.md")), 40)
        with service(home, free_port(), log) as address, chromium() as browser:
            with visit(browser) as page:
                page.goto(f"{address}/?view=evaluation")
                page.get_by_role("button", name="Keep").wait_for()
                page.wait_for_timeout(SETTLED_MS)
                page.screenshot(path=images / "evaluation-validate.png")
            with visit(browser) as page:
                page.goto(comparison.resolve().as_uri())
                page.wait_for_timeout(SETTLED_MS)
                page.screenshot(path=images / "evaluation-compare.png")


if __name__ == "__main__":
    take_pictures(Path(sys.argv[1]))
