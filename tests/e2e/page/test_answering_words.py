"""The words that answer, in a browser: the parts are drawn by themselves, from what the page hands them."""

import base64

import pytest
from playwright.sync_api import expect
from running_page import DESKTOP, PHONE, visit

from ascertain.ui.answer_view import answer_data
from ascertain.ui.citations import source_data
from ascertain.ui.launch import read_resource
from ascertain.wire.answers import AnswerJson

pytestmark = pytest.mark.slow

QUOTE = "🦓 The zebra\npassword is <b>blue</b> <script>window.hacked=1</script> since 1912."
TEXT = QUOTE.replace("\n", " ")
START = 40
DRAW = """async ([code, data]) => {
  const part = await import(`data:text/javascript;base64,${code}`);
  part.default({ data, parentElement: document.body, setTriggerValue() {} });
}"""


def an_answer(words, verdict="supported"):
    """One sentence with ``words`` of it marked."""
    at = START + QUOTE.index(words)
    place = {"page": None, "section": [], "speaker": None, "start_time": None, "end_time": None, "label": ""}
    citation = {
        **{"n": 1, "document_id": "d1", "title": "Zebra", "url": None, "published_at": None, "quote": QUOTE},
        **{"span": [START, START + len(QUOTE)], "place": place, "source": "zebra.md", "warning": None},
        "answer": [at, at + len(words)],
    }
    return AnswerJson.model_validate(
        {
            **{"question": "Q?", "standalone": None, "answer": TEXT, "type": "summary", "caveat": None},
            **{"confidence": {"level": "high", "score": 91}, "groundedness": 1.0, "strategy": "hybrid", "attempts": 1},
            "sentences": [{"text": TEXT, "verdict": verdict, "score": 1.0, "citations": [1]}],
            **{"citations": [citation], "decisions": [], "conversation_id": None, "seconds": 0.1},
            "usage": {"calls": 0, "input_tokens": 0, "output_tokens": 0, "cost_usd": 0.0, "tasks": {}},
        }
    )


def draw_part(page, name, *shared, data):
    """Draw a part of the page as Streamlit would."""
    style = "\n".join(read_resource(f"{sheet}.css") for sheet in ("tokens", "part", *shared, name))
    code = "\n".join(read_resource(f"{script}.js") for script in ("dom", *shared, name))
    page.set_content(f'<style>{style}</style><body><div class="root"></div></body>')
    page.evaluate(DRAW, [base64.b64encode(code.encode()).decode(), data])


@pytest.mark.parametrize("size", [PHONE, DESKTOP])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_words_stand_out_in_the_sentence_and_in_its_source_without_colour_too(browser, size, scheme):
    with visit(browser, size, scheme) as page:
        draw_part(page, "answer", "drawing", data=answer_data(an_answer("blue"), None))
        for where in (".sentence", ".source .quote"):
            marked = page.locator(f"{where} .answering")
            expect(marked).to_have_text("blue")
            expect(marked).to_have_attribute("title", "The words that answer")
            expect(marked).to_have_css("font-weight", "700")
            expect(marked).to_be_visible()
        assert page.locator(".words").all_inner_texts() == [TEXT.removesuffix("1912."), "1912."]
        assert page.locator(".quote").inner_text() == f"“{TEXT}”"
        _is_harmless(page)


@pytest.mark.parametrize("verdict", ["supported", "contradicted"])
def test_words_at_the_end_of_a_sentence_stay_beside_its_verdict(browser, verdict):
    with visit(browser) as page:
        draw_part(page, "answer", "drawing", data=answer_data(an_answer("since 1912.", verdict), None))
        assert page.locator(".sentence .answering").all_inner_texts() == ["since ", "1912."]
        expect(page.locator(f".together .words.{verdict} .answering")).to_have_text("1912.")


@pytest.mark.parametrize("words", ["<script>window.hacked=1</script>", "<b>blue</b>", "🦓", QUOTE])
def test_hostile_words_stay_text(browser, words):
    with visit(browser) as page:
        answer = an_answer(words)
        draw_part(page, "answer", "drawing", data=answer_data(answer, None))
        assert "".join(page.locator(".sentence .answering").all_text_contents()) == words.replace("\n", " ")
        _is_harmless(page)
        draw_part(page, "source", data=source_data(answer.citations[0], None))
        expect(page.locator("mark")).to_have_text(QUOTE)
        assert page.locator("mark .answering").text_content() == words
        expect(page.locator("mark .answering")).to_have_css("text-decoration-line", "underline")
        _is_harmless(page)


def _is_harmless(page):
    assert page.evaluate("[window.hacked ?? null, document.querySelectorAll('b, script').length]") == [None, 0]
