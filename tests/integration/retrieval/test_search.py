"""Search over the real embedded store with the real embedding model."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from ascertain.core.asking.passages import Filter, Level, Strategy
from ascertain.core.asking.runs import FixedClock
from ascertain.core.documents.documents import Document, DocumentKind, document_id
from ascertain.core.errors import UsageError
from ascertain.core.settings import IngestSettings, ModelSettings, RetrievalSettings, StoreSettings
from ascertain.core.settings.profiles import load_profile
from ascertain.documents.ingest.pipeline import Ingestor
from ascertain.language.languages import ENGLISH
from ascertain.models.registry import open_embedder
from ascertain.retrieval.reranking import rerank_passages
from ascertain.retrieval.search.evidence import gather_evidence, with_neighbours, with_parents, without_duplicates
from ascertain.retrieval.search.searcher import Searcher
from ascertain.stores.registry import open_store

NOW = datetime(2024, 12, 5, 12, tzinfo=UTC)
HALVING = (
    "Every 210,000 blocks the reward that miners receive is cut in half. The fourth halving happened on 20 April 2024 "
    "and lowered the reward from 6.25 to 3.125 bitcoin. Miners with old machines became unprofitable that week."
)
STORY = (
    "Bitcoin traded above 100,000 dollars for the first time on Thursday. The move followed the news that Paul Atkins "
    "will lead the securities regulator. Traders cheered, exchanges reported record volumes, and shares of companies "
    "that hold the coin rose in early trading. Analysts warned that such moves often reverse within days, and that new "
    "buyers should think about how much they could lose before they follow the crowd into the market this week."
)
WORDS_AND_DATES = {
    "halving": ("How a halving works", HALVING, None),
    "story": ("Bitcoin passes 100,000 dollars", STORY, NOW),
    "copy": ("Bitcoin passes 100,000 dollars", STORY.replace("Thursday", "Thursday morning"), NOW),
    "old": ("Exchange fails", "The exchange FTX filed for bankruptcy in Delaware.", NOW.replace(year=2022)),
    "codes": ("Error codes", "TB-4031 means that the repository is locked by another machine.", None),
    "cats": ("Cats", "A cat purrs when it is content, and also when it is hurt.", None),
}


def a_document(name, title, text, published_at=None):
    return Document(
        id=document_id(name),
        text=text,
        title=title,
        kind=DocumentKind.ARTICLE,
        source=name,
        published_at=published_at,
        profile="news",
    )


@pytest.fixture(scope="module")
def embedder():
    return open_embedder(ModelSettings(threads=1))


@pytest.fixture(scope="module")
def store(tmp_path_factory, embedder):
    store = open_store(StoreSettings(), tmp_path_factory.mktemp("home"), embedder.name, embedder.dimension, create=True)
    long = "\n\n".join(
        f"Chapter {n}. " + f"This is the story of the number {n} and its friends. " * 14 for n in range(9)
    )
    documents = [a_document(name, *rest) for name, rest in WORDS_AND_DATES.items()]
    Ingestor(store, embedder, IngestSettings()).add_documents([*documents, a_document("long", "Numbers", long)])
    yield store
    store.close()


@pytest.fixture
def searcher(store, embedder):
    return Searcher(store, embedder, RetrievalSettings(), [load_profile("news")], FixedClock(NOW))


def sources(result):
    return [passage.chunk.source for passage in result.passages]


@pytest.mark.parametrize("strategy", list(Strategy))
def test_every_strategy_finds_the_passage_and_says_how(searcher, strategy):
    result = searcher.search("When was the fourth bitcoin halving?", ENGLISH, strategy=strategy)
    assert sources(result)[0] == "halving"
    assert result.strategy is strategy
    scores = [passage.score for passage in result.passages]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)


def test_an_identifier_is_found_by_its_letters(searcher):
    assert sources(searcher.search("TB-4031", ENGLISH))[0] == "codes"


def test_meaning_is_found_without_a_word_in_common(searcher):
    assert sources(searcher.search("noise made by a happy pet", ENGLISH, strategy=Strategy.SEMANTIC))[0] == "cats"


def test_slang_is_written_out(searcher):
    result = searcher.search("btc record", ENGLISH)
    assert "btc → Bitcoin" in result.decisions[0].reason
    assert sources(result)[0] in {"story", "copy"}


def test_dates_in_the_question_narrow_the_search(searcher):
    result = searcher.search("what did bitcoin do today?", ENGLISH)
    assert set(sources(result)) == {"story", "copy"}
    assert result.filter.published_from == datetime(2024, 12, 5, tzinfo=UTC)


def test_dates_that_leave_nothing_are_widened_and_said_so(searcher):
    result = searcher.search("which exchange failed yesterday?", ENGLISH)
    assert sources(result)[0] == "old"
    assert "yesterday" in (result.confidence.caveat or "")
    assert "widened" in [decision.outcome for decision in result.decisions]


def test_days_back_is_an_order(searcher):
    assert set(sources(searcher.search("which exchange failed?", ENGLISH, days_back=7))) <= {"story", "copy"}


def test_filters_hold_and_an_empty_result_says_what_was_searched(searcher):
    only = Filter(document_ids=(document_id("cats"),))
    assert set(sources(searcher.search("bitcoin", ENGLISH, filter=only))) == {"cats"}
    none = searcher.search("bitcoin", ENGLISH, filter=Filter(tags=("absent",)))
    assert none.passages == ()
    assert none.confidence.level is Level.NONE
    assert "under the filters given" in (none.confidence.caveat or "")


def test_a_question_about_something_else_is_not_trusted(searcher):
    good = searcher.search("When was the fourth halving of the bitcoin reward?", ENGLISH).confidence
    bad = searcher.search("Which enzyme unwinds the double helix?", ENGLISH).confidence
    assert bad.score < 20 < good.score
    assert bad.caveat


@pytest.mark.parametrize("query", ["", "   \n"])
def test_an_empty_question_is_refused(searcher, query):
    with pytest.raises(UsageError, match="empty"):
        searcher.search(query, ENGLISH)


def test_k_below_one_is_refused(searcher):
    with pytest.raises(UsageError, match="at least 1"):
        searcher.search("bitcoin", ENGLISH, k=0)


@pytest.mark.parametrize(
    "query", ["!!!", "the of and", "x" * 9000, "'; DROP TABLE documents; --", "AND OR NOT (", "\x00"]
)
def test_odd_questions_are_just_questions(searcher, query):
    assert len(searcher.search(query, ENGLISH, k=3).passages) <= 3


def test_k_limits_and_more_than_there_is_gives_all(searcher, store):
    assert len(searcher.search("bitcoin", ENGLISH, k=2).passages) == 2
    assert len(searcher.search("bitcoin", ENGLISH, k=500, strategy=Strategy.SEMANTIC).passages) <= store.count()


def test_a_near_duplicate_is_told_once_in_the_evidence(searcher, store):
    passages = searcher.search("bitcoin passes 100,000 dollars", ENGLISH).passages
    assert {"story", "copy"} <= {passage.chunk.source for passage in passages}
    kept = {passage.chunk.source for passage in without_duplicates(store, passages)}
    assert len({"story", "copy"} & kept) == 1


def test_context_widens_within_the_budget_and_stays_exact(searcher, store):
    passages = searcher.search("the story of the number 4", ENGLISH, k=2).passages
    wider = with_neighbours(store, passages, neighbours=1, budget_tokens=4000)
    document = store.document(document_id("long"))
    assert len(wider[0].chunk.text) > len(passages[0].chunk.text)
    for passage in wider:
        owner = store.document(passage.chunk.document_id)
        assert passage.chunk.span.of(owner.text) == passage.chunk.text
    tight = with_neighbours(store, passages, neighbours=1, budget_tokens=1)
    assert [p.chunk.text for p in tight] == [p.chunk.text for p in passages]
    parent = with_parents(store, passages[:1], budget_tokens=4000)[0]
    assert parent.chunk.span.contains(passages[0].chunk.span)
    assert parent.chunk.text == parent.chunk.span.of(document.text)
    assert len(parent.chunk.text) > len(passages[0].chunk.text)


def test_context_never_repeats_text(searcher, store):
    passages = searcher.search("the story of the number", ENGLISH, k=6).passages
    wider = with_neighbours(store, passages, neighbours=2, budget_tokens=100_000)
    spans = {}
    for passage in wider:
        taken = spans.setdefault(passage.chunk.document_id, [])
        assert not any(span.contains(passage.chunk.span) for span in taken)
        taken.append(passage.chunk.span)


@pytest.mark.parametrize("how", ["none", "rrf", "mmr", "rrf_mmr"])
def test_evidence_is_diversified_by_setting(searcher, store, how):
    settings = RetrievalSettings(reranking_strategy=how)
    passages = searcher.search("bitcoin", ENGLISH, k=10).passages
    ordered = rerank_passages("bitcoin", ENGLISH, passages, None, settings=settings).passages
    evidence = gather_evidence(store, ordered, 3, settings)
    assert len(evidence) == 3
    if how in {"none", "rrf"}:
        assert [p.chunk.id for p in evidence] == [p.chunk.id for p in without_duplicates(store, ordered)[:3]]
    else:
        assert len({p.chunk.document_id for p in evidence}) == 3


@pytest.mark.parametrize(
    ("strategy", "says"),
    [(Strategy.HYBRID, ["meaning", "words", "title"]), (Strategy.SEMANTIC, ["meaning"]), (Strategy.KEYWORD, ["words"])],
)
def test_every_passage_found_says_what_it_was_found_by(searcher, strategy, says):
    for passage in searcher.search("bitcoin 100,000 dollars", ENGLISH, strategy=strategy).passages:
        explanation = passage.explanation
        assert [part.split()[0] for part in explanation.split(", ")] == says, explanation
    # what a passage is called counts besides its words, so that the best by words need not be the first
    found = searcher.search("bitcoin 100,000 dollars", ENGLISH, strategy=Strategy.KEYWORD).passages
    assert "words 100% of the best" in [passage.explanation for passage in found]


def test_the_heuristic_rerank_explains_itself(store, embedder):
    settings = RetrievalSettings(rerank="heuristic")
    result = Searcher(store, embedder, settings, [], FixedClock(NOW)).search("bitcoin 100,000 dollars", ENGLISH)
    assert sources(result)[0] in {"story", "copy"}
    assert "recency 100%" in result.passages[0].explanation
