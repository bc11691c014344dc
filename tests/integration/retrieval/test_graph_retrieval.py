"""The graph in retrieval: real stores, the real embedding model, the graph that the rules read."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ascertain.core.asking.passages import Filter, Strategy
from ascertain.core.asking.plans import GraphQuery
from ascertain.core.asking.runs import Budget, Run, SystemClock
from ascertain.core.documents.documents import Document, DocumentKind, document_id
from ascertain.core.errors import StoreError
from ascertain.core.settings import GraphSettings, IngestSettings, ModelSettings, RetrievalSettings, StoreSettings
from ascertain.documents.ingest.pipeline import Ingestor
from ascertain.graph.extraction.rules import RuleExtractor
from ascertain.graph.knowledge_graph import KnowledgeGraph
from ascertain.language.languages import ENGLISH
from ascertain.models.registry import open_embedder
from ascertain.retrieval.search.graph_retrieval import GraphRetrieval
from ascertain.retrieval.search.retriever import RetrievalRequest, Retriever
from ascertain.retrieval.search.searcher import Searcher
from ascertain.stores.registry import open_graph, open_store

QUESTION = "What is said of the town that the founder of the Lumen Observatory came from?"
DOCUMENTS = {
    "Lumen Observatory": "The Lumen Observatory is a telescope on a hill. It was founded in 1911 by Ada Kestrel.",
    "Ada Kestrel": "Ada Kestrel, a physicist and mountaineer, was a miller's daughter from Brackwater.",
    "Brackwater": "A mill and a market stand at the river in Brackwater, and people cross it by ferry.",
    "Ferries": "The ferry of Brackwater is the oldest of the country, says the Harbour Trust (HT).",
    "Trusts": "The Harbour Trust owns mills.",
    "Observatories": "An observatory houses telescopes and stands far from the lights of a town.",
    "Founders": "A founder is whoever begins something, such as a company or a school.",
    "Towns": "Every town was founded by someone. People said to come from a town may vote in it.",
    "Telescopes": "A telescope gathers light with a mirror. The first observatory mirror was made of metal.",
}
NOISE = {f"Recipe {n}": f"Stir {n} spoons of flour into the dough and bake it." for n in range(30)}
NOISE |= {f"Town hall {n}": f"The founder of town hall {n} is said to have come from the town." for n in range(12)}
SETTINGS = RetrievalSettings(candidates=6)
"""Fewer candidates than documents, so that a first search does not see them all."""
TENANT, WORKS, CONVERSATION = "another", "works", "c1"
STATING = {
    "Quern Works": "The founders of Quern Works are remembered there. It makes millstones.",
    "Founders of works": "Works like these were founded long ago. Whoever founded works founded a school too.",
    "A miller": "In the year of the flood Mara Steen founded Quern Works beside the weir, with money from her aunt.",
    "A sale": "Quern Works bought the Lower Mill. Founded or not, Quern Works grew.",
}


def a_document(title, text, tenant="default", conversation=None):
    return Document(
        id=document_id(title, tenant, conversation),
        text=text,
        title=title,
        kind=DocumentKind.PROSE,
        source=f"{title}.txt",
        profile="docs",
        tenant=tenant,
        conversation_id=conversation,
    )


@pytest.fixture(scope="module")
def embedder():
    return open_embedder(ModelSettings(threads=1))


@pytest.fixture(scope="module")
def opened(tmp_path_factory, embedder):
    home = tmp_path_factory.mktemp("home")
    store = open_store(StoreSettings(), home, embedder.name, embedder.dimension, create=True)
    documents = [a_document(title, text) for title, text in (DOCUMENTS | NOISE).items()]
    documents.append(a_document("Secret", "Ada Kestrel hid gold in Brackwater.", TENANT))
    documents += [a_document(title, text, WORKS) for title, text in STATING.items()]
    documents.append(a_document("Fetched", "Ada Kestrel met Theo Okafor in Brackwater.", conversation=CONVERSATION))
    Ingestor(store, embedder, IngestSettings()).add_documents(documents)
    graph = open_graph(GraphSettings(), StoreSettings(), home)
    for tenant in ("default", TENANT, WORKS):
        chunks = {}
        for chunk in store.iterate_chunks(Filter(tenant=tenant)):
            chunks.setdefault(chunk.document_id, []).append(chunk)
        graph.upsert(list(RuleExtractor().extract(chunks.items())))
    yield store, graph
    graph.close()
    store.close()


@pytest.fixture
def retriever(opened, embedder):
    store, graph = opened
    searcher = Searcher(store, embedder, SETTINGS, [], SystemClock())
    walks = GraphRetrieval(searcher, store, KnowledgeGraph(graph), "auto", embedder.embed_documents)
    return Retriever(searcher, store, SETTINGS, walks)


def retrieved(retriever, question=QUESTION, graph_query=GraphQuery.MULTI_HOP, **changes):
    filter = Filter(within=("",))
    request = RetrievalRequest(question, ENGLISH, Strategy.HYBRID, 50, filter, graph_query=graph_query)
    return retriever.retrieve(replace(request, **changes), Run(Budget(calls=0, tokens=0, seconds=60, usd=0)))


def titles(result):
    return [passage.chunk.title for passage in result.passages]


def decisions(result):
    return [decision for decision in result.decisions if decision.node == "graph"]


def test_what_the_search_ranks_low_is_found_over_the_graph(retriever):
    plain, found = retrieved(retriever, graph_query=None), retrieved(retriever)
    assert titles(plain).index("Ferries") > max(10, titles(found).index("Ferries"))
    ferries = next(passage for passage in found.passages if passage.chunk.title == "Ferries")
    assert ferries.origin == "graph"
    assert ferries.explanation.startswith("through Brackwater, named in “")
    assert (ferries.way.entities[0].name, ferries.way.start.title) == (
        "Brackwater",
        ferries.explanation.split("“")[1][:-1],
    )
    assert ferries.scores["graph"] > 0
    assert titles(found).index("Brackwater") < 5


def test_the_walk_begins_where_following_names_led(retriever):
    """From the first search alone it would go on from passages that merely share words with the question."""
    plain, found = retrieved(retriever, graph_query=None), retrieved(retriever, iterate=True)
    assert titles(plain)[:3] == ["Lumen Observatory", "Observatories", "Towns"]
    by_walk = sorted(found.passages, key=lambda passage: -passage.scores.get("graph", 0.0))
    assert [passage.chunk.title for passage in by_walk[:3]] == ["Lumen Observatory", "Ada Kestrel", "Brackwater"]


def test_a_sentence_that_states_what_is_asked_comes_first(retriever):
    question = "Who founded Quern Works?"
    found = retrieved(retriever, question, GraphQuery.NONE, filter=Filter(tenant=WORKS))
    assert titles(found)[0] == "A miller"
    assert found.passages[0].explanation == "states: Mara Steen founded Quern Works"
    assert found.passages[0].scores["relation"] > 0
    (decision,) = decisions(found)
    assert "stated: Mara Steen founded Quern Works" in decision.reason
    bought = retrieved(retriever, "Who bought Quern Works?", GraphQuery.NONE, filter=Filter(tenant=WORKS))
    assert not any("relation" in passage.scores for passage in bought.passages)


def test_one_ranked_list_on_the_scale_of_the_search(retriever):
    plain, found = retrieved(retriever, graph_query=None), retrieved(retriever)
    scores = [passage.score for passage in found.passages]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)
    assert {p.chunk.id for p in plain.passages} <= {p.chunk.id for p in found.passages}
    assert found.confidence == plain.confidence


def test_the_record_says_what_was_asked_of_the_graph_and_why(retriever):
    (decision,) = decisions(retrieved(retriever))
    assert decision.outcome == "multi_hop"
    assert "Lumen Observatory" in decision.reason
    assert decision.scores["added"] > 0


def test_a_question_that_links_to_nothing_is_one_search(retriever):
    question = "How many spoons of flour?"
    plain = retrieved(retriever, question, None)
    found = retrieved(retriever, question, GraphQuery.NONE)
    assert found.passages == plain.passages
    assert [decision.outcome for decision in decisions(found)] == ["none"]


def test_without_being_asked_the_graph_is_left_out(retriever):
    assert not decisions(retrieved(retriever, graph_query=None))


def test_another_name_of_a_thing_links(retriever):
    found = retrieved(retriever, "What does the HT own?", GraphQuery.NONE)
    assert "HT as Harbour Trust" in decisions(found)[0].reason
    assert "Trusts" in titles(found)


@pytest.mark.parametrize(
    ("filter", "never"),
    [
        (Filter(within=("",)), {"Secret", "Fetched"}),
        (Filter(within=("", CONVERSATION)), {"Secret"}),
        (Filter(), {"Secret"}),
        (Filter(tenant=TENANT), set(DOCUMENTS) | {"Fetched"}),
    ],
)
def test_no_walk_leaves_what_may_be_seen(retriever, filter, never):
    assert not never & set(titles(retrieved(retriever, filter=filter)))


def test_conversations_that_may_be_seen_take_part(retriever):
    found = retrieved(retriever, "Who met Ada Kestrel?", filter=Filter(within=("", CONVERSATION)))
    assert "Fetched" in titles(found)


@pytest.mark.parametrize(
    "filter",
    [
        Filter(sources=("Lumen Observatory.txt", "Ferries.txt")),
        Filter(document_ids=(document_id("Lumen Observatory"), document_id("Ferries"))),
    ],
)
def test_what_a_filter_excludes_is_no_stepping_stone(retriever, filter):
    found = retrieved(retriever, filter=filter)
    assert set(titles(found)) <= {"Lumen Observatory", "Ferries"}
    assert all("Ada Kestrel" not in passage.explanation for passage in found.passages)


def test_chunks_of_a_filter_alone_take_part(retriever, opened):
    store, _ = opened
    chunk = next(iter(store.iterate_chunks(Filter(document_ids=(document_id("Ferries"),)))))
    assert titles(retrieved(retriever, filter=Filter(chunk_ids=(chunk.id,)))) == ["Ferries"]


def test_the_order_is_the_same_every_time(retriever):
    assert retrieved(retriever).passages == retrieved(retriever).passages


def test_a_graph_store_that_is_away_costs_nothing_but_the_graph(opened, embedder):
    class Away:
        def generation(self, tenant):
            raise StoreError("the graph store does not answer; start it")

    store, _ = opened
    searcher = Searcher(store, embedder, SETTINGS, [], SystemClock())
    retriever = Retriever(searcher, store, SETTINGS, GraphRetrieval(searcher, store, KnowledgeGraph(Away())))
    found = retrieved(retriever)
    assert found.passages
    assert [(decision.outcome, decision.reason) for decision in decisions(found)] == [
        ("unavailable", "the graph store does not answer; start it")
    ]


def test_a_document_deleted_since_is_left_out(tmp_path, embedder):
    store = open_store(StoreSettings(), tmp_path, embedder.name, embedder.dimension, create=True)
    documents = [a_document(title, text) for title, text in (DOCUMENTS | NOISE).items()]
    Ingestor(store, embedder, IngestSettings()).add_documents(documents)
    graph = open_graph(GraphSettings(), StoreSettings(), tmp_path)
    chunks = {}
    for chunk in store.iterate_chunks():
        chunks.setdefault(chunk.document_id, []).append(chunk)
    graph.upsert(list(RuleExtractor().extract(chunks.items())))
    store.delete(Filter(document_ids=(document_id("Ferries"),)))
    searcher = Searcher(store, embedder, SETTINGS, [], SystemClock())
    retriever = Retriever(searcher, store, SETTINGS, GraphRetrieval(searcher, store, KnowledgeGraph(graph)))
    found = titles(retrieved(retriever))
    assert "Brackwater" in found
    assert "Ferries" not in found
    graph.close()
    store.close()
