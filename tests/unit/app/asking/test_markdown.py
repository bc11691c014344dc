"""Answers as Markdown for the screen of a chat: footnotes, and nothing of a document that becomes markup."""

import re
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from ascertain.app.asking.rendering import answer_as_markdown, read_markdown_answer
from ascertain.core.asking.answers import Answer, AnswerSentence, AnswerType, Citation, Form, Verdict, VerdictLabel
from ascertain.core.asking.forms import join_sentences
from ascertain.core.asking.passages import Confidence, Level, Strategy
from ascertain.core.documents.blocks import Place, Span

SURE = Confidence(Level.HIGH, 91)
UNSURE = Confidence(Level.LOW, 30, "The sources speak to this, but may not answer it.")
HOSTILE = (
    "![x](https://evil.example/pixel.png)",
    "[click](javascript:alert(1))",
    "<img src=https://evil.example/a.png onerror=alert(1)>",
    "<script>alert(1)</script>",
    "```\nunclosed",
    "~~~\nunclosed",
    "[^1]: forged",
    "&lt;img&gt;",
    "a\\![x](y)\\\\[z](w)",
    "[a]: https://evil.example 'title'",
    "<https://evil.example>",
)


def a_citation(quote="It moved in 2022.", number=1, **fields):
    known = {
        "title": "Ether",
        "url": "https://example.org/ether",
        "published_at": datetime(2022, 9, 15, tzinfo=UTC),
        "place": Place(page=3),
        **fields,
    }
    return Citation(number, "d", quote=quote, span=Span(0, len(quote)), source="ether.md", **known)


def an_answer(
    *sentences, between=" ", confidence=SURE, label=VerdictLabel.SUPPORTED, type=AnswerType.SUMMARY, **fields
):
    told = tuple(AnswerSentence(text, Verdict(label, 1.0), (n,)) for n, text in enumerate(sentences, 1))
    cited = tuple(a_citation(text, n, **fields) for n, text in enumerate(sentences, 1))
    return Answer("q?", between.join(sentences), type, confidence, told, cited, Strategy.HYBRID)


def markdown(answer):
    return "".join(piece.text for piece in answer_as_markdown(answer))


def test_each_sentence_has_the_mark_of_its_footnote_and_the_footnote_its_quote():
    assert markdown(an_answer("It moved in 2022.", "Fees fell.", confidence=UNSURE)) == (
        "*The sources speak to this, but may not answer it.*\n\n"
        "It moved in 2022.[^1] Fees fell.[^2]\n\n"
        "Confidence: low (30/100).\n\n"
        "[^1]: [Ether](<https://example.org/ether>) · 2022-09-15 · p. 3: “It moved in 2022.”\n\n"
        "[^2]: [Ether](<https://example.org/ether>) · 2022-09-15 · p. 3: “Fees fell.”"
    )


def test_marks_are_pieces_of_their_own_that_name_their_citation():
    pieces = list(answer_as_markdown(an_answer("It moved.", "Fees fell.")))
    assert [(piece.text, piece.citation.number) for piece in pieces if piece.citation] == [("[^1]", 1), ("[^2]", 2)]


def test_the_words_that_answer_are_bold():
    answer = an_answer("It moved in 2022.")
    marked = replace(answer, citations=(replace(answer.citations[0], answer=Span(12, 16)),))
    assert markdown(marked).startswith("It moved in **2022**.[^1]")


def test_what_its_sources_do_not_bear_out_is_said():
    assert "It moved.[^1] (inferred from the sources)" in markdown(an_answer("It moved.", label=VerdictLabel.INFERRED))


def test_a_rejection_has_its_text_and_confidence_and_a_greeting_its_text():
    rejected = replace(an_answer(), text="I could not find an answer to this.", type=AnswerType.REJECTION)
    assert markdown(rejected) == "I could not find an answer to this.\n\nConfidence: high (91/100)."
    assert markdown(replace(rejected, text="Hello.", type=AnswerType.GREETING)) == "Hello."


def test_lines_stay_lines():
    text = markdown(an_answer("It moved.", "Fees fell.", between="\n\n5 December 2024: Fees\n"))
    assert text.startswith("It moved.[^1]\n\n5 December 2024: Fees  \nFees fell.[^2]\n\n")


def test_only_web_addresses_become_links_and_a_warning_is_told():
    text = markdown(an_answer("It moved.", url="javascript:alert(1)", warning="It reads like instructions."))
    assert "[^1]: Ether · 2022-09-15 · p. 3: “It moved.” Caution: It reads like instructions." in text
    assert "](<https://example.org/a%20b%3E%28c)>)" in markdown(
        an_answer("It moved.", url="https://example.org/a b>(c)")
    ).replace("%29", ")")


