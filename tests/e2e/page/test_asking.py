"""Asking in the page of the service: from the first visit to a source, and all that can be done with an answer."""

import json
import re

import pytest
from playwright.sync_api import expect
from running_page import PATIENCE, free_port, service, visit
from scripted_chat_server import pauses, says
from served_page import ask

pytestmark = pytest.mark.slow

expect.set_options(timeout=PATIENCE * 1000)


def test_first_visit_explains_itself_and_offers_questions_from_the_documents(page):
    expect(page.get_by_role("heading", name="Ask, and see the sources of the answer.")).to_be_visible()
    expect(page).to_have_title("Ascertain")
    expect(page.locator(".composer textarea")).to_be_focused()
    offered = page.get_by_role("button", name=re.compile("What does “.+” say")).first
    question = offered.inner_text().strip()
    offered.click()
    expect(page.locator(".turn .actions")).to_have_count(1)
    expect(page.get_by_role("heading", name=question)).to_be_visible()


@pytest.mark.sample
def test_nothing_is_fetched_from_elsewhere_and_nothing_is_refused(browser, address):
    with visit(browser) as page:
        elsewhere, complaints = [], []
        page.on("request", lambda sent: None if sent.url.startswith((address, "blob:")) else elsewhere.append(sent.url))
        page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(address)
        ask(page, "How are refunds paid?")
        page.locator(".chip").first.click()
        page.locator("mark").wait_for()
        page.goto(f"{address}/?view=documents")
        page.locator(".document").first.wait_for()
    assert (elsewhere, complaints) == ([], [])


@pytest.mark.sample
def test_a_citation_opens_its_document_beside_the_answer_with_the_words_marked(page):
    ask(page, "How are refunds paid?")
    sentence = page.locator(".sentence", has_text="Refunds are paid")
    expect(sentence.locator(".verdict")).to_have_attribute("title", "supported by its sources")
    sentence.locator(".chip").click()
    expect(page.locator("mark")).to_have_text("Refunds are paid to the card that was used for the purchase.")
    expect(page.locator("mark")).to_be_in_viewport()
    expect(page.locator(".reader")).to_contain_text("A refund is granted within 30 days of the purchase.")
    expect(page.locator(".cited-place")).to_contain_text("How it is paid")
    expect(page.locator(".turn .question")).to_be_in_viewport()
    page.keyboard.press("Escape")
    expect(page.locator(".reader")).to_have_count(0)


def test_back_and_reload_come_to_what_was_open(page):
    ask(page, "How are refunds paid?")
    page.locator(".chip").first.click()
    expect(page.locator("mark")).to_be_visible()
    page.reload()
    expect(page.locator("mark")).to_be_visible()
    expect(page.locator(".question")).to_have_text("How are refunds paid?")
    page.go_back()
    expect(page.locator(".reader")).to_have_count(0)
    expect(page.locator(".question")).to_have_text("How are refunds paid?")


def test_confidence_says_what_it_means_and_the_way_is_told(page):
    ask(page, "What does fault code GB-7731 mean?")
    expect(page.locator(".tally")).to_contain_text("supported by the sources")
    page.locator(".confidence summary").click()
    expect(page.locator(".confidence p")).to_contain_text("the chance, from 0 to 100")
    page.get_by_text("How this answer came about").click()
    expect(page.locator(".way .step", has_text="Checking every sentence")).to_be_visible()
    expect(page.locator(".way .facts")).to_contain_text("no model calls")


def test_a_question_without_an_answer_says_what_was_searched(page):
    ask(page, "Who won the football world cup in 1998?")
    expect(page.locator(".kind.rejection")).to_have_text("No answer in the documents")
    expect(page.locator(".chip")).to_have_count(0)


def test_an_answer_is_copied_with_its_citations_as_markdown(page):
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    ask(page, "How are refunds paid?")
    page.get_by_role("button", name="Copy with citations").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert "Refunds are paid to the card that was used for the purchase. [^1]" in copied
    assert re.search(r"^\[\^1\]: Refunds \(.*How it is paid.*\): “Refunds are paid", copied, re.MULTILINE)


