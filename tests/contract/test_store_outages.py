"""A server that goes away and comes back. Only stores on servers can be asked."""

import pytest

from ascertain.core.asking.passages import Filter
from ascertain.core.errors import StoreError
from ascertain.stores.registry import embedding_of, open_store
from ascertain.testing.store_documents import a_document, chunk_ids, found_by_meaning, found_by_words

OPERATIONS = {
    "words": lambda store: store.lexical({"part": 1.0}, 5),
    "meaning": lambda store: found_by_meaning(store, Filter()),
    "counting": lambda store: store.count(),
    "listing": lambda store: store.documents(),
    "writing": lambda store: store.upsert([a_document("/while-away.md")]),
    "deleting": lambda store: store.delete(Filter(sources=("/one.md",))),
}


@pytest.fixture
def place(own_server, tmp_path):
    return own_server.settings("outage", timeout_seconds=5), tmp_path / "home"


def test_what_fails_while_the_server_is_away_works_when_it_is_back(own_server, place):
    store = open_store(*place, "model-a", 8)
    one = a_document("/one.md")
    store.upsert([one])
    own_server.stop()
    failed = []
    for name, operation in OPERATIONS.items():
        try:
            operation(store)
        except StoreError as error:
            assert str(error)
            failed.append(name)
    # A store with a record of its own may go on with what needs only that; meaning needs the server in every one.
    assert "meaning" in failed
    own_server.start()
    expected = set(chunk_ids(one)) if "deleting" in failed else set()
    expected |= set() if "writing" in failed else set(chunk_ids(a_document("/while-away.md")))
    assert found_by_meaning(store, Filter()) == found_by_words(store, "part", Filter()) == expected
    two = a_document("/two.md")
    store.upsert([two])
    assert found_by_meaning(store, Filter()) == expected | set(chunk_ids(two))
    assert store.check().problems == ()
    store.close()


def test_a_server_that_is_away_is_named_without_its_password(own_server, place):
    settings, home = place
    open_store(settings, home, "model-a", 8).close()
    own_server.stop()
    for attempt in (
        lambda: found_by_meaning(open_store(settings, home, "model-a", 8), Filter()),
        lambda: open_store(settings, home.parent / "new", "model-a", 8),
    ):
        with pytest.raises(StoreError) as caught:
            attempt()
        assert settings.url and "secret" not in str(caught.value)
    own_server.start()
    assert embedding_of(settings, home) == ("model-a", 8)
