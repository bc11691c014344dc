"""The JSON of ``migrate --json``; documented in docs/json.md and pinned by a test."""

from __future__ import annotations

from ascertain.app.json_parts import JsonObject, rounded
from ascertain.core.migration import Content, MigrationPlan, MigrationReport


def plan_shape(plan: MigrationPlan) -> JsonObject:
    """``migrate --dry-run --json``."""
    return {
        "source": plan.source,
        "target": plan.target,
        "embedding_model": plan.model,
        "dimension": plan.dimension,
        "target_exists": plan.target_exists,
        "target_documents": plan.target_documents,
        "tenants": [
            {
                "tenant": tenant.tenant,
                "documents": tenant.documents,
                "chunks": tenant.chunks,
                "conversations": tenant.conversations,
                "bytes": tenant.bytes,
                "present": tenant.present,
            }
            for tenant in plan.tenants
        ],
        "obstacles": list(plan.obstacles),
    }


def migration_shape(report: MigrationReport) -> JsonObject:
    """``migrate --json``, without the settings file."""
    return {
        "source": report.source,
        "target": report.target,
        "equal": not report.differences,
        "written": report.written,
        "unchanged": report.unchanged,
        "turns": report.turns,
        "graphs": report.graphs,
        "pins": report.pins,
        "keys": report.service.keys,
        "answers": report.service.answers,
        "files": report.service.files,
        "files_waiting": report.service.waiting,
        "left_out": [
            {"tenant": tenant, "conversation": conversation, "turn": turn}
            for tenant, conversation, turn in report.left_out
        ],
        "tenants": [
            {"tenant": proof.tenant, "source": _content(proof.source), "target": _content(proof.target)}
            for proof in report.tenants
        ],
        "differences": list(report.differences),
        "seconds": rounded(report.seconds),
    }


def _content(content: Content) -> JsonObject:
    return {
        "documents": content.documents,
        "chunks": content.chunks,
        "conversations": content.conversations,
        "turns": content.turns,
        "checksum": content.checksum,
        "conversation_checksum": content.conversation_checksum,
    }
