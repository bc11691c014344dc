"""The attributes of each span of a question, by the OpenInference conventions; plain data, without OpenTelemetry.

Texts (questions, answers, passages, the reasons of steps, which quote them) are only there with ``telemetry.content``.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from openinference.semconv.trace import (
    DocumentAttributes,
    OpenInferenceMimeTypeValues,
    OpenInferenceSpanKindValues,
    RerankerAttributes,
    SpanAttributes,
)

from ascertain.core.asking.answers import Answer, Decision, TaskUsage
from ascertain.core.asking.passages import Passage
from ascertain.core.asking.runs import Task
from ascertain.core.settings import Settings
from ascertain.models.chat.structured import model_names
from ascertain.retrieval.reranking import MOST_RERANKED

Attributes = dict[str, str | int | float | bool]
Kind = OpenInferenceSpanKindValues

KINDS: Mapping[str, Kind] = {
    "gather": Kind.RETRIEVER,
    "retrieve": Kind.RETRIEVER,
    "judge": Kind.EVALUATOR,
    "check": Kind.EVALUATOR,
    "evaluate": Kind.EVALUATOR,
    "reject": Kind.GUARDRAIL,
    "web": Kind.TOOL,
}
"""Steps that are not plain links of the chain."""

RERANK = "rerank"
"""The decision that shows a reranker's work."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as it is traced."""

    question: str
    answer_id: str
    conversation_id: str | None
    tenant: str
    mode: str


def asked_attributes(asked: Asked, with_content: bool) -> Attributes:
    """Of the span of the whole question, at its start."""
    about = {"answer_id": asked.answer_id, "mode": asked.mode, "tenant": asked.tenant}
    attributes: Attributes = {**_kind_attribute(Kind.CHAIN), SpanAttributes.METADATA: json.dumps(about)}
    if asked.conversation_id is not None:
        attributes[SpanAttributes.SESSION_ID] = asked.conversation_id
    if with_content:
        attributes |= _text_attributes(SpanAttributes.INPUT_VALUE, SpanAttributes.INPUT_MIME_TYPE, asked.question)
    return attributes


def answer_attributes(answer: Answer, with_content: bool) -> Attributes:
    """Of the same span, at its end."""
    attributes: Attributes = {
        "ascertain.answer.type": answer.type.value,
        "ascertain.answer.strategy": answer.strategy.value,
        "ascertain.answer.confidence": answer.confidence.score,
        "ascertain.answer.attempts": answer.attempts,
        "ascertain.answer.citations": len(answer.citations),
        "ascertain.answer.is_cached": answer.is_cached,
    }
    if answer.groundedness is not None:
        attributes["ascertain.answer.groundedness"] = answer.groundedness
    if with_content:
        attributes |= _text_attributes(SpanAttributes.OUTPUT_VALUE, SpanAttributes.OUTPUT_MIME_TYPE, answer.text)
    return attributes


def node_attributes(node: str, before: str | None) -> Attributes:
    """Of a step's span, at its start; ``before`` is the step before it."""
    attributes: Attributes = {
        **_kind_attribute(KINDS.get(node, Kind.CHAIN)),
        SpanAttributes.GRAPH_NODE_ID: node,
        SpanAttributes.GRAPH_NODE_NAME: node,
    }
    if before is not None:
        attributes[SpanAttributes.GRAPH_NODE_PARENT_ID] = before
    return attributes


def decision_attributes(decision: Decision, with_content: bool) -> Attributes:
    """Of the same span, at its end: scores, and with content what was decided and why."""
    attributes: Attributes = {f"ascertain.score.{name}": score for name, score in decision.scores.items()}
    if with_content:
        outcome = f"{decision.outcome} ({decision.reason})" if decision.reason else decision.outcome
        attributes |= _text_attributes(SpanAttributes.OUTPUT_VALUE, SpanAttributes.OUTPUT_MIME_TYPE, outcome)
    return attributes


def passage_attributes(passages: Sequence[Passage], settings: Settings, with_content: bool) -> Attributes:
    """Of a retriever's span: what it found, best first, by id of the chunk, and the model its meaning was searched with."""
    attributes: Attributes = {}
    if any("dense" in passage.scores for passage in passages):
        attributes[SpanAttributes.EMBEDDING_MODEL_NAME] = settings.models.embedder
    for index, passage in enumerate(passages):
        name = f"{SpanAttributes.RETRIEVAL_DOCUMENTS}.{index}"
        attributes[f"{name}.{DocumentAttributes.DOCUMENT_ID}"] = passage.chunk.id
        attributes[f"{name}.{DocumentAttributes.DOCUMENT_SCORE}"] = passage.score
        attributes[f"{name}.{DocumentAttributes.DOCUMENT_METADATA}"] = json.dumps(
            {"document_id": passage.chunk.document_id}
        )
        if with_content:
            attributes[f"{name}.{DocumentAttributes.DOCUMENT_CONTENT}"] = passage.chunk.text
    return attributes


def reranker_attributes(decision: Decision, settings: Settings, with_content: bool) -> Attributes:
    """Of the work of a reranker inside a step."""
    return {
        **_kind_attribute(Kind.RERANKER),
        RerankerAttributes.RERANKER_MODEL_NAME: settings.models.reranker,
        RerankerAttributes.RERANKER_TOP_K: MOST_RERANKED,
        **decision_attributes(decision, with_content),
    }


def usage_attributes(usage: TaskUsage, settings: Settings) -> Attributes:
    """Of the calls of a chat model for one task inside a step."""
    name = model_names(settings.models.chat).get(Task(usage.task), "")
    provider, _, model = name.rpartition(":")
    attributes: Attributes = {
        **_kind_attribute(Kind.LLM),
        SpanAttributes.LLM_TOKEN_COUNT_PROMPT: usage.input_tokens,
        SpanAttributes.LLM_TOKEN_COUNT_COMPLETION: usage.output_tokens,
        SpanAttributes.LLM_TOKEN_COUNT_TOTAL: usage.input_tokens + usage.output_tokens,
        SpanAttributes.METADATA: json.dumps({"task": usage.task, "calls": usage.calls}),
    }
    if model:
        attributes[SpanAttributes.LLM_MODEL_NAME] = model
    if provider:
        attributes[SpanAttributes.LLM_PROVIDER] = provider
    if usage.cost_usd:
        attributes[SpanAttributes.LLM_COST_TOTAL] = usage.cost_usd
    return attributes


def _kind_attribute(kind: Kind) -> Attributes:
    return {SpanAttributes.OPENINFERENCE_SPAN_KIND: kind.value}


def _text_attributes(value_name: str, type_name: str, text: str) -> Attributes:
    return {value_name: text, type_name: OpenInferenceMimeTypeValues.TEXT.value}
