"""Topics through the Python API: filtering, the trace, the graph, and documents that were added before there were any."""

import sqlite3
from pathlib import Path

import pytest
from small_knowledge import a_document, opened

from ascertain import Filter

BLOCKS = (
    "The halving cut the block subsidy. Miners live on the block subsidy, and Satoshi Nakamoto planned each halving. "
    "After a halving some miners gave up."
)
WALLETS = (
    "A seed phrase restores a wallet. Satoshi Nakamoto never lost a seed phrase, and his wallet has not moved. "
    "Whoever knows the seed phrase has the coins."
)


@pytest.fixture
def knowledge(tmp_path: Path):
    with opened(tmp_path / "kb") as knowledge:
        knowledge.add_documents([a_document("blocks", BLOCKS), a_document("wallets", WALLETS)])
        yield knowledge


def test_a_search_and_a_question_are_held_to_a_topic(knowledge):
    about = Filter(topics=("seed phrase",))
    assert [each.chunk.title for each in knowledge.search("What did Satoshi Nakamoto do?", filter=about).passages] == [
        "wallets"
    ]
    answer = knowledge.ask("What does a halving cut?", filter=about)
    assert "block subsidy" not in answer.text
    [told] = [each for each in answer.decisions if each.node == "topics"][:1]
    assert "only passages on “seed phrase”" in told.reason


def test_the_trace_says_what_the_passages_are_about(knowledge):
    answer = knowledge.ask("What does a seed phrase restore?")
    told = next(each for each in answer.decisions if each.node == "topics")
    assert "seed phrase (1)" in told.outcome


def test_the_graph_tells_topics_of_an_entity_and_shows_one_of_them_alone(knowledge):
    whole = knowledge.graph.entity("Satoshi Nakamoto")
    assert {"seed phrase", "block subsidy"} <= {topic for topic, _ in whole.topics}
    part = knowledge.graph.entity("Satoshi Nakamoto", topic="Seed  Phrase")
    assert [each.title for each in part.documents] == ["wallets"]
    assert (part.total_passages, whole.total_passages) == (1, 2)


def test_an_entity_that_no_passage_of_a_topic_names_has_nothing_there(knowledge):
    assert knowledge.graph.entity("Satoshi Nakamoto", topic="no such topic").total_passages == 0


def test_what_was_added_before_there_were_topics_gets_them_with_a_reindex(tmp_path: Path):
    home = tmp_path / "kb"
    with opened(home) as knowledge:
        knowledge.add_documents([a_document("blocks", BLOCKS)])
    with sqlite3.connect(next(home.glob("*.sqlite3"))) as record:
        record.execute("UPDATE chunks SET topics = NULL")
        record.execute("DELETE FROM chunk_topics")
    with opened(home) as knowledge:
        assert knowledge.search("halving").passages[0].chunk.topics == ()
        assert knowledge.tag_topics() == 1
        found = knowledge.search("halving", filter=Filter(topics=("block subsidy",))).passages
        assert "block subsidy" in found[0].chunk.topics
        assert knowledge.tag_topics() == 0
        assert knowledge.check().problems == ()


def test_topics_are_no_part_of_a_content_hash(knowledge):
    assert knowledge.add_documents([a_document("blocks", BLOCKS)]).unchanged == 1
