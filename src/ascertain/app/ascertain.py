"""``Ascertain``: builds every part from the settings, once it is needed, and hands questions and documents to them.

The only place that knows which adapters are used.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Literal, Self

from ascertain.app.parts import Parts
from ascertain.core.answers import Answer
from ascertain.core.clock import Clock, FixedClock, SystemClock
from ascertain.core.documents import Document, DocumentRecord
from ascertain.core.errors import UsageError
from ascertain.core.filters import Filter
from ascertain.core.passages import Strategy
from ascertain.core.settings import Settings
from ascertain.core.settings_layers import load_settings

if TYPE_CHECKING:
    from ascertain.app.reindexing import ReindexListener
    from ascertain.core.conversations import Turn
    from ascertain.ingest.pipeline import IngestListener, IngestReport
    from ascertain.models.ports import Embedder
    from ascertain.retrieval.search import SearchResult
    from ascertain.stores.conversations import ConversationSummary, TurnRecord
    from ascertain.stores.ports import HealthReport, StoreStats
    from ascertain.stores.progress import IngestRun
    from ascertain.stores.schema import SchemaChange
    from ascertain.workflow.ask.events import Event

MAX_DAYS_BACK = 365

Context = Literal["none", "neighbours", "parents"]


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
        self._clock = clock or (FixedClock(settings.now) if settings.now else SystemClock())
        self._parts = Parts(settings, self._clock, embedder)

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

        With a store on a server (``store.kind``) the knowledge base is there, for every machine, and ``home`` only holds settings,
        profiles and prompts. The first ``add`` sets it up. Raises ConfigurationError for a bad setting.
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
        ``ingest.engine`` says whether this process does the work or a cluster.
        """
        chosen = self._parts.profile(profile or self.settings.profile).name
        files = [Path(path) for path in paths]
        missing = next((path for path in files if not path.exists()), None)
        if missing is not None:
            raise UsageError(f"{missing}: no such file or folder; nothing was added")
        self._parts.content_changed()
        return self._parts.adding.paths(files, profile=chosen, tags=tuple(tags), sync=sync, listener=listener)

    def add_documents(
        self, documents: Iterable[Document], listener: IngestListener | None = None
    ) -> IngestReport:
        """Put documents made by the caller into the knowledge base, replacing those of the same id."""
        self._parts.content_changed()
        return self._parts.adding.documents(documents, listener)

    def search(
        self,
        query: str,
        *,
        strategy: Strategy | None = None,
        k: int | None = None,
        filter: Filter = Filter(),
        days_back: int | None = None,
        context: Context = "none",
    ) -> SearchResult:
        """The best ``k`` passages for ``query`` (``retrieval.top_k`` by default), best first.

        Dates in the query ("this week") become a filter relative to the clock; ``days_back`` (1 to 365) overrides them.
        ``context`` widens each passage by its neighbouring chunks or to its parent, within ``retrieval.context_tokens``.
        Raises UsageError for an empty query, a ``k`` below 1 or a knowledge base without documents.
        """
        self._check(query, k, days_back)
        found = self._parts.searcher.search(query, strategy=strategy, k=k, filter=filter, days_back=days_back)
        return self._parts.widened(found, context)

    def ask(
        self,
        question: str,
        *,
        strategy: Strategy | None = None,
        filter: Filter = Filter(),
        days_back: int | None = None,
        conversation_id: str | None = None,
        history: Sequence[Turn] | None = None,
    ) -> Answer:
        """A checked, cited answer, or a rejection that says what was searched.

        With a ``conversation_id`` the question is a turn of that conversation: it is understood with the turns before it, and
        kept. ``history`` (oldest first) takes the place of what is kept; then nothing is kept. Raises UsageError as
        ``search`` does.
        """
        from ascertain.workflow.ask.state import Request

        self._check(question, None, days_back)
        request = Request(question, strategy, filter, days_back, conversation_id, tuple(history or ()))
        return self._parts.asking.ask(request, keep=history is None)

    def ask_stream(
        self,
        question: str,
        *,
        strategy: Strategy | None = None,
        filter: Filter = Filter(),
        days_back: int | None = None,
        conversation_id: str | None = None,
    ) -> Generator[Event]:
        """What ``ask`` does, as events: each step as it begins and ends, the checked text, and last the whole answer."""
        from ascertain.workflow.ask.state import Request

        self._check(question, None, days_back)
        return self._parts.asking.stream(Request(question, strategy, filter, days_back, conversation_id))

    def conversations(self) -> list[ConversationSummary]:
        """The conversations kept, the last used first."""
        return self._parts.conversations().conversations()

    def conversation(self, conversation_id: str) -> list[TurnRecord]:
        """The turns of a conversation, oldest first; none when there is no such conversation."""
        return self._parts.conversations().turns(conversation_id)

    def last_answer(self, conversation_id: str) -> Answer | None:
        """The latest answer of a conversation, with citations and decisions."""
        from ascertain.app.asking import last_answers

        return next(last_answers(self._parts.conversations(), conversation_id), None)

    def delete_conversation(self, conversation_id: str) -> int:
        """Forget a conversation; how many turns it had."""
        return self._parts.conversations().delete(conversation_id)

    def check_question(self, question: str) -> None:
        """Raise UsageError when ``question`` is empty or longer than the settings allow."""
        from ascertain.workflow.questions import check_question

        check_question(question, self.settings.answers.max_question_characters)

    def check_ready(self) -> None:
        """Raise UsageError when there is nothing to ask yet."""
        if self.count() == 0:
            raise UsageError(
                f"the knowledge base in {self._parts.place} has no documents yet; {self._parts.how_to_add}"
            )

    def document(self, document_id: str) -> Document | None:
        """A document with its text; None when there is none of this id."""
        return self._parts.store().document(document_id)

    def documents(self, filter: Filter = Filter()) -> list[DocumentRecord]:
        """What is known of each document, failed ones included, in order of source."""
        return self._parts.store().documents(filter)

    def delete(self, filter: Filter) -> int:
        """Delete the documents that ``filter`` selects; how many there were."""
        self._parts.content_changed()
        return self._parts.store().delete(filter)

    def stats(self) -> StoreStats:
        """Counts, sizes and the model the knowledge base was built with."""
        return self._parts.store().stats()

    def ingest_runs(self) -> list[IngestRun]:
        """The latest runs that added documents, on whichever machine, last started first."""
        return self._parts.ingest_runs()

    def count(self) -> int:
        """How many searchable chunks there are; the cheapest request to the store."""
        return self._parts.store().count()

    def upgrade(self) -> SchemaChange:
        """Bring the store's schema up to this version of the program; an empty server is set up."""
        from ascertain.stores.registry import upgrade_schema

        self.close()
        return upgrade_schema(self.settings.store, self._parts.home)

    def pending_upgrade(self) -> SchemaChange:
        """What ``upgrade`` would do, without doing it."""
        from ascertain.stores.registry import pending_schema

        return pending_schema(self.settings.store, self._parts.home)

    def check(self, repair: bool = False) -> HealthReport:
        """Look for damage; with ``repair`` rebuild what is wrong."""
        return self._parts.store().check(repair)

    def close(self) -> None:
        """Release the files; the instance opens them again when used again."""
        self._parts.close()

    @property
    def settings(self) -> Settings:
        """The settings in force."""
        return self._parts.settings

    @property
    def embedder(self) -> Embedder:
        """The embedding model of the settings; loaded when first asked for."""
        return self._parts.embedder

    @property
    def exists(self) -> bool:
        """Whether there is a knowledge base; the first ``add`` makes one."""
        from ascertain.stores.registry import embedding_of

        return embedding_of(self.settings.store, self._parts.home) is not None

    @property
    def place(self) -> str:
        """Where the knowledge base is: its home, or the address on a server without secrets."""
        return self._parts.place

    def reindex(self, model: str | None = None, listener: ReindexListener | None = None) -> int:
        """Compute every vector anew with ``model`` (by default the one of the settings); how many chunks there were.

        Searches go on with the old vectors until the last new one is written. Interrupted, the same call continues.
        From then on ``models.embedder`` must name the new model.
        """
        from ascertain.app.reindexing import reindex
        from ascertain.models.registry import open_embedder

        named = self.settings.models.model_copy(update={"embedder": model}) if model else self.settings.models
        embedder = open_embedder(named)
        done = reindex(self._parts.store(), embedder, self.settings.ingest.embed_batch, listener)
        self.close()
        settings = self.settings.model_copy(update={"models": named})
        self._parts = Parts(settings, self._clock, embedder)
        return done

    def _check(self, question: str, k: int | None, days_back: int | None) -> None:
        self.check_question(question)
        if k is not None and k < 1:
            raise UsageError(f"k is {k}; ask for at least 1 passage")
        if days_back is not None and not 1 <= days_back <= MAX_DAYS_BACK:
            raise UsageError(f"days back is {days_back}; give a number of days from 1 to {MAX_DAYS_BACK}")
        self.check_ready()
