"""Coming in without a key: at a provider, which is a real one on loopback, and by a proxy; and what is said where that fails."""

import subprocess

import pytest
from oidc_provider import OidcProvider
from page_keys import new_key, sign_in
from playwright.sync_api import expect
from running_page import PATIENCE, PHONE, free_port, service, visit
from served_page import ask, find_violations

pytestmark = pytest.mark.slow

expect.set_options(timeout=PATIENCE * 1000)


@pytest.fixture(scope="module")
def provider():
    provider = OidcProvider()
    provider.shows_button = True
    yield provider
    provider.close()


@pytest.fixture(scope="module")
def home_of_ours(home, tmp_path_factory):
    copy = tmp_path_factory.mktemp("signing") / "kb"
    subprocess.run(["cp", "-r", str(home), str(copy)], check=True)
    return copy


@pytest.fixture(scope="module")
def address_of_ours(home_of_ours, provider, tmp_path_factory):
    settings = {
        "ASCERTAIN_SERVER__OIDC__ISSUER": provider.issuer,
        "ASCERTAIN_SERVER__OIDC__CLIENT_ID": provider.client_id,
        "ASCERTAIN_SERVER__OIDC__CLIENT_SECRET_VARIABLE": "OUR_OIDC_SECRET",
        "ASCERTAIN_SERVER__OIDC__LABEL": "Example",
        "ASCERTAIN_SERVER__ACCESS__WRITERS": "staff",
        "OUR_OIDC_SECRET": provider.client_secret,
    }
    with service(home_of_ours, free_port(), tmp_path_factory.mktemp("log") / "log", **settings) as url:
        yield url


@pytest.fixture(autouse=True)
def as_good_as_new(provider):
    provider.restore()


def go_to_provider(page, address):
    page.goto(address)
    page.get_by_role("link", name="Sign in with Example").click()
    page.get_by_role("link", name="Continue as Kim").click()


