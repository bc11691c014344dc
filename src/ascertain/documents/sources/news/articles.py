"""Articles as documents: from the words a provider gave, or from the page itself."""

import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace

from ascertain.core.documents.blocks import Block, Span
from ascertain.core.documents.documents import Document, DocumentKind, document_id
from ascertain.core.errors import SourceError
from ascertain.documents.formats.reader import ReadOptions
from ascertain.documents.formats.records.articles import read_article as article_fields
from ascertain.documents.sources.news.ports import Article
from ascertain.documents.sources.web.fetching import Fetched, Fetcher
from ascertain.documents.sources.web.pages import READABLE, documents_of
from ascertain.language.folding import folded_text
from ascertain.language.languages import detect_language

PROFILE = "news"
MOST_CHARACTERS = 60_000
"""Of one document: ten times a long article. What stands behind is left out, for a question waits until all is embedded."""
_TITLE_SHARE = 0.5
"""Share of the title's words that a page must hold. One that asks for cookies, a login or a proof of being human holds hardly any."""
_WORD = re.compile(r"\w{3,}")


def document_of(article: Article, options: ReadOptions) -> Document | None:
    """The provider's own words as a document; None when there are none beside the title."""
    if not (article.text.strip() or article.summary.strip()):
        return None
    fields = {"title": article.title, "summary": article.summary, "content": article.text}
    found = article_fields(fields, article.url, {article.text: article.blocks})
    return _cut_document(
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
            tags=options.tags,
            conversation_id=options.conversation_id,
            tenant=options.tenant,
            blocks=found.blocks,
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
    return _cut_document(
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
    return len(held) >= _TITLE_SHARE * len(wanted)


def _cut_document(document: Document) -> Document:
    """The document's beginning, up to the end of a paragraph, with the blocks in it."""
    if len(document.text) <= MOST_CHARACTERS:
        return document
    end = document.text.rfind("\n\n", MOST_CHARACTERS // 2, MOST_CHARACTERS)
    text = document.text[: end if end > 0 else MOST_CHARACTERS].rstrip()
    return replace(document, text=text, blocks=tuple(_cut_blocks(document.blocks, len(text))))


def _cut_blocks(blocks: Sequence[Block], end: int) -> Iterator[Block]:
    """The blocks up to ``end``: those that reach over it end there, those behind it are left out."""
    for block in blocks:
        if block.span.start < end:
            yield replace(block, span=Span(block.span.start, min(block.span.end, end)))


AT_ONCE = 8
"""Pages read at the same time. They are of different sites; a person's browser opens as many connections for one."""


@dataclass(frozen=True, slots=True)
class Reading:
    """``documents`` in the order of the articles, each once; ``problems`` are pages that could not be read, one line each."""

    documents: tuple[Document, ...]
    problems: tuple[str, ...]


def read_articles(
    articles: Sequence[Article], options: ReadOptions, fetcher: Fetcher | None, seconds: float
) -> Reading:
    """Documents of ``articles``. Without a ``fetcher``, and for pages that fail or are not there in ``seconds``, the words that the
    provider gave stand for the page.
    """
    own = {article.url: document_of(article, options) for article in articles}
    read = dict(own)
    problems: list[str] = []
    missing = [article for article in articles if not article.is_whole]
    if fetcher is not None and missing and seconds > 0:
        in_time = replace(options.limits, seconds=min(seconds, options.limits.seconds))
        options = replace(options, limits=in_time)
        for article, page in _read_pages(
            missing, lambda article: _read_page(article, options, fetcher, seconds), seconds
        ):
            if isinstance(page, Document):
                read[article.url] = page
            else:
                problems.append(page)
    documents = {document.id: document for document in read.values() if document is not None}
    return Reading(tuple(documents.values()), tuple(problems))


def _read_page(article: Article, options: ReadOptions, fetcher: Fetcher, seconds: float) -> Document | str:
    """The page, or why it cannot be used."""
    try:
        fetched = fetcher.get(article.url, accept=READABLE, seconds=seconds)
        return document_of_page(fetched, article, options)
    except SourceError as error:
        return str(error)


def _read_pages(
    articles: Sequence[Article], read: Callable[[Article], Document | str], seconds: float
) -> list[tuple[Article, Document | str]]:
    """Each article with the result of reading it; those still running when the time is over are abandoned."""
    pool = ThreadPoolExecutor(min(AT_ONCE, len(articles)), "page")
    try:
        futures: list[Future[Document | str]] = [pool.submit(read, article) for article in articles]
        wait(futures, timeout=seconds)
        return [
            (article, future.result() if future.done() else f"{article.url}: not read in {seconds:.0f} s")
            for article, future in zip(articles, futures, strict=True)
        ]
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
