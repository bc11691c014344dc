"""What a question asks, word by word: its terms and codes, and the kind of answer it expects."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Set
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, partial
from itertools import pairwise
from typing import NamedTuple

from ascertain.language.compounds import read_compounds
from ascertain.language.languages import ENGLISH, KNOWN, spoken_language
from ascertain.language.remembering import remember_texts
from ascertain.language.tokens import (
    STOP_WORDS,
    WORD,
    content_terms,
    fold_words,
    stem_in,
    stem_word,
    word_informativeness,
)
from ascertain.language.word_lists import load_alternatives, load_pattern, load_word_set, load_words

# The kind of answer: a small table of patterns over question words, after the answer types of Li & Roth, "Learning Question Classifiers", COLING
# 2002. It only shifts a ranking slightly, so a miss costs little.


class AnswerKind(StrEnum):
    """What would answer the question."""

    NAME = "name"
    """A person or an organisation."""
    PLACE = "place"
    TIME = "time"
    MONEY = "money"
    SHARE = "share"
    """A percentage or a fraction."""
    NUMBER = "number"
    REASON = "reason"
    DEFINITION = "definition"
    ANY = "any"


FACTS = frozenset({AnswerKind.TIME, AnswerKind.MONEY, AnswerKind.SHARE, AnswerKind.NUMBER})
"""Kinds that a sentence clearly offers or does not."""


_any_of = partial(load_alternatives, "answer_kinds")
"""A list of words as alternatives of a regular expression."""
MONTH = "|".join(
    f"(?-i:{month.title()})" if month in {"march", "may"} else month
    for month in load_words("months_and_days", "months")
)
"""March and May are common words too where they are in lower case."""
_WEEKDAY = load_alternatives("months_and_days", "weekdays")
UNITS = "|".join((*load_words("quantities", "small")[1:], *load_words("quantities", "tens"), _any_of("number_words")))
BE = "(?:is|was|were|are)"
"""Patterns that identify questions and answers of several kinds."""

_QUESTIONS: tuple[tuple[AnswerKind, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern, re.I))
    for kind, pattern in (
        (AnswerKind.SHARE, rf"\bpercent(?:age)?\b|\bwhat (?:{_any_of('asks_share')})\b|%"),
        (
            AnswerKind.MONEY,
            rf"\bhow much (?:{_any_of('asks_money_auxiliaries')}|is \w+ worth)\b.*\b(?:{_any_of('asks_money_verbs')})"
            rf"|\b(?:{_any_of('asks_money_nouns')})\b.*\bhow much\b"
            rf"|\bwhat {BE} the (?:\w+ )?(?:{_any_of('asks_money_nouns')})|\bhow (?:expensive|cheap)\b",
        ),
        (
            AnswerKind.TIME,
            rf"\bwhen\b(?! (?:{_any_of('when_of_condition')})\b)"
            rf"|\b(?:what|which|whose) (?:exact )?(?:{_any_of('asks_time_nouns')})\b|\bhow (?:long|old|often|soon)\b"
            r"|\bwhat (?:is|was) the (?:\w+ )?(?:date|year)\b|^when\b",
        ),
        (
            AnswerKind.NUMBER,
            rf"\bhow (?:{_any_of('asks_number_measures')}|frequent\w*)\b"
            rf"|\bwhat {BE} the (?:\w+ ){{0,2}}(?:{_any_of('asks_number_nouns')})\b|\bwhat (?:number|age|size|rank)\b",
        ),
        (AnswerKind.PLACE, rf"\bwhere\b|\b(?:what|which) (?:{_any_of('asks_place')})\b"),
        (
            AnswerKind.NAME,
            rf"\bwho(?:m|se)?\b|\b(?:what|which) (?:\w+ )?(?:{_any_of('asks_name')})\b"
            rf"|\bwhat {BE} the names?\b|\bwho's\b",
        ),
        (AnswerKind.REASON, rf"\bwhy\b|\bhow come\b|\bwhat (?:{_any_of('asks_reason')})\b"),
        (
            AnswerKind.DEFINITION,
            r"^\W*(?:what(?:'s| is| are| was)|define)\b(?: (?:a|an|the))?(?: [\w-]+){1,3}\W*$|\bmean(?:ing|s)?\b|\bdefin",
        ),
    )
)

_OFFERS: dict[AnswerKind, re.Pattern[str]] = {
    kind: re.compile(pattern, re.I)
    for kind, pattern in (
        (
            AnswerKind.SHARE,
            rf"\d\s?(?:%|per ?cent\b|percent)|\b(?:{UNITS})[ -](?:percent|per cent|thirds?|quarters?|fifths?|tenths?)\b"
            r"|\bhalf\b|\d/\d|\bmajority\b|\bmost\b",
        ),
        (
            AnswerKind.MONEY,
            rf"[$€£¥₹]\s?\d|\d[\d,.]{{0,30}}\s?(?:(?:million|billion|thousand)\s)?(?:{_any_of('currencies')})\b|\bfree\b",
        ),
        (
            AnswerKind.TIME,
            rf"\b(?:1\d|20)\d\ds?\b|\b\d{{1,4}} ?(?:bc|ad|bce|ce)\b|\b(?:{MONTH})\b|\bcentur(?:y|ies)\b|\b\d{{1,2}}:\d\d\b"
            rf"|\b(?:\d[\d,.]{{0,30}}|{UNITS}|several|few)[ -](?:\w+ )?(?:{_any_of('spans_of_time')})s?\b"
            rf"|\b(?:{_WEEKDAY})\b|\b(?:{_any_of('times')})\b",
        ),
        (AnswerKind.NUMBER, rf"\d|\b(?:{UNITS})\b"),
        (
            AnswerKind.REASON,
            rf"\b(?:{_any_of('reasons')}|result(?:s|ed)? (?:in|from)|caus\w+|to (?:{_any_of('purposes')}))\b",
        ),
        (AnswerKind.DEFINITION, rf"\b(?:{_any_of('definitions')})\b"),
    )
}

CAPITALISED = re.compile(r"\b[A-Z][\w'’-]+(?:\.[A-Z]\.)?")
_PLACE_LEAD = re.compile(rf"\b(?:{_any_of('before_place')}) (?:the )?[A-Z][\w'’-]+")


def expected_kind(question: str) -> AnswerKind:
    """The kind of answer ``question`` asks for, by its language; ANY when no pattern matches."""
    language = spoken_language()
    for kind, pattern in _QUESTIONS if language == ENGLISH else _compile_questions(language):
        if pattern.search(question):
            return kind
    return AnswerKind.ANY


def offers_kind(kind: AnswerKind, sentence: str, known: Set[str]) -> bool:
    """Whether ``sentence`` contains something of that kind that is not among the question's terms ``known``.

    Always true for ANY.
    """
    if kind is AnswerKind.ANY:
        return True
    language = spoken_language()
    if language != ENGLISH:
        return _offers_kind_in(language, kind, sentence, known)
    if kind in (AnswerKind.NAME, AnswerKind.PLACE):
        names = (_PLACE_LEAD if kind is AnswerKind.PLACE else CAPITALISED).finditer(sentence)
        return any(is_news(match.group(), known) for match in names if match.start() > 0)
    pattern = _OFFERS[kind]
    if kind in (AnswerKind.REASON, AnswerKind.DEFINITION):
        return pattern.search(sentence) is not None
    return any(is_news(match.group(), known, numeric=True) for match in pattern.finditer(sentence))


_ASKED_IN_TURN = (
    AnswerKind.SHARE,
    AnswerKind.MONEY,
    AnswerKind.TIME,
    AnswerKind.PLACE,
    AnswerKind.NAME,
    AnswerKind.REASON,
    AnswerKind.NUMBER,
)
"""The kinds that other languages have wordings for, the finer ones first: "how many" is asked of money and time too."""


@cache
def _compile_questions(language: str) -> tuple[tuple[AnswerKind, re.Pattern[str]], ...]:
    if language not in KNOWN:
        return ()
    patterns = ((kind, load_pattern("questions", f"asks_{kind}", language)) for kind in _ASKED_IN_TURN)
    return tuple((kind, re.compile(rf"(?<!\w){pattern}(?!\w)", re.I)) for kind, pattern in patterns)


@cache
def _compile_offers(language: str) -> Mapping[AnswerKind, re.Pattern[str]]:
    def list_any(name: str) -> str:
        return f"(?:{load_alternatives('words', name, language)})"

    figure = rf"(?:\d[\d.,]{{0,30}}|{list_any('numbers')})"
    patterns = {
        AnswerKind.SHARE: rf"\d\s?%|\b{list_any('shares')}\b|\d/\d",
        AnswerKind.MONEY: rf"[$€£¥₹]\s?\d|\d[\d.,]{{0,30}}\s?(?:[$€£¥₹]|{list_any('money')})|\b{list_any('money')}\b",
        AnswerKind.TIME: rf"\b(?:1\d|20)\d\d\b|\b{list_any('months')}\b|\b{list_any('weekdays')}\b|\b\d{{1,2}}[:.]\d\d\b"
        rf"|\b{figure}(?: \w+)? {list_any('spans_of_time')}\b|\b{list_any('times')}\b",
        AnswerKind.NUMBER: rf"\d[\d.,]*|\b{list_any('numbers')}\b",
        AnswerKind.REASON: rf"\b{list_any('reasons')}\b",
    }
    return {kind: re.compile(pattern, re.I) for kind, pattern in patterns.items()}


@cache
def _compile_dates(language: str) -> re.Pattern[str]:
    """Figures that are not counts: days of a month, and years. A count like a year has a mark ("1.500"), or a unit or a noun in the plural
    after it; in German, where plurals have no single ending, a unit.
    """
    month = load_alternatives("words", "months", language)
    noun = "" if language == "de" else r"|\w{3,}(?:s|i|en)"
    year = rf"\b(?:1[5-9]|20)\d\d\b(?![.,]\d| ?[%°$€£]| (?-i:[kMGm]?[WBmgVl]|Kilo\w*|Meter\w*{noun})\b)"
    return re.compile(rf"\b\d{{1,2}}\.? (?:de )?(?:{month})\b|{year}", re.I)


_GERMAN_NAME = re.compile(r"\b(?:Frau|Herrn?|Familie|Firma|Dr\.|Prof\.) [A-ZÄÖÜ]\w+|\b[A-ZÄÖÜ]\w+ [A-ZÄÖÜ]\w+")
"""German writes every noun with a capital: only what stands beside another one, or after a title, is taken for a name."""


def _offers_kind_in(language: str, kind: AnswerKind, sentence: str, known: Set[str]) -> bool:
    """``offers_kind`` in another language than English; what the rules have no words for counts as offered."""
    if kind in (AnswerKind.NAME, AnswerKind.PLACE):
        names = _GERMAN_NAME if language == "de" and kind is AnswerKind.NAME else CAPITALISED
        return any(is_news(match.group(), known) for match in names.finditer(sentence) if match.start() > 0)
    pattern = _compile_offers(language).get(kind)
    if kind is AnswerKind.NUMBER:
        sentence = _compile_dates(language).sub(" ", sentence)
    if pattern is None or kind is AnswerKind.REASON:
        return pattern is None or pattern.search(sentence) is not None
    return any(is_news(match.group(), known, numeric=True) for match in pattern.finditer(sentence))


def is_news(found: str, known: Set[str], numeric: bool = False) -> bool:
    """Whether a stretch of a sentence says something beyond the terms ``known``; with ``numeric``, a bare figure too."""
    terms = content_terms(found)
    return any(term not in known for term in terms) or (numeric and not terms)


_TOKEN = re.compile(r"[^\W_]+(?:[-_./][^\W_]+)*")
_VERSION = re.compile(r"v?\d+(?:\.\d+){2,}")
_PIECE = re.compile(r"[^\W\d_]+|\d+")
_SHORTEST = 4
"""Shorter tokens of letters and digits (``5G``, ``H2O``, ``Q3``) have other spellings too often to require them."""


def find_identifiers(question: str) -> tuple[str, ...]:
    """Codes and versions in ``question``: ``TP-4107``, ``CVE-2024-3094``, ``3.11.2``, ``max_retry_2``."""
    found: dict[str, None] = {}
    for token in _TOKEN.findall(question):
        is_code = any(c.isdigit() for c in token) and any(c.isupper() or c == "_" for c in token)
        if _VERSION.fullmatch(token) or (is_code and len(token) >= _SHORTEST):
            found.setdefault(token)
    return tuple(found)


def mentions_identifier(text: str, identifier: str) -> bool:
    """Whether ``text`` contains the code, in any case, with or without its separators (``GPT-4``, ``gpt4``), a version with its ``v`` too."""
    mark = "v?" if identifier[:1].isdigit() else ""
    spelled = r"[-_./\s]?".join(re.escape(piece) for piece in _PIECE.findall(identifier))
    return re.search(rf"(?<![^\W_]){mark}{spelled}(?![^\W_])", text, re.IGNORECASE) is not None


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its content terms (stems), their weights, and the kind of answer it expects."""

    text: str
    weights: Mapping[str, float]
    """Weight of each content term, in order of the question; above 0."""
    pairs: frozenset[tuple[str, str]]
    """Content terms that follow each other."""
    specifics: frozenset[str]
    """Terms of names and numbers: those capitalised inside the question, or with a digit."""
    kind: AnswerKind
    codes: tuple[str, ...]
    """Identifiers and versions, as written."""

    def coverage(self, terms: Collection[str]) -> float:
        """Share of the question's term weight found in ``terms``, 0..1; 0 for a question without content terms."""
        total = sum(self.weights.values())
        found = sum(weight for term, weight in self.weights.items() if term in terms)
        return found / total if total else 0.0


