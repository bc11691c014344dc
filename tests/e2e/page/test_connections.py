"""The page between its visitors and its service: two tabs at once, a slow service, one that goes away; nothing amiss in the console."""

from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect
from round_robin import Gate
from running_page import PATIENCE, ask, page_of, visit

pytestmark = pytest.mark.slow

expect.set_options(timeout=PATIENCE * 1000)

PATHS = ("", "documents", "graph", "analysis", "statistics")


@pytest.fixture(scope="module")
def gate(api_url):
    gate = Gate(urlsplit(api_url).port)
    yield gate
    gate.close()


@pytest.fixture(scope="module")
def gated_address(gate, tmp_path_factory):
    """A page that reaches its service through the gate."""
    with page_of(gate.url, tmp_path_factory.mktemp("gated") / "page.log") as url:
        yield url


@pytest.fixture
def visitor(browser, gate, gated_address):
    gate.open()
    gate.bring_back()
    with visit(browser) as page:
        page.goto(gated_address)
        page.get_by_role("heading", name="Ask, and see").wait_for()
        yield page


def send(page, question):
    box = page.get_by_test_id("stChatInputTextArea")
    box.fill(question)
    box.press("Enter")


@pytest.mark.sample
def test_no_page_logs_an_error_or_asks_for_what_is_not_there(browser, address):
    with visit(browser) as page:
        amiss = []
        page.on("console", lambda said: amiss.append(said.text) if said.type == "error" else None)
        page.on("pageerror", lambda error: amiss.append(str(error)))
        page.on("response", lambda given: amiss.append(given.url) if given.status >= 400 else None)
        for path in PATHS:
            page.goto(f"{address}/{path}")
            page.get_by_role("heading", level=1).wait_for()
            page.wait_for_load_state("networkidle")
    assert amiss == []


def test_two_tabs_ask_at_once_and_each_keeps_its_own_conversation(browser, address):
    with visit(browser) as first:
        first.goto(address)
        second = first.context.new_page()
        second.goto(address)
        for tab in (first, second):
            tab.get_by_role("heading", name="Ask, and see").wait_for()
        send(first, "How are refunds paid?")
        send(second, "How often is the sourdough starter fed?")
        expect(first.locator(".text").first).to_contain_text("paid to the card", timeout=PATIENCE * 1000)
        expect(second.locator(".text").first).to_contain_text("twice a day", timeout=PATIENCE * 1000)
        assert first.url != second.url
        expect(first.locator(".asc-question")).to_have_text(["How are refunds paid?"])
        expect(second.locator(".asc-question")).to_have_text(["How often is the sourdough starter fed?"])


def test_two_tabs_of_one_conversation_find_each_others_turns_after_a_reload(browser, address):
    with visit(browser) as first:
        first.goto(address)
        ask(first, "How are refunds paid?")
        second = first.context.new_page()
        second.goto(first.url)
        expect(second.locator(".asc-question")).to_have_text(["How are refunds paid?"])
        ask(second, "How are the housing bolts tightened?")
        first.reload()
        both = ["How are refunds paid?", "How are the housing bolts tightened?"]
        expect(first.locator(".asc-question")).to_have_text(both)
        expect(first.locator(".foot")).to_have_count(2)


@pytest.mark.sample
def test_slow_service_leaves_the_question_in_sight_and_its_answer_comes(visitor, gate):
    gate.shut()
    send(visitor, "How are refunds paid?")
    expect(visitor.locator(".asc-echo, .asc-question")).to_have_text("How are refunds paid?Sending the question …")
    visitor.wait_for_timeout(3000)
    expect(visitor.locator(".asc-echo, .asc-question")).to_contain_text("How are refunds paid?")
    expect(visitor.locator(".asc-state")).to_have_count(0)
    gate.open()
    expect(visitor.locator(".text")).to_contain_text("paid to the card")
    expect(visitor.locator(".asc-echo")).to_have_count(0)


@pytest.mark.sample
def test_service_that_goes_away_says_so_and_the_question_can_be_asked_again(visitor, gate):
    gate.take_away()
    send(visitor, "How are refunds paid?")
    expect(visitor.get_by_role("heading", name="The service does not answer")).to_be_visible()
    expect(visitor.get_by_role("heading", name="How are refunds paid?")).to_be_visible()
    expect(visitor.locator(".asc-echo")).to_have_count(0)
    gate.bring_back()
    visitor.get_by_role("button", name="Ask again").click()
    expect(visitor.locator(".text")).to_contain_text("paid to the card")
    expect(visitor.locator(".asc-question")).to_have_count(1)
