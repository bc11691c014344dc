"""What PostgreSQL writes otherwise than SQLite."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from ascertain.core.filters import Filter
from ascertain.stores.escaping import escaped
from ascertain.stores.generations import Generation
from ascertain.stores.postgres.text import Stored
from ascertain.stores.relational import filters
from ascertain.stores.relational.database import Condition
from ascertain.stores.relational.filters import join_all
from ascertain.stores.source_prefixes import prefixes

# Characters of a source and of a tag that are indexed (0001_documents.sql): an entry has room for 2,704 bytes.
_INDEXED = 400
_BEGINNING = f'"left"(d.source, {_INDEXED})'
_LAST_CHARACTER = "\U0010ffff"
_FIRST_SURROGATE, _AFTER_SURROGATES = "\ud800", "\ue000"


class PostgresDialect:
    """PostgreSQL's ``Dialect``."""

    has_key_columns = True

    def lock_rows(self, *, skip: bool = False) -> str:
        """Until the end of the transaction."""
        return " FOR UPDATE SKIP LOCKED" if skip else " FOR UPDATE"

    def keep_rows(self) -> str:
        """Others may still refer to them."""
        return " FOR KEY SHARE"

    def match_any(self, column: str, values: Sequence[str]) -> Condition:
        """By an array."""
        return Condition(f"{column} = ANY(?)", (list(values),))

    def match_tenant(self, tenant: str, *, is_narrow: bool) -> Condition:
        """The planner knows by itself what is narrow."""
        return Condition("d.tenant = ?", (tenant,))

    def match_tags(self, tags: Sequence[str]) -> Condition:
        """In an array of each document."""
        return Condition("d.tag_names && ?::text[]", (list(map(tag_key, tags)),))

    def match_sources(self, sources: Sequence[str]) -> Condition:
        """By their beginnings, which are indexed, then whole."""
        exact = [escaped(source) for source in sources if not source.endswith("*")]
        parts: list[Condition] = []
        if exact:
            beginnings = [Stored(source[:_INDEXED]) for source in exact]
            whole = list(map(Stored, exact))
            parts.append(Condition(f"({_BEGINNING} = ANY(?) AND d.source = ANY(?))", (beginnings, whole)))
        for prefix in (prefix for source in sources for prefix in prefixes(source)):
            start = escaped(prefix)
            if len(start) <= _INDEXED:
                parts.append(_interval(_BEGINNING, start))
            else:
                interval = _interval("d.source", start)
                beginning = Stored(start[:_INDEXED])
                parts.append(
                    Condition(f"({_BEGINNING} = ? AND {interval.sql})", (beginning, *interval.parameters))
                )
        anyone = join_all(parts, " OR ")
        return Condition(f"({anyone.sql})", anyone.parameters)

    def lacks_vector(self, generation: Generation) -> str:
        """In the generation's own table."""
        vectors = (
            f'SELECT 1 FROM {vector_table(generation)} v WHERE v.document = c.document AND v."row" = c."row"'
        )
        return f"NOT EXISTS ({vectors})"


DIALECT = PostgresDialect()


def document_condition(filter: Filter) -> Condition:
    """Which documents ``filter`` selects, with psycopg's placeholders."""
    return _native(filters.select_documents(filter, DIALECT))


def row_condition(filter: Filter, row: str) -> Condition:
    """Which chunks ``filter`` selects by their ``row``, with psycopg's placeholders."""
    return _native(filters.select_chunks(filter, DIALECT, row))


def vector_table(generation: Generation) -> str:
    """The table with the vectors of a generation."""
    return f"vectors_{generation.number}"


def tag_key(tag: str) -> str:
    """A tag as it is indexed: one that is longer than an index takes by its beginning and a hash."""
    if len(tag) <= _INDEXED:
        return tag
    return tag[:_INDEXED] + hashlib.sha256(tag.encode("utf-8", "surrogatepass")).hexdigest()


def after_prefix(prefix: str) -> str | None:
    """The least string greater than every string that begins with ``prefix``, in code point order; None when there is none."""
    shortened = prefix.rstrip(_LAST_CHARACTER)
    if not shortened:
        return None
    following = chr(ord(shortened[-1]) + 1)
    return shortened[:-1] + (_AFTER_SURROGATES if following == _FIRST_SURROGATE else following)


def _interval(column: str, prefix: str) -> Condition:
    """What begins with ``prefix``, which is escaped already."""
    end = after_prefix(prefix)
    if end is None:
        return Condition(f"{column} >= ?", (Stored(prefix),))
    return Condition(f"({column} >= ? AND {column} < ?)", (Stored(prefix), Stored(end)))


def _native(condition: Condition) -> Condition:
    return Condition(condition.sql.replace("?", "%s"), condition.parameters)
