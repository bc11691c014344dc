"""``Ascertain``: a knowledge base as one tenant sees it."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Literal, Self, Unpack

from ascertain.app.adding.files import adopt_documents
from ascertain.app.asking.parts import Tenants
from ascertain.app.asking.visibility import bind_tenant, check_request, check_search, describe_filter, visible_filter
from ascertain.app.graph.building import track_graph_upkeep
from ascertain.app.graph.explorer import GraphExplorer
from ascertain.app.opened import Opened
from ascertain.app.viewers import Viewer, audited, check_own, check_unclaimed, sees_conversation, select_visible
from ascertain.core.asking.answers import Answer
from ascertain.core.asking.feedback import Drift, FeedbackSummary, summarise_feedback
from ascertain.core.asking.passages import Filter, Strategy, read_strategy
from ascertain.core.asking.requests import AnalysisDone, AnalysisEvent, AskOptions, AskRequest
from ascertain.core.asking.runs import Clock, FixedClock, Stop, SystemClock
from ascertain.core.documents.documents import Document, DocumentRecord
from ascertain.core.errors import UsageError
from ascertain.core.reports.analysis import Analysis, Pattern, read_pattern
from ascertain.core.settings import ModelSettings, Settings, load_settings
from ascertain.language.languages import question_language

if TYPE_CHECKING:
    from ascertain.app.adding.uploads import Upload
    from ascertain.app.chosen_models import ReindexListener
    from ascertain.app.researching.desk import ResearchDesk
    from ascertain.app.sources.desk import SourceDesk
    from ascertain.core.asking.requests import ConversationSummary, Event, SearchResult, TurnRecord
    from ascertain.core.documents.ingest import IngestReport, IngestRun
    from ascertain.core.service.service import GivenAnswer, Thumb
    from ascertain.core.service.status import HealthReport, SchemaChange, StoreStats
    from ascertain.documents.ingest.report import IngestListener
    from ascertain.models.ports import Embedder
    from ascertain.stores.ports.service import ServiceStores

Context = Literal["none", "neighbours", "parents"]


class Ascertain:
    """A knowledge base: add documents, search them, ask them.

    >>> from ascertain import Ascertain
    >>> with Ascertain.open("notes.kb") as knowledge:  # doctest: +SKIP
    ...     knowledge.add(["notes/"])
    ...     print(knowledge.ask("how do refunds work?").text)

    Parts are opened when first needed; looking at documents and numbers never loads a model. Any number of threads may
    use one instance. It sees the documents and conversations of one tenant; ``as_tenant`` gives another that shares all
    that is open. Every method raises a child of AscertainError whose message says what to do.
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
        self._bind_tenant(Tenants(Opened(settings, clock, embedder)), tenant, Viewer())
        self._owns_opened = True

    def _bind_tenant(self, tenants: Tenants, tenant: str, viewer: Viewer) -> None:
        self._tenants = tenants
        self.parts = tenants.parts(tenant)
        """What the questions of the tenant run on."""
        self._owns_opened = False
        self.opened = tenants.opened
        """What all tenants share: the store, the records beside it, the models."""
        self.graph = GraphExplorer(tenants, tenant)
        """The knowledge graph of the tenant."""
        self.viewer = viewer
        """The viewer: a user sees its own conversations, runs, jobs and feedback."""

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
        """The knowledge base in ``home`` (by default ``.ascertain``), with settings from every layer, as ``tenant``
        sees it.

        With a store on a server (``store.kind``) the knowledge base is there, for every machine, and ``home`` only
        holds settings, profiles and prompts. The first ``add`` sets it up. Raises ConfigurationError for a bad setting.
        """
        arguments: dict[str, object] = {"profile": profile} if profile is not None else {}
        loaded = load_settings(
            home=Path(home) if home is not None else None,
            config_file=config,
            environ=os.environ if environ is None else environ,
            arguments=arguments,
        )
        return cls(loaded.settings, clock=clock, tenant=tenant)

    def as_tenant(self, name: str, viewer: Viewer | None = None) -> Ascertain:
        """The same knowledge base as the tenant ``name`` sees it: its own documents and conversations, and nothing of
        another's; as one user of it where ``viewer`` names one.

        All that is open is shared, and closed with the instance that opened it. Raises UsageError for an invalid
        name.
        """
        other = Ascertain.__new__(Ascertain)
        other._bind_tenant(self._tenants, name, viewer or self.viewer)
        return other

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def tenant(self) -> str:
        """The tenant whose documents and conversations are visible."""
        return self.parts.tenant

    @property
    def settings(self) -> Settings:
        """The current settings."""
        return self.opened.settings

    def adopt_settings(self, settings: Settings) -> None:
        """Use other settings of answers and chat models, for all tenants, from the next question on."""
        self.opened.adopt(settings)
        self._tenants.forget_derived()

    @property
    def embedder(self) -> Embedder:
        """The embedding model of the settings; loaded on first use."""
        return self.opened.models.embedder

    @property
    def service(self) -> ServiceStores:
        """What a service stores beside documents and conversations, for every tenant; opened on first use, also before
        the first document is added.
        """
        return self.opened.service()

    @property
    def research(self) -> ResearchDesk:
        """Research runs by several agents, and claims checked against the documents."""
        from ascertain.app.researching.desk import ResearchDesk

        return ResearchDesk(self)

    @property
    def sources(self) -> SourceDesk:
        """Sources that are synced repeatedly: folders, sites, mailboxes, repositories, file systems."""
        from ascertain.app.sources.desk import SourceDesk

        return SourceDesk(self)

    @property
    def exists(self) -> bool:
        """Whether there is a knowledge base; the first ``add`` creates one."""
        return self.opened.is_there

    @property
    def place(self) -> str:
        """Where the knowledge base is: its home, or the address on a server without secrets."""
        return self.opened.place

    def set_up(self) -> None:
        """Create an empty knowledge base if there is none; the records of a service need one before the first document
        is added.
        """
        if not self.opened.is_there:
            self.opened.store_for_vectors(create=True)

    def upgrade(self) -> SchemaChange:
        """Bring the store's schema up to this version of the program; an empty server is set up."""
        from ascertain.stores.registry import upgrade_schema

        self.opened.close()
        return upgrade_schema(self.settings.store, self.opened.home)

    def pending_upgrade(self) -> SchemaChange:
        """What ``upgrade`` would do, without doing it."""
        from ascertain.stores.registry import pending_schema

        return pending_schema(self.settings.store, self.opened.home)

    def check(self, repair: bool = False) -> HealthReport:
        """Look for damage in the store of all tenants; with ``repair`` rebuild what is wrong."""
        return self.opened.store().check(repair)

    def reindex(self, model: str | None = None, listener: ReindexListener | None = None) -> int:
        """Recompute every vector with ``model`` (by default the one of the settings); how many chunks there were.

        Searches go on with the old vectors until the last new one is written. Interrupted, the same call continues.
        From then on ``models.embedder`` must name the new model.
        """
        named, embedder, done = self._embed_again(model, listener)
        self.opened.change(self.settings.model_copy(update={"models": named}), embedder)
        self.tag_topics()
        return done

    def move(self, model: str, listener: ReindexListener | None = None) -> int:
        """The same while others use this instance: nothing is closed for them, and they switch to the new
        model once it has every vector.
        """
        named, embedder, done = self._embed_again(model, listener)
        self.opened.follow_move(self.settings.model_copy(update={"models": named}), embedder)
        self._tenants.forget_derived()
        self.tag_topics()
        return done

    def _embed_again(self, model: str | None, listener: ReindexListener | None) -> tuple[ModelSettings, Embedder, int]:
        from ascertain.app.chosen_models import reindex_store
        from ascertain.models.registry import open_embedder

        models = self.settings.models
        named = models.model_copy(update={"embedder": model}) if model else models
        embedder = open_embedder(named)
        self.opened.expect_embedder(embedder, named.embedder)
        done = reindex_store(self.opened.store(), embedder, self.settings.ingest.embed_batch, listener)
        return named, embedder, done

    def tag_topics(self, *, again: bool = False) -> int:
        """Give topics to the documents of all tenants that have none; how many documents changed.

        With ``again`` every document gets them, named by the chat model where there is one, within ``graph.model_calls`` and
        ``graph.model_budget_usd``.
        """
        from ascertain.app.opened import all_profiles, open_tagger
        from ascertain.documents.ingest.topics import tag_store

        store = self.opened.store()
        tagger = open_tagger(self.settings, self.opened.models.chat) if again else None
        with store.writing():
            return tag_store(store, all_profiles(self.settings.home), tagger, again=again)

    def close(self) -> None:
        """Release files and models; the instance opens them again when used again.

        One from ``as_tenant`` has nothing of its own to release: its parts are closed with the first instance.
        """
        if self._owns_opened:
            self.opened.close()
            self._tenants.forget_derived()
            self.parts.forget_derived()

    def add(
        self,
        paths: Sequence[Path | str],
        *,
        profile: str | None = None,
        tags: Sequence[str] = (),
        sync: bool = False,
        listener: IngestListener | None = None,
        conversation_id: str | None = None,
        defer_figures: bool = False,
    ) -> IngestReport:
        """Read files, folders and addresses into the knowledge base; unchanged documents are skipped.

        An address is an http(s) URL of a page, a file or a feed, or a paper of arXiv as ``arxiv:1706.03762``; it is
        fetched here. ``sync`` also deletes documents whose files are gone from the given folders. With a
        ``conversation_id`` they can be seen in that conversation only, and are deleted with it. Items that cannot be read are
        in the report's ``failures``; a path that does not exist, or an address of another kind, raises UsageError
        before anything is read. ``ingest.engine`` says whether this process or a cluster does the work. Where pictures are
        described (``ingest.describe_figures``), ``defer_figures`` leaves those that were not described before for another
        call: the report's ``figures`` say how many remain, and what they will cost.
        """
        from ascertain.app.adding.addresses import MixedAdding

        chosen = self.parts.profile(profile or self.settings.profile).name
        mixed = MixedAdding(self.parts.adding, lambda: self.service, self.opened.clock)
        options = self.parts.adding.options(chosen, tuple(tags), conversation_id)
        with self.parts.changing(), track_graph_upkeep(self.opened, self.tenant) as graph:
            report = mixed.add(paths, options, sync=sync, listener=listener, defer_figures=defer_figures)
            return graph.complete_report(report, catches_up=True)

    def add_documents(self, documents: Iterable[Document], listener: IngestListener | None = None) -> IngestReport:
        """Put documents made by the caller into the knowledge base, replacing those with the same id.

        They become this tenant's, whatever tenant they name; one that named another gets the id that its source has
        here.
        """
        own = adopt_documents(documents, self.tenant)
        with self.parts.changing(), track_graph_upkeep(self.opened, self.tenant) as graph:
            return graph.complete_report(self.parts.adding.documents(own, listener))

    def add_uploads(
        self,
        uploads: Sequence[Upload],
        *,
        profile: str,
        tags: Sequence[str] = (),
        conversation_id: str | None = None,
        listener: IngestListener | None = None,
        goes_on: Callable[[], bool] = lambda: True,
        begin: Callable[[], None] = lambda: None,
    ) -> IngestReport:
        """Read uploaded files, accepted by ``app.jobs.jobs``, into the knowledge base; in this process, whatever the
        engine.

        ``begin`` is called once everything needed is open. Once ``goes_on`` returns false, the documents in
        work are finished and the rest is left for another call.
        """
        from ascertain.app.adding.uploads import UploadReading

        reading = UploadReading(self.service.files, uploads, profile, tuple(tags), conversation_id, begin)
        with self.parts.changing(), track_graph_upkeep(self.opened, self.tenant) as graph:
            return graph.complete_report(reading.add(self.parts.adding, listener, goes_on), catches_up=True)

    def add_address(
        self,
        address: str,
        *,
        profile: str,
        tags: Sequence[str] = (),
        conversation_id: str | None = None,
        goes_on: Callable[[], bool] = lambda: True,
    ) -> IngestReport:
        """Fetch one address, accepted by ``app.jobs.jobs``, into the knowledge base.

        Raises ReadingStopped once ``goes_on`` returns false during reading.
        """
        from ascertain.app.adding.addresses import AddressAdding, separate_addresses

        _, addresses = separate_addresses([address])
        adding = AddressAdding(self.parts.adding, lambda: self.service, self.opened.clock)
        options = replace(self.parts.adding.options(profile, tuple(tags), conversation_id), goes_on=goes_on)
        with self.parts.changing(), track_graph_upkeep(self.opened, self.tenant) as graph:
            return graph.complete_report(adding.add(addresses, options, None), catches_up=True)

    def search(
        self,
        query: str,
        *,
        strategy: Strategy | str | None = None,
        k: int | None = None,
        filter: Filter = Filter(),
        days_back: int | None = None,
        context: Context = "none",
    ) -> SearchResult:
        """The best ``k`` passages for ``query`` (``retrieval.top_k`` by default), best first.

        Dates in the query ("this week") become a filter relative to the clock; ``days_back`` (1 to 365) overrides them.
        What was fetched for a conversation is found only where ``filter`` names it. ``context`` widens each passage by
        its neighbouring chunks or to its parent, within ``retrieval.context_tokens``. ``strategy`` may be its name.
        Raises UsageError for an empty query, an unknown strategy, a ``k`` below 1 or a knowledge base without
        documents.
        """
        self.check_question(query)
        check_search(k, days_back)
        chosen = read_strategy(strategy)
        self.check_ready()
        language = question_language(query)
        found = self.parts.searcher.search(
            query, language, strategy=chosen, k=k, filter=visible_filter(filter, self.tenant), days_back=days_back
        )
        found = self.parts.lower_unnamed(query, language, found)
        return self.parts.widen_passages(found, context)

    def ask(self, question: str | AskRequest, **options: Unpack[AskOptions]) -> Answer:
        """A checked, cited answer, or a rejection that says what was searched; ``AskRequest`` says what each option
        means.

        A question sees the documents of no conversation and those fetched for its own. Raises UsageError as ``search``
        does.
        """
        return self.parts.asking.ask(self._checked_request(question, options))

    def ask_stream(
        self, question: str | AskRequest, stop: Stop | None = None, **options: Unpack[AskOptions]
    ) -> Generator[Event]:
        """``ask`` as events: each step as it begins and ends, the checked text, last the whole answer.

        Raises RunStopped once ``stop`` is requested: a running step ends at its next model call.
        """
        return self.parts.asking.stream(self._checked_request(question, options), stop)

    def analyze(
        self,
        question: str,
        *,
        filter: Filter = Filter(),
        days_back: int | None = None,
        pattern: Pattern | str | None = None,
    ) -> Analysis:
        """What every document of a period says together: moods, trends, moves, contradictions, and who expects what.

        The period is the one in the question's words, or ``days_back`` (1 to 365), or the dates of ``filter``; all of it is read.
        ``pattern`` says how (``single_pass``, ``map_reduce``, ``refine``); it is chosen by size and budget. Raises UsageError as
        ``search`` does.
        """
        events = self.analyze_stream(question, filter=filter, days_back=days_back, pattern=pattern)
        (analysis,) = [event.analysis for event in events if isinstance(event, AnalysisDone)]
        return analysis

    def analyze_stream(
        self,
        question: str,
        *,
        filter: Filter = Filter(),
        days_back: int | None = None,
        pattern: Pattern | str | None = None,
    ) -> Generator[AnalysisEvent]:
        """``analyze`` as events: each step as it begins and ends, the text, last the whole analysis."""
        self.check_question(question)
        check_search(None, days_back)
        self.check_ready()
        visible = visible_filter(filter, self.tenant)
        return self.parts.analysing.stream(question, visible, days_back, read_pattern(pattern))

    def check_question(self, question: str) -> None:
        """Raise UsageError when ``question`` is empty or too long."""
        from ascertain.workflow.question_text import check_question

        check_question(question)

    def _checked_request(self, question: str | AskRequest, options: AskOptions) -> AskRequest:
        request = question if isinstance(question, AskRequest) else AskRequest.of(question, **options)
        request = replace(request, user=self.viewer.user or "")
        self.check_question(request.question)
        check_request(request)
        news = self.settings.news
        if request.mode == "news" or (news.providers and news.fallback):
            self.set_up()  # what is found outside is added to it
        else:
            self.check_ready()
        self.check_conversation(request.conversation_id)
        return request

    def check_conversation(self, conversation_id: str | None) -> None:
        """Raise NotYours for a conversation of another user."""
        if conversation_id is not None and self.exists:
            check_unclaimed(self, conversation_id)

    def check_ready(self) -> None:
        """Raise UsageError when there are no documents yet."""
        if self.count() == 0:
            raise UsageError(f"the knowledge base in {self.place} has no documents yet; {self.opened.how_to_add}")

    def document(self, document_id: str) -> Document | None:
        """A document with its text; None for an unknown id."""
        found = self.opened.store().document(document_id)
        if found is None or found.tenant != self.tenant:
            return None
        return found if found.conversation_id is None or sees_conversation(self, found.conversation_id) else None

    def documents(self, filter: Filter = Filter()) -> list[DocumentRecord]:
        """The record of each document, failed ones included, in order of source."""
        return select_visible(self, self.opened.store().documents(bind_tenant(filter, self.tenant)))

    def delete(self, filter: Filter) -> int:
        """Delete the documents that ``filter`` selects; how many there were."""
        from ascertain.app.adding.uploads import delete_with_files

        own = bind_tenant(filter, self.tenant)
        with audited(self, "delete_documents", describe_filter(filter)):
            if self.viewer.user is not None:
                for record in self.opened.store().documents(own):
                    if record.conversation_id is not None:
                        check_own(self, record.conversation_id)
            with self.parts.changing():
                return delete_with_files(lambda: self.service, self.opened.store(), own)

    def stats(self) -> StoreStats:
        """Counts, sizes and the model the knowledge base was built with."""
        return self.opened.store().stats(self.tenant)

    def ingest_runs(self) -> list[IngestRun]:
        """The latest runs that added documents, on whichever machine, last started first."""
        return self.opened.ingest_log().runs(self.tenant)

    def count(self) -> int:
        """How many searchable chunks there are; the cheapest request to the store."""
        return self.opened.store().count(self.tenant)

    def conversations(self) -> list[ConversationSummary]:
        """The stored conversations, last used first: the user's own, and those that are shared."""
        found = self.opened.conversations().conversations(self.tenant)
        return [each for each in found if self.viewer.sees(each.label)]

    def label_conversation(self, conversation_id: str, name: str = "", is_pinned: bool = False) -> None:
        """Rename a conversation, an empty name stands for its first question; pinned ones are listed first."""
        check_own(self, conversation_id)
        store = self.opened.conversations()
        label = replace(store.find_label(conversation_id, self.tenant), name=name, is_pinned=is_pinned)
        store.label(conversation_id, label, self.tenant)

    def share_conversation(self, conversation_id: str, is_shared: bool) -> None:
        """Let all of the tenant read a conversation, or its owner alone; NotYours for a conversation of another user."""
        with audited(self, "share_conversation" if is_shared else "unshare_conversation", conversation_id):
            check_own(self, conversation_id)
            store = self.opened.conversations()
            label = replace(store.find_label(conversation_id, self.tenant), is_shared=is_shared)
            store.label(conversation_id, label, self.tenant)

    def take_back(self, conversation_id: str, turn_id: str) -> int:
        """Delete a turn of a conversation and those after it, with their stored answers; how many there were."""
        from ascertain.app.asking.forgetting import take_back_turns

        with audited(self, "delete_turns", f"{conversation_id}/{turn_id}"):
            check_own(self, conversation_id)
            return take_back_turns(self, conversation_id, turn_id)

    def conversation(self, conversation_id: str) -> list[TurnRecord]:
        """The turns of a conversation, oldest first; empty for an unknown conversation."""
        found = self.opened.conversations().turns(conversation_id, self.tenant)
        return found if found and sees_conversation(self, conversation_id) else []

    def conversation_sources(self, conversation_id: str) -> list[DocumentRecord]:
        """The documents that were fetched for a conversation, in order of source; deleted with it."""
        return self.documents(Filter(conversation_id=conversation_id))

    def last_answer(self, conversation_id: str) -> Answer | None:
        """The latest answer of a conversation, with citations and decisions."""
        from ascertain.app.asking.asking import find_last_answer

        return find_last_answer(self.conversation(conversation_id))

    def delete_conversation(self, conversation_id: str) -> int:
        """Delete a conversation and everything stored for it; how many turns there were.

        That is its documents, jobs that were to add some, and its answers with the feedback on them, cached ones too.
        An interrupted call is completed by the same call: the turns go last.
        """
        from ascertain.app.asking.forgetting import forget_conversation

        with audited(self, "delete_conversation", conversation_id):
            check_own(self, conversation_id)
            return forget_conversation(self, conversation_id)

    def feedback(self, answer_id: str, thumb: Thumb, comment: str = "") -> GivenAnswer:
        """Store feedback on an answer, replacing earlier feedback; UsageError for an unknown answer."""
        self.opened.store()  # without one there are no answers
        moment = self.opened.clock.now()
        given = self.service.feedback.get(answer_id, self.tenant)
        is_own = given is not None and self.viewer.owns(given.user)
        judged = self.service.feedback.judge(answer_id, thumb, comment, moment, self.tenant) if is_own else None
        if judged is None:
            raise UsageError(f"there is no answer {answer_id!r} to judge; its id is in the answer as `id`")
        return judged

    def given_feedback(self, answer_id: str) -> GivenAnswer | None:
        """The feedback on an answer; None if there is none."""
        given = self.service.feedback.get(answer_id, self.tenant)
        return given if given is not None and given.thumb is not None and self.viewer.owns(given.user) else None

    def feedback_summary(self) -> FeedbackSummary:
        """How answers were judged, by kind of question and strategy."""
        self.opened.store()
        judged = self.service.feedback.judged(self.tenant)
        return summarise_feedback([each for each in judged if self.viewer.owns(each.user)])

    def drift(self, days: int = 7) -> Drift:
        """What changed in the answers of the last ``days`` against the time before, and what stayed without an answer."""
        from ascertain.app.drift import report_drift
        from ascertain.core.asking.feedback import begin_course

        self.opened.store()
        now = self.opened.clock.now()
        given = self.service.feedback.answers(self.tenant, begin_course(now, days))
        return report_drift([each for each in given if self.viewer.owns(each.user)], now, days)
