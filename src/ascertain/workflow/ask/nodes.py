"""The nodes: each reads the state, asks one step, and says what came of it.

``Outcome`` is what a node returns; ``graph`` turns it into the state's update and the decision record.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from ascertain.answering.composition import Composition, WritingRequest, with_origins
from ascertain.answering.confidence import Assessment
from ascertain.core.answers import AnswerType, Decision
from ascertain.core.documents import DocumentKind
from ascertain.core.judgements import Evaluation, Groundedness, Shortfall, Sufficiency
from ascertain.core.passages import Filter, Level
from ascertain.core.plans import Complexity
from ascertain.core.requests import AskRequest
from ascertain.retrieval.query.decomposition import needs_iteration
from ascertain.retrieval.query.intent import without_greeting
from ascertain.retrieval.search.retriever import RetrievalRequest
from ascertain.workflow.ask.routes import next_strategy
from ascertain.workflow.ask.state import AskState, Attempt, Retrieval, Update, Web
from ascertain.workflow.ask.steps import Context, Researcher
from ascertain.workflow.question_text import drop_time_words


def better_attempt(earlier: Attempt | None, later: Attempt) -> Attempt:
    """The better of two; the earlier one when they are alike."""
    return later if earlier is None or _rank_attempt(later) > _rank_attempt(earlier) else earlier


def with_evaluation(best: Attempt | None, evaluated: Composition, evaluation: Evaluation) -> Attempt | None:
    """``best`` with its evaluation, where it is the answer that was evaluated."""
    if best is None or best.composition is not evaluated:
        return best
    return replace(best, evaluation=evaluation)


def _rank_attempt(attempt: Attempt) -> tuple[bool, bool, float, int]:
    """Answers before rejections, trusted before not, then grounded, then sure."""
    return (
        attempt.composition.type is not AnswerType.REJECTION and bool(attempt.composition.citations),
        attempt.confidence.level is not Level.NONE,
        round(attempt.groundedness.score, 2),
        attempt.confidence.score,
    )


FETCHED_AS = "news"
"""Profile of what is fetched."""


def visible_filter(state: AskState) -> Filter:
    """The filter of the question's searches: in news mode the conversation's own articles, else the request's and what
    was fetched for it.
    """
    request = state["request"]
    if request.mode == "news":
        return replace(request.filter, conversation_id=request.material_id, within=None)
    within, own = request.filter.within, request.material_id
    if state["web"] is Web.SEARCHED and within is not None and own not in within:
        return replace(request.filter, within=(*within, own))
    return request.filter


def web_at_first(request: AskRequest, researcher: Researcher | None) -> Web:
    """How a question stands to the web before anything was looked up."""
    if researcher is None:
        return Web.CLOSED
    if request.mode != "news" and (not researcher.is_fallback or _keeps_out(request.filter)):
        return Web.CLOSED
    return Web.OPEN if researcher.providers else Web.UNSET


def _keeps_out(filter: Filter) -> bool:
    """Whether no fetched article could fulfil the filter."""
    return bool(
        filter.document_ids
        or filter.chunk_ids
        or filter.sources
        or filter.tags
        or filter.conversation_id
        or (filter.kinds and DocumentKind.ARTICLE not in filter.kinds)
        or (filter.profiles and FETCHED_AS not in filter.profiles)
    )


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a node changes in the state, and its decision in words. ``inner`` are the decisions of the step itself."""

    update: Update
    outcome: str
    reason: str = ""
    scores: dict[str, float] = field(default_factory=dict[str, float])
    inner: tuple[Decision, ...] = ()


Body = Callable[[AskState, Context], Outcome]


def rewrite_question(state: AskState, context: Context) -> Outcome:
    """Make a follow-up self-contained; a greeting before a question is no part of it."""
    request = state["request"]
    standalone = context.steps.rewriter.standalone(request.question, request.history, context.run)
    text = without_greeting(standalone.text.strip() or request.question)
    return Outcome(
        {"standalone": replace(standalone, text=text), "query": text, "asked": context.steps.canonical(text)},
        text if text != request.question else "as asked",
        standalone.reason,
    )


def plan_question(state: AskState, context: Context) -> Outcome:
    """Say what the question wants."""
    made = context.steps.planner.plan(state["query"], context.run)
    parts = f", {len(made.sub_queries)} parts" if made.sub_queries else ""
    return Outcome({"plan": made}, f"{made.intent}, {made.type}, {made.complexity}{parts}", made.reason)


