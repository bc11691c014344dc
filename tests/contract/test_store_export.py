"""Any text, out of one store and into another; ``ascertain.testing`` has the rest."""

from itertools import count

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ascertain.core.asking.passages import Filter
from ascertain.stores.registry import open_store
from ascertain.testing.store_documents import a_document

names = count()


@pytest.fixture
def second(backend, tmp_path):
    """Another empty store of the same kind."""
    store = open_store(backend.settings(f"second{next(names)}"), tmp_path / "second", "model-a", 8)
    yield store
    store.close()


TEXT = st.text(st.characters(), max_size=20)
NAME = st.text(st.characters(), min_size=1, max_size=20)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    parts=st.lists(NAME, min_size=1, max_size=4).map(tuple),
    fields=st.fixed_dictionaries(
        {
            "source": NAME,
            "title": TEXT,
            "heading": TEXT,
            "author": st.none() | TEXT,
            "tags": st.lists(NAME, unique=True, max_size=3).map(tuple),
            "tenant": NAME,
        }
    ),
)
def test_any_text_comes_back_to_the_character(store, second, parts, fields):
    document = a_document(parts=parts, **fields)
    identity, tenant = document.document.id, fields["tenant"]
    store.upsert([document])
    second.upsert(store.export([identity]))
    [found] = second.export([identity])
    assert found.document == document.document
    assert list(found.chunks) == list(document.chunks)
    assert second.document(identity) == document.document
    by_source = second.documents(Filter(sources=(fields["source"],), tenant=tenant))
    assert [record.id for record in by_source] == [identity]
    for each in (store, second):
        assert each.delete(Filter(tenant=tenant)) == 1
