"""The conversations of a tenant, and what people thought of its answers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ascertain.app.holdings import Holdings
from ascertain.core.answers import Answer
from ascertain.core.documents import DocumentRecord
from ascertain.core.errors import UsageError
from ascertain.core.filters import Filter

if TYPE_CHECKING:
    from ascertain.app.feedback import FeedbackSummary
    from ascertain.core.conversations import ConversationSummary, TurnRecord
    from ascertain.stores.service.feedback import GivenAnswer, Thumb


class Conversing(Holdings):
    """What was asked and answered, with its sources and its thumbs."""

    def conversations(self) -> list[ConversationSummary]:
        """The conversations kept, the last used first."""
        return self._opened.conversations().conversations(self.tenant)

    def conversation(self, conversation_id: str) -> list[TurnRecord]:
        """The turns of a conversation, oldest first; none when there is no such conversation."""
        return self._opened.conversations().turns(conversation_id, self.tenant)

    def conversation_sources(self, conversation_id: str) -> list[DocumentRecord]:
        """The documents that were fetched for a conversation, in order of source; they go when it is deleted."""
        return self.documents(Filter(conversation_id=conversation_id))

    def last_answer(self, conversation_id: str) -> Answer | None:
        """The latest answer of a conversation, with citations and decisions."""
        return next(self._answers(conversation_id), None)

    def delete_conversation(self, conversation_id: str) -> int:
        """Forget a conversation and the documents that only it had; how many turns there were.

        An interrupted call is completed by the same call: the turns go last.
        """
        from ascertain.app.uploads import delete_with_files

        own = Filter(conversation_id=conversation_id, tenant=self.tenant)
        store = self._opened.store()
        if store.documents(own):
            with self._parts.changing():
                delete_with_files(self, store, own)
        return self._opened.conversations().delete(conversation_id, self.tenant)

    def feedback(self, answer_id: str, thumb: Thumb, comment: str = "") -> GivenAnswer:
        """Keep what somebody thinks of an answer, over an earlier opinion; UsageError for an answer that is not known."""
        self._opened.store()  # without one nothing was ever answered
        moment = self._opened.clock.now()
        judged = self.service.feedback.judge(answer_id, thumb, comment, moment, self.tenant)
        if judged is None:
            raise UsageError(f"there is no answer {answer_id!r} to judge; its id is in the answer as `id`")
        return judged

    def opinion(self, answer_id: str) -> GivenAnswer | None:
        """What somebody thought of an answer; None when nobody did."""
        given = self.service.feedback.get(answer_id, self.tenant)
        return given if given is not None and given.thumb is not None else None

    def feedback_summary(self) -> FeedbackSummary:
        """How the answers were liked, by kind of question and strategy."""
        from ascertain.app.feedback import summarised

        self._opened.store()
        return summarised(self.service.feedback.judged(self.tenant))

    def _answers(self, conversation_id: str) -> Iterator[Answer]:
        """The whole answers still kept of a conversation, latest first."""
        from ascertain.wire.answers import AnswerJson

        for turn in reversed(self.conversation(conversation_id)):
            if turn.outcome and turn.outcome.answer:
                yield AnswerJson.model_validate(turn.outcome.answer).to_answer()
