"""A question made ready for searching: what to embed, which words to look up, which dates to keep to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from ascertain.core.asking.answers import Decision
from ascertain.core.asking.passages import Filter
from ascertain.core.asking.runs import Clock
from ascertain.core.settings.profiles import AliasTable, Profile
from ascertain.language.equivalents import is_telling
from ascertain.language.languages import ENGLISH
from ascertain.language.tokens import STOP_WORDS, WORD, fold_words, list_words, stem_text, stem_word
from ascertain.language.word_lists import load_words
from ascertain.questions.timeframe import Timeframe, find_timeframe

# Of slang, abbreviations and partial words only whole words are replaced, and never inside quotes, addresses, file
# names or words joined by hyphens. A word that also has an ordinary meaning (``dump``, ``moon``) is replaced only where
# the question speaks of that domain anyway. Two such words that stand together, the first for a name, speak of it too:
# in "did sol dump" or "is doge mooning" neither has its ordinary meaning.

_QUOTED = r"\"[^\"]*\"|“[^“”]*”|`[^`]*`|«[^«»]*»"
_BEFORE, _AFTER = r"(?<![\w@./\\'’-])(?=\S)[$#]?", r"(?![\w@/\\-]|\.\w|['’](?!s\b)\w)"
_AUXILIARIES = "|".join(load_words("asked_facts", "auxiliaries"))
_AFTER_NUMBER = re.compile(r"\d[\d.,]{0,30}\s*$")
_MOST_ROUNDS = 10
"""Each round can only open up the next by a word of context that it wrote out; tables nest two deep at most."""


@dataclass(frozen=True, slots=True)
class Normalised:
    """``expansions`` maps each alias, as the question spells it, to what was put in its place."""

    text: str
    expansions: Mapping[str, str]


_STANDS_FOR = re.compile(
    r"\b(what) (?:(does|do|did) (\S[^?.!]{0,80}?) stand for|is (\S[^?.!]{0,80}?) (?:short for|an? (?:abbreviation|acronym) (?:of|for)))\b",
    re.I,
)


def read_as_asked(question: str, profiles: Sequence[Profile]) -> str:
    """``question`` as rules read it: with slang and abbreviations written out, and what asks for a meaning as such. Of "What does OLS
    stand for?" no text that answers it says "stand".
    """
    written_out = expand_aliases(question, profiles).text
    return _STANDS_FOR.sub(lambda found: f"{found[1]} {found[2] or 'does'} {found[3] or found[4]} mean", written_out)


def expand_aliases(question: str, profiles: Sequence[Profile]) -> Normalised:
    """Expand the aliases of ``profiles`` in ``question``; everything else stays as written.

    Doing it again changes nothing more.
    """
    given = [table for profile in profiles for table in profile.aliases.values()]
    # What an alias stands for is left alone where it already stands, so that "BNB (Binance Coin)" does not grow, and
    # two tables cannot feed each other.
    kept = frozenset(phrase for table in given for phrase in _left_alone(table))
    tables = [
        _compile_table(table.context, table.protected, _alias_items(table.strong), _alias_items(table.ambiguous), kept)
        for table in given
    ]
    text = question
    expansions: dict[str, str] = {}
    for _ in range(_MOST_ROUNDS):
        before = text
        for table in tables:
            text = table.expand(text, expansions)
        if text == before:
            break
    return Normalised(text, expansions)


@dataclass(frozen=True, slots=True)
class _Table:
    aliases: Mapping[str, str]
    ambiguous: frozenset[str]
    pattern: re.Pattern[str]
    evidence: re.Pattern[str]
    pair: re.Pattern[str]
    protected: re.Pattern[str]

    def expand(self, text: str, expansions: dict[str, str]) -> str:
        """``text`` with this table's aliases written out; what was done is added to ``expansions``."""
        said = self.protected.sub(" ", _blank_quotes(text))
        is_domain = self.evidence.search(said) is not None or self.pair.search(said) is not None

        def replacement(match: re.Match[str]) -> str:
            found = match["alias"]
            if found is None:
                return match[0]
            key = _alias_key(found)
            if key in self.ambiguous and (
                not is_domain or _AFTER_NUMBER.search(text[max(0, match.start() - 16) : match.start()])
            ):
                return match[0]
            expansions[found] = self.aliases[key]
            return self.aliases[key]

        return self.pattern.sub(replacement, text)


def _blank_quotes(text: str) -> str:
    return re.sub(_QUOTED, " ", text)


def _alias_key(alias: str) -> str:
    return " ".join(alias.lower().split())


def _left_alone(table: AliasTable) -> tuple[str, ...]:
    return (*table.protected, *table.strong.values(), *table.ambiguous.values())


_Items = tuple[tuple[str, str], ...]


def _alias_items(aliases: Mapping[str, str]) -> _Items:
    return tuple(aliases.items())


@lru_cache(maxsize=64)
def _compile_table(
    context: tuple[str, ...], protected: tuple[str, ...], strong: _Items, ambiguous: _Items, kept: frozenset[str]
) -> _Table:
    aliases = dict(ambiguous) | dict(strong)
    kept_phrases = rf"(?<!\w)(?=\S)(?:{_any_phrase_pattern(kept)})(?!\w)"
    pattern = rf"{_QUOTED}|{kept_phrases}|{_BEFORE}(?P<alias>{_any_phrase_pattern(aliases)}){_AFTER}"
    evidence = rf"(?<!\w)(?=\S)(?:{_any_phrase_pattern([*context, *dict(strong)])})(?!\w)"
    names = [alias for alias, canonical in ambiguous if canonical[0].isupper()]
    # "Ada dumped him" is of a person
    written = _any_phrase_pattern([*names, *(name.upper() for name in names)])
    others = _any_phrase_pattern(alias for alias, canonical in ambiguous if not canonical[0].isupper())
    pair = rf"{_BEFORE}(?:{written})(?:\s+(?i:{_AUXILIARIES})){{0,2}}\s+(?i:{others}){_AFTER}"
    return _Table(
        aliases=aliases,
        ambiguous=frozenset(dict(ambiguous)) - frozenset(dict(strong)),
        pattern=re.compile(pattern, re.IGNORECASE),
        evidence=re.compile(evidence, re.IGNORECASE),
        pair=re.compile(pair),
        protected=re.compile(rf"(?<!\w)(?=\S)(?:{_any_phrase_pattern(protected)})(?!\w)", re.IGNORECASE),
    )


def _any_phrase_pattern(phrases: Iterable[str]) -> str:
    """A pattern for any of ``phrases``, the longest first; one that never matches when there are none."""
    return "|".join(_phrase_pattern(phrase) for phrase in sorted(phrases, key=len, reverse=True)) or r"(?!)"


def _phrase_pattern(phrase: str) -> str:
    return r"\s+".join(re.escape(word) for word in phrase.split())


PHRASE = re.compile(r"[\"“”]([^\"“”]{2,200})[\"“”]")
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
