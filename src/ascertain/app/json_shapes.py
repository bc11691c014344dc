"""The JSON that the command line prints; documented in docs/json.md and pinned by a test.

Fields are only ever added here by an issue that says so. Dates are ISO 8601; spans are ``[start, end)`` in code points
of the stored text; scores of results lie in 0..1 and of confidence in 0..100.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, cast

from ascertain.app.json_parts import JsonObject, date_json, place_json, rounded, span_json
from ascertain.app.store_addresses import without_secrets
from ascertain.core.documents import DocumentRecord
from ascertain.core.passages import Passage
from ascertain.core.profiling import CorpusProfile, DocumentProfile
from ascertain.core.settings_layers import LoadedSettings, flat

if TYPE_CHECKING:
    from ascertain.app.feedback import FeedbackSummary
    from ascertain.core.results import SearchResult
    from ascertain.core.settings import Settings
    from ascertain.ingest.pipeline import IngestReport
    from ascertain.stores.graph_ports import GraphCounts
    from ascertain.stores.ports import HealthReport, StoreStats
    from ascertain.stores.progress import IngestRun
    from ascertain.stores.schema import SchemaChange
    from ascertain.stores.service.feedback import GivenAnswer

_ADDRESSES = ("store.url", "store.conversations_url")


def search_shape(result: SearchResult) -> JsonObject:
    """``search --json``."""
    return {
        "query": result.query,
        "strategy": result.strategy.value,
        "results": [_result(rank, passage) for rank, passage in enumerate(result.passages, 1)],
        "confidence": {
            "level": result.confidence.level.value,
            "score": result.confidence.score,
            "caveat": result.confidence.caveat,
        },
        "seconds": rounded(result.seconds),
    }


def document_shape(record: DocumentRecord) -> JsonObject:
    """One element of ``documents --json``."""
    return {
        "id": record.id,
        "title": record.title,
        "kind": record.kind.value,
        "source": record.source,
        "state": record.state.value,
        "reason": record.reason,
        "chunks": record.chunks,
        "characters": record.characters,
        "profile": record.profile,
        "added_at": date_json(record.added_at),
        "published_at": date_json(record.published_at),
        "url": record.url,
        "author": record.author,
        "language": record.language,
        "tags": list(record.tags),
        "conversation_id": record.conversation_id,
        "duplicate_of": record.duplicate_of,
        "content_hash": record.content_hash,
        "document_profile": _document_profile(record.document_profile),
    }


def report_shape(report: IngestReport) -> JsonObject:
    """``add --json``."""
    return {
        "added": report.added,
        "changed": report.changed,
        "unchanged": report.unchanged,
        "deleted": report.deleted,
        "duplicates": report.duplicates,
        "chunks": report.chunks,
        "failures": [{"source": failure.source, "reason": failure.reason} for failure in report.failures],
        "notes": list(report.notes),
        "seconds": rounded(report.seconds),
        "embedding_seconds": rounded(report.embedding_seconds),
        "graph": {
            "documents": report.graph.documents,
            "names": report.graph.names,
            "mentions": report.graph.mentions,
            "relations": report.graph.relations,
        },
    }


def stats_shape(
    stats: StoreStats, place: str | None, runs: Sequence[IngestRun] = (), graph: GraphCounts | None = None
) -> JsonObject:
    """``stats --json``. Without ``place`` for somebody who need not know of the store, which may hold more than what is theirs."""
    return {
        "place": place or "",
        "documents": stats.documents,
        "chunks": stats.chunks,
        "by_kind": dict(stats.by_kind),
        "by_profile": dict(stats.by_profile),
        "by_state": dict(stats.by_state),
        "embedding_model": stats.embedding_model,
        "dimension": stats.dimension,
        "bytes_on_disk": None if place is None else stats.bytes_on_disk,
        "earliest": stats.earliest,
        "latest": stats.latest,
        "corpus": _corpus(stats.corpus),
        "runs": [_run(run) for run in runs],
        "graph": None
        if graph is None
        else {
            "documents": graph.documents,
            "names": graph.names,
            "mentions": graph.mentions,
            "relations": graph.relations,
        },
    }


def health_shape(health: HealthReport) -> JsonObject:
    """``doctor --json``."""
    return {
        "healthy": not health.problems,
        "problems": list(health.problems),
        "facts": dict(health.facts),
    }


def schema_shape(change: SchemaChange) -> JsonObject:
    """``db upgrade --json`` and ``db status --json``."""
    return {"before": change.before, "after": change.after, "steps": list(change.applied)}


def feedback_shape(given: GivenAnswer) -> JsonObject:
    """``feedback --json``."""
    return {"answer_id": given.answer_id, "thumb": given.thumb, "comment": given.comment}


def feedback_summary_shape(summary: FeedbackSummary) -> JsonObject:
    """``stats --feedback --json``."""
    rows = [
        {
            "question_kind": row.question_kind,
            "strategy": row.strategy,
            "judged": row.judged,
            "up": row.up,
            "share": rounded(row.share),
            "low": rounded(row.low),
            "high": rounded(row.high),
        }
        for row in summary.rows
    ]
    return {"judged": summary.judged, "up": summary.up, "rows": rows}


def settings_shape(loaded: LoadedSettings) -> JsonObject:
    """``config show --json``: every setting by dotted key, with its value and where it came from."""
    return {
        key: {"value": _plain(value), "origin": loaded.origins[key]}
        for key, value in shown_settings(loaded.settings).items()
    }


def shown_settings(settings: Settings) -> dict[str, object]:
    """Every setting by dotted key, without the passwords that addresses may hold."""
    return {
        key: without_secrets(value) if key in _ADDRESSES and isinstance(value, str) else value
        for key, value in flat(settings).items()
    }


def _document_profile(profile: DocumentProfile | None) -> JsonObject | None:
    if profile is None:
        return None
    return {
        "type": profile.type.value,
        "type_confidence": rounded(profile.type_confidence),
        "technical_density": rounded(profile.technical_density),
        "domains": list(profile.domains),
    }


def _run(run: IngestRun) -> JsonObject:
    return {
        "id": run.id,
        "engine": run.engine,
        "what": run.what,
        "state": run.state.value,
        "reason": run.reason,
        "started_at": date_json(run.started_at),
        "updated_at": date_json(run.updated_at),
        "bytes_done": run.bytes_done,
        "bytes_total": run.bytes_total,
        "chunks": run.chunks,
        "failures": run.failures,
    }


def _corpus(profile: CorpusProfile) -> JsonObject:
    density = profile.technical_density
    return {
        "profiled": profile.documents,
        "technical_density": None if density is None else rounded(density),
        "types": {name.value: rounded(share) for name, share in profile.types.items()},
        "domains": {name: rounded(share) for name, share in profile.domains.items()},
    }


def _result(rank: int, passage: Passage) -> JsonObject:
    chunk = passage.chunk
    return {
        "rank": rank,
        "chunk_id": chunk.id,
        "document_id": chunk.document_id,
        "title": chunk.title,
        "url": chunk.url,
        "published_at": date_json(chunk.published_at),
        "score": rounded(min(1.0, max(0.0, passage.score))),
        "scores": {name: rounded(score) for name, score in passage.scores.items()},
        "text": chunk.text,
        "span": span_json(chunk.span),
        "place": place_json(chunk.place),
    }


def _plain(value: object) -> object:
    """A setting as JSON has it: paths and dates as text."""
    if isinstance(value, tuple):
        return [_plain(each) for each in cast("tuple[object, ...]", value)]
    if isinstance(value, datetime):
        return value.isoformat()
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)
