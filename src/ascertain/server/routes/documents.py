"""``/v1/documents``: what there is, adding to it, looking into it, deleting."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request
from fastapi.concurrency import run_in_threadpool

from ascertain.app.jobs import submit_addresses, submit_files
from ascertain.core.documents import DocumentRecord
from ascertain.core.filters import Filter
from ascertain.server.identity import Caller, Known
from ascertain.server.problems import missing
from ascertain.server.responses import describe_problems
from ascertain.server.service import Running
from ascertain.server.uploads import uploaded
from ascertain.wire.documents import DeletedJson, DocumentJson, DocumentsJson
from ascertain.wire.requests import AddressesBody, DocumentsQuery
from ascertain.wire.service import JobJson, SubmittedJson

router = APIRouter(prefix="/v1/documents", tags=["documents"])
DocumentId = Annotated[str, Path(min_length=1, max_length=200)]


@router.get("", responses=describe_problems())
def list_documents(who: Known, query: Annotated[DocumentsQuery, Query()]) -> DocumentsJson:
    """List documents in order of source, failed ones included: those of the knowledge base, or those fetched for one conversation."""
    records = who.knowledge.documents(query.to_filter(who.tenant))
    chosen = [record for record in records if not query.state or record.state in query.state]
    shown = chosen[query.offset : query.offset + query.limit]
    return DocumentsJson(documents=[DocumentJson.from_noun(each) for each in shown], total=len(chosen))


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
    responses=describe_problems(400, 415),
    openapi_extra=UPLOAD_FORM,
)
async def upload(who: Known, service: Running, request: Request) -> SubmittedJson:
    """Upload files; a background job adds them, also after a restart of the service. Once this answers, they are safe."""
    async with uploaded(request, service.settings.server.max_upload_megabytes) as given:

        def submit() -> SubmittedJson:
            job = submit_files(
                who.knowledge, given.files, profile=given.profile, tags=given.tags, conversation_id=None
            )
            return SubmittedJson(job=JobJson.from_noun(job))

        return await run_in_threadpool(submit)


@router.post("/addresses", status_code=202, responses=describe_problems(400))
def add_addresses(body: AddressesBody, who: Known) -> SubmittedJson:
    """Fetch pages, feeds (RSS, Atom) and papers (arXiv) in a background job and add them."""
    job = submit_addresses(
        who.knowledge, body.addresses, profile=body.profile, tags=body.tags, conversation_id=None
    )
    return SubmittedJson(job=JobJson.from_noun(job))


@router.get("/{document_id}", responses=describe_problems(404))
def show_document(document_id: DocumentId, who: Known) -> DocumentJson:
    """Say what is known of a document, without its text."""
    return DocumentJson.from_noun(record_of(who, document_id))


@router.delete("/{document_id}", responses=describe_problems(404))
def delete_document(document_id: DocumentId, who: Known) -> DeletedJson:
    """Delete a document and the file it came with."""
    record_of(who, document_id)
    deleted = who.knowledge.delete(Filter(document_ids=(document_id,), tenant=who.tenant))
    return DeletedJson(deleted=deleted)


def record_of(who: Caller, document_id: str) -> DocumentRecord:
    """The document, if the caller may see it; one that is another's is as one that does not exist."""
    found = who.knowledge.documents(Filter(document_ids=(document_id,), tenant=who.tenant))
    if not found:
        raise missing("document of this id")
    return found[0]
