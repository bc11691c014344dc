"""The parts of one knowledge base, each opened when it is first needed."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ascertain.core.clock import Clock
from ascertain.core.errors import UsageError
from ascertain.core.profiles import Profile, load_profile, profile_names
from ascertain.core.settings import Settings

if TYPE_CHECKING:
    from ascertain.app.adding import Adding
    from ascertain.app.asking import Asking
    from ascertain.models.ports import Embedder
    from ascertain.retrieval.search import Searcher, SearchResult
    from ascertain.stores.conversations import ConversationStore
    from ascertain.stores.ports import ChunkStore, StoreStats
    from ascertain.stores.progress import IngestRun
    from ascertain.workflow.ask.steps import Steps


class Parts:
    """Chooses the adapters that the settings name; looking at documents and numbers never loads a model."""

    def __init__(self, settings: Settings, clock: Clock, embedder: Embedder | None) -> None:
        self.settings = settings
        self._clock = clock
        self._given_embedder = embedder
        self._opened: ChunkStore | None = None
        self._built_with: tuple[str, int] | None = None
        self._conversations: ConversationStore | None = None

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

    @cached_property
    def embedder(self) -> Embedder:
        """The embedding model of the settings."""
        from ascertain.models.registry import open_embedder

        return self._given_embedder or open_embedder(self.settings.models)

    def store(self) -> ChunkStore:
        """The store as it was built, whatever the settings' model is; UsageError when there is none."""
        from ascertain.stores.registry import embedding_of, open_store

        if self._opened is None:
            self._refuse_a_file()
            built_with = embedding_of(self.settings.store, self.home)
            if built_with is None:
                raise UsageError(f"there is no knowledge base in {self.place}; {self.how_to_add}")
            self._opened = open_store(self.settings.store, self.home, *built_with, create=False)
            self._built_with = built_with
        return self._opened

    def store_for_vectors(self, create: bool = False) -> ChunkStore:
        """The store, sure to hold vectors of the settings' model; EmbeddingMismatch when it does not."""
        from ascertain.stores.registry import open_store

        model = (self.embedder.name, self.embedder.dimension)
        if self._opened is not None and self._built_with == model:
            return self._opened
        self._refuse_a_file()
        self.close()
        self._opened = open_store(self.settings.store, self.home, *model, create=create)
        self._built_with = model
        return self._opened

    @cached_property
    def adding(self) -> Adding:
        """What puts documents into the store; sets up the knowledge base when there is none."""
        from ascertain.app.adding import Adding

        return Adding(
            self.settings,
            lambda: self.store_for_vectors(create=True),
            lambda: self.embedder,
            self._given_embedder,
        )

    @cached_property
    def searcher(self) -> Searcher:
        """What finds passages, with the profiles in play."""
        from ascertain.retrieval.search import Searcher

        store = self.store_for_vectors()
        return Searcher(store, self.embedder, self.settings.retrieval, self._profiles, self._clock)

    @cached_property
    def steps(self) -> Steps:
        """What the ask workflow runs on."""
        from ascertain.app.steps import Surroundings, build_steps

        return build_steps(
            Surroundings(
                store=self.store_for_vectors(),
                embedder=self.embedder,
                searcher=self.searcher,
                profiles=self._profiles,
                documents=self._stats.documents,
                clock=self._clock,
                settings=self.settings,
            )
        )

    @cached_property
    def asking(self) -> Asking:
        """What answers questions."""
        from ascertain.app.asking import Asking

        return Asking(self.settings, self._clock, lambda: self.steps, self.conversations)

    def conversations(self) -> ConversationStore:
        """The conversations kept here; UsageError when there is no knowledge base."""
        from ascertain.stores.registry import open_conversations

        if self._conversations is None:
            self.store()
            kept = self.settings.workflow.kept_turns
            self._conversations = open_conversations(self.settings.store, self.home, kept_turns=kept)
        return self._conversations

    def ingest_runs(self) -> list[IngestRun]:
        """The latest runs of an ingest, last started first; UsageError when there is no knowledge base."""
        from ascertain.stores.registry import open_ingest_log

        self.store()
        with closing(open_ingest_log(self.settings.store, self.home)) as log:
            return log.runs()

    def widened(self, found: SearchResult, context: Literal["none", "neighbours", "parents"]) -> SearchResult:
        """``found`` with the text around its passages."""
        from ascertain.retrieval.evidence import with_context

        settings = self.settings.retrieval.model_copy(update={"context": context})
        return replace(found, passages=tuple(with_context(self.store(), found.passages, settings)))

    def profile(self, name: str) -> Profile:
        """A built-in profile or one of the home's; ConfigurationError names the nearest."""
        return load_profile(name, self.home / "profiles")

    def content_changed(self) -> None:
        """Forget what was derived from the documents that were there."""
        for part in ("searcher", "steps", "_profiles", "_stats"):
            self.__dict__.pop(part, None)

    def close(self) -> None:
        """Release the files; they are opened again when needed."""
        if self._opened is not None:
            self._opened.close()
            self._opened = None
        if self._conversations is not None:
            self._conversations.close()
            self._conversations = None
        self.content_changed()

    @cached_property
    def _profiles(self) -> list[Profile]:
        """The configured profile first, then those of the stored documents: whose slang a question may use."""
        names = dict.fromkeys((self.settings.profile, *sorted(self._stats.by_profile)))
        known = set(profile_names(self.home / "profiles"))
        return [self.profile(name) for name in names if name in known]

    @cached_property
    def _stats(self) -> StoreStats:
        return self.store().stats()

    def _refuse_a_file(self) -> None:
        if self.home.exists() and not self.home.is_dir():
            raise UsageError(f"{self.home} is a file; --home names the folder of a knowledge base")
