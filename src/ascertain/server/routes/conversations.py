"""``/v1/conversations``: what was asked before."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Response
from fastapi.responses import JSONResponse

from ascertain.app.json_parts import JsonObject, date_json
from ascertain.app.json_shapes import document_shape, feedback_shape
from ascertain.app.results import TurnRecord
from ascertain.server.identity import Caller, Known
from ascertain.server.problems import missing
from ascertain.server.shapes.fields import ID_PATTERN
from ascertain.server.shapes.material import (
    ConversationJson,
    ConversationsJson,
    DeletedTurnsJson,
    SourcesJson,
)
from ascertain.server.shapes.responses import gives

router = APIRouter(prefix="/v1/conversations", tags=["conversations"])
ConversationPath = Annotated[str, Path(min_length=1, max_length=200, pattern=ID_PATTERN)]


@router.get("", responses=gives(ConversationsJson), response_class=JSONResponse)
def list_conversations(who: Known) -> Response:
    """List conversations, the last used first."""
    summaries = who.knowledge.conversations()
    return JSONResponse(
        {
            "conversations": [
                {
                    "id": summary.id,
                    "first_question": summary.first_question,
                    "turns": summary.turns,
                    "last_used": date_json(summary.last_used),
                }
                for summary in summaries
            ]
        }
    )


@router.get("/{conversation_id}", responses=gives(ConversationJson, 404), response_class=JSONResponse)
def show_conversation(conversation_id: ConversationPath, who: Known) -> Response:
    """Show the turns of a conversation, oldest first, with whole answers as far back as they are kept."""
    turns = _turns(who, conversation_id)
    return JSONResponse({"id": conversation_id, "turns": [_turn(who, turn) for turn in turns]})


@router.get("/{conversation_id}/sources", responses=gives(SourcesJson, 404), response_class=JSONResponse)
def list_sources(conversation_id: ConversationPath, who: Known) -> Response:
    """List the documents that were fetched for a conversation."""
    return JSONResponse({"documents": sources_of(who, conversation_id)})


@router.delete("/{conversation_id}", responses=gives(DeletedTurnsJson, 404), response_class=JSONResponse)
def delete_conversation(conversation_id: ConversationPath, who: Known) -> Response:
    """Delete a conversation and everything that was fetched for it alone; says how many turns it had."""
    return JSONResponse({"deleted": forget(who, conversation_id)})


def sources_of(who: Caller, conversation_id: str) -> list[JsonObject]:
    """The documents of a conversation. Raises ProblemError when there is no such conversation."""
    found = who.knowledge.conversation_sources(conversation_id)
    if not found:
        _turns(who, conversation_id)
    return [document_shape(record) for record in found]


def forget(who: Caller, conversation_id: str) -> int:
    """Delete a conversation; how many turns it had. Raises ProblemError when there is no such conversation."""
    _turns(who, conversation_id)
    return who.knowledge.delete_conversation(conversation_id)


def _turns(who: Caller, conversation_id: str) -> list[TurnRecord]:
    turns = who.knowledge.conversation(conversation_id)
    if not turns:
        raise missing("conversation of this id")
    return turns


def _turn(who: Caller, turn: TurnRecord) -> JsonObject:
    outcome = turn.outcome
    whole = dict(outcome.answer) if outcome and outcome.answer else None
    # turns of earlier versions name their answer by the turn alone
    opinion = who.knowledge.opinion(str(whole.get("id") or turn.turn_id)) if whole else None
    return {
        "turn_id": turn.turn_id,
        "question": turn.question,
        "standalone": outcome.standalone if outcome else None,
        "asked_at": date_json(turn.asked_at),
        "state": turn.state.value,
        "reason": turn.reason,
        "answer": outcome.text if outcome else None,
        "type": outcome.type.value if outcome else None,
        "whole": whole,
        "feedback": feedback_shape(opinion) if opinion else None,
    }