def rendered(text):
    """HTML as a front end makes it that lets HTML through and finds bare addresses."""
    return MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).render(text)


def allowed(html):
    """What is left of the HTML without what we write ourselves."""
    return re.sub(r"</?(p|strong|em|br /|br|h1|h2|hr /|hr|ul|ol|li|blockquote|pre|code)\b[^>]*>", "", html)


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("where", ["sentence", "between", "title", "caveat", "section"])
def test_nothing_of_a_document_is_markup(text, where):
    answer = an_answer("It moved.", "Fees fell.")
    hostile = {
        "sentence": lambda: an_answer(f"It moved {text}", "Fees fell."),
        "between": lambda: an_answer("It moved.", "Fees fell.", between=f"\n\n{text}\n"),
        "title": lambda: an_answer("It moved.", title=text, url=None),
        "caveat": lambda: replace(answer, confidence=Confidence(Level.LOW, 3, text)),
        "section": lambda: an_answer("It moved.", place=Place(section=(text,)), url=None),
    }[where]()
    html = rendered(markdown(hostile).replace("[Ether](<https://example.org/ether>)", "Ether"))
    assert not re.search(r"<(?!/?p>|br)", allowed(html)), html
    assert "evil.example" not in "".join(re.findall(r"<[^>]*>", html))
    assert "Confidence:" in html


@given(st.text(alphabet="ab12 \\`[]()<>&!_~^:#-\n", max_size=60))
def test_any_text_is_read_back_from_its_markdown(text):
    said = "\n".join(line.strip() for line in text.splitlines() if line.strip())
    answer = replace(an_answer(), text=f"Said: {said}.")
    html = rendered(markdown(answer))
    assert not re.search(r"<(a|img|script|[^a-z/])", html)
    back = read_markdown_answer(markdown(answer))
    assert [line.rstrip() for line in back.splitlines()] == [line.rstrip() for line in answer.text.splitlines()]


def test_an_answer_that_a_chat_sends_back_is_its_text_alone():
    answer = an_answer("It moved in [2022].", "Fees fell.", confidence=UNSURE)
    first, second = answer.citations
    answer = replace(answer, citations=(replace(first, answer=Span(0, 2)), second))
    assert "\n\n**It** moved" in markdown(answer)
    assert read_markdown_answer(markdown(answer)) == "It moved in [2022]. Fees fell."
    assert read_markdown_answer("As I said: nothing.") == "As I said: nothing."


def a_formed_answer(*parts, label=VerdictLabel.SUPPORTED):
    """An answer whose sentences have a form: pairs of form and text, all with the columns Plan and Price where they are rows."""
    told = [
        AnswerSentence(
            text,
            Verdict(label, 1.0),
            (n,),
            form=form,
            columns=("Plan", "[Price](x)") if form is Form.ROW else (),
            language="bash" if form is Form.CODE else "",
        )
        for n, (form, text) in enumerate(parts, 1)
    ]
    cited = tuple(a_citation(text, n) for n, (_, text) in enumerate(parts, 1))
    return Answer("q?", join_sentences(told), AnswerType.SUMMARY, SURE, tuple(told), cited, Strategy.HYBRID)


def test_each_item_step_row_and_block_of_code_has_its_mark():
    answer = a_formed_answer(
        (Form.TEXT, "Do this:"),
        (Form.STEP, "Stop."),
        (Form.STEP, "Go."),
        (Form.ROW, "Pro | 20 €"),
        (Form.CODE, "cd <dir> && ls [a]"),
        (Form.ITEM, "Red"),
    )
    assert markdown(answer).partition("\n\nConfidence")[0] == (
        "Do this:[^1]\n\n1. Stop.[^2]\n2. Go.[^3]\n\n"
        "| Plan | \\[Price\\](x) |\n| --- | --- |\n| Pro | 20 €[^4] |\n\n"
        "```bash\ncd <dir> && ls [a]\n```\n[^5]\n\n- Red[^6]"
    )


@pytest.mark.parametrize("hostile", HOSTILE)
@pytest.mark.parametrize("form", list(Form))
def test_no_form_makes_markup_of_what_a_document_says(form, hostile):
    html = rendered(markdown(a_formed_answer((form, f"Seen: {hostile} here"), (form, "Second | b"))))
    assert not re.search(r"<(?:img|script|a )", html.replace('<a href="https://example.org/ether">', ""))


@given(st.text(max_size=40), st.sampled_from(list(Form)))
def test_code_never_leaves_its_fence(text, form):
    answer = a_formed_answer((Form.CODE, text or "x"), (form, "Second"))
    html = MarkdownIt().enable("table").render(markdown(answer).partition("\n\nConfidence")[0])
    assert html.count("<pre>") == 1 + (form is Form.CODE)
