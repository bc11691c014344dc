"""Lists of documents: their order, and those that have the words."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from ascertain.app.documents.listing import has_words, sort_records
from ascertain.core.documents.documents import DocumentKind, DocumentRecord, DocumentState

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def a_record(source, title, added_day, published_day=None, **fields):
    """What is known of a document of March 2026."""
    added = NOON.replace(day=added_day)
    published = None if published_day is None else NOON.replace(day=published_day)
    return DocumentRecord(
        source,
        title,
        DocumentKind.PROSE,
        source,
        DocumentState.INDEXED,
        reason="",
        content_hash="",
        chunks=1,
        characters=10,
        profile="docs",
        added_at=added,
        published_at=published,
        **fields,
    )


RECORDS = [
    a_record("b.md", "alpha", 1, 9),
    a_record("a.md", "Beta", 3),
    a_record("c.md", "gamma", 2, 5, author="Ines Quiroga", tags=("shelf",)),
]


@pytest.mark.parametrize(
    ("order", "sources"),
    [
        ("source", "abc"),
        ("-source", "cba"),
        ("title", "bac"),
        ("-title", "cab"),
        ("added", "bca"),
        ("-added", "acb"),
        ("published", "cba"),
        ("-published", "bca"),
    ],
)
def test_documents_are_put_in_order_and_those_without_a_date_come_last(order, sources):
    assert "".join(each.source[0] for each in sort_records(RECORDS, order)) == sources


@pytest.mark.parametrize(
    ("words", "sources"),
    [([], "bac"), (["beta"], "a"), (["quiroga", "shelf"], "c"), (["ines", "alpha"], ""), ([".md"], "bac")],
)
def test_every_word_has_to_be_somewhere(words, sources):
    assert "".join(each.source[0] for each in RECORDS if has_words(each, words)) == sources


def test_words_are_found_whatever_letters_the_title_has():
    assert has_words(replace(RECORDS[0], title="STRASSE der Ärzte"), ["straße".casefold(), "ärzte"])
