"""Documents in the browser: uploaded, asked about, hostile ones, deleted."""

import pytest
from playwright.sync_api import expect
from running_page import PATIENCE, ask
from small_pdf import small_pdf

pytestmark = pytest.mark.slow

expect.set_options(timeout=PATIENCE * 1000)


def a_pdf(*words):
    lines = [(60, 740 - 24 * place, 12, "plain", line) for place, line in enumerate(words)]
    return small_pdf([lines], "Lighthouse handbook")


def upload(page, address, name, content):
    page.goto(f"{address}/documents")
    page.locator("input[type=file]").set_input_files(
        {"name": name, "mimeType": "application/octet-stream", "buffer": content}
    )
    page.get_by_text(name).first.wait_for()
    page.get_by_role("button", name="Add these files").click()


def test_uploaded_pdf_is_read_and_its_page_shows_the_quoted_words(page, address):
    content = a_pdf(
        "The lamp of the northern lighthouse turns once in eighteen seconds.", "The keeper oils its gears on Sundays."
    )
    upload(page, address, "lighthouse.pdf", content)
    expect(page.get_by_role("list", name="Added last").locator(".badge", has_text="added").first).to_be_visible()
    expect(page.get_by_role("list", name="Documents").get_by_text("Lighthouse handbook")).to_be_visible()
    page.get_by_role("link", name="Chat").click()
    ask(page, "How fast does the lamp of the northern lighthouse turn?")
    page.locator(".chip").first.click()
    expect(page.locator("mark")).to_contain_text("once in eighteen seconds")
    picture = page.get_by_role("img", name="Page 1 with the quoted words marked")
    expect(picture).to_be_visible()
    assert picture.evaluate("image => image.naturalWidth") > 300


def test_file_that_cannot_be_read_is_named_with_the_reason(page, address):
    upload(page, address, "broken.pdf", b"%PDF-1.7\nnothing else")
    row = page.get_by_role("list", name="Added last").get_by_role("listitem").filter(has_text="broken.pdf").first
    expect(row.locator(".note")).to_contain_text("broken.pdf")


def test_document_is_deleted_only_after_a_confirmation(page, address):
    upload(page, address, "tram.txt", b"Tram line nine connects the airport with the old town in 22 minutes.")
    documents = page.get_by_role("list", name="Documents")
    row = documents.get_by_role("listitem").filter(has_text="tram")
    expect(row).to_have_count(1)
    row.get_by_role("button", name="Delete this document").click()
    page.get_by_role("button", name="Keep it").click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(row).to_have_count(1)
    row.get_by_role("button", name="Delete this document").click()
    page.get_by_role("button", name="Delete", exact=True).click()
    expect(row).to_have_count(0)


def test_hostile_text_is_shown_as_text_everywhere(page, address):
    title = "Zebra <img src=x onerror=window.hacked=1> **safe** :red[list]"
    expect(page.get_by_role("button", name=f"What does the article “{title}” report?")).to_be_visible()
    ask(page, "Where is the zebra password <i>kept</i>?")
    expect(page.locator(".text")).to_contain_text("<b>blue</b> <script>window.hacked=1</script> safe")
    expect(page.locator(".asc-question")).to_have_text("Where is the zebra password <i>kept</i>?")
    expect(page.locator(".source .title").first).to_have_text(title)
    page.locator(".chip").first.click()
    expect(page.locator("mark")).to_contain_text("<script>window.hacked=1</script>")
    page.keyboard.press("Escape")
    page.goto(f"{address}/documents")
    expect(page.get_by_role("list", name="Documents").get_by_text(title).first).to_be_visible()
    assert page.evaluate("[window.hacked, document.querySelectorAll('img[src=x]').length]") == [None, 0]