def choose_strategy(state: AskState, context: Context) -> Outcome:
    """Choose how to search; a strategy that the user set is kept."""
    fixed = state["request"].strategy
    if fixed is not None:
        return Outcome({"strategy": fixed}, fixed, "set by the user")
    choice = context.steps.strategist.choose(state["query"], state["plan"], context.run)
    return Outcome({"strategy": choice.strategy}, choice.strategy, choice.reason, {"confidence": choice.confidence})


def expand_question(state: AskState, context: Context) -> Outcome:
    """Word the question in other ways, anew for each wording and strategy."""
    variants = context.steps.expander.expand(state["query"], state["plan"], state["strategy"], context.run)
    return Outcome({"variants": variants}, f"{len(variants)} variants", "; ".join(v.text for v in variants))


def retrieve_passages(state: AskState, context: Context) -> Outcome:
    """Search for the present wording with the present strategy."""
    request, made = state["request"], state["plan"]
    found = context.steps.retriever.retrieve(
        RetrievalRequest(
            question=state["query"],
            strategy=state["strategy"],
            k=context.depth_for(request.max_chunks),
            filter=visible_filter(state),
            days_back=request.days_back,
            sub_queries=made.sub_queries,
            variants=state["variants"],
            iterate=made.complexity is Complexity.COMPLEX or needs_iteration(state["asked"]),
            graph_query=made.graph_query,
            asked=state["asked"],
        ),
        context.run,
    )
    evidence = tuple(context.steps.evidence(state["asked"], found.passages, request.max_chunks, context.run))
    seen = {passage.chunk.id for passage in state["passages"]}
    return Outcome(
        {
            "found": found,
            "evidence": evidence,
            "passages": [p for p in found.passages if p.chunk.id not in seen],
            "tried": (*state["tried"], (state["query"], state["strategy"])),
            "report": None,
            "global_answer": None,
            "is_fresh": True,
        },
        f"{len(found.passages)} passages",
        f"{state['strategy']} search, {len(evidence)} kept as evidence",
        inner=found.decisions,
    )


def judge_retrieval(state: AskState, context: Context) -> Outcome:
    """Judge what was found, and whether it can hold an answer."""
    steps, evidence = context.steps, state["evidence"]
    quality = steps.retrieval_judge.judge(state["asked"], state["plan"], evidence, context.run)
    sufficiency = steps.sufficiency.check(state["asked"], state["plan"], evidence, state["found"].filter, context.run)
    issues = ", ".join(quality.issues)
    retrieval = Retrieval(state["found"], evidence, quality, sufficiency)
    return Outcome(
        {"quality": quality, "sufficiency": sufficiency, "unused": (*state["unused"], retrieval)},
        f"quality {quality.score}{f': {issues}' if issues else ''}",
        "; ".join(filter(None, (quality.reason, _describe_gaps(sufficiency)))),
        {"quality": float(quality.score), **quality.signals, **sufficiency.signals},
    )


def switch_strategy(state: AskState, _: Context) -> Outcome:
    """Search the same wording with another strategy."""
    chosen = next_strategy(state) or state["strategy"]
    issues = ", ".join(state["quality"].issues) or "the answer was not good enough"
    return Outcome({"strategy": chosen}, chosen, issues)


def refine_question(state: AskState, context: Context) -> Outcome:
    """Word the question anew, guided by what was wrong."""
    shortfall = Shortfall(state["query"], state["strategy"], state["evidence"], state["quality"], state["sufficiency"])
    refined = context.steps.refiner.refine(shortfall, context.run)
    query = refined.query.strip() or state["query"]
    return Outcome({"query": query, "rewrites": state["rewrites"] + 1}, query, refined.reason)


def drop_dates(state: AskState, context: Context) -> Outcome:
    """Search again without the dates that the question's words asked for; the answer will say so."""
    what = "no answer in" if state["evidence"] else "nothing found in"
    asked, query = (_without_dates(text, context) for text in (state["asked"], state["query"]))
    return Outcome(
        {"asked": asked, "query": query, "is_undated": True, "confidences": (), "had_dated": bool(state["evidence"])},
        query,
        f"{what} the period asked about",
    )


