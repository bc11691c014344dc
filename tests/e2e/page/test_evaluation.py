"""The page Evaluation in the browser: proposed questions kept, changed, dropped and skipped; two runs compared."""

import json

import pytest
import running_page
from evaluation_pictures import build_evaluated_home
from playwright.sync_api import expect
from running_page import PATIENCE

pytestmark = pytest.mark.slow

expect.set_options(timeout=PATIENCE * 1000)

TEXTS = {
    "refunds.md": "# Refunds\n\nA refund is granted within 30 days of the purchase.\n",
    "gearbox.md": "# Gearbox manual\n\nThe housing bolts are tightened to 45 newton metres.\n",
    "oil.md": "# Oil\n\nThe oil of the gearbox is changed after 900 hours of work.\n",
    "bread.md": "# Bread\n\nThe sourdough starter is fed every 12 hours.\n",
    "tram.md": "# Tram\n\nThe night tram leaves the harbour at 23:40 on platform 7.\n",
}


@pytest.fixture(scope="module")
def evaluated(tmp_path_factory):
    """A home with a golden set and two runs, and the address of its page."""
    corpus, logs = tmp_path_factory.mktemp("evaluated_corpus"), tmp_path_factory.mktemp("evaluated_logs")
    for name, text in TEXTS.items():
        (corpus / name).write_text(text, encoding="utf-8")
    home = tmp_path_factory.mktemp("evaluated_home") / "kb"
    build_evaluated_home(home, [corpus], 6)
    with (
        running_page.service(home, running_page.free_port(), logs / "service.log") as api_url,
        running_page.page_of(api_url, logs / "page.log") as url,
    ):
        yield home, url


def read_golden(home):
    return [json.loads(line) for line in (home / "evaluation" / "golden.jsonl").read_text("utf-8").splitlines()]


def test_a_question_is_changed_and_kept_one_skipped_and_one_dropped(page, evaluated):
    home, address = evaluated
    before = read_golden(home)
    assert len(before) >= 3
    page.goto(f"{address}/evaluation")
    told = page.get_by_text("questions are validated")
    expect(told).to_contain_text(f"0 of {len(before)} questions")

    asked = page.get_by_label("Question", exact=True).first  # that of the question before may stay a moment behind it
    expect(asked).to_have_value(before[0]["question"])
    expect(page.get_by_role("list", name="Where it is answered").first).to_contain_text(
        before[0]["relevant"][0]["quote"][:20]
    )
    asked.fill("What would a stranger ask?")
    asked.press("Enter")
    page.get_by_label("Your name, kept with the question").fill("Ana Flores")
    page.get_by_label("Your name, kept with the question").press("Enter")
    page.get_by_role("button", name="Keep").click()
    expect(told).to_contain_text(f"1 of {len(before)} questions")
    kept = read_golden(home)[0]
    assert (kept["question"], kept["validated"], kept["validated_by"]) == (
        "What would a stranger ask?",
        True,
        "Ana Flores",
    )

    expect(asked).to_have_value(before[1]["question"])
    page.get_by_role("button", name="Skip").click()
    expect(asked).to_have_value(before[2]["question"])
    page.get_by_role("button", name="Drop").click()
    expect(told).to_contain_text(f"1 of {len(before) - 1} questions")
    left = [each["id"] for each in read_golden(home)]
    assert before[1]["id"] in left
    assert before[2]["id"] not in left


def test_two_runs_are_compared(page, evaluated):
    _, address = evaluated
    page.goto(f"{address}/evaluation")
    runs = page.get_by_role("list", name="Runs, the latest first")
    expect(runs).to_contain_text("hybrid")
    expect(runs).to_contain_text("words")
    expect(page.get_by_text("in both.")).to_be_visible()
    expect(page.locator("[data-testid=stVegaLiteChart]").first).to_be_visible()
