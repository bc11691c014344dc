"""``/v1/documents``: listing, adding, viewing, deleting."""

from contextlib import ExitStack
from typing import Annotated

from fastapi import APIRouter, Path, Query, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import FileResponse
from starlette.background import BackgroundTask

from ascertain.app.adding.previews import list_formats
from ascertain.app.documents.listing import count_facets, has_words, sort_records
from ascertain.app.documents.reading import text_window
from ascertain.app.documents.views import figure_image, open_original, page_image
from ascertain.app.wire.documents import DeletedJson, DocumentsJson, DocumentTreeJson, FacetsJson, FormatsJson
from ascertain.app.wire.requests import AddressesBody, DocumentsQuery, MarkQuery, WindowQuery
from ascertain.app.wire.service import JobsJson, SubmittedJson
from ascertain.core.asking.passages import OWN, Filter
from ascertain.core.documents.documents import DocumentRecord, DocumentState, TextWindow
from ascertain.core.service.service import Job
from ascertain.interfaces.server.identity import Caller, Known
from ascertain.interfaces.server.problems import describe_problems, missing_error
from ascertain.interfaces.server.service import Running
from ascertain.interfaces.server.uploads import read_upload

documents_router = APIRouter(prefix="/v1/documents", tags=["documents"])
DocumentId = Annotated[str, Path(min_length=1, max_length=200)]


@documents_router.get("", responses=describe_problems())
def list_documents(who: Known, query: Annotated[DocumentsQuery, Query()]) -> DocumentsJson:
    """List documents, failed ones included: those of the knowledge base, or those fetched for one conversation."""
    records = who.knowledge.documents(query.to_filter(who.tenant))
    words = query.q.casefold().split()
    chosen = [
        record
        for record in sort_records(records, query.sort)
        if (not query.state or record.state in query.state) and has_words(record, words)
    ]
    shown = chosen[query.offset : query.offset + query.limit]
    return DocumentsJson(documents=list(shown), total=len(chosen))


@documents_router.get("/formats", responses=describe_problems())
def show_formats(who: Known) -> FormatsJson:
    """List the files that can be added, by their suffixes."""
    return FormatsJson(suffixes=list(list_formats(who.knowledge.settings)))


@documents_router.get("/facets", responses=describe_problems())
def show_facets(who: Known) -> FacetsJson:
    """Count the documents by what a question can be narrowed to: kinds, folders and sites, tags, languages."""
    records = who.knowledge.documents(Filter(tenant=who.tenant, within=(OWN,)))
    return FacetsJson.from_counts(count_facets(each for each in records if each.state == DocumentState.INDEXED))


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
                        "profile": {"type": "string", "description": "docs, news, papers, podcasts or your own."},
                        "tags": {"type": "array", "items": {"type": "string"}},
                        "replace": {
                            "type": "boolean",
                            "description": "Whether a file replaces one with its name that someone else uploaded.",
                        },
                    },
                },
                "encoding": {"tags": {"style": "form", "explode": True}},
            }
        },
    }
}


@documents_router.post("", status_code=202, responses=describe_problems(400, 409, 415), openapi_extra=UPLOAD_FORM)
async def upload(who: Known, service: Running, request: Request) -> SubmittedJson:
    """Upload files; a background job adds them, also after a restart. Once this returns, they are stored."""
    async with read_upload(request, service.settings.server.max_upload_megabytes) as given:

        def submit() -> SubmittedJson:
            job = who.knowledge.jobs.submit_files(
                given.files, profile=given.profile, tags=given.tags, replaces=given.replaces
            )
            return SubmittedJson(job=job)

        return await run_in_threadpool(submit)


@documents_router.post("/addresses", status_code=202, responses=describe_problems(400))
def add_addresses(body: AddressesBody, who: Known) -> SubmittedJson:
    """Fetch pages, feeds (RSS, Atom) and papers (arXiv) in a background job and add them."""
    job = who.knowledge.jobs.submit_addresses(
        body.addresses, profile=body.profile, tags=body.tags, conversation_id=None
    )
    return SubmittedJson(job=job)


@documents_router.get("/{document_id}", responses=describe_problems(404))
def show_document(document_id: DocumentId, who: Known) -> DocumentRecord:
    """Show the metadata of a document, without its text."""
    return record_of(who, document_id)


@documents_router.delete("/{document_id}", responses=describe_problems(404))
def delete_document(document_id: DocumentId, who: Known) -> DeletedJson:
    """Delete a document and the file it came with."""
    record_of(who, document_id)
    deleted = who.knowledge.delete(Filter(document_ids=(document_id,), tenant=who.tenant))
    return DeletedJson(deleted=deleted)


