"""What the sources say the other way round: a denial, an opposite, a plan stated as fact, a part stated as the whole."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from ascertain.answering.checking.figures import find_months
from ascertain.answering.checking.objections.objection import Case, Objection
from ascertain.core.asking.answers import VerdictLabel
from ascertain.language.equivalents import held_terms
from ascertain.language.sentences import split_sentences
from ascertain.language.tokens import STOP_WORDS, WORD, fold_words, stem_word
from ascertain.language.word_lists import compile_pattern, load_word_set
from ascertain.models.entail.alignment import find_bases, is_negation, look_up_word

NEAR = 0.5
"""Share of a claim's words from which a sentence of the sources is about the same thing."""
_NEAREST = 0.7
"""Share of a claim's words from which a sentence states the claim or its opposite, whatever others say."""
_SCOPE = 6
"""Words after a denial that it still covers."""
_NEXT = 4
"""Words after "will" or "plans to", one of which is the action."""
_FEWEST_SHARED = 2
_DENIALS = load_word_set("claims", "denials")
_NO_DENIALS = compile_pattern("claims", "no_denials")
_PLANS = compile_pattern("claims", "plans")
_DONE = compile_pattern("claims", "done")
_CAUSES = compile_pattern("claims", "causes")
_QUANTIFIERS = load_word_set("claims", "quantifiers")
_WHOLE = _QUANTIFIERS - {"any", "always"}
_LIGHT = load_word_set("claims", "light_words")
_ANSWER = re.compile(r"^\W*(?:yes|no)\b[,:;.]\s*", re.I)
_BOUNDARY = re.compile(
    r"[,;:.!?()|–—]|\b(?:but|though|although|while|when|if|until|because|after|before|once|unless|since)\b", re.I
)
_COMPARED = re.compile(r"\bthan\b", re.I)


@dataclass(frozen=True, slots=True)
class Word:
    """A word with its stem, whether it is denied, and whether it is stated as a plan."""

    text: str
    folded: str
    stem: str
    start: int
    is_content: bool
    is_denied: bool
    is_planned: bool
    is_denial: bool
    """Whether it denies something itself: ``not``, ``forbidden``."""


@dataclass(frozen=True)
class Reading:
    """A sentence, word by word."""

    text: str
    words: tuple[Word, ...]

    @cached_property
    def stems(self) -> frozenset[str]:
        """Of the words that carry meaning."""
        return frozenset(word.stem for word in self.words if word.is_content)

    @property
    def has_denial(self) -> bool:
        """Whether anything in it is denied."""
        return any(word.is_denied or word.is_denial for word in self.words)


@lru_cache(maxsize=2_000)
def read_sentence(text: str, language: str) -> Reading:
    """``text`` with what its denials and its planning words refer to; an answering ``Yes`` or ``No`` denies nothing."""
    answer = _ANSWER.match(text)
    begin = answer.end() if answer else 0
    idle = [match.span() for match in _NO_DENIALS.finditer(text)]
    bounds = [match.start() for match in _BOUNDARY.finditer(text)]
    plans = [match.start() for match in _PLANS.finditer(text)]
    words: list[Word] = []
    denied_from = planned_from = -1
    since_denial = since_plan = 0
    for match in WORD.finditer(text):
        start, folded = match.start(), fold_words(match.group()).replace("’", "'")
        ends = denied_from >= 0 and text.startswith("without", denied_from) and folded == "and"
        if denied_from >= 0 and (
            ends or any(denied_from < bound <= start for bound in bounds) or since_denial >= _SCOPE
        ):
            denied_from = -1
        if planned_from >= 0 and (any(planned_from < bound <= start for bound in bounds) or since_plan >= _NEXT):
            planned_from = -1
        is_denial = _denies(folded, language)
        words.append(
            Word(
                match.group(),
                folded,
                stem_word(folded, language),
                start,
                folded not in STOP_WORDS and start >= begin,
                denied_from >= 0,
                planned_from >= 0,
                is_denial,
            )
        )
        since_denial += denied_from >= 0
        since_plan += planned_from >= 0
        if start >= begin and is_denial and not any(a <= start < b for a, b in idle):
            denied_from, since_denial = start, 0
        if start in plans:
            planned_from, since_plan = start, 0
    return Reading(text, tuple(words))


def _denies(folded: str, language: str) -> bool:
    return is_negation(folded, language) or folded in _DENIALS


def _list_near(case: Case, claim: Reading) -> list[Reading]:
    """The sentences of the sources about the same thing as the claim."""
    readings = [read_sentence(sentence, case.language) for sentence in case.sentences]
    wanted = claim.stems
    return [
        each
        for each in readings
        if len(wanted & each.stems) >= max(_FEWEST_SHARED, NEAR * len(wanted)) or (wanted and wanted <= each.stems)
    ]


