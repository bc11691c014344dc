"""What a tenant has: its documents, their numbers, and how they came."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ascertain.app.knowledge_base import KnowledgeBase
from ascertain.app.visibility import of_tenant
from ascertain.core.documents import Document, DocumentRecord
from ascertain.core.errors import ConfigurationError, MissingExtra, StoreError, UsageError
from ascertain.core.filters import Filter

if TYPE_CHECKING:
    from ascertain.stores.graph_ports import GraphCounts
    from ascertain.stores.ports import StoreStats
    from ascertain.stores.progress import IngestRun


class Holdings(KnowledgeBase):
    """The documents of one tenant."""

    def check_ready(self) -> None:
        """Raise UsageError when there is nothing to ask yet."""
        if self.count() == 0:
            raise UsageError(
                f"the knowledge base in {self.place} has no documents yet; {self._opened.how_to_add}"
            )

    def document(self, document_id: str) -> Document | None:
        """A document with its text; None when there is none of this id."""
        found = self._opened.store().document(document_id)
        return found if found is not None and found.tenant == self.tenant else None

    def documents(self, filter: Filter = Filter()) -> list[DocumentRecord]:
        """What is known of each document, failed ones included, in order of source."""
        return self._opened.store().documents(of_tenant(filter, self.tenant))

    def delete(self, filter: Filter) -> int:
        """Delete the documents that ``filter`` selects; how many there were."""
        from ascertain.app.uploads import delete_with_files

        with self._parts.changing():
            return delete_with_files(self, self._opened.store(), of_tenant(filter, self.tenant))

    def stats(self) -> StoreStats:
        """Counts, sizes and the model the knowledge base was built with."""
        return self._opened.store().stats(self.tenant)

    def graph_counts(self) -> GraphCounts | None:
        """How much the knowledge graph holds; None when it cannot be read, which ``check_graph`` says more of."""
        try:
            return self._opened.graph.store.counts(self.tenant)
        except (StoreError, ConfigurationError, MissingExtra):
            return None

    def ingest_runs(self) -> list[IngestRun]:
        """The latest runs that added documents, on whichever machine, last started first."""
        return self._opened.ingest_log().runs(self.tenant)

    def count(self) -> int:
        """How many searchable chunks there are; the cheapest request to the store."""
        return self._opened.store().count(self.tenant)
