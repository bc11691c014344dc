"""Writing documents. Every function runs inside the caller's write transaction.

A writer locks documents in order of their ids, so that two writers of the same documents wait for each other
instead of deadlocking.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from ascertain.core.asking.passages import OWN, Filter
from ascertain.core.documents.documents import Document
from ascertain.core.errors import StoreError
from ascertain.stores.postgres import tallies, vectors
from ascertain.stores.postgres.connections import Connection
from ascertain.stores.postgres.dialect import copy_vectors, encode_sql, tag_key, vector_table
from ascertain.stores.postgres.words import texts
from ascertain.stores.records import encoding
from ascertain.stores.records.documents import Prepared, signature_bands
from ascertain.stores.records.rows import CHUNK_ROW, blocks_json, chunk_row, topic_rows
from ascertain.stores.records.text_analysis import build_analyzer
from ascertain.stores.records.vectors import Generation
from ascertain.stores.relational.database import select_documents, select_elsewhere
from ascertain.stores.relational.reads import sum_versions
from ascertain.stores.relational.store import insert_failure, prepared_values, promote_duplicate


def compute_fingerprint(db: Connection, filter: Filter) -> str:
    """Of the searchable documents that ``filter`` selects."""
    if filter.within is not None and OWN in filter.within and replace(filter, within=None).is_unrestricted:
        # What the others fetched is little, and found through an index.
        elsewhere = sum_versions(db, select_elsewhere(filter.tenant, filter.within))
        return encoding.format_fingerprint(tallies.sum_versions(db, filter.tenant) - elsewhere)
    if filter.is_unrestricted:
        return encoding.format_fingerprint(tallies.sum_versions(db, filter.tenant))
    return encoding.format_fingerprint(sum_versions(db, select_documents(filter, db.dialect)))


def bytes_on_disk(db: Connection) -> int:
    """What the tables of the schema take with their indexes."""
    found = db.fetch_rows(
        """SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0) FROM pg_class c
           JOIN pg_namespace n ON n.oid = c.relnamespace
           WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'm')"""
    )
    return int(found[0][0])


ROWS_OF_DOCUMENT = 1 << 20
"""Size of the block of rows that a version of a document draws: the most chunks it can have."""
# Two of them and the beginning of a source fit into an entry of an index; ids of conversations have as many
# (MAX_ID_BYTES).
_NAME_BYTES = 1024

_CHUNK_COLUMNS = f"{CHUNK_ROW}, {', '.join(texts.CHUNK_COLUMNS)}"
_analyzer = cache(build_analyzer)


@dataclass(frozen=True, slots=True)
class _Placed:
    """A document with the number and the rows it has in the database."""

    document: Prepared
    number: int
    first_row: int


def write_documents(db: Connection, documents: Sequence[Prepared], generation: Generation) -> None:
    """Write documents over any earlier versions, with vectors of ``generation``."""
    for document in documents:
        _check_limits(document.source.document, len(document.searchable) + len(document.parents))
    placed, replaced = _put_documents(db, documents)
    _remove_contents(db, replaced)
    _put_contents(db, placed)
    _put_vectors(db, placed, generation)
    tallies.fold_tallies(db, {document.source.document.tenant for document in documents})


def delete_by_filter(db: Connection, filter: Filter) -> int:
    """Delete the documents that ``filter`` selects; how many there were."""
    condition = select_documents(filter, db.dialect)
    finding = f"SELECT d.number, d.id FROM documents d WHERE {condition.sql} ORDER BY d.id FOR UPDATE"
    found = db.fetch_rows(finding, *condition.parameters)
    numbers = [number for number, _ in found]
    _remove_vectors(db, numbers)
    db.execute("DELETE FROM documents WHERE number = ANY(%s)", (numbers,))
    for _, document_id in found:
        promote_duplicate(db, document_id)
    tallies.fold_tallies(db, {filter.tenant})
    return len(found)


def write_failure(db: Connection, document: Document, reason: str) -> None:
    """Note a failure; an earlier version keeps its chunks, text and hash."""
    _check_limits(document, 0)
    insert_failure(db, document, reason, _own_values(document))


def _put_documents(db: Connection, documents: Sequence[Prepared]) -> tuple[list[_Placed], list[int]]:
    """Write, and so lock, the rows of ``documents``; those placed, and the numbers of those there before."""
    placed: list[_Placed] = []
    replaced: list[int] = []
    values = [
        {**_document_values(document), "first_row": first_row}
        for document, first_row in zip(documents, _row_blocks(db, len(documents)), strict=True)
    ]
    in_order = sorted(zip(documents, values, strict=True), key=lambda each: each[0].source.document.id)
    with db.cursor() as cursor:
        cursor.executemany(_build_upsert(values[0]), [tuple(own.values()) for _, own in in_order], returning=True)
        for document, _ in in_order:
            number, first_row, was_there = cursor.fetchone() or (0, 0, False)
            cursor.nextset()
            placed.append(_Placed(document, number, first_row))
            if was_there:
                replaced.append(number)
    return placed, replaced


def _build_upsert(values: dict[str, object]) -> bytes:
    # The columns that words come in are empty again by now (see 0004_words.sql).
    kept = [name for name in values if name != "id" and name not in texts.DOCUMENT_COLUMNS]
    replaced_columns = ", ".join(f"{name} = excluded.{name}" for name in (*kept, "words", "summary"))
    return encode_sql(
        f"""INSERT INTO documents ({", ".join(values)}) VALUES ({", ".join(["%s"] * len(values))})
            ON CONFLICT (id) DO UPDATE SET {replaced_columns} RETURNING number, first_row, xmax <> 0"""
    )


def _row_blocks(db: Connection, number: int) -> list[int]:
    """First rows of blocks, in the order of the documents handed over: that is the order they are read in."""
    drawn = db.fetch_rows("SELECT nextval('row_blocks') FROM generate_series(1, ?)", number)
    return sorted(int(block) * ROWS_OF_DOCUMENT for (block,) in drawn)


def _remove_contents(db: Connection, numbers: Sequence[int]) -> None:
    if not numbers:
        return
    _remove_vectors(db, numbers)
    for table in ("chunks", "chunk_topics", "texts", "signature_bands"):
        db.change_rows(f"DELETE FROM {table} WHERE document = ANY(?)", list(numbers))


def _remove_vectors(db: Connection, numbers: Sequence[int]) -> None:
    for generation in vectors.list_generations(db) if numbers else ():
        db.change_rows(f"DELETE FROM {vector_table(generation)} WHERE document = ANY(?)", list(numbers))


def _put_contents(db: Connection, placed: Sequence[_Placed]) -> None:
    sources = [(one.number, one.document.source) for one in placed]
    contents = [(number, source.document.text, blocks_json(source.document.blocks)) for number, source in sources]
    db.insert_rows("texts", "document, text, blocks", contents)
    db.insert_rows(
        "chunks",
        _CHUNK_COLUMNS,
        (
            (*chunk_row(one.first_row + place, one.number, chunk), *texts.chunk_values(_analyzer(), chunk))
            for one in placed
            for place, chunk in enumerate((*one.document.searchable, *one.document.parents))
        ),
    )
    topics = [
        row
        for one in placed
        for place, chunk in enumerate((*one.document.searchable, *one.document.parents))
        for row in topic_rows(one.first_row + place, one.number, chunk)
    ]
    if topics:
        db.insert_rows("chunk_topics", 'topic, "row", document', topics)
    signed = [
        (band, number)
        for number, source in sources
        if source.signature is not None
        for band in set(signature_bands(source.signature))
    ]
    if signed:
        db.insert_rows("signature_bands", "band, document", signed)


def _put_vectors(db: Connection, placed: Sequence[_Placed], generation: Generation) -> None:
    filled = [one for one in placed if len(one.document.vectors)]
    if not filled:
        return
    sizes = [len(one.document.vectors) for one in filled]
    copy_vectors(
        db,
        vector_table(generation),
        np.repeat(np.array([one.number for one in filled], np.int64), sizes),
        np.concatenate([one.first_row + np.arange(len(one.document.vectors)) for one in filled]),
        vectors=np.concatenate([one.document.vectors for one in filled]),
    )


def _document_values(document: Prepared) -> dict[str, object]:
    word_values = texts.document_values(_analyzer(), document.source.document)
    return {
        **prepared_values(document),
        **_own_values(document.source.document),
        **dict(zip(texts.DOCUMENT_COLUMNS, word_values, strict=True)),
    }


def _own_values(document: Document) -> dict[str, object]:
    profile = document.document_profile
    return {
        "tag_names": sorted(set(map(tag_key, document.tags))),
        "domain_names": sorted(set(profile.domains)) if profile else None,
    }


def _check_limits(document: Document, chunks: int) -> None:
    if chunks > ROWS_OF_DOCUMENT:
        raise StoreError(
            f"{document.source}: has {chunks:,} chunks; PostgreSQL takes documents of at most "
            f"{ROWS_OF_DOCUMENT:,}: split it, or make larger chunks"
        )
    for what, name in (
        ("tenant", document.tenant),
        ("profile", document.profile),
        ("conversation", document.conversation_id or ""),
    ):
        size = len(name.encode("utf-8", "surrogatepass"))
        if size > _NAME_BYTES:
            raise StoreError(
                f"{document.source}: the name of its {what} has {size:,} bytes; PostgreSQL takes at most "
                f"{_NAME_BYTES:,}: give it a shorter one"
            )
