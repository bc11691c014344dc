"""The port of the answer cache: whole answers, to be used again while the documents they could rest on are the same (OP-3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True, slots=True)
class CachedAnswer:
    """An answer with what it hangs on.

    ``scope`` is a digest of all that an answer hangs on beside the question's words and the documents: settings, filter, conversation, day.
    ``question`` is its wording, equal for questions that are the same. ``corpus`` is ``ChunkStore.fingerprint`` of what the filter reaches.
    """

    scope: str
    question: str
    corpus: str
    answer: Mapping[str, object]
    """The shape of ``ask --json``."""
    stored_at: datetime
    tenant: str = "default"


class AnswerCache(Protocol):
    """Answers by tenant, scope and question."""

    def get(self, scope: str, question: str, tenant: str = "default") -> CachedAnswer | None:
        """The answer kept for exactly this question."""
        ...

    def put(self, answer: CachedAnswer, most: int) -> None:
        """Keep an answer, over one to the same question in the same scope; of a tenant's answers the latest ``most`` stay."""
        ...

    def clear(self, tenant: str = "default") -> int:
        """Forget a tenant's answers; how many there were."""
        ...
