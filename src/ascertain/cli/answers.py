"""How an answer looks to people: the text, the numbered citations under it, the confidence."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from rich.text import Text

from ascertain.app.trace import readable_path
from ascertain.cli.passages import indented, print_confidence, quote_in_context, reference
from ascertain.cli.text import duration, printable
from ascertain.core.answers import AnswerType, VerdictLabel
from ascertain.core.spans import Span

if TYPE_CHECKING:
    from rich.console import Console

    from ascertain.core.answers import Answer, Citation
    from ascertain.core.documents import Document


MARKS = {
    VerdictLabel.PARTLY: "only partly supported",
    VerdictLabel.UNSUPPORTED: "not supported by the sources",
    VerdictLabel.CONTRADICTED: "contradicted by the sources",
}


def print_answer(
    console: Console, answer: Answer, document: Callable[[str], Document | None], trace: bool = False
) -> None:
    """Print ``answer``; ``document`` gives the text around each quote, ``trace`` adds how it came about."""
    if answer.standalone:
        console.print(Text(f"(understood as: {printable(answer.standalone)})", style="dim"))
    console.print(_answer_text(answer))
    if answer.citations:
        print_sources(console, answer, document)
    if answer.type is AnswerType.GREETING:
        return
    console.print()
    print_confidence(console, answer.confidence)
    if answer.usage.calls:
        usage = answer.usage
        console.print(
            Text(
                f"Model calls: {usage.calls}, {usage.input_tokens:,} tokens in, {usage.output_tokens:,} out"
                + (f", ${usage.cost_usd:.4f}" if usage.cost_usd else ""),
                style="dim",
            )
        )
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
    console.print(Text(printable(readable_path(answer.decisions))))
    _print_decisions(console, answer)


def _answer_text(answer: Answer) -> Text:
    if not answer.sentences:
        return Text("\n".join(printable(line) for line in answer.text.splitlines()))
    text = Text()
    end = 0
    for sentence in answer.sentences:
        start = answer.text.find(sentence.text, end)
        between = answer.text[end : max(start, end)]
        if between.strip():
            # who says what follows, where and when
            text.append(_label(between.rstrip(" ")) + " " * between.endswith(" "), style="bold")
        elif text:
            # paragraphs are those of the answer's text
            text.append("\n\n" if "\n" in between else " ")
        end = max(start + len(sentence.text), end)
        text.append(printable(sentence.text))
        text.append(" " + "".join(f"[{number}]" for number in sentence.citations), style="bold cyan")
        if sentence.verdict.label is not VerdictLabel.SUPPORTED:
            text.append(f" ({MARKS[sentence.verdict.label]})", style="red")
    if answer.text[end:].strip():
        text.append(_label(answer.text[end:].rstrip()), style="dim")
    return text


def _label(between: str) -> str:
    """What an answer says between its sentences, its lines kept."""
    return "\n".join(printable(line) for line in between.split("\n"))


def _print_citation(console: Console, citation: Citation, document: Document | None) -> None:
    line = Text(f"[{citation.number}] ", style="bold cyan")
    console.print(line.append_text(reference(citation.title, citation.published_at, citation.place)))
    marks = not console.is_terminal or console.no_color
    text, span = (document.text, citation.span) if document else (citation.quote, _whole(citation.quote))
    indented(console, quote_in_context(text, span, marks))
    if citation.warning:
        indented(console, Text(f"Caution: {printable(citation.warning)}", style="yellow"))
    where = citation.url or citation.source or (document.source if document else "")
    if where:
        indented(console, Text(printable(where), style="dim"))


def _whole(quote: str) -> Span:
    return Span(0, len(quote))


def _print_decisions(console: Console, answer: Answer) -> None:
    console.print(f"\nDecisions ({duration(answer.seconds)}, {answer.strategy.value}):", style="bold")
    indented(console, Text(printable(f"answer {answer.id}"), style="dim"))
    for decision in answer.decisions:
        scores = ", ".join(f"{name} {score:.3g}" for name, score in decision.scores.items())
        line = f"{decision.node}: {decision.outcome}: {decision.reason}"
        spent = f" {decision.seconds:.3f} s" if decision.seconds else ""
        indented(console, Text(printable(f"{line}{f' ({scores})' if scores else ''}{spent}")))
