"""What somebody decided about names, and what was written about communities."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from ascertain.core.graph import Pin
from ascertain.stores.digests import digest
from ascertain.stores.relational.database import Session, groups, marks
from ascertain.stores.rows import microseconds, moment_of


def pin(db: Session, tenant: int, made: Pin) -> None:
    """Keep a decision in place of an earlier one about the same two names."""
    values = (made.left, made.right, made.same, made.reason, microseconds(made.made_at))
    db.change_rows(
        """INSERT INTO graph_pins (tenant, pair_key, one, other, is_same, reason, made) VALUES (?, ?, ?, ?, ?, ?, ?)
           ON CONFLICT (tenant, pair_key) DO UPDATE SET one = excluded.one, other = excluded.other,
               is_same = excluded.is_same, reason = excluded.reason, made = excluded.made""",
        *(tenant, pair(made.left, made.right), *values),
    )


def is_pinned(db: Session, tenant: int, left: str, right: str) -> bool:
    """Whether something was decided about two names."""
    finding = "SELECT 1 FROM graph_pins WHERE tenant = ? AND pair_key = ?"
    return bool(db.fetch_rows(finding, tenant, pair(left, right)))


def unpin(db: Session, tenant: int, left: str, right: str) -> bool:
    """Take a decision back."""
    removing = "DELETE FROM graph_pins WHERE tenant = ? AND pair_key = ?"
    return bool(db.change_rows(removing, tenant, pair(left, right)))


def pins(db: Session, tenant: int) -> list[Pin]:
    """All decisions, in order."""
    found = db.fetch_rows("SELECT one, other, is_same, reason, made FROM graph_pins WHERE tenant = ?", tenant)
    decided = [
        Pin(one, other, bool(same), reason, moment_of(made)) for one, other, same, reason, made in found
    ]
    return sorted(decided, key=lambda made: (made.left, made.right))


def pair(left: str, right: str) -> bytes:
    """A key for two names in either order."""
    return digest(*sorted((left, right)))


def summaries(db: Session, tenant: int, wanted: Collection[str]) -> dict[str, str]:
    """Texts by their digests."""
    found: dict[str, str] = {}
    for group in groups({digest(one) for one in wanted}):
        reading = (
            f"SELECT digest, text FROM graph_summaries WHERE tenant = ? AND digest_key IN ({marks(group)})"
        )
        found.update(db.fetch_rows(reading, tenant, *group))
    return found


def keep_summaries(db: Session, tenant: int, texts: Mapping[str, str]) -> None:
    """Keep texts over those of the same digests."""
    for name, text in texts.items():
        db.change_rows(
            """INSERT INTO graph_summaries (tenant, digest_key, digest, text) VALUES (?, ?, ?, ?)
               ON CONFLICT (tenant, digest_key) DO UPDATE SET text = excluded.text""",
            *(tenant, digest(name), name, text),
        )


def forget_summaries(db: Session, tenant: int, keep: Collection[str]) -> int:
    """Remove all texts but those under the digests in ``keep``."""
    stored = {
        bytes(key)
        for (key,) in db.fetch_rows("SELECT digest_key FROM graph_summaries WHERE tenant = ?", tenant)
    }
    gone = stored - {digest(name) for name in keep}
    for group in groups(gone):
        db.change_rows(
            f"DELETE FROM graph_summaries WHERE tenant = ? AND digest_key IN ({marks(group)})", tenant, *group
        )
    return len(gone)
