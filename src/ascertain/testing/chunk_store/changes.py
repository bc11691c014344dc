"""Fingerprints, what lies around a chunk, and another embedding model."""

# pyright: basic

import random
from dataclasses import replace

import numpy as np
import pytest

from ascertain.core.asking.passages import OWN, Filter
from ascertain.core.documents.documents import DocumentKind
from ascertain.core.errors import EmbeddingMismatch, StoreError
from ascertain.stores.records.encoding import format_fingerprint, version_number
from ascertain.testing.store_documents import a_document, chunk_ids, sign_words, utc_moment, vector_of

FILTERS = (
    Filter(),
    Filter(within=(OWN,)),
    Filter(within=(OWN, "talk")),
    Filter(within=("talk",)),
    Filter(within=()),
    Filter(conversation_id="talk"),
    Filter(tags=("red",)),
    Filter(sources=("/a",)),
    Filter(kinds=(DocumentKind.PAPER,), within=(OWN,)),
    Filter(tenant="acme"),
    Filter(tenant="nobody"),
)

SOURCES = ("/a/1", "/a/2", "/b/1", "/a/lone\udc80")


def random_document(choose):
    parts = tuple(f"part {choose.randint(0, 2)}" for _ in range(choose.randint(0, 2)))
    return a_document(
        choose.choice(SOURCES),
        tuple(f"{place} {part}" for place, part in enumerate(parts)),
        conversation_id=choose.choice((None, None, "talk", "other")),
        tenant=choose.choice(("default", "default", "acme")),
        tags=choose.choice(((), ("red",))),
        kind=choose.choice((DocumentKind.PROSE, DocumentKind.PAPER)),
    )


def find_searchable(store, filter):
    """What a search can find, by what it was made from."""
    owners = {chunk.document_id for chunk in store.iterate_chunks(filter)}
    return frozenset((record.id, record.content_hash) for record in store.documents(filter) if record.id in owners)


def change_store(store, choose):
    match choose.randint(0, 5):
        case 0:
            store.delete(Filter(sources=(choose.choice(SOURCES),), tenant=choose.choice(("default", "acme"))))
        case 1:
            store.mark_failed(random_document(choose).document, "unreadable")
        case 2:
            store.upsert([random_document(choose) for _ in range(3)])
        case _:
            store.upsert([random_document(choose)])


class FingerprintContract:
    """Fingerprints that show changes."""

    @pytest.mark.parametrize("seed", range(3))
    def test_equal_exactly_when_the_same_can_be_found(self, store, seed):
        choose = random.Random(seed)
        by_fingerprint, by_found = {}, {}
        for _ in range(12):
            change_store(store, choose)
            for filter in FILTERS:
                fingerprint, documents = store.fingerprint(filter), find_searchable(store, filter)
                assert by_fingerprint.setdefault(fingerprint, documents) == documents, filter
                assert by_found.setdefault(documents, fingerprint) == fingerprint, filter

    def test_does_not_hang_on_the_order_of_writing_nor_on_the_process(self, store, reopen):
        documents = [a_document(source) for source in SOURCES]
        store.upsert(documents)
        before = store.fingerprint()
        for document in reversed(documents):
            store.upsert([document])
            assert store.fingerprint() == before
        assert reopen().fingerprint() == before
        store.delete(Filter())
        store.upsert(documents[::-1])
        assert store.fingerprint() == before

    def test_chunks_that_are_named_select_their_documents(self, store):
        one, other = a_document("/a/1"), a_document("/a/2")
        store.upsert([one, other])
        named = Filter(chunk_ids=(one.chunks[0].id,))
        assert store.fingerprint(named) == store.fingerprint(Filter(document_ids=(one.document.id,)))
        before = store.fingerprint(named)
        store.upsert([a_document("/a/2", ("another text",))])
        assert store.fingerprint(named) == before
        store.upsert([replace(one, document=replace(one.document, title="another title"))])
        assert store.fingerprint(named) != before

    def test_every_store_gives_the_same(self, store):
        documents = [a_document(source) for source in SOURCES]
        store.upsert(documents)
        versions = [version_number(each.document.id, each.document.content_hash) for each in documents]
        assert store.fingerprint() == format_fingerprint(sum(versions))


