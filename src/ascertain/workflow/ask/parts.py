"""Several questions in one message: each is answered separately, with its own evidence and confidence, in its place in the answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from ascertain.answering.conversation import merge_citations
from ascertain.core.asking.answers import Answer, AnswerSentence, AnswerType, Citation, Decision
from ascertain.core.asking.passages import Confidence, Level
from ascertain.core.asking.requests import Turn
from ascertain.language.languages import say_sentence
from ascertain.language.tokens import content_terms
from ascertain.questions.parts import list_parts, list_sides
from ascertain.workflow.ask.finish import build_reply, with_caveats
from ascertain.workflow.ask.nodes import Outcome, read_question
from ascertain.workflow.ask.state import AskState
from ascertain.workflow.ask.steps import Context

UNANSWERED = "No answer was found to: {parts}."
LESS_SURE = "Less sure is what is said to {part}."
AnswerAlone = Callable[[AskState, Context, str], Answer]
"""Answers one question as if nothing else had been asked."""


def answer_parts(state: AskState, context: Context, answer_alone: AnswerAlone) -> Outcome:
    """Answer each part; where none has an answer the question is looked up whole."""
    asked, answers = _answer_all(state, context, answer_alone)
    answers = tuple(replace(answer, question=part) for part, answer in zip(asked, answers, strict=True))
    inner = tuple(
        Decision(
            "part",
            "answered" if each.citations else "not answered",
            f"“{each.question}” read as “{each.standalone or each.question}”",
            {"confidence": float(each.confidence.score)},
        )
        for each in answers
    )
    answered = sum(bool(each.citations) for each in answers)
    return Outcome({"part_answers": answers}, f"{answered} of {len(answers)} parts answered", inner=inner)


def _answer_all(state: AskState, context: Context, answer_alone: AnswerAlone) -> tuple[Sequence[str], Sequence[Answer]]:
    whole = state["standalone"].text
    sides = list_sides(whole)
    if not sides:
        parts = list_parts(whole, state["language"])
        return parts, [answer_alone(state, context, part) for part in _complete_parts(state, context, parts)]
    answer = answer_alone(state, context, whole)
    if answer.confidence.level is Level.HIGH and all(_speaks_of(side, answer, state["language"]) for side in sides):
        return (whole,), (answer,)
    parts = [f"What is {side}?" for side in sides]
    answers = [answer_alone(state, context, part) for part in parts]
    is_better = min(each.confidence.score for each in answers) >= answer.confidence.score
    return (parts, answers) if is_better or not answer.citations else ((whole,), (answer,))


def _speaks_of(side: str, answer: Answer, language: str) -> bool:
    """Whether a sentence of ``answer``, or the place that it stands in, has the words of ``side``."""
    wanted = set(content_terms(side, language))
    said = (f"{citation.quote} {citation.title} {citation.place.label}" for citation in answer.citations)
    return any(wanted <= set(content_terms(text, language)) for text in said)


def join_answers(state: AskState, context: Context) -> Outcome:
    """The answers of the parts in their order, with the lowest confidence of them; a part without one is named."""
    answered = [each for each in state["part_answers"] if each.citations]
    missing = [each.question for each in state["part_answers"] if not each.citations]
    sentences, citations, texts = _join_sentences(answered)
    confidence = _join_confidences(answered, missing, state["language"])
    answer = replace(
        build_reply(state, context, "\n\n".join(texts), _type_of(state), confidence=confidence),
        sentences=sentences,
        citations=citations,
        strategy=answered[0].strategy,
        groundedness=min(each.groundedness if each.groundedness is not None else 1.0 for each in answered),
    )
    return Outcome({"answer": answer}, "answered", f"confidence {confidence.score} ({confidence.level})")


def _complete_parts(state: AskState, context: Context, parts: Sequence[str]) -> list[str]:
    """Each part as it would be asked alone: a later one may lean on the first."""
    first, *others = parts
    before = (Turn("user", first, first),)
    return [first, *(str(read_question(state, context, part, before)["query"]) for part in others)]


def _join_sentences(
    answers: Sequence[Answer],
) -> tuple[tuple[AnswerSentence, ...], tuple[Citation, ...], Sequence[str]]:
    """The sentences, citations and texts of all; the answer of an earlier part is not repeated."""
    fresh: list[Answer] = []
    for answer in answers:
        said = {sentence.text for each in fresh for sentence in each.sentences}
        if not said.issuperset(sentence.text for sentence in answer.sentences):
            fresh.append(answer)
    lines, citations = merge_citations(fresh)
    return tuple(sentence for line in lines for sentence in line), citations, [each.text for each in fresh]


def _join_confidences(answers: Sequence[Answer], missing: Sequence[str], language: str) -> Confidence:
    """The confidence of the weakest part, which is named where another is stronger; so is a part without an answer."""
    least = min(answers, key=lambda each: each.confidence.score)
    caveats: list[str] = []
    if missing:
        caveats.append(say_sentence(UNANSWERED, language, parts=", ".join(f"“{part}”" for part in missing)))
    if any(each.confidence.level is not least.confidence.level for each in answers):
        caveats.append(say_sentence(LESS_SURE, language, part=f"“{least.question}”"))
    return with_caveats(least.confidence, caveats)


def _type_of(state: AskState) -> AnswerType:
    return AnswerType.FOLLOWUP_ANSWER if state["request"].history else AnswerType.SUMMARY
