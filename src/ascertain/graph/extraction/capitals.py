"""Names by their capitals.

Unlike ``graph.names``, which reads a line, this reads a document: a word that some sentence of it writes
small is no name because another sentence opens with it (``trimming``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ascertain.graph.extraction.lexicon import (
    COUNTRY_NAMES,
    GIVEN_NAMES,
    MONTHS,
    ORGANISATION_HEADS,
)
from ascertain.graph.extraction.trimming import DocumentWords, is_name, trimmed
from ascertain.graph.extraction.words import UNSEEN, Run, Sentence, Word, is_mixed
from ascertain.language.word_lists import load_word_set, load_words

_INSIDE = load_word_set("names", "inside")
"""Small words that stand inside a name: "University of Vienna"; "the" does after another."""
_INSIDE_BODY = frozenset({"for", "on"})
"""Small words that stand inside the names of bodies and journals only: "Council for Small Business"."""
_BODIES = ORGANISATION_HEADS | load_word_set("name_kinds", "bodies_beside_organisations")
_LIST_SUBJECTS = load_word_set("name_kinds", "bodies_of_two_subjects")
"""Bodies whose names join two subjects by "and"; a university, a bank or a king has one place."""
_SUBJECTS = load_word_set("name_kinds", "subjects")
"""Subjects in the singular that "and" joins to another: "Food and Drug Administration"."""
_JOIN = re.compile(r"[ \n]|[ ]?[-–&][ ]?")
"""What stands between the words of one name."""
_AFTER_COMMA = load_word_set("legal_forms", "after_comma")
"""Endings of a name that a comma sets off."""
_SHORTENED = load_word_set("names", "shortened")
"""Abbreviations after which a full stop and another word of the name come."""
_LEADS_OUT = load_word_set("names", "leads_out")
"""Offices and relations: in "President of France" the name is France."""
_NOUN_ENDINGS = load_words("name_kinds", "endings_before_of")
"""Endings of what "of" follows in a name of three words and more: in "William Kahan of Berkeley" there are
two names."""
_NOUNS = load_word_set("name_kinds", "nouns_before_of")
"""Nouns that "of" follows in names of three words and more: "National Register of Historic Places"."""
_LONGEST = 10
"""Words of a name; longer runs are headings or tables."""


def names_of(text: str, sentence: Sentence, known: DocumentWords) -> Iterator[Run]:
    """The names in one sentence of ``text``, by capitals, left to right; nothing where capitals say nothing."""
    if not sentence.is_cased:
        return
    words = sentence.words
    for run in _runs(text, words):
        for part in _parted(words, run, known):
            start, end = trimmed(text, words, part, known)
            if start < end and end - start <= _LONGEST and is_name(words[start:end]):
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
            or (first.islower() and is_mixed(word.written))
            or (first.isdigit() and end == place and start >= 0)
        ):
            start = place if start < 0 else start
            end = place + 1
        elif first.isdigit() and start < 0:
            start, end = place, place + 1
        elif start >= 0 and not (place - end < 2 and _stands_inside(words, start, end, place)):
            yield start, end
            start = -1
    if start >= 0:
        yield start, end


def _joins(text: str, last: Word, word: Word) -> bool:
    gap = text[last.end : word.start]
    if gap == " ":
        return True
    gap = gap if gap.isascii() else UNSEEN.sub("", gap)
    if gap == " ":
        return True
    if gap in {". ", "."}:
        return (len(last.written) == 1 and last.written.isupper()) or last.small in _SHORTENED
    if gap in {"' ", "’ "}:
        return last.small.endswith("s")  # Seven Years' War
    if gap in {", ", "., "}:
        return word.small in _AFTER_COMMA
    return _JOIN.fullmatch(gap) is not None


def _stands_inside(words: Sequence[Word], start: int, end: int, place: int) -> bool:
    """Whether the small word at ``place`` may stand inside the name that runs from ``start`` to ``end``."""
    small = words[place].written
    before = words[end - 1].small
    if small == "the":
        return place > end
    if small == "of" and end - start > 1:
        return before in _BODIES or before in _NOUNS or before.endswith(_NOUN_ENDINGS)
    if small in _INSIDE:
        return True
    if place != end:
        return False
    if small == "and":
        return _and_names_a_body(words, start, end)
    return small in _INSIDE_BODY and any(word.small in _BODIES for word in words[start:end])


def _and_names_a_body(words: Sequence[Word], start: int, end: int) -> bool:
    """Whether "and" joins the subjects of one body: "Ministry of Health and Labour", "Springer Science and
    Business Media".
    """
    run = [word.small for word in words[start:end]]
    if not _LIST_SUBJECTS.isdisjoint(run) and not {"of", "for", "on"}.isdisjoint(run):
        return "and" not in run
    last = end + 1
    while last < len(words) and last < end + 4 and words[last].written[0].isupper():
        last += 1
    if last - end < 3 or words[last - 1].small not in ORGANISATION_HEADS or "of" in run:
        return False
    if len(run) == 1:
        is_subject = run[0] in _SUBJECTS or (run[0].endswith("s") and not words[start].written.isupper())
        return is_subject and start > 0 and words[start - 1].small == "the"
    return not (run[-1] in ORGANISATION_HEADS or " ".join(run) in COUNTRY_NAMES or run[0] in GIVEN_NAMES)


def _parted(words: Sequence[Word], run: Run, known: DocumentWords) -> Iterator[Run]:
    """``run`` in parts: a date inside it, an office and its "of", the possessive of another name part it."""
    start, end = run
    for place in range(start, end - 1):
        small = words[place].small
        if place > start and small in MONTHS and words[place + 1].written.isdigit():
            yield from _parted(words, (start, place - words[place - 1].written.isdigit()), known)
            yield from _parted(words, (place, end), known)
            return
        if small == "of" and place > start and words[place - 1].small in _LEADS_OUT:
            yield start, place
            following = place + 1 + (words[place + 1].written == "the")
            yield from _parted(words, (following, end), known)
            return
        if small.endswith(("'s", "’s")) and (place > start or small[:-2] in known.names):
            yield start, place + 1
            yield from _parted(words, (place + 1, end), known)
            return
    if start < end:
        yield start, end
