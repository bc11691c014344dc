"""The research of one knowledge base: runs started, resumed, listed, compared and deleted; single claims checked."""

from __future__ import annotations

import re
import uuid
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypedDict, TypeVar, Unpack

from ascertain.app.adding.uploads import RESEARCH_RUNS
from ascertain.app.asking.forgetting import forget_conversation
from ascertain.app.jobs.desk import JobDesk
from ascertain.app.researching.records import RunRecords
from ascertain.core.asking.answers import Citation, Usage
from ascertain.core.asking.passages import Filter
from ascertain.core.asking.requests import ConversationLabel
from ascertain.core.asking.runs import Budget, Run
from ascertain.core.errors import UsageError
from ascertain.core.reports.research import (
    DEFAULT_SOURCES,
    ClaimCheck,
    ClaimOrigin,
    ResearchDone,
    ResearchEvent,
    ResearchMode,
    ResearchRequest,
    ResearchRun,
    ResearchSource,
    ResearchState,
    ResearchSummary,
    RunComparison,
    compare_runs,
)
from ascertain.language.languages import question_language
from ascertain.workflow.question_text import check_question

if TYPE_CHECKING:
    from ascertain.app.access.viewers import Access
    from ascertain.app.container.container import Container
    from ascertain.app.researching.outside import Library, StoredOutside

BUDGETS = 4
"""Questions' budgets (``budget.*``) that a run may spend: it answers up to six sub-questions, writes and checks (by
judgement)."""
SHORTEST_SECONDS = 0.001
"""Left to a run that is resumed with its time used up: what can be left out then is."""
_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class CheckedClaim:
    """A checked claim, with the basis of its verdict."""

    check: ClaimCheck
    citations: tuple[Citation, ...]
    usage: Usage


class ResearchOptions(TypedDict, total=False):
    """What ``ResearchDesk.start`` takes as keyword arguments."""

    mode: ResearchMode | str
    sources: Sequence[ResearchSource | str] | None
    question: str
    run_id: str


