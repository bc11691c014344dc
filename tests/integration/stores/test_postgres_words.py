"""Searching by words on PostgreSQL: the best chunks exactly, scored as in the embedded store, and words counted rightly."""

import random
import sys
import threading
from itertools import count
from pathlib import Path

import psycopg
import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from psycopg import sql

from ascertain.core.asking.passages import Filter
from ascertain.core.settings import StoreSettings
from ascertain.stores.postgres.connections import Connections
from ascertain.stores.postgres.words import counts
from ascertain.stores.registry import open_store

sys.path.insert(0, str(Path(__file__).parents[2] / "contract"))

from ascertain.testing.store_documents import a_document, chunk_ids

VOCABULARY = [f"word{letter}{number}" for number in range(6) for letter in "abcdefghij"]
"""From common to rare."""

_numbers = count(1)


@pytest.fixture
def settings(backends):
    return backends("postgres").settings(f"words{next(_numbers)}")


@pytest.fixture
def store(settings, tmp_path):
    with_words = open_store(settings, tmp_path, "model-a", 8)
    yield with_words
    with_words.close()


@pytest.fixture
def counts_are_right(settings):
    """Whether what is noted of words is what the chunks contain."""
    connections = Connections(settings)

    def look():
        with connections.read() as db:
            return not counts.differ_from_chunks(db)

    yield look
    connections.close()


def some_text(chance):
    """Words drawn so that a few are in most texts and most are in few."""
    length = chance.choice((3, 12, 60, 150))
    return " ".join(VOCABULARY[min(int(chance.expovariate(0.08)), 59)] for _ in range(length))


def some_documents(number, seed=1):
    chance = random.Random(seed)
    return [
        a_document(
            f"/{'ab'[name % 2]}/{name}.md",
            tuple(dict.fromkeys(some_text(chance) for _ in range(4))),
            title=some_text(chance)[:40],
            tags=("rare",) if name % 50 == 0 else (),
        )
        for name in range(number)
    ]


@pytest.fixture(scope="module", params=[0.0, 0.7], ids=["text", "title and text"])
def twins(request, backends, tmp_path_factory):
    """The same documents on PostgreSQL and in the embedded store."""
    title_boost = {"title_boost": request.param}
    place = backends("postgres").settings(f"twins{next(_numbers)}", **title_boost)
    ours = open_store(place, tmp_path_factory.mktemp("ours"), "model-a", 8)
    theirs = open_store(StoreSettings(**title_boost), tmp_path_factory.mktemp("theirs"), "model-a", 8)
    for store in (ours, theirs):
        store.upsert(some_documents(300))
    yield ours, theirs
    ours.close()
    theirs.close()


WORDS = st.sampled_from(VOCABULARY)
TERMS = st.dictionaries(
    WORDS | st.builds('"{} {}"'.format, WORDS, WORDS) | st.builds("{}-{}".format, WORDS, WORDS),
    st.sampled_from((0.2, 1.0, 3.0)),
    min_size=1,
    max_size=9,
)
FILTERS = st.sampled_from((Filter(), Filter(sources=("/a",)), Filter(tags=("rare",)), Filter(sources=("/none",))))


@hypothesis_settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(terms=TERMS, filter=FILTERS, k=st.sampled_from((1, 3, 20, 200)))
def test_the_best_chunks_are_those_of_scoring_every_one(twins, terms, filter, k):
    ours, _ = twins
    everything = [chunk.id for chunk in ours.iterate_chunks(filter)]
    scores = ours.lexical_scores(terms, everything)
    expected = sorted(scores.items(), key=lambda item: (-item[1], item[0]))[:k]
    assert [(hit.chunk_id, hit.score) for hit in ours.lexical(terms, k, filter)] == expected


@hypothesis_settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(terms=TERMS, filter=FILTERS)
def test_scores_are_those_of_the_embedded_store(twins, terms, filter):
    ours, theirs = twins
    scores = {hit.chunk_id: hit.score for hit in ours.lexical(terms, 10_000, filter)}
    expected = {hit.chunk_id: hit.score for hit in theirs.lexical(terms, 10_000, filter)}
    assert scores == pytest.approx(expected, rel=1e-4)


@hypothesis_settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(terms=TERMS)
def test_frequencies_are_those_of_the_embedded_store(twins, terms):
    ours, theirs = twins
    assert ours.document_frequencies(list(terms)) == theirs.document_frequencies(list(terms))


def test_two_hundred_words_are_found_by_any_of_them(twins):
    ours, theirs = twins
    terms = {f"nowhere{number}": 1.0 for number in range(200)} | dict.fromkeys(VOCABULARY[20:], 1.0)
    hits = ours.lexical(terms, 10)
    assert [hit.score for hit in hits] == pytest.approx([hit.score for hit in theirs.lexical(terms, 10)], rel=1e-4)


