"""Finds the stories of a digest: the documents of a period, or those on a subject in it, each story once.

What counts as one story is single-link clustering of documents by the cosine of the passages that stand for them: a
first report, its copies and what came of it on the next day make one chain.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
from numpy.typing import NDArray

from ascertain.core.asking.passages import Filter, Passage, Strategy
from ascertain.core.asking.plans import DigestQuestion
from ascertain.core.asking.runs import Clock
from ascertain.core.documents.documents import Chunk, DocumentRecord, DocumentState
from ascertain.core.reports.overviews import FoundStories, Story
from ascertain.core.settings.profiles import Profile
from ascertain.language.word_lists import load_word_set
from ascertain.questions.aliases import expand_aliases
from ascertain.retrieval.query.prepared import prepare_question
from ascertain.retrieval.search.searcher import Searcher
from ascertain.retrieval.search.subjects import Mentions, OtherNames, SubjectNames, count_mentions, read_subject_names
from ascertain.stores.ports.chunks import CompleteStore, Vectors
from ascertain.stores.records.vectors import fetch_vectors

READ = 200
"""Documents of a period that are read, the newest: more stories than any digest shows."""
FOUND = 100
"""Passages that are searched for where there is a subject."""
ON_SUBJECT = 0.3
"""Score of a passage from which it is on the subject: below lie passages that share a word with it or are as near as
any other text of the field (by eye on twelve subjects of the development set of news).
"""
NAMED = 2
"""Times that a document names a subject from which it is on it, whatever the search makes of it; its title counts so much. A single
mention may be an aside.
"""
HALF_AS_GOOD = 0.5
"""Share of the best score that the one document of a digest by date has besides: it stands alone for the subject."""
SAME_STORY, SAME_REPORT = 0.72, 0.8
"""Cosine from which two documents tell one story, and from which they say the same (by eye on the development set of
news: a correction has 0.73 to what it corrects, a decision 0.72 to its reversal of the day after, two stories on one
company 0.67; two reports on one theft have 0.83, a market report 0.95 to that of the day before). Of a whole period a
story is shown once, of one subject its course.
"""
FURTHER_BACK = (30, 90, 365)
"""Days that are looked back where fewer hold nothing, before all of the time is."""

_FIGURES = load_word_set("digest_questions", "figures")
_SEARCHABLE = frozenset({DocumentState.INDEXED, DocumentState.DUPLICATE})
_UNDATED = datetime.min.replace(tzinfo=UTC)


class DigestFinder:
    """Finds stories in a store. Safe to share between threads."""

    def __init__(
        self,
        searcher: Searcher,
        store: CompleteStore,
        profiles: Sequence[Profile],
        clock: Clock,
        other_names: OtherNames | None = None,
    ) -> None:
        """``other_names`` gives all names of a thing of the graph."""
        self._searcher = searcher
        self._store = store
        self._profiles = profiles
        self._clock = clock
        self._other_names = other_names

    def find_stories(
        self, question: str, language: str, asked: DigestQuestion, filter: Filter, *, days_back: int | None = None
    ) -> FoundStories | None:
        """The stories that ``question`` asks for among what ``filter`` selects; None where there is none.

        Dates are those of the filter, else those that the words of the question ask for, else ``asked.days``. Only
        dated documents count, but for those of a conversation, whose dates their publishers may have left out. Raises
        StoreError, ModelError.
        """
        within = prepare_question(
            question, language, profiles=self._profiles, clock=self._clock, filter=filter, days_back=days_back
        ).filter
        missed, nothing_named = 0, True
        names = self._read_names(asked.focus, within.tenant, language)
        for days in self._list_periods(asked, within):
            period = replace(within, published_from=self._days_ago(days)) if days else within
            found = self._find_within(asked, language, period, names)
            if found is not None:
                return replace(found, missed_days=missed, is_none_sure=nothing_named)
            if not missed:
                missed, nothing_named = days, self._names_nothing(names, period)
        return None

    def _read_names(self, focus: str, tenant: str, language: str) -> SubjectNames:
        # of "bitcoin price" the subject is bitcoin
        bare = " ".join(word for word in focus.split() if word.casefold() not in _FIGURES) or focus
        others = self._other_names(bare, tenant) if self._other_names is not None and bare else ()
        return read_subject_names(bare, self._profiles, language, others)

    def _names_nothing(self, names: SubjectNames, period: Filter) -> bool:
        """Whether it is certain that no document of a period names a subject."""
        return names.is_known and not count_mentions(self._store, names, period).documents

    def _list_periods(self, asked: DigestQuestion, filter: Filter) -> tuple[int, ...]:
        """Days to look back, one after the other; 0 is no limit."""
        if filter.has_dates or not asked.days or filter.conversation_id is not None:
            return (0,)
        return (asked.days, *(days for days in FURTHER_BACK if days > asked.days), 0)

    def _days_ago(self, days: int) -> datetime:
        now = self._clock.now()
        return (now - timedelta(days=days)).replace(hour=0, minute=0, second=0, microsecond=0)

    def _find_within(
        self, asked: DigestQuestion, language: str, filter: Filter, names: SubjectNames
    ) -> FoundStories | None:
        is_checked = True
        if asked.focus:
            mentions = count_mentions(self._store, names, filter)
            passages, articles = self._search_subject(asked, language, filter, mentions)
            ids = {each.chunk.document_id for each in passages}
            is_checked = names.is_known and mentions.is_complete and ids == mentions.documents.keys()
        else:
            passages, articles = self._read_newest(filter)
        if not passages:
            return None
        # ties by what the documents say, not by an id, which depends on the folder that they lie in
        passages.sort(key=lambda each: (each.chunk.title, each.chunk.span.start, each.chunk.text))
        passages.sort(key=lambda each: (_published_at(each), each.score), reverse=asked.by_date != "oldest")
        if asked.by_date:
            stories = [Story(passages[0], 1)]
        elif asked.by_value:
            stories = [Story(each, 1) for each in passages]
        else:
            ids, vectors = fetch_vectors(self._store, [each.chunk.id for each in passages])
            articles -= len(passages) - len(ids)
            there = set(ids)
            passages = [each for each in passages if each.chunk.id in there]
            if not passages:
                return None
            groups = _group_stories(asked, passages, vectors)
            stories = [Story(passages[group[0]], len(group)) for group in groups]
        nearness = max(each.score for each in passages) if asked.focus else 1.0
        is_complete = len(passages) == articles and (not asked.focus or articles < FOUND)
        subject = expand_aliases(asked.focus, self._profiles).text
        return FoundStories(
            asked, subject, tuple(stories), articles, is_complete, 0, nearness, filter, is_checked, names.names
        )

    def _search_subject(
        self, asked: DigestQuestion, language: str, filter: Filter, mentions: Mentions
    ) -> tuple[list[Passage], int]:
        """The best passage of each document on the subject, and how many documents those are: what the search finds, and what names it
        in its title or ``NAMED`` times, by whichever of its names.
        """
        found = self._searcher.search(asked.focus, language, strategy=Strategy.HYBRID, k=FOUND, filter=filter).passages
        best: dict[str, Passage] = {}
        for passage in found:
            if passage.chunk.published_at is not None or filter.conversation_id is not None:
                best.setdefault(passage.chunk.document_id, passage)
        least = ON_SUBJECT
        if asked.by_date and best:
            least = max(least, HALF_AS_GOOD * max(each.score for each in best.values()))
        kept = {key: each for key, each in best.items() if each.score >= least}
        named = [key for key, count in mentions.documents.items() if count >= NAMED and key not in kept]
        kept |= {each.chunk.document_id: each for each in self._first_passages(named, filter)}
        return list(kept.values()), len(kept)

    def _first_passages(self, document_ids: Sequence[str], filter: Filter) -> list[Passage]:
        """The beginnings of dated documents, or of those of a conversation."""
        if not document_ids:
            return []
        first: dict[str, Chunk] = {}
        for chunk in self._store.iterate_chunks(replace(filter, document_ids=tuple(document_ids))):
            held = first.setdefault(chunk.document_id, chunk)
            if chunk.span.start < held.span.start:
                first[chunk.document_id] = chunk
        dated = (each for each in first.values() if each.published_at is not None or filter.conversation_id is not None)
        return [Passage(chunk, ON_SUBJECT, explanation="names the subject") for chunk in dated]

    def _read_newest(self, filter: Filter) -> tuple[list[Passage], int]:
        """The beginnings of the newest documents, and how many documents there are."""
        records = [record for record in self._store.documents(filter) if _counts(record, filter)]
        records.sort(key=lambda each: (each.title, each.content_hash))
        newest = sorted(records, key=lambda each: each.published_at or _UNDATED, reverse=True)[:READ]
        if not newest:
            return [], 0
        passages = self._first_passages([each.id for each in newest], filter)
        return [replace(each, score=1.0, explanation="of the period") for each in passages], len(records)


def _group_stories(asked: DigestQuestion, passages: Sequence[Passage], vectors: Vectors) -> list[list[int]]:
    """Indexes of the passages that tell one story, each group and all of them in the order of ``passages``, the groups
    with most reports first.
    """
    exact = vectors.astype(np.float64)
    alike: NDArray[np.float64] = exact @ exact.T
    groups = list(_link_alike(alike >= (SAME_REPORT if asked.focus else SAME_STORY)))
    leaders = [group[0] for group in groups]
    # what much else is like stands for the period; what is like nothing else is an aside in it
    central = alike[np.ix_(leaders, leaders)].mean(axis=1)

    def weigh_group(place: int) -> tuple[float, ...]:
        return -len(groups[place]), -passages[leaders[place]].score, -float(central[place]), place

    return [groups[place] for place in sorted(range(len(groups)), key=weigh_group)]


def _counts(record: DocumentRecord, filter: Filter) -> bool:
    return record.state in _SEARCHABLE and (record.published_at is not None or filter.conversation_id is not None)


def _published_at(passage: Passage) -> datetime:
    return passage.chunk.published_at or _UNDATED


def _link_alike(alike: NDArray[np.bool_]) -> Iterator[list[int]]:
    """The connected components of a symmetric relation, each and all in order of their first member."""
    left = set(range(len(alike)))
    for start in range(len(alike)):
        if start not in left:
            continue
        group, fresh = {start}, [start]
        left.discard(start)
        while fresh:
            place = fresh.pop()
            joined = {int(other) for other in np.flatnonzero(alike[place])} & left
            left -= joined
            group |= joined
            fresh += joined
        yield sorted(group)
