"""What is open of one knowledge base, shared by all tenants and threads: its stores, what is stored beside them, and the models."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, cast

from ascertain.app.container.chosen_models import ChosenModels
from ascertain.app.container.opening import opened_once, release_opened
from ascertain.app.container.store_addresses import place_of, word_adding
from ascertain.core.asking.runs import Clock
from ascertain.core.errors import AscertainError, EmbeddingMismatch, UsageError
from ascertain.core.settings import Settings
from ascertain.stores.outages import Outage

if TYPE_CHECKING:
    from ascertain.app.container.embedding_notes import EmbeddingNotes
    from ascertain.app.container.tenant_view import TenantView
    from ascertain.core.service.status import StoreStats
    from ascertain.graph.extraction.ports import Extractor
    from ascertain.graph.knowledge_graph import KnowledgeGraph
    from ascertain.graph.snapshot import Snapshot
    from ascertain.graph.synchronisation import GraphUpkeep
    from ascertain.graph.theme_finding import ThemeFinder
    from ascertain.models.ports import Embedder
    from ascertain.models.vectors.similarity import SimilarityScale
    from ascertain.models.vectors.vector_file import VectorFile
    from ascertain.stores.home.document_maps import DocumentMaps
    from ascertain.stores.home.figure_descriptions import FigureDescriptions
    from ascertain.stores.ports.chunks import CompleteStore, IngestLog
    from ascertain.stores.ports.conversations import ConversationStore
    from ascertain.stores.ports.graph import GraphStore
    from ascertain.stores.ports.service import ServiceStores
    from ascertain.workflow.ask.steps import Steps

LOOKS_APART = 1.0
"""Seconds between two looks at which model a shared store has vectors of: each takes a connection, and with files not a millisecond."""
MOST_TENANTS = 100
"""Tenants whose views are in memory, those used last; a few megabytes each at most."""


class Container:
    """Opens the adapters that the settings name, each when it is first needed and once for all threads.

    Looking at documents and numbers never loads a model. What was closed is opened again when it is used again. The
    stores given out have the graph follow them.
    """

    def __init__(self, settings: Settings, clock: Clock, given: Embedder | None = None) -> None:
        self.settings = settings
        self.clock = clock
        self._vector_file = self._locate_vector_file()
        self.models = ChosenModels(settings.models, given, self._vector_file)
        self._lock = threading.RLock()
        self._recognised = ""
        self._store: tuple[CompleteStore, tuple[str, int]] | None = None
        self._read_model: Callable[[], tuple[str, int] | None] | None = None
        self._theme_finder: tuple[CompleteStore, ThemeFinder] | None = None
        self._refused: tuple[tuple[str, int], EmbeddingMismatch] | None = None
        self._looked_at = 0.0
        self._graph_outage = Outage()
        self._views: dict[str, TenantView] = {}
        self._versions: dict[str, int] = {}
        self._viewing = threading.Lock()

    @property
    def home(self) -> Path:
        """Folder of the knowledge base."""
        return self.settings.home

    @property
    def place(self) -> str:
        """Where the knowledge base is: its home, or the address on a server without secrets."""
        return place_of(self.settings.store, self.home)

    @property
    def is_there(self) -> bool:
        """Whether there is a knowledge base."""
        from ascertain.stores.registry import embedding_of

        return self._store is not None or embedding_of(self.settings.store, self.home) is not None

    def set_up(self) -> None:
        """Create an empty knowledge base if there is none."""
        if not self.is_there:
            self.store_for_vectors(create=True)

    def check_ready(self, tenant: str) -> None:
        """Raise UsageError when a tenant has no documents yet."""
        if self.store().count(tenant) == 0:
            raise UsageError(f"the knowledge base in {self.place} has no documents yet; {word_adding(self.home)}")

    def store(self) -> CompleteStore:
        """The store as it was built, whatever the settings' model is; UsageError when there is none."""
        from ascertain.stores.registry import embedding_of, open_store

        with self._lock:
            if self._store is None:
                self._refuse_a_file()
                built_with = embedding_of(self.settings.store, self.home)
                if built_with is None:
                    raise UsageError(f"there is no knowledge base in {self.place}; {word_adding(self.home)}")
                opened = open_store(self.settings.store, self.home, *built_with, create=False)
                self._store = self._follow_store(opened), built_with
            return self._store[0]

    def store_for_vectors(self, create: bool = False) -> CompleteStore:
        """The store, sure to hold vectors of the settings' model; EmbeddingMismatch when it does not."""
        from ascertain.stores.registry import open_store

        embedder = self.models.embedder
        model = (embedder.name, embedder.dimension)
        if self._recognised != embedder.name and self.is_there:
            self._open_notes().recognise(embedder)
            self._open_notes().keep_value(embedder.name, self.settings.models.embedder)
            self._recognised = embedder.name
        with self._lock:
            if self._store is not None and self._store[1] == model:
                return self._store[0]
            self._refuse_a_file()
            with self._remember_refusal():
                self._close_store()
                opened = self._follow_store(open_store(self.settings.store, self.home, *model, create=create))
                self._store = opened, model
            return opened

    def store_for_search(self) -> CompleteStore:
        """The store, with ``models.asking_embedder`` the model of its vectors: between setting another model and ``reindex`` that is
        the one before, where it can still be opened; else EmbeddingMismatch.
        """
        self._let_go_of_moved_store()
        try:
            store = self.store_for_vectors()
        except EmbeddingMismatch:
            if not self.models.is_searching_with_another and not self._search_with_stored():
                raise
            return self.store()
        if self.models.is_searching_with_another:
            self.models.search_with(None)
        return store

    def searched_model(self) -> str:
        """The name of the model that the vectors are of which a search looks through now; UsageError when there are none."""
        self._let_go_of_moved_store()
        self.store()
        return self._store[1][0] if self._store else ""

    def _let_go_of_moved_store(self) -> None:
        """Close the store where another process has moved it to another model: every search would be refused."""
        from ascertain.stores.registry import embedding_of

        opened, now = self._store, time.monotonic()
        if opened is None or (self.settings.store.is_shared and now - self._looked_at < LOOKS_APART):
            return
        self._looked_at = now
        read = self._read_model
        found = read() if read is not None else embedding_of(self.settings.store, self.home)
        if found not in {None, opened[1]}:
            self.models.search_with(None)
            with self._lock:
                if self._store is opened:
                    self._close_store()

    def _search_with_stored(self) -> bool:
        """Let questions be embedded by the model that the vectors are of; False where it cannot be opened."""
        from ascertain.models.registry import open_embedder
        from ascertain.stores.registry import embedding_of

        built_with = embedding_of(self.settings.store, self.home)
        if built_with is None or built_with[0] == self.models.embedder.name:
            return False
        value = self._open_notes().find_value(built_with[0])
        try:
            stored = open_embedder(self.settings.models.model_copy(update={"embedder": value}))
            if (stored.name, stored.dimension) != built_with:
                return False
        except AscertainError:
            return False
        self.models.search_with(stored)
        return True

    def similarity_scale(self) -> SimilarityScale:
        """What brings the cosines of the embedding model onto the scale that weights and floors were fitted to."""
        return self._open_notes().choose_scale(self.models.asking_embedder, self.store())

    def expect_embedder(self, embedder: Embedder, value: str) -> None:
        """Before all vectors are computed with another model: what was known of one of its name is forgotten. Of the same model
        EmbeddingMismatch is raised where the server has another under its name.
        """
        from ascertain.stores.registry import embedding_of

        built_with = embedding_of(self.settings.store, self.home)
        if built_with is not None and built_with[0] == embedder.name:
            self._open_notes().recognise(embedder)
        else:
            self._open_notes().forget(embedder.name)
        self._open_notes().keep_value(embedder.name, value)

    @opened_once
    def conversations(self) -> ConversationStore:
        """The conversations kept here; UsageError when there is no knowledge base."""
        from ascertain.stores.registry import open_conversations

        self.store()
        return open_conversations(self.settings.store, self.home)

    @opened_once
    def service(self) -> ServiceStores:
        """What a service keeps beside documents and conversations, for every tenant; a home is begun for it where there is none."""
        from ascertain.stores.registry import open_service

        self._refuse_a_file()
        return open_service(self.settings.store, self.home)

    @opened_once
    def ingest_log(self) -> IngestLog:
        """The log of what is added; UsageError when there is no knowledge base."""
        from ascertain.stores.registry import open_ingest_log

        self.store()
        return open_ingest_log(self.settings.store, self.home)

    @opened_once
    def document_maps(self) -> DocumentMaps:
        """What is kept of documents that were analysed."""
        from ascertain.stores.home.document_maps import DocumentMaps

        # replicas of a shared store would not hear of what another one deletes
        return DocumentMaps(None if self.settings.store.is_shared else self.home)

    @property
    def figure_descriptions(self) -> FigureDescriptions:
        """What was written of pictures; deletions in a shared store are not noticed here: then nothing is stored."""
        from ascertain.stores.home.figure_descriptions import FigureDescriptions

        return FigureDescriptions(None if self.settings.store.is_shared else self.home)

    @opened_once
    def graph_store(self) -> GraphStore:
        """What documents say; UsageError when there is no knowledge base, StoreError when it cannot be used."""
        from ascertain.stores.registry import open_graph

        self.store()
        return open_graph(self.settings.graph, self.settings.store, self.home)

    @opened_once
    def graph_upkeep(self) -> GraphUpkeep:
        """What keeps the graph in step with the documents; nothing is opened for it yet."""
        from ascertain.graph.synchronisation import GraphUpkeep

        reads = self.settings.graph.build
        return GraphUpkeep(lambda: self.graph_store, self.extractor_of_a_run if reads else None, self._forget_copies)

    @property
    def knowledge_graph(self) -> KnowledgeGraph:
        """What questions and the command line ask; of a store that is away one wait is enough."""
        return self._graph_outage.ask(lambda: self._knowledge_graph)

    @opened_once
    def _knowledge_graph(self) -> KnowledgeGraph:
        from ascertain.graph.knowledge_graph import Forgetting, KnowledgeGraph

        folder = None if self.settings.store.is_shared else self.home / "graph"
        return KnowledgeGraph(self.graph_store, folder, Forgetting(self.store, self.graph_upkeep))

    def _forget_copies(self, tenant: str) -> None:
        self.knowledge_graph.forget(tenant)

    @opened_once
    def extractor(self) -> Extractor:
        """What reads the graph out of documents, whether they are read as they are added or not; raises ConfigurationError."""
        return self._open_extractor()

    def extractor_of_a_run(self) -> Extractor:
        """The same, but for one that costs something and has a budget for each run: that is another one each time."""
        return self._open_extractor() if self.settings.graph.extractor == "model" else self.extractor

    def _open_extractor(self) -> Extractor:
        from ascertain.core.settings.profiles import load_profiles
        from ascertain.graph.extraction.choosing import choose_extractor
        from ascertain.models.prompts import Prompts

        settings = self.settings
        prompts, profiles = Prompts(self.home / "prompts"), load_profiles(self.home / "profiles")
        return choose_extractor(settings.graph, profiles.get, self.models.chat, prompts, prices=settings.models.chat)

    def theme_finder(self) -> ThemeFinder:
        """What finds the themes of the documents; kept with the store, since to find them takes seconds."""
        from ascertain.graph.theme_finding import ThemeFinder

        def open_snapshot(tenant: str) -> Snapshot:
            # what gives snapshots is another one after a close
            return self.knowledge_graph.snapshot(tenant)

        store = self.store()
        with self._lock:
            if self._theme_finder is None or self._theme_finder[0] is not store:
                finder = ThemeFinder(open_snapshot, store, lambda: self.models.asking_embedder, self.similarity_scale)
                self._theme_finder = store, finder
            return self._theme_finder[1]

    def view(self, tenant: str) -> TenantView:
        """What is derived from the documents of a tenant as they are now, or were a moment ago."""
        store = self.store_for_search()
        chunks = store.count(tenant)
        with self._viewing:
            version, view = self._versions.get(tenant, 0), self._views.pop(tenant, None)
            if view is not None:
                self._views[tenant] = view  # the one used last is the last to go
        if view is not None and view.is_current(store, chunks, version):
            return view
        # several threads may do this at once; each is right, and the last one's is kept
        view = self._derive_view(store, store.stats(tenant), view)
        view.note_state(chunks, version)
        with self._viewing:
            self._views[tenant] = view
            if len(self._views) > MOST_TENANTS:
                del self._views[next(iter(self._views))]
        return view

    def _derive_view(self, store: CompleteStore, stats: StoreStats, before: TenantView | None) -> TenantView:
        from ascertain.app.container.tenant_view import TenantView

        if before is not None and before.store is store and before.stats == stats:
            return before
        return TenantView(
            store,
            stats,
            settings=self.settings,
            clock=self.clock,
            models=self.models,
            scale=self.similarity_scale(),
            open_graph=lambda: self.knowledge_graph,
            open_maps=lambda: self.document_maps,
            build_steps=_build_steps,
        )

    @contextmanager
    def changing(self, tenant: str) -> Generator[None]:
        """Documents of a tenant are changed in the context; later questions see what is derived from the new ones."""
        try:
            yield
        finally:
            with self._viewing:
                self._versions[tenant] = self._versions.get(tenant, 0) + 1

    def forget_views(self) -> None:
        """Drop what was derived of the documents, with the models it holds; questions under way go on with what they have."""
        with self._viewing:
            views, self._views = self._views, {}
        for view in views.values():
            view.release()

    def begin_question(self) -> None:
        """A question is answered in this thread from documents as they are now on."""
        if self._vector_file is not None:
            self._vector_file.begin_question()

    def change(self, settings: Settings, embedder: Embedder) -> None:
        """Go on with other settings and another embedding model; everything is reopened."""
        self.close()
        with self._lock:
            self._close_store()
            self.settings = settings
            self._vector_file = self._locate_vector_file()
            self.models = ChosenModels(settings.models, embedder, self._vector_file)
            self._refused = None

    def follow_move(self, settings: Settings, embedder: Embedder) -> None:
        """Go on with other settings and with the embedding model that the open store was moved to; nothing is closed."""
        with self._lock:
            if self._store is not None:
                self._store = self._store[0], (embedder.name, embedder.dimension)
            self._theme_finder = None
            self._refused = None
            self.settings = settings
            # who holds the one before goes on with it to the end of the question in hand
            self.models = ChosenModels(settings.models, embedder, self._vector_file)
        self.forget_views()

    def adopt(self, settings: Settings) -> None:
        """Go on with other settings of answers and chat models; store and embedding model stay open, work under way goes on with what it has."""
        with self._lock:
            self.settings = settings
        self.models.adopt(settings.models)
        release_opened(self, "extractor")
        self.forget_views()

    def close(self) -> None:
        """Release files and models, what was opened last first; they are opened again when needed. Work of other threads under way fails
        with StoreError.
        """
        with ExitStack() as closing:
            if self._vector_file is not None:
                closing.callback(self._vector_file.close)
            closing.callback(self.models.release)
            # never under the lock: opening these takes it in their turn
            for part in release_opened(self):
                if (close := getattr(part, "close", None)) is not None:
                    closing.callback(close)
            with self._lock:
                self._close_store()
            self.forget_views()
        self._recognised = ""

    def _open_notes(self) -> EmbeddingNotes:
        from ascertain.app.container.embedding_notes import EmbeddingNotes

        return EmbeddingNotes(self.home)

    def _follow_store(self, store: CompleteStore) -> CompleteStore:
        from ascertain.graph.synchronisation import FollowedStore
        from ascertain.stores.home.document_maps import forget_with
        from ascertain.stores.ports.chunks import ModelReading

        self._read_model = store.read_model if isinstance(store, ModelReading) else None
        forgetting = None if self._vector_file is None else self._vector_file.forgetting
        forgetful = forget_with(store, self.document_maps, self.figure_descriptions)
        return cast("CompleteStore", FollowedStore(forgetful, self.graph_upkeep, forgetting))

    def _locate_vector_file(self) -> VectorFile | None:
        """Deletions in a shared store are not noticed here: then vectors stay in memory."""
        from ascertain.models.vectors.vector_file import VectorFile

        return None if self.settings.store.is_shared else VectorFile(self.home / "sentences.sqlite3")

    def _close_store(self) -> None:
        store, self._store = self._store, None
        self._theme_finder = None
        if store is not None:
            store[0].close()

    @contextmanager
    def _remember_refusal(self) -> Generator[None]:
        """A store of another model stays open for those who only look, however often somebody wants to search it."""
        from ascertain.stores.registry import embedding_of

        built_with = embedding_of(self.settings.store, self.home) if self._refused else None
        if self._refused and built_with == self._refused[0]:
            raise EmbeddingMismatch(str(self._refused[1]))
        self._refused = None
        try:
            yield
        except EmbeddingMismatch as error:
            found = embedding_of(self.settings.store, self.home)
            if found is not None:
                self._refused = found, error
            raise

    def _refuse_a_file(self) -> None:
        if self.home.exists() and not self.home.is_dir():
            raise UsageError(f"{self.home} is a file; --home takes the folder of a knowledge base")


def _build_steps(view: TenantView) -> Steps:
    from ascertain.app.asking.steps import build_steps

    return build_steps(view)
