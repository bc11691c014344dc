"""Background jobs: adding uploaded files and named addresses while the caller goes on.

A job that was handed in is durable, with its files, before the call returns; ``JobRunner`` works it off, in this process or another one
over the same store.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from ascertain.app.arrivals import tell_runners
from ascertain.app.job_running import JobRunner
from ascertain.app.uploads import Upload, forget_uploads, keep_upload, sources_of, upload_name
from ascertain.core.errors import UsageError
from ascertain.core.settings.profiles import load_profile
from ascertain.sources.web.addresses import Address, address_of
from ascertain.stores.service.jobs import Job, JobState

if TYPE_CHECKING:
    from ascertain.app.ascertain import Ascertain

__all__ = ["MAX_ADDRESSES", "JobRunner", "cancel_job", "submit_addresses", "submit_files"]

MAX_ADDRESSES = 1000
"""Addresses of one job."""

_NAMED = 2
_TAG_CHARACTERS = 100


def submit_files(
    knowledge: Ascertain,
    files: Sequence[tuple[str, Iterable[bytes]]],
    *,
    profile: str | None = None,
    tags: Sequence[str] = (),
    conversation_id: str | None = None,
) -> Job:
    """Take files (name and content in pieces) to be added in the background; both they and the job are on disk when this returns.

    A file of a name that the tenant uploaded before, to the same conversation, takes its place. Raises UsageError, and keeps nothing,
    for no file, a bad name, two of one name, and a file over ``ingest.max_file_bytes``; ConfigurationError for an unknown profile.
    """
    if not files:
        raise UsageError("there is no file to add; give at least one")
    names = [upload_name(name) for name, _ in files]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise UsageError(f"two of the files are named {twice}; rename one")
    work = _manner(knowledge, profile, tags, conversation_id)
    knowledge.set_up()
    store, limit = knowledge.service.files, knowledge.settings.ingest.max_file_bytes
    kept: list[Upload] = []
    try:
        for name, (_, pieces) in zip(names, files, strict=True):
            kept.append(keep_upload(store, knowledge.tenant, name, pieces, conversation_id, limit=limit))
        work["files"] = [upload.as_json() for upload in kept]
        return _submitted(knowledge, "files", names, work, sum(upload.size for upload in kept))
    except BaseException:
        for upload in kept:
            knowledge.service.files.delete(upload.file_id, knowledge.tenant)
        raise


def submit_addresses(
    knowledge: Ascertain,
    addresses: Sequence[str],
    *,
    profile: str | None = None,
    tags: Sequence[str] = (),
    conversation_id: str | None = None,
) -> Job:
    """Take addresses (web pages, feeds, arXiv) to be fetched and added in the background.

    Raises UsageError for what is no address: above all, nobody can name a file of the machine that the service runs on.
    """
    given = list(dict.fromkeys(address.strip() for address in addresses))
    if not given or len(given) > MAX_ADDRESSES:
        raise UsageError(f"{len(given):,} addresses to add; give 1 to {MAX_ADDRESSES:,}")
    shown = [_address(text).shown for text in given]
    work = _manner(knowledge, profile, tags, conversation_id)
    work["addresses"] = given
    knowledge.set_up()
    return _submitted(knowledge, "addresses", shown, work, len(given))


def cancel_job(knowledge: Ascertain, job_id: str) -> bool:
    """Cancel a job that has not ended, between two documents if it is at work; False when there is none.

    What it has added stays; files it has not come to are forgotten.
    """
    service = knowledge.service
    job = service.jobs.get(job_id, knowledge.tenant)
    if job is None or not service.jobs.cancel(job_id, datetime.now(UTC), knowledge.tenant):
        return False
    if job.state is JobState.QUEUED:
        # what a running job has in hand is minded by its runner
        forget_uploads(knowledge.service, knowledge.tenant, knowledge.documents, sources_of(job.work))
    return True


def _address(text: str) -> Address:
    address = address_of(text)
    if address is None:
        raise UsageError(f"{text!r} is no address; give https://…, or arxiv: and an id")
    return address


def _submitted(
    knowledge: Ascertain, kind: str, names: Sequence[str], work: Mapping[str, object], total: int
) -> Job:
    now = datetime.now(UTC)
    job = Job(
        id=uuid.uuid4().hex,
        kind=kind,
        what=_what(names),
        created_at=now,
        updated_at=now,
        tenant=knowledge.tenant,
        work=work,
        total=total,
    )
    knowledge.service.jobs.add(job)
    tell_runners()
    return job


def _manner(
    knowledge: Ascertain, profile: str | None, tags: Sequence[str], conversation_id: str | None
) -> dict[str, object]:
    """How the documents are added, checked now, when the caller can still be told."""
    settings = knowledge.settings
    name = load_profile(profile or settings.profile, settings.home / "profiles").name
    kept = list(dict.fromkeys(tag.strip() for tag in tags))
    bad = next((tag for tag in kept if not tag or len(tag) > _TAG_CHARACTERS or not tag.isprintable()), None)
    if bad is not None:
        raise UsageError(f"{bad!r} is no tag: use 1 to {_TAG_CHARACTERS} printable characters")
    return {"profile": name, "tags": kept, "conversation_id": conversation_id}


def _what(names: Sequence[str]) -> str:
    more = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {more:,} more" if more > 0 else "")
