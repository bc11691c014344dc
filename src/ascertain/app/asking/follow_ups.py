"""What an answer leads on to: other sections of what it cites, and documents beside these. Each was tried: a search for it
finds it, and is sure enough of that.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ascertain.core.asking.answers import Answer
from ascertain.core.asking.passages import Filter, Level
from ascertain.core.asking.requests import FollowUp
from ascertain.core.documents.blocks import BlockKind
from ascertain.core.documents.documents import Document

if TYPE_CHECKING:
    from ascertain.app.ascertain import Ascertain

MOST = 3
"""Offered under an answer: one line of a desk."""
TRIED = 8
"""Searches at most; each takes some tens of milliseconds."""
CITED_DOCUMENTS = 2
SHORTEST, LONGEST = 4, 60
"""Characters of a heading or title that still makes a readable question."""
NEAREST = 4
"""Passages of a search for the question whose documents are near: further ones share no more than a word with it."""


def suggest_follow_ups(knowledge: Ascertain, answer: Answer) -> list[FollowUp]:
    """Up to MOST of them, sections before documents; none for an answer that cites nothing."""
    found: list[FollowUp] = []
    for tries, candidate in enumerate(_list_sections(knowledge, answer)):
        if len(found) == MOST - 1 or tries == TRIED:
            break
        if _is_found(knowledge, candidate):
            found.append(candidate)
    return [*found, *_list_near_documents(knowledge, answer)][:MOST]


def _list_sections(knowledge: Ascertain, answer: Answer) -> Iterator[FollowUp]:
    """Sections of the documents it cites that it does not cite, those behind the first citation before those above it."""
    by_document: dict[str, set[str]] = {}
    for citation in answer.citations:
        by_document.setdefault(citation.document_id, set()).update(citation.place.section)
    for document_id in list(by_document)[:CITED_DOCUMENTS]:
        document = knowledge.document(document_id)
        if document is None or not _is_readable(document.title):
            continue
        first = min(citation.span.start for citation in answer.citations if citation.document_id == document_id)
        headings = _list_headings(document)
        for _start, heading in sorted(headings, key=lambda each: (each[0] < first, each[0])):
            if heading not in by_document[document_id] and heading.casefold() not in answer.question.casefold():
                yield FollowUp(document.id, document.title, document.kind, heading)


def _list_headings(document: Document) -> list[tuple[int, str]]:
    headings = (
        (block.span.start, block.span.of(document.text))
        for block in document.blocks_of(BlockKind.HEADING)
        if block.level > 0
    )
    return [(start, text) for start, text in headings if _is_readable(text) and text != document.title]


def _is_readable(text: str) -> bool:
    return SHORTEST <= len(text) <= LONGEST and "\n" not in text


def _is_found(knowledge: Ascertain, candidate: FollowUp) -> bool:
    filter = Filter(document_ids=(candidate.document_id,), tenant=knowledge.tenant)
    found = knowledge.search(f"{candidate.section} {candidate.title}", filter=filter, k=1)
    return any(candidate.section in passage.chunk.place.section for passage in found.passages)


def _list_near_documents(knowledge: Ascertain, answer: Answer) -> Iterator[FollowUp]:
    """Documents that a search for the question finds too, and that nothing is quoted from."""
    if not answer.citations:
        return
    found = knowledge.search(answer.standalone or answer.question)
    seen = {citation.document_id for citation in answer.citations}
    titles = {citation.title for citation in answer.citations}
    for passage in found.passages[:NEAREST] if found.confidence.level is Level.HIGH else ():
        chunk = passage.chunk
        if chunk.document_id not in seen and chunk.title not in titles and _is_readable(chunk.title):
            seen.add(chunk.document_id)
            yield FollowUp(chunk.document_id, chunk.title, chunk.kind)
