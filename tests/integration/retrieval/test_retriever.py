"""Retrieval over several passes on the real store with the real embedding model."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from ascertain.core.asking.passages import Filter, Strategy
from ascertain.core.asking.plans import SubQuery, SubQueryType, Variant
from ascertain.core.asking.runs import Budget, Run, SystemClock
from ascertain.core.documents.documents import Document, DocumentKind, document_id
from ascertain.core.settings import IngestSettings, ModelSettings, RetrievalSettings, StoreSettings
from ascertain.documents.ingest.pipeline import Ingestor
from ascertain.language.languages import ENGLISH
from ascertain.models.registry import open_embedder
from ascertain.retrieval.search.retriever import BEAM, MAX_PARTS, ROUNDS, RetrievalRequest, Retriever
from ascertain.retrieval.search.searcher import Searcher
from ascertain.stores.registry import open_store

QUESTION = "In which town was the founder of the Lumen Observatory born?"
DOCUMENTS = {
    "Lumen Observatory": "The Lumen Observatory is a telescope on a hill. It was founded in 1911 by Ada Kestrel.",
    "Ada Kestrel": "Kestrel, a physicist and mountaineer, grew up in Brackwater, the daughter of a miller.",
    "Brackwater": "A mill and a market stand at the river, and people cross it by ferry.",
    "Observatories": "An observatory houses telescopes and stands far from the lights of a town.",
    "Founders": "A founder is whoever begins something, such as a company or a school.",
    "Towns": "Every town was founded by someone. People born in a town may vote in it.",
    "Telescopes": "A telescope gathers light with a mirror. The first observatory mirror was made of metal.",
    "Bread": "Bread is baked from flour, water and salt, and rises overnight.",
    "Ships": "A ship is named before it is launched, often after a person.",
}
RECIPES = {f"Recipe {n}": f"Stir {n} spoons of flour into the dough and bake it." for n in range(40)}
"""A name says more the more there is that does not hold it."""
SETTINGS = RetrievalSettings(candidates=4)
"""Fewer candidates than documents, so that a first search does not see them all."""


def a_document(title, text):
    return Document(
        id=document_id(title), text=text, title=title, kind=DocumentKind.PROSE, source=f"{title}.txt", profile="docs"
    )  # fmt: skip


class WatchedStore:
    """The real store, counting what is asked of it."""

    def __init__(self, store):
        self._store = store
        self.fetched = Counter()
        self.searches = []

    def __getattr__(self, name):
        return getattr(self._store, name)

    def get(self, chunk_ids):
        self.fetched.update(chunk_ids)
        return self._store.get(chunk_ids)

    def lexical(self, terms, k, filter=Filter()):
        self.searches.append(filter)
        return self._store.lexical(terms, k, filter)


@pytest.fixture(scope="module")
def embedder():
    return open_embedder(ModelSettings(threads=1))


@pytest.fixture(scope="module")
def opened(tmp_path_factory, embedder):
    store = open_store(StoreSettings(), tmp_path_factory.mktemp("home"), embedder.name, embedder.dimension, create=True)
    documents = [a_document(title, text) for title, text in (DOCUMENTS | RECIPES).items()]
    Ingestor(store, embedder, IngestSettings()).add_documents(documents)
    yield store
    store.close()


@pytest.fixture
def store(opened):
    return WatchedStore(opened)


@pytest.fixture
def retriever(store, embedder):
    return Retriever(Searcher(store, embedder, SETTINGS, [], SystemClock()), store, SETTINGS)


def a_run(seconds=60.0):
    return Run(Budget(calls=0, tokens=0, seconds=seconds, usd=0))


def a_request(question=QUESTION, **changes):
    return replace(RetrievalRequest(question, ENGLISH, Strategy.HYBRID, k=9), **changes)


def titles(result):
    return [passage.chunk.title for passage in result.passages]


def test_a_document_that_the_question_does_not_name_is_found_through_one_that_it_does(retriever):
    once = retriever.retrieve(a_request(k=3), a_run())
    followed = retriever.retrieve(a_request(k=3, iterate=True), a_run())
    assert "Ada Kestrel" not in titles(once)
    assert "Ada Kestrel" in titles(followed)
    found = next(passage for passage in followed.passages if passage.chunk.title == "Ada Kestrel")
    assert found.explanation == "followed Ada Kestrel from “Lumen Observatory”"
    assert found.scores["bridge"] > 0


def test_the_record_says_what_was_followed(retriever):
    decisions = retriever.retrieve(a_request(iterate=True), a_run()).decisions
    followed = [decision.reason for decision in decisions if decision.node == "iterate"]
    assert any("Ada Kestrel" in reason and "“Lumen Observatory”" in reason for reason in followed)


def test_a_plain_request_is_one_search_with_the_searchers_own_result(retriever, store, embedder):
    found = retriever.retrieve(a_request(k=3), a_run())
    assert len(store.searches) == 1
    searched = Searcher(store, embedder, SETTINGS, [], SystemClock()).search(
        QUESTION, ENGLISH, strategy=Strategy.HYBRID, k=3
    )
    assert found.passages == searched.passages
    assert found.confidence == searched.confidence


@pytest.mark.parametrize("strategy", list(Strategy))
def test_no_passage_scores_less_than_the_question_gave_it(retriever, strategy):
    parts = (SubQuery("the founder of the Lumen Observatory", SubQueryType.FACTUAL, 1),)
    once = {p.chunk.id: p.score for p in retriever.retrieve(a_request(strategy=strategy), a_run()).passages}
    request = a_request(strategy=strategy, iterate=True, sub_queries=parts)
    result = retriever.retrieve(request, a_run())
    again = {p.chunk.id: p.score for p in result.passages}
    both = once.keys() & again.keys()
    assert len(both) > 3
    assert all(again[key] >= once[key] - 1e-9 for key in both)
    scores = [passage.score for passage in result.passages]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)


def test_parts_and_wordings_are_searched_and_recorded(retriever):
    request = a_request(
        sub_queries=(
            SubQuery("Where was she born?", SubQueryType.FACTUAL, 2),
            SubQuery("bread and flour", SubQueryType.FACTUAL, 1),
        ),
        variants=(Variant("simple", "telescope mirror"),),
    )
    result = retriever.retrieve(request, a_run())
    searched = [decision.reason for decision in result.decisions if decision.node == "search"][1:]
    assert searched == [
        "sub-query “bread and flour”",
        "sub-query “Where was she born?”",
        "simple wording “telescope mirror”",
    ]
    bread = next(passage for passage in result.passages if passage.chunk.title == "Bread")
    assert bread.scores["sub_query"] > 0


def test_the_question_itself_and_repeats_are_searched_once(retriever, store):
    same = (SubQuery(QUESTION.upper(), SubQueryType.FACTUAL, 1), SubQuery("bread", SubQueryType.FACTUAL, 1))
    retriever.retrieve(a_request(sub_queries=same, variants=(Variant("simple", " Bread "),)), a_run())
    assert len(store.searches) == 2


def test_searches_have_a_bound(retriever, store):
    parts = tuple(SubQuery(f"{title} town", SubQueryType.FACTUAL, 1) for title in DOCUMENTS)
    variants = tuple(Variant("simple", f"{title} telescope") for title in DOCUMENTS)
    retriever.retrieve(a_request(sub_queries=parts, variants=variants, iterate=True), a_run())
    assert len(store.searches) <= 1 + MAX_PARTS + BEAM * ROUNDS


def test_nothing_is_fetched_twice_on_the_way(retriever, store):
    retriever.retrieve(a_request(iterate=True), a_run())
    assert set(store.fetched.values()) == {1}


def test_the_filter_holds_in_every_pass(retriever, store):
    allowed = Filter(sources=("Lumen Observatory.txt", "Towns.txt", "Brackwater.txt"))
    parts = (SubQuery("Ada Kestrel", SubQueryType.FACTUAL, 1),)
    result = retriever.retrieve(a_request(filter=allowed, iterate=True, sub_queries=parts), a_run())
    assert set(titles(result)) == {"Lumen Observatory", "Towns", "Brackwater"}
    assert set(store.searches) == {allowed}


def test_the_order_is_the_same_every_time(retriever):
    first, second = (retriever.retrieve(a_request(iterate=True), a_run()).passages for _ in range(2))
    assert first == second


def test_no_further_pass_is_begun_when_the_time_is_up(retriever, store):
    parts = (SubQuery("Ada Kestrel", SubQueryType.FACTUAL, 1),)
    result = retriever.retrieve(a_request(iterate=True, sub_queries=parts), a_run(seconds=1e-9))
    assert len(store.searches) == 1
    assert result.passages


def test_how_near_passages_are_is_measured_to_the_question_not_to_a_wording_of_their_own_words(retriever):
    asked = {p.chunk.id: p.scores["dense"] for p in retriever.retrieve(a_request(), a_run()).passages}
    reworded = a_request("stands river market mill people ferry cross town", asked=QUESTION)
    found = retriever.retrieve(reworded, a_run()).passages
    alone = retriever.retrieve(replace(reworded, asked=""), a_run()).passages
    assert [(p.chunk.id, p.score) for p in found] == [(p.chunk.id, p.score) for p in alone]
    common = [p for p in found if p.chunk.id in asked]
    assert common
    for passage in common:
        assert passage.scores["dense"] == pytest.approx(asked[passage.chunk.id], abs=1e-5)
    assert max(p.scores["dense"] for p in found) < max(p.scores["dense"] for p in alone)


def test_a_search_by_words_alone_measures_no_nearness(retriever):
    request = a_request("founder of an observatory", strategy=Strategy.KEYWORD, asked=QUESTION)
    assert all("dense" not in p.scores for p in retriever.retrieve(request, a_run()).passages)
