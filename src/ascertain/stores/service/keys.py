"""The port of API keys. Only a digest of a key is ever kept (RFC 9106 is not needed: keys are 256 random bits, not passwords)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A key as it is listed. ``hint`` is the beginning of the key, which people tell keys apart by."""

    id: str
    name: str
    tenant: str
    hint: str
    created_at: datetime
    requests_per_minute: int
    """0 is without a limit."""
    is_admin: bool = False
    """May see the figures of the whole service (``/metrics``) and nothing of another tenant's documents."""
    revoked_at: datetime | None = None
    last_used_at: datetime | None = None
    """To the minute."""


class KeyStore(Protocol):
    """Who may use the service, and as which tenant."""

    def add(self, key: ApiKey, digest: bytes) -> None:
        """Keep a key by the SHA-256 of its text. Raises UsageError when its id or its digest is there already."""
        ...

    def find(self, digest: bytes) -> ApiKey | None:
        """The key of this digest, revoked ones included."""
        ...

    def touch(self, key_id: str, moment: datetime) -> None:
        """Note that a key was used; an unknown one is left alone."""
        ...

    def keys(self) -> list[ApiKey]:
        """All keys, the oldest first."""
        ...

    def digests(self) -> dict[str, bytes]:
        """The SHA-256 of each key by its id, for a copy of the knowledge base."""
        ...

    def revoke(self, key_id: str, moment: datetime) -> bool:
        """Refuse the key from now on; False when there is none of this id. The first moment stays."""
        ...
