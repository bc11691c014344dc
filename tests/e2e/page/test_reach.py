"""Who can use the page: with a phone, with a keyboard alone, without a service, without a key."""

import json
import os
import subprocess
import sys

import pytest
from playwright.sync_api import expect
from running_page import PATIENCE, PHONE, ask, free_port, page_of, service, visit

pytestmark = pytest.mark.slow

expect.set_options(timeout=PATIENCE * 1000)


def widths(page):
    """Of the page's content, and of the screen."""
    main = page.get_by_test_id("stMain")
    return main.evaluate(
        "main => [Math.max(main.scrollWidth, document.documentElement.scrollWidth), window.innerWidth]"
    )


@pytest.mark.parametrize(
    "path", ["", "documents", "graph", "graph?entity=Charles+Babbage", "analysis", "research", "statistics"]
)
def test_nothing_is_wider_than_a_phone(phone, address, path):
    phone.goto(f"{address}/{path}")
    phone.get_by_role("heading", level=1).wait_for()
    phone.wait_for_load_state("networkidle")
    content, screen = widths(phone)
    assert content <= screen == PHONE[0]


def test_an_answer_and_its_source_fit_on_a_phone(phone):
    ask(phone, "How are refunds paid?")
    content, screen = widths(phone)
    assert content <= screen
    phone.locator(".chip").first.click()
    expect(phone.locator("mark")).to_be_in_viewport()
    content, screen = widths(phone)
    assert content <= screen


def test_keyboard_alone_asks_opens_a_source_and_closes_it(page):
    page.get_by_role("heading", name="Ask, and see").wait_for()
    _tab_to(page, "textarea")
    page.keyboard.type("How are refunds paid?")
    page.keyboard.press("Enter")
    page.locator(".chip").first.wait_for()
    page.locator(".asc-question").wait_for()
    _tab_to(page, ".chip")
    assert page.locator(".chip").first.evaluate("chip => getComputedStyle(chip).outlineStyle") == "solid"
    page.keyboard.press("Enter")
    expect(page.locator("mark")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_every_control_has_a_name(page, address):
    for path in (
        "",
        "documents",
        "graph?entity=Charles+Babbage",
        "graph?view=path",
        "analysis",
        "research",
        "statistics",
    ):
        page.goto(f"{address}/{path}")
        page.get_by_role("heading", level=1).wait_for()
        assert page.evaluate(NAMELESS) == []


def test_name_of_a_control_holds_the_words_it_shows(page, address):
    ask(page, "How are refunds paid?")
    assert page.evaluate(MISNAMED) == []
    for path in ("documents", "graph?entity=Charles+Babbage", "graph?view=path&from=Ada+Lovelace&to=Luigi+Menabrea"):
        page.goto(f"{address}/{path}")
        page.get_by_role("heading", level=1).wait_for()
        page.wait_for_load_state("networkidle")
        assert page.evaluate(MISNAMED) == []


def test_place_for_files_is_a_group_with_a_name_before_and_after_an_upload(page, address):
    page.goto(f"{address}/documents")
    place = page.get_by_role("group", name="Files to add")
    expect(place).to_be_visible()
    content = b"The ferry to the island leaves at noon."
    page.locator("input[type=file]").set_input_files({"name": "ferry.txt", "mimeType": "text/plain", "buffer": content})
    page.get_by_role("button", name="Add these files").click()
    expect(page.get_by_text("Handed over.").first).to_be_visible()
    expect(place).to_be_visible()
    assert page.locator("[role=presentation][aria-label]").count() == 0


def test_service_that_is_away_then_asks_for_a_key_then_is_empty(browser, tmp_path):
    port = free_port()
    with page_of(f"http://127.0.0.1:{port}", tmp_path / "page.log") as address, visit(browser) as page:
        page.goto(address)
        expect(page.get_by_role("heading", name="The service does not answer")).to_be_visible()
        expect(page.get_by_text("ascertain serve")).to_be_visible()
        key = _new_key(tmp_path)
        with service(tmp_path / "kb", port, tmp_path / "service.log"):
            page.get_by_role("button", name="Try again").click()
            expect(page.get_by_role("heading", name="This service asks for a key")).to_be_visible()
            page.get_by_role("textbox", name="Key").fill("wrong")
            page.get_by_role("button", name="Use this key").click()
            expect(page.get_by_role("heading", name="This service asks for a key")).to_be_visible()
            page.get_by_role("textbox", name="Key").fill(key)
            page.get_by_role("button", name="Use this key").click()
            expect(page.get_by_role("heading", name="There are no documents yet")).to_be_visible()
        page.get_by_test_id("stChatInputTextArea").fill("Are you there?")
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", name="The service does not answer")).to_be_visible()
        expect(page.get_by_text("Traceback")).to_have_count(0)


NAMELESS = """() => {
  const roots = [document, ...[...document.querySelectorAll("*")].map(each => each.shadowRoot).filter(Boolean)];
  const controls = roots.flatMap(root => [...root.querySelectorAll("button, a, input:not([type=hidden]), textarea")]);
  const named = each => each.getAttribute("aria-label") || each.textContent.trim() || each.labels?.length || each.getAttribute("aria-labelledby");
  return controls.filter(each => each.checkVisibility() && !named(each)).map(each => each.outerHTML);
}"""


# WCAG 2.5.3: whoever speaks to a browser says the words that are seen
MISNAMED = """() => {
  const roots = [document, ...[...document.querySelectorAll("*")].map(each => each.shadowRoot).filter(Boolean)];
  const words = text => text.toLowerCase().match(/[\\p{L}\\p{N}]+/gu)?.join(" ") ?? "";
  const seen = each => {
    const copy = each.cloneNode(true);
    copy.querySelectorAll("[aria-hidden=true], [data-testid=stIconMaterial], .hidden").forEach(hidden => hidden.replaceWith(" "));
    copy.querySelectorAll("*").forEach(part => part.append(" "));
    return words(copy.textContent);
  };
  const named = roots.flatMap(root => [...root.querySelectorAll("button[aria-label], a[aria-label]")]);
  return named.filter(each => each.checkVisibility() && !words(each.getAttribute("aria-label")).includes(seen(each))).map(each => each.outerHTML);
}"""


def _tab_to(page, selector):
    """Press Tab until an element is reached."""
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate(
            "selector => { let at = document.activeElement; while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement; return at.matches(selector); }",
            selector,
        ):
            return
    raise AssertionError(f"Tab never reaches {selector}")


def _new_key(folder):
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ASCERTAIN_")}
    command = [sys.executable, "-m", "ascertain", "keys", "add", "reader", "--home", str(folder / "kb"), "--json"]
    made = subprocess.run(command, check=True, env=kept, capture_output=True, encoding="utf-8")
    return json.loads(made.stdout)["key"]
