"""What the tests of the served page do over and over."""

from pathlib import Path

import pytest
from playwright.sync_api import Page

AXE = Path(__file__).parents[3] / "build" / "npm" / "axe" / "axe.min.js"
MISSING_AXE = "no axe-core, which comes from npm: make browser"


def ask(page: Page, question: str) -> None:
    """Type a question and wait for its answer."""
    answers = page.locator(".turn .actions").count()
    box = page.locator(".composer textarea")
    box.fill(question)
    box.press("Enter")
    page.locator(".turn .actions").nth(answers).wait_for()


def find_violations(page: Page) -> list[str]:
    """What axe holds against the page as it is shown: rule, and the elements that break it."""
    if not AXE.is_file():
        pytest.skip(MISSING_AXE)
    # evaluated and not added as an element: the page's policy lets no script in but its own
    page.evaluate(AXE.read_text(encoding="utf-8"))
    # a colour on its way to another is neither
    page.evaluate(
        "() => Promise.allSettled(document.getAnimations().filter(one => one.effect.getComputedTiming().endTime < Infinity).map(one => one.finished))"
    )
    found = page.evaluate(
        "async () => (await axe.run(document, {resultTypes: ['violations']})).violations"
        ".map(each => `${each.id}: ${each.nodes.map(node => node.html).slice(0, 3).join(' ')}`)"
    )
    return list(found)
