"""Papers of arXiv: those of the given ids, or those that a search finds; a new version is read again."""

from collections.abc import Iterator, Sequence

from ascertain.core.documents.documents import Document
from ascertain.core.errors import SourceError
from ascertain.core.settings import WebSettings
from ascertain.documents.sources.connectors.ports import SourceGiven, SourceItem, join_source
from ascertain.documents.sources.web.arxiv import ARXIV_SECONDS, ArxivClient, Paper, Spacing
from ascertain.documents.sources.web.guarded_client import GuardedClient
from ascertain.documents.sources.web.urls import ArxivAddress, address_of

_PAPERS = 50
"""Of a search, unless the option ``papers`` says otherwise."""


class ArxivSource:
    """A ``Source``. ``arxiv:1706.03762,2005.11401`` or ``arxiv:retrieval augmented generation``."""

    notes: Sequence[str] = ()

    def __init__(self, given: SourceGiven) -> None:
        given.check_options("papers")
        self._given = given
        self._words = given.address.partition(":")[2].replace(",", " ").split()
        self._most = int(given.read_number("papers", _PAPERS))
        if not self._words:
            raise SourceError(f"{given.address}: give ids or words, as arxiv:1706.03762 or arxiv:knowledge graphs")
        self.is_complete = all(word[0].isdigit() or "/" in word for word in self._words)
        self.root = given.address
        web = given.web
        is_arxiv = web.arxiv_url == WebSettings().arxiv_url
        # the client takes a turn for every try, so the fetcher under it makes one only
        once = GuardedClient(web.model_copy(update={"retries": 0}))
        self._client = ArxivClient(once, web.arxiv_url, Spacing("arxiv", ARXIV_SECONDS if is_arxiv else 0))
        self._paper: Paper | None = None

    def list_items(self) -> Iterator[SourceItem]:
        """The metadata of each paper at arXiv."""
        for paper in self._find_papers():
            self._paper = paper
            yield SourceItem(
                paper.address.id,
                f"v{paper.address.version}",
                address=paper.address.url,
                title=paper.title,
                published_at=paper.published_at,
                author=", ".join(paper.authors) or None,
                tags=paper.categories,
                name="paper.pdf",
            )

    def read(self, item: SourceItem) -> list[Document]:
        """The paper by its PDF."""
        if self._paper is None:
            raise SourceError(f"{item.id}: not listed")
        return [self._client.document(self._paper, self._given.reading, join_source(self.root, item.id))]

    def close(self) -> None:
        """Nothing stays open."""

    def _find_papers(self) -> Iterator[Paper]:
        if not self.is_complete:
            yield from self._client.search(self._words, self._most)
            return
        for word in self._words:
            address = address_of(f"arxiv:{word}")
            if isinstance(address, ArxivAddress):
                yield self._client.paper(address)