def analyse_question(question: str) -> Question:
    """Take a question apart."""
    terms = content_terms(question)
    return Question(
        text=question,
        weights={term: max(word_informativeness(term), 0.05) for term in terms},
        pairs=frozenset(pairwise(terms)),
        specifics=_find_specifics(question),
        kind=expected_kind(question),
        codes=find_identifiers(question),
    )


def _find_specifics(question: str) -> frozenset[str]:
    found: set[str] = set()
    for match in WORD.finditer(question):
        word = match.group()
        starts = not re.search(r"\w", question[: match.start()])
        if any(c.isdigit() for c in word) or (any(c.isupper() for c in word) and not starts):
            found.update(content_terms(word))
    return frozenset(found)


# "What is a processor in structlog?" is answered by the sentence that says what a processor is, not by the one that talks
# most of processors.

_TELLING = load_word_set("asked_facts", "telling")
BEING = frozenset({"is", "are", "was", "were"})
_ARTICLES = frozenset({"a", "an", "the"})
_STARTERS = load_word_set("sentences", "starters")
_FEWEST_TOLD = 3
"""Words behind the verb from which a sentence says what something is, and not only how it is."""
_ASIDE = re.compile(r"(?:(?<!\s)\s+)?\([^()]*\)")


def tells_subject(subject: str, sentence: str) -> bool:
    """Whether ``sentence`` opens with ``subject`` and says what it is or does, as definitions and glossaries do."""
    wanted = [stem_word(word) for word in WORD.findall(fold_words(subject))]
    words = list(WORD.finditer(sentence))
    if words and words[0].group().lower() in _ARTICLES:
        del words[0]
    stems = [stem_word(fold_words(word.group())) for word in words]
    if wanted and stems[1:2] == wanted[:1] and _says_which_kind(words[0].group(), wanted[0]):
        del words[0]
    opening, following = words[: len(wanted)], words[len(wanted) :]
    if not wanted or [stem_word(fold_words(word.group())) for word in opening] != wanted or not following:
        return False
    rest = _ASIDE.sub("", sentence[opening[-1].end() :], count=1).strip()
    told = WORD.findall(rest)
    if not told or len(told) < _FEWEST_TOLD:
        return False
    if rest[0] in ":–—" or rest.startswith("- "):
        return True
    verb = told[0].lower()
    if told[0][0].isupper():
        return verb in _STARTERS
    return verb in _TELLING and (verb not in BEING or len(told) > _FEWEST_TOLD)


