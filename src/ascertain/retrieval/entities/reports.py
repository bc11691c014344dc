"""Reports of everything said about a thing: every place that names it, grouped by who says it and where, bounded (KG-2);
what it is named with; and how two things are connected, with the sentences behind each step.

Works in every store: by words alone where there is no graph, with the graph also under the other names of a thing.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from ascertain.core.asking.passages import Filter, Passage
from ascertain.core.asking.plans import Asks, EntityQuestion
from ascertain.core.asking.runs import Clock
from ascertain.core.documents.blocks import Span
from ascertain.core.documents.documents import DocumentKind
from ascertain.core.errors import StoreError
from ascertain.core.reports.overviews import EntityReport, Group
from ascertain.core.settings.profiles import Profile
from ascertain.graph.keys import is_typed_for, key_of
from ascertain.graph.linking import How, Linker
from ascertain.graph.snapshot import Snapshot
from ascertain.graph.snapshot_links import Link, find_path
from ascertain.language.tokens import may_name
from ascertain.language.word_lists import list_names, load_word_set
from ascertain.retrieval.entities.groups import (
    MOST_OF_THING,
    Beside,
    by_document,
    by_speaker,
    is_question,
    label_of,
    named_beside,
    score_statement,
)
from ascertain.retrieval.entities.mentions import (
    KnownName,
    Mentions,
    Statement,
    find_mentions,
    find_spoken,
    known_entity,
    known_name,
    names_one,
    narrow_passage,
    sentence_of_both,
    visible_chunks,
)
from ascertain.retrieval.query.prepared import prepare_question
from ascertain.stores.ports.chunks import CompleteStore

EXACT = 90
"""Confidence where the name itself stands in each place: they were compared word by word."""
LOOSE = 60
"""Where only the words of the name do."""
MOST_LINES = 24
"""Places quoted in one answer: two screens; the rest is counted."""
NEAREST = 5
"""Names of near spelling looked at for one that may be seen."""
MOST_NAMED = 3
"""Speakers suggested when another was asked for."""


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
        self,
        question: str,
        language: str,
        entity_question: EntityQuestion,
        filter: Filter = Filter(),
        days_back: int | None = None,
    ) -> EntityReport | None:
        """All that answers ``entity_question`` under ``filter`` and the dates that ``question`` asks for.

        None where nothing does; without groups where only others than the speaker asked about name it. Raises
        UsageError for ``days_back`` out of range.
        """
        prepared = prepare_question(
            question, language, profiles=self._profiles, clock=self._clock, filter=filter, days_back=days_back
        )
        asked = _drop_phrase(prepared.timeframe.phrase, entity_question) if prepared.timeframe else entity_question
        seen = _narrow_to_recordings(asked, prepared.filter)
        if seen is None or not (asked.subject or asked.speaker):
            return None
        if not asked.subject:
            return self._gather_spoken(asked, seen, language)
        linker, trouble = self._open_linker(filter.tenant)
        report = self._gather_report(asked, linker, seen, language)
        return replace(report, how=f"{report.how}; {trouble}") if report and trouble else report

    def _gather_spoken(self, asked: EntityQuestion, seen: Filter, language: str) -> EntityReport | None:
        found = find_spoken(self._store, asked.speaker, seen)
        told = self._told_once(found.statements)
        if not told:
            return None
        report = _build_report(replace(asked, subject=asked.speaker), told, found, None, filter=seen, language=language)
        return replace(report, question=asked, how=f"every place where “{asked.speaker}” speaks")

    def _open_linker(self, tenant: str) -> tuple[Linker | None, str]:
        """The graph, or why there is none: then words alone must do."""
        if self._graph is None:
            return None, ""
        try:
            return self._graph(tenant), ""
        except StoreError as error:
            return None, f"without the graph: {error}"

    def _gather_report(
        self, asked: EntityQuestion, linker: Linker | None, seen: Filter, language: str
    ) -> EntityReport | None:
        snapshot = linker.snapshot if linker else None
        if asked.asks is Asks.CONNECTION:
            return find_connection(self._store, snapshot, asked, seen, language=language)
        known = known_name(snapshot, asked.subject, seen) if snapshot else None
        if linker and linker.is_misspelt(asked.subject):
            return self._of_near_name(asked, linker, seen, language)
        mentions = find_mentions(self._store, asked.subject, known, seen, language=language)
        if not mentions.statements and linker and known is None:
            return self._of_near_name(asked, linker, seen, language)
        told = self._told_once(mentions.statements)
        if asked.asks is Asks.TOGETHER:
            return find_together(snapshot, asked, told, seen, language=language)
        if asked.speaker:
            own = _said_by(asked.speaker, told)
            if told and not own:
                return _by_others(asked, told, seen)
            # a question is not a statement about it
            told = [each for each in own if not is_question(each)] or own
        if not told:
            return None
        return _build_report(
            asked, told, replace(mentions, statements=tuple(told)), known, filter=seen, language=language
        )

    def _of_near_name(self, asked: EntityQuestion, linker: Linker, seen: Filter, language: str) -> EntityReport | None:
        """The report of the thing whose name is spelt nearly as the subject, or that it is short for, if nothing has
        exactly this name.
        """
        near = [thing for thing, match in linker.find(asked.subject, NEAREST) if match.how in {How.FUZZY, How.ALIAS}]
        visible_ones = [thing for thing in near if known_entity(linker.snapshot, thing, seen) is not None]
        if not visible_ones:
            return None
        name = visible_ones[0].label
        report = self._gather_report(replace(asked, subject=name), linker, seen, language)
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


def _said_by(speaker: str, told: Sequence[Statement]) -> list[Statement]:
    """What ``speaker`` says; if no one has this name, what the one speaker with a similar name says."""
    own = [each for each in told if may_name(each.place.speaker or "", speaker)]
    key = key_of(speaker)
    return own or [each for each in told if is_typed_for(key, key_of(each.place.speaker or ""))]


def _build_report(
    asked: EntityQuestion,
    told: Sequence[Statement],
    found: Mentions,
    known: KnownName | None,
    *,
    filter: Filter,
    language: str,
) -> EntityReport:
    is_of_thing = asked.asks is Asks.WORDS and not asked.spoken
    groups = by_document(told, asked, language) if is_of_thing else by_speaker(told, asked, language)
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
    """Nothing to quote, and other speakers to ask about instead."""
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


def _narrow_to_recordings(asked: EntityQuestion, filter: Filter) -> Filter | None:
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


MOST_OTHERS = 10
"""Things shown that something is named with."""
OF_OTHER = 2
"""Sentences quoted for each."""
ENOUGH = 3
"""Things known to be of the kind asked for, from which those of unknown kind are left out."""
PROVEN = 90
"""Confidence where sentences name both."""
UNPROVEN_KIND = 60
"""Confidence where things of unknown kind are shown, and a kind was asked for."""

_KINDS: Mapping[str, frozenset[str]] = {
    kind: load_word_set("entity_kinds", kind) for kind in list_names("entity_kinds")
}
"""Nouns of questions by the beginning of the entity types that profiles name."""


def find_together(
    snapshot: Snapshot | None, asked: EntityQuestion, told: Sequence[Statement], filter: Filter, *, language: str
) -> EntityReport | None:
    """What ``asked.subject`` is named with, the strongest links first; ``told`` are the sentences that name it.

    Without a graph nothing is known of what kind a name is, so only a question for names of any kind is answered then.
    """
    if snapshot is None and asked.kind:
        return None
    found = _of_kind(named_beside(snapshot, asked.subject, told, language), asked.kind)
    groups = _of_sentences(found[:MOST_OTHERS], asked, language)
    if not groups:
        return None
    how = f"what is named in one sentence with “{asked.subject}”"
    statements = [statement for each in found for statement in each.statements]
    hidden = max(0, len(found) - MOST_OTHERS)
    is_known = not asked.kind or all(each.kind for each in found[:MOST_OTHERS])
    confidence = PROVEN if is_known else UNPROVEN_KIND
    return build_report(asked, groups, statements, filter, confidence=confidence, how=how, hidden=hidden)


def best_of(statements: Iterable[Statement], limit: int, language: str) -> list[Statement]:
    """The most informative of them."""
    return sorted(statements, key=lambda each: (-score_statement(each, language), each.document.id, each.span))[:limit]


def build_report(
    asked: EntityQuestion,
    groups: Sequence[Group],
    statements: Sequence[Statement],
    filter: Filter,
    *,
    confidence: int,
    how: str,
    hidden: int = 0,
) -> EntityReport:
    """The report that rests on ``statements``, each a place of its own."""
    sources = {each.chunk.id: Passage(each.chunk, 1.0, origin="graph") for each in statements}
    return EntityReport(
        asked,
        tuple(groups),
        places=len({(each.document.id, each.span) for each in statements}),
        documents=len({each.document.id for each in statements}),
        speakers=len({each.place.speaker for each in statements} - {None}),
        hidden_groups=hidden,
        is_complete=True,
        confidence=confidence,
        sources=tuple(sources.values()),
        filter=filter,
        how=how,
    )


def _of_kind(found: Sequence[Beside], noun: str) -> list[Beside]:
    """Things of a kind; where there are few, also those of unknown kind; never things known to be something
    else.
    """
    if not noun:
        return list(found)
    kinds = tuple(kind for kind, nouns in _KINDS.items() if noun == kind or noun in nouns) or (noun,)
    told = [(each, each.kind.casefold().replace("z", "s")) for each in found]
    fitting = [each for each, kind in told if kind.startswith(kinds)]
    if len(fitting) >= ENOUGH:
        return fitting
    return [*fitting, *(each for each, kind in told if not kind)]


def _of_sentences(found: Sequence[Beside], asked: EntityQuestion, language: str) -> tuple[Group, ...]:
    """A group for each sentence or two: things in the same sentences are shown once."""
    names: dict[tuple[Statement, ...], list[Beside]] = {}
    for each in found:
        names.setdefault(tuple(best_of(each.statements, OF_OTHER, language)), []).append(each)
    return tuple(
        Group(
            ", ".join(label_of(None, each.label) for each in own),
            tuple(narrow_passage(statement, asked.subject) for statement in best),
            len({(s.document.id, s.span) for each in own for s in each.statements}) - len(best),
        )
        for best, own in names.items()
    )


OF_PAIR = 3
"""Sentences quoted that name both ends."""
MOST_BETWEEN = 2
"""Things shown that both ends are named with."""
BY_STEPS = {1: 90, 2: 70}
"""Confidence by the number of steps; each further one is a coincidence more likely."""
BY_MORE_STEPS = 50

Ends = tuple[str, str]


def find_connection(
    store: CompleteStore, snapshot: Snapshot | None, asked: EntityQuestion, filter: Filter, *, language: str
) -> EntityReport | None:
    """Both in one sentence; what each is named with in a sentence; or the shortest way through the graph. None where
    there is no way.
    """
    ends = (asked.subject, asked.other)
    sides = tuple(_find_naming(store, snapshot, end, filter, language=language) for end in ends)
    others = {(each.document.id, each.span) for each in sides[1]}
    both = [each for each in sides[0] if (each.document.id, each.span) in others]
    if both:
        passages = tuple(narrow_passage(each, " · ".join(ends)) for each in best_of(both, OF_PAIR, language))
        group = Group(_label_step(*ends), passages, len(both) - len(passages))
        return build_report(asked, (group,), both, filter, confidence=PROVEN, how="sentences that name both")
    return _by_what_is_between(snapshot, asked, (sides[0], sides[1]), filter, language=language) or (
        _by_steps(store, snapshot, asked, filter, language=language) if snapshot else None
    )


def _find_naming(
    store: CompleteStore, snapshot: Snapshot | None, end: str, filter: Filter, *, language: str
) -> list[Statement]:
    found = find_mentions(
        store, end, known_name(snapshot, end, filter) if snapshot else None, filter, language=language
    )
    return list(found.statements) if found.is_exact else []


def _by_what_is_between(
    snapshot: Snapshot | None,
    asked: EntityQuestion,
    sides: tuple[Sequence[Statement], Sequence[Statement]],
    filter: Filter,
    *,
    language: str,
) -> EntityReport | None:
    """Two steps: a thing that one sentence names with one end, and another with the other."""
    ends = (asked.subject, asked.other)
    beside: list[dict[object, Beside]] = [
        {each.key: each for each in named_beside(snapshot, end, told, language)}
        for end, told in zip(ends, sides, strict=True)
    ]
    shared = [(beside[0][key], beside[1][key]) for key in beside[0] if key in beside[1]]
    shared.sort(key=lambda pair: (-pair[0].weight * pair[1].weight, pair[0].label))
    groups: list[Group] = []
    behind: list[Statement] = []
    for left, right in shared[:MOST_BETWEEN]:
        for names, side in (((ends[0], left.label), left), ((right.label, ends[1]), right)):
            (best,) = best_of(side.statements, 1, language)
            named = narrow_passage(best, " · ".join((*ends, left.label)), f"names “{names[0]}” and “{names[1]}”")
            groups.append(Group(_label_step(*names), (named,), len(side.statements) - 1))
            behind += side.statements
    if not groups:
        return None
    how = f"both are named with {', '.join(left.label for left, _ in shared[:MOST_BETWEEN])}"
    return build_report(asked, groups, behind, filter, confidence=BY_STEPS[2], how=how)


def _by_steps(
    store: CompleteStore, snapshot: Snapshot, asked: EntityQuestion, filter: Filter, *, language: str
) -> EntityReport | None:
    start, end = snapshot.place(asked.subject), snapshot.place(asked.other)
    way = None if start is None or end is None else find_path(snapshot, start, end, visible_chunks(snapshot, filter))
    if way is None:
        return None
    things = [snapshot.at(entity) for entity in way.entities]
    names = [thing.label for thing in things]
    groups: list[Group] = []
    behind: list[Statement] = []
    for place, link in enumerate(way.links):
        pair = (names[place], names[place + 1])
        statements = _find_evidence(
            store, link, things[place].names, things[place + 1].names, filter=filter, language=language
        )
        if not statements:
            return None  # what cannot be shown is no step
        named = " · ".join((asked.subject, asked.other, *pair))
        groups.append(
            Group(
                _label_step(*pair),
                (narrow_passage(statements[0], named, _describe_link(link, pair)),),
                len(statements) - 1,
            )
        )
        behind += statements
    how = f"{len(way.links)} step{'' if len(way.links) == 1 else 's'}: {' — '.join(names)}"
    confidence = BY_STEPS.get(len(way.links), BY_MORE_STEPS)
    return build_report(asked, groups, behind, filter, confidence=confidence, how=how)


def _find_evidence(
    store: CompleteStore, link: Link, one: Sequence[str], other: Sequence[str], *, filter: Filter, language: str
) -> list[Statement]:
    """The sentences of a link that may be seen, those that name both first, else in the order of its evidence."""
    ids = tuple(dict.fromkeys(place.chunk_id for place in link.evidence))
    if filter.chunk_ids:
        ids = tuple(chunk_id for chunk_id in ids if chunk_id in filter.chunk_ids)
    chunks = {chunk.id: chunk for chunk in store.iterate_chunks(replace(filter, chunk_ids=ids))} if ids else {}
    found: dict[tuple[str, Span], Statement] = {}
    for place in link.evidence:
        chunk = chunks.get(place.chunk_id)
        each = sentence_of_both(store, chunk, place.sentence, one, other=other, language=language) if chunk else None
        if each is not None:
            found.setdefault((each.document.id, each.span), each)
    return sorted(
        found.values(),
        key=lambda each: not (names_one(each.text, one, language) and names_one(each.text, other, language)),
    )


def _label_step(one: str, other: str) -> str:
    return f"{label_of(None, one)} — {label_of(None, other)}"


def _describe_link(link: Link, names: Ends) -> str:
    predicates = f": {', '.join(link.predicates[:3])}" if link.predicates else ""
    return f"names “{names[0]}” and “{names[1]}”{predicates}"
