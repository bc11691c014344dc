"""What came of bringing a store's schema up to date."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SchemaChange:
    """The version of the schema before and after; 0 before is a store that was empty. ``applied`` names each step."""

    before: int
    after: int
    applied: tuple[str, ...] = ()
