"""The routing functions: state in, name of the next node out; no I/O, every loop's bound is checked first.

Bounds: at most ``max_attempts`` searches a question, and as many again after the web brought something new, each
wording and strategy at most once; ``MAX_REWRITES`` rewrites and ``MAX_REGENERATIONS`` regenerations; the web at most
once; and nothing new once the time is up.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from enum import StrEnum
from typing import cast

from ascertain.core.asking.answers import AnswerType
from ascertain.core.asking.judgements import (
    GOOD_QUALITY,
    RULES_SIGNAL,
    Gap,
    GapKind,
    RetrievalIssue,
    RetrievalQuality,
    is_off_subject,
)
from ascertain.core.asking.passages import Level, Strategy
from ascertain.core.asking.plans import Aspect, DigestQuestion, Intent
from ascertain.core.settings import WorkflowSettings
from ascertain.reports.research.planning import find_address, find_claim, find_research_order
from ascertain.retrieval.model_judging import is_judged_by_model
from ascertain.workflow.ask.state import AskState, Web

# What to try after a search that was not good enough. The routing functions and the node that changes course share it,
# so that a route is only taken when there is something new to do.

MISSED_THE_SUBJECT = frozenset({RetrievalIssue.OFF_TOPIC, RetrievalIssue.WRONG_DOMAIN})
"""What another wording does not fix: the strategy is changed at once (WF-2)."""

_WANTED = {
    RetrievalIssue.MISSING_KEY_INFO: Strategy.SEMANTIC,
    RetrievalIssue.OFF_TOPIC: Strategy.KEYWORD,
    RetrievalIssue.WRONG_DOMAIN: Strategy.KEYWORD,
}
"""The strategy that helps with an issue (WF-4); for the others it is one that was not tried."""
_FOR_GAP = {GapKind.NAME: Strategy.KEYWORD, GapKind.CONCEPT: Strategy.SEMANTIC}
"""A missing name is looked up by words, a missing concept by meaning (RE-8)."""
_ORDER = (Strategy.HYBRID, Strategy.SEMANTIC, Strategy.KEYWORD)


def untried_strategies(state: AskState) -> tuple[Strategy, ...]:
    """Strategies that the present wording was not searched with; none when the user chose one."""
    if state["request"].strategy is not None:
        return ()
    query = state["query"]
    tried = {strategy for text, strategy in state["tried"][state["first_search"] :] if text == query}
    return tuple(strategy for strategy in _ORDER if strategy not in tried)


def next_strategy(state: AskState) -> Strategy | None:
    """What to search the present wording with next, by the issues and the gaps; None when all was tried."""
    left = untried_strategies(state)
    if not left:
        return None
    wishes = _wanted_strategies(state["quality"].issues, state["sufficiency"].gaps)
    return next((strategy for strategy in wishes if strategy in left), left[0])


def can_search_again(state: AskState, workflow: WorkflowSettings) -> bool:
    """Whether a further search is left; the last one is reserved for a search without the dates, where that may follow.

    A look for all places that name something, or at the themes of all documents, counts as one. A few documents that a follow-up is looked
    up in are searched once: other words find no other passages there.
    """
    if state["documents"]:
        return False
    plan = state["plan"]
    looked_up = plan.entity_question is not None or plan.global_question is not None
    looked_up = looked_up or find_digest_question(state) is not None or plan.analysis_question is not None
    made = len(state["tried"]) - state["first_search"] + looked_up
    kept = _may_drop_dates(state) and workflow.max_attempts > 1
    return made + kept + _is_kept_for_draft(state, workflow) < workflow.max_attempts and not state["is_out_of_time"]


def _is_kept_for_draft(state: AskState, workflow: WorkflowSettings) -> bool:
    """Whether a search is reserved for after the first draft: what a chat model writes may turn out to have no support. What is
    quoted has.
    """
    is_before = bool(state["evidence"]) and not state["attempts"]
    return is_before and is_judged_by_model(state["quality"]) and workflow.max_attempts > 2


def _may_drop_dates(state: AskState) -> bool:
    """Whether that may follow, from this search or from one before it, which may be written from."""
    if state["request"].sets_dates or state["is_undated"]:
        return False
    return any(found.filter.has_dates for found in (state["found"], *(each.found for each in state["unused"])))


def can_refine(state: AskState, max_rewrites: int) -> bool:
    """Whether the question may be reworded."""
    return state["rewrites"] < max_rewrites


def can_drop_dates(state: AskState) -> bool:
    """Whether dates that were read from the question, not set by the user, still limit the search."""
    return state["found"].filter.has_dates and not state["request"].sets_dates and not state["is_undated"]


def can_search_web(state: AskState) -> bool:
    """Whether the web was not searched yet and may be."""
    return state["web"] is Web.OPEN and not state["is_out_of_time"]


def _wanted_strategies(issues: Iterable[RetrievalIssue], gaps: Iterable[Gap]) -> Iterable[Strategy]:
    for issue in issues:
        if issue in _WANTED:
            yield _WANTED[issue]
    for gap in gaps:
        if gap.kind in _FOR_GAP:
            yield _FOR_GAP[gap.kind]


MAX_REWRITES, MAX_REGENERATIONS = 2, 2
"""Wordings of a question after poor retrieval (WF-2), and of an answer with unsupported claims (WF-3)."""
REFUSALS = 2
"""How often a chat model finds no answer, with nothing new shown to it in between, before that is accepted."""
MODERATE = 0.6
"""Groundedness from which an answer is accepted, with a warning (AN-5)."""


class Node(StrEnum):
    """The nodes, by the names that decisions carry."""

    REWRITE = "rewrite"
    RECALL = "recall"
    PLAN = "plan"
    PARTS = "parts"
    JOIN = "join"
    CLASSIFY = "classify"
    GATHER = "gather"
    OVERVIEW = "overview"
    DIGEST = "digest"
    DOCUMENT = "document"
    ANALYSE = "analyse"
    VALIDATE = "validate"
    RESEARCH = "research"
    COMPUTE = "compute"
    STRATEGY = "strategy"
    EXPAND = "expand"
    RETRIEVE = "retrieve"
    JUDGE = "judge"
    SWITCH = "switch"
    REFINE = "refine"
    UNDATE = "undate"
    WEB = "web"
    GENERATE = "generate"
    CHECK = "check"
    EVALUATE = "evaluate"
    GREET = "greet"
    REJECT = "reject"
    FINISH = "finish"
    REREAD = "reread"


class Course(StrEnum):
    """Where the supervisor sends a question."""

    RETRIEVAL = "retrieval"
    VALIDATION = "validation"
    ANALYSIS = "analysis"
    RESEARCH = "research"
    """Quickly and in the documents alone; a run that fetches pages, takes minutes and is stored is started by its own command,
    which the answer names."""


def choose_course(state: AskState) -> tuple[Course, str]:
    """What answers a question, and why. If that finds nothing, the question is looked up as any other."""
    plan = state["plan"]
    if state["request"].mode != "news" and (claim := find_asked_claim(state)):
        return Course.VALIDATION, f"it asks whether “{claim.rstrip('.')}” is true"
    if is_ordered(state):
        if not find_order(state):
            return Course.RESEARCH, "it asks for research, and does not say on what"
        return Course.RESEARCH, "it asks for research, which several agents do over the documents"
    if plan.analysis_question is not None:
        kind, focus = plan.analysis_question.kind.value, plan.analysis_question.focus
        about = f" on “{focus}”" if focus else ""
        return Course.ANALYSIS, f"it asks for {_ASKED_FOR[kind]}{about}, which every document of a period says together"
    if state["request"].mode == "news":
        return Course.RETRIEVAL, "it is looked up in the news"
    if find_address(state["request"].question):
        return (
            Course.RETRIEVAL,
            "pages are fetched by `ascertain research` alone; here it is looked up in what is stored",
        )
    if find_digest_question(state) is not None:
        return Course.RETRIEVAL, "it asks what is new, or what a period brought"
    if plan.global_question is not None:
        return Course.RETRIEVAL, "it asks about the documents as a whole"
    if plan.document_question is not None and plan.entity_question is None:
        return Course.RETRIEVAL, "it asks for a document as a whole, where one is called so"
    if plan.entity_question is not None:
        return Course.RETRIEVAL, "it asks for all places that name something"
    return Course.RETRIEVAL, "passages can answer it"


def is_ordered(state: AskState) -> bool:
    """Whether a question orders research, and nothing that reads all documents of a kind or a period serves it better."""
    plan, question = state["plan"], state["request"].question
    is_whole = plan.analysis_question or plan.global_question or plan.entity_question or find_digest_question(state)
    is_ours = state["request"].mode != "news" and not is_whole and not find_address(question)
    return is_ours and not find_asked_claim(state) and find_order(state) is not None


def find_order(state: AskState) -> str | None:
    """What research is ordered on, by the words of the conversation where the message points back ("write a report on it");
    empty where nothing says on what, None where none is ordered.
    """
    standalone = state["standalone"]
    own, whole = (
        find_research_order(state["request"].question, state["language"]),
        find_research_order(standalone.text, state["language"]),
    )
    if own == "" and standalone.added:
        return ", ".join(standalone.added)
    return whole or own


def find_asked_claim(state: AskState) -> str:
    """The claim of a question, or of an order of research, that asks whether it is true; empty for any other."""
    return find_claim(state["asked"].text) or find_claim(find_order(state) or "")


_ASKED_FOR = {
    "overview": "an overview",
    "mood": "sentiment",
    "trend": "a trend",
    "disagreement": "disagreements",
    "prediction": "a prediction",
}


def after_rewriting(state: AskState) -> Node:
    """What is asked of the conversation is answered from it; of an answer that is not on record the question is answered again."""
    act = state["act"]
    return Node.PLAN if act is None or state["plan"].searches else Node.RECALL


def after_planning(state: AskState) -> Node:
    """Greetings and out-of-scope questions never touch the stores (QU-9)."""
    plan, intent = state["plan"], state["plan"].intent
    if intent is Intent.GREETING:
        return Node.GREET
    if is_ordered(state):
        return Node.RESEARCH if find_order(state) else Node.REJECT
    if intent is Intent.OUT_OF_SCOPE:
        return Node.REJECT
    if state["request"].mode == "news":
        return Node.CLASSIFY
    course, _ = choose_course(state)
    wanted = plan.document_question
    if wanted is not None and wanted.is_of_records and not wanted.name:
        # "which document is the newest?" is about no table, whatever days its rows have
        return Node.DOCUMENT
    is_of_versions = wanted is not None and wanted.aspect is Aspect.CHANGES
    if state.get("has_parts") and not is_of_versions and course in {Course.RETRIEVAL, Course.VALIDATION}:
        return Node.PARTS
    if course is Course.VALIDATION:
        return Node.VALIDATE
    return Node.COMPUTE if state.get("may_be_computed") and course is Course.RETRIEVAL else _open_search(state)


def after_parts(state: AskState) -> Node:
    """Join the answers where a part has one; else the question is looked up whole."""
    is_answered = any(answer.citations for answer in state["part_answers"])
    return Node.JOIN if is_answered else after_planning(cast(AskState, {**state, "has_parts": False}))


DONE = "done"
"""Where there is nothing left to do."""


def after_finishing(state: AskState) -> str:
    """A follow-up whose answer is not sure is looked up in other ways, where there are any."""
    is_sure = state["answer"].confidence.level is Level.HIGH
    return Node.REREAD if state["lookups"] and not is_sure and not state["is_out_of_time"] else DONE


def after_computing(state: AskState) -> Node:
    """Check what was computed over a table, or look the question up where no table is asked about."""
    return Node.CHECK if state["global_answer"] is not None else _open_search(state)


def after_gathering(state: AskState) -> Node:
    """Write from the report, or search where there is none."""
    return Node.GENERATE if state["report"] is not None and has_found(state) else Node.STRATEGY


def find_digest_question(state: AskState) -> DigestQuestion | None:
    """What a digest is asked of; None where the question asks for none.

    All articles that were fetched for a question are on its subject; of a later one that goes on with them, a subject
    is looked up.
    """
    plan = state["plan"]
    asked = plan.digest_question
    if asked is None or (plan.global_question is not None and asked.focus):
        return None
    if state["request"].mode != "news":
        return None if asked.for_articles else asked
    if asked.by_date:
        return asked
    if state["is_initial"]:
        return replace(asked, focus="")
    return None if asked.for_articles and asked.focus else asked


def after_global_answer(state: AskState) -> Node:
    """Check the global answer, the digest, the analysis, the verdict or the report, or search where there is no graph,
    no news, or nothing said of what is asked about.
    """
    return Node.CHECK if state["global_answer"] is not None else Node.STRATEGY


def after_classifying(state: AskState) -> Node:
    """A question that opens a subject is answered from news fetched for it, another from what is there (NW-2)."""
    return Node.WEB if state["is_initial"] and can_search_web(state) else _first_search(state)


def has_found(state: AskState) -> bool:
    """Whether passages, those of the graph among them, are there to write from; without any the answer is a rejection
    (KG-5).
    """
    return bool(state["evidence"]) or any(each.evidence for each in state["unused"])


def after_web(state: AskState, workflow: WorkflowSettings) -> Node:
    """Look the question up in what was fetched; where nothing was, go on as if the web could not be searched."""
    if state["fetched"] or "found" not in state:
        if state["plan"].analysis_question is not None:
            return Node.ANALYSE
        return Node.STRATEGY if find_digest_question(state) is None else Node.DIGEST
    return gate_one(state, workflow) if state["is_fresh"] else gate_two(state, workflow)


def gate_one(state: AskState, workflow: WorkflowSettings) -> Node:
    """Write from what was found, or search otherwise first (WF-2, WF-5, KG-5).

    The few articles of a conversation about the news are all looked at in one search: what they hold is written from, and the web is
    asked where that does not answer. In either mode the web comes before the dates are dropped.
    """
    if not state["finds_new"]:
        return _end_search(state, workflow)
    quality, has_evidence = state["quality"], bool(state["evidence"])
    is_good = has_evidence and quality.score >= GOOD_QUALITY
    is_about_news = state["request"].mode == "news"
    if is_about_news and can_search_web(state):
        last = write_or_reject(state)
        return last if last is Node.GENERATE else Node.WEB
    if is_good:
        return write_or_reject(state)
    another = _another_search(state, workflow)
    if another is not None:
        return another
    last = write_or_reject(state)
    # the period asked about holds nothing on the subject, which says nothing of the time around it
    return Node.UNDATE if last is Node.FINISH and can_drop_dates(state) and not state["is_out_of_time"] else last


def _end_search(state: AskState, workflow: WorkflowSettings) -> Node:
    """Where a search brought a chat model nothing new: write from what there is, or, where that was written from, look elsewhere
    or finish.
    """
    if state["unused"]:
        if can_search_web(state) and state["quality"].score < GOOD_QUALITY:
            return Node.WEB
        last = write_or_reject(state)
        return Node.UNDATE if last is Node.FINISH and can_drop_dates(state) and not state["is_out_of_time"] else last
    another = None if state["refusals"] >= REFUSALS else _another_round(state, workflow)
    return another or (Node.WEB if can_search_web(state) else Node.FINISH)


def write_or_reject(state: AskState) -> Node:
    """The last check before writing: nothing found by passages or graph, or nothing on the subject, ends as a rejection
    (KG-5).
    """
    is_off = is_off_subject([each.quality for each in state["unused"]])
    return Node.GENERATE if has_found(state) and not is_off else Node.FINISH


def after_checking(state: AskState, workflow: WorkflowSettings) -> Node:
    """Accept the answer, write it again more strictly, or blame the retrieval (WF-3, AN-5)."""
    if state["global_answer"] is not None:
        return _after_checking_global_answer(state)
    if state["groundedness"].score >= MODERATE or state["is_out_of_time"]:
        return Node.EVALUATE
    if state["quality"].score < GOOD_QUALITY and (another := _another_round(state, workflow)) is not None:
        return another
    # what was written once more without support is cut down to what has some, or to the quotations behind it
    again = state["regenerations"] < MAX_REGENERATIONS or state["composition"].quoted is not None
    return write_or_reject(state) if again else Node.EVALUATE


def gate_two(state: AskState, workflow: WorkflowSettings) -> Node:
    """Finish, or search again on another course (WF-4), the web last (WF-5)."""
    if state["is_out_of_time"]:
        return Node.FINISH
    withheld = state["confidence"].level is Level.NONE
    if state["report"] is not None and not withheld:
        # it holds every place there is; the best few passages of another search would tell less
        return Node.FINISH
    if withheld and can_drop_dates(state):
        return Node.WEB if can_search_web(state) else Node.UNDATE
    if (
        state["request"].mode == "news"
        and can_search_web(state)
        and not state["evaluation"].is_doubted(state["quality"])
    ):
        # another way to search finds no more in a few articles
        return Node.FINISH if _answers(state) else Node.WEB
    if state["refusals"] >= REFUSALS:
        return Node.WEB if can_search_web(state) else Node.FINISH
    evaluation, quality = state["evaluation"], state["quality"]
    if evaluation.is_sufficient(quality) and not withheld:
        # rules are satisfied, and a chat model that read question and answer is not
        return (evaluation.is_doubted(quality) and _another_round(state, workflow)) or Node.FINISH
    if _is_passed_by_model_alone(state["quality"]) and _may_refine(state, workflow):
        return Node.REFINE
    return _another_round(state, workflow) or (Node.WEB if can_search_web(state) else Node.FINISH)


def _answers(state: AskState) -> bool:
    """Whether what the articles of a conversation gave is an answer: one that may be shown, and is either surer than little or
    sufficient.
    """
    level = state["confidence"].level
    return level is not Level.NONE and (level is not Level.LOW or state["evaluation"].is_sufficient(state["quality"]))


def _after_checking_global_answer(state: AskState) -> Node:
    """A global answer is accepted when it may be shown: another search would find single passages, and no better view of
    the whole.

    Behind each sentence without support there is a quotation to replace it, so that none needs to be shown.
    """
    # that there is no such time, or recording, is all that is to be said of it
    if state["is_out_of_time"] or state["composition"].type is AnswerType.REJECTION:
        return Node.FINISH
    is_survey = state["plan"].global_question is not None and find_digest_question(state) is None
    is_survey = is_survey and not state.get("is_of_document", False)
    if (
        is_survey
        and state["plan"].analysis_question is None
        and state["groundedness"].unsupported
        and state["regenerations"] < MAX_REGENERATIONS
    ):
        return Node.OVERVIEW
    return Node.STRATEGY if state["confidence"].level is Level.NONE else Node.FINISH


def after_document(state: AskState) -> Node:
    """Check what the document says, or go on as with any other question where none is meant."""
    return Node.CHECK if state["global_answer"] is not None else _first_search(state)


def _open_search(state: AskState) -> Node:
    """A document that the question means as a whole comes first: whether there is one is soon seen."""
    digest = find_digest_question(state)
    is_of_period = digest is not None and not digest.focus and state["plan"].global_question is None
    plan = state["plan"]
    # what the documents say of a thing by its name is gathered from all of them
    is_asked = plan.document_question is not None and plan.entity_question is None
    is_whole = is_asked and state["request"].mode != "news" and not is_of_period
    return Node.DOCUMENT if is_whole else _first_search(state)


def _first_search(state: AskState) -> Node:
    if state["plan"].analysis_question is not None:
        return Node.ANALYSE
    if find_digest_question(state) is not None:
        return Node.DIGEST
    if state["plan"].global_question is not None:
        return Node.OVERVIEW
    return Node.STRATEGY if state["plan"].entity_question is None else Node.GATHER


def _another_search(state: AskState, workflow: WorkflowSettings) -> Node | None:
    """What to try before anything is written; None when all was tried."""
    has_evidence = bool(state["evidence"])
    if state["is_out_of_time"]:
        return None
    if not has_evidence and can_drop_dates(state):
        return Node.WEB if can_search_web(state) else Node.UNDATE
    if state["request"].mode == "news" and not has_evidence:
        return None
    lost = not has_evidence or any(issue in MISSED_THE_SUBJECT for issue in state["quality"].issues)
    if can_search_again(state, workflow):
        if lost and next_strategy(state) is not None:
            return Node.SWITCH
        if can_refine(state, MAX_REWRITES):
            return Node.REFINE
    return Node.WEB if can_search_web(state) else None


def _another_round(state: AskState, workflow: WorkflowSettings) -> Node | None:
    if not can_search_again(state, workflow):
        return None
    return Node.SWITCH if next_strategy(state) is not None else None


def _is_passed_by_model_alone(quality: RetrievalQuality) -> bool:
    """Whether rules would have reworded the question before anything was written, as they do without a chat model."""
    return quality.signals.get(RULES_SIGNAL, quality.score) < GOOD_QUALITY <= quality.score


def _may_refine(state: AskState, workflow: WorkflowSettings) -> bool:
    return can_search_again(state, workflow) and can_refine(state, MAX_REWRITES)


def most_steps(workflow: WorkflowSettings) -> int:
    """More nodes than a run can visit: LangGraph's own bound, behind those above."""
    searches = 2 * (workflow.max_attempts + 1)
    return 18 + 2 * MAX_REGENERATIONS + searches * (8 + 2 * MAX_REGENERATIONS)
