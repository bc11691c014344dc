"""Filters: which chunks a search may see, as data."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from ascertain.core.documents import DocumentKind

OWN = ""
"""In ``Filter.within``: documents of the knowledge base itself, fetched for no conversation."""


@dataclass(frozen=True, slots=True)
class Filter:
    """All conditions must hold; an empty tuple or None puts no condition, except in ``within``.

    Within one field any value matches. ``published_from`` is inclusive, ``published_before`` exclusive;
    a chunk without a date never matches a date condition. ``sources`` match a source exactly or as a folder or
    glob prefix ending in ``*``. ``conversation_id`` restricts to what was fetched for that conversation. ``within`` says whose
    material may be seen, by id of the conversation it was fetched for, with ``""`` for what belongs to none; None is everything, and
    an empty tuple nothing.
    """

    document_ids: tuple[str, ...] = ()
    chunk_ids: tuple[str, ...] = ()
    kinds: tuple[DocumentKind, ...] = ()
    sources: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    profiles: tuple[str, ...] = ()
    published_from: datetime | None = None
    published_before: datetime | None = None
    conversation_id: str | None = None
    within: tuple[str, ...] | None = None
    tenant: str = "default"

    @property
    def has_dates(self) -> bool:
        """Whether only documents of some period match."""
        return self.published_from is not None or self.published_before is not None

    @property
    def is_unrestricted(self) -> bool:
        """Whether every chunk of the tenant matches."""
        return self == Filter(tenant=self.tenant)

    @property
    def is_plain(self) -> bool:
        """Whether it puts no condition beside whose material may be seen."""
        return replace(self, within=None).is_unrestricted
