"""The whole text of articles: the provider's where it gave all, else from their pages, many at once and within a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass

from ascertain.core.documents import Document
from ascertain.core.errors import SourceError
from ascertain.sources.extraction import ReadOptions
from ascertain.sources.news.article_documents import document_of, document_of_page
from ascertain.sources.news.ports import Article
from ascertain.sources.web.fetching import Fetcher
from ascertain.sources.web.pages import READABLE

AT_ONCE = 8
"""Pages read at the same time. They are of different sites; a person's browser opens as many connections for one."""


@dataclass(frozen=True, slots=True)
class Reading:
    """``documents`` in the order of the articles, each once; ``problems`` are pages that could not be read, one line each."""

    documents: tuple[Document, ...]
    problems: tuple[str, ...]


def read_articles(
    articles: Sequence[Article],
    options: ReadOptions,
    fetcher: Fetcher | None,
    seconds: float,
) -> Reading:
    """Documents of ``articles``. Without a ``fetcher``, and for pages that fail or are not there in ``seconds``, the words that the
    provider gave stand for the page.
    """
    own = {article.url: document_of(article, options) for article in articles}
    read = dict(own)
    problems: list[str] = []
    missing = [article for article in articles if not article.is_whole]
    if fetcher is not None and missing and seconds > 0:
        for article, page in _pages(
            missing, lambda article: _page(article, options, fetcher, seconds), seconds
        ):
            if isinstance(page, Document):
                read[article.url] = page
            else:
                problems.append(page)
    documents = {document.id: document for document in read.values() if document is not None}
    return Reading(tuple(documents.values()), tuple(problems))


def _page(article: Article, options: ReadOptions, fetcher: Fetcher, seconds: float) -> Document | str:
    """The page, or why it cannot be used."""
    try:
        fetched = fetcher.get(article.url, accept=READABLE, seconds=seconds)
        return document_of_page(fetched, article, options)
    except SourceError as error:
        return str(error)


def _pages(
    articles: Sequence[Article], read: Callable[[Article], Document | str], seconds: float
) -> list[tuple[Article, Document | str]]:
    """Each article with what came of reading it; those still under way when the time is over are left to themselves."""
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
