"""A question made ready for searching: what to embed, which words to look up, which dates to keep to."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ascertain.core.asking.answers import Decision
from ascertain.core.asking.passages import Filter
from ascertain.core.asking.runs import Clock
from ascertain.core.settings.profiles import Profile
from ascertain.language.equivalents import is_telling
from ascertain.language.languages import ENGLISH
from ascertain.language.tokens import STOP_WORDS, WORD, fold_words, list_words, stem_text, stem_word
from ascertain.questions.aliases import expand_aliases
from ascertain.questions.model_inputs import PHRASE
from ascertain.questions.timeframe import Timeframe, find_timeframe

IDENTIFIER = re.compile(r"(?<![^\W_])[^\W_]++(?:[-_./:][^\W_]++)+")
"""Codes and versions such as ``TB-4031`` or ``3.11.2``, looked up whole besides their parts."""
MAX_TERMS = 64
"""More words than this make a text, not a question; the rarest are then looked up only (see ``terms_of``)."""


@dataclass(frozen=True, slots=True)
class PreparedQuestion:
    """``text`` is embedded; ``terms`` maps words and phrases to their weights for the lexical leg. ``subjects`` are those of them that
    name what a short form of the question stands for.
    """

    original: str
    text: str
    language: str
    terms: Mapping[str, float]
    filter: Filter
    timeframe: Timeframe | None
    decisions: tuple[Decision, ...]
    subjects: frozenset[str] = frozenset()


def prepare_question(
    question: str,
    language: str,
    *,
    profiles: Sequence[Profile],
    clock: Clock,
    filter: Filter,
    days_back: int | None = None,
) -> PreparedQuestion:
    """Expand slang, read the time frame, and weigh the words.

    A time frame read from the question never overrides dates that ``filter`` already sets. Raises UsageError for
    ``days_back`` outside 1..365.
    """
    normalised = expand_aliases(question, profiles)
    decisions: list[Decision] = []
    if normalised.expansions:
        changes = ", ".join(f"{short} → {full}" for short, full in normalised.expansions.items())
        decisions.append(Decision("normalise", "expanded", changes))
    frame = find_timeframe(question, language, clock.now(), days_back)
    has_dates = filter.published_from is not None or filter.published_before is not None
    if frame is not None and frame.is_explicit and not has_dates:
        filter = replace(filter, published_from=frame.start, published_before=frame.end)
        decisions.append(Decision("timeframe", "dates set", frame.reason))
    else:
        frame = None
    terms = terms_of(normalised.text, language)
    meant = [full.partition(" (")[0] for full in normalised.expansions.values()]
    also = [
        name
        for profile in profiles
        for table in profile.aliases.values()
        for full in meant
        for name in table.also.get(full, ())
    ]
    for other in (*normalised.expansions, *also):
        terms.setdefault(other, 1.0)
    subjects = frozenset(term for full in meant if " " not in full for term in terms_of(full, language))
    return PreparedQuestion(question, normalised.text, language, terms, filter, frame, tuple(decisions), subjects)


def terms_of(text: str, language: str) -> dict[str, float]:
    """The words and quoted phrases of ``text`` with their weights: how often each is said.

    Words that carry no meaning are left out, unless there are no others ("who are you"). Words that share a stem count
    as one. Identifiers are kept whole as well as in parts, so that ``TB-4031`` finds itself first.
    """
    if language != ENGLISH:
        return _terms_in(text, language)
    weights: dict[str, float] = {}
    spelling: dict[str, str] = {}
    words = [word.replace("’", "'") for word in WORD.findall(fold_words(text))]
    meaningful = [word for word in words if word not in STOP_WORDS] or words
    for word in meaningful:
        first = spelling.setdefault(stem_word(word, language), word)
        weights[first] = weights.get(first, 0.0) + 1.0
    for identifier in IDENTIFIER.findall(text):
        weights.setdefault(f'"{identifier}"', 1.0)
    for phrase in PHRASE.findall(text):
        if len(WORD.findall(phrase)) > 1:
            weights.setdefault(f'"{phrase.strip()}"', 1.0)
    for title in _find_titles(text):
        weights.setdefault(f'"{title}"', 1.0)
    return weights


def _terms_in(text: str, language: str) -> dict[str, float]:
    """The same of a question in another language: each word as it is written, for texts in other languages, and as the stems that
    those of its own are indexed by.
    """
    words = list_words(text, language) or [word.casefold() for word in WORD.findall(text)]
    weights: dict[str, float] = {}
    for word in words:
        weights[word] = weights.get(word, 0.0) + 1.0
    phrases = [
        *IDENTIFIER.findall(text),
        *(each.strip() for each in PHRASE.findall(text) if len(WORD.findall(each)) > 1),
    ]
    weights |= {f'"{phrase}"': 1.0 for phrase in phrases}
    for term, weight in list(weights.items()):
        stems = stem_text(term, language)
        weights[stems] = max(weight, weights.get(stems, 0.0))
    return weights


_TITLED = re.compile(r"(?<=\w )[A-Z][\w'’]*(?: [A-Z][\w'’]*)+")


def _find_titles(text: str) -> list[str]:
    """Runs of capitalised words, words without a meaning of their own among them: "How To Do Nothing", "The Who".

    None where the whole question is written so.
    """
    found = [match.group() for match in _TITLED.finditer(text)]
    has_plain = any(word.islower() for word in WORD.findall(text))
    return [title for title in found if has_plain and STOP_WORDS & {word.lower() for word in title.split()}]


def keep_rarest(
    terms: Mapping[str, float],
    frequencies: Mapping[str, int],
    chunks: int,
    share: float,
    *,
    subjects: frozenset[str] = frozenset(),
    language: str,
) -> dict[str, float]:
    """``terms`` without the words found in more than ``share`` of the chunks, as long as a rarer one is left; never without ``subjects``.

    Common words cost most of a lexical search and say least; at most MAX_TERMS are used, the rarest first. Unknown
    words are dropped too: they match nothing.
    """
    known = {term: weight for term, weight in terms.items() if frequencies.get(term, 0) > 0}
    rare = {term: weight for term, weight in known.items() if term in subjects or frequencies[term] <= share * chunks}
    # "news" alone is no question: what it is asked of stands in most chunks of a collection on one subject
    kept = rare if any(is_telling(term, language) for term in rare) else known
    order = sorted(kept, key=lambda term: (frequencies[term], term))[:MAX_TERMS]
    return {term: kept[term] for term in kept if term in set(order)}