def _says_which_kind(word: str, subject: str) -> bool:
    """Whether ``word`` before another specifies the kind: a "log processor" is a processor, "the processor" is it."""
    return word.islower() and word not in STOP_WORDS and stem_word(word) != subject


# A word that neither English nor the passages know is mostly one of theirs with a wrong letter.

_SHORTEST_MISSPELT, _LONG = 4, 8
"""Fewest letters of a word that may be misspelt, and of one with two wrong letters."""
_UNKNOWN = 1.0
"""Informativeness of a word that is not among the common ones."""


def respell_question(question: str, texts: Iterable[str]) -> str:
    """``question`` with each word that is not in ``texts`` and rare in English replaced by the one word of theirs that is nearest
    to it. In another language than English, whose common words are not known here, only compounds are corrected.
    """
    if spoken_language() != ENGLISH:
        return read_compounds(question, texts)
    doubtful = [
        word
        for word in dict.fromkeys(WORD.findall(question))
        if len(word) >= _SHORTEST_MISSPELT
        and word.isalpha()
        and word.isascii()
        and word_informativeness(stem_word(fold_words(word))) >= _UNKNOWN
    ]
    if not doubtful:
        return question
    written: dict[str, str] = {}
    stems: set[str] = set()
    for text in texts:
        found = _list_written(text)
        stems |= found.stems
        for folded, word in found.words.items():
            written.setdefault(folded, word)
    for word in doubtful:
        folded = fold_words(word)
        if folded in written or stem_word(folded) in stems:
            continue
        near = {stem_word(other): other for other in written if _is_misspelt(folded, other)}
        if len(near) == 1:
            question = re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", written[near.popitem()[1]], question)
    return question


