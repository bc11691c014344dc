"""Where a run of capitals begins and ends, and whether it is a name: capitals that come from the place in the
sentence, titles, dates.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ascertain.graph.extraction.lexicon import (
    CALENDAR,
    EVENT_HEADS,
    GIVEN_NAMES,
    MONTHS,
    NATIONAL,
    OPENERS,
    ORGANISATION_HEADS,
    PERSON_ROLES,
    PERSON_TITLES,
    PLACE_HEADS,
    PLACES,
    RELATION_VERBS,
    SECTIONS,
    TITLES_TO_DROP,
    VERBS,
)
from ascertain.graph.extraction.words import ADJECTIVE, Reading, Run, Word, is_mixed
from ascertain.graph.keys import singular
from ascertain.language.tokens import STOP_WORDS, folded
from ascertain.language.word_lists import load_word_set

HONORIFICS = load_word_set("names", "honorifics")
"""What is said before any name of a person."""
_OFFICES = PERSON_ROLES | PERSON_TITLES | load_word_set("names", "office_words")
"""Words of titles and offices, which name nobody: "Chief Editor"."""
_SMALL = load_word_set("names", "inside") | {"the", "for", "on", "and"}
_BEFORE_MONTH = load_word_set("months_and_days", "before_month")
_OFFICES_OF_STATE = load_word_set("names", "offices_of_state")
_BODY_HEADS = ORGANISATION_HEADS | PLACE_HEADS | EVENT_HEADS
_SINGULAR_VERBS = frozenset({"is", "was", "has"})
_NO_NAMES = OPENERS | SECTIONS
_TITLES = TITLES_TO_DROP | HONORIFICS
_OPENING_MARKS = frozenset(':"“‘*|•…—–')
_COMPASS = load_word_set("names", "compass")


@dataclass(frozen=True, slots=True)
class DocumentWords:
    """Folded words of a document: ``small`` those that it mostly writes so itself, ``names`` those that it
    mostly writes with a capital where no sentence begins.
    """

    small: frozenset[str]
    names: frozenset[str]


def document_words(readings: Iterable[Reading]) -> DocumentWords:
    """What the sentences of a document show about its words."""
    written_small: list[str] = []
    written_large: list[str] = []
    for reading in readings:
        text = reading.chunk.text
        for sentence in reading.sentences:
            before = -1
            for word in sentence.words:
                first = word.written[0]
                if first.islower():
                    written_small.append(word.small)
                elif (
                    sentence.is_cased and word.start == before + 1 and text[before] == " " and first.isupper()
                ):
                    written_large.append(word.small)
                before = word.end
    small, names = Counter(written_small), Counter(written_large)
    return DocumentWords(
        frozenset(word for word, count in small.items() if count > names[word]),
        frozenset(word for word, count in names.items() if count >= small[word]),
    )


def trimmed(text: str, words: Sequence[Word], run: Run, known: DocumentWords) -> Run:
    """``run`` without the words at its start and end that have their capitals for another reason."""
    start, end = run
    opens = _opens(text, words, start)
    while start < end and _is_function_word(words[start].written, opens):
        start += 1
    following = words[start + 1].small if start + 1 < len(words) else ""
    is_opener = opens and start == run[0] and start < end
    if is_opener and _only_opens(words[start].written, end - start, following, known):
        start += 1
        while start < end and _is_function_word(words[start].written, opens=False):
            start += 1
    if start + 1 < end and words[start].small in MONTHS and start and words[start - 1].small in _BEFORE_MONTH:
        start += 1  # In November Binance
    start = _past_date(words, start, end)
    start = _past_title(words, start, end)
    while start < end and _is_no_end(words[end - 1].written):
        end -= 1
    if end - start == 1 and start and words[start - 1].written.isdigit() and len(words[start].written) <= 3:
        return start, start  # 64 GB
    return start, end


def is_name(words: Sequence[Word]) -> bool:
    """Whether trimmed words name something: not a date, an office, a nation, a section or initials."""
    small = [word.small for word in words]
    if all(word in CALENDAR or not word[:1].isalpha() or word in HONORIFICS for word in small):
        return False
    if all(word in _OFFICES for word in small) or all(
        len(word.written.replace(".", "")) == 1 for word in words
    ):
        return False
    if _is_national(small[-1]) and all(
        word in _COMPASS or _is_national(word) or word.isdigit() for word in small[:-1]
    ):
        return False
    written = "".join(word.written for word in words)
    if len(small) == 1 and small[0] in _NO_NAMES and (written.istitle() or written.islower()):
        return False  # but NeXT is one
    letters = sum(map(str.isalpha, written))
    return letters >= 3 or (letters == 2 and written.isupper()) or written[-1] in "+#"


def without_small_ends(words: Sequence[Word], run: Run) -> Run:
    """``run`` without function words and honorifics at its start and function words at its end, as models
    leave them.
    """
    start, end = run
    while start < end and _is_function_word(words[start].written, opens=False):
        start += 1
    start = _past_title(words, start, end)
    while start < end and _is_function_word(words[end - 1].written, opens=False):
        end -= 1
    return start, end


def _opens(text: str, words: Sequence[Word], place: int) -> bool:
    """Whether the word at ``place`` is the first of a sentence, of a quotation or after a colon."""
    return place == 0 or not _OPENING_MARKS.isdisjoint(text[words[place - 1].end : words[place].start])


def _is_function_word(written: str, opens: bool) -> bool:
    if folded(written) not in STOP_WORDS and written not in _SMALL:
        return False
    return opens or len(written) < 2 or not written.isupper()  # US and IT are names


def _only_opens(written: str, length: int, following: str, known: DocumentWords) -> bool:
    """Whether a word that opens a sentence has its capital from there only; ``length`` is that of its run."""
    small = written.lower().replace("’", "'")
    is_possessive = small.endswith("'s")
    small = small.removesuffix("'s")
    if any(c.isupper() for c in written[1:]) or not written[0].isupper() or small in known.names:
        return False
    if small in OPENERS or small in VERBS or small in known.small or small.endswith("ly"):
        return True
    if length == 1:
        is_subject = (
            is_possessive
            or following in _SINGULAR_VERBS
            or (following in RELATION_VERBS and not small.endswith("s"))
        )
        return small not in PLACES and not (is_subject and not small.endswith("ing"))
    return (length == 2 and small.endswith("ing")) or singular(small) in PERSON_ROLES


def _past_date(words: Sequence[Word], start: int, end: int) -> int:
    """Past "July 1996" and other figures, but for events, which have a year: "1920 Summer Olympics"."""
    while start < end - 1 and words[end - 1].small not in EVENT_HEADS:
        written = words[start].written
        is_month = words[start].small in MONTHS and words[start + 1].written.isdigit()
        if not is_month and not written.replace(".", "").isdigit():
            break
        start += 1
    return start


def _past_title(words: Sequence[Word], start: int, end: int) -> int:
    """Past what is said before a name: "Dr", "President", "Major General"."""
    place = start
    while place + 1 < end and words[place].small in _TITLES:
        place += 1
        is_person = _begins_person(words[place].small) or _is_held_by(words, place, end)
        if words[place - 1].small in HONORIFICS or is_person:
            start = place
    return start


def _is_held_by(words: Sequence[Word], place: int, end: int) -> bool:
    """Whether an office that only people hold stands before a name of two words or more: "President Yoon Suk
    Yeol".
    """
    return (
        words[place - 1].small in _OFFICES_OF_STATE
        and end - place > 1
        and words[end - 1].small not in _BODY_HEADS
    )


def _begins_person(small: str) -> bool:
    return small.partition("-")[0] in GIVEN_NAMES or len(small.strip(".")) == 1


def _is_no_end(written: str) -> bool:
    if written[0].islower() and not is_mixed(written):
        return True
    return folded(written) in STOP_WORDS and not written.isupper()


def _is_national(word: str) -> bool:
    parts = ADJECTIVE.sub("", word).split("-")
    return all(part in NATIONAL or part.removesuffix("s") in NATIONAL for part in parts)
