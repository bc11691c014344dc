"""A tool for agents and a retriever for chains, made with LangChain or LangGraph; needs langchain-core, which comes with
Ascertain.
"""

import asyncio
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from langchain_core.tools import BaseTool, StructuredTool, ToolException
from pydantic import BaseModel, ConfigDict, Field

from ascertain.app.ascertain import Ascertain, Context
from ascertain.app.asking.rendering import search_as_articles
from ascertain.app.wire.documents import SearchJson, describe_passage
from ascertain.app.wire.shape import JsonObject
from ascertain.core.asking.passages import Filter, Strategy
from ascertain.core.errors import AscertainError

NAME = "search_knowledge"
DESCRIPTION = (
    "Search the documents of the knowledge base for passages that answer a question or mention a name, a code or a "
    "date. Gives JSON: the best articles with their passages, place and date, how many, and how far to trust them."
)


class SearchArguments(BaseModel):
    """What an agent fills in."""

    model_config = ConfigDict(extra="forbid")

    query: str = Field(min_length=1, description="A question or words, as a person would put them.")
    days_back: int | None = Field(
        default=None, ge=1, le=30, description="Only documents of the last so many days; leave out for all."
    )
    limit: int = Field(default=5, ge=1, le=20, description="How many passages.")


def search_knowledge_tool(knowledge: Ascertain) -> BaseTool:
    """The tool over ``knowledge``, which stays open as long as the tool is used.

    Its content is JSON for a model: ``articles`` (best first, each with its passages), ``totalFound`` and ``confidence``,
    with a ``note`` that they are data. Its artifact is the JSON of ``ascertain search --json``, with every passage as it
    is stored. What the knowledge base refuses (no documents yet, an empty question) is the tool's answer, with the status
    ``error``.
    """

    def search(query: str, days_back: int | None = None, limit: int = 5) -> tuple[str, JsonObject]:
        try:
            found = knowledge.search(query, k=limit, days_back=days_back)
        except AscertainError as error:
            raise ToolException(str(error)) from error
        return search_as_articles(found), SearchJson.from_noun(found).to_json()

    async def search_in_a_thread(query: str, days_back: int | None = None, limit: int = 5) -> tuple[str, JsonObject]:
        return await asyncio.to_thread(search, query, days_back, limit)

    return StructuredTool.from_function(
        func=search,
        coroutine=search_in_a_thread,
        name=NAME,
        description=DESCRIPTION,
        args_schema=SearchArguments,
        response_format="content_and_artifact",
        handle_tool_error=True,
    )


class AscertainRetriever(BaseRetriever):
    """Retrieves passages of ``knowledge``, which stays open as long as the retriever is used, as LangChain documents.

    The fields are those of ``Ascertain.search``, and each can be given to ``invoke`` by name for one call. The content
    is the passage exactly as it is stored, the metadata the rest of what ``ascertain search --json`` tells of it, with
    the ``source`` of its document. What the knowledge base refuses (no documents yet, an empty query) is an
    AscertainError.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid")

    knowledge: Ascertain
    k: int | None = Field(default=None, ge=1)
    """How many passages; ``retrieval.top_k`` without it."""
    strategy: Strategy | None = None
    filter: Filter = Filter()
    days_back: int | None = Field(default=None, ge=1, le=365)
    context: Context = "none"

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, **options: Any
    ) -> list[Document]:
        given = {name: getattr(self, name) for name in ("k", "strategy", "filter", "days_back", "context")}
        found = self.knowledge.search(query, **{**given, **options})
        return [
            Document(id=passage.chunk.id, page_content=passage.chunk.text, metadata=describe_passage(rank, passage))
            for rank, passage in enumerate(found.passages, 1)
        ]

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun, **options: Any
    ) -> list[Document]:
        manager = run_manager.get_sync()
        return await asyncio.to_thread(self._get_relevant_documents, query, run_manager=manager, **options)
