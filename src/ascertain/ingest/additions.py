"""What every engine does around its work: find the files before it, and bring the store into step with them after it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ascertain.core.documents import Document, DocumentState
from ascertain.core.filters import OWN, Filter
from ascertain.core.settings import IngestSettings
from ascertain.ingest.duplicates import SAME_STORY
from ascertain.ingest.relinking import relink
from ascertain.ingest.sync import delete_vanished, forget_old_failures
from ascertain.ingest.tally import Tally
from ascertain.sources.extraction import ReadOptions
from ascertain.sources.folders import Discovery, discover
from ascertain.stores.ports import CompleteStore


@dataclass(frozen=True, slots=True)
class Addition:
    """Files to be added and how they are read; ``roots`` are the paths that were named."""

    roots: tuple[Path, ...]
    found: Discovery
    options: ReadOptions

    @property
    def total_bytes(self) -> int:
        """How much there is to read."""
        return sum(map(_size, self.found.files))

    def bring_into_step(self, store: CompleteStore, tally: Tally, *, sync: bool) -> None:
        """Forget failures that are over and, with ``sync``, delete what is gone; once all of it has been read."""
        options = self.options
        under = Filter(
            sources=tuple(map(str, self.roots)),
            tenant=options.tenant,
            within=(options.conversation_id or OWN,),
        )
        forget_old_failures(store, under, tally.seen)
        if sync:
            skipped = [path for path, _ in self.found.skipped]
            tally.deleted = delete_vanished(store, under, self.found.files, skipped, tally.seen)


def find_files(paths: Sequence[Path], options: ReadOptions, settings: IngestSettings) -> Addition:
    """The files under ``paths``, read within the limits of ``settings``; raises UsageError for a path that does not exist."""
    return Addition(
        tuple(path.expanduser().resolve() for path in paths),
        discover(paths),
        replace(options, max_bytes=settings.max_file_bytes),
    )


def announce(documents: Iterable[Document], tally: Tally) -> set[str]:
    """Say how much there is to do, where that is known beforehand; the tenants whose documents to compare with."""
    if not isinstance(documents, Sequence):
        tally.listener.found(None, 0)
        return {"default"}
    tally.listener.found(len(documents), sum(len(document.text) for document in documents))
    return {document.tenant for document in documents}


def known_hashes(store: CompleteStore, tenants: Collection[str]) -> dict[str, str]:
    """Content hash by document id of what the tenants have already."""
    return {identity: found for tenant in tenants for identity, found in store.known(tenant).items()}


def known_of(store: CompleteStore, documents: Sequence[Document]) -> dict[str, str]:
    """The same for these documents alone, which costs no more in a store of millions."""
    ids: dict[str, list[str]] = {}
    for document in documents:
        ids.setdefault(document.tenant, []).append(document.id)
    return {
        record.id: record.content_hash
        for tenant, own in ids.items()
        for record in store.documents(Filter(document_ids=tuple(own), tenant=tenant))
        if record.state is not DocumentState.FAILED
    }


def relink_changed(store: CompleteStore, tally: Tally, tenants: Collection[str]) -> None:
    """Look again at the duplicates of documents that this run has changed; ``tenants`` are those they may belong to."""
    for tenant in sorted(tenants):
        relink(store, tally.changed, SAME_STORY, tenant)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0  # reading it will say what is wrong
