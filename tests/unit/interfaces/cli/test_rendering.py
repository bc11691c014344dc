"""What people see, at the widths and on the streams they see it."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from ascertain.core.asking.answers import (
    Answer,
    AnswerSentence,
    AnswerType,
    Citation,
    Decision,
    Form,
    Verdict,
    VerdictLabel,
)
from ascertain.core.asking.forms import join_sentences
from ascertain.core.asking.passages import Confidence, Level, Passage, Strategy
from ascertain.core.asking.requests import Done, DraftText, Event, NodeFinished, NodeStarted
from ascertain.core.documents.blocks import Place, Span
from ascertain.core.documents.documents import Chunk, Document, DocumentKind
from ascertain.interfaces.cli.answers import CONTEXT, print_answer, print_passage, quote_in_context
from ascertain.interfaces.cli.commands.asking.ask import follow_answer, show_working
from ascertain.interfaces.cli.options import open_console
from ascertain.interfaces.cli.printing import print_table

TEXT = "Fees come first. Gas fees pay for computation. They vary."
SPAN = Span(17, 46)
DAY = datetime(2024, 12, 5, tzinfo=UTC)


def a_document() -> Document:
    return Document("d1", TEXT, "Gas fees", DocumentKind.ARTICLE, "gas.txt")


def an_answer() -> Answer:
    citation = Citation(
        1, "d1", "Gas fees", None, DAY, SPAN.of(TEXT), SPAN, Place(page=2, section=("Costs",)), "gas.txt"
    )
    return Answer(
        question="What are gas fees?",
        text=SPAN.of(TEXT),
        type=AnswerType.SUMMARY,
        confidence=Confidence(Level.MEDIUM, 61, "Only one source."),
        sentences=(AnswerSentence(SPAN.of(TEXT), Verdict(VerdictLabel.SUPPORTED, 1.0), (1,)),),
        citations=(citation,),
        strategy=Strategy.HYBRID,
        decisions=(Decision("search", "8 passages", "hybrid search", {"confidence": 84.0}, 0.02),),
    )


def a_rejection() -> Answer:
    return Answer(
        question="q",
        text="I could not find that in 3 documents.\nIt would help to add some.",
        type=AnswerType.REJECTION,
        confidence=Confidence(Level.NONE, 0, "Nothing fits."),
        sentences=(),
        citations=(),
        strategy=Strategy.HYBRID,
    )


def in_a_pipe(answer: Answer, explain: bool = False) -> str:
    stream = io.StringIO()
    print_answer(open_console(stream), answer, {"d1": a_document()}.get, explain)
    return stream.getvalue()


def in_a_terminal(width: int, answer: Answer) -> str:
    stream = io.StringIO()
    console = Console(file=stream, force_terminal=True, width=width, highlight=False)
    print_answer(console, answer, {"d1": a_document()}.get)
    return stream.getvalue()


def test_an_answer_in_a_pipe_is_plain_lines() -> None:
    assert in_a_pipe(an_answer()) == (
        "Only one source.\n"
        "\n"
        "Gas fees pay for computation. [1]\n"
        "\n"
        "[1] Gas fees · 2024-12-05 · p. 2, Costs\n"
        "    Fees come first. «Gas fees pay for computation.» They vary.\n"
        "    gas.txt\n"
        "\n"
        "Confidence: medium (61/100)\n"
    )


def an_answer_by_the_reader() -> Answer:
    """With ``computation`` marked."""
    answer = an_answer()
    return replace(answer, citations=(replace(answer.citations[0], answer=Span(34, 45)),))


def test_the_words_that_answer_stand_between_signs_in_a_pipe() -> None:
    assert in_a_pipe(an_answer_by_the_reader()) == (
        "Only one source.\n"
        "\n"
        "Gas fees pay for **computation**. [1]\n"
        "\n"
        "[1] Gas fees · 2024-12-05 · p. 2, Costs\n"
        "    Fees come first. «Gas fees pay for **computation**.» They vary.\n"
        "    gas.txt\n"
        "\n"
        "Confidence: medium (61/100)\n"
    )


def test_the_words_that_answer_are_bold_in_a_terminal(monkeypatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    shown = in_a_terminal(80, an_answer_by_the_reader())
    assert "Gas fees pay for \x1b[1mcomputation\x1b[0m." in shown
    assert "\x1b[1;4;33mcomputation\x1b[0m" in shown
    assert Text.from_ansi(shown).plain == Text.from_ansi(in_a_terminal(80, an_answer())).plain


def test_no_color_marks_the_words_that_answer_with_signs(monkeypatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    assert Text.from_ansi(in_a_terminal(80, an_answer_by_the_reader())).plain.count("**computation**") == 2


def test_words_are_marked_in_the_quote_of_a_document_that_is_gone() -> None:
    stream = io.StringIO()
    print_answer(open_console(stream), an_answer_by_the_reader(), lambda _: None)
    assert "    «Gas fees pay for **computation**.»\n" in stream.getvalue()


def test_a_sentence_with_control_characters_is_marked_and_safe() -> None:
    quote = "Fees \x1b[31m pay\tfor computation."
    citation = replace(an_answer().citations[0], quote=quote, span=Span(0, len(quote)), answer=Span(19, 30))
    sentence = AnswerSentence(" ".join(quote.split()), Verdict(VerdictLabel.SUPPORTED, 1.0), (1,))
    shown = in_a_pipe(replace(an_answer(), text=sentence.text, sentences=(sentence,), citations=(citation,)))
    assert shown.startswith("Only one source.\n\nFees \N{REPLACEMENT CHARACTER}[31m pay for **computation**. [1]\n")
    assert "\x1b" not in shown


def test_a_rejection_keeps_its_lines() -> None:
    assert in_a_pipe(a_rejection()).startswith(
        "I could not find that in 3 documents.\nIt would help to add some.\n\nConfidence: none (0/100)."
    )


def test_explain_lists_each_decision() -> None:
    assert "    search: 8 passages: hybrid search (confidence 84) 0.020 s\n" in in_a_pipe(an_answer(), True)


@pytest.mark.parametrize("width", [20, 40, 80])
def test_a_terminal_of_any_width_gets_colour_and_no_overlong_line(width: int, monkeypatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    shown = in_a_terminal(width, an_answer())
    assert "\x1b[1;33m" in shown
    assert max(cell_len(line) for line in Text.from_ansi(shown).plain.splitlines()) <= width
    assert "«" not in shown


def test_no_color_marks_the_quote_with_signs(monkeypatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    shown = in_a_terminal(80, an_answer())
    assert "«" in shown
    assert "\x1b[1;33m" not in shown


def test_a_sentence_from_another_document_begins_a_paragraph() -> None:
    other = Citation(2, "d2", "Other", None, None, "Second.", Span(0, 7), Place())
    first = an_answer()
    answer = Answer(
        question=first.question,
        text=f"{first.text}\n\nSecond.",
        type=first.type,
        confidence=first.confidence,
        sentences=(*first.sentences, AnswerSentence("Second.", Verdict(VerdictLabel.SUPPORTED, 1.0), (2,))),
        citations=(*first.citations, other),
        strategy=first.strategy,
    )
    assert in_a_pipe(answer).startswith("Only one source.\n\nGas fees pay for computation. [1]\n\nSecond. [2]\n")


def test_code_in_an_answer_keeps_its_lines_and_indents() -> None:
    told = "Do this:\ndef run():\n    go\x1b[31m()"
    sentence = AnswerSentence(told, Verdict(VerdictLabel.SUPPORTED, 1.0), (1,))
    assert "Do this:\ndef run():\n    go�[31m() [1]" in in_a_pipe(
        replace(an_answer(), text=told, sentences=(sentence,))
    )


def test_a_passage_shows_rank_score_place_and_ids() -> None:
    chunk = Chunk(
        "d1:0-5", "d1", 0, Span(0, 5), "Fees\nvary.", "", "Gas fees", DocumentKind.ARTICLE, "gas.txt", Place(page=2)
    )
    stream = io.StringIO()
    print_passage(open_console(stream), 1, Passage(chunk, 0.834))
    assert stream.getvalue() == " 1  0.83  Gas fees · p. 2\n    Fees vary.\n    gas.txt  (d1:0-5)\n"


def test_a_table_in_a_pipe_is_tab_separated_and_safe() -> None:
    stream = io.StringIO()
    print_table(open_console(stream), ("a", "b"), [("x\ty", "one\ntwo\x1b[2J")])
    assert stream.getvalue() == "x y\tone two\N{REPLACEMENT CHARACTER}[2J\n"


@given(st.text(), st.data())
def test_a_quote_in_context_is_one_line_that_holds_the_quote(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    answer = data.draw(st.none() | st.builds(Span, st.integers(0, end - start), st.integers(0, end - start)))
    shown = quote_in_context(text, Span(start, end), marks=True, answer=answer).plain
    assert "\n" not in shown
    assert shown.count("«") >= 1
    assert len(shown) <= end - start + 2 * CONTEXT + 10


def a_formed_answer() -> Answer:
    forms = [
        ("Do this:", Form.TEXT),
        ("Stop.", Form.STEP),
        ("Go.", Form.STEP),
        ("Pro | 20 €", Form.ROW),
        ("if x:\n    run  y", Form.CODE),
        ("Red", Form.ITEM),
    ]
    sentences = tuple(
        AnswerSentence(
            text,
            Verdict(VerdictLabel.SUPPORTED, 1.0),
            (1,),
            form=form,
            columns=("Plan", "Price") if form is Form.ROW else (),
            language="python" if form is Form.CODE else "",
        )
        for text, form in forms
    )
    return replace(an_answer(), text=join_sentences(sentences), sentences=sentences)


def test_lists_tables_and_code_are_markdown_with_a_number_each():
    assert in_a_pipe(a_formed_answer()).partition("\n\n[1] Gas")[0] == (
        "Only one source.\n\nDo this: [1]\n\n1. Stop. [1]\n2. Go. [1]\n\n| Plan | Price |\n| --- | --- |\n| Pro | 20 € [1] |\n\n"
        "```python\nif x:\n    run  y\n```\n[1]\n\n- Red [1]"
    )


def a_stream(*texts: str) -> list[Event]:
    drafts = [DraftText(text, is_new=at == 0) for at, text in enumerate(texts)]
    return [NodeStarted("generate"), *drafts, NodeFinished("generate", ()), Done(an_answer())]


def test_a_draft_is_seen_dimmed_in_a_terminal_and_leaves_nothing(tmp_path):
    stream = io.StringIO()
    console = Console(file=stream, force_terminal=True, width=60, height=20)
    answer = follow_answer(console, a_stream("Gas fees", " are paid\x1b]0;x\x07."), with_steps=False)
    seen = stream.getvalue()
    assert answer == an_answer()
    assert "not checked yet" in seen
    assert re.search(r"\x1b\[2m[^\x1b]*\n?Gas fees", seen)
    assert "\x1b]0;" not in seen
    # the last that is written clears the lines of the draft
    assert seen.rindex("\x1b[2K") > seen.rindex("Gas fees")


def test_a_draft_is_not_seen_where_nobody_watches():
    stream = io.StringIO()
    follow_answer(open_console(stream), a_stream("Gas fees", " are paid."), with_steps=False)
    assert "Gas fees" not in stream.getvalue()


def test_of_a_long_draft_the_end_is_seen():
    shown = show_working("writing", "\n".join(f"- item {n}" for n in range(50)), 20).plain
    assert "item 49" in shown
    assert "item 30" not in shown
