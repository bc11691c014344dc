"""Asking: a question, or one turn of a conversation that is kept."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ascertain.app.answer_shapes import answer_shape
from ascertain.core.answers import Answer
from ascertain.core.clock import Clock
from ascertain.core.runs import Budget, Run
from ascertain.core.settings import Settings
from ascertain.stores.conversations import ConversationStore, StoredTurn

if TYPE_CHECKING:
    from ascertain.workflow.ask.context import Context
    from ascertain.workflow.ask.events import Event
    from ascertain.workflow.ask.state import Request
    from ascertain.workflow.ask.steps import Steps

DEPTH = 2
"""Passages searched for each one an answer is written from: near-duplicates among them are told once."""


@dataclass(frozen=True, slots=True)
class Asking:
    """Runs the ask workflow over one knowledge base; a question of a conversation is one of its turns.

    The turn is on record before the work begins, so that a kill leaves no half answer in the history; the history a
    question sees is that of its conversation alone.
    """

    settings: Settings
    clock: Clock
    steps: Callable[[], Steps]
    conversations: Callable[[], ConversationStore]

    def ask(self, request: Request, keep: bool = True) -> Answer:
        """The answer; raises UsageError for a question that cannot be looked up. ``keep`` puts a turn on record."""
        from ascertain.workflow.ask.run import ask

        limit = self.settings.answers.max_question_characters
        if request.conversation_id is None or not keep:
            return ask(request, self._context(), limit)
        turn = self._begin(request, request.conversation_id)
        try:
            answer = ask(turn.request, self._context(), limit)
        except BaseException as error:
            turn.fail(error)
            raise
        turn.finish(answer)
        return answer

    def stream(self, request: Request) -> Generator[Event]:
        """The same as events; the turn is finished when the last one is given."""
        from ascertain.workflow.ask.events import Done
        from ascertain.workflow.ask.run import stream

        limit = self.settings.answers.max_question_characters
        if request.conversation_id is None:
            yield from stream(request, self._context(), limit)
            return
        turn = self._begin(request, request.conversation_id)
        try:
            for event in stream(turn.request, self._context(), limit):
                if isinstance(event, Done):
                    turn.finish(event.answer)
                yield event
        except BaseException as error:
            # closing the generator counts: a finished turn is left alone
            turn.fail(error)
            raise

    def _context(self) -> Context:
        from ascertain.workflow.ask.context import Context

        limits = self.settings.budget
        return Context(
            steps=self.steps(),
            workflow=self.settings.workflow,
            verification=self.settings.verification,
            depth=DEPTH * self.settings.answers.passages,
            run=Run(Budget(limits.calls, limits.tokens, limits.seconds, limits.usd)),
        )

    def _begin(self, request: Request, conversation_id: str) -> _Turn:
        store, turn_id = self.conversations(), uuid.uuid4().hex
        tenant = request.filter.tenant
        history = store.history(conversation_id, tenant, self.settings.workflow.history_turns)
        store.begin(conversation_id, turn_id, request.question, self.clock.now(), tenant)
        return _Turn(
            store, self.clock, conversation_id, turn_id, tenant, replace(request, history=tuple(history))
        )


@dataclass(frozen=True, slots=True)
class _Turn:
    store: ConversationStore
    clock: Clock
    conversation_id: str
    turn_id: str
    tenant: str
    request: Request

    def finish(self, answer: Answer) -> None:
        kept = StoredTurn(
            question=answer.question,
            text=answer.text,
            type=answer.type,
            finished_at=self.clock.now(),
            standalone=answer.standalone,
            answer=answer_shape(answer),
        )
        self.store.finish(self.conversation_id, self.turn_id, kept, self.tenant)

    def fail(self, error: BaseException) -> None:
        self.store.fail(self.conversation_id, self.turn_id, f"{type(error).__name__}: {error}", self.tenant)


def last_answers(store: ConversationStore, conversation_id: str, tenant: str = "default") -> Iterator[Answer]:
    """The whole answers still kept of a conversation, latest first."""
    from ascertain.app.answer_shapes import answer_of

    for turn in reversed(store.turns(conversation_id, tenant)):
        if turn.outcome and turn.outcome.answer:
            yield answer_of(turn.outcome.answer)
