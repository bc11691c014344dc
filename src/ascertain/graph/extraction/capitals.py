"""Names by their capitals.

Unlike ``language.names``, which reads a line, this reads a document: a word that some sentence of it writes small is no
name because another sentence opens with it.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass

from ascertain.graph.extraction import words as lx
from ascertain.graph.extraction.words import Reading, Run, Sentence, Word, has_mixed_case
from ascertain.graph.keys import singular_form
from ascertain.language.languages import ENGLISH
from ascertain.language.tokens import STOP_WORDS, fold_words, stem_word, word_informativeness
from ascertain.language.word_lists import load_alternatives, load_word_set, load_words

HONORIFICS = load_word_set("names", "honorifics")
"""What is said before any name of a person."""
_OFFICES = lx.PERSON_ROLES | lx.PERSON_TITLES | load_word_set("names", "office_words")
"""Words of titles and offices, which name no one: "Chief Editor"."""
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
_RANGE = re.compile(r"\d{1,4}[-–]\d{1,4}")
_GOES_ON = re.compile(rf"[.,:]\d|[ ]?(?:%|°|[€$£])|[ ](?:{load_alternatives('quantities', 'percent')}|degrees?)\b")
"""What shows that a figure is no part of the name before it."""
_PRONOUN_VERBS = frozenset(verb for verb in lx.VERBS if not verb.endswith(("s", "ed")))
_AFTER_PRONOUN = frozenset({"'ll", "'d", "'ve", "'re", "'m", "'s", "n't"})
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
_FUNCTION_WORDS = frozenset(word for word in STOP_WORDS if len(word) == 3) - {"who"}
_SHORTEST_SHOUTED = 4
"""Letters of a word in capitals that may be an ordinary one; most abbreviations are shorter."""
_LONGEST = 10
"""Words of a name; longer runs are headings or tables."""


@dataclass(frozen=True, slots=True)
class DocumentWords:
    """Folded words of a document that it mostly writes ``small``, or (``names``) with a capital inside sentences."""

    small: frozenset[str]
    names: frozenset[str]
    shouted: frozenset[str] = frozenset()
    """Ordinary words that it has in capitals for weight: "NEVER", "press START"."""


def document_words(readings: Iterable[Reading]) -> DocumentWords:
    """What the sentences of a document show about its words."""
    written_small: list[str] = []
    written_large: list[str] = []
    shouted: list[str] = []
    for reading in readings:
        text = reading.chunk.text
        for sentence in reading.sentences:
            before, is_opening = -1, True
            for place, word in enumerate(sentence.words):
                first = word.written[0]
                if first.islower():
                    written_small.append(word.small)
                elif (
                    sentence.is_cased
                    and not (is_opening or _opens_sentence(text, sentence.words, place))
                    and word.start == before + 1
                    and text[before] == " "
                    and first.isupper()
                ):
                    written_large.append(word.small)
                if word.written.isupper() and (len(word.written) >= _SHORTEST_SHOUTED or word.small in _FUNCTION_WORDS):
                    shouted.append(word.small)
                is_opening = is_opening and word.written.isdigit()
                before = word.end
    small, names = Counter(written_small), Counter(written_large)
    return DocumentWords(
        frozenset(word for word, count in small.items() if count > names[word]),
        frozenset(word for word, count in names.items() if count >= small[word]),
        frozenset(
            word
            for word, count in Counter(shouted).items()
            if count <= max(1, small[word]) and _is_ordinary(word) and word not in lx.PLACES
        ),
    )


def trim_run(text: str, words: Sequence[Word], run: Run, known: DocumentWords) -> Run:
    """``run`` without the words at its start and end that have their capitals for another reason."""
    start, end = run
    opens = _opens_sentence(text, words, start)
    if opens and words[start].written.isdigit():
        start = _past_date(words, start, end)  # 3 Rent
    while start < end and _is_function_word(words[start].written, opens):
        start += 1
    following = words[start + 1].small if start + 1 < len(words) else ""
    is_opener = opens and start < end and all(word.written.isdigit() for word in words[run[0] : start])
    if is_opener and _only_opens(words[start].written, end - start, following, known):
        start += 1
        while start < end and _is_function_word(words[start].written, opens=False):
            start += 1
    if start + 1 < end and words[start].small in lx.MONTHS and start and words[start - 1].small in _BEFORE_MONTH:
        start += 1  # In November Binance
    start = _past_date(words, start, end)
    start = _past_title(words, start, end)
    while start < end and (_is_no_end(words[end - 1].written) or _is_figure_of_text(text, words, start, end)):
        end -= 1
    if end - start == 1 and start and words[start - 1].written.isdigit() and len(words[start].written) <= 3:
        return start, start  # 64 GB
    return start, end


def is_name(words: Sequence[Word], shouted: Set[str] = frozenset()) -> bool:
    """Whether trimmed words name something: not a date, an office, a nation, a section, a ``shouted`` word or initials."""
    small = [word.small for word in words]
    letters_only = [word for word in words if not word.written.isdigit()]
    if len(letters_only) == 1 and letters_only[0].small in shouted and letters_only[0].written.isupper():
        return False
    if all(
        word in lx.CALENDAR or word.removesuffix("s") in lx.CALENDAR or not word[:1].isalpha() or word in HONORIFICS
        for word in small
    ):
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
    if not place:
        return True
    last = words[place - 1]
    gap = text[last.end : words[place].start]
    is_numbered = gap[:1] in {".", ")"} and all(word.written.isdigit() for word in words[:place])
    is_label = text[words[place].end : words[place].end + 1] == ":" and ("\n" in gap or _is_legal(last))
    return is_numbered or is_label or _is_degree(text, last) or not _OPENING_MARKS.isdisjoint(gap)


def _is_legal(word: Word) -> bool:
    return word.small.replace(".", "") in lx.LEGAL_FORMS


def _is_degree(text: str, word: Word) -> bool:
    """Whether a word is the unit of "4 °C", after which a full stop ends the sentence."""
    return text[word.start - 1 : word.start] == "°" and text[word.end : word.end + 1] == "."


def _is_function_word(written: str, opens: bool) -> bool:
    small = fold_words(written).replace("’", "'")
    if small.partition("'")[0] in STOP_WORDS and small.endswith(tuple(_AFTER_PRONOUN)):
        return True
    if small not in STOP_WORDS and written not in _SMALL:
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


def _is_figure_of_text(text: str, words: Sequence[Word], start: int, end: int) -> bool:
    """Whether a name ends in a figure of the text: in one that goes on or has a unit ("VAT 0 %"), or in a range ("11-16")."""
    last = words[end - 1]
    return end - start > 1 and (
        _RANGE.fullmatch(last.written) is not None
        or (last.written.isdigit() and _GOES_ON.match(text, last.end) is not None)
    )


def _is_national(word: str) -> bool:
    parts = lx.ADJECTIVE.sub("", word).split("-")
    return all(part in lx.NATIONAL or part.removesuffix("s") in lx.NATIONAL for part in parts)


def names_of(text: str, sentence: Sentence, known: DocumentWords) -> Iterator[Run]:
    """The names in one sentence of ``text``, by capitals, left to right; where these say nothing, people by their given names."""
    words = sentence.words
    if not sentence.is_cased:
        yield from (run for run in _find_runs(text, words) if _is_listed_person(words[slice(*run)]))
        return
    for run in _find_runs(text, words):
        for part in _part_run(words, run, known):
            start, end = trim_run(text, words, part, known)
            if start == end or end - start > _LONGEST or not is_name(words[start:end], known.shouted):
                continue
            if not (end - start == 1 and _heads_column(text, words, start, known)):
                yield start, end


def _is_listed_person(words: Sequence[Word]) -> bool:
    """Whether words of a row or a heading are a person: a given name and one or two more, "Maya Okonkwo | Owner"."""
    return 2 <= len(words) <= 3 and words[0].small in lx.GIVEN_NAMES and all(word.written.istitle() for word in words)


def _heads_column(text: str, words: Sequence[Word], place: int, known: DocumentWords) -> bool:
    """Whether a word stands by itself between wide gaps and is any word: "Qty    Amount"."""
    word = words[place]
    before = text[words[place - 1].end : word.start] if place else "  "
    after = text[word.end : word.end + 2]
    is_cell = "  " in before and (not after or after == "  " or after[0] == "\n")
    return is_cell and (word.small in known.small or _is_ordinary(word.small)) and word.small not in lx.PLACES


def _is_ordinary(word: str) -> bool:
    return word_informativeness(stem_word(word, ENGLISH), ENGLISH) < 1


def _find_runs(text: str, words: Sequence[Word]) -> Iterator[Run]:
    """Maximal runs of capitalised words; small words belong to one when a capitalised word follows them."""
    start, end = -1, -1  # of the run so far; ``end`` is after its last capitalised word
    for place, word in enumerate(words):
        first = word.written[0]
        if start >= 0 and not (_joins_words(text, words[place - 1], word) and not _is_pronoun(text, words, place)):
            yield start, end
            start = -1
        is_escape = text[word.start - 1 : word.start] == "\\"  # \nContains
        if not is_escape and (
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


def _is_pronoun(text: str, words: Sequence[Word], place: int) -> bool:
    """Whether a word is the speaker's "I", and no figure: "SQLite - I think"."""
    following = words[place + 1].small if place + 1 < len(words) else ""
    is_set_off = text[words[place - 1].end : words[place].start].strip() in {"-", "–"}
    return words[place].written == "I" and (is_set_off or following in _PRONOUN_VERBS)


def _joins_words(text: str, last: Word, word: Word) -> bool:
    gap = text[last.end : word.start]
    if text[word.end : word.end + 1] == ":" and _is_legal(last):
        return False
    if gap == " ":
        return True
    if gap == "\n" and (word.written[0].isdigit() or text[word.end : word.end + 1] == ":"):
        return False  # the next row of a table or a list
    if _is_degree(text, last):
        return False
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