class _Written(NamedTuple):
    words: Mapping[str, str]
    """Each word of letters as it is first written, by its folded form."""
    stems: frozenset[str]


@remember_texts(500)
def _list_written(text: str) -> _Written:
    """The words of an English text."""
    words: dict[str, str] = {}
    for word in WORD.findall(text):
        if word.isalpha():
            words.setdefault(fold_words(word), word)
    return _Written(words, frozenset(stem_in(word, ENGLISH) for word in words))


def _is_misspelt(word: str, other: str) -> bool:
    if word[0] != other[0] or abs(len(word) - len(other)) > 2:
        return False
    if len(word) == _SHORTEST_MISSPELT and len(other) <= len(word):
        return False
    if min(len(word), len(other)) >= _LONG:
        return _count_edits(word, other) <= 2
    # another letter in its place makes another word of a short one ("leaks", "leads")
    return _count_edits(word, other) == 1 and (len(word) != len(other) or sorted(word) == sorted(other))


def _count_edits(one: str, other: str) -> int:
    """Letters inserted, omitted, changed or swapped with their neighbour (Damerau, CACM 1964; optimal string alignment)."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        earlier, before, row = before, row, [i]
        for j, sign in enumerate(other, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != sign))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == sign:
                cost = min(cost, earlier[j - 2] + 1)
            row.append(cost)
    return row[-1]


# Passages on the subject seldom say a date, a number, the first or largest of all, a plain yes or no: fitted on the
# development sets, each of these makes an answer less likely at the same nearness of the passages.

_YES_NO = re.compile(rf"\W*(?:{load_alternatives('question_signs', 'yes_or_no')})(?:n't)?\b")
_EXTREME = re.compile(rf"\b(?:{load_alternatives('question_signs', 'extremes')}|[a-z]{{3,}}(?:est|most))\b")
_NO_EXTREME = load_word_set("question_signs", "no_extremes")
"""Words that merely have this ending; ``latest`` asks for the news, not for a comparison."""
_YEAR = re.compile(r"\b(?:1\d|20)\d\d\b")


def asks_yes_or_no(question: str) -> bool:
    """Whether ``question`` opens with a verb, in its language."""
    language = spoken_language()
    if language != ENGLISH:
        first = next(iter(WORD.findall(question.casefold())), "")
        return language in KNOWN and first in load_word_set("questions", "yes_or_no", language)
    return _YES_NO.match(fold_words(question)) is not None


def asks_for_extreme(question: str) -> bool:
    """Whether ``question`` asks for the first, the largest, the only one, in its language."""
    language = spoken_language()
    if language != ENGLISH:
        words = WORD.findall(question.casefold())
        return language in KNOWN and not load_word_set("questions", "extremes", language).isdisjoint(words)
    return any(match.group() not in _NO_EXTREME for match in _EXTREME.finditer(fold_words(question)))


def is_of_other_year(question: str, title: str) -> bool:
    """Whether ``title`` names a year that ``question`` does not: ``1997 Madrid summit`` for the summit of
    2022.
    """
    return bool(set(_YEAR.findall(title)) - set(_YEAR.findall(question)))
