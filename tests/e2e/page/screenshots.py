"""Pictures of the page for the documentation: ``python tests/e2e/page/screenshots.py docs/images``.

The real service with its page over the demo, at the width of a desk and of a phone, in both themes.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import httpx
from playwright.sync_api import Page
from running_page import DESKTOP, PHONE, chromium, free_port, service, visit
from served_page import ask

from ascertain.app.demo import read_demo

sys.path.insert(0, str(Path(__file__).parents[2] / "servers"))
from web_site import Reply, WebSite, article

QUESTION = "How do proof of work and proof of stake secure a blockchain?"
SPOKEN = "Who said that Samoa skipped a day, and why?"
EXPLAINED = "What drives gas fees?"
CONNECTED = "Which episodes mention DNS?"
UNANSWERED = "What did Vitalik Buterin say about quantum computers?"
ANALYSED = "How did sentiment on bitcoin change?"
SETTLED_MS = 800
"""Until pictures and follow-ups are there."""


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
    page.locator(".way > summary").last.click()
    page.locator(".way li").nth(4).scroll_into_view_if_needed()


def source(page: Page, address: str) -> None:
    page.goto(address)
    ask(page, SPOKEN)
    page.locator(".chip").first.click()
    page.locator("mark").wait_for()


def rejection(page: Page, address: str) -> None:
    page.goto(address)
    ask(page, UNANSWERED)


def sources(page: Page, address: str) -> None:
    page.goto(address)
    page.get_by_role("button", name="Sources of the answer").click()
    for name in ("demo_corpus/papers", "API tokens"):
        page.get_by_role("checkbox", name=name).check()
    page.get_by_role("textbox", name="Name of a notebook").fill("Keys and chains")
    page.get_by_role("button", name="Keep").click()
    page.get_by_role("button", name="Keys and chains", exact=True).wait_for()


def places(page: Page, address: str) -> None:
    page.goto(f"{address}/?view=sources")
    page.locator(".watched .badge.good").wait_for()
    page.locator(".watched .badge.bad").wait_for()


def settings(page: Page, address: str) -> None:
    page.goto(f"{address}/?view=settings")
    page.get_by_role("heading", name="What leaves this machine").wait_for()


def documents(page: Page, address: str) -> None:
    page.goto(f"{address}/?view=documents")
    page.locator(".document").first.wait_for()


def graph(page: Page, address: str) -> None:
    page.goto(f"{address}/?view=graph&entity=theo+okafor")
    page.locator(".node.centre").wait_for()


def connections(page: Page, address: str) -> None:
    graph(page, address)
    page.locator(".connection").nth(1).scroll_into_view_if_needed()


def way(page: Page, address: str) -> None:
    page.goto(f"{address}/?view=graph&way=path&from=theo+okafor&to=google")
    page.locator(".path-way").first.wait_for()


def themes(page: Page, address: str) -> None:
    page.goto(f"{address}/?view=graph&way=themes")
    page.locator(".theme").first.wait_for()


def found(page: Page, address: str) -> None:
    page.goto(address)
    ask(page, CONNECTED)
    page.locator(".found summary").click()
    page.locator(".found .chain").last.scroll_into_view_if_needed()


def analysis(page: Page, address: str) -> None:
    page.goto(f"{address}/?view=analysis")
    page.get_by_role("textbox", name="Question").fill(ANALYSED)
    page.get_by_role("button", name="Analyse").click()
    page.locator(".answer").wait_for()


def research(page: Page, address: str) -> None:
    page.goto(f"{address}/?view=research")
    page.get_by_role("textbox", name="Question, or").fill(QUESTION)
    page.get_by_role("button", name="Begin").click()
    page.locator(".run").wait_for()


def statistics(page: Page, address: str) -> None:
    page.goto(address)
    for question, opinion in (
        (QUESTION, "Good answer"),
        (SPOKEN, "Good answer"),
        ("What is a halving?", "Poor answer"),
    ):
        ask(page, question)
        page.get_by_role("button", name=opinion).last.click()
        page.get_by_role("textbox", name="Comment on this answer").last.wait_for()
    page.goto(f"{address}/?view=statistics")
    page.locator(".bars").first.wait_for()


def opinions(page: Page, address: str) -> None:
    page.goto(f"{address}/?view=statistics")
    page.get_by_text("judgements are thumbs up").scroll_into_view_if_needed()


SIGHTS: dict[str, Callable[[Page, str], None]] = {
    "welcome": welcome,
    "answer": answer,
    "path": path,
    "source": source,
    "rejection": rejection,
    "sources": sources,
    "places": places,
    "settings": settings,
    "documents": documents,
    "graph": graph,
    "connections": connections,
    "way": way,
    "themes": themes,
    "found": found,
    "analysis": analysis,
    "research": research,
    "statistics": statistics,
    "opinions": opinions,
}


SHOWN = (
    ("answer", "desk", "light"),
    ("source", "phone", "dark"),
    ("sources", "desk", "light"),
    ("places", "desk", "light"),
    ("settings", "desk", "light"),
    ("graph", "desk", "light"),
    ("found", "desk", "light"),
    ("way", "phone", "dark"),
)
"""What the documentation has pictures of."""
SIZES = {"desk": DESKTOP, "phone": PHONE}


def main(folder: Path, only: list[str]) -> None:
    """Take the pictures of the documentation, or, to look at, those of the sights named in ``only`` on each device in both themes."""
    wanted = [(name, device, scheme) for scheme in ("light", "dark") for device in SIZES for name in only] or SHOWN
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as made:
        scratch = Path(made)
        home = scratch / "demo.kb"
        command = [sys.executable, "-m", "ascertain", "demo", "--home", str(home)]
        subprocess.run(command, check=True, capture_output=True)
        now = read_demo().now.isoformat()
        with (
            closing(_open_site()) as site,
            service(home, free_port(), scratch / "service.log", ASCERTAIN_NOW=now, **_reach(site)) as address,
            chromium() as browser,
        ):
            _watch(address, site)
            for name, device, scheme in wanted:
                _forget(address, "conversations")
                _forget(address, "notebooks")
                with visit(browser, SIZES[device], scheme) as page:
                    SIGHTS[name](page, address)
                    page.wait_for_timeout(SETTLED_MS)
                    page.screenshot(path=folder / f"page-{name}-{device}-{scheme}.png")


def _forget(address: str, kind: str) -> None:
    """Each picture begins with none, so that it does not depend on those before."""
    with httpx.Client(base_url=address, trust_env=False) as client:
        for each in client.get(f"/v1/{kind}").json()[kind]:
            client.delete(f"/v1/{kind}/{each['id']}").raise_for_status()


def _open_site() -> WebSite:
    """A site to be watched, and one below it that is down."""
    site = WebSite()
    site.pages["/robots.txt"] = b"User-agent: *\nDisallow:\n"
    site.pages["/handbook/"] = article("Handbook", 'How we work, page by page. <a href="travel.html">Travel</a>')
    site.pages["/handbook/travel.html"] = article(
        "Travel", "Trips are booked two weeks ahead, by train where there is one."
    )
    site.pages["/wiki/"] = Reply(status=503)
    return site


def _reach(site: WebSite) -> dict[str, str]:
    return {"ASCERTAIN_WEB__ALLOWED_HOSTS": f'["{site.host}"]', "ASCERTAIN_WEB__RETRIES": "0"}


def _watch(address: str, site: WebSite) -> None:
    with httpx.Client(base_url=address, trust_env=False) as client:
        for name in ("handbook", "wiki"):
            place = {"address": f"{site.url}/{name}/", "name": name, "tags": [name]}
            client.post("/v1/sources", json=place).raise_for_status()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
