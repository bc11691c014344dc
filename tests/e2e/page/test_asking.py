"""Asking in the browser: from the first visit to a source with the quoted words marked."""

import re

import pytest
from playwright.sync_api import expect
from running_page import PATIENCE, ask, visit

pytestmark = pytest.mark.slow

expect.set_options(timeout=PATIENCE * 1000)


def test_first_visit_explains_itself_and_offers_questions_from_the_documents(page):
    expect(page.get_by_role("heading", name="Ask, and see what it rests on.")).to_be_visible()
    expect(page).to_have_title("Ascertain")
    offered = page.get_by_role("button", name=re.compile("What does “.+” say")).first
    offered.wait_for()
    question = re.search("What does “.+” say[?]", offered.inner_text())[0]
    offered.click()
    expect(page.locator(".foot")).to_have_count(1)
    expect(page.get_by_role("heading", name=question)).to_be_visible()


def test_nothing_of_streamlit_is_left_to_see(page):
    marks = page.get_by_text(re.compile("streamlit|deploy|rerun|print", re.IGNORECASE)).filter(visible=True)
    page.get_by_role("heading", name="Ask, and see").wait_for()
    expect(marks).to_have_count(0)
    page.get_by_test_id("stMainMenuButton").click()
    expect(page.get_by_role("menuitemradio", name="Dark")).to_be_visible()
    expect(marks).to_have_count(0)
    page.get_by_role("menuitem", name="About").click()
    expect(page.get_by_role("dialog")).to_contain_text("Answers from your own documents")
    expect(marks).to_have_count(0)


@pytest.mark.sample
def test_nothing_is_fetched_from_elsewhere(browser, address):
    with visit(browser) as page:
        elsewhere = []
        page.on("request", lambda sent: elsewhere.append(sent.url) if _is_elsewhere(sent.url, address) else None)
        page.goto(address)
        ask(page, "How are refunds paid?")
        page.locator(".chip").first.click()
        page.locator("mark").wait_for()
    assert elsewhere == []


def test_answer_has_a_verdict_a_confidence_with_its_meaning_and_a_way_it_came_about(page):
    ask(page, "What does fault code GB-7731 mean?")
    expect(page.locator(".text")).to_contain_text("the oil pressure is too low")
    expect(page.locator(".verdict").first).to_have_attribute("title", "supported by its sources")
    expect(page.locator(".tally")).to_contain_text("supported by the sources")
    page.locator(".confidence summary").click()
    expect(page.locator(".confidence p")).to_contain_text("the chance, from 0 to 100")
    page.get_by_text("How this answer came about").click()
    expect(page.locator(".path .step", has_text="Checking every claim")).to_be_visible()
    expect(page.locator(".foot .facts")).to_contain_text("no model calls")


@pytest.mark.sample
def test_citation_opens_the_source_with_the_quoted_words_marked_in_their_context(page):
    ask(page, "How are refunds paid?")
    page.locator(".sentence", has_text="Refunds are paid").locator(".chip").click()
    marked = page.locator("mark")
    expect(marked).to_have_text("Refunds are paid to the card that was used for the purchase.")
    expect(page.locator(".passage")).to_contain_text("A refund is granted within 30 days of the purchase.")
    expect(page.locator(".where", has_text="How it is paid").first).to_be_visible()


def test_drawer_goes_through_the_sources_and_opens_again_at_the_one_clicked(page):
    ask(page, "When can I get a refund and how is it paid?")
    first, second = page.locator(".source .quote").all_inner_texts()[:2]
    page.get_by_role("button", name="Open source 1").click()
    expect(page.locator("mark")).to_have_text(first.strip("“”"))
    page.get_by_role("dialog").get_by_role("radio", name="2", exact=True).click()
    expect(page.locator("mark")).to_have_text(second.strip("“”"))
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.get_by_role("button", name="Open source 1").click()
    expect(page.locator("mark")).to_have_text(first.strip("“”"))


def test_quote_from_a_recording_names_the_speaker_and_the_time(page):
    ask(page, "How often is the sourdough starter fed?")
    page.locator(".sentence", has_text="twice a day").locator(".chip").click()
    expect(page.locator("mark")).to_contain_text("I feed my sourdough starter twice a day")
    expect(page.locator(".speaker")).to_have_text("Ben Ito")
    expect(page.locator(".time")).to_have_text("00:06 to 00:14")


def test_follow_up_is_understood_and_a_reload_keeps_the_conversation(page):
    ask(page, "How are refunds paid?")
    ask(page, "And how long does it take?")
    expect(page.locator(".understood")).to_contain_text("Understood as:")
    expect(page.locator(".text").last).to_contain_text("five working days")
    page.reload()
    expect(page.locator(".asc-question")).to_have_text(["How are refunds paid?", "And how long does it take?"])
    expect(page.locator(".foot")).to_have_count(2)


def test_reload_in_the_middle_of_an_answer_goes_on_with_it(page):
    box = page.get_by_test_id("stChatInputTextArea")
    box.fill("How are the housing bolts of the gearbox tightened?")
    box.press("Enter")
    page.wait_for_url(re.compile(r"conversation="))
    page.reload()
    expect(page.locator(".text")).to_contain_text("45 newton metres")


def test_question_without_an_answer_is_rejected_with_what_was_searched(page):
    ask(page, "Who won the football world cup in 1998?")
    expect(page.locator(".kind.rejection")).to_have_text("No answer in the documents")
    expect(page.locator(".chip")).to_have_count(0)


def test_filter_leaves_out_what_it_does_not_name(page):
    page.get_by_role("button", name="Filters").click()
    page.get_by_role("button", name="Recordings").click()
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Filters (1)")).to_be_visible()
    ask(page, "How are refunds paid?")
    expect(page.locator(".kind.rejection")).to_be_visible()


def test_conversations_are_listed_opened_again_and_deleted(page):
    ask(page, "How are the bolts tightened?")
    page.get_by_role("button", name="New conversation").click()
    expect(page.get_by_role("heading", name="Ask, and see")).to_be_visible()
    conversations = page.get_by_role("list", name="Conversations")
    row = conversations.get_by_role("listitem").filter(has_text="How are the bolts tightened?")
    row.first.locator(".open").click()
    expect(page.locator(".asc-question")).to_have_text("How are the bolts tightened?")
    before = row.count()
    row.first.locator(".delete").click()
    page.get_by_role("button", name="Delete", exact=True).click()
    expect(row).to_have_count(before - 1)
    expect(page.get_by_role("heading", name="Ask, and see")).to_be_visible()


def test_feedback_reaches_the_statistics(page, address):
    ask(page, "Within how many days is a refund granted?")
    page.get_by_role("button", name="Good answer").click()
    page.get_by_role("textbox", name="Comment on this answer").fill("Found at once")
    page.get_by_role("button", name="Send comment").click()
    expect(page.locator(".said")).to_contain_text("Thank you")
    expect(page.get_by_text("Your feedback is kept.").first).to_be_visible()
    page.reload()
    expect(page.get_by_role("button", name="Good answer")).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_role("button", name="Poor answer")).to_have_attribute("aria-pressed", "false")
    page.goto(f"{address}/statistics")
    expect(page.get_by_text("with feedback").first).to_contain_text("are good")


def _is_elsewhere(url, address):
    return not url.startswith((address, "data:", "blob:"))
