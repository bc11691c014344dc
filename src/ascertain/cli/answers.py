"""How an answer looks to people: the text, the numbered citations under it, the confidence."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from rich.text import Text

from ascertain.cli.passages import indented, print_confidence, quote_in_context, reference
from ascertain.cli.text import duration, printable
from ascertain.core.spans import Span

if TYPE_CHECKING:
    from rich.console import Console

    from ascertain.core.answers import Answer, Citation
    from ascertain.core.documents import Document


def print_answer(
    console: Console, answer: Answer, document: Callable[[str], Document | None], explain: bool = False
) -> None:
    """Print ``answer``; ``document`` gives the text around each quote, ``explain`` adds every decision."""
    console.print(_answer_text(answer))
    for citation in answer.citations:
        console.print()
        _print_citation(console, citation, document(citation.document_id))
    console.print()
    print_confidence(console, answer.confidence)
    if explain:
        _print_decisions(console, answer)


def _answer_text(answer: Answer) -> Text:
    if not answer.sentences:
        return Text("\n".join(printable(line) for line in answer.text.splitlines()))
    text = Text()
    end = 0
    for sentence in answer.sentences:
        start = answer.text.find(sentence.text, end)
        if text:
            # paragraphs are those of the answer's text
            text.append("\n\n" if "\n" in answer.text[end : max(start, end)] else " ")
        end = max(start + len(sentence.text), end)
        text.append(printable(sentence.text))
        text.append(" " + "".join(f"[{number}]" for number in sentence.citations), style="bold cyan")
    return text


def _print_citation(console: Console, citation: Citation, document: Document | None) -> None:
    line = Text(f"[{citation.number}] ", style="bold cyan")
    console.print(line.append_text(reference(citation.title, citation.published_at, citation.place)))
    marks = not console.is_terminal or console.no_color
    text, span = (document.text, citation.span) if document else (citation.quote, _whole(citation.quote))
    indented(console, quote_in_context(text, span, marks))
    where = citation.url or citation.source or (document.source if document else "")
    if where:
        indented(console, Text(printable(where), style="dim"))


def _whole(quote: str) -> Span:
    return Span(0, len(quote))


def _print_decisions(console: Console, answer: Answer) -> None:
    console.print(f"\nDecisions ({duration(answer.seconds)}, {answer.strategy.value}):", style="bold")
    for decision in answer.decisions:
        scores = ", ".join(f"{name} {score:.3g}" for name, score in decision.scores.items())
        line = f"{decision.node}: {decision.outcome}: {decision.reason}"
        spent = f" {decision.seconds:.3f} s" if decision.seconds else ""
        indented(console, Text(printable(f"{line}{f' ({scores})' if scores else ''}{spent}")))
