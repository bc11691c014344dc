"""What a question asks, seen word by word: its terms and codes, and the kind of answer it expects."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from itertools import pairwise, takewhile

from ascertain.language.tokens import STOP_WORDS, WORD, content_terms, fold_words, word_informativeness
from ascertain.language.word_lists import load_alternatives, load_patterns, load_word_set, load_words

# The kind of answer: a small table of patterns over question words, after the answer types of Li & Roth, "Learning Question Classifiers", COLING
# 2002. It only nudges a ranking, so a miss costs little.


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
"""Kinds that a sentence plainly offers or does not."""


_any_of = partial(load_alternatives, "answer_kinds")
"""A list of words as alternatives of a regular expression."""
_MONTH = "|".join(
    f"(?-i:{month.title()})" if month in {"march", "may"} else month
    for month in load_words("months_and_days", "months")
)
"""March and May are words too where they are written small."""
_WEEKDAY = load_alternatives("months_and_days", "weekdays")
_UNITS = "|".join((*load_words("quantities", "small")[1:], *load_words("quantities", "tens"), _any_of("number_words")))
_IS = "(?:is|was|were|are)"

_QUESTIONS: tuple[tuple[AnswerKind, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern, re.I))
    for kind, pattern in (
        (AnswerKind.SHARE, rf"\bpercent(?:age)?\b|\bwhat (?:{_any_of('asks_share')})\b|%"),
        (
            AnswerKind.MONEY,
            rf"\bhow much (?:{_any_of('asks_money_auxiliaries')}|is \w+ worth)\b.*\b(?:{_any_of('asks_money_verbs')})"
            rf"|\b(?:{_any_of('asks_money_nouns')})\b.*\bhow much\b"
            rf"|\bwhat {_IS} the (?:\w+ )?(?:{_any_of('asks_money_nouns')})|\bhow (?:expensive|cheap)\b",
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
            rf"|\bwhat {_IS} the (?:\w+ ){{0,2}}(?:{_any_of('asks_number_nouns')})\b|\bwhat (?:number|age|size|rank)\b",
        ),
        (AnswerKind.PLACE, rf"\bwhere\b|\b(?:what|which) (?:{_any_of('asks_place')})\b"),
        (
            AnswerKind.NAME,
            rf"\bwho(?:m|se)?\b|\b(?:what|which) (?:\w+ )?(?:{_any_of('asks_name')})\b"
            rf"|\bwhat {_IS} the names?\b|\bwho's\b",
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
            rf"\d\s?(?:%|per ?cent\b|percent)|\b(?:{_UNITS})[ -](?:percent|per cent|thirds?|quarters?|fifths?|tenths?)\b"
            r"|\bhalf\b|\d/\d|\bmajority\b|\bmost\b",
        ),
        (
            AnswerKind.MONEY,
            rf"[$€£¥₹]\s?\d|\d[\d,.]*\s?(?:(?:million|billion|thousand)\s)?(?:{_any_of('currencies')})\b|\bfree\b",
        ),
        (
            AnswerKind.TIME,
            rf"\b(?:1\d|20)\d\ds?\b|\b\d{{1,4}} ?(?:bc|ad|bce|ce)\b|\b(?:{_MONTH})\b|\bcentur(?:y|ies)\b|\b\d{{1,2}}:\d\d\b"
            rf"|\b(?:\d[\d,.]*|{_UNITS}|several|few)[ -](?:\w+ )?(?:{_any_of('spans_of_time')})s?\b"
            rf"|\b(?:{_WEEKDAY})\b|\b(?:{_any_of('times')})\b",
        ),
        (AnswerKind.NUMBER, rf"\d|\b(?:{_UNITS})\b"),
        (
            AnswerKind.REASON,
            rf"\b(?:{_any_of('reasons')}|result(?:s|ed)? (?:in|from)|caus\w+|to (?:{_any_of('purposes')}))\b",
        ),
        (AnswerKind.DEFINITION, rf"\b(?:{_any_of('definitions')})\b"),
    )
}

_CAPITALISED = re.compile(r"\b[A-Z][\w'’-]+(?:\.[A-Z]\.)?")
_PLACE_LEAD = re.compile(rf"\b(?:{_any_of('before_place')}) (?:the )?[A-Z][\w'’-]+")


def expected_kind(question: str) -> AnswerKind:
    """The kind of answer ``question`` asks for; ANY when no pattern says."""
    for kind, pattern in _QUESTIONS:
        if pattern.search(question):
            return kind
    return AnswerKind.ANY


def offers_kind(kind: AnswerKind, sentence: str, known: Set[str]) -> bool:
    """Whether ``sentence`` holds something of that kind that is not among the question's terms ``known``.

    Always true for ANY.
    """
    if kind is AnswerKind.ANY:
        return True
    if kind in (AnswerKind.NAME, AnswerKind.PLACE):
        names = (_PLACE_LEAD if kind is AnswerKind.PLACE else _CAPITALISED).finditer(sentence)
        return any(_is_news(match.group(), known) for match in names if match.start() > 0)
    pattern = _OFFERS[kind]
    if kind in (AnswerKind.REASON, AnswerKind.DEFINITION):
        return pattern.search(sentence) is not None
    return any(_is_news(match.group(), known, numeric=True) for match in pattern.finditer(sentence))


def _is_news(found: str, known: Set[str], numeric: bool = False) -> bool:
    terms = content_terms(found)
    return any(term not in known for term in terms) or (numeric and not terms)


class AskedFact(StrEnum):
    """What has to be in an answer: finer and stricter than ``AnswerKind``, for judging one that is written."""

    PERSON = "person"
    """Or an organisation."""
    PLACE = "place"
    DATE = "date"
    DURATION = "duration"
    """Or an age, or how often."""
    MONEY = "money"
    """Or a share of a sum."""
    NUMBER = "number"
    REASON = "reason"
    DEFINITION = "definition"
    STEPS = "steps"
    """How to do something: an order, a command, code."""
    YES_OR_NO = "yes_or_no"
    THING = "thing"
    """Whatever "which" and "what" ask for."""
    ANY = "any"


OPEN_FACTS = frozenset({AskedFact.YES_OR_NO, AskedFact.THING, AskedFact.ANY})
"""Facts that no form of words gives away: every sentence may offer them."""
LOOSE_FACTS = frozenset({AskedFact.REASON, AskedFact.DEFINITION})
"""Facts that speech and notes often give without any word that says so."""

FIGURES = frozenset({AskedFact.DATE, AskedFact.DURATION, AskedFact.MONEY, AskedFact.NUMBER})
"""Facts that are told in figures: in a table without their unit, which the name of the column says."""

_asked_any = partial(load_alternatives, "asked_facts")
_TOPICS = re.compile(r"\s*\(about: [^()]*\)\s*$")
"""What a conversation was about, put behind a follow-up for the search; nobody asked for it."""
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
        (AskedFact.DURATION, r"\bhow (?:long|old|soon|often)\b|\bsince when\b"),
        (
            AskedFact.DATE,
            rf"^\W*(?:(?:{_asked_any('before_when')})\W+)*when(?= (?:{_asked_any('auxiliaries')})\b|\W*$)|[,;:.] when\b|\b(?:and|until|since|by|or) when\b"
            rf"|\b(?:what|which|whose) (?:exact )?(?:{_any_of('asks_time_nouns')})\b"
            r"|\bwhat (?:is|was) the (?:\w+ )?(?:date|year)\b",
        ),
        (
            AskedFact.NUMBER,
            rf"\bhow (?:{_any_of('asks_number_measures')}|frequent\w*|cheap|expensive|low)\b|\bpercent(?:age)?\b"
            rf"|\bwhat (?:{_any_of('asks_share')})\b|\bwhat {_IS} the (?:\w+ ){{0,2}}(?:{_any_of('asks_number_nouns')})\b"
            rf"|\b{_WHAT} (?:\w+ ){{0,2}}(?:{_asked_any('figures')})(?= (?:{_asked_any('auxiliaries')})\b|\W*$)"
            rf"|\b{_WHAT} (?:(?:{_asked_any('auxiliaries')}) )?(?:[\w-]+ ){{0,6}}(?:{_asked_any('sums')}|{_asked_any('amounts')})\b"
            rf"|^(?!\W*(?:who|where|when|why|how|which|{_asked_any('auxiliaries')})\b)"
            rf"(?:[\w'-]+ ){{0,4}}(?:{_asked_any('sums')}|{_asked_any('amounts')})\b",
        ),
        (AskedFact.PLACE, rf"\bwhere\b|\b(?:what|which) (?:{_any_of('asks_place')})\b"),
        (AskedFact.PERSON, rf"\bwho(?:m|se|'s)?\b|\b(?:what|which) (?:{_any_of('asks_name')})\b"),
        (
            AskedFact.DEFINITION,
            rf"^\W*(?:(?:and|so|ok) )?(?:(?:in|for) [\w.]+,? )?(?:what(?:'s| {_IS})|define)\b(?: (?:a|an|the))?"
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


@dataclass(frozen=True, slots=True)
class Asked:
    """What a question asks for: ``text`` is the question without what was put behind it for the search; ``heads`` are the
    folded words that name the thing itself.

    The heads are the noun of "which licence", "how many students", "who is the treasurer", and the verb of "who
    founded" and "how do I install". There are none where the words do not say.
    """

    text: str
    fact: AskedFact
    heads: tuple[str, ...]


def read_asked(question: str) -> Asked:
    """What ``question`` asks for. Where it asks for several facts the first counts; ``which`` and ``what`` yield to a
    finer kind of fact that is asked with them.
    """
    text = _TOPICS.sub("", question)
    found: list[tuple[int, int, AskedFact]] = []
    for order, (fact, pattern) in enumerate(_ASKED):
        if match := pattern.search(text):
            found.append((match.start() + 2 * (fact is AskedFact.THING), order, fact))
    fact = min(found)[2] if found else AskedFact.ANY
    if fact is AskedFact.NUMBER and _SUM.search(text):
        fact = AskedFact.MONEY
    return Asked(text, fact, _find_heads(fold_words(text)))


_AUXILIARY = load_word_set("asked_facts", "auxiliaries")
_AFTER_NOUN = load_word_set("asked_facts", "after_noun") | _AUXILIARY
_BEING = frozenset({"is", "are", "was", "were"})
_ARTICLES = frozenset({"the", "a", "an", "your", "our", "my", "their", "its", "his", "her"})
_COUNTED = frozenset({"number", "name", "amount", "kind", "type", "sort"})
"""Of the nouns before "of": what is asked for is the noun behind it."""
_HEAD_TOKEN = re.compile(r"[\w'’=.-]*\w")
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


def _read_noun(words: Sequence[str]) -> tuple[str, ...]:
    """The head of what follows "which", "what" or "how many"."""
    if not words:
        return ()
    if words[0] not in _AUXILIARY:
        noun = tuple(word for word in _take_noun(words)[:4] if word not in STOP_WORDS)
        is_whole = len(_take_noun(words)) < len(words) and len(noun) < 4
        return noun[-1:] if is_whole else noun[:1]
    if words[0] not in _BEING or len(words) < 2 or words[1] not in _ARTICLES:
        return ()
    noun = _take_noun(words[2:])
    behind = words[2 + len(noun) :]
    if noun and noun[-1] in _COUNTED and behind[:1] == ["of"]:
        return (*_read_noun([word for word in behind[1:] if word not in _ARTICLES]), *noun[:-1])
    return noun[-1:] if len(noun) <= 2 else noun[-2:]


def _take_noun(words: Sequence[str]) -> tuple[str, ...]:
    return tuple(takewhile(lambda word: word not in _AFTER_NOUN, words))


_NUMBER = re.compile(rf"(?<![\w.])\d[\d,.]*\w{{0,2}}\b|\b(?:{_UNITS})\b", re.I)
_DATED = re.compile(
    rf"\b(?:{_MONTH})\.? \d{{1,2}}(?:,? \d{{4}})?|\b\d{{1,2}} (?:{_MONTH})(?: \d{{4}})?|\b\d{{4}}-\d\d-\d\d"
    r"|\b(?:1[5-9]|20)\d\d\b(?!\.\d| [a-z]+s\b)|\[\d+\]|\bone (?:of|can|could|is|has|that|who|in|with|another|day)\b",
    re.I,
)
"""Figures that count nothing: dates, years, notes, "one of"."""
_MONEY_OR_SHARE = re.compile(
    rf"[$€£¥₹]\s?\d|\d[\d,.]*\s?(?:(?:million|billion|thousand|k|m|bn)\s)?(?:{_any_of('currencies')})\b|\bfree\b"
    r"|\d\s?(?:%|percent|per cent)",
    re.I,
)
_LASTING = re.compile(
    rf"\b(?:\d[\d,.]*|{_UNITS}|several|few|an?|a couple of)[ -]?(?:\w+ )?(?:{_any_of('spans_of_time')})s?\b"
    rf"|\b(?:1\d|20)\d\ds?\b|\b\d+ to \d+\b|\bage\w* (?:of )?\d+"
    rf"|\b(?:{_asked_any('lasting')})\b",
    re.I,
)
_LOOSE_REASON = re.compile(rf"{_OFFERS[AnswerKind.REASON].pattern}|\b(?:{_asked_any('reasons')})\b", re.I)
_CODE = re.compile(r"\w\(|[\w)]=[\w\"']|\b\w+_\w+|`|@\w|(?:^|\s)--?[a-z]|\w{2}\.[a-z]{2,}\b|\w/\w")
_ORDER = re.compile(
    rf"(?:^|[.:;,!(]\s*|\b(?:{_asked_any('before_orders')}) (?:\w+ )?)(?:{_asked_any('orders')})\w*\b", re.I
)
_ACTING = re.compile(rf"\b(?:{_asked_any('acting')})\b", re.I)
_SOMEWHERE = re.compile(r"\b(?:in|at|on|near|from|under|to) the \w+")
_TELLING = re.compile(rf"\b(?:{_asked_any('telling')})\b", re.I)
_NAMING = re.compile(rf"\b(?:{_asked_any('naming')})\b|, (?:which is|its|an?|the) ", re.I)


def offers_fact(fact: AskedFact, sentence: str, known: Set[str]) -> bool:
    """Whether ``sentence`` holds a fact of that kind which is not among the question's terms ``known``; always true for
    ``OPEN_FACTS``.
    """
    match fact:
        case AskedFact.PERSON:
            return _offers_name(sentence, known) or _ACTING.search(sentence) is not None
        case AskedFact.PLACE:
            return _offers_name(sentence, known) or _SOMEWHERE.search(sentence) is not None
        case AskedFact.DATE:
            return (
                _offers_news(_OFFERS[AnswerKind.TIME], sentence, known)
                or re.search(r"\bQ[1-4]\b", sentence) is not None
            )
        case AskedFact.DURATION:
            return _offers_news(_LASTING, sentence, known)
        case AskedFact.MONEY:
            return _offers_news(_MONEY_OR_SHARE, sentence, known)
        case AskedFact.NUMBER:
            return _offers_news(_NUMBER, _DATED.sub(" ", sentence), known)
        case AskedFact.REASON:
            return _LOOSE_REASON.search(sentence) is not None
        case AskedFact.STEPS:
            return _CODE.search(sentence) is not None or _ORDER.search(sentence) is not None
        case AskedFact.DEFINITION:
            return _NAMING.search(sentence) is not None or _tells_of(sentence, known)
        case _:
            return True


def _offers_news(pattern: re.Pattern[str], sentence: str, known: Set[str]) -> bool:
    return any(_is_news(match.group(), known, numeric=True) for match in pattern.finditer(sentence))


def _offers_name(sentence: str, known: Set[str]) -> bool:
    opens = re.match(r"[A-Z]\w+ (?:[A-Z]|\w+(?:ed|s)\b)", sentence) is not None
    names = _CAPITALISED.finditer(sentence)
    return any(_is_news(match.group(), known) for match in names if match.start() > 0 or opens)


_SOON = 3
"""Words after the thing within which a sentence says what it is: "A processor in structlog is"."""
_LATE = 8
"""Words after which a sentence speaks of the thing, but does not define it."""


def _tells_of(sentence: str, known: Set[str]) -> bool:
    """Whether one of the terms ``known`` stands at the head of ``sentence``, and a verb that tells of it soon after."""
    words = WORD.findall(sentence)
    for at, word in enumerate(words[:_LATE]):
        if known & set(content_terms(word)) and any(_TELLING.fullmatch(x) for x in words[at + 1 : at + 1 + _SOON]):
            return True
    return False


_TOKEN = re.compile(r"[^\W_]+(?:[-_./][^\W_]+)*")
_VERSION = re.compile(r"v?\d+(?:\.\d+){2,}")
_PIECE = re.compile(r"[^\W\d_]+|\d+")
_SHORTEST = 4
"""Shorter tokens of letters and digits (``5G``, ``H2O``, ``Q3``) have other spellings too often to insist on them."""


def find_identifiers(question: str) -> tuple[str, ...]:
    """Codes and versions in ``question``: ``TP-4107``, ``CVE-2024-3094``, ``3.11.2``, ``max_retry_2``."""
    found: dict[str, None] = {}
    for token in _TOKEN.findall(question):
        is_code = any(c.isdigit() for c in token) and any(c.isupper() or c == "_" for c in token)
        if _VERSION.fullmatch(token) or (is_code and len(token) >= _SHORTEST):
            found.setdefault(token)
    return tuple(found)


def mentions_identifier(text: str, identifier: str) -> bool:
    """Whether ``text`` holds the code, in any case and with or without its separators (``GPT-4``, ``gpt4``)."""
    spelled = r"[-_./\s]?".join(re.escape(piece) for piece in _PIECE.findall(identifier))
    return re.search(rf"(?<![^\W_]){spelled}(?![^\W_])", text, re.IGNORECASE) is not None


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its content terms (stems), their weights, and the kind of answer it expects."""

    text: str
    weights: Mapping[str, float]
    """Weight of each content term, in order of the question; above 0."""
    pairs: frozenset[tuple[str, str]]
    """Content terms that follow each other."""
    specifics: frozenset[str]
    """Terms of names and numbers: those written with a capital inside the question, or with a digit."""
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