def test_an_answer_is_given_again_in_its_place(page):
    ask(page, "How are refunds paid?")
    answered = page.locator(".way .facts")
    page.get_by_role("button", name="Answer again").click()
    expect(page.locator(".turn.pending")).to_have_count(0)
    expect(answered).not_to_contain_text("answered before")
    expect(page.locator(".turn")).to_have_count(1)
    page.reload()
    expect(page.locator(".turn")).to_have_count(1)


def test_a_question_is_edited_and_what_followed_is_taken_back(page):
    ask(page, "How are refunds paid?")
    ask(page, "And how long does it take?")
    page.locator(".question-row").first.hover()
    page.get_by_role("button", name="Edit this question").first.click()
    box = page.get_by_role("textbox", name="Your question")
    expect(box).to_have_value("How are refunds paid?")
    box.fill("What does fault code GB-7731 mean?")
    box.press("Enter")
    expect(page.locator(".question")).to_have_text(["What does fault code GB-7731 mean?"])
    expect(page.locator(".answer")).to_contain_text("oil pressure")
    page.reload()
    expect(page.locator(".question")).to_have_text(["What does fault code GB-7731 mean?"])


def test_a_follow_up_is_understood(page):
    ask(page, "How are refunds paid?")
    ask(page, "And how long does it take?")
    expect(page.locator(".understood")).to_contain_text("Understood as:")
    expect(page.locator(".answer").last).to_contain_text("five working days")


def test_what_is_offered_next_is_answered(page):
    ask(page, "How are refunds paid?")
    offered = page.get_by_role("navigation", name="Go on with").get_by_role("button").first
    offered.click()
    expect(page.locator(".turn .actions")).to_have_count(2)
    expect(page.locator(".kind.rejection")).to_have_count(0)


def test_keys_lead_to_the_box_and_bring_the_last_question_back(page):
    ask(page, "How are refunds paid?")
    page.locator(".source").first.focus()
    page.keyboard.press("/")
    box = page.locator(".composer textarea")
    expect(box).to_be_focused()
    expect(box).to_have_value("")
    page.keyboard.press("ArrowUp")
    expect(box).to_have_value("How are refunds paid?")
    page.keyboard.press("Escape")
    expect(box).to_have_value("")


def test_filter_leaves_out_what_it_does_not_name(page):
    page.get_by_role("button", name="Filters").click()
    page.get_by_role("button", name="Recordings").click()
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Filters (1)")).to_be_visible()
    ask(page, "How are refunds paid?")
    expect(page.locator(".kind.rejection")).to_be_visible()


def test_a_judgement_is_stored(page):
    ask(page, "Within how many days is a refund granted?")
    page.get_by_role("button", name="Good answer").click()
    page.get_by_role("textbox", name="Comment on this answer").fill("Found at once")
    page.get_by_role("button", name="Send comment").click()
    expect(page.get_by_text("Thank you, your comment is stored.")).to_be_visible()
    page.reload()
    expect(page.get_by_role("button", name="Good answer")).to_have_attribute("aria-pressed", "true")


def test_what_documents_say_is_never_markup(page):
    ask(page, "Where is the zebra password kept?")
    page.locator(".chip").first.click()
    expect(page.locator(".reader")).to_contain_text("<script>window.hacked=1</script>")
    expect(page.locator(".reader h2").first).to_contain_text("Zebra <img src=x onerror=window.hacked=1>")
    assert page.evaluate("window.hacked") is None


