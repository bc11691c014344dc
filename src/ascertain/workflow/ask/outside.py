"""The nodes about the world outside: whether a question opens a subject of the news, and searching the web for it (NW-2, NW-3, WF-5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ascertain.core.conversations import Standalone, Turn
from ascertain.core.requests import AskRequest
from ascertain.language.tokens import content_terms
from ascertain.retrieval.keywords import keywords
from ascertain.retrieval.timeframe import BEGINNING
from ascertain.workflow.ask.context import Context
from ascertain.workflow.ask.nodes import Outcome
from ascertain.workflow.ask.state import AskState, Web
from ascertain.workflow.ask.steps import WebRequest
from ascertain.workflow.dates import without


def classify(state: AskState, context: Context) -> Outcome:
    """Say whether the question opens a subject or goes on with the articles that are there."""
    request, researcher = state["request"], context.steps.researcher
    count = researcher.count(request.material_id, request.filter.tenant) if researcher else 0
    reason = opens_subject(state["standalone"], request.history, count)
    if reason is None:
        known = f"{count} article{'' if count == 1 else 's'} of the conversation"
        return Outcome({"is_initial": False}, "follow-up", f"goes on with the {known}")
    return Outcome({"is_initial": True}, "initial", reason)


def opens_subject(standalone: Standalone, history: Sequence[Turn], articles: int) -> str | None:
    """Why a question opens a subject; None when it goes on with what was said (NW-3).

    It goes on when it leans on the conversation, or speaks of something that was spoken of: a name that fell, or any telling word of
    an earlier question.
    """
    if not articles:
        return "no article was fetched for this conversation yet"
    if standalone.is_follow_up or not history:
        return None
    words = keywords(standalone.text)
    exact = _terms(" ".join((*words.exact, *words.names)))
    said = _terms(" ".join(turn.text for turn in history))
    if exact:
        return None if exact & said else f"a new subject: {_listed(words.exact + words.names)}"
    asked = _terms(" ".join(turn.text for turn in history if turn.role == "user"))
    telling = _terms(" ".join(words.others))
    if not telling or telling & asked:
        return None
    return f"a new subject: {_listed(words.others)}"


def search_web(state: AskState, context: Context) -> Outcome:
    """Search outside, add what is found as material of the conversation, and go back to the question as it was asked."""
    researcher = context.steps.researcher
    if researcher is None:
        return Outcome({"web": Web.CLOSED}, "not searched", "there is nobody to ask")
    text = state["standalone"].text
    findings = researcher.fetch(_wanted(state["request"], text, context), context.run)
    found = len(findings.document_ids)
    update: dict[str, object] = {
        "web": Web.SEARCHED,
        "web_report": findings.report,
        "fetched": findings.document_ids,
    }
    if found:
        again = {"query": text, "asked": context.steps.canonical(text), "is_undated": False, "sureness": ()}
        # what is found now is chosen among more than what was found before
        update |= again | {"unused": (), "first_search": len(state["tried"])}
    return Outcome(
        update, f"{found} new article{'' if found == 1 else 's'}", findings.report, inner=findings.decisions
    )


def _wanted(request: AskRequest, text: str, context: Context) -> WebRequest:
    wanted = WebRequest(
        query=text,
        conversation_id=request.material_id,
        tenant=request.filter.tenant,
        since=request.filter.published_from,
        until=request.filter.published_before,
        days_back=request.days_back,
        time_range=request.time_range,
        max_articles=request.max_articles,
    )
    frame = context.steps.timeframe(text)
    if frame is None:
        return wanted
    # words about time are dates for the search, not words that articles would hold
    wanted = replace(wanted, query=without(frame.phrase, text))
    if request.sets_dates:
        return wanted
    return replace(wanted, since=frame.start if frame.start > BEGINNING else None, until=frame.end)


def _terms(text: str) -> frozenset[str]:
    return frozenset(content_terms(text))


def _listed(words: Sequence[str]) -> str:
    return ", ".join(words[:5])
