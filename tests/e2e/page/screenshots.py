"""Pictures of the page for the documentation: ``python tests/e2e/page/screenshots.py docs/images``.

The real page and the real service over the demo, at the width of a desk and of a phone, in both themes.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import httpx
from playwright.sync_api import Page
from running_page import DESKTOP, PHONE, ask, chromium, free_port, page_of, service, visit

from ascertain.app.demo import read_demo

QUESTION = "How do proof of work and proof of stake secure a blockchain?"
SPOKEN = "Who said that Samoa skipped a day, and why?"
EXPLAINED = "What drives gas fees?"
CONNECTED = "Which episodes mention DNS?"
UNANSWERED = "What did Vitalik Buterin say about quantum computers?"
SETTLED_MS = 1200
"""Until drawers have slid in and charts are drawn."""


def welcome(page: Page, address: str) -> None:
    page.goto(address)
    page.get_by_role("button", name="What does").first.wait_for()


def answer(page: Page, address: str) -> None:
    page.goto(address)
    ask(page, QUESTION)


def path(page: Page, address: str) -> None:
    page.goto(address)
    ask(page, EXPLAINED)
    page.locator(".confidence summary").click()
    page.locator(".path summary").click()
    page.locator(".path li").nth(4).scroll_into_view_if_needed()


def source(page: Page, address: str) -> None:
    page.goto(address)
    ask(page, SPOKEN)
    page.locator(".chip").first.click()
    page.locator("mark").wait_for()


def rejection(page: Page, address: str) -> None:
    page.goto(address)
    ask(page, UNANSWERED)


def documents(page: Page, address: str) -> None:
    page.goto(f"{address}/documents")
    page.locator(".badge").first.wait_for()


def graph(page: Page, address: str) -> None:
    page.goto(f"{address}/graph?entity=Theo+Okafor")
    page.locator(".node.centre").first.wait_for(state="attached")
    page.get_by_role("list", name="Connections").locator(".row").first.wait_for()


def connections(page: Page, address: str) -> None:
    graph(page, address)
    page.get_by_role("tab", name="Connections").scroll_into_view_if_needed()
    page.get_by_role("list", name="Connections").locator(".row").nth(1).scroll_into_view_if_needed()


def way(page: Page, address: str) -> None:
    page.goto(f"{address}/graph?view=path&from=Theo+Okafor&to=Google")
    page.locator(".node.end").first.wait_for(state="attached")
    page.get_by_role("list", name="Steps").locator(".row").first.wait_for()


def themes(page: Page, address: str) -> None:
    page.goto(f"{address}/graph?view=themes")
    page.get_by_role("list", name="Themes").locator(".row").first.wait_for()


def found(page: Page, address: str) -> None:
    page.goto(address)
    ask(page, CONNECTED)
    page.locator(".found summary").click()
    page.get_by_test_id("stMain").evaluate("main => main.scrollTo(0, main.scrollHeight)")


def statistics(page: Page, address: str) -> None:
    page.goto(address)
    for question, opinion in (
        (QUESTION, "Good answer"),
        (SPOKEN, "Good answer"),
        ("What is a halving?", "Poor answer"),
    ):
        ask(page, question)
        page.get_by_role("button", name=opinion).last.click()
        page.locator(".said").last.get_by_text("Thank you").wait_for()
    page.goto(f"{address}/statistics")
    page.locator("[data-testid=stVegaLiteChart] canvas, [data-testid=stVegaLiteChart] svg").nth(3).wait_for()


def opinions(page: Page, address: str) -> None:
    page.goto(f"{address}/statistics")
    page.locator("[data-testid=stVegaLiteChart] canvas, [data-testid=stVegaLiteChart] svg").nth(3).wait_for()
    page.get_by_test_id("stMain").evaluate("main => main.scrollTo(0, main.scrollHeight)")


SIGHTS: dict[str, Callable[[Page, str], None]] = {
    "welcome": welcome,
    "answer": answer,
    "path": path,
    "source": source,
    "rejection": rejection,
    "documents": documents,
    "graph": graph,
    "connections": connections,
    "way": way,
    "themes": themes,
    "found": found,
    "statistics": statistics,
    "opinions": opinions,
}


def main(folder: Path, only: list[str]) -> None:
    """Take every picture, or those of the sights named in ``only``."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as made:
        scratch = Path(made)
        home = scratch / "demo.kb"
        command = [sys.executable, "-m", "ascertain", "demo", "--home", str(home)]
        subprocess.run(command, check=True, capture_output=True)
        now = read_demo().now.isoformat()
        with (
            service(home, free_port(), scratch / "service.log", ASCERTAIN_NOW=now) as api_url,
            page_of(api_url, scratch / "page.log") as address,
            chromium() as browser,
        ):
            for scheme in ("light", "dark"):
                for device, size in (("desk", DESKTOP), ("phone", PHONE)):
                    _forget_conversations(api_url)
                    for name in only or SIGHTS:
                        with visit(browser, size, scheme) as page:
                            SIGHTS[name](page, address)
                            page.wait_for_timeout(SETTLED_MS)
                            page.screenshot(path=folder / f"page-{name}-{device}-{scheme}.png")


def _forget_conversations(api_url: str) -> None:
    """Each screen begins with none, so that its pictures do not depend on those before."""
    with httpx.Client(base_url=api_url, trust_env=False) as client:
        for conversation in client.get("/v1/conversations").json()["conversations"]:
            client.delete(f"/v1/conversations/{conversation['id']}").raise_for_status()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
