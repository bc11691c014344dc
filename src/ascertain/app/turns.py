"""A turn of a conversation, from before the work begins until its answer is on record."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

from ascertain.core.answers import Answer
from ascertain.core.conversations import StoredTurn
from ascertain.core.errors import AscertainError
from ascertain.core.filters import Filter
from ascertain.stores.conversations import ConversationStore
from ascertain.wire.answers import AnswerJson

if TYPE_CHECKING:
    from ascertain.app.opened import Opened
    from ascertain.core.requests import AskRequest


@dataclass(frozen=True, slots=True)
class KeptTurn:
    """A turn on record; its id is that of its answer. ``request`` has the history of the conversation before it."""

    request: AskRequest
    opened: Opened
    store: ConversationStore
    tenant: str
    conversation_id: str

    @classmethod
    def begun(cls, opened: Opened, tenant: str, request: AskRequest, conversation_id: str) -> Self:
        """Put the question of ``request`` on record as running."""
        store = opened.conversations()
        history = store.history(conversation_id, tenant, opened.settings.workflow.history_turns)
        store.begin(conversation_id, request.answer_id, request.question, opened.clock.now(), tenant)
        return cls(replace(request, history=tuple(history)), opened, store, tenant, conversation_id)

    def finish(self, answer: Answer) -> None:
        """Put the answer on record; StoreError when the conversation was deleted meanwhile."""
        kept = StoredTurn(
            question=answer.question,
            text=answer.text,
            type=answer.type,
            finished_at=self.opened.clock.now(),
            standalone=answer.standalone,
            answer=AnswerJson.from_noun(answer).to_json(),
        )
        self.store.finish(self.conversation_id, self.request.answer_id, kept, self.tenant)

    def fail(self, error: BaseException) -> None:
        """Put on record that nothing came of it; a finished turn is left alone.

        Of a conversation that was deleted meanwhile, what was fetched for it since is deleted too.
        """
        reason = f"{type(error).__name__}: {error}"
        with suppress(AscertainError):  # the error at hand says more than a record that cannot be written
            self.store.fail(self.conversation_id, self.request.answer_id, reason, self.tenant)
            if not self.store.turns(self.conversation_id, self.tenant):
                own = Filter(conversation_id=self.conversation_id, tenant=self.tenant)
                self.opened.store().delete(own)
