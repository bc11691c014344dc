"""The last nodes: greet, reject, or return the best answer.

An answer without a supported, cited sentence is never given: that is a rejection (KG-5, AN-1).
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ascertain.answering.composition import drop_unsupported, join_compositions, quote_citations
from ascertain.answering.confidence import MEDIUM, Assessment, weigh_as_quoted
from ascertain.answering.generative import ANSWERING
from ascertain.answering.units.versions import find_replaced
from ascertain.core.asking.answers import Answer, AnswerSentence, AnswerType, Verdict, VerdictLabel
from ascertain.core.asking.forms import join_sentences
from ascertain.core.asking.judgements import AnswerIssue, CheckedClaim, EvaluatedBy, GapKind, Groundedness
from ascertain.core.asking.passages import Confidence, Filter, Level, Passage, Strategy
from ascertain.core.asking.plans import Aspect
from ascertain.core.reports.analysis import AnalysisKind
from ascertain.language.languages import say_sentence
from ascertain.language.tables import is_row
from ascertain.questions.reading.facts import AskedFact
from ascertain.questions.reading.question import Question
from ascertain.reports.research.planning import find_address, find_research_order
from ascertain.reports.tables.questions.entities import find_missing_attribute, find_other_entity
from ascertain.reports.tables.questions.interpretation import asks_computation
from ascertain.retrieval.model_judging import JUDGED_SIGNAL, is_judged_by_model
from ascertain.workflow.ask.check_nodes import find_lost_period
from ascertain.workflow.ask.nodes import Outcome, rate_retrieval
from ascertain.workflow.ask.routes import find_order
from ascertain.workflow.ask.state import AskState, Attempt, Web, choose_attempt, rank_attempt
from ascertain.workflow.ask.steps import Context
from ascertain.workflow.question_text import DISCLAIMER, OUTLOOK, describe_empty_period, describe_outside

NO_PROVIDER = "The web was not searched: no provider is set (news.providers)."


def about_web(state: AskState) -> str:
    """A sentence for a rejection; empty where the web is irrelevant."""
    if state["web"] is Web.UNSET:
        return say_sentence(NO_PROVIDER, state["language"])
    return f"The web was asked too: {state['web_report']}." if state["web"] is Web.SEARCHED else ""


def describe_unsearched(state: AskState, confidence: Confidence) -> str:
    """A sentence for an answer that news might have bettered: one about news, or one of low confidence."""
    is_poor = confidence.level in {Level.LOW, Level.NONE}
    wanted = is_poor or state["request"].mode == "news"
    return say_sentence(NO_PROVIDER, state["language"]) if wanted and state["web"] is Web.UNSET else ""


MOST_ISSUES = 2
"""Things wrong with an answer that its caveat names, the weightiest."""
PLAINLY = 40
"""Points of confidence by which quotations of high confidence are plainly nearer than what a written answer cites."""
BELOW_HIGH = 69
"""The highest score of medium confidence."""
LONGEST_SUBJECT = 200
"""Characters of a subject that is repeated in the command that researches it."""
FINE = 0.8
"""Groundedness under which an answer is shown with the warning below (AN-5)."""
MODERATE = "Not every claim of this answer was found supported; the verdicts say which."
REPLACED = "The first source holds no longer: its title or its file says so, or a newer version of it was found."
NOT_COMPUTED = "This was looked up, not computed over all rows of the table."
NO_ATTRIBUTE = "The row that was found does not name “{asked}”."
OTHER_ENTITY = "The row that was found is of “{named}”; the question asks about “{asked}”."
INSUFFICIENT = "This may not answer the question fully."
DIFFERS = "The sentences that the chat model wrote may not answer this; the nearest sentences of the sources stand behind them."
RESCUED = "What the chat model wrote is not sure enough to be shown; these are the words that it found to answer."
WIDEN = "It may also help to widen the dates or other filters."
MISSING = "What is missing: {what}."
MOST_GAPS = 3
"""Things that a refusal says are missing."""
NOTHING = Confidence(Level.NONE, 0, "Nothing that was found answers this.")


def greet_user(state: AskState, context: Context) -> Outcome:
    """A greeting gets one back, and no search."""
    greeting = "Hello! I answer questions from {material} and show the words each answer rests on."
    text = say_sentence(greeting, state["language"], material=_name_material(state, context))
    answer = build_reply(state, context, text, AnswerType.GREETING, confidence=Confidence(Level.NONE, 0))
    return Outcome({"answer": answer}, "greeted", "a greeting; nothing was searched")


def reject_question(state: AskState, context: Context) -> Outcome:
    """A message that is not for a knowledge base gets a reply that says so, without a search."""
    refusal = "That is not something I can look up: I answer questions from {material}. Ask about what they say."
    text = say_sentence(refusal, state["language"], material=_name_material(state, context))
    text = " ".join(filter(None, (text, _name_research(state))))
    confidence = Confidence(Level.NONE, 0, say_sentence("Nothing was searched.", state["language"]))
    answer = build_reply(state, context, text, AnswerType.REJECTION, confidence=confidence)
    return Outcome({"answer": answer}, "rejected", "out of scope; nothing was searched")


def finish_answer(state: AskState, context: Context) -> Outcome:
    """The best attempt as an answer, or a rejection that says what was searched."""
    best, shown = _choose_shown(state, context)
    if best is None or shown is None or best.confidence.level is Level.NONE:
        answer = _build_rejection(state, context, best)
        return Outcome(
            {"answer": answer}, "withheld" if shown and shown.sentences else "rejected", _explain_rejection(best, shown)
        )
    outside = _describe_lost_period(state, context, best)
    is_forecast = asks_prediction(state) and _type_of(best, state) is not AnswerType.ANALYSIS
    parts = (
        outside,
        shown.text,
        _name_research(state),
        say_sentence(DISCLAIMER, state["language"]) if is_forecast else "",
    )
    caveats = [*_list_caveats(state, best, shown), *filter(None, (describe_unsearched(state, best.confidence),))]
    sure = best.confidence
    if _type_of(best, state) is AnswerType.ANALYSIS:
        # everything that was read is shown, with its own caveats
        sure = replace(sure, caveat=None)
    if is_forecast:
        # that sources expect it is certain, not that it will happen
        caveats = [say_sentence(OUTLOOK, state["language"]), *caveats]
    confidence = with_caveats(sure, caveats)
    answer = replace(
        build_reply(state, context, "\n\n".join(filter(None, parts)), _type_of(best, state), confidence=confidence),
        sentences=shown.sentences,
        citations=best.composition.citations,
        strategy=best.found.strategy,
        groundedness=best.groundedness.score,
        computation=best.composition.computation,
    )
    return Outcome({"answer": answer}, "answered", f"confidence {confidence.score} ({confidence.level})")


def asks_prediction(state: AskState) -> bool:
    """Whether a question asks for the future, or for advice that depends on it."""
    asked = state["plan"].analysis_question
    return asked is not None and asked.kind is AnalysisKind.PREDICTION


def _choose_shown(state: AskState, context: Context) -> tuple[Attempt | None, _Shown | None]:
    """What is shown: the chosen attempt, or else the best of the others that may be shown, or at least what a draft quotes from
    a passage that was judged to answer. The first with what little it has if none can be shown.
    """
    is_believed = not context.run.is_distrusted
    settled = settle_attempts(state, is_believed=is_believed)
    others = [*state["attempts"], *state["quotations"]] if is_believed else []
    ranked = sorted(others, key=rank_attempt, reverse=True)
    for attempt in (*filter(None, (settled,)), *ranked):
        shown = _show_attempt(attempt, context)
        if shown is not None and attempt.confidence.level is not Level.NONE:
            return attempt, shown
    rescued = rescue_quotation(state, context) if is_believed else None
    best = rescued or settled
    return best, _show_attempt(best, context) if best else None


def rescue_quotation(state: AskState, context: Context) -> Attempt | None:
    """What the drafts quote from a passage that a chat model judged to hold the answer, the latest draft first; None where they
    quote nothing from one, or where even that is less confident than the settings require.
    """
    for attempt in reversed(state["attempts"]):
        answering = [p for p in attempt.evidence if p.scores.get(JUDGED_SIGNAL, 0.0) >= ANSWERING]
        quoted = quote_citations(attempt.composition, answering) if attempt.composition.quoted is not None else None
        if quoted is None or quoted.checked is None:
            continue
        judged = round(100 * max(passage.scores[JUDGED_SIGNAL] for passage in answering))
        assessment = Assessment(
            question=state["asked"],
            composition=quoted,
            passages=attempt.evidence,
            quality=replace(attempt.quality, score=max(judged, attempt.quality.score)),
            sufficiency=state["sufficiency"],
            groundedness=quoted.checked,
        )
        sure = context.steps.checking.assess(assessment)
        if sure.level is not Level.NONE:
            confidence = Confidence(Level.LOW, min(sure.score, MEDIUM - 1), say_sentence(RESCUED, state["language"]))
            return replace(
                attempt, composition=quoted, groundedness=quoted.checked, confidence=confidence, evaluation=None
            )
    return None


def settle_attempts(state: AskState, *, is_believed: bool = True) -> Attempt | None:
    """What is shown: the best written answer, or the quotations behind the written ones if it is unreliable.

    A written answer is shown when a claim of it has support and it is sure enough. Where its evaluation finds it
    wanting and the quotations are not, both are shown: no question is answered worse than without a chat model.
    """
    if not is_believed:
        return _settle_by_rules(state)
    best, quoted = choose_attempt(state["attempts"]), choose_attempt(state["quotations"])
    if best is None or quoted is None or best.composition.quoted is None:
        return choose_attempt([each for each in (best, quoted) if each is not None])
    own, behind = rank_attempt(best), rank_attempt(quoted)
    if not behind.is_sure_enough:
        return best
    if not own.is_sure_enough or not _has_support(best):
        return quoted
    is_doubtful = not own.is_sufficient or _is_beside(best, quoted) or _is_nearer(quoted, best)
    return _add_quotations(best, quoted, state["language"]) if behind.is_sufficient and is_doubtful else best


def _settle_by_rules(state: AskState) -> Attempt | None:
    """What is shown where the chat model is not trusted: the same as without one. What it wrote before is shown only
    where nothing was quoted.
    """
    quoted = [each for each in state["attempts"] if each.composition.quoted is None]
    return choose_attempt([*quoted, *state["quotations"]]) or choose_attempt(state["attempts"])


def _is_beside(written: Attempt, quoted: Attempt) -> bool:
    """Whether the evaluation finds the written answer beside the question, and the quotations are more confident."""
    evaluation = written.evaluation
    is_faulted = evaluation is not None and AnswerIssue.WRONG_FOCUS in evaluation.issues
    return is_faulted and quoted.confidence.score > written.confidence.score


def _is_nearer(quoted: Attempt, written: Attempt) -> bool:
    """Whether the quotations are plainly nearer to the question than anything that the written answer cites."""
    evidence, evaluation = written.composition.evidence, written.evaluation
    if not evidence or evaluation is None or quoted.confidence.level is not Level.HIGH:
        return False
    if evaluation.by is EvaluatedBy.TRIED_MODEL:
        return False
    return 100 * weigh_as_quoted(evidence, evaluation) < quoted.confidence.score - PLAINLY


def _has_support(attempt: Attempt) -> bool:
    """Whether some cited sentence has only supported claims."""
    return drop_unsupported(attempt.composition, attempt.groundedness) is not None


def _add_quotations(written: Attempt, quoted: Attempt, language: str) -> Attempt:
    """The written answer and the quotations behind it, with medium confidence at most."""
    surer = max(written.confidence, quoted.confidence, key=lambda each: each.score)
    confidence = with_caveats(replace(surer, caveat=None), [say_sentence(DIFFERS, language)])
    joined = join_compositions(written.composition, quoted.composition)
    claims = [
        replace(claim, sentence=claim.sentence + len(written.composition.sentences))
        for claim in quoted.groundedness.claims
    ]
    groundedness = Groundedness((*written.groundedness.claims, *claims))
    return replace(written, composition=joined, groundedness=groundedness, confidence=confidence)


def _name_material(state: AskState, context: Context) -> str:
    return "the news" if state["request"].mode == "news" else context.steps.searching.searched(Filter())


@dataclass(frozen=True, slots=True)
class _Shown:
    text: str
    sentences: tuple[AnswerSentence, ...]


def _show_attempt(best: Attempt, context: Context) -> _Shown | None:
    """The sentences with their verdicts, unsupported ones as the settings say, contradicted ones or those that cite
    nothing never; None when none is sound.
    """
    judged = tuple(
        replace(sentence, verdict=_worst_verdict(index, sentence, best.groundedness))
        for index, sentence in enumerate(best.composition.sentences)
    )
    sound = [s for s in judged if s.citations and s.verdict.label.is_sound]
    kept = sound
    if context.verification.unsupported == "mark":
        held = {claim.sentence for claim in best.groundedness.claims if claim.verdict.label.is_sound}
        kept = [s for s in judged if s.citations and s.verdict.label is not VerdictLabel.CONTRADICTED]
        # a partly supported sentence is worth a mark, an unsupported one is not
        sound = sound or [
            judged[i] for i in sorted(held) if i < len(judged) and judged[i].citations and judged[i] in kept
        ]
    if not sound:
        return None
    if len(kept) == len(judged):
        return _Shown(best.composition.text, judged)
    return _Shown(join_sentences(kept), tuple(kept))


_WORST_FIRST = (VerdictLabel.CONTRADICTED, VerdictLabel.NOT_IN_SOURCES, VerdictLabel.INFERRED, VerdictLabel.SUPPORTED)


def _worst_verdict(index: int, sentence: AnswerSentence, groundedness: Groundedness) -> Verdict:
    """The worst verdict of the sentence's claims."""
    claims: list[CheckedClaim] = [c for c in groundedness.claims if c.sentence == index]
    if not claims:
        return sentence.verdict
    labels = {claim.verdict.label for claim in claims}
    score = min(claim.verdict.score for claim in claims)
    return Verdict(next(label for label in _WORST_FIRST if label in labels), score)


