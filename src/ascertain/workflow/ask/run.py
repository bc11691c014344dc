"""From a question to a checked answer, through the graph."""

from __future__ import annotations

import signal
import threading
import time
import uuid
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from types import FrameType
from typing import TypeVar, cast

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage

from ascertain.core.asking.answers import Answer
from ascertain.core.asking.requests import AnswerText, AskRequest, Done, Event, Turn
from ascertain.core.asking.runs import Run
from ascertain.workflow.ask.graph import ask_graph
from ascertain.workflow.ask.nodes import web_at_first
from ascertain.workflow.ask.routes import most_steps
from ascertain.workflow.ask.state import AskState, Update, first_state
from ascertain.workflow.ask.steps import Context
from ascertain.workflow.question_text import MAX_CHARACTERS, check_question

T = TypeVar("T")


def run_question(request: AskRequest, context: Context, max_characters: int = MAX_CHARACTERS) -> Answer:
    """Answer one question; raises UsageError when it is empty or too long."""
    started = time.perf_counter()
    first, config = begin_state(request, context, max_characters)
    final = cast(AskState, ask_graph().invoke(first, context=context, config=config))
    return _build_answer(final, request, context, started)


def stream_question(request: AskRequest, context: Context, max_characters: int = MAX_CHARACTERS) -> Generator[Event]:
    """The same as events: each step as it begins and ends, then the text, then the whole answer.

    Text is sent once it is checked, never before. If the listener stops, the work ends after the current step.
    """
    started = time.perf_counter()
    first, config = begin_state(request, context, max_characters)
    final: AskState | None = None
    stream = ask_graph().stream(first, context=context, config=config, stream_mode=["custom", "values"])
    for mode, value in _iterate_interruptibly(cast(Iterator[tuple[str, object]], stream), context.run):
        if mode == "custom":
            yield cast(Event, value)
        else:
            final = cast(AskState, value)
    if final is not None:
        answer = _build_answer(final, request, context, started)
        yield from (AnswerText(piece) for piece in _split_text(answer))
        yield Done(answer, final.get("plan"))


def _iterate_interruptibly(items: Iterator[T], run: Run) -> Iterator[T]:
    """The items; Ctrl-C also ends what ``run`` waits for.

    Nodes that send events while they work run in a thread of LangGraph's, and LangGraph lets no exception through
    before that thread has ended, which with a model that hangs takes a minute.
    """
    while True:
        with _pass_interrupts(run):
            try:
                item = next(items)
            except StopIteration:
                return
        yield item


@contextmanager
def _pass_interrupts(run: Run) -> Generator[None]:
    """Notify ``run`` of Ctrl-C before the handler runs; only the main thread gets it."""
    handle = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(handle):
        yield
        return

    def interrupt(number: int, frame: FrameType | None) -> None:
        run.interrupt()
        handle(number, frame)

    signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handle)


def begin_state(
    request: AskRequest, context: Context, max_characters: int = MAX_CHARACTERS
) -> tuple[Update, dict[str, int]]:
    """The state before the first node, and LangGraph's bound on steps; UsageError for a question that is empty or too long."""
    question = check_question(request.question, max_characters)
    asked = replace(request, question=question, answer_id=request.answer_id or uuid.uuid4().hex)
    bound = {"recursion_limit": most_steps(context.workflow)}
    web = web_at_first(asked, context.steps.side.researcher)
    act = context.steps.reading.read_act(question) if request.history else None
    return first_state(asked, _build_messages(request.history, question), web, act), bound


def _build_answer(final: AskState, request: AskRequest, context: Context, started: float) -> Answer:
    return replace(
        final["answer"],
        question=request.question,
        decisions=tuple(final["decisions"]),
        usage=context.run.usage,
        seconds=time.perf_counter() - started,
    )


def _build_messages(history: Sequence[Turn], question: str) -> list[AnyMessage]:
    earlier: list[AnyMessage] = [
        (HumanMessage if turn.role == "user" else AIMessage)(turn.text, id=f"turn-{number}")
        for number, turn in enumerate(history)
    ]
    return [*earlier, HumanMessage(question, id=f"turn-{len(earlier)}")]


def _split_text(answer: Answer) -> Iterator[str]:
    """The text cut behind each sentence, so that the pieces joined are the text."""
    start = 0
    for sentence in answer.sentences:
        found = answer.text.find(sentence.text, start)
        if found >= 0:
            end = found + len(sentence.text)
            yield answer.text[start:end]
            start = end
    if start < len(answer.text):
        yield answer.text[start:]
