"""Names by their capitals, told from words that only open a sentence by what the rest of the document does with them.

Unlike ``graph.names``, which reads a line, this reads a document: a word that some sentence of it writes small is no name
because another sentence opens with it, and a name that it writes with capitals once is known again in a heading.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ascertain.core.spans import Span
from ascertain.core.stop_words import STOP_WORDS
from ascertain.graph.extraction.openers import CALENDAR, OPENERS
from ascertain.graph.extraction.words import Reading, Sentence, Word
from ascertain.models.terms import folded

_INSIDE = frozenset(
    "of the de la le les du des del della di da do dos van von der den und zu al el bin ibn y e".split()
)
"""Small words that stand inside a name: "University of Vienna"."""
_JOIN = re.compile(r"[ \n]|[ ]?[-–&][ ]?|[ ]?['’](?=s\b)|[ ]?['’]|, (?=Inc\b|Ltd\b|LLC\b|Jr\b|Sr\b)")
"""What stands between the words of one name."""
_AFTER_INITIAL = re.compile(r"\.[ ]?")
_SHORTENED = frozenset(
    "st mt ft dr mr mrs ms prof sr jr gen col capt sgt lt rev hon sen rep gov no vs".split()
)
"""Abbreviations after which a full stop and another word of the name come."""
_HONORIFIC = frozenset("dr mr mrs ms prof sir lady lord dame rev hon".split())
_ROLE = frozenset(
    "president chairman chairwoman chair ceo cto cfo founder director minister secretary governor mayor head member king queen"
    " prime senator professor ambassador captain son daughter wife husband capital history".split()
)
"""Heads that "of" leads out of: in "President of France" the name is France."""
_LONGEST = 8
"""Words of a name; longer runs are headings or tables."""


@dataclass(frozen=True, slots=True)
class DocumentWords:
    """Folded words of a document: ``small`` as it writes them in lower case, ``names`` as it writes them with a capital inside a sentence."""

    small: frozenset[str]
    names: frozenset[str]


def document_words(readings: Iterable[Reading]) -> DocumentWords:
    """What the sentences of a document show about its words."""
    small: set[str] = set()
    names: set[str] = set()
    for reading in readings:
        for sentence in reading.sentences:
            for place, word in enumerate(sentence.words):
                written = word.written
                if written[0].islower():
                    small.add(written)
                elif place and sentence.is_cased and written[0].isupper():
                    names.add(written.lower())
    return DocumentWords(frozenset(small), frozenset(names))


def names_of(text: str, sentence: Sentence, known: DocumentWords) -> Iterator[Span]:
    """The names in one sentence of ``text``, by capitals; nothing where those say nothing."""
    if not sentence.is_cased:
        return
    for run in _runs(text, sentence.words):
        for part in _parted(run):
            trimmed = _trimmed(part, part[0] is sentence.words[0], known)
            if trimmed and _is_name(trimmed):
                yield Span(trimmed[0].start, trimmed[-1].end)


def _runs(text: str, words: Sequence[Word]) -> Iterator[list[Word]]:
    """Maximal runs of capitalised words; a small word belongs to one when a capitalised word follows it."""
    run: list[Word] = []
    waiting: list[Word] = []
    last: Word | None = None
    for word in words:
        first = word.written[0]
        is_capital = first.isupper() or (first.isdigit() and not run) or _is_mixed(word.written)
        if run and last is not None and not _joins(text, last, word):
            yield run
            run, waiting = [], []
        if is_capital or (first.isdigit() and run and not waiting):
            run += [*waiting, word]
            waiting = []
        elif run and word.written in _INSIDE and len(waiting) < 2:
            waiting.append(word)
        elif run:
            yield run
            run, waiting = [], []
        last = word
    if run:
        yield run


def _is_mixed(written: str) -> bool:
    """Whether a word that begins small has capitals inside: iPhone, eBay."""
    return not written.islower() and written[0].islower() and written.isalnum()


def _joins(text: str, last: Word, word: Word) -> bool:
    gap = text[last.end : word.start]
    if gap == " ":
        return True
    if gap in {". ", "."}:
        return (len(last.written) == 1 and last.written.isupper()) or last.written.lower() in _SHORTENED
    return _JOIN.fullmatch(text, last.end, word.start) is not None


def _parted(run: list[Word]) -> Iterator[list[Word]]:
    """``run`` without what stands before "of" where that is an office or a relation, and parts of it that are too long."""
    for place, word in enumerate(run[1:-1], 1):
        if word.written == "of" and run[place - 1].written.lower() in _ROLE:
            yield run[:place]
            rest = run[place + 1 :]
            yield from _parted(rest[1:] if rest[0].written == "the" else rest)
            return
    if len(run) <= _LONGEST:
        yield run


def _trimmed(run: list[Word], opens: bool, known: DocumentWords) -> list[Word]:
    """``run`` without the words at its start and end that are capitalised for another reason, or nothing."""
    start, end = 0, len(run)
    while start < end and (folded(run[start].written) in STOP_WORDS or run[start].written in _INSIDE):
        if run[start].written.isupper() and len(run[start].written) > 1 and not opens:
            break  # US, IT
        start += 1
    opens = opens and start == 0
    if opens and _only_opens(run[0].written, end - start, known):
        start += 1
    while start < end and folded(run[start].written) in STOP_WORDS:
        start += 1
    while start < end and run[end - 1].written[0].islower() and not _is_mixed(run[end - 1].written):
        end -= 1
    return run[start:end]


def _only_opens(written: str, length: int, known: DocumentWords) -> bool:
    """Whether the first word of a sentence has its capital from there only."""
    small = written.lower()
    if any(c.isupper() for c in written[1:]) or not written[0].isupper():
        return False
    if small in known.names:
        return False
    if small in OPENERS or small in known.small or small.endswith(("ly", "ing")):
        return True
    return length == 1


def _is_name(run: Sequence[Word]) -> bool:
    words = [folded(word.written) for word in run]
    if all(word in CALENDAR or not word[0].isalpha() or word in _HONORIFIC for word in words):
        return False
    written = "".join(word.written for word in run)
    letters = sum(map(str.isalpha, written))
    return letters >= 3 or (letters == 2 and written.isupper()) or written[-1] in "+#"