def _name_research(state: AskState) -> str:
    """How to start the run that a message requests; empty for any other. It is not started here: it takes minutes,
    fetches pages, and is stored.
    """
    question = state["request"].question
    subject = find_address(question) or find_research_order(question, state["language"]) or find_order(state)
    if not subject:
        return ""
    command = f"ascertain research {shlex.quote(subject) if len(subject) <= LONGEST_SUBJECT else 'QUESTION'}"
    return f"For a report that is stored and reads pages too: {command}, or POST /v1/research."


def _build_rejection(state: AskState, context: Context, best: Attempt | None) -> Answer:
    # if nothing was written, the best search shows what came nearest
    source = best or max(state["unused"], key=rate_retrieval, default=None)
    found = source.found if source else state["found"]
    evidence = source.evidence if source else state["evidence"]
    if best and best.composition.type is AnswerType.REJECTION:
        text = best.composition.text
    else:
        analytical = state["plan"].analysis_question
        # no document needs to hold the words by which a mood or a trend is asked for
        focus = analytical.focus if analytical else ""
        asked = context.steps.reading.read(focus, state["language"]) if focus else state["asked"]
        text = context.steps.writing.reject(asked, evidence, context.steps.searching.searched(found.filter))
    missed = state.get("missed", "")
    missed = f"{missed[:1].upper()}{missed[1:]}." if missed else ""
    # no one can widen what they did not set
    filters = "" if found.filter.is_plain else say_sentence(WIDEN, state["language"])
    outside = () if state["global_answer"] is not None else (filters, about_web(state))
    nothing_dated = _describe_empty_period(state, context, found.filter, evidence)
    parts = (text, nothing_dated, _describe_missing(state, context), missed, *outside, _name_research(state))
    text = " ".join(filter(None, parts))
    confidence = (
        best.confidence
        if best and best.confidence.level is Level.NONE
        else replace(NOTHING, caveat=say_sentence(NOTHING.caveat or "", state["language"]))
    )
    answer = build_reply(state, context, text, AnswerType.REJECTION, confidence=confidence)
    return replace(answer, strategy=found.strategy)


