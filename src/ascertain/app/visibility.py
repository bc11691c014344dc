"""Whose documents a question may see: those of its tenant, and of these what belongs to nobody's conversation or to its own."""

from __future__ import annotations

from dataclasses import replace

from ascertain.core.filters import OWN, Filter


def visible(filter: Filter, tenant: str, conversation_id: str | None = None) -> Filter:
    """``filter`` bound to the tenant, and to what was fetched for no conversation or for this one.

    One that says itself whose material is meant (``conversation_id``, ``within``) is bound to the tenant only.
    """
    if filter.conversation_id is not None or filter.within is not None:
        return replace(filter, tenant=tenant)
    own = (OWN,) if conversation_id is None else (OWN, conversation_id)
    return replace(filter, tenant=tenant, within=own)


def only_fetched(filter: Filter, tenant: str, conversation_id: str) -> Filter:
    """``filter`` bound to what was fetched for one conversation of the tenant."""
    return replace(filter, tenant=tenant, conversation_id=conversation_id)


def of_tenant(filter: Filter, tenant: str) -> Filter:
    """``filter`` bound to the tenant, whatever it says itself."""
    return replace(filter, tenant=tenant)
