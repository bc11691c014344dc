"""Looking at what a citation points to: the quote in the text around it, and the page of the PDF it stands on."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ascertain.app.page_images import drawn_page
from ascertain.core.documents import Document, Place
from ascertain.core.errors import UsageError
from ascertain.core.spans import Span

if TYPE_CHECKING:
    from ascertain.app.ascertain import Ascertain

CONTEXT_CHARACTERS = 600
"""Text shown on either side of a quote: about a paragraph."""
MAX_CONTEXT_CHARACTERS = 20_000
"""Several pages; who wants more wants the document."""

_WORD_SLACK = 40
"""How much further a window may reach to begin and end with a whole word; longer words are addresses or no words at all."""
_LONGEST_CLUSTER = 64
_JOINERS = frozenset("\u200c\u200d")
_FLAGS = range(0x1F1E6, 0x1F200)
_SKIN_TONES = range(0x1F3FB, 0x1F400)
_HANGUL_ENDS = range(0x1160, 0x1200)
_LOW_SURROGATES = range(0xDC00, 0xE000)


@dataclass(frozen=True, slots=True)
class TextWindow:
    """A stretch of a document with a quote in it.

    All four numbers count code points of the document's text: the window is ``[start, end)``, the quote ``[quote_start, quote_end)``
    inside it. ``place`` is where the quote begins: page, section, or speaker turn with its times. ``characters`` is the length of the
    whole document.
    """

    document_id: str
    title: str
    text: str
    start: int
    end: int
    quote_start: int
    quote_end: int
    place: Place
    characters: int


def text_window(
    knowledge: Ascertain, document_id: str, start: int, end: int, context: int = CONTEXT_CHARACTERS
) -> TextWindow:
    """The text ``[start, end)`` with ``context`` characters around it, widened to whole words where they are not long.

    What lies outside the document is cut off. Raises UsageError for an unknown document, a span that ends before it starts, and a
    context below 0; more than MAX_CONTEXT_CHARACTERS are given as so many.
    """
    document = _existing(knowledge, document_id)
    if end < start or context < 0:
        raise UsageError(
            f"characters {start} to {end} with {context} around them: give start <= end, context >= 0"
        )
    length = len(document.text)
    quote = Span(min(max(0, start), length), min(max(0, end), length))
    around = min(context, MAX_CONTEXT_CHARACTERS)
    window = Span(
        _beginning(document.text, max(0, quote.start - around)),
        _ending(document.text, min(length, quote.end + around)),
    )
    return TextWindow(
        document.id,
        document.title,
        window.of(document.text),
        window.start,
        window.end,
        quote.start,
        quote.end,
        document.place_of(quote),
        length,
    )


def page_image(
    knowledge: Ascertain, document_id: str, page: int, quote_span: tuple[int, int] | None = None
) -> bytes:
    """Page ``page``, from 1, of a PDF as a PNG of at most 2,000 pixels a side; what of the quote is on it is marked.

    ``quote_span`` counts code points of the document's text. The page is drawn from the uploaded file, or from the file that the document
    was added from where it is still there with the same content. Where the quote cannot be found on it, it comes without a mark.
    Raises UsageError when there is no such document, page or file.
    """
    quote = None if quote_span is None else Span(*quote_span)
    return drawn_page(knowledge, _existing(knowledge, document_id), page, quote)


def _existing(knowledge: Ascertain, document_id: str) -> Document:
    document = knowledge.document(document_id)
    if document is None:
        raise UsageError(f"there is no document {document_id!r}; `ascertain documents` lists ids")
    return document


def _beginning(text: str, position: int) -> int:
    """``position`` or a little before: where a word, or at least a character as people see it, begins."""
    for start in range(position, max(-1, position - _WORD_SLACK), -1):
        if start == 0 or text[start - 1].isspace():
            return start
    return _cluster_start(text, position)


def _ending(text: str, position: int) -> int:
    """``position`` or a little after: where a word, or at least a character as people see it, ends."""
    for end in range(position, min(len(text), position + _WORD_SLACK) + 1):
        if end == len(text) or text[end].isspace():
            return end
    end = position
    while end < len(text) and end - position < _LONGEST_CLUSTER and _cluster_start(text, end) != end:
        end += 1
    return end


def _cluster_start(text: str, position: int) -> int:
    """Where the character that people see around ``position`` begins, which may be several code points (a base, then what changes it).

    The rules of Unicode's UAX 29 that matter in running text: marks, joiners, emoji with skin tones, flags, Hangul syllables.
    """
    start = position
    while 0 < start < len(text) and position - start < _LONGEST_CLUSTER and _belongs_to_before(text, start):
        start -= 1
    return start


def _belongs_to_before(text: str, position: int) -> bool:
    character, before = text[position], text[position - 1]
    code = ord(character)
    if unicodedata.category(character).startswith("M") or character in _JOINERS or before == "\u200d":
        return True
    if code in _SKIN_TONES or code in _HANGUL_ENDS or code in _LOW_SURROGATES:
        return True
    if code not in _FLAGS:
        return False
    first = position
    while first > 0 and position - first < _LONGEST_CLUSTER and ord(text[first - 1]) in _FLAGS:
        first -= 1
    return (position - first) % 2 == 1