def _describe_empty_period(state: AskState, context: Context, searched: Filter, evidence: Sequence[Passage]) -> str:
    """That nothing is from the period asked about, and how new the newest is; empty where something is, or none was asked about."""
    period = find_lost_period(state, context, searched)
    if period is None or state["had_dated"]:
        return ""
    dates = [passage.chunk.published_at for passage in evidence if passage.chunk.published_at]
    return describe_empty_period(period, were_any=False, dates=dates)


def _describe_missing(state: AskState, context: Context) -> str:
    """What a chat model that read the passages found missing in them; empty where none did, or is not trusted."""
    if "quality" not in state or not is_judged_by_model(state["quality"]) or context.run.is_distrusted:
        return ""
    gaps = [gap.what.rstrip(" .?!") for gap in state["sufficiency"].gaps if gap.kind is not GapKind.TIME][:MOST_GAPS]
    return say_sentence(MISSING, state["language"], what="; ".join(gaps)) if gaps else ""


def build_reply(state: AskState, context: Context, text: str, type: AnswerType, *, confidence: Confidence) -> Answer:
    """A reply to the question of ``state`` that cites nothing yet."""
    request, standalone = state["request"], state["standalone"].text
    return Answer(
        question=request.question,
        text=text,
        type=type,
        confidence=confidence,
        sentences=(),
        citations=(),
        strategy=request.strategy or Strategy.HYBRID,
        attempts=max(1, len(state["tried"])),
        usage=context.run.usage,
        conversation_id=request.conversation_id,
        standalone=standalone if standalone != request.question else None,
        id=request.answer_id,
    )


