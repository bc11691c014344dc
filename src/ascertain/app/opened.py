"""What is open of one knowledge base: its store and what is kept beside it, shared by all tenants and threads."""

from __future__ import annotations

import math
import shlex
import sys
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, cast

from ascertain.app.chosen_models import ChosenModels, Once
from ascertain.core.asking.runs import Clock
from ascertain.core.errors import AscertainError, EmbeddingMismatch, UsageError
from ascertain.core.settings import Settings
from ascertain.stores.outages import Outage

if TYPE_CHECKING:
    from ascertain.app.embedding_notes import EmbeddingNotes
    from ascertain.core.settings.profiles import Profile
    from ascertain.documents.ingest.topics import ModelTagger
    from ascertain.graph.extraction.ports import Extractor
    from ascertain.graph.knowledge_graph import KnowledgeGraph
    from ascertain.graph.snapshot import Snapshot
    from ascertain.graph.synchronisation import GraphUpkeep
    from ascertain.graph.theme_finding import ThemeFinder
    from ascertain.models.ports import Chat, Embedder
    from ascertain.models.vectors.similarity import SimilarityScale
    from ascertain.models.vectors.vector_file import VectorFile
    from ascertain.stores.home.document_maps import DocumentMaps
    from ascertain.stores.home.figure_descriptions import FigureDescriptions
    from ascertain.stores.ports.chunks import CompleteStore, IngestLog
    from ascertain.stores.ports.conversations import ConversationStore
    from ascertain.stores.ports.graph import GraphStore
    from ascertain.stores.ports.service import ServiceStores

LOOKS_APART = 1.0
"""Seconds between two looks at which model a shared store has vectors of: each takes a connection, and with files not a millisecond."""


class OpenedGraph:
    """Opens each part when it is first needed, under the settings and for the chat model of that moment.

    ``chunks`` gives the documents, and raises UsageError when there is no knowledge base that the graph could belong to.
    """

    def __init__(
        self, settings: Callable[[], Settings], chat: Callable[[], Chat | None], chunks: Callable[[], CompleteStore]
    ) -> None:
        self._settings = settings
        self._chat = chat
        self._chunks = chunks
        self._store = Once(self._open_store)
        self._extractor = Once(self._open_extractor)
        self._upkeep = Once(self._make_upkeep)
        self._knowledge = Once(self._make_knowledge)
        self._outage = Outage()

    @property
    def store(self) -> GraphStore:
        """What documents say; UsageError when there is no knowledge base, StoreError when it cannot be used."""
        return self._store.get()

    @property
    def upkeep(self) -> GraphUpkeep:
        """What keeps the graph in step with the documents; nothing is opened for it yet."""
        return self._upkeep.get()

    @property
    def knowledge(self) -> KnowledgeGraph:
        """What questions and the command line ask."""
        return self._outage.ask(self._knowledge.get)

    @property
    def extractor(self) -> Extractor:
        """What reads documents, whether they are read as they are added or not; raises ConfigurationError."""
        return self._extractor.get()

    def extractor_of_a_run(self) -> Extractor:
        """The same, but for one that costs something and has a budget for each run: that is another one each time."""
        if self._settings().graph.extractor == "model":
            return self._open_extractor()
        return self.extractor

    def forget_extractor(self) -> None:
        """Open what reads documents again when it is needed next, under the settings of then."""
        self._extractor.take()

    def close(self) -> None:
        """Release everything; it is opened again when needed."""
        self._knowledge.take()
        self._upkeep.take()
        self._extractor.take()
        store = self._store.take()
        if store is not None:
            store.close()

    def _open_store(self) -> GraphStore:
        from ascertain.stores.registry import open_graph

        self._chunks()
        settings = self._settings()
        return open_graph(settings.graph, settings.store, settings.home)

    def _make_upkeep(self) -> GraphUpkeep:
        from ascertain.graph.synchronisation import GraphUpkeep

        reads = self._settings().graph.build
        return GraphUpkeep(self._store.get, self.extractor_of_a_run if reads else None, self._forget_copies)

    def _forget_copies(self, tenant: str) -> None:
        self.knowledge.forget(tenant)

    def _make_knowledge(self) -> KnowledgeGraph:
        from ascertain.graph.knowledge_graph import Forgetting, KnowledgeGraph

        settings = self._settings()
        folder = None if settings.store.is_shared else settings.home / "graph"
        return KnowledgeGraph(self.store, folder, Forgetting(self._chunks, self.upkeep))

    def _open_extractor(self) -> Extractor:
        return open_extractor(self._settings(), self._chat())


def open_extractor(settings: Settings, chat: Chat | None) -> Extractor:
    """What reads documents under these settings; raises ConfigurationError and MissingExtra where it cannot be used."""
    from ascertain.graph.extraction.ports import choose_extractor
    from ascertain.models.prompts import Prompts

    prompts = Prompts(settings.home / "prompts")
    profile_of = all_profiles(settings.home).get
    return choose_extractor(settings.graph, profile_of, chat, prompts, settings.models.chat)


def open_tagger(settings: Settings, chat: Chat | None) -> ModelTagger | None:
    """What names topics by chat model, within the budget of reading by chat model; None offline."""
    from ascertain.core.asking.runs import Budget, Run
    from ascertain.documents.ingest.topics import ModelTagger
    from ascertain.models.prompts import Prompts

    if chat is None:
        return None
    graph = settings.graph
    budget = Budget(graph.model_calls, tokens=sys.maxsize, seconds=math.inf, usd=graph.model_budget_usd)
    return ModelTagger(chat, Prompts(settings.home / "prompts"), Run(budget))


