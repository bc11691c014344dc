"""Keys and users in the settings: the first closes the service, and whoever made it stays in."""

import subprocess

import pytest
from page_keys import new_key, sign_in
from playwright.sync_api import expect
from running_page import PATIENCE, PHONE, free_port, service, visit
from served_page import find_violations

pytestmark = pytest.mark.slow

expect.set_options(timeout=PATIENCE * 1000)


@pytest.fixture
def copy(home, tmp_path):
    subprocess.run(["cp", "-r", str(home), str(tmp_path / "kb")], check=True)
    return tmp_path / "kb"


def make(page, name, **choices):
    page.get_by_label("What it is for").fill(name)
    for label, value in choices.items():
        page.get_by_label(label).select_option(value)
    page.get_by_role("button", name="Make the key").click()
    dialog = page.get_by_role("dialog", name=f"The key of {name}")
    text = dialog.get_by_role("textbox", name="Key").input_value()
    assert find_violations(page) == []
    dialog.get_by_role("button", name="Done").click()
    return text


def test_the_first_key_closes_the_service_and_leaves_its_maker_in(browser, copy, tmp_path):
    with service(copy, free_port(), tmp_path / "log") as url, visit(browser) as page, visit(browser) as stranger:
        page.goto(f"{url}/?view=settings")
        expect(page.get_by_text("Everyone on this machine may use the service")).to_be_visible()
        text = make(page, "Kim's laptop")
        assert text.startswith("ask_")
        expect(page.locator(".key-row")).to_contain_text("yours")
        page.get_by_role("button", name="Preferences").click()
        expect(page.get_by_role("button", name="Sign out")).to_be_visible()
        page.keyboard.press("Escape")
        page.locator(".new-key summary").click()
        reader = make(page, "tablet", **{"What it may do": "read"})
        expect(page.locator(".key-row", has_text="tablet")).to_contain_text("Asks and reads")
        expect(page.locator(".key-row", has_text="yours")).to_contain_text("Kim's laptop")
        assert reader != text
        page.reload()
        expect(page.locator(".key-row").first).to_contain_text("Kim's laptop")
        assert text not in page.content()
        stranger.goto(url)
        expect(stranger.get_by_role("heading", name="This service requires a key")).to_be_visible()
        sign_in(stranger, url, text)


def test_keys_are_made_turned_and_revoked_by_an_administrator(browser, copy, tmp_path):
    boss = new_key(copy, "boss", "--role", "admin")
    with service(copy, free_port(), tmp_path / "log") as url, visit(browser) as page, visit(browser) as kim:
        sign_in(page, url, boss)
        page.goto(f"{url}/?view=settings")
        page.locator(".new-key summary").click()
        page.get_by_role("combobox", name="User").fill("kim")
        text = make(page, "tablet", **{"What it may do": "read", "How long it lasts": "30d"})
        row = page.locator(".key-row", has_text="tablet")
        expect(row).to_contain_text("Asks and reads")
        sign_in(kim, url, text)
        expect(kim.get_by_role("link", name="Settings")).to_have_count(0)
        row.get_by_role("button", name="More about the key tablet").click()
        row.get_by_role("menuitem", name="New text").click()
        page.get_by_role("dialog").get_by_role("button", name="New text").click()
        second = page.get_by_role("dialog").get_by_role("textbox", name="Key").input_value()
        page.get_by_role("dialog").get_by_role("button", name="Done").click()
        assert second != text
        kim.wait_for_timeout(4000)  # as long as a key that was good is not looked up again
        kim.reload()
        sign_in(kim, url, second)
        row.get_by_role("button", name="More about the key tablet").click()
        row.get_by_role("menuitem", name="Revoke").click()
        page.get_by_role("dialog").get_by_role("button", name="Revoke").click()
        expect(page.locator(".keys").first.locator(".key-row")).to_have_count(1)
        page.get_by_text("Revoked and ended").click()
        expect(row).to_contain_text("revoked")
        page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
        assert find_violations(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE[0]
