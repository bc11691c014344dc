"""Reports of all that is said of a thing: every place that names it, grouped by who says it and where, bounded (KG-2).

Works in every store: by words alone where there is no graph, with the graph also under the other names of a thing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from ascertain.core.documents import DocumentKind, Span
from ascertain.core.errors import StoreError
from ascertain.core.passages import Filter, Passage
from ascertain.core.plans import Asks, EntityQuestion
from ascertain.core.reports import EntityReport, Group
from ascertain.core.runs import Clock
from ascertain.core.settings.profiles import Profile
from ascertain.graph.linking import How, Linker
from ascertain.language.tokens import may_name
from ascertain.retrieval.entities.connections import find_connection, find_together
from ascertain.retrieval.entities.groups import MOST_OF_THING, by_document, by_speaker, label_of
from ascertain.retrieval.entities.mentions import (
    KnownName,
    Mentions,
    Statement,
    find_mentions,
    find_spoken,
    known_entity,
    known_name,
)
from ascertain.retrieval.query.question import prepare_question
from ascertain.stores.ports import CompleteStore

EXACT = 90
"""Confidence where the name itself stands in each place: they were compared word by word."""
LOOSE = 60
"""Where only the words of the name do."""
MOST_LINES = 24
"""Places quoted in one answer: two screens; the rest is counted."""
NEAREST = 5
"""Names of near spelling looked at for one that may be seen."""
MOST_NAMED = 3
"""Speakers named to whoever asked about another."""


class EntityReporter:
    """``graph`` gives what finds the things of a tenant's graph; None where there is none or it is not to be used."""

    def __init__(
        self, store: CompleteStore, graph: Callable[[str], Linker] | None, profiles: Sequence[Profile], clock: Clock
    ) -> None:
        self._store = store
        self._graph = graph
        self._profiles = profiles
        self._clock = clock

    def gather(
        self, question: str, entity_question: EntityQuestion, filter: Filter = Filter(), days_back: int | None = None
    ) -> EntityReport | None:
        """All that answers ``entity_question`` under ``filter`` and the dates that ``question`` asks for.

        None where nothing does; without groups where only others than the speaker asked about name it. Raises
        UsageError for ``days_back`` out of range.
        """
        prepared = prepare_question(
            question, profiles=self._profiles, clock=self._clock, filter=filter, days_back=days_back
        )
        asked = _drop_phrase(prepared.timeframe.phrase, entity_question) if prepared.timeframe else entity_question
        seen = _of_kind(asked, prepared.filter)
        if seen is None or not (asked.subject or asked.speaker):
            return None
        if not asked.subject:
            return self._gather_spoken(asked, seen)
        linker, trouble = self._open_linker(filter.tenant)
        report = self._gather_report(asked, linker, seen)
        return replace(report, how=f"{report.how}; {trouble}") if report and trouble else report

    def _gather_spoken(self, asked: EntityQuestion, seen: Filter) -> EntityReport | None:
        found = find_spoken(self._store, asked.speaker, seen)
        told = self._told_once(found.statements)
        if not told:
            return None
        report = _build_report(replace(asked, subject=asked.speaker), told, found, None, seen)
        return replace(report, question=asked, how=f"every place where “{asked.speaker}” speaks")

    def _open_linker(self, tenant: str) -> tuple[Linker | None, str]:
        """The graph, or why there is none to be had: then words alone must do."""
        if self._graph is None:
            return None, ""
        try:
            return self._graph(tenant), ""
        except StoreError as error:
            return None, f"without the graph: {error}"

    def _gather_report(self, asked: EntityQuestion, linker: Linker | None, seen: Filter) -> EntityReport | None:
        snapshot = linker.snapshot if linker else None
        if asked.asks is Asks.CONNECTION:
            return find_connection(self._store, snapshot, asked, seen)
        known = known_name(snapshot, asked.subject, seen) if snapshot else None
        mentions = find_mentions(self._store, asked.subject, known, seen)
        if not mentions.statements and linker and known is None:
            return self._of_near_name(asked, linker, seen)
        told = self._told_once(mentions.statements)
        if asked.asks is Asks.TOGETHER:
            return find_together(snapshot, asked, told, seen)
        if asked.speaker:
            own = [each for each in told if may_name(each.place.speaker or "", asked.speaker)]
            if told and not own:
                return _by_others(asked, told, seen)
            told = own
        if not told:
            return None
        return _build_report(asked, told, replace(mentions, statements=tuple(told)), known, seen)

    def _of_near_name(self, asked: EntityQuestion, linker: Linker, seen: Filter) -> EntityReport | None:
        """The report of the thing whose name is spelt nearly as the subject, where nothing is called quite so."""
        near = [thing for thing, match in linker.find(asked.subject, NEAREST) if match.how is How.FUZZY]
        visible_ones = [thing for thing in near if known_entity(linker.snapshot, thing, seen) is not None]
        if not visible_ones:
            return None
        name = visible_ones[0].label
        report = self._gather_report(replace(asked, subject=name), linker, seen)
        return report and replace(report, how=f"{report.how}; “{asked.subject}” is taken for “{name}”")

    def _told_once(self, statements: Iterable[Statement]) -> list[Statement]:
        """Without those of a document whose near-duplicate is among them."""
        found = list(statements)
        ids = tuple(dict.fromkeys(each.document.id for each in found))
        if not ids:
            return []
        records = self._store.documents(Filter(document_ids=ids, tenant=found[0].document.tenant))
        again = {record.id for record in records if record.duplicate_of in ids}
        return [each for each in found if each.document.id not in again]


