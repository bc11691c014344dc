"""Slang, abbreviations and partial words of a question, written out by the profiles."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from ascertain.core.settings.profiles import AliasTable, Profile
from ascertain.language.word_lists import load_words

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