def find_denial(case: Case) -> Objection | None:
    """A word that the sources only deny, or that the claim denies and the sources only affirm."""
    claim = read_sentence(case.text, case.language)
    near = _list_near(case, claim)
    if not near:
        return None
    nearest = max(near, key=lambda sentence: len(claim.stems & sentence.stems))
    everywhere = [word for sentence in case.sentences for word in read_sentence(sentence, case.language).words]
    quoted = [read_sentence(span.of(quote), case.language) for quote in case.quotes for span in split_sentences(quote)]
    for word in claim.words:
        if not word.is_content or word.folded in _LIGHT or _denies(word.folded, case.language) or word.text.isdigit():
            continue
        there = [other for other in everywhere if other.stem == word.stem]
        here = [other for sentence in near for other in sentence.words if other.stem == word.stem]
        if not here:
            continue
        is_nearest = len(claim.stems & nearest.stems) >= _NEAREST * len(claim.stems)
        in_nearest = [other for other in nearest.words if other.stem == word.stem] if is_nearest else []
        is_only_denied = all(other.is_denied for other in there) or (
            bool(in_nearest) and all(other.is_denied for other in in_nearest)
        )
        if not claim.has_denial and is_only_denied:
            return Objection(VerdictLabel.CONTRADICTED, f"the quotation denies “{here[0].text}”")
        is_unheard = not any(sentence.has_denial for sentence in (*near, *quoted))
        if word.is_denied and is_unheard and not any(other.is_denied for other in there):
            if ":" in case.text[word.start :] and word.start < case.text.index(":", word.start):
                continue  # "Not at once: ..." answers the question
            return Objection(VerdictLabel.CONTRADICTED, f"the quotation does not deny “{here[0].text}”")
    return None


def find_opposite(case: Case) -> Objection | None:
    """A word whose opposite is in its place in an otherwise equal sentence, cited or not."""
    claim = read_sentence(case.text, case.language)
    if _COMPARED.search(case.text) or claim.has_denial:
        return None
    near = set(_list_near(case, claim))
    told = (text for text in case.sentences if claim.stems & read_sentence(text, case.language).stems)
    held_beside = held_terms("\n".join((*told, case.statement.question)), case.language)
    held_near = held_terms(case.known, case.language)
    for sentence in dict.fromkeys(
        (*near, *(read_sentence(sentence, case.language) for sentence in case.shown_sentences))
    ):
        if _COMPARED.search(sentence.text):
            continue
        denials = [word for word in sentence.words if word.is_denial]
        held = held_near if sentence in near else held_beside
        own = frozenset(base for word in sentence.words for base in find_bases(word.folded, case.language))
        for word in claim.words:
            entry = look_up_word(word.folded, case.language)
            if not word.is_content or entry.bases & (held | own) or entry.synonyms & held:
                continue
            for other in sentence.words:
                if not find_bases(other.folded, case.language) & entry.opposites or other.stem in claim.stems:
                    continue
                if any(denial is not other for denial in denials):
                    continue
                # the opposite is, besides the rest, what the sentence shares with the claim
                shared = len(claim.stems & sentence.stems) + (other.folded not in _LIGHT)
                if sentence in near or shared >= max(_FEWEST_SHARED, NEAR * len(claim.stems)):
                    return Objection(VerdictLabel.CONTRADICTED, f"the quotation says “{other.text}”, not “{word.text}”")
    return None


def find_plan_as_fact(case: Case) -> Objection | None:
    """What the sources only plan or think possible, stated as done or as true today."""
    claim = read_sentence(case.text, case.language)
    done = _DONE.search(case.text)
    if _PLANS.search(case.text) or not done:
        return None
    words = [word for sentence in case.sentences for word in read_sentence(sentence, case.language).words]
    is_all_planned = all(_PLANS.search(quote) for quote in case.quotes)
    told = [word for word in claim.words if word.is_content and _is_told(word, done)]
    for word in told:
        bases = find_bases(word.folded, case.language)
        there = [other for other in words if bases & find_bases(other.folded, case.language)]
        if there and all(other.is_planned for other in there if other.start >= 0):
            return Objection(VerdictLabel.CONTRADICTED, f"the quotation tells “{there[0].text}” as a plan")
        if not there and is_all_planned and "already" in done.group() and word.folded not in _LIGHT:
            return Objection(VerdictLabel.NOT_IN_SOURCES, f"no source says “{word.text}”: the quotation tells a plan")
    return None


def _is_told(word: Word, done: re.Match[str]) -> bool:
    """Whether this is the word for the action: the last of "has already sold", any before "today"."""
    if " " in done.group():
        return done.end() - len(word.text) == word.start
    return True


