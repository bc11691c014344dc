"""How passages and answers are printed for people: the text, the numbered citations under it, the confidence."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from ascertain.app.asking.rendering import DOUBTS, readable_path
from ascertain.core.asking.answers import (
    Answer,
    AnswerType,
    Citation,
    Form,
    VerdictLabel,
    carry_span,
    find_answering_words,
)
from ascertain.core.asking.forms import place_sentences
from ascertain.core.asking.passages import Confidence, Passage
from ascertain.core.documents.blocks import Place, Span
from ascertain.core.documents.documents import Document
from ascertain.interfaces.cli.printing import format_date, format_duration, strip_control

CONTEXT = 90
"""Characters of the document shown on either side of a quote."""
SNIPPET = 320
"""Characters of a passage shown by ``search``."""
LEVEL_STYLES = {"high": "green", "medium": "yellow", "low": "red", "none": "red"}


def print_passage(console: Console, rank: int, passage: Passage, longest: int | None = SNIPPET) -> None:
    """Rank, score, its place, up to ``longest`` characters of the text (None: all), the source."""
    chunk = passage.chunk
    line = Text.assemble((f"{rank:>2}  {passage.score:.2f}  ", "bold"))
    line.append_text(format_reference(chunk.title, chunk.published_at, chunk.place))
    console.print(line)
    text = strip_control(chunk.text)
    print_indented(console, Text(text if longest is None else _cut_text(text, longest)))
    print_indented(console, Text(f"{strip_control(chunk.url or chunk.source)}  ({chunk.id})", style="dim"))
    if passage.explanation:
        print_indented(console, Text(strip_control(passage.explanation), style="dim"))


def format_reference(title: str, published_at: datetime | None, place: Place) -> Text:
    """``Title · 2024-12-05 · p. 3, Results``."""
    line = Text(strip_control(title) or "untitled", style="bold cyan")
    for part in (format_date(published_at), place.label):
        if part:
            line.append(f" · {strip_control(part)}", style="not bold default")
    return line


def quote_in_context(text: str, span: Span, marks: bool, answer: Span | None = None) -> Text:
    """The quote in a line of the text around it, highlighted, and in it the words that answer, ``answer`` in characters
    of the quote; between ``«»`` and ``**`` where there is no colour.
    """
    before = text[max(0, span.start - CONTEXT) : span.start]
    after = text[span.end : span.end + CONTEXT]
    # cut at a word, and say that the text goes on
    if span.start > CONTEXT:
        before = "…" + before.partition(" ")[2]
    if span.end + CONTEXT < len(text):
        after = after.rpartition(" ")[0] + "…"
    shown = strip_control(span.of(text))
    quote = _mark_words(shown, answer and carry_span(span.of(text), answer, shown), marks, "underline")
    if marks:
        quote = Text.assemble("«", quote, "»")
    quote.stylize("not dim bold yellow")
    line = Text(_join_line(before, start=True), style="dim").append_text(quote)
    line.append(_join_line(after, start=False))
    return line


def print_confidence(console: Console, confidence: Confidence) -> None:
    """Level and score, and the caveat when there is one."""
    line = Text("Confidence: ")
    line.append(f"{confidence.level.value} ({confidence.score}/100)", style=LEVEL_STYLES[confidence.level.value])
    if confidence.caveat:
        line.append(f". {strip_control(confidence.caveat)}")
    console.print(line)


def print_indented(console: Console, text: Text) -> None:
    """Print under a numbered line."""
    if console.is_terminal:
        console.print(Padding(text, (0, 0, 0, 4), expand=False))
    else:
        # padding would fill every line of a pipe with blanks
        console.print(Text("    ").append_text(text))


def _join_line(text: str, start: bool) -> str:
    """Text beside the quote on one line, keeping the blank between it and the quote."""
    line = strip_control(text)
    if start:
        return f"{line} " if line and text[-1:].isspace() else line
    return f" {line}" if line and text[:1].isspace() else line


def _mark_words(text: str, words: Span | None, marks: bool, style: str) -> Text:
    """``text`` with ``words`` of it in ``style``; between ``**`` where there is no colour."""
    if words is None:
        return Text(text)
    sign = "**" if marks else ""
    return Text.assemble(text[: words.start], (f"{sign}{words.of(text)}{sign}", style), text[words.end :])


def _cut_text(text: str, length: int) -> str:
    return text if len(text) <= length else text[:length].rpartition(" ")[0] + "…"


def print_answer(
    console: Console, answer: Answer, document: Callable[[str], Document | None], trace: bool = False
) -> None:
    """Print ``answer``; ``document`` gives the text around each quote, ``trace`` adds the decisions."""
    if answer.standalone:
        console.print(Text(f"(understood as: {strip_control(answer.standalone)})", style="dim"))
    has_caveat = bool(answer.sentences and answer.confidence.caveat)
    if has_caveat:
        # the caveat comes first, to be read before the answer
        console.print(Text(f"{strip_control(answer.confidence.caveat or '')}\n", style="yellow"))
    console.print(_answer_text(answer, _needs_marks(console)))
    if answer.citations:
        print_sources(console, answer, document)
    if answer.type is AnswerType.GREETING:
        return
    console.print()
    print_confidence(console, replace(answer.confidence, caveat=None) if has_caveat else answer.confidence)
    if answer.usage.calls:
        usage = answer.usage
        cost = f", ${usage.cost_usd:.4f}" if usage.cost_usd else ""
        calls = f"Model calls: {usage.calls}, {usage.input_tokens:,} tokens in, {usage.output_tokens:,} out{cost}"
        console.print(Text(calls, style="dim"))
    if trace:
        console.print()
        print_trace(console, answer)


def print_sources(console: Console, answer: Answer, document: Callable[[str], Document | None]) -> None:
    """Each citation with its quote in the text around it."""
    for citation in answer.citations:
        console.print()
        _print_citation(console, citation, document(citation.document_id))


def print_trace(console: Console, answer: Answer) -> None:
    """The path in a line, then every decision with its scores and seconds."""
    console.print(Text(strip_control(readable_path(answer.decisions))))
    console.print(f"\nDecisions ({format_duration(answer.seconds)}, {answer.strategy.value}):", style="bold")
    print_indented(console, Text(strip_control(f"answer {answer.id}"), style="dim"))
    for decision in answer.decisions:
        scores = ", ".join(f"{name} {score:.3g}" for name, score in decision.scores.items())
        line = f"{decision.node}: {decision.outcome}: {decision.reason}"
        spent = f" {decision.seconds:.3f} s" if decision.seconds else ""
        print_indented(console, Text(strip_control(f"{line}{f' ({scores})' if scores else ''}{spent}")))


def _needs_marks(console: Console) -> bool:
    """Whether signs replace colours."""
    return not console.is_terminal or console.no_color


def _answer_text(answer: Answer, marks: bool) -> Text:
    if not answer.sentences:
        return Text("\n".join(strip_control(line) for line in answer.text.splitlines()))
    text = Text()
    citations = {citation.number: citation for citation in answer.citations}
    placed, rest = place_sentences(answer.text, answer.sentences)
    for part in placed:
        sentence = part.sentence
        if part.between.strip():
            # who says what follows, where and when
            text.append(_keep_lines(part.between.rstrip(" ")) + " " * part.between.endswith(" "), style="bold")
        elif text and part.between:
            # paragraphs are those of the answer's text
            text.append("\n\n" if "\n" in part.between else " ")
        text.append(_replace_control(part.opening), style="dim")
        cited = [citations[number] for number in sentence.citations if number in citations]
        said = _replace_control(sentence.text) if sentence.form is Form.CODE else _keep_lines(sentence.text)
        text.append_text(_mark_words(said, find_answering_words(said, cited), marks, "bold"))
        if sentence.form is Form.CODE:
            text.append(f"{part.closing}\n", style="dim")
        numbers = "".join(f"[{number}]" for number in sentence.citations)
        text.append(numbers if sentence.form is Form.CODE else f" {numbers}", style="bold cyan")
        if sentence.verdict.label is not VerdictLabel.SUPPORTED:
            text.append(f" ({DOUBTS[sentence.verdict.label]})", style="red")
        if sentence.form is not Form.CODE:
            text.append(part.closing, style="dim")
    if rest.strip():
        text.append(_keep_lines(rest.rstrip()), style="dim")
    return text


def _keep_lines(text: str) -> str:
    """``text`` without control characters, keeping its lines and their indents: lists and code have them."""
    lines = ((line, len(line) - len(line.lstrip(" "))) for line in text.split("\n"))
    return "\n".join(" " * indent + strip_control(line) for line, indent in lines)


def _replace_control(text: str) -> str:
    """``text`` with its blanks and line ends, and no other control character."""
    return "".join(c if c.isprintable() or c == "\n" else "\N{REPLACEMENT CHARACTER}" for c in text)


def _print_citation(console: Console, citation: Citation, document: Document | None) -> None:
    line = Text(f"[{citation.number}] ", style="bold cyan")
    console.print(line.append_text(format_reference(citation.title, citation.published_at, citation.place)))
    text, span = (document.text, citation.span) if document else (citation.quote, Span(0, len(citation.quote)))
    print_indented(console, quote_in_context(text, span, _needs_marks(console), citation.answer_in_quote))
    if citation.figure:
        print_indented(console, Text(f"({strip_control(citation.figure.label)}, no quotation)", style="yellow"))
    if citation.warning:
        print_indented(console, Text(f"Caution: {strip_control(citation.warning)}", style="yellow"))
    where = citation.url or citation.source or (document.source if document else "")
    if where:
        print_indented(console, Text(strip_control(where), style="dim"))
