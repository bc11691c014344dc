"""Whatever happened to a home, it answers like one that was filled with the same documents at once."""

import random
import shutil

import pytest

from ascertain.core.asking.passages import Filter
from ascertain.core.settings import StoreSettings
from ascertain.stores.registry import open_store
from ascertain.testing.store_documents import a_document, vector_of

WORDS = ("alpha", "beta", "gamma", "delta", "epsilon", "zeta")


class History:
    """Random operations on a home, and the documents that should be in it."""

    def __init__(self, home, seed):
        self.home = home
        self.chance = random.Random(seed)
        self.expected = {}
        self.store = self.open()

    def open(self):
        # A low limit, so that graphs are built, extended and rebuilt as well.
        return open_store(StoreSettings(exact_limit=60), self.home, "model-a", 8)

    def step(self):
        operation = self.chance.choices(
            (self.upsert, self.upsert_many, self.delete, self.reopen, self.lose_index, self.search, self.repair),
            (6, 2, 3, 2, 1, 3, 1),
        )[0]
        operation()

    def upsert(self, count=1):
        documents = [self.a_random_document() for _ in range(count)]
        self.store.upsert(documents)
        self.expected |= {document.document.id: document for document in documents}

    def upsert_many(self):
        with self.store.writing():
            self.upsert(self.chance.randint(2, 12))
            self.search()
            self.upsert(self.chance.randint(0, 3))

    def delete(self):
        tag = self.chance.choice(WORDS)
        self.store.delete(Filter(tags=(tag,)))
        self.expected = {name: d for name, d in self.expected.items() if tag not in d.document.tags}

    def reopen(self):
        self.store.close()
        self.store = self.open()

    def lose_index(self):
        self.store.close()
        shutil.rmtree(self.home / self.chance.choice(("lexical", "vectors")), ignore_errors=True)
        self.store = self.open()

    def search(self):
        self.store.dense(vector_of("x"), 5)
        self.store.lexical({"alpha": 1.0}, 5)

    def repair(self):
        assert self.store.check(repair=True).problems == ()

    def a_random_document(self):
        parts = tuple(
            " ".join(self.chance.choices(WORDS, k=self.chance.randint(1, 6))) + f" {self.chance.random()}"
            for _ in range(self.chance.randint(0, 6))
        )
        tags = tuple(self.chance.sample(WORDS, self.chance.randint(0, 1)))
        return a_document(f"/{self.chance.randint(0, 30)}.md", parts, tags=tags)


def assert_same(found, expected):
    for leg in ("meaning", "filtered"):
        one, other = found.pop(leg), expected.pop(leg)
        assert [hit.chunk_id for hit in one] == [hit.chunk_id for hit in other], leg
        # The last decimal may be rounded differently.
        assert [hit.score for hit in one] == pytest.approx([hit.score for hit in other], abs=2e-6)
    assert found == expected


def answers(store):
    return {
        "meaning": store.dense(vector_of("x"), 500),
        "filtered": store.dense(vector_of("y"), 10, Filter(sources=("/1*",))),
        "words": {hit.chunk_id for hit in store.lexical({"alpha": 1.0}, 500)},
        "filtered words": {hit.chunk_id for hit in store.lexical({"beta": 1.0}, 500, Filter(sources=("/1*",)))},
        "documents": {(r.id, r.content_hash, r.chunks) for r in store.documents()},
    }


@pytest.mark.parametrize("seed", range(6))
def test_any_history_gives_the_answers_of_a_store_filled_at_once(tmp_path, seed):
    history = History(tmp_path / "home", seed)
    for _ in range(25):
        history.step()
    fresh = open_store(StoreSettings(), tmp_path / "fresh", "model-a", 8)
    fresh.upsert(list(history.expected.values()))
    assert_same(answers(history.store), answers(fresh))
    assert history.store.check().problems == ()
    history.store.close()
    # Word scores depend on deleted chunks until an index is rebuilt; then they are the same as well.
    shutil.rmtree(history.home / "lexical")
    rebuilt = history.open()
    for word in WORDS:
        ranked = [(hit.chunk_id, pytest.approx(hit.score)) for hit in fresh.lexical({word: 1.0}, 500)]
        assert [(hit.chunk_id, hit.score) for hit in rebuilt.lexical({word: 1.0}, 500)] == ranked
    rebuilt.close()
    fresh.close()
