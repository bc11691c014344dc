"""A search tool for LangChain agents."""
