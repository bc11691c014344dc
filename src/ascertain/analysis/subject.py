"""What an analysis is of: which documents speak of it, and which of their sentences do."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ascertain.analysis.mapping import weigh_moods
from ascertain.core.analysis import DocumentMap, Statement
from ascertain.core.settings.profiles import AliasTable, Profile
from ascertain.language.tokens import content_terms, word_informativeness

ENOUGH = 0.67
"""Share of what the words of a subject tell that a document must hold: two of three words (by judgement)."""


@dataclass(frozen=True, slots=True)
class Subject:
    """``text`` is the subject with its slang written out, empty for whatever there is.

    ``terms`` are the stems of its words with what they tell, 0..1; all of ``required`` have to be there. ``members`` finds
    what belongs to it, where it is a whole domain.
    """

    text: str
    terms: tuple[tuple[str, float], ...] = ()
    required: frozenset[str] = frozenset()
    members: re.Pattern[str] | None = None

    @property
    def is_whole(self) -> bool:
        """Whether a document as a whole is on it, or none of its sentences: without a subject, or of a domain."""
        return not self.text or self.members is not None

    def names_statement(self, statement: Statement) -> bool:
        """Whether a sentence speaks of it."""
        if self.is_whole:
            return True
        told = statement.terms.union(*(content_terms(name) for name in statement.names))
        return self._holds(told)

    def names_thing(self, name: str) -> bool:
        """Whether what ``name`` says is of it, as the subject of a move."""
        if self.members is not None:
            return self.members.search(name) is not None
        return not self.text or self._holds(frozenset(content_terms(name)))

    def names_event(self, statement: Statement, title: str) -> bool:
        """Whether what a sentence tells is of it, by its own words or the title above it."""
        if self.members is not None:
            return self.members.search(f"{title} {statement.quote.text}") is not None
        return not self.text or self.names_statement(statement) or self._holds(frozenset(content_terms(title)))

    def names_document(self, document: DocumentMap) -> bool:
        """Whether a document speaks of it."""
        if not self.text:
            return True
        if self.members is not None:
            # a single mention may be an aside: "stocks and bitcoin rose after the figures"
            titled = self.members.search(document.title) is not None
            return titled or sum(len(self.members.findall(each.quote.text)) for each in document.statements) >= 2
        terms = frozenset(content_terms(document.title)).union(*(each.terms for each in document.statements))
        return self._holds(terms.union(*(content_terms(name) for name, _ in document.names)))

    def focus_map(self, document: DocumentMap) -> DocumentMap:
        """``document`` with the mood in which it speaks of the subject: that of the sentences that name it."""
        if self.is_whole or document.by_model:
            return document
        own = [each for each in document.statements if self.names_statement(each)]
        if not own or len(own) == len(document.statements):
            return document
        return replace(document, mood=round((document.mood + weigh_moods(None, [each.mood for each in own])) / 2, 4))

    def _holds(self, terms: frozenset[str]) -> bool:
        if not self.required <= terms:
            return False
        total = sum(weight for _, weight in self.terms)
        return total > 0 and sum(weight for term, weight in self.terms if term in terms) >= ENOUGH * total


def read_subject(focus: str, expanded: str, profiles: Sequence[Profile]) -> Subject:
    """The subject that a question calls ``focus``; ``expanded`` is the same with slang and abbreviations written out."""
    if not focus.strip():
        return Subject("")
    names = {_fold_name(focus), _fold_name(expanded)}
    for profile in profiles:
        for table in profile.aliases.values():
            if names & set(table.about):
                return Subject(expanded, members=_compile_members(table))
    bare = re.sub(r"(?:(?<!\s)\s+)?\([^)]{0,500}\)", "", expanded)
    terms = tuple(dict.fromkeys(content_terms(bare)))
    exact = frozenset(term for term in terms if any(character.isdigit() for character in term))
    named = frozenset(term for word in bare.split() if word[0].isupper() for term in content_terms(word))
    required = exact | named if len(terms) > len(named) else exact
    return Subject(bare, tuple((term, word_informativeness(term)) for term in terms), required)


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
