"""A follow-up whose answer is not sure, looked up in other ways: as it was asked, and in all documents (QU-1)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ascertain.core.asking.answers import Answer, AnswerType, Decision
from ascertain.core.asking.passages import Level
from ascertain.workflow.ask.nodes import Outcome
from ascertain.workflow.ask.state import AskState, Lookup, Update
from ascertain.workflow.ask.steps import Context

AnswerThere = Callable[[AskState, Context, str, tuple[str, ...]], Answer]
"""Answers a question by itself, from the documents that are named, or from all."""


def reread_question(state: AskState, context: Context, answer_there: AnswerThere) -> Outcome:
    """The surest of the answers to a follow-up, among those of one level one from the documents quoted last; where there is none, what is
    said of all documents.
    """
    first = (Lookup(state["standalone"], state["documents"]), state["answer"])
    tried = [first]
    inner: list[Decision] = []
    for lookup in state["lookups"]:
        if not lookup.documents and any(_is_likely(answer) and each.documents for each, answer in tried):
            # what is said elsewhere of other things may well sound surer
            continue
        answer = answer_there(state, context, lookup.standalone.text, lookup.documents)
        tried.append((lookup, answer))
        place = "in the documents quoted last" if lookup.documents else "in all documents"
        outcome = "answered" if answer.citations else "not answered"
        scores = {"confidence": float(answer.confidence.score)}
        inner.append(Decision("lookup", outcome, f"“{lookup.standalone.text}” {place}", scores))
        if answer.confidence.level is Level.HIGH or context.run.is_out_of_time:
            break
    answered = [each for each in tried if each[1].citations]
    refused = next((each for each in tried if not each[0].documents), first)
    lookup, best = max(answered, key=_rate, default=refused)
    if best is state["answer"]:
        return Outcome({}, "kept", "no other way to look it up is surer", inner=tuple(inner))
    request, wording = state["request"], lookup.standalone.text
    answer = replace(
        best,
        question=request.question,
        standalone=wording if wording != request.question else None,
        type=AnswerType.FOLLOWUP_ANSWER if best.type is AnswerType.SUMMARY else best.type,
        attempts=sum(each.attempts for _, each in tried),
        usage=context.run.usage,
        id=request.answer_id,
    )
    update: Update = {"answer": answer, "standalone": lookup.standalone}
    return Outcome(update, "answered" if best.citations else "rejected", f"read as “{wording}”", inner=tuple(inner))


def _is_likely(answer: Answer) -> bool:
    return answer.confidence.level in {Level.MEDIUM, Level.HIGH}


def _rate(tried: tuple[Lookup, Answer]) -> tuple[int, bool, int]:
    lookup, answer = tried
    return _SUREST_LAST.index(answer.confidence.level), bool(lookup.documents), answer.confidence.score


_SUREST_LAST = (Level.NONE, Level.LOW, Level.MEDIUM, Level.HIGH)
