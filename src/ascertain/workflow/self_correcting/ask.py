"""From a question to a checked answer, through the graph."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import cast

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage

from ascertain.core.answers import Answer
from ascertain.core.conversations import Turn
from ascertain.core.errors import UsageError
from ascertain.workflow.self_correcting.context import Context
from ascertain.workflow.self_correcting.events import AnswerText, Done
from ascertain.workflow.self_correcting.graph import ask_graph
from ascertain.workflow.self_correcting.routes import most_steps
from ascertain.workflow.self_correcting.state import AskState, Request, first_state


def ask(request: Request, context: Context, max_characters: int) -> Answer:
    """Answer one question; raises UsageError when it is empty or longer than ``max_characters``."""
    started = time.perf_counter()
    question = check_question(request.question, max_characters)
    asked = replace(request, question=question)
    final = cast(
        AskState,
        ask_graph().invoke(
            first_state(asked, _messages(request.history, question)),
            context=context,
            config={"recursion_limit": most_steps(context.workflow)},
        ),
    )
    answer = replace(
        final["answer"],
        question=request.question,
        decisions=tuple(final["decisions"]),
        usage=context.run.usage,
        seconds=time.perf_counter() - started,
    )
    for piece in _pieces(answer):
        context.listener(AnswerText(piece))
    context.listener(Done(answer))
    return answer


def check_question(question: str, max_characters: int) -> str:
    """The question without surrounding space; UsageError when nothing can be looked up by it."""
    text = question.strip()
    if not text:
        raise UsageError(
            'the question is empty; ask something, for example: ascertain ask "What is a stablecoin?"'
        )
    if len(text) > max_characters:
        raise UsageError(
            f"the question has {len(text):,} characters and the limit is {max_characters:,} "
            "(answers.max_question_characters); shorten it, or add the text as a document and ask about it"
        )
    if not any(character.isalnum() for character in text):
        raise UsageError(f"the question {text[:40]!r} has no words to look up; ask in words")
    return text


def _messages(history: Sequence[Turn], question: str) -> list[AnyMessage]:
    told: list[AnyMessage] = [
        (HumanMessage if turn.role == "user" else AIMessage)(turn.text, id=f"turn-{number}")
        for number, turn in enumerate(history)
    ]
    return [*told, HumanMessage(question, id=f"turn-{len(told)}")]


def _pieces(answer: Answer) -> Iterator[str]:
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
