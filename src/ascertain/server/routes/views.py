"""Looking into documents: their text around a quotation, and pictures of their pages."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query, Response
from fastapi.responses import JSONResponse

from ascertain.app.document_views import page_image, text_window
from ascertain.app.json_parts import place_json
from ascertain.server.identity import Known
from ascertain.server.routes.documents import DocumentId, record_of
from ascertain.server.shapes.material import TextWindowJson
from ascertain.server.shapes.requests import MarkQuery, WindowQuery
from ascertain.server.shapes.responses import gives, problems

MOST_PAGES = 100_000

router = APIRouter(prefix="/v1/documents", tags=["documents"])


@router.get("/{document_id}/text", responses=gives(TextWindowJson, 400, 404), response_class=JSONResponse)
def show_text(document_id: DocumentId, who: Known, query: Annotated[WindowQuery, Query()]) -> Response:
    """Show the text around the characters from `start` to `end`."""
    record_of(who, document_id)
    end = query.start if query.end is None else query.end
    window = text_window(who.knowledge, document_id, query.start, end, query.context)
    return JSONResponse(
        {
            "document_id": window.document_id,
            "title": window.title,
            "text": window.text,
            "start": window.start,
            "end": window.end,
            "quote_start": window.quote_start,
            "quote_end": window.quote_end,
            "place": place_json(window.place),
            "characters": window.characters,
        }
    )


@router.get(
    "/{document_id}/pages/{page}.png",
    response_class=Response,
    responses={
        200: {"description": "The page.", "content": {"image/png": {"schema": {"type": "string"}}}},
        **problems(400, 404),
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
