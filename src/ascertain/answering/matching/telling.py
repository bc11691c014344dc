"""The words of a question that tell what it is about, weighed against passages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

from ascertain.answering.matching.facts import offers_fact
from ascertain.answering.matching.word_matching import SaidWords, find_months, fold_possessives, meet_word, read_words
from ascertain.core.asking.passages import Passage
from ascertain.language.equivalents import load_asked_with
from ascertain.language.languages import ENGLISH
from ascertain.language.tokens import STOP_WORDS, content_terms, list_words, stem_word, word_informativeness
from ascertain.language.word_lists import load_word_set
from ascertain.questions.reading.facts import Asked, AskedFact
from ascertain.questions.reading.question import Question

_ECHOED = 0.6
"""Share of its weight that a word loses when every passage holds it: then it is the common subject, which a sentence need
not repeat."""
_BY_DEGREE = 0.35
"""Share of its weight that a word of degree ("how big") keeps."""
_OF_MONTH = 0.8
"""Weight of a month: most documents of a time hold it."""
MOST_READ = 8
"""Passages that an answer is compared with, best first."""
_LEAST = 0.1
"""Weight of the commonest word."""
_LIGHT = load_word_set("asked_facts", "light") | load_word_set("asking", "asking") | load_word_set("asking", "keywords")
_DEGREES = load_word_set("asked_facts", "degrees")
IN_FIGURES = (
    load_word_set("asked_facts", "sums")
    | load_word_set("asked_facts", "amounts")
    | load_word_set("asked_facts", "figures")
)
"""Words that ask for a figure and need not stand beside it."""
_IN_TIME = load_word_set("answer_kinds", "asks_time_nouns") | load_word_set("answer_kinds", "spans_of_time")


@dataclass(frozen=True, slots=True)
class Telling:
    """The words of a question that tell what it is about, folded, with their weights, and what it asks for.

    ``amounts`` are those that a figure, a date or a span of time meets by itself.
    """

    question: Question
    weights: Mapping[str, float]
    amounts: frozenset[str]
    known: frozenset[str]
    """All content terms of the question: what is among them is no news."""
    read: frozenset[str]
    """All words of the passages."""
    meeting: Mapping[str, Mapping[str, float]]
    """Of each word that tells, those ``read`` that meet it, and how well."""

    @property
    def asked(self) -> Asked:
        """What the question asks for."""
        return self.question.asked

    def offers_fact(self, sentence: str) -> bool:
        """Whether ``sentence`` holds a fact of the kind that is asked for, beyond what the question says."""
        return offers_fact(self.asked.fact, sentence, self.known, self.question.language)

    def coverage(self, met: Mapping[str, float]) -> float:
        """Share of the weight of the words that is ``met``, 0..1; 1 for a question without such words."""
        total = sum(self.weights.values())
        return sum(weight * met[word] for word, weight in self.weights.items()) / total if total else 1.0

    def meet_words(self, words: Set[str]) -> dict[str, float]:
        """How well the best of the folded ``words`` meets each word that tells, as ``meet_word``; those of the passages were compared
        before.
        """
        unread = words - self.read
        return {
            word: max(
                max((value for said, value in meeting.items() if said in words), default=0.0),
                meet_word(word, unread, self.question.language) if unread else 0.0,
            )
            for word, meeting in self.meeting.items()
        }


def read_telling(question: Question, passages: Sequence[Passage]) -> Telling:
    """The telling words of ``question``, weighed by how rare they are in English and among ``passages``."""
    asked, language = question.asked, question.language
    if language == ENGLISH:
        words = [word for word in dict.fromkeys(fold_possessives(asked.text)) if word not in STOP_WORDS]
    else:
        words = list(dict.fromkeys(list_words(asked.text, language)))
    words = [word for word in words if word not in _LIGHT] or words
    degrees = _DEGREES if language == ENGLISH else load_asked_with(language)
    months = find_months(asked.text)
    weights = {word: max(word_informativeness(stem_word(word, language), language), _LEAST) for word in words}
    weights |= dict.fromkeys(months, _OF_MONTH)
    read = [read_words(passage.chunk.indexed_text, language) for passage in passages[:MOST_READ]]
    every = frozenset[str]().union(*read)
    said = SaidWords(every, language)
    meeting = {word: said.find_meeting(word) for word in weights}
    for word in weights:
        share = sum(not meeting[word].keys().isdisjoint(held) for held in read) / len(read) if read else 0.0
        weights[word] *= (1 - _ECHOED * share) * (_BY_DEGREE if word in degrees else 1.0)
    in_time = asked.fact in (AskedFact.DATE, AskedFact.DURATION)
    in_figures = asked.fact in (AskedFact.NUMBER, AskedFact.COUNT, AskedFact.MONEY)
    amounts = {w for w in weights if w in degrees or (in_time and w in _IN_TIME) or (in_figures and w in IN_FIGURES)}
    known = frozenset(content_terms(f"{question.text}\n{asked.text}", language))
    return Telling(question, weights, frozenset(amounts), known, every, meeting)
