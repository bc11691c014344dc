"""The retriever for LangChain, through LangChain's own suite and as chains use it."""

import asyncio
from datetime import UTC, datetime
from typing import Any

import pytest
from langchain_core.documents import Document as LangChainDocument
from langchain_core.output_parsers import StrOutputParser
from langchain_core.runnables import RunnableLambda, RunnablePassthrough
from langchain_tests.integration_tests import RetrieversIntegrationTests
from pydantic import ValidationError

from ascertain import Ascertain, AscertainError, Document, Filter, Settings
from ascertain.core.asking.runs import FixedClock
from ascertain.core.documents.documents import DocumentKind, document_id
from ascertain.interfaces.langchain import AscertainRetriever

NOW = datetime(2024, 12, 5, 18, tzinfo=UTC)
TEXTS = {
    "refunds": (2, "A refund is granted within 30 days of the purchase."),
    "bridge": (20, "The harbour bridge closed for repairs."),
    "tram": (100, "Tram line 9 connects the airport with the old town. <b>Day tickets</b> hold."),
    "ferry": (200, "The ferry leaves the harbour at noon."),
}


@pytest.fixture(scope="module")
def knowledge(tmp_path_factory):
    settings = Settings(home=tmp_path_factory.mktemp("kb"), models={"threads": 1})
    with Ascertain(settings, clock=FixedClock(NOW)) as opened:
        opened.add_documents(
            Document(
                document_id(name),
                text,
                name,
                DocumentKind.ARTICLE,
                f"{name}.txt",
                published_at=datetime.fromtimestamp(NOW.timestamp() - days * 86400, UTC),
            )
            for name, (days, text) in TEXTS.items()
        )
        yield opened


class TestLangChainSuite(RetrieversIntegrationTests):
    """The suite that LangChain has for retrievers, whole."""

    pytestmark = pytest.mark.anyio

    @pytest.fixture
    def anyio_backend(self):
        return "asyncio"

    @pytest.fixture(autouse=True)
    def _open_knowledge(self, knowledge):
        self._knowledge = knowledge

    @property
    def retriever_constructor(self) -> type[AscertainRetriever]:
        return AscertainRetriever

    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        return {"knowledge": self._knowledge}

    @property
    def retriever_query_example(self) -> str:
        return "Where is the harbour, and when does the tram leave?"


def test_documents_are_passages_as_they_are_stored_with_all_that_is_told_of_them(knowledge):
    (found,) = AscertainRetriever(knowledge=knowledge, k=1).invoke("which tram line connects the airport?")
    assert found.page_content == TEXTS["tram"][1]
    told = found.metadata
    assert (told["title"], told["source"], told["rank"]) == ("tram", "tram.txt", 1)
    assert told["published_at"].startswith("2024-08-27")
    document = knowledge.document(told["document_id"])
    start, end = told["start"], told["end"]
    assert document.text[start:end] == found.page_content
    assert 0 < told["score"] <= 1
    assert found.id == told["chunk_id"]
    assert {type(value) for value in told.values()} <= {str, int, float, bool}
    assert 0 < told["score_fused"] <= 1


def test_fields_hold_for_each_call_and_can_be_given_for_one(knowledge):
    retriever = AscertainRetriever(knowledge=knowledge, days_back=30)
    assert {each.metadata["title"] for each in retriever.invoke("harbour refund tram")} == {"refunds", "bridge"}
    assert {each.metadata["title"] for each in retriever.invoke("harbour refund tram", days_back=7)} == {"refunds"}
    chosen = Filter(sources=("ferry.txt",))
    assert [each.metadata["title"] for each in retriever.invoke("harbour", days_back=None, filter=chosen)] == ["ferry"]


def test_a_call_that_waits_does_not_block_the_loop_and_takes_the_same(knowledge):
    retriever = AscertainRetriever(knowledge=knowledge)

    async def three():
        return await asyncio.gather(*(retriever.ainvoke("refund", k=1) for _ in range(3)))

    assert [[each.metadata["title"] for each in found] for found in asyncio.run(three())] == [["refunds"]] * 3


def test_a_chain_is_made_of_it(knowledge):
    def join(found: list[LangChainDocument]) -> str:
        return "; ".join(each.page_content for each in found)

    chain = (
        {"context": AscertainRetriever(knowledge=knowledge, k=1) | join, "question": RunnablePassthrough()}
        | RunnableLambda(lambda given: f"{given['question']} {given['context']}")
        | StrOutputParser()
    )
    assert chain.invoke("When is a refund granted?") == f"When is a refund granted? {TEXTS['refunds'][1]}"


@pytest.mark.parametrize("wrong", [{"k": 0}, {"strategy": "keywords"}, {"top_k": 3}, {"days_back": 400}])
def test_fields_that_make_no_sense_are_refused(wrong, knowledge):
    with pytest.raises(ValidationError):
        AscertainRetriever(knowledge=knowledge, **wrong)


def test_what_the_knowledge_base_refuses_is_its_error(knowledge, tmp_path):
    with pytest.raises(AscertainError, match="empty"):
        AscertainRetriever(knowledge=knowledge).invoke("  ")
    with Ascertain(Settings(home=tmp_path / "none")) as none, pytest.raises(AscertainError, match="no knowledge base"):
        AscertainRetriever(knowledge=none).invoke("refund")
