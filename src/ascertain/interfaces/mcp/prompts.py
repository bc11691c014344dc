"""Prompts that a person picks in an agent's program: what to do with the tools, in a sentence or two."""

from __future__ import annotations

from typing import Annotated, Any

from mcp.server.mcpserver import MCPServer
from pydantic import Field


def add_prompts(server: MCPServer[Any]) -> None:
    """Offer all prompts."""
    server.prompt(title="Answer from my documents")(answer_with_sources)
    server.prompt(title="Summarize a document")(summarize_document)
    server.prompt(title="Check a text against my documents")(check_text)


def answer_with_sources(question: Annotated[str, Field(description="What you want to know.")]) -> str:
    """Answer a question from the documents, each sentence with its source."""
    return (
        f"Answer this from my documents: {question}\n\n"
        "Call `ask`, and `read` around a citation where its words leave something open. Put the number of its source in brackets behind "
        "each sentence and list the sources at the end, each with title, place and the words quoted. Where the documents do not say, say so."
    )


def summarize_document(document_id: Annotated[str, Field(description="As `list_documents` gives it.")]) -> str:
    """Summarize one document section by section."""
    return (
        f"Summarize the document {document_id}.\n\n"
        "Call `outline`, then `read` its sections, going on at `next_start` until all is read. Give the main points of each section, with its "
        "name, and nothing that it does not say."
    )


def check_text(text: Annotated[str, Field(description="The text whose claims are checked.")]) -> str:
    """Check each claim of a text against the documents."""
    return (
        f"Check this text against my documents:\n\n{text}\n\n"
        "Call `check_claim` once for each statement of fact in it. Give a table of claim, verdict, and the words for or against it with "
        "their document."
    )
