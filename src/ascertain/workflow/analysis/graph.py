"""The graph of an analysis: find the documents of the period, read them all, combine, compare, report.

Wiring and thin nodes; the computing is in ``ascertain.reports.analysis``. The three patterns run the same nodes: in one pass all documents
are read at once, map-reduce reads batch by batch, and refinement does so with what is known so far shown to the chat model.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from enum import StrEnum
from functools import cache
from pathlib import PurePath
from typing import Any, TypedDict, cast

from langgraph.graph import END, START, StateGraph  # pyright: ignore[reportMissingTypeStubs]
from langgraph.runtime import Runtime  # pyright: ignore[reportMissingTypeStubs]

from ascertain.core.asking.answers import Decision
from ascertain.core.asking.passages import Filter
from ascertain.core.asking.requests import NodeFinished, NodeStarted
from ascertain.core.documents.documents import DocumentKind, DocumentRecord, DocumentState
from ascertain.core.reports.analysis import Coverage, DocumentMap, Findings, NarrativeSentence, Pattern
from ascertain.core.system.processor_time import count_processor_time
from ascertain.language.tokens import WORD
from ascertain.language.word_lists import load_pairs
from ascertain.questions.kinds.analysis import LATELY_DAYS, read_any_analysis, spell_out_period
from ascertain.questions.timeframe import BEGINNING, find_timeframe, last_days
from ascertain.reports.analysis.model_mapping import CONCURRENT
from ascertain.reports.analysis.reducing import compare_before, count_shares, reduce_maps
from ascertain.reports.analysis.subject import read_subject
from ascertain.retrieval.search.subjects import read_subject_names
from ascertain.workflow.analysis.steps import AnalysisContext, AnalysisRequest, ModelMapper, Scope

SINGLE_PASS, MAP_REDUCE = 50, 2_000
"""Documents up to which all are read at once, and up to which they are read batch by batch without the results so far."""
BATCH = 100
"""Documents read between two reports of progress."""
MODEL_BATCH = 8
"""The same with a chat model: about 6,000 tokens of articles in one prompt."""

FEWEST_RECENT = 3
"""Dated documents of the last days from which a question on how things are means those, however many are undated."""
_OF_NOW = re.compile(r"\W*(?:how\s+)?(?:is|are|['’]s)\b", re.IGNORECASE)
_MAILS = frozenset({".eml", ".mbox", ".msg", ".emlx"})
_SEARCHABLE = frozenset({DocumentState.INDEXED, DocumentState.DUPLICATE})


class Node(StrEnum):
    """The nodes, by the names that decisions carry."""

    SCOPE = "scope"
    READ = "read"
    REDUCE = "reduce"
    COMPARE = "compare"
    NARRATE = "narrate"


class AnalysisState(TypedDict):
    """What the nodes read and write; each reads only what those before it have set. ``read`` counts documents."""

    request: AnalysisRequest
    scope: Scope
    maps: tuple[DocumentMap, ...]
    read: int
    reused: int
    findings: Findings
    coverage: Coverage
    narrative: tuple[NarrativeSentence, ...]
    decisions: tuple[Decision, ...]


Update = dict[str, object]
Body = Callable[[AnalysisState, AnalysisContext], tuple[Update, str, str]]


def find_scope(state: AnalysisState, context: AnalysisContext) -> tuple[Update, str, str]:
    """What the question is about, its period, and every document in it."""
    request = state["request"]
    now = context.clock.now()
    asked = request.asked or read_any_analysis(request.question, request.language, now)
    profiles = context.profiles
    subject = read_subject(
        asked.focus,
        context.expand(asked.focus),
        profiles,
        lambda part: read_subject_names(part, profiles, request.language),
    )
    filter, is_default = _find_period(request, context, now)
    filter = _keep_material(request.question, filter, context)
    found = [each for each in context.store.documents(filter) if each.state in _SEARCHABLE]
    if is_default and not found:
        filter, is_default = request.filter, False
        found = [each for each in context.store.documents(filter) if each.state in _SEARCHABLE]
    within = {each.id for each in found}
    # a duplicate counts by the document it repeats; if that is outside the period it counts itself
    records = [each for each in found if each.duplicate_of is None or each.duplicate_of not in within]
    records.sort(key=lambda each: (each.published_at or BEGINNING, each.title, each.content_hash), reverse=True)
    undated = 0
    if filter.has_dates:
        open_filter = replace(filter, published_from=None, published_before=None)
        every = context.store.documents(open_filter)
        undated = sum(each.state in _SEARCHABLE and each.published_at is None for each in every)
    pattern = request.pattern or choose_pattern(records, context)
    scope = Scope(
        asked,
        subject,
        filter,
        pattern,
        tuple(records),
        len(found) - len(records),
        undated,
        _days_of(filter, now),
        is_default,
    )
    about = f" on “{subject.text}”" if subject.text else ""
    reason = f"{asked.kind.value}{about}, by {pattern.value.replace('_', ' ')}"
    return {"scope": scope, "maps": (), "read": 0, "reused": 0}, f"{len(found)} documents", reason


def _keep_material(question: str, filter: Filter, context: AnalysisContext) -> Filter:
    """The filter with the documents that the question calls by what they are ("the papers", "the minutes"), where there are any."""
    wanted = {
        material
        for word, material in load_pairs("analysis_questions", "materials").items()
        if word in _words_of(question)
    }
    if not wanted or filter.kinds or filter.document_ids:
        return filter
    records = [each for each in context.store.documents(filter) if each.state in _SEARCHABLE]
    own = tuple(each.id for each in records if wanted & _materials_of(each))
    return replace(filter, document_ids=own) if own and len(own) < len(records) else filter


def _words_of(question: str) -> frozenset[str]:
    return frozenset(word.lower() for word in WORD.findall(question))


def _materials_of(record: DocumentRecord) -> set[str]:
    """What a document is, by its kind, by what it was written as, and by its file."""
    written_as = record.document_profile.type.value if record.document_profile else ""
    is_mail = PurePath(record.source).suffix.lower() in _MAILS
    return {record.kind.value, written_as, *(("mail",) if is_mail else ())}


def choose_pattern(records: Sequence[DocumentRecord], context: AnalysisContext) -> Pattern:
    """By size, and with a chat model by the calls that are left too."""
    small = MODEL_BATCH if context.model is not None else SINGLE_PASS
    if len(records) <= small:
        return Pattern.SINGLE_PASS
    return Pattern.MAP_REDUCE if len(records) <= MAP_REDUCE else Pattern.REFINE


def read_documents(state: AnalysisState, context: AnalysisContext) -> tuple[Update, str, str]:
    """The next batch of documents, each mapped once; the stored map of an unchanged one is reused."""
    scope, start = state["scope"], state["read"]
    batch = scope.records[start : start + _batch_size(scope, context)]
    maps, reused = map_records(batch, scope, context, describe_so_far(state["maps"], scope))
    done = start + len(batch)
    update: Update = {"maps": (*state["maps"], *maps), "read": done, "reused": state["reused"] + reused}
    return update, f"{done} of {len(scope.records)}", f"{reused} known from before" if reused else "read"


def map_records(
    records: Sequence[DocumentRecord], scope: Scope, context: AnalysisContext, so_far: str = ""
) -> tuple[list[DocumentMap], int]:
    """The maps of these documents, and how many were stored before; documents whose text is gone are left out."""
    tenant, mapper = scope.filter.tenant, context.mapper
    version = mapper.version
    kept = context.cache.fetch({each.id: each.content_hash for each in records}, version, tenant)
    fresh: list[DocumentMap] = []
    for record in records:
        context.run.check_wanted()
        if record.id not in kept:
            document = context.store.document(record.id)
            if document is not None:
                fresh.append(mapper.map_document(document))
    if fresh:
        context.cache.keep(fresh, version, tenant)
    maps = {**kept, **{each.document_id: each for each in fresh}}
    if context.model is not None:
        maps |= _read_by_model(context.model, list(maps.values()), scope, context, so_far=so_far)
    return [maps[each.id] for each in records if each.id in maps], len(kept)


def _read_by_model(
    model: ModelMapper, maps: Sequence[DocumentMap], scope: Scope, context: AnalysisContext, *, so_far: str
) -> dict[str, DocumentMap]:
    """What the chat model reads of the documents on the subject; the map of one that it read before is reused."""
    subject, tenant = scope.subject, scope.filter.tenant
    own = [each for each in maps if subject.names_document(each)]
    version = f"{context.mapper.version}-{model.version}-{subject.text}"[:200]
    known = context.cache.fetch({each.document_id: each.content_hash for each in own}, version, tenant)
    left = [each for each in own if each.document_id not in known]
    shown = so_far if scope.pattern is Pattern.REFINE else ""
    read = model.read_documents(left, subject.text, context.run, shown) if left else {}
    if read:
        context.cache.keep(list(read.values()), version, tenant)
    return {**known, **read}


def reduce_documents(state: AnalysisState, context: AnalysisContext) -> tuple[Update, str, str]:
    """What the documents on the subject say together, and how much of the period was read."""
    scope, maps = state["scope"], state["maps"]
    readable = [each for each in maps if each.sentences]
    own = [each for each in readable if scope.subject.names_document(each)]
    findings = reduce_maps(own, scope.subject, scope.days)
    coverage = Coverage(
        found=len(scope.records) + scope.duplicates,
        read=len(maps) + scope.duplicates,
        duplicates=scope.duplicates,
        unreadable=len(maps) - len(readable),
        off_subject=len(readable) - len(own),
        on_subject=len(own),
        undated=scope.undated,
        by_model=sum(each.by_model for each in own),
        reused=state["reused"],
    )
    moods = ", ".join(f"{len(each.documents)} {each.mood.value}" for each in findings.shares)
    return {"findings": findings, "coverage": coverage}, f"{len(own)} on the subject", moods


def compare_periods(state: AnalysisState, context: AnalysisContext) -> tuple[Update, str, str]:
    """What changed against the period of the same length before."""
    scope = state["scope"]
    start, end = scope.filter.published_from, scope.filter.published_before
    if start is None or end is None or start <= BEGINNING or scope.days is None or not state["findings"].documents:
        return {}, "nothing", "no period before to compare with"
    filter = replace(scope.filter, published_from=start - (end - start), published_before=start)
    found = [each for each in context.store.documents(filter) if each.state in _SEARCHABLE]
    within = {each.id for each in found}
    records = [each for each in found if each.duplicate_of is None or each.duplicate_of not in within]
    # the chat model reads the period that is asked about; rules read the one before
    maps, _ = map_records(records, scope, replace(context, model=None))
    own = [each for each in maps if each.sentences and scope.subject.names_document(each)]
    days = (scope.days[0] - (scope.days[1] - scope.days[0]), scope.days[0])
    findings = compare_before(state["findings"], own, scope.subject, days)
    return {"findings": findings}, f"{len(own)} before", f"{days[0]} to {days[1] - timedelta(days=1)}"


def narrate_findings(state: AnalysisState, context: AnalysisContext) -> tuple[Update, str, str]:
    """Have the narrator write the findings."""
    if context.narrator is None:
        return {}, "nothing", "there is no narrator"
    question = state["request"].question
    narrative = context.narrator.narrate(
        question, state["scope"], state["coverage"], state["findings"], context.run, language=state["request"].language
    )
    parts = ", ".join(dict.fromkeys(each.part.value for each in narrative))
    return {"narrative": narrative}, f"{len(narrative)} sentences", parts or "figures and quotations alone are shown"


def after_reading(state: AnalysisState) -> Node:
    """Read on until nothing is left; each pass reads at least one document, so it ends."""
    return Node.READ if state["read"] < len(state["scope"].records) else Node.REDUCE


def describe_so_far(maps: Sequence[DocumentMap], scope: Scope) -> str:
    """What was read so far, in a line for a chat model; empty before the first batch."""
    own = [each for each in maps if scope.subject.names_document(each)]
    if not own:
        return ""
    shares = ", ".join(f"{len(each.documents)} {each.mood.value}" for each in count_shares(own))
    return f"{len(own)} documents so far: {shares}"


def _batch_size(scope: Scope, context: AnalysisContext) -> int:
    if scope.pattern is Pattern.SINGLE_PASS:
        return max(1, len(scope.records))
    if context.model is None:
        return BATCH
    # what was read so far is shown to the model only where it refines; else the calls of several batches go out together
    return MODEL_BATCH if scope.pattern is Pattern.REFINE else MODEL_BATCH * CONCURRENT


def _find_period(request: AnalysisRequest, context: AnalysisContext, now: datetime) -> tuple[Filter, bool]:
    """The filter with the dates of the question, or with the last days where none are named and most of the newest are articles of
    some time; and whether it is those.
    """
    filter = request.filter
    frame = find_timeframe(spell_out_period(request.question), request.language, now, request.days_back)
    if filter.has_dates:
        return filter, False
    if frame is not None and frame.is_explicit:
        return replace(filter, published_from=frame.start, published_before=frame.end), False
    records = [each for each in context.store.documents(filter) if each.state in _SEARCHABLE]
    # minutes and papers have a date but are not news: questions about them are about all
    dated = [each for each in records if each.published_at is not None and each.kind is DocumentKind.ARTICLE]
    window = last_days(LATELY_DAYS, now)
    recent = sum(window.start <= each.published_at < window.end for each in dated if each.published_at)
    is_news = len(dated) * 2 > len(records) or (recent >= FEWEST_RECENT and _OF_NOW.match(request.question))
    if not recent or not is_news:
        return filter, False
    return replace(filter, published_from=window.start, published_before=window.end), True


def _days_of(filter: Filter, now: datetime) -> tuple[date, date] | None:
    start, end = filter.published_from, filter.published_before
    if start is None or start <= BEGINNING:
        return None
    # a period that begins in the evening before, for the sake of dates at midnight UTC, is named by the day it belongs to
    first = start.date() if (start.hour, start.minute) == (0, 0) else start.astimezone(now.tzinfo).date()
    last = end.astimezone(now.tzinfo) - timedelta(microseconds=1) if end is not None else now
    return first, last.date() + timedelta(days=1)


@cache
def analysis_graph(narrates: bool) -> Any:
    """The compiled graph over ``AnalysisState``, run with an ``AnalysisContext``; ``narrates``: that has a narrator."""
    graph = cast(Any, StateGraph(AnalysisState, context_schema=AnalysisContext))
    bodies: dict[Node, Body] = {
        Node.SCOPE: find_scope,
        Node.READ: read_documents,
        Node.REDUCE: reduce_documents,
        Node.COMPARE: compare_periods,
    }
    if narrates:
        bodies[Node.NARRATE] = narrate_findings
    for node, body in bodies.items():
        graph.add_node(node.value, _record_node(node, body))
    graph.add_edge(START, Node.SCOPE)
    for before in (Node.SCOPE, Node.READ):
        graph.add_conditional_edges(before, after_reading, [Node.READ, Node.REDUCE])
    graph.add_edge(Node.REDUCE, Node.COMPARE)
    if narrates:
        graph.add_edge(Node.COMPARE, Node.NARRATE)
    graph.add_edge(Node.NARRATE if narrates else Node.COMPARE, END)
    return graph.compile()


def _record_node(node: Node, body: Body) -> Callable[[AnalysisState, Runtime[AnalysisContext]], Update]:
    """``body`` as LangGraph calls it: timed, its decision appended, sent to listeners."""

    def run_node(state: AnalysisState, runtime: Runtime[AnalysisContext]) -> Update:
        context = runtime.context
        runtime.stream_writer(NodeStarted(node.value))
        started, spent = time.perf_counter(), context.run.usage
        with count_processor_time():
            update, outcome, reason = body(state, context)
        own = Decision(node.value, outcome, reason, {}, time.perf_counter() - started)
        decisions = (*context.run.take_notes(), own)
        runtime.stream_writer(NodeFinished(node.value, decisions, (), context.run.usage.since(spent)))
        return {**update, "decisions": (*state["decisions"], *decisions)}

    return run_node
