"""The words of a chunk, sentence by sentence, and the word lists of the rules.

The lists are data (``language/data``), folded and in the singular unless said; each is a cue, not a dictionary.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ascertain.core.documents.blocks import Span
from ascertain.core.documents.documents import Chunk, DocumentKind
from ascertain.graph.keys import key_of
from ascertain.language.sentences import split_sentences
from ascertain.language.tokens import fold_words
from ascertain.language.word_lists import load_alternatives, load_phrases, load_word_set

_UNSEEN = "[\u00ad\u200b-\u200f\u2060\ufeff]"
"""Characters that part a word for machines only: soft hyphens, zero-width spaces and joiners, marks of direction."""
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
ORGANISATION_HEADS = load_word_set("name_kinds", "organisation_heads")
"""Last words, or words before "of", of what acts as one."""
LEGAL_FORMS = load_word_set("legal_forms", "common")
PLACE_HEADS = load_word_set("name_kinds", "place_heads")
PLACE_OPENERS = load_word_set("name_kinds", "place_openers")
"""First words of places."""
EVENT_HEADS = load_word_set("name_kinds", "event_heads")
PRODUCT_HEADS = load_word_set("name_kinds", "product_heads")
ORGANISATION_NOUNS = load_word_set("name_kinds", "organisation_nouns")
PLACE_NOUNS = load_word_set("name_kinds", "place_nouns")
PRODUCT_NOUNS = load_word_set("name_kinds", "product_nouns")
"""Nouns that a definition ends in: "is a 1990 film", "is a peer-reviewed journal"."""
PERSON_VERBS = load_word_set("name_kinds", "person_verbs")
ORGANISATION_VERBS = load_word_set("name_kinds", "organisation_verbs")
PRODUCT_VERBS = load_word_set("name_kinds", "product_verbs")
PLACE_PREPOSITIONS = load_word_set("name_kinds", "place_prepositions")
PERSON_TITLES = load_word_set("names", "titles")
"""Words before or at the start of a name of a person."""
TITLES_TO_DROP = load_word_set("names", "titles_to_drop")
"""What stands before a name and is no part of it: honorifics always, the others before a given name."""
PERSON_ROLES = load_word_set("names", "roles")
"""What a person is called before or after the name."""
GIVEN_NAMES = load_word_set("names", "given_names")
COUNTRY_NAMES = frozenset(load_phrases("places", "of_several_words"))
"""Keys of places whose words are no cue."""
REGIONS = load_word_set("places", "countries") | load_word_set("places", "states") | COUNTRY_NAMES
"""What a smaller place is in: "Nashville, Tennessee"."""
PLACES = REGIONS | load_word_set("places", "cities")
NATIONAL = load_word_set("places", "national")
"""Adjectives of nations and faiths: alone they name nothing that a walk should pass through, so many texts have them.
"""
PRACTICE_HEADS = load_word_set("term_kinds", "practice")
NO_PRACTICES = load_word_set("term_kinds", "no_practices")
OUTCOME_HEADS = load_word_set("term_kinds", "outcome")
METHOD_HEADS = load_word_set("term_kinds", "method")
DATASET_HEADS = load_word_set("term_kinds", "dataset")
METRIC_HEADS = load_word_set("term_kinds", "metric")
TASK_HEADS = load_word_set("term_kinds", "task")
COMPONENT_HEADS = load_word_set("term_kinds", "component")
VERBS = load_word_set("noun_phrases", "verbs")
"""Verbs that end a noun phrase, in the forms that are met; those that are nouns as often are left out."""
VAGUE = load_word_set("noun_phrases", "vague")
"""Words that name nothing by themselves and stand in no term."""
RELATION_VERBS = load_word_set("relations", "verbs")
"""Verbs that relate two names: past and present forms, participles."""
MONTHS = load_word_set("months_and_days", "months")
_OTHER_DATES = ("month_abbreviations", "weekdays", "weekday_abbreviations", "beside_dates")
CALENDAR = MONTHS.union(*(load_word_set("months_and_days", name) for name in _OTHER_DATES))
"""Words of dates; a name has others besides."""
OPENERS = load_word_set("openers", "openers")
"""Common first words of sentences that are no names; lower case."""
SECTIONS = load_word_set("openers", "sections")
"""Headings of parts of any text."""


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

    def find_speaker(self, sentence: Sentence) -> str:
        """Who says ``sentence``; "" where no one is named."""
        return next((turn.speaker for turn in self.turns if turn.span.contains(sentence.span)), "")


def sentence_of(text: str) -> Sentence | None:
    """A line as one sentence; None when it has no words."""
    words = tuple(_read_word(match) for match in TOKEN.finditer(text))
    return Sentence(Span(0, len(text)), words, _tells_by_case(words, text[-1:])) if words else None


def speakers_of(chunks: Iterable[Chunk]) -> frozenset[str]:
    """Who speaks in a transcript, as its chunks and its list of authors know them."""
    chunks = list(chunks)
    named = {name for name in (chunk.place.speaker for chunk in chunks) if name}
    listed = chunks[0].author if chunks and chunks[0].kind is DocumentKind.TRANSCRIPT else None
    return frozenset(named | {name.strip() for name in (listed or "").split(",")} - {""})


def read_chunk(chunk: Chunk, speakers: frozenset[str] = frozenset()) -> Reading:
    """The sentences and turns of ``chunk``; labels of ``speakers`` are in no sentence."""
    turns = tuple(_find_turns(chunk, speakers)) if chunk.kind is DocumentKind.TRANSCRIPT else ()
    pieces = [turn.span for turn in turns] or [Span(0, len(chunk.text))]
    sentences = (sentence for piece in pieces for sentence in _read_sentences(chunk.text, piece))
    return Reading(chunk, tuple(sentences), turns)


def _find_turns(chunk: Chunk, speakers: frozenset[str]) -> Iterator[Turn]:
    speaker, start = chunk.place.speaker, 0
    for label in _LABEL.finditer(chunk.text):
        if label[1] not in speakers:
            continue
        if speaker and chunk.text[start : label.start()].strip():
            yield Turn(speaker, _trim_span(chunk.text, start, label.start()))
        speaker, start = label[1], label.end()
    if speaker and chunk.text[start:].strip():
        yield Turn(speaker, _trim_span(chunk.text, start, len(chunk.text)))


def has_mixed_case(written: str) -> bool:
    """Whether a word that begins small has capitals inside: iPhone, eBay."""
    return not written.islower() and written[0].islower() and written.isalnum()


def _trim_span(text: str, start: int, end: int) -> Span:
    piece = text[start:end]
    return Span(end - len(piece.lstrip()), start + len(piece.rstrip()))


def _read_sentences(text: str, piece: Span) -> Iterator[Sentence]:
    for found in split_sentences(piece.of(text)):
        span = found.shift(piece.start)
        words = tuple(_read_word(match) for match in TOKEN.finditer(text, *span))
        if words:
            yield Sentence(span, words, _tells_by_case(words, text[span.end - 1]))


def _read_word(match: re.Match[str]) -> Word:
    written = match[0]
    small = written.lower() if written.isascii() else fold_words(UNSEEN.sub("", written))
    return Word(written, match.start(), match.end(), small)


def _tells_by_case(words: Sequence[Word], last: str) -> bool:
    letters = [word.written for word in words if word.written[0].isalpha()]
    long = [written for written in letters if len(written) > 3]
    if len(long) >= 2 and sum(written.isupper() for written in long) > 0.6 * len(long):
        return False
    ends = last in ".!?…:;,\"”'’)" or len(letters) > 12
    return ends or len(long) < 2 or not all(written[0].isupper() for written in long)


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """Words ``first`` to ``end`` of a sentence of a chunk.

    ``origin`` is title, quoted, code, capitals, listed (in the profile), recalled (from elsewhere in the document) or
    term. ``span`` is in the text of the chunk and leaves out a possessive ending and what makes an adjective of a name;
    ``written`` has a space where the text breaks a line.
    """

    reading: Reading
    sentence: Sentence
    first: int
    end: int
    origin: str
    span: Span
    written: str
    key: str
    kind: str = ""
    """The general kind that a recogniser gave it."""


def build_found(
    reading: Reading, sentence: Sentence, run: Run, origin: str, *, marked: Span | None = None, kind: str = ""
) -> Found:
    """The name of the words of ``run``; ``marked`` is what quotation or code marks enclose, where they do."""
    span = marked or _trimmed_span(sentence, run)
    written = span.of(reading.chunk.text)
    written = " ".join(written.split()) if "\n" in written else written
    return Found(reading, sentence, *run, origin, span, written, key_of(written), kind)


def _trimmed_span(sentence: Sentence, run: Run) -> Span:
    first, last = sentence.words[run[0]], sentence.words[run[1] - 1]
    written = last.written
    is_possessive = len(written) > 2 and written[-2] in "'’" and written[-1] in "sS"
    ending = ADJECTIVE.search(written)
    return Span(first.start, last.end - 2 if is_possessive else last.end - len(ending[0] if ending else ""))
