"""Documents for tests of the analysis."""

from __future__ import annotations

from datetime import UTC, datetime

from ascertain.core.documents.documents import Document, DocumentKind, document_id
from ascertain.core.reports.analysis import DocumentMap
from ascertain.core.settings.profiles import load_profile
from ascertain.reports.analysis.mapping import DocumentMapper

NEWS = load_profile("news")
MAPPER = DocumentMapper([NEWS])


def an_article(title: str, text: str, source: str = "Harbour Post", day: str = "2025-05-12") -> Document:
    published = datetime.fromisoformat(day).replace(hour=9, tzinfo=UTC)
    name = f"{source}/{title}/{day}"
    return Document(document_id(name), text, title, DocumentKind.ARTICLE, name, author=source, published_at=published)


def a_map(title: str, text: str, source: str = "Harbour Post", day: str = "2025-05-12") -> DocumentMap:
    return MAPPER.map_document(an_article(title, text, source, day))
