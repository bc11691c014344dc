"""What a visitor sees the moment a question is sent, and where the page stands then, after the answer and after a reload."""

import pytest
from playwright.sync_api import expect
from running_page import PATIENCE, ask

pytestmark = pytest.mark.slow

expect.set_options(timeout=PATIENCE * 1000)

QUESTIONS = ("How are refunds paid?", "What does fault code GB-7731 mean?", "How often is the sourdough starter fed?")
SIGN_MS = 100
"""What people take for at once (Nielsen, Usability Engineering, 1993)."""
TIME_SIGN = """question => {
  const shown = () => [...document.querySelectorAll(".asc-echo, .asc-question")].some(each => each.checkVisibility() && each.textContent.includes(question));
  addEventListener("keydown", event => {
    if (event.key !== "Enter") return;
    const sent = performance.now();
    const look = () => shown() ? window.sign = performance.now() - sent : requestAnimationFrame(look);
    look();
  }, { capture: true, once: true });
}"""


def send(page, question):
    """Type a question and send it, without waiting for anything."""
    box = page.get_by_test_id("stChatInputTextArea")
    box.fill(question)
    box.press("Enter")


def top_of_question(page, number):
    """How far a question is below the upper edge of the window, once it no longer moves."""
    question = page.locator(".asc-question").nth(number)
    question.wait_for()
    page.wait_for_timeout(1000)
    return question.bounding_box()["y"]


def is_in_reach(page, number):
    """Whether a question is on the screen, with its answer below it."""
    box = page.get_by_test_id("stChatInput").bounding_box()
    return 0 <= top_of_question(page, number) <= box["y"] - 100


@pytest.mark.sample
def test_page_goes_to_the_new_turn_and_stays_there_after_a_reload(page):
    for number, question in enumerate(QUESTIONS):
        ask(page, question)
        assert is_in_reach(page, number), question
    page.reload()
    expect(page.locator(".foot")).to_have_count(len(QUESTIONS))
    assert is_in_reach(page, len(QUESTIONS) - 1)


def test_page_stays_where_the_reader_has_scrolled_to(page):
    for question in QUESTIONS:
        ask(page, question)
    page.locator(".asc-question").first.hover(force=True)
    page.mouse.wheel(0, -5000)
    expect(page.locator(".asc-question").first).to_be_in_viewport()
    page.locator(".path summary").first.click()
    page.wait_for_timeout(1000)
    expect(page.locator(".asc-question").first).to_be_in_viewport()


@pytest.mark.sample
def test_question_shows_at_once_when_it_is_sent(page):
    page.get_by_role("heading", name="Ask, and see").wait_for()
    signs = []
    for number, question in enumerate(QUESTIONS):
        page.evaluate(TIME_SIGN, question)
        send(page, question)
        page.locator(".foot").nth(number).wait_for()
        signs.append(page.evaluate("window.sign"))
        expect(page.locator(".asc-echo")).to_have_count(0)
        expect(page.locator(".asc-question")).to_have_count(number + 1)
    # of a busy machine one in three may be late
    assert sorted(signs)[1] < SIGN_MS


def test_example_shows_at_once_when_it_is_clicked(page):
    offered = page.get_by_role("button", name="What does").first
    offered.click()
    expect(page.locator(".asc-echo, .asc-question").first).to_contain_text("What does")
    expect(page.locator(".foot")).to_have_count(1)
    expect(page.locator(".asc-echo")).to_have_count(0)
