"""Every answer that is given is noted with the features of its question, so that an opinion on it can be learned from (UI-6)."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, cast

from ascertain.core.answers import Answer
from ascertain.core.plans import Plan
from ascertain.retrieval.keywords import keywords
from ascertain.retrieval.timeframe import timeframe
from ascertain.stores.service.feedback import GivenAnswer
from ascertain.wire.shape import JsonObject

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ascertain.core.requests import AskRequest


def question_features(request: AskRequest, plan: Plan | None, now: datetime) -> JsonObject:
    """What the strategy for a question is chosen by, as ``question_kind`` and ``features``; JSON.

    ``exact`` is the share of identifiers and quotations among its telling words, ``names`` that of names.
    """
    words = keywords(request.question)
    telling = max(1, len(words.all))
    features: JsonObject = {
        "mode": request.mode,
        "words": len(request.question.split()),
        "exact": round(len(words.exact) / telling, 3),
        "names": round(len(words.names) / telling, 3),
        "has_dates": request.sets_dates or timeframe(request.question, now) is not None,
        "is_follow_up": bool(request.history),
    }
    if plan is None:
        return {"question_kind": "", "features": features}
    features |= {
        "intent": plan.intent.value,
        "type": plan.type.value,
        "complexity": plan.complexity.value,
        "parts": len(plan.sub_queries),
    }
    return {"question_kind": (plan.type if plan.searches else plan.intent).value, "features": features}


def given(answer: Answer, question: Mapping[str, object], now: datetime, tenant: str) -> GivenAnswer:
    """The note of an answer; ``question`` is what ``question_features`` made."""
    features = cast("Mapping[str, object]", question.get("features") or {})
    return GivenAnswer(
        answer_id=answer.id,
        answered_at=now,
        question=answer.question,
        answer_type=answer.type.value,
        strategy=answer.strategy.value,
        confidence=answer.confidence.score,
        question_kind=str(question.get("question_kind", "")),
        features={**features, "is_cached": answer.is_cached},
        conversation_id=answer.conversation_id,
        tenant=tenant,
    )