def generate_answer(state: AskState, context: Context) -> Outcome:
    """Write an answer from the best that was found since the last one; a second time more strictly."""
    again = not state["is_fresh"]
    source = _last_retrieval(state) if again else max(state["unused"], key=_rate_retrieval)
    request = WritingRequest(
        question=state["asked"],
        passages=source.evidence,
        quality=source.quality.score,
        unsupported=state["groundedness"].unsupported if again else (),
        searched=context.steps.searched(source.found.filter),
        report=state["report"],
        speaker=state["plan"].entity_question.speaker if state["plan"].entity_question else "",
    )
    written = context.steps.composer.compose(request, context.run)
    # the places of a report are narrowed to what is quoted; what stands around them counts too
    around = source.found.passages if request.report else ()
    composition = context.steps.warn(written, (*request.passages, *around))
    composition = with_origins(composition, request.passages)
    count = len(composition.sentences)
    reason = f"again, without {len(request.unsupported)} unsupported claims" if again else ""
    if source.quality.score > state["quality"].score:
        reason = f"from an earlier search, quality {source.quality.score}"
    return Outcome(
        {
            "found": source.found,
            "evidence": source.evidence,
            "quality": source.quality,
            "sufficiency": source.sufficiency,
            "composition": composition,
            # the answer written anew takes the place of the one before; it is no second opinion
            "confidences": state["confidences"][:-1] if again else state["confidences"],
            "is_fresh": False,
            "unused": (),
            "rounds": state["rounds"] + (not again),
            "regenerations": state["regenerations"] + again,
        },
        f"{count} sentence{'' if count == 1 else 's'}",
        reason,
        inner=composition.decisions,
    )


def _last_retrieval(state: AskState) -> Retrieval:
    return Retrieval(state["found"], state["evidence"], state["quality"], state["sufficiency"])


def _rate_retrieval(retrieval: Retrieval) -> tuple[bool, int]:
    return bool(retrieval.evidence), retrieval.quality.score


def check_groundedness(state: AskState, context: Context) -> Outcome:
    """Check every claim against its evidence, and say how far the answer can be trusted."""
    composition, evidence = state["composition"], state["evidence"]
    groundedness = context.steps.verifier.verify(composition, evidence, context.run)
    assessment = _build_assessment(state, groundedness)
    confidence = context.steps.assess(assessment)
    is_answer = composition.type is not AnswerType.REJECTION
    attempt = Attempt(state["found"], evidence, state["quality"], composition, groundedness, confidence)
    supported = len(groundedness.claims) - len(groundedness.unsupported)
    return Outcome(
        {
            "groundedness": groundedness,
            "confidence": confidence,
            "confidences": (*state["confidences"], confidence.score) if is_answer else state["confidences"],
            "best": better_attempt(state["best"], attempt),
        },
        f"{supported} of {len(groundedness.claims)} claims supported",
        f"confidence {confidence.score}",
        {"groundedness": groundedness.score, "confidence": float(confidence.score)},
    )


def evaluate_answer(state: AskState, context: Context) -> Outcome:
    """Evaluate the answer: relevance, completeness, accuracy."""
    evaluation = context.steps.evaluator.evaluate(
        state["plan"], _build_assessment(state, state["groundedness"]), context.run
    )
    issues = ", ".join(evaluation.issues)
    return Outcome(
        {"evaluation": evaluation, "best": with_evaluation(state["best"], state["composition"], evaluation)},
        f"score {evaluation.score}{f': {issues}' if issues else ''}",
        evaluation.reason,
        {
            "relevance": float(evaluation.relevance),
            "completeness": float(evaluation.completeness),
            "accuracy": float(evaluation.accuracy),
        },
    )


def _build_assessment(state: AskState, groundedness: Groundedness) -> Assessment:
    # a question about everything has words of its own that no passage needs to hold
    global_question = state["plan"].global_question if state["global_answer"] is not None else None
    return Assessment(
        question=state["asked"] if global_question is None else global_question.focus,
        composition=state["composition"],
        passages=state["evidence"],
        quality=state["quality"],
        sufficiency=state["sufficiency"],
        groundedness=groundedness,
        earlier=state["confidences"],
    )


def _without_dates(text: str, context: Context) -> str:
    frame = context.steps.timeframe(text)
    return drop_time_words(frame.phrase, text) if frame else text


def _describe_gaps(sufficiency: Sufficiency) -> str:
    if sufficiency.is_sufficient:
        return ""
    missing = ", ".join(gap.what for gap in sufficiency.gaps)
    return f"missing: {missing}" if missing else sufficiency.reason
