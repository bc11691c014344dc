"""What else the page of the service shows: analysis, research, evaluation, the ways of the graph, other languages."""

import re

import pytest
from playwright.sync_api import expect
from running_page import PATIENCE, free_port, service, visit
from served_page import ask, find_violations

from ascertain.core.settings import Settings
from ascertain.evaluation.golden.questions import GoldenQuestion, write_golden
from ascertain.evaluation.runs import Result, describe_run, save_run

pytestmark = pytest.mark.slow

expect.set_options(timeout=PATIENCE * 1000)


def test_an_analysis_reads_everything(page, address):
    page.goto(f"{address}/?view=analysis")
    page.get_by_role("textbox", name="Question").fill("What do the documents say about refunds?")
    page.get_by_role("button", name="Analyse").click()
    expect(page.locator(".answer")).to_contain_text(re.compile("[Rr]ead"))
    # what is a list is drawn as one
    assert not [line for line in page.locator(".answer .heading").all_inner_texts() if line.startswith("- ")]
    assert find_violations(page) == []


def test_research_is_followed_read_again_and_deleted(page, address):
    page.goto(f"{address}/?view=research")
    page.get_by_role("textbox", name="Question, or address of a page").fill("How do refunds work?")
    page.get_by_role("button", name="Begin").click()
    expect(page.locator(".run h2")).to_have_text("How do refunds work?")
    page.locator(".run .chip").first.click()
    expect(page.locator("mark")).to_be_visible()
    page.keyboard.press("Escape")
    page.reload()
    expect(page.locator(".run h2")).to_have_text("How do refunds work?")
    with page.expect_download() as saved:
        page.get_by_role("button", name="Report as Markdown").click()
    assert saved.value.suggested_filename.endswith(".md")
    assert find_violations(page) == []
    page.get_by_role("button", name="Delete How do refunds work?").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page.get_by_text("Nothing was researched yet.")).to_be_visible()


def test_evaluations_are_compared_and_questions_judged(browser, tmp_path, home):
    folder = tmp_path / "kb" / "evaluation"
    folder.mkdir(parents=True)
    questions = [GoldenQuestion(id=f"p{n}", question=f"How long is it, {n}?", answers=("3 days",)) for n in (1, 2)]
    write_golden(questions, folder / "golden.jsonl")
    for name, score in (("words", 0.0), ("hybrid", 1.0)):
        results = [Result("golden", f"p{n}", f"Which of {n}?", 0.1, {"answer_in_text": score}) for n in range(20)]
        save_run(describe_run("answers", Settings(), {}, [], results=results), folder / f"{name}.json")
    with service(tmp_path / "kb", free_port(), tmp_path / "log") as url, visit(browser) as page:
        page.goto(f"{url}/?view=evaluation")
        expect(page.get_by_role("textbox", name="Question", exact=True)).to_have_value("How long is it, 1?")
        page.get_by_role("button", name="Keep").click()
        expect(page.get_by_text("1 of 2 questions are validated.")).to_be_visible()
        expect(page.get_by_role("textbox", name="Question", exact=True)).to_have_value("How long is it, 2?")
        expect(page.locator(".differences")).to_contain_text("answer_in_text")
        assert find_violations(page) == []


def test_an_empty_evaluation_says_how_to_begin(page, address):
    page.goto(f"{address}/?view=evaluation")
    expect(page.get_by_text("Nothing was measured yet")).to_be_visible()
    expect(page.get_by_text("ascertain eval generate")).to_be_visible()


def test_the_way_that_the_graph_led_is_shown_and_leads_on(page):
    ask(page, "Which documents mention Charles Babbage?")
    found = page.locator(".found")
    found.locator("summary").click()
    found.get_by_role("link").first.click()
    expect(page.locator(".node.centre")).to_be_visible()


@pytest.mark.parametrize(
    ("locale", "heading"), [("de-DE", "Dokumente"), ("fr-FR", "Documents"), ("es-MX", "Documentos")]
)
def test_the_page_speaks_the_language_of_the_browser(browser, address, locale, heading):
    context = browser.new_context(locale=locale)
    page = context.new_page()
    page.goto(f"{address}/?view=documents")
    expect(page.get_by_role("heading", level=1)).to_have_text(heading)
    assert page.evaluate("document.documentElement.lang") == locale[:2]
    context.close()


def test_the_chosen_language_and_colours_stay(page, address):
    page.get_by_role("button", name="Preferences").click()
    page.get_by_role("button", name="Dark").click()
    page.get_by_role("combobox", name="Language of this page").select_option("de")
    expect(page.get_by_role("link", name="Neues Gespräch")).to_be_visible()
    page.reload()
    expect(page.get_by_role("link", name="Neues Gespräch")).to_be_visible()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(20, 25, 27)"
