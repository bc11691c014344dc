"""The JSON of the command line does not change: each shape is pinned whole."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from ascertain.app.container.store_addresses import settings_without_secrets
from ascertain.app.wire.answers import describe_event
from ascertain.app.wire.conversations import TurnJson
from ascertain.app.wire.documents import SearchJson
from ascertain.app.wire.evaluation import TuningJson
from ascertain.app.wire.holdings import HealthJson, StatsJson, describe_settings
from ascertain.app.wire.migration import MigrationJson
from ascertain.core.asking.answers import (
    Answer,
    AnswerSentence,
    AnswerType,
    Citation,
    Decision,
    TaskUsage,
    Usage,
    Verdict,
    VerdictLabel,
)
from ascertain.core.asking.passages import Confidence, Filter, Level, NamedEntity, Passage, Strategy, Way, WayStart
from ascertain.core.asking.requests import (
    AnswerText,
    Done,
    NodeFinished,
    NodeStarted,
    SearchResult,
    StoredTurn,
    TurnRecord,
    TurnState,
)
from ascertain.core.documents.blocks import Figure, Place, Span
from ascertain.core.documents.documents import Chunk, DocumentKind, DocumentRecord, DocumentState
from ascertain.core.documents.ingest import Failure, GraphGain, IngestReport, IngestRun, RunState
from ascertain.core.documents.profiling import CorpusProfile, DocumentProfile, DocumentType
from ascertain.core.service.migration import (
    Content,
    CopiedService,
    MigrationPlan,
    MigrationReport,
    TenantPlan,
    TenantProof,
)
from ascertain.core.service.status import GraphCounts, HealthReport, SchemaChange, StoreStats
from ascertain.core.settings import load_settings
from ascertain.evaluation.experiments.tuning import AnswerTuning, Behaviour, FusionTuning, Tuning

DAY = datetime(2024, 12, 5, 14, 30, tzinfo=UTC)
PLACE = Place(page=3, section=("Results", "Ablation"), speaker="Ana", start_time=226.0, end_time=240.5)
PLACE_JSON = {
    "page": 3,
    "section": ["Results", "Ablation"],
    "speaker": "Ana",
    "start_time": 226.0,
    "end_time": 240.5,
    "part": None,
    "label": "Ana, 03:46, p. 3, Results › Ablation",
}


def a_passage(score: float = 0.75) -> Passage:
    chunk = Chunk(
        id="d1:10-20",
        document_id="d1",
        index=0,
        span=Span(10, 20),
        text="ten code p",
        heading="Title",
        title="Title",
        kind=DocumentKind.PAPER,
        source="a.pdf",
        place=PLACE,
        url="https://example.org/a",
        published_at=DAY,
    )
    return Passage(chunk, score, {"dense": 0.123456789, "lexical": 7.0}, explanation="meaning 12%")


def a_search_result(*passages: Passage) -> SearchResult:
    confidence = Confidence(Level.LOW, 35, "Few words match.")
    return SearchResult("q", Strategy.HYBRID, passages, confidence, Filter(), (), 0.0123456789)


def an_answer() -> Answer:
    return Answer(
        question="Q?",
        text="It is so.",
        type=AnswerType.SUMMARY,
        confidence=Confidence(Level.HIGH, 91),
        sentences=(AnswerSentence("It is so.", Verdict(VerdictLabel.SUPPORTED, 1.0), (1,)),),
        citations=(
            Citation(1, "d1", "Title", None, DAY, "It is so.", Span(4, 13), PLACE, "a.pdf", answer=Span(10, 12)),
        ),
        strategy=Strategy.SEMANTIC,
        decisions=(Decision("search", "8 passages", "hybrid search", {"confidence": 91.0}, 0.5),),
        conversation_id="c1",
        seconds=0.25,
        usage=Usage.of([TaskUsage("write", 2, 30, 12, 0.5)]),
        groundedness=1.0,
        standalone="Q of it?",
        id="a1",
        is_cached=True,
    )


def test_search_shape() -> None:
    assert SearchJson.from_noun(a_search_result(a_passage())).to_json() == {
        "query": "q",
        "strategy": "hybrid",
        "results": [
            {
                "rank": 1,
                "chunk_id": "d1:10-20",
                "document_id": "d1",
                "title": "Title",
                "url": "https://example.org/a",
                "published_at": "2024-12-05T14:30:00+00:00",
                "score": 0.75,
                "scores": {"dense": 0.123457, "lexical": 7.0},
                "explanation": "meaning 12%",
                "topics": [],
                "text": "ten code p",
                "span": [10, 20],
                "place": PLACE_JSON,
            }
        ],
        "confidence": {"level": "low", "score": 35, "caveat": "Few words match."},
        "seconds": 0.012346,
    }


def test_answer_shape() -> None:
    written = an_answer().to_json()
    # fields may be added; those that are there stay as they are
    assert written == written | {
        "question": "Q?",
        "standalone": "Q of it?",
        "answer": "It is so.",
        "type": "summary",
        "confidence": {"level": "high", "score": 91},
        "caveat": None,
        "groundedness": 1.0,
        "sentences": [
            {
                "text": "It is so.",
                "verdict": "supported",
                "score": 1.0,
                "citations": [1],
                "referent": "",
                "form": "text",
                "columns": [],
                "language": "",
            }
        ],
        "citations": [
            {
                "n": 1,
                "document_id": "d1",
                "title": "Title",
                "url": None,
                "published_at": "2024-12-05T14:30:00+00:00",
                "quote": "It is so.",
                "span": [4, 13],
                "place": PLACE_JSON,
                "source": "a.pdf",
                "warning": None,
                "origin": "passages",
                "explanation": "",
                "way": None,
                "answer": [10, 12],
                "figure": None,
            }
        ],
        "strategy": "semantic",
        "attempts": 1,
        "decisions": [
            {
                "node": "search",
                "outcome": "8 passages",
                "reason": "hybrid search",
                "scores": {"confidence": 91.0},
                "seconds": 0.5,
            }
        ],
        "usage": {
            "calls": 2,
            "input_tokens": 30,
            "output_tokens": 12,
            "cost_usd": 0.5,
            "tasks": {"write": {"calls": 2, "input_tokens": 30, "output_tokens": 12, "cost_usd": 0.5}},
        },
        "conversation_id": "c1",
        "seconds": 0.25,
        "id": "a1",
        "is_cached": True,
        "computation": None,
    }


def test_an_answer_comes_back_whole_from_its_shape() -> None:
    kept = json.loads(json.dumps(an_answer().to_json()))
    assert Answer.from_json(kept) == an_answer()
    of_an_earlier_version = {key: value for key, value in kept.items() if key not in {"id", "is_cached"}}
    assert Answer.from_json(of_an_earlier_version) == replace(an_answer(), id="", is_cached=False)


def test_a_citation_of_an_earlier_version_marks_no_words() -> None:
    kept = json.loads(json.dumps(an_answer().to_json()["citations"]))[0]
    assert Citation.from_json(kept) == an_answer().citations[0]
    del kept["answer"]
    assert Citation.from_json(kept) == replace(an_answer().citations[0], answer=None)


@pytest.mark.parametrize(
    ("way", "shape"),
    [
        (
            Way((NamedEntity("hal finney", "Hal Finney"),), WayStart("d2", "The first transaction")),
            {
                "entities": [{"id": "hal finney", "name": "Hal Finney"}],
                "from": {"document_id": "d2", "title": "The first transaction"},
            },
        ),
        (
            Way((NamedEntity("a", "A"), NamedEntity("b", "B"))),
            {"entities": [{"id": "a", "name": "A"}, {"id": "b", "name": "B"}], "from": None},
        ),
    ],
)
def test_way_of_the_graph_to_a_citation_comes_back_from_its_shape(way, shape) -> None:
    (citation,) = an_answer().citations
    found = replace(an_answer(), citations=(replace(citation, origin="graph", way=way),))
    kept = json.loads(json.dumps(found.to_json()))
    assert kept["citations"][0]["way"] == shape
    assert Answer.from_json(kept) == found


def test_event_shapes() -> None:
    decision = Decision("plan", "knowledge", "by rules")
    assert describe_event(NodeStarted("plan")).to_json() == {"event": "node_started", "node": "plan"}
    assert describe_event(NodeFinished("plan", (decision,))).to_json() == {
        "event": "node_finished",
        "node": "plan",
        "decisions": [{"node": "plan", "outcome": "knowledge", "reason": "by rules", "scores": {}, "seconds": 0.0}],
    }
    assert describe_event(AnswerText("It is so.")).to_json() == {"event": "answer_text", "text": "It is so."}
    done = describe_event(Done(an_answer())).to_json()
    assert done == {"event": "done", "answer": an_answer().to_json()}


def test_other_shapes() -> None:
    record = DocumentRecord(
        id="d1",
        title="T",
        kind=DocumentKind.PROSE,
        source="a.md",
        state=DocumentState.DUPLICATE,
        reason="same story as d0",
        content_hash="ab",
        chunks=2,
        characters=900,
        profile="docs",
        added_at=DAY,
        tags=("x",),
        duplicate_of="d0",
        document_profile=DocumentProfile(0.25, DocumentType.FAQ, 0.5, ("law",)),
    )
    assert record.to_json() == {
        "id": "d1",
        "title": "T",
        "kind": "prose",
        "source": "a.md",
        "state": "duplicate",
        "reason": "same story as d0",
        "chunks": 2,
        "characters": 900,
        "profile": "docs",
        "added_at": "2024-12-05T14:30:00+00:00",
        "published_at": None,
        "url": None,
        "author": None,
        "language": None,
        "tags": ["x"],
        "conversation_id": None,
        "duplicate_of": "d0",
        "content_hash": "ab",
        "document_profile": {"type": "faq", "type_confidence": 0.5, "technical_density": 0.25, "domains": ["law"]},
        "completeness": None,
    }
    assert replace(record, document_profile=None).to_json()["document_profile"] is None
    report = IngestReport(
        added=1,
        changed=2,
        unchanged=3,
        deleted=4,
        duplicates=5,
        chunks=6,
        failures=(Failure("b.pdf", "encrypted"),),
        seconds=1.5,
        embedding_seconds=1.25,
        notes=("a.md: given twice",),
        graph=GraphGain(1, 9, 12, 2),
    )
    assert report.to_json() == {
        "added": 1,
        "changed": 2,
        "unchanged": 3,
        "deleted": 4,
        "duplicates": 5,
        "chunks": 6,
        "failures": [{"source": "b.pdf", "reason": "encrypted"}],
        "notes": ["a.md: given twice"],
        "seconds": 1.5,
        "embedding_seconds": 1.25,
        "graph": {"documents": 1, "names": 9, "mentions": 12, "relations": 2},
        "skipped": {},
        "completeness": [],
        "figures": {
            "model": "",
            "described": 0,
            "remembered": 0,
            "waiting": 0,
            "waiting_tokens": 0,
            "waiting_usd": 0.0,
            "waiting_in": [],
            "reasons": [],
        },
    }
    stats = StoreStats(1, 2, {"prose": 1}, {"docs": 1}, {"indexed": 1}, "m", 384, 4096, None, "2024-12-05")
    assert StatsJson.from_counts(stats, "team.kb").to_json() == {
        "place": "team.kb",
        "documents": 1,
        "chunks": 2,
        "by_kind": {"prose": 1},
        "by_profile": {"docs": 1},
        "by_state": {"indexed": 1},
        "embedding_model": "m",
        "dimension": 384,
        "bytes_on_disk": 4096,
        "earliest": None,
        "latest": "2024-12-05",
        "corpus": {"profiled": 0, "technical_density": None, "types": {}, "domains": {}},
        "runs": [],
        "graph": None,
    }
    unknown = StatsJson.from_counts(stats, None).to_json()
    assert (unknown["place"], unknown["bytes_on_disk"], unknown["documents"]) == ("", None, 1)
    counts = GraphCounts(documents=3, chunks=9, names=5, mentions=12, relations=2, aliases=1)
    assert StatsJson.from_counts(stats, "team.kb", [], counts).to_json()["graph"] == {
        "documents": 3,
        "names": 5,
        "mentions": 12,
        "relations": 2,
    }
    run = IngestRun("r1", "ray", "docs/", DAY, DAY, RunState.FAILED, 10, 20, 3, 1, "the disk is full")
    assert StatsJson.from_counts(stats, "team.kb", [run]).to_json()["runs"] == [
        {
            "id": "r1",
            "engine": "ray",
            "what": "docs/",
            "state": "failed",
            "reason": "the disk is full",
            "started_at": "2024-12-05T14:30:00+00:00",
            "updated_at": "2024-12-05T14:30:00+00:00",
            "bytes_done": 10,
            "bytes_total": 20,
            "chunks": 3,
            "failures": 1,
        }
    ]
    profiles = [DocumentProfile(0.25, DocumentType.FAQ, 0.5, ("law",)), DocumentProfile(0.75, DocumentType.MANUAL, 0.5)]
    assert StatsJson.from_counts(replace(stats, corpus=CorpusProfile.of(profiles)), "team.kb").to_json()["corpus"] == {
        "profiled": 2,
        "technical_density": 0.5,
        "types": {"faq": 0.5, "manual": 0.5},
        "domains": {"law": 0.5},
    }
    assert SchemaChange(0, 1).to_json() == {"before": 0, "after": 1}
    health = HealthReport(("the index is torn",), {"disk": "1 GB free"})
    assert HealthJson.from_noun(health).to_json() == {
        "healthy": False,
        "problems": ["the index is torn"],
        "facts": {"disk": "1 GB free"},
    }


def test_shapes_of_a_migration() -> None:
    content = Content(42, 118, 2, 7, "0f3a", "91bc")
    side = {
        "documents": 42,
        "chunks": 118,
        "conversations": 2,
        "turns": 7,
        "checksum": "0f3a",
        "conversation_checksum": "91bc",
    }
    proofs = (TenantProof("default", content, content),)
    left_out = (("default", "c", "t"),)
    kept = CopiedService(2, 30, 4, 1, 3, 5)
    report = MigrationReport("a", "b", 40, 2, 7, 38, 1, kept, left_out, proofs, ("x differs",), 1.5)
    assert MigrationJson.from_report(report).to_json() == {
        "source": "a",
        "target": "b",
        "equal": False,
        "written": 40,
        "unchanged": 2,
        "turns": 7,
        "graphs": 38,
        "pins": 1,
        "keys": 2,
        "answers": 30,
        "notebooks": 3,
        "users": 5,
        "files": 4,
        "files_waiting": 1,
        "left_out": [{"tenant": "default", "conversation": "c", "turn": "t"}],
        "tenants": [{"tenant": "default", "source": side, "target": side}],
        "differences": ["x differs"],
        "seconds": 1.5,
        "settings_file": None,
    }
    tenant = TenantPlan("default", 42, 118, 2, 251_000, 3)
    assert MigrationPlan("a", "b", "m", 384, (tenant,), True, 5, ("in the way",)).to_json() == {
        "source": "a",
        "target": "b",
        "embedding_model": "m",
        "dimension": 384,
        "target_exists": True,
        "target_documents": 5,
        "tenants": [
            {"tenant": "default", "documents": 42, "chunks": 118, "conversations": 2, "bytes": 251_000, "present": 3}
        ],
        "obstacles": ["in the way"],
    }


def settings_shape(loaded):
    shapes = describe_settings(settings_without_secrets(loaded.settings), loaded.origins)
    return {key: shape.to_json() for key, shape in shapes.items()}


def test_settings_say_where_they_come_from(tmp_path: Path) -> None:
    loaded = load_settings(home=tmp_path, environ={"ASCERTAIN_RETRIEVAL__TOP_K": "7"}, arguments={"profile": "news"})
    shape = settings_shape(loaded)
    assert shape["retrieval.top_k"] == {"value": 7, "origin": "environment ASCERTAIN_RETRIEVAL__TOP_K"}
    assert shape["home"] == {"value": str(tmp_path), "origin": "argument --home"}
    assert shape["now"] == {"value": None, "origin": "default"}
    json.dumps(shape)


def test_settings_show_no_passwords(tmp_path: Path) -> None:
    environ = {
        "ASCERTAIN_STORE__URL": "postgresql://me:s3cret@db.example.org/knowledge?password=s3cret&sslmode=require",
        "ASCERTAIN_STORE__CONVERSATIONS_URL": "postgresql://:s3cret@db.example.org/talk",
    }
    shape = settings_shape(load_settings(home=tmp_path, environ=environ, arguments={}))
    assert "s3cret" not in json.dumps(shape)
    url = {"value": "postgresql://me@db.example.org/knowledge?sslmode=require"}
    assert shape["store.url"] == {**url, "origin": "environment ASCERTAIN_STORE__URL"}


@pytest.mark.parametrize(("score", "shown"), [(1.0000001, 1.0), (-0.1, 0.0), (0.5, 0.5)])
def test_scores_of_results_lie_between_0_and_1(score: float, shown: float) -> None:
    (result,) = SearchJson.from_noun(a_search_result(a_passage(score))).to_json()["results"]  # type: ignore[misc]
    assert result["score"] == shown


def test_answer_of_an_earlier_version_is_named_by_its_turn() -> None:
    kept = an_answer().to_json()
    del kept["id"], kept["is_cached"]
    outcome = StoredTurn("Q?", "It is so.", AnswerType.SUMMARY, DAY, answer=kept)
    turn = TurnJson.from_turn(TurnRecord("t1", "Q?", DAY, TurnState.FINISHED, outcome=outcome), None)
    assert turn.whole is not None
    assert (turn.whole.id, turn.whole.is_cached) == ("t1", False)


def test_fields_of_a_later_version_are_passed_over() -> None:
    later = {**an_answer().to_json(), "mood": "sunny"}
    assert Answer.from_json(later) == an_answer()


def test_shape_of_tuning() -> None:
    before, after = Behaviour(1.0, 0.25, 0.1, 0.2), Behaviour(0.8, None, None, None)
    values = {"answers.rejection_threshold": 41, "answers.calibration_slope": 1.234}
    answers = AnswerTuning(120, before, after, 0.0912345678, values)
    tuning = Tuning("questions", FusionTuning(60, 0.7, 0.74, {"retrieval.fusion.dense_weight": 1.0}), answers)
    shape = TuningJson.model_validate(TuningJson.read_attributes(tuning, written=None)).to_json()
    assert json.dumps(shape) == json.dumps({**asdict(tuning), "values": tuning.values, "written": None})


def test_a_citation_of_a_description_says_of_which_figure():
    figure = Figure("a" * 64, "openai:gpt-5-mini")
    citation = Citation(1, "d", "T", None, None, "A chart.", Span(0, 8), Place(), figure=figure)
    written = citation.to_json()
    assert written["figure"] == {"digest": "a" * 64, "model": "openai:gpt-5-mini"}
    assert Citation.from_json(written) == citation
