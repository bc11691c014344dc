"""Asking: a question, or one turn of a conversation that is kept."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ascertain.app.answer_cache import NODE
from ascertain.app.keeping import Keeping
from ascertain.app.turns import KeptTurn
from ascertain.app.visibility import only_fetched, visible
from ascertain.core.answers import Answer
from ascertain.core.runs import Budget, Run

if TYPE_CHECKING:
    from ascertain.app.opened import Opened
    from ascertain.core.requests import AskRequest
    from ascertain.core.results import Event
    from ascertain.workflow.ask.context import Context
    from ascertain.workflow.ask.steps import Steps

DEPTH = 2
"""Passages searched for each one an answer is written from: near-duplicates among them are told once."""


@dataclass(frozen=True, slots=True)
class Asking:
    """Answers the questions of one tenant by the ask workflow, or with what an equal question was answered.

    A question of a conversation is one of its turns. The turn is on record before the work begins, so that a kill leaves no half
    answer in the history; the history a question sees is that of its conversation alone. What is kept for later, opinions and the
    cache, never costs an answer: where it cannot be kept, a decision says so.
    """

    opened: Opened
    tenant: str
    steps: Callable[[], Steps]

    def ask(self, request: AskRequest) -> Answer:
        """The answer; raises as ``stream`` does."""
        from ascertain.core.results import Done

        told = self.stream(request)
        (answer,) = [event.answer for event in told if isinstance(event, Done)]
        return answer

    def stream(self, request: AskRequest) -> Generator[Event]:
        """The work as events; the last one is told once the answer is on record."""
        return self._told(self._taken_in(request))

    def _taken_in(self, request: AskRequest) -> AskRequest:
        """The request with an id, a conversation where it needs one, and a filter that lets it see what it may."""
        taken = replace(request, answer_id=request.answer_id or uuid.uuid4().hex)
        if request.mode == "news":
            conversation = request.conversation_id or uuid.uuid4().hex
            fetched = only_fetched(request.filter, self.tenant, conversation)
            return replace(taken, conversation_id=conversation, filter=fetched)
        return replace(taken, filter=visible(request.filter, self.tenant, request.conversation_id))

    def _told(self, request: AskRequest) -> Generator[Event]:
        from ascertain.core.results import Done

        if not request.keep or request.conversation_id is None:
            yield from self._traced(request)
            return
        turn = KeptTurn.begun(self.opened, self.tenant, request, request.conversation_id)
        try:
            for event in self._traced(turn.request):
                if isinstance(event, Done):
                    turn.finish(event.answer)
                yield event
        except BaseException as error:
            # closing the generator counts: a finished turn is left alone
            turn.fail(error)
            raise

    def _traced(self, request: AskRequest) -> Iterator[Event]:
        from ascertain.telemetry.tracing import traced

        return traced(
            self._answered(request),
            question=request.question,
            settings=self.opened.settings,
            answer_id=request.answer_id,
            conversation_id=request.conversation_id,
            tenant=self.tenant,
            mode=request.mode,
        )

    def _answered(self, request: AskRequest) -> Generator[Event]:
        """As an equal question was answered before, or by the workflow."""
        started = time.perf_counter()
        keeping = Keeping(self.opened, self.tenant, request)
        recalled = keeping.recall() if request.use_cache else None
        if recalled is None:
            yield from self._worked_out(request, keeping)
            return
        from ascertain.core.results import AnswerText, Done, NodeFinished, NodeStarted

        yield NodeStarted(NODE)
        answer = replace(keeping.noted_again(recalled), seconds=time.perf_counter() - started)
        yield NodeFinished(NODE, answer.decisions[:1])
        yield AnswerText(answer.text)
        yield Done(answer)

    def _worked_out(self, request: AskRequest, keeping: Keeping) -> Generator[Event]:
        # LangGraph, which the next lines import, takes as long to load as the model
        self.opened.models.begin_loading()
        from ascertain.core.results import Done
        from ascertain.workflow.ask.run import stream

        context = self._context()
        for event in stream(request, context):
            if isinstance(event, Done):
                answer = replace(event.answer, id=request.answer_id)
                is_whole = not context.run.is_out_of_time
                yield Done(keeping.noted(answer, event.plan, is_whole), event.plan)
            else:
                yield event

    def _context(self) -> Context:
        from ascertain.workflow.ask.context import Context

        settings = self.opened.settings
        limits = settings.budget
        return Context(
            steps=self.steps(),
            workflow=settings.workflow,
            verification=settings.verification,
            depth=DEPTH * settings.answers.passages,
            run=Run(Budget(limits.calls, limits.tokens, limits.seconds, limits.usd)),
        )
