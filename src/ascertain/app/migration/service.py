"""Copying what a service keeps of a tenant, and comparing it: API keys, answers that people may judge, notebooks, uploaded files.

Jobs, cached answers, rate limits and events of streams stay behind: they belong to the service that runs at the source.
"""

import hashlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from ascertain.app.adding.uploads import Upload, find_kept_files, waiting_files
from ascertain.core.documents.documents import DocumentRecord
from ascertain.core.errors import UsageError
from ascertain.core.service.migration import CopiedService
from ascertain.core.service.service import ApiKey, GivenAnswer, User
from ascertain.stores.ports.service import (
    FeedbackStore,
    FileStore,
    KeyStore,
    NotebookStore,
    ServiceStores,
    StoredFile,
    UserStore,
)

_PIECE_BYTES = 1024 * 1024


def key_tenants(service: ServiceStores) -> set[str]:
    """Everyone who has a key, or somebody who signs in."""
    kept = service.keys.keys()
    return {key.tenant for key in kept} | {user.tenant for user in service.users.users()}


def copy_service(
    source: ServiceStores, target: ServiceStores, tenant: str, records: Iterable[DocumentRecord]
) -> CopiedService:
    """Bring the keys, answers, notebooks and files of ``tenant`` to ``target``; of files those that one of ``records``, its
    documents, came from.

    What is equal is left alone, and so is what only the target has.

    """
    waiting = waiting_files(source, tenant)
    files = _files_of(source, tenant, records, waiting)
    return CopiedService(
        _copy_keys(source.keys, target.keys, tenant),
        _copy_answers(source.feedback, target.feedback, tenant),
        _copy_files(source.files, target.files, files),
        len(waiting),
        _copy_notebooks(source.notebooks, target.notebooks, tenant),
        _copy_users(source.users, target.users, tenant),
    )


def service_differences(
    source: ServiceStores, target: ServiceStores, tenant: str, records: Iterable[DocumentRecord], *, place: str
) -> Iterator[str]:
    """A line for each thing of the source that ``place``, the target, lacks or has otherwise."""
    for key, digest in _keys_of(source.keys, tenant):
        other = target.keys.find(digest)
        if other is None or not _is_up_to_date(other, key):
            yield f"the key {key.name!r} ({key.id}) is {_describe_difference(other)} in {place}"
    for answer in source.feedback.judged(tenant):
        judged = target.feedback.get(answer.answer_id, tenant)
        if judged is None or _is_later(answer.judged_at, judged.judged_at):
            yield f"the feedback on answer {answer.answer_id} is {_describe_difference(judged)} in {place}"
    for user, _ in _users_of(source.users, tenant):
        known = target.users.find(user.name)
        if known is None or _is_later(user.changed_at, known[0].changed_at):
            yield f"the user {user.name!r} is {_describe_difference(known)} in {place}"
    for notebook in source.notebooks.notebooks(tenant):
        kept = target.notebooks.get(notebook.id, tenant)
        if kept is None or _is_later(notebook.changed_at, kept.changed_at):
            yield f"the notebook {notebook.name!r} is {_describe_difference(kept)} in {place}"
    for file in _files_of(source, tenant, records, waiting_files(source, tenant)):
        there = target.files.get(file.id, tenant)
        if there is None or _hash_content(target.files, there) != file.sha256:
            yield f"the uploaded file {file.name} ({file.id}) is {_describe_difference(there)} in {place}"


def _copy_keys(source: KeyStore, target: KeyStore, tenant: str) -> int:
    written = 0
    for key, digest in _keys_of(source, tenant):
        other = target.find(digest)
        if other is None:
            target.add(key, digest)
            written += 1
        elif key.revoked_at is not None and other.revoked_at is None:
            target.revoke(other.id, key.revoked_at)
            written += 1
    return written


def _copy_answers(source: FeedbackStore, target: FeedbackStore, tenant: str) -> int:
    written = 0
    for answer in source.answers(tenant):
        other = target.get(answer.answer_id, tenant)
        if other is None:
            target.note(answer)
            written += 1
        elif _is_later(answer.judged_at, other.judged_at):
            _copy_judgement(target, answer)
            written += 1
    return written


def _copy_notebooks(source: NotebookStore, target: NotebookStore, tenant: str) -> int:
    written = 0
    for notebook in source.notebooks(tenant):
        other = target.get(notebook.id, tenant)
        if other is None or _is_later(notebook.changed_at, other.changed_at):
            target.put(notebook)
            written += 1
    return written


def _copy_users(source: UserStore, target: UserStore, tenant: str) -> int:
    written = 0
    for user, secret in _users_of(source, tenant):
        other = target.find(user.name)
        if other is None or _is_later(user.changed_at, other[0].changed_at):
            target.put(user, secret)
            written += 1
    return written


def _users_of(users: UserStore, tenant: str) -> list[tuple[User, str]]:
    kept = [users.find(user.name) for user in users.users() if user.tenant == tenant]
    return [found for found in kept if found is not None]


def _copy_judgement(target: FeedbackStore, answer: GivenAnswer) -> None:
    if answer.thumb is not None and answer.judged_at is not None:
        target.judge(answer.answer_id, answer.thumb, answer.comment, answer.judged_at, answer.tenant)


def _copy_files(source: FileStore, target: FileStore, files: Iterable[StoredFile]) -> int:
    written = 0
    for file in files:
        there = target.get(file.id, file.tenant)
        if there is None or there.sha256 != file.sha256:
            # one that is removed meanwhile is not needed any more
            with suppress(UsageError), source.open(file.id, file.tenant) as path:
                target.put(file.id, file.name, _read_pieces(path), file.created_at, file.tenant, user=file.user)
                written += 1
        _drop_replaced_files(source, target, file)
    return written


def _drop_replaced_files(source: FileStore, target: FileStore, file: StoredFile) -> None:
    """Remove what the source removed when ``file`` took its place; both ends may be one."""
    for other in target.files(file.tenant, Upload(file.id, file.name, file.size).key):
        if other.id < file.id and source.get(other.id, other.tenant) is None:
            target.delete(other.id, other.tenant)


def _keys_of(keys: KeyStore, tenant: str) -> list[tuple[ApiKey, bytes]]:
    """The keys of a tenant, each with its digest."""
    kept = keys.keys()
    # after the keys: one created meanwhile has a digest that is not requested
    digests = keys.digests()
    return [(key, digests[key.id]) for key in kept if key.tenant == tenant]


def _files_of(
    service: ServiceStores, tenant: str, records: Iterable[DocumentRecord], waiting: set[str]
) -> list[StoredFile]:
    return [file for file in find_kept_files(service.files, records, tenant) if file.id not in waiting]


def _is_up_to_date(theirs: ApiKey, ours: ApiKey) -> bool:
    """A key that was revoked at the target alone stays so."""
    fields = [
        (key.name, key.tenant, key.user, key.role, key.expires_at, key.requests_per_minute) for key in (theirs, ours)
    ]
    return fields[0] == fields[1] and not (theirs.revoked_at is None and ours.revoked_at is not None)


def _is_later(moment: datetime | None, other: datetime | None) -> bool:
    return moment is not None and (other is None or moment > other)


def _hash_content(files: FileStore, file: StoredFile) -> str:
    """Of the content, read again."""
    with files.open(file.id, file.tenant) as path, path.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def _read_pieces(path: Path) -> Iterator[bytes]:
    with path.open("rb") as content:
        while piece := content.read(_PIECE_BYTES):
            yield piece


def _describe_difference(there: object) -> str:
    return "missing" if there is None else "not the same"
