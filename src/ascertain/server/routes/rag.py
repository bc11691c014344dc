"""``/rag``: conversations about the news, with the fields that its clients know."""

from __future__ import annotations

from typing import cast

from fastapi import APIRouter, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import JSONResponse

from ascertain.app.answer_shapes import answer_shape
from ascertain.app.json_parts import JsonObject
from ascertain.server.asking import Question, answer
from ascertain.server.identity import Known
from ascertain.server.routes.conversations import ConversationPath, forget, sources_of
from ascertain.server.routes.searching import stats
from ascertain.server.service import Running
from ascertain.server.shapes.answers import NewsJson
from ascertain.server.shapes.material import ForgottenJson, NewsSourcesJson, StatsJson
from ascertain.server.shapes.requests import NewsBody
from ascertain.server.shapes.responses import gives

SOURCE_FIELDS = ("n", "document_id", "title", "url", "published_at", "quote", "source")
DEBUG_FIELDS = (
    "standalone",
    "strategy",
    "attempts",
    "confidence",
    "groundedness",
    "decisions",
    "usage",
    "is_cached",
    "seconds",
)

router = APIRouter(prefix="/rag", tags=["news"])


@router.post("/query", responses=gives(NewsJson, 400, 503), response_class=JSONResponse)
async def query(body: NewsBody, who: Known, service: Running, request: Request) -> Response:
    """Answer a message from articles: fetched for the first question of a conversation, and again when they are not enough."""
    question = Question.of_news(body, who.tenant)
    await run_in_threadpool(question.check, who.knowledge)
    whole = answer_shape(await answer(service, who, question, request))
    cited = cast("list[JsonObject]", whole["citations"])
    reply: JsonObject = {
        "answer_text": whole["answer"],
        "answer_type": whole["type"],
        "sources": [{name: source[name] for name in SOURCE_FIELDS} for source in cited],
        "conversation_id": question.conversation_id,
        "answer_id": whole["id"],
        "debug": {name: whole[name] for name in DEBUG_FIELDS} if body.include_debug else None,
    }
    return JSONResponse(reply)


@router.get(
    "/conversation/{conversation_id}/sources",
    responses=gives(NewsSourcesJson, 404),
    response_class=JSONResponse,
)
def list_news_sources(conversation_id: ConversationPath, who: Known) -> Response:
    """List the articles that were fetched for a conversation."""
    return JSONResponse({"conversation_id": conversation_id, "sources": sources_of(who, conversation_id)})


@router.delete(
    "/conversation/{conversation_id}", responses=gives(ForgottenJson, 404), response_class=JSONResponse
)
def delete_news_conversation(conversation_id: ConversationPath, who: Known) -> Response:
    """Delete a conversation and everything that was fetched for it alone."""
    return JSONResponse({"conversation_id": conversation_id, "deleted": forget(who, conversation_id)})


router.add_api_route(
    "/stats", stats, name="news_stats", responses=gives(StatsJson), response_class=JSONResponse
)