def _build_report(
    asked: EntityQuestion, told: Sequence[Statement], found: Mentions, known: KnownName | None, filter: Filter
) -> EntityReport:
    is_of_thing = asked.asks is Asks.WORDS and not asked.spoken
    groups = by_document(told, asked) if is_of_thing else by_speaker(told, asked)
    most = MOST_OF_THING if is_of_thing else MOST_LINES
    shown: list[Group] = []
    for group in groups:
        if sum(len(each.passages) for each in shown) + len(group.passages) > most and shown:
            break
        shown.append(group)
    as_called = f", also called {', '.join(known.forms[:3])}" if known and len(known.forms) > 1 else ""
    sources = {each.chunk.id: Passage(each.chunk, 1.0) for each in told}
    return EntityReport(
        asked,
        tuple(shown),
        places=len({(each.document.id, each.unit) for each in told}),
        documents=_count_documents(told),
        speakers=len({each.place.speaker for each in told} - {None}),
        hidden_groups=len(groups) - len(shown),
        is_complete=found.is_complete,
        confidence=EXACT if found.is_exact else LOOSE,
        sources=tuple(sources.values()),
        filter=filter,
        how=f"every place that names “{asked.subject}”{as_called}",
    )


def _by_others(asked: EntityQuestion, told: Sequence[Statement], filter: Filter) -> EntityReport:
    """Nothing to quote, and who could be asked instead."""
    counts: dict[str, set[tuple[str, Span]]] = {}
    for each in told:
        counts.setdefault(each.place.speaker or "", set()).add((each.document.id, each.unit))
    named = sorted((name for name in counts if name), key=lambda name: (-len(counts[name]), name))
    first = ", ".join(label_of(name, "") for name in named[:MOST_NAMED])
    more = " and others" if len(named) > MOST_NAMED else ""
    return EntityReport(
        asked,
        (),
        places=sum(map(len, counts.values())),
        documents=_count_documents(told),
        speakers=len(named),
        hidden_groups=0,
        is_complete=True,
        confidence=0,
        sources=(),
        filter=filter,
        how=f"“{asked.subject}” is mentioned{f' by {first}' if first else ''}{more}, not by {asked.speaker}",
    )


def _count_documents(statements: Iterable[Statement]) -> int:
    return len({each.document.id for each in statements})


def _of_kind(asked: EntityQuestion, filter: Filter) -> Filter | None:
    """``filter`` for recordings alone where these are asked about; None when it leaves none."""
    if not asked.spoken:
        return filter
    if filter.kinds and DocumentKind.TRANSCRIPT not in filter.kinds:
        return None
    return replace(filter, kinds=(DocumentKind.TRANSCRIPT,))


def _drop_phrase(phrase: str, asked: EntityQuestion) -> EntityQuestion:
    """The question without words about time, which are dates for the filter."""
    pattern = re.compile(rf"[\s,]*\b{re.escape(phrase)}\b", re.IGNORECASE)
    return replace(
        asked, subject=pattern.sub("", asked.subject).strip(), speaker=pattern.sub("", asked.speaker).strip()
    )