def _explain_rejection(best: Attempt | None, shown: _Shown | None) -> str:
    if best is None:
        return "nothing was found to answer from"
    if shown is None:
        return "no sentence has both support and a citation"
    return f"confidence {best.confidence.score} is below the threshold"


def _type_of(best: Attempt, state: AskState) -> AnswerType:
    if best.composition.type is not AnswerType.SUMMARY or state["is_initial"]:
        return best.composition.type
    fetched = frozenset(state["fetched"])
    if any(citation.document_id in fetched for citation in best.composition.citations):
        return AnswerType.WEB_AUGMENTED_ANSWER
    is_follow_up = state["request"].history or state["request"].mode == "news"
    return AnswerType.FOLLOWUP_ANSWER if is_follow_up else AnswerType.SUMMARY


def _describe_lost_period(state: AskState, context: Context, best: Attempt) -> str:
    period = find_lost_period(state, context, best.found.filter)
    return describe_outside(period, state["had_dated"], best.composition.citations) if period else ""


def _list_caveats(state: AskState, best: Attempt, shown: _Shown) -> list[str]:
    caveats = [*best.composition.caveats]
    has_marked = not all(sentence.verdict.label.is_sound for sentence in shown.sentences)
    if has_marked and best.groundedness.score < FINE:
        caveats.append(say_sentence(MODERATE, state["language"]))
    evaluation = best.evaluation
    if evaluation is not None and not evaluation.is_sufficient(best.quality):
        issues = evaluation.issues[:MOST_ISSUES]
        caveats += [describe_issue(issue, state["asked"]) for issue in issues] or [
            say_sentence(INSUFFICIENT, state["language"])
        ]
    if _rests_on_replaced(state, best):
        caveats.append(say_sentence(REPLACED, state["language"]))
    return [*caveats, *_doubt_rows(state, best, shown)]


