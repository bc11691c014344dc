"""What a subject is called: by its other names, its members, and the words that reports use in its place.

Statements about all documents ("the only article about ...") are made only about a subject whose names are known: one of a profile's
vocabulary (crypto with all its coins, BTC with bitcoin), or a thing of the knowledge graph. For any other subject only the results are
reported.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from ascertain.core.asking.passages import Filter
from ascertain.core.settings.profiles import AliasTable, Profile
from ascertain.language.tokens import WORD, stem_word
from ascertain.language.word_lists import load_phrases
from ascertain.questions.aliases import expand_aliases
from ascertain.stores.ports.chunks import CompleteStore

MOST_NAMES = 64
"""Names of one subject that are looked up: a domain of a profile has about so many."""
LOOKED_AT = 500
"""Chunks that name a subject and are read; where there are more, nothing is said of all of them."""

OtherNames = Callable[[str, str], Sequence[str]]
"""All names of the thing that a text names, by the graph of a tenant; none where it names none."""


@dataclass(frozen=True, slots=True)
class SubjectNames:
    """``names`` are words and phrases any of which names the subject; ``is_known``: they are all that it is called."""

    names: tuple[str, ...]
    is_known: bool

    @property
    def pattern(self) -> re.Pattern[str]:
        """Any of the names as whole words, in the singular or the plural."""
        longest = sorted(self.names, key=len, reverse=True)
        parts = (r"\s+".join(re.escape(word) for word in name.split()) for name in longest)
        return re.compile(rf"(?<![\w-])(?:{'|'.join(parts)})(?:s|es|['’]s)?(?![\w-])", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Mentions:
    """``documents`` count how often each document (by id) names a subject, its title twice; ``is_complete``: there are no more."""

    documents: dict[str, int]
    is_complete: bool


def read_subject_names(
    focus: str, profiles: Sequence[Profile], language: str, other_names: Sequence[str] = ()
) -> SubjectNames:
    """What ``focus`` is called; ``other_names`` are those of the thing of the graph that it names, none where it names none."""
    written = _without_article(focus)
    expanded = _without_note(expand_aliases(written, profiles).text)
    own = {written.casefold(), expanded.casefold()} - {""}
    for profile in profiles:
        for table in profile.aliases.values():
            if own & {name.casefold() for name in table.about}:
                return SubjectNames(_limit([*own, *_list_members(table)]), is_known=True)
    same = [name for profile in profiles for table in profile.aliases.values() for name in _list_same(table, own)]
    if same:
        return SubjectNames(_limit([*own, *same, *other_names]), is_known=True)
    if other_names:
        return SubjectNames(_limit([*own, *other_names]), is_known=True)
    return SubjectNames(_limit([*own, *_list_kindred(own, language)]), is_known=False)


def count_mentions(store: CompleteStore, subject: SubjectNames, filter: Filter) -> Mentions:
    """The documents among what ``filter`` selects that name ``subject``. Raises StoreError."""
    terms = {f'"{name}"' if len(WORD.findall(name)) > 1 else name: 1.0 for name in subject.names}
    if not terms:
        return Mentions({}, is_complete=False)
    hits = store.lexical(terms, LOOKED_AT, filter)
    pattern = subject.pattern
    counts: dict[str, int] = {}
    for chunk in store.get([hit.chunk_id for hit in hits]):
        said = len(pattern.findall(chunk.text))
        titled = pattern.search(chunk.title) is not None
        if said or titled:
            counts[chunk.document_id] = counts.get(chunk.document_id, 0) + said + 2 * titled
    return Mentions(counts, is_complete=len(hits) < LOOKED_AT)


def _without_article(text: str) -> str:
    return re.sub(r"^(?:the|all|our|any|new|more)\s+", "", " ".join(text.split()), flags=re.IGNORECASE)


def _without_note(text: str) -> str:
    return " ".join(re.sub(r"\([^()]*\)", " ", text).split())


def _limit(names: Iterable[str]) -> tuple[str, ...]:
    folded = dict.fromkeys(" ".join(name.casefold().split()) for name in names)
    return tuple(name for name in folded if WORD.search(name))[:MOST_NAMES]


def _list_members(table: AliasTable) -> list[str]:
    """All that a domain's texts name it by, the names of its things first."""
    names = [name for full in table.strong.values() for name in _read_names(full) if name[:1].isupper()]
    return [*table.about, *table.context, *names, *table.strong]


def _list_same(table: AliasTable, own: set[str]) -> list[str]:
    """The short and the full names of the thing that one of ``own`` names."""
    aliases = {**table.ambiguous, **table.strong}
    meant = {full for alias, full in aliases.items() if alias in own}
    meant |= {full for full in aliases.values() if own & {name.casefold() for name in _read_names(full)}}
    meant |= {full for full, others in table.also.items() if own & {name.casefold() for name in (full, *others)}}
    short = [alias for alias, full in table.strong.items() if full in meant]
    also = [name for full in meant for name in table.also.get(full, ())]
    return [*(name for full in meant for name in _read_names(full)), *also, *short]


def _read_names(full: str) -> list[str]:
    """``Tether (USDT)`` as both of its names."""
    inside = re.findall(r"\(([^()]+)\)", full)
    return [_without_note(full), *inside]


def _list_kindred(own: set[str], language: str) -> list[str]:
    """The words that reports use for what one of ``own`` names by a common noun."""
    stems = {stem_word(word, language) for name in own for word in WORD.findall(name)} if len(own) <= 2 else set[str]()
    single = {stem_word(name, language) for name in own if len(name.split()) == 1}
    return [
        word for group in _kindred() if stems & single & {stem_word(word, language) for word in group} for word in group
    ]


@cache
def _kindred() -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(line.split()) for line in load_phrases("subject_kinds", "groups"))