@pytest.mark.sample
def test_somebody_signs_in_at_the_provider_comes_back_to_the_place_and_signs_out(browser, address_of_ours):
    with visit(browser) as page, visit(browser, PHONE) as phone:
        page.goto(f"{address_of_ours}/?view=documents")
        expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
        assert find_violations(page) == []
        page.get_by_role("link", name="Sign in with Example").click()
        page.get_by_role("link", name="Continue as Kim").click()
        page.locator(".document").first.wait_for()
        assert page.url == f"{address_of_ours}/?view=documents"
        page.reload()
        page.locator(".document").first.wait_for()
        page.get_by_role("link", name="New conversation").click()
        ask(page, "How are refunds paid?")
        link = page.url
        # the same person on the phone has the same conversation, by its link
        phone.goto(link)
        phone.get_by_role("link", name="Sign in with Example").click()
        phone.get_by_role("link", name="Continue as Kim").click()
        expect(phone.locator(".answer")).to_contain_text("to the card")
        page.get_by_role("button", name="Preferences").click()
        expect(page.get_by_text("Signed in as")).to_be_visible()
        expect(page.get_by_role("dialog").get_by_text("Kim Lee")).to_be_visible()
        assert find_violations(page) == []
        page.get_by_role("button", name="Sign out").click()
        expect(page.get_by_role("link", name="Sign in with Example")).to_be_visible()
        expect(phone.locator(".answer")).to_be_visible()


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"person": None}, "this was declined"),
        ({"person": {"sub": "eve", "groups": ["strangers"]}}, "you have no access here yet"),
        ({"faults": {"wrong-key"}}, "could not be trusted"),
    ],
    ids=["declined", "no role", "wrong key"],
)
def test_why_somebody_is_not_let_in_is_said_once_and_the_next_try_is_a_click_away(
    browser, address_of_ours, provider, change, told
):
    for name, value in change.items():
        setattr(provider, name, value)
    with visit(browser, PHONE) as page:
        go_to_provider(page, address_of_ours)
        expect(page.get_by_role("alert").filter(has_text=told)).to_be_visible()
        assert "sign_in" not in page.url
        assert find_violations(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE[0]
        provider.restore()
        go_to_provider(page, page.url)
        expect(page.locator(".composer")).to_be_visible()


def test_a_provider_that_is_away_is_said_before_anybody_leaves(browser, home_of_ours, tmp_path):
    gone = OidcProvider()
    gone.close()
    settings = {"ASCERTAIN_SERVER__OIDC__ISSUER": gone.issuer, "ASCERTAIN_SERVER__OIDC__CLIENT_ID": "ascertain"}
    with service(home_of_ours, free_port(), tmp_path / "log", **settings) as url, visit(browser) as page:
        page.goto(url)
        page.get_by_role("link", name="Sign in with 127.0.0.1").click()
        expect(page.get_by_role("alert").filter(has_text="does not answer as it should")).to_be_visible()


def test_an_administrator_with_a_key_sees_who_is_signed_in_and_signs_them_out(browser, address_of_ours, home_of_ours):
    boss = new_key(home_of_ours, "boss", "--role", "admin")
    with visit(browser) as kim, visit(browser) as admin:
        go_to_provider(kim, address_of_ours)
        expect(kim.locator(".composer")).to_be_visible()
        admin.goto(address_of_ours)
        admin.get_by_text("Use a key instead").click()
        admin.get_by_label("Key").fill(boss)
        admin.get_by_role("button", name="Use this key").click()
        admin.get_by_role("link", name="Settings").click()
        row = admin.locator(".signed-in .key-row").first
        expect(row).to_contain_text("Kim Lee")
        assert find_violations(admin) == []
        for _ in range(admin.locator(".signed-in .key-row").count()):
            row.get_by_role("button", name="More about the sign-in of Kim Lee").click()
            row.get_by_role("menuitem", name="Sign out").click()
            admin.get_by_role("dialog").get_by_role("button", name="Sign out").click()
            expect(admin.get_by_text("is signed out there")).to_be_visible()
            admin.wait_for_timeout(500)
        expect(admin.locator(".signed-in")).to_have_count(0)
        kim.wait_for_timeout(4000)  # as long as a key that was good is not looked up again
        kim.reload()
        expect(kim.get_by_role("link", name="Sign in with Example")).to_be_visible()


def test_users_of_a_proxy_are_known_and_one_without_a_role_is_told(browser, home_of_ours, tmp_path):
    settings = {
        "ASCERTAIN_SERVER__PROXY__USER_HEADER": "X-Forwarded-User",
        "ASCERTAIN_SERVER__PROXY__ADDRESSES": "127.0.0.1",
        "ASCERTAIN_SERVER__ACCESS__READERS": "user:kim",
    }
    with service(home_of_ours, free_port(), tmp_path / "log", **settings) as url, visit(browser) as page:
        page.set_extra_http_headers({"X-Forwarded-User": "kim"})
        page.goto(url)
        page.get_by_role("button", name="Preferences").click()
        expect(page.get_by_text("The proxy in front of this service signed you in.")).to_be_visible()
        expect(page.get_by_role("button", name="Sign out")).to_have_count(0)
        page.set_extra_http_headers({"X-Forwarded-User": "eve"})
        page.goto(url)
        expect(page.get_by_role("heading", name="You have no access here yet")).to_be_visible()
        assert find_violations(page) == []


def test_an_administrator_of_another_tenant_sees_its_keys_and_changes_nothing_for_all(browser, home_of_ours, tmp_path):
    boss = new_key(home_of_ours, "pressboss", "--role", "admin", "--tenant", "press")
    with service(home_of_ours, free_port(), tmp_path / "log") as url, visit(browser) as page:
        sign_in(page, url, boss)
        page.get_by_role("link", name="Settings").click()
        expect(page.get_by_role("heading", name="Keys and users")).to_be_visible()
        expect(page.get_by_role("heading", name="What leaves this machine")).to_be_visible()
        expect(page.get_by_role("heading", name="Search by meaning")).to_have_count(0)
        expect(page.get_by_role("link", name="Evaluation")).to_have_count(0)
        assert find_violations(page) == []


def test_people_come_in_by_name_and_password_and_change_it(browser, home, tmp_path):
    copy = tmp_path / "kb"
    subprocess.run(["cp", "-r", str(home), str(copy)], check=True)
    with service(copy, free_port(), tmp_path / "log") as url, visit(browser) as boss, visit(browser, PHONE) as kim:
        boss.goto(f"{url}/?view=settings")
        boss.get_by_text("Let somebody in").click()
        let_in(boss, "boss", "a long one of mine")
        # the first closed the service, and whoever made it is in
        expect(boss.locator(".people .key-row", has_text="you")).to_contain_text("boss")
        boss.get_by_text("Let somebody in").click()
        boss.get_by_label("What this person may do").select_option("read")
        let_in(boss, "kim", "what the boss chose")
        expect(boss.locator(".people .key-row", has_text="kim")).to_contain_text("Asks and reads")
        assert find_violations(boss) == []
        kim.goto(url)
        expect(kim.get_by_role("heading", name="Sign in")).to_be_visible()
        assert find_violations(kim) == []
        come_in(kim, "kim", "something else")
        expect(kim.get_by_role("alert").filter(has_text="do not belong together")).to_be_visible()
        come_in(kim, "kim", "what the boss chose")
        kim.locator(".composer").wait_for()
        kim.get_by_role("button", name="Menu").click()
        kim.get_by_role("button", name="Preferences").click()
        kim.get_by_role("button", name="Change the password").click()
        form = kim.get_by_role("dialog", name="Change the password")
        form.get_by_label("Password in force").fill("what the boss chose")
        form.get_by_label("New password").fill("what nobody else knows")
        assert find_violations(kim) == []
        assert kim.evaluate("document.documentElement.scrollWidth") <= PHONE[0]
        form.get_by_role("button", name="Change the password").click()
        kim.wait_for_timeout(4000)  # as long as a key that was good is not looked up again
        kim.goto(url)
        come_in(kim, "kim", "what nobody else knows")
        kim.locator(".composer").wait_for()
        boss.locator(".people .key-row", has_text="kim").get_by_role("button").click()
        boss.get_by_role("menuitem", name="Remove").click()
        boss.get_by_role("dialog").get_by_role("button", name="Remove").click()
        expect(boss.locator(".people .key-row")).to_have_count(1)
        kim.wait_for_timeout(4000)
        kim.reload()
        expect(kim.get_by_role("heading", name="Sign in")).to_be_visible()


def let_in(page, name, password):
    form = page.locator("details.new-person")
    form.get_by_label("Name").fill(name)
    form.get_by_label("New password").fill(password)
    form.get_by_role("button", name="Let in").click()


def come_in(page, name, password):
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign in").click()
