import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.core.asking.passages import Filter
from ascertain.stores.embedded.dialect import RecordConnection, sql_text
from ascertain.stores.records.documents import list_prefixes
from ascertain.stores.relational.database import select_documents

SOURCES = st.text(st.sampled_from("ab/#*%_\\'\udc80é"), min_size=1, max_size=6)


@pytest.mark.parametrize(
    ("source", "expected"), [("a", ("a/", "a#")), ("a/", ("a/",)), ("a*", ("a",)), ("a/*", ("a/",)), ("*", ("",))]
)
def test_a_source_stands_for_its_contents_or_a_prefix(source, expected):
    assert list_prefixes(source) == expected


@given(st.lists(SOURCES, max_size=12, unique=True), SOURCES)
def test_sources_match_exactly_or_by_prefix(stored, pattern):
    db = RecordConnection(":memory:")
    db.execute("CREATE TABLE documents (tenant, source)")
    db.executemany("INSERT INTO documents VALUES ('default', ?)", [(sql_text(source),) for source in stored])
    condition = select_documents(Filter(sources=(pattern,)), db.dialect)
    found = db.fetch_rows(f"SELECT source FROM documents d WHERE {condition.sql}", *condition.parameters)
    db.close()
    expected = [s for s in stored if s == pattern or s.startswith(list_prefixes(pattern))]
    assert {source for (source,) in found} == {sql_text(source) for source in expected}
