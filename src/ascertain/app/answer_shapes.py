"""Answers and the events of a run as JSON, and answers back from it; documented in docs/json.md and pinned by a test."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from ascertain.app.json_parts import (
    JsonObject,
    date_json,
    date_of,
    place_json,
    place_of,
    rounded,
    span_json,
)
from ascertain.core.answers import (
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
from ascertain.core.passages import Confidence, Level, Strategy, Way
from ascertain.core.spans import Span

if TYPE_CHECKING:
    from ascertain.core.results import Event


def answer_shape(answer: Answer) -> JsonObject:
    """``ask --json``, and each line of ``ask --batch``."""
    return {
        "question": answer.question,
        "standalone": answer.standalone,
        "answer": answer.text,
        "type": answer.type.value,
        "confidence": {"level": answer.confidence.level.value, "score": answer.confidence.score},
        "caveat": answer.confidence.caveat,
        "groundedness": None if answer.groundedness is None else rounded(answer.groundedness),
        "sentences": [_sentence(sentence) for sentence in answer.sentences],
        "citations": [_citation(citation) for citation in answer.citations],
        "strategy": answer.strategy.value,
        "attempts": answer.attempts,
        "decisions": [decision_shape(decision) for decision in answer.decisions],
        "usage": {
            **_spent(answer.usage),
            "tasks": {task.task: _spent(task) for task in answer.usage.tasks},
        },
        "conversation_id": answer.conversation_id,
        "seconds": rounded(answer.seconds),
        "id": answer.id,
        "is_cached": answer.is_cached,
    }


def event_shape(event: Event) -> JsonObject:
    """One line of ``ask --stream --json``."""
    from ascertain.core.results import AnswerText, Done, NodeStarted

    if isinstance(event, NodeStarted):
        return {"event": "node_started", "node": event.node}
    if isinstance(event, AnswerText):
        return {"event": "answer_text", "text": event.text}
    if isinstance(event, Done):
        return {"event": "done", "answer": answer_shape(event.answer)}
    decisions = [decision_shape(decision) for decision in event.decisions]
    return {"event": "node_finished", "node": event.node, "decisions": decisions}


def decision_shape(decision: Decision) -> JsonObject:
    """One element of an answer's decisions."""
    return {
        "node": decision.node,
        "outcome": decision.outcome,
        "reason": decision.reason,
        "scores": {name: rounded(score) for name, score in decision.scores.items()},
        "seconds": rounded(decision.seconds),
    }


def answer_of(shape: Mapping[str, object]) -> Answer:
    """An answer from its ``answer_shape``, as conversations keep it."""
    given = cast("Mapping[str, Any]", shape)
    confidence = given["confidence"]
    return Answer(
        question=given["question"],
        text=given["answer"],
        type=AnswerType(given["type"]),
        confidence=Confidence(Level(confidence["level"]), confidence["score"], given["caveat"]),
        sentences=tuple(_sentence_of(each) for each in given["sentences"]),
        citations=tuple(_citation_of(each) for each in given["citations"]),
        strategy=Strategy(given["strategy"]),
        attempts=given["attempts"],
        decisions=tuple(Decision(**each) for each in given["decisions"]),
        usage=Usage.of(TaskUsage(task, **spent) for task, spent in given["usage"]["tasks"].items()),
        conversation_id=given["conversation_id"],
        seconds=given["seconds"],
        groundedness=given["groundedness"],
        standalone=given["standalone"],
        # answers kept before these fields were there have neither
        id=given.get("id", ""),
        is_cached=given.get("is_cached", False),
    )


def _spent(usage: Usage | TaskUsage) -> JsonObject:
    return {
        "calls": usage.calls,
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cost_usd": rounded(usage.cost_usd),
    }


def _sentence(sentence: AnswerSentence) -> JsonObject:
    return {
        "text": sentence.text,
        "verdict": sentence.verdict.label.value,
        "score": rounded(sentence.verdict.score),
        "citations": list(sentence.citations),
    }


def _sentence_of(given: Mapping[str, Any]) -> AnswerSentence:
    verdict = Verdict(VerdictLabel(given["verdict"]), given["score"])
    return AnswerSentence(given["text"], verdict, tuple(given["citations"]))


def _citation(citation: Citation) -> JsonObject:
    return {
        "n": citation.number,
        "document_id": citation.document_id,
        "title": citation.title,
        "url": citation.url,
        "published_at": date_json(citation.published_at),
        "quote": citation.quote,
        "span": span_json(citation.span),
        "place": place_json(citation.place),
        "source": citation.source,
        "warning": citation.warning,
        "origin": citation.origin,
        "explanation": citation.explanation,
        "way": _way(citation.way),
    }


def _citation_of(given: Mapping[str, Any]) -> Citation:
    return Citation(
        number=given["n"],
        document_id=given["document_id"],
        title=given["title"],
        url=given["url"],
        published_at=date_of(given["published_at"]),
        quote=given["quote"],
        span=Span(*given["span"]),
        place=place_of(given["place"]),
        source=given["source"],
        warning=given["warning"],
        # answers kept before the graph have neither
        origin=given.get("origin", "passages"),
        explanation=given.get("explanation", ""),
        way=_way_of(given.get("way")),
    )


def _way(way: Way | None) -> JsonObject | None:
    if way is None:
        return None
    start = None if way.document_id is None else {"document_id": way.document_id, "title": way.title}
    return {"entities": [{"id": id, "name": name} for id, name in way.entities], "from": start}


def _way_of(given: Mapping[str, Any] | None) -> Way | None:
    if given is None:
        return None
    entities = tuple((each["id"], each["name"]) for each in given["entities"])
    start: Mapping[str, Any] | None = given["from"]
    return Way(entities) if start is None else Way(entities, start["document_id"], start["title"])
