"""What an analysis is of: which documents speak of it, and which of their sentences do."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from ascertain.core.reports.analysis import DocumentMap, Move, Statement
from ascertain.core.settings.profiles import AliasTable, Profile
from ascertain.language.languages import ENGLISH
from ascertain.language.tokens import content_terms, word_informativeness
from ascertain.language.word_lists import load_word_set
from ascertain.reports.analysis.mapping import weigh_moods

ENOUGH = 0.67
"""Share of what the words of a subject tell that a document must hold: two of three words (by judgement)."""


@dataclass(frozen=True, slots=True)
class Subject:
    """``text`` is the subject with its slang written out, empty for whatever there is.

    ``terms`` are the stems of its words with what they tell, 0..1; all of ``required`` have to be there. ``members`` finds
    what belongs to it, where it is a whole domain. ``names`` take the place of the terms where it is known what it is called: each of
    them has to be found (crypto by any of its names, regulation by any word for it). ``is_of_prices``: whatever has a price.
    """

    text: str
    terms: tuple[tuple[str, float], ...] = ()
    required: frozenset[str] = frozenset()
    members: re.Pattern[str] | None = None
    names: tuple[re.Pattern[str], ...] = ()
    is_of_prices: bool = False

    @property
    def is_whole(self) -> bool:
        """Whether a document as a whole is on it, or none of its sentences: without a subject, or of a domain."""
        return not self.text or self.members is not None or self.is_of_prices

    def names_statement(self, statement: Statement) -> bool:
        """Whether a sentence speaks of it."""
        if self.is_whole:
            return True
        if self.names:
            return self._names(" ".join((statement.quote.text, *statement.names)))
        terms = statement.terms.union(*(content_terms(name, ENGLISH) for name in statement.names))
        return self._holds(terms)

    def names_thing(self, name: str) -> bool:
        """Whether what ``name`` says is of it, as the subject of a move."""
        if self.members is not None:
            return self.members.search(name) is not None
        if self.names:
            return self.names[0].search(name) is not None
        return not self.text or self.is_of_prices or self._holds(frozenset(content_terms(name, ENGLISH)))

    def names_move(self, move: Move) -> bool:
        """Whether a move is of it: by what moved, or, where that is no name ("house prices"), by its sentence."""
        if self.names_thing(move.subject):
            return True
        is_plain = move.subject.islower() and not self.is_whole and not self.names
        return is_plain and self._holds(frozenset(content_terms(move.quote.text, ENGLISH)))

    def names_title(self, title: str) -> bool:
        """Whether a title names it by its words, where it has no names by which it is known."""
        return not self.is_whole and not self.names and self._holds(frozenset(content_terms(title, ENGLISH)))

    def names_event(self, statement: Statement, title: str) -> bool:
        """Whether what a sentence tells is of it, by its own words or the title above it."""
        if self.members is not None:
            return self.members.search(f"{title} {statement.quote.text}") is not None
        if self.names:
            return self._names(f"{title} {statement.quote.text}")
        return (
            self.is_of_prices
            or not self.text
            or self.names_statement(statement)
            or self._holds(frozenset(content_terms(title, ENGLISH)))
        )

    def names_document(self, document: DocumentMap) -> bool:
        """Whether a document speaks of it."""
        if not self.text:
            return True
        if self.is_of_prices:
            return bool(document.moves)
        if self.names:
            return self._names("\n".join((document.title, *(each.quote.text for each in document.statements))))
        if self.members is not None:
            # a single mention may be an aside: "stocks and bitcoin rose after the figures"
            titled = self.members.search(document.title) is not None
            return titled or sum(len(self.members.findall(each.quote.text)) for each in document.statements) >= 2
        terms = frozenset(content_terms(document.title, ENGLISH)).union(*(each.terms for each in document.statements))
        return self._holds(terms.union(*(content_terms(name, ENGLISH) for name, _ in document.names)))

    def focus_map(self, document: DocumentMap) -> DocumentMap:
        """``document`` with the mood in which it speaks of the subject: that of the sentences that name it."""
        if self.is_whole or document.by_model:
            return document
        own = [each for each in document.statements if self.names_statement(each)]
        if not own or len(own) == len(document.statements):
            return document
        return replace(document, mood=round((document.mood + weigh_moods(None, [each.mood for each in own])) / 2, 4))

    def _names(self, text: str) -> bool:
        return all(pattern.search(text) for pattern in self.names)

    def _holds(self, terms: frozenset[str]) -> bool:
        if not self.required <= terms:
            return False
        total = sum(weight for _, weight in self.terms)
        return total > 0 and sum(weight for term, weight in self.terms if term in terms) >= ENOUGH * total


class Names(Protocol):
    """What something is called; ``is_known``: they are all that it is called."""

    @property
    def names(self) -> tuple[str, ...]:
        """Words and phrases, any of which names it."""
        ...

    @property
    def is_known(self) -> bool:
        """Whether there are no others."""
        ...

    @property
    def pattern(self) -> re.Pattern[str]:
        """Any of the names."""
        ...


ReadNames = Callable[[str], Names]


def read_subject(
    focus: str, expanded: str, profiles: Sequence[Profile], read_names: ReadNames | None = None
) -> Subject:
    """The subject that a question calls ``focus``; ``expanded`` is the same with slang and abbreviations written out. ``read_names``
    knows what things and kinds of events are called.
    """
    if not focus.strip():
        return Subject("")
    names = {_fold_name(focus), _fold_name(expanded)}
    for profile in profiles:
        for table in profile.aliases.values():
            if names & set(table.about):
                return Subject(expanded, members=_compile_members(table))
    bare = re.sub(r"(?:(?<!\s)\s+)?\([^)]{0,500}\)", "", expanded)
    if _fold_name(focus) in _PRICES:
        return Subject(bare, is_of_prices=True)
    known = _read_parts(_fold_name(focus), read_names) if read_names else ()
    if known:
        return Subject(bare, names=known)
    # what a thing costs, and who trades in it, is said without these words
    telling = " ".join(word for word in bare.split() if word.lower() not in _GENERAL)
    terms = tuple(dict.fromkeys(content_terms(telling, ENGLISH) or content_terms(bare, ENGLISH)))
    exact = frozenset(term for term in terms if any(character.isdigit() for character in term))
    named = frozenset(term for word in bare.split() if word[0].isupper() for term in content_terms(word, ENGLISH))
    required = exact | named if len(terms) > len(named) else exact
    return Subject(bare, tuple((term, word_informativeness(term, ENGLISH)) for term in terms), required)


_PRICES = load_word_set("moves", "of_prices")
_GENERAL = _PRICES | load_word_set("analysis_questions", "fields")
_JOINED = re.compile(r" ?(?:,|/|\b(?:and|or|vs|versus)\b) ?")


def _read_parts(focus: str, read_names: ReadNames) -> tuple[re.Pattern[str], ...]:
    """What has to be found of a subject: any of the things that it joins, and the kind of event that is asked of them; none where
    nothing is known of it.
    """
    parts = [part for part in _JOINED.split(focus) if part]
    read = [_read_part(part, read_names) for part in parts]
    if not any(read):
        return ()
    if len(read) == 1:
        return read[0]
    things = [
        (own or (re.compile(rf"\b{re.escape(part)}\b", re.IGNORECASE),))[0]
        for part, own in zip(parts, read, strict=True)
    ]
    either = re.compile("|".join(f"(?:{each.pattern})" for each in things), re.IGNORECASE)
    return (either, *read[-1][1:])


def _read_part(part: str, read_names: ReadNames) -> tuple[re.Pattern[str], ...]:
    """A thing that is known, a kind of event ("hacks"), or the one of the other ("DeFi hacks")."""
    whole = read_names(part)
    if whole.is_known or (" " not in part and len(whole.names) > 1):
        return (whole.pattern,)
    thing, _, last = part.rpartition(" ")
    kind = read_names(last)
    if not thing or kind.is_known:
        return ()
    if last in _PRICES:
        # prices are reported without the word
        return _read_part(thing, read_names)
    return (read_names(thing).pattern, kind.pattern) if len(kind.names) > 1 else ()


def _fold_name(text: str) -> str:
    return re.sub(r"^(?:the|all|our)\s+", "", " ".join(text.lower().split()))


def _compile_members(table: AliasTable) -> re.Pattern[str]:
    written = {*table.about, *table.context, *table.strong}
    names = {
        re.sub(r"(?:(?<!\s)\s+)?\(.{0,300}\)$", "", full)
        for full in (*table.strong.values(), *table.ambiguous.values())
    }
    written |= {name.lower() for name in names if name[:1].isupper()}
    longest = sorted(written, key=len, reverse=True)
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, longest))})\b", re.IGNORECASE)
