"""What a knowledge base takes on disk, part by part: tables and indexes of PostgreSQL and SQLite, folders and files of the others."""

from __future__ import annotations

import sqlite3
from collections import Counter
from pathlib import Path

from bench.stores.servers import Place

Parts = dict[str, int]


def parts_on_disk(place: Place) -> Parts:
    """Bytes by name of table or index, or by path; the largest first. Logs of changes that a server cuts off by itself are left out."""
    parts = _of_postgres(place) if place.kind == "postgres" else _of_folder(place.folder)
    return dict(sorted(parts.items(), key=lambda part: -part[1]))


def _of_postgres(place: Place) -> Parts:
    """Each relation of the schema with its free space map, and what of a table is stored out of line as ``NAME (out of line)``."""
    import psycopg

    query = """
        SELECT c.relname, c.relkind,
               pg_total_relation_size(c.oid) - pg_indexes_size(c.oid)
                   - coalesce(pg_total_relation_size(nullif(c.reltoastrelid, 0)), 0),
               coalesce(pg_total_relation_size(nullif(c.reltoastrelid, 0)), 0)
        FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = %s AND c.relkind IN ('r', 'i', 'm')"""
    with psycopg.connect(place.settings.url) as connection:
        rows = connection.execute(query, (place.settings.name,)).fetchall()
    parts: Parts = {}
    for name, _, inline, out_of_line in rows:
        parts[name] = int(inline)
        if out_of_line:
            parts[f"{name} (out of line)"] = int(out_of_line)
    return parts


def _of_folder(folder: Path) -> Parts:
    parts: Counter[str] = Counter()
    for path in folder.rglob("*"):
        if not path.is_file() or path.name.endswith(("-wal", "-shm")):
            continue
        where = path.relative_to(folder)
        if path.suffix in {".sqlite3", ".sqlite"}:
            parts.update({f"{where}: {name}": size for name, size in _of_sqlite(path).items()})
        else:
            parts[_place_of(where)] += allocated(path)
    return dict(parts)


def allocated(path: Path) -> int:
    """Bytes that a file really takes: Qdrant's files are mostly holes, kept for what is to come."""
    return path.stat().st_blocks * 512


def _place_of(where: Path) -> str:
    """The folder; for a part of one of Qdrant's segments, whose names are random, the part."""
    parts = where.parts
    if "segments" in parts:
        start = parts.index("segments")
        return "/".join((*parts[: start + 1], *parts[start + 2 : start + 3]))
    return str(where.parent) if len(parts) > 1 else str(where)


def _of_sqlite(path: Path) -> Parts:
    database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        return dict(database.execute("SELECT name, sum(pgsize) FROM dbstat GROUP BY name").fetchall())
    finally:
        database.close()