class AroundContract:
    """Neighbours, streams, figures, likeness."""

    @pytest.mark.parametrize(
        ("centre", "before", "after", "expected"),
        [(2, 1, 1, [1, 2, 3]), (0, 2, 1, [0, 1]), (4, 1, 3, [3, 4]), (2, 0, 0, [2]), (2, 9, 9, [0, 1, 2, 3, 4])],
    )
    def test_neighbours_stop_at_the_edges(self, store, centre, before, after, expected):
        written = a_document(parts=tuple(f"part {n}" for n in range(5)), with_parent=True)
        store.upsert([written, a_document("/other.md")])
        found = store.neighbours(chunk_ids(written)[centre], before, after)
        assert [chunk.index for chunk in found] == expected
        assert {chunk.document_id for chunk in found} == {written.document.id}

    def test_chunks_are_iterated_by_document_in_order(self, store):
        documents = [a_document(f"/{n}.md", ("a", "b", "c"), with_parent=True) for n in range(3)]
        store.upsert(documents)
        assert [chunk.id for chunk in store.iterate_chunks()] == chunk_ids(*documents)

    def test_stats_count_by_kind_profile_and_state(self, store):
        store.upsert(
            [
                a_document("/1.md", published_at=utc_moment("2024-01-01")),
                a_document("/2.md", kind=DocumentKind.PAPER, profile="papers", published_at=utc_moment("2025-01-01")),
            ]
        )
        store.mark_failed(a_document("/3.md").document, "broken")
        stats = store.stats()
        assert (stats.documents, stats.chunks) == (2, 4)
        assert (stats.by_kind, stats.by_profile) == ({"prose": 1, "paper": 1}, {"docs": 1, "papers": 1})
        assert stats.by_state == {"indexed": 2, "failed": 1}
        assert (stats.embedding_model, stats.dimension) == ("model-a", 8)
        assert (stats.earliest[:10], stats.latest[:10]) == ("2024-01-01", "2025-01-01")
        assert stats.bytes_on_disk > 0

    def test_near_duplicates_are_ranked_by_similarity(self, store):
        same, close, far = sign_words(range(100)), sign_words(range(5, 100)), sign_words(range(500, 600))
        documents = [
            a_document(f"/{name}.md", signature=value)
            for name, value in (("close", close), ("far", far), ("same", same))
        ]
        store.upsert(documents)
        found = store.near_duplicates(sign_words(range(100)), 0.8)
        assert [name for name, _ in found] == [documents[2].document.id, documents[0].document.id]
        assert found[0][1] == 1.0
        assert 0.8 <= found[1][1] < 1.0


class ModelContract:
    """Another embedding model."""

    @pytest.mark.parametrize(("model", "dimension"), [("model-b", 8), ("model-a", 16)])
    def test_another_model_or_dimension_is_refused_with_the_remedy(self, store, reopen, model, dimension):
        store.upsert([a_document()])
        with pytest.raises(EmbeddingMismatch, match=f"model-a.*8.*{model}.*{dimension}.*ascertain reindex"):
            reopen(model, dimension)

    def test_vectors_of_another_dimension_are_refused(self, store):
        with pytest.raises(EmbeddingMismatch):
            store.upsert([a_document(dimension=16)])

    def test_an_empty_store_takes_any_model(self, store, reopen):
        store.close()
        assert reopen("model-b", 16).stats().embedding_model == "model-b"

    def test_reembedding_switches_when_it_is_complete(self, store, reopen):
        written = [a_document(f"/{n}.md", (f"part {n}", f"more {n}")) for n in range(5)]
        store.upsert(written)
        with store.reembed("model-b", 16) as work:
            for batch in work.pending(3):
                work.put([c.id for c in batch], np.array([vector_of(c.text, 16) for c in batch]))
                assert store.dense(vector_of("part 3"), 1)[0].score == pytest.approx(1, abs=1e-2)
            assert work.total == 0
        assert store.dense(vector_of("part 3", 16), 1)[0].chunk_id == written[3].chunks[0].id
        store.close()
        assert reopen("model-b", 16).dense(vector_of("more 2", 16), 1)[0].chunk_id == written[2].chunks[1].id
        with pytest.raises(EmbeddingMismatch):
            reopen("model-a", 8)

    def test_interrupted_reembedding_is_taken_up_where_it_stopped(self, store, reopen):
        store.upsert([a_document(parts=tuple(f"part {n}" for n in range(10)))])
        with pytest.raises(KeyboardInterrupt), store.reembed("model-b", 16) as work:
            batch = next(iter(work.pending(4)))
            work.put([c.id for c in batch], np.array([vector_of(c.text, 16) for c in batch]))
            raise KeyboardInterrupt
        assert store.dense(vector_of("part 3"), 1)[0].score == pytest.approx(1, abs=1e-2)
        store.close()
        again = reopen()
        with again.reembed("model-b", 16) as work:
            assert work.total == 6
            for batch in work.pending(100):
                work.put([c.id for c in batch], np.array([vector_of(c.text, 16) for c in batch]))
        assert again.stats().embedding_model == "model-b"

    def test_an_incomplete_reembedding_changes_nothing(self, store):
        store.upsert([a_document()])
        with pytest.raises(StoreError, match="2 chunks"), store.reembed("model-b", 16):
            pass
        assert store.stats().embedding_model == "model-a"
