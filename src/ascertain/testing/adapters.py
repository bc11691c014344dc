"""What every embedding model, reranker, checker of claims, format, news provider and source does."""

# pyright: basic

from pathlib import Path

import numpy as np
import pytest

from ascertain.core.asking.runs import Budget, Run
from ascertain.core.documents.documents import Document
from ascertain.core.errors import SourceError
from ascertain.core.system.plugins import FORMATS, list_plugins
from ascertain.documents.formats.reader import ReadOptions
from ascertain.documents.sources.files import read_path
from ascertain.documents.sources.news.ports import NewsQuery
from ascertain.models.ports import ClaimPair
from ascertain.testing.documents import check_document

TEXTS = ("Ada wrote the first program.", "rain", "", "naïve 東京 🦀", "lone \udc80 surrogate", "word " * 3000)
BUDGET = Budget(calls=100, tokens=100_000, seconds=60, usd=1)


class EmbedderContract:
    """Subclass it in a module of tests and give it a fixture ``embedder``."""

    def test_has_a_name_and_a_dimension(self, embedder):
        assert embedder.name
        assert embedder.dimension > 0

    def test_gives_a_unit_vector_for_each_text(self, embedder):
        vectors = embedder.embed_documents(TEXTS)
        assert vectors.shape == (len(TEXTS), embedder.dimension)
        assert vectors.dtype == np.float32
        assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(len(TEXTS)), abs=1e-3)

    def test_order_is_kept(self, embedder):
        there, back = embedder.embed_documents(TEXTS), embedder.embed_documents(TEXTS[::-1])
        assert (there * back[::-1]).sum(axis=1) == pytest.approx(np.ones(len(TEXTS)), abs=0.02)

    def test_no_texts_have_no_vectors(self, embedder):
        assert embedder.embed_documents([]).shape == (0, embedder.dimension)

    @pytest.mark.parametrize("text", TEXTS)
    def test_a_question_is_a_unit_vector(self, embedder, text):
        vector = embedder.embed_query(text)
        assert (vector.shape, vector.dtype) == ((embedder.dimension,), np.float32)
        assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-3)

    def test_a_text_is_nearest_to_itself(self, embedder):
        texts = TEXTS[:2]
        vectors = embedder.embed_documents(texts)
        assert [int(np.argmax(vectors @ embedder.embed_query(text))) for text in texts] == [0, 1]


class RerankerContract:
    """Subclass it in a module of tests and give it a fixture ``reranker``."""

    def test_scores_each_text_from_0_to_1_in_order(self, reranker):
        assert reranker.name
        scores = reranker.scores("Who wrote the first program?", TEXTS)
        assert len(scores) == len(TEXTS)
        assert all(0 <= score <= 1 for score in scores)
        assert reranker.scores("Who wrote the first program?", TEXTS[::-1]) == pytest.approx(scores[::-1], abs=0.02)

    def test_no_texts_have_no_scores(self, reranker):
        assert list(reranker.scores("anything?", [])) == []

    def test_what_answers_comes_before_what_does_not(self, reranker):
        answering, other = reranker.scores("Who wrote the first program?", TEXTS[:2])
        assert answering > other


class EntailmentContract:
    """Subclass it in a module of tests and give it a fixture ``entailment``."""

    def test_says_for_each_pair_how_far_it_is_supported(self, entailment):
        pairs = [ClaimPair(claim, evidence) for claim in TEXTS[:5] for evidence in TEXTS[:5]]
        found = entailment.check(pairs, Run(BUDGET))
        assert entailment.name
        assert len(found) == len(pairs)
        for support in found:
            assert support.entailed >= 0
            assert support.contradicted >= 0
            assert support.entailed + support.contradicted <= 1 + 1e-6

    def test_no_pairs_have_no_support(self, entailment):
        assert entailment.check([], Run(BUDGET)) == []

    def test_a_claim_is_supported_by_itself_rather_than_by_something_else(self, entailment):
        claim, other = TEXTS[:2]
        itself, else_ = entailment.check([ClaimPair(claim, claim), ClaimPair(claim, other)], Run(BUDGET))
        assert itself.entailed > else_.entailed


CUTS = (0.1, 0.5, 0.9)
OWN_ERRORS = (TypeError, AttributeError, NameError, AssertionError, NotImplementedError)
"""What damage in a file never raises in a reader that looks at what it has read."""


class FormatContract:
    """Subclass it in a module of tests and give it a fixture ``file``: one of the format, with its suffix."""

    def test_its_reader_is_installed(self, file):
        suffix = file.suffix.lower().removeprefix(".")
        assert suffix in list_plugins(FORMATS), f"no entry point of {FORMATS} is called {suffix!r}"

    def test_has_text_and_blocks_in_it(self, file):
        documents = list(read_path(file))
        assert documents
        for document in documents:
            check_document(document)

    def test_reads_the_same_again(self, file):
        assert list(read_path(file)) == list(read_path(file))

    def test_a_document_is_whose_the_options_say(self, file):
        for document in read_path(file, ReadOptions(tenant="acme", tags=("red",))):
            assert document.tenant == "acme"
            assert "red" in document.tags

    @pytest.mark.parametrize("share", CUTS)
    def test_a_damaged_file_is_read_or_refused_with_its_name(self, file, tmp_path, share):
        data = file.read_bytes()
        damaged = tmp_path / f"damaged{file.suffix}"
        damaged.write_bytes(data[: int(share * len(data))] + b"\xff\x00" * 20)
        try:
            assert all(document.text.strip() for document in read_path(damaged))
        except SourceError as error:
            assert str(error).startswith(damaged.name)
            # everything a reader raises becomes a refusal, including its own errors
            assert not isinstance(error.__cause__, OWN_ERRORS), repr(error.__cause__)


class NewsProviderContract:
    """Subclass it in a module of tests and give it fixtures ``provider`` and ``query``, which finds several articles."""

    def test_finds_articles_that_can_be_cited(self, provider, query):
        found = provider.search(query, 30)
        assert 0 < len(found) <= query.limit
        for article in found:
            assert article.url.startswith(("http://", "https://"))
            assert article.title.strip()
            assert article.provider == provider.name
            assert article.published_at is None or article.published_at.tzinfo is not None

    def test_finds_no_more_than_is_asked_for(self, provider, query):
        assert len(provider.search(NewsQuery(query.text, 1, language=query.language), 30)) == 1


class SourceContract:
    """Subclass it in a module of tests and give it a fixture ``source`` with a few items, none of which changes meanwhile."""

    def test_items_are_told_apart_for_good(self, source):
        first = [(item.id, item.version) for item in source.list_items()]
        assert len({identity for identity, _ in first}) == len(first) > 0
        assert [(item.id, item.version) for item in source.list_items()] == first

    def test_gives_each_item_when_it_is_its_turn(self, source):
        for item in source.list_items():
            content = source.read(item)
            assert isinstance(content, (bytes, str, Path)) or all(isinstance(each, Document) for each in content)
            assert content

    def test_says_of_an_item_what_can_be_stored(self, source):
        for item in source.list_items():
            assert item.published_at is None or item.published_at.tzinfo is not None
            assert item.address is None or item.address.startswith(("http://", "https://"))
            assert all(isinstance(text, str) and text for text in (*item.tags, *item.readers))

    def test_says_where_its_documents_are_and_whether_these_are_all(self, source):
        assert source.root
        list(source.list_items())
        assert isinstance(source.is_complete, bool)
        assert all(isinstance(note, str) for note in source.notes)

    def test_can_be_closed_twice(self, source):
        source.close()
        source.close()
