"""``/rag``: conversations about the news, with the fields that its clients know."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool

from ascertain.server.asking import Question, answer
from ascertain.server.identity import Known
from ascertain.server.responses import describe_problems
from ascertain.server.routes.conversations import ConversationPath, find_sources, forget_conversation
from ascertain.server.routes.searching import stats
from ascertain.server.service import Running
from ascertain.wire.answers import NewsJson
from ascertain.wire.conversations import ForgottenJson
from ascertain.wire.documents import NewsSourcesJson
from ascertain.wire.requests import NewsBody

router = APIRouter(prefix="/rag", tags=["news"])


@router.post("/query", responses=describe_problems(400, 503))
async def query(body: NewsBody, who: Known, service: Running, request: Request) -> NewsJson:
    """Answer a message from articles: fetched for the first question of a conversation, and again when they are not enough."""
    question = Question.of_news(body, who.tenant)
    await run_in_threadpool(question.check, who.knowledge)
    found = await answer(service, who, question, request)
    return NewsJson.from_answer(found, str(question.conversation_id), with_debug=body.include_debug)


@router.get("/conversation/{conversation_id}/sources", responses=describe_problems(404))
def list_news_sources(conversation_id: ConversationPath, who: Known) -> NewsSourcesJson:
    """List the articles that were fetched for a conversation."""
    return NewsSourcesJson(conversation_id=conversation_id, sources=find_sources(who, conversation_id))


@router.delete("/conversation/{conversation_id}", responses=describe_problems(404))
def delete_news_conversation(conversation_id: ConversationPath, who: Known) -> ForgottenJson:
    """Delete a conversation and everything that was fetched for it alone."""
    return ForgottenJson(conversation_id=conversation_id, deleted=forget_conversation(who, conversation_id))


router.add_api_route("/stats", stats, name="news_stats", responses=describe_problems())