def record_of(who: Caller, document_id: str) -> DocumentRecord:
    """The document, if the caller may see it; another tenant's is treated as missing."""
    found = who.knowledge.documents(Filter(document_ids=(document_id,), tenant=who.tenant))
    if not found:
        raise missing_error("document of this id")
    return found[0]


jobs_router = APIRouter(prefix="/v1/jobs", tags=["jobs"])
JobId = Annotated[str, Path(min_length=1, max_length=200)]
MOST_LISTED = 1000


@jobs_router.get("", responses=describe_problems())
def show_jobs(who: Known, limit: Annotated[int, Query(ge=1, le=MOST_LISTED)] = 100) -> JobsJson:
    """List background work, the latest first."""
    return JobsJson(jobs=list(who.knowledge.jobs.list_latest(limit)))


@jobs_router.get("/{job_id}", responses=describe_problems(404))
def show_job(job_id: JobId, who: Known) -> Job:
    """Show the progress of a background job."""
    job = who.knowledge.jobs.find(job_id)
    if job is None:
        raise missing_error("job of this id")
    return job


@jobs_router.delete("/{job_id}", responses=describe_problems(404))
def end_job(job_id: JobId, who: Known) -> Job:
    """Cancel a background job; what it has added stays. The files of a failed one are deleted; one that has
    ended otherwise stays as it is.
    """
    who.knowledge.jobs.cancel(job_id)
    return show_job(job_id, who)


@jobs_router.post("/{job_id}/retry", status_code=202, responses=describe_problems(404, 409))
def run_job_again(job_id: JobId, who: Known) -> SubmittedJson:
    """Retry a failed background job: its files are stored until it succeeds or is deleted. Documents it
    added before are recognised.
    """
    job = who.knowledge.jobs.retry(job_id)
    if job is None:
        raise missing_error("job of this id")
    return SubmittedJson(job=job)


MOST_PAGES = 100_000


@documents_router.get("/{document_id}/text", responses=describe_problems(400, 404))
def show_text(document_id: DocumentId, who: Known, query: Annotated[WindowQuery, Query()]) -> TextWindow:
    """Show the text around the characters from `start` to `end`."""
    record_of(who, document_id)
    end = query.start if query.end is None else query.end
    return text_window(who.knowledge, document_id, query.start, end, query.context)


@documents_router.get("/{document_id}/tree", responses=describe_problems(404))
def show_tree(document_id: DocumentId, who: Known) -> DocumentTreeJson:
    """Show what is stored of a document: its text, the blocks in it, and what was left out of its file."""
    record_of(who, document_id)
    found = who.knowledge.document(document_id)
    if found is None:
        raise missing_error("document of this id")
    return DocumentTreeJson.from_noun(found)


@documents_router.head("/{document_id}/original", include_in_schema=False, response_class=Response)
@documents_router.get(
    "/{document_id}/original",
    response_class=Response,
    responses={
        200: {
            "description": "The file, to be saved.",
            "content": {"application/octet-stream": {"schema": {"type": "string", "contentMediaType": "*/*"}}},
        },
        **describe_problems(400, 404),
    },
)
def download_original(document_id: DocumentId, who: Known) -> Response:
    """Download the file that a document was read from, as uploaded, or as it is where it was added from; for a file in an
    archive, the archive.
    """
    record_of(who, document_id)
    original = ExitStack()
    path = original.enter_context(open_original(who.knowledge, document_id))
    # browsers must download it: content from strangers must not become a page of this origin
    return FileResponse(
        path, media_type="application/octet-stream", filename=path.name, background=BackgroundTask(original.close)
    )


@documents_router.get(
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
    """Draw a page of an uploaded PDF, with the characters from `start` to `end` of the document marked on it."""
    record_of(who, document_id)
    return Response(page_image(who.knowledge, document_id, page, query.span), media_type="image/png")


@documents_router.get(
    "/{document_id}/figures/{digest}",
    response_class=Response,
    responses={
        200: {
            "description": "The picture.",
            "content": {kind: {"schema": {"type": "string"}} for kind in ("image/png", "image/jpeg")},
        },
        **describe_problems(400, 404),
    },
)
def show_figure(
    document_id: DocumentId,
    digest: Annotated[str, Path(pattern="^[0-9a-f]{64}$", description="`figure.digest` of a citation or a block.")],
    who: Known,
) -> Response:
    """Show a picture of a document that a chat model described."""
    record_of(who, document_id)
    data, media_type = figure_image(who.knowledge, document_id, digest)
    # browsers must not guess the type of a picture
    return Response(data, media_type=media_type, headers={"X-Content-Type-Options": "nosniff"})
