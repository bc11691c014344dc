"""The embedding model and the news providers in the settings: what each takes and sends is said before it is used."""

import subprocess

import pytest
from embedding_api import embeds
from news_stories import MOON
from playwright.sync_api import expect
from running_page import PATIENCE, free_port, service, visit
from scripted_chat_server import fails
from searxng_api import SearxngServer
from served_page import ask, find_violations

pytestmark = pytest.mark.slow

expect.set_options(timeout=PATIENCE * 1000)


@pytest.fixture
def copy(home, tmp_path):
    subprocess.run(["cp", "-r", str(home), str(tmp_path / "kb")], check=True)
    return tmp_path / "kb"


def test_everything_moves_to_another_embedding_model_once_its_cost_was_seen(
    browser, copy, tmp_path, scripted_chat_server
):
    scripted_chat_server.reply_by(embeds())
    name = f"openai:scripted?base_url={scripted_chat_server.base_url}&retries=0"
    with service(copy, free_port(), tmp_path / "log") as url, visit(browser) as page:
        page.goto(f"{url}/?view=settings")
        section = page.get_by_role("region", name="Search by meaning")
        section.get_by_text("Move to another model").click()
        section.get_by_role("combobox", name="Model").fill(name)
        section.get_by_role("button", name="Estimate the move").click()
        expect(section.get_by_text("Everything stays on this machine.")).to_be_visible()
        expect(section.get_by_text("less than a minute")).to_be_visible()
        assert find_violations(page) == []
        scripted_chat_server.reply_by(lambda request: fails(400))
        section.get_by_role("button", name="Move to it").click()
        page.get_by_role("dialog").get_by_role("button", name="Move").click()
        expect(section.get_by_text("did not finish")).to_be_visible()
        assert find_violations(page) == []
        scripted_chat_server.reply_by(embeds())
        section.get_by_role("button", name="Continue it").click()
        expect(section.locator(".theme b").first).to_have_text(name)
        expect(section.get_by_text("did not finish")).to_have_count(0)
        page.get_by_role("link", name="Chat").click()
        ask(page, "How are refunds paid?")
        expect(page.locator(".answer").last).to_contain_text("to the card")


def test_a_model_that_cannot_be_used_says_what_is_missing(browser, copy, tmp_path):
    with service(copy, free_port(), tmp_path / "log", OPENAI_API_KEY="") as url, visit(browser) as page:
        page.goto(f"{url}/?view=settings")
        section = page.get_by_role("region", name="Search by meaning")
        section.get_by_text("Move to another model").click()
        section.get_by_role("combobox", name="Model").fill("openai:text-embedding-3-small")
        section.get_by_role("button", name="Estimate the move").click()
        expect(section.get_by_role("alert")).to_contain_text("OPENAI_API_KEY")
        expect(section.get_by_role("button", name="Move to it")).to_have_count(0)


def test_a_news_provider_is_tried_used_and_then_named_among_what_leaves(browser, copy, tmp_path):
    with SearxngServer([MOON]) as searxng:
        settings = {
            "ASCERTAIN_NEWS__SEARXNG__URL": searxng.url,
            "ASCERTAIN_WEB__ALLOWED_HOSTS": f'["{searxng.host}"]',
            "TAVILY_API_KEY": "tvly-secret",
            "GNEWS_API_KEY": "",
        }
        with service(copy, free_port(), tmp_path / "log", **settings) as url, visit(browser) as page:
            page.goto(f"{url}/?view=settings")
            section = page.get_by_role("region", name="News from outside")
            expect(section.get_by_text("TAVILY_API_KEY set")).to_be_visible()
            expect(section.get_by_text("GNEWS_API_KEY not set")).to_be_visible()
            assert "tvly-secret" not in page.content()
            expect(section.get_by_role("button", name="Use it: GNews")).to_be_disabled()
            section.get_by_role("button", name="Try it: SearXNG").click()
            expect(section.get_by_text(MOON.title)).to_be_visible()
            section.get_by_role("button", name="Use it: SearXNG").click()
            expect(section.get_by_text("in use")).to_be_visible()
            leaving = page.locator("section[aria-labelledby=destinations]")
            expect(leaving).to_contain_text("searxng")
            assert find_violations(page) == []
            section.get_by_role("button", name="Stop using it: SearXNG").click()
            expect(leaving).to_contain_text("Nothing: documents, questions and answers stay here.")
