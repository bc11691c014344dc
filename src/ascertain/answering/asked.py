"""What a question asks for: the fact an answer must contain, and the words that say what it is about."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from itertools import dropwhile, takewhile

from ascertain.answering.question import (
    BE,
    BEING,
    CAPITALISED,
    MONTH,
    UNITS,
    AnswerKind,
    expected_kind,
    is_news,
    offers_kind,
)
from ascertain.answering.word_matching import (
    SaidWords,
    find_months,
    fold_possessives,
    meet_word,
    read_words,
    spell_figures,
)
from ascertain.core.passages import Passage
from ascertain.language.equivalents import load_asked_with
from ascertain.language.languages import ENGLISH, spoken_language
from ascertain.language.tokens import (
    STOP_WORDS,
    WORD,
    content_terms,
    fold_words,
    list_words,
    stem_word,
    word_informativeness,
)
from ascertain.language.word_lists import load_alternatives, load_patterns, load_word_set

_any_of = partial(load_alternatives, "answer_kinds")


class AskedFact(StrEnum):
    """What an answer must contain: finer and stricter than ``AnswerKind``, for judging a written answer."""

    PERSON = "person"
    """Or an organisation."""
    PLACE = "place"
    DATE = "date"
    DURATION = "duration"
    """Or an age, or how often."""
    MONEY = "money"
    """Or a share of a sum."""
    NUMBER = "number"
    COUNT = "count"
    """How many of a thing there are: a number that is neither a sum of money nor a share."""
    REASON = "reason"
    DEFINITION = "definition"
    STEPS = "steps"
    """How to do something: an order, a command, code."""
    YES_OR_NO = "yes_or_no"
    THING = "thing"
    """Whatever "which" and "what" ask for."""
    ANY = "any"


OPEN_FACTS = frozenset({AskedFact.YES_OR_NO, AskedFact.THING, AskedFact.ANY})
"""Facts without recognisable wording: any sentence may give them."""
LOOSE_FACTS = frozenset({AskedFact.REASON, AskedFact.DEFINITION})
"""Facts that speech and notes often give without a word that marks them."""

FIGURES = frozenset({AskedFact.DATE, AskedFact.DURATION, AskedFact.MONEY, AskedFact.NUMBER, AskedFact.COUNT})
"""Facts given as figures: in a table without their unit, which is in the column name."""

_asked_any = partial(load_alternatives, "asked_facts")
_TOPICS = re.compile(r"(?:(?<!\s)\s+)?\(about: [^()]*\)\s*$")
"""What a conversation was about, appended to a follow-up for the search; the user did not ask for it."""
_WAYS = tuple(re.compile(rf"\b{pattern}", re.I) for pattern in load_patterns("asked_facts", "ways"))
_WHAT = r"(?:what|which|whats|what's)"
_ASKED: tuple[tuple[AskedFact, re.Pattern[str]], ...] = tuple(
    (fact, re.compile(pattern, re.I))
    for fact, pattern in (
        (AskedFact.STEPS, "|".join(pattern.pattern.replace("?P<", "?P<_") for pattern in _WAYS)),
        (
            AskedFact.REASON,
            rf"\bwhy\b|\bhow come\b|\bwhat (?:{_any_of('asks_reason')})\b|\bwhat (?:is|was|were) the (?:cause|reason)s?\b",
        ),
        (AskedFact.DURATION, r"\bhow (?:long|soon|often)\b|\bsince when\b"),
        (
            AskedFact.DATE,
            rf"^\W*(?:(?:{_asked_any('before_when')})\W+)*when(?= (?:{_asked_any('auxiliaries')})\b|\W*$)|[,;:.] when\b|\b(?:and|until|since|by|or) when\b"
            rf"|\b(?:what|which|whose) (?:exact )?(?:{_any_of('asks_time_nouns')})\b"
            r"|\bwhat (?:is|was) the (?:\w+ )?(?:date|year)\b",
        ),
        (
            AskedFact.NUMBER,
            rf"\bhow (?:{_any_of('asks_number_measures')}|old|frequent\w*|cheap|expensive|low)\b|\bpercent(?:age)?\b"
            rf"|\bwhat (?:{_any_of('asks_share')})\b|\bwhat {BE} the (?:\w+ ){{0,2}}(?:{_any_of('asks_number_nouns')})\b"
            rf"|\b{_WHAT} (?:\w+ ){{0,2}}(?:{_asked_any('figures')})(?= (?:{_asked_any('auxiliaries')})\b|\W*$)"
            rf"|\b{_WHAT} (?:(?:{_asked_any('auxiliaries')}) )?(?:[\w-]+ ){{0,6}}(?:{_asked_any('sums')}|{_asked_any('amounts')})\b"
            rf"|^(?!\W*(?:who|where|when|why|how|which|{_asked_any('auxiliaries')})\b)"
            rf"(?:[\w'-]+ ){{0,4}}(?:{_asked_any('sums')}|{_asked_any('amounts')})\b",
        ),
        (AskedFact.PLACE, rf"\bwhere\b|\b(?:what|which) (?:{_any_of('asks_place')})\b"),
        (AskedFact.PERSON, rf"\bwho(?:m|se|'s)?\b|\b(?:what|which) (?:{_any_of('asks_name')})\b"),
        (
            AskedFact.DEFINITION,
            rf"^\W*(?:(?:and|so|ok) )?(?:(?:in|for) [\w.]+,? )?(?:what(?:'s| {BE})|define)\b(?: (?:a|an|the))?"
            r"(?: (?!(?:of|in|for|on|to)\b)[\w-]+){1,3}\W*$|\bmean(?:ing|s)?\W*$|^\W*what does [\w ]+ do\W*$",
        ),
        (
            AskedFact.YES_OR_NO,
            rf"^\W*(?:(?:and|so|ok|but) )?(?:{load_alternatives('question_signs', 'yes_or_no')})(?:n't)?\b"
            r"|: (?:can|do|does|is|are|will)\b",
        ),
        (AskedFact.THING, r"\b(?:which|what)\b"),
    )
)
_SUM = re.compile(rf"\b(?:{_asked_any('sums')})\b", re.I)
_COUNT = re.compile(r"\bhow many\b", re.I)
"""Asks for a count, including days until a fee is due."""
_COUNTED_SUM = re.compile(rf"\bhow many (?:\w+ )?(?:percent\w*|per cent|{_any_of('currencies')})\b", re.I)


@dataclass(frozen=True, slots=True)
class Asked:
    """What a question asks for: ``text`` is the question without what was appended for the search; ``heads`` are the
    folded words that name the thing itself.

    The heads are the noun of "which licence", "how many students", "who is the treasurer", and the verb of "who
    founded" and "how do I install". Empty where the wording does not show them.
    """

    text: str
    fact: AskedFact
    heads: tuple[str, ...]


def read_asked(question: str) -> Asked:
    """What ``question`` asks for. Where it asks for several facts the first counts; ``which`` and ``what`` yield to a
    finer kind of fact that is asked with them. In another language the coarser kind of ``question.expected_kind`` is expected, and no
    heads are set.
    """
    text = _TOPICS.sub("", question)
    if spoken_language() != ENGLISH:
        kind = expected_kind(text)
        return Asked(text, next((fact for fact, kinds in _KINDS.items() if kind in kinds), AskedFact.ANY), ())
    found: list[tuple[int, int, AskedFact]] = []
    for order, (fact, pattern) in enumerate(_ASKED):
        if match := pattern.search(text):
            found.append((match.start() + 2 * (fact is AskedFact.THING), order, fact))
    fact = min(found)[2] if found else AskedFact.ANY
    if fact is AskedFact.NUMBER:
        fact = _tell_number(text)
    return Asked(text, fact, _find_heads(fold_words(text)))


def _tell_number(text: str) -> AskedFact:
    """What kind of number ``text`` asks for."""
    is_sum = _SUM.search(text) is not None
    if _COUNT.search(text):
        return AskedFact.NUMBER if is_sum or _COUNTED_SUM.search(text) else AskedFact.COUNT
    return AskedFact.MONEY if is_sum else AskedFact.NUMBER


_AUXILIARY = load_word_set("asked_facts", "auxiliaries")
_AFTER_NOUN = load_word_set("asked_facts", "after_noun") | _AUXILIARY
_ARTICLES = frozenset({"the", "a", "an", "your", "our", "my", "their", "its", "his", "her"})
_COUNTED = frozenset({"number", "name", "amount", "kind", "type", "sort"})
"""Of the nouns before "of": the question asks for the noun after it."""
_HEAD_TOKEN = re.compile(r"(?<![\w'’=.-])[\w'’=.-]*\w")
_WHICH = re.compile(r"\b(?:which|what|whose|whats|what's|how many|how much)\b\s*(.*)", re.DOTALL)
_WHO_IS = re.compile(r"\bwho (?:is|was|are|were) (?:the|an?) (.*)", re.DOTALL)
_WHO_DID = re.compile(r"(?:^\W*|\band |: )who (\w+)")


def _find_heads(text: str) -> tuple[str, ...]:
    if match := _WHICH.search(text):
        return _read_noun(_HEAD_TOKEN.findall(match[1]))
    for pattern in _WAYS:
        if match := pattern.search(text):
            return tuple(word for word in match.groups() if word)
    if match := _WHO_IS.search(text):
        return _take_noun(_HEAD_TOKEN.findall(match[1]))[-2:]
    if match := _WHO_DID.search(text):
        return () if match[1] in _AUXILIARY else (match[1],)
    words = _HEAD_TOKEN.findall(text)
    noun = _take_noun(words) if words and not re.match(r"who|where|when|why|how", words[0]) else ()
    return noun[-1:] if 0 < len(noun) < min(len(words), 5) else ()


_OFFICES = load_word_set("asked_facts", "offices")
_RANKS = load_word_set("asked_facts", "ranks")
_OFFICE_TIMES = load_word_set("asked_facts", "office_times")


def find_office(question: str) -> tuple[str, ...]:
    """The folded words of the office whose holder ``question`` asks for, where a word distinguishes it from others of its kind:
    ``chief``, ``operating`` for "who is the chief operating officer of Brel?"; empty for "who is the president?".
    """
    match = _WHO_IS.search(fold_words(question))
    if match is None:
        return ()
    words = [word for word in _take_noun(_HEAD_TOKEN.findall(match[1])) if word not in _OFFICE_TIMES]
    office = list(dropwhile(lambda word: word not in _RANKS, words))
    if len(office) < 2:
        # of what body it is ("the French minister") may be said in other words: "of France"
        names = {fold_words(word) for word in _HEAD_TOKEN.findall(question) if word[0].isupper()}
        office = [word for word in words[-2:] if word not in names] if words and words[-1] in _OFFICES else []
    # a chief financial officer is a finance chief, and a chief executive officer a chief executive
    office = [word for word in office if word != "officer" or "chief" not in office]
    return tuple(office) if len(office) > 1 else ()


def _read_noun(words: Sequence[str]) -> tuple[str, ...]:
    """The head of what follows "which", "what" or "how many"."""
    if not words:
        return ()
    if words[0] not in _AUXILIARY:
        noun = tuple(word for word in _take_noun(words)[:4] if word not in STOP_WORDS)
        is_whole = len(_take_noun(words)) < len(words) and len(noun) < 4
        return noun[-1:] if is_whole else noun[:1]
    if words[0] not in BEING or len(words) < 2 or words[1] not in _ARTICLES:
        return ()
    noun = _take_noun(words[2:])
    behind = words[2 + len(noun) :]
    if noun and noun[-1] in _COUNTED and behind[:1] == ["of"]:
        return (*_read_noun([word for word in behind[1:] if word not in _ARTICLES]), *noun[:-1])
    return noun[-1:] if len(noun) <= 2 else noun[-2:]


def _take_noun(words: Sequence[str]) -> tuple[str, ...]:
    return tuple(takewhile(lambda word: word not in _AFTER_NOUN, words))


_NUMBER = re.compile(rf"(?<![\w.])\d[\d,.]{{0,30}}\w{{0,2}}\b|\b(?:{UNITS})\b", re.I)
_DATED = re.compile(
    rf"\b(?:{MONTH})\.? \d{{1,2}}(?:,? \d{{4}})?|\b\d{{1,2}} (?:{MONTH})(?: \d{{4}})?|\b\d{{4}}-\d\d-\d\d"
    r"|\b(?:1[5-9]|20)\d\d\b(?!\.\d| [a-z]+s\b)|\[\d+\]|\bone (?:of|can|could|is|has|that|who|in|with|another|day)\b",
    re.I,
)
"""Figures that are not counts: dates, years, notes, "one of"."""
_MONEY_OR_SHARE = re.compile(
    rf"[$€£¥₹]\s?\d|\d[\d,.]{{0,30}}\s?(?:(?:million|billion|thousand|k|m|bn)\s)?(?:{_any_of('currencies')})\b|\bfree\b"
    r"|\d\s?(?:%|percent|per cent)",
    re.I,
)
_SUM_OR_SHARE = re.compile(
    rf"[$€£¥₹]\s?\d[\d,.]*(?:\s?(?:million|billion|trillion|thousand|k|m|bn)\b)?|\d[\d,.]{{0,30}}\s?(?:%|percent\b|per cent\b)"
    rf"|\d[\d,.]{{0,30}}\s(?:(?:million|billion|trillion|thousand)\s)?(?:{_any_of('currencies')})\b",
    re.I,
)
_LASTING = re.compile(
    rf"\b(?:\d[\d,.]{{0,30}}|{UNITS}|several|few|an?|a couple of)[ -]?(?:\w+ )?(?:{_any_of('spans_of_time')})s?\b"
    rf"|\b(?:1\d|20)\d\ds?\b|\b\d+ to \d+\b|\bage\w* (?:of )?\d+"
    rf"|\b(?:{_asked_any('lasting')})\b",
    re.I,
)
_LOOSE_REASON = re.compile(rf"\b(?:{_asked_any('reasons')})\b", re.I)
_CODE = re.compile(r"\w\(|[\w)]=[\w\"']|\b\w+_\w+|`|@\w|(?:^|\s)--?[a-z]|\w{2}\.[a-z]{2,}\b|\w/\w")
_ORDER = re.compile(
    rf"(?:^|[.:;,!(]\s*|\b(?:{_asked_any('before_orders')}) (?:\w+ )?)(?:{_asked_any('orders')})\w*\b", re.I
)
_ACTING = re.compile(rf"\b(?:{_asked_any('acting')})\b", re.I)
_SOMEWHERE = re.compile(r"\b(?:in|at|on|near|from|under|to) the \w+")
_TELLING = re.compile(rf"\b(?:{_asked_any('telling')})\b", re.I)
_NAMING = re.compile(rf"\b(?:{_asked_any('naming')})\b|, (?:which is|its|an?|the) ", re.I)


_KINDS: Mapping[AskedFact, tuple[AnswerKind, ...]] = {
    AskedFact.PERSON: (AnswerKind.NAME,),
    AskedFact.PLACE: (AnswerKind.PLACE,),
    AskedFact.DATE: (AnswerKind.TIME,),
    AskedFact.MONEY: (AnswerKind.MONEY, AnswerKind.SHARE),
    AskedFact.NUMBER: (AnswerKind.NUMBER,),
    AskedFact.REASON: (AnswerKind.REASON,),
}
"""The kinds that the word lists of other languages cover, as facts."""


def offers_fact(fact: AskedFact, sentence: str, known: Set[str]) -> bool:
    """Whether ``sentence`` contains a fact of that kind that is not among the question's terms ``known``; always true for
    ``OPEN_FACTS``.
    """
    if spoken_language() != ENGLISH:
        kinds = _KINDS.get(fact, ())
        return not kinds or any(offers_kind(kind, sentence, known) for kind in kinds)
    match fact:
        case AskedFact.PERSON:
            return _offers_name(sentence, known) or _ACTING.search(sentence) is not None
        case AskedFact.PLACE:
            return _offers_name(sentence, known) or _SOMEWHERE.search(sentence) is not None
        case AskedFact.DATE:
            is_quarter = re.search(r"\bQ[1-4]\b", sentence) is not None
            return is_quarter or offers_kind(AnswerKind.TIME, sentence, known)
        case AskedFact.DURATION:
            return _offers_news(_LASTING, sentence, known)
        case AskedFact.MONEY:
            return _offers_news(_MONEY_OR_SHARE, sentence, known)
        case AskedFact.NUMBER:
            return _offers_news(_NUMBER, _DATED.sub(" ", sentence), known)
        case AskedFact.COUNT:
            return _offers_news(_NUMBER, _SUM_OR_SHARE.sub(" ", _DATED.sub(" ", sentence)), known)
        case AskedFact.REASON:
            return offers_kind(AnswerKind.REASON, sentence, known) or _LOOSE_REASON.search(sentence) is not None
        case AskedFact.STEPS:
            return _CODE.search(sentence) is not None or _ORDER.search(sentence) is not None
        case AskedFact.DEFINITION:
            return _NAMING.search(sentence) is not None or _tells_of(sentence, known)
        case _:
            return True


def _offers_news(pattern: re.Pattern[str], sentence: str, known: Set[str]) -> bool:
    return any(is_news(match.group(), known, numeric=True) for match in pattern.finditer(sentence))


def _offers_name(sentence: str, known: Set[str]) -> bool:
    opens = re.match(r"[A-Z]\w+ (?:[A-Z]|\w+(?:ed|s)\b)", sentence) is not None
    names = CAPITALISED.finditer(sentence)
    return any(is_news(match.group(), known) for match in names if match.start() > 0 or opens)


_SOON = 3
"""Words after the thing within which a sentence says what it is: "A processor in structlog is"."""
_LATE = 8
"""Words after which a sentence mentions the thing but does not define it."""


def _tells_of(sentence: str, known: Set[str]) -> bool:
    """Whether ``sentence`` begins with one of the terms ``known``, soon followed by a verb that describes it."""
    words = WORD.findall(sentence)
    for at, word in enumerate(words[:_LATE]):
        if known & set(content_terms(word)) and any(_TELLING.fullmatch(x) for x in words[at + 1 : at + 1 + _SOON]):
            return True
    return False


# The question word by word. How well a word of an answer matches a word of the question is set by ``_SAME`` and the like; what the
# question asks by (light verbs, "please") need not be matched.

_ECHOED = 0.6
"""Share of its weight that a word loses when every passage contains it: then it is the common subject, which a sentence need
not repeat."""
_BY_DEGREE = 0.35
"""Share of its weight that a word of degree ("how big") keeps."""
_OF_MONTH = 0.8
"""Weight of a month: most documents of a period contain it."""
MOST_READ = 8
"""Passages an answer is compared with, best first."""
_LEAST = 0.1
"""Weight of the commonest word."""
_LIGHT = load_word_set("asked_facts", "light") | load_word_set("asking", "asking") | load_word_set("asking", "keywords")
_DEGREES = load_word_set("asked_facts", "degrees")
IN_FIGURES = (
    load_word_set("asked_facts", "sums")
    | load_word_set("asked_facts", "amounts")
    | load_word_set("asked_facts", "figures")
)
"""Words that ask for a figure and need not appear beside it."""
_IN_TIME = load_word_set("answer_kinds", "asks_time_nouns") | load_word_set("answer_kinds", "spans_of_time")


@dataclass(frozen=True, slots=True)
class Telling:
    """The words of a question that say what it is about, folded, with their weights, and what it asks for.

    ``amounts`` are those that a figure, a date or a span of time matches by itself.
    """

    asked: Asked
    weights: Mapping[str, float]
    amounts: frozenset[str]
    known: frozenset[str]
    """All content terms of the question: a word among them is not new information."""
    read: frozenset[str]
    """All words of the passages."""
    meeting: Mapping[str, Mapping[str, float]]
    """For each content word, those ``read`` that match it, and how well."""

    def coverage(self, met: Mapping[str, float]) -> float:
        """Share of the weight of the words that is ``met``, 0..1; 1 for a question without such words."""
        total = sum(self.weights.values())
        return sum(weight * met[word] for word, weight in self.weights.items()) / total if total else 1.0

    def meet_words(self, words: Set[str]) -> dict[str, float]:
        """How well the best of the folded ``words`` matches each content word, as ``meet_word``; those of the passages were compared
        before.
        """
        unread = words - self.read
        return {
            word: max(
                max((value for said, value in meeting.items() if said in words), default=0.0),
                meet_word(word, unread) if unread else 0.0,
            )
            for word, meeting in self.meeting.items()
        }


def read_telling(question: str, passages: Sequence[Passage]) -> Telling:
    """The content words of ``question``, weighed by how rare they are in English and among ``passages``."""
    asked = read_asked(spell_figures(question))
    language = spoken_language()
    if language == ENGLISH:
        words = [word for word in dict.fromkeys(fold_possessives(asked.text)) if word not in STOP_WORDS]
    else:
        words = list(dict.fromkeys(list_words(asked.text, language)))
    words = [word for word in words if word not in _LIGHT] or words
    degrees = _DEGREES if language == ENGLISH else load_asked_with(language)
    months = find_months(asked.text)
    weights = {word: max(word_informativeness(stem_word(word)), _LEAST) for word in words}
    weights |= dict.fromkeys(months, _OF_MONTH)
    read = [read_words(passage.chunk.indexed_text) for passage in passages[:MOST_READ]]
    every = frozenset[str]().union(*read)
    said = SaidWords(every, language)
    meeting = {word: said.find_meeting(word) for word in weights}
    for word in weights:
        share = sum(not meeting[word].keys().isdisjoint(held) for held in read) / len(read) if read else 0.0
        weights[word] *= (1 - _ECHOED * share) * (_BY_DEGREE if word in degrees else 1.0)
    in_time = asked.fact in (AskedFact.DATE, AskedFact.DURATION)
    in_figures = asked.fact in (AskedFact.NUMBER, AskedFact.COUNT, AskedFact.MONEY)
    amounts = {w for w in weights if w in degrees or (in_time and w in _IN_TIME) or (in_figures and w in IN_FIGURES)}
    known = frozenset(content_terms(f"{question}\n{asked.text}"))
    return Telling(asked, weights, frozenset(amounts), known, every, meeting)
