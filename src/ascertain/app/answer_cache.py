"""The answer cache: an answer is given again to the same question while the documents it could rest on are the same (OP-3).

Kept is what was checked and cited. Rejections and greetings are not, nor what needed the world outside, nor what was made with a part
missing: a model that did not answer, a budget that ran out. ``wording`` says when two questions are the same, ``answer_scope`` what
else must be equal. Before an answer is given again, its quotes are compared with the stored text.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING

import numpy as np

from ascertain.app.answer_scope import reach_of, scope_of
from ascertain.app.wording import wording
from ascertain.core.answers import Answer, AnswerType, Citation, Decision, Usage
from ascertain.core.filters import Filter
from ascertain.stores.service.answers import CachedAnswer
from ascertain.wire.answers import AnswerJson

if TYPE_CHECKING:
    from ascertain.app.opened import Opened
    from ascertain.core.requests import AskRequest
    from ascertain.wire.shape import JsonObject

NODE = "cache"
MOST_ANSWERS = 5000
"""Kept of each tenant; the oldest go first (by judgement, not measured)."""
_KEPT_TYPES = frozenset(
    {AnswerType.SUMMARY, AnswerType.FOLLOWUP_ANSWER, AnswerType.ANALYSIS, AnswerType.REPORT}
)
_OUTSIDE = "web"
"""The step that searches outside; what it finds is seen by one conversation only."""


@dataclass(frozen=True, slots=True)
class CacheKey:
    """Where an answer is kept: ``reach`` is what the question may see, ``corpus`` the fingerprint of that when it was asked."""

    scope: str
    words: str
    reach: Filter
    corpus: str


@dataclass(frozen=True, slots=True)
class Recalled:
    """An answer as if it had just been given, and what was kept along with it."""

    answer: Answer
    question: Mapping[str, object]


class RememberedAnswers:
    """The answers of one tenant that may be given again."""

    def __init__(self, opened: Opened, tenant: str) -> None:
        self._opened = opened
        self._tenant = tenant
        self._settings = opened.settings.cache

    def key(self, request: AskRequest) -> CacheKey | None:
        """Where the answer to ``request`` belongs; None where none is kept."""
        if not self._settings.answers or request.mode != "documents":
            return None
        words = wording(request.question)
        if not words:
            return None
        store = self._opened.store()
        reach = reach_of(request, store)
        scope = scope_of(request, self._opened.settings, self._opened.clock.now(), reach)
        return CacheKey(scope, words, reach, store.fingerprint(reach))

    def recall(self, key: CacheKey, request: AskRequest) -> Recalled | None:
        """The answer kept for ``key``, if it still holds, as the answer to ``request``."""
        kept = self._opened.service().answers.get(key.scope, key.words, self._tenant)
        if kept is None or kept.corpus != key.corpus or self._is_too_old(kept):
            return None
        answer = AnswerJson.model_validate(kept.answer).to_answer()
        likeness = self._likeness(answer.question, request.question)
        if likeness < self._settings.similarity or not self._still_stands(answer.citations):
            return None
        decision = Decision(
            NODE,
            "given again",
            f"“{answer.question}” was answered on {kept.stored_at:%Y-%m-%d %H:%M} from the same documents",
            {"similarity": likeness},
        )
        again = replace(
            answer,
            question=request.question,
            id=request.answer_id,
            conversation_id=request.conversation_id,
            decisions=(decision, *answer.decisions),
            usage=Usage(),
            is_cached=True,
        )
        return Recalled(again, dict(kept.answer))

    def keep(self, key: CacheKey, answer: Answer, question: JsonObject) -> None:
        """Keep an answer that may be given again, with what is known of its question."""
        if not is_worth_keeping(answer) or self._opened.store().fingerprint(key.reach) != key.corpus:
            return
        now = self._opened.clock.now()
        shape = {**AnswerJson.from_noun(answer).to_json(), **question}
        cached = CachedAnswer(key.scope, key.words, key.corpus, shape, now, self._tenant)
        self._opened.service().answers.put(cached, MOST_ANSWERS)

    def _is_too_old(self, kept: CachedAnswer) -> bool:
        return self._opened.clock.now() - kept.stored_at >= timedelta(hours=self._settings.hours)

    def _likeness(self, one: str, other: str) -> float:
        """Cosine of two questions; 1 for equal ones, which costs nothing."""
        if one == other:
            return 1.0
        embedder = self._opened.models.asking_embedder
        return float(np.dot(embedder.embed_query(one), embedder.embed_query(other)))

    def _still_stands(self, citations: Sequence[Citation]) -> bool:
        store = self._opened.store()
        documents = {name: store.document(name) for name in {each.document_id for each in citations}}
        return all(
            (document := documents[citation.document_id]) is not None
            and document.tenant == self._tenant
            and citation.span.of(document.text) == citation.quote
            for citation in citations
        )


def is_worth_keeping(answer: Answer) -> bool:
    """Whether an answer is as good as a new one would be."""
    return (
        answer.type in _KEPT_TYPES
        and bool(answer.citations)
        and not answer.is_cached
        and not _has_parts_missing(answer.decisions)
    )


def _has_parts_missing(decisions: Iterable[Decision]) -> bool:
    return any(
        decision.node == _OUTSIDE or decision.outcome.startswith("fell back") for decision in decisions
    )
