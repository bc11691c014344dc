"""Names, each kept once for a tenant. They are found by a number made of their key, as an index takes no text of any length."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Sequence

from ascertain.core.graph import Name
from ascertain.stores.relational.database import Session, groups, marks
from ascertain.stores.rows import Row


def find(db: Session, tenant: int, keys: Iterable[str]) -> dict[Name, int]:
    """The names that have these keys, with their numbers."""
    wanted = set(keys)
    found: dict[Name, int] = {}
    for hashes in groups({_hash(key) for key in wanted}):
        finding = f"SELECT number, key, written, kind FROM graph_names WHERE tenant = ? AND hash IN ({marks(hashes)})"
        for row in db.fetch_rows(finding, tenant, *hashes):
            if row[1] in wanted:
                found[_name(row)] = row[0]
    return found


def numbers_of(db: Session, tenant: int, names: Collection[Name]) -> dict[Name, int]:
    """The number of each name; those that are new are kept."""
    known = find(db, tenant, (name.key for name in names))
    for group in groups(name for name in names if name not in known):
        values = ", ".join(["(?, ?, ?, ?, ?)"] * len(group))
        adding = f"INSERT INTO graph_names (tenant, hash, key, written, kind) VALUES {values} RETURNING number, key, written, kind"
        parameters = (
            part for name in group for part in (tenant, _hash(name.key), name.key, name.written, name.kind)
        )
        known.update((_name(row), row[0]) for row in db.fetch_rows(adding, *parameters))
    return known


def forget_unused(db: Session, numbers: Sequence[int]) -> None:
    """Remove those of these names that nothing mentions any more."""
    for group in groups(numbers):
        db.change_rows(
            f"""DELETE FROM graph_names WHERE number IN ({marks(group)})
                AND NOT EXISTS (SELECT 1 FROM graph_mentions m WHERE m.name = graph_names.number)""",
            *group,
        )


def everything(db: Session, tenant: int) -> list[tuple[int, Name]]:
    """All names of a tenant with their numbers."""
    found = db.fetch_rows("SELECT number, key, written, kind FROM graph_names WHERE tenant = ?", tenant)
    return [(row[0], _name(row)) for row in found]


def _hash(key: str) -> int:
    encoded = key.encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(encoded, digest_size=8).digest(), "big", signed=True)


def _name(row: Row) -> Name:
    return Name(row[1], row[2], row[3])
