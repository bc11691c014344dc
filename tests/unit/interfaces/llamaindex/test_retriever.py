"""The retriever for LlamaIndex as its query engines, routers and tools use it.

LlamaIndex has no suite for retrievers of others. Its own packages assert the base class and call both methods.
"""

import asyncio
import subprocess
import sys

import pytest
from llama_index.core.llms import MockLLM
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.response_synthesizers import ResponseMode, get_response_synthesizer
from llama_index.core.retrievers import BaseRetriever, QueryFusionRetriever
from llama_index.core.schema import MetadataMode, NodeRelationship, QueryBundle
from llama_index.core.tools import RetrieverTool

from ascertain import Ascertain, AscertainError, Document, Filter, Settings
from ascertain.core.documents.documents import DocumentKind, document_id
from ascertain.interfaces.llamaindex import AscertainRetriever

TEXTS = {
    "refunds": "A refund is granted within 30 days of the purchase.",
    "bridge": "The harbour bridge closed for repairs.",
    "tram": "Tram line 9 connects the airport with the old town.",
    "ferry": "The ferry leaves the harbour at noon.",
}


@pytest.fixture(scope="module")
def knowledge(tmp_path_factory):
    with Ascertain(Settings(home=tmp_path_factory.mktemp("kb"), models={"threads": 1})) as opened:
        opened.add_documents(
            Document(document_id(name), text, name, DocumentKind.ARTICLE, f"{name}.txt") for name, text in TEXTS.items()
        )
        yield opened


def test_it_is_a_retriever_of_llamaindex():
    assert issubclass(AscertainRetriever, BaseRetriever)


def test_nodes_are_passages_as_they_are_stored_best_first(knowledge):
    found = AscertainRetriever(knowledge, k=2).retrieve("When is a refund granted?")
    assert len(found) == 2
    best = found[0]
    assert best.text == TEXTS["refunds"]
    assert (best.metadata["title"], best.metadata["source"]) == ("refunds", "refunds.txt")
    assert (best.node.start_char_idx, best.node.end_char_idx) == (best.metadata["start"], best.metadata["end"])
    assert best.node.relationships[NodeRelationship.SOURCE].node_id == document_id("refunds")
    assert found[0].score >= found[1].score


def test_a_model_reads_the_title_and_no_scores(knowledge):
    (best,) = AscertainRetriever(knowledge, k=1).retrieve(QueryBundle("When is a refund granted?"))
    assert best.node.get_content(MetadataMode.LLM) == f"title: refunds\n\n{TEXTS['refunds']}"


def test_options_hold(knowledge):
    retriever = AscertainRetriever(knowledge, strategy="keyword", filter=Filter(sources=("ferry.txt",)))
    assert [each.metadata["title"] for each in retriever.retrieve("harbour")] == ["ferry"]


def test_it_waits_without_blocking_the_loop(knowledge):
    retriever = AscertainRetriever(knowledge, k=1)

    async def three():
        return await asyncio.gather(*(retriever.aretrieve("refund granted") for _ in range(3)))

    assert [found[0].metadata["title"] for found in asyncio.run(three())] == ["refunds"] * 3


def test_a_query_engine_answers_from_it(knowledge):
    writer = get_response_synthesizer(llm=MockLLM(), response_mode=ResponseMode.COMPACT)
    answer = RetrieverQueryEngine(AscertainRetriever(knowledge, k=1), writer).query("When is a refund granted?")
    assert TEXTS["refunds"] in str(answer)
    assert [node.metadata["title"] for node in answer.source_nodes] == ["refunds"]


def test_others_can_be_fused_with_it(knowledge):
    legs = [AscertainRetriever(knowledge, k=2, strategy=name) for name in ("keyword", "semantic")]
    fused = QueryFusionRetriever(legs, llm=MockLLM(), num_queries=1, similarity_top_k=1, use_async=False)
    assert [each.metadata["title"] for each in fused.retrieve("When is a refund granted?")] == ["refunds"]


def test_it_is_a_tool_for_agents(knowledge):
    tool = RetrieverTool.from_defaults(AscertainRetriever(knowledge, k=1), description="The house rules.")
    assert TEXTS["refunds"] in tool.call("When is a refund granted?").content


def test_what_the_knowledge_base_refuses_is_its_error(knowledge, tmp_path):
    with pytest.raises(AscertainError, match="empty"):
        AscertainRetriever(knowledge).retrieve(" ")
    with Ascertain(Settings(home=tmp_path / "none")) as none, pytest.raises(AscertainError, match="no knowledge base"):
        AscertainRetriever(none).retrieve("refund")


def test_without_llamaindex_the_extra_is_named():
    code = "import sys; sys.modules['llama_index'] = None; import ascertain.interfaces.llamaindex"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "LlamaIndex needs the extra llamaindex: " in done.stderr
