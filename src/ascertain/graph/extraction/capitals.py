"""Names by their capitals, told from words that only open a sentence by what the rest of the document does with them.

Unlike ``graph.names``, which reads a line, this reads a document: a word that some sentence of it writes small is no name
because another sentence opens with it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ascertain.core.stop_words import STOP_WORDS
from ascertain.graph.extraction.lexicon import NATIONAL, ORGANISATION_HEADS
from ascertain.graph.extraction.openers import CALENDAR, OPENERS
from ascertain.graph.extraction.words import Reading, Sentence, Word
from ascertain.models.terms import folded

Run = tuple[int, int]
"""The first word of a name and the one after its last, as places in the words of its sentence."""

_INSIDE = frozenset(
    "of the de la le les du des del della di da do dos van von der den und zu al el bin ibn y e".split()
)
"""Small words that stand inside a name: "University of Vienna"."""
_INSIDE_BODY = frozenset({"for", "on", "and"})
"""Small words that stand inside the names of bodies and journals only: "Council for Small Business"."""
_BODY = ORGANISATION_HEADS | frozenset(
    "transactions proceedings review lectures advances studies minister secretary prize award".split()
)
_LISTS_SUBJECTS = frozenset(
    "department ministry journal academy school faculty society office bureau institute transactions proceedings review advances"
    " secretary minister committee commission museum".split()
)
"""Bodies whose names join two subjects by "and"; a university, a bank or a king has one place."""
_JOIN = re.compile(r"[ \n]|[ ]?[-–&/][ ]?|, (?=(?:Inc|Ltd|LLC|Jr|Sr)\b)")
"""What stands between the words of one name."""
_SHORTENED = frozenset(
    "st mt ft dr mr mrs ms prof sr jr gen col capt sgt lt rev hon sen rep gov no vs".split()
)
"""Abbreviations after which a full stop and another word of the name come."""
_HONORIFIC = frozenset("dr mr mrs ms prof sir lady lord dame rev hon".split())
_LEADS_OUT = frozenset(
    "president chairman chairwoman chair ceo cto cfo founder director minister secretary governor mayor head member king queen"
    " prime senator professor ambassador captain son daughter wife husband capital history commander archbishop bishop".split()
)
"""Offices and relations: in "President of France" the name is France."""
_BEFORE_A_DATE = frozenset(
    "in since by of from until to before after during between and around circa on for".split()
)
_LONGEST = 10
"""Words of a name; longer runs are headings or tables."""


@dataclass(frozen=True, slots=True)
class DocumentWords:
    """Lower-case words of a document: ``small`` as it writes them so itself, ``names`` as it writes them with a capital inside a sentence."""

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


def names_of(text: str, sentence: Sentence, known: DocumentWords) -> Iterator[Run]:
    """The names in one sentence of ``text``, by capitals, left to right; nothing where capitals say nothing."""
    if not sentence.is_cased:
        return
    words = sentence.words
    for run in _runs(text, words):
        for part in _parted(words, run):
            start, end = _trimmed(text, words, part, known)
            if start < end and end - start <= _LONGEST and _is_name(words[start:end]):
                yield start, end


def _runs(text: str, words: Sequence[Word]) -> Iterator[Run]:
    """Maximal runs of capitalised words; small words belong to one when a capitalised word follows them."""
    start, end = -1, -1  # of the run so far; ``end`` is after its last capitalised word
    for place, word in enumerate(words):
        first = word.written[0]
        if start >= 0 and not _joins(text, words[place - 1], word):
            yield start, end
            start = -1
        if (
            first.isupper()
            or is_mixed(word.written)
            or (first.isdigit() and start in {-1, place - 1, end - 1})
        ):
            start = place if start < 0 else start
            end = place + 1
        elif start >= 0 and not (place - end < 2 and _stands_inside(words, start, end, place)):
            yield start, end
            start = -1
    if start >= 0:
        yield start, end


def is_mixed(written: str) -> bool:
    """Whether a word that begins small has capitals inside: iPhone, eBay."""
    return not written.islower() and written[0].islower() and written.isalnum()


def _joins(text: str, last: Word, word: Word) -> bool:
    gap = text[last.end : word.start]
    if gap == " ":
        return True
    if gap in {". ", "."}:
        return (len(last.written) == 1 and last.written.isupper()) or last.written.lower() in _SHORTENED
    return _JOIN.fullmatch(text, last.end, word.start) is not None


def _stands_inside(words: Sequence[Word], start: int, end: int, place: int) -> bool:
    """Whether the small word at ``place`` may stand inside the name that runs from ``start`` to ``end``."""
    small = words[place].written
    if small in _INSIDE:
        if small == "of" and end - start > 1:  # "William Kahan of Berkeley" is two names
            return words[end - 1].written.lower() in _BODY or _looks_like_a_noun(words[end - 1].written)
        return True
    if small not in _INSIDE_BODY or place != end:
        return False
    run = {word.written.lower() for word in words[start:end]}
    if small == "and":
        return (
            not run.isdisjoint(_LISTS_SUBJECTS)
            and not run.isdisjoint({"of", "for", "on"})
            and "and" not in run
        )
    return not run.isdisjoint(_BODY)


def _looks_like_a_noun(written: str) -> bool:
    return written.lower().endswith(
        (
            "tion",
            "sion",
            "ment",
            "ship",
            "ity",
            "ics",
            "ance",
            "ence",
            "ogy",
            "hood",
            "ian",
            "order",
            "war",
            "game",
        )
    )


def _parted(words: Sequence[Word], run: Run) -> Iterator[Run]:
    """``run`` without an office and its "of" inside it, and without the date it begins with."""
    start, end = run
    if words[start].written[0].isdigit() and _follows_a_date(words, start):
        start += 1
    for place in range(start + 1, end - 1):
        if words[place].written == "of" and words[place - 1].written.lower() in _LEADS_OUT:
            yield start, place
            following = place + 1 + (words[place + 1].written == "the")
            yield from _parted(words, (following, end))
            return
    if start < end:
        yield start, end


def _follows_a_date(words: Sequence[Word], place: int) -> bool:
    before = words[place - 1].written.lower() if place else ""
    return before in _BEFORE_A_DATE or before in CALENDAR


def _trimmed(text: str, words: Sequence[Word], run: Run, known: DocumentWords) -> Run:
    """``run`` without the words at its start and end that have their capitals for another reason."""
    start, end = run
    opens = _opens(text, words, start)
    while start < end and _is_function_word(words[start].written, opens):
        start += 1
    if opens and start == run[0] and start < end and _only_opens(words[start].written, end - start, known):
        start += 1
        while start < end and _is_function_word(words[start].written, opens=False):
            start += 1
    while start < end and words[end - 1].written[0].islower() and not is_mixed(words[end - 1].written):
        end -= 1
    while (
        start < end and folded(words[end - 1].written) in STOP_WORDS and not words[end - 1].written.isupper()
    ):
        end -= 1
    return start, end


def _opens(text: str, words: Sequence[Word], place: int) -> bool:
    """Whether the word at ``place`` is the first of a sentence, of a quotation or after a colon."""
    if place == 0:
        return True
    gap = text[words[place - 1].end : words[place].start]
    return any(mark in gap for mark in ':"“‘*|•')


def _is_function_word(written: str, opens: bool) -> bool:
    small = folded(written)
    if small not in STOP_WORDS and written not in _INSIDE:
        return False
    return (
        opens or len(written) < 2 or not written.isupper()
    )  # US and IT are names, a shouted "THE" is not met here


def _only_opens(written: str, length: int, known: DocumentWords) -> bool:
    """Whether a word that opens a sentence has its capital from there only; ``length`` is that of its run."""
    small = written.lower()
    if any(c.isupper() for c in written[1:]) or not written[0].isupper() or small in known.names:
        return False
    if small in OPENERS or small in known.small or small.endswith("ly"):
        return True
    return length == 1 or (length == 2 and small.endswith("ing"))


def _is_name(words: Sequence[Word]) -> bool:
    small = [folded(word.written) for word in words]
    if all(word in CALENDAR or not word[:1].isalpha() or word in _HONORIFIC for word in small):
        return False
    if len(small) == 1 and (small[0] in NATIONAL or small[0] in OPENERS):
        return False
    written = "".join(word.written for word in words)
    letters = sum(map(str.isalpha, written))
    return letters >= 3 or (letters == 2 and written.isupper()) or written[-1] in "+#"
