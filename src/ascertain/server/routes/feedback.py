"""``/v1/feedback``: what people thought of answers."""

from __future__ import annotations

from fastapi import APIRouter

from ascertain.core.errors import UsageError
from ascertain.server.identity import Known
from ascertain.server.problems import missing
from ascertain.server.responses import describe_problems
from ascertain.server.service import Running
from ascertain.wire.conversations import FeedbackJson, FeedbackSummaryJson
from ascertain.wire.requests import FeedbackBody

router = APIRouter(prefix="/v1/feedback", tags=["feedback"])


@router.post("", responses=describe_problems(404))
def give_feedback(body: FeedbackBody, who: Known, service: Running) -> FeedbackJson:
    """Say what you think of an answer; a later opinion takes the place of an earlier one."""
    try:
        given = who.knowledge.feedback(body.answer_id, body.thumb, body.comment)
    except UsageError:
        raise missing("answer of this id") from None
    service.metrics.feedback(body.thumb)
    return FeedbackJson.from_noun(given)


@router.get("/summary", responses=describe_problems())
def summary(who: Known) -> FeedbackSummaryJson:
    """Count opinions by kind of question and way of searching, each share with a 95 % interval."""
    return FeedbackSummaryJson.from_noun(who.knowledge.feedback_summary())
