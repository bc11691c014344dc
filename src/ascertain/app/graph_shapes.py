"""The JSON of the knowledge graph: what ``ascertain graph ... --json`` prints and the service answers; docs/json.md has examples."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ascertain.app.json_parts import JsonObject, date_json, place_json, rounded, span_json
from ascertain.core.graph_results import (
    BuildEstimate,
    BuildReport,
    CommunitiesView,
    CommunityView,
    Decided,
    EntityView,
    Evidence,
    FoundEntities,
    GraphStats,
    LinkView,
    Merges,
    Neighbourhood,
    PathView,
)

if TYPE_CHECKING:
    from ascertain.app.graph_exporting import ExportReport


def entity_json(entity: EntityView) -> JsonObject:
    """An entity wherever one is named."""
    return {
        "id": entity.id,
        "name": entity.name,
        "kind": entity.kind,
        "aliases": list(entity.aliases),
        "mentions": entity.mentions,
        "documents": entity.documents,
    }


def evidence_json(evidence: Evidence) -> JsonObject:
    """A sentence, as a citation without a number."""
    citation, relation = evidence.citation, evidence.relation
    return {
        "chunk_id": evidence.chunk_id,
        "document_id": citation.document_id,
        "title": citation.title,
        "url": citation.url,
        "published_at": date_json(citation.published_at),
        "quote": citation.quote,
        "span": span_json(citation.span),
        "place": place_json(citation.place),
        "source": citation.source,
        "relation": None
        if relation is None
        else {
            "subject": relation.subject,
            "predicate": relation.predicate,
            "object": relation.object,
            "origin": relation.origin,
        },
    }


def graph_stats_shape(stats: GraphStats) -> JsonObject:
    """``graph stats --json``."""
    return {
        "enabled": stats.enabled,
        "extractor": stats.extractor,
        "documents": stats.documents,
        "chunks": stats.chunks,
        "entities": stats.entities,
        "mentions": stats.mentions,
        "relations": stats.relations,
        "links": stats.links,
        "behind": stats.behind,
        "by_kind": dict(stats.by_kind),
        "top": [entity_json(entity) for entity in stats.top],
    }


def entities_shape(found: FoundEntities) -> JsonObject:
    """``graph entities --json``."""
    return {
        "query": found.query,
        "entities": [
            {**entity_json(one.entity), "how": one.how, "score": rounded(one.score)} for one in found.entities
        ],
        "total": found.total,
    }


def neighbourhood_shape(found: Neighbourhood) -> JsonObject:
    """``graph entity --json``."""
    return {
        **entity_json(found.entity),
        "merges": [{"name": merge.name, "reason": merge.reason} for merge in found.merges],
        "neighbours": [{"entity": entity_json(link.entity), **_link(link)} for link in found.neighbours],
        "total_neighbours": found.total_neighbours,
        "between": [
            {"left": one.left, "right": one.right, "weight": rounded(one.weight)} for one in found.between
        ],
        "passages": [evidence_json(passage) for passage in found.passages],
        "total_passages": found.total_passages,
        "in_documents": [
            {
                "document_id": one.document_id,
                "title": one.title,
                "source": one.source,
                "mentions": one.mentions,
            }
            for one in found.documents
        ],
    }


def path_shape(path: PathView) -> JsonObject:
    """``graph path --json``."""
    return {
        "from": entity_json(path.start),
        "to": entity_json(path.end),
        "paths": [
            {
                "entities": [entity_json(entity) for entity in way.entities],
                "steps": [_link(step) for step in way.steps],
            }
            for way in path.ways
        ],
    }


def communities_shape(found: CommunitiesView) -> JsonObject:
    """``/v1/graph/communities``."""
    return {
        "level": found.level,
        "levels": found.levels,
        "total": found.total,
        "communities": [_community(one) for one in found.communities],
    }


def build_shape(report: BuildReport) -> JsonObject:
    """``graph build --json``."""
    return {
        "extractor": report.extractor,
        "read": report.read,
        "removed": report.removed,
        "left": report.left,
        "documents": report.holds,
        "names": report.names,
        "mentions": report.mentions,
        "relations": report.relations,
        "notes": list(report.notes),
        "seconds": rounded(report.seconds),
    }


def estimate_shape(work: BuildEstimate) -> JsonObject:
    """``graph build --estimate --json``."""
    return {
        "extractor": work.extractor,
        "documents": work.documents,
        "chunks": work.chunks,
        "gone": work.gone,
        "calls": work.calls,
        "tokens": work.tokens,
        "usd": work.usd,
        "stops": work.stops,
    }


def export_shape(report: ExportReport) -> JsonObject:
    """``graph export --json``."""
    return {
        "file": report.file,
        "format": report.format,
        "entities": report.entities,
        "links": report.links,
    }


def decided_shape(decided: Decided) -> JsonObject:
    """``graph merge --json`` and ``graph split --json``."""
    return {
        "left": decided.left,
        "right": decided.right,
        "same": decided.same,
        "reason": decided.reason,
        "made_at": date_json(decided.made_at),
        "holds": decided.holds,
    }


def merges_shape(merges: Merges) -> JsonObject:
    """``graph merges --json``."""
    return {
        "decided": [decided_shape(one) for one in merges.decided],
        "merged": [
            {
                "left": one.left,
                "right": one.right,
                "reason": one.reason,
                "title": one.title,
                "refused": one.is_refused,
            }
            for one in merges.merged
        ],
    }


def _community(community: CommunityView) -> JsonObject:
    return {
        "id": community.id,
        "level": community.level,
        "parent": community.parent,
        "label": community.label,
        "size": community.size,
        "documents": community.documents,
        "entities": [entity_json(entity) for entity in community.entities],
        "summary": community.summary,
        "evidence": [evidence_json(one) for one in community.evidence],
    }


def _link(link: LinkView) -> JsonObject:
    return {
        "weight": rounded(link.weight),
        "sentences": link.sentences,
        "evidence": [evidence_json(one) for one in link.evidence],
        "predicates": list(link.predicates),
    }
