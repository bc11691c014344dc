"""Comparing both ends of a migration: every document and turn read again from either, nothing taken on trust."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from ascertain.app import checksums
from ascertain.app.migrating_conversations import conversation_digests
from ascertain.app.migrating_documents import Advance, all_digests
from ascertain.app.migrating_service import service_differences
from ascertain.app.migration_plan import MigrationScope, OpenedStores, chosen_tenants, opened
from ascertain.app.migration_progress import MigrationListener
from ascertain.app.store_addresses import Address
from ascertain.core.documents import DocumentRecord
from ascertain.core.errors import UsageError
from ascertain.core.filters import Filter
from ascertain.core.migration import Content, TenantProof
from ascertain.stores.registry import embedding_of


@dataclass(frozen=True, slots=True)
class _Side:
    """One end, read. ``searchable`` is the store's own count of chunks."""

    place: str
    records: dict[str, DocumentRecord]
    digests: dict[str, bytes]
    turns: dict[str, list[bytes]]
    searchable: int

    def content(self) -> Content:
        turns = [turn for conversation in self.turns.values() for turn in conversation]
        return Content(
            len(self.records),
            sum(record.chunks for record in self.records.values()),
            len(self.turns),
            len(turns),
            checksums.of_all(self.digests.values()),
            checksums.of_all(turns),
        )

    def only(self, other: _Side) -> _Side:
        """What it has of the documents and turns of the other side."""
        theirs = {name: set(turns) for name, turns in other.turns.items()}
        return _Side(
            self.place,
            {name: record for name, record in self.records.items() if name in other.records},
            {name: digest for name, digest in self.digests.items() if name in other.records},
            {
                name: [turn for turn in turns if turn in theirs[name]]
                for name, turns in self.turns.items()
                if name in theirs
            },
            other.searchable,
        )


def prove(
    source: Address,
    target: Address,
    scope: MigrationScope,
    listener: MigrationListener,
    copied: Mapping[tuple[str, str], bytes],
) -> tuple[tuple[TenantProof, ...], tuple[str, ...]]:
    """Counts and checksums of both ends by tenant, and a line for each difference.

    ``copied`` has the checksums of documents as they were copied, by tenant and id, so that one that has changed since is told
    from one that arrived wrong. Raises UsageError when either end is gone.
    """
    proofs: list[TenantProof] = []
    differences: list[str] = []
    with opened(source, _model(source)) as here, opened(target, _model(target)) as there:
        tenants = chosen_tenants(here, scope)
        if not scope.merge:
            tenants = sorted({*tenants, *chosen_tenants(there, scope)})
        counts = [stores.chunks.count(tenant) for tenant in tenants for stores in (here, there)]
        listener.stage("verifying", sum(counts))
        for tenant in tenants:
            ours = _side(source.place, here, tenant, listener.advanced)
            theirs = _side(target.place, there, tenant, listener.advanced)
            if scope.merge:
                theirs = theirs.only(ours)
            proofs.append(TenantProof(tenant, ours.content(), theirs.content()))
            known = {name: digest for (owner, name), digest in copied.items() if owner == tenant}
            label = "" if tenant == "default" else f" of tenant {tenant}"
            kept = service_differences(
                here.service, there.service, tenant, ours.records.values(), target.place
            )
            differences += [f"{line}{label}" for line in (*_differences(ours, theirs, known), *kept)]
    return tuple(proofs), tuple(differences)


def _model(address: Address) -> tuple[str, int]:
    model = embedding_of(address.store, address.home)
    if model is None:
        raise UsageError(f"there is no knowledge base in {address.place} any more")
    return model


def _side(place: str, stores: OpenedStores, tenant: str, advance: Advance) -> _Side:
    records = {record.id: record for record in stores.chunks.documents(Filter(tenant=tenant))}
    return _Side(
        place,
        records,
        all_digests(stores.chunks, list(records.values()), advance),
        conversation_digests(stores.conversations, tenant),
        stores.chunks.count(tenant),
    )


def _differences(ours: _Side, theirs: _Side, copied: Mapping[str, bytes]) -> Iterator[str]:
    for name, record in ours.records.items():
        was = copied.get(name)
        if ours.digests[name] == theirs.digests.get(name):
            continue
        title = f"{record.source} ({name})"
        if copied and was != ours.digests[name]:
            change = "changed" if was else "was added"
            yield f"{title} {change} in {ours.place} while it was copied"
        elif name not in theirs.records:
            yield f"{title} is missing in {theirs.place}"
        else:
            yield f"{title} is not the same in {theirs.place}"
    for name in _beyond(theirs.records, ours.records):
        gone = " any more" if name in copied else ""
        yield f"{theirs.records[name].source} ({name}) is in {theirs.place}, but not in {ours.place}{gone}"
    if ours.searchable != theirs.searchable:
        yield f"{ours.searchable:,} searchable chunks in {ours.place}, {theirs.searchable:,} in {theirs.place}"
    for name, turns in ours.turns.items():
        if turns != theirs.turns.get(name):
            where = (
                f"is not the same in {theirs.place}"
                if name in theirs.turns
                else f"is missing in {theirs.place}"
            )
            yield f"conversation {name} {where}"
    for name in _beyond(theirs.turns, ours.turns):
        yield f"conversation {name} is in {theirs.place}, but not in {ours.place}"


def _beyond(more: Collection[str], names: Collection[str]) -> list[str]:
    return [name for name in more if name not in names]
