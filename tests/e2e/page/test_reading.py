"""Reading in the page of the service: documents beside the answer, added, found, deleted; signing in; who can use it."""

import os
import subprocess
import sys

import pytest
from playwright.sync_api import expect
from running_page import PATIENCE, PHONE, free_port, service, visit
from served_page import ask, find_violations

pytestmark = pytest.mark.slow

expect.set_options(timeout=PATIENCE * 1000)

VIEWS = {
    "view=documents": ".document",
    "view=graph&entity=charles+babbage": ".node.centre",
    "view=graph&way=path&from=ada+lovelace&to=luigi+menabrea": ".path-way",
    "view=graph&way=themes": ".theme",
    "view=statistics": ".bars",
}


def open_document(page, address, words):
    page.goto(f"{address}/?view=documents&q={words}")
    page.locator(".document .name").first.click()
    page.locator(".reader .blocks").wait_for()


def test_a_recording_is_read_with_speakers_and_times(page):
    ask(page, "How often is the sourdough starter fed?")
    page.locator(".sentence", has_text="twice a day").locator(".chip").click()
    expect(page.locator("mark")).to_contain_text("I feed my sourdough starter twice a day")
    said = page.locator(".said", has_text="twice a day")
    expect(said.locator(".speaker")).to_have_text("Ben Ito")
    expect(said.locator(".clock")).to_have_text("00:06")
    expect(page.locator(".cited-place")).to_contain_text("00:06–00:14")


def test_a_document_has_an_outline_and_words_are_found_in_it(page, address):
    open_document(page, address, "refunds")
    page.get_by_role("button", name="Outline").click()
    outline = page.get_by_role("navigation", name="Outline")
    expect(outline.get_by_role("button")).to_have_text(["Refunds", "When you can get one", "How it is paid"])
    page.get_by_role("button", name="Find in this document").click()
    box = page.get_by_role("searchbox", name="Find in this document")
    box.fill("REFUND")
    expect(page.locator(".find .note")).to_have_text("1 of 2")
    box.press("Enter")
    expect(page.locator(".find .note")).to_have_text("2 of 2")
    box.fill("zebra")
    expect(page.locator(".find .note")).to_have_text("not found")
    box.press("Escape")
    expect(page.locator(".find")).to_have_count(0)


def test_a_document_is_asked_alone(page, address):
    open_document(page, address, "gearbox")
    page.get_by_role("button", name="Ask about this document").click()
    expect(page.locator(".composer .about")).to_contain_text("About Gearbox manual")
    ask(page, "How are refunds paid?")
    expect(page.locator(".kind.rejection")).to_be_visible()
    page.get_by_role("button", name="Ask all documents again").click()
    ask(page, "How are refunds paid?")
    expect(page.locator(".answer").last).to_contain_text("to the card")


def test_the_original_of_a_document_is_saved(page, address):
    open_document(page, address, "gearbox")
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save the original file").click()
    assert saved.value.suggested_filename == "gearbox.md"


def test_files_are_added_each_with_its_own_result_then_found_and_deleted(page, address):
    page.goto(f"{address}/?view=documents")
    files = [
        {
            "name": "ferry.md",
            "mimeType": "text/markdown",
            "buffer": b"# The ferry\n\nThe ferry to Hven leaves at noon.",
        },
        {"name": "broken.pdf", "mimeType": "application/pdf", "buffer": b"this is no pdf"},
    ]
    page.get_by_test_id("files").set_input_files(files)
    expect(page.locator(".uploads .upload", has_text="ferry.md").locator(".badge")).to_have_text("added")
    broken = page.locator(".uploads .upload", has_text="broken.pdf")
    expect(broken.locator(".badge")).to_have_text("failed")
    expect(broken.locator(".reason")).not_to_be_empty()
    expect(broken.get_by_role("button", name="Try broken.pdf again")).to_be_visible()
    page.get_by_role("searchbox", name="Search the documents").fill("ferry")
    row = page.locator(".document", has_text="The ferry")
    expect(page.locator(".document")).to_have_count(1)
    row.hover()
    row.get_by_role("button", name="Delete The ferry").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page.get_by_text("None of them.")).to_be_visible()


