"""Citations: the only place that builds one, so that none is ever shown unchecked."""

from __future__ import annotations

from ascertain.core.answers import Citation
from ascertain.core.documents import Document
from ascertain.core.errors import CitationError
from ascertain.core.spans import Span


def cite(number: int, document: Document, span: Span, quote: str | None = None) -> Citation:
    """Citation ``number`` (from 1) of the characters of ``document`` under ``span``.

    ``quote`` is what the caller believes stands there; it must equal ``document.text[span.start:span.end]`` exactly.
    Without it, the characters under the span are the quote. The place is that of the first character.
    Raises CitationError when the span is empty, blank or outside the text, or when the quote differs.
    """
    where = f"{document.source}: [{span.start}, {span.end})"
    if not 0 <= span.start < span.end <= len(document.text):
        raise CitationError(f"{where} is not inside its {len(document.text)} characters; ingest it again.")
    stored = span.of(document.text)
    if quote is not None and quote != stored:
        raise CitationError(f"{where} reads {stored[:80]!r}, not the quoted {quote[:80]!r}; ingest it again.")
    if not stored.strip():
        raise CitationError(f"{where} holds white space only; there is nothing to quote.")
    return Citation(
        number=number,
        document_id=document.id,
        title=document.title,
        url=document.url,
        published_at=document.published_at,
        quote=stored,
        span=span,
        place=document.place_of(span),
        source=document.source,
    )
