"""What a question may be answered from, ticked; and settings of the service, looked at and changed."""

import subprocess
from urllib.parse import urlsplit

import pytest
from page_keys import new_key, sign_in
from playwright.sync_api import expect
from round_robin import Gate
from running_page import PATIENCE, PHONE, free_port, service, visit
from served_page import ask, find_violations

pytestmark = pytest.mark.slow

expect.set_options(timeout=PATIENCE * 1000)


@pytest.mark.sample
def test_only_what_is_ticked_is_asked(page, address):
    page.get_by_role("button", name="Sources of the answer").click()
    page.get_by_role("dialog").get_by_role("searchbox").fill("gearbox")
    page.get_by_role("checkbox", name="Gearbox manual").check()
    assert find_violations(page) == []
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Sources of the answer: 1 source")).to_be_visible()
    ask(page, "How are refunds paid?")
    expect(page.locator(".kind.rejection")).to_be_visible()
    page.get_by_role("button", name="Sources of the answer").click()
    page.get_by_role("button", name="Ask all").click()
    page.keyboard.press("Escape")
    ask(page, "How are refunds paid?")
    expect(page.locator(".answer").last).to_contain_text("to the card")


def test_ticked_sources_are_kept_as_a_notebook_and_ticked_again_by_its_name(page, address):
    opener = page.get_by_role("button", name="Sources of the answer")
    opener.click()
    page.get_by_role("checkbox", name="Gearbox manual").check()
    page.get_by_role("checkbox", name="Refunds").check()
    page.get_by_role("textbox", name="Name of a notebook").fill("Workshop")
    page.get_by_role("textbox", name="Name of a notebook").press("Enter")
    expect(page.get_by_role("button", name="Workshop", exact=True)).to_have_attribute("aria-pressed", "true")
    assert find_violations(page) == []
    page.evaluate("localStorage.clear()")
    page.reload()
    opener.click()
    expect(page.get_by_role("checkbox", name="Refunds")).not_to_be_checked()
    page.get_by_role("button", name="Workshop", exact=True).click()
    expect(page.get_by_role("checkbox", name="Refunds")).to_be_checked()
    page.keyboard.press("Escape")
    ask(page, "How often is the sourdough starter fed?")
    expect(page.locator(".kind.rejection")).to_be_visible()
    opener.click()
    page.get_by_role("button", name="Delete the notebook Workshop").click()
    expect(page.get_by_role("button", name="Workshop", exact=True)).to_have_count(0)


def test_a_notebook_is_there_on_the_phone_and_for_others_once_it_is_shared(browser, home, tmp_path):
    copy = tmp_path / "kb"
    subprocess.run(["cp", "-r", str(home), str(copy)], check=True)
    ann, ben = new_key(copy, "ann"), new_key(copy, "ben", "--role", "read")
    with service(copy, free_port(), tmp_path / "log") as url, visit(browser) as hers, visit(browser) as his:
        # one that this browser alone had, from before the service had them
        hers.goto(url)
        kept = '[{"name": "Bread", "sources": ["/nowhere/*"]}]'
        hers.evaluate(f"localStorage.setItem('ascertain.notebooks', '{kept}')")
        sign_in(hers, url, ann)
        sign_in(his, url, ben)
        opener = "Sources of the answer"
        hers.get_by_role("button", name=opener).click()
        expect(hers.get_by_role("button", name="Bread", exact=True)).to_be_visible()
        hers.get_by_role("checkbox", name="Gearbox manual").check()
        hers.get_by_role("textbox", name="Name of a notebook").fill("Workshop")
        hers.get_by_role("button", name="Keep").click()
        expect(hers.get_by_text("It is yours alone")).to_be_visible()
        his.get_by_role("button", name=opener).click()
        expect(his.get_by_role("checkbox", name="Refunds")).to_be_visible()
        expect(his.get_by_role("button", name="Workshop")).to_have_count(0)
        hers.get_by_role("button", name="Share the notebook Workshop").click()
        expect(hers.get_by_text("Everybody who sees your documents")).to_be_visible()
        hers.get_by_role("checkbox", name="Refunds").check()
        hers.get_by_role("button", name="Put these into Workshop").click()
        expect(hers.get_by_role("button", name="Workshop", exact=True)).to_have_attribute("aria-pressed", "true")
        assert find_violations(hers) == []
        his.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
        his.reload()
        his.get_by_role("button", name=opener).click()
        his.get_by_role("button", name="Workshop · ann").click()
        expect(his.get_by_role("checkbox", name="Refunds")).to_be_checked()
        expect(his.get_by_role("button", name="Delete the notebook")).to_have_count(0)
        expect(his.get_by_role("button", name="Bread", exact=True)).to_have_count(0)
        assert find_violations(his) == []
        assert his.evaluate("document.documentElement.scrollWidth") <= PHONE[0]


