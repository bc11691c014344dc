"""What research asks of the network: pages and papers become documents of the run, through the same door as any
address.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from ascertain.core.asking.passages import Filter
from ascertain.core.documents.documents import Document, DocumentState
from ascertain.core.errors import AscertainError, StoreError, UsageError
from ascertain.core.reports.research import PaperRecord
from ascertain.core.settings import WebSettings
from ascertain.documents.sources.web.arxiv import ARXIV_SECONDS, ArxivClient, Spacing
from ascertain.documents.sources.web.guarded_client import GuardedClient
from ascertain.documents.sources.web.urls import WebAddress, address_of
from ascertain.workflow.research.agents import Fetched

if TYPE_CHECKING:
    from ascertain.core.documents.documents import DocumentRecord
    from ascertain.core.documents.ingest import IngestReport

TAG = "research"
"""Tag of every document that was fetched for a run; another is ``research:`` and the run's id."""


class Library(Protocol):
    """Where pages are added to, as ``Ascertain`` is."""

    def add(
        self, paths: Sequence[Path | str], *, tags: Sequence[str] = ..., conversation_id: str | None = ...
    ) -> IngestReport:
        """Fetch and add addresses, for a conversation alone where one is named."""
        ...

    def documents(self, filter: Filter = ...) -> list[DocumentRecord]:
        """The records of what is there."""
        ...

    def document(self, document_id: str) -> Document | None:
        """A document with its text."""
        ...


class StoredOutside:
    """Fetches into a ``library``. What is fetched for a run is seen by that run alone, and deleted with it."""

    def __init__(self, library: Library, tenant: str, web: WebSettings) -> None:
        self._library = library
        self._tenant = tenant
        self._web = web

    def fetch(self, address: str, run_id: str) -> Fetched:
        """See ``Outside.fetch``."""
        read = address_of(address)
        if read is None:
            return Fetched((), f"{address}: no address of a page")
        try:
            report = self._library.add([address], tags=(TAG, f"{TAG}:{run_id}"), conversation_id=run_id)
        except StoreError:
            raise
        except AscertainError as error:
            return Fetched((), str(error))
        documents = self._list_documents(read.url, run_id)
        problem = "; ".join(failure.reason for failure in report.failures)
        return Fetched(documents, problem or ("" if documents else f"{read.shown}: it holds no text"))

    def _list_documents(self, source: str, run_id: str) -> tuple[Document, ...]:
        """What the address became: its own documents, or all of the run where the page names itself otherwise."""
        own = Filter(conversation_id=run_id, tenant=self._tenant)
        records = [each for each in self._library.documents(own) if each.state is not DocumentState.FAILED]
        named = [each for each in records if source in {each.source, each.url}]
        ids = sorted(each.id for each in named or records)
        found = (self._library.document(identity) for identity in ids)
        return tuple(document for document in found if document is not None)

    def search_papers(self, words: Sequence[str], limit: int) -> tuple[PaperRecord, ...]:
        """See ``Outside.search_papers``."""
        web = self._web
        # every try takes a turn, so the fetcher under the client makes one only
        fetcher = GuardedClient(web.model_copy(update={"retries": 0}))
        seconds = ARXIV_SECONDS if web.arxiv_url == WebSettings().arxiv_url else 0
        try:
            found = ArxivClient(fetcher, web.arxiv_url, Spacing("arxiv", seconds)).search(words, limit)
        finally:
            fetcher.close()
        return tuple(
            PaperRecord(
                id=paper.address.id,
                title=paper.title,
                abstract=paper.abstract,
                authors=paper.authors,
                published_at=paper.published_at,
                categories=paper.categories,
            )
            for paper in found
        )


def check_address(url: str) -> None:
    """Raise UsageError for what is no address that can be fetched."""
    if not isinstance(address_of(url), WebAddress):
        raise UsageError(f"{url!r} is no address of a page; give one that begins with http:// or https://")