class ResearchDesk:
    """The research of a tenant, as one viewer sees it; ``library`` is where pages are added to. Any number of threads may use it."""

    def __init__(self, container: Container, access: Access, library: Library) -> None:
        self._container = container
        self._access = access
        self._tenant = access.tenant
        self._library = library
        self._records = RunRecords(lambda: container.service.files, access.tenant)

    def start(
        self,
        subject: str,
        *,
        mode: ResearchMode | str = ResearchMode.QUICK,
        sources: Sequence[ResearchSource | str] | None = None,
        question: str = "",
        run_id: str = "",
    ) -> Generator[ResearchEvent]:
        """A new run on ``subject``, a question or the address of a page, as events; with a ``question`` about the page.

        Raises UsageError, before any work, for a subject that is empty, too long or an address that cannot be
        fetched, and for an unknown mode or source.
        """
        request = self._make_request(subject, mode, sources, question, run_id=run_id or uuid.uuid4().hex[:12])
        self._container.set_up()
        if request.sources == (ResearchSource.DOCUMENTS,):
            self._container.check_ready(self._tenant)
        if (user := self._access.viewer.user) is not None:
            self._container.conversations.claim(request.id, user, request.tenant)
        return self._stream_run(ResearchRun(request, self._container.clock.now()))

    def run(self, subject: str, **options: Unpack[ResearchOptions]) -> ResearchRun:
        """Run ``start`` to its end."""
        return finish_events(self.start(subject, **options))

    def resume(self, run_id: str) -> Generator[ResearchEvent]:
        """Resume a run after its last stored step; a finished one only yields its end."""
        run = self.show(run_id)
        self._access.check_own(run_id)
        return self._stream_run(run)

    def list_runs(self) -> list[ResearchSummary]:
        """The runs on record, the latest begun first: those of the user, and those that are shared."""
        if not self._container.is_there:
            return []
        labels = self._container.conversations.labels(self._tenant)
        viewer, nobodys = self._access.viewer, ConversationLabel()
        return [run for run in self._records.list_runs() if viewer.sees(labels.get(run.id, nobodys))]

    def show(self, run_id: str) -> ResearchRun:
        """A stored run; UsageError for an unknown id."""
        if not self._container.is_there or not self._access.sees_conversation(run_id):
            raise UsageError(f"there is no research run {run_id!r}")
        return self._records.get(run_id)

    def compare(self, one: str, other: str) -> RunComparison:
        """What two runs have in common and what only one of them found."""
        return compare_runs(self.show(one), self.show(other))

    def delete(self, run_id: str) -> int:
        """Delete a run, the documents fetched for it and the questions about them; how many documents there were."""
        self.show(run_id)
        container, access = self._container, self._access
        with access.audited("delete_research", run_id):
            access.check_own(run_id)
            documents = len(access.list_documents(Filter(conversation_id=run_id)))
            forget_conversation(container, self._tenant, JobDesk(container, access), run_id)
            self._records.delete(run_id)
        return documents

    def write_markdown(self, run: ResearchRun) -> str:
        """The report of a run as Markdown."""
        from ascertain.reports.research.report import render_markdown

        return render_markdown(run)

    def write_html(self, run: ResearchRun) -> str:
        """The report of a run as one page that loads nothing."""
        from ascertain.reports.research.report import render_html

        return render_html(run)

    def check_claim(self, claim: str, filter: Filter = Filter()) -> CheckedClaim:
        """Whether the documents say a claim, deny it, or neither; UsageError for an empty one."""
        from ascertain.app.asking.visibility import visible_filter
        from ascertain.app.researching.agents import build_agents
        from ascertain.reports.research.citations import RunCitations
        from ascertain.reports.research.claims import ClaimToCheck

        check_question(claim)
        self._container.check_ready(self._tenant)
        ledger = self._open_ledger(Usage(), 0.0)
        agents = build_agents(self._container.view(self._tenant), self._open_outside())
        citations = RunCitations((), agents.store.document)
        asked = ClaimToCheck(" ".join(claim.split()), ClaimOrigin.QUESTION)
        visible = visible_filter(filter, self._tenant)
        (checked,) = agents.claim_checker.check([asked], citations, ledger, visible, question_language(claim))
        return CheckedClaim(checked, citations.all, ledger.usage)

    def _make_request(
        self,
        subject: str,
        mode: ResearchMode | str,
        sources: Sequence[ResearchSource | str] | None,
        question: str,
        *,
        run_id: str,
    ) -> ResearchRequest:
        from ascertain.app.researching.outside import check_address

        if sources is None:
            sources = self._choose_sources(question or subject)
        if not sources:
            raise UsageError("research needs a source: documents, web or arxiv")
        chosen = tuple(dict.fromkeys(_read_name(ResearchSource, each, "source") for each in sources))
        kind = _read_name(ResearchMode, mode, "mode")
        text = subject.strip()
        is_address = _ADDRESS.match(text) is not None
        if is_address:
            check_address(text)
        if not is_address or question.strip():
            check_question(question if is_address else text)
        asked = " ".join((question if is_address else text).split())
        tenant = self._tenant
        return ResearchRequest(run_id, asked, text if is_address else None, kind, chosen, tenant)

    def _choose_sources(self, asked: str) -> tuple[ResearchSource, ...]:
        """Where a run looks by default."""
        from ascertain.reports.research.planning import is_about_papers

        use = self._container.settings.research.arxiv
        asks_arxiv = use == "always" or (use == "auto" and is_about_papers(asked))
        return (*DEFAULT_SOURCES, *((ResearchSource.ARXIV,) if asks_arxiv else ()))

    def _stream_run(self, run: ResearchRun) -> Generator[ResearchEvent]:
        """The events of a run; UsageError where it is already running, here or in another process."""
        if run.state is ResearchState.FINISHED:
            yield ResearchDone(run)
            return
        run_id, tenant, leases = run.request.id, self._tenant, self._container.service.leases
        if not leases.take(f"{RESEARCH_RUNS}{run_id}", tenant):
            raise UsageError(f"somebody works on research run {run_id} already; wait for its report, which is kept")
        try:
            # the previous owner may have made progress since it was read
            yield from self._work_on(self._records.find(run_id) or run)
        finally:
            leases.give_back(f"{RESEARCH_RUNS}{run_id}", tenant)

    def _work_on(self, run: ResearchRun) -> Generator[ResearchEvent]:
        from ascertain.app.researching.agents import build_agents
        from ascertain.workflow.research.graph import Context
        from ascertain.workflow.research.run import stream_research

        clock = self._container.clock
        if not run.steps:
            # before the models are loaded, which takes seconds: what was begun can be resumed from here on
            self._records.keep(run, clock.now())
        context = Context(
            agents=build_agents(self._container.view(self._tenant), self._open_outside()),
            ledger=self._open_ledger(run.usage, run.seconds),
            keep=lambda done: self._records.keep(done, clock.now()),
        )
        yield from stream_research(run, context)

    def _open_outside(self) -> StoredOutside:
        from ascertain.app.researching.outside import StoredOutside

        return StoredOutside(self._library, self._tenant, self._container.settings.web)

    def _open_ledger(self, spent: Usage, seconds: float) -> Run:
        """What is left of the limits after what a run spent before it was interrupted."""
        limits = self._container.settings.budget
        tokens = BUDGETS * limits.tokens - spent.input_tokens - spent.output_tokens
        return Run(
            Budget(
                max(0, BUDGETS * limits.calls - spent.calls),
                max(0, tokens),
                max(SHORTEST_SECONDS, BUDGETS * limits.seconds - seconds),
                max(0.0, BUDGETS * limits.usd - spent.cost_usd),
                f"the run's budget, {BUDGETS} times a question's less what was spent before,",
            )
        )


Named = TypeVar("Named", ResearchMode, ResearchSource)


def _read_name(kind: type[Named], given: str, what: str) -> Named:
    try:
        return kind(given)
    except ValueError:
        raise UsageError(f"no {what} {given!r}; choose from {', '.join(kind)}") from None


def finish_events(events: Generator[ResearchEvent]) -> ResearchRun:
    """The run at the end of its events."""
    (run,) = [event.run for event in events if isinstance(event, ResearchDone)]
    return run