def _doubt_rows(state: AskState, best: Attempt, shown: _Shown) -> Iterator[str]:
    """The caveat on rows of a table that were looked up: the others were not checked, or they are of another thing."""
    first = shown.sentences[0].citations if shown.sentences else ()
    quotes = [each.quote for each in best.composition.citations if each.number in first]
    rows = [line for quote in quotes for line in quote.split("\n") if is_row(line)]
    if best.composition.computation is not None or not rows or _is_shown_whole(state):
        return
    if asks_computation(state["asked"].text):
        yield say_sentence(NOT_COMPUTED, state["language"])
    other = next(filter(None, (find_other_entity(state["asked"].text, row) for row in rows)), None)
    if other is not None:
        yield say_sentence(OTHER_ENTITY, state["language"], named=other.named, asked=other.asked)
    elif missing := find_missing_attribute(state["asked"].text, "\n".join((shown.sentences[0].text, *quotes))):
        yield say_sentence(NO_ATTRIBUTE, state["language"], asked=missing)


def _is_shown_whole(state: AskState) -> bool:
    """Whether no row was looked up: a list is shown with all its entries, or what is on record of documents, of which rows are only what
    they open with.
    """
    asked = state["plan"].document_question
    return state["is_of_document"] and asked is not None and (asked.is_of_records or asked.aspect is Aspect.LIST)


