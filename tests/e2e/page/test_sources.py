"""Places that are read again and again, on the page: added, read, failing, removed, by those who may."""

import subprocess
from contextlib import closing

import pytest
from page_keys import new_key, sign_in
from playwright.sync_api import expect
from running_page import PATIENCE, PHONE, free_port, service, visit
from served_page import find_violations
from web_site import Reply, WebSite, article

pytestmark = pytest.mark.slow

expect.set_options(timeout=PATIENCE * 1000)


@pytest.fixture
def site():
    with closing(WebSite()) as served:
        served.pages["/robots.txt"] = b"User-agent: *\nDisallow:\n"
        served.pages["/guide/"] = article("Guide", 'All about animals of the river. <a href="otters.html">Otters</a>')
        served.pages["/guide/otters.html"] = article(
            "Otters", "Otters live in rivers and eat fish all day long, and they sleep on their backs."
        )
        yield served


@pytest.fixture
def watched(home, site, tmp_path):
    """A service of one's own that may reach the site, with keys of an administrator and of a reader."""
    copy = tmp_path / "kb"
    subprocess.run(["cp", "-r", str(home), str(copy)], check=True)
    keys = {"ann": new_key(copy, "ann", "--role", "admin"), "ben": new_key(copy, "ben", "--role", "read")}
    allowed = {"ASCERTAIN_WEB__ALLOWED_HOSTS": f'["{site.host}"]', "ASCERTAIN_WEB__RETRIES": "0"}
    with service(copy, free_port(), tmp_path / "log", **allowed) as url:
        yield url, keys


def add(page, address, **options):
    page.get_by_role("button", name="Add a source").click()
    form = page.get_by_role("form", name="Add a source")
    form.get_by_label("Address").fill(address)
    for label, value in options.items():
        form.get_by_label(label).fill(value)
    form.get_by_role("button", name="Add and read").click()


@pytest.mark.sample
def test_a_site_is_added_read_again_and_removed(browser, watched, site):
    url, keys = watched
    with visit(browser) as page:
        sign_in(page, url, keys["ann"])
        page.get_by_role("link", name="Sources", exact=True).click()
        expect(page.get_by_text("There are no sources yet")).to_be_visible()
        page.get_by_role("button", name="Add a source").click()
        assert find_violations(page) == []
        page.get_by_role("button", name="Cancel").click()
        add(page, f"{site.url}/guide/", **{"Seconds between two requests": "0", "Tags, separated": "river"})
        row = page.locator(".watched")
        expect(row.locator(".badge")).to_have_text("up to date")
        expect(row).to_contain_text("2 added")
        expect(row).to_contain_text("in 24 hr")
        assert find_violations(page) == []
        site.pages["/guide/"] = article("Guide", "All about animals of the river, and no links.")
        del site.pages["/guide/otters.html"]
        row.get_by_role("button", name="Read now").click()
        expect(row).to_contain_text("1 deleted")
        row.get_by_role("link", name="Documents with the tag river").click()
        expect(page.locator(".document")).to_have_count(1)
        page.go_back()
        page.get_by_role("button", name="Remove").click()
        page.get_by_role("dialog").get_by_role("button", name="Remove").click()
        expect(page.get_by_text("Removed, with 1 document.")).to_be_visible()
        expect(page.locator(".watched")).to_have_count(0)


def test_a_source_that_cannot_be_read_says_why_and_a_reader_only_looks(browser, watched, site):
    url, keys = watched
    site.pages["/robots.txt"] = Reply(b"", 503)
    with visit(browser) as hers, visit(browser, PHONE, "dark") as his:
        sign_in(hers, url, keys["ann"])
        hers.goto(f"{url}/?view=sources")
        add(hers, f"{site.url}/guide/")
        expect(hers.locator(".watched .badge")).to_have_text("failed")
        expect(hers.locator(".watched .warning")).to_contain_text("robots.txt")
        add(hers, f"{site.url}/guide/")
        expect(hers.get_by_role("alert")).to_contain_text("is read already")
        his.goto(url)
        his.get_by_label("Key").fill(keys["ben"])
        his.get_by_role("button", name="Use this key").click()
        his.locator(".composer").wait_for()
        his.goto(f"{url}/?view=sources")
        expect(his.locator(".watched")).to_contain_text("robots.txt")
        expect(his.locator("main").get_by_role("button")).to_have_count(1)  # the menu
        assert find_violations(his) == []
        assert his.evaluate("document.documentElement.scrollWidth") <= PHONE[0]


def test_secrets_are_named_and_never_written(browser, watched):
    url, keys = watched
    with visit(browser) as page:
        sign_in(page, url, keys["ann"])
        page.goto(f"{url}/?view=sources")
        page.get_by_role("button", name="Add a source").click()
        form = page.get_by_role("form", name="Add a source")
        form.get_by_role("combobox", name="What it is").select_option("imap")
        form.get_by_label("Address").fill("imaps://127.0.0.1:1/INBOX")
        form.get_by_label("User name").fill("ann")
        form.get_by_label("Environment variable with it").fill("PAGE_TEST_SECRET")
        form.get_by_role("button", name="Add and read").click()
        expect(page.get_by_role("alert")).to_contain_text("PAGE_TEST_SECRET, which is not set")
        form.get_by_role("combobox", name="What it is").select_option("folder")
        expect(form.get_by_text("ascertain source add")).to_be_visible()
        expect(form.get_by_role("button", name="Add and read")).to_have_count(0)
