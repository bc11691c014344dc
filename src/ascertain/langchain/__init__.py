"""Tools for agents made with LangChain or LangGraph; needs langchain-core, which comes with Ascertain."""

from ascertain.langchain.search_tool import search_knowledge_tool as search_knowledge_tool
