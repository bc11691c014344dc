"""How passages and citations look to people."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from rich.padding import Padding
from rich.text import Text

from ascertain.cli.text import date, printable
from ascertain.core.documents import Place

if TYPE_CHECKING:
    from rich.console import Console

    from ascertain.core.passages import Confidence, Passage
    from ascertain.core.spans import Span

CONTEXT = 90
"""Characters of the document shown on either side of a quote."""
SNIPPET = 320
"""Characters of a passage shown by ``search``."""
LEVEL_STYLES = {"high": "green", "medium": "yellow", "low": "red", "none": "red"}


def print_passage(console: Console, rank: int, passage: Passage, longest: int | None = SNIPPET) -> None:
    """Rank, score, where it stands, up to ``longest`` characters of the text (None: all), the source."""
    chunk = passage.chunk
    line = Text.assemble((f"{rank:>2}  {passage.score:.2f}  ", "bold"))
    line.append_text(reference(chunk.title, chunk.published_at, chunk.place))
    console.print(line)
    text = printable(chunk.text)
    indented(console, Text(text if longest is None else _cut(text, longest)))
    indented(console, Text(f"{printable(chunk.url or chunk.source)}  ({chunk.id})", style="dim"))
    if passage.explanation:
        indented(console, Text(printable(passage.explanation), style="dim"))


def reference(title: str, published_at: datetime | None, place: Place) -> Text:
    """``Title · 2024-12-05 · p. 3, Results``."""
    line = Text(printable(title) or "untitled", style="bold cyan")
    for part in (date(published_at), place.label):
        if part:
            line.append(f" · {printable(part)}", style="not bold default")
    return line


def quote_in_context(text: str, span: Span, marks: bool) -> Text:
    """The quote in a line of the text around it, highlighted; between ``«»`` where there is no colour."""
    before = text[max(0, span.start - CONTEXT) : span.start]
    after = text[span.end : span.end + CONTEXT]
    # cut at a word, and say that the text goes on
    if span.start > CONTEXT:
        before = "…" + before.partition(" ")[2]
    if span.end + CONTEXT < len(text):
        after = after.rpartition(" ")[0] + "…"
    quote = printable(span.of(text))
    line = Text(_joined(before, start=True), style="dim")
    line.append(f"«{quote}»" if marks else quote, style="not dim bold yellow")
    line.append(_joined(after, start=False))
    return line


def print_confidence(console: Console, confidence: Confidence) -> None:
    """Level and score, and the caveat when there is one."""
    line = Text("Confidence: ")
    line.append(
        f"{confidence.level.value} ({confidence.score}/100)", style=LEVEL_STYLES[confidence.level.value]
    )
    if confidence.caveat:
        line.append(f". {printable(confidence.caveat)}")
    console.print(line)


def indented(console: Console, text: Text) -> None:
    """Print under a numbered line."""
    if console.is_terminal:
        console.print(Padding(text, (0, 0, 0, 4), expand=False))
    else:
        # padding would fill every line of a pipe with blanks
        console.print(Text("    ").append_text(text))


def _joined(text: str, start: bool) -> str:
    """Text beside the quote on one line, with the blank between it and the quote kept."""
    line = printable(text)
    if start:
        return f"{line} " if line and text[-1:].isspace() else line
    return f" {line}" if line and text[:1].isspace() else line


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else text[:length].rpartition(" ")[0] + "…"
