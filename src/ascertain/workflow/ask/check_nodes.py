"""The nodes that judge an answer: every claim of it against its evidence, and the answer as a whole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ascertain.answering.composition import Composition
from ascertain.answering.confidence import Assessment
from ascertain.core.asking.answers import AnswerSentence, AnswerType, Decision
from ascertain.core.asking.judgements import RULES_SIGNAL, CheckedClaim, Groundedness, is_off_topic_by_rules
from ascertain.core.asking.passages import Filter, Level, Passage
from ascertain.core.documents.blocks import Span
from ascertain.workflow.ask.nodes import Outcome
from ascertain.workflow.ask.routes import REFUSALS, find_digest_question
from ascertain.workflow.ask.state import AskState, Attempt
from ascertain.workflow.ask.steps import Context
from ascertain.workflow.question_text import lies_within


def check_groundedness(state: AskState, context: Context) -> Outcome:
    """Check every claim against its evidence, and say how far the answer can be trusted; and check the quotations behind
    it.
    """
    composition = state["composition"]
    groundedness = composition.checked or _verify(state, context)
    confidence = context.steps.checking.assess(_build_assessment(state, context, groundedness))
    attempt = Attempt(state["found"], _read_passages(state), state["quality"], composition, groundedness, confidence)
    supported = len(groundedness.claims) - len(groundedness.unsupported)
    return Outcome(
        {
            "groundedness": groundedness,
            "confidence": confidence,
            "attempts": (*state["attempts"], attempt),
            "quotations": (*state["quotations"], *_attempt_quotations(state, context)),
        },
        f"{supported} of {len(groundedness.claims)} claims supported",
        f"confidence {confidence.score}",
        {"groundedness": groundedness.score, "confidence": float(confidence.score)},
        inner=tuple(_describe_flags(groundedness)),
    )


def _describe_flags(groundedness: Groundedness) -> Iterator[Decision]:
    """Claims that the evidence does not support, and why: they are not visible in an answer that leaves them out."""
    for claim in groundedness.flagged:
        label = claim.verdict.label.value.replace("_", " ")
        yield Decision("claim", label, f"“{claim.text}”: {claim.reason or 'no reason is given'}")


def _verify(state: AskState, context: Context) -> Groundedness:
    """Each claim with its verdict; that of a sentence which stood in an earlier draft with the same citations is the one it had."""
    composition, steps, passages = state["composition"], context.steps, _read_passages(state)
    if not _is_written(state):
        return steps.checking.rule_verifier.verify(
            composition, passages, state["asked"].text, state["language"], context.run
        )
    question = state["plan"].wording or state["asked"].text
    if composition.quoted is None:
        return steps.checking.verifier.verify(composition, passages, question, state["language"], context.run)
    known = _list_checked(state["attempts"])
    keys = [_identify(sentence, composition) for sentence in composition.sentences]
    fresh = [index for index, key in enumerate(keys) if key not in known]
    kept = [replace(claim, sentence=i) for i, key in enumerate(keys) for claim in known.get(key, ())]
    if not fresh:
        return Groundedness(tuple(kept))
    left = replace(composition, sentences=tuple(composition.sentences[index] for index in fresh))
    found = steps.checking.examiner.verify(left, passages, question, state["language"], context.run)
    placed = [replace(claim, sentence=fresh[claim.sentence]) for claim in found.claims]
    return replace(found, claims=tuple(sorted([*kept, *placed], key=lambda claim: claim.sentence)))


_Identity = tuple[str, tuple[tuple[str, Span], ...]]


def _identify(sentence: AnswerSentence, composition: Composition) -> _Identity:
    """A sentence by its words and by what it cites."""
    cited = {each.number: (each.document_id, each.span) for each in composition.citations}
    return sentence.text, tuple(cited[number] for number in sentence.citations if number in cited)


def _list_checked(attempts: Sequence[Attempt]) -> dict[_Identity, tuple[CheckedClaim, ...]]:
    """The claims of every sentence that was written and checked before."""
    checked: dict[_Identity, tuple[CheckedClaim, ...]] = {}
    for attempt in attempts:
        if attempt.composition.quoted is None:
            continue
        for index, sentence in enumerate(attempt.composition.sentences):
            own = tuple(claim for claim in attempt.groundedness.claims if claim.sentence == index)
            checked[_identify(sentence, attempt.composition)] = own
    return checked


def _attempt_quotations(state: AskState, context: Context) -> Iterator[Attempt]:
    """The quotations behind a written answer as a separate attempt, checked by rules alone."""
    quoted = state["composition"].quoted
    if quoted is None:
        return
    passages = state["gathered"] or state["evidence"]
    groundedness = context.steps.checking.rule_verifier.verify(
        quoted, passages, state["asked"].text, state["language"], context.run
    )
    assessment = replace(_build_assessment(state, context, groundedness, quoted), passages=passages)
    by_rules = context.steps.checking.rule_evaluator
    evaluation = by_rules.evaluate(state["plan"], assessment, context.run) if state["report"] is None else None
    confidence = context.steps.checking.assess(replace(assessment, evaluation=evaluation))
    yield Attempt(state["found"], passages, state["quality"], quoted, groundedness, confidence, evaluation)


def evaluate_answer(state: AskState, context: Context) -> Outcome:
    """Evaluate the answer: relevance, completeness, accuracy; the result is part of its confidence from here on."""
    assessment = _build_assessment(state, context, state["groundedness"])
    # a report holds every place that names something: the words of the question do not measure it, and no call is spent
    is_counted = state["report"] is None
    evaluator = (
        context.steps.checking.evaluator if _is_written(state) and is_counted else context.steps.checking.rule_evaluator
    )
    evaluation = evaluator.evaluate(state["plan"], assessment, context.run)
    counted = evaluation if is_counted else None
    confidence = context.steps.checking.assess(replace(assessment, evaluation=counted))
    *earlier, last = state["attempts"]
    attempt = replace(last, confidence=confidence, evaluation=counted)
    is_set_aside = state["composition"].quoted is not None and context.run.is_distrusted
    if is_set_aside and (behind := state["quotations"][-1]).evaluation is not None:
        evaluation, confidence = behind.evaluation, behind.confidence
    issues = ", ".join(evaluation.issues)
    is_withheld = confidence.level is Level.NONE and state["composition"].type is not AnswerType.REJECTION
    aside = "of the quotations, as the chat model is not trusted: " if is_set_aside else ""
    return Outcome(
        {
            "evaluation": evaluation,
            "confidence": confidence,
            "attempts": (*earlier, attempt),
            "withheld": (*state["withheld"], confidence.score) if is_withheld else state["withheld"],
        },
        f"score {evaluation.score}{f': {issues}' if issues else ''}",
        f"{aside}{evaluation.reason}; confidence {confidence.score}",
        {
            "relevance": float(evaluation.relevance),
            "completeness": float(evaluation.completeness),
            "accuracy": float(evaluation.accuracy),
            "confidence": float(confidence.score),
        },
    )


def _is_written(state: AskState) -> bool:
    """Whether a chat model wrote the answer; quotations are checked by rules, as they are without one."""
    is_overview = state["global_answer"] is not None and find_digest_question(state) is None
    is_overview = is_overview and not state.get("is_of_document", False)
    return state["composition"].quoted is not None or is_overview


def _read_passages(state: AskState) -> tuple[Passage, ...]:
    """What the answer was made from."""
    return state["evidence"] if _is_written(state) else state["gathered"] or state["evidence"]


def _build_assessment(
    state: AskState, context: Context, groundedness: Groundedness, composition: Composition | None = None
) -> Assessment:
    # a question about everything, or for news, has words of its own that no passage needs to hold
    question, plan = state["asked"], state["plan"]
    if state["global_answer"] is not None:
        focus = "" if plan.global_question is None else plan.global_question.focus
        question = context.steps.reading.read(focus, state["language"])
    made = composition or state["composition"]
    period = find_lost_period(state, context, state["found"].filter)
    return Assessment(
        question=question,
        composition=made,
        passages=_read_passages(state),
        quality=state["quality"],
        sufficiency=state["sufficiency"],
        groundedness=groundedness,
        withheld=state["withheld"],
        is_declined=state["refusals"] >= REFUSALS,
        is_off_topic=_is_off_topic(state),
        lies_outside=period is not None and not all(lies_within(period, each) for each in made.citations),
        was_fetched=any(each.document_id in state["fetched"] for each in made.citations),
    )


def find_lost_period(state: AskState, context: Context, searched: Filter) -> Filter | None:
    """The period that the words of the question ask about, where the filter ``searched`` ignored it: the dates
    were dropped, by the workflow or by the search itself.
    """
    request, made = state["request"], state["global_answer"]
    # the date in what a document is called is no period that is asked about
    keeps_to_it = state.get("is_of_document", False) or (made is not None and made.keeps_dates)
    if request.sets_dates or searched.has_dates or keeps_to_it:
        return None
    frame = context.steps.reading.timeframe(state["standalone"].text, state["language"])
    return replace(request.filter, published_from=frame.start, published_before=frame.end) if frame else None


def _is_off_topic(state: AskState) -> bool:
    """Whether rules alone find the passages off topic where a chat model wrote, or declined to write."""
    quality, composition = state["quality"], state["composition"]
    has_model = RULES_SIGNAL in quality.signals or composition.is_doubted or composition.quoted is not None
    return has_model and is_off_topic_by_rules(quality)
