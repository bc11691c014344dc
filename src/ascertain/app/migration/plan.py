"""What a migration would copy, and what prevents it; found out without changing anything."""

import os
from collections.abc import Generator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from ascertain.app.container.store_addresses import Address
from ascertain.app.migration.documents import KEPT_TURNS
from ascertain.app.migration.service import key_tenants
from ascertain.core.asking.passages import Filter
from ascertain.core.documents.documents import DocumentRecord
from ascertain.core.errors import UsageError
from ascertain.core.service.migration import MigrationPlan, TenantPlan
from ascertain.core.settings.layers import CONFIG_NAME
from ascertain.stores.ports.chunks import CompleteStore
from ascertain.stores.ports.conversations import ConversationStore
from ascertain.stores.ports.service import ServiceStores
from ascertain.stores.registry import embedding_of, open_conversations, open_service, open_store

_NAMED = 3
"""Documents named in a line about several."""
_VECTOR_BYTES = 2


@dataclass(frozen=True, slots=True)
class MigrationScope:
    """``tenant`` None is all of them. With ``merge`` the target may hold more than the source, and keeps it."""

    tenant: str | None = None
    merge: bool = False


@dataclass(frozen=True, slots=True)
class OpenedStores:
    """The stores of one knowledge base, but for the graph."""

    chunks: CompleteStore
    conversations: ConversationStore
    service: ServiceStores


@contextmanager
def open_stores(address: Address, model: tuple[str, int], create: bool = False) -> Generator[OpenedStores]:
    """The stores at ``address`` for vectors of ``model``."""
    place = (address.store, address.home)
    with (
        closing(open_store(*place, *model, create=create)) as chunks,
        closing(open_conversations(*place, kept_turns=KEPT_TURNS)) as conversations,
        closing(open_service(*place)) as service,
    ):
        yield OpenedStores(chunks, conversations, service)


def plan_migration(source: Address, target: Address, scope: MigrationScope) -> MigrationPlan:
    """Look at both ends. Raises UsageError when there is nothing to copy from, or both are one."""
    if source.is_same(target):
        raise UsageError(_same_place(source, target))
    model = embedding_of(source.store, source.home)
    if model is None:
        raise UsageError(f"there is no knowledge base in {source.place}")
    model_there = embedding_of(target.store, target.home)
    with open_stores(source, model) as here:
        tenants = list_tenants(here, scope)
        if scope.tenant is not None and not tenants:
            raise UsageError(f"there is no tenant {scope.tenant!r} in {source.place}")
        if model_there is None:
            plans = tuple(_tenant_plan(here, tenant, model[1], {}) for tenant in tenants)
            obstacles, documents = _find_write_problems(target), 0
        else:
            with open_stores(target, model_there) as there:
                plans, obstacles, documents = _plan_tenants(here, there, tenants, scope, dimension=model[1])
            obstacles = [
                *_other_model(target, model_there, model, documents),
                *obstacles,
                *_find_write_problems(target),
            ]
    return MigrationPlan(
        source.place, target.place, *model, plans, model_there is not None, documents, tuple(obstacles)
    )


def _same_place(source: Address, target: Address) -> str:
    if source.store.kind == target.store.kind:
        return f"source and target are both {source.place}; name two places"
    return (
        f"{source.store.kind} and {target.store.kind} share the record in {source.home}, so there is nothing to copy: set "
        f'store.kind = "{target.store.kind}" in {source.home / CONFIG_NAME}'
    )


def list_tenants(stores: OpenedStores, scope: MigrationScope) -> list[str]:
    """Everyone with documents, conversations or a key, or the one that was asked for."""
    found = sorted({*stores.chunks.tenants(), *stores.conversations.tenants(), *key_tenants(stores.service)})
    return [tenant for tenant in found if scope.tenant in (None, tenant)]


def _plan_tenants(
    here: OpenedStores, there: OpenedStores, tenants: Sequence[str], scope: MigrationScope, *, dimension: int
) -> tuple[tuple[TenantPlan, ...], list[str], int]:
    plans: list[TenantPlan] = []
    more: list[str] = []
    documents = 0
    for tenant in dict.fromkeys((*tenants, *list_tenants(there, scope))):
        records = {record.id: record for record in there.chunks.documents(Filter(tenant=tenant))}
        documents += len(records)
        plan = _tenant_plan(here, tenant, dimension, records)
        if tenant in tenants:
            plans.append(plan)
        # what _tenant_plan did not take out is at the target only
        more += [record.source for record in records.values()]
        more += [f"conversation {name}" for name in _other_turns(here, there, tenant)]
    if not more or scope.merge:
        return tuple(plans), [], documents
    named = ", ".join(more[:_NAMED]) + (f" and {len(more) - _NAMED:,} more" if len(more) > _NAMED else "")
    line = f"the target has what the source lacks ({named}); keep it with --merge, or choose an empty target"
    return tuple(plans), [line], documents


def _tenant_plan(here: OpenedStores, tenant: str, dimension: int, there: dict[str, DocumentRecord]) -> TenantPlan:
    """Also takes out of ``there`` the documents that the source has."""
    records = here.chunks.documents(Filter(tenant=tenant))
    present = 0
    size = 0
    for record in records:
        other = there.pop(record.id, None)
        present += other is not None and (other.content_hash, other.state) == (record.content_hash, record.state)
        size += record.characters + record.chunks * dimension * _VECTOR_BYTES
    return TenantPlan(
        tenant,
        len(records),
        sum(record.chunks for record in records),
        len(here.conversations.conversations(tenant)),
        size,
        present,
    )


def _other_turns(here: OpenedStores, there: OpenedStores, tenant: str) -> list[str]:
    """Conversations at the target that have turns of their own."""
    found: list[str] = []
    for summary in there.conversations.conversations(tenant):
        own = {turn.turn_id for turn in there.conversations.turns(summary.id, tenant)}
        if own - {turn.turn_id for turn in here.conversations.turns(summary.id, tenant)}:
            found.append(summary.id)
    return found


def _other_model(target: Address, there: tuple[str, int], wanted: tuple[str, int], documents: int) -> list[str]:
    if there == wanted or not documents:
        return []
    return [
        f"the knowledge base in {target.place} was built with the embedding model {there[0]} ({there[1]} dimensions), the "
        f"source with {wanted[0]} ({wanted[1]}): name an empty place, or move one of them to the other's model with "
        "`ascertain reindex` first"
    ]


def _find_write_problems(target: Address) -> list[str]:
    """For a target in a folder; a server reports it on the first write."""
    if target.store.url:
        return []
    home = target.home.resolve()
    folder: Path = next(parent for parent in (home, *home.parents) if parent.exists())
    if folder.is_dir() and os.access(folder, os.W_OK):
        return []
    return [f"{folder} is not writable; change its permissions or choose another target"]
