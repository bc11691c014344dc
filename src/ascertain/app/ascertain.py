"""``Ascertain``: a knowledge base as one tenant sees it."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Literal, Self, Unpack

from ascertain.app.access.viewers import Access, Viewer
from ascertain.app.adding.files import adopt_documents, open_adding
from ascertain.app.asking.visibility import check_request, check_search, visible_filter
from ascertain.app.container.container import Container
from ascertain.app.graph.building import track_graph_upkeep
from ascertain.app.graph.explorer import GraphExplorer
from ascertain.core.asking.answers import Answer
from ascertain.core.asking.feedback import Drift, FeedbackSummary, summarise_feedback
from ascertain.core.asking.passages import Filter, Strategy, read_strategy
from ascertain.core.asking.requests import AnalysisDone, AnalysisEvent, AskOptions, AskRequest
from ascertain.core.asking.runs import Clock, FixedClock, Stop, SystemClock
from ascertain.core.documents.documents import Document, DocumentRecord
from ascertain.core.reports.analysis import Analysis, Pattern, read_pattern
from ascertain.core.settings import Settings, load_settings
from ascertain.core.settings.profiles import load_profile
from ascertain.language.languages import question_language
from ascertain.stores.ports.conversations import check_ids

if TYPE_CHECKING:
    from ascertain.app.asking.asking import Asking
    from ascertain.app.container.reindexing import ReindexListener
    from ascertain.app.container.tenant_view import TenantView
    from ascertain.app.jobs.desk import JobDesk
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
        self._bind(Container(settings, clock, embedder), tenant, Viewer())
        self._owns_container = True

    def _bind(self, container: Container, tenant: str, viewer: Viewer) -> None:
        check_ids([("tenant", tenant)])
        self.container = container
        """What all tenants share: the store, the records beside it, the models."""
        self._owns_container = False
        self.tenant = tenant
        """The tenant whose documents and conversations are visible."""
        self.viewer = viewer
        """The viewer: a user sees its own conversations, runs, jobs and feedback."""
        self.access = Access(container, tenant, viewer)
        """What the viewer may see and change."""
        self.graph = GraphExplorer(container, tenant)
        """The knowledge graph of the tenant."""

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
        other._bind(self.container, name, viewer or self.viewer)
        return other

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def settings(self) -> Settings:
        """The current settings."""
        return self.container.settings

    def adopt_settings(self, settings: Settings) -> None:
        """Use other settings of answers and chat models, for all tenants, from the next question on."""
        self.container.adopt(settings)

    @property
    def view(self) -> TenantView:
        """What is derived from the tenant's documents as they are now: what its questions run on."""
        return self.container.view(self.tenant)

    @property
    def asking(self) -> Asking:
        """What answers questions."""
        from ascertain.app.asking.asking import Asking

        return Asking(self.container, self.tenant, lambda: self.view.steps)

    @property
    def embedder(self) -> Embedder:
        """The embedding model of the settings; loaded on first use."""
        return self.container.models.embedder

    @property
    def service(self) -> ServiceStores:
        """What a service stores beside documents and conversations, for every tenant; opened on first use, also before
        the first document is added.
        """
        return self.container.service

    @property
    def research(self) -> ResearchDesk:
        """Research runs by several agents, and claims checked against the documents."""
        from ascertain.app.researching.desk import ResearchDesk

        return ResearchDesk(self.container, self.access, self)

    @property
    def sources(self) -> SourceDesk:
        """Sources that are synced repeatedly: folders, sites, mailboxes, repositories, file systems."""
        from ascertain.app.sources.desk import SourceDesk

        return SourceDesk(self.container, self.access)

    @property
    def jobs(self) -> JobDesk:
        """Background jobs: files, addresses and sources that are added while the caller goes on."""
        from ascertain.app.jobs.desk import JobDesk

        return JobDesk(self.container, self.access)

    @property
    def exists(self) -> bool:
        """Whether there is a knowledge base; the first ``add`` creates one."""
        return self.container.is_there

    @property
    def place(self) -> str:
        """Where the knowledge base is: its home, or the address on a server without secrets."""
        return self.container.place

    def set_up(self) -> None:
        """Create an empty knowledge base if there is none; the records of a service need one before the first document
        is added.
        """
        self.container.set_up()

    def create_schema(self) -> SchemaChange:
        """Set up an empty server for documents."""
        from ascertain.stores.registry import create_schema

        self.container.close()
        return create_schema(self.settings.store, self.container.home)

    def read_schema(self) -> SchemaChange:
        """What ``create_schema`` would do, without doing it."""
        from ascertain.stores.registry import read_schema

        return read_schema(self.settings.store, self.container.home)

    def check(self, repair: bool = False) -> HealthReport:
        """Look for damage in the store of all tenants; with ``repair`` rebuild what is wrong."""
        return self.container.store().check(repair)

    def reindex(self, model: str | None = None, listener: ReindexListener | None = None) -> int:
        """Recompute every vector with ``model`` (by default the one of the settings); how many chunks there were.

        Searches go on with the old vectors until the last new one is written. Interrupted, the same call continues.
        From then on ``models.embedder`` must name the new model.
        """
        from ascertain.app.container.reindexing import reindex

        return reindex(self.container, model, listener)

    def tag_topics(self, *, again: bool = False) -> int:
        """Give topics to the documents of all tenants that have none; how many documents changed.

        With ``again`` every document gets them, named by the chat model where there is one, within ``graph.model_calls`` and
        ``graph.model_budget_usd``.
        """
        from ascertain.app.container.reindexing import tag_topics

        return tag_topics(self.container, again=again)

    def close(self) -> None:
        """Release files and models; the instance opens them again when used again.

        One from ``as_tenant`` has nothing of its own to release: its parts are closed with the first instance.
        """
        if self._owns_container:
            self.container.close()

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

        chosen = load_profile(profile or self.settings.profile, self.settings.home / "profiles").name
        adding = open_adding(self.container, self.tenant)
        mixed = MixedAdding(adding, lambda: self.service, self.container.clock)
        options = adding.options(chosen, tuple(tags), conversation_id)
        with track_graph_upkeep(self.container, self.tenant) as graph:
            report = mixed.add(paths, options, sync=sync, listener=listener, defer_figures=defer_figures)
            return graph.complete_report(report, catches_up=True)

    def add_documents(self, documents: Iterable[Document], listener: IngestListener | None = None) -> IngestReport:
        """Put documents made by the caller into the knowledge base, replacing those with the same id.

        They become this tenant's, whatever tenant they name; one that named another gets the id that its source has
        here.
        """
        own = adopt_documents(documents, self.tenant)
        with track_graph_upkeep(self.container, self.tenant) as graph:
            return graph.complete_report(open_adding(self.container, self.tenant).documents(own, listener))

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
        view = self.view
        found = view.searcher.search(
            query, language, strategy=chosen, k=k, filter=visible_filter(filter, self.tenant), days_back=days_back
        )
        found = view.lower_unnamed(query, language, found)
        return view.widen_passages(found, context)

    def ask(self, question: str | AskRequest, **options: Unpack[AskOptions]) -> Answer:
        """A checked, cited answer, or a rejection that says what was searched; ``AskRequest`` says what each option
        means.

        A question sees the documents of no conversation and those fetched for its own. Raises UsageError as ``search``
        does.
        """
        return self.asking.ask(self._checked_request(question, options))

    def ask_stream(
        self, question: str | AskRequest, stop: Stop | None = None, **options: Unpack[AskOptions]
    ) -> Generator[Event]:
        """``ask`` as events: each step as it begins and ends, the checked text, last the whole answer.

        Raises RunStopped once ``stop`` is requested: a running step ends at its next model call.
        """
        return self.asking.stream(self._checked_request(question, options), stop)

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
        return self.view.analysing.stream(question, visible, days_back, read_pattern(pattern))

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
            self.access.check_unclaimed(conversation_id)

    def check_ready(self) -> None:
        """Raise UsageError when there are no documents yet."""
        self.container.check_ready(self.tenant)

    def document(self, document_id: str) -> Document | None:
        """A document with its text; None for an unknown id."""
        found = self.container.store().document(document_id)
        if found is None or found.tenant != self.tenant:
            return None
        return found if found.conversation_id is None or self.access.sees_conversation(found.conversation_id) else None

    def documents(self, filter: Filter = Filter()) -> list[DocumentRecord]:
        """The record of each document, failed ones included, in order of source."""
        return self.access.list_documents(filter)

    def delete(self, filter: Filter) -> int:
        """Delete the documents that ``filter`` selects; how many there were."""
        from ascertain.app.adding.uploads import delete_documents

        return delete_documents(self.container, self.access, filter)

    def stats(self) -> StoreStats:
        """Counts, sizes and the model the knowledge base was built with."""
        return self.container.store().stats(self.tenant)

    def ingest_runs(self) -> list[IngestRun]:
        """The latest runs that added documents, on whichever machine, last started first."""
        return self.container.ingest_log.runs(self.tenant)

    def count(self) -> int:
        """How many searchable chunks there are; the cheapest request to the store."""
        return self.container.store().count(self.tenant)

    def conversations(self) -> list[ConversationSummary]:
        """The stored conversations, last used first: the user's own, and those that are shared."""
        found = self.container.conversations.conversations(self.tenant)
        return [each for each in found if self.viewer.sees(each.label)]

    def label_conversation(self, conversation_id: str, name: str = "", is_pinned: bool = False) -> None:
        """Rename a conversation, an empty name stands for its first question; pinned ones are listed first."""
        self.access.change_label(conversation_id, name=name, is_pinned=is_pinned)

    def share_conversation(self, conversation_id: str, is_shared: bool) -> None:
        """Let all of the tenant read a conversation, or its owner alone; NotYours for a conversation of another user."""
        with self.access.audited("share_conversation" if is_shared else "unshare_conversation", conversation_id):
            self.access.change_label(conversation_id, is_shared=is_shared)

    def take_back(self, conversation_id: str, turn_id: str) -> int:
        """Delete a turn of a conversation and those after it, with their stored answers; how many there were."""
        from ascertain.app.asking.forgetting import take_back_turns

        with self.access.audited("delete_turns", f"{conversation_id}/{turn_id}"):
            self.access.check_own(conversation_id)
            return take_back_turns(self.container, self.tenant, conversation_id, turn_id)

    def conversation(self, conversation_id: str) -> list[TurnRecord]:
        """The turns of a conversation, oldest first; empty for an unknown conversation."""
        found = self.container.conversations.turns(conversation_id, self.tenant)
        return found if found and self.access.sees_conversation(conversation_id) else []

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

        with self.access.audited("delete_conversation", conversation_id):
            self.access.check_own(conversation_id)
            return forget_conversation(self.container, self.tenant, self.jobs, conversation_id)

    def feedback(self, answer_id: str, thumb: Thumb, comment: str = "") -> GivenAnswer:
        """Store feedback on an answer, replacing earlier feedback; UsageError for an unknown answer."""
        from ascertain.app.asking.feedback import judge_answer

        return judge_answer(self.container, self.access, answer_id, thumb, comment=comment)

    def given_feedback(self, answer_id: str) -> GivenAnswer | None:
        """The feedback on an answer; None if there is none."""
        given = self.service.feedback.get(answer_id, self.tenant)
        return given if given is not None and given.thumb is not None and self.viewer.owns(given.user) else None

    def feedback_summary(self) -> FeedbackSummary:
        """How answers were judged, by kind of question and strategy."""
        self.container.store()
        judged = self.service.feedback.judged(self.tenant)
        return summarise_feedback([each for each in judged if self.viewer.owns(each.user)])

    def drift(self, days: int = 7) -> Drift:
        """What changed in the answers of the last ``days`` against the time before, and what stayed without an answer."""
        from ascertain.app.asking.feedback import report_course

        return report_course(self.container, self.access, days)
