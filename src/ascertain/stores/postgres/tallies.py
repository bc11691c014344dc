"""Running totals over a tenant's searchable documents, written down as differences by triggers."""

from collections.abc import Iterable

from ascertain.core.documents.profiling import CorpusProfile, DocumentType
from ascertain.stores.postgres.connections import Connection

# Adding up a few hundred rows takes well under a millisecond.
_FOLDED_FROM = 200


_SUM = "SELECT coalesce(sum(amount), 0) FROM tallies WHERE what ="


def count_chunks(db: Connection, tenant: str) -> int:
    """How many searchable chunks a tenant has."""
    return int(db.fetch_rows(f"{_SUM} 'chunks' AND tenant = ?", tenant)[0][0])


def all_chunks(db: Connection) -> int:
    """How many searchable chunks all tenants have together."""
    return int(db.fetch_rows(f"{_SUM} 'chunks'")[0][0])


def sum_versions(db: Connection, tenant: str) -> int:
    """The sum of the numbers of a tenant's searchable versions (see ``stores.encoding``)."""
    return int(db.fetch_rows(f"{_SUM} 'versions' AND tenant = ?", tenant)[0][0])


def corpus_profile(db: Connection, tenant: str) -> CorpusProfile:
    """What the searchable documents that have a profile are made of."""
    found = db.fetch_rows(
        """SELECT what, name, sum(amount) FROM tallies WHERE tenant = ? AND what IN ('type', 'density', 'domain')
           GROUP BY what, name HAVING sum(amount) <> 0""",
        tenant,
    )
    types = {DocumentType(name): int(amount) for what, name, amount in found if what == "type"}
    domains = {name: int(amount) for what, name, amount in found if what == "domain"}
    density = sum(float(amount) for what, _, amount in found if what == "density")
    return CorpusProfile.from_counts(sum(types.values()), density, types, domains)


def fold_tallies(db: Connection, tenants: Iterable[str]) -> None:
    """Replace many differences of a tenant by their sums; those that another writer folds are left alone."""
    for tenant in sorted(tenants):
        if db.fetch_rows("SELECT count(*) FROM tallies WHERE tenant = ?", tenant)[0][0] >= _FOLDED_FROM:
            db.execute(
                """WITH differences AS (
                       DELETE FROM tallies WHERE tenant = %(tenant)s AND number IN (
                           SELECT number FROM tallies WHERE tenant = %(tenant)s FOR UPDATE SKIP LOCKED)
                       RETURNING what, name, amount)
                   INSERT INTO tallies (tenant, what, name, amount)
                   SELECT %(tenant)s, what, name, sum(amount) FROM differences
                   GROUP BY what, name HAVING sum(amount) <> 0""",
                {"tenant": tenant},
            )


def differ_from_documents(db: Connection) -> bool:
    """Whether the totals differ from what the documents say."""
    found = db.fetch_rows(
        f"""SELECT 1 FROM ({_TRUTH}) truth FULL JOIN (
                SELECT tenant, what, name, sum(amount) AS amount FROM tallies GROUP BY tenant, what, name
            ) noted USING (tenant, what, name)
            WHERE coalesce(truth.amount, 0) <> coalesce(noted.amount, 0) LIMIT 1"""
    )
    return bool(found)


def recount_tallies(db: Connection) -> None:
    """Recount the documents; writers wait until this transaction ends."""
    db.execute("LOCK TABLE tallies IN EXCLUSIVE MODE")
    db.execute("DELETE FROM tallies")
    db.change_rows(f"INSERT INTO tallies (tenant, what, name, amount) {_TRUTH} HAVING sum(amount) <> 0")


# What the triggers of 0001_documents.sql add up.
_TRUTH = """
    SELECT tenant, what, name, sum(amount) AS amount FROM (
        SELECT tenant, 'chunks' AS what, '' AS name, chunks::numeric AS amount FROM documents
        WHERE first_row IS NOT NULL
        UNION ALL
        SELECT tenant, 'versions', '', version::numeric FROM documents WHERE chunks > 0
        UNION ALL
        SELECT tenant, 'type', type, 1 FROM documents WHERE first_row IS NOT NULL AND type IS NOT NULL
        UNION ALL
        SELECT tenant, 'density', '', technical_density::numeric FROM documents
        WHERE first_row IS NOT NULL AND type IS NOT NULL
        UNION ALL
        SELECT tenant, 'domain', unnest(domain_names), 1 FROM documents
        WHERE first_row IS NOT NULL AND type IS NOT NULL
    ) parts GROUP BY tenant, what, name"""
