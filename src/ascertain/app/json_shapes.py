"""The JSON that the command line prints; documented in docs/json.md and pinned by a test.

Fields are only ever added here by an issue that says so. Dates are ISO 8601; spans are ``[start, end)`` in code points
of the stored text; scores of results lie in 0..1 and of confidence in 0..100.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from ascertain.core.answers import Answer, AnswerSentence, Citation, Decision
from ascertain.core.documents import DocumentRecord, Place
from ascertain.core.passages import Passage
from ascertain.core.settings_layers import LoadedSettings, flat
from ascertain.core.spans import Span

if TYPE_CHECKING:
    from ascertain.ingest.pipeline import IngestReport
    from ascertain.retrieval.search import SearchResult
    from ascertain.stores.ports import HealthReport, StoreStats

JsonObject = dict[str, object]
DIGITS = 6
"""Decimals kept of scores and seconds."""


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
        "seconds": _round(result.seconds),
    }


def answer_shape(answer: Answer) -> JsonObject:
    """``ask --json``, and each line of ``ask --batch``."""
    return {
        "question": answer.question,
        "answer": answer.text,
        "type": answer.type.value,
        "confidence": {"level": answer.confidence.level.value, "score": answer.confidence.score},
        "caveat": answer.confidence.caveat,
        "sentences": [_sentence(sentence) for sentence in answer.sentences],
        "citations": [_citation(citation) for citation in answer.citations],
        "strategy": answer.strategy.value,
        "attempts": answer.attempts,
        "decisions": [_decision(decision) for decision in answer.decisions],
        "usage": {
            "calls": answer.usage.calls,
            "input_tokens": answer.usage.input_tokens,
            "output_tokens": answer.usage.output_tokens,
            "cost_usd": answer.usage.cost_usd,
        },
        "conversation_id": answer.conversation_id,
        "seconds": _round(answer.seconds),
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
        "added_at": _date(record.added_at),
        "published_at": _date(record.published_at),
        "url": record.url,
        "author": record.author,
        "language": record.language,
        "tags": list(record.tags),
        "conversation_id": record.conversation_id,
        "duplicate_of": record.duplicate_of,
        "content_hash": record.content_hash,
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
        "seconds": _round(report.seconds),
        "embedding_seconds": _round(report.embedding_seconds),
    }


def stats_shape(stats: StoreStats) -> JsonObject:
    """``stats --json``."""
    return {
        "documents": stats.documents,
        "chunks": stats.chunks,
        "by_kind": dict(stats.by_kind),
        "by_profile": dict(stats.by_profile),
        "by_state": dict(stats.by_state),
        "embedding_model": stats.embedding_model,
        "dimension": stats.dimension,
        "bytes_on_disk": stats.bytes_on_disk,
        "earliest": stats.earliest,
        "latest": stats.latest,
    }


def health_shape(health: HealthReport) -> JsonObject:
    """``doctor --json``."""
    return {
        "healthy": not health.problems,
        "problems": list(health.problems),
        "facts": dict(health.facts),
    }


def settings_shape(loaded: LoadedSettings) -> JsonObject:
    """``config show --json``: every setting by dotted key, with its value and where it came from."""
    return {
        key: {"value": _plain(value), "origin": loaded.origins[key]}
        for key, value in flat(loaded.settings).items()
    }


def _result(rank: int, passage: Passage) -> JsonObject:
    chunk = passage.chunk
    return {
        "rank": rank,
        "chunk_id": chunk.id,
        "document_id": chunk.document_id,
        "title": chunk.title,
        "url": chunk.url,
        "published_at": _date(chunk.published_at),
        "score": _round(min(1.0, max(0.0, passage.score))),
        "scores": {name: _round(score) for name, score in passage.scores.items()},
        "text": chunk.text,
        "span": _span(chunk.span),
        "place": _place(chunk.place),
    }


def _sentence(sentence: AnswerSentence) -> JsonObject:
    return {
        "text": sentence.text,
        "verdict": sentence.verdict.label.value,
        "score": _round(sentence.verdict.score),
        "citations": list(sentence.citations),
    }


def _citation(citation: Citation) -> JsonObject:
    return {
        "n": citation.number,
        "document_id": citation.document_id,
        "title": citation.title,
        "url": citation.url,
        "published_at": _date(citation.published_at),
        "quote": citation.quote,
        "span": _span(citation.span),
        "place": _place(citation.place),
    }


def _decision(decision: Decision) -> JsonObject:
    return {
        "node": decision.node,
        "outcome": decision.outcome,
        "reason": decision.reason,
        "scores": {name: _round(score) for name, score in decision.scores.items()},
        "seconds": _round(decision.seconds),
    }


def _place(place: Place) -> JsonObject:
    return {
        "page": place.page,
        "section": list(place.section),
        "speaker": place.speaker,
        "start_time": place.start_time,
        "end_time": place.end_time,
        "label": place.label,
    }


def _span(span: Span) -> list[int]:
    return [span.start, span.end]


def _date(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None


def _plain(value: object) -> object:
    """A setting as JSON has it: paths and dates as text."""
    if isinstance(value, datetime):
        return value.isoformat()
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)


def _round(number: float) -> float:
    return round(float(number), DIGITS)
