"""What is open of one knowledge base: its store and what is kept beside it, shared by all tenants and threads."""

from __future__ import annotations

import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ascertain.app.chosen_models import ChosenModels
from ascertain.app.once import Once
from ascertain.app.opened_graph import OpenedGraph
from ascertain.core.clock import Clock
from ascertain.core.errors import EmbeddingMismatch, UsageError
from ascertain.core.settings import Settings

if TYPE_CHECKING:
    from ascertain.graph.snapshot import Snapshot
    from ascertain.graph.surveying import Surveyor
    from ascertain.models.ports import Embedder
    from ascertain.stores.conversations import ConversationStore
    from ascertain.stores.ports import CompleteStore
    from ascertain.stores.progress import IngestLog
    from ascertain.stores.service.stores import ServiceStores


class Opened:
    """Opens the adapters that the settings name, each when it is first needed and once for all threads.

    Looking at documents and numbers never loads a model. What was closed is opened again when it is used again. The stores given out have
    the graph follow them.
    """

    def __init__(self, settings: Settings, clock: Clock, given: Embedder | None) -> None:
        self.settings = settings
        self.clock = clock
        self.models = ChosenModels(settings.models, given)
        self._lock = threading.RLock()
        self._store: tuple[CompleteStore, tuple[str, int]] | None = None
        self._surveyor: tuple[CompleteStore, Surveyor] | None = None
        self._refused: tuple[tuple[str, int], EmbeddingMismatch] | None = None
        self._conversations = Once(self._open_conversations)
        self._service = Once(self._open_service)
        self._log = Once(self._open_log)
        self.graph = OpenedGraph(lambda: self.settings, lambda: self.models.chat, self.store)

    @property
    def home(self) -> Path:
        """Folder of the knowledge base."""
        return self.settings.home

    @property
    def place(self) -> str:
        """Where the knowledge base is: its home, or the address on a server without secrets."""
        from ascertain.app.store_addresses import place_of

        return place_of(self.settings.store, self.home)

    @property
    def how_to_add(self) -> str:
        """The command that fills this knowledge base."""
        home = "" if self.home == Path(".ascertain") else f" --home {self.home}"
        return f"add some first: ascertain add PATH{home}"

    @property
    def is_there(self) -> bool:
        """Whether there is a knowledge base."""
        from ascertain.stores.registry import embedding_of

        return self._store is not None or embedding_of(self.settings.store, self.home) is not None

    def store(self) -> CompleteStore:
        """The store as it was built, whatever the settings' model is; UsageError when there is none."""
        from ascertain.stores.registry import embedding_of, open_store

        with self._lock:
            if self._store is None:
                self._refuse_a_file()
                built_with = embedding_of(self.settings.store, self.home)
                if built_with is None:
                    raise UsageError(f"there is no knowledge base in {self.place}; {self.how_to_add}")
                opened = open_store(self.settings.store, self.home, *built_with, create=False)
                self._store = self._followed(opened), built_with
            return self._store[0]

    def store_for_vectors(self, create: bool = False) -> CompleteStore:
        """The store, sure to hold vectors of the settings' model; EmbeddingMismatch when it does not."""
        from ascertain.stores.registry import open_store

        embedder = self.models.embedder
        model = (embedder.name, embedder.dimension)
        with self._lock:
            if self._store is not None and self._store[1] == model:
                return self._store[0]
            self._refuse_a_file()
            with self._remembered_refusal():
                self._close_store()
                opened = self._followed(open_store(self.settings.store, self.home, *model, create=create))
                self._store = opened, model
            return opened

    def conversations(self) -> ConversationStore:
        """The conversations kept here; UsageError when there is no knowledge base."""
        return self._conversations.get()

    def service(self) -> ServiceStores:
        """What a service keeps beside documents and conversations; a home is begun for it where there is none."""
        return self._service.get()

    def ingest_log(self) -> IngestLog:
        """The log of what is added; UsageError when there is no knowledge base."""
        return self._log.get()

    def change(self, settings: Settings, embedder: Embedder) -> None:
        """Go on with other settings and another embedding model; everything is opened anew."""
        self.close()
        with self._lock:
            self._close_store()
            self.settings = settings
            self.models = ChosenModels(settings.models, embedder)
            self._refused = None

    def surveyor(self) -> Surveyor:
        """What finds the themes of the documents; kept with the store, since to find them takes seconds."""
        from ascertain.graph.surveying import Surveyor

        store = self.store()
        with self._lock:
            if self._surveyor is None or self._surveyor[0] is not store:
                self._surveyor = store, Surveyor(self._snapshot, store, lambda: self.models.asking_embedder)
            return self._surveyor[1]

    def close(self) -> None:
        """Release the files; they are opened again when needed. Work of other threads that is under way fails with StoreError."""
        with self._lock:
            self._close_store()
        # never under the lock: opening these takes it in their turn
        for part in (self._conversations.take(), self._service.take(), self._log.take()):
            if part is not None:
                part.close()
        self.graph.close()

    def _snapshot(self, tenant: str) -> Snapshot:
        # what gives snapshots is another one after a close
        return self.graph.knowledge.snapshot(tenant)

    def _followed(self, store: CompleteStore) -> CompleteStore:
        from ascertain.graph.following import follow_store

        return follow_store(store, self.graph.upkeep)

    def _close_store(self) -> None:
        store, self._store = self._store, None
        self._surveyor = None
        if store is not None:
            store[0].close()

    @contextmanager
    def _remembered_refusal(self) -> Generator[None]:
        """A store of another model stays open for those who only look at it, however often somebody wants to search it."""
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

    def _open_conversations(self) -> ConversationStore:
        from ascertain.stores.registry import open_conversations

        self.store()
        return open_conversations(self.settings.store, self.home)

    def _open_service(self) -> ServiceStores:
        from ascertain.stores.registry import open_service

        self._refuse_a_file()
        return open_service(self.settings.store, self.home)

    def _open_log(self) -> IngestLog:
        from ascertain.stores.registry import open_ingest_log

        self.store()
        return open_ingest_log(self.settings.store, self.home)

    def _refuse_a_file(self) -> None:
        if self.home.exists() and not self.home.is_dir():
            raise UsageError(f"{self.home} is a file; --home names the folder of a knowledge base")
