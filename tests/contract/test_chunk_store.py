"""What every chunk store must do, written against the port."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from datasketch import MinHash
from store_documents import (
    a_document,
    a_rich_document,
    chunk_ids,
    found_by_meaning,
    found_by_words,
    moment,
    vector_of,
)

from ascertain.core.documents import DocumentKind, DocumentState
from ascertain.core.errors import EmbeddingMismatch, StoreError
from ascertain.core.filters import Filter
from ascertain.core.profiling import CorpusProfile, DocumentProfile, DocumentType


def profiled(name, type, density=0.5, domains=(), **fields):
    profile = DocumentProfile(density, type, 0.75, domains)
    return a_document(name, document_profile=profile, **fields)


class TestCorpusProfile:
    def test_an_empty_store_has_none(self, store):
        assert store.corpus_profile() == CorpusProfile()
        assert store.stats().corpus == CorpusProfile()

    def test_is_derived_from_the_profiles_of_the_documents(self, store):
        documents = [
            profiled("/a.md", DocumentType.MANUAL, 0.25, ("software", "law")),
            profiled("/b.md", DocumentType.MANUAL, 0.75, ("software",), state=DocumentState.DUPLICATE),
            profiled("/c.md", DocumentType.FAQ, 0.5),
        ]
        store.upsert(documents)
        expected = CorpusProfile.of(document.document.document_profile for document in documents)
        assert store.corpus_profile() == store.stats().corpus == expected
        assert expected.types == {DocumentType.MANUAL: 2 / 3, DocumentType.FAQ: 1 / 3}
        assert expected.domains == {"software": 2 / 3, "law": 1 / 3}
        assert expected.technical_density == 0.5

    def test_leaves_out_what_has_no_profile_failed_or_belongs_to_another_tenant(self, store):
        kept = profiled("/a.md", DocumentType.FAQ)
        store.upsert([kept, a_document("/b.md"), profiled("/c.md", DocumentType.PATENT, tenant="other")])
        store.mark_failed(profiled("/d.md", DocumentType.MANUAL).document, "unreadable")
        assert store.corpus_profile() == CorpusProfile.of([kept.document.document_profile])
        assert store.corpus_profile("other").types == {DocumentType.PATENT: 1.0}

    def test_follows_changes_and_deletions(self, store):
        store.upsert([profiled("/a.md", DocumentType.FAQ), profiled("/b.md", DocumentType.LETTER)])
        store.upsert([profiled("/a.md", DocumentType.MANUAL)])
        assert set(store.corpus_profile().types) == {DocumentType.MANUAL, DocumentType.LETTER}
        store.delete(Filter(sources=("/b.md",)))
        assert store.corpus_profile().types == {DocumentType.MANUAL: 1.0}
        store.delete(Filter())
        assert store.corpus_profile() == CorpusProfile()

    def test_a_profile_does_not_make_a_document_another_one(self, store):
        plain, with_profile = a_document("/a.md"), profiled("/a.md", DocumentType.FAQ)
        assert plain.document.content_hash == with_profile.document.content_hash


class TestWritingAndReading:
    def test_gives_back_exactly_what_was_written(self, store, reopen):
        written = a_rich_document()
        store.upsert([written])
        again = reopen()
        assert again.document(written.document.id) == written.document
        assert again.get([chunk.id for chunk in written.chunks]) == list(written.chunks)

    def test_records_what_is_known_of_a_document(self, store):
        written = a_rich_document()
        store.upsert([written])
        [record] = store.documents(Filter(tenant="acme"))
        document = written.document
        assert (record.id, record.title, record.kind) == (document.id, document.title, document.kind)
        assert (record.source, record.content_hash) == (document.source, document.content_hash)
        assert (record.chunks, record.characters) == (2, len(document.text))
        assert (record.published_at, record.tags) == (document.published_at, document.tags)
        assert record.state is DocumentState.INDEXED
        assert record.document_profile == document.document_profile
        assert store.known("acme") == {document.id: document.content_hash}

    def test_keeps_unusual_characters(self, store):
        odd = a_document("/x/\udcff.md", ("nul \0 here", "emoji 👩‍👩‍👧 and \u202e right to left", "שלום"))
        store.upsert([odd])
        assert store.document(odd.document.id) == odd.document
        assert [chunk.text for chunk in store.get(chunk_ids(odd))] == [chunk.text for chunk in odd.chunks]
        assert found_by_words(store, "שלום", Filter()) == {odd.chunks[2].id}

    def test_gets_chunks_in_the_order_asked_and_leaves_out_unknown_ones(self, store):
        written = a_document(parts=("one", "two", "three"))
        store.upsert([written])
        one, two, three = chunk_ids(written)
        assert [chunk.id for chunk in store.get([three, "unknown", one, two])] == [three, one, two]

    def test_handles_thousands_of_ids_at_once(self, store):
        written = a_document(parts=tuple(f"part number {number}" for number in range(3000)))
        store.upsert([written])
        ids = chunk_ids(written)
        assert len(store.get([*ids, *(f"unknown-{number}" for number in range(40_000))])) == 3000
        assert len(store.similarities(vector_of("x"), ids)) == 3000
        assert len(store.lexical_scores({"part": 1.0}, ids)) == 3000
        assert found_by_meaning(store, Filter(chunk_ids=tuple(ids[:2000])), 3000) == set(ids[:2000])
        assert found_by_words(store, "part", Filter(chunk_ids=tuple(ids[:2000])), 3000) == set(ids[:2000])

    def test_an_empty_store_finds_nothing(self, store):
        assert store.dense(vector_of("x"), 10) == []
        assert store.lexical({"word": 1.0}, 10) == []
        assert store.similarities(vector_of("x"), ["a"]) == {}
        assert store.lexical_scores({"word": 1.0}, ["a"]) == {}
        assert store.document_frequencies(["word"]) == {"word": 0}
        assert (store.get(["a"]), store.documents(), store.known()) == ([], [], {})
        assert (list(store.iterate_chunks()), store.neighbours("a", 1, 1), store.document("a")) == (
            [],
            [],
            None,
        )
        assert store.vectors([]).shape == (0, 8)
        assert store.delete(Filter()) == 0
        assert store.check().problems == ()

    def test_a_document_without_chunks_is_listed(self, store):
        store.upsert([a_document(parts=())])
        assert [record.chunks for record in store.documents()] == [0]
        assert store.dense(vector_of("x"), 10) == []

    def test_replaces_a_document_as_a_whole(self, store):
        old = a_document(parts=("old words here", "kept words here"))
        new = a_document(parts=("new words here",))
        store.upsert([old])
        store.upsert([new])
        assert found_by_words(store, "words", Filter()) == set(chunk_ids(new))
        assert found_by_meaning(store, Filter()) == set(chunk_ids(new))
        assert found_by_words(store, "old", Filter()) == set()
        assert store.get([old.chunks[1].id]) == []
        assert store.stats().chunks == 1

    def test_the_last_of_two_versions_in_one_call_wins(self, store):
        store.upsert([a_document(parts=("earlier",)), a_document(parts=("later",))])
        assert [chunk.text for chunk in store.iterate_chunks()] == ["later"]

    def test_vectors_come_back_as_unit_vectors_in_the_order_asked(self, store):
        written = a_document(parts=("one", "two"))
        store.upsert([replace(written, vectors=written.vectors * 7)])
        one, two = chunk_ids(written)
        assert np.allclose(store.vectors([two, one]), [vector_of("two"), vector_of("one")], atol=1e-3)

    def test_a_vector_of_an_unknown_chunk_is_an_error(self, store):
        with pytest.raises(StoreError, match="nothing-such"):
            store.vectors(["nothing-such"])

    @pytest.mark.parametrize("vectors", [np.zeros((1, 8)), np.full((2, 8), np.nan)])
    def test_refuses_vectors_that_do_not_fit_the_chunks(self, store, vectors):
        with pytest.raises(StoreError, match=r"one\.md"):
            store.upsert([replace(a_document(), vectors=vectors.astype(np.float32))])
        assert store.documents() == []

    def test_nothing_of_a_call_is_written_when_one_document_is_bad(self, store):
        bad = replace(a_document("/bad.md"), vectors=np.zeros((1, 8), np.float32))
        with pytest.raises(StoreError):
            store.upsert([a_document("/good.md"), bad])
        assert store.documents() == []

    def test_further_calls_after_closing_are_refused(self, store):
        store.close()
        with pytest.raises(StoreError, match="closed"):
            store.documents()


class TestDeletingAndFailing:
    def test_deletes_what_the_filter_selects(self, store):
        one, two = a_document("/a/1.md"), a_document("/b/2.md")
        store.upsert([one, two])
        assert store.delete(Filter(sources=("/a",))) == 1
        assert (
            found_by_meaning(store, Filter())
            == found_by_words(store, "part", Filter())
            == set(chunk_ids(two))
        )
        assert store.document(one.document.id) is None

    def test_a_failed_document_is_listed_with_its_reason_and_not_known(self, store):
        store.mark_failed(a_document().document, "page 3 is unreadable")
        [record] = store.documents()
        assert (record.state, record.reason, record.chunks) == (
            DocumentState.FAILED,
            "page 3 is unreadable",
            0,
        )
        assert store.known() == {}

    def test_a_failure_leaves_the_earlier_version_searchable(self, store):
        written = a_document()
        store.upsert([written])
        store.mark_failed(written.document, "unreadable now")
        assert found_by_words(store, "first", Filter()) == {written.chunks[0].id}
        assert store.documents()[0].state is DocumentState.FAILED
        store.upsert([written])
        assert store.documents()[0].state is DocumentState.INDEXED

    def test_a_duplicate_becomes_the_original_when_that_is_deleted(self, store):
        first = a_document("/1.md")
        others = [
            a_document(f"/{n}.md", state=DocumentState.DUPLICATE, duplicate_of=first.document.id)
            for n in (2, 3)
        ]
        store.upsert([first, *others])
        store.delete(Filter(document_ids=(first.document.id,)))
        second, third = store.documents()
        assert (second.state, second.duplicate_of) == (DocumentState.INDEXED, None)
        assert (third.state, third.duplicate_of) == (DocumentState.DUPLICATE, second.id)


class TestSearching:
    def test_dense_orders_by_cosine(self, store):
        written = a_document(parts=tuple(f"part {number}" for number in range(50)))
        store.upsert([written])
        query = vector_of("a question")
        hits = store.dense(query, 10)
        true = sorted((-float(vector_of(c.text) @ query), c.id) for c in written.chunks)[:10]
        assert [hit.chunk_id for hit in hits] == [name for _, name in true]
        assert [hit.score for hit in hits] == pytest.approx([-score for score, _ in true], abs=2e-3)

    def test_dense_drops_what_is_under_the_floor(self, store):
        written = a_document(parts=tuple(f"part {number}" for number in range(50)))
        store.upsert([written])
        query = vector_of("part 3")
        assert [hit.chunk_id for hit in store.dense(query, 50, floor=0.99)] == [written.chunks[3].id]
        assert all(hit.score >= 0.2 for hit in store.dense(query, 50, floor=0.2))

    def test_similarities_are_those_of_dense(self, store):
        store.upsert([a_document(parts=tuple(f"part {number}" for number in range(50)))])
        query = vector_of("a question")
        hits = store.dense(query, 50)
        exact = store.similarities(query, [*(hit.chunk_id for hit in hits), "unknown"])
        assert exact == pytest.approx({hit.chunk_id: hit.score for hit in hits}, abs=1e-5)

    def test_a_query_of_another_length_is_refused(self, store):
        with pytest.raises(EmbeddingMismatch):
            store.dense(np.ones(9, np.float32), 1)

    def test_equal_scores_are_ordered_by_chunk_id_also_at_the_cut(self, store):
        documents = [a_document(f"/{number}.md", ("the same words",)) for number in range(60)]
        store.upsert(documents)
        expected = sorted(chunk_ids(*documents))
        assert [hit.chunk_id for hit in store.dense(vector_of("x"), 10)] == expected[:10]
        assert [hit.chunk_id for hit in store.lexical({"same": 1.0}, 10)] == expected[:10]

    @pytest.mark.parametrize("k", [0, -1])
    def test_nothing_is_found_when_nothing_is_asked_for(self, store, k):
        store.upsert([a_document()])
        assert store.dense(vector_of("x"), k) == store.lexical({"part": 1.0}, k) == []

    def test_parents_are_fetched_but_not_found(self, store):
        written = a_document(with_parent=True)
        store.upsert([written])
        assert (
            found_by_meaning(store, Filter())
            == found_by_words(store, "part", Filter())
            == set(chunk_ids(written))
        )
        parent = written.chunks[0]
        assert store.get([parent.id]) == [parent]
        assert (
            store.lexical_scores({"part": 1.0}, [parent.id])
            == store.similarities(vector_of("x"), [parent.id])
            == {}
        )

    def test_words_are_matched_by_stem_case_and_accent(self, store):
        written = a_document(parts=("The committees were RUNNING naïve tests",))
        store.upsert([written])
        for word in ("committee", "Runs", "naive", "testing"):
            assert found_by_words(store, word, Filter()) == set(chunk_ids(written)), word

    def test_the_heading_is_searched_with_the_text(self, store):
        written = a_document(parts=("some text",), heading="Photosynthesis › Light")
        store.upsert([written])
        assert found_by_words(store, "photosynthesis", Filter()) == set(chunk_ids(written))

    def test_weights_decide_between_words(self, store):
        written = a_document(parts=("apples apples", "pears pears"))
        store.upsert([written])
        apples, pears = chunk_ids(written)
        assert [hit.chunk_id for hit in store.lexical({"apples": 2.0, "pears": 1.0}, 2)] == [apples, pears]
        assert [hit.chunk_id for hit in store.lexical({"apples": 1.0, "pears": 2.0}, 2)] == [pears, apples]
        assert [hit.chunk_id for hit in store.lexical({"apples": 1.0, "pears": 0.0}, 2)] == [apples]

    def test_a_quoted_phrase_matches_its_words_in_order_only(self, store):
        written = a_document(parts=("machine learning is", "learning a machine"))
        store.upsert([written])
        assert found_by_words(store, '"machine learning"', Filter()) == {written.chunks[0].id}

    def test_a_word_of_several_tokens_matches_as_a_whole(self, store):
        written = a_document(
            parts=("GPT-4 was released", "4 people met", "the e-mail arrived", "Tyler's view")
        )
        store.upsert([written])
        first, _, mail, tyler = chunk_ids(written)
        assert found_by_words(store, "gpt-4", Filter()) == {first}
        assert found_by_words(store, "e-mails", Filter()) == {mail}
        assert (
            found_by_words(store, "Tyler", Filter()) == found_by_words(store, "Tyler’s", Filter()) == {tyler}
        )

    def test_text_without_spaces_is_found_by_part_of_it(self, store):
        written = a_document(parts=("東京都庁は新宿区にあります。", "京都は古い都市です。"))
        store.upsert([written])
        assert found_by_words(store, "新宿", Filter()) == {written.chunks[0].id}
        assert store.lexical({"東京都庁": 1.0}, 1)[0].chunk_id == written.chunks[0].id

    @pytest.mark.parametrize(
        "term",
        [
            '"',
            '""',
            "AND",
            "body:x",
            "(((",
            "zz OR",
            "*",
            "[1 TO",
            "\\",
            "+-!",
            " ",
            "",
            "\ud800",
            "\0",
            "x" * 100_000,
        ],
    )
    def test_no_text_of_a_user_is_syntax(self, store, term):
        store.upsert([a_document()])
        assert store.lexical({term: 1.0}, 10) == []
        assert store.document_frequencies([term]) == {term: 0}
        assert store.lexical_scores({term: 1.0}, chunk_ids(a_document())) == {}

    def test_lexical_scores_are_on_the_scale_of_lexical(self, store):
        written = a_document(parts=tuple(f"word {'rare ' * (n % 3)} text {n}" for n in range(40)))
        store.upsert([written])
        terms = {"rare": 1.0, "word": 0.5}
        hits = {hit.chunk_id: hit.score for hit in store.lexical(terms, 40)}
        ids = chunk_ids(written)
        assert store.lexical_scores(terms, ids) == pytest.approx(hits)
        assert store.lexical_scores(terms, ids[:3]) == pytest.approx({name: hits[name] for name in ids[:3]})
        assert store.lexical_scores({"rare": 1.0}, [ids[0], "unknown"]) == {}

    def test_counts_in_how_many_chunks_a_term_occurs(self, store):
        store.upsert([a_document(parts=("one fish", "two fish", "red fishes fish"))])
        asked = ["fish", "RED", "blue", '"two fish"']
        assert store.document_frequencies(asked) == {"fish": 3, "RED": 1, "blue": 0, '"two fish"': 1}


FILTERS = {
    "document": Filter(document_ids=("DOCUMENT",)),
    "chunk": Filter(chunk_ids=("CHUNK", "unknown")),
    "kind": Filter(kinds=(DocumentKind.PAPER, DocumentKind.TRANSCRIPT)),
    "source": Filter(sources=("/in/the folder/one.md",)),
    "folder": Filter(sources=("/in",)),
    "folder with slash": Filter(sources=("/in/",)),
    "glob": Filter(sources=("/in/the fol*", "/nowhere")),
    "tag": Filter(tags=("blue", "unused")),
    "profile": Filter(profiles=("papers",)),
    "from": Filter(published_from=moment("2024-03-01")),
    "before": Filter(published_before=moment("2024-03-02"), published_from=moment("2024-02-01")),
    "conversation": Filter(conversation_id="talk"),
}


class TestFilters:
    @pytest.fixture
    def both(self, store):
        fitting = a_document(
            "/in/the folder/one.md",
            ("some words",),
            kind=DocumentKind.PAPER,
            tags=("red", "blue"),
            profile="papers",
            published_at=moment("2024-03-01"),
            conversation_id="talk",
        )
        other = a_document(
            "/information.md", ("other words",), tags=("red",), published_at=moment("2024-01-31")
        )
        store.upsert([fitting, other])
        return fitting, other

    def concrete(self, filter, fitting):
        ids = {"DOCUMENT": fitting.document.id, "CHUNK": fitting.chunks[0].id}
        return replace(
            filter,
            document_ids=tuple(ids.get(name, name) for name in filter.document_ids),
            chunk_ids=tuple(ids.get(name, name) for name in filter.chunk_ids),
        )

    @pytest.mark.parametrize("name", FILTERS)
    def test_each_condition_alone(self, store, both, name):
        self.check_selects_first(store, both, FILTERS[name])

    @pytest.mark.parametrize("names", list(pairwise(FILTERS)))
    def test_conditions_together(self, store, both, names):
        merged = replace(FILTERS[names[0]])
        for field in Filter.__slots__:
            value = getattr(FILTERS[names[1]], field)
            if value != getattr(Filter(), field):
                merged = replace(merged, **{field: value})
        self.check_selects_first(store, both, merged)

    def check_selects_first(self, store, both, filter):
        fitting, other = both
        concrete = self.concrete(filter, fitting)
        assert found_by_meaning(store, concrete) == {fitting.chunks[0].id}
        assert found_by_words(store, "words", concrete) == {fitting.chunks[0].id}
        assert [record.id for record in store.documents(concrete)] == [fitting.document.id]
        assert [chunk.id for chunk in store.iterate_chunks(concrete)] == [fitting.chunks[0].id]
        assert store.delete(concrete) == 1
        assert found_by_meaning(store, Filter()) == {other.chunks[0].id}

    def test_all_conditions_must_hold(self, store, both):
        contradiction = Filter(tags=("blue",), published_before=moment("2024-02-01"))
        assert (
            found_by_meaning(store, contradiction) == found_by_words(store, "words", contradiction) == set()
        )

    def test_the_end_of_a_period_is_excluded_and_its_start_included(self, store, both):
        fitting, _ = both
        start = moment("2024-03-01")
        assert found_by_meaning(store, Filter(published_from=start)) == {fitting.chunks[0].id}
        assert fitting.chunks[0].id not in found_by_words(store, "words", Filter(published_before=start))

    def test_a_chunk_without_a_date_never_matches_a_date(self, store):
        store.upsert([a_document()])
        for filter in (
            Filter(published_from=moment("0001-01-01")),
            Filter(published_before=moment("9999-01-01")),
        ):
            assert found_by_meaning(store, filter) == found_by_words(store, "part", filter) == set()

    def test_filters_find_what_is_rare_in_a_large_store(self, store):
        many = [a_document(f"/many/{n}.md", (f"common words {n}",)) for n in range(300)]
        rare = a_document("/rare/one.md", ("common words rarely",))
        store.upsert([*many, rare])
        assert found_by_meaning(store, Filter(sources=("/rare",)), 1) == set(chunk_ids(rare))
        assert found_by_words(store, "common", Filter(sources=("/rare",)), 1) == set(chunk_ids(rare))

    @pytest.mark.parametrize(
        "source", ["a.b+(c)[d]{e}^$|?\\", "50%_off", "ünï/cödé", "quo\"te's", "line\nbreak"]
    )
    def test_no_source_is_syntax(self, store, source):
        one, other = a_document(f"{source}/1.md"), a_document("aXb/1.md")
        store.upsert([one, other])
        for pattern in (source, f"{source}/", f"{source}*", f"{source}/1.*"):
            filter = Filter(sources=(pattern,))
            assert (
                found_by_meaning(store, filter)
                == found_by_words(store, "part", filter)
                == set(chunk_ids(one))
            )

    def test_rows_of_a_table_belong_to_its_file(self, store):
        rows = [a_document(f"/news.csv#{n}", (f"row {n}",)) for n in range(3)]
        store.upsert([*rows, a_document("/news.csv.md", ("row other",))])
        assert found_by_words(store, "row", Filter(sources=("/news.csv",))) == set(chunk_ids(*rows))


class TestTenants:
    def test_tenants_see_only_their_own(self, store):
        signature = MinHash(128).hashvalues.tobytes()
        mine = a_document("/same.md", ("shared words",), tenant="a", signature=signature)
        yours = a_document("/same.md", ("shared words",), tenant="b", signature=signature)
        store.upsert([mine, yours])
        for tenant, own in (("a", mine), ("b", yours)):
            filter = Filter(tenant=tenant)
            assert (
                found_by_meaning(store, filter)
                == found_by_words(store, "shared", filter)
                == set(chunk_ids(own))
            )
            assert [record.id for record in store.documents(filter)] == [own.document.id]
            assert list(store.known(tenant)) == [own.document.id]
            assert store.near_duplicates(signature, 0.9, tenant) == [(own.document.id, 1.0)]
            assert store.stats(tenant).documents == 1
        assert found_by_meaning(store, Filter()) == found_by_words(store, "shared", Filter()) == set()
        assert store.delete(Filter(tenant="a")) == 1
        assert found_by_meaning(store, Filter(tenant="b")) == set(chunk_ids(yours))


class TestAround:
    @pytest.mark.parametrize(
        ("centre", "before", "after", "expected"),
        [
            (2, 1, 1, [1, 2, 3]),
            (0, 2, 1, [0, 1]),
            (4, 1, 3, [3, 4]),
            (2, 0, 0, [2]),
            (2, 9, 9, [0, 1, 2, 3, 4]),
        ],
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
                a_document("/1.md", published_at=moment("2024-01-01")),
                a_document(
                    "/2.md", kind=DocumentKind.PAPER, profile="papers", published_at=moment("2025-01-01")
                ),
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
        def signature(words):
            minhash = MinHash(128)
            minhash.update_batch([str(word).encode() for word in words])
            return minhash.hashvalues.tobytes()

        same, close, far = signature(range(100)), signature(range(5, 100)), signature(range(500, 600))
        documents = [
            a_document(f"/{name}.md", signature=value)
            for name, value in (("close", close), ("far", far), ("same", same))
        ]
        store.upsert(documents)
        found = store.near_duplicates(signature(range(100)), 0.8)
        assert [name for name, _ in found] == [documents[2].document.id, documents[0].document.id]
        assert found[0][1] == 1.0
        assert 0.8 <= found[1][1] < 1.0


class TestModels:
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
