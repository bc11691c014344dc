"""Writing out slang, abbreviations and partial words, from the alias tables of the profiles in play.

Only whole words are replaced, and never inside quotes, addresses, file names or words joined by hyphens. A word that
also has an ordinary meaning (``dump``, ``moon``) is replaced only where the question speaks of that domain anyway.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from ascertain.core.settings.profiles import AliasTable, Profile

_QUOTED = r"\"[^\"]*\"|“[^“”]*”|`[^`]*`|«[^«»]*»"
_BEFORE, _AFTER = r"(?<![\w@./\\'’-])(?=\S)[$#]?", r"(?![\w@/\\-]|\.\w|['’](?!s\b)\w)"
_AFTER_NUMBER = re.compile(r"\d[\d.,]*\s*$")
_MOST_ROUNDS = 10
"""Each round can only open up the next by a word of context that it wrote out; tables nest two deep at most."""


@dataclass(frozen=True, slots=True)
class Normalised:
    """``expansions`` maps each alias, as the question spells it, to what was put in its place."""

    text: str
    expansions: Mapping[str, str]


def normalise(question: str, profiles: Sequence[Profile]) -> Normalised:
    """Expand the aliases of ``profiles`` in ``question``; what is not an alias stays to the letter.

    Doing it again changes nothing more.
    """
    given = [table for profile in profiles for table in profile.aliases.values()]
    # What an alias stands for is left alone where it already stands, so that "BNB (Binance Coin)" does not grow, and
    # two tables cannot feed each other.
    kept = frozenset(phrase for table in given for phrase in _left_alone(table))
    tables = [
        _compiled(table.context, _items(table.strong), _items(table.ambiguous), kept) for table in given
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

    def expand(self, text: str, expansions: dict[str, str]) -> str:
        """``text`` with this table's aliases written out; what was done is added to ``expansions``."""
        is_domain = self.evidence.search(_blanked(text)) is not None

        def replacement(match: re.Match[str]) -> str:
            found = match["alias"]
            if found is None:
                return match[0]
            key = _key(found)
            if key in self.ambiguous and (
                not is_domain or _AFTER_NUMBER.search(text[max(0, match.start() - 16) : match.start()])
            ):
                return match[0]
            expansions[found] = self.aliases[key]
            return self.aliases[key]

        return self.pattern.sub(replacement, text)


def _blanked(text: str) -> str:
    return re.sub(_QUOTED, " ", text)


def _key(alias: str) -> str:
    return " ".join(alias.lower().split())


def _left_alone(table: AliasTable) -> tuple[str, ...]:
    return (*table.protected, *table.strong.values(), *table.ambiguous.values())


_Items = tuple[tuple[str, str], ...]


def _items(aliases: Mapping[str, str]) -> _Items:
    return tuple(aliases.items())


@lru_cache(maxsize=64)
def _compiled(context: tuple[str, ...], strong: _Items, ambiguous: _Items, kept: frozenset[str]) -> _Table:
    aliases = dict(ambiguous) | dict(strong)
    kept_phrases = rf"(?<!\w)(?=\S)(?:{_alternatives(kept)})(?!\w)"
    pattern = rf"{_QUOTED}|{kept_phrases}|{_BEFORE}(?P<alias>{_alternatives(aliases)}){_AFTER}"
    evidence = rf"(?<!\w)(?=\S)(?:{_alternatives([*context, *dict(strong)])})(?!\w)"
    return _Table(
        aliases=aliases,
        ambiguous=frozenset(dict(ambiguous)) - frozenset(dict(strong)),
        pattern=re.compile(pattern, re.IGNORECASE),
        evidence=re.compile(evidence, re.IGNORECASE),
    )


def _alternatives(phrases: Iterable[str]) -> str:
    """A pattern for any of ``phrases``, the longest first; one that never matches when there are none."""
    return "|".join(_phrase(phrase) for phrase in sorted(phrases, key=len, reverse=True)) or r"(?!)"


def _phrase(phrase: str) -> str:
    return r"\s+".join(re.escape(word) for word in phrase.split())