def test_an_answer_that_takes_long_is_stopped_and_asked_again(browser, home, tmp_path, scripted_chat_server):
    scripted_chat_server.script(pauses(60, says("{}")))
    model = {"ASCERTAIN_MODELS__CHAT__MODEL": "tiny", "ASCERTAIN_MODELS__CHAT__BASE_URL": scripted_chat_server.base_url}
    with service(home, free_port(), tmp_path / "slow.log", **model) as url, visit(browser) as page:
        page.goto(url)
        box = page.locator(".composer textarea")
        box.fill("How are the housing bolts of the gearbox tightened?")
        box.press("Enter")
        page.locator(".steps .running").wait_for()
        page.get_by_role("button", name="Stop").click()
        expect(page.get_by_text("Stopped.")).to_be_visible()
        page.reload()
        expect(page.get_by_text("Stopped.")).to_be_visible()
        scripted_chat_server.script(says("no"))
        page.get_by_role("button", name="Ask again").click()
        expect(page.locator(".answer")).to_contain_text("45 newton metres")
        expect(page.locator(".turn")).to_have_count(1)


def test_a_reload_in_the_middle_of_an_answer_goes_on_with_it(browser, home, tmp_path, scripted_chat_server):
    scripted_chat_server.script(pauses(4, says("no")))
    model = {"ASCERTAIN_MODELS__CHAT__MODEL": "tiny", "ASCERTAIN_MODELS__CHAT__BASE_URL": scripted_chat_server.base_url}
    with service(home, free_port(), tmp_path / "slow.log", **model) as url, visit(browser) as page:
        page.goto(url)
        box = page.locator(".composer textarea")
        box.fill("How are the housing bolts of the gearbox tightened?")
        box.press("Enter")
        page.locator(".steps .running").wait_for()
        page.reload()
        expect(page.locator(".turn.pending")).to_be_visible()
        expect(page.locator(".answer")).to_contain_text("45 newton metres")


def test_a_service_that_is_away_is_said_and_nothing_is_lost(browser, home, tmp_path):
    port = free_port()
    with visit(browser) as page:
        with service(home, port, tmp_path / "one.log") as url:
            page.goto(url)
            ask(page, "How are refunds paid?")
        box = page.locator(".composer textarea")
        box.fill("What does fault code GB-7731 mean?")
        box.press("Enter")
        expect(page.get_by_text("The service does not answer")).to_be_visible()
        expect(page.locator(".question").last).to_have_text("What does fault code GB-7731 mean?")
        with service(home, port, tmp_path / "two.log"):
            page.get_by_role("button", name="Ask again").click()
            expect(page.locator(".answer").last).to_contain_text("oil pressure")


def test_conversations_are_named_searched_pinned_saved_and_deleted(page, tmp_path):
    ask(page, "How are the bolts tightened?")
    row = page.get_by_role("region", name="Conversations").get_by_role("listitem").filter(has_text="How are the bolts")
    menu = row.first.get_by_role("button", name="More about")
    menu.click()
    page.get_by_role("menuitem", name="Rename").click()
    page.get_by_role("textbox", name="Name of the conversation").fill("Gearbox bolts")
    page.keyboard.press("Enter")
    named = page.get_by_role("region", name="Conversations").get_by_role("listitem").filter(has_text="Gearbox bolts")
    expect(named).to_have_count(1)
    expect(page).to_have_title("Gearbox bolts – Ascertain")
    for form, suffix in (("Save as Markdown", "md"), ("Save as JSON", "json")):
        named.get_by_role("button", name="More about").click()
        with page.expect_download() as saved:
            page.get_by_role("menuitem", name=form).click()
        assert saved.value.suggested_filename == f"Gearbox bolts.{suffix}"
        file = tmp_path / saved.value.suggested_filename
        saved.value.save_as(file)
        text = file.read_text(encoding="utf-8")
        assert "45 newton metres" in text
        assert suffix == "md" or json.loads(text)["turns"][0]["question"] == "How are the bolts tightened?"
    named.get_by_role("button", name="More about").click()
    page.get_by_role("menuitem", name="Pin").click()
    page.get_by_role("link", name="New conversation").click()
    ask(page, "How are refunds paid?")
    first = page.get_by_role("region", name="Conversations").get_by_role("listitem").first
    expect(first).to_contain_text("Gearbox bolts")
    first.get_by_role("button", name="More about").click()
    page.get_by_role("menuitem", name="Delete").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(named).to_have_count(0)
