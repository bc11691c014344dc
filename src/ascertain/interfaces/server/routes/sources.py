"""``/v1/sources``: sources that are synced repeatedly, and the last sync."""

from typing import Annotated

from fastapi import APIRouter, Path, Query

from ascertain.app.sources.desk import names_this_machine
from ascertain.app.wire.service import SubmittedJson
from ascertain.app.wire.sources import RemovedSourceJson, SourceBody, SourceListJson
from ascertain.core.documents.sources import SOURCE_NAME, SourceRecord
from ascertain.core.errors import UsageError
from ascertain.interfaces.server.identity import Caller, Known
from ascertain.interfaces.server.problems import describe_problems, missing_error

sources_router = APIRouter(prefix="/v1/sources", tags=["sources"])
SourceName = Annotated[str, Path(pattern=f"^{SOURCE_NAME}$")]


@sources_router.get("", responses=describe_problems())
def list_recorded_sources(who: Known) -> SourceListJson:
    """List the sources with the result of their last sync, and when the next one is."""
    return SourceListJson(sources=list(who.knowledge.sources.list_all()))


@sources_router.post("", status_code=201, responses=describe_problems(400, 403))
def add_source(body: SourceBody, who: Known) -> SourceRecord:
    """Add a source, and sync it in a background job. Needs an admin key; folders and files of the machine of
    the service are added there, by `ascertain source add`.
    """
    if names_this_machine(body.kind or "", body.address, body.options):
        raise UsageError(f"{body.address}: files of the service's machine are added there: ascertain source add PATH")
    record = who.knowledge.sources.add(
        body.address,
        name=body.name or "",
        kind=body.kind or "",
        options=body.options,
        every=body.every,
        profile=body.profile,
        tags=body.tags,
        readers=body.readers,
    )
    if body.read:
        who.knowledge.jobs.submit_source(record.name)
    return record


@sources_router.get("/{name}", responses=describe_problems(404))
def show_source(name: SourceName, who: Known) -> SourceRecord:
    """Show the state of a source."""
    return _find(who, name)


@sources_router.post("/{name}/sync", status_code=202, responses=describe_problems(404))
def sync_source(name: SourceName, who: Known) -> SubmittedJson:
    """Sync a source now, in a background job."""
    _find(who, name)
    return SubmittedJson(job=who.knowledge.jobs.submit_source(name))


@sources_router.delete("/{name}", responses=describe_problems(403, 404))
def remove_source(
    name: SourceName, who: Known, keep_documents: Annotated[bool, Query(description="Keep its documents.")] = False
) -> RemovedSourceJson:
    """Remove a source, and delete its documents. Needs an admin key."""
    _find(who, name)
    return RemovedSourceJson(removed=name, deleted=who.knowledge.sources.remove(name, keeps_documents=keep_documents))


def _find(who: Caller, name: str) -> SourceRecord:
    found = next((record for record in who.knowledge.sources.list_all() if record.name == name), None)
    if found is None:
        raise missing_error("source with this name")
    return found
