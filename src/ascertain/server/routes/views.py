"""Looking into documents: their text around a quotation, and pictures of their pages."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query, Response

from ascertain.app.document_views import page_image, text_window
from ascertain.server.identity import Known
from ascertain.server.responses import describe_problems
from ascertain.server.routes.documents import DocumentId, record_of
from ascertain.wire.documents import TextWindowJson
from ascertain.wire.requests import MarkQuery, WindowQuery

MOST_PAGES = 100_000

router = APIRouter(prefix="/v1/documents", tags=["documents"])


@router.get("/{document_id}/text", responses=describe_problems(400, 404))
def show_text(document_id: DocumentId, who: Known, query: Annotated[WindowQuery, Query()]) -> TextWindowJson:
    """Show the text around the characters from `start` to `end`."""
    record_of(who, document_id)
    end = query.start if query.end is None else query.end
    return TextWindowJson.from_noun(text_window(who.knowledge, document_id, query.start, end, query.context))


@router.get(
    "/{document_id}/pages/{page}.png",
    response_class=Response,
    responses={
        200: {"description": "The page.", "content": {"image/png": {"schema": {"type": "string"}}}},
        **describe_problems(400, 404),
    },
)
def show_page(
    document_id: DocumentId,
    page: Annotated[int, Path(ge=1, le=MOST_PAGES)],
    who: Known,
    query: Annotated[MarkQuery, Query()],
) -> Response:
    """Draw a page of a PDF that was uploaded, with the characters from `start` to `end` of the document marked on it."""
    record_of(who, document_id)
    return Response(page_image(who.knowledge, document_id, page, query.span), media_type="image/png")
