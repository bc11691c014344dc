"""The forms in which an answer says something, and how they are laid out as Markdown: sentences, lists, steps, tables, code.

``join_sentences`` makes the text of an answer, ``place_sentences`` finds the sentences in it again, for programs that show it
and put citation marks after them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ascertain.core.asking.answers import AnswerSentence, Form


@dataclass(frozen=True, slots=True)
class PlacedSentence:
    """A sentence where it stands in the text of its answer.

    ``between`` is the text before it that belongs to no sentence: a space, an empty line, who says what follows.
    ``opening`` and ``closing`` are the Markdown of its form around it; joined, all of them are the text.
    """

    sentence: AnswerSentence
    between: str
    opening: str = ""
    closing: str = ""


def join_sentences(sentences: Sequence[AnswerSentence]) -> str:
    """The sentences as Markdown; plain ones in one paragraph with a space between them."""
    return "".join(
        f"{markup.gap}{markup.opening}{sentence.text}{markup.closing}"
        for sentence, markup in zip(sentences, _iterate_markup(sentences), strict=True)
    )


def place_sentences(text: str, sentences: Sequence[AnswerSentence]) -> tuple[list[PlacedSentence], str]:
    """The sentences in ``text``, in order, and what follows the last of them."""
    placed: list[PlacedSentence] = []
    end = 0
    for sentence, markup in zip(sentences, _iterate_markup(sentences), strict=True):
        shown = f"{markup.opening}{sentence.text}{markup.closing}"
        if text.startswith(f"{markup.gap}{shown}", end):
            # a space between two sentences belongs to neither, a line end between two items to their list
            between, gap = ("", markup.gap) if markup.is_form else (markup.gap, "")
            placed.append(PlacedSentence(sentence, between, f"{gap}{markup.opening}", markup.closing))
            end += len(markup.gap) + len(shown)
            continue
        start = text.find(shown, end)
        opening, closing = markup.opening, markup.closing
        if start < 0:
            opening = closing = ""
            start = max(text.find(sentence.text, end), end)
            shown = sentence.text
        placed.append(PlacedSentence(sentence, text[end:start], opening, closing))
        end = start + len(shown)
    return placed, text[end:]


@dataclass(frozen=True, slots=True)
class _Markup:
    """``gap`` stands between a sentence and the one before; ``is_form``: one of the two is more than plain text."""

    gap: str
    opening: str
    closing: str
    is_form: bool


def _iterate_markup(sentences: Sequence[AnswerSentence]) -> Iterator[_Markup]:
    number = 0
    for before, sentence in pairwise((None, *sentences)):
        assert sentence is not None
        goes_on = before is not None and _is_of_run(before, sentence)
        number = number + 1 if goes_on else 1
        is_form = sentence.form is not Form.TEXT or (before is not None and before.form is not Form.TEXT)
        gap = "" if before is None else "\n\n" if not goes_on else "\n" if is_form else " "
        opening, closing = _mark_form(sentence, number)
        yield _Markup(gap, opening, closing, is_form)


def _is_of_run(before: AnswerSentence, sentence: AnswerSentence) -> bool:
    """Whether two sentences are in one paragraph, list or table."""
    is_same = sentence.form is before.form and sentence.form is not Form.CODE
    return is_same and sentence.columns == before.columns


def _mark_form(sentence: AnswerSentence, number: int) -> tuple[str, str]:
    """The Markdown before and behind a sentence that is the numbered one of its run."""
    match sentence.form:
        case Form.TEXT:
            return "", ""
        case Form.ITEM:
            return "- ", ""
        case Form.STEP:
            return f"{number}. ", ""
        case Form.ROW:
            header = f"| {' | '.join(sentence.columns)} |\n|{' --- |' * len(sentence.columns)}\n" if number == 1 else ""
            return f"{header}| ", " |"
        case Form.CODE:
            longest = max((len(run) for run in re.findall(r"`+", sentence.text)), default=0)
            fence = "`" * max(3, longest + 1)
            return f"{fence}{sentence.language}\n", f"\n{fence}"
