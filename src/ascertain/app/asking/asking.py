"""Asking: a question, or one turn of a stored conversation."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Self, TypeVar, cast

from ascertain.app.asking.answer_cache import NODE, CacheKey, Recalled, RememberedAnswers
from ascertain.app.asking.visibility import conversation_filter, visible_filter
from ascertain.app.wire.shape import JsonObject
from ascertain.core.asking.answers import Answer, AnswerType, Decision
from ascertain.core.asking.passages import Filter
from ascertain.core.asking.plans import Plan
from ascertain.core.asking.requests import HISTORY_TURNS, AnsweredQuestion, StoredTurn
from ascertain.core.asking.runs import Budget, Run, RunStopped, Stop
from ascertain.core.errors import AscertainError, NotYours
from ascertain.core.service.service import GivenAnswer
from ascertain.language.languages import question_language
from ascertain.questions.conversation.acts import Act, ReadAct, choose_act_reader
from ascertain.questions.conversation.rewriting import without_topics
from ascertain.questions.kinds.moments import names_time
from ascertain.questions.timeframe import find_timeframe
from ascertain.retrieval.query.strategy import extract_keywords
from ascertain.stores.ports.conversations import ConversationStore

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ascertain.app.container.container import Container
    from ascertain.core.asking.requests import AskRequest, Event, TurnRecord
    from ascertain.workflow.ask.steps import Context, Steps


def question_features(request: AskRequest, plan: Plan | None, now: datetime) -> JsonObject:
    """What the strategy for a question is chosen by, as ``question_kind`` and ``features``; JSON.

    ``exact`` is the share of identifiers and quotations among its content words, ``names`` that of names.
    """
    language = question_language(request.question)
    words = extract_keywords(request.question, language)
    telling = max(1, len(words.all))
    features: JsonObject = {
        "mode": request.mode,
        "words": len(request.question.split()),
        "exact": round(len(words.exact) / telling, 3),
        "names": round(len(words.names) / telling, 3),
        "has_dates": request.sets_dates or find_timeframe(request.question, language, now) is not None,
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


def make_note(
    answer: Answer, question: Mapping[str, object], now: datetime, tenant: str, *, user: str = ""
) -> GivenAnswer:
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
        user=user,
    )


def forget_answers(container: Container, tenant: str, conversation_id: str, turn_ids: Iterable[str]) -> None:
    """Delete what is stored of the answers of a conversation beside its turns: notes with the feedback on them, cached
    answers, and the events of those that were streamed.
    """
    service = container.service
    service.answers.delete_conversation(conversation_id, tenant)
    service.feedback.delete_conversation(conversation_id, tenant)
    service.events.delete_about(conversation_id, tenant)
    for turn_id in turn_ids:
        service.events.delete(turn_id, tenant)


def find_last_answer(turns: Sequence[TurnRecord]) -> Answer | None:
    """The latest complete answer stored in the turns of a conversation, oldest first; a greeting does not count."""
    for turn in reversed(turns):
        if turn.outcome and turn.outcome.answer and turn.outcome.type is not AnswerType.GREETING:
            return Answer.from_json(turn.outcome.answer)
    return None


def list_shown_documents(turns: Sequence[TurnRecord]) -> tuple[str, ...]:
    """The ids of the documents that were quoted last, as far back as an answer quotes any."""
    answers = (turn.outcome.answer for turn in reversed(turns) if turn.outcome and turn.outcome.answer)
    cited = (Answer.from_json(answer).citations for answer in answers)
    quoted = next(filter(None, cited), ())
    return tuple(dict.fromkeys(citation.document_id for citation in quoted))


MOST_RECALLED = 20
"""Answers of a conversation that are looked up to be shown again, the latest: a page."""


def list_answered(
    turns: Sequence[TurnRecord], memory: RememberedAnswers, read_act: ReadAct
) -> tuple[AnsweredQuestion, ...]:
    """The latest questions among the turns of a conversation with their answers, as far as those are kept whole; greetings, and what was
    asked of the conversation, are none.
    """
    finished = [turn.outcome for turn in turns if turn.outcome is not None]
    asked = [turn for turn in finished if turn.type is not AnswerType.GREETING and read_act(turn.question) is None]
    found: list[AnsweredQuestion] = []
    for turn in asked[-MOST_RECALLED:]:
        answer = Answer.from_json(turn.answer) if turn.answer else None
        stands = answer is None or memory.still_stand(answer.citations)
        found.append(AnsweredQuestion(without_topics(turn.standalone or turn.question), turn.text, answer, stands))
    return tuple(found)


T = TypeVar("T")


class Keeping:
    """What is stored of one answer beside its turn: a note for feedback, and the answer itself for the same question
    asked again.

    Where something cannot be stored, or looked up, a decision of the answer says so. Belongs to one thread.

    """

    def __init__(self, container: Container, tenant: str, request: AskRequest) -> None:
        self._container = container
        self._tenant = tenant
        self._request = request
        self._memory = RememberedAnswers(container, tenant)
        self._key: CacheKey | None = None
        self._problems: dict[str, None] = {}

    def recall(self) -> Recalled | None:
        """The answer to an equal question, if it is still valid."""
        self._key = key = self._attempt_work(lambda: self._memory.key(self._request))
        return self._attempt_work(lambda: self._memory.recall(key, self._request)) if key else None

    def note_again(self, recalled: Recalled) -> Answer:
        """The recalled answer, noted as given now."""
        now = self._container.clock.now()
        note = make_note(recalled.answer, recalled.question, now, self._tenant, user=self._request.user)
        self._attempt_work(lambda: self._container.service.feedback.note(note))
        return self._with_problems(recalled.answer)

    def note_answer(self, answer: Answer, plan: Plan | None, is_whole: bool) -> Answer:
        """A new answer, noted, and cached where it is worth it and ``is_whole``: nothing was cut short."""
        now = self._container.clock.now()
        question = question_features(self._request, plan, now)
        note = make_note(answer, question, now, self._tenant, user=self._request.user)
        self._attempt_work(lambda: self._container.service.feedback.note(note))
        key = self._key
        if key is not None and is_whole:
            self._attempt_work(lambda: self._memory.keep(key, answer, question))
        return self._with_problems(answer)

    def _attempt_work(self, work: Callable[[], T]) -> T | None:
        try:
            return work()
        except AscertainError as error:
            self._problems.setdefault(str(error))
            return None

    def _with_problems(self, answer: Answer) -> Answer:
        if not self._problems:
            return answer
        decision = Decision("keep", "not kept", "; ".join(self._problems))
        return replace(answer, decisions=(*answer.decisions, decision))


STOPPED = "it was stopped"
"""Why a turn has no answer that its reader cancelled."""


@dataclass(frozen=True, slots=True)
class KeptTurn:
    """A stored turn; its id is that of its answer. ``request`` has the history that the question is understood with:
    its own, where it brings one, or the turns of the conversation before it.
    """

    request: AskRequest
    container: Container
    store: ConversationStore
    tenant: str
    conversation_id: str

    @classmethod
    def begin(cls, container: Container, tenant: str, request: AskRequest, conversation_id: str) -> Self:
        """Store the question of ``request`` as running."""
        store = container.conversations
        if request.user and store.claim(conversation_id, request.user, tenant).owner not in ("", request.user):
            raise NotYours("this conversation belongs to someone else; use another id")
        history, previous = request.history, None
        answered: tuple[AnsweredQuestion, ...] = ()
        shown: tuple[str, ...] = ()
        if not history:
            history = tuple(store.history(conversation_id, tenant, HISTORY_TURNS))
            read_act = choose_act_reader(container.models.embedder) if history else None
            act = read_act(request.question) if read_act else None
            if read_act is not None and act is not None and act.act is Act.RECAP:
                turns = store.turns(conversation_id, tenant)
                answered = list_answered(turns, RememberedAnswers(container, tenant), read_act)
            elif history:
                turns = store.turns(conversation_id, tenant)
                shown = list_shown_documents(turns)
                previous = find_last_answer(turns) if act is not None or names_time(request.question) else None
        if previous is not None and not RememberedAnswers(container, tenant).still_stand(previous.citations):
            previous = None
        store.begin(conversation_id, request.answer_id, request.question, container.clock.now(), tenant)
        known = replace(request, history=history, previous=previous, answered=answered, shown=shown)
        return cls(known, container, store, tenant, conversation_id)

    def finish(self, answer: Answer) -> None:
        """Store the answer; StoreError when the conversation was deleted meanwhile."""
        kept = StoredTurn(
            question=answer.question,
            text=answer.text,
            type=answer.type,
            finished_at=self.container.clock.now(),
            standalone=answer.standalone,
            answer=answer.to_json(),
        )
        self.store.finish(self.conversation_id, self.request.answer_id, kept, self.tenant)

    def fail(self, error: BaseException) -> None:
        """Store that it has no answer; a finished turn is left alone.

        Of a conversation that was deleted meanwhile, what was fetched and stored for it since is deleted too.
        """
        reason = STOPPED if isinstance(error, RunStopped) else f"{type(error).__name__}: {error}"
        with suppress(AscertainError):  # the error at hand says more than a record that cannot be written
            self.store.fail(self.conversation_id, self.request.answer_id, reason, self.tenant)
            if not self.store.turns(self.conversation_id, self.tenant):
                own = Filter(conversation_id=self.conversation_id, tenant=self.tenant)
                self.container.store().delete(own)
                forget_answers(self.container, self.tenant, self.conversation_id, [self.request.answer_id])


DEPTH = 2
"""Passages searched for each one an answer is written from: near-duplicates among them are shown once."""


@dataclass(frozen=True, slots=True)
class Asking:
    """Answers the questions of one tenant by the ask workflow, or with the answer to an equal question.

    A question of a conversation is one of its turns. The turn is stored before the work begins, so that a kill
    leaves no half answer in the history; the history a question sees is that of its conversation alone.
    """

    container: Container
    tenant: str
    steps: Callable[[], Steps]

    def ask(self, request: AskRequest) -> Answer:
        """The answer; raises as ``stream_question`` does."""
        from ascertain.core.asking.requests import Done

        (answer,) = [event.answer for event in self.stream(request) if isinstance(event, Done)]
        return answer

    def stream(self, request: AskRequest, stop: Stop | None = None) -> Generator[Event]:
        """The work as events; the last one comes once the answer is stored. Raises RunStopped once ``stop`` is requested."""
        return self._stream_turn(self._complete_request(request), stop)

    def _complete_request(self, request: AskRequest) -> AskRequest:
        """The request with an id, a conversation where it needs one, and a filter that lets it see what it may."""
        taken = replace(request, answer_id=request.answer_id or uuid.uuid4().hex)
        if request.mode == "news":
            conversation = request.conversation_id or uuid.uuid4().hex
            fetched = conversation_filter(request.filter, self.tenant, conversation)
            return replace(taken, conversation_id=conversation, filter=fetched)
        return replace(taken, filter=visible_filter(request.filter, self.tenant, request.conversation_id))

    def _stream_turn(self, request: AskRequest, stop: Stop | None) -> Generator[Event]:
        from ascertain.core.asking.requests import Done

        if not request.keep or request.conversation_id is None:
            yield from self._stream_trace(request, stop)
            return
        turn = KeptTurn.begin(self.container, self.tenant, request, request.conversation_id)
        try:
            for event in self._stream_trace(turn.request, stop):
                if isinstance(event, Done):
                    turn.finish(event.answer)
                yield event
        except BaseException as error:
            # closing the generator counts: a finished turn is left alone
            turn.fail(error)
            raise

    def _stream_trace(self, request: AskRequest, stop: Stop | None) -> Iterator[Event]:
        from ascertain.app.telemetry.tracing import trace_events

        return trace_events(
            self._stream_answer(request, stop),
            question=request.question,
            settings=self.container.settings,
            answer_id=request.answer_id,
            conversation_id=request.conversation_id,
            tenant=self.tenant,
            mode=request.mode,
        )

    def _stream_answer(self, request: AskRequest, stop: Stop | None) -> Generator[Event]:
        """As an equal question was answered before, or by the workflow."""
        started = time.perf_counter()
        keeping = Keeping(self.container, self.tenant, request)
        recalled = keeping.recall() if request.use_cache else None
        if recalled is None:
            yield from self._run_workflow(request, keeping, stop)
            return
        from ascertain.core.asking.requests import AnswerText, Done, NodeFinished, NodeStarted

        yield NodeStarted(NODE)
        answer = replace(keeping.note_again(recalled), seconds=time.perf_counter() - started)
        yield NodeFinished(NODE, answer.decisions[:1])
        yield AnswerText(answer.text)
        yield Done(answer)

    def _run_workflow(self, request: AskRequest, keeping: Keeping, stop: Stop | None) -> Generator[Event]:
        # LangGraph, which the next lines import, takes as long to load as the model
        self.container.models.begin_loading()
        self.container.begin_question()
        from ascertain.core.asking.requests import Done
        from ascertain.workflow.ask.run import stream_question

        context = self.build_context(stop)
        for event in stream_question(request, context):
            if isinstance(event, Done):
                answer = replace(event.answer, id=request.answer_id)
                is_whole = not context.run.is_out_of_time
                yield Done(keeping.note_answer(answer, event.plan, is_whole), event.plan)
            else:
                yield event

    def build_context(self, stop: Stop | None = None) -> Context:
        """What the workflow runs on for one question, with a budget of its own."""
        from ascertain.workflow.ask.steps import Context

        settings = self.container.settings
        limits = settings.budget
        return Context(
            steps=self.steps(),
            workflow=settings.workflow,
            verification=settings.verification,
            depth=DEPTH * settings.answers.passages,
            run=Run(Budget(limits.calls, limits.tokens, limits.seconds, limits.usd), stop=stop),
        )
