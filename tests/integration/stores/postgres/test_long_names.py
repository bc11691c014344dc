"""Names longer than PostgreSQL puts into an index."""

import random
import string

import pytest

from ascertain.core.asking.passages import Filter
from ascertain.core.errors import StoreError
from ascertain.testing.store_documents import a_document, chunk_ids, found_by_meaning


def a_name(length, seed=1):
    """Random, so that compression does not make it shorter."""
    return "".join(random.Random(seed).choices(string.ascii_letters + "é数\ufdd0\0", k=length))


@pytest.fixture
def store(reopen):
    return reopen()


def test_long_sources_are_told_apart_and_found_by_any_prefix(store):
    folder = f"/{a_name(450)}/{a_name(3000, 2)}"
    one, two = a_document(f"{folder}/1.md"), a_document(f"{folder}/2.md")
    cut, other = a_document(f"{folder}"[:420]), a_document(f"/{a_name(5000, 3)}")
    store.upsert([one, two, cut, other])
    both = {*chunk_ids(one), *chunk_ids(two)}
    for sources, expected in (
        ((one.document.source,), set(chunk_ids(one))),
        ((folder,), both),
        ((f"{folder}/*",), both),
        ((folder[:451],), both),
        ((folder[:100] + "*",), both | set(chunk_ids(cut))),
        ((folder[:420],), set(chunk_ids(cut))),
        ((folder[:419] + "*",), both | set(chunk_ids(cut))),
        ((folder[:421] + "*", other.document.source), both | set(chunk_ids(other))),
        (("*",), both | {*chunk_ids(cut), *chunk_ids(other)}),
        ((folder + "x",), set()),
    ):
        assert found_by_meaning(store, Filter(sources=sources)) == expected, len(sources[0])


def test_long_tags_are_told_apart(store):
    tags = [a_name(3000) + end for end in ("", "a", "b")]
    documents = [a_document(f"/{number}.md", tags=(tag, "short")) for number, tag in enumerate(tags)]
    store.upsert(documents)
    for document, tag in zip(documents, tags, strict=True):
        assert [record.tags for record in store.documents(Filter(tags=(tag,)))] == [(tag, "short")]
        assert found_by_meaning(store, Filter(tags=(tag,))) == set(chunk_ids(document))
    assert len(store.documents(Filter(tags=("short",)))) == 3


@pytest.mark.parametrize("field", ["tenant", "profile", "conversation_id"])
def test_other_names_may_have_a_thousand_bytes_and_are_refused_beyond(store, field):
    longest = a_document(**{field: "x" + a_name(340)})
    store.upsert([longest])
    assert store.document(longest.document.id) == longest.document
    with pytest.raises(StoreError, match=r"one\.md.*2,000 bytes"):
        store.upsert([a_document(**{field: "x" * 2000})])
    with pytest.raises(StoreError, match="2,000 bytes"):
        store.mark_failed(a_document(**{field: "x" * 2000}).document, "unreadable")
