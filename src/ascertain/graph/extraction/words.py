"""The words of a chunk, sentence by sentence, and what its whole document shows about them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ascertain.core.chunks import Chunk
from ascertain.core.documents import DocumentKind
from ascertain.core.spans import Span
from ascertain.language.sentences import split_sentences
from ascertain.language.tokens import folded
from ascertain.language.word_lists import load_alternatives

_UNSEEN = "[\u00ad\u200b-\u200f\u2060\ufeff]"
"""Characters that part a word for a machine and for no reader: soft hyphens, zero-width spaces and joiners,
marks of direction."""
UNSEEN = re.compile(f"{_UNSEEN}+")
TOKEN = re.compile(
    r"(?:[^\W\d_]\.){2,}"  # initials: U.S., J.R.R.
    rf"|\w+(?:(?:['’‐‑-]|\.(?=[a-z0-9])|{_UNSEEN}+)\w+)*(?:[+#]+(?!\w))?"
)
_LABEL = re.compile(r"^[ \t]*(\S[^:\n]{0,98}?):[ \t]+(?=\S)", re.M)
"""What a line of a transcript begins with: who speaks."""


ADJECTIVE = re.compile(rf"(?<=\w)-(?:{load_alternatives('noun_phrases', 'adjectives_of_names')})$")
"""What makes an adjective of a name: "London-based"."""
Run = tuple[int, int]
"""Words of a sentence that belong together: the place of the first, and the one after the last."""


class Word(NamedTuple):
    """A word as it is written, and folded; ``start`` and ``end`` are places in the text of its chunk."""

    written: str
    start: int
    end: int
    small: str


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of a chunk: where it stands in the text of the chunk, and its words."""

    span: Span
    words: tuple[Word, ...]
    is_cased: bool
    """Whether capitals mean something here; they do not in headings and in shouting."""


@dataclass(frozen=True, slots=True)
class Turn:
    """What one speaker says in a chunk, without the label."""

    speaker: str
    span: Span


@dataclass(frozen=True, slots=True)
class Reading:
    """One chunk, taken apart."""

    chunk: Chunk
    sentences: tuple[Sentence, ...]
    turns: tuple[Turn, ...]


def sentence_of(text: str) -> Sentence | None:
    """A line as one sentence; None when it has no words."""
    words = tuple(_word(match) for match in TOKEN.finditer(text))
    return Sentence(Span(0, len(text)), words, _is_cased(words, text[-1:])) if words else None


def speakers_of(chunks: Iterable[Chunk]) -> frozenset[str]:
    """Who speaks in a transcript, as its chunks and its list of authors know them."""
    chunks = list(chunks)
    named = {name for name in (chunk.place.speaker for chunk in chunks) if name}
    listed = chunks[0].author if chunks and chunks[0].kind is DocumentKind.TRANSCRIPT else None
    return frozenset(named | {name.strip() for name in (listed or "").split(",")} - {""})


def read_chunk(chunk: Chunk, speakers: frozenset[str] = frozenset()) -> Reading:
    """The sentences and turns of ``chunk``; labels of ``speakers`` are in no sentence."""
    turns = tuple(_turns(chunk, speakers)) if chunk.kind is DocumentKind.TRANSCRIPT else ()
    pieces = [turn.span for turn in turns] or [Span(0, len(chunk.text))]
    sentences = (sentence for piece in pieces for sentence in _sentences(chunk.text, piece))
    return Reading(chunk, tuple(sentences), turns)


def _turns(chunk: Chunk, speakers: frozenset[str]) -> Iterator[Turn]:
    speaker, start = chunk.place.speaker, 0
    for label in _LABEL.finditer(chunk.text):
        if label[1] not in speakers:
            continue
        if speaker and chunk.text[start : label.start()].strip():
            yield Turn(speaker, _trimmed(chunk.text, start, label.start()))
        speaker, start = label[1], label.end()
    if speaker and chunk.text[start:].strip():
        yield Turn(speaker, _trimmed(chunk.text, start, len(chunk.text)))


def is_mixed(written: str) -> bool:
    """Whether a word that begins small has capitals inside: iPhone, eBay."""
    return not written.islower() and written[0].islower() and written.isalnum()


def _trimmed(text: str, start: int, end: int) -> Span:
    piece = text[start:end]
    return Span(end - len(piece.lstrip()), start + len(piece.rstrip()))


def _sentences(text: str, piece: Span) -> Iterator[Sentence]:
    for found in split_sentences(piece.of(text)):
        span = found.shift(piece.start)
        words = tuple(_word(match) for match in TOKEN.finditer(text, *span))
        if words:
            yield Sentence(span, words, _is_cased(words, text[span.end - 1]))


def _word(match: re.Match[str]) -> Word:
    written = match[0]
    return Word(
        written,
        match.start(),
        match.end(),
        written.lower() if written.isascii() else folded(UNSEEN.sub("", written)),
    )


def _is_cased(words: Sequence[Word], last: str) -> bool:
    letters = [word.written for word in words if word.written[0].isalpha()]
    long = [written for written in letters if len(written) > 3]
    if len(long) >= 2 and sum(written.isupper() for written in long) > 0.6 * len(long):
        return False
    ends = last in ".!?…:;,\"”'’)" or len(letters) > 12
    return ends or len(long) < 2 or not all(written[0].isupper() for written in long)
