"""Much at once: a thousand documents in the list, and a printed document of three hundred pages opened where it is cited."""

import json
import os
import re
import subprocess
import sys
from datetime import date, timedelta

import pytest
import running_page
from playwright.sync_api import expect
from running_page import PATIENCE, visit
from served_page import ask, find_violations
from small_pdf import small_pdf

pytestmark = pytest.mark.slow

expect.set_options(timeout=PATIENCE * 1000)

DOCUMENTS, PAGES, CITED = 1000, 300, 237
FACT = "The lighthouse of Brandesund burns forty litres of whale oil in a night."


def write_files(folder):
    first = date(2020, 1, 1)
    records = [
        {
            "title": f"Logbook {number:04}",
            "content": f"Entry {number} of the logbook tells of the weather at berth {number % 17}.",
            "published_at": f"{first + timedelta(days=number)}T08:00:00Z",
        }
        for number in range(1, DOCUMENTS + 1)
    ]
    (folder / "logbooks.json").write_text(json.dumps(records), encoding="utf-8")
    pages = [
        [
            (60, 740, 18, "bold", f"Chapter {number} of the almanac"),
            (60, 700, 11, "plain", f"The ships of chapter {number} sail west before the wind of the morning."),
        ]
        for number in range(1, PAGES + 1)
    ]
    pages[CITED - 1].append((60, 680, 11, "plain", FACT))
    (folder / "almanac.pdf").write_bytes(small_pdf(pages, "The almanac"))


@pytest.fixture(scope="module")
def large_address(tmp_path_factory):
    folder, home = tmp_path_factory.mktemp("large"), tmp_path_factory.mktemp("large_home") / "kb"
    write_files(folder)
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ASCERTAIN_")}
    command = [sys.executable, "-m", "ascertain", "add", str(folder), "--home", str(home)]
    subprocess.run(command, check=True, env={**kept, "OMP_NUM_THREADS": "1"}, capture_output=True)
    log = tmp_path_factory.mktemp("large_logs") / "service.log"
    with running_page.service(home, running_page.free_port(), log) as address:
        yield address


def test_a_thousand_documents_are_paged_ordered_and_searched(browser, large_address):
    with visit(browser) as page:
        page.goto(f"{large_address}/?view=documents")
        expect(page.get_by_text(f"{DOCUMENTS + 1:,} documents", exact=True)).to_be_visible()
        rows, pages = page.locator(".document .name"), page.get_by_role("navigation", name="Pages of the list")
        expect(rows).to_have_count(30)
        expect(pages).to_contain_text("1 of 34")
        page.get_by_role("combobox", name="Order").select_option("Newest")
        expect(rows.nth(0)).to_have_text("The almanac")
        expect(rows.nth(1)).to_have_text("Logbook 1000")
        pages.get_by_role("button", name="Next").click()
        expect(pages).to_contain_text("2 of 34")
        expect(rows.first).to_have_text("Logbook 0971")
        assert find_violations(page) == []
        page.reload()
        expect(rows.first).to_have_text("Logbook 0971")
        page.get_by_role("combobox", name="Order").select_option("Title")
        expect(pages).to_contain_text("1 of 34")
        expect(rows.first).to_have_text("Logbook 0001")
        page.get_by_role("searchbox").fill("0777")
        expect(rows).to_have_text(["Logbook 0777"])
        expect(pages).to_have_count(0)
        page.get_by_role("searchbox").fill("")
        page.goto(f"{large_address}/?view=documents&sort=title&page=34")
        expect(rows).to_have_count((DOCUMENTS + 1) % 30)
        expect(pages.get_by_role("button", name="Next")).to_be_disabled()


def test_a_document_of_three_hundred_pages_opens_at_the_cited_page(browser, large_address):
    with visit(browser) as page:
        page.goto(large_address)
        ask(page, "How much whale oil does the lighthouse of Brandesund burn in a night?")
        page.locator(".sentence", has_text="forty litres").locator(".chip").first.click()
        shown = page.get_by_role("img", name=f"Page {CITED} with the quoted words marked")
        expect(shown).to_be_visible()
        assert shown.evaluate("image => image.naturalWidth") > 0
        number = page.get_by_role("spinbutton", name="Page")
        expect(number).to_have_value(str(CITED))
        expect(page.locator(".page-tools")).to_contain_text(f"of {PAGES}")
        page.get_by_role("button", name="Next page").click()
        expect(page.get_by_role("img", name=re.compile(f"^Page {CITED + 1}"))).to_be_visible()
        number.fill("3")
        number.press("Enter")
        expect(page.get_by_role("img", name=re.compile("^Page 3[, ]"))).to_be_visible()
        page.get_by_role("button", name="Text", exact=True).click()
        expect(page.locator("mark")).to_contain_text("forty litres of whale oil")
        expect(page.locator("mark")).to_be_in_viewport()
        expect(page.locator(".divider")).to_have_count(PAGES)
        assert find_violations(page) == []