def test_words_are_counted_through_changes_and_deletions(store, counts_are_right):
    documents = some_documents(12)
    store.upsert(documents)
    assert counts_are_right()
    assert store.document_frequencies(["worda0"])["worda0"] > 0
    store.upsert([a_document(one.document.source, ("other words", "altogether")) for one in documents[:5]])
    store.upsert(documents[:2])
    assert counts_are_right()
    store.delete(Filter(sources=("/a",)))
    assert counts_are_right()
    store.delete(Filter())
    assert counts_are_right()
    assert store.document_frequencies(["worda0", "altogether"]) == {"worda0": 0, "altogether": 0}
    assert store.lexical({"worda0": 1.0}, 5) == []


def test_writers_side_by_side_count_every_word(settings, store, tmp_path, counts_are_right):
    def write(name):
        own = open_store(settings, tmp_path, "model-a", 8)
        for number in range(40):
            own.upsert(
                [a_document(f"/{name}/{number}.md", (f"common words of {name}", some_text(random.Random(number))))]
            )
            if number % 4 == 0:
                own.delete(Filter(sources=(f"/{name}/{number // 2}.md",)))
        own.close()

    threads = [threading.Thread(target=write, args=(name,)) for name in "abc"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counts_are_right()
    assert store.document_frequencies(["common"])["common"] == sum(
        1 for chunk in store.iterate_chunks() if "common" in chunk.text
    )


def test_differences_are_folded_while_a_long_run_goes_on(settings, store, counts_are_right):
    with store.writing():
        for number in range(70):
            store.upsert([a_document(f"/{number}.md", (f"part {number}",))])
    with psycopg.connect(settings.url) as db:
        table = sql.Identifier(settings.name, "word_changes")
        assert db.execute(sql.SQL("SELECT count(*) FROM {}").format(table)).fetchone() == (1,)
    assert counts_are_right()
    assert store.document_frequencies(["part"]) == {"part": 70}


def test_words_changed_by_somebody_else_are_counted(settings, store, counts_are_right):
    store.upsert([a_document("/one.md", ("the old words",)), a_document("/two.md", ("two",))])
    with psycopg.connect(settings.url, autocommit=True) as db:
        db.execute(sql.SQL("SET search_path = pg_catalog"))
        chunks = sql.Identifier(settings.name, "chunks")
        db.execute(
            sql.SQL("UPDATE {} SET text_words = $$'new':1$$, length = 1 WHERE text = 'the old words'").format(chunks)
        )
        db.execute(sql.SQL("DELETE FROM {} WHERE text = 'two'").format(chunks))
    assert counts_are_right()
    assert store.document_frequencies(["new", "old", "two"]) == {"new": 1, "old": 0, "two": 0}
    assert len(store.lexical({"new": 1.0}, 5)) == 1


def test_wrong_counts_are_found_and_counted_anew(settings, store, counts_are_right):
    store.upsert(some_documents(5))
    with psycopg.connect(settings.url, autocommit=True) as db:
        db.execute(sql.SQL("UPDATE {} SET chunks = chunks + 1").format(sql.Identifier(settings.name, "word_counts")))
    assert not counts_are_right()
    assert any("word counts" in problem for problem in store.check().problems)
    store.check(repair=True)
    assert counts_are_right()
    assert store.check().problems == ()


def test_words_that_the_search_language_would_read_as_syntax(store):
    texts = ("a & b | c", "x <-> y", "it's \\ quoted", "⑴ and ⒈ in rings", "ℌ or (1) 'or'")
    store.upsert([a_document("/odd.md", texts)])
    for term in (*texts, "⑴", "⒈", "'", "\\", "!", "a:*", "a:A", '"b | c"'):
        assert store.document_frequencies([term]).keys() == {term}
        store.lexical({term: 1.0}, 5)
    assert len(store.lexical({"⑴": 1.0}, 5)) >= 1


def test_documents_carry_their_words(settings, store):
    store.upsert([a_document("/one.md", ("first text",), title="Some title")])
    with psycopg.connect(settings.url) as db:
        row = db.execute(
            sql.SQL("SELECT words::text FROM {}").format(sql.Identifier(settings.name, "documents"))
        ).fetchone()
    assert row == ("'first':3C 'some':1A 'text':4C 'titl':2A",)


def test_a_chunk_of_more_words_than_a_text_vector_has_places_for(store):
    long = " ".join(["again"] * 20_000 + ["last"])
    document = a_document("/long.md", (long, "short again"))
    store.upsert([document])
    assert [hit.chunk_id for hit in store.lexical({"last": 1.0}, 5)] == chunk_ids(document)[:1]
    assert len(store.lexical({"again": 1.0}, 5)) == 2
