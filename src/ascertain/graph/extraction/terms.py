"""Terms: phrases of common nouns that a document comes back to, without a tagger.

Candidates are runs of words that are neither function words nor common verbs (as in RAKE: Rose et al., "Automatic
Keyword Extraction from Individual Documents", 2010). One is kept when the document has it twice and not only inside a
longer one that is kept (as in C-value: Frantzi, Ananiadou & Mima, "Automatic recognition of multi-word terms", 2000).
Words are nouns or verbs by what the document puts before them.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import pairwise

from ascertain.graph.extraction.words import (
    CALENDAR,
    OUTCOME_HEADS,
    PRACTICE_HEADS,
    VAGUE,
    VERBS,
    Reading,
    Sentence,
    Word,
)
from ascertain.graph.keys import singular_form
from ascertain.language.languages import ENGLISH
from ascertain.language.tokens import STOP_WORDS, stem_word, word_informativeness
from ascertain.language.word_lists import load_word_set, load_words

LONGEST_TERM = 4
TELLING_HEAD = 0.9
"""Informativeness of a practice or an outcome that is a term without another word: "burnout", and not "process"."""
FEWEST = 2
"""Different surroundings in which a document has a term; a phrase that is met once is any phrase."""

OFTEN_BY_ONE = 3
"""The same in a conversation, for a phrase of one speaker only."""
_SINGLE = frozenset(
    word
    for word in PRACTICE_HEADS | OUTCOME_HEADS
    if word_informativeness(stem_word(word, ENGLISH), ENGLISH) >= TELLING_HEAD
)
_BREAKS = STOP_WORDS | VERBS | VAGUE | CALENDAR
_BEFORE_VERBS = load_word_set("noun_phrases", "before_verbs")
_BEFORE_NOUNS = load_word_set("noun_phrases", "before_nouns")
_NO_LAST = load_words("noun_phrases", "no_last_endings")
"""Endings of adjectives and participles: a term does not end in one."""
_NO_FIRST = ("ly", "n't")


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms of a document, each as its folded words in the singular."""

    kept: frozenset[tuple[str, ...]]
    firsts: frozenset[str]
    """The first word of each."""

    def within(self, sentence: Sentence, text: str) -> Iterator[tuple[int, int]]:
        """Where the terms stand in a sentence: the longest first word by word, none inside another."""
        if not self.kept:
            return
        words = sentence.words
        end = 0
        for place, word in enumerate(words):
            if place < end or _singular_form(word) not in self.firsts:
                continue
            forms = [_singular_form(each) for each in words[place : place + LONGEST_TERM]]
            for length in range(len(forms), 0, -1):
                if tuple(forms[:length]) in self.kept and _is_unbroken(words[place : place + length], text):
                    end = place + length
                    yield place, end
                    break


def document_terms(readings: Iterable[Reading]) -> Terms:
    """The terms of one document. Of a conversation those that several of its speakers use, or one of them again and again; and
    what they do and what comes of it in a single word.
    """
    readings = list(readings)
    verbs = _find_verbs(readings)
    places: dict[tuple[str, ...], set[tuple[str, str]]] = defaultdict(set)
    speakers: defaultdict[tuple[str, ...], set[str]] = defaultdict(set)
    is_conversation = len({turn.speaker for reading in readings for turn in reading.turns}) > 1
    for reading in readings:
        for sentence in reading.sentences:
            words = sentence.words
            speaker = reading.find_speaker(sentence) if is_conversation else ""
            if is_conversation:
                for form in _find_single(words, verbs):
                    speakers[form].add(speaker)
                    places[form].add((speaker, ""))
            for start, stop in _find_runs(words, reading.chunk.text, verbs):
                forms = [_singular_form(word) for word in words[start:stop]]
                for first in range(start, stop - 1):
                    for end in range(first + 2, min(stop, first + LONGEST_TERM) + 1):
                        if _can_stand(words[first:end]):
                            before = words[first - 1].small if first else ""
                            after = words[end].small if end < len(words) else ""
                            term = tuple(forms[first - start : end - start])
                            places[term].add((before, after))
                            speakers[term].add(speaker)
    if is_conversation:
        places = {
            term: found for term, found in places.items() if len(speakers[term]) > 1 or len(found) >= OFTEN_BY_ONE
        }
    kept = frozenset(_keep_terms(places))
    return Terms(kept, frozenset(term[0] for term in kept))


def _find_single(words: Sequence[Word], verbs: Set[str]) -> Iterator[tuple[str, ...]]:
    """Words that name a practice or an outcome by themselves: "onboarding", "burnout"; behind no verb and before no noun."""
    for place, word in enumerate(words):
        form = singular_form(word.small)
        if form not in _SINGLE or word.small in verbs:
            continue
        before = words[place - 1].small if place else ""
        if (before not in _BEFORE_VERBS and before not in VERBS) or before in _BEFORE_NOUNS:
            yield (form,)


def _keep_terms(places: Mapping[tuple[str, ...], set[tuple[str, str]]]) -> Iterator[tuple[str, ...]]:
    inside: defaultdict[tuple[str, ...], int] = defaultdict(int)
    frequent = sorted((term for term in places if len(places[term]) >= FEWEST), key=lambda term: (-len(term), term))
    for term in frequent:
        if len(places[term]) - inside[term] < 1:
            continue
        yield term
        for first in range(len(term)):
            for end in range(first + 2, len(term) + 1):
                if end - first < len(term):
                    inside[term[first:end]] = max(inside[term[first:end]], len(places[term]))


def _find_runs(words: Sequence[Word], text: str, verbs: frozenset[str]) -> Iterator[tuple[int, int]]:
    start = 0
    for place, word in enumerate(words):
        small = word.small
        breaks = small in _BREAKS or small in verbs or not small[0].isalpha() or "'" in small or "’" in small
        if breaks or (place > start and text[words[place - 1].end : word.start] != " "):
            if place - start > 1:
                yield start, place
            start = place + 1 if breaks else place
    if len(words) - start > 1:
        yield start, len(words)


def _find_verbs(readings: Iterable[Reading]) -> frozenset[str]:
    as_verb: list[str] = []
    as_noun: list[str] = []
    for reading in readings:
        for sentence in reading.sentences:
            for before, word in pairwise(sentence.words):
                if before.small in _BEFORE_VERBS:
                    as_verb.append(word.small)
                elif before.small in _BEFORE_NOUNS:
                    as_noun.append(word.small)
    nouns = Counter(as_noun)
    return frozenset(word for word, count in Counter(as_verb).items() if count > nouns[word])


def _can_stand(run: Sequence[Word]) -> bool:
    first, last = run[0].written, run[-1].written
    if all(word.written[0].isupper() for word in run) or last[0].isupper():
        return False  # a name, or a noun before one
    return len(last) > 2 and not last.endswith(_NO_LAST) and not first.endswith(_NO_FIRST)


def _singular_form(word: Word) -> str:
    return singular_form(word.small)


def _is_unbroken(words: Sequence[Word], text: str) -> bool:
    return all(text[one.end : other.start] == " " for one, other in pairwise(words))
