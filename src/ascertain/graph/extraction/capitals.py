"""Names by their capitals.

Unlike ``language.names``, which reads a line, this reads a document: a word that some sentence of it writes small is no
name because another sentence opens with it.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ascertain.graph.extraction import words as lx
from ascertain.graph.extraction.words import Reading, Run, Sentence, Word, has_mixed_case
from ascertain.graph.keys import singular_form
from ascertain.language.tokens import STOP_WORDS, fold_words
from ascertain.language.word_lists import load_word_set, load_words

HONORIFICS = load_word_set("names", "honorifics")
"""What is said before any name of a person."""
_OFFICES = lx.PERSON_ROLES | lx.PERSON_TITLES | load_word_set("names", "office_words")
"""Words of titles and offices, which name nobody: "Chief Editor"."""
_SMALL = load_word_set("names", "inside") | {"the", "for", "on", "and"}
_BEFORE_MONTH = load_word_set("months_and_days", "before_month")
_OFFICES_OF_STATE = load_word_set("names", "offices_of_state")
_BODY_HEADS = lx.ORGANISATION_HEADS | lx.PLACE_HEADS | lx.EVENT_HEADS
_SINGULAR_VERBS = frozenset({"is", "was", "has"})
_NO_NAMES = lx.OPENERS | lx.SECTIONS
_TITLES = lx.TITLES_TO_DROP | HONORIFICS
_OPENING_MARKS = frozenset(':"“‘*|•…—–')
_COMPASS = load_word_set("names", "compass")
_INSIDE = load_word_set("names", "inside")
"""Small words that stand inside a name: "University of Vienna"; "the" does after another."""
_INSIDE_BODY = frozenset({"for", "on"})
"""Small words that stand inside the names of bodies and journals only: "Council for Small Business"."""
_BODIES = lx.ORGANISATION_HEADS | load_word_set("name_kinds", "bodies_beside_organisations")
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
"""Endings of what "of" follows in a name of three words and more: in "William Kahan of Berkeley" there are two names.
"""
_NOUNS = load_word_set("name_kinds", "nouns_before_of")
"""Nouns that "of" follows in names of three words and more: "National Register of Historic Places"."""
_LONGEST = 10
"""Words of a name; longer runs are headings or tables."""


@dataclass(frozen=True, slots=True)
class DocumentWords:
    """Folded words of a document that it mostly writes ``small``, or (``names``) with a capital inside sentences."""

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
                elif sentence.is_cased and word.start == before + 1 and text[before] == " " and first.isupper():
                    written_large.append(word.small)
                before = word.end
    small, names = Counter(written_small), Counter(written_large)
    return DocumentWords(
        frozenset(word for word, count in small.items() if count > names[word]),
        frozenset(word for word, count in names.items() if count >= small[word]),
    )


def trim_run(text: str, words: Sequence[Word], run: Run, known: DocumentWords) -> Run:
    """``run`` without the words at its start and end that have their capitals for another reason."""
    start, end = run
    opens = _opens_sentence(text, words, start)
    while start < end and _is_function_word(words[start].written, opens):
        start += 1
    following = words[start + 1].small if start + 1 < len(words) else ""
    is_opener = opens and start == run[0] and start < end
    if is_opener and _only_opens(words[start].written, end - start, following, known):
        start += 1
        while start < end and _is_function_word(words[start].written, opens=False):
            start += 1
    if start + 1 < end and words[start].small in lx.MONTHS and start and words[start - 1].small in _BEFORE_MONTH:
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
    if all(word in lx.CALENDAR or not word[:1].isalpha() or word in HONORIFICS for word in small):
        return False
    if all(word in _OFFICES for word in small) or all(len(word.written.replace(".", "")) == 1 for word in words):
        return False
    if _is_national(small[-1]) and all(word in _COMPASS or _is_national(word) or word.isdigit() for word in small[:-1]):
        return False
    written = "".join(word.written for word in words)
    if len(small) == 1 and small[0] in _NO_NAMES and (written.istitle() or written.islower()):
        return False  # but NeXT is one
    letters = sum(map(str.isalpha, written))
    return letters >= 3 or (letters == 2 and written.isupper()) or written[-1] in "+#"


def without_small_ends(words: Sequence[Word], run: Run) -> Run:
    """``run`` without function words at its ends and honorifics at its start, as models leave them."""
    start, end = run
    while start < end and _is_function_word(words[start].written, opens=False):
        start += 1
    start = _past_title(words, start, end)
    while start < end and _is_function_word(words[end - 1].written, opens=False):
        end -= 1
    return start, end


def _opens_sentence(text: str, words: Sequence[Word], place: int) -> bool:
    """Whether the word at ``place`` is the first of a sentence, of a quotation or after a colon."""
    return place == 0 or not _OPENING_MARKS.isdisjoint(text[words[place - 1].end : words[place].start])


def _is_function_word(written: str, opens: bool) -> bool:
    if fold_words(written) not in STOP_WORDS and written not in _SMALL:
        return False
    return opens or len(written) < 2 or not written.isupper()  # US and IT are names


def _only_opens(written: str, length: int, following: str, known: DocumentWords) -> bool:
    """Whether a word that opens a sentence has its capital from there only; ``length`` is that of its run."""
    small = written.lower().replace("’", "'")
    is_possessive = small.endswith("'s")
    small = small.removesuffix("'s")
    if any(c.isupper() for c in written[1:]) or not written[0].isupper() or small in known.names:
        return False
    if small in lx.OPENERS or small in lx.VERBS or small in known.small or small.endswith("ly"):
        return True
    if length == 1:
        is_subject = (
            is_possessive
            or following in _SINGULAR_VERBS
            or (following in lx.RELATION_VERBS and not small.endswith("s"))
        )
        return small not in lx.PLACES and not (is_subject and not small.endswith("ing"))
    return (length == 2 and small.endswith("ing")) or singular_form(small) in lx.PERSON_ROLES


def _past_date(words: Sequence[Word], start: int, end: int) -> int:
    """Past "July 1996" and other figures, but for events, which have a year: "1920 Summer Olympics"."""
    while start < end - 1 and words[end - 1].small not in lx.EVENT_HEADS:
        written = words[start].written
        is_month = words[start].small in lx.MONTHS and words[start + 1].written.isdigit()
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
    """Whether an office that only people hold stands before a name of two words or more: "President Yoon Suk Yeol"."""
    return words[place - 1].small in _OFFICES_OF_STATE and end - place > 1 and words[end - 1].small not in _BODY_HEADS


def _begins_person(small: str) -> bool:
    return small.partition("-")[0] in lx.GIVEN_NAMES or len(small.strip(".")) == 1


def _is_no_end(written: str) -> bool:
    if written[0].islower() and not has_mixed_case(written):
        return True
    return fold_words(written) in STOP_WORDS and not written.isupper()


def _is_national(word: str) -> bool:
    parts = lx.ADJECTIVE.sub("", word).split("-")
    return all(part in lx.NATIONAL or part.removesuffix("s") in lx.NATIONAL for part in parts)


def names_of(text: str, sentence: Sentence, known: DocumentWords) -> Iterator[Run]:
    """The names in one sentence of ``text``, by capitals, left to right; nothing where capitals say nothing."""
    if not sentence.is_cased:
        return
    words = sentence.words
    for run in _find_runs(text, words):
        for part in _part_run(words, run, known):
            start, end = trim_run(text, words, part, known)
            if start < end and end - start <= _LONGEST and is_name(words[start:end]):
                yield start, end


def _find_runs(text: str, words: Sequence[Word]) -> Iterator[Run]:
    """Maximal runs of capitalised words; small words belong to one when a capitalised word follows them."""
    start, end = -1, -1  # of the run so far; ``end`` is after its last capitalised word
    for place, word in enumerate(words):
        first = word.written[0]
        if start >= 0 and not _joins_words(text, words[place - 1], word):
            yield start, end
            start = -1
        if (
            first.isupper()
            or (first.islower() and has_mixed_case(word.written))
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


def _joins_words(text: str, last: Word, word: Word) -> bool:
    gap = text[last.end : word.start]
    if gap == " ":
        return True
    gap = gap if gap.isascii() else lx.UNSEEN.sub("", gap)
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
    """Whether "and" joins the subjects of one body: "Ministry of Health and Labour"."""
    run = [word.small for word in words[start:end]]
    if not _LIST_SUBJECTS.isdisjoint(run) and not {"of", "for", "on"}.isdisjoint(run):
        return "and" not in run
    last = end + 1
    while last < len(words) and last < end + 4 and words[last].written[0].isupper():
        last += 1
    if last - end < 3 or words[last - 1].small not in lx.ORGANISATION_HEADS or "of" in run:
        return False
    if len(run) == 1:
        is_subject = run[0] in _SUBJECTS or (run[0].endswith("s") and not words[start].written.isupper())
        return is_subject and start > 0 and words[start - 1].small == "the"
    return not (run[-1] in lx.ORGANISATION_HEADS or " ".join(run) in lx.COUNTRY_NAMES or run[0] in lx.GIVEN_NAMES)


def _part_run(words: Sequence[Word], run: Run, known: DocumentWords) -> Iterator[Run]:
    """``run`` in parts: a date inside it, an office and its "of", the possessive of another name part it."""
    start, end = run
    for place in range(start, end - 1):
        small = words[place].small
        if place > start and small in lx.MONTHS and words[place + 1].written.isdigit():
            yield from _part_run(words, (start, place - words[place - 1].written.isdigit()), known)
            yield from _part_run(words, (place, end), known)
            return
        if small == "of" and place > start and words[place - 1].small in _LEADS_OUT:
            yield start, place
            following = place + 1 + (words[place + 1].written == "the")
            yield from _part_run(words, (following, end), known)
            return
        if small.endswith(("'s", "’s")) and (place > start or small[:-2] in known.names):
            yield start, place + 1
            yield from _part_run(words, (place + 1, end), known)
            return
    if start < end:
        yield start, end
