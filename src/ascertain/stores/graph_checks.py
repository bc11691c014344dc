"""What ``check`` of every graph store says, in the same words."""

from __future__ import annotations


def described(documents: int, names: int, mentions: int, relations: int) -> dict[str, str]:
    """What there is."""
    counts = f"{documents:,} documents, {names:,} names, {mentions:,} mentions, {relations:,} relations"
    return {"knowledge graph": counts}


def claimed(what: str, claims: int, stored: int) -> str:
    """The problem that documents claim another number of something than is there."""
    return f"documents claim {claims} {what}, {stored} are stored"
