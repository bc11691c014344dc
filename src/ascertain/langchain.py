"""Tools for agents made with LangChain or LangGraph; needs langchain-core, which comes with Ascertain."""

import asyncio

from langchain_core.tools import BaseTool, StructuredTool, ToolException
from pydantic import BaseModel, ConfigDict, Field

from ascertain.app.ascertain import Ascertain
from ascertain.app.asking.rendering import search_as_material
from ascertain.core.errors import AscertainError
from ascertain.wire.documents import SearchJson
from ascertain.wire.shape import JsonObject

NAME = "search_knowledge"
DESCRIPTION = (
    "Search the documents of the knowledge base for passages that answer a question or mention a name, a code or a "
    "date. Gives the best passages, each with its document, place and date, and says how far they can be trusted."
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

    Its content is text for a model, with every passage marked as data; its artifact is the JSON of ``ascertain search
    --json``. What the knowledge base refuses (no documents yet, an empty question) is the tool's answer, with the
    status ``error``.
    """

    def search(query: str, days_back: int | None = None, limit: int = 5) -> tuple[str, JsonObject]:
        try:
            found = knowledge.search(query, k=limit, days_back=days_back)
        except AscertainError as error:
            raise ToolException(str(error)) from error
        return search_as_material(found), SearchJson.from_noun(found).to_json()

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