def _rests_on_replaced(state: AskState, best: Attempt) -> bool:
    """Whether the sentence that is shown first quotes a document that is no longer valid."""
    documents = {passage.chunk.document_id: passage.chunk for passage in best.found.passages}
    replaced = find_replaced(state["asked"], documents)
    first = best.composition.sentences[0].citations if best.composition.sentences else ()
    return any(each.document_id in replaced for each in best.composition.citations if each.number in first)


def with_caveats(confidence: Confidence, caveats: list[str]) -> Confidence:
    """The confidence with more reservations; none is high with a reservation."""
    if not caveats:
        return confidence
    both = " ".join([*caveats, *filter(None, (confidence.caveat,))])
    if confidence.level is not Level.HIGH:
        return replace(confidence, caveat=both)
    return Confidence(Level.MEDIUM, min(confidence.score, BELOW_HIGH), both)


_SHORTCOMINGS = {
    AnswerIssue.INCOMPLETE_SYNTHESIS: "The answer rests on one document, though the question is about several.",
    AnswerIssue.LACKS_SPECIFICITY: "The answer stays general, though the question asks for something particular.",
    AnswerIssue.MISSING_DETAILS: "The answer leaves out something that the question names.",
    AnswerIssue.UNSUPPORTED_CLAIMS: "Not everything in the answer is supported by the sources.",
    AnswerIssue.PARTIAL_ANSWER: "A part of the question is not answered.",
    AnswerIssue.WRONG_FOCUS: "The answer seems to be about something other than what was asked.",
    AnswerIssue.RETRIEVAL_LIMITED: "What was found is only loosely about the question.",
    AnswerIssue.CONTEXTUAL_GAPS: "The passages that were found lack something that the question asks about.",
}
_ABSENT = {
    AskedFact.PERSON: "No person or organisation is named, though the question asks for one.",
    AskedFact.PLACE: "No place is given, though the question asks for one.",
    AskedFact.DATE: "No date is given, though the question asks for one.",
    AskedFact.DURATION: "No length of time or age is given, though the question asks for one.",
    AskedFact.MONEY: "No sum of money is given, though the question asks for one.",
    AskedFact.NUMBER: "No number is given, though the question asks for one.",
    AskedFact.COUNT: "No number is given, though the question asks for one.",
    AskedFact.REASON: "No reason is given, though the question asks for one.",
    AskedFact.DEFINITION: "It is not said what it is, though the question asks for that.",
    AskedFact.STEPS: "No step or command is given, though the question asks how to do something.",
}


def describe_issue(issue: AnswerIssue, question: Question) -> str:
    """What is wrong with an answer to ``question``, in one sentence for the person who asked."""
    if issue is AnswerIssue.LACKS_SPECIFICITY:
        return say_sentence(_ABSENT.get(question.asked.fact, _SHORTCOMINGS[issue]), question.language)
    return say_sentence(_SHORTCOMINGS[issue], question.language)
