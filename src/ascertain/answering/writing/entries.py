"""The entries of a written answer: sentences, items, steps, rows and code, cleaned of what a model adds to them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Annotated, Literal, get_args

from pydantic import BaseModel, BeforeValidator, Field

from ascertain.answering.citations import shown_code, shown_text
from ascertain.core.asking.answers import Form
from ascertain.language.tokens import WORD
from ascertain.language.word_lists import load_pattern

Kind = Literal["text", "item", "step", "row", "code", "gap"]
GAP = "gap"
"""A sentence on what the sources leave open, not on what they say."""


def _read_kind(value: object) -> object:
    """An unknown kind counts as text: a reply is not lost over a name."""
    return value if value in get_args(Kind) else "text"


class QuoteReply(BaseModel):
    """The words of one source that an entry rests on."""

    key: str = Field(default="", description="The key of a source, such as S1.")
    text: str = Field(description="Copied from that source, character for character.")


class SentenceReply(BaseModel):
    """One entry of the answer."""

    kind: Annotated[Kind, BeforeValidator(_read_kind)] = "text"
    text: str
    quotes: list[QuoteReply] = Field(
        default=[], description="At least one; none of a gap and of the first row of a table."
    )


class WritingReply(BaseModel):
    """The answer, entry by entry; none where the sources do not answer."""

    sentences: list[SentenceReply]


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry in the form that can be shown; ``quotes`` are pairs of key and words. ``columns`` and ``language`` as
    ``AnswerSentence`` has them.
    """

    form: Form
    text: str
    quotes: tuple[tuple[str, str], ...] = ()
    columns: tuple[str, ...] = ()
    language: str = ""


_LEFT_OPEN = re.compile(rf"\b{load_pattern('claims', 'left_open')}\b", re.IGNORECASE)


def is_gap(reply: SentenceReply) -> bool:
    """Whether an entry says what the sources leave open, by its kind or its words; a source may say of something else that it is open."""
    if reply.kind == GAP:
        return True
    quoted = any(_LEFT_OPEN.search(quote.text) for quote in reply.quotes)
    return reply.kind == "text" and _LEFT_OPEN.search(reply.text) is not None and not quoted


def read_gaps(replies: Sequence[SentenceReply], sources: Sequence[str]) -> tuple[str, ...]:
    """What the entries of a reply say that the sources leave open, each once."""
    texts = (shown_text(reply.text, sources) for reply in replies if is_gap(reply))
    return tuple(dict.fromkeys(text for text in texts if WORD.search(text)))


def read_entries(replies: Sequence[SentenceReply], sources: Sequence[str]) -> list[Entry]:
    """The entries of a reply, in order; without empty ones, and without what is left open. ``sources`` are the texts that
    an address may be in.
    """
    entries = [_read_entry(reply, sources) for reply in replies if not is_gap(reply)]
    runs = groupby((entry for entry in entries if WORD.search(entry.text)), key=lambda entry: entry.form)
    return [each for form, run in runs for each in (_build_table(list(run)) if form is Form.ROW else run)]


_FENCED = re.compile(r"\s*(`{3,}+|~{3,}+)[ \t]*+([\w+#.-]*+)[^\n]*\n(.*?)\n?[ \t]{0,40}(?:\1[`~]{0,40}\s*)?", re.DOTALL)
_ITEM_MARK = re.compile(r"(?:(?<!\s)\s+)?[-*•‣–]\s+(?=\S)")
_STEP_MARK = re.compile(r"(?:(?<!\s)\s+)?(?:step\s+)?\d{1,2}[.):]\s+(?=\S)", re.IGNORECASE)
_CELL_EDGE = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r"[\s|:-]+")


def _read_entry(reply: SentenceReply, sources: Sequence[str]) -> Entry:
    quotes = tuple((quote.key, quote.text) for quote in reply.quotes)
    form, text = Form(reply.kind), reply.text
    match = _FENCED.fullmatch(text)
    if match:
        return Entry(Form.CODE, shown_code(match[3], sources), quotes, language=match[2])
    if form is Form.CODE:
        return Entry(form, shown_code(text, sources), quotes)
    if form is Form.ROW:
        return Entry(form, " | ".join(_read_cells(text, sources)), quotes)
    if form is not Form.STEP and _ITEM_MARK.match(text):
        form, text = Form.ITEM, _ITEM_MARK.sub("", text, count=1)
    elif form is not Form.ITEM and _STEP_MARK.match(text):
        form, text = Form.STEP, _STEP_MARK.sub("", text, count=1)
    return Entry(form, shown_text(text, sources), quotes)


def _read_cells(text: str, sources: Sequence[str]) -> list[str]:
    """The cells of a row; none of the line under a header."""
    if _RULE.fullmatch(text):
        return []
    row = text.strip()
    inner = row.removeprefix("|").removesuffix("|") if row.startswith("|") else row
    # a mark inside a cell would split it again where the table is shown
    return [shown_text(cell.replace("\\|", "/"), sources) for cell in _CELL_EDGE.split(inner)]


_FIGURE = re.compile(r"\d")


def _build_table(rows: Sequence[Entry]) -> list[Entry]:
    """The rows with the names of their columns, which are those of the first: it states nothing by itself.

    Rows whose first one does state something, and one alone, are items of a list.
    """
    header, *below = rows
    columns = tuple(header.text.split(" | "))
    if not below or len(columns) < 2 or (header.quotes and _FIGURE.search(header.text)):
        return [
            replace(row, form=Form.ITEM, text=row.text.replace(" | ", ": ", 1).replace(" | ", ", ")) for row in rows
        ]
    return [replace(row, text=_fit_cells(row.text, len(columns)), columns=columns) for row in below]


def _fit_cells(row: str, width: int) -> str:
    """As many cells as there are columns: Markdown does not show what is beyond the last one."""
    cells = row.split(" | ")
    fitting = [*cells[: width - 1], ", ".join(cells[width - 1 :])] if len(cells) > width else cells
    return " | ".join([*fitting, *[""] * (width - len(fitting))])
