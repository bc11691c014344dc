"""Research and analysis in the browser: a run begun and read, compared and deleted; a day of the chart clicked."""

import json
import os
import subprocess
import sys

import pytest
import running_page
from playwright.sync_api import expect
from running_page import PATIENCE

pytestmark = pytest.mark.slow

expect.set_options(timeout=PATIENCE * 1000)


def begin(page, address, question):
    page.goto(f"{address}/research")
    page.get_by_label("Question, or address of a page").fill(question)
    page.get_by_role("button", name="Begin").click()
    page.get_by_role("list", name="Findings").wait_for()


def row_of(page, text):
    return page.get_by_role("list", name="Runs").get_by_role("listitem").filter(has_text=text)


def test_a_run_is_begun_read_reopened_compared_and_deleted(page, address):
    begin(page, address, "Within how many days is a refund granted?")
    findings = page.get_by_role("list", name="Findings")
    expect(findings).to_contain_text("A refund is granted within 30 days of the purchase.")
    findings.get_by_role("button").first.click()
    expect(page.get_by_role("dialog").locator("mark").first).to_contain_text("30 days")
    page.keyboard.press("Escape")
    begin(page, address, "What does fault code GB-7731 mean?")
    expect(page.get_by_role("list", name="Findings")).to_contain_text("oil pressure is too low")

    page.goto(f"{address}/research")
    expect(row_of(page, "fault code GB-7731")).to_have_count(1)
    row_of(page, "refund granted").get_by_role("button").first.click()
    expect(page.get_by_role("list", name="Findings")).to_contain_text("within 30 days")
    page.get_by_role("button", name="Compare", exact=True).click()
    expect(page.get_by_role("heading", name="Found by the first alone")).to_be_visible()
    expect(page.get_by_role("heading", name="Found by the second alone")).to_be_visible()

    row_of(page, "fault code GB-7731").get_by_role("button", name="Delete this run").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete", exact=True).click()
    expect(row_of(page, "fault code GB-7731")).to_have_count(0)
    expect(row_of(page, "refund granted")).to_have_count(1)


@pytest.fixture(scope="module")
def news_address(tmp_path_factory):
    """The page over two days of news."""
    folder = tmp_path_factory.mktemp("days_of_news")
    days = {"2026-03-02": ("rose 4 percent", "a great success"), "2026-03-03": ("fell 6 percent", "a disaster")}
    articles = [
        {
            "title": f"Solana report of {day}, edition {number}",
            "content": f"Solana {moved} on that day, {said} for its users. Edition number {number} went to print.",
            "published_at": f"{day}T0{number}:00:00Z",
            "source": f"Paper {number}",
        }
        for day, (moved, said) in days.items()
        for number in (1, 2)
    ]
    (folder / "news.json").write_text(json.dumps(articles), encoding="utf-8")
    home = tmp_path_factory.mktemp("news_home") / "kb"
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ASCERTAIN_")}
    command = [sys.executable, "-m", "ascertain", "add", str(folder), "--home", str(home), "--profile", "news"]
    subprocess.run(command, check=True, env={**kept, "OMP_NUM_THREADS": "1"}, capture_output=True)
    logs = tmp_path_factory.mktemp("news_logs")
    with (
        running_page.service(home, running_page.free_port(), logs / "service.log") as api_url,
        running_page.page_of(api_url, logs / "page.log") as url,
    ):
        yield url


def test_a_click_on_a_day_of_the_chart_shows_its_documents(page, news_address):
    page.goto(f"{news_address}/analysis")
    page.get_by_label("Question").fill("how did sentiment on Solana change in March 2026?")
    page.get_by_role("button", name="Analyse").click()
    page.get_by_text("to see its documents").wait_for()
    bars = page.locator("[data-testid=stVegaLiteChart]").nth(1)
    box = bars.locator("canvas, svg").first.bounding_box()
    assert box
    assert box["height"] > 250, "the bars are too low to be clicked"
    # two days, a bar each: the second one is right of the middle, and its upper half is above the days below it
    page.mouse.click(box["x"] + 0.75 * box["width"], box["y"] + 0.25 * box["height"])
    documents = page.get_by_role("list", name="2 documents")
    expect(documents).to_contain_text("Solana report of 2026-03-03, edition 1")
    expect(documents).to_contain_text("Solana report of 2026-03-03, edition 2")
    expect(documents).not_to_contain_text("2026-03-02")
