"""A knowledge base as a whole, whoever its documents belong to: opening, closing, upkeep."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Self

from ascertain.app.parts import Tenants
from ascertain.core.settings import Settings

if TYPE_CHECKING:
    from ascertain.app.reindexing import ReindexListener
    from ascertain.models.ports import Embedder
    from ascertain.stores.ports import HealthReport
    from ascertain.stores.schema import SchemaChange
    from ascertain.stores.service.stores import ServiceStores


class KnowledgeBase:
    """What is the same for every tenant; ``Ascertain`` adds what one of them sees."""

    def __init__(self, tenants: Tenants, tenant: str) -> None:
        self._tenants = tenants
        self._opened = tenants.opened
        self._parts = tenants.parts(tenant)
        self._is_first = True

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def tenant(self) -> str:
        """Whose documents and conversations are seen."""
        return self._parts.tenant

    @property
    def settings(self) -> Settings:
        """The settings in force."""
        return self._opened.settings

    @property
    def embedder(self) -> Embedder:
        """The embedding model of the settings; loaded when first asked for."""
        return self._opened.models.embedder

    @property
    def service(self) -> ServiceStores:
        """What a service keeps beside documents and conversations, of every tenant; opened when first used, also before the first
        document is there.
        """
        return self._opened.service()

    @property
    def exists(self) -> bool:
        """Whether there is a knowledge base; the first ``add`` makes one."""
        return self._opened.is_there

    @property
    def place(self) -> str:
        """Where the knowledge base is: its home, or the address on a server without secrets."""
        return self._opened.place

    def set_up(self) -> None:
        """Make the knowledge base, empty, where there is none; what a service keeps needs one before the first document comes."""
        if not self._opened.is_there:
            self._opened.store_for_vectors(create=True)

    def upgrade(self) -> SchemaChange:
        """Bring the store's schema up to this version of the program; an empty server is set up."""
        from ascertain.stores.registry import upgrade_schema

        self._opened.close()
        return upgrade_schema(self.settings.store, self._opened.home)

    def pending_upgrade(self) -> SchemaChange:
        """What ``upgrade`` would do, without doing it."""
        from ascertain.stores.registry import pending_schema

        return pending_schema(self.settings.store, self._opened.home)

    def check(self, repair: bool = False) -> HealthReport:
        """Look for damage in the store of all tenants; with ``repair`` rebuild what is wrong."""
        return self._opened.store().check(repair)

    def check_graph(self) -> HealthReport:
        """Look for damage in the knowledge graph of all tenants, and for documents of this one that it lacks."""
        from ascertain.graph.catching_up import difference
        from ascertain.graph.extraction.registry import extractor_note
        from ascertain.stores.ports import HealthReport

        graph = self._opened.graph
        report = graph.store.check()
        behind = difference(self._opened.store(), graph.upkeep, self.tenant).behind
        late = {"graph behind": f"{behind:,} documents: run `ascertain graph build`"} if behind else {}
        how = {"names are read by": extractor_note(self.settings.graph)}
        return HealthReport(report.problems, {**report.facts, **how, **late})

    def reindex(self, model: str | None = None, listener: ReindexListener | None = None) -> int:
        """Compute every vector anew with ``model`` (by default the one of the settings); how many chunks there were.

        Searches go on with the old vectors until the last new one is written. Interrupted, the same call continues.
        From then on ``models.embedder`` must name the new model.
        """
        from ascertain.app.reindexing import reindex
        from ascertain.models.registry import open_embedder

        models = self.settings.models
        named = models.model_copy(update={"embedder": model}) if model else models
        embedder = open_embedder(named)
        done = reindex(self._opened.store(), embedder, self.settings.ingest.embed_batch, listener)
        self._opened.change(self.settings.model_copy(update={"models": named}), embedder)
        return done

    def close(self) -> None:
        """Release the files; the instance opens them again when used again.

        One that ``as_tenant`` gave has nothing of its own to release: what it uses is closed with the first.
        """
        if self._is_first:
            self._opened.close()
