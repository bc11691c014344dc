"""What every chunk store finds, and for whom."""

# pyright: basic

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from ascertain.core.asking.passages import Filter
from ascertain.core.documents.documents import DocumentKind
from ascertain.core.errors import EmbeddingMismatch
from ascertain.testing.store_documents import (
    a_document,
    chunk_ids,
    found_by_meaning,
    found_by_words,
    sign_words,
    utc_moment,
    vector_of,
)


class SearchingContract:
    """Both legs of a search."""

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
        assert found_by_meaning(store, Filter()) == found_by_words(store, "part", Filter()) == set(chunk_ids(written))
        parent = written.chunks[0]
        assert store.get([parent.id]) == [parent]
        assert store.lexical_scores({"part": 1.0}, [parent.id]) == store.similarities(vector_of("x"), [parent.id]) == {}

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
        written = a_document(parts=("GPT-4 was released", "4 people met", "the e-mail arrived", "Tyler's view"))
        store.upsert([written])
        first, _, mail, tyler = chunk_ids(written)
        assert found_by_words(store, "gpt-4", Filter()) == {first}
        assert found_by_words(store, "e-mails", Filter()) == {mail}
        assert found_by_words(store, "Tyler", Filter()) == found_by_words(store, "Tyler’s", Filter()) == {tyler}

    def test_text_without_spaces_is_found_by_part_of_it(self, store):
        written = a_document(parts=("東京都庁は新宿区にあります。", "京都は古い都市です。"))
        store.upsert([written])
        assert found_by_words(store, "新宿", Filter()) == {written.chunks[0].id}
        assert store.lexical({"東京都庁": 1.0}, 1)[0].chunk_id == written.chunks[0].id

    @pytest.mark.parametrize(
        "term",
        ['"', '""', "AND", "body:x", "(((", "zz OR", "*", "[1 TO", "\\", "+-!", " ", "", "\ud800", "\0", "x" * 100_000],
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
    "language": Filter(languages=("de", "fr")),
    "from": Filter(published_from=utc_moment("2024-03-01")),
    "before": Filter(published_before=utc_moment("2024-03-02"), published_from=utc_moment("2024-02-01")),
    "conversation": Filter(conversation_id="talk"),
}


class FilterContract:
    """Each condition of a filter, alone and beside others."""

    @pytest.fixture
    def both(self, store):
        fitting = a_document(
            "/in/the folder/one.md",
            ("some words",),
            kind=DocumentKind.PAPER,
            tags=("red", "blue"),
            profile="papers",
            language="de",
            published_at=utc_moment("2024-03-01"),
            conversation_id="talk",
        )
        other = a_document("/information.md", ("other words",), tags=("red",), published_at=utc_moment("2024-01-31"))
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
        contradiction = Filter(tags=("blue",), published_before=utc_moment("2024-02-01"))
        assert found_by_meaning(store, contradiction) == found_by_words(store, "words", contradiction) == set()

    def test_the_end_of_a_period_is_excluded_and_its_start_included(self, store, both):
        fitting, _ = both
        start = utc_moment("2024-03-01")
        assert found_by_meaning(store, Filter(published_from=start)) == {fitting.chunks[0].id}
        assert fitting.chunks[0].id not in found_by_words(store, "words", Filter(published_before=start))

    def test_a_chunk_without_a_date_never_matches_a_date(self, store):
        store.upsert([a_document()])
        for filter in (
            Filter(published_from=utc_moment("0001-01-01")),
            Filter(published_before=utc_moment("9999-01-01")),
        ):
            assert found_by_meaning(store, filter) == found_by_words(store, "part", filter) == set()

    def test_filters_find_what_is_rare_in_a_large_store(self, store):
        many = [a_document(f"/many/{n}.md", (f"common words {n}",)) for n in range(300)]
        rare = a_document("/rare/one.md", ("common words rarely",))
        store.upsert([*many, rare])
        assert found_by_meaning(store, Filter(sources=("/rare",)), 1) == set(chunk_ids(rare))
        assert found_by_words(store, "common", Filter(sources=("/rare",)), 1) == set(chunk_ids(rare))

    @pytest.mark.parametrize("source", ["a.b+(c)[d]{e}^$|?\\", "50%_off", "ünï/cödé", "quo\"te's", "line\nbreak"])
    def test_no_source_is_syntax(self, store, source):
        one, other = a_document(f"{source}/1.md"), a_document("aXb/1.md")
        store.upsert([one, other])
        for pattern in (source, f"{source}/", f"{source}*", f"{source}/1.*"):
            filter = Filter(sources=(pattern,))
            assert found_by_meaning(store, filter) == found_by_words(store, "part", filter) == set(chunk_ids(one))

    def test_rows_of_a_table_belong_to_its_file(self, store):
        rows = [a_document(f"/news.csv#{n}", (f"row {n}",)) for n in range(3)]
        store.upsert([*rows, a_document("/news.csv.md", ("row other",))])
        assert found_by_words(store, "row", Filter(sources=("/news.csv",))) == set(chunk_ids(*rows))


class TenantContract:
    """No one sees what belongs to another."""

    def test_tenants_see_only_their_own(self, store):
        signature = sign_words([])
        mine = a_document("/same.md", ("shared words",), tenant="a", signature=signature)
        yours = a_document("/same.md", ("shared words",), tenant="b", signature=signature)
        store.upsert([mine, yours])
        for tenant, own in (("a", mine), ("b", yours)):
            filter = Filter(tenant=tenant)
            assert found_by_meaning(store, filter) == found_by_words(store, "shared", filter) == set(chunk_ids(own))
            assert [record.id for record in store.documents(filter)] == [own.document.id]
            assert list(store.known(tenant)) == [own.document.id]
            assert store.near_duplicates(signature, 0.9, tenant) == [(own.document.id, 1.0)]
            assert store.stats(tenant).documents == 1
        assert found_by_meaning(store, Filter()) == found_by_words(store, "shared", Filter()) == set()
        assert store.delete(Filter(tenant="a")) == 1
        assert found_by_meaning(store, Filter(tenant="b")) == set(chunk_ids(yours))
