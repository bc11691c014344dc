"""``Ascertain``: builds every part from the settings, once it is needed, and hands questions and documents to them.

The only place that knows which adapters are used.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from ascertain.core.answers import Answer
from ascertain.core.clock import Clock, FixedClock, SystemClock
from ascertain.core.documents import Document, DocumentRecord
from ascertain.core.errors import UsageError
from ascertain.core.filters import Filter
from ascertain.core.passages import Strategy
from ascertain.core.profiles import Profile, load_profile, profile_names
from ascertain.core.settings import Settings
from ascertain.core.settings_layers import load_settings

if TYPE_CHECKING:
    from ascertain.app.reindexing import ReindexListener
    from ascertain.ingest.pipeline import IngestListener, Ingestor, IngestReport
    from ascertain.models.ports import Embedder
    from ascertain.retrieval.search import Searcher, SearchResult
    from ascertain.stores.ports import ChunkStore, HealthReport, StoreStats
    from ascertain.workflow.ask import Steps
    from ascertain.workflow.conversation import Turn

MAX_DAYS_BACK = 365


class Ascertain:
    """A knowledge base: add documents, search them, ask them.

    >>> from ascertain import Ascertain
    >>> with Ascertain.open("notes.kb") as knowledge:  # doctest: +SKIP
    ...     knowledge.add(["notes/"])
    ...     print(knowledge.ask("how do refunds work?").text)

    Parts are opened when first needed; looking at documents and numbers never loads a model. One instance belongs to
    one thread. Every method raises a child of AscertainError whose message says what to do.
    """

    def __init__(
        self, settings: Settings, *, clock: Clock | None = None, embedder: Embedder | None = None
    ) -> None:
        self.settings = settings
        self._clock = clock or (FixedClock(settings.now) if settings.now else SystemClock())
        self._given_embedder = embedder
        self._opened_store: ChunkStore | None = None
        self._built_with: tuple[str, int] | None = None

    @classmethod
    def open(
        cls,
        home: Path | str | None = None,
        *,
        profile: str | None = None,
        config: Path | None = None,
        clock: Clock | None = None,
        environ: Mapping[str, str] | None = None,
    ) -> Self:
        """The knowledge base in ``home`` (by default ``.ascertain``), with settings from every layer.

        The folder is created by the first ``add``. Raises ConfigurationError for a bad setting.
        """
        arguments: dict[str, object] = {"profile": profile} if profile is not None else {}
        loaded = load_settings(
            home=Path(home) if home is not None else None,
            config_file=config,
            environ=os.environ if environ is None else environ,
            arguments=arguments,
        )
        return cls(loaded.settings, clock=clock)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def add(
        self,
        paths: Sequence[Path | str],
        *,
        profile: str | None = None,
        tags: Sequence[str] = (),
        sync: bool = False,
        listener: IngestListener | None = None,
    ) -> IngestReport:
        """Read files and folders into the knowledge base; unchanged documents are skipped.

        ``sync`` also deletes documents whose files are gone from the given folders. Files that cannot be read are in
        the report's ``failures``; a path that does not exist raises UsageError before anything is read.
        """
        chosen = self._profile(profile or self.settings.profile).name
        files = [Path(path) for path in paths]
        missing = next((path for path in files if not path.exists()), None)
        if missing is not None:
            raise UsageError(f"{missing}: no such file or folder; nothing was added")
        return self._ingestor.add_paths(files, profile=chosen, tags=tuple(tags), sync=sync, listener=listener)

    def add_documents(
        self, documents: Iterable[Document], listener: IngestListener | None = None
    ) -> IngestReport:
        """Put documents made by the caller into the knowledge base, replacing those of the same id."""
        return self._ingestor.add_documents(documents, listener=listener)

    def search(
        self,
        query: str,
        *,
        strategy: Strategy | None = None,
        k: int | None = None,
        filter: Filter = Filter(),
        days_back: int | None = None,
    ) -> SearchResult:
        """The best ``k`` passages for ``query`` (``retrieval.top_k`` by default), best first.

        Dates in the query ("this week") become a filter relative to the clock; ``days_back`` (1 to 365) overrides them.
        Raises UsageError for an empty query, a ``k`` below 1 or a knowledge base without documents.
        """
        self._check(query, k, days_back)
        return self._searcher.search(query, strategy=strategy, k=k, filter=filter, days_back=days_back)

    def ask(
        self,
        question: str,
        *,
        strategy: Strategy | None = None,
        filter: Filter = Filter(),
        days_back: int | None = None,
        conversation_id: str | None = None,
        history: Sequence[Turn] = (),
    ) -> Answer:
        """A checked answer made of quoted sentences, or a rejection that says what was searched.

        ``history`` holds earlier turns, oldest first; a question that continues them is looked up with the words of
        the user's last one. Raises UsageError as ``search`` does.
        """
        from ascertain.workflow.ask import Request, ask

        self._check(question, None, days_back)
        request = Request(question, strategy, filter, days_back, conversation_id, tuple(history))
        return ask(request, self._steps)

    def check_question(self, question: str) -> None:
        """Raise UsageError when ``question`` is empty or longer than the settings allow."""
        from ascertain.workflow.ask import check_question

        check_question(question, self.settings.answers.max_question_characters)

    def document(self, document_id: str) -> Document | None:
        """A document with its text; None when there is none of this id."""
        return self._store().document(document_id)

    def documents(self, filter: Filter = Filter()) -> list[DocumentRecord]:
        """What is known of each document, failed ones included, in order of source."""
        return self._store().documents(filter)

    def delete(self, filter: Filter) -> int:
        """Delete the documents that ``filter`` selects; how many there were."""
        return self._store().delete(filter)

    def stats(self) -> StoreStats:
        """Counts, sizes and the model the knowledge base was built with."""
        return self._store().stats()

    def check(self, repair: bool = False) -> HealthReport:
        """Look for damage; with ``repair`` rebuild what is wrong."""
        return self._store().check(repair)

    def close(self) -> None:
        """Release the files; the instance opens them again when used again."""
        if self._opened_store is not None:
            self._opened_store.close()
            self._opened_store = None
        for part in ("_ingestor", "_searcher", "_steps"):
            self.__dict__.pop(part, None)

    @cached_property
    def embedder(self) -> Embedder:
        """The embedding model of the settings."""
        from ascertain.models.registry import open_embedder

        return self._given_embedder or open_embedder(self.settings.models)

    def reindex(self, model: str | None = None, listener: ReindexListener | None = None) -> int:
        """Compute every vector anew with ``model`` (by default the one of the settings); how many chunks there were.

        Searches go on with the old vectors until the last new one is written. Interrupted, the same call continues.
        From then on ``models.embedder`` must name the new model.
        """
        from ascertain.app.reindexing import reindex
        from ascertain.models.registry import open_embedder

        named = self.settings.models.model_copy(update={"embedder": model}) if model else self.settings.models
        embedder = open_embedder(named)
        done = reindex(self._store(), embedder, self.settings.ingest.embed_batch, listener)
        self.close()
        self._given_embedder = embedder
        self.__dict__.pop("embedder", None)
        self.settings = self.settings.model_copy(update={"models": named})
        return done

    def _check(self, question: str, k: int | None, days_back: int | None) -> None:
        self.check_question(question)
        if k is not None and k < 1:
            raise UsageError(f"k is {k}; ask for at least 1 passage")
        if days_back is not None and not 1 <= days_back <= MAX_DAYS_BACK:
            raise UsageError(f"days back is {days_back}; give a number of days from 1 to {MAX_DAYS_BACK}")
        if self._store().count() == 0:
            raise UsageError(f"the knowledge base in {self._home} has no documents yet; {self._how_to_add}")

    @property
    def exists(self) -> bool:
        """Whether the home holds a knowledge base; the first ``add`` makes one."""
        from ascertain.stores.registry import embedding_of

        return self._home.is_dir() and embedding_of(self.settings.store, self._home) is not None

    @property
    def _home(self) -> Path:
        return self.settings.home

    @property
    def _how_to_add(self) -> str:
        home = "" if self._home == Path(".ascertain") else f" --home {self._home}"
        return f"add some first: ascertain add PATH{home}"

    def _store(self) -> ChunkStore:
        """The store as it was built, whatever the settings' model is; UsageError when there is none."""
        from ascertain.stores.registry import embedding_of, open_store

        if self._opened_store is None:
            self._refuse_a_file()
            built_with = embedding_of(self.settings.store, self._home) if self._home.is_dir() else None
            if built_with is None:
                raise UsageError(f"there is no knowledge base in {self._home}; {self._how_to_add}")
            self._opened_store = open_store(self.settings.store, self._home, *built_with, create=False)
            self._built_with = built_with
        return self._opened_store

    def _store_for_vectors(self, create: bool = False) -> ChunkStore:
        """The store, sure to hold vectors of the settings' model; EmbeddingMismatch when it does not."""
        from ascertain.stores.registry import open_store

        model = (self.embedder.name, self.embedder.dimension)
        if self._opened_store is not None and self._built_with == model:
            return self._opened_store
        self._refuse_a_file()
        self.close()
        self._opened_store = open_store(self.settings.store, self._home, *model, create=create)
        self._built_with = model
        return self._opened_store

    def _refuse_a_file(self) -> None:
        if self._home.exists() and not self._home.is_dir():
            raise UsageError(f"{self._home} is a file; --home names the folder of a knowledge base")

    def _profile(self, name: str) -> Profile:
        return load_profile(name, self._home / "profiles")

    @cached_property
    def _ingestor(self) -> Ingestor:
        from ascertain.ingest.pipeline import Ingestor

        return Ingestor(self._store_for_vectors(create=True), self.embedder, self.settings.ingest)

    @cached_property
    def _searcher(self) -> Searcher:
        from ascertain.retrieval.search import Searcher

        return Searcher(
            self._store_for_vectors(), self.embedder, self.settings.retrieval, self._profiles(), self._clock
        )

    @cached_property
    def _steps(self) -> Steps:
        from ascertain.app.steps import build_steps

        return build_steps(
            self._store_for_vectors(),
            self.embedder,
            self._searcher,
            profiles=self._profiles(),
            clock=self._clock,
            settings=self.settings,
        )

    def _profiles(self) -> list[Profile]:
        """The configured profile first, then those of the stored documents: whose slang a question may use."""
        names = dict.fromkeys((self.settings.profile, *sorted(self._store().stats().by_profile)))
        known = set(profile_names(self._home / "profiles"))
        return [self._profile(name) for name in names if name in known]
