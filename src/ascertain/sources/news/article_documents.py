"""Articles as documents: from the words a provider gave, or from the page itself."""

from __future__ import annotations

import re
from dataclasses import replace

from ascertain.core.documents import Document, DocumentKind, Region, document_id
from ascertain.core.errors import SourceError
from ascertain.core.spans import Span
from ascertain.language.folding import folded_text
from ascertain.sources.articles import article as article_fields
from ascertain.sources.extraction import ReadOptions
from ascertain.sources.language import detect_language
from ascertain.sources.news.ports import Article
from ascertain.sources.web.fetching import Fetched
from ascertain.sources.web.pages import documents_of

PROFILE = "news"
MOST_CHARACTERS = 60_000
"""Of one document: ten times a long article. What stands behind is left out, for a question waits until all is embedded."""
_TOLD = 0.5
"""Share of the title's words that a page must hold. One that asks for cookies, a login or a proof of being human holds hardly any."""
_WORD = re.compile(r"\w{3,}")


def document_of(article: Article, options: ReadOptions) -> Document | None:
    """The provider's own words as a document; None when there are none beside the title."""
    if not (article.text.strip() or article.summary.strip()):
        return None
    found = article_fields(
        {"title": article.title, "summary": article.summary, "content": article.text}, article.url
    )
    return _bounded(
        Document(
            id=document_id(article.url, options.tenant, options.conversation_id),
            text=found.text,
            title=article.title,
            kind=DocumentKind.ARTICLE,
            source=article.url,
            url=article.url,
            author=article.author or article.publisher,
            published_at=article.published_at,
            language=detect_language(found.text) or article.language,
            profile=PROFILE,
            conversation_id=options.conversation_id,
            tenant=options.tenant,
        )
    )


def document_of_page(fetched: Fetched, article: Article, options: ReadOptions) -> Document:
    """The page of ``article`` as a document, with what the provider knows where the page is silent.

    Raises SourceError for a page that cannot be read, or that does not speak of the article.
    """
    pages = list(documents_of(fetched, replace(options, profile=PROFILE)))
    if len(pages) != 1:
        raise SourceError(f"{article.url}: holds {len(pages):,} documents, not an article")
    page = pages[0]
    if not _speaks_of(page, article):
        raise SourceError(f"{article.url}: the page does not hold the article; it may ask for a login")
    is_prose = page.kind is DocumentKind.PROSE
    return _bounded(
        replace(
            page,
            kind=DocumentKind.ARTICLE if is_prose else page.kind,
            title=article.title or page.title,
            author=page.author or article.author or article.publisher,
            published_at=article.published_at or page.published_at,
        )
    )


def _speaks_of(page: Document, article: Article) -> bool:
    """Whether the page has as many words as were known before, and those of the title."""
    if len(page.text) < max(len(article.text), len(article.summary)):
        return False
    wanted = set(_WORD.findall(folded_text(article.title)))
    held = wanted & set(_WORD.findall(folded_text(page.text[:MOST_CHARACTERS])))
    return len(held) >= _TOLD * len(wanted)


def _bounded(document: Document) -> Document:
    """The document's beginning, up to the end of a paragraph, with the regions in it."""
    if len(document.text) <= MOST_CHARACTERS:
        return document
    end = document.text.rfind("\n\n", MOST_CHARACTERS // 2, MOST_CHARACTERS)
    end = end if end > 0 else MOST_CHARACTERS
    return replace(document, text=document.text[:end].rstrip(), regions=tuple(_cut(document.regions, end)))


def _cut(regions: tuple[Region, ...], end: int) -> list[Region]:
    return [
        replace(region, span=Span(region.span.start, min(region.span.end, end)))
        for region in regions
        if region.span.start < end
    ]
