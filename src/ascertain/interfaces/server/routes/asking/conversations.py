"""``/v1/conversations``: earlier questions."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Request
from fastapi.concurrency import run_in_threadpool

from ascertain.app.asking.follow_ups import suggest_follow_ups
from ascertain.app.wire.answers import NewsJson
from ascertain.app.wire.conversations import (
    ConversationJson,
    ConversationsJson,
    ConversationSummaryJson,
    FollowUpsJson,
    ForgottenJson,
    TurnJson,
)
from ascertain.app.wire.documents import DeletedJson, NewsSourcesJson, SourcesJson
from ascertain.app.wire.requests import ID_PATTERN, LabelBody, NewsBody
from ascertain.core.asking.answers import Answer
from ascertain.core.asking.requests import ConversationSummary, TurnRecord
from ascertain.core.documents.documents import DocumentRecord
from ascertain.interfaces.server.asking import answer_question, check_request, stop_about
from ascertain.interfaces.server.identity import Caller, Known
from ascertain.interfaces.server.problems import describe_problems, missing_error
from ascertain.interfaces.server.routes.asking.questions import stats
from ascertain.interfaces.server.service import Running, Service

conversations_router = APIRouter(prefix="/v1/conversations", tags=["conversations"])
ConversationPath = Annotated[str, Path(min_length=1, max_length=200, pattern=ID_PATTERN)]


@conversations_router.get("", responses=describe_problems())
def list_conversations(who: Known) -> ConversationsJson:
    """List conversations, the last used first."""
    found = who.knowledge.conversations()
    return ConversationsJson(conversations=[_describe_summary(who, each) for each in found])


@conversations_router.get("/{conversation_id}", responses=describe_problems(404))
def show_conversation(conversation_id: ConversationPath, who: Known) -> ConversationJson:
    """Show the turns of a conversation, oldest first, with whole answers as far back as they are stored."""
    turns = [_describe_turn(who, turn) for turn in _recorded_turns(who, conversation_id)]
    return ConversationJson(id=conversation_id, turns=turns)


@conversations_router.get("/{conversation_id}/sources", responses=describe_problems(404))
def list_sources(conversation_id: ConversationPath, who: Known) -> SourcesJson:
    """List the documents that were fetched for a conversation."""
    return SourcesJson(documents=find_sources(who, conversation_id))


@conversations_router.delete("/{conversation_id}", responses=describe_problems(404))
def delete_conversation(conversation_id: ConversationPath, who: Known, service: Running) -> DeletedJson:
    """Delete a conversation and everything that was fetched for it alone; returns how many turns it had."""
    return DeletedJson(deleted=forget_conversation(service, who, conversation_id))


@conversations_router.patch("/{conversation_id}", responses=describe_problems(404))
def label_conversation(conversation_id: ConversationPath, body: LabelBody, who: Known) -> ConversationSummaryJson:
    """Name a conversation, or pin it to the top."""
    before = _find_summary(who, conversation_id).label
    name = before.name if body.name is None else " ".join(body.name.split())
    is_pinned = before.is_pinned if body.is_pinned is None else body.is_pinned
    who.knowledge.label_conversation(conversation_id, name, is_pinned)
    return _describe_summary(who, _find_summary(who, conversation_id))


@conversations_router.post("/{conversation_id}/share", responses=describe_problems(404))
def share_conversation(conversation_id: ConversationPath, who: Known) -> ConversationSummaryJson:
    """Let the whole tenant read a conversation; only its owner can ask in it, change it or delete it."""
    return _set_sharing(who, conversation_id, True)


@conversations_router.delete("/{conversation_id}/share", responses=describe_problems(404))
def stop_sharing(conversation_id: ConversationPath, who: Known) -> ConversationSummaryJson:
    """Make a conversation private again."""
    return _set_sharing(who, conversation_id, False)


def _set_sharing(who: Caller, conversation_id: str, is_shared: bool) -> ConversationSummaryJson:
    _find_summary(who, conversation_id)
    who.knowledge.share_conversation(conversation_id, is_shared)
    return _describe_summary(who, _find_summary(who, conversation_id))


def _describe_summary(who: Caller, summary: ConversationSummary) -> ConversationSummaryJson:
    return ConversationSummaryJson.from_summary(summary, is_own=who.knowledge.viewer.owns(summary.label.owner))


def _find_summary(who: Caller, conversation_id: str) -> ConversationSummary:
    for summary in who.knowledge.conversations():
        if summary.id == conversation_id:
            return summary
    raise missing_error("conversation of this id")


@conversations_router.get("/{conversation_id}/turns/{turn_id}/follow-ups", responses=describe_problems(404))
def list_follow_ups(conversation_id: ConversationPath, turn_id: ConversationPath, who: Known) -> FollowUpsJson:
    """Suggest what to ask next: other sections of the documents that it cites, and documents beside them.
    A search for each was tried.
    """
    turn = next((each for each in _recorded_turns(who, conversation_id) if each.turn_id == turn_id), None)
    if turn is None:
        raise missing_error("turn of this id in a conversation of this id")
    kept = turn.outcome.answer if turn.outcome else None
    found = suggest_follow_ups(who.knowledge, Answer.from_json(kept)) if kept else []
    return FollowUpsJson(follow_ups=list(found))


@conversations_router.delete("/{conversation_id}/turns/{turn_id}", responses=describe_problems(404))
def take_back_turn(conversation_id: ConversationPath, turn_id: ConversationPath, who: Known) -> DeletedJson:
    """Remove a turn and those after it, as if they had not been asked; returns how many."""
    _recorded_turns(who, conversation_id)
    deleted = who.knowledge.take_back(conversation_id, turn_id)
    if not deleted:
        raise missing_error("turn of this id in a conversation of this id")
    return DeletedJson(deleted=deleted)


def find_sources(who: Caller, conversation_id: str) -> list[DocumentRecord]:
    """The documents of a conversation. Raises ProblemError when there is no such conversation."""
    sources = who.knowledge.conversation_sources(conversation_id)
    if not sources:
        _recorded_turns(who, conversation_id)
    return list(sources)


def forget_conversation(service: Service, who: Caller, conversation_id: str) -> int:
    """Delete a conversation; how many turns it had. Raises ProblemError when there is no such conversation."""
    _recorded_turns(who, conversation_id)
    deleted = who.knowledge.delete_conversation(conversation_id)
    stop_about(service, who, conversation_id)
    return deleted


def _recorded_turns(who: Caller, conversation_id: str) -> list[TurnRecord]:
    turns = who.knowledge.conversation(conversation_id)
    if not turns:
        raise missing_error("conversation of this id")
    return turns


def _describe_turn(who: Caller, turn: TurnRecord) -> TurnJson:
    answer = turn.outcome.answer if turn.outcome else None
    # turns of earlier versions name their answer by the turn alone
    feedback = who.knowledge.given_feedback(str(answer.get("id") or turn.turn_id)) if answer else None
    return TurnJson.from_turn(turn, feedback)


rag_router = APIRouter(prefix="/rag", tags=["news"])


@rag_router.post("/query", responses=describe_problems(400, 503))
async def query(body: NewsBody, who: Known, service: Running, request: Request) -> NewsJson:
    """Answer a message from articles: fetched for the first question of a conversation, and again when they are not
    enough.
    """
    asked = body.to_request(who.tenant)
    await run_in_threadpool(check_request, who.knowledge, asked)
    answer = await answer_question(service, who, asked, request)
    return NewsJson.from_answer(answer, str(asked.conversation_id), with_debug=body.include_debug)


@rag_router.get("/conversation/{conversation_id}/sources", responses=describe_problems(404))
def list_news_sources(conversation_id: ConversationPath, who: Known) -> NewsSourcesJson:
    """List the articles that were fetched for a conversation."""
    return NewsSourcesJson(conversation_id=conversation_id, sources=find_sources(who, conversation_id))


@rag_router.delete("/conversation/{conversation_id}", responses=describe_problems(404))
def delete_news_conversation(conversation_id: ConversationPath, who: Known, service: Running) -> ForgottenJson:
    """Delete a conversation and everything that was fetched for it alone."""
    return ForgottenJson(conversation_id=conversation_id, deleted=forget_conversation(service, who, conversation_id))


rag_router.add_api_route("/stats", stats, name="news_stats", responses=describe_problems())

older_router = APIRouter(tags=["news"])
"""Addresses for older clients."""
older_router.add_api_route(
    "/summarize", query, methods=["POST"], name="summarize", responses=describe_problems(400, 503), deprecated=True
)
