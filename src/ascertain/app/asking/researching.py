"""Looking for articles outside: asks the news providers, reads the pages, adds them to a conversation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from ascertain.core.asking.answers import Decision
from ascertain.core.asking.passages import Filter
from ascertain.core.asking.runs import Clock, Run, SystemClock
from ascertain.core.documents.documents import Document
from ascertain.core.errors import AscertainError
from ascertain.core.settings import Settings
from ascertain.core.settings.profiles import load_profiles
from ascertain.core.system.plugins import NEWS, require_plugin
from ascertain.models.ports import Embedder
from ascertain.stores.ports.chunks import CompleteStore
from ascertain.workflow.ask.steps import WebFindings, WebRequest

if TYPE_CHECKING:
    from ascertain.documents.sources.news.articles import Reading
    from ascertain.documents.sources.news.chain import Findings
    from ascertain.documents.sources.news.ports import NewsQuery
    from ascertain.documents.sources.web.fetching import Fetcher

SECONDS = 25
"""Longest time for all of one search outside, as someone waits for the answer (by judgement)."""
SEARCHING = 0.6
"""Share of ``SECONDS`` for the providers; reading pages has the rest and what the search leaves.

A page takes a second or two, a search that tries again after a refusal several.
"""
BATCH = 5
"""Articles added at once; between batches the time is looked at."""
_SHOWN_PROBLEMS = 3
"""Problems with pages that the record names one by one."""


PASSING = "fetched-for-one-question"
"""Tag of an article without a conversation, deleted after ``cache.hours``."""
KEPT_HOURS = 1.0
"""Least time for which it is stored: longer than any question takes that is answered from it (by judgement)."""


def forget_expired(store: CompleteStore, tenant: str, hours: float, now: datetime | None = None) -> int:
    """Delete the articles fetched for questions outside any conversation that were added ``hours`` ago or before, and
    ``KEPT_HOURS`` at the least; how many.
    """
    latest = (now or datetime.now(UTC)) - timedelta(hours=max(hours, KEPT_HOURS))
    passing = Filter(tags=(PASSING,), tenant=tenant)
    old = tuple(record.id for record in store.documents(passing) if record.added_at <= latest)
    return store.delete(replace(passing, document_ids=old)) if old else 0


@dataclass(frozen=True, slots=True)
class Place:
    """Where the articles found are stored."""

    store: CompleteStore
    embedder: Embedder


class NewsResearcher:
    """The ``Researcher`` of the workflow, for one knowledge base. Safe to use from several threads.

    ``environ`` holds the providers' keys; ``open_fetcher`` takes the place of the guarded client. Raises
    ConfigurationError for an unknown provider.
    """

    def __init__(
        self,
        settings: Settings,
        place: Callable[[], Place],
        clock: Clock,
        environ: Mapping[str, str],
        open_fetcher: Callable[[], Fetcher] | None = None,
    ) -> None:
        for name in settings.news.providers:
            require_plugin(NEWS, name, "news.providers")
        self._settings = settings
        self._place = place
        self._clock = clock
        self._environ = environ
        self._given_fetcher = open_fetcher

    @property
    def providers(self) -> tuple[str, ...]:
        """The providers it asks; empty when none is set."""
        return self._settings.news.providers

    @property
    def is_fallback(self) -> bool:
        """``news.fallback``."""
        return self._settings.news.fallback

    def count(self, conversation_id: str, tenant: str) -> int:
        """How many documents a conversation has so far."""
        return len(self._fetch_hashes(conversation_id, tenant))

    def find_held(self, words: Sequence[str], conversation_id: str, tenant: str) -> tuple[str, ...]:
        """See ``Researcher.find_held``."""
        store, own = self._place().store, Filter(conversation_id=conversation_id, tenant=tenant)
        return tuple(word for word in words if store.lexical({f'"{word}"' if " " in word else word: 1.0}, 1, own))

    def _fetch_hashes(self, conversation_id: str, tenant: str) -> dict[str, str]:
        """Content hash by id of what a conversation has."""
        wanted = Filter(conversation_id=conversation_id, tenant=tenant)
        return {record.id: record.content_hash for record in self._place().store.documents(wanted)}

    def fetch(self, request: WebRequest, run: Run) -> WebFindings:
        """See ``Researcher.fetch``."""
        # what reads the web takes a while to import, so it waits for the first search
        from ascertain.documents.formats.reader import ReadLimits, ReadOptions
        from ascertain.documents.sources.news.articles import read_articles
        from ascertain.documents.sources.news.chain import NewsChain, is_in_range
        from ascertain.documents.sources.news.ports import Around, open_providers
        from ascertain.documents.sources.web.fetching import Deadline

        news = self._settings.news
        forget_expired(self._place().store, request.tenant, self._settings.cache.hours)
        deadline = Deadline(min(SECONDS, run.seconds_left))
        query = self._build_query(request)
        with closing(self._open_fetcher()) as fetcher:
            around = Around(news, fetcher, self._environ, SystemClock())
            chain = NewsChain(open_providers(around), self._clock)
            findings = chain.search(query, deadline.seconds * SEARCHING)
            run.check_wanted()
            tags = (PASSING,) if request.is_passing else ()
            options = ReadOptions(
                tags=tags,
                tenant=request.tenant,
                conversation_id=request.conversation_id,
                limits=ReadLimits.of(self._settings.ingest.reading),
            )
            pages = fetcher if self._settings.web.fetch_pages else None
            reading = read_articles(findings.articles, options, pages, deadline.left())
        fitting = [d for d in reading.documents if is_in_range(d.published_at, query, self._clock.now())]
        there = self._fetch_hashes(request.conversation_id, request.tenant)
        new = [document for document in fitting if there.get(document.id) != document.content_hash]
        added, problem = self._add_documents(new, run)
        return _describe_findings(findings, reading, added, problem)

    def _open_fetcher(self) -> Fetcher:
        from ascertain.documents.sources.web.guarded_client import GuardedClient

        return self._given_fetcher() if self._given_fetcher else GuardedClient(self._settings.web)

    def _build_query(self, request: WebRequest) -> NewsQuery:
        from ascertain.documents.sources.news.calling import word_query
        from ascertain.documents.sources.news.chain import AHEAD, beginning_of
        from ascertain.documents.sources.news.ports import NewsQuery

        news, now = self._settings.news, self._clock.now()
        since, until = request.since, request.until
        if since is None and until is None:
            range = request.time_range or news.time_range
            since = now - timedelta(days=request.days_back) if request.days_back else beginning_of(range, now)
            # for a question as of a past day, the newest articles of the services are of no use
            until = now + AHEAD if now + AHEAD < SystemClock().now() else None
        return NewsQuery(
            text=word_query(request.query, request.about),
            limit=request.max_articles or news.max_articles,
            since=since,
            until=until,
            language=news.language,
        )

    def _add_documents(self, documents: Sequence[Document], run: Run) -> tuple[list[str], str]:
        """Ids of what is in the knowledge base now, and the problems."""
        # what reads documents takes a while to import too
        from ascertain.documents.ingest.pipeline import Ingestor

        place = self._place()
        profiles = load_profiles(self._settings.home / "profiles")
        ingestor = Ingestor(place.store, place.embedder, self._settings.ingest, profiles)
        added: list[str] = []
        for start in range(0, len(documents), BATCH):
            batch = documents[start : start + BATCH]
            run.check_wanted()
            if start and run.is_out_of_time:
                left = len(documents) - start
                return added, f"{left} articles were not added: the time is up (budget.seconds)"
            try:
                report = ingestor.add_documents(batch)
            except AscertainError as error:
                return added, f"articles could not be added: {error}"
            failed = {failure.source for failure in report.failures}
            added += [document.id for document in batch if document.source not in failed]
        return added, ""


def _describe_findings(findings: Findings, reading: Reading, added: Sequence[str], problem: str) -> WebFindings:
    """What was done, as one line and as decisions: one for each provider, one for what could not be read or stored."""
    decisions = [
        Decision("provider", report.provider, report.problem or _format_count(report.articles), {}, report.seconds)
        for report in findings.reports
    ]
    if reading.problems:
        named = "; ".join(reading.problems[:_SHOWN_PROBLEMS])
        more = (
            f"; and {len(reading.problems) - _SHOWN_PROBLEMS} more" if len(reading.problems) > _SHOWN_PROBLEMS else ""
        )
        decisions.append(Decision("pages", f"{len(reading.problems)} not read", f"{named}{more}"))
    if problem:
        decisions.append(Decision("add", "not all kept", problem))
    asked = ", ".join(
        f"{report.provider} {'failed' if report.problem else f'found {report.articles}'}" for report in findings.reports
    )
    return WebFindings(tuple(added), f"{asked}; {len(added) or 'nothing'} new", tuple(decisions))


def _format_count(number: int) -> str:
    return f"{number} article{'' if number == 1 else 's'}"
