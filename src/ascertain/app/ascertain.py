"""``Ascertain``: a knowledge base as one tenant sees it; hands its questions and documents to the parts that deal with them."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from copy import copy
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Self

from ascertain.app.adopting import adopted
from ascertain.app.checks import check_request, check_search
from ascertain.app.exploring import Exploring
from ascertain.app.graph_following import followed
from ascertain.app.opened import Opened
from ascertain.app.parts import Tenants
from ascertain.app.visibility import visible
from ascertain.core.answers import Answer
from ascertain.core.clock import Clock, FixedClock, SystemClock
from ascertain.core.documents import Document
from ascertain.core.filters import Filter
from ascertain.core.passages import Strategy
from ascertain.core.settings import Settings
from ascertain.core.settings_layers import load_settings

if TYPE_CHECKING:
    from ascertain.app.uploads import Upload
    from ascertain.core.conversations import Turn
    from ascertain.core.results import Event, SearchResult
    from ascertain.ingest.pipeline import IngestListener, IngestReport
    from ascertain.models.ports import Embedder
    from ascertain.workflow.ask.state import Request

Context = Literal["none", "neighbours", "parents"]
Mode = Literal["documents", "news"]


class Ascertain(Exploring):
    """A knowledge base: add documents, search them, ask them.

    >>> from ascertain import Ascertain
    >>> with Ascertain.open("notes.kb") as knowledge:  # doctest: +SKIP
    ...     knowledge.add(["notes/"])
    ...     print(knowledge.ask("how do refunds work?").text)

    Parts are opened when first needed; looking at documents and numbers never loads a model. Any number of threads may use one
    instance. It sees the documents and conversations of one tenant; ``as_tenant`` gives another that shares all that is open.
    Every method raises a child of AscertainError whose message says what to do.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        clock: Clock | None = None,
        embedder: Embedder | None = None,
        tenant: str = "default",
    ) -> None:
        clock = clock or (FixedClock(settings.now) if settings.now else SystemClock())
        super().__init__(Tenants(Opened(settings, clock, embedder)), tenant)

    @classmethod
    def open(
        cls,
        home: Path | str | None = None,
        *,
        profile: str | None = None,
        config: Path | None = None,
        clock: Clock | None = None,
        environ: Mapping[str, str] | None = None,
        tenant: str = "default",
    ) -> Self:
        """The knowledge base in ``home`` (by default ``.ascertain``), with settings from every layer, as ``tenant`` sees it.

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
        return cls(loaded.settings, clock=clock, tenant=tenant)

    def as_tenant(self, name: str) -> Ascertain:
        """The same knowledge base as the tenant ``name`` sees it: its own documents and conversations and nothing of another's.

        All that is open is shared, and closed with the instance that opened it. Raises UsageError for a name that cannot be one.
        """
        other = copy(self)
        other._is_first = False
        other._parts = self._tenants.parts(name)
        return other

    def add(
        self,
        paths: Sequence[Path | str],
        *,
        profile: str | None = None,
        tags: Sequence[str] = (),
        sync: bool = False,
        listener: IngestListener | None = None,
        conversation_id: str | None = None,
    ) -> IngestReport:
        """Read files, folders and addresses into the knowledge base; unchanged documents are skipped.

        An address is an http(s) URL of a page, a file or a feed, or a paper of arXiv as ``arxiv:1706.03762``; it is fetched here.
        ``sync`` also deletes documents whose files are gone from the given folders. With a ``conversation_id`` they can be seen in
        that conversation only, and are deleted with it. What cannot be read is in the report's ``failures``; a path that does not
        exist, or an address of another kind, raises UsageError before anything is read. ``ingest.engine`` says whether this process
        does the work or a cluster.
        """
        from ascertain.app.adding_mixed import MixedAdding

        chosen = self._parts.profile(profile or self.settings.profile).name
        mixed = MixedAdding(self._parts.adding, lambda: self.service, self._opened.clock)
        options = self._parts.adding.options(chosen, tuple(tags), conversation_id)
        with self._parts.changing(), followed(self._opened, self.tenant) as graph:
            report = mixed.add(paths, options, sync=sync, listener=listener)
            return graph.told(report, catches_up=True)

    def add_documents(
        self, documents: Iterable[Document], listener: IngestListener | None = None
    ) -> IngestReport:
        """Put documents made by the caller into the knowledge base, replacing those of the same id.

        They become this tenant's, whatever tenant they name; one that named another gets the id that its source has here.
        """
        own = adopted(documents, self.tenant)
        with self._parts.changing(), followed(self._opened, self.tenant) as graph:
            return graph.told(self._parts.adding.documents(own, listener))

    def add_uploads(
        self,
        uploads: Sequence[Upload],
        *,
        profile: str,
        tags: Sequence[str] = (),
        conversation_id: str | None = None,
        listener: IngestListener | None = None,
        goes_on: Callable[[], bool] = lambda: True,
    ) -> IngestReport:
        """Read uploaded files, which ``app.jobs`` takes in, into the knowledge base; in this process, whatever the engine.

        Once ``goes_on`` says no, the documents in work are finished and the rest is left for another call.
        """
        from ascertain.app.uploads_reading import UploadReading

        reading = UploadReading(self.service.files, uploads, profile, tuple(tags), conversation_id)
        with self._parts.changing(), followed(self._opened, self.tenant) as graph:
            return graph.told(reading.add(self._parts.adding, listener, goes_on), catches_up=True)

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

        Dates in the query ("this week") become a filter relative to the clock; ``days_back`` (1 to 365) overrides them. What was
        fetched for a conversation is found only where ``filter`` names it.
        ``context`` widens each passage by its neighbouring chunks or to its parent, within ``retrieval.context_tokens``.
        Raises UsageError for an empty query, a ``k`` below 1 or a knowledge base without documents.
        """
        self.check_question(query)
        check_search(k, days_back)
        self.check_ready()
        found = self._parts.searcher.search(
            query, strategy=strategy, k=k, filter=visible(filter, self.tenant), days_back=days_back
        )
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
        mode: Mode = "documents",
        time_range: str | None = None,
        max_articles: int | None = None,
        max_chunks: int | None = None,
        use_cache: bool = True,
        answer_id: str | None = None,
    ) -> Answer:
        """A checked, cited answer, or a rejection that says what was searched.

        With a ``conversation_id`` the question is a turn of that conversation: it is understood with the turns before it, and
        kept. ``history`` (oldest first) takes the place of what is kept; then nothing is kept. A question sees the documents of
        no conversation and those fetched for its own.

        In ``mode`` "news" it is answered from articles fetched for its conversation, which is begun where none is named:
        ``max_articles`` (1 to 100) of the ``time_range`` ("day", "week", "month", "year", "any"). ``max_chunks`` (1 to 50) is the
        number of passages an answer is written from. ``use_cache`` False makes the answer anew even if it is known.
        ``answer_id`` names the answer, and is made up where it is not given. Raises UsageError as ``search`` does.
        """
        from ascertain.workflow.ask.state import Request

        request = Request(
            question,
            strategy,
            filter,
            days_back,
            conversation_id,
            tuple(history or ()),
            mode=mode,
            time_range=time_range,
            max_articles=max_articles,
            max_chunks=max_chunks,
            answer_id=answer_id or "",
        )
        self._check_askable(request)
        return self._parts.asking.ask(request, keep=history is None, use_cache=use_cache)

    def ask_stream(
        self,
        question: str,
        *,
        strategy: Strategy | None = None,
        filter: Filter = Filter(),
        days_back: int | None = None,
        conversation_id: str | None = None,
        history: Sequence[Turn] | None = None,
        mode: Mode = "documents",
        time_range: str | None = None,
        max_articles: int | None = None,
        max_chunks: int | None = None,
        use_cache: bool = True,
        answer_id: str | None = None,
    ) -> Generator[Event]:
        """What ``ask`` does, as events: each step as it begins and ends, the checked text, and last the whole answer."""
        from ascertain.workflow.ask.state import Request

        request = Request(
            question,
            strategy,
            filter,
            days_back,
            conversation_id,
            tuple(history or ()),
            mode=mode,
            time_range=time_range,
            max_articles=max_articles,
            max_chunks=max_chunks,
            answer_id=answer_id or "",
        )
        self._check_askable(request)
        return self._parts.asking.stream(request, keep=history is None, use_cache=use_cache)

    def check_question(self, question: str) -> None:
        """Raise UsageError when ``question`` is empty or longer than the settings allow."""
        from ascertain.workflow.questions import check_question

        check_question(question, self.settings.answers.max_question_characters)

    def _check_askable(self, request: Request) -> None:
        self.check_question(request.question)
        check_request(request)
        news = self.settings.news
        if request.mode == "news" or (news.providers and news.fallback):
            self.set_up()  # what is found outside comes into it
        else:
            self.check_ready()
