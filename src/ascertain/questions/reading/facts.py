"""The fact that an answer has to hold, and the words that name it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from itertools import dropwhile, takewhile

from ascertain.language.languages import ENGLISH
from ascertain.language.tokens import STOP_WORDS, fold_words
from ascertain.language.word_lists import load_alternatives, load_patterns, load_word_set
from ascertain.questions.reading.kinds import BE, BEING, AnswerKind, any_of, read_kind


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
    COUNT = "count"
    """How many of a thing there are: a number that is no sum of money and no share."""
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
FIGURES = frozenset({AskedFact.DATE, AskedFact.DURATION, AskedFact.MONEY, AskedFact.NUMBER, AskedFact.COUNT})
"""Facts that are told in figures: in a table without their unit, which the name of the column says."""
any_asked = partial(load_alternatives, "asked_facts")
_TOPICS = re.compile(r"(?:(?<!\s)\s+)?\(about: [^()]*\)\s*$")
"""What a conversation was about, put behind a follow-up for the search; nobody asked for it."""
_WAYS = tuple(re.compile(rf"\b{pattern}", re.I) for pattern in load_patterns("asked_facts", "ways"))
_WHAT = r"(?:what|which|whats|what's)"
_ASKED: tuple[tuple[AskedFact, re.Pattern[str]], ...] = tuple(
    (fact, re.compile(pattern, re.I))
    for fact, pattern in (
        (AskedFact.STEPS, "|".join(pattern.pattern.replace("?P<", "?P<_") for pattern in _WAYS)),
        (
            AskedFact.REASON,
            rf"\bwhy\b|\bhow come\b|\bwhat (?:{any_of('asks_reason')})\b|\bwhat (?:is|was|were) the (?:cause|reason)s?\b",
        ),
        (AskedFact.DURATION, r"\bhow (?:long|soon|often)\b|\bsince when\b"),
        (
            AskedFact.DATE,
            rf"^\W*(?:(?:{any_asked('before_when')})\W+)*when(?= (?:{any_asked('auxiliaries')})\b|\W*$)|[,;:.] when\b|\b(?:and|until|since|by|or) when\b"
            rf"|\b(?:what|which|whose) (?:exact )?(?:{any_of('asks_time_nouns')})\b"
            r"|\bwhat (?:is|was) the (?:\w+ )?(?:date|year)\b",
        ),
        (
            AskedFact.NUMBER,
            rf"\bhow (?:{any_of('asks_number_measures')}|old|frequent\w*|cheap|expensive|low)\b|\bpercent(?:age)?\b"
            rf"|\bwhat (?:{any_of('asks_share')})\b|\bwhat {BE} the (?:\w+ ){{0,2}}(?:{any_of('asks_number_nouns')})\b"
            rf"|\b{_WHAT} (?:\w+ ){{0,2}}(?:{any_asked('figures')})(?= (?:{any_asked('auxiliaries')})\b|\W*$)"
            rf"|\b{_WHAT} (?:(?:{any_asked('auxiliaries')}) )?(?:[\w-]+ ){{0,6}}(?:{any_asked('sums')}|{any_asked('amounts')})\b"
            rf"|^(?!\W*(?:who|where|when|why|how|which|{any_asked('auxiliaries')})\b)"
            rf"(?:[\w'-]+ ){{0,4}}(?:{any_asked('sums')}|{any_asked('amounts')})\b",
        ),
        (AskedFact.PLACE, rf"\bwhere\b|\b(?:what|which) (?:{any_of('asks_place')})\b"),
        (AskedFact.PERSON, rf"\bwho(?:m|se|'s)?\b|\b(?:what|which) (?:{any_of('asks_name')})\b"),
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
_SUM = re.compile(rf"\b(?:{any_asked('sums')})\b", re.I)
_COUNT = re.compile(r"\bhow many\b", re.I)
"""Asks for a count, of days until a fee is paid as well."""
_COUNTED_SUM = re.compile(rf"\bhow many (?:\w+ )?(?:percent\w*|per cent|{any_of('currencies')})\b", re.I)


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


def read_asked(question: str, language: str) -> Asked:
    """What ``question`` asks for. Where it asks for several facts the first counts; ``which`` and ``what`` yield to a
    finer kind of fact that is asked with them. In another language than English the coarser ``AnswerKind`` is expected, and no
    heads are named.
    """
    text = _TOPICS.sub("", question)
    if language != ENGLISH:
        kind = read_kind(text, language)
        return Asked(text, next((fact for fact, kinds in KINDS.items() if kind in kinds), AskedFact.ANY), ())
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
"""Of the nouns before "of": what is asked for is the noun behind it."""
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
    """The folded words of the office whose holder ``question`` asks for, where a word tells it apart from others of its kind:
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


KINDS: Mapping[AskedFact, tuple[AnswerKind, ...]] = {
    AskedFact.PERSON: (AnswerKind.NAME,),
    AskedFact.PLACE: (AnswerKind.PLACE,),
    AskedFact.DATE: (AnswerKind.TIME,),
    AskedFact.MONEY: (AnswerKind.MONEY, AnswerKind.SHARE),
    AskedFact.NUMBER: (AnswerKind.NUMBER,),
    AskedFact.REASON: (AnswerKind.REASON,),
}
"""The kinds that the lists of other languages tell, as facts."""