def test_documents_are_narrowed_ticked_in_the_list_and_asked(page, address):
    page.goto(f"{address}/?view=documents")
    page.get_by_role("combobox", name="Kind").select_option("transcript")
    expect(page.locator(".document")).to_have_count(2)
    page.get_by_role("combobox", name="Tag").select_option("shelf")
    expect(page.locator(".document")).to_have_count(2)
    page.get_by_role("checkbox", name="Ask bread").check()
    page.get_by_role("button", name="Ask these").click()
    ask(page, "How are refunds paid?")
    expect(page.locator(".kind.rejection")).to_be_visible()
    ask(page, "How often is the sourdough starter fed?")
    expect(page.locator(".answer").last).to_contain_text("twice a day")


def test_settings_are_changed_for_the_next_question_and_say_what_leaves(browser, home, tmp_path):
    copy = tmp_path / "kb"
    subprocess.run(["cp", "-r", str(home), str(copy)], check=True)
    with service(copy, free_port(), tmp_path / "log") as url, visit(browser) as page:
        page.goto(f"{url}/?view=settings")
        expect(page.get_by_text("Nothing: documents, questions and answers stay here.")).to_be_visible()
        sentences = page.get_by_role("spinbutton", name="Most sentences")
        sentences.fill("1")
        sentences.blur()
        expect(page.get_by_text("Stored. It counts from the next question on.")).to_be_visible()
        page.get_by_role("button", name="Look for models on this machine").click()
        page.locator("section[aria-labelledby=chat-model] :is(.state, .server)").first.wait_for()
        assert find_violations(page) == []
        page.get_by_role("link", name="Chat").click()
        ask(page, "How do refunds work?")
        expect(page.locator(".sentence")).to_have_count(1)
        page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
        page.goto(f"{url}/?view=settings")
        expect(page.get_by_role("spinbutton", name="Most sentences")).to_have_value("1")
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE[0]


def test_a_conversation_is_shared_by_link_and_kept_to_oneself_again(browser, home, tmp_path):
    copy = tmp_path / "kb"
    subprocess.run(["cp", "-r", str(home), str(copy)], check=True)
    ann, ben = new_key(copy, "ann"), new_key(copy, "ben", "--role", "read")
    with service(copy, free_port(), tmp_path / "log") as url, visit(browser) as hers, visit(browser) as his:
        sign_in(hers, url, ann)
        expect(hers.get_by_role("link", name="Settings")).to_have_count(0)
        ask(hers, "How are refunds paid?")
        link = hers.url
        sign_in(his, url, ben)
        his.goto(link)
        expect(his.locator(".state.bad")).to_be_visible()
        menu = hers.get_by_role("button", name="More about How are refunds paid?")
        menu.click()
        hers.get_by_role("menuitem", name="Share by link").click()
        expect(hers.get_by_text("The link is")).to_be_visible()
        his.goto(link)
        expect(his.locator(".answer")).to_contain_text("to the card")
        expect(his.get_by_text("Someone shared this conversation")).to_be_visible()
        expect(his.locator(".composer")).to_have_count(0)
        assert find_violations(his) == []
        menu.click()
        hers.get_by_role("menuitem", name="Stop sharing").click()
        expect(hers.get_by_text("Only you can read it again.")).to_be_visible()
        his.goto(link)
        expect(his.locator(".state.bad")).to_be_visible()
        his.goto(f"{url}/?view=documents")
        his.locator(".document").first.wait_for()
        expect(his.get_by_role("button", name="Choose files")).to_have_count(0)


def test_a_slow_service_leaves_the_question_in_sight_and_its_answer_comes(browser, address):
    gate = Gate(urlsplit(address).port)
    try:
        with visit(browser) as page:
            page.goto(gate.url)
            page.locator(".examples button").first.wait_for()
            gate.shut()
            box = page.locator(".composer textarea")
            box.fill("How are refunds paid?")
            box.press("Enter")
            expect(page.locator(".question")).to_have_text("How are refunds paid?")
            expect(page.locator(".steps")).to_contain_text("Sending the question")
            gate.open()
            expect(page.locator(".answer")).to_contain_text("to the card")
    finally:
        gate.close()


def test_two_tabs_ask_at_once_and_each_keeps_its_own_conversation(browser, address):
    with visit(browser) as first:
        second = first.context.new_page()
        for tab, question in ((first, "How are refunds paid?"), (second, "How often is the sourdough starter fed?")):
            tab.goto(address)
            tab.locator(".composer textarea").fill(question)
            tab.locator(".composer textarea").press("Enter")
        expect(first.locator(".answer")).to_contain_text("to the card")
        expect(second.locator(".answer")).to_contain_text("twice a day")
        assert first.url != second.url
        expect(first.locator(".question")).to_have_text(["How are refunds paid?"])
