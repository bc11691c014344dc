"""What ``ascertain doctor`` says of documents and chunks, whatever the engine."""

from __future__ import annotations

from ascertain.stores.generations import Generation
from ascertain.stores.relational.database import Session
from ascertain.stores.relational.generations import find_building
from ascertain.stores.relational.reads import count_without_vector


def find_chunk_problems(db: Session, generation: Generation) -> list[str]:
    """Chunks without a vector, and documents that do not have the chunks they should have."""
    problems: list[str] = []
    if missing := count_without_vector(db, generation):
        problems.append(f"{missing} chunks have no vector: add their documents again")
    claimed = db.fetch_rows("SELECT coalesce(sum(chunks), 0) FROM documents")[0][0]
    stored = count_searchable(db)
    if claimed != stored:
        problems.append(f"documents claim {claimed} chunks, {stored} are stored")
    return problems


def describe_record(db: Session, generation: Generation | None) -> dict[str, str]:
    """How much there is, the model it was built with and the one it is being moved to."""
    documents = db.fetch_rows("SELECT count(*) FROM documents")[0][0]
    facts = {"record": f"{documents} documents, {count_searchable(db)} chunks"}
    if generation is not None:
        facts["embedding model"] = f"{generation.model}, {generation.dimension} dimensions"
    if building := find_building(db):
        facts["unfinished reindex"] = f"to {building.model}: run `ascertain reindex` to go on"
    return facts


def count_searchable(db: Session) -> int:
    """Searchable chunks of all tenants, counted one by one."""
    return int(db.fetch_rows("SELECT count(*) FROM chunks WHERE NOT is_parent")[0][0])