def named_homes() -> Path:
    """The folder that knowledge bases with a name are in, one folder each."""
    from platformdirs import user_data_path

    return user_data_path("ascertain", appauthor=False)


def list_named_homes() -> list[Path]:
    """The knowledge bases that have a name."""
    folder = named_homes()
    return sorted(path for path in folder.iterdir() if path.is_dir()) if folder.is_dir() else []


def all_profiles(home: Path) -> dict[str, Profile]:
    """Every profile that a document may have, by name: those built in and those of the home."""
    from ascertain.core.settings.profiles import load_profile, profile_names

    own = home / "profiles"
    return {name: load_profile(name, own) for name in profile_names(own)}


class Opened:
    """Opens the adapters that the settings name, each when it is first needed and once for all threads.

    Looking at documents and numbers never loads a model. What was closed is opened again when it is used again. The
    stores given out have the graph follow them.
    """

    def __init__(self, settings: Settings, clock: Clock, given: Embedder | None) -> None:
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
        self._conversations = Once(self._open_conversations)
        self._service = Once(self._open_service)
        self._log = Once(self._open_log)
        self._maps = Once(self._open_maps)
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
        if self.home == Path(".ascertain"):
            return "add documents first: ascertain add PATH"
        if self.home.parent != named_homes():
            return f"add documents first: ascertain add PATH --home {shlex.quote(str(self.home))}"
        others = [home.name for home in list_named_homes() if home != self.home]
        known = f"; there are {', '.join(others)}" if others else ""
        return f"add documents first: ascertain add PATH --kb {shlex.quote(self.home.name)}{known}"

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

    def conversations(self) -> ConversationStore:
        """The conversations kept here; UsageError when there is no knowledge base."""
        return self._conversations.get()

    def service(self) -> ServiceStores:
        """What a service keeps beside documents and conversations; a home is begun for it where there is none."""
        return self._service.get()

    def begin_question(self) -> None:
        """A question is answered in this thread from documents as they are now on."""
        if self._vector_file is not None:
            self._vector_file.begin_question()

    def ingest_log(self) -> IngestLog:
        """The log of what is added; UsageError when there is no knowledge base."""
        return self._log.get()

    @property
    def figure_descriptions(self) -> FigureDescriptions:
        """What was written of pictures; deletions in a shared store are not noticed here: then nothing is stored."""
        from ascertain.stores.home.figure_descriptions import FigureDescriptions

        return FigureDescriptions(None if self.settings.store.is_shared else self.home)

    def document_maps(self) -> DocumentMaps:
        """What is kept of documents that were analysed."""
        return self._maps.get()

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

    def adopt(self, settings: Settings) -> None:
        """Go on with other settings of answers and chat models; store and embedding model stay open, work under way goes on with what it has."""
        with self._lock:
            self.settings = settings
        self.models.adopt(settings.models)
        self.graph.forget_extractor()

    def theme_finder(self) -> ThemeFinder:
        """What finds the themes of the documents; kept with the store, since to find them takes seconds."""
        from ascertain.graph.theme_finding import ThemeFinder

        store = self.store()
        with self._lock:
            if self._theme_finder is None or self._theme_finder[0] is not store:
                finder = ThemeFinder(
                    self._open_snapshot, store, lambda: self.models.asking_embedder, self.similarity_scale
                )
                self._theme_finder = store, finder
            return self._theme_finder[1]

    def close(self) -> None:
        """Release files and models; they are opened again when needed. Work of other threads under way fails with StoreError."""
        with self._lock:
            self._close_store()
        # never under the lock: opening these takes it in their turn
        for part in (self._conversations.take(), self._service.take(), self._log.take(), self._maps.take()):
            if part is not None:
                part.close()
        self.graph.close()
        self.models.release()
        self._recognised = ""
        if self._vector_file is not None:
            self._vector_file.close()

    def _open_notes(self) -> EmbeddingNotes:
        from ascertain.app.embedding_notes import EmbeddingNotes

        return EmbeddingNotes(self.home)

    def _open_snapshot(self, tenant: str) -> Snapshot:
        # what gives snapshots is another one after a close
        return self.graph.knowledge.snapshot(tenant)

    def _follow_store(self, store: CompleteStore) -> CompleteStore:
        from ascertain.graph.synchronisation import FollowedStore
        from ascertain.stores.home.document_maps import forget_with
        from ascertain.stores.ports.chunks import ModelReading

        self._read_model = store.read_model if isinstance(store, ModelReading) else None
        forgetting = None if self._vector_file is None else self._vector_file.forgetting
        forgetful = forget_with(forget_with(store, self.document_maps()), self.figure_descriptions)
        return cast("CompleteStore", FollowedStore(forgetful, self.graph.upkeep, forgetting))

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

    def _open_maps(self) -> DocumentMaps:
        from ascertain.stores.home.document_maps import DocumentMaps

        # replicas of a shared store would not hear of what another one deletes
        return DocumentMaps(None if self.settings.store.is_shared else self.home)

    def _refuse_a_file(self) -> None:
        if self.home.exists() and not self.home.is_dir():
            raise UsageError(f"{self.home} is a file; --home takes the folder of a knowledge base")
