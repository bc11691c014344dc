"""Disagreement that documents report themselves: who denies, opposes or doubts what someone else said or did."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ascertain.core.documents.blocks import Span
from ascertain.core.reports.analysis import DocumentMap, Quote, Statement
from ascertain.language.word_lists import compile_pattern
from ascertain.reports.analysis.subject import Subject

SHORT = 30
"""Characters up to which a sentence only says that it is so ("I disagree."), and the disputed point follows."""
AGAIN = 0.7
"""Share of its words by which a sentence says what one of the same document said (by judgement)."""
_DISPUTE = re.compile(rf"\b{compile_pattern('forecasts', 'disputes').pattern}\b", re.IGNORECASE)


def find_disputes(maps: Sequence[DocumentMap], subject: Subject) -> Iterator[Quote]:
    """The sentences of ``maps`` with a disagreement, those of one document in its order."""
    for document in maps:
        listed: list[Statement] = []
        for place, statement in enumerate(document.statements):
            text = statement.quote.text
            is_own = text.strip() != document.title.strip() and subject.names_event(statement, document.title)
            is_new = all(len(statement.terms & each.terms) < AGAIN * max(1, len(statement.terms)) for each in listed)
            if is_own and is_new and _DISPUTE.search(text):
                listed.append(statement)
                yield _with_next(statement, document.statements[place + 1 : place + 2])


def _with_next(statement: Statement, behind: Sequence[Statement]) -> Quote:
    quote = statement.quote
    following = next((each.quote for each in behind if each.quote.span.start == quote.span.end + 1), None)
    if len(quote.text) > SHORT or following is None:
        return quote
    return Quote(quote.document_id, Span(quote.span.start, following.span.end), f"{quote.text} {following.text}")