def test_a_keyed_service_asks_once_says_what_is_wrong_and_remembers(browser, home, tmp_path):
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ASCERTAIN_")}
    copy = tmp_path / "kb"
    subprocess.run(["cp", "-r", str(home), str(copy)], check=True)
    command = [sys.executable, "-m", "ascertain", "keys", "add", "alice", "--home", str(copy), "--json"]
    made = subprocess.run(command, check=True, env=kept, capture_output=True, text=True)
    key = next(part for part in made.stdout.split('"') if part.startswith("ask_") and len(part) > 20)
    with service(copy, free_port(), tmp_path / "keyed.log") as url, visit(browser) as page:
        page.goto(url)
        box = page.get_by_label("Key")
        box.fill("ask_wrong")
        page.get_by_role("button", name="Use this key").click()
        expect(page.get_by_role("alert")).to_have_text("This key is not known here, or it was revoked.")
        box.fill(key)
        page.get_by_role("button", name="Use this key").click()
        expect(page.get_by_role("heading", name="Ask, and see")).to_be_visible()
        ask(page, "How are refunds paid?")
        page.reload()
        expect(page.locator(".question")).to_have_text("How are refunds paid?")
        assert "ask_" not in page.evaluate("document.cookie + JSON.stringify(localStorage)")
        page.get_by_role("button", name="Preferences").click()
        page.get_by_role("button", name="Sign out").click()
        expect(page.get_by_label("Key")).to_be_visible()


def test_nothing_is_wider_than_a_phone_and_the_document_is_a_sheet_over_the_answer(phone, address):
    ask(phone, "How are refunds paid?")
    phone.locator(".chip").first.click()
    expect(phone.locator("mark")).to_be_in_viewport()
    assert phone.evaluate("document.documentElement.scrollWidth") <= PHONE[0]
    phone.get_by_role("button", name="Close the document").click()
    phone.get_by_role("button", name="Menu").click()
    phone.get_by_role("link", name="Documents").click()
    phone.locator(".document").first.wait_for()
    assert phone.evaluate("document.documentElement.scrollWidth") <= PHONE[0]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_that_keeps_people_out(browser, address, scheme):
    with visit(browser, scheme=scheme) as page:
        page.goto(address)
        page.locator(".examples button").first.wait_for()
        assert find_violations(page) == []
        ask(page, "How are refunds paid?")
        page.locator(".chip").first.click()
        page.locator("mark").wait_for()
        assert find_violations(page) == []
        for view, shown in VIEWS.items():
            page.goto(f"{address}/?{view}")
            page.locator(shown).first.wait_for()
            assert find_violations(page) == [], view


def test_keyboard_alone_asks_opens_a_source_and_closes_it(page):
    page.locator(".composer textarea").wait_for()
    page.keyboard.type("How are refunds paid?")
    page.keyboard.press("Enter")
    page.locator(".turn .actions").wait_for()
    chip = page.locator(".chip").first
    for _ in range(60):
        page.keyboard.press("Shift+Tab")
        if chip.evaluate("chip => chip === document.activeElement"):
            break
    page.keyboard.press("Enter")
    expect(page.locator("mark")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator(".reader")).to_have_count(0)


def test_the_graph_leads_from_name_to_name_and_to_the_words(page, address):
    page.goto(f"{address}/?view=graph")
    box = page.get_by_role("combobox", name="Find a name")
    box.fill("babb")
    page.get_by_role("option", name="Charles Babbage").click()
    expect(page.locator(".node.centre")).to_have_text("Charles Babbage")
    page.locator("button.node", has_text="Analytical Engine").click()
    expect(page.locator(".node.centre")).to_have_text("Analytical Engine")
    page.locator(".evidence button").first.click()
    expect(page.locator("mark")).to_be_in_viewport()
    page.go_back()
    page.go_back()
    expect(page.locator(".node.centre")).to_have_text("Charles Babbage")


def test_statistics_count_documents_and_answers(page, address):
    ask(page, "How are refunds paid?")
    page.goto(f"{address}/?view=statistics")
    documents = page.locator(".figure", has_text="Documents").locator("dd")
    expect(documents).not_to_have_text("0")
    expect(page.get_by_role("rowheader", name="Recordings")).to_be_visible()
    expect(page.get_by_role("rowheader", name="Confidence")).to_be_visible()
