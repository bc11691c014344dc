"""``/v1/feedback``: what people thought of answers."""

from __future__ import annotations

from fastapi import APIRouter, Response
from fastapi.responses import JSONResponse

from ascertain.app.json_shapes import feedback_shape
from ascertain.core.errors import UsageError
from ascertain.server.identity import Known
from ascertain.server.problems import missing
from ascertain.server.service import Running
from ascertain.server.shapes.material import FeedbackJson, FeedbackSummaryJson
from ascertain.server.shapes.requests import FeedbackBody
from ascertain.server.shapes.responses import gives

router = APIRouter(prefix="/v1/feedback", tags=["feedback"])


@router.post("", responses=gives(FeedbackJson, 404), response_class=JSONResponse)
def give_feedback(body: FeedbackBody, who: Known, service: Running) -> Response:
    """Say what you think of an answer; a later opinion takes the place of an earlier one."""
    try:
        given = who.knowledge.feedback(body.answer_id, body.thumb, body.comment)
    except UsageError:
        raise missing("answer of this id") from None
    service.metrics.feedback(body.thumb)
    return JSONResponse(feedback_shape(given))


@router.get("/summary", responses=gives(FeedbackSummaryJson), response_class=JSONResponse)
def summary(who: Known) -> Response:
    """Count opinions by kind of question and way of searching, each share with a 95 % interval."""
    found = who.knowledge.feedback_summary()
    rows = [
        {
            "question_kind": row.question_kind,
            "strategy": row.strategy,
            "judged": row.judged,
            "up": row.up,
            "share": row.share,
            "low": row.low,
            "high": row.high,
        }
        for row in found.rows
    ]
    return JSONResponse({"judged": found.judged, "up": found.up, "rows": rows})
