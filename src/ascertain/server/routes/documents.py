"""``/v1/documents``: what there is, adding to it, looking into it, deleting."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import JSONResponse

from ascertain.app.jobs import job_shape, submit_addresses, submit_files
from ascertain.app.json_shapes import document_shape
from ascertain.core.documents import DocumentRecord
from ascertain.core.filters import Filter
from ascertain.server.identity import Caller, Known
from ascertain.server.problems import missing
from ascertain.server.service import Running
from ascertain.server.shapes.material import (
    DeletedJson,
    DocumentJson,
    DocumentsJson,
    SubmittedJson,
)
from ascertain.server.shapes.requests import AddressesBody, DocumentsQuery
from ascertain.server.shapes.responses import gives
from ascertain.server.uploads import uploaded

router = APIRouter(prefix="/v1/documents", tags=["documents"])
DocumentId = Annotated[str, Path(min_length=1, max_length=200)]


@router.get("", responses=gives(DocumentsJson), response_class=JSONResponse)
def list_documents(who: Known, query: Annotated[DocumentsQuery, Query()]) -> Response:
    """List documents in order of source, failed ones included: those of the knowledge base, or those fetched for one conversation."""
    records = who.knowledge.documents(query.filter(who.tenant))
    chosen = [record for record in records if not query.state or record.state in query.state]
    shown = chosen[query.offset : query.offset + query.limit]
    return JSONResponse({"documents": [document_shape(each) for each in shown], "total": len(chosen)})


UPLOAD_FORM = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["files"],
                    "additionalProperties": False,
                    "properties": {
                        "files": {
                            "type": "array",
                            "minItems": 1,
                            "items": {"type": "string", "contentMediaType": "application/octet-stream"},
                        },
                        "profile": {
                            "type": "string",
                            "description": "docs, news, papers, podcasts or your own.",
                        },
                        "tags": {"type": "array", "items": {"type": "string"}},
                    },
                },
                "encoding": {"tags": {"style": "form", "explode": True}},
            }
        },
    }
}


@router.post(
    "",
    status_code=202,
    responses=gives(SubmittedJson, 400, 415, status=202),
    response_class=JSONResponse,
    openapi_extra=UPLOAD_FORM,
)
async def upload(who: Known, service: Running, request: Request) -> Response:
    """Upload files; a background job adds them, also after a restart of the service. Once this answers, they are safe."""
    async with uploaded(request, service.settings.server.max_upload_megabytes) as given:

        def submit() -> Response:
            job = submit_files(
                who.knowledge, given.files, profile=given.profile, tags=given.tags, conversation_id=None
            )
            return JSONResponse({"job": job_shape(job)}, 202)

        return await run_in_threadpool(submit)


@router.post(
    "/addresses",
    status_code=202,
    responses=gives(SubmittedJson, 400, status=202),
    response_class=JSONResponse,
)
def add_addresses(body: AddressesBody, who: Known) -> Response:
    """Fetch pages, feeds (RSS, Atom) and papers (arXiv) in a background job and add them."""
    job = submit_addresses(
        who.knowledge, body.addresses, profile=body.profile, tags=body.tags, conversation_id=None
    )
    return JSONResponse({"job": job_shape(job)}, 202)


@router.get("/{document_id}", responses=gives(DocumentJson, 404), response_class=JSONResponse)
def show_document(document_id: DocumentId, who: Known) -> Response:
    """Say what is known of a document, without its text."""
    return JSONResponse(document_shape(record_of(who, document_id)))


@router.delete("/{document_id}", responses=gives(DeletedJson, 404), response_class=JSONResponse)
def delete_document(document_id: DocumentId, who: Known) -> Response:
    """Delete a document and the file it came with."""
    record_of(who, document_id)
    deleted = who.knowledge.delete(Filter(document_ids=(document_id,), tenant=who.tenant))
    return JSONResponse({"deleted": deleted})


def record_of(who: Caller, document_id: str) -> DocumentRecord:
    """The document, if the caller may see it; one that is another's is as one that does not exist."""
    found = who.knowledge.documents(Filter(document_ids=(document_id,), tenant=who.tenant))
    if not found:
        raise missing("document of this id")
    return found[0]
