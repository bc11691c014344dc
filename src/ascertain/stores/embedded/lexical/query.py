"""Tantivy's fields and queries. Built from objects, never parsed: no text of a user is syntax."""

import re
from collections.abc import Mapping, Sequence

from tantivy import Document, FieldType, Occur, Query, Schema, SchemaBuilder

from ascertain.core.asking.passages import OWN, Filter
from ascertain.stores.embedded.change_log import LexicalRow
from ascertain.stores.records.documents import CHILD_SEPARATORS, list_ancestors, list_prefixes
from ascertain.stores.records.encoding import escape_text
from ascertain.stores.records.rows import optional_text, python_text, read_tags, to_microseconds
from ascertain.stores.records.text_analysis import QueryTerm, space_text

ANALYZER = "words"
# Raised whenever fields or analysis change; an index of another version is rebuilt. 3 brought the
# stems of each language, 4 the language as a condition.
FORMAT = 4

_OWN = "own"

# Up to so many rows, single terms are three times as fast as a set, which compiles an automaton.
_ROWS_AS_TERMS = 1_000
_REGEX_SPECIAL = re.compile(r"([.+*?()|\[\]{}^$\\#&\-~])")


def build_schema() -> Schema:
    """``body`` is heading and text, ``title`` the title alone; the rest is for filters.

    ``own`` is there for what belongs to no conversation.
    """
    builder = SchemaBuilder()
    builder.add_unsigned_field("row", indexed=True, fast=True)
    builder.add_text_field("body", tokenizer_name=ANALYZER, index_option="position")
    builder.add_text_field("title", tokenizer_name=ANALYZER, index_option="position")
    for name in ("document", "kind", "source", "within", "tag", "profile", "language", "conversation", "own", "tenant"):
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    builder.add_integer_field("published", indexed=True, fast=True)
    return builder.build()


def build_document(row: LexicalRow) -> Document:
    """The Tantivy document of a chunk."""
    heading, body, name = python_text(row.heading), python_text(row.text), escape_text(python_text(row.source))
    document = Document()
    document.add_unsigned("row", row.row)
    document.add_text("body", space_text(f"{heading}\n{body}" if heading else body, optional_text(row.language)))
    document.add_text("title", space_text(python_text(row.title), optional_text(row.language)))
    document.add_text("source", name)
    for folder in list_ancestors(name):
        document.add_text("within", folder)
    for field, value in (
        ("document", row.id),
        ("kind", row.kind),
        ("profile", row.profile),
        ("language", row.language),
        ("conversation", row.conversation_id),
        ("tenant", row.tenant),
    ):
        if value is not None:
            document.add_text(field, escape_text(python_text(value)))
    for tag in read_tags(row.tags):
        document.add_text("tag", escape_text(tag))
    if not row.conversation_id:
        document.add_text("own", _OWN)
    if row.published is not None:
        document.add_integer("published", row.published)
    return document


def text_query(schema: Schema, terms: Mapping[QueryTerm, float], title_boost: float) -> Query:
    """The weighted sum of the terms' BM25 in ``body``, and in ``title`` by ``title_boost``."""
    clauses: list[tuple[Occur, Query]] = []
    for term, weight in terms.items():
        clauses.append((Occur.Should, Query.boost_query(term_query(schema, "body", term), weight)))
        if title_boost > 0:
            boosted = Query.boost_query(term_query(schema, "title", term), weight * title_boost)
            clauses.append((Occur.Should, boosted))
    return Query.boolean_query(clauses)


def restrict_query(query: Query, conditions: Sequence[Query]) -> Query:
    """``query`` among the documents that meet all ``conditions``, scores unchanged."""
    if not conditions:
        return query
    # A condition's own BM25 must not count, hence the constant score of 0.
    clauses = [(Occur.Must, Query.const_score_query(condition, 0.0)) for condition in conditions]
    return Query.boolean_query([*clauses, (Occur.Must, query)])


def rows_condition(schema: Schema, rows: Sequence[int]) -> Query:
    """One of the rows."""
    if len(rows) > _ROWS_AS_TERMS:
        return Query.term_set_query(schema, "row", list(rows))
    return _join_queries([Query.term_query(schema, "row", row, index_option="basic") for row in rows])


def filter_conditions(schema: Schema, filter: Filter, with_tenant: bool) -> list[Query]:
    """``filter`` without the chunks that it names, which the caller turns into rows."""
    conditions: list[Query] = []
    for field, values in (
        ("document", filter.document_ids),
        ("kind", tuple(map(str, filter.kinds))),
        ("tag", filter.tags),
        ("profile", filter.profiles),
        ("language", filter.languages),
        ("conversation", () if filter.conversation_id is None else (filter.conversation_id,)),
        ("tenant", (filter.tenant,) if with_tenant else ()),
    ):
        if values:
            conditions.append(Query.term_set_query(schema, field, list(map(escape_text, values))))
    if filter.sources:
        conditions.append(_join_queries([_source_query(schema, escape_text(source)) for source in filter.sources]))
    if filter.within is not None:
        conditions.append(_conversation_query(schema, filter.within))
    if filter.published_from is not None or filter.published_before is not None:
        conditions.append(_published_query(schema, filter))
    return conditions


def _conversation_query(schema: Schema, conversations: Sequence[str]) -> Query:
    if not conversations:
        return Query.empty_query()
    named = Query.term_set_query(schema, "conversation", list(map(escape_text, conversations)))
    if OWN not in conversations:
        return named
    return _join_queries([Query.term_query(schema, "own", _OWN, index_option="basic"), named])


def _published_query(schema: Schema, filter: Filter) -> Query:
    start, end = filter.published_from, filter.published_before
    return Query.range_query(
        schema,
        "published",
        FieldType.Integer,
        None if start is None else to_microseconds(start),
        None if end is None else to_microseconds(end),
        include_lower=True,
        # Tantivy takes an open end only as included.
        include_upper=end is None,
    )


def term_query(schema: Schema, field: str, term: QueryTerm) -> Query:
    """Chunks whose field contains the unit."""
    if len(term.tokens) == 1:
        return Query.term_query(schema, field, term.tokens[0], index_option="position")
    return Query.phrase_query(schema, field, list(term.tokens))


def _source_query(schema: Schema, source: str) -> Query:
    choices = [Query.term_query(schema, "source", source, index_option="basic")]
    for prefix in list_prefixes(source):
        if prefix.endswith(CHILD_SEPARATORS):
            choices.append(Query.term_query(schema, "within", prefix, index_option="basic"))
        else:
            choices.append(Query.regex_query(schema, "source", _REGEX_SPECIAL.sub(r"\\\1", prefix) + "(.|\n)*"))
    return _join_queries(choices)


def _join_queries(queries: Sequence[Query]) -> Query:
    return Query.boolean_query([(Occur.Should, query) for query in queries])