def find_part_as_whole(case: Case) -> Objection | None:
    """A quantity of the whole where the sources have a part: "all deposits" for 92 percent of them, "most students" for one."""
    claim = list(WORD.finditer(case.text))
    for place, match in enumerate(claim):
        if fold_words(match.group()) not in _WHOLE:
            continue
        noun = _find_counted([word.group() for word in claim[place + 1 : place + 4]], case.language)
        if not noun:
            continue
        for sentence in _list_nearest(case):
            part = _find_part_of(sentence, noun, case.language)
            others = WORD.finditer(_AT_MOST.sub(" ", sentence))
            if part and not _WHOLE.intersection(fold_words(word.group()) for word in others):
                return Objection(VerdictLabel.CONTRADICTED, f"the quotation says “{part}”, not “{match.group()}”")
    return None


def _list_nearest(case: Case) -> list[str]:
    """The sentences with the most words of the claim."""
    wanted = read_sentence(case.text, case.language).stems
    shares = [(len(wanted & read_sentence(sentence, case.language).stems), sentence) for sentence in case.sentences]
    most = max((share for share, _ in shares), default=0)
    return [sentence for share, sentence in shares if share == most and most]


_AT_MOST = re.compile(r"\bat (?:the )?most\b", re.I)
_PART_OF = re.compile(
    r"\d[\d.,]{0,30}\s?(?:%|percent|per cent)|\d[\d.,]{0,30}(?= of\b)|\b(?:one|some|half|part|several|few)\b", re.I
)


def _find_part_of(sentence: str, noun: str, language: str) -> str:
    for match in _PART_OF.finditer(sentence):
        behind = [word.group() for word in WORD.finditer(sentence[match.end() :])][:3]
        if _find_counted(behind, language) == noun:
            return match.group()
    return ""


def _find_counted(words: Sequence[str], language: str) -> str:
    """The stem of the first of ``words`` that is not a grammar word; "them" where they are "of them"."""
    folded = [fold_words(word) for word in words]
    if folded[:2] == ["of", "them"]:
        return "them"
    return next((stem_word(word, language) for word in folded if word not in STOP_WORDS), "")


def find_added_cause(case: Case) -> Objection | None:
    """A cause that the sources hardly mention."""
    match = _CAUSES.search(case.text)
    if not match:
        return None
    words = [
        word
        for word in read_sentence(case.text[match.end() :], case.language).words
        if word.is_content and word.folded not in _LIGHT
    ]
    absent = list(_list_absent(words, case.known, case.language))
    if words and len(absent) >= max(1, _MOSTLY * len(words)):
        return Objection(VerdictLabel.NOT_IN_SOURCES, f"no source names this cause: {', '.join(absent[:3])}")
    return None


_MOSTLY = 0.6
"""Share of the words of a cause that are in no source from which it was added."""


_SEVERAL, _SHARE = 3, 0.4
"""How many words of a claim, and what share, may be in no source where one of them may still be a paraphrase: on lfqa_verification 6 %
of the supported claims and 51 % of the others have so many, on begin 1 % and 32 %."""


_PAIR, _HALF = 2, 0.5
"""The same of two words, names aside: so many and such a share have 1 % of the true sentences of claims_written (dev) and 12 % of the
false ones.
"""
_ECHOED = 2
"""Number of words of a claim that only the question has, from which the claim attributes the question to the sources: of the true sentences of
claims_written (dev) none has as many."""


def find_absent_words(case: Case) -> Objection | None:
    """Several words unlike anything in the sources, in a claim with few others."""
    dated = {month.span.start for month in find_months(case.text)} | {
        start for figure in case.figures for start in range(figure.span.start, figure.span.end)
    }
    words = [
        word
        for word in read_sentence(case.text, case.language).words
        if word.is_content and word.folded not in _LIGHT and word.start not in dated
    ]
    absent = list(dict.fromkeys(_list_absent(words, case.known, case.language)))
    echoed = [word for word in dict.fromkeys(_list_absent(words, case.sources, case.language)) if word not in absent]
    if len(echoed) >= _ECHOED and not read_sentence(case.text, case.language).has_denial:
        return Objection(VerdictLabel.NOT_IN_SOURCES, f"the question says {', '.join(echoed[:4])}, no source does")
    plain = [word for word in absent if not word[0].isupper()]  # names are checked separately
    is_strange = len(absent) >= _SEVERAL and len(absent) >= _SHARE * len(words)
    if is_strange or (len(plain) >= _PAIR and len(plain) >= _HALF * len(words)) or len(absent) == len(words) > 1:
        return Objection(VerdictLabel.NOT_IN_SOURCES, f"no source says {', '.join(absent[:4])}")
    return None


def _list_absent(words: Sequence[Word], text: str, language: str) -> Iterator[str]:
    """Those for which ``text`` has no form, synonym, opposite or thing of the same kind."""
    held = held_terms(text, language)
    known = {fold_words(word.group()) for word in WORD.finditer(text)}
    for word in words:
        if any(map(str.isdigit, word.text)) or word.stem in held or look_up_word(word.folded, language).every & held:
            continue
        if not any(_is_kindred(word.folded, other) for other in known):
            yield word.text


def _is_kindred(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    shared = next((i for i, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short))
    return shared >= 4 and shared >= len(short) - 2
